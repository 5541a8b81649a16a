//! `bowline statusline`: one line for Claude Code's status line, and what that says about the context window, for the engine.

use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use bowline::settings::{self, Locations, find_project};
use bowline_builtins::continuity::project_of;
use bowline_builtins::guidance::Testing;
use bowline_builtins::inbox::Question as Waiting;
use bowline_continuity::task;
use bowline_continuity::usage;
use bowline_daemon::rpc::Question;
use bowline_daemon::rpc::efforts::Asker;
use bowline_daemon::rpc::fleet::{Denied, Standing, Usage, Where};
use bowline_daemon::{Connection, Patience, Places, approvals};
use bowline_guard::secrets::redact;
use bowline_wire::Environment;
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::caller;
use super::fleet::percent;
use crate::Outcome;
use crate::ask::Records;
use crate::attended::AGENT_ID;
use crate::ui::{Text, Ui, reveal};
use crate::{moment, process, stream};

/// What Bowline itself may take. The agent's screen waits for the line.
const OWN_LIMIT: Duration = Duration::from_millis(300);
/// What the other command may take. The agent gives all of it five seconds.
const OTHER_LIMIT: Duration = Duration::from_secs(4);
/// How long what the agent says may take. It says it at once.
const INPUT_LIMIT: Duration = Duration::from_millis(500);
/// No agent sends more.
const MAX_INPUT: usize = 1024 * 1024;
/// Of a call that waits, so many characters are shown.
const MOST_SHOWN: usize = 60;
const BETWEEN: &str = " · ";
const BESIDE: &str = "  ";

/// Print one line for Claude Code's status line
///
/// Reads what Claude Code gives to status lines. Shows the task, the skill, the phase, the calls since the last log entry, how full the
/// context window is, what was denied last, and what waits for you in the inbox, as far as it is known. Tells the engine how full the window is. Never fails
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline statusline < status.json
  bowline statusline -- ~/.claude/statusline.sh
  bowline statusline -- 'echo hello; date'

`bowline init --with-statusline` puts it into your settings, beside the status
line that you have. One word after `--` is a line for the shell, several are a
program with its arguments; its first line is shown before Bowline's, and its
other lines below")]
pub(crate) struct StatuslineArgs {
    /// Your home folder, with your settings and records below it, whatever HOME and XDG_* say
    #[arg(long, value_name = "DIR")]
    home: Option<String>,

    /// A variable that says where your files are, whatever the environment says
    #[arg(long, value_name = "NAME=VALUE")]
    env: Vec<String>,

    /// Another status line, which gets the same input and is shown beside
    #[arg(last = true, value_name = "COMMAND")]
    other: Vec<String>,
}

impl StatuslineArgs {
    /// The variables that count: this process's own, and what the arguments say instead, because a project may set those for the agent.
    fn environment(&self) -> Environment {
        let mut environment: Environment = std::env::vars_os().collect();
        if let Some(home) = &self.home {
            environment.set_home(home);
        }
        for (name, value) in self.env.iter().filter_map(|it| it.split_once('=')) {
            environment.set(name, value);
        }
        environment
    }
}

pub(crate) fn run(args: &StatuslineArgs, ui: &mut Ui) -> Outcome {
    let surroundings = Surroundings::of(&args.environment());
    // Nobody types it. A person who looks is told what is recorded about this folder.
    if io::stdin().is_terminal() {
        let line = surroundings
            .as_ref()
            .and_then(|it| it.of_this_folder(ui))
            .map(|found| line(&found, None, moment::now()));
        let other = other_lines(&args.other, &[]);
        return show(&other, &line.unwrap_or_default(), ui);
    }
    let input = stream::read_within(MAX_INPUT, INPUT_LIMIT);
    let payload: Value = serde_json::from_slice(&input).unwrap_or_default();
    let used = usage::of_status_line(&payload);
    let (tell, told) = mpsc::channel();
    // In the background, because a daemon that hangs is not waited for.
    thread::spawn(move || {
        let found = surroundings.and_then(|it| it.ask(&payload, used));
        // Nobody may be waiting any more.
        let _ = tell.send(line(&found.unwrap_or_default(), used, moment::now()));
    });
    let other = other_lines(&args.other, &input);
    let own = told.recv_timeout(OWN_LIMIT);
    let own = own.unwrap_or_else(|_| line(&Found::default(), used, moment::now()));
    show(&other, &own, ui)
}

fn show(other: &str, own: &str, ui: &mut Ui) -> Outcome {
    // What another program prints may have colours and links.
    ui.verbatim(&joined(other, &Text::from(own).content()));
    Outcome::Clean
}

/// What is known of a session.
#[derive(Debug, Default)]
struct Found {
    standing: Standing,
    /// At which call without a log entry it is stopped.
    limit: Option<u32>,
    /// The tests that its work has to pass, while they run.
    testing: Option<Testing>,
    /// What waits for a person in the inbox.
    waits: Option<String>,
}

/// Where the person's files and the daemon are.
struct Surroundings {
    places: Places,
    locations: Locations,
}

