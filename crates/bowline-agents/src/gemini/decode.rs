//! Bowline's own payload for Gemini CLI's.

use serde_json::{Map, Value, json};

use super::{READ_MANY, WORDS};
use crate::answer::Object;
use crate::folder;
use crate::parts::{self, part, unread};
use crate::words::keep_native;

/// Its sign for a tool of a server, and Bowline's.
const OWN_SERVER: &str = "mcp_";
const SERVER: &str = "mcp__";

pub(super) fn decode(payload: Value) -> Value {
    if comes_before_every_request(&payload) {
        return payload;
    }
    let Value::Object(mut fields) = WORDS.translate(payload) else {
        return Value::Null;
    };
    name_server(&mut fields);
    enter_folder(&mut fields);
    split_reading(&mut fields);
    split_fetching(&mut fields);
    leave_context_out(&mut fields);
    name_notification(&mut fields);
    tell_failure(&mut fields);
    Value::Object(fields)
}

/// The event is reported before it is known whether anything is to be compacted. It keeps its own name, which is not Bowline's for a
/// compaction. Only a person's command is one.
fn comes_before_every_request(payload: &Value) -> bool {
    let text = |name: &str| payload.get(name).and_then(Value::as_str);
    text("hook_event_name") == Some("PreCompress") && text("trigger") == Some("auto")
}

/// `mcp_files_read`, with the server's and the tool's own names in `mcp_context`.
fn name_server(fields: &mut Object) {
    let Some(name) = fields.get("tool_name").and_then(Value::as_str) else {
        return;
    };
    let of_server = name
        .strip_prefix(OWN_SERVER)
        .filter(|_| !name.starts_with(SERVER));
    let context = fields.get("mcp_context");
    let said = |field: &str| context?.get(field)?.as_str();
    let named = said("server_name").zip(said("tool_name"));
    // Without the context, a server's name has no such sign in it.
    let Some((server, tool)) = named.or_else(|| of_server?.split_once('_')) else {
        return;
    };
    let name = format!("{SERVER}{server}__{tool}");
    if let Some(own) = fields.insert("tool_name".to_owned(), name.into()) {
        keep(fields, "tool_name", own);
    }
}

/// A command runs in the folder that the call names.
fn enter_folder(fields: &mut Object) {
    if fields.get("tool_name").and_then(Value::as_str) != Some("Bash") {
        return;
    }
    let named = fields.get("tool_input").and_then(|it| it.get("dir_path"));
    let Some(named) = named.and_then(Value::as_str).filter(|it| !it.is_empty()) else {
        return;
    };
    let folder = below(fields, named);
    folder::enter(fields, &folder);
}

/// Each file, or pattern for files, is a call of its own.
fn split_reading(fields: &mut Object) {
    if fields.get("tool_name").and_then(Value::as_str) != Some(READ_MANY) {
        return;
    }
    let named = fields.get("tool_input").and_then(|it| it.get("include"));
    let named = match named {
        Some(Value::Array(names)) => names.as_slice(),
        Some(name) => std::slice::from_ref(name),
        None => &[],
    };
    let call = |name: &str| {
        // Who reads what a pattern finds looks into all of it.
        if name.contains(['*', '?', '[', '{']) {
            part("Grep", json!({"pattern": "", "glob": name}))
        } else {
            part("Read", json!({"file_path": below(fields, name)}))
        }
    };
    let calls = named.iter().map(|name| match name.as_str() {
        Some(name) => call(name),
        None => unread("what is to be read is not named by a text"),
    });
    let calls: Vec<Value> = calls.collect();
    parts::put(fields, calls);
}

