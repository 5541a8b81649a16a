//! Claude Code: `settings.json`, with hooks by event.

use std::path::{Path, PathBuf};

use bowline::dialect::{ClientVersion, Feature};
use bowline::hooks::{EventClass, HookEvent};
use bowline::settings::Locations;
use bowline_daemon::registration::{HOOK_PROGRAM, MISSING_IS_FINE, PROJECT_SCOPE, SCOPE_VARIABLE};
use bowline_wire::OnFailure;

use super::{Agent, Entry, Found, InstallScope, Plan, Shadowed, Unfit, edit, places};

/// The agent's limit for one hook, in seconds, which `bowline-hook` expects. `SessionEnd` would have a second and a half
/// without one.
pub(crate) const TIMEOUT: u32 = 60;

/// Where a hook takes the place of what the agent does by itself.
const REPLACING: [HookEvent; 2] = [HookEvent::WorktreeCreate, HookEvent::MessageDisplay];

/// A gate on which Claude Code does not look at `onFailure`.
const WITHOUT_ON_FAILURE: HookEvent = HookEvent::TaskCompleted;

/// Claude Code.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClaudeCode;

/// The events that Bowline is registered for, with a client of this version.
pub(crate) fn events(client: ClientVersion) -> impl Iterator<Item = HookEvent> {
    let all = HookEvent::ALL.iter().copied();
    all.filter(move |event| is_registered(*event, client))
}

fn is_registered(event: HookEvent, client: ClientVersion) -> bool {
    !REPLACING.contains(&event) && client.has_event(event)
}

impl Agent for ClaudeCode {
    fn id(&self) -> &'static str {
        "claude-code"
    }

    fn name(&self) -> &'static str {
        "Claude Code"
    }

    fn file(&self, scope: InstallScope, project: &Path, locations: &Locations) -> Option<PathBuf> {
        let folder = project.join(".claude");
        match scope {
            InstallScope::User => {
                let folder = locations.claude_config_dir.as_ref()?;
                Some(folder.join("settings.json"))
            }
            InstallScope::Project => Some(folder.join("settings.json")),
            InstallScope::Local => Some(folder.join("settings.local.json")),
        }
    }

    fn install_at(
        &self,
        text: &str,
        plan: &Plan,
        is_meant: &dyn Fn(&str) -> bool,
    ) -> Result<String, Unfit> {
        let all = HookEvent::ALL.iter().copied();
        let meant = all.filter(|event| is_meant(event.name()));
        let (entries, never): (Vec<_>, Vec<_>) =
            meant.partition(|event| is_registered(*event, plan.client));
        let entries: Vec<_> = entries.iter().map(|it| self.entry(*it, plan)).collect();
        let never: Vec<_> = never.into_iter().map(HookEvent::name).collect();
        edit::install(text, &entries, &never)
    }

    fn uninstall_at(&self, text: &str, is_meant: &dyn Fn(&str) -> bool) -> Result<String, Unfit> {
        edit::uninstall(text, is_meant)
    }

    fn found(&self, text: &str) -> Result<Vec<Found>, Unfit> {
        edit::found(text)
    }

    fn shadowed(&self, text: &str) -> Result<Vec<Shadowed>, Unfit> {
        edit::shadowed(text)
    }
}

impl ClaudeCode {
    fn entry(self, event: HookEvent, plan: &Plan) -> Entry {
        let mut args = vec![self.id().to_owned(), event.name().to_owned()];
        if plan.on_failure != OnFailure::default() {
            args.push(format!("--on-failure={}", plan.on_failure));
        }
        let (command, args) = match plan.scope {
            InstallScope::User => {
                args.extend(places::arguments(&plan.places));
                if plan.client.knows(Feature::Args) {
                    (plan.program.clone(), Some(args))
                } else {
                    args.insert(0, plan.program.clone());
                    let words: Vec<_> = args.iter().map(|it| for_the_shell(it)).collect();
                    (words.join(" "), None)
                }
            }
            InstallScope::Project | InstallScope::Local => (
                format!(
                    "{MISSING_IS_FINE}{SCOPE_VARIABLE}={PROJECT_SCOPE} exec {HOOK_PROGRAM} {}",
                    args.join(" ")
                ),
                None,
            ),
        };
        let has_on_failure = event.class() == EventClass::Gate
            && event != WITHOUT_ON_FAILURE
            && plan.client.knows(Feature::OnFailure);
        Entry {
            event: event.name().to_owned(),
            command,
            args,
            timeout: Some(TIMEOUT),
            blocks_on_failure: plan.on_failure == OnFailure::Closed && has_on_failure,
        }
    }
}

/// A word that a shell reads as it stands.
fn for_the_shell(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=".contains(c);
    if word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests;
