//! What the commands about the guard share.

use bowline_builtins::guard::text_in;
use bowline_guard::Strictness;
use bowline_guard::tool_call::ToolCall;
use serde_json::{Map, Value};

use crate::ui::style;

/// What the guard looks at in a tool's input.
pub(super) fn call_of(input: &Map<String, Value>) -> ToolCall<'_> {
    ToolCall::from_fields(|name| text_in(|it| input.get(it), name))
}

pub(super) fn style_of(decision: Strictness) -> anstyle::Style {
    match decision {
        Strictness::Allow => style::GOOD,
        Strictness::Ask => style::CAUTION,
        Strictness::Deny => style::BAD,
    }
}
