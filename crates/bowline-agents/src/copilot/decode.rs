//! Bowline's own payload for Copilot's, in either spelling.

use serde_json::{Map, Value};

use super::several;
use super::words::WORDS;
use crate::event::HookEvent;
use crate::reported::NATIVE;
use crate::words::keep_native;

/// What a sub-agent's own prompt and the end of its turn are called: its start and its end are events of their own.
const PROMPT_OF_SUBAGENT: &str = "SubagentPrompt";
const TURN_OF_SUBAGENT: &str = "SubagentTurn";
/// What an error is called that ends no turn.
const ERROR: &str = "Error";

pub(super) fn decode(payload: Value) -> Value {
    let Value::Object(mut fields) = payload else {
        return payload;
    };
    name_event(&mut fields);
    let Value::Object(mut fields) = WORDS.translate(Value::Object(fields)) else {
        return Value::Null;
    };
    let event = fields.get("hook_event_name").and_then(Value::as_str);
    let event = event.and_then(HookEvent::from_name);
    let own_tool = fields.get(NATIVE).and_then(|it| it.get("tool_name"));
    let own_tool = own_tool.and_then(Value::as_str).map(str::to_owned);
    several::tell(own_tool.as_deref(), &mut fields);
    name_server(&mut fields);
    name_subagent(&mut fields);
    match event {
        Some(HookEvent::PostToolUse) => read_result(&mut fields),
        Some(HookEvent::SessionStart) => replace(&mut fields, "source", "new", "startup"),
        Some(HookEvent::StopFailure) => read_error(&mut fields),
        _ => {}
    }
    if belongs_to_subagent(&fields) {
        join_its_session(&mut fields, event);
    }
    Value::Object(fields)
}

/// The name of the event, where another field has it, and in the spelling that the payload is in: an answer depends on it.
fn name_event(fields: &mut Map<String, Value>) {
    if !fields.contains_key("hook_event_name")
        && let Some(name) = fields.get("hookName").filter(|it| it.is_string())
    {
        let name = name.clone();
        fields.insert("hook_event_name".to_owned(), name);
    }
    if fields.contains_key("toolArgs") {
        replace(fields, "hook_event_name", "PreToolUse", "preToolUse");
    }
}

fn replace(fields: &mut Map<String, Value>, name: &str, from: &str, to: &str) {
    if let Some(value) = fields.get_mut(name).filter(|value| *value == from) {
        *value = to.into();
    }
}

/// `files-echo` is the tool `echo` of the server `files`; where permission is asked for, it is `files/echo`. No other tool has such a
/// sign in its name. A server may have one too: the last one counts.
fn name_server(fields: &mut Map<String, Value>) {
    let name = fields.get("tool_name").and_then(Value::as_str);
    let parts = name.and_then(|name| name.split_once('/').or_else(|| name.rsplit_once('-')));
    let is_named = |part: &str| !part.is_empty();
    let Some((server, tool)) = parts.filter(|(server, tool)| is_named(server) && is_named(tool))
    else {
        return;
    };
    if server.starts_with("mcp__") {
        return;
    }
    let name = format!("mcp__{server}__{tool}");
    if let Some(own) = fields.insert("tool_name".to_owned(), name.into()) {
        keep_native(fields, Map::from_iter([("tool_name".to_owned(), own)]));
    }
}

/// The kind of a sub-agent is its name.
fn name_subagent(fields: &mut Map<String, Value>) {
    if fields.contains_key("agent_type") {
        return;
    }
    if let Some(name) = fields.get("agent_name").cloned() {
        fields.insert("agent_type".to_owned(), name);
    }
}

