//! The hooks that Bowline adds to those of the files: the rules, and its own.

use std::time::Duration;

use bowline::hooks::{Hook, HookEvent, Matcher, Repeat};
use bowline::settings::{GuardMode, HookStatus, LoadedRule, RuleStatus, Scope};
use bowline_builtins::BuiltinHook;
use bowline_builtins::rule::RuleHook;

use super::{Given, HookView, StatusName, attempts, milliseconds, mode, standing, timeout};

/// The policy of a rule that is not in force: the default of every hook.
const RULE_TIMEOUT: Duration = Duration::from_mins(1);

/// What a built-in hook does if the guards have this mode.
fn summary(builtin: &BuiltinHook, mode: GuardMode) -> String {
    let summary = &builtin.summary;
    match mode {
        GuardMode::Observe if builtin.is_guard() => {
            format!("only observes; in the mode `enforce` it {summary}")
        }
        GuardMode::OneStrike if builtin.is_guard() => {
            format!("{summary}; what it denies passes at the second attempt")
        }
        _ => summary.clone(),
    }
}

impl HookView {
    /// A hook that Bowline ships.
    pub(super) fn builtin(
        builtin: &BuiltinHook,
        event: HookEvent,
        mode_of_guards: GuardMode,
    ) -> Self {
        let hook = &builtin.hook;
        let policy = hook.policy();
        Self {
            id: hook.name().to_owned(),
            event,
            position: None,
            status: StatusName::InForce,
            reason: None,
            scope: Scope::BuiltIn,
            file: None,
            line: 0,
            column: 0,
            shape: None,
            dialect: None,
            plugin: None,
            only_while: None,
            matcher: builtin.tools.map(ToOwned::to_owned),
            condition: None,
            kind: "built_in".to_owned(),
            runs: summary(builtin, mode_of_guards),
            timeout_ms: milliseconds(hook.timeout()),
            timeout_written: None,
            timeout: timeout(hook.timeout(), None, None),
            exit_policy: None,
            on_failure: policy.on_failure,
            attempts: attempts(policy.attempts),
            mode: mode(policy.mode),
            once: policy.repeat == Repeat::OncePerSession,
            priority: hook.priority(),
            given: Given::default(),
            idle: builtin.idle,
        }
    }

    /// A rule is a hook whose conditions are its own, and which runs nothing.
    pub(super) fn rule(rule: &LoadedRule, hook: Option<&RuleHook>, event: HookEvent) -> Self {
        let definition = &rule.definition;
        let (status, reason) = match &rule.status {
            RuleStatus::Untrusted => standing(&HookStatus::Untrusted),
            RuleStatus::Disabled { by } => standing(&HookStatus::Disabled { by: by.clone() }),
            _ => (StatusName::InForce, None),
        };
        let policy = hook.map(Hook::policy).unwrap_or_default();
        let limit = hook.map_or(RULE_TIMEOUT, Hook::timeout);
        let tools: Vec<&str> = definition.tools.iter().map(Matcher::source).collect();
        Self {
            id: format!("rule:{}", definition.id),
            event,
            position: None,
            status,
            reason,
            scope: definition.origin.scope,
            file: definition.origin.file.clone(),
            line: definition.origin.position.line,
            column: definition.origin.position.column,
            shape: None,
            dialect: None,
            plugin: None,
            only_while: None,
            matcher: (!tools.is_empty()).then(|| tools.join("|")),
            condition: None,
            kind: "rule".to_owned(),
            runs: definition.summary(),
            timeout_ms: milliseconds(limit),
            timeout_written: None,
            timeout: timeout(limit, None, None),
            exit_policy: None,
            on_failure: policy.on_failure,
            attempts: attempts(policy.attempts),
            mode: mode(policy.mode),
            once: false,
            priority: hook.map(Hook::priority).unwrap_or_default(),
            given: Given::default(),
            idle: None,
        }
    }
}
