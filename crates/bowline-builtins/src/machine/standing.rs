//! Whether a process belongs to a person or to an agent: what is above it, what is in its environment, and which terminal it has.

use std::path::Path;

use super::process;

/// Programs that run another one, which their first argument names.
const INTERPRETERS: &[&str] = &[
    "bash", "bun", "dash", "deno", "env", "node", "nodejs", "python", "python3", "sh", "zsh",
];

/// More ancestors than this have no meaning.
const MOST_ANCESTORS: usize = 64;

/// The agent that a process is, or that is above it: by its command line, or because `bowline run` started it, whatever its name is.
pub fn agent_above(process: u32) -> Option<String> {
    let above = std::iter::successors(Some(process), |pid| parent(*pid).filter(|it| *it > 1));
    let mut above = above.take(MOST_ANCESTORS);
    above.find_map(|pid| {
        let is_run = process::name(pid).is_some_and(|it| it == process::RUN);
        let agent = || agent_in(&arguments(pid)).map(ToOwned::to_owned);
        is_run.then(|| "bowline run".to_owned()).or_else(agent)
    })
}

/// The variable in the environment of a process by which an agent marks what it starts, where the system tells it.
pub fn agents_mark(process: u32) -> Option<&'static str> {
    let environment = std::fs::read(format!("/proc/{process}/environ")).ok()?;
    let names: Vec<&[u8]> = environment
        .split(|byte| *byte == 0)
        .filter_map(|variable| variable.split(|byte| *byte == b'=').next())
        .collect();
    bowline_agents::marks().find(|mark| names.contains(&mark.as_bytes()))
}

/// The terminal that a process is controlled by, where the system tells it: `pts/3`.
pub fn terminal_of(process: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    let number: i32 = rest.split_whitespace().nth(4)?.parse().ok()?;
    terminal_name(number.cast_unsigned())
}

/// The name of a terminal by the number of its device; 0 is none.
fn terminal_name(device: u32) -> Option<String> {
    let (major, minor) = (
        (device >> 8) & 0xfff,
        (device & 0xff) | ((device >> 12) & 0xf_ff00),
    );
    match major {
        0 => None,
        4 => Some(format!("tty{minor}")),
        136..=143 => Some(format!("pts/{}", (major - 136) * 256 + minor)),
        _ => Some(format!("{major}:{minor}")),
    }
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

#[cfg(target_os = "linux")]
fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before it may hold anything, blanks and parentheses, too.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

/// The words of the command line of a process, where the system tells it.
#[cfg(target_os = "linux")]
pub fn arguments(pid: u32) -> Vec<String> {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let line = String::from_utf8_lossy(&line);
    line.split_terminator('\0').map(ToOwned::to_owned).collect()
}

#[cfg(not(target_os = "linux"))]
fn parent(pid: u32) -> Option<u32> {
    asked("ppid=", pid).first()?.parse().ok()
}

/// The words of the command line of a process, as far as blanks tell them apart.
#[cfg(not(target_os = "linux"))]
pub fn arguments(pid: u32) -> Vec<String> {
    asked("command=", pid)
}

#[cfg(not(target_os = "linux"))]
fn asked(column: &str, pid: u32) -> Vec<String> {
    let mut ps = std::process::Command::new("/bin/ps");
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

    #[test]
    fn terminals_have_names() {
        for (device, name) in [
            (0, None),
            (0x8803, Some("pts/3")),
            (0x8901, Some("pts/257")),
            (0x10_8800, Some("pts/256")),
            (0x0402, Some("tty2")),
            (0x0501, Some("5:1")),
        ] {
            assert_eq!(terminal_name(device).as_deref(), name, "{device:#x}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_that_does_not_exist_is_nobodys() {
        assert_eq!(agent_above(u32::MAX), None);
        assert_eq!(agents_mark(u32::MAX), None);
        assert_eq!(terminal_of(u32::MAX), None);
    }
}
