//! Where Bowline's own files and the agents' settings are, by an environment.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use bowline::settings::Locations;
use bowline_agents::user_folders;
use bowline_guard::paths::OwnPlaces;

use crate::machine::real_name;

/// The variables that [`own_places`] looks at.
pub const OWN_PLACE_VARIABLES: [&str; 12] = [
    "HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
    "BOWLINE_SOCKET",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "COPILOT_HOME",
    "GROK_HOME",
    "KIMI_CODE_HOME",
    "QWEN_HOME",
];

/// The places of the user whose environment this is. A change there could switch the guard off.
pub fn own_places(variable: impl Fn(&str) -> Option<OsString>) -> OwnPlaces {
    places_by(variable, real_name)
}

/// The same places by the names that are written alone, without a look at files.
pub fn own_places_unseen(variable: impl Fn(&str) -> Option<OsString>) -> OwnPlaces {
    places_by(variable, str::to_owned)
}

fn places_by(
    variable: impl Fn(&str) -> Option<OsString>,
    real_name: fn(&str) -> String,
) -> OwnPlaces {
    let locations = Locations::of_environment(&variable);
    let path = |name: &str| variable(name).map(PathBuf::from);
    let mut own: Vec<PathBuf> = Vec::new();
    own.extend(
        locations
            .user_config
            .as_deref()
            .and_then(Path::parent)
            .map(PathBuf::from),
    );
    own.extend(locations.data_dir);
    for name in ["XDG_STATE_HOME", "XDG_RUNTIME_DIR"] {
        own.extend(path(name).map(|folder| folder.join("bowline")));
    }
    if let Some(socket) = path("BOWLINE_SOCKET") {
        own.extend(["lock", "starting"].map(|it| socket.with_extension(it)));
        own.push(socket);
    }
    if let Some(folder) = env::current_exe().ok().as_deref().and_then(Path::parent) {
        own.extend(["bowline", "bowline-hook"].map(|it| folder.join(it)));
    }
    let home = locations.home.as_deref();
    let agents = user_folders().filter_map(|folder| folder.find(&variable, home));
    OwnPlaces {
        own: named(own, real_name),
        agents: named(agents, real_name),
    }
}

/// The absolute paths among these, as they are written and as they are really named.
fn named(paths: impl IntoIterator<Item = PathBuf>, real_name: fn(&str) -> String) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for path in paths.into_iter().filter(|it| it.is_absolute()) {
        let Some(written) = path.to_str().map(|it| it.trim_end_matches('/')) else {
            continue;
        };
        // A file that is not there yet lies in a folder that may be.
        let in_folder = |path: &Path| {
            let folder = real_name(path.parent()?.to_str()?);
            Some(format!("{folder}/{}", path.file_name()?.to_str()?))
        };
        let found = [
            Some(written.to_owned()),
            Some(real_name(written)),
            in_folder(&path),
        ];
        for name in found.into_iter().flatten() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use bowline_agents::registration::UserFolder;

    use super::*;

    fn places(variables: &[(&str, &str)]) -> OwnPlaces {
        own_places(|name| {
            let found = variables.iter().find(|(it, _)| *it == name);
            found.map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn the_usual_places_and_the_moved_ones() {
        let usual = places(&[("HOME", "/h/ann")]);
        for path in ["/h/ann/.config/bowline", "/h/ann/.local/share/bowline"] {
            assert!(usual.own.iter().any(|it| it == path), "{path}");
        }
        let in_home = |folder: &UserFolder| format!("/h/ann/{}", folder.in_home);
        let folders: Vec<String> = user_folders().map(in_home).collect();
        assert_eq!(usual.agents, folders);
        let moved = places(&[
            ("HOME", "/h/ann"),
            ("XDG_CONFIG_HOME", "/m/c"),
            ("XDG_DATA_HOME", "relative"),
            ("XDG_RUNTIME_DIR", "/m/r/"),
            ("BOWLINE_SOCKET", "/m/x.sock"),
            ("CLAUDE_CONFIG_DIR", "/m/claude"),
        ]);
        for path in [
            "/m/c/bowline",
            "/h/ann/.local/share/bowline",
            "/m/r/bowline",
            "/m/x.sock",
            "/m/x.lock",
        ] {
            assert!(moved.own.iter().any(|it| it == path), "{path}");
        }
        let moved_one = |folder: &String| match folder.as_str() {
            "/h/ann/.claude" => "/m/claude".to_owned(),
            "/h/ann/.config/opencode" => "/m/c/opencode".to_owned(),
            other => other.to_owned(),
        };
        let folders: Vec<String> = folders.iter().map(moved_one).collect();
        assert!(folders.contains(&"/m/claude".to_owned()));
        assert_eq!(moved.agents, folders);
        assert!(moved.own.iter().all(|it| it.starts_with('/')));
    }

    #[test]
    fn every_variable_that_counts_is_in_the_list() {
        let seen = std::cell::RefCell::new(Vec::new());
        own_places(|name| {
            seen.borrow_mut().push(name.to_owned());
            None
        });
        for name in seen.into_inner() {
            assert!(OWN_PLACE_VARIABLES.contains(&name.as_str()), "{name}");
        }
    }
}