/// `{"resultType": …, "textResultForLlm": …}`. What a shell printed ends with the code of the command.
fn read_result(fields: &mut Map<String, Value>) {
    let Some(Value::Object(mut result)) = fields.shift_remove("tool_result") else {
        return;
    };
    let text = ["textResultForLlm", "text_result_for_llm"]
        .iter()
        .find_map(|name| result.shift_remove(*name));
    if let Some(kind) = result.shift_remove("resultType") {
        result.insert("result_type".to_owned(), kind);
    }
    match text {
        Some(Value::String(text)) => match exit_code(&text) {
            Some((printed, code)) => {
                result.insert("stdout".to_owned(), printed.into());
                result.insert("exit_code".to_owned(), code.into());
            }
            None => {
                result.insert("content".to_owned(), text.into());
            }
        },
        Some(other) => {
            result.insert("content".to_owned(), other);
        }
        None => {}
    }
    fields
        .entry("tool_response")
        .or_insert(Value::Object(result));
}

/// What a command printed, and its code: `<shellId: 0 completed with exit code 1>` is the last line.
fn exit_code(text: &str) -> Option<(&str, i64)> {
    let (printed, last) = text.trim_end().rsplit_once('\n').unwrap_or(("", text));
    let (_, code) = last
        .trim()
        .strip_prefix("<shellId: ")?
        .strip_suffix('>')?
        .split_once(" completed with exit code ")?;
    Some((printed, code.parse().ok()?))
}

/// An error of the model's API ends the turn. What else went wrong ends none.
fn read_error(fields: &mut Map<String, Value>) {
    let context = fields.get("error_context").and_then(Value::as_str);
    if matches!(context, Some("tool_execution" | "user_input")) {
        fields.insert("hook_event_name".to_owned(), ERROR.into());
    }
    let message = fields.get("error").and_then(|it| it.get("message"));
    if let Some(message) = message.filter(|it| it.is_string()).cloned()
        && let Some(own) = fields.insert("error".to_owned(), message)
    {
        keep_native(fields, Map::from_iter([("error".to_owned(), own)]));
    }
}

/// A sub-agent reports under its own id, and names the agent that started it.
fn belongs_to_subagent(fields: &Map<String, Value>) -> bool {
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    text("parent_agent_id").is_some()
        && text("agent_id").is_some()
        && text("agent_id") == text("session_id")
}

