//! Finds programs on the PATH, behind the folders of runs.

use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::folder;
use super::is_path;

/// Where programs are looked for if nobody says so.
pub(super) const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The program that is meant by a name or a path.
pub(super) fn program(name: &OsStr) -> Option<PathBuf> {
    if is_path(name) {
        return Some(PathBuf::from(name)).filter(|it| can_run(it));
    }
    on(&path(), name)
}

/// Those of these names that are programs on the PATH.
pub(super) fn among(wanted: &BTreeSet<String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for folder in folders(&path()) {
        let Ok(entries) = fs::read_dir(folder) else {
            continue;
        };
        let names = entries.flatten().filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            (wanted.contains(&name) && !found.contains(&name) && can_run(&entry.path()))
                .then_some(name)
        });
        let names: Vec<String> = names.collect();
        found.extend(names);
    }
    found
}

/// The PATH without the folders of runs.
pub(super) fn without_runs(path: &OsStr) -> OsString {
    env::join_paths(folders(path)).unwrap_or_default()
}

fn path() -> OsString {
    env::var_os("PATH").unwrap_or_else(|| USUAL_PATH.into())
}

fn on(path: &OsStr, name: &OsStr) -> Option<PathBuf> {
    folders(path)
        .map(|folder| folder.join(name))
        .find(|it| can_run(it))
}

fn folders(path: &OsStr) -> impl Iterator<Item = PathBuf> {
    env::split_paths(path).filter(|it| !folder::is_of_run(it))
}

fn can_run(program: &Path) -> bool {
    let file = fs::metadata(program);
    file.is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::OpenOptionsExt as _;

    use super::*;

    fn put(folder: &Path, name: &str, mode: u32) {
        fs::create_dir_all(folder).unwrap();
        let mut file = fs::OpenOptions::new();
        let file = file.create(true).truncate(true).write(true).mode(mode);
        file.open(folder.join(name)).unwrap();
    }

    #[test]
    fn programs_are_found_behind_the_folders_of_runs() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for outer in ["run-outer", "run-inner"] {
            put(&at(outer), "git", 0o700);
            put(&at(outer), folder::DESCRIPTION, 0o600);
        }
        put(&at("a"), "git", 0o600);
        put(&at("b"), "git", 0o755);
        put(&at("run-mine"), "rm", 0o755);
        fs::create_dir_all(at("a/rm")).unwrap();
        let path = |folders: &[&str]| env::join_paths(folders.iter().map(|it| at(it))).unwrap();
        for (folders, name, expected) in [
            (
                &["run-inner", "run-outer", "a", "b"][..],
                "git",
                Some("b/git"),
            ),
            (&["b", "run-inner"], "git", Some("b/git")),
            (&["run-inner", "run-outer"], "git", None),
            (&["a", "run-mine"], "rm", Some("run-mine/rm")),
            (&["none", "b"], "ls", None),
        ] {
            let found = on(&path(folders), name.as_ref());
            assert_eq!(found, expected.map(at), "{folders:?} {name}");
        }
        let all = path(&["run-inner", "a", "run-outer", "b"]);
        assert_eq!(without_runs(&all), path(&["a", "b"]));
    }
}
