//! The variables by which a child process learns about an event, beside the JSON on its stdin.
//!
//! Scripts in the wild use four families of names for the same facts; all of them are set.

use std::borrow::Cow;

use serde_json::Value;

use crate::context::HookContext;
use crate::event::HookEvent;
use crate::input::{HookInput, plain_text};

/// The agent's project folder, by the name that scripts know. Ours is only a guess: a value that is already there stays.
pub(crate) const PROJECT_DIR: &str = bowline_agents::claude_code::PROJECT_VARIABLE;

/// The longest `NAME=value`, in bytes, that Linux passes to a process (128 KiB with the final NUL).
pub(crate) const LONGEST: usize = 131_071;

const CUT_MARKER: &str = "…[cut]";
const LONGEST_NAME: usize = 1024;

/// The variables of one event for a child process. What does not apply to the event is left out.
pub(crate) fn event_variables(input: &HookInput, ctx: &HookContext) -> Vec<(String, String)> {
    let session = match input.session_id.as_str() {
        "" => ctx.session_id.as_str(),
        id => id,
    };
    let snake_event = match input.event_type() {
        HookEvent::Unknown => input.event_name(),
        event => event.snake_name(),
    };
    let context_cwd = ctx.cwd.as_ref().map(|path| path.to_string_lossy());
    let cwd = context_cwd
        .as_deref()
        .or_else(|| input.cwd())
        .filter(|cwd| !cwd.is_empty());
    let tool_use_id = input.tool_use_id();
    let trace_id = input.field("trace_id").and_then(Value::as_str);
    let project_dir = match ctx.env.get(PROJECT_DIR) {
        Some(_) => None,
        None => cwd,
    };

    // Scripts written for HtmlGraph, a tracker whose hooks Bowline replaces, find its variables under their old names.
    let facts: [(&[&str], Option<Cow<'_, str>>); 15] = [
        (
            &["SESSION_ID", "HOOK_SESSION_ID", "HTMLGRAPH_SESSION_ID"],
            Some(session.into()),
        ),
        (&["EVENT"], Some(snake_event.into())),
        (&["HOOK_EVENT"], Some(input.event_name().into())),
        (&["HOOK_WORKING_DIR"], cwd.map(Cow::from)),
        (&[PROJECT_DIR], project_dir.map(Cow::from)),
        (
            &["TOOL_NAME", "HOOK_TOOL_NAME"],
            input.tool_name().map(Cow::from),
        ),
        (
            &["TOOL_INPUT", "HOOK_TOOL_INPUT"],
            input.tool_input().map(|value| value.to_string().into()),
        ),
        (&["HOOK_TOOL_OUTPUT"], input.tool_response().map(plain_text)),
        (
            &["TOOL_USE_ID", "HTMLGRAPH_TOOL_USE_ID"],
            tool_use_id.map(Cow::from),
        ),
        (
            &["HTMLGRAPH_TRACE_ID"],
            trace_id.or(tool_use_id).map(Cow::from),
        ),
        (&["COMMAND", "HOOK_COMMAND"], input.command().map(Cow::from)),
        (
            &["FILE_PATH", "HOOK_FILE_PATH"],
            input.file_path().map(Cow::from),
        ),
        (
            &["USER_PROMPT", "HOOK_USER_PROMPT"],
            input.prompt().map(Cow::from),
        ),
        (&["HOOK_ERROR_MESSAGE"], input.error().map(Cow::from)),
        (
            &["EXECUTION_TIME_MS"],
            input.duration_ms().map(|ms| ms.to_string().into()),
        ),
    ];
    let subagent = input
        .agent_type()
        .filter(|name| !name.is_empty())
        .map(Cow::from);

    let mut variables = Vec::with_capacity(24);
    for (names, value) in facts
        .into_iter()
        .chain([(&["SUBAGENT_NAME"][..], subagent)])
    {
        let Some(value) = value else { continue };
        for name in names {
            variables.push(((*name).to_owned(), fit(name, &value, LONGEST).into_owned()));
        }
    }
    variables
}

/// The value as it can be passed on: without NUL, and cut, with a marker, where `NAME=value` would be longer
/// than the limit.
pub(crate) fn fit<'v>(name: &str, value: &'v str, limit: usize) -> Cow<'v, str> {
    let room = limit.saturating_sub(name.len() + 1);
    let clean: Cow<'v, str> = if value.contains('\0') {
        value.replace('\0', "\u{FFFD}").into()
    } else {
        value.into()
    };
    if clean.len() <= room {
        return clean;
    }
    let kept = clean.floor_char_boundary(room.saturating_sub(CUT_MARKER.len()));
    let (kept, _) = clean.split_at(kept);
    format!("{kept}{CUT_MARKER}").into()
}

