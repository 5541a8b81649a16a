//! The programs that command hooks call by name, and that are not on the path.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use bowline_guard::invocation::Invocation;

use super::model::{Action, HookDefinition};
use super::scripts::{ScriptFinder, Written, asks, written};
use crate::settings::files::locations::Locations;
use crate::settings::{Diagnostic, Severity};

/// Built-in commands and keywords of shells, which are not programs.
const OF_SHELLS: &[&str] = &[
    ".",
    ":",
    "[",
    "[[",
    "alias",
    "bg",
    "break",
    "case",
    "cd",
    "command",
    "continue",
    "declare",
    "dirs",
    "disown",
    "do",
    "done",
    "echo",
    "elif",
    "else",
    "esac",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "fi",
    "for",
    "function",
    "getopts",
    "hash",
    "if",
    "in",
    "jobs",
    "kill",
    "let",
    "local",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "select",
    "set",
    "shift",
    "shopt",
    "source",
    "test",
    "then",
    "time",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "until",
    "wait",
    "while",
];

/// Programs that these hooks call and that are in no folder of `path`. The path of the agent may be another one.
pub fn program_findings<'h>(
    hooks: impl IntoIterator<Item = &'h HookDefinition>,
    project: &Path,
    locations: &Locations,
    path: &OsStr,
) -> Vec<Diagnostic> {
    let finder = ScriptFinder { project, locations };
    let mut findings: Vec<Diagnostic> = Vec::new();
    for hook in hooks.into_iter().filter(|hook| !has_own_path(hook)) {
        let runs = finder.runs(hook);
        for name in called(&runs).filter(|name| !is_there(name, path)) {
            let finding = finding(hook, name);
            if !findings.contains(&finding) {
                findings.push(finding);
            }
        }
    }
    findings
}

/// Whether a hook says itself where programs are.
fn has_own_path(hook: &HookDefinition) -> bool {
    let in_command = match &hook.action {
        Action::Command(action) => action.command.contains("PATH="),
        _ => false,
    };
    in_command || hook.env.iter().any(|(name, _)| name == "PATH")
}

/// The programs that are called by name alone, and that nothing asks for before.
fn called(runs: &[Invocation]) -> impl Iterator<Item = &str> {
    let is_asked_for = |name: &str| {
        let mut asked = runs
            .iter()
            .filter(|run| asks(run))
            .flat_map(|run| &run.args);
        asked.any(|arg| arg.text() == Some(name))
    };
    // A program that a wrapper starts may be elsewhere: found by `npx`, in a container, on another machine.
    let plain = runs
        .iter()
        .filter(|run| run.program_path.is_none() && run.through.is_empty());
    plain
        .filter_map(|run| run.program.as_deref())
        .filter(|name| is_plain(name) && !OF_SHELLS.contains(name))
        .filter(move |name| !is_asked_for(name))
}

fn is_plain(name: &str) -> bool {
    let is_usual = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
    !name.is_empty() && name.chars().all(is_usual)
}

fn is_there(name: &str, path: &OsStr) -> bool {
    std::env::split_paths(path).any(|folder| {
        let found = fs::metadata(folder.join(name));
        found.is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
    })
}

fn finding(hook: &HookDefinition, name: &str) -> Diagnostic {
    let Written { line, column, span } = written(hook, name);
    Diagnostic {
        severity: Severity::Warning,
        code: "program-missing",
        file: hook.origin.file.clone(),
        line,
        column,
        span,
        message: format!(
            "`{name}` is not on the PATH of this shell; where the agent does not find it, the hook fails"
        ),
        help: Some("install it, correct its name, or write its path".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::settings::parse;

    #[test]
    fn programs_that_are_nowhere_are_found() {
        let root = tempfile::tempdir().unwrap();
        for (name, mode) in [("there", 0o755), ("plain", 0o644)] {
            let file = root.path().join(name);
            fs::write(&file, "").unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        }
        let locations = Locations::under(root.path());
        for (command, expected) in [
            ("nosuchprogram --x", Some("nosuchprogram")),
            ("there | gone", Some("gone")),
            ("plain", Some("plain")),
            ("there && cd x && echo y", None),
            ("./gone.sh", None),
            ("command -v gone && gone", None),
            ("PATH=/opt/x:$PATH gone", None),
            ("npx gone", Some("npx")),
            ("there() { true; }; there; $TOOL x", None),
            ("if [ -f x ]; then there; fi", None),
        ] {
            let file = serde_json::json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}});
            let hooks = parse(&file.to_string(), Dialect::ClaudeCode).hooks;
            let found = program_findings(&hooks, root.path(), &locations, root.path().as_os_str());
            let names: Vec<_> = found
                .iter()
                .map(|it| it.message.split('`').nth(1).unwrap())
                .collect();
            assert_eq!(names, expected.into_iter().collect::<Vec<_>>(), "{command}");
        }
    }
}
