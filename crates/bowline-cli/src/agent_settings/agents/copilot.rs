//! Copilot: what `bowline_agents::copilot` cannot say without reading settings.

use bowline_agents::copilot::{AGENT, REGISTRATION};
use serde_json::Value;

use crate::agent_settings::InstallScope;
use crate::agent_settings::edit;
use crate::agent_settings::installable::Installable;
use crate::agent_settings::refusals::{Refusal, mark_and_refusals};
use crate::agent_settings::trust::Trust;

pub(super) const INSTALLABLE: Installable = Installable {
    agent: &AGENT,
    registration: &REGISTRATION,
    skills: None,
    form: edit::COPILOT_JSON,
    trust: Some(Trust {
        by_hand: |scope| match scope {
            InstallScope::User => None,
            InstallScope::Project | InstallScope::Local => Some(
                "trust the project's folder when Copilot CLI asks (without a terminal: `--trust-folder`): hooks of a folder that is not \
                 trusted are left out, and nothing says so",
            ),
        },
        form: None,
    }),
    refusals: refused,
    hooks_off: |_| None,
    entries_off: |_| None,
};

/// It says nothing of a file that it does not read.
fn refused(text: &str) -> Vec<Refusal> {
    let mut found = mark_and_refusals(text);
    let said: Option<Value> = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok();
    let field = |name: &str| said.as_ref().and_then(|said| said.get(name));
    let at = |name: &str| text.find(&format!("\"{name}\"")).unwrap_or_default();
    if field("version").is_some_and(|version| *version != 1) {
        let what = "`version` is something else than 1";
        found.push(Refusal::at(text, at("version"), what));
    }
    if field("disableAllHooks") == Some(&Value::Bool(true)) {
        let what = "`disableAllHooks` switches the hooks of this file off";
        found.push(Refusal::at(text, at("disableAllHooks"), what));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As version 1.0.102 passed over them.
    #[test]
    fn what_keeps_it_from_reading_a_file_is_told() {
        for (text, lines) in [
            (r#"{"version": 1, "hooks": {}}"#, &[][..]),
            (r#"{"hooks": {}}"#, &[]),
            ("\u{feff}{\"hooks\": {}}", &[1]),
            ("{\n  // why\n  \"hooks\": {},\n}", &[2, 3]),
            (
                "{\n  \"version\": 2,\n  \"disableAllHooks\": true\n}",
                &[2, 3],
            ),
            (r#"{"disableAllHooks": false}"#, &[]),
        ] {
            let found: Vec<usize> = refused(text).iter().map(|it| it.line).collect();
            assert_eq!(found, lines, "{text}");
        }
    }
}
