//! The scripts that command hooks call: which they are, and whether they can be started.

use std::fs;
use std::ops::Range;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use bowline_guard::interpret::interpret;
use bowline_guard::invocation::{Directory, Invocation, Through};
use bowline_guard::paths::StaticWorld;

use super::files::FileText;
use super::locations::Locations;
use super::model::{Action, CommandAction, ExitPolicy, HookDefinition};
use super::{Diagnostic, Severity};
use crate::condition::file::normalise;
use crate::hook::OnFailure;
use crate::runner::environment::PROJECT_DIR;

/// Programs that run the file that they are given.
const INTERPRETERS: &[&str] = &[
    "sh",
    "bash",
    "zsh",
    "dash",
    "ksh",
    "fish",
    "python",
    "python2",
    "python3",
    "node",
    "ruby",
    "perl",
    "php",
    "lua",
    "deno",
    "bun",
    "tsx",
    "ts-node",
    "Rscript",
    "pwsh",
    "osascript",
    "uv",
    "source",
    ".",
];

/// Programs that find out by themselves how a file is run.
const RUNNERS: &[&str] = &[
    "uv", "uvx", "poetry", "pipenv", "npx", "bunx", "pnpm", "yarn", "deno", "bun", "file",
];

/// Options after which an interpreter takes no file.
const CODE_OPTIONS: &[&str] = &["-c", "-e", "-m", "-p", "-s", "--eval", "--print", "-r"];

/// Programs that ask whether a file is there.
const ASKING: &[&str] = &["[", "test", "command", "which", "type"];

/// One script that a hook calls.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Script {
    path: PathBuf,
    start: Start,
    /// Whether the hook asks first whether it is there.
    optional: bool,
    part: Part,
}

/// How much of a hook a script is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// All of it: its exit code is the hook's.
    Whole,
    /// Other programs come before or after it, or read it, and make an exit code of their own.
    Some,
}

/// How a script is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// By itself: it has to be executable.
    Run,
    /// By a program that reads it.
    Read,
}

/// The scripts inside a project that these hooks call, as absolute paths, sorted, each once; also those that do not exist.
///
/// Relative paths count from the project, where hooks usually run. What only running tells is left out.
pub fn scripts<'h>(
    hooks: impl IntoIterator<Item = &'h HookDefinition>,
    project: &Path,
    locations: &Locations,
) -> Vec<PathBuf> {
    let place = Place { project, locations };
    let called = hooks.into_iter().flat_map(|hook| place.called(hook));
    let mut paths: Vec<PathBuf> = called
        .map(|script| script.path)
        .filter(|path| path.starts_with(project))
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

/// What is wrong with the scripts that these hooks call, wherever they are: missing, or not executable.
pub fn script_findings<'h>(
    hooks: impl IntoIterator<Item = &'h HookDefinition>,
    project: &Path,
    locations: &Locations,
) -> Vec<Diagnostic> {
    let place = Place { project, locations };
    let mut findings = Vec::new();
    for hook in hooks {
        for script in place.called(hook) {
            if let Some(problem) = script.problem() {
                findings.push(problem.finding(hook, &script));
            }
        }
    }
    findings
}

