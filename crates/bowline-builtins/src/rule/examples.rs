//! The examples of a rule, as events.

use bowline::hooks::{HookEvent, HookEventData, HookInput, Match, ToolOutput};
use bowline::settings::{ExampleCall, RuleDefinition};
use serde_json::{Value, json};

use super::files::{COMMAND, TOOLS};

const SESSION: &str = "example";

/// The event that an example stands for; `None` if a bare text can be nothing that the rule is about.
pub(super) fn event_of(call: &ExampleCall, rule: &RuleDefinition) -> Option<HookInput> {
    let about = |wanted: fn(HookEvent) -> bool| {
        let mut events = rule.events.iter().copied();
        events.find(|event| wanted(*event))
    };
    match call {
        ExampleCall::Prompt(prompt) => Some(of_prompt(about(has_prompt)?, prompt)),
        ExampleCall::Tool { tool, input } => {
            let event = about(HookEvent::is_tool_event)?;
            Some(of_tool(event, tool, Value::Object(input.clone())))
        }
        ExampleCall::Text(text) => match (about(HookEvent::is_tool_event), about(has_prompt)) {
            (Some(event), _) => of_text(event, text, rule),
            (None, Some(event)) => Some(of_prompt(event, text)),
            (None, None) => None,
        },
        _ => None,
    }
}

fn has_prompt(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::UserPromptSubmit | HookEvent::UserPromptExpansion
    )
}

fn of_text(event: HookEvent, text: &str, rule: &RuleDefinition) -> Option<HookInput> {
    let only_paths = !rule.paths.is_empty() && rule.commands.is_empty() && rule.effects.is_empty();
    let fits = |tool: &str| {
        let input = of_tool(event, tool, json!({}));
        rule.tools.is_empty()
            || rule
                .tools
                .iter()
                .any(|matcher| matcher.matches(&input) == Match::Yes)
    };
    let (tool, field) = TOOLS.iter().find(|(tool, field)| {
        // A rule for any tool that only names files means files.
        let skipped = rule.tools.is_empty() && only_paths && *field == COMMAND;
        !skipped && fits(tool)
    })?;
    Some(of_tool(event, tool, json!({ *field: text })))
}

fn of_prompt(event: HookEvent, prompt: &str) -> HookInput {
    match event {
        HookEvent::UserPromptSubmit => HookInput::user_prompt_submit(SESSION, prompt),
        event => HookInput::for_event(SESSION, event).with_field("prompt", prompt),
    }
}

fn of_tool(event: HookEvent, tool: &str, input: Value) -> HookInput {
    let tool_name = tool.to_owned();
    let data = match event {
        HookEvent::PreToolUse => return HookInput::pre_tool_use(SESSION, tool, input),
        HookEvent::PostToolUse => HookEventData::PostToolUse {
            tool_name,
            tool_result: ToolOutput::default(),
        },
        HookEvent::PostToolUseFailure => HookEventData::PostToolUseFailure {
            tool_name,
            error: String::new(),
        },
        event => {
            return HookInput::for_event(SESSION, event)
                .with_field("tool_name", tool)
                .with_field("tool_input", input);
        }
    };
    HookInput::new(SESSION, data).with_field("tool_input", input)
}

/// An example for a message.
pub(super) fn shown(call: &ExampleCall) -> String {
    super::subject::quoted(&match call {
        ExampleCall::Text(text) | ExampleCall::Prompt(text) => text.clone(),
        ExampleCall::Tool { tool, input } => format!("{tool} {}", Value::Object(input.clone())),
        _ => String::new(),
    })
}
