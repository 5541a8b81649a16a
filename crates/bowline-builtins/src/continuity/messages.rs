//! Messages that are kept with a session, without secrets.

use bowline::hooks::HookContext;
use bowline_continuity::message::Message;
use bowline_guard::secrets::redact;
use bowline_store::Change;
use serde_json::Value;

use crate::recorder::add_change;
use crate::sanitise::sanitise;

/// Keeps a message.
pub(super) fn say(ctx: &HookContext, message: Message) {
    let content = redact(&message.content).into_owned();
    add_change(ctx, Change::Said(Message { content, ..message }));
}

/// Keeps a message of the engine itself, as JSON that programs can read.
pub(super) fn note(ctx: &HookContext, tool: Option<&str>, content: &Value) {
    let message = Message {
        role: "system".to_owned(),
        content: sanitise(content).to_string(),
        tool: tool.map(str::to_owned),
    };
    say(ctx, message);
}
