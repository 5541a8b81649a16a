//! `bowline eval`: judges hook payloads, one JSON line each, and keeps nothing.

use bowline::hooks::{HookEvent, PayloadError, parse_payload};
use bowline_agents::{Agent, Protocol, claude_code};
use bowline_guard::Strictness;
use bowline_guard::paths::{StaticWorld, usual_home};
use bowline_guard::policy::GuardPolicy;
use bowline_guard::tool_call::{Verdict, judge_tool_call};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::Outcome;
use crate::commands::guard::call_of;
use crate::error::Result;
use crate::stream::{Line, Lines};

/// Judge hook payloads, one JSON line each, and answer with one line each
///
/// Reads payloads as an agent sends them before a tool call. Each answer is
/// {"id", "decision", "reason", "rule"}; "allow" stands for no opinion, and what is no payload is asked about.
/// Nothing is stored and nothing on this machine is looked at: the payload's cwd counts as the project,
/// with uncommitted work in it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline eval --agent claude-code < payloads.jsonl
  bowline eval < payloads.jsonl | jq -r 'select(.decision != \"allow\") | .reason'")]
pub(crate) struct EvalArgs {
    /// Whose payloads they are
    #[arg(long, default_value = claude_code::AGENT.name, value_parser = [claude_code::AGENT.name])]
    agent: String,
}

/// One answer. The keys are read by programs.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct EvalLine {
    id: Option<String>,
    decision: &'static str,
    reason: Option<String>,
    rule: Option<String>,
}

/// Why a line cannot be judged.
#[derive(Debug, thiserror::Error)]
enum NotAPayload {
    #[error(transparent)]
    Unreadable(#[from] PayloadError),
    #[error("`{0}` is missing or not text")]
    Lacks(&'static str),
    #[error("`tool_input` is missing or not an object")]
    NoInput,
    #[error("`cwd` is not an absolute path")]
    RelativeCwd,
}

pub(crate) fn run(args: &EvalArgs) -> Result<Outcome> {
    let protocol = bowline_agents::named(&args.agent).and_then(Agent::protocol);
    Lines::of_process().answer(|line| answer(line, protocol))?;
    Ok(Outcome::Clean)
}

fn answer(line: Line<'_>, protocol: Option<&Protocol>) -> EvalLine {
    let bytes = match line {
        Line::Whole(bytes) => bytes,
        Line::TooLong => return EvalLine::unverified(None, "it is longer than 64 MB"),
    };
    let decode = |payload| match protocol {
        Some(protocol) => protocol.decode(payload),
        None => payload,
    };
    match parse_payload(bytes).map(decode) {
        Ok(Value::Object(payload)) => {
            let id = text(&payload, "tool_use_id").ok().map(ToOwned::to_owned);
            if is_past_judging(&payload) {
                return EvalLine::no_opinion(id);
            }
            match judge(&payload) {
                Ok(verdict) => EvalLine {
                    id,
                    decision: verdict.decision.name(),
                    reason: verdict.message(),
                    rule: verdict.rule,
                },
                Err(why) => EvalLine::unverified(id, &why.to_string()),
            }
        }
        Ok(_) => EvalLine::unverified(None, "it is not an object"),
        Err(why) => EvalLine::unverified(None, &why.to_string()),
    }
}

impl EvalLine {
    fn no_opinion(id: Option<String>) -> Self {
        Self {
            id,
            decision: Strictness::Allow.name(),
            reason: None,
            rule: None,
        }
    }

    /// A call that cannot be judged is asked about.
    fn unverified(id: Option<String>, why: &str) -> Self {
        Self {
            id,
            decision: Strictness::Ask.name(),
            reason: Some(format!("not a payload: {why}")),
            rule: None,
        }
    }
}

/// Whether the payload is of an event that comes too late to be judged, or is not about a tool.
fn is_past_judging(payload: &Map<String, Value>) -> bool {
    let event = text(payload, "hook_event_name")
        .ok()
        .and_then(|name| name.parse::<HookEvent>().ok());
    event
        .is_some_and(|event| !matches!(event, HookEvent::PreToolUse | HookEvent::PermissionRequest))
}

fn judge(payload: &Map<String, Value>) -> Result<Verdict, NotAPayload> {
    let tool = text(payload, "tool_name")?;
    let input = payload
        .get("tool_input")
        .and_then(Value::as_object)
        .ok_or(NotAPayload::NoInput)?;
    let cwd = text(payload, "cwd")?;
    if !cwd.starts_with('/') {
        return Err(NotAPayload::RelativeCwd);
    }
    let world = StaticWorld {
        home: usual_home(cwd).map(ToOwned::to_owned),
        ..StaticWorld::new(cwd, "")
    };
    Ok(judge_tool_call(
        tool,
        &call_of(input),
        &world,
        &GuardPolicy::default(),
    ))
}

fn text<'payload>(
    payload: &'payload Map<String, Value>,
    field: &'static str,
) -> Result<&'payload str, NotAPayload> {
    payload
        .get(field)
        .and_then(Value::as_str)
        .ok_or(NotAPayload::Lacks(field))
}