/// The addresses are in the text that says what to make of them.
fn split_fetching(fields: &mut Object) {
    let tool = fields.get("tool_name").and_then(Value::as_str);
    let input = fields
        .get("tool_input")
        .filter(|_| tool == Some("WebFetch"));
    let Some(text) = input.and_then(|it| it.get("prompt")?.as_str()) else {
        return;
    };
    let words = text.split(|c: char| c.is_whitespace() || "\"'`<>()[]{},".contains(c));
    let urls = words.filter(|word| word.starts_with("http://") || word.starts_with("https://"));
    let call = |url: &str| {
        let url = url.trim_end_matches(['.', ';', ':', '!', '?']);
        part("WebFetch", json!({"url": url, "prompt": text}))
    };
    let calls: Vec<Value> = urls.map(call).collect();
    parts::put(fields, calls);
}

/// Run without a terminal, it puts what hooks said at the start before the prompt.
fn leave_context_out(fields: &mut Object) {
    const BEGINS: &str = "<hook_context>";
    const ENDS: &str = "</hook_context>\n\n";
    let said = fields.get("prompt").and_then(Value::as_str);
    // Hooks cannot write these signs: they are escaped in what hooks say.
    let rest = said.and_then(|said| said.strip_prefix(BEGINS)?.split_once(ENDS));
    let Some(prompt) = rest.map(|(_, prompt)| prompt.to_owned()) else {
        return;
    };
    if let Some(own) = fields.insert("prompt".to_owned(), prompt.into()) {
        keep(fields, "prompt", own);
    }
}

/// A path as it is seen from the session's folder.
fn below(fields: &Object, path: &str) -> String {
    match fields.get("cwd").and_then(Value::as_str) {
        Some(here) if !path.starts_with('/') => format!("{}/{path}", here.trim_end_matches('/')),
        _ => path.to_owned(),
    }
}

/// It asks a person for permission.
fn name_notification(fields: &mut Object) {
    if fields.get("notification_type") == Some(&"ToolPermission".into()) {
        let own = fields.insert("notification_type".to_owned(), "permission_prompt".into());
        keep(fields, "notification_type", own.unwrap_or_default());
    }
}

/// What failed is reported in the same event as what worked.
fn tell_failure(fields: &mut Object) {
    if fields.get("hook_event_name") != Some(&"PostToolUse".into()) {
        return;
    }
    let native = fields.get("native").and_then(|it| it.get("tool_response"));
    let Some(response) = native.or_else(|| fields.get("tool_response")) else {
        return;
    };
    let said = response.get("error").filter(|error| !error.is_null());
    let said = said.map(|error| error.get("message").unwrap_or(error).clone());
    let Some(error) = said.or_else(|| failed_command(fields, response)) else {
        return;
    };
    let name = fields.insert("hook_event_name".to_owned(), "PostToolUseFailure".into());
    keep(fields, "event", name.unwrap_or_default());
    fields.entry("error").or_insert(error);
}

/// The line with a command's code, if it failed.
const CODE: &str = "Exit Code: ";

/// The lines that may come after what a command printed.
const ENDING: [&str; 5] = [
    CODE,
    "Signal: ",
    "Background PIDs: ",
    "Process Group PGID: ",
    "</untrusted_context>",
];

/// What a command printed that failed. Its code is a line of what the model reads.
fn failed_command(fields: &Object, response: &Value) -> Option<Value> {
    if fields.get("tool_name").and_then(Value::as_str) != Some("Bash") {
        return None;
    }
    let text = response.get("llmContent")?.as_str()?;
    let ending = text
        .lines()
        .rev()
        .take_while(|line| ENDING.iter().any(|begin| line.starts_with(begin)));
    let mut codes = ending.filter_map(|line| line.strip_prefix(CODE));
    let code = codes.next()?;
    let printed = fields.get("tool_response").and_then(|it| it.get("stdout"));
    let printed = printed.and_then(Value::as_str).unwrap_or_default();
    Some(format!("Exit code {code}\n{printed}").trim_end().into())
}

/// Keeps what the agent said. What was kept before stays.
fn keep(fields: &mut Object, name: &str, own: Value) {
    keep_native(fields, Map::from_iter([(name.to_owned(), own)]));
}
