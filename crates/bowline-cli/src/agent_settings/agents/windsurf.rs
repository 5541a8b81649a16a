//! Windsurf Cascade: what `bowline_agents::windsurf` cannot say without reading settings.

use bowline_agents::windsurf::{AGENT, REGISTRATION};

use crate::agent_settings::edit;
use crate::agent_settings::installable::Installable;
use crate::agent_settings::refusals::refusals;

pub(super) const INSTALLABLE: Installable = Installable {
    agent: &AGENT,
    registration: &REGISTRATION,
    skills: None,
    form: edit::WINDSURF_JSON,
    trust: None,
    refusals,
    hooks_off: |_| None,
    entries_off: |_| None,
};
