//! Failures of tool calls, for hooks that look at them, and what may be kept of calls.

use bowline::hooks::{HookEventData, HookInput};
use bowline::settings::RecordConfig;
use bowline_store::TraceStatus;

use super::detail;
use super::response::outcome;

/// How the call of an event ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It went well.
    Well,
    /// It failed, and what the tool said: with secrets.
    Failed(String),
    /// It was interrupted, or has not ended.
    Unknown,
}

/// How the call of an event ended.
pub(crate) fn ended(input: &HookInput) -> Ended {
    match &input.data {
        HookEventData::PostToolUse { tool_result, .. } => {
            let outcome = outcome(tool_result);
            match outcome.status {
                TraceStatus::Completed => Ended::Well,
                TraceStatus::Failed => Ended::Failed(outcome.error.unwrap_or_default()),
                _ => Ended::Unknown,
            }
        }
        HookEventData::PostToolUseFailure { error, .. } if !input.is_interrupt() => {
            Ended::Failed(error.clone())
        }
        _ => Ended::Unknown,
    }
}

/// What is kept of a failure, without secrets.
pub(crate) fn kept_failure(keep: RecordConfig, message: &str) -> Option<String> {
    detail::error(keep.outputs, message)
}

/// What is kept of a call that is described on one line, without secrets.
pub(crate) fn kept_call(keep: RecordConfig, call: &str) -> Option<String> {
    detail::error(keep.inputs, call)
}

/// What tells a call's subject: its command, its file, what it looks for.
pub(crate) fn subject_of(input: &HookInput) -> String {
    let field = |name| input.tool_input()?.get(name)?.as_str();
    let subject = input
        .command()
        .or_else(|| input.file_path())
        .or_else(|| field("pattern"))
        .or_else(|| field("query"))
        .or_else(|| field("url"))
        .or_else(|| field("description"));
    subject.unwrap_or_default().to_owned()
}
