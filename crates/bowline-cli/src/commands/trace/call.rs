//! One call in few words.

use bowline_daemon::rpc::traces::{self, told};
use bowline_store::{Trace, TraceStatus};
use serde_json::Value;

use crate::ask::Records;
use crate::error::{Error, Result};
use crate::moment;
use crate::project::relative;
use crate::recorded::several;
use crate::ui::{Text, Ui, clipped, reveal, style};

/// Longer summaries do not help.
const LONGEST: usize = 100;

/// What a call is about, in short.
pub(in crate::commands) fn summary(call: &Trace) -> String {
    one_line(&about(call.input.as_ref(), call.project.as_deref()))
}

/// What a call is about, in full; paths are relative to the project.
pub(in crate::commands) fn about(input: Option<&Value>, project: Option<&str>) -> String {
    relative(told(input).trim(), project)
}

/// The beginning of a text, on one line.
pub(in crate::commands) fn one_line(text: &str) -> String {
    // Secrets go before the text is cut: they are known by their whole length.
    let text = reveal::name(&clipped(text.trim()));
    let mut short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// A status in its colour.
pub(in crate::commands) fn status(status: TraceStatus) -> Text {
    let colour = match status {
        TraceStatus::Completed => style::GOOD,
        TraceStatus::Failed => style::BAD,
        TraceStatus::Timeout
        | TraceStatus::Cancelled
        | TraceStatus::Denied
        | TraceStatus::Refused => style::CAUTION,
        _ => style::FAINT,
    };
    Text::styled(status.shown(), colour)
}

/// How long a call took.
pub(super) fn took(call: &Trace) -> String {
    call.duration_ms
        .map_or_else(|| "-".to_owned(), moment::took)
}

/// The same after a status; empty if unknown.
pub(super) fn after(call: &Trace) -> String {
    let took = call.duration_ms.map(moment::took);
    took.map(|took| format!("  {took}")).unwrap_or_default()
}

/// How many of the newest calls are searched for the beginning of an id.
const SEARCHED: usize = 1_000;

/// The word for the newest call, or session, wherever an id is taken.
pub(in crate::commands) const LAST: &str = "last";

/// The call of an id, or of the beginning of one; `last` is the newest.
pub(super) fn find(id: &str, records: &mut Records, ui: &Ui) -> Result<Trace> {
    // As it is copied from a list that was cut.
    let id = id.trim_end_matches('…');
    if let Some(call) = records.ask(&traces::Get { id: id.to_owned() }, ui)? {
        return Ok(call);
    }
    let newest = traces::List {
        filter: traces::Filter {
            limit: Some(if id == LAST { 1 } else { SEARCHED }),
            ..traces::Filter::default()
        },
    };
    let mut found = records.ask(&newest, ui)?;
    found.retain(|call| id == LAST || call.tool_use_id.starts_with(id));
    let others = found.len();
    match found.pop() {
        Some(call) if others == 1 => Ok(call),
        Some(call) => Err(several(id, others, &call.tool_use_id)),
        None => Err(unknown(id, records)),
    }
}

/// The id is unknown.
pub(super) fn unknown(id: &str, records: &Records) -> Error {
    if records.is_nothing() {
        return Error::input("nothing is recorded yet")
            .hint("`bowline init` puts Bowline into your agent");
    }
    Error::input(format!(
        "no recorded tool call has the id `{}`",
        reveal::name(&clipped(id))
    ))
    .hint("`bowline trace list` shows the ids; what is older than 30 days is removed")
}
