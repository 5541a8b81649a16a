//! `bowline test`: fires an event at a project's hooks and shows what becomes of it.

pub(super) mod engine;
mod input;
mod show;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use bowline::hooks::{
    Decision, EventClass, HookContext, HookInput, HookRun, Match, Opinion, Recording, RunStatus,
    TriggerResult,
};
use bowline::settings::TrustState;
use bowline_agents::{Protocol, supported, supported_names};
use bowline_builtins::mask;
use bowline_builtins::recorder::DISABLING_VARIABLES;
use serde::Serialize;
use serde_json::Value;

use super::EventName;
use crate::Outcome;
use crate::error::Result;
use crate::finding::Finding;
use crate::hook_view::{HookView, StatusName, is_bowline};
use crate::project;
use crate::ui::{Format, FormatArgs, Ui, masked};

/// Fire an event at the hooks of a project and show what becomes of it
///
/// Runs the hooks for real, with your files and your environment, and records nothing; --dry-run only shows which would run
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline test PreToolUse --tool Bash --input '{\"command\": \"git push --force\"}'
  bowline test UserPromptSubmit --prompt 'Fix the tests' --dry-run
  bowline test SessionStart --field source=resume
  bowline test --input @payload.json --agent claude-code
  bowline test PreToolUse --tool Bash --input '{\"command\": \"ls\"}' --repeat 2
  recorder | bowline test --input - --json

Exits with 1 when a hook blocks the event or somebody has to be asked")]
pub(crate) struct TestArgs {
    /// The event, in any casing; left out when the input is a whole payload
    #[arg(value_parser = EventName, hide_possible_values = true)]
    event: Option<String>,

    /// The tool, for events about a tool call
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,

    /// The tool's input, the event's fields, or a whole payload; @FILE reads a file, - standard input
    #[arg(long, value_name = "JSON|@FILE|-")]
    input: Option<String>,

    /// The prompt, for events about a prompt
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,

    /// A field of the payload; the value is JSON, or else text; may be repeated
    #[arg(long = "field", value_name = "NAME=VALUE")]
    fields: Vec<String>,

    /// The session of the event, instead of the payload's; "test" if there is none
    #[arg(long, value_name = "ID")]
    session: Option<String>,

    /// A skill that was used in the session, so that its hooks are in force; may be repeated
    #[arg(long = "skill", value_name = "NAME")]
    skills: Vec<String>,

    /// Take a payload in the form of this agent, and show the answer that it would get: claude-code or generic
    #[arg(long, value_name = "AGENT")]
    agent: Option<Answered>,

    /// Use this folder's project instead of the current one
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    /// Fire it N times in the same session and show the last result
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..))]
    repeat: u8,

    /// Run nothing, only show which hooks would run
    #[arg(long, conflicts_with = "repeat")]
    dry_run: bool,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// The result of the event without its secrets. Only the hooks get those.
#[derive(Debug, Serialize)]
struct Report {
    event: &'static str,
    class: EventClass,
    /// What a matcher is compared with.
    subject: Option<String>,
    #[serde(serialize_with = "project::lossy")]
    project: PathBuf,
    trust: TrustState,
    /// What is wrong with the settings.
    findings: Vec<Finding>,
    dry_run: bool,
    payload: Value,
    /// How many of the agent's entries for this event are Bowline itself. They are not run.
    own_entries: usize,
    /// The hooks of this event, in order.
    hooks: Vec<Tested>,
    /// Absent when nothing was run.
    result: Option<Merged>,
    reply: Option<ShownAnswer>,
}

/// One hook and what it did.
#[derive(Debug, Serialize)]
struct Tested {
    #[serde(flatten)]
    hook: HookView,
    matched: bool,
    /// Why it did not match.
    why_not: Option<String>,
    run: Option<Run>,
}

#[derive(Debug, Serialize)]
struct Run {
    status: &'static str,
    /// Why it was skipped.
    skipped: Option<String>,
    error: Option<String>,
    duration_ms: f64,
    #[serde(flatten)]
    output: Said,
}

/// What all hooks came to.
#[derive(Debug, Serialize)]
struct Merged {
    allowed: bool,
    #[serde(flatten)]
    output: Said,
}

/// What a hook, or all of them, said.
#[derive(Debug, Serialize)]
struct Said {
    decision: Decision,
    reason: Option<String>,
    additional_context: Option<String>,
    system_message: Option<String>,
    message: Option<String>,
    updated_input: Option<Value>,
    end_turn: Option<String>,
    suppress_logging: bool,
    event_fields: serde_json::Map<String, Value>,
    warnings: Vec<String>,
}

/// An agent whose events are answered.
#[derive(Debug, Clone, Copy)]
struct Answered {
    name: &'static str,
    protocol: &'static Protocol,
}

impl FromStr for Answered {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let mut all = supported().map(|(agent, protocol)| Self {
            name: agent.name,
            protocol,
        });
        all.find(|it| it.name == name).ok_or_else(|| {
            format!(
                "`{name}` is not an agent that is answered; expected {}",
                supported_names("or")
            )
        })
    }
}

/// What an agent would get.
#[derive(Debug, Serialize)]
struct ShownAnswer {
    agent: &'static str,
    exit_code: u8,
    stdout: String,
    stderr: String,
}

