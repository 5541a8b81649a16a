//! Variables by which a project's own files would steer Bowline: Claude Code hands the `env` of `.claude/settings.json` on to
//! the hooks that it starts, also of a project that was only just cloned.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::files::FileText;
use super::locations::{CLAUDE_FOLDER, git_folder};
use super::node::{Node, Value};
use super::read::Syntax;
use super::tree::tree;

/// The file that a team shares.
const SHARED: &str = "settings.json";
/// The file of one person, unless git tracks it.
const OF_ONE_PERSON: &str = "settings.local.json";
/// A larger index is not searched.
const MAX_INDEX: u64 = 64 * 1024 * 1024;

/// A variable that a project's own file sets.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProjectVariable {
    /// Its name.
    pub name: String,
    /// Its value, as far as it is a text.
    pub value: String,
    /// The file that sets it.
    pub file: PathBuf,
    /// The bytes of its name in that file.
    pub span: Range<usize>,
    /// What it would do.
    pub steers: Steers,
}

/// What a variable would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Steers {
    /// It says where Bowline's own files are, which no project may say.
    Places,
    /// It switches something off, or chooses what is run. That takes a person's trust.
    Conduct,
}

impl Steers {
    /// What a variable of this name would do, if it has to do with Bowline or with the programs that it starts.
    pub fn of(name: &str) -> Option<Self> {
        const PLACES: &[&str] = &[
            "HOME",
            "TMPDIR",
            "BOWLINE_SOCKET",
            "CLAUDE_CONFIG_DIR",
            "CLAUDE_PROJECT_DIR",
            "CODEX_HOME",
        ];
        // What the loader of programs, shells and interpreters run before anything else.
        const CONDUCT: &[&str] = &[
            "PATH",
            "BASH_ENV",
            "ENV",
            "IFS",
            "SHELLOPTS",
            "BASHOPTS",
            "PROMPT_COMMAND",
            "ZDOTDIR",
            "GCONV_PATH",
            "NODE_OPTIONS",
            "NODE_PATH",
            "PERL5LIB",
            "PERL5OPT",
            "PYTHONHOME",
            "PYTHONPATH",
            "PYTHONSTARTUP",
            "RUBYLIB",
            "RUBYOPT",
            "JAVA_TOOL_OPTIONS",
            "GIT_EXEC_PATH",
            "GIT_SSH",
            "GIT_SSH_COMMAND",
        ];
        const CONDUCT_BEGINNINGS: &[&str] = &["BOWLINE", "LD_", "DYLD_", "GIT_CONFIG"];
        // macOS and Windows aside, names are told apart by their case; a project gains nothing by another.
        if PLACES.contains(&name) || name.starts_with("XDG_") {
            return Some(Self::Places);
        }
        let conduct =
            CONDUCT.contains(&name) || CONDUCT_BEGINNINGS.iter().any(|it| name.starts_with(it));
        conduct.then_some(Self::Conduct)
    }
}

/// The variables of a project's own files that would steer Bowline. `users` is Claude Code's folder of the user: in the home
/// folder the files are the user's own.
pub fn project_variables(project: &Path, users: Option<&Path>) -> Vec<ProjectVariable> {
    of_files(&files(project, users))
}

/// The files of a project that may set variables and are not one person's own.
pub(super) fn files(project: &Path, users: Option<&Path>) -> Vec<FileText> {
    let folder = project.join(CLAUDE_FOLDER);
    let real = |path: &Path| path.canonicalize().ok();
    if users.is_some_and(|users| real(users).is_some_and(|it| real(&folder) == Some(it))) {
        return Vec::new();
    }
    let mut files = vec![FileText::read(folder.join(SHARED))];
    let local = folder.join(OF_ONE_PERSON);
    if local.symlink_metadata().is_ok() && may_be_tracked(project, OF_ONE_PERSON) {
        files.push(FileText::read(local));
    }
    files
}

/// Git's index, where it decides whether the variables of a file are one person's own: that may change while the file stays as
/// it is.
pub(super) fn deciding_index(project: &Path) -> Option<PathBuf> {
    let local = project.join(CLAUDE_FOLDER).join(OF_ONE_PERSON);
    let sets_some = !of_files(&[FileText::read(local)]).is_empty();
    sets_some.then(|| index(project))?
}

pub(super) fn of_files(files: &[FileText]) -> Vec<ProjectVariable> {
    let texts = files.iter().filter_map(|file| match &file.text {
        Ok(Some(text)) => Some((&file.path, text)),
        Ok(None) | Err(_) => None,
    });
    texts
        .filter_map(|(path, text)| Some((path, tree(text, Syntax::Json).ok()??)))
        .flat_map(|(path, root)| of_file(path, &root))
        .collect()
}

