//! Makes the event out of what the command line gives.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use bowline::hooks::{HookEvent, HookEventData, HookInput, MAX_PAYLOAD_BYTES, parse_payload};
use serde_json::{Map, Value, json};

use super::TestArgs;
use crate::error::{Error, Result};

/// The keys under which agents name the event of a payload.
const EVENT_KEYS: [&str; 2] = ["hook_event_name", "hookEventName"];

/// The file that stands for a conversation of which nothing was written yet.
const NO_TRANSCRIPT: &str = "/dev/null";
const DEFAULT_SESSION: &str = "test";

pub(super) fn build(args: &TestArgs, folder: &Path) -> Result<HookInput> {
    let given = args.input.as_deref().map(read_object).transpose()?;
    let given = given.map(|given| match args.agent {
        Some(agent) => decoded(given, |payload| agent.protocol.decode(payload)),
        None => given,
    });
    let named = args
        .event
        .as_deref()
        .map(crate::commands::event)
        .transpose()?;
    let in_payload = given
        .as_ref()
        .and_then(|payload| event_of(payload, named))
        .transpose()?;
    let event = match (named, in_payload) {
        (Some(named), Some(found)) if named != found => {
            return Err(Error::usage(format!(
                "the command line says {}, the payload says {}",
                named.name(),
                found.name()
            ))
            .hint("leave out the event: a whole payload brings its own"));
        }
        (Some(event), _) | (None, Some(event)) => event,
        (None, None) => return Err(no_event()),
    };
    let mut payload = match (given, in_payload) {
        (Some(given), None) if event.is_tool_event() => {
            Map::from_iter([("tool_input".to_owned(), Value::Object(given))])
        }
        (Some(given), _) => given,
        (None, _) => Map::new(),
    };
    if in_payload.is_none() {
        payload.insert("hook_event_name".to_owned(), Value::from(event.name()));
    }
    add_options(&mut payload, args, event)?;
    let input = HookInput::from_payload_lenient(&Value::Object(payload));
    require_essentials(&input)?;
    Ok(complete(input, folder))
}

fn no_event() -> Error {
    Error::usage("which event?")
        .hint("name it, as in `bowline test PreToolUse --tool Bash`, or give a whole payload with --input @FILE")
        .hint("`bowline events` lists every event")
}

/// Bowline's own form of what an agent sends. What names no event in that form is no whole payload, and stays as it is.
fn decoded(given: Map<String, Value>, decode: impl Fn(Value) -> Value) -> Map<String, Value> {
    match decode(Value::Object(given.clone())) {
        Value::Object(payload) if EVENT_KEYS.iter().any(|key| payload.contains_key(*key)) => {
            payload
        }
        _ => given,
    }
}

/// The event that a payload names, if it is one. `event` is also a field of some events and tools: it counts
/// if it names an event, and not inside the input of a tool.
fn event_of(payload: &Map<String, Value>, named: Option<HookEvent>) -> Option<Result<HookEvent>> {
    let Some(name) = EVENT_KEYS.iter().find_map(|key| payload.get(*key)) else {
        let event = HookEvent::from_name(payload.get("event")?.as_str()?)?;
        let is_tool_input = named.is_some_and(|named| named.is_tool_event() && named != event);
        return (!is_tool_input).then_some(Ok(event));
    };
    Some(match name.as_str() {
        Some(name) => crate::commands::event(name),
        None => Err(Error::input("`hook_event_name` in the payload is not text")),
    })
}

/// Sets what the options say, over what the input says.
fn add_options(payload: &mut Map<String, Value>, args: &TestArgs, event: HookEvent) -> Result<()> {
    if let Some(session) = &args.session {
        payload.shift_remove("sessionId");
        payload.insert("session_id".to_owned(), session.as_str().into());
    }
    for (option, field, value) in [
        ("--tool", "tool_name", &args.tool),
        ("--prompt", "prompt", &args.prompt),
    ] {
        let Some(value) = value else { continue };
        if !event.payload_fields().contains(&field) {
            return Err(
                Error::usage(format!("{option} is not for {}", event.name())).hint(format!(
                    "{} has {}",
                    event.name(),
                    fields_of(event)
                )),
            );
        }
        payload.insert(field.to_owned(), Value::String(value.clone()));
    }
    for field in &args.fields {
        let (name, value) = field
            .split_once('=')
            .filter(|(name, _)| !name.is_empty())
            .ok_or_else(|| {
                Error::usage(format!("`--field {field}` has no name or no value"))
                    .hint("write it as --field NAME=VALUE")
            })?;
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
        payload.insert(name.to_owned(), value);
    }
    Ok(())
}

