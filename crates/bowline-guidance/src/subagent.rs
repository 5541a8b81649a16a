//! What is said about a sub-agent that starts.

use crate::text::Text;

/// Nobody knows the sub-agent.
pub const UNKNOWN: Text = Text {
    key: "subagents.unknown",
    says: "`{agent}` is not a registered sub-agent. Registered are: {known}. Use one of them, or add it to `registry` in `[subagents]`.",
    names: &["agent", "known"],
};
/// Where it may have left notes for itself.
pub const MEMORY: Text = Text {
    key: "subagents.memory",
    says: "Your notes from earlier runs are in {folder}. Read them first.",
    names: &["folder"],
};
/// What the project is made with.
pub const FRAMEWORKS: Text = Text {
    key: "subagents.frameworks",
    says: "This project uses {frameworks}.",
    names: &["frameworks"],
};

/// The texts of this rule.
pub const TEXTS: &[Text] = &[UNKNOWN, MEMORY, FRAMEWORKS];
