//! How strict a guard is. Settings and guards share this ladder; [`Decision`](crate::Decision) is what the agent is answered.

use std::fmt;

use serde_core::{Serialize, Serializer};

/// How strict a guard is with a call, from the mildest to the strictest; the strictest of several wins (`max`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strictness {
    /// The guard has no opinion.
    Allow,
    /// A person should confirm.
    Ask,
    /// It must not happen.
    Deny,
}

impl Strictness {
    /// The word in settings, answers and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for Strictness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Strictness {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