impl Script {
    fn problem(&self) -> Option<Problem> {
        match fs::metadata(&self.path) {
            Ok(found) if found.is_dir() => Some(Problem::Missing),
            Ok(found) if self.start == Start::Run && found.permissions().mode() & 0o111 == 0 => {
                Some(Problem::NotExecutable)
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !self.optional => {
                Some(Problem::Missing)
            }
            // What cannot be looked at is unknown.
            Ok(_) | Err(_) => None,
        }
    }
}

impl Part {
    /// What comes of a hook whose script cannot be started.
    fn consequence(self, hook: &HookDefinition) -> &'static str {
        // A shell or an interpreter may leave with 2, which is no failure, but a verdict.
        match (self, hook.on_failure, hook.exit_policy) {
            (Self::Some, _, ExitPolicy::AnyNonZero) => "the hook fails, and most exit codes deny",
            (Self::Some, _, _) => {
                "the hook fails; if the exit code is 2, as some shells and interpreters have it, that denies"
            }
            (Self::Whole, OnFailure::Block, _) => "the hook fails, and blocks",
            (Self::Whole, OnFailure::Ask, _) => "the hook fails, and asks",
            (Self::Whole, _, _) => "the hook fails, and does nothing",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Problem {
    Missing,
    NotExecutable,
}

impl Problem {
    fn finding(self, hook: &HookDefinition, script: &Script) -> Diagnostic {
        let shown = script.path.display();
        let consequence = script.part.consequence(hook);
        let (code, message, help) = match self {
            Self::Missing => (
                "script-missing",
                format!("there is no {shown}: {consequence}"),
                "write the script, or correct its path".to_owned(),
            ),
            Self::NotExecutable => (
                "script-not-executable",
                format!("{shown} cannot be executed: {consequence}"),
                format!("run `chmod +x {shown}`"),
            ),
        };
        let origin = &hook.origin;
        let name = script.path.file_name().unwrap_or_default();
        let name = name.to_string_lossy();
        let Written { line, column, span } = written(hook, &name);
        Diagnostic {
            severity: match hook.on_failure {
                OnFailure::Block => Severity::Error,
                _ => Severity::Warning,
            },
            code,
            file: origin.file.clone(),
            line,
            column,
            span,
            message,
            help: Some(help),
        }
    }
}

/// Where a text stands in a file.
pub(super) struct Written {
    /// From 1.
    pub(super) line: usize,
    /// From 1, in characters.
    pub(super) column: usize,
    pub(super) span: Range<usize>,
}

/// Where a hook's file has this text: at the hook or below it, else at the nearest place above. Where it is not found, the hook's own
/// place.
pub(super) fn written(hook: &HookDefinition, wanted: &str) -> Written {
    let origin = &hook.origin;
    let text = origin.file.clone().map(FileText::read);
    let text = text.and_then(|file| file.text.ok().flatten());
    let text = text.as_deref().unwrap_or_default();
    let mut nearest = Written {
        line: origin.line,
        column: origin.column,
        span: 0..0,
    };
    let mut at = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let number = index + 1;
        if let Some(found) = line.find(wanted) {
            let before = line.get(..found).unwrap_or_default();
            nearest = Written {
                line: number,
                column: before.chars().count() + 1,
                span: at + found..at + found + wanted.len(),
            };
            if number >= origin.line {
                break;
            }
        }
        at += line.len();
    }
    nearest
}

/// Where hooks run.
pub(super) struct Place<'a> {
    pub(super) project: &'a Path,
    pub(super) locations: &'a Locations,
}

impl Place<'_> {
    /// Every program run of a hook.
    pub(super) fn runs(&self, hook: &HookDefinition) -> Vec<Invocation> {
        let Action::Command(action) = &hook.action else {
            return Vec::new();
        };
        let (Some(project), Some(home)) = (self.project.to_str(), self.home()) else {
            return Vec::new();
        };
        let mut text = assignment(PROJECT_DIR, project);
        for (name, value) in &hook.env {
            text.push_str(&assignment(name, value));
        }
        text.push_str(&shell_text(action, project));
        interpret(&text, &StaticWorld::new(project, home)).invocations
    }

    fn called(&self, hook: &HookDefinition) -> Vec<Script> {
        let Action::Command(action) = &hook.action else {
            return Vec::new();
        };
        let runs = self.runs(hook);
        let asked: Vec<PathBuf> = runs
            .iter()
            .filter(|run| asks(run))
            .flat_map(|run| {
                run.args
                    .iter()
                    .filter_map(move |arg| Some((run, arg.text()?)))
            })
            .filter_map(|(run, text)| self.resolved(text, run))
            .collect();
        let tests = action.command.contains("[[");
        let mut scripts: Vec<Script> = runs
            .iter()
            .filter_map(|run| {
                let (written, start) = script_of(run)?;
                let path = self.resolved(written, run)?;
                Some(Script {
                    optional: tests || asked.contains(&path),
                    part: match (runs.len(), start) {
                        (1, Start::Run) if !moves_first(&action.command) => Part::Whole,
                        _ => Part::Some,
                    },
                    path,
                    start,
                })
            })
            .collect();
        scripts.sort_by(|one, other| one.path.cmp(&other.path));
        scripts.dedup_by(|one, other| one.path == other.path);
        scripts
    }

