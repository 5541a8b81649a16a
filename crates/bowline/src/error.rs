//! The library's error.

use std::path::PathBuf;
use std::time::Duration;

use crate::event::HookEvent;

/// What can go wrong in a hook, a manager, a settings file or an agent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A hook reported a failure of its own.
    #[error("hook `{hook}` failed: {reason}")]
    HookFailed {
        /// The hook.
        hook: String,
        /// What it said.
        reason: String,
    },
    /// A hook did not answer in time.
    #[error("hook `{hook}` did not answer within {}", crate::duration::humane(*.after))]
    HookTimeout {
        /// The hook.
        hook: String,
        /// The limit.
        after: Duration,
    },
    /// The context was cancelled while a hook ran.
    #[error("hook `{hook}` was cancelled")]
    HookCancelled {
        /// The hook.
        hook: String,
    },
    /// A hook panicked.
    #[error("hook `{hook}` panicked: {message}")]
    HookPanicked {
        /// The hook.
        hook: String,
        /// What the panic said.
        message: String,
    },
    /// The input is of another event than the one to execute.
    #[error("asked to execute {} with the input of {}", .expected.name(), .found.name())]
    EventMismatch {
        /// The event that was asked for.
        expected: HookEvent,
        /// The event of the input.
        found: HookEvent,
    },
    /// A payload lacks fields that it must have.
    #[error(transparent)]
    Payload(#[from] crate::payload::PayloadError),
    /// A pattern is not valid.
    #[error("`{pattern}` is not a valid pattern: {reason}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// Why not.
        reason: String,
    },
    /// A hook or tool refused to let the session, prompt or sub-agent start.
    #[error("refused by a hook: {reason}")]
    Refused {
        /// Why.
        reason: String,
    },
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", .path.display())]
    File {
        /// What was tried: "read", "write", …
        action: &'static str,
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A model could not be asked.
    #[error("the model did not answer: {reason}")]
    Model {
        /// Why not.
        reason: String,
    },
    /// Anything else that a hook wants to report.
    #[error("{0}")]
    Other(String),
}

impl Error {
    /// An error with a custom text.
    pub fn other(reason: impl Into<String>) -> Self {
        Self::Other(reason.into())
    }
}

/// The library's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;
