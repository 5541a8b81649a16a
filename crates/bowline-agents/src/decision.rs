//! The decision on an event.

use std::fmt;

use serde_core::{Serialize, Serializer};

/// What is answered, from the weakest to the strictest; the strictest of several wins (`max`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    /// Nothing to say: the agent's own permissions decide.
    #[default]
    NoOpinion,
    /// A deliberate permission.
    Grant,
    /// A person has to decide.
    Ask,
    /// Not allowed.
    Deny,
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NoOpinion => "no opinion",
            Self::Grant => "grant",
            Self::Ask => "ask",
            Self::Deny => "deny",
        })
    }
}

impl Serialize for Decision {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self {
            Self::NoOpinion => "no_opinion",
            Self::Grant => "grant",
            Self::Ask => "ask",
            Self::Deny => "deny",
        })
    }
}
