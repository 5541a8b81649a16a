//! `bowline explain`: what the guard sees in a command or a tool call, and what it makes of it.

mod hooks;
mod own;
mod show;
mod view;

use std::borrow::Cow;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bowline::hooks::HookInput;
use bowline::settings::Locations;
use bowline_builtins::continuity::project_of;
use bowline_builtins::guard::{Guards, call_of as call_of_tool};
use bowline_continuity::action::Who;
use bowline_guard::Strictness;
use bowline_guard::paths::World;
use bowline_guard::tool_call::{
    ToolCall, judge_shell, judge_tool_call, judge_whole_command, runs_a_shell,
};
use bowline_store::{SessionFilter, SessionRef, SqliteStore, Store};
use clap::Parser;
use serde_json::{Map, Value, json};

use crate::Outcome;
use crate::ask::places;
use crate::commands::guard::call_of;
use crate::error::{Error, Result};
use crate::project;
use crate::stream;
use crate::ui::{Format, FormatArgs, Ui};
pub(super) use view::Report;

/// Show what the guard sees in a command or a tool call, and its verdict
///
/// Judged by the project's settings, with what this machine has: links, what git holds, and what the session made. Nothing is run
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  bowline explain 'git push --force origin main'
  bowline explain 'curl -s https://get.example.com | sudo bash' --json
  bowline explain --json git push --force origin main
  bowline explain --tool Read --input '{\"file_path\": \".env\"}'
  pbpaste | bowline explain -

Exits with 1 when the call is denied or somebody has to be asked")]
pub(crate) struct ExplainArgs {
    /// The shell command: in quotes, or the rest of the line, so that options come before it; - reads standard input
    #[arg(
        value_name = "COMMAND",
        required_unless_present = "tool",
        trailing_var_arg = true
    )]
    words: Vec<String>,

    /// A tool other than the shell, with --input
    #[arg(
        long,
        value_name = "TOOL",
        requires = "input",
        conflicts_with = "words"
    )]
    tool: Option<String>,

    /// The tool's input; - reads standard input
    #[arg(long, value_name = "JSON|-", requires = "tool")]
    input: Option<String>,

    /// Judge it by the settings for this agent
    #[arg(long, value_name = "AGENT", value_parser = super::meant::agent)]
    agent: Option<String>,

    /// Judge it for this session, which may delete what it made; `last` is the newest of the project, `none` is no session [default: last]
    #[arg(long, value_name = "ID")]
    session: Option<String>,

    /// Judge it as if run in this folder instead of the current one
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// No real command is longer.
const MAX_INPUT: usize = 16 * 1024 * 1024;

/// The options once more, where they follow a command in quotes.
#[derive(Debug, Parser)]
struct Following {
    #[command(flatten)]
    args: ExplainArgs,
}

impl ExplainArgs {
    /// Who reads the answer.
    pub(crate) fn format(&self) -> Format {
        self.settled().map_or(self.format, |it| it.format).format()
    }

    /// A command that stands in one argument is in quotes, and what follows it are options.
    fn settled(&self) -> Result<Self, clap::Error> {
        let Some((first, rest)) = self.words.split_first() else {
            return Ok(self.clone());
        };
        if rest.is_empty() || !(first == "-" || first.contains(char::is_whitespace)) {
            return Ok(self.clone());
        }
        let program = iter::once("bowline explain");
        let line = program.chain(rest.iter().map(String::as_str));
        let later = Following::try_parse_from(line.chain(["--", first]))?.args;
        Ok(Self {
            agent: later.agent.or_else(|| self.agent.clone()),
            session: later.session.or_else(|| self.session.clone()),
            dir: later.dir.or_else(|| self.dir.clone()),
            format: self.format.or(later.format),
            ..later
        })
    }

    /// The command: one word is a line of a shell, several are the words of one.
    fn command(&self) -> Result<String> {
        match self.words.as_slice() {
            [line] => given(line),
            words => Ok(words
                .iter()
                .map(|it| word(it))
                .collect::<Vec<_>>()
                .join(" ")),
        }
    }
}

/// A word as a shell reads it.
fn word(text: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_alphanumeric() || "-_=+./,:@%~".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!("'{}'", text.replace('\'', "'\\''")))
    }
}

pub(crate) fn run(args: &ExplainArgs, ui: &mut Ui) -> Result<Outcome> {
    let args = args
        .settled()
        .map_err(|wrong| Error::usage(wrong.to_string()))?;
    let (tool, input) = match (&args.tool, &args.input) {
        (Some(tool), Some(input)) => (tool.as_str(), object(&given(input)?)?),
        _ => ("Bash", command_input(args.command()?)),
    };
    let subject = Question {
        folder: project::folder(args.dir.as_deref())?,
        session: args.session.as_deref().unwrap_or("last"),
        agent: args.agent.as_deref(),
    };
    let report = subject.report(tool, &input)?;
    match args.format.format() {
        Format::Json => ui.json(&report)?,
        Format::Text => show::show(&report, ui),
    }
    Ok(match report.decision() {
        Strictness::Allow => Outcome::Clean,
        Strictness::Ask | Strictness::Deny => Outcome::Findings,
    })
}

