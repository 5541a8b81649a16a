//! Questions about orchestrator mode: who was stopped, and the end of that.

use bowline_guidance::orchestrator::{Kept, NAME, ProjectState, State};
use bowline_store::{MemoryOf, Result, Store};
use chrono::{DateTime, Utc};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::arguments::Arguments;
use super::{Access, Question};

/// What is known of a project and its sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overview {
    /// Whether a person has switched it off for the project.
    pub off: bool,
    /// The sessions that something is known of, the last changed first.
    pub sessions: Vec<OfSession>,
}

/// What is known of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfSession {
    /// The agent's name for the session.
    pub session: String,
    /// Its state; none if that cannot be read, which is as good as off.
    pub state: Option<State>,
    /// When it last changed.
    pub at: DateTime<Utc>,
}

fn overview(store: &dyn Store, project: &str, session: Option<&str>) -> Result<Overview> {
    let of_project: ProjectState = read(store.remembered(MemoryOf::Project, project, NAME)?);
    let found = store.remembered_of_sessions(project, NAME)?.into_iter();
    let sessions = found
        .filter(|it| session.is_none_or(|session| it.session == session))
        .map(|it| OfSession {
            session: it.session,
            state: match Kept::from(it.state) {
                Kept::State(state) => Some(state),
                Kept::Unreadable(_) => None,
            },
            at: it.at,
        });
    Ok(Overview {
        off: of_project.off,
        sessions: sessions.collect(),
    })
}

fn read<T: DeserializeOwned + Default>(state: Option<Value>) -> T {
    state
        .and_then(|state| serde_json::from_value(state).ok())
        .unwrap_or_default()
}

fn keep<T: Serialize>(store: &dyn Store, of: MemoryOf, name: &str, state: &T) -> Result<()> {
    let state = serde_json::to_value(state).unwrap_or_default();
    store.remember(of, name, NAME, &state)
}

/// `orchestrator.status`: what is known of a project and its sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Status {
    /// The project's folder.
    pub project: String,
    /// This session alone.
    pub session: Option<String>,
}

impl Question for Status {
    const COMMAND: &'static str = "orchestrator.status";
    type Answer = Overview;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let (project, session) = (arguments.needed_text("project"), arguments.text("session"));
        Some(Self {
            project: project?,
            session,
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        overview(store, &self.project, self.session.as_deref())
    }
}

/// `orchestrator.reset`: forgets what was counted against a session, or against all of the project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Reset {
    /// The project's folder.
    pub project: String,
    /// This session alone.
    pub session: Option<String>,
}

impl Question for Reset {
    const COMMAND: &'static str = "orchestrator.reset";
    const ACCESS: Access = Access::Changes;
    type Answer = Overview;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let (project, session) = (arguments.needed_text("project"), arguments.text("session"));
        Some(Self {
            project: project?,
            session,
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let names: Vec<String> = if let Some(session) = &self.session {
            vec![session.clone()]
        } else {
            let all = store.remembered_of_sessions(&self.project, NAME)?;
            all.into_iter().map(|it| it.session).collect()
        };
        for name in &names {
            // A session of which nothing is known has nothing to be reset.
            if let Some(state) = store.remembered(MemoryOf::Session, name, NAME)? {
                let state = Kept::from(state).reset();
                keep(store, MemoryOf::Session, name, &state)?;
            }
        }
        overview(store, &self.project, self.session.as_deref())
    }
}

/// `orchestrator.switch`: switches orchestrator mode off or on for a session, or for the project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Switch {
    /// The project's folder.
    pub project: String,
    /// This session alone.
    pub session: Option<String>,
    /// Whether it is off from now on.
    pub off: bool,
}

impl Question for Switch {
    const COMMAND: &'static str = "orchestrator.switch";
    const ACCESS: Access = Access::Changes;
    type Answer = Overview;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let (project, session) = (arguments.needed_text("project"), arguments.text("session"));
        let off = arguments.needed_value("off", "true or false");
        Some(Self {
            project: project?,
            session,
            off: off?,
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let off = self.off;
        match &self.session {
            Some(session) => {
                let before = store.remembered(MemoryOf::Session, session, NAME)?;
                let state = match Kept::from(before.unwrap_or_default()) {
                    Kept::State(state) => State { off, ..state },
                    Kept::Unreadable(_) => State {
                        off,
                        ..State::default()
                    },
                };
                keep(store, MemoryOf::Session, session, &state)?;
            }
            None => keep(
                store,
                MemoryOf::Project,
                &self.project,
                &ProjectState { off },
            )?,
        }
        overview(store, &self.project, self.session.as_deref())
    }
}
