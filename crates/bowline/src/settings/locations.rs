//! Where settings files are. Nothing else in the library reads the environment for that.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A project's own settings file, committed with it.
pub(super) const PROJECT_FILE: &str = "bowline.toml";
/// A project's settings on one machine, not committed.
pub(super) const LOCAL_FILE: &str = "bowline.local.toml";

/// The folders and files that settings are looked for in, outside the project.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Locations {
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// Claude Code's folder of the user: `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
    pub claude_config_dir: Option<PathBuf>,
    /// Claude Code's folder of the machine's administrator.
    pub claude_managed_dir: PathBuf,
    /// The user's own file: `bowline/config.toml` in `$XDG_CONFIG_HOME`, else in `~/.config`.
    pub user_config: Option<PathBuf>,
    /// The file of the machine's administrator.
    pub managed_config: PathBuf,
    /// What Bowline keeps: `bowline` in `$XDG_DATA_HOME`, else in `~/.local/share`.
    pub data_dir: Option<PathBuf>,
    /// Further plugin folders, beside the ones that are installed and enabled.
    pub plugin_dirs: Vec<PathBuf>,
}

impl Locations {
    /// The locations of the user who runs this process.
    pub fn from_env() -> Self {
        Self::from_variables(|name| std::env::var_os(name), std::env::home_dir())
    }

    /// Everything below one folder, for tests and for programs that bring their own settings:
    /// the home is `home`, the administrator's files are in `etc`.
    pub fn under(root: &Path) -> Self {
        let mut locations = Self::from_variables(|_| None, Some(root.join("home")));
        locations.claude_managed_dir = root.join("etc/claude-code");
        locations.managed_config = root.join("etc/bowline/config.toml");
        locations
    }

    fn from_variables(variable: impl Fn(&str) -> Option<OsString>, home: Option<PathBuf>) -> Self {
        // The XDG rules: a variable that is empty or relative counts as not set.
        let folder = |name: &str| {
            variable(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let home = home.filter(|path| path.is_absolute());
        let in_home = |below: &str| home.as_ref().map(|home| home.join(below));
        Self {
            claude_config_dir: folder("CLAUDE_CONFIG_DIR").or_else(|| in_home(".claude")),
            claude_managed_dir: PathBuf::from(if cfg!(target_os = "macos") {
                "/Library/Application Support/ClaudeCode"
            } else {
                "/etc/claude-code"
            }),
            user_config: folder("XDG_CONFIG_HOME")
                .or_else(|| in_home(".config"))
                .map(|dir| dir.join("bowline/config.toml")),
            managed_config: PathBuf::from("/etc/bowline/config.toml"),
            data_dir: folder("XDG_DATA_HOME")
                .or_else(|| in_home(".local/share"))
                .map(|dir| dir.join("bowline")),
            plugin_dirs: Vec::new(),
            home,
        }
    }
}

/// The nearest folder, from `start` upwards, with a `bowline.toml` or a `.git`; else `start` itself.
pub fn find_project(start: &Path) -> PathBuf {
    let start = std::path::absolute(start).unwrap_or_else(|_| start.to_owned());
    start
        .ancestors()
        .find(|folder| {
            [PROJECT_FILE, ".git"]
                .iter()
                .any(|name| folder.join(name).try_exists().unwrap_or(false))
        })
        .map_or_else(|| start.clone(), Path::to_owned)
}

/// The project's `bowline.local.toml`. A linked git worktree without one uses the main checkout's.
pub(super) fn local_file(project: &Path) -> PathBuf {
    let own = project.join(LOCAL_FILE);
    if own.symlink_metadata().is_ok() {
        return own;
    }
    main_checkout(project)
        .map(|main| main.join(LOCAL_FILE))
        .filter(|file| file.symlink_metadata().is_ok())
        .unwrap_or(own)
}

/// The checkout that a linked worktree belongs to: its `.git` is a file that says
/// `gitdir: MAIN/.git/worktrees/NAME`.
fn main_checkout(project: &Path) -> Option<PathBuf> {
    let text = super::files::read_text(&project.join(".git")).ok()??;
    let git_dir = project.join(text.lines().next()?.strip_prefix("gitdir:")?.trim());
    let worktrees = git_dir.parent()?;
    let main_git = worktrees.parent()?;
    (worktrees.file_name()? == "worktrees" && main_git.file_name()? == ".git")
        .then(|| main_git.parent().map(Path::to_owned))
        .flatten()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn variables_move_folders_and_relative_ones_do_not_count() {
        let set = |name: &str| match name {
            "CLAUDE_CONFIG_DIR" => Some(OsString::from("/claude")),
            "XDG_CONFIG_HOME" => Some(OsString::from("relative")),
            "XDG_DATA_HOME" => Some(OsString::new()),
            _ => None,
        };
        let locations = Locations::from_variables(set, Some(PathBuf::from("/home/ann")));
        assert_eq!(locations.claude_config_dir, Some("/claude".into()));
        assert_eq!(
            locations.user_config,
            Some("/home/ann/.config/bowline/config.toml".into())
        );
        assert_eq!(
            locations.data_dir,
            Some("/home/ann/.local/share/bowline".into())
        );
    }

    #[test]
    fn without_a_home_only_the_administrators_files_are_left() {
        let locations = Locations::from_variables(|_| None, None);
        assert_eq!(locations.claude_config_dir, None);
        assert_eq!(locations.user_config, None);
        assert_eq!(locations.data_dir, None);
    }

    #[test]
    fn the_project_is_the_nearest_marked_folder() {
        let root = tempfile::tempdir().unwrap();
        let deep = root.path().join("repo/crate/src");
        fs::create_dir_all(&deep).unwrap();
        fs::create_dir(root.path().join("repo/.git")).unwrap();
        assert_eq!(find_project(&deep), root.path().join("repo"));
        fs::write(root.path().join("repo/crate/bowline.toml"), "").unwrap();
        assert_eq!(find_project(&deep), root.path().join("repo/crate"));
    }

    #[test]
    fn a_linked_worktree_uses_the_main_checkouts_local_file() {
        let root = tempfile::tempdir().unwrap();
        let (main, linked) = (root.path().join("main"), root.path().join("linked"));
        fs::create_dir_all(main.join(".git/worktrees/linked")).unwrap();
        fs::create_dir(&linked).unwrap();
        fs::write(
            linked.join(".git"),
            format!("gitdir: {}/.git/worktrees/linked\n", main.display()),
        )
        .unwrap();
        assert_eq!(
            local_file(&linked),
            linked.join(LOCAL_FILE),
            "neither has one"
        );
        fs::write(main.join(LOCAL_FILE), "").unwrap();
        assert_eq!(local_file(&linked), main.join(LOCAL_FILE));
        fs::write(linked.join(LOCAL_FILE), "").unwrap();
        assert_eq!(local_file(&linked), linked.join(LOCAL_FILE));
        for broken in ["", "gitdir:", "gitdir: /", "gitdir: x/y", "nothing"] {
            fs::write(linked.join(".git"), broken).unwrap();
            assert_eq!(local_file(&linked), linked.join(LOCAL_FILE), "{broken:?}");
        }
    }
}
