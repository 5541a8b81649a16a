//! What the guard may know about the real machine: where links lead, what git tracks and ignores.
//!
//! A [`Machine`] lives as long as the program and remembers what it has read; a [`MachineWorld`] is what one judgement
//! sees of it. Looking costs `stat`s within a counted budget; files are read only if they are git's own and have changed.
//! What cannot be read, is damaged or out of proportion is unknown, never an error.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use bowline_guard::paths::is_within;

mod cache;
pub(crate) mod git;
mod ignore;
mod index;
mod look;
pub mod process;
mod repository;
pub mod standing;
mod wildmatch;
mod worktree;
mod world;

use look::Look;
use repository::Repositories;
pub use worktree::LinkedWorktree;
pub use world::MachineWorld;

/// Look-ups that one judgement may make.
const LOOK_UPS: usize = 2_048;

/// The machine that we run on. Made once and shared by all who judge.
#[derive(Debug)]
pub struct Machine {
    home: Option<String>,
    temp_dirs: Vec<String>,
    user: Option<String>,
    repositories: Repositories,
    git_files: git::GitFiles,
    sight: Sight,
}

/// Whether anything of a machine can be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    Open,
    Closed,
}

impl Machine {
    /// A machine with this home and these folders for temporary files, of which the first is `$TMPDIR`.
    pub fn new(home: Option<PathBuf>, temp_dirs: Vec<String>) -> Self {
        let user_rules = home.as_ref().map(|home| home.join(".config/git/ignore"));
        let home = home
            .as_deref()
            .and_then(Path::to_str)
            .filter(|home| home.starts_with('/'))
            .map(real_name);
        Self {
            temp_dirs: sensible_temp_dirs(temp_dirs, home.as_deref()),
            home,
            user: None,
            repositories: Repositories::new(user_rules),
            git_files: git::GitFiles::default(),
            sight: Sight::Open,
        }
    }

    /// The same machine with its eyes closed: for judgements that must not wait for a disk. Whatever would have to be looked up is
    /// unknown.
    pub fn unseen(&self) -> Self {
        Self {
            home: self.home.clone(),
            temp_dirs: self.temp_dirs.clone(),
            user: self.user.clone(),
            repositories: Repositories::new(None),
            git_files: git::GitFiles::default(),
            sight: Sight::Closed,
        }
    }

    /// As [`Machine::from_env`], but [unseen](Machine::unseen), and with folders as they are named: nothing is looked at.
    pub fn unseen_from_env() -> Self {
        let home = env::var("HOME").ok().filter(|home| home.starts_with('/'));
        Self {
            home,
            user: user_from_env(),
            ..Self::new(None, Vec::new()).unseen()
        }
    }

    /// Whether nothing of it can be seen.
    pub(crate) fn is_unseen(&self) -> bool {
        self.sight == Sight::Closed
    }

    /// The machine as the environment describes it: `HOME`, `TMPDIR`, `USER`. Nothing else of it is used.
    pub fn from_env() -> Self {
        let home = env::var_os("HOME").map(PathBuf::from);
        let temp_dirs = env::var("TMPDIR").into_iter().collect();
        Self {
            user: user_from_env(),
            ..Self::new(home, temp_dirs)
        }
    }

    /// What a judgement sees from `cwd` in the project at `project_root`, both absolute. Made anew for every judgement:
    /// it remembers what it has seen, and its budget of look-ups is for one.
    pub fn world<'m>(&'m self, cwd: &str, project_root: &str) -> MachineWorld<'m> {
        let budget = match self.sight {
            Sight::Open => LOOK_UPS,
            Sight::Closed => 0,
        };
        MachineWorld::new(self, cwd, project_root, budget)
    }

    /// The linked worktree that `folder` lies in: a checkout made by `git worktree add`, and known to a main checkout.
    /// Neither a main checkout nor a submodule, nor the worktree of a bare repository.
    pub fn linked_worktree(&self, folder: &Path) -> Option<LinkedWorktree> {
        if self.is_unseen() {
            return None;
        }
        self.repositories
            .linked_worktree(folder, &Look::new(LOOK_UPS))
    }
}

