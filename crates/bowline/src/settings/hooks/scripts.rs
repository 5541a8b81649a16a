//! The scripts that command hooks call: which they are, and whether they can be started.

use std::fs;
use std::ops::Range;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use bowline_guard::interpret::interpret;
use bowline_guard::invocation::{Directory, Invocation, Through};
use bowline_guard::paths::StaticWorld;

use super::model::{Action, CommandAction, ExitPolicy, HookDefinition};
use crate::condition::file::normalise;
use crate::hook::OnFailure;
use crate::runner::environment::PROJECT_DIR;
use crate::settings::files::FileText;
use crate::settings::files::locations::Locations;
use crate::settings::{Diagnostic, Severity};

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
/// Relative paths count from the project, where hooks usually run. Paths that are only known at run time are left out.
pub fn scripts<'h>(
    hooks: impl IntoIterator<Item = &'h HookDefinition>,
    project: &Path,
    locations: &Locations,
) -> Vec<PathBuf> {
    let finder = ScriptFinder { project, locations };
    let called = hooks.into_iter().flat_map(|hook| finder.called(hook));
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
    let finder = ScriptFinder { project, locations };
    let mut findings = Vec::new();
    for hook in hooks {
        for script in finder.called(hook) {
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
            // A file that cannot be read is unknown.
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
pub(in crate::settings) struct Written {
    /// From 1.
    pub(in crate::settings) line: usize,
    /// From 1, in characters.
    pub(in crate::settings) column: usize,
    pub(in crate::settings) span: Range<usize>,
}

/// Where a hook's file has this text: at the hook or below it, else at the nearest place above. Where it is not found, the hook's own
/// place.
pub(in crate::settings) fn written(hook: &HookDefinition, wanted: &str) -> Written {
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

/// Finds the programs and scripts that hooks run.
pub(in crate::settings) struct ScriptFinder<'a> {
    pub(in crate::settings) project: &'a Path,
    pub(in crate::settings) locations: &'a Locations,
}

impl ScriptFinder<'_> {
    /// Every program run of a hook.
    pub(in crate::settings) fn runs(&self, hook: &HookDefinition) -> Vec<Invocation> {
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

    /// The file that a word names; nothing if it is only known at run time.
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
pub(in crate::settings) fn asks(run: &Invocation) -> bool {
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
mod tests;
