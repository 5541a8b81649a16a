//! Disks that only one test sees.

use std::env;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::ran::Ran;

/// Set for a test that runs in a mount namespace.
const INSIDE: &str = "BOWLINE_TEST_MOUNTS";

/// Whether this process is in a mount namespace of its own, where mounting changes nothing for others. If it is not, the test with
/// this name (as `--list` shows it) is run again in one, and must pass. Such a test needs `mounts`.
#[track_caller]
pub fn in_own_mounts(test: &str) -> bool {
    if env::var_os(INSIDE).is_some() {
        return true;
    }
    let flags = if rustix::process::geteuid().is_root() {
        "-m"
    } else {
        "-Urm"
    };
    let output = Command::new("unshare")
        .arg(flags)
        .arg(env::current_exe().unwrap())
        .args(["--exact", "--nocapture", test])
        .env(INSIDE, "1")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{stdout}{stderr}");
    assert!(stdout.contains("1 passed"), "{stdout}{stderr}");
    false
}

/// A disk in memory, which is gone when this is.
#[derive(Debug)]
pub struct Disk {
    place: PathBuf,
    /// Its folder, if nobody else removes it.
    folder: Option<TempDir>,
}

impl Disk {
    /// Mounts one with these options of tmpfs in a folder.
    #[track_caller]
    pub fn mount(place: PathBuf, options: &str) -> Self {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]);
        Ran::of(mount.arg(&place)).expect(0, &[]);
        Self {
            place,
            folder: None,
        }
    }

    /// Mounts one in a folder of its own.
    #[track_caller]
    pub fn in_own_folder(options: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut disk = Self::mount(folder.path().to_owned(), options);
        disk.folder = Some(folder);
        disk
    }
}

impl Deref for Disk {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.place
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.place).status();
    }
}
