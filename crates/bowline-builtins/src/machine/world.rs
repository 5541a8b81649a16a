//! The machine as one judgement sees it.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::OnceLock;

use bowline_guard::loss::{Act, Loss};
use bowline_guard::paths::{OwnPlaces, Presence, World, is_within};
use bowline_guard::sensitive::SensitivePolicy;

use super::git::{GitReader, GitState, open, read_open};
use super::look::{Links, Look};
use super::repository::is_plain;
use super::{Machine, real_name};
use crate::loss::{Losses, Released};
use crate::work::SessionView;

/// Longer scripts are not read.
const MAX_SCRIPT: usize = 64 * 1024;

/// The machine as one judgement sees it: from a directory, for a project, within a budget of look-ups.
#[derive(Debug)]
pub struct MachineWorld<'m> {
    machine: &'m Machine,
    cwd: NamedFolder,
    project_root: NamedFolder,
    sensitive: &'m SensitivePolicy,
    work: Option<SessionView<'m>>,
    own_places: &'m OwnPlaces,
    look: Look,
    git: OnceLock<GitState>,
}

/// A folder by its given name, and by its real one once that is needed. Most judgements do not need it.
#[derive(Debug)]
struct NamedFolder {
    named: String,
    real: OnceLock<String>,
}

impl NamedFolder {
    fn new(named: &str) -> Self {
        Self {
            named: named.to_owned(),
            real: OnceLock::new(),
        }
    }

    fn real(&self, machine: &Machine) -> &str {
        if machine.is_unseen() {
            return &self.named;
        }
        self.real.get_or_init(|| real_name(&self.named))
    }
}

impl<'m> MachineWorld<'m> {
    pub(super) fn new(machine: &'m Machine, cwd: &str, project_root: &str, budget: usize) -> Self {
        Self {
            machine,
            cwd: NamedFolder::new(cwd),
            project_root: NamedFolder::new(project_root),
            sensitive: SensitivePolicy::none(),
            work: None,
            own_places: OwnPlaces::none(),
            look: Look::new(budget),
            git: OnceLock::new(),
        }
    }

    /// The same, with what the project says about files that hold secrets.
    pub fn with_sensitive(mut self, policy: &'m SensitivePolicy) -> Self {
        self.sensitive = policy;
        self
    }

    /// The same, with what a session made.
    pub(crate) fn with_work(mut self, work: SessionView<'m>) -> Self {
        self.work = Some(work);
        self
    }

    /// Weighs what would be lost.
    pub(crate) fn losses(&self) -> Losses<'_> {
        let project = self.project_root();
        Losses {
            git: self.git(),
            work: self.work.map(|work| work.in_project(project)),
            project,
            temp: self.temp_dirs(),
            released: Cell::new(Released::Nothing),
            outlook: RefCell::default(),
        }
    }

    /// The repositories of the machine, to be read with a budget of its own.
    pub(crate) fn git(&self) -> GitReader<'_> {
        GitReader::new(self.machine, self.git.get_or_init(GitState::default))
    }

    /// Whether what was asked for cannot be seen. The question stays without an answer then, and the judgement says so.
    fn is_unseen(&self) -> bool {
        self.machine.is_unseen() && self.look.spend().is_none()
    }

    /// The same, for a caller whose environment puts our own files there.
    pub fn with_own_places(mut self, places: &'m OwnPlaces) -> Self {
        self.own_places = places;
        self
    }
}