/// Whether a variable of this name can be passed to a process at all.
pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= LONGEST_NAME && !name.contains(['=', '\0'])
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};

    use serde_json::json;

    use super::*;
    use crate::input::ToolOutput;

    fn variables(input: &HookInput, ctx: &HookContext) -> BTreeMap<String, String> {
        event_variables(input, ctx).into_iter().collect()
    }

    fn lines(variables: &BTreeMap<String, String>) -> Vec<String> {
        variables
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect()
    }

    #[test]
    fn a_tool_call_under_all_its_names() {
        let input = HookInput::pre_tool_use("s1", "Bash", json!({"command": "ls -l", "n": 1}))
            .with_field("tool_use_id", "t1")
            .with_field("agent_type", "Explore");
        let ctx = HookContext::new("other").with_cwd("/project/sub");
        assert_eq!(
            lines(&variables(&input, &ctx)),
            [
                "CLAUDE_PROJECT_DIR=/project/sub",
                "COMMAND=ls -l",
                "EVENT=pre_tool_use",
                "HOOK_COMMAND=ls -l",
                "HOOK_EVENT=PreToolUse",
                "HOOK_SESSION_ID=s1",
                r#"HOOK_TOOL_INPUT={"command":"ls -l","n":1}"#,
                "HOOK_TOOL_NAME=Bash",
                "HOOK_WORKING_DIR=/project/sub",
                "HTMLGRAPH_SESSION_ID=s1",
                "HTMLGRAPH_TOOL_USE_ID=t1",
                "HTMLGRAPH_TRACE_ID=t1",
                "SESSION_ID=s1",
                "SUBAGENT_NAME=Explore",
                r#"TOOL_INPUT={"command":"ls -l","n":1}"#,
                "TOOL_NAME=Bash",
                "TOOL_USE_ID=t1",
            ]
        );
    }

    #[test]
    fn each_event_sets_what_it_is_about_and_nothing_else() {
        let ctx = HookContext::new("s");
        let cases: [(HookInput, &[&str]); 7] = [
            (
                HookInput::post_tool_use("s", "Write", ToolOutput::new("done"))
                    .with_field("tool_input", json!({"file_path": "/a/b.rs"}))
                    .with_field("duration_ms", 12),
                &[
                    "EVENT=post_tool_use",
                    "EXECUTION_TIME_MS=12",
                    "FILE_PATH=/a/b.rs",
                    "HOOK_EVENT=PostToolUse",
                    "HOOK_FILE_PATH=/a/b.rs",
                    r#"HOOK_TOOL_INPUT={"file_path":"/a/b.rs"}"#,
                    "HOOK_TOOL_NAME=Write",
                    "HOOK_TOOL_OUTPUT=done",
                    r#"TOOL_INPUT={"file_path":"/a/b.rs"}"#,
                    "TOOL_NAME=Write",
                ],
            ),
            (
                HookInput::post_tool_use("s", "Read", ToolOutput::new(json!({"lines": 3}))),
                &[
                    "EVENT=post_tool_use",
                    "HOOK_EVENT=PostToolUse",
                    "HOOK_TOOL_NAME=Read",
                    r#"HOOK_TOOL_OUTPUT={"lines":3}"#,
                    "TOOL_NAME=Read",
                ],
            ),
            (
                HookInput::post_tool_use_failure("s", "Bash", "exit 1"),
                &[
                    "EVENT=post_tool_use_failure",
                    "HOOK_ERROR_MESSAGE=exit 1",
                    "HOOK_EVENT=PostToolUseFailure",
                    "HOOK_TOOL_NAME=Bash",
                    "TOOL_NAME=Bash",
                ],
            ),
            (
                HookInput::user_prompt_submit("s", "fix it"),
                &[
                    "EVENT=user_prompt_submit",
                    "HOOK_EVENT=UserPromptSubmit",
                    "HOOK_USER_PROMPT=fix it",
                    "USER_PROMPT=fix it",
                ],
            ),
            (
                HookInput::subagent_start("s", "a1", "Explore", "looks around"),
                &[
                    "EVENT=subagent_start",
                    "HOOK_EVENT=SubagentStart",
                    "SUBAGENT_NAME=Explore",
                ],
            ),
            (
                HookInput::subagent_stop("s", "a1", true, None).with_field("agent_type", ""),
                &["EVENT=subagent_stop", "HOOK_EVENT=SubagentStop"],
            ),
            (
                HookInput::for_event("s", HookEvent::Unknown)
                    .with_field("hook_event_name", "MoonRise"),
                &["EVENT=MoonRise", "HOOK_EVENT=MoonRise"],
            ),
        ];
        for (input, expected) in cases {
            let mut found = variables(&input, &ctx);
            for name in ["SESSION_ID", "HOOK_SESSION_ID", "HTMLGRAPH_SESSION_ID"] {
                assert_eq!(found.remove(name).as_deref(), Some("s"));
            }
            assert_eq!(lines(&found), expected);
        }
    }

    #[test]
    fn folders_and_session_fall_back() {
        let input = HookInput::stop("").with_field("cwd", "/from/payload");
        let found = variables(&input, &HookContext::new("of-context"));
        assert_eq!(found["SESSION_ID"], "of-context");
        assert_eq!(found["HOOK_WORKING_DIR"], "/from/payload");
        assert_eq!(found[PROJECT_DIR], "/from/payload");

        let known = HashMap::from([(PROJECT_DIR.to_owned(), "/project".to_owned())]);
        let found = variables(&input, &HookContext::new("s").with_env(known));
        assert!(!found.contains_key(PROJECT_DIR), "the context's own stays");
    }

    #[test]
    fn a_trace_of_its_own_wins_over_the_tool_call() {
        let input = HookInput::pre_tool_use("s", "Read", json!({}))
            .with_field("tool_use_id", "t1")
            .with_field("trace_id", "root");
        let found = variables(&input, &HookContext::new("s"));
        assert_eq!(found["HTMLGRAPH_TRACE_ID"], "root");
        assert_eq!(found["HTMLGRAPH_TOOL_USE_ID"], "t1");
    }

    #[test]
    fn values_are_cut_between_characters_and_carry_the_marker() {
        // (value, longest `N=value`, expected)
        for (value, limit, expected) in [
            ("short", 100, "short"),
            ("0123456789", 12, "0123456789"),
            ("0123456789a", 12, "01…[cut]"),
            ("äääääääääää", 12, "ä…[cut]"),
            ("äääääääääää", 13, "ä…[cut]"),
            ("äääääääääää", 14, "ää…[cut]"),
            ("a\0b", 100, "a\u{FFFD}b"),
            ("", 2, ""),
        ] {
            assert_eq!(fit("N", value, limit), expected, "{value:?} in {limit}");
        }
        for filler in ["x", "ä", "€", "\0", "🪢"] {
            let long = filler.repeat(200_000);
            let fitted = fit("NAME", &long, LONGEST);
            assert!(fitted.ends_with(CUT_MARKER));
            assert!((LONGEST - 3..=LONGEST).contains(&("NAME=".len() + fitted.len())));
        }
    }

    #[test]
    fn every_variable_fits() {
        let long = "ж".repeat(300_000);
        let input =
            HookInput::pre_tool_use("s", "Bash", json!({"command": long, "file_path": long}))
                .with_field("prompt", long.clone());
        for (name, value) in event_variables(&input, &HookContext::new("s")) {
            assert!(name.len() + 1 + value.len() <= LONGEST, "{name}");
        }
    }

    #[test]
    fn names_that_no_system_takes() {
        for (name, expected) in [
            ("A", true),
            ("a.b-c", true),
            ("", false),
            ("A=B", false),
            ("A\0", false),
        ] {
            assert_eq!(is_name(name), expected, "{name:?}");
        }
        assert!(!is_name(&"N".repeat(LONGEST)));
    }
}