fn of_file(path: &Path, root: &Node) -> Vec<ProjectVariable> {
    let Some(Value::Map(entries)) = root.get("env").map(|node| &node.value) else {
        return Vec::new();
    };
    entries
        .iter()
        .filter_map(|entry| {
            let name = &entry.key.text;
            Some(ProjectVariable {
                steers: Steers::of(name)?,
                name: name.clone(),
                value: match &entry.value.value {
                    Value::String(text) | Value::Number(text) => text.clone(),
                    Value::Bool(flag) => flag.to_string(),
                    Value::Null | Value::List(_) | Value::Map(_) => String::new(),
                },
                file: path.to_owned(),
                span: entry.key.span.clone(),
            })
        })
        .collect()
}

fn index(project: &Path) -> Option<PathBuf> {
    let git = project.ancestors().find_map(git_folder)?;
    Some(git.join("index"))
}

/// Whether git may track a file of the project's `.claude` folder. Its index is only searched for the name: a file that is
/// taken for tracked loses no protection.
fn may_be_tracked(project: &Path, name: &str) -> bool {
    let Some(index) = index(project) else {
        return false;
    };
    let Ok(metadata) = index.metadata() else {
        return false;
    };
    // A pipe would be waited for.
    if !metadata.is_file() || metadata.len() > MAX_INDEX {
        return true;
    }
    let Ok(index) = fs::read(index) else {
        return true;
    };
    let has = |text: &str| {
        let mut places = index.windows(text.len());
        places.any(|it| it == text.as_bytes())
    };
    // The newest form of an index shares the beginnings of names with the entry before.
    let is_shortened = index.get(4..8) == Some(&[0, 0, 0, 4]);
    has(&format!("{CLAUDE_FOLDER}/{name}\0")) || (is_shortened && has("local.json\0"))
}

#[cfg(test)]
mod tests {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn what_steers_is_known_by_name() {
        for (name, steers) in [
            ("BOWLINE", Some(Steers::Conduct)),
            ("BOWLINE_DAEMON", Some(Steers::Conduct)),
            ("BOWLINE_SOCKET", Some(Steers::Places)),
            ("XDG_CONFIG_HOME", Some(Steers::Places)),
            ("HOME", Some(Steers::Places)),
            ("LD_PRELOAD", Some(Steers::Conduct)),
            ("PATH", Some(Steers::Conduct)),
            ("NODE_ENV", None),
            ("DATABASE_URL", None),
            ("HOMEBREW_PREFIX", None),
        ] {
            assert_eq!(Steers::of(name), steers, "{name}");
        }
    }

    #[test]
    fn only_the_files_that_are_not_a_persons_own_count() {
        let folder = tempfile::tempdir().unwrap();
        let claude = folder.path().join(".claude");
        fs::create_dir(&claude).unwrap();
        let off = r#"{"env": {"BOWLINE": "off", "NODE_ENV": "test"}}"#;
        fs::write(claude.join(OF_ONE_PERSON), off).unwrap();
        assert_eq!(project_variables(folder.path(), None), []);

        fs::create_dir(folder.path().join(".git")).unwrap();
        fs::write(
            folder.path().join(".git/index"),
            b"DIRC\0\0\0\x02 src/a.rs\0",
        )
        .unwrap();
        assert_eq!(project_variables(folder.path(), None), []);

        let tracked = b"DIRC\0\0\0\x02 .claude/settings.local.json\0";
        fs::write(folder.path().join(".git/index"), tracked).unwrap();
        let found = project_variables(folder.path(), None);
        let names: Vec<&str> = found.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["BOWLINE"]);

        let shortened = b"DIRC\0\0\0\x04 .claude/settings.json\0 \x04local.json\0";
        fs::write(folder.path().join(".git/index"), shortened).unwrap();
        assert_eq!(project_variables(folder.path(), None).len(), 1);

        // A pipe is not waited for, and may be anything.
        let index = folder.path().join(".git/index");
        fs::remove_file(&index).unwrap();
        let mode = Mode::from_raw_mode(0o600);
        mknodat(CWD, &index, FileType::Fifo, mode, 0).unwrap();
        assert_eq!(project_variables(folder.path(), None).len(), 1);

        fs::write(claude.join(SHARED), off).unwrap();
        assert_eq!(project_variables(folder.path(), None).len(), 2);
        assert_eq!(project_variables(folder.path(), Some(&claude)), []);
    }
}
