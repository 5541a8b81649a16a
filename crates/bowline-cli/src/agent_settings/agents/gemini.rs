//! Gemini CLI: what `bowline_agents::gemini` cannot say without reading settings.

use bowline::settings::Settings;
use bowline_agents::gemini::{AGENT, REGISTRATION};

use crate::agent_settings::edit;
use crate::agent_settings::installable::Installable;
use crate::agent_settings::refusals::mark_and_commas;
use crate::agent_settings::switches::stated;
use crate::agent_settings::trust::Trust;

pub(crate) const INSTALLABLE: Installable = Installable {
    agent: &AGENT,
    registration: &REGISTRATION,
    skills: Some("skills"),
    form: edit::GEMINI_JSON,
    trust: Some(Trust {
        by_hand: |_| {
            Some(
                "trust the project's folder in Gemini CLI (`/permissions`, or GEMINI_CLI_TRUST_WORKSPACE=true without a terminal): in a \
                 folder that is not trusted it runs no hook, and says nothing",
            )
        },
        form: None,
    }),
    // Of values of a wrong kind it warns, and runs the hooks.
    refusals: mark_and_commas,
    hooks_off,
    entries_off,
};

fn hooks_off(settings: &Settings) -> Option<String> {
    let files = [REGISTRATION.files.user];
    stated(
        "hooksConfig.enabled",
        &REGISTRATION,
        &files,
        settings,
        |root| {
            let enabled = root.get_object("hooksConfig")?.get_boolean("enabled")?;
            Some(!enabled.value)
        },
    )
}

/// A person can switch a hook off by its name.
fn entries_off(settings: &Settings) -> Option<String> {
    let files = [REGISTRATION.files.user];
    let by_name = || {
        stated(
            "hooksConfig.disabled",
            &REGISTRATION,
            &files,
            settings,
            |root| {
                let disabled = root.get_object("hooksConfig")?.get_array("disabled")?;
                let mut names = disabled.elements.iter().filter_map(|it| it.as_string_lit());
                Some(names.any(|name| name.value == edit::ENTRY_NAME))
            },
        )
    };
    hooks_off(settings).or_else(by_name)
}
