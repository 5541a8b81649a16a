//! Limits the size of rows: long texts are cut, large values are summarised.

use bowline_continuity::lease::LeaseRequest;
use bowline_continuity::message::Message;
use bowline_continuity::{Code, RuleError};
use serde_json::{Map, Value, json};

use crate::record::{Change, HookFired, Record};

/// Names and ids. No agent has longer ones.
pub(crate) const NAME: usize = 512;
/// A file's path.
pub(crate) const PATH: usize = 4_096;
/// An error message.
const ERROR: usize = 500;
/// The last message of a sub-agent, and a reason.
const MESSAGE: usize = 2_000;
/// A prompt, and any string within a value.
const TEXT: usize = 10_000;
/// A value, as JSON, in bytes.
pub(crate) const VALUE: usize = 64 * 1024;
/// What is kept of the beginning of a larger value, in characters.
const BEGINNING: usize = 4_000;
/// Values nested deeper are left out. JSON is read 128 levels deep, and a value may itself be deep in a tree of calls.
const DEPTH: usize = 48;
/// Hooks of one event, and changes of one event.
pub(crate) const ITEMS: usize = 256;

/// Warnings of one hook.
const WARNINGS: usize = 8;

/// About how many bytes a record takes beside its values.
const OVERHEAD: usize = 1_024;

const CUT: &str = "... [TRUNCATED]";

/// Cuts everything in a record to the limits of a row. Returns about how many bytes are left.
pub(crate) fn cap(record: &mut Record) -> usize {
    cut_name(&mut record.decided.id);
    cut_name(&mut record.decided.agent);
    cut_name(&mut record.decided.event);
    cut_name(&mut record.decided.session);
    cut_option(&mut record.decided.project, PATH);
    cut_option(&mut record.decided.tool, NAME);
    cut_option(&mut record.decided.tool_use_id, NAME);
    cut_option(&mut record.decided.reason, MESSAGE);
    cut_option(&mut record.decided.rule, NAME);
    if let Some(subagent) = &mut record.decided.subagent {
        cut_name(&mut subagent.id);
        cut_name(&mut subagent.kind);
    }
    record.decided.hooks.truncate(ITEMS);
    for hook in &mut record.decided.hooks {
        cut_name(&mut hook.name);
        cut_option(&mut hook.scope, NAME);
        cut_option(&mut hook.failure, ERROR);
        cut_option(&mut hook.message, ERROR);
        hook.warnings.truncate(WARNINGS);
        for warning in &mut hook.warnings {
            cut(warning, ERROR);
        }
    }
    let said: usize = record.decided.hooks.iter().map(said).sum();
    record.changes.truncate(ITEMS);
    let values: usize = record.changes.iter_mut().map(cap_change).sum();
    OVERHEAD + said + values
}

/// How many bytes a hook's texts take.
fn said(hook: &HookFired) -> usize {
    let warnings: usize = hook.warnings.iter().map(String::len).sum();
    warnings + hook.message.as_ref().map_or(0, String::len)
}

/// Returns how many bytes the values of the change take.
fn cap_change(change: &mut Change) -> usize {
    match change {
        Change::SessionStarted {
            source,
            model,
            previous,
        } => {
            cut_option(source, NAME);
            cut_option(model, NAME);
            cut_option(previous, NAME);
        }
        Change::SessionEnded { reason, .. } => cut_option(reason, NAME),
        Change::PromptGiven { text } => cut_option(text, TEXT),
        Change::TraceStarted(start) => {
            cut_name(&mut start.tool);
            cut_option(&mut start.group, NAME);
            cut_option(&mut start.parent, NAME);
            cut_option(&mut start.asked, ERROR);
            cap_call(&mut start.call);
            return cap_value(&mut start.input) + cap_value(&mut start.native);
        }
        Change::TraceEnded(end) => {
            cut_name(&mut end.tool);
            cut_option(&mut end.error, ERROR);
            if let Some(subagent) = &mut end.subagent {
                cut_name(subagent);
            }
            cap_call(&mut end.call);
            return cap_value(&mut end.output);
        }
        Change::TraceClosed { call, message, .. } => {
            cap_call(call);
            cut_option(message, ERROR);
        }
        Change::Worked { call, work } => {
            cut_name(call);
            let mut kept = Some(std::mem::take(work));
            let size = cap_value(&mut kept);
            *work = kept.unwrap_or_default();
            return size;
        }
        Change::DelegationStarted(start) => {
            cut_option(&mut start.call, NAME);
            cut_name(&mut start.to);
            cut_option(&mut start.description, MESSAGE);
        }
        Change::SubagentStarted | Change::HeartbeatCounted => {}
        Change::DelegationEnded(end) => cut_option(&mut end.last_message, MESSAGE),
        // JSON has no other numbers.
        Change::ContextUsed { used } if used.is_finite() => {}
        Change::ContextUsed { used } => *used = 0.0,
        Change::EffortJoined { transcript, .. } => cut_option(transcript, PATH),
        Change::AgentStatus(signal) => {
            if let Some(id) = &mut signal.id {
                cut_name(id);
            }
            cut_option(&mut signal.label, NAME);
            cut_option(&mut signal.waiting_for, ERROR);
            cut_option(&mut signal.folder, PATH);
        }
        Change::Said(message) => return cap_message(message),
        Change::FilesLoaded { files } | Change::FilesEdited { files } => return cap_list(files),
        Change::FilesPreloaded {
            files,
            directives,
            directories,
        } => return cap_list(files) + cap_list(directives) + cap_list(directories),
        Change::Todos { todos } => {
            todos.truncate(ITEMS);
            for todo in &mut *todos {
                cut(&mut todo.text, MESSAGE);
            }
            return todos.iter().map(|todo| todo.text.len()).sum();
        }
        Change::Remembered { hook, state, .. } => {
            cut_name(hook);
            let mut kept = Some(std::mem::take(state));
            let size = cap_value(&mut kept);
            *state = kept.unwrap_or_default();
            return size;
        }
        Change::Failed(call) => {
            cut_name(&mut call.failure.tool);
            cut(&mut call.failure.project, PATH);
            cut_option(&mut call.message, ERROR);
        }
        Change::FailureFixed { failure, by } => {
            cut_name(&mut failure.tool);
            cut(&mut failure.project, PATH);
            cut_option(by, ERROR);
        }
        Change::TranscriptRead { path, messages, .. } => {
            cut(path, PATH);
            messages.truncate(ITEMS);
            return messages.iter_mut().map(cap_message).sum();
        }
    }
    0
}

