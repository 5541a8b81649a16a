//! Where settings files are. Nothing else in the library reads the environment for that.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use bowline_agents::claude_code;

/// A project's own settings file, committed with it.
pub(in crate::settings) const PROJECT_FILE: &str = "bowline.toml";
/// A project's settings on one machine, not committed.
pub(in crate::settings) const LOCAL_FILE: &str = "bowline.local.toml";
/// Claude Code's folder in a project.
pub(in crate::settings) const CLAUDE_FOLDER: &str = ".claude";
const GIT: &str = ".git";

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

    /// The locations of a user whose environment this is, for programs that act for others.
    pub fn of_environment(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let home = variable("HOME").map(PathBuf::from);
        Self::from_variables(variable, home)
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
            claude_config_dir: (claude_code::REGISTRATION.folder).find(&variable, home.as_deref()),
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

    fn real_home(&self) -> Option<PathBuf> {
        self.home.as_deref().map(real)
    }
}

/// The project that a folder belongs to: the nearest one upwards, itself included, with a `.claude` folder, a
/// `bowline.toml`, a `bowline.local.toml` or a `.git`; else the folder itself.
///
/// The `.claude` in the user's home is the user's own and makes no project of it. A folder where anyone may put
/// files, such as `/tmp`, is nobody's project.
pub fn find_project(start: &Path, locations: &Locations) -> PathBuf {
    let start = real(start);
    let home = locations.real_home();
    let user_claude = locations.claude_config_dir.as_deref().map(real);
    let is_marked = |folder: &Path| {
        let claude = folder.join(CLAUDE_FOLDER);
        let is_users = home.as_deref() == Some(folder) || user_claude.as_deref() == Some(&claude);
        (claude.is_dir() && !is_users)
            || [PROJECT_FILE, LOCAL_FILE, GIT]
                .iter()
                .any(|name| exists(&folder.join(name)))
    };
    start
        .ancestors()
        .find(|folder| is_marked(folder) && !is_shared(folder))
        .map_or_else(|| start.clone(), Path::to_owned)
}

/// The folder whose `bowline.toml` and `bowline.local.toml` count for a project: the nearest one upwards, itself
/// included, that has one. Not above the git repository that the project is in, and not above the user's home.
/// The project itself when there is none.
pub fn find_bowline_root(project: &Path, locations: &Locations) -> PathBuf {
    if has_own_files(project) {
        return project.to_owned();
    }
    let start = real(project);
    let home = locations.real_home();
    for folder in start.ancestors() {
        if has_own_files(folder) && !is_shared(folder) {
            return folder.to_owned();
        }
        if exists(&folder.join(GIT)) || home.as_deref() == Some(folder) {
            break;
        }
    }
    project.to_owned()
}

fn has_own_files(folder: &Path) -> bool {
    exists(&folder.join(PROJECT_FILE)) || exists(&local_file(folder))
}

/// Whether there is something, be it a link that leads nowhere: that is worth a finding.
fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Whether anyone may put files here, but not remove those of others: what is here says nothing of its owner.
fn is_shared(folder: &Path) -> bool {
    const STICKY_AND_OPEN: u32 = 0o1002;
    folder
        .metadata()
        .is_ok_and(|found| found.mode() & STICKY_AND_OPEN == STICKY_AND_OPEN)
}

/// The path without links and `..`, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    path.ancestors()
        .find_map(|folder| {
            let below = path.strip_prefix(folder).ok()?;
            let real = folder.canonicalize().ok()?;
            // Joining nothing would add a slash.
            Some(if below.as_os_str().is_empty() {
                real
            } else {
                real.join(below)
            })
        })
        .unwrap_or(path)
}

/// The project's `bowline.local.toml`. A linked git worktree without one uses the main checkout's.
pub(in crate::settings) fn local_file(project: &Path) -> PathBuf {
    let own = project.join(LOCAL_FILE);
    if own.symlink_metadata().is_ok() {
        return own;
    }
    main_checkout(project)
        .map(|main| main.join(LOCAL_FILE))
        .filter(|file| file.symlink_metadata().is_ok())
        .unwrap_or(own)
}

/// Git's own folder of a checkout, if this is one: `.git`, or where the file of that name leads.
pub(in crate::settings) fn git_folder(checkout: &Path) -> Option<PathBuf> {
    let git = checkout.join(GIT);
    if git.is_dir() {
        return Some(git);
    }
    let text = crate::settings::files::read_text(&git).ok()??;
    Some(checkout.join(text.lines().next()?.strip_prefix("gitdir:")?.trim()))
}

