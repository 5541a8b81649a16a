//! `bowline explain`: what the guard sees in a command or a tool call, and what it makes of it.

mod show;
mod view;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bowline_builtins::guard::{Guards, call_of as call_of_tool};
use bowline_guard::paths::World;
use bowline_guard::tool_call::{
    CallDecision, ToolCall, judge_command, judge_looks, judge_shell, judge_tool_call, runs_a_shell,
};
use bowline_store::{SessionFilter, SessionRef, SqliteStore, Store};
use serde_json::{Map, Value, json};

use crate::Outcome;
use crate::ask::places;
use crate::commands::guard::call_of;
use crate::error::{Error, Result};
use crate::project;
use crate::stream;
use crate::ui::{Format, FormatArgs, Ui};
use view::Report;

/// Show what the guard sees in a command or a tool call, and its verdict
///
/// Judged by the project's settings, with what this machine has: links, what git holds, and what the session made. Nothing is run
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline explain 'git push --force origin main'
  bowline explain 'curl -s https://get.example.com | sudo bash' --json
  bowline explain --tool Read --input '{\"file_path\": \".env\"}'
  pbpaste | bowline explain -

Exits with 1 when the call is denied or somebody has to be asked")]
pub(crate) struct ExplainArgs {
    /// The shell command, as one argument; - reads standard input
    #[arg(required_unless_present = "tool")]
    command: Option<String>,

    /// Another tool than the shell, with --input
    #[arg(
        long,
        value_name = "TOOL",
        requires = "input",
        conflicts_with = "command"
    )]
    tool: Option<String>,

    /// The tool's input; - reads standard input
    #[arg(long, value_name = "JSON|-", requires = "tool")]
    input: Option<String>,

    /// Judge it by the settings for this agent
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,

    /// Judge it for this session, which may delete what it made; `last` is the newest of the project, `none` is for nobody
    #[arg(long, value_name = "ID", default_value = "last")]
    session: String,

    /// Judge it as if run in this folder instead of the current one
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// More is no command that anybody would explain.
const MAX_INPUT: usize = 16 * 1024 * 1024;

pub(crate) fn run(args: &ExplainArgs, ui: &mut Ui) -> Result<Outcome> {
    let folder = project::folder(args.dir.as_deref())?;
    let settings = project::load(&folder);
    let past = Past::of(&args.session, &settings.project)?;
    let guards = project::builtins_after(&settings, past.store).guards;
    let here = folder.to_string_lossy();
    let subject = Subject {
        world: &guards.analyst().world_for(&here, &past.session),
        guards: &guards,
        agent: args.agent.as_deref(),
        session: &past.session,
    };
    let mut report = match (&args.tool, &args.input) {
        (Some(tool), Some(input)) => {
            let input = object(&given(input)?)?;
            let call = call_of(&input);
            match call.command.filter(|_| runs_a_shell(tool)) {
                Some(command) => subject.command(tool, command),
                None => subject.call(tool, &input, &call),
            }
        }
        _ => subject.command("Bash", &given(args.command.as_deref().unwrap_or_default())?),
    };
    report.session = Some(past.session).filter(|it| !it.is_empty());
    match args.format.format() {
        Format::Json => ui.json(&report)?,
        Format::Text => show::show(&report, ui),
    }
    Ok(match report.decision() {
        CallDecision::Allow => Outcome::Clean,
        CallDecision::Ask | CallDecision::Deny => Outcome::Findings,
    })
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
            .policy((self.agent, None), None, &call.files, &allowed);
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
                .policy((self.agent, None), Some(&judgement), &files, &allowed);
        let verdict = judge_command(&judgement, world, &policy.guard).or_stricter(judge_looks(
            command,
            &judgement,
            world,
            &policy.guard,
        ));
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
