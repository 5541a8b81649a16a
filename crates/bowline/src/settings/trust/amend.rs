//! A change of a project's `bowline.local.toml` that a person makes through Bowline: it is trusted by the same act.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::store::{TrustState, TrustStore};
use crate::error::{Error, Result};
use crate::settings::files::FileText;

/// What a new file may be read and written by, before the user's mask.
const NEW_FILE: u32 = 0o644;

/// A project's `bowline.local.toml` as it is now. A linked git worktree without one uses the main checkout's.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LocalFile {
    /// Where it is, or will be.
    pub path: PathBuf,
    /// Its text; `None` if there is none yet.
    pub text: Option<String>,
}

impl TrustStore {
    /// The project's local file, if it may be changed: what nobody has trusted yet must not become trusted along with the change.
    pub fn local_file(&self, project: &Path) -> Result<LocalFile> {
        let files = self.files_of(project);
        if self.state_of(project, &files).is_pending() {
            return Err(Error::other(format!(
                "the settings of {} are not trusted as they are now: look at them with `bowline trust` first",
                project.display()
            )));
        }
        let FileText { path, text } = files.local;
        if path.is_symlink() {
            return Err(Error::other(format!(
                "{} is a link, which would be replaced: add the entry by hand",
                path.display()
            )));
        }
        match text {
            Ok(text) => Ok(LocalFile { path, text }),
            Err(unreadable) => Err(file_error("read", &path, io::Error::other(unreadable))),
        }
    }

    /// Gives the local file a new text, and trusts the project with exactly that. Everything else has to be as it was when
    /// [`local_file`](Self::local_file) was asked; otherwise nothing is changed.
    pub fn amend(&mut self, project: &Path, before: &LocalFile, text: &str) -> Result<()> {
        if self.local_file(project)? != *before {
            return Err(Error::other(format!(
                "{} has changed meanwhile; look at it again",
                before.path.display()
            )));
        }
        let mut expected = vec![(project.to_owned(), self.expected(project, text)?)];
        // The main checkout, whose file a linked worktree uses, stays as trusted as it was.
        if let Some(main) = before.path.parent().filter(|it| *it != project)
            && self.state(main) == TrustState::Trusted
        {
            expected.push((main.to_owned(), self.expected(main, text)?));
        }
        let written = |source| file_error("write", &before.path, source);
        write_beside(&before.path, text).map_err(written)?;
        for (project, sha256) in expected {
            if let Err(error) = self.record_shown(&project, &sha256) {
                put_back(before).map_err(written)?;
                return Err(error);
            }
        }
        Ok(())
    }

    /// The fingerprint that the project will have with this local file.
    fn expected(&self, project: &Path, text: &str) -> Result<String> {
        let sha256 = self.files_of(project).with_local(text).sha256()?;
        sha256.ok_or_else(|| Error::other("there is nothing to trust"))
    }
}

fn file_error(action: &'static str, path: &Path, source: io::Error) -> Error {
    Error::File {
        action,
        path: path.to_owned(),
        source,
    }
}

fn put_back(before: &LocalFile) -> io::Result<()> {
    match &before.text {
        Some(text) => write_beside(&before.path, text),
        None => fs::remove_file(&before.path),
    }
}

/// Writes a file whole or not at all.
fn write_beside(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = folder.join(format!(".{name}.{}.new", std::process::id()));
    match fs::remove_file(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mode = path.metadata().map(|found| found.permissions());
    let written = (|| {
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(NEW_FILE)
            .open(&temporary)?;
        if let Ok(mode) = mode {
            file.set_permissions(fs::Permissions::from_mode(mode.mode() & 0o7777))?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&temporary, path)?;
        File::open(folder)?.sync_all()
    })();
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Locations;

    const LOCAL: &str = "bowline.local.toml";

    fn project() -> (tempfile::TempDir, PathBuf, TrustStore) {
        let root = tempfile::tempdir().unwrap();
        let project = root.path().canonicalize().unwrap().join("project");
        fs::create_dir(&project).unwrap();
        let store = TrustStore::open(&Locations::under(root.path())).unwrap();
        (root, project, store)
    }

    #[test]
    fn a_change_is_trusted_with_what_was_trusted_before() {
        let (_root, project, mut store) = project();
        // A project without settings gets its first file.
        let before = store.local_file(&project).unwrap();
        assert_eq!(before.text, None);
        store.amend(&project, &before, "dedupe = true\n").unwrap();
        assert_eq!(store.state(&project), TrustState::Trusted);
        let file = project.join(LOCAL);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        let before = store.local_file(&project).unwrap();
        store.amend(&project, &before, "dedupe = false\n").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "dedupe = false\n");
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(store.state(&project), TrustState::Trusted);
        assert_eq!(fs::read_dir(&project).unwrap().count(), 1);
    }

    #[test]
    fn what_nobody_trusted_is_not_trusted_along_with_a_change() {
        let (_root, project, mut store) = project();
        fs::write(project.join("bowline.toml"), "dedupe = true\n").unwrap();
        let refused = store.local_file(&project).unwrap_err().to_string();
        assert!(refused.contains("`bowline trust` first"), "{refused}");
        store.record(&project).unwrap();
        let before = store.local_file(&project).unwrap();
        // Somebody changes a file after it was looked at.
        fs::write(project.join("bowline.toml"), "dedupe = false\n").unwrap();
        assert!(store.amend(&project, &before, "x = 1\n").is_err());
        assert!(!project.join(LOCAL).exists());
        store.record(&project).unwrap();
        fs::write(project.join(LOCAL), "dedupe = false\n").unwrap();
        store.record(&project).unwrap();
        assert!(store.amend(&project, &before, "x = 1\n").is_err());
        let text = fs::read_to_string(project.join(LOCAL)).unwrap();
        assert_eq!(text, "dedupe = false\n");
    }

    #[test]
    fn a_link_is_not_replaced() {
        let (root, project, mut store) = project();
        let elsewhere = root.path().join("elsewhere.toml");
        fs::write(&elsewhere, "dedupe = true\n").unwrap();
        std::os::unix::fs::symlink(&elsewhere, project.join(LOCAL)).unwrap();
        store.record(&project).unwrap();
        let refused = store.local_file(&project).unwrap_err().to_string();
        assert!(refused.contains("is a link"), "{refused}");
    }
}
