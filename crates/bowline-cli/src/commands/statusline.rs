//! `bowline statusline`: one line for Claude Code's status line, and what that says about the context window, for the engine.

use std::io::{self, IsTerminal as _};
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use bowline::settings::{Locations, find_project, main_checkout};
use bowline_continuity::task;
use bowline_continuity::usage;
use bowline_daemon::rpc::Question;
use bowline_daemon::rpc::efforts::Asker;
use bowline_daemon::rpc::fleet::{Denied, Standing, Usage, Where};
use bowline_daemon::{Connection, Patience, Places};
use chrono::{DateTime, Utc};
use serde_json::Value;

use super::fleet::percent;
use crate::Outcome;
use crate::ui::{Text, Ui};
use crate::{moment, process, project, stream};

/// What Bowline itself may take. The agent's screen waits for the line.
const OWN_LIMIT: Duration = Duration::from_millis(300);
/// What the other command may take. The agent gives all of it five seconds.
const OTHER_LIMIT: Duration = Duration::from_secs(4);
/// No agent sends more.
const MAX_INPUT: usize = 1024 * 1024;
const BETWEEN: &str = " · ";
const BESIDE: &str = "  ";

/// Print one line for Claude Code's status line
///
/// Reads what Claude Code gives to status lines. Shows the task, the skill, the phase, the calls since the last log entry, how full the
/// context window is, and what was denied last, as far as it is known. Tells the engine how full the window is. Never fails
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline statusline < status.json
  bowline statusline -- ~/.claude/statusline.sh
  bowline statusline -- 'echo hello; date'

`bowline init --with-statusline` puts it into your settings, beside the status line that you have. One word after `--` is a line for the
shell, several are a program with its arguments; its first line is shown before Bowline's, and its other lines below")]
pub(crate) struct StatuslineArgs {
    /// Another status line, which gets the same input and is shown beside
    #[arg(last = true, value_name = "COMMAND")]
    other: Vec<String>,
}

pub(crate) fn run(args: &StatuslineArgs, ui: &mut Ui) -> Outcome {
    // Nobody types it.
    let input = if io::stdin().is_terminal() {
        Vec::new()
    } else {
        stream::read_all(MAX_INPUT).unwrap_or_default()
    };
    let own = own_line(&input);
    let other = other_lines(&args.other, &input);
    let own = own.recv_timeout(OWN_LIMIT);
    let own = own.unwrap_or_else(|_| minimal(&input));
    // What another program prints may have colours and links.
    ui.verbatim(&joined(&other, &Text::from(own).content()));
    Outcome::Clean
}

/// What the input itself says.
fn minimal(input: &[u8]) -> String {
    let payload: Value = serde_json::from_slice(input).unwrap_or_default();
    let used = usage::of_status_line(&payload);
    line(&Standing::default(), used, None, moment::now())
}

/// Finds Bowline's own part in the background. A daemon that hangs is not waited for.
fn own_line(input: &[u8]) -> mpsc::Receiver<String> {
    let (tell, told) = mpsc::channel();
    let payload: Value = serde_json::from_slice(input).unwrap_or_default();
    thread::spawn(move || {
        let used = usage::of_status_line(&payload);
        let (standing, limit) = ask(&payload, used).unwrap_or_default();
        let line = line(&standing, used, limit, moment::now());
        // Nobody may be waiting any more.
        let _ = tell.send(line);
    });
    told
}

/// Tells the daemon how full the window is, and asks where the session stands. Without a daemon nothing has happened for a long time, and a
/// look into the store would cost more than it tells.
fn ask(payload: &Value, used: Option<f64>) -> Option<(Standing, Option<u32>)> {
    let session = payload.get("session_id")?.as_str()?.to_owned();
    let places = Places::from_env().ok()?;
    let mut daemon = Connection::open_with(&places.socket, Patience::Brief).ok()?;
    if let Some(used) = used {
        let usage = Usage {
            session: session.clone(),
            used,
        };
        // A session that is not known yet has nothing to say it for.
        let _ = daemon.ask(Usage::COMMAND, usage.arguments());
    }
    let folder = ["/workspace/project_dir", "/cwd", "/workspace/current_dir"]
        .iter()
        .find_map(|path| payload.pointer(path)?.as_str())?;
    let locations = Locations::from_env();
    let project = find_project(folder.as_ref(), &locations);
    let main = main_checkout(&project).unwrap_or_else(|| project.clone());
    let question = Where {
        asker: Asker {
            project: main.to_string_lossy().into_owned(),
            folder: Some(folder.to_owned()),
            agent_id: std::env::var("AGENT_ID").ok().filter(|id| !id.is_empty()),
            session: Some(session),
        },
    };
    let standing = daemon.ask(Where::COMMAND, question.arguments()).ok()?;
    let standing: Standing = serde_json::from_value(standing).ok()?;
    let limit = standing.task.as_ref().map(|_| {
        let of_project = || project::load(&project).config.effort.block_after;
        standing.block_after.unwrap_or_else(of_project)
    });
    Some((standing, limit))
}

