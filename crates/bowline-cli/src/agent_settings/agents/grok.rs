//! Grok Build: what `bowline_agents::grok` cannot say without reading settings.

use bowline_agents::grok::{AGENT, REGISTRATION};

use crate::agent_settings::InstallScope;
use crate::agent_settings::edit;
use crate::agent_settings::installable::Installable;
use crate::agent_settings::refusals::mark_and_refusals;
use crate::agent_settings::trust::Trust;

pub(super) const INSTALLABLE: Installable = Installable {
    agent: &AGENT,
    registration: &REGISTRATION,
    skills: Some("../skills"),
    form: edit::CODEX_JSON,
    trust: Some(Trust {
        by_hand,
        form: None,
    }),
    refusals: mark_and_refusals,
    hooks_off: |_| None,
    entries_off: |_| None,
};

/// A user's hooks are trusted.
fn by_hand(scope: InstallScope) -> Option<&'static str> {
    (scope == InstallScope::Project).then_some(
        "trust the project in Grok (`/hooks-trust`, or `grok --trust` once); it runs nothing of the project's hooks before",
    )
}
