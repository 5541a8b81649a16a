//! How payload fields are called.

use std::borrow::Cow;

use crate::event::HookEvent;

/// Fields beside `hook_event_name` that may hold the event's name.
pub(super) const OTHER_EVENT_NAMES: [&str; 2] = ["event", "type"];

/// Short names that some agents use on events about a tool call.
pub(super) const TOOL_ALIASES: [(&str, &str); 3] = [
    ("name", "tool_name"),
    ("input", "tool_input"),
    ("result", "tool_response"),
];

/// The name under which a top-level field is kept: snake_case if that is a field we know, else as it came.
pub(super) fn canonical(key: &str) -> Cow<'_, str> {
    if !key.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Borrowed(key);
    }
    let snake = snake_case(key);
    if is_known(&snake) {
        Cow::Owned(snake)
    } else {
        Cow::Borrowed(key)
    }
}

fn is_known(name: &str) -> bool {
    HookEvent::COMMON_FIELDS.contains(&name)
        || HookEvent::ALL
            .iter()
            .any(|event| event.payload_fields().contains(&name))
}

/// `toolUseId` and `ToolUseId` as `tool_use_id`; other texts keep their characters.
pub(super) fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    let mut after_lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            if after_lower {
                snake.push('_');
            }
            snake.push(c.to_ascii_lowercase());
        } else {
            snake.push(c);
        }
        after_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_fields_are_renamed() {
        for (key, expected) in [
            ("toolName", "tool_name"),
            ("toolUseId", "tool_use_id"),
            ("toolUseID", "tool_use_id"),
            ("hookEventName", "hook_event_name"),
            ("stopHookActive", "stop_hook_active"),
            ("tool_name", "tool_name"),
            ("myOwnField", "myOwnField"),
            ("Größe", "Größe"),
            ("", ""),
        ] {
            assert_eq!(canonical(key), expected);
        }
    }
}
