//! Codex: what `bowline_agents::codex` cannot say without reading settings, and how its trust is asked for and given.

mod host;
mod refused;
mod state;

use bowline::settings::{Locations, Settings};
use bowline_agents::codex::{AGENT, REGISTRATION};
use toml_edit::{DocumentMut, Item};

use crate::agent_settings::InstallScope;
use crate::agent_settings::edit;
use crate::agent_settings::file::SettingsText;
use crate::agent_settings::installable::Installable;
use crate::agent_settings::trust::{Trust, TrustForm};
use crate::project;

pub(crate) const INSTALLABLE: Installable = Installable {
    agent: &AGENT,
    registration: &REGISTRATION,
    skills: Some("skills"),
    form: edit::CODEX_JSON,
    trust: Some(Trust {
        by_hand,
        form: Some(TrustForm {
            file: CONFIG,
            ask: host::ask,
            grant: state::grant,
            revoke: state::revoke,
            remarks: state::remarks,
        }),
    }),
    refusals: refused::refused,
    hooks_off,
    entries_off: hooks_off,
};

/// Its settings that are not hooks alone, beside its `hooks.json`.
const CONFIG: &str = "config.toml";

#[expect(
    clippy::unnecessary_wraps,
    reason = "other agents run some entries at once"
)]
fn by_hand(scope: InstallScope) -> Option<&'static str> {
    Some(match scope {
        InstallScope::User => "start `codex`, type `/hooks`, and trust the entries of bowline-hook",
        InstallScope::Project | InstallScope::Local => {
            "start `codex` in the project and trust the folder; then type `/hooks`, and trust the entries of bowline-hook"
        }
    })
}

/// The feature can be switched off as a whole.
fn hooks_off(_: &Settings) -> Option<String> {
    let file = INSTALLABLE.folder(&Locations::from_env())?.join(CONFIG);
    let document: DocumentMut = SettingsText::read(&file).ok()?.text.parse().ok()?;
    let name = switched_off(&document)?;
    Some(format!(
        "`features.{name} = false` in {}",
        project::shown(&file)
    ))
}

/// The name by which hooks are switched off, if they are.
fn switched_off(document: &DocumentMut) -> Option<&'static str> {
    let features = document.get("features")?;
    let is_off = |name: &&str| features.get(name).and_then(Item::as_bool) == Some(false);
    ["hooks", "codex_hooks"].into_iter().find(is_off)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_are_off_where_the_feature_is() {
        for (text, expected) in [
            ("", None),
            ("[features]\nhooks = true\n", None),
            ("[features]\nhooks = false\n", Some("hooks")),
            ("features.codex_hooks = false", Some("codex_hooks")),
            ("features = 3", None),
        ] {
            assert_eq!(switched_off(&text.parse().unwrap()), expected, "{text}");
        }
    }
}
