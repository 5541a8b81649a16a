//! Whether the daemon runs the program that belongs to the installed hook. The hook asks no other.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::check::Check;
use crate::project;

/// What the system appends to the name of a program whose file is gone.
const GONE: &str = " (deleted)";

/// The program that a process runs. Only Linux provides it.
#[derive(Debug)]
pub(super) struct Running {
    /// Its file, or what was its file.
    path: PathBuf,
    identity: Option<(u64, u64)>,
    is_gone: bool,
}

impl Running {
    pub(super) fn of(process: u64) -> Option<Self> {
        let link = PathBuf::from(format!("/proc/{process}/exe"));
        let path = fs::read_link(&link).ok()?;
        let name = path.to_string_lossy();
        let gone = name.strip_suffix(GONE).map(PathBuf::from);
        Some(Self {
            is_gone: gone.is_some(),
            identity: identity(&link),
            path: gone.unwrap_or_else(|| path.clone()),
        })
    }

    /// What is wrong, given the programs that belong to the installed hooks.
    pub(super) fn check(&self, check: Check, belonging: &[PathBuf]) -> Option<Check> {
        let other = belonging
            .iter()
            .find(|program| identity(program) != self.identity)?;
        let (other, own) = (project::shown(other), project::shown(&self.path));
        let check = if self.is_gone {
            check.warning(format!(
                "the daemon runs a copy of {own} that was replaced or removed"
            ))
        } else {
            check.warning(format!(
                "the daemon runs {own}, but {other} belongs to the installed bowline-hook"
            ))
        };
        Some(
            check
                .detail("the hook asks no other program's daemon: each event is decided in a process of its own, but slower")
                .advice(format!("run `{other} daemon restart`")),
        )
    }
}

/// The program beside a hook, in whose stead the daemon decides.
pub(super) fn beside(hook: &Path) -> Option<PathBuf> {
    let program = hook.canonicalize().ok()?.with_file_name("bowline");
    program.is_file().then_some(program)
}

fn identity(program: &Path) -> Option<(u64, u64)> {
    let found = program.metadata().ok()?;
    Some((found.dev(), found.ino()))
}
