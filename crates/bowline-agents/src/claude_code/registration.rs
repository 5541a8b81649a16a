//! How Bowline is put into Claude Code's `settings.json`, as far as the client's version decides it.

use super::version::{ClientVersion, Feature};
use crate::agent::{Registration, SettingsFiles, SettingsSyntax};
use crate::event::{EventClass, HookEvent};

/// Where a hook takes the place of what the agent does by itself.
const REPLACING: [HookEvent; 2] = [HookEvent::WorktreeCreate, HookEvent::MessageDisplay];

/// A gate on which Claude Code does not look at `onFailure`.
const WITHOUT_ON_FAILURE: HookEvent = HookEvent::TaskCompleted;

pub(super) const REGISTRATION: Registration = Registration {
    files: SettingsFiles {
        user: "settings.json",
        project: ".claude/settings.json",
        local: ".claude/settings.local.json",
    },
    syntax: SettingsSyntax::ClaudeJson,
    // `SessionEnd` would have a second and a half without one.
    timeout: 60,
    registers,
    takes_arguments,
    can_block,
};

fn registers(event: HookEvent, client: ClientVersion) -> bool {
    !REPLACING.contains(&event) && client.has_event(event)
}

fn takes_arguments(client: ClientVersion) -> bool {
    client.knows(Feature::Args)
}

fn can_block(event: HookEvent, client: ClientVersion) -> bool {
    event.class() == EventClass::Gate
        && event != WITHOUT_ON_FAILURE
        && client.knows(Feature::OnFailure)
}
