//! Variables by which a project's own files would steer Bowline: Claude Code hands the `env` of `.claude/settings.json` on to
//! the hooks that it starts, also of a project that was only just cloned.

mod text;
mod told;
mod tracked;

use std::ops::Range;
use std::path::{Path, PathBuf};

use bowline_agents::{folder_variables, is_project_variable};

use crate::settings::files::FileText;
use crate::settings::files::locations::CLAUDE_FOLDER;
use crate::settings::hooks::read::Syntax;
use crate::settings::syntax::node::{Node, Value};
use crate::settings::syntax::tree::tree;
pub(in crate::settings) use told::{Trusted, findings};
use tracked::Candidate;

/// The file that a team shares.
const SHARED: &str = "settings.json";
/// The file of one person, unless git tracks it.
const OF_ONE_PERSON: &str = "settings.local.json";
/// The name of what may be any variable.
const ANY: &str = "*";

/// A variable that a project's own file sets.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProjectVariable {
    /// Its name.
    pub name: String,
    /// Its value, as the agent makes a text of it.
    pub value: String,
    /// The file that sets it.
    pub file: PathBuf,
    /// The bytes of its name in that file.
    pub span: Range<usize>,
    /// What it would do.
    pub steers: Steers,
    /// How well it is known.
    pub sight: Sight,
}

impl ProjectVariable {
    /// Whether this may be what sets a variable of this name. Its value is nobody's business: agents make texts of all kinds of
    /// values, each in its own way.
    pub fn sets(&self, name: &str) -> bool {
        self.sight == Sight::Unread || self.name == name
    }

    /// From a file that is not understood. What cannot be shown cannot be trusted.
    fn unsure(file: &Path, name: &str, sight: Sight) -> Self {
        Self {
            name: name.to_owned(),
            value: String::new(),
            file: file.to_owned(),
            span: 0..0,
            steers: Steers::of(name),
            sight,
        }
    }
}

/// How well a variable is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sight {
    /// It was read.
    Read,
    /// The file is not understood, but the agent may do so, and the name occurs in it.
    Guessed,
    /// The file cannot be read at all: this stands for every variable.
    Unread,
}

/// What a variable would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Steers {
    /// It says where Bowline's own files are, which no project may say.
    Places,
    /// It switches something off, says whom to ask, or chooses what is run. That takes a person's trust.
    Conduct,
    /// It means nothing to Bowline, but may to a person's own hooks, which get it when the project is trusted.
    Others,
}

impl Steers {
    /// What a variable of this name would do.
    pub fn of(name: &str) -> Self {
        const PLACES: &[&str] = &["HOME", "TMPDIR", "BOWLINE_SOCKET"];
        // What the loader of programs, shells and interpreters run before anything else. Hooks get none of the others either:
        // this list only says what is worth a warning.
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
            "PYTHONUSERBASE",
            "RUBYLIB",
            "RUBYOPT",
            "JAVA_TOOL_OPTIONS",
            "GIT_EXEC_PATH",
            "GIT_SSH",
            "GIT_SSH_COMMAND",
            "HTMLGRAPH_DISABLE_TRACKING",
            "ANTHROPIC_BASE_URL",
            "OPENAI_BASE_URL",
        ];
        const CONDUCT_BEGINNINGS: &[&str] =
            &["BOWLINE", "LD_", "DYLD_", "GIT_CONFIG", "BASH_FUNC_"];
        // Except on macOS and Windows, names are case-sensitive. A project gains nothing by another case.
        if PLACES.contains(&name)
            || name.starts_with("XDG_")
            || is_project_variable(name)
            || folder_variables().any(|it| it == name)
        {
            Self::Places
        } else if CONDUCT.contains(&name)
            || CONDUCT_BEGINNINGS.iter().any(|it| name.starts_with(it))
        {
            Self::Conduct
        } else {
            Self::Others
        }
    }
}

/// The variables that a project's own files set. `users` is Claude Code's folder of the user: in the home
/// folder the files are the user's own.
pub fn project_variables(project: &Path, users: Option<&Path>) -> Vec<ProjectVariable> {
    of_files(&files(project, users))
}

/// The files of a project that may set variables and are not one person's own.
pub(in crate::settings) fn files(project: &Path, users: Option<&Path>) -> Vec<FileText> {
    let folder = project.join(CLAUDE_FOLDER);
    let real = |path: &Path| path.canonicalize().ok();
    if users.is_some_and(|users| real(users).is_some_and(|it| real(&folder) == Some(it))) {
        return Vec::new();
    }
    let mut files = vec![text::read(&folder.join(SHARED))];
    let local = folder.join(OF_ONE_PERSON);
    let candidates = || Candidate::of(project, CLAUDE_FOLDER, OF_ONE_PERSON);
    if local.symlink_metadata().is_ok() && candidates().iter().any(Candidate::may_be_tracked) {
        files.push(text::read(&local));
    }
    files
}

/// Git's indexes, where they decide whether the variables of a file are one person's own: that may change while the file stays as
/// it is.
pub(in crate::settings) fn deciding_indexes(project: &Path) -> Vec<PathBuf> {
    let local = project.join(CLAUDE_FOLDER).join(OF_ONE_PERSON);
    if of_files(&[text::read(&local)]).is_empty() {
        return Vec::new();
    }
    let candidates = Candidate::of(project, CLAUDE_FOLDER, OF_ONE_PERSON);
    candidates.into_iter().map(Candidate::index).collect()
}

pub(in crate::settings) fn of_files(files: &[FileText]) -> Vec<ProjectVariable> {
    files.iter().flat_map(of_file).collect()
}

