//! Why a line could not be understood.

use std::fmt;

use crate::PROTOCOL;

/// Why a line could not be understood.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireError {
    /// It is no JSON object, or a field is missing or of the wrong kind.
    Malformed(String),
    /// The other side speaks another version.
    Version {
        /// The version that it speaks.
        found: u64,
    },
    /// A line or a payload is longer than is accepted.
    TooLong {
        /// What is too long.
        what: &'static str,
        /// How many bytes it has.
        bytes: usize,
        /// How many it may have.
        limit: usize,
    },
}

impl WireError {
    pub(crate) fn field(name: &str, expected: &str) -> Self {
        Self::Malformed(format!("`{name}` is missing or not {expected}"))
    }
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(problem) => write!(f, "not understood: {problem}"),
            Self::Version { found } => write!(
                f,
                "the other side speaks version {found} of the protocol, this one {PROTOCOL}; \
                 install the same version of bowline and bowline-hook, then `bowline daemon restart`"
            ),
            Self::TooLong { what, bytes, limit } => {
                write!(
                    f,
                    "the {what} has {bytes} bytes; at most {limit} are accepted"
                )
            }
        }
    }
}

impl std::error::Error for WireError {}
