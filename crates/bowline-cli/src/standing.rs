//! Who runs this program: a person at a terminal, or an agent.
//!
//! This is a second line. The first one is the guard, which asks a person before an agent runs such a command at all.

use std::fs::OpenOptions;
use std::path::Path;
use std::process;

use bowline_daemon::rpc::efforts::SESSION_VARIABLE;

use crate::error::{Error, ErrorKind, Result};

/// Programs that run another one, which their first argument names.
const INTERPRETERS: &[&str] = &[
    "bash", "bun", "dash", "deno", "env", "node", "nodejs", "python", "python3", "sh", "zsh",
];

/// More ancestors than this have no meaning.
const MOST_ANCESTORS: usize = 64;

/// Refuses unless a person at a terminal runs this, and no agent does.
pub(crate) fn person() -> Result<()> {
    no_agent()?;
    under_its_own_name()?;
    let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty");
    terminal.map(drop).map_err(|source| {
        refusal("this needs a person at a terminal")
            .caused_by(source)
            .hint("run it yourself, in a terminal of your own")
    })
}

/// Refuses what runs below an agent.
pub(crate) fn no_agent() -> Result<()> {
    let mut marks = bowline_agents::marks().chain([SESSION_VARIABLE]);
    let mark = marks.find(|name| std::env::var_os(name).is_some());
    let above = || ancestors().find_map(|it| agent_in(&it).map(ToOwned::to_owned));
    let who = mark.map(|name| format!("{name} is set"));
    match who.or_else(|| above().map(|name| format!("`{name}` started it"))) {
        Some(sign) => Err(
            refusal(&format!("an agent must not run this itself: {sign}"))
                .hint("run it in a terminal of your own, not through the agent"),
        ),
        None => Ok(()),
    }
}

/// Refuses a copy under another name: the guard would not know what an agent runs there.
fn under_its_own_name() -> Result<()> {
    let program = std::env::current_exe().unwrap_or_default();
    if program.file_name().is_some_and(|name| name == "bowline") {
        return Ok(());
    }
    let message = format!("this program is called {}", program.display());
    Err(refusal(&message).hint("run it as `bowline`"))
}

fn refusal(message: &str) -> Error {
    Error::new(ErrorKind::Usage, message)
}

/// The agent that a command line starts, if it starts one.
fn agent_in(arguments: &[String]) -> Option<&str> {
    let mut words = arguments.iter().map(String::as_str);
    let program = named(words.next()?);
    if is_agent(program) {
        return Some(program);
    }
    if !INTERPRETERS.contains(&program) {
        return None;
    }
    let script = words.find(|it| !it.starts_with('-'))?;
    // Of packages, the folder has the name: `node_modules/@anthropic-ai/claude-code/cli.js`.
    let package = script.contains("node_modules/");
    script
        .rsplit('/')
        .take(if package { usize::MAX } else { 1 })
        .map(|part| part.split('.').next().unwrap_or(part))
        .find(|part| is_agent(part))
}

/// The name of a program; login shells have a hyphen before it.
fn named(program: &str) -> &str {
    let name = Path::new(program).file_name().and_then(|it| it.to_str());
    name.unwrap_or(program).trim_start_matches('-')
}

fn is_agent(name: &str) -> bool {
    bowline_guard::families::is_agent_program(name)
}

/// The command lines of the processes above this one, the nearest first, where the system provides them.
fn ancestors() -> impl Iterator<Item = Vec<String>> {
    let mut pid = process::id();
    std::iter::from_fn(move || {
        pid = parent(pid).filter(|it| *it > 1)?;
        Some(arguments(pid))
    })
    .take(MOST_ANCESTORS)
}

#[cfg(target_os = "linux")]
fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before it may hold anything, blanks and parentheses, too.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(target_os = "linux")]
fn arguments(pid: u32) -> Vec<String> {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let line = String::from_utf8_lossy(&line);
    line.split_terminator('\0').map(ToOwned::to_owned).collect()
}

#[cfg(not(target_os = "linux"))]
fn parent(pid: u32) -> Option<u32> {
    asked("ppid=", pid).first()?.parse().ok()
}

#[cfg(not(target_os = "linux"))]
fn arguments(pid: u32) -> Vec<String> {
    asked("command=", pid)
}

#[cfg(not(target_os = "linux"))]
fn asked(column: &str, pid: u32) -> Vec<String> {
    let mut ps = process::Command::new("/bin/ps");
    let output = ps.args(["-o", column, "-p", &pid.to_string()]).output();
    let text = output.map(|it| String::from_utf8_lossy(&it.stdout).into_owned());
    let text = text.unwrap_or_default();
    text.split_whitespace().map(ToOwned::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_known_by_their_command_lines() {
        for (line, agent) in [
            ("claude --resume", Some("claude")),
            ("/usr/local/bin/codex exec x", Some("codex")),
            ("node /home/ada/.npm/bin/claude -p hello", Some("claude")),
            (
                "node --max-old-space-size=1 /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js",
                Some("claude-code"),
            ),
            ("/bin/sh /tmp/claude", Some("claude")),
            ("-bash", None),
            ("bash -l", None),
            ("vim /home/ada/claude", None),
            ("node /home/ada/claude/server.js", None),
            ("tmux new -s claude", None),
            ("", None),
        ] {
            let words: Vec<String> = line.split_whitespace().map(Into::into).collect();
            assert_eq!(agent_in(&words), agent, "{line}");
        }
    }
}
