//! Qwen Code: what `bowline_agents::qwen` cannot say without reading settings.

use bowline::settings::Settings;
use bowline_agents::qwen::{AGENT, REGISTRATION};

use crate::agent_settings::edit;
use crate::agent_settings::installable::Installable;
use crate::agent_settings::refusals::commas;
use crate::agent_settings::switches::stated;

pub(crate) const INSTALLABLE: Installable = Installable {
    agent: &AGENT,
    registration: &REGISTRATION,
    skills: Some("skills"),
    form: edit::GEMINI_JSON,
    trust: None,
    refusals: commas,
    hooks_off,
    entries_off: hooks_off,
};

fn hooks_off(settings: &Settings) -> Option<String> {
    let files = [REGISTRATION.files.user];
    stated("disableAllHooks", &REGISTRATION, &files, settings, |root| {
        Some(root.get_boolean("disableAllHooks")?.value)
    })
}