/// What a sub-agent does belongs to the session that started it.
fn join_its_session(fields: &mut Map<String, Value>, event: Option<HookEvent>) {
    if let Some(parent) = fields.get("parent_agent_id").cloned() {
        fields.insert("session_id".to_owned(), parent);
    }
    let name = match event {
        Some(HookEvent::UserPromptSubmit) => PROMPT_OF_SUBAGENT,
        Some(HookEvent::Stop) => TURN_OF_SUBAGENT,
        _ => return,
    };
    fields.insert("hook_event_name".to_owned(), name.into());
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_spellings_are_read_as_one() {
        let native = |event: &str, tool: &str| json!({"event": event, "tool_name": tool});
        for (said, expected) in [
            (
                json!({"hook_event_name": "preToolUse", "sessionId": "s", "toolName": "bash", "toolArgs": {"command": "ls"}}),
                json!({"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"},
                    "native": native("preToolUse", "bash")}),
            ),
            // Who registers `PreToolUse` under `preToolUse` is still answered as the payload is written.
            (
                json!({"hook_event_name": "PreToolUse", "sessionId": "s", "toolName": "bash", "toolArgs": {"command": "ls"}}),
                json!({"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"},
                    "native": native("preToolUse", "bash")}),
            ),
            (
                json!({"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Write",
                    "tool_input": {"path": "/a", "file_text": "x"}}),
                json!({"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Write",
                    "tool_input": {"file_path": "/a", "content": "x"},
                    "native": {"tool_input": {"path": "/a", "file_text": "x"}}}),
            ),
            (
                json!({"hookName": "permissionRequest", "sessionId": "s", "toolName": "bash", "toolInput": {"command": "ls"},
                    "permissionSuggestions": []}),
                json!({"hookName": "permissionRequest", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"},
                    "permission_suggestions": [], "hook_event_name": "PermissionRequest",
                    "native": native("permissionRequest", "bash")}),
            ),
            (
                json!({"hook_event_name": "sessionStart", "sessionId": "s", "source": "new", "initialPrompt": "hi"}),
                json!({"hook_event_name": "SessionStart", "session_id": "s", "source": "startup", "initial_prompt": "hi",
                    "native": {"event": "sessionStart"}}),
            ),
            (
                json!({"hook_event_name": "SubagentStart", "sessionId": "s", "agentName": "task", "agent_id": "a"}),
                json!({"hook_event_name": "SubagentStart", "session_id": "s", "agent_name": "task", "agent_id": "a", "agent_type": "task"}),
            ),
        ] {
            assert_eq!(decode(said), expected);
        }
    }

    #[test]
    fn tools_of_servers_are_told_by_their_sign() {
        for (name, expected) in [
            ("files-echo", "mcp__files__echo"),
            (
                "github-mcp-server-list_issues",
                "mcp__github-mcp-server__list_issues",
            ),
            ("my-files/read-all", "mcp__my-files__read-all"),
            ("mcp__my-files__echo", "mcp__my-files__echo"),
            ("report_intent", "report_intent"),
            ("-echo", "-echo"),
        ] {
            let payload =
                json!({"hook_event_name": "PreToolUse", "tool_name": name, "tool_input": {}});
            assert_eq!(decode(payload)["tool_name"], expected, "{name}");
        }
    }

    #[test]
    fn a_result_says_how_a_command_ended() {
        for (result, expected) in [
            (
                json!({"resultType": "success", "textResultForLlm": "a\nb\n<shellId: 0 completed with exit code 3>"}),
                json!({"result_type": "success", "stdout": "a\nb", "exit_code": 3}),
            ),
            (
                json!({"result_type": "success", "text_result_for_llm": "<shellId: 12 completed with exit code 0>"}),
                json!({"result_type": "success", "stdout": "", "exit_code": 0}),
            ),
            (
                json!({"result_type": "success", "text_result_for_llm": "one\n"}),
                json!({"result_type": "success", "content": "one\n"}),
            ),
            (
                json!({"textResultForLlm": ["x"], "more": 1}),
                json!({"more": 1, "content": ["x"]}),
            ),
        ] {
            for name in ["toolResult", "tool_result"] {
                let payload = json!({"hook_event_name": "PostToolUse", name: result});
                assert_eq!(decode(payload)["tool_response"], expected);
            }
        }
        let odd = json!({"hook_event_name": "PostToolUse", "tool_response": "x", "toolResult": {}});
        assert_eq!(decode(odd)["tool_response"], "x");
    }

    #[test]
    fn a_sub_agent_belongs_to_the_session_that_started_it() {
        let of_child = |event: &str| json!({"hook_event_name": event, "sessionId": "child", "agentId": "child", "agentType": "task", "parentAgentId": "s"});
        for (event, expected) in [
            ("preToolUse", "PreToolUse"),
            ("postToolUse", "PostToolUse"),
            ("userPromptSubmitted", "SubagentPrompt"),
            ("agentStop", "SubagentTurn"),
        ] {
            let decoded = decode(of_child(event));
            assert_eq!(decoded["hook_event_name"], expected);
            assert_eq!(decoded["session_id"], "s", "{event}");
            assert_eq!(decoded["agent_id"], "child", "{event}");
            assert_eq!(decoded["native"]["event"], event);
        }
        // Its start, its end and its permissions are already told so.
        let mut stop = of_child("subagentStop");
        stop["sessionId"] = "s".into();
        stop["response"] = "done".into();
        let decoded = decode(stop);
        assert_eq!(decoded["hook_event_name"], "SubagentStop");
        assert_eq!(decoded["last_assistant_message"], "done");
        assert_eq!(decoded["session_id"], "s");
    }

    #[test]
    fn an_error_of_the_model_ends_the_turn() {
        let error = |context: &str| {
            let error = json!({"message": "refused", "name": "Error"});
            decode(
                json!({"hook_event_name": "errorOccurred", "error": error, "errorContext": context}),
            )
        };
        assert_eq!(error("model_call")["hook_event_name"], "StopFailure");
        assert_eq!(error("model_call")["error"], "refused");
        assert_eq!(error("model_call")["native"]["error"]["name"], "Error");
        assert_eq!(error("tool_execution")["hook_event_name"], "Error");
    }
}