    fn home(&self) -> Option<&str> {
        self.locations.home.as_deref()?.to_str()
    }

    /// The file that a word means; nothing where only running tells.
    fn resolved(&self, written: &str, run: &Invocation) -> Option<PathBuf> {
        let of_home = ["~/", "$HOME/", "${HOME}/"]
            .iter()
            .find_map(|prefix| written.strip_prefix(prefix));
        let path = match (of_home, &run.directory) {
            (Some(below), _) => Path::new(self.home()?).join(below),
            (None, Directory::Known(folder)) => Path::new(folder).join(written),
            (None, _) if written.starts_with('/') => PathBuf::from(written),
            (None, _) => return None,
        };
        let is_open = path
            .to_str()?
            .contains(['…', '*', '?', '[', '{', '$', '`', '~']);
        (!is_open).then(|| normalise(&path))
    }
}

/// Whether a command goes to another folder, which the shell does itself, and which may fail.
fn moves_first(command: &str) -> bool {
    let mut words = command.split(|c: char| c.is_whitespace() || ";&|(){}".contains(c));
    words.any(|word| matches!(word, "cd" | "pushd"))
}

/// Whether a run asks if something is there.
pub(super) fn asks(run: &Invocation) -> bool {
    names(run, ASKING)
}

fn names(run: &Invocation, programs: &[&str]) -> bool {
    run.program
        .as_deref()
        .is_some_and(|name| programs.contains(&name))
}

/// The script that a run starts, as it is written.
fn script_of(run: &Invocation) -> Option<(&str, Start)> {
    if let Some(path) = run.program_path.as_deref().filter(|it| it.contains('/')) {
        let is_read = run
            .through
            .iter()
            .any(|it| matches!(it, Through::Wrapper(name) if RUNNERS.contains(&name.as_str())));
        return match (is_read, names(run, INTERPRETERS)) {
            (_, true) => operand(run),
            (true, _) => Some((path, Start::Read)),
            (false, _) => Some((path, Start::Run)),
        };
    }
    names(run, INTERPRETERS).then(|| operand(run)).flatten()
}

/// The first word that is a file for an interpreter.
fn operand(run: &Invocation) -> Option<(&str, Start)> {
    for arg in &run.args {
        let text = arg.text()?;
        if CODE_OPTIONS.contains(&text) {
            return None;
        }
        if text.starts_with('-') || text == "run" {
            continue;
        }
        let is_file = text.contains('/') || Path::new(text).extension().is_some();
        return is_file.then_some((text, Start::Read));
    }
    None
}