fn of_file(file: &FileText) -> Vec<ProjectVariable> {
    let path = &file.path;
    let text = match &file.text {
        Ok(Some(text)) => text,
        Ok(None) => return Vec::new(),
        Err(_) => return vec![ProjectVariable::unsure(path, ANY, Sight::Unread)],
    };
    match tree(text, Syntax::Json) {
        Ok(Some(root)) => of_tree(path, &root),
        Ok(None) => Vec::new(),
        Err(_) => guesses(path, text),
    }
}

fn guesses(path: &Path, text: &str) -> Vec<ProjectVariable> {
    let Some(names) = text::possible_names(text) else {
        return vec![ProjectVariable::unsure(path, ANY, Sight::Unread)];
    };
    let guessed = |name: &String| ProjectVariable::unsure(path, name, Sight::Guessed);
    names.iter().map(guessed).collect()
}

fn of_tree(path: &Path, root: &Node) -> Vec<ProjectVariable> {
    let Value::Map(fields) = &root.value else {
        return Vec::new();
    };
    // Of several the agent takes one.
    let blocks = fields.iter().filter(|field| field.key.text == "env");
    let entries = blocks.filter_map(|block| match &block.value.value {
        Value::Map(entries) => Some(entries),
        _ => None,
    });
    entries
        .flatten()
        .map(|entry| ProjectVariable {
            name: entry.key.text.clone(),
            value: text_of(&entry.value.value),
            file: path.to_owned(),
            span: entry.key.span.clone(),
            steers: Steers::of(&entry.key.text),
            sight: Sight::Read,
        })
        .collect()
}

/// The text that an agent in JavaScript makes of a value that is not a text.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) | Value::Number(text) => text.clone(),
        Value::Bool(flag) => flag.to_string(),
        Value::Null => String::new(),
        Value::List(list) => {
            let texts: Vec<String> = list.iter().map(|it| text_of(&it.value)).collect();
            texts.join(",")
        }
        Value::Map(_) => "[object Object]".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::tracked::tests::index_of;
    use super::*;

    #[test]
    fn what_steers_is_known_by_name() {
        for (name, steers) in [
            ("BOWLINE", Steers::Conduct),
            ("BOWLINE_DAEMON", Steers::Conduct),
            ("BOWLINE_SOCKET", Steers::Places),
            ("XDG_CONFIG_HOME", Steers::Places),
            ("HOME", Steers::Places),
            ("CLAUDE_CONFIG_DIR", Steers::Places),
            ("CODEX_HOME", Steers::Places),
            ("LD_PRELOAD", Steers::Conduct),
            ("PATH", Steers::Conduct),
            ("ANTHROPIC_BASE_URL", Steers::Conduct),
            ("NODE_ENV", Steers::Others),
            ("DATABASE_URL", Steers::Others),
            ("HOMEBREW_PREFIX", Steers::Others),
        ] {
            assert_eq!(Steers::of(name), steers, "{name}");
        }
    }

    #[test]
    fn only_the_files_that_are_not_a_persons_own_count() {
        let folder = tempfile::tempdir().unwrap();
        let claude = folder.path().join(".claude");
        fs::create_dir(&claude).unwrap();
        let off = r#"{"env": {"BOWLINE": "off"}}"#;
        fs::write(claude.join(OF_ONE_PERSON), off).unwrap();
        assert_eq!(project_variables(folder.path(), None), []);

        fs::create_dir(folder.path().join(".git")).unwrap();
        let index = folder.path().join(".git/index");
        fs::write(&index, index_of(&["src/a.rs"])).unwrap();
        assert_eq!(project_variables(folder.path(), None), []);

        fs::write(&index, index_of(&[".claude/settings.local.json"])).unwrap();
        let found = project_variables(folder.path(), None);
        let names: Vec<&str> = found.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["BOWLINE"]);

        // A pipe is not waited for, and may be anything.
        fs::remove_file(&index).unwrap();
        let mode = Mode::from_raw_mode(0o600);
        mknodat(CWD, &index, FileType::Fifo, mode, 0).unwrap();
        assert_eq!(project_variables(folder.path(), None).len(), 1);

        fs::write(claude.join(SHARED), off).unwrap();
        assert_eq!(project_variables(folder.path(), None).len(), 2);
        assert_eq!(project_variables(folder.path(), Some(&claude)), []);
    }

    #[test]
    fn what_is_not_understood_may_set_what_occurs_in_it() {
        let off = r#"{"env": {"BOWLINE": "off"}"#;
        let wide: Vec<u8> = std::iter::once(0xfeff)
            .chain(format!("{off}}}").encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect();
        let deep = format!("{off}, \"x\": {}{}}}", "[".repeat(200), "]".repeat(200));
        let broken = [off.as_bytes(), b", \"x\": \"\xff\"}"].concat();
        for (bytes, sight) in [
            (wide, Sight::Read),
            (broken, Sight::Read),
            (
                format!(r#"{off}, "x": "\ud800"}}"#).into_bytes(),
                Sight::Guessed,
            ),
            (deep.into_bytes(), Sight::Guessed),
            (format!(r#"{off}, "env": {{}}}}"#).into_bytes(), Sight::Read),
            (vec![b' '; 9 << 20], Sight::Unread),
        ] {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir(folder.path().join(".claude")).unwrap();
            fs::write(folder.path().join(".claude").join(SHARED), &bytes).unwrap();
            let found = project_variables(folder.path(), None);
            let of_switch: Vec<Sight> = found
                .iter()
                .filter(|it| it.sets("BOWLINE"))
                .map(|it| it.sight)
                .collect();
            let start = String::from_utf8_lossy(bytes.get(..40).unwrap_or(&bytes));
            assert_eq!(of_switch, [sight], "{start}");
            let other = found.iter().any(|it| it.sets("XDG_CONFIG_HOME"));
            assert_eq!(other, sight == Sight::Unread, "{start}");
        }
    }
}
