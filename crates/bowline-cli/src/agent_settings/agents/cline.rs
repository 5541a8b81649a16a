//! Cline: what `bowline_agents::cline` cannot say without reading settings.

use bowline_agents::cline::{AGENT, REGISTRATION};

use crate::agent_settings::cline;
use crate::agent_settings::installable::Installable;

pub(crate) const INSTALLABLE: Installable = Installable {
    agent: &AGENT,
    registration: &REGISTRATION,
    skills: None,
    form: cline::SCRIPTS,
    trust: None,
    refusals: |_| Vec::new(),
    hooks_off: |_| None,
    entries_off: |_| None,
};
