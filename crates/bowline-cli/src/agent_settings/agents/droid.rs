//! Factory Droid: what `bowline_agents::droid` cannot say without reading settings.

use bowline::settings::Settings;
use bowline_agents::droid::{AGENT, REGISTRATION};

use crate::agent_settings::edit;
use crate::agent_settings::installable::Installable;
use crate::agent_settings::refusals::mark_and_commas;
use crate::agent_settings::switches::stated;
use crate::agent_settings::trust::Trust;

/// Its other settings, beside the hooks.
const SETTINGS: &str = "settings.json";

pub(crate) const INSTALLABLE: Installable = Installable {
    agent: &AGENT,
    registration: &REGISTRATION,
    skills: Some("skills"),
    form: edit::DROID_JSON,
    trust: Some(Trust {
        by_hand: |_| {
            Some(
                "trust the project's folder where Factory Droid asks for it: until then it runs no hook, and says nothing",
            )
        },
        form: None,
    }),
    refusals: mark_and_commas,
    hooks_off,
    entries_off: hooks_off,
};

fn hooks_off(settings: &Settings) -> Option<String> {
    let files = [REGISTRATION.files.user, SETTINGS];
    stated("hooksDisabled", &REGISTRATION, &files, settings, |root| {
        let hooks = root.get_object("hooks").unwrap_or(root);
        Some(hooks.get_boolean("hooksDisabled")?.value)
    })
}
