//! The program's one error: what went wrong, why, and what to do.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use bowline_continuity::{Code, RuleError};
use serde::Serialize;
use serde_json::Value;

use crate::ui::reveal;

/// What kind of thing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ErrorKind {
    /// The command line asks for something that cannot be.
    Usage,
    /// What was given as input cannot be used.
    Input,
    /// A file or folder cannot be read or written.
    File,
    /// The answer cannot be printed, or the question not asked.
    Terminal,
    /// What was recorded cannot be read or changed.
    Records,
    /// The system refuses what is needed to run hooks.
    System,
    /// A rule of tasks and efforts forbids it.
    Refused,
}

/// Why a command could not run.
#[derive(Debug)]
pub(crate) struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
    /// Which rule forbids it, and more about that for programs.
    rule: Option<Box<(Code, Value)>>,
    hints: Vec<String>,
}

/// The result of everything that can stop a command.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            source: None,
            rule: None,
            hints: Vec::new(),
        }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Input, message)
    }

    /// What a rule of tasks and efforts forbids.
    pub(crate) fn refused(rule: RuleError) -> Self {
        Self {
            rule: Some(Box::new((rule.code, rule.details))),
            ..Self::new(ErrorKind::Refused, rule.message)
        }
    }

    /// A file that could not be read, written or found.
    pub(crate) fn file(action: &str, path: &Path, source: io::Error) -> Self {
        Self::new(
            ErrorKind::File,
            format!("cannot {action} {}", reveal::name(&path.to_string_lossy())),
        )
        .caused_by(source)
    }

    /// Standard output or input that does not take part.
    pub(crate) fn terminal(message: impl Into<String>, source: io::Error) -> Self {
        Self::new(ErrorKind::Terminal, message).caused_by(source)
    }

    pub(crate) fn caused_by(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    pub(crate) fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The word of the rule that forbids it, and details.
    pub(crate) fn rule(&self) -> Option<(&'static str, &Value)> {
        let (code, details) = self.rule.as_deref()?;
        Some((code.as_str(), details))
    }

    pub(crate) fn hints(&self) -> &[String] {
        &self.hints
    }

    /// What lies behind it, nearest first; not what another of them ends with already.
    pub(crate) fn causes(&self) -> Vec<String> {
        let mut causes: Vec<String> = Vec::new();
        let mut next = self.source();
        while let Some(cause) = next {
            let text = cause.to_string();
            let told = causes.last().unwrap_or(&self.message).ends_with(&text);
            if !told {
                causes.push(text);
            }
            next = cause.source();
        }
        causes
    }

    /// The reader is gone (`bowline events | head`). This is not worth a message.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        self.source
            .as_ref()
            .and_then(|source| source.downcast_ref::<io::Error>())
            .is_some_and(|cause| {
                self.kind == ErrorKind::Terminal && cause.kind() == io::ErrorKind::BrokenPipe
            })
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        match self.rule.as_deref() {
            _ if self.is_broken_pipe() => ExitCode::SUCCESS,
            // What was asked cannot be understood, or done.
            None | Some((Code::CommandError | Code::ParseError | Code::FsNotFound, _)) => {
                ExitCode::from(2)
            }
            Some(_) => ExitCode::from(1),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source
            .as_deref()
            .map(|source| source as &(dyn StdError + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_come_nearest_first() {
        let inner = Error::input("the inner one");
        let outer = Error::usage("the outer one").caused_by(inner);
        assert_eq!(outer.causes(), ["the inner one"]);
    }

    #[test]
    fn a_cause_that_was_told_is_not_told_again() {
        let denied = || io::Error::other("not permitted");
        let file = bowline::Error::File {
            action: "read",
            path: "trust.json".into(),
            source: denied(),
        };
        let error = Error::input("cannot trust it").caused_by(file);
        assert_eq!(error.causes(), ["cannot read trust.json: not permitted"]);
    }

    #[test]
    fn a_rule_says_no_and_what_cannot_be_understood_is_an_error() {
        for (code, expected) in [
            (Code::PhaseNotSequential, 1),
            (Code::NoActiveEffort, 1),
            (Code::TaskNotFound, 1),
            (Code::CommandError, 2),
            (Code::ParseError, 2),
            (Code::FsNotFound, 2),
        ] {
            let error = Error::refused(RuleError::new(code, "no"));
            assert_eq!(error.exit_code(), ExitCode::from(expected), "{code:?}");
            assert_eq!(error.rule().map(|(word, _)| word), Some(code.as_str()));
        }
    }

    #[test]
    fn only_output_breaks_quietly() {
        let pipe = || io::Error::from(io::ErrorKind::BrokenPipe);
        assert!(Error::terminal("cannot print", pipe()).is_broken_pipe());
        assert!(!Error::file("read", Path::new("fifo"), pipe()).is_broken_pipe());
    }
}