impl World for MachineWorld<'_> {
    fn cwd(&self) -> &str {
        self.cwd.real(self.machine)
    }

    fn project_root(&self) -> &str {
        if self.project_root.named == self.cwd.named {
            self.cwd.real(self.machine)
        } else {
            self.project_root.real(self.machine)
        }
    }

    fn home(&self) -> Option<&str> {
        self.machine.home.as_deref()
    }

    fn is_exhausted(&self) -> bool {
        self.look.is_exhausted()
    }

    fn temp_dirs(&self) -> &[String] {
        &self.machine.temp_dirs
    }

    fn sensitive_policy(&self) -> &SensitivePolicy {
        self.sensitive
    }

    fn own_places(&self) -> &OwnPlaces {
        self.own_places
    }

    /// The user's name only. Home, the current directory and the like follow from the other answers, which a command
    /// that changes directory replaces.
    fn variable(&self, name: &str) -> Option<Cow<'_, str>> {
        matches!(name, "USER" | "LOGNAME")
            .then_some(self.machine.user.as_deref())?
            .map(Cow::Borrowed)
    }

    fn symlink_target(&self, path: &str) -> Option<String> {
        if !is_plain(Path::new(path)) || depends_on_process(path) {
            return None;
        }
        let target = self.look.link_target(Path::new(path))?;
        let target = target.to_string_lossy().into_owned();
        (!is_second_name(path, &target)).then_some(target)
    }

    fn git_alias(&self, directory: &str, name: &str) -> Option<String> {
        if self.is_unseen() {
            return None;
        }
        let git = self.git();
        let repository = git.repository(Path::new(directory))?;
        git.alias(&repository, name)?
    }

    fn own_script(&self, path: &str) -> Option<String> {
        // An unanswered question is not a doubt here: scripts need not be read.
        if self.machine.is_unseen() || !is_plain(Path::new(path)) {
            return None;
        }
        let near =
            is_within(path, self.project_root()) || self.losses().is_temporary(Path::new(path));
        let work = self.work.filter(|_| near)?;
        work.in_project(self.project_root())
            .wrote(path)
            .then_some(())?;
        script_text(Path::new(path))
    }

    fn presence(&self, path: &str) -> Option<Presence> {
        if self.is_unseen() || !is_plain(Path::new(path)) {
            return None;
        }
        self.look.spend()?;
        match std::fs::metadata(path) {
            Ok(found) if found.is_dir() => Some(Presence::Folder),
            Ok(_) => Some(Presence::File),
            Err(error) => match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory => Some(Presence::Missing),
                _ => None,
            },
        }
    }

    fn loss(&self, act: &Act, earlier: &[Act]) -> Loss {
        // The text is judged then, as it stands.
        if self.machine.is_unseen() {
            return Loss::Unknown;
        }
        self.losses().of(act, earlier)
    }

    fn holds_brought_work(&self, path: &str) -> bool {
        if self.is_unseen() {
            return false;
        }
        self.losses().holds_brought_work(path)
    }

    fn is_ignored(&self, path: &str) -> Option<bool> {
        self.machine
            .repositories
            .is_ignored(Path::new(path), &self.look)
    }

    fn is_tracked(&self, path: &str) -> Option<bool> {
        self.machine
            .repositories
            .is_tracked(Path::new(path), &self.look)
    }
}

/// What is in a file that is no link, unless it is long.
fn script_text(path: &Path) -> Option<String> {
    let file = open(path, Links::Keep).ok()?;
    String::from_utf8(read_open(&file, MAX_SCRIPT)?).ok()
}

/// Whether a link there leads elsewhere for the program that is judged than for the one that judges.
fn depends_on_process(path: &str) -> bool {
    is_within(path, "/proc")
        || is_within(path, "/dev/fd")
        || ["/dev/stdin", "/dev/stdout", "/dev/stderr"].contains(&path)
}

/// Whether the link only says that macOS keeps `/tmp`, `/var` and `/etc` in `/private`. The guard knows both names for
/// one place, so that following the link would lead in a circle.
fn is_second_name(path: &str, target: &str) -> bool {
    ["/tmp", "/var", "/etc"].contains(&path)
        && target.trim_start_matches('/').strip_prefix("private") == Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_links_are_not_followed() {
        for (path, own) in [
            ("/proc/self", true),
            ("/dev/stdout", true),
            ("/dev/fd/3", true),
            ("/dev/disk/by-id/x", false),
            ("/home/me", false),
        ] {
            assert_eq!(depends_on_process(path), own, "{path}");
        }
        for (path, target, second) in [
            ("/tmp", "private/tmp", true),
            ("/var", "/private/var", true),
            ("/tmp", "/mnt/tmp", false),
            ("/home", "private/home", false),
        ] {
            assert_eq!(is_second_name(path, target), second, "{path} {target}");
        }
    }
}
