//! What the next daemon of the user needs, so that an open page goes on: its port, and by what it knows its browsers. Who
//! reads it gets in nowhere: it has no cookie and no token.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::security::Gate;

/// Longer files are none of ours.
const LONGEST: u64 = 2 * 1024;

/// The file beside the daemon's socket. It is there while the page is wanted.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    file: PathBuf,
}

impl Kept {
    pub(crate) fn at(socket: &Path) -> Self {
        Self {
            file: socket.with_extension("page"),
        }
    }

    /// Only the user reads it.
    pub(crate) fn write(&self, port: u16, gate: &Gate) -> io::Result<()> {
        self.remove();
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&self.file)?;
        write!(file, "{port} {}", gate.written())
    }

    /// What the last daemon left, unless somebody else could have written it.
    pub(crate) fn read(&self) -> Option<(u16, Gate)> {
        let found = fs::symlink_metadata(&self.file).ok()?;
        let own = rustix::process::geteuid().as_raw();
        let is_own = found.is_file() && found.uid() == own;
        if !is_own || found.mode() & 0o077 != 0 || found.len() > LONGEST {
            return None;
        }
        let text = fs::read_to_string(&self.file).ok()?;
        let (port, gate) = text.split_once(' ')?;
        Some((port.parse().ok()?, Gate::read(gate)?))
    }

    pub(crate) fn remove(&self) {
        // If it stays, the next daemon serves a page at which nobody looks, for ten minutes.
        let _ = fs::remove_file(&self.file);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn what_is_kept_is_found_again_if_only_the_user_could_write_it() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Kept::at(&folder.path().join("daemon.sock"));
        assert!(kept.read().is_none());
        let mut gate = Gate::fresh().unwrap();
        let secret = gate.give().unwrap();
        kept.write(4711, &gate).unwrap();
        let (port, read) = kept.read().unwrap();
        assert_eq!((port, read.written()), (4711, gate.written()));
        let text = fs::read_to_string(&kept.file).unwrap();
        for told in [secret.hex(), secret.token()] {
            assert!(!text.contains(&told), "{text}");
        }
        let mode = fs::metadata(&kept.file).unwrap().mode();
        assert_eq!(mode & 0o777, 0o600);
        fs::set_permissions(&kept.file, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(kept.read().is_none(), "others can read it");
        let old = format!("4711 {}", secret.hex());
        for text in ["", "4711", "x y", "99999 00", &old] {
            kept.remove();
            let mut file = OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&kept.file)
                .unwrap();
            file.write_all(text.as_bytes()).unwrap();
            assert!(kept.read().is_none(), "{text}");
        }
        kept.remove();
        assert!(!kept.file.exists());
    }
}
