//! What a hook call is compared with.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use bowline_agents::registration::Canary;
use bowline_agents::supported;

use super::stage::Stage;
use crate::programs::on_path;

/// A program that takes part, with how and where it is started.
#[derive(Debug, Clone)]
pub(super) struct Contender<'stage> {
    pub(super) name: &'static str,
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<String>,
    pub(super) payload: Payload,
    pub(super) stage: &'stage Stage,
}

/// How it is told of a call.
#[derive(Debug, Clone, Copy)]
pub(super) enum Payload {
    /// As Claude Code does it, with all that it says.
    ClaudeCode,
    /// As `bowline doctor` tries an agent's entry out: every agent says as much of the call as any other.
    Canary(&'static Canary),
}

impl<'stage> Contender<'stage> {
    fn new(
        name: &'static str,
        program: impl Into<PathBuf>,
        arguments: &[&str],
        stage: &'stage Stage,
    ) -> Self {
        Self {
            name,
            program: program.into(),
            arguments: arguments.iter().map(ToString::to_string).collect(),
            payload: Payload::ClaudeCode,
            stage,
        }
    }
}

/// What people write when they need a hook quickly: read the command, look for one word, answer.
const BASH_HOOK: &str = r#"input=$(cat)
command=$(jq -r '.tool_input.command // ""' <<< "$input")
case "$command" in
*"rm -rf"*) echo "no recursive deletes" >&2; exit 2 ;;
esac
"#;

const PYTHON_HOOK: &str = r#"import json
import sys

command = json.load(sys.stdin).get("tool_input", {}).get("command", "")
if "rm -rf" in command:
    print("no recursive deletes", file=sys.stderr)
    sys.exit(2)
"#;

/// Those that cost nothing but their start.
pub(super) fn empty(stage: &Stage) -> Contender<'_> {
    Contender::new("/bin/true", "/bin/true", &[], stage)
}

/// An empty shell.
pub(super) fn shell(stage: &Stage) -> Contender<'_> {
    Contender::new("sh -c :", "/bin/sh", &["-c", ":"], stage)
}

/// Bowline's client, as `init` registers it.
pub(super) fn client<'stage>(
    name: &'static str,
    hook: &Path,
    stage: &'stage Stage,
) -> Contender<'stage> {
    Contender::new(name, hook, &registered("claude-code", "PreToolUse"), stage)
}

/// Bowline's client for every agent that `init` knows.
pub(super) fn agents<'stage>(hook: &Path, stage: &'stage Stage) -> Vec<Contender<'stage>> {
    let contender = |(name, canary): (&'static str, &'static Canary)| Contender {
        payload: Payload::Canary(canary),
        ..Contender::new(name, hook, &registered(name, canary.event), stage)
    };
    supported()
        .filter_map(|(agent, protocol)| Some((agent.name, &protocol.registration?.canary)))
        .map(contender)
        .collect()
}

fn registered<'a>(agent: &'a str, event: &'a str) -> [&'a str; 6] {
    [agent, event, "--on-failure", "ask", "--timeout", "60"]
}

/// Hooks written in other ways; and why some are missing.
pub(super) fn others(stage: &Stage) -> Result<(Vec<Contender<'_>>, Vec<String>)> {
    let folder = stage.folder();
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    match (on_path("bash"), on_path("jq")) {
        (Some(bash), Some(_)) => {
            let script = written(folder, "hook.sh", BASH_HOOK)?;
            found.push(Contender::new("bash + jq", bash, &[&script], stage));
        }
        _ => missing.push("bash + jq: skipped, bash or jq is not here".to_owned()),
    }
    match python() {
        Some(python) => {
            let script = written(folder, "hook.py", PYTHON_HOOK)?;
            found.push(Contender::new("python", python, &[&script], stage));
        }
        None => missing.push("python: skipped, python3 is not here".to_owned()),
    }
    Ok((found, missing))
}

/// The interpreter itself: what is on `PATH` may be a script that looks for it, which would not be fair.
fn python() -> Option<PathBuf> {
    let asked = Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .output()
        .ok()?;
    let path = String::from_utf8(asked.stdout).ok()?;
    Some(PathBuf::from(path.trim())).filter(|path| path.is_file())
}

fn written(folder: &Path, name: &str, script: &str) -> Result<String> {
    let path = folder.join(name);
    fs::write(&path, script)?;
    Ok(path.display().to_string())
}
