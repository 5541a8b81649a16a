//! `hooks.<event>`: one event as the arguments of a request, for shells that write to the socket themselves.

use std::path::PathBuf;

use bowline::hooks::{HookEvent, HookInput, PayloadError};
use bowline_wire::{Answer, Call, Request, RequestError};
use serde_json::{Map, Value, json};

/// Such a client understands the generic answer.
const AGENT: &str = bowline_agents::generic::AGENT.name;

/// Reads a request as a call with its payload; `None` if it is about something else. The error names everything that the event lacks.
pub(super) fn read(request: &Request) -> Option<Result<(Call, Vec<u8>), RequestError>> {
    let event = event_of(&request.command)?;
    let mut payload = Value::Object(request.args.clone().into_iter().collect());
    if let Some(fields) = payload.as_object_mut() {
        fields.insert("hook_event_name".to_owned(), event.name().into());
        fields.shift_remove("hookEventName");
    }
    let input = match HookInput::from_payload(&payload) {
        Ok(input) => input,
        Err(PayloadError::Missing { missing }) => {
            let issue = |name: &&str| format!("`{name}` is missing or not of its type");
            let issues = missing.iter().map(issue).collect();
            return Some(Err(RequestError::InvalidArguments(issues)));
        }
        Err(problem) => {
            return Some(Err(RequestError::InvalidArguments(vec![
                problem.to_string(),
            ])));
        }
    };
    let env = if request.env.is_empty() {
        // The socket belongs to one user, so this process's environment is the default.
        std::env::vars_os().collect()
    } else {
        request.env.clone()
    };
    let mut call = Call::new(PathBuf::from(input.cwd().unwrap_or("/")), env);
    AGENT.clone_into(&mut call.agent);
    call.event = Some(event.name().to_owned());
    Some(Ok((call, payload.to_string().into_bytes())))
}

/// The event of a command: `hooks.preToolUse`.
fn event_of(command: &str) -> Option<HookEvent> {
    match command.strip_prefix("hooks.")? {
        "userPrompt" => Some(HookEvent::UserPromptSubmit),
        name => HookEvent::from_name(name),
    }
}

/// What was decided, as the data of a response: whether to go on, and the fields of the generic answer.
pub(super) fn told(answer: &Answer) -> Value {
    let mut said: Map<String, Value> = serde_json::from_str(&answer.stdout).unwrap_or_default();
    let stops = said.shift_remove("continue_execution") == Some(Value::Bool(false));
    let mut data = Map::new();
    data.insert("allow".to_owned(), (!stops && answer.exit == 0).into());
    let decision = said.shift_remove("decision").unwrap_or(json!("no_opinion"));
    data.insert("decision".to_owned(), decision);
    let reason = said.shift_remove("stop_reason");
    let reason = reason.or_else(|| (answer.exit != 0).then(|| answer.stderr.trim().into()));
    data.extend(reason.map(|reason| ("reason".to_owned(), reason)));
    data.extend(said);
    Value::Object(data)
}
