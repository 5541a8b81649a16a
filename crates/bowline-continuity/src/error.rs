//! Why a rule refuses something, with a word for programs.

use serde_json::Value;

/// The word by which programs distinguish refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// There is no such thing.
    NotFound,
    /// The effort is finished already.
    AlreadyFinished,
    /// The session has ended already.
    AlreadyEnded,
    /// A finished effort cannot change.
    EffortFinished,
    /// The phase is not one of the effort's.
    UnknownPhase,
    /// The phase is not the next one, and no reason was given.
    PhaseNotSequential,
    /// There is no such task.
    TaskNotFound,
    /// No effort is active here.
    NoActiveEffort,
    /// The words of a command are not understood.
    CommandError,
    /// A text cannot be read.
    ParseError,
    /// A file is missing.
    FsNotFound,
}

impl Code {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::NotFound,
        Self::AlreadyFinished,
        Self::AlreadyEnded,
        Self::EffortFinished,
        Self::UnknownPhase,
        Self::PhaseNotSequential,
        Self::TaskNotFound,
        Self::NoActiveEffort,
        Self::CommandError,
        Self::ParseError,
        Self::FsNotFound,
    ];

    /// The one that has this word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.as_str() == word)
    }

    /// The word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotFound => "NOT_FOUND",
            Self::AlreadyFinished => "ALREADY_FINISHED",
            Self::AlreadyEnded => "ALREADY_ENDED",
            Self::EffortFinished => "EFFORT_FINISHED",
            Self::UnknownPhase => "UNKNOWN_PHASE",
            Self::PhaseNotSequential => "PHASE_NOT_SEQUENTIAL",
            Self::TaskNotFound => "TASK_NOT_FOUND",
            Self::NoActiveEffort => "NO_ACTIVE_EFFORT",
            Self::CommandError => "COMMAND_ERROR",
            Self::ParseError => "PARSE_ERROR",
            Self::FsNotFound => "FS_NOT_FOUND",
        }
    }
}

/// A refusal.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct RuleError {
    /// What kind of refusal.
    pub code: Code,
    /// What happened and what to do, for a person or an agent.
    pub message: String,
    /// More, for programs (`expected` and `actual` of a phase); else null.
    pub details: Value,
}

impl RuleError {
    /// A refusal without details.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            details: Value::Null,
        }
    }

    /// Adds details.
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = details;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_known_by_its_word() {
        for code in Code::ALL {
            assert_eq!(Code::of_word(code.as_str()), Some(code));
        }
        for word in ["", "HANDLER_ERROR", "not_found", "EXISTS"] {
            assert_eq!(Code::of_word(word), None, "{word}");
        }
    }
}