/// An event without what it is about would be judged as something that no agent ever sends.
fn require_essentials(input: &HookInput) -> Result<()> {
    let event = input.event_type();
    if event.is_tool_event() && input.tool_name().is_none_or(str::is_empty) {
        return Err(Error::usage(format!(
            "{} is about a tool, and none is named",
            event.name()
        ))
        .hint("add --tool, as in --tool Bash"));
    }
    if event == HookEvent::UserPromptSubmit && input.prompt().is_none_or(str::is_empty) {
        return Err(
            Error::usage("UserPromptSubmit is about a prompt, and there is none")
                .hint("add --prompt TEXT"),
        );
    }
    Ok(())
}

/// Adds what an agent would always send.
fn complete(mut input: HookInput, folder: &Path) -> HookInput {
    let event = input.event_type();
    if input.session_id.is_empty() {
        DEFAULT_SESSION.clone_into(&mut input.session_id);
    }
    match &mut input.data {
        HookEventData::PostToolUse { tool_result, .. } if tool_result.content.is_null() => {
            tool_result.content = json!({});
        }
        HookEventData::PostToolUseFailure { error, .. } if error.is_empty() => {
            "the tool failed".clone_into(error);
        }
        _ => {}
    }
    let mut usual = vec![
        ("transcript_path", NO_TRANSCRIPT.into()),
        ("cwd", folder.to_string_lossy().into()),
    ];
    if carries_permission_mode(event) {
        usual.push(("permission_mode", "default".into()));
    }
    if event.payload_fields().contains(&"tool_use_id") {
        usual.push(("tool_use_id", "toolu_test".into()));
    }
    if event.is_tool_event() && input.tool_input().is_none() {
        usual.push(("tool_input", json!({})));
    }
    usual.extend(of_event(event));
    for (name, value) in usual {
        if input.field(name).is_none() {
            input = input.with_field(name, value);
        }
    }
    input
}

/// The fields that agents always send with an event, with usual values.
fn of_event(event: HookEvent) -> Vec<(&'static str, Value)> {
    match event {
        HookEvent::SessionStart => vec![("source", "startup".into())],
        HookEvent::SessionEnd => vec![("reason", "other".into())],
        HookEvent::Setup => vec![("trigger", "init".into())],
        HookEvent::PreCompact => vec![
            ("trigger", "manual".into()),
            ("custom_instructions", Value::Null),
        ],
        HookEvent::PostCompact => vec![("trigger", "manual".into())],
        HookEvent::Stop | HookEvent::SubagentStop => vec![
            ("stop_hook_active", false.into()),
            ("background_tasks", json!([])),
            ("session_crons", json!([])),
        ],
        _ => Vec::new(),
    }
}

/// Whether Claude Code sends the permission mode with the event.
fn carries_permission_mode(event: HookEvent) -> bool {
    event.is_tool_event()
        || matches!(
            event,
            HookEvent::PostToolBatch
                | HookEvent::UserPromptSubmit
                | HookEvent::UserPromptExpansion
                | HookEvent::Stop
                | HookEvent::SubagentStop
                | HookEvent::TeammateIdle
        )
}

fn fields_of(event: HookEvent) -> String {
    match event.payload_fields() {
        [] => "no fields of its own".to_owned(),
        fields => fields.join(", "),
    }
}

/// Reads `--input`: JSON, `@FILE`, or `-` for standard input.
fn read_object(given: &str) -> Result<Map<String, Value>> {
    let (bytes, from) = if given == "-" {
        let bytes = read_all(io::stdin().lock())
            .map_err(|source| Error::input("cannot read standard input").caused_by(source))?;
        (bytes, "standard input")
    } else if let Some(path) = given.strip_prefix('@') {
        let bytes = File::open(path)
            .and_then(read_all)
            .map_err(|source| Error::file("read", Path::new(path), source))?;
        (bytes, path)
    } else {
        (given.as_bytes().to_vec(), "--input")
    };
    let unusable = || {
        Error::input(format!("cannot use {from}"))
            .hint("expected one JSON object, such as {\"command\": \"ls\"}; @FILE reads a file, - standard input")
    };
    match parse_payload(&bytes) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(unusable()),
        Err(source) => Err(unusable().caused_by(source)),
    }
}

/// Reads up to one byte more than allowed, so that an excess is noticed.
fn read_all(source: impl Read) -> io::Result<Vec<u8>> {
    let most = u64::try_from(MAX_PAYLOAD_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    source
        .take(most.saturating_add(1))
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_in_an_agents_own_form_is_decoded_and_the_input_of_a_tool_is_not() {
        // An agent that calls its events and fields otherwise.
        let decode = |payload: Value| match payload.get("hook") {
            Some(_) => json!({"hook_event_name": "PreToolUse", "tool_name": payload["uses"]}),
            None => json!({}),
        };
        for (given, expected) in [
            (
                json!({"hook": "before", "uses": "Bash"}),
                json!({"hook_event_name": "PreToolUse", "tool_name": "Bash"}),
            ),
            (json!({"command": "ls"}), json!({"command": "ls"})),
        ] {
            let Value::Object(object) = given.clone() else {
                panic!("{given}")
            };
            assert_eq!(Value::Object(decoded(object, decode)), expected, "{given}");
        }
    }
}
