//! OpenCode: what `bowline_agents::opencode` cannot say without reading settings.

use bowline_agents::opencode::{AGENT, REGISTRATION};

use crate::agent_settings::installable::Installable;
use crate::agent_settings::opencode;

pub(crate) const INSTALLABLE: Installable = Installable {
    agent: &AGENT,
    registration: &REGISTRATION,
    skills: None,
    form: opencode::PLUGIN,
    trust: None,
    refusals: |_| Vec::new(),
    hooks_off: |_| hooks_off(),
    entries_off: |_| hooks_off(),
};

/// The variable by which OpenCode loads no plugins but its own.
const PURE: &str = "OPENCODE_PURE";

fn hooks_off() -> Option<String> {
    let value = std::env::var(PURE).ok()?;
    let is_on = matches!(value.to_ascii_lowercase().as_str(), "1" | "true");
    is_on.then(|| format!("{PURE}={value} is set"))
}
