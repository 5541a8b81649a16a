//! `HookRule` and `HookAction`: how plugins, skills and sub-agents write hooks.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::configured::CommandHook;
use crate::error::{Error, Result};
use crate::event::HookEvent;
use crate::hook::{OnFailure, RunPolicy};

/// Hooks for the tools that the matcher names.
///
/// ```
/// use bowline::hooks::{HookEvent, HookManager, HookRule};
///
/// let rule: HookRule = serde_json::from_str(
///     r#"{"matcher": "Write|Edit", "hooks": [{"type": "command", "command": "fmt.sh", "timeout": 10}]}"#,
/// )?;
/// let mut manager = HookManager::new();
/// for hook in rule.command_hooks("formatter", HookEvent::PostToolUse)? {
///     manager.register(hook);
/// }
/// assert_eq!(manager.names(), ["formatter:PostToolUse-1"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookRule {
    /// Which tools, such as `Write|Edit`: whole names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    /// What runs.
    pub hooks: Vec<HookAction>,
}

/// One thing to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookAction {
    /// The kind, such as `command`.
    #[serde(rename = "type")]
    pub hook_type: String,
    /// The command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The timeout, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
}

impl HookRule {
    /// The rule's command hooks for an event, named `owner:Event-n`. As in settings files of this form, one that
    /// cannot run lets the event pass, with a warning.
    pub fn command_hooks(&self, owner: &str, event: HookEvent) -> Result<Vec<CommandHook>> {
        let everything = matches!(self.matcher.as_deref(), None | Some("" | "*"));
        let policy = RunPolicy {
            on_failure: OnFailure::Allow,
            on_timeout: None,
            ..RunPolicy::default()
        };
        let mut hooks = Vec::new();
        for (action, number) in self.hooks.iter().zip(1..) {
            let name = format!("{owner}:{}-{number}", event.name());
            let command = match (action.hook_type.as_str(), &action.command) {
                ("command", Some(command)) => command,
                ("command", None) => {
                    return Err(Error::other(format!("hook `{name}` has no command")));
                }
                (other, _) => {
                    return Err(Error::other(format!(
                        "hook `{name}` is of type `{other}`; only `command` is known here"
                    )));
                }
            };
            let mut hook = CommandHook::new(name, command, [event]).policy(policy.clone());
            if let Some(seconds) = action.timeout {
                hook = hook.timeout(Duration::from_secs(seconds));
            }
            if let Some(names) = self.matcher.as_deref().filter(|_| !everything) {
                hook = hook.tool_pattern(&format!("^(?:{names})$"))?;
            }
            hooks.push(hook);
        }
        Ok(hooks)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::hook::{Hook, Match};
    use crate::input::HookInput;

    fn rule(matcher: Option<&str>, hook_type: &str, command: Option<&str>) -> HookRule {
        let action = HookAction {
            hook_type: hook_type.to_owned(),
            command: command.map(str::to_owned),
            timeout: Some(10),
        };
        HookRule {
            matcher: matcher.map(str::to_owned),
            hooks: vec![action],
        }
    }

    #[test]
    fn a_rule_becomes_hooks_for_whole_tool_names() {
        for (matcher, tool, fits) in [
            (Some("Write|Edit"), "Write", true),
            (Some("Write|Edit"), "TodoWrite", false),
            (Some("*"), "Bash", true),
            (None, "Bash", true),
        ] {
            let hooks = rule(matcher, "command", Some("fmt.sh"))
                .command_hooks("skill", HookEvent::PreToolUse)
                .unwrap();
            let [hook] = &hooks[..] else {
                panic!("{hooks:?}")
            };
            assert_eq!(hook.timeout_secs(), 10);
            let input = HookInput::pre_tool_use("s", tool, json!({}));
            assert_eq!(
                hook.matches(&input) == Match::Yes,
                fits,
                "{matcher:?} {tool}"
            );
        }
    }

    #[test]
    fn what_cannot_run_is_refused() {
        for rule in [
            rule(None, "command", None),
            rule(None, "agent", Some("x")),
            rule(Some("["), "command", Some("x")),
        ] {
            assert!(
                rule.command_hooks("skill", HookEvent::PreToolUse).is_err(),
                "{rule:?}"
            );
        }
    }
}
