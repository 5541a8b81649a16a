//! Messages that are kept with a session: dialogues, failures, what the transcript says.

use serde::{Deserialize, Serialize};

/// One message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who says it: `user`, `assistant`, `system`, `dialogue`.
    pub role: String,
    /// What it says.
    pub content: String,
    /// The tool that it is about.
    pub tool: Option<String>,
}