fn user_from_env() -> Option<String> {
    let user = env::var("USER").or_else(|_| env::var("LOGNAME")).ok();
    user.filter(|name| !name.is_empty() && !name.contains('/'))
}

/// The name that is left when all links are followed, because the guard compares places by their names.
/// A path that does not lead anywhere stays as it is.
pub(crate) fn real_name(path: &str) -> String {
    let real = Path::new(path)
        .is_absolute()
        .then(|| {
            fs::canonicalize(path)
                .ok()?
                .into_os_string()
                .into_string()
                .ok()
        })
        .flatten();
    let real = real.unwrap_or_else(|| path.to_owned());
    without_private(&real).unwrap_or(real)
}

/// The usual name of what macOS keeps in `/private`.
fn without_private(path: &str) -> Option<String> {
    let usual = path.strip_prefix("/private")?;
    ["/tmp", "/var", "/etc"]
        .iter()
        .any(|folder| is_within(usual, folder))
        .then(|| usual.to_owned())
}

/// Folders for temporary files under their real names, then under the given ones. What is deleted there is not asked
/// about, so a folder that holds a home, or a whole branch of the root, cannot be one.
fn sensible_temp_dirs(given: Vec<String>, home: Option<&str>) -> Vec<String> {
    let real: Vec<String> = given.iter().map(|folder| real_name(folder)).collect();
    let mut kept: Vec<String> = Vec::new();
    for folder in real.into_iter().chain(given) {
        let folder = folder.trim_end_matches('/');
        let deep_enough = folder == "/tmp" || folder.matches('/').count() > 1;
        let holds_home = home.is_some_and(|home| is_within(home, folder));
        let plain = repository::is_plain(Path::new(folder));
        if plain && deep_enough && !holds_home && !kept.iter().any(|known| known == folder) {
            kept.push(folder.to_owned());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use bowline_guard::judge::judge;

    use super::*;

    #[test]
    fn what_holds_more_than_temporary_files_is_no_folder_for_them() {
        let given = [
            "/",
            "",
            "tmp",
            "/tmp",
            "/home",
            "/home/me",
            "/home/me/tmp",
            "/etc",
            "/a/../..",
            "/x/y/",
        ];
        let kept = sensible_temp_dirs(given.map(str::to_owned).to_vec(), Some("/home/me"));
        assert_eq!(kept, ["/tmp", "/home/me/tmp", "/x/y"]);
    }

    #[test]
    fn places_in_private_have_their_usual_names() {
        for (path, usual) in [
            ("/private/tmp/x", Some("/tmp/x")),
            ("/private/var", Some("/var")),
            ("/private/variable", None),
            ("/tmp", None),
        ] {
            assert_eq!(without_private(path).as_deref(), usual, "{path}");
        }
    }

    #[test]
    fn with_its_eyes_closed_what_needs_a_look_is_asked_about_and_the_rest_judged_by_its_text() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().to_str().unwrap();
        fs::create_dir(folder.path().join("build")).unwrap();
        std::os::unix::fs::symlink("/etc", folder.path().join("link")).unwrap();
        let machine = Machine::new(None, Vec::new());
        let unseen = machine.unseen();
        for (command, needs_a_look) in [
            ("echo hello", false),
            ("cat build/a", true),
            ("git push --force origin main", false),
        ] {
            let judged = |machine: &Machine| judge(command, &machine.world(project, project));
            let (seen, closed) = (judged(&machine).verdict, judged(&unseen).verdict);
            assert!(closed.gravity >= seen.gravity, "{command}");
            assert_eq!(closed != seen, needs_a_look, "{command}: {closed:?}");
        }
        assert_eq!(unseen.linked_worktree(folder.path()), None);
    }

    #[test]
    fn a_machine_is_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Machine>();
        shared::<MachineWorld<'_>>();
    }
}
