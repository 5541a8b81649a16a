//! What the commands about the guard share.

use std::path::Path;

use bowline::settings::{self, Locations};
use bowline_guard::paths::StaticWorld;
use bowline_guard::tool_call::{CallDecision, ToolCall};
use serde_json::{Map, Value};

use crate::ui::style;

/// What the guard looks at in a tool's input.
pub(super) fn call_of(input: &Map<String, Value>) -> ToolCall<'_> {
    ToolCall::from_fields(|name| input.get(name).and_then(Value::as_str))
}

/// The machine as the guard sees it from a folder. Links and git's files are not followed.
pub(super) fn world_of(folder: &Path) -> StaticWorld {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let locations = Locations::from_env();
    let project = text(&settings::find_project(folder, &locations));
    StaticWorld {
        home: locations.home.as_deref().map(text),
        ..StaticWorld::new(&project, "").with_cwd(&text(folder))
    }
}

pub(super) fn style_of(decision: CallDecision) -> anstyle::Style {
    match decision {
        CallDecision::Allow => style::GOOD,
        CallDecision::Ask => style::CAUTION,
        CallDecision::Deny => style::BAD,
    }
}
