//! What an event means for traces, sessions, prompts and delegations. A function of the event alone.

use std::time::Duration;

use bowline::hooks::{HookEvent, HookEventData, HookInput};
use bowline::settings::RecordConfig;
use bowline_agents::NATIVE;
use bowline_store::{
    CallKey, Change, DelegationEnd, DelegationStart, DelegationStatus, TraceEnd, TraceStart,
    TraceStatus, Unfinished,
};
use serde_json::Value;

use super::detail;
use super::digest::digest;
use super::record::is_helper;
use super::response::{self, Outcome, outcome};

/// What a tool that hands work over calls a sub-agent of no particular type.
const ANY_SUBAGENT: &str = "general-purpose";

/// Whether the reported step continues after the decision.
#[derive(Debug, Clone, Copy)]
pub(super) enum Course<'a> {
    /// As far as we are concerned.
    Free,
    /// If a person agrees, who is asked this.
    Asked(Option<&'a str>),
    /// It was denied, and why. A turn that was about to stop continues instead.
    Stopped(Option<&'a str>),
}

/// What the event means.
pub(super) fn changes(input: &HookInput, course: Course<'_>, keep: RecordConfig) -> Vec<Change> {
    match &input.data {
        HookEventData::PreToolUse {
            tool_name,
            tool_input,
        } => call_starts(input, tool_name, tool_input, course, keep),
        HookEventData::PostToolUse {
            tool_name,
            tool_result,
        } => {
            let outcome = outcome(tool_result);
            let mut end = call_ends(input, tool_name, outcome, keep);
            end.output = detail::output(keep.outputs, &tool_result.content);
            end.subagent = response::left_to(&tool_result.content).map(ToOwned::to_owned);
            end.done_by = response::done_by(&tool_result.content).map(ToOwned::to_owned);
            vec![Change::TraceEnded(end)]
        }
        HookEventData::PostToolUseFailure { tool_name, error } => {
            let status = if input.is_interrupt() {
                TraceStatus::Cancelled
            } else {
                TraceStatus::Failed
            };
            let error = Some(error.clone());
            let outcome = Outcome { status, error };
            let end = call_ends(input, tool_name, outcome, keep);
            vec![Change::TraceEnded(end)]
        }
        HookEventData::UserPromptSubmit { prompt } => vec![Change::PromptGiven {
            text: detail::prompt(keep.prompts, prompt),
        }],
        HookEventData::SessionStart => vec![Change::SessionStarted {
            source: input.source().map(ToOwned::to_owned),
            model: input.model().map(detail::name),
            previous: None,
        }],
        HookEventData::SessionEnd => vec![Change::SessionEnded {
            reason: input.reason().map(detail::refusal),
            unfinished: unfinished(input.reason()),
        }],
        HookEventData::SubagentStart { .. } => vec![Change::SubagentStarted],
        // One that is sent on will stop again.
        HookEventData::SubagentStop { .. } if matches!(course, Course::Stopped(_)) => Vec::new(),
        HookEventData::SubagentStop { .. } if is_helper(input) => Vec::new(),
        HookEventData::SubagentStop { success, .. } => {
            vec![Change::DelegationEnded(DelegationEnd {
                status: if *success {
                    DelegationStatus::Completed
                } else {
                    DelegationStatus::Failed
                },
                last_message: (input.last_assistant_message())
                    .or_else(|| input.error())
                    .and_then(|text| detail::last_message(keep.outputs, text)),
            })]
        }
        HookEventData::Other {
            event: HookEvent::PermissionDenied,
        } => vec![Change::TraceClosed {
            call: call(input),
            how: Unfinished::Refused,
            message: input.reason().map(detail::refusal),
        }],
        HookEventData::Other {
            event: HookEvent::PostToolBatch,
        } => input.tool_calls().iter().filter_map(call_settled).collect(),
        _ => Vec::new(),
    }
}

/// Some agents report at the end of a rewritten call what the model asked for, and others what ran. A call without an id is found
/// again by its tool then.
pub(super) fn end_with_any_input(changes: &mut [Change]) {
    for change in changes {
        if let Change::TraceStarted(start) = change
            && let CallKey::Unnamed { digest } = &mut start.call
        {
            *digest = None;
        }
    }
}

fn call_starts(
    input: &HookInput,
    tool: &str,
    tool_input: &Value,
    course: Course<'_>,
    keep: RecordConfig,
) -> Vec<Change> {
    let call = call(input);
    let mut start = TraceStart::new(call.clone(), detail::name(tool));
    start.input = (input.call_input()).and_then(|all| detail::input(keep.inputs, &all));
    start.native = native(input, keep);
    if let Course::Asked(question) = course {
        start.asked = question.map(detail::refusal);
    }
    let mut changes = vec![Change::TraceStarted(start)];
    changes.extend(delegation(input, tool, tool_input, keep).map(Change::DelegationStarted));
    if let Course::Stopped(reason) = course {
        changes.push(Change::TraceClosed {
            call,
            how: Unfinished::Denied,
            message: reason.map(detail::refusal),
        });
    }
    changes
}

/// What the agent says for the tool and its input, where it has words of its own.
fn native(input: &HookInput, keep: RecordConfig) -> Option<Value> {
    let said = input.field(NATIVE)?;
    let tool = said.get("tool_name").and_then(Value::as_str);
    let own = said.get("tool_input");
    let mut native = serde_json::Map::new();
    if let Some(tool) = tool {
        native.insert("tool".to_owned(), detail::name(tool).into());
    }
    if let Some(input) = own.and_then(|own| detail::input(keep.inputs, own)) {
        native.insert("input".to_owned(), input);
    }
    (!native.is_empty()).then_some(Value::Object(native))
}

/// What a call hands over to a sub-agent, if it does.
fn delegation(
    input: &HookInput,
    tool: &str,
    tool_input: &Value,
    keep: RecordConfig,
) -> Option<DelegationStart> {
    let hands_over = ["Agent", "Task"]
        .iter()
        .any(|name| tool.eq_ignore_ascii_case(name));
    let text = |name| {
        let text = tool_input.get(name)?.as_str()?;
        (!text.trim().is_empty()).then_some(text)
    };
    let kind = text("subagent_type");
    let task = text("description").or_else(|| text("prompt"));
    (hands_over && (kind.is_some() || task.is_some())).then(|| DelegationStart {
        call: id(input).map(detail::id),
        to: detail::name(kind.unwrap_or(ANY_SUBAGENT)),
        description: task.and_then(|task| detail::last_message(keep.inputs, task)),
    })
}

fn call_ends(input: &HookInput, tool: &str, outcome: Outcome, keep: RecordConfig) -> TraceEnd {
    let mut end = TraceEnd::new(call(input), detail::name(tool), outcome.status);
    end.error = (outcome.error).and_then(|error| detail::error(keep.outputs, &error));
    end.duration = input.duration_ms().map(Duration::from_millis);
    end
}

/// A call that the agent counts as done. If it never ended, it was refused after we let it pass: by a person, by a rule
/// of the agent, or by another hook.
fn call_settled(call: &Value) -> Option<Change> {
    let id = call.get("tool_use_id")?.as_str()?;
    let message = match call.get("tool_response") {
        Some(Value::String(text)) => Some(text.as_str()),
        Some(Value::Array(blocks)) => blocks.first().and_then(|block| block.get("text")?.as_str()),
        _ => None,
    };
    Some(Change::TraceClosed {
        call: CallKey::Id(detail::id(id)),
        how: Unfinished::Refused,
        message: message.map(detail::refusal),
    })
}

/// How unfinished calls are closed when their session ends. If a person ends the session, they are cancelled. Otherwise their
/// result is unknown.
fn unfinished(reason: Option<&str>) -> Unfinished {
    match reason {
        Some(
            "clear" | "resume" | "logout" | "prompt_input_exit" | "exit" | "user_exit" | "abort",
        ) => Unfinished::Cancelled,
        _ => Unfinished::Timeout,
    }
}

/// How the call is found again.
fn call(input: &HookInput) -> CallKey {
    match id(input) {
        Some(id) => CallKey::Id(detail::id(id)),
        None => CallKey::Unnamed {
            digest: (input.call_input())
                .filter(|input| !input.is_null())
                .map(|input| digest(&input)),
        },
    }
}

fn id(input: &HookInput) -> Option<&str> {
    input.tool_use_id().filter(|id| !id.is_empty())
}
