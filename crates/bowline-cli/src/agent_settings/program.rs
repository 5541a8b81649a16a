//! Where `bowline-hook` is.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use bowline_daemon::registration::HOOK_PROGRAM;

use crate::error::{Error, ErrorKind, Result};
use crate::project;

/// The `bowline-hook` that belongs to this program: beside it, else on the path. A name on the path that leads to the
/// same file is preferred, because such names outlive an upgrade.
pub(crate) fn find() -> Result<PathBuf> {
    let own = std::env::current_exe().ok();
    let path = std::env::var_os("PATH").unwrap_or_default();
    find_in(own.as_deref(), &path).ok_or_else(|| {
        let beside = own.as_deref().and_then(Path::parent).map(project::shown);
        Error::new(
            ErrorKind::File,
            format!(
                "cannot find `{HOOK_PROGRAM}`, the program that agents start: it is neither in {} nor on the PATH",
                beside.as_deref().unwrap_or("the folder of this program")
            ),
        )
        .hint("install both programs: `cargo xtask install` in Bowline's sources")
    })
}

/// Whether the project's entries would find it too.
pub(crate) fn is_on_path() -> bool {
    on_path(&std::env::var_os("PATH").unwrap_or_default()).is_some()
}

fn find_in(own: Option<&Path>, path: &OsStr) -> Option<PathBuf> {
    let beside = own
        .map(|own| own.with_file_name(HOOK_PROGRAM))
        .filter(|program| is_executable(program));
    let named = on_path(path);
    let same = |one: &Path, other: &Path| {
        let (one, other) = (one.canonicalize(), other.canonicalize());
        matches!((one, other), (Ok(one), Ok(other)) if one == other)
    };
    match (beside, named) {
        (Some(beside), Some(named)) if same(&beside, &named) => Some(named),
        (Some(beside), _) => Some(beside),
        (None, named) => named,
    }
}

/// The first on the path; relative folders would mean another place in every project.
fn on_path(path: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(HOOK_PROGRAM))
        .find(|program| is_executable(program))
}

pub(crate) fn is_executable(program: &Path) -> bool {
    program
        .metadata()
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_one_beside_counts_by_its_lasting_name() {
        let root = tempfile::tempdir().unwrap();
        let place = |folder: &str, mode| {
            let folder = root.path().join(folder);
            fs::create_dir_all(&folder).unwrap();
            let program = folder.join(HOOK_PROGRAM);
            fs::write(&program, "").unwrap();
            fs::set_permissions(&program, fs::Permissions::from_mode(mode)).unwrap();
            program
        };
        let beside = place("versions/1", 0o755);
        let other = place("other", 0o755);
        let unusable = place("unusable", 0o644);
        fs::create_dir(root.path().join("bin")).unwrap();
        let lasting = root.path().join("bin").join(HOOK_PROGRAM);
        symlink(&beside, &lasting).unwrap();
        let own = beside.with_file_name("bowline");
        let elsewhere = root.path().join("bowline");
        for (own, path, expected) in [
            (&own, vec![], Some(&beside)),
            (&own, vec![&lasting], Some(&lasting)),
            (&own, vec![&other], Some(&beside)),
            (&elsewhere, vec![&unusable, &other], Some(&other)),
            (&elsewhere, vec![&unusable], None),
        ] {
            let path = std::env::join_paths(path.iter().map(|it| it.parent().unwrap())).unwrap();
            assert_eq!(find_in(Some(own), &path).as_ref(), expected, "{path:?}");
        }
    }
}
