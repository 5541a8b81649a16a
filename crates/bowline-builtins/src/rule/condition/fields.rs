//! The fields of events' payloads, as variables of an expression.

use std::sync::Arc;

use bowline::hooks::HookEvent;
use cel::Value;

/// The whole payload, for `has(payload.x)` and for unknown fields.
pub(super) const PAYLOAD: &str = "payload";

/// Fields that are true or false.
const FLAGS: &[&str] = &[
    "stop_hook_active",
    "is_interrupt",
    "success",
    "final",
    "prompt_cache_likely_expired",
    "prompt_cache_warm",
];

const LISTS: &[&str] = &[
    "tool_calls",
    "permission_suggestions",
    "background_tasks",
    "session_crons",
    "globs",
];

/// Numbers, objects, and what may be anything.
const OTHERS: &[&str] = &[
    "tool_response",
    "mcp_server",
    "effort",
    "duration_ms",
    "seconds_since_last_response",
    "context_tokens",
    "estimated_cache_write_usd",
    "pricing",
    "requested_schema",
    "content",
    "index",
];

/// The field of this name that some event's payload may have.
pub(super) fn known(name: &str) -> Option<&'static str> {
    all().find(|field| *field == name)
}

pub(super) fn all() -> impl Iterator<Item = &'static str> {
    let own = HookEvent::ALL
        .iter()
        .flat_map(|event| event.payload_fields());
    HookEvent::COMMON_FIELDS
        .into_iter()
        .chain(own.copied())
        .chain([PAYLOAD])
}

/// Whether an event of these may have the field.
pub(super) fn is_of(events: &[HookEvent], name: &str) -> bool {
    name == PAYLOAD
        || HookEvent::COMMON_FIELDS.contains(&name)
        || events
            .iter()
            .any(|event| *event == HookEvent::Unknown || event.payload_fields().contains(&name))
}

/// What stands for a field that an event does not have; nothing where every value would be a wrong one.
pub(super) fn absent(name: &str) -> Option<Value> {
    if FLAGS.contains(&name) {
        Some(Value::Bool(false))
    } else if LISTS.contains(&name) {
        Some(Value::List(Arc::new(Vec::new())))
    } else if OTHERS.contains(&name) {
        None
    } else {
        Some(Value::String(Arc::new(String::new())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_of_fields_that_exist() {
        for name in FLAGS.iter().chain(LISTS).chain(OTHERS) {
            assert_eq!(known(name), Some(*name));
        }
        assert_eq!(known("stop_hook_activ"), None);
    }
}