fn cap_message(message: &mut Message) -> usize {
    cut_name(&mut message.role);
    cut_option(&mut message.tool, NAME);
    cut(&mut message.content, TEXT);
    message.content.len()
}

fn cap_list(paths: &mut Vec<String>) -> usize {
    paths.truncate(ITEMS);
    for path in &mut *paths {
        cut(path, PATH);
    }
    paths.iter().map(String::len).sum()
}

/// Refuses a name that does not come with an event, if it is longer than this many characters. A part of it would name something else.
pub(crate) fn check_name(what: &str, name: &str, characters: usize) -> Result<(), RuleError> {
    if name.chars().count() <= characters {
        return Ok(());
    }
    let message = format!("The name of the {what} is longer than {characters} characters.");
    Err(RuleError::new(Code::CommandError, message))
}

/// A text that does not come with an event, cut to what is kept of it.
pub(crate) fn text(text: Option<&str>) -> Option<String> {
    let mut text = text.map(str::to_owned);
    cut_option(&mut text, TEXT);
    text
}

/// A wish to write files, cut to what is kept of it. A path is refused rather than cut: it would be another file's.
pub(crate) fn lease_request(request: &LeaseRequest) -> Result<LeaseRequest, RuleError> {
    for path in &request.paths {
        check_name("file", path, PATH)?;
    }
    let mut request = request.clone();
    cut_name(&mut request.session);
    cut_option(&mut request.agent_id, NAME);
    cut(&mut request.folder, PATH);
    Ok(request)
}

/// A list that does not come with an event, cut to what is kept of it.
pub(crate) fn list(items: &[String], characters: usize) -> Vec<String> {
    let mut items: Vec<String> = items.iter().take(ITEMS).cloned().collect();
    for item in &mut items {
        cut(item, characters);
    }
    items
}

fn cap_call(call: &mut crate::record::CallKey) {
    if let crate::record::CallKey::Id(id) = call {
        cut_name(id);
    }
}

/// An id is cut without a mark, because cutting it twice must give the same id.
fn cut_name(text: &mut String) {
    if let Some((end, _)) = text.char_indices().nth(NAME) {
        text.truncate(end);
    }
}

fn cut_option(text: &mut Option<String>, characters: usize) {
    if let Some(text) = text {
        cut(text, characters);
    }
}

/// Cuts a text to this many characters, the mark included.
pub(crate) fn cut(text: &mut String, characters: usize) {
    if text.len() <= characters || text.char_indices().nth(characters).is_none() {
        return;
    }
    let kept = characters.saturating_sub(CUT.len());
    if let Some((end, _)) = text.char_indices().nth(kept) {
        text.truncate(end);
        text.push_str(CUT);
    }
}

fn cap_value(value: &mut Option<Value>) -> usize {
    let Some(value) = value else { return 0 };
    cut_strings(value, DEPTH);
    let text = value.to_string();
    let bytes = text.len();
    if bytes > VALUE {
        let mut beginning = text;
        cut(&mut beginning, BEGINNING);
        *value = json!({"truncated": true, "bytes": bytes, "beginning": beginning});
    }
    bytes.min(VALUE)
}