impl Surroundings {
    /// `None` where there is no home folder.
    fn of(environment: &Environment) -> Option<Self> {
        let variable = |name: &str| environment.get(name).map(ToOwned::to_owned);
        Some(Self {
            places: Places::of_environment(variable).ok()?,
            locations: Locations::of_environment(variable),
        })
    }

    /// Tells the daemon how full the window is, and asks where the session stands. Without a daemon nothing has happened for a long time,
    /// and a look into the store would cost more than it tells.
    fn ask(&self, payload: &Value, used: Option<f64>) -> Option<Found> {
        let session = payload.get("session_id")?.as_str()?.to_owned();
        let mut daemon = Connection::open_with(&self.places.socket, Patience::Brief).ok()?;
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
        let question = Where {
            asker: Asker {
                project: project_of(folder.as_ref(), &self.locations)
                    .to_string_lossy()
                    .into_owned(),
                folder: Some(folder.to_owned()),
                agent_id: std::env::var(AGENT_ID).ok().filter(|id| !id.is_empty()),
                session: Some(session.clone()),
            },
        };
        let standing = daemon.ask(Where::COMMAND, question.arguments()).ok()?;
        let standing = serde_json::from_value(standing).ok()?;
        let mut found = self.with_limit(standing, folder.as_ref());
        let mut testing = Testing::all(&self.places.data).into_iter();
        found.testing = testing.find(|it| it.session == session);
        let questions = daemon.ask(approvals::LIST, Map::new()).ok();
        let questions: Option<Vec<Waiting>> =
            questions.and_then(|it| serde_json::from_value(it).ok());
        found.waits = waits(&questions.unwrap_or_default(), &session);
        Some(found)
    }

    /// What is recorded about the folder in which this runs.
    fn of_this_folder(&self, ui: &Ui) -> Option<Found> {
        let asker = caller::asker().ok()?;
        let folder = asker.folder.clone()?;
        let mut records = Records::at(self.places.clone(), ui).ok()?;
        let standing = records.ask(&Where { asker }, ui).ok()?;
        Some(self.with_limit(standing, folder.as_ref()))
    }

    fn with_limit(&self, standing: Standing, folder: &Path) -> Found {
        let of_project = || {
            let project = find_project(folder, &self.locations);
            let settings = settings::load(&project, &self.locations);
            settings.config.effort.block_after
        };
        let in_effort = standing.task.is_some();
        let limit = in_effort.then(|| standing.block_after.unwrap_or_else(of_project));
        Found {
            standing,
            limit,
            testing: None,
            waits: None,
        }
    }
}

/// What waits for a person: a call of this session, or questions of others.
fn waits(questions: &[Waiting], session: &str) -> Option<String> {
    if let Some(own) = questions.iter().find(|it| it.session == session) {
        let what: String = reveal::name(&redact(&own.what()))
            .chars()
            .take(MOST_SHOWN)
            .collect();
        return Some(format!(
            "waiting for you: {what} (bowline approvals allow {})",
            own.id
        ));
    }
    match questions.len() {
        0 => None,
        1 => Some("1 question waits (bowline approvals)".to_owned()),
        count => Some(format!("{count} questions wait (bowline approvals)")),
    }
}

/// The parts that are known.
fn line(found: &Found, used: Option<f64>, now: DateTime<Utc>) -> String {
    let standing = &found.standing;
    let testing = found.testing.as_ref().map(|testing| testing.words(now));
    let task = standing.task.as_deref().map(task::name_of);
    let heartbeat = standing.heartbeat.map(|count| match found.limit {
        Some(limit) => format!("heartbeat {count}/{limit}"),
        None => format!("heartbeat {count}"),
    });
    let used = used.or(standing.context_usage);
    let context = used.map(|used| format!("context {}%", percent(used)));
    let denied = standing.denied.as_ref().map(|it| denial(it, now));
    let parts = [
        found.waits.clone(),
        testing,
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
    use serde_json::json;

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
            let found = Found {
                standing,
                limit,
                testing: None,
                waits: None,
            };
            assert_eq!(line(&found, used, now), expected);
        }
    }

    #[test]
    fn the_line_says_what_waits_for_a_person() {
        let question = |session: &str, command: &str| -> Waiting {
            serde_json::from_value(json!({
                "id": "k3v9q", "asked_at": "2026-11-15T12:00:00Z", "until": "2026-11-15T12:02:00Z",
                "agent": "claude-code", "session": session, "project": "/p", "subagent": null,
                "tool": "Bash", "input": {"command": command}, "tool_use_id": null, "reason": null, "rule": null,
            }))
            .unwrap()
        };
        for (questions, expected) in [
            (vec![], None),
            (
                vec![question("s2", "ls"), question("s1", "terraform\napply")],
                Some("waiting for you: terraform⏎apply (bowline approvals allow k3v9q)"),
            ),
            (
                vec![question("s2", "ls")],
                Some("1 question waits (bowline approvals)"),
            ),
            (
                vec![question("s2", "ls"), question("s3", "ls")],
                Some("2 questions wait (bowline approvals)"),
            ),
        ] {
            assert_eq!(waits(&questions, "s1").as_deref(), expected);
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
