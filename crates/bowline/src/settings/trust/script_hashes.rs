//! Hashes of the project's scripts that its hooks call: trust in a hook covers what it runs.

use std::path::Path;

use super::fingerprint::hex_sha256_of;
use crate::dialect::Dialect;
use crate::settings::files::locations::Locations;
use crate::settings::files::{self, FileText};
use crate::settings::hooks::model::{HookDefinition, Scope};
use crate::settings::hooks::read::{DialectChoice, Source, Syntax, parse_source};
use crate::settings::hooks::scripts::scripts;

/// Nobody reviews more scripts than this.
const MOST_SCRIPTS: usize = 64;

/// The scripts by their path from the project, each with what stands for its contents; or why they cannot be trusted.
pub(in crate::settings) type ScriptHashes = Result<Vec<(String, String)>, String>;

/// Those that the hooks of these files of Bowline call.
pub(in crate::settings) fn of_files(
    files: &[(&FileText, Scope)],
    project: &Path,
    locations: &Locations,
) -> ScriptHashes {
    let mut hooks = Vec::new();
    for (file, scope) in files {
        if let Ok(Some(text)) = &file.text {
            let source = Source {
                scope: *scope,
                file: Some(file.path.clone()),
                ..Source::new(Syntax::Toml, DialectChoice::Fixed(Dialect::Generic))
            };
            hooks.extend(parse_source(text, &source).hooks);
        }
    }
    of_hooks(&hooks, project, locations)
}

/// Those that these hooks call.
pub(in crate::settings) fn of_hooks<'h>(
    hooks: impl IntoIterator<Item = &'h HookDefinition>,
    project: &Path,
    locations: &Locations,
) -> ScriptHashes {
    let called = scripts(hooks, project, locations);
    if called.len() > MOST_SCRIPTS {
        return Err(format!(
            "its hooks call {} scripts; more than {MOST_SCRIPTS} cannot be trusted",
            called.len()
        ));
    }
    called
        .into_iter()
        .map(|path| hashed(&path, project))
        .collect()
}

fn hashed(path: &Path, project: &Path) -> Result<(String, String), String> {
    let name = path.strip_prefix(project).unwrap_or(path);
    let contents = match files::read_bytes(path) {
        Ok(Some(bytes)) => hex_sha256_of(&bytes),
        Ok(None) => "missing".to_owned(),
        Err(why) if why.is_too_large() => {
            return Err(format!("{}, which a hook calls, is {why}", path.display()));
        }
        // What cannot be read cannot be run; when that changes, the hash does.
        Err(why) => why.to_string(),
    };
    Ok((name.to_string_lossy().into_owned(), contents))
}
