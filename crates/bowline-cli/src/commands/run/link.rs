//! Which stand-in of a run this program was started as: the link by which it was called.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use bowline_agents::run::RUN_VARIABLE;

use super::{OWN_NAME, folder, is_path, named};
use crate::error::{self, Error, Result};

/// More links than this do not lead to a stand-in.
const LONGEST_CHAIN: usize = 16;
/// What agents and their settings start by the path of this program, in a run, too.
const OF_AGENTS: [&str; 3] = ["hook", "daemon", "statusline"];

/// A link in the folder of a run.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) folder: PathBuf,
    /// What the program is called that it stands for.
    pub(super) name: OsString,
}

/// The stand-in that is meant; nothing where it is Bowline itself.
pub(super) fn meant(args: &[OsString]) -> Result<Option<Link>> {
    let followed = file(args).and_then(|it| followed(&it));
    let run = env::var_os(RUN_VARIABLE).map(PathBuf::from);
    match (followed, run.filter(|it| folder::is_of_run(it))) {
        (Some(link), _) => Ok(Some(link)),
        (None, Some(run)) if cfg!(target_os = "linux") => called(args, run),
        (None, _) => Ok(None),
    }
}

/// The file by which this program was started. Who starts a program may call it as he likes.
#[cfg(target_os = "linux")]
fn file(_: &[OsString]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt as _;
    let file = rustix::param::linux_execfn().to_bytes();
    (!file.is_empty()).then(|| OsStr::from_bytes(file).into())
}

/// The file by which this program was started, as far as its name and the PATH tell.
#[cfg(not(target_os = "linux"))]
fn file(args: &[OsString]) -> Option<PathBuf> {
    let name = args.first()?;
    if is_path(name) {
        return Some(name.into());
    }
    let name = name.to_str()?.trim_start_matches('-');
    let path = env::var_os("PATH")?;
    let mut files = env::split_paths(&path).map(|folder| folder.join(name));
    files.find(|it| it.is_file())
}

/// The link of a run that a file is, or leads to. In its own folder it may be a mere name; of a run that is over it may be gone.
fn followed(file: &Path) -> Option<Link> {
    let mut file = file.to_owned();
    for _ in 0..LONGEST_CHAIN {
        let name = file.file_name()?.to_owned();
        let target = match fs::read_link(&file) {
            Ok(target) => Some(target),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(_) => return None,
        };
        let folder = file.parent().filter(|it| !it.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        if folder::may_be_of_run(&folder) {
            return Some(Link { folder, name });
        }
        file = folder.join(target?);
    }
    None
}

/// Every link of a run leads to the same file, and who starts that file says by a name at most what he means.
fn called(args: &[OsString], run: PathBuf) -> Result<Option<Link>> {
    let called = args.first().map(OsString::as_os_str).unwrap_or_default();
    let name = Path::new(called).file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    let name = name.trim_start_matches('-');
    let is_agents = |it: &OsString| OF_AGENTS.iter().any(|command| it == command);
    if name == OWN_NAME && (!is_path(called) || args.get(1).is_some_and(is_agents)) {
        return Ok(None);
    }
    if name != OWN_NAME && run.join(name).is_symlink() {
        let name = name.into();
        return Ok(Some(Link { folder: run, name }));
    }
    let message = format!(
        "cannot tell which program {} stands for in this `bowline run`",
        named(called)
    );
    Err(Error::new(error::ErrorKind::Refused, message)
        .hint("start programs by their names, not by the files that their links lead to; `bowline` by its name is Bowline"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_stand_in_is_known_through_links_and_folders() {
        let root = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(root.path()).unwrap();
        // Of a run that is over, while the program was started.
        let gone = followed(&root.join("run-0/git")).unwrap();
        assert_eq!(gone.folder, root.join("run-0"));
        let run = root.join("run-1");
        fs::create_dir_all(run.join("below")).unwrap();
        fs::write(root.join("bowline"), "").unwrap();
        fs::write(run.join("bowline-1.2"), "").unwrap();
        symlink(root.join("bowline"), run.join("git")).unwrap();
        symlink("run-1/git", root.join("mine")).unwrap();
        symlink(root.join("mine"), root.join("other")).unwrap();
        symlink("bowline", root.join("b")).unwrap();
        symlink("round", root.join("round")).unwrap();
        for (file, meant) in [
            ("run-1/git", true),
            ("run-1/below/../git", true),
            ("./run-1/./git", true),
            ("mine", true),
            ("other", true),
            ("bowline", false),
            ("b", false),
            ("round", false),
            ("none", false),
            // Bowline itself may be in a folder of such a name.
            ("run-1/bowline-1.2", false),
        ] {
            let link = Link {
                folder: run.clone(),
                name: "git".into(),
            };
            assert_eq!(followed(&root.join(file)), meant.then_some(link), "{file}");
        }
    }

    #[test]
    fn the_file_of_all_links_is_what_it_is_called() {
        let root = tempfile::tempdir().unwrap();
        let run = root.path();
        for name in ["git", "sh", "bowline"] {
            symlink("/opt/bowline", run.join(name)).unwrap();
        }
        let link = |name: &str| {
            let folder = run.to_owned();
            Some(Link {
                folder,
                name: name.into(),
            })
        };
        for (line, expected) in [
            (&["bowline", "init"][..], Ok(None)),
            (&["/opt/bowline", "hook", "--direct"], Ok(None)),
            (&["/opt/bowline", "statusline"], Ok(None)),
            (&["git", "init"], Ok(link("git"))),
            (&["/elsewhere/git", "init"], Ok(link("git"))),
            (&["-sh"], Ok(link("sh"))),
            (&["/opt/bowline", "init"], Err(())),
            (&["/elsewhere/other"], Err(())),
            (&[], Err(())),
        ] {
            let args: Vec<OsString> = line.iter().map(Into::into).collect();
            let found = called(&args, run.to_owned()).map_err(|_| ());
            assert_eq!(found, expected, "{line:?}");
        }
    }
}