/// The checkout that a linked worktree belongs to: its `.git` is a file that says
/// `gitdir: MAIN/.git/worktrees/NAME`.
pub fn main_checkout(project: &Path) -> Option<PathBuf> {
    let git_dir = git_folder(project)?;
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

    /// A folder to search in, with its links resolved, and locations whose home is `home` in it.
    fn bench() -> (tempfile::TempDir, PathBuf, Locations) {
        let root = tempfile::tempdir().unwrap();
        let real = root.path().canonicalize().unwrap();
        let locations = Locations::under(&real);
        (root, real, locations)
    }

    /// Makes a folder for a path that ends in `/`, else an empty file.
    fn make(root: &Path, paths: &[&str]) {
        for path in paths {
            let at = root.join(path);
            if path.ends_with('/') {
                fs::create_dir_all(at).unwrap();
            } else {
                fs::create_dir_all(at.parent().unwrap()).unwrap();
                fs::write(at, "").unwrap();
            }
        }
    }

    #[test]
    fn the_project_is_the_nearest_marked_folder() {
        let cases: &[(&[&str], &str, &str)] = &[
            (&["repo/.git/", "repo/crate/src/"], "repo/crate/src", "repo"),
            (&["repo/.git", "repo/src/"], "repo/src", "repo"),
            (
                &["repo/.git/", "repo/crate/bowline.toml"],
                "repo/crate",
                "repo/crate",
            ),
            (
                &["repo/.git/", "repo/crate/bowline.local.toml"],
                "repo/crate",
                "repo/crate",
            ),
            (
                &["repo/.git/", "repo/pkg/.claude/", "repo/pkg/src/"],
                "repo/pkg/src",
                "repo/pkg",
            ),
            (&["bowline.toml", "pkg/.claude/"], "pkg", "pkg"),
            (&["plain/.claude/", "plain/a/b/"], "plain/a/b", "plain"),
            (&["plain/.claude", "plain/a/"], "plain/a", "plain/a"),
            (&["home/.claude/", "home/work/"], "home/work", "home/work"),
            (&["home/.claude/"], "home", "home"),
            (
                &["home/.claude/", "home/.git/", "home/work/"],
                "home/work",
                "home",
            ),
            (
                &["home/.claude/", "home/bowline.toml", "home/work/"],
                "home/work",
                "home",
            ),
            (&["repo/.git/", "repo/src/"], "repo/src/../src", "repo"),
            (&["repo/.git/"], "repo/not/there", "repo"),
        ];
        for (paths, start, expected) in cases {
            let (_guard, root, locations) = bench();
            make(&root, paths);
            assert_eq!(
                find_project(&root.join(start), &locations),
                root.join(expected),
                "{start} among {paths:?}"
            );
        }
    }

    #[test]
    fn the_users_claude_folder_may_be_elsewhere() {
        let (_guard, root, mut locations) = bench();
        make(&root, &["else/.claude/", "else/work/"]);
        let work = root.join("else/work");
        assert_eq!(find_project(&work, &locations), root.join("else"));
        locations.claude_config_dir = Some(root.join("else/.claude"));
        assert_eq!(find_project(&work, &locations), work);
    }

    #[test]
    fn a_linked_start_belongs_where_it_leads_and_a_linked_home_is_home() {
        use std::os::unix::fs::symlink;
        let (_guard, root, mut locations) = bench();
        make(
            &root,
            &["repo/.git/", "repo/src/", "home/.claude/", "home/work/"],
        );
        symlink(root.join("repo/src"), root.join("link")).unwrap();
        assert_eq!(
            find_project(&root.join("link"), &locations),
            root.join("repo")
        );
        symlink(root.join("home"), root.join("other-home")).unwrap();
        locations.home = Some(root.join("other-home"));
        locations.claude_config_dir = None;
        let work = root.join("home/work");
        assert_eq!(find_project(&work, &locations), work);
    }

    #[test]
    fn the_root_and_paths_that_do_not_exist_work() {
        let locations = Locations::under(Path::new("/nonexistent"));
        assert_eq!(find_project(Path::new("/"), &locations), Path::new("/"));
        let missing = Path::new("/nonexistent/a/b");
        assert_eq!(find_project(missing, &locations), missing);
        assert_eq!(find_bowline_root(missing, &locations), missing);
        assert_eq!(
            find_bowline_root(Path::new("/"), &locations),
            Path::new("/")
        );
        find_project(Path::new(""), &locations);
        find_bowline_root(Path::new(""), &locations);
    }

    #[test]
    fn a_folder_that_everyone_writes_to_is_nobodys_project() {
        use std::os::unix::fs::PermissionsExt;
        let (_guard, root, locations) = bench();
        make(&root, &["tmp/bowline.toml", "tmp/.claude/", "tmp/scratch/"]);
        let scratch = root.join("tmp/scratch");
        assert_eq!(find_project(&scratch, &locations), root.join("tmp"));
        assert_eq!(find_bowline_root(&scratch, &locations), root.join("tmp"));
        fs::set_permissions(root.join("tmp"), fs::Permissions::from_mode(0o1777)).unwrap();
        assert_eq!(find_project(&scratch, &locations), scratch);
        assert_eq!(find_bowline_root(&scratch, &locations), scratch);
    }

    #[test]
    fn bowlines_files_are_those_of_the_nearest_folder_in_the_repository() {
        let cases: &[(&[&str], &str, &str)] = &[
            (
                &["repo/.git/", "repo/bowline.toml", "repo/pkg/.claude/"],
                "repo/pkg",
                "repo",
            ),
            (
                &["repo/.git/", "repo/bowline.local.toml", "repo/pkg/"],
                "repo/pkg",
                "repo",
            ),
            (
                &["repo/bowline.toml", "repo/pkg/bowline.toml"],
                "repo/pkg",
                "repo/pkg",
            ),
            (
                &["bowline.toml", "repo/.git/", "repo/pkg/"],
                "repo/pkg",
                "repo/pkg",
            ),
            (&["bowline.toml", "home/work/"], "home/work", "home/work"),
            (&["home/bowline.toml", "home/work/"], "home/work", "home"),
            (
                &["plain/bowline.toml", "plain/a/b/.claude/"],
                "plain/a/b",
                "plain",
            ),
        ];
        for (paths, project, expected) in cases {
            let (_guard, root, locations) = bench();
            make(&root, paths);
            assert_eq!(
                find_bowline_root(&root.join(project), &locations),
                root.join(expected),
                "{project} among {paths:?}"
            );
        }
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
