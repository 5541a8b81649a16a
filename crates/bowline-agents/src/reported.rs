//! What an answer has to know of the event that it is for.

use serde_json::Value;

use crate::event::HookEvent;

/// The field of Bowline's own payload that keeps what was translated: `event`, `tool_name` and `tool_input`, as the agent said them.
pub const NATIVE: &str = "native";

/// The field of `native` that names another agent: Bowline is registered in its settings, and not in those of the agent that reports.
pub const ENTRY_OF: &str = "entry_of";

/// The field of `native` that names the folder in which the agent works, where a call names another one for itself. A relative one is seen
/// from where the agent started `bowline-hook`.
pub const WORKS_IN: &str = "works_in";

/// An event as the agent reported it, in its own words.
#[derive(Debug, Clone, Copy)]
pub struct Reported<'a> {
    /// The event.
    pub event: HookEvent,
    /// What the agent calls it.
    pub name: &'a str,
    /// What the agent calls the tool.
    pub tool: Option<&'a str>,
    /// What the agent gives the tool.
    pub input: Option<&'a Value>,
    /// The session's mode (`permission_mode`), which says in some agents whether anybody answers their questions.
    pub mode: Option<&'a str>,
    /// The agent in whose settings Bowline is registered, where that is another one.
    pub entry_of: Option<&'a str>,
}

impl Reported<'_> {
    /// An event under its usual name, without a tool.
    pub const fn of(event: HookEvent) -> Self {
        Self {
            event,
            name: event.name(),
            tool: None,
            input: None,
            mode: None,
            entry_of: None,
        }
    }
}

impl<'a> Reported<'a> {
    /// An event whose payload was decoded: `native` is that field of it, and `tool` what Bowline calls the tool with its input.
    pub fn decoded(
        event: HookEvent,
        native: Option<&'a Value>,
        tool: (Option<&'a str>, Option<&'a Value>),
    ) -> Self {
        let own = |field: &str| native?.get(field);
        let own_text = |field: &str| own(field)?.as_str();
        Self {
            event,
            name: own_text("event").unwrap_or_else(|| event.name()),
            tool: own_text("tool_name").or(tool.0),
            input: own("tool_input").or(tool.1),
            mode: None,
            entry_of: own_text(ENTRY_OF),
        }
    }

    /// The same in a session of this mode.
    #[must_use]
    pub const fn in_mode(self, mode: Option<&'a str>) -> Self {
        Self { mode, ..self }
    }
}
