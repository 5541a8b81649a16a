//! What an agent's own settings switch off.

use std::path::PathBuf;

use bowline::settings::{Locations, Settings};
use bowline_agents::Registration;
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::file::SettingsText;
use crate::project;

/// Where a key switches something off, for people. The project's file counts more than the user's, where both state it. `files` are
/// their names, `is_off` says what the key does in one of them.
pub(super) fn stated(
    key: &str,
    registration: &Registration,
    files: &[&str],
    settings: &Settings,
    is_off: impl Fn(&Object<'_>) -> Option<bool>,
) -> Option<String> {
    let mut found = folders(registration, settings)
        .into_iter()
        .flat_map(|folder| files.iter().map(move |name| folder.join(name)))
        .filter_map(|file| {
            let text = SettingsText::read(&file).ok()?.text;
            Some((in_text(&text, &is_off)?, file))
        });
    let (is_off, file) = found.next()?;
    is_off.then(|| format!("`{key}` in {}", project::shown(&file)))
}

/// The agent's folders: the project's, then the user's.
fn folders(registration: &Registration, settings: &Settings) -> Vec<PathBuf> {
    let in_project = registration
        .files
        .project
        .map(|file| settings.project.join(file));
    let in_project = in_project.and_then(|file| Some(file.parent()?.to_owned()));
    let home = Locations::from_env().home;
    let of_user = registration
        .folder
        .find(|name| std::env::var_os(name), home.as_deref());
    in_project.into_iter().chain(of_user).collect()
}

fn in_text(text: &str, is_off: &impl Fn(&Object<'_>) -> Option<bool>) -> Option<bool> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    match parsed.ok()?.value? {
        Value::Object(root) => is_off(&root),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_stated_switches_off() {
        let is_off = |root: &Object<'_>| Some(root.get_boolean("off")?.value);
        for (text, expected) in [
            (r#"{"off": true, }"#, Some(true)),
            ("// mine\n{\"off\": false}", Some(false)),
            (r#"{"off": "true"}"#, None),
            (r#"{"hooks": {"off": true}}"#, None),
            ("[true]", None),
            ("{", None),
            ("", None),
        ] {
            assert_eq!(in_text(text, &is_off), expected, "{text}");
        }
    }
}
