//! Asks about tool calls while a settings file of Bowline's own cannot be read: a hook or a rule in it may forbid them.

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Opinion, RunPolicy};
use bowline::settings::{FileStatus, Settings, SettingsFile, Severity};

use super::{run_policy, signed};

/// The name of the hook.
pub(crate) const NAME: &str = "guard:settings";
/// What it does, for people.
pub(crate) const SUMMARY: &str = "asks about every tool call while settings cannot be read";

/// The guard for settings files that cannot be read and have no known earlier version.
#[derive(Debug)]
pub struct UnreadSettingsGuard {
    reason: String,
}

impl UnreadSettingsGuard {
    /// `None` if everything can be read. What only Claude Code reads is its own business.
    pub fn new(settings: &Settings) -> Option<Self> {
        let unread = settings.unread_files();
        let places: Vec<String> = unread.map(|file| place(file, settings)).collect();
        (!places.is_empty()).then(|| Self {
            reason: format!(
                "settings cannot be read, and none of their hooks and rules counts, so every tool call is asked about: {}. \
                 Instead: correct the file, or move it away; `bowline check` shows what is wrong.",
                places.join("; ")
            ),
        })
    }
}

/// The file, the line, and what is wrong there.
fn place(file: &SettingsFile, settings: &Settings) -> String {
    let path = file.path.display();
    let finding = settings.diagnostics.iter().find(|finding| {
        finding.severity == Severity::Error && finding.file.as_ref() == Some(&file.path)
    });
    match (finding, &file.status) {
        (Some(finding), FileStatus::Broken) => {
            format!("{path}, line {}: {}", finding.line, finding.message)
        }
        (Some(finding), _) => format!("{path}: {}", finding.message),
        (None, _) => path.to_string(),
    }
}

#[async_trait]
impl Hook for UnreadSettingsGuard {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &[
            HookEvent::PreToolUse,
            HookEvent::PermissionRequest,
            HookEvent::SessionStart,
        ]
    }

    /// Before all others: what they say of the call itself is the better reason.
    fn priority(&self) -> i32 {
        i32::MAX
    }

    fn policy(&self) -> RunPolicy {
        run_policy()
    }

    async fn opinion(&self, input: &HookInput, _: &HookContext) -> bowline::Result<Opinion> {
        let reason = signed(&self.reason);
        Ok(match input.event_type() {
            // Say it at the start of a session, before the first question.
            HookEvent::SessionStart => Opinion::allow().system_message(reason),
            _ => Opinion::ask(reason),
        })
    }
}
