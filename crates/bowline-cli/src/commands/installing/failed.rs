//! An agent that could not be served, beside others that could.

use std::path::PathBuf;

use serde::Serialize;

use crate::agent_settings::{InstallScope, Installable};
use crate::error::{Error, ErrorKind};
use crate::project;
use crate::ui::{Text, Ui, style};

/// What was tried for an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) enum Attempt {
    Init,
    Uninstall,
}

impl Attempt {
    const fn command(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::Uninstall => "uninstall",
        }
    }

    const fn done(self) -> &'static str {
        match self {
            Self::Init => "installed",
            Self::Uninstall => "uninstalled",
        }
    }
}

/// Why nothing, or not everything, was done for an agent.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct Failure {
    agent: &'static str,
    #[serde(skip)]
    title: &'static str,
    #[serde(skip)]
    attempt: Attempt,
    scope: InstallScope,
    state: Failed,
    error: Told,
    /// What had been written before.
    written: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Failed {
    Failed,
}

#[derive(Debug, Serialize)]
struct Told {
    kind: ErrorKind,
    message: String,
    causes: Vec<String>,
    hints: Vec<String>,
}

/// Whether an error may be one agent's alone. Nobody else is served either where the command line is wrong, or nobody can be asked.
pub(in crate::commands) fn is_of_one_agent(error: &Error) -> bool {
    !matches!(error.kind(), ErrorKind::Usage | ErrorKind::Terminal)
}

impl Failure {
    pub(in crate::commands) fn of(
        agent: &Installable,
        attempt: Attempt,
        scope: InstallScope,
        error: &Error,
        written: &[PathBuf],
    ) -> Self {
        Self {
            agent: agent.name(),
            title: agent.title(),
            attempt,
            scope,
            state: Failed::Failed,
            error: Told {
                kind: error.kind(),
                message: error.to_string(),
                causes: error.causes(),
                hints: error.hints().to_vec(),
            },
            written: written.iter().map(|file| project::shown(file)).collect(),
        }
    }

    pub(in crate::commands) fn is_of(&self, agent: &Installable) -> bool {
        self.agent == agent.name()
    }

    /// The agent, for people.
    pub(in crate::commands) fn title(&self) -> &'static str {
        self.title
    }

    /// Whether something was written all the same.
    pub(in crate::commands) fn has_written(&self) -> bool {
        !self.written.is_empty()
    }

    pub(in crate::commands) fn show(&self, ui: &mut Ui) {
        let Self {
            title,
            attempt,
            error,
            ..
        } = self;
        let done = attempt.done();
        let outcome = if self.has_written() {
            format!("Only a part is {done}")
        } else {
            format!("Not {done}")
        };
        ui.line(Text::styled(
            format!("{outcome} for {title}: {}", error.message),
            style::BAD,
        ));
        for cause in &error.causes {
            ui.line(format!("  cause: {cause}"));
        }
        for hint in &error.hints {
            ui.line(format!("  hint: {hint}"));
        }
        if self.has_written() {
            ui.line(format!("  written before: {}", self.written.join(", ")));
        }
        let scope = match self.scope {
            InstallScope::User => String::new(),
            scope => format!(" --scope {}", scope.as_str()),
        };
        ui.line(format!(
            "`bowline {} --agent {}{scope}` tries it again.",
            attempt.command(),
            self.agent
        ));
    }
}