fn assignment(name: &str, value: &str) -> String {
    let is_name = name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
    if is_name {
        format!("{name}={}\n", quoted(value))
    } else {
        String::new()
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// What a hook runs, as a shell would be given it.
fn shell_text(action: &CommandAction, project: &str) -> String {
    let Some(args) = &action.args else {
        return action.command.clone();
    };
    let placeholder = format!("${{{PROJECT_DIR}}}");
    let words = std::iter::once(&action.command).chain(args);
    let words: Vec<String> = words
        .map(|word| quoted(&word.replace(&placeholder, project)))
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::load;

    struct Bench {
        root: tempfile::TempDir,
    }

    impl Bench {
        fn new() -> Self {
            let root = tempfile::tempdir().unwrap();
            let bench = Self { root };
            for (name, mode) in [
                ("project/.claude/hooks/good.sh", 0o755),
                ("project/.claude/hooks/plain.sh", 0o644),
                ("project/a b.py", 0o644),
                ("home/bin/mine.sh", 0o755),
            ] {
                let path = bench.path(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, "#!/bin/sh\n").unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            }
            bench
        }

        fn path(&self, name: &str) -> PathBuf {
            self.root.path().canonicalize().unwrap().join(name)
        }

        /// The hooks of a file of Claude Code with this handler on PreToolUse.
        fn hooks(&self, handler: &serde_json::Value) -> Vec<HookDefinition> {
            let file = serde_json::json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}});
            let text = serde_json::to_string_pretty(&file).unwrap();
            fs::write(self.path("project/.claude/settings.json"), text).unwrap();
            let settings = load(&self.path("project"), &self.locations());
            let hooks = settings.hooks.into_iter();
            hooks.map(|hook| hook.definition).collect()
        }

        fn locations(&self) -> Locations {
            Locations::under(&self.root.path().canonicalize().unwrap())
        }

        fn findings(&self, handler: &serde_json::Value) -> Vec<Diagnostic> {
            let hooks = self.hooks(handler);
            script_findings(&hooks, &self.path("project"), &self.locations())
        }
    }

    fn shell(command: &str) -> serde_json::Value {
        serde_json::json!({"type": "command", "command": command})
    }

    #[test]
    fn scripts_that_cannot_be_started_are_found() {
        let bench = Bench::new();
        for (command, expected) in [
            ("./nope.sh", Some("script-missing")),
            (
                "$CLAUDE_PROJECT_DIR/.claude/hooks/nope.sh",
                Some("script-missing"),
            ),
            (
                "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/nope.sh -v",
                Some("script-missing"),
            ),
            (
                "python3 \"$CLAUDE_PROJECT_DIR\"/nope.py",
                Some("script-missing"),
            ),
            ("bash .claude/hooks/nope.sh", Some("script-missing")),
            ("jq .x | ~/bin/nope.sh", Some("script-missing")),
            ("uv run nope.py", Some("script-missing")),
            (".claude/hooks/plain.sh", Some("script-not-executable")),
            (".claude/hooks/good.sh", None),
            ("bash .claude/hooks/plain.sh", None),
            ("python3 'a b.py'", None),
            ("~/bin/mine.sh && $HOME/bin/mine.sh", None),
            ("cd .claude && hooks/good.sh", None),
            ("[ -x ./nope.sh ] && ./nope.sh", None),
            ("[[ -f ./nope.sh ]] && ./nope.sh", None),
            ("$OTHER/nope.sh", None),
            ("prettier --write nope.js", None),
            ("python3 -m json.tool", None),
            ("bash -c 'echo a/b'", None),
            ("echo ./nope.sh", None),
        ] {
            let found = bench.findings(&shell(command));
            let codes: Vec<&str> = found.iter().map(|it| it.code).collect();
            assert_eq!(codes, expected.into_iter().collect::<Vec<_>>(), "{command}");
        }
        let exec = serde_json::json!({
            "type": "command", "command": "${CLAUDE_PROJECT_DIR}/nope.sh", "args": ["x"],
        });
        let found = bench.findings(&exec);
        let finding = found.first().unwrap();
        assert_eq!(
            (finding.code, finding.severity),
            ("script-missing", Severity::Warning)
        );
        let text = fs::read_to_string(finding.file.as_ref().unwrap()).unwrap();
        assert_eq!(text.get(finding.span.clone()), Some("nope.sh"));
        assert!(
            text.lines()
                .nth(finding.line - 1)
                .unwrap()
                .contains("nope.sh")
        );
    }

    #[test]
    fn what_comes_of_it_is_told_where_it_is_known() {
        let bench = Bench::new();
        for (command, expected) in [
            ("./nope.sh -v", "the hook fails, and does nothing"),
            ("cd x && ./nope.sh", "if the exit code is 2"),
            ("python3 nope.py", "if the exit code is 2"),
            ("jq .x | ./nope.sh", "if the exit code is 2"),
        ] {
            let found = bench.findings(&shell(command));
            let message = &found.first().unwrap().message;
            assert!(message.contains(expected), "{command}: {message}");
        }
    }

    #[test]
    fn the_scripts_inside_the_project_are_listed() {
        let bench = Bench::new();
        for (command, expected) in [
            ("./nope.sh; ./nope.sh", vec!["nope.sh"]),
            ("~/bin/mine.sh | python3 'a b.py'", vec!["a b.py"]),
            ("sub/../b.sh && sh ./a.sh", vec!["a.sh", "b.sh"]),
            ("[ -x ./a.sh ] && ./a.sh", vec!["a.sh"]),
            ("../outside.sh", vec![]),
            ("make", vec![]),
        ] {
            let hooks = bench.hooks(&shell(command));
            let project = bench.path("project");
            let found = scripts(&hooks, &project, &bench.locations());
            let expected: Vec<PathBuf> = expected.iter().map(|it| project.join(it)).collect();
            assert_eq!(found, expected, "{command}");
        }
    }
}
