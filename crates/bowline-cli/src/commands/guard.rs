//! What the commands about the guard share.

use bowline_builtins::guard::text_in;
use bowline_guard::tool_call::{CallDecision, ToolCall};
use serde_json::{Map, Value};

use crate::ui::style;

/// What the guard looks at in a tool's input.
pub(super) fn call_of(input: &Map<String, Value>) -> ToolCall<'_> {
    ToolCall::from_fields(|name| text_in(|it| input.get(it), name))
}

pub(super) fn style_of(decision: CallDecision) -> anstyle::Style {
    match decision {
        CallDecision::Allow => style::GOOD,
        CallDecision::Ask => style::CAUTION,
        CallDecision::Deny => style::BAD,
    }
}
