//! Claude Code: what `bowline_agents::claude_code` cannot say without reading settings.

mod refused;

use bowline::settings::{Action, HookStatus, Settings};
use bowline_agents::claude_code::{AGENT, REGISTRATION};
use bowline_daemon::registration::starts_bowline;

use crate::agent_settings::edit;
use crate::agent_settings::installable::Installable;

pub(crate) const INSTALLABLE: Installable = Installable {
    agent: &AGENT,
    registration: &REGISTRATION,
    skills: Some("skills"),
    form: edit::CLAUDE_JSON,
    trust: None,
    refusals: refused::refused,
    hooks_off,
    entries_off,
};

fn hooks_off(settings: &Settings) -> Option<String> {
    settings.claude_hooks_off.clone()
}

fn entries_off(settings: &Settings) -> Option<String> {
    settings.hooks.iter().find_map(|hook| {
        let Action::Command(action) = &hook.definition.action else {
            return None;
        };
        match &hook.status {
            HookStatus::Disabled { by }
                if starts_bowline(&action.command, action.args.as_deref()) =>
            {
                Some(by.clone())
            }
            _ => None,
        }
    })
}