fn command_input(command: String) -> Map<String, Value> {
    Map::from_iter([("command".to_owned(), Value::String(command))])
}

/// Where, for which session and for which agent something is judged.
#[derive(Debug)]
pub(super) struct Question<'a> {
    pub(super) folder: PathBuf,
    pub(super) session: &'a str,
    pub(super) agent: Option<&'a str>,
}

impl Question<'_> {
    /// What the guard and the person's own rules say to a call.
    pub(super) fn report(&self, tool: &str, input: &Map<String, Value>) -> Result<Report> {
        let settings = project::load(&self.folder);
        let past = Past::of(self.session, &settings.project)?;
        let shared = project::shared_after(past.store);
        let builtins = project::builtins_of(&settings, &shared);
        let here = self.folder.to_string_lossy();
        let subject = Subject {
            world: &builtins.guards.analyst().world_for(&here, &past.session),
            guards: &builtins.guards,
            agent: self.agent,
            session: &past.session,
        };
        let call = call_of(input);
        let mut report = match call.command.filter(|_| runs_a_shell(tool)) {
            Some(command) => subject.command(tool, command),
            None => subject.call(tool, input, &call),
        };
        let event = HookInput::pre_tool_use(&past.session, tool, Value::Object(input.clone()));
        report.add_rules(own::heard(&settings, &builtins, &event, &self.folder)?);
        let project = project_of(&self.folder, &Locations::from_env());
        shared.live.learn(&Who {
            folder: here.into_owned(),
            project: Some(project.to_string_lossy().into_owned()),
            session: Some(past.session.clone()).filter(|it| !it.is_empty()),
            ..Who::default()
        });
        report.hooks = hooks::of_call(&builtins, &event, report.after_the_guards());
        report.session = Some(past.session).filter(|it| !it.is_empty());
        Ok(report)
    }
}

/// The session that is judged, and where it is recorded.
struct Past {
    session: String,
    store: Option<Arc<dyn Store>>,
}

impl Past {
    fn of(named: &str, project: &Path) -> Result<Self> {
        let nobody = Self {
            session: String::new(),
            store: None,
        };
        let places = places()?;
        // Looking must not leave traces on a machine on which nothing happened yet.
        if named == "none" || !places.data.exists() {
            return Ok(nobody);
        }
        let Ok(store) = SqliteStore::open(places.store()) else {
            return Ok(nobody);
        };
        let filter = SessionFilter {
            project: project.to_str(),
            limit: 1,
            ..SessionFilter::default()
        };
        if named != "last" && !matches!(store.session(SessionRef::Chain(named)), Ok(Some(_))) {
            return Err(Error::usage("no such session is recorded")
                .hint("`bowline session list` shows them; `--session none` judges for nobody"));
        }
        let session = match named {
            "last" => {
                let newest = store
                    .sessions(&filter)
                    .ok()
                    .and_then(|it| it.into_iter().next());
                newest.map_or_else(String::new, |it| it.newest.session)
            }
            _ => named.to_owned(),
        };
        Ok(Self {
            session,
            store: Some(Arc::new(store)),
        })
    }
}

/// Where something is judged, by what settings, and for whom.
struct Subject<'a> {
    world: &'a dyn World,
    guards: &'a Guards,
    agent: Option<&'a str>,
    session: &'a str,
}

impl Subject<'_> {
    fn call(&self, tool: &str, input: &Map<String, Value>, call: &ToolCall<'_>) -> Report {
        let meant = call_of_tool(tool, Some(&Value::Object(input.clone())));
        let allowed = self.guards.allowed(self.session, meant);
        let policy = self
            .guards
            .policy_with(&allowed, (self.agent, None), None, &call.files);
        let verdict = judge_tool_call(tool, call, self.world, &policy.guard);
        Report::of_call(tool, input, verdict, policy.mode)
    }

    fn command(&self, tool: &str, command: &str) -> Report {
        let world = self.world;
        let judgement = judge_shell(tool, command, world);
        let files = ToolCall::default().files;
        let meant = call_of_tool(tool, Some(&json!({ "command": command })));
        let allowed = self.guards.allowed(self.session, meant);
        let policy =
            self.guards
                .policy_with(&allowed, (self.agent, None), Some(&judgement), &files);
        let verdict = judge_whole_command(command, &judgement, world, &policy.guard);
        let effects = policy.guard.effects(&judgement, world);
        Report::of_command(
            tool,
            command,
            world.cwd(),
            &judgement,
            &effects,
            verdict,
            policy.mode,
        )
    }
}

/// What the command line says, or standard input where it says `-`.
fn given(text: &str) -> Result<String> {
    if text != "-" {
        return Ok(text.to_owned());
    }
    String::from_utf8(stream::read_all(MAX_INPUT)?)
        .map_err(|source| Error::input("standard input is not UTF-8 text").caused_by(source))
}

fn object(text: &str) -> Result<Map<String, Value>> {
    serde_json::from_str(text).map_err(|source| {
        Error::input("cannot use --input")
            .caused_by(source)
            .hint("expected the tool's input as one JSON object, such as {\"file_path\": \".env\"}")
    })
}
