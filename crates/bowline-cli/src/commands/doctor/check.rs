//! One thing that was looked at.

use serde::Serialize;

/// How it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    Ok,
    /// It works, but not as well as it could, or not as expected.
    Warning,
    /// Bowline does not do its work.
    Problem,
}

/// What was found, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Check {
    /// The agent that it is about, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) agent: Option<&'static str>,
    pub(super) name: String,
    pub(super) status: Status,
    pub(super) message: String,
    pub(super) details: Vec<String>,
    pub(super) advice: Option<String>,
}

impl Check {
    pub(super) fn new(name: impl Into<String>) -> Self {
        Self {
            agent: None,
            name: name.into(),
            status: Status::Ok,
            message: String::new(),
            details: Vec::new(),
            advice: None,
        }
    }

    /// Says which agent it is about.
    pub(super) fn about(self, agent: Option<&'static str>) -> Self {
        Self { agent, ..self }
    }

    pub(super) fn found(self, status: Status, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
            ..self
        }
    }

    pub(super) fn ok(self, message: impl Into<String>) -> Self {
        self.found(Status::Ok, message)
    }

    pub(super) fn warning(self, message: impl Into<String>) -> Self {
        self.found(Status::Warning, message)
    }

    pub(super) fn problem(self, message: impl Into<String>) -> Self {
        self.found(Status::Problem, message)
    }

    pub(super) fn detail(mut self, detail: impl Into<String>) -> Self {
        self.details.push(detail.into());
        self
    }

    pub(super) fn details(mut self, details: impl IntoIterator<Item = String>) -> Self {
        self.details.extend(details);
        self
    }

    pub(super) fn advice(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }
}