/// The parts that are known.
fn line(standing: &Standing, used: Option<f64>, limit: Option<u32>, now: DateTime<Utc>) -> String {
    let task = standing.task.as_deref().map(task::name_of);
    let heartbeat = standing.heartbeat.map(|count| match limit {
        Some(limit) => format!("heartbeat {count}/{limit}"),
        None => format!("heartbeat {count}"),
    });
    let used = used.or(standing.context_usage);
    let context = used.map(|used| format!("context {}%", percent(used)));
    let denied = standing.denied.as_ref().map(|it| denial(it, now));
    let parts = [
        task.map(str::to_owned),
        standing.skill.clone(),
        standing.phase.clone(),
        heartbeat,
        context,
        denied,
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join(BETWEEN)
}

fn denial(denied: &Denied, now: DateTime<Utc>) -> String {
    let what = denied.rule.as_deref().or(denied.tool.as_deref());
    let what = what.unwrap_or("a call");
    format!("denied {what} {}", moment::when(denied.at, now))
}

/// What the other command prints; nothing if it fails, as without Bowline.
fn other_lines(command: &[String], input: &[u8]) -> String {
    let run = match command {
        [] => return String::new(),
        [line] => {
            let mut shell = Command::new("sh");
            shell.args(["-c", line]);
            shell
        }
        [program, arguments @ ..] => {
            let mut run = Command::new(program);
            run.args(arguments);
            run
        }
    };
    match process::run(run, input, OTHER_LIMIT) {
        Ok(ran) if ran.code == Some(0) => ran.stdout,
        _ => String::new(),
    }
}

/// Bowline's part beside the first line of the other one.
fn joined(other: &str, own: &str) -> String {
    let mut lines = other.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or_default().trim_end();
    let between = if first.is_empty() || own.is_empty() {
        ""
    } else {
        BESIDE
    };
    let rest: String = lines.flat_map(|line| ["\n", line]).collect();
    let whole = format!("{first}{between}{own}{rest}");
    if whole.is_empty() {
        whole
    } else {
        whole + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f47_c_the_line_has_what_is_known() {
        let now: DateTime<Utc> = "2026-11-15T12:00:00Z".parse().unwrap();
        let whole = Standing {
            task: Some("/shop/.tasks/checkout".into()),
            skill: Some("implement".into()),
            phase: Some("2.1: Build".into()),
            heartbeat: Some(3),
            block_after: None,
            context_usage: Some(0.1),
            denied: Some(Denied {
                at: "2026-11-15T11:57:00Z".parse().unwrap(),
                rule: Some("git.push-force".into()),
                tool: Some("Bash".into()),
            }),
        };
        let ruleless = Standing {
            denied: Some(Denied {
                at: now,
                rule: None,
                tool: Some("Bash".into()),
            }),
            ..Standing::default()
        };
        for (standing, used, limit, expected) in [
            (Standing::default(), None, None, ""),
            (Standing::default(), Some(0.434), None, "context 43%"),
            (
                whole,
                Some(0.91),
                Some(10),
                "checkout · implement · 2.1: Build · heartbeat 3/10 · context 91% · denied git.push-force 3 min ago",
            ),
            (ruleless, None, None, "denied Bash now"),
        ] {
            assert_eq!(line(&standing, used, limit, now), expected);
        }
    }

    #[test]
    fn another_status_line_is_kept() {
        for (other, own, expected) in [
            ("", "", ""),
            ("", "context 4%", "context 4%\n"),
            ("main ✓\n", "", "main ✓\n"),
            ("main ✓  \n", "context 4%", "main ✓  context 4%\n"),
            (
                "\n\u{1b}[32mmain\u{1b}[0m\n\nsecond\n",
                "context 4%",
                "\u{1b}[32mmain\u{1b}[0m  context 4%\nsecond\n",
            ),
        ] {
            assert_eq!(joined(other, own), expected, "{other:?}");
        }
    }

    #[test]
    fn one_word_is_a_line_for_the_shell() {
        let words = |words: &[&str]| words.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        for (command, expected) in [
            (words(&[]), ""),
            (words(&["cat; echo ' more'"]), "input more\n"),
            (words(&["cat", "-"]), "input"),
            (words(&["echo no; exit 1"]), ""),
            (words(&["/no/such/program", "x"]), ""),
        ] {
            assert_eq!(other_lines(&command, b"input"), expected, "{command:?}");
        }
    }
}