pub(crate) fn run(args: &TestArgs, ui: &mut Ui) -> Result<Outcome> {
    let folder = project::folder(args.dir.as_deref())?;
    let input = input::build(args, &folder)?;
    let settings = project::load(&folder);
    let ctx = HookContext::new(&input.session_id)
        .with_cwd(working_folder(&input, &folder))
        .with_recording(Recording::Off)
        .with_env(unrecorded());

    let builtins = project::builtins(&settings);
    let manager = engine::manager(&settings, &builtins);
    for skill in &args.skills {
        manager.activate_skill(&input.session_id, skill);
    }
    let preview = manager.preview(&input);
    let result = if args.dry_run {
        None
    } else {
        for _ in 1..args.repeat {
            engine::trigger(&manager, input.clone(), &ctx)?;
        }
        Some(engine::trigger(&manager, input.clone(), &ctx)?)
    };

    let hooks = HookView::all(&settings.hooks, &builtins)
        .into_iter()
        .filter(|hook| hook.event == input.event_type())
        .collect();
    let own_entries = settings
        .hooks
        .iter()
        .filter(|hook| hook.definition.event == input.event_type() && is_bowline(hook))
        .count();
    let report = Report {
        event: input.event_type().name(),
        class: input.event_type().class(),
        subject: input
            .subject()
            .filter(|subject| !subject.is_empty())
            .map(ToOwned::to_owned),
        project: settings.project,
        trust: settings.trust,
        findings: settings
            .diagnostics
            .into_iter()
            .chain(builtins.rules.diagnostics)
            .map(Finding::from)
            .collect(),
        dry_run: args.dry_run,
        own_entries,
        payload: mask(&input.to_payload(&ctx)),
        hooks: tested(hooks, preview, result.as_ref()),
        reply: args
            .agent
            .zip(result.as_ref())
            .map(|(agent, result)| ShownAnswer::new(agent, &input, &result.output)),
        result: result.map(|result| Merged {
            allowed: result.allowed,
            output: Said::from(&result.output),
        }),
    };
    match args.format.format() {
        Format::Json => ui.json(&report)?,
        Format::Text => show::show(&report, args.dir.as_deref(), ui),
    }
    Ok(match &report.result {
        // An event that is only recorded blocks nothing.
        Some(result) if !result.allowed && report.class != EventClass::Observe => Outcome::Findings,
        _ => Outcome::Clean,
    })
}

/// What keeps a hook that asks Bowline itself from recording a test as a real event.
fn unrecorded() -> HashMap<String, String> {
    DISABLING_VARIABLES
        .iter()
        .map(|name| ((*name).to_owned(), "1".to_owned()))
        .collect()
}

/// Where the hooks run: where the agent is, if that place exists here.
fn working_folder(input: &HookInput, folder: &Path) -> PathBuf {
    input
        .cwd()
        .map(PathBuf::from)
        .filter(|cwd| cwd.is_dir())
        .unwrap_or_else(|| folder.to_owned())
}

/// Puts together what is known of each hook. Names need not be unique, so each answer is used once, in order.
fn tested(
    hooks: Vec<HookView>,
    mut preview: Vec<(String, Match)>,
    result: Option<&TriggerResult>,
) -> Vec<Tested> {
    let mut runs: Vec<&HookRun> = result.iter().flat_map(|result| &result.results).collect();
    hooks
        .into_iter()
        .map(|hook| {
            if hook.status != StatusName::InForce {
                let why_not = hook.reason.clone();
                return Tested {
                    hook,
                    matched: false,
                    why_not,
                    run: None,
                };
            }
            let matching = take_first(&mut preview, |(id, _)| *id == hook.id);
            let why_not = match matching {
                Some((_, Match::No(why))) => Some(why),
                Some(_) => None,
                None => Some(hook.idle.unwrap_or("it is not registered").to_owned()),
            };
            // Firing the event can bring a hook into force that was not before, as a skill's first use does.
            let run = if why_not.is_none() || runs.iter().any(|run| run.id == hook.id) {
                take_first(&mut runs, |run| run.id == hook.id).map(Run::from)
            } else {
                None
            };
            Tested {
                matched: why_not.is_none() || run.is_some(),
                why_not: why_not.filter(|_| run.is_none()),
                hook,
                run,
            }
        })
        .collect()
}

fn take_first<T>(items: &mut Vec<T>, is_it: impl Fn(&T) -> bool) -> Option<T> {
    let at = items.iter().position(is_it)?;
    Some(items.remove(at))
}

impl From<&HookRun> for Run {
    fn from(run: &HookRun) -> Self {
        let (status, skipped) = match &run.status {
            RunStatus::Ran => ("ran", None),
            RunStatus::Started => ("started", None),
            RunStatus::Skipped(why) => ("skipped", Some(why.clone())),
            _ => ("failed", None),
        };
        Self {
            status,
            skipped,
            error: run.error.clone(),
            duration_ms: run.duration.as_secs_f64() * 1e3,
            output: Said::from(&run.output),
        }
    }
}

impl From<&Opinion> for Said {
    fn from(output: &Opinion) -> Self {
        Self {
            decision: output.decision(),
            reason: output.stop_reason.clone(),
            additional_context: output.additional_context.clone(),
            system_message: output.system_message.clone(),
            message: output.message.as_deref().map(masked::output),
            updated_input: output.updated_input.as_ref().map(mask),
            end_turn: output.end_turn.clone(),
            suppress_logging: output.suppress_logging,
            event_fields: masked::fields(&output.event_fields),
            warnings: output.warnings.clone(),
        }
    }
}

impl ShownAnswer {
    fn new(agent: Answered, input: &HookInput, output: &Opinion) -> Self {
        let answer = agent.protocol.encode(&input.reported(), output);
        Self {
            agent: agent.name,
            exit_code: answer.exit,
            stdout: masked::output(&answer.stdout),
            stderr: masked::output(&answer.stderr),
        }
    }
}