fn cut_strings(value: &mut Value, depth: usize) {
    let Some(inner) = depth.checked_sub(1) else {
        *value = Value::String("[left out: nested too deeply]".to_owned());
        return;
    };
    match value {
        Value::String(text) => cut(text, TEXT + CUT.len()),
        Value::Array(items) => items.iter_mut().for_each(|item| cut_strings(item, inner)),
        Value::Object(fields) => cut_fields(fields, inner),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn cut_fields(fields: &mut Map<String, Value>, depth: usize) {
    for (_, value) in fields {
        cut_strings(value, depth);
    }
}

#[cfg(test)]
mod tests {
    use bowline_continuity::effort::EffortId;
    use bowline_continuity::fleet::AgentStatus;
    use bowline_continuity::note::{Todo, TodoState};
    use chrono::Utc;

    use super::*;
    use crate::continuity::AgentSignal;
    use crate::record::{CallKey, DelegationEnd, TraceEnd, TraceStart};
    use crate::status::{DelegationStatus, TraceStatus};

    #[test]
    fn every_text_of_a_record_is_cut_and_cutting_again_changes_nothing() {
        let long = "ä".repeat(100_000);
        let mut record = Record::new(&long, Utc::now(), &long, &long, &long);
        record.decided.reason = Some(long.clone());
        record.decided.project = Some(long.clone());
        let mut start = TraceStart::new(CallKey::Id(long.clone()), &long);
        start.input = Some(json!({"a": [long], "b": 1}));
        start.native = Some(json!({"input": {"a": [long]}}));
        let mut end = TraceEnd::new(CallKey::Id(long.clone()), &long, TraceStatus::Failed);
        end.error = Some(long.clone());
        end.output = Some(Value::Array(vec![json!("word"); 50_000]));
        record.changes = vec![
            Change::TraceStarted(start),
            Change::TraceEnded(end),
            Change::PromptGiven {
                text: Some(long.clone()),
            },
            Change::DelegationEnded(DelegationEnd {
                status: DelegationStatus::Completed,
                last_message: Some(long),
            }),
        ];
        cap(&mut record);
        let bytes = serde_json::to_string(&record).unwrap().len();
        assert!(bytes < 100_000, "{bytes} bytes are left");
        let once = record.clone();
        cap(&mut record);
        assert_eq!(record, once);

        let Change::TraceEnded(end) = &record.changes[1] else {
            panic!()
        };
        assert_eq!(end.error.as_ref().unwrap().chars().count(), 500);
        assert_eq!(end.output.as_ref().unwrap()["truncated"], true);
        let Change::DelegationEnded(end) = &record.changes[3] else {
            panic!()
        };
        assert_eq!(end.last_message.as_ref().unwrap().chars().count(), 2_000);
    }

    #[test]
    fn every_change_of_continuity_is_cut_and_cutting_again_changes_nothing() {
        let long = "ä".repeat(100_000);
        let many = || vec!["x".repeat(5_000); 1_000];
        let message = || Message {
            role: long.clone(),
            content: long.clone(),
            tool: Some(long.clone()),
        };
        let todo = Todo {
            id: None,
            text: long.clone(),
            state: TodoState::Pending,
        };
        let signal = AgentSignal {
            id: Some(long.clone()),
            label: Some(long.clone()),
            waiting_for: Some(long.clone()),
            folder: Some(long.clone()),
            ..AgentSignal::new(AgentStatus::Attention)
        };
        for (most, change) in [
            (
                10_000,
                Change::EffortJoined {
                    effort: EffortId(1),
                    transcript: Some(long.clone()),
                },
            ),
            (100, Change::ContextUsed { used: f64::NAN }),
            (20_000, Change::AgentStatus(signal)),
            (25_000, Change::Said(message())),
            (1_100_000, Change::FilesLoaded { files: many() }),
            (1_100_000, Change::FilesEdited { files: many() }),
            (
                3_300_000,
                Change::FilesPreloaded {
                    files: many(),
                    directives: many(),
                    directories: many(),
                },
            ),
            (
                1_100_000,
                Change::Todos {
                    todos: vec![todo; 1_000],
                },
            ),
            (
                6_000_000,
                Change::TranscriptRead {
                    path: long.clone(),
                    from: 0,
                    offset: 1,
                    messages: vec![message(); 1_000],
                },
            ),
        ] {
            let mut record = Record::new("e", Utc::now(), "a", "PreToolUse", "s");
            record.changes.push(change);
            let estimated = cap(&mut record);
            let line = serde_json::to_string(&record).unwrap();
            let kind = &record.changes;
            assert!(
                line.len() < most + 1_000,
                "{} bytes: {:.80}",
                line.len(),
                format!("{kind:?}")
            );
            assert!(
                2 * estimated + 20_000 > line.len(),
                "{estimated} of {}",
                line.len()
            );
            let again: Record = serde_json::from_str(&line).unwrap();
            assert_eq!(again, record);
            cap(&mut record);
            assert_eq!(again, record);
        }
    }

    #[test]
    fn what_is_short_stays_as_it_is() {
        let mut record = Record::new("e", Utc::now(), "a", "PreToolUse", "s");
        let mut start = TraceStart::new(CallKey::Id("t".into()), "Bash");
        start.input = Some(json!({"command": "x".repeat(9_000), "n": [1, null, true]}));
        record.changes.push(Change::TraceStarted(start));
        let before = record.clone();
        cap(&mut record);
        assert_eq!(record, before);
    }
}
