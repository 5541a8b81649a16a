//! Questions about tasks, efforts and notes, and what can be done with them.

use std::path::PathBuf;

use bowline_builtins::continuity::{Desk, Done};
use bowline_continuity::action::{EffortDetails, TaskSummary, Who};
use bowline_continuity::effort::{Effort, EffortId};
use bowline_continuity::effort_command::EffortCommand;
use bowline_continuity::note::Note;
use bowline_store::{Result, Store};
use chrono::Utc;
use serde::Serialize;

use super::arguments::Arguments;
use super::{Access, Question};

/// How many tasks and efforts are listed by default.
pub const DEFAULT_LIMIT: usize = 100;

/// The variable by which an agent's shells know the agent's name for its session.
pub const SESSION_VARIABLE: &str = "BOWLINE_SESSION";

/// The same, with the variable that scripts written for the tracker HtmlGraph look for. Others set it, too.
pub const SESSION_VARIABLES: [&str; 2] = [SESSION_VARIABLE, "HTMLGRAPH_SESSION_ID"];

/// Who asks, as the caller knows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Asker {
    /// The project's folder.
    pub project: String,
    /// Where the caller is; the project's folder by default.
    pub folder: Option<String>,
    /// The agent's name in its fleet (`AGENT_ID`).
    pub agent_id: Option<String>,
    /// The agent's name for its session.
    pub session: Option<String>,
}

impl Asker {
    pub(super) fn read(arguments: &mut Arguments) -> Option<Self> {
        let project = arguments.needed_text("project");
        let asker = Self {
            folder: arguments.text("folder"),
            agent_id: arguments.text("agent_id"),
            session: arguments.text("session"),
            project: project?,
        };
        Some(asker)
    }

    pub(super) fn who(&self) -> Who {
        Who {
            folder: self.folder.clone().unwrap_or_else(|| self.project.clone()),
            project: Some(self.project.clone()),
            agent_id: self.agent_id.clone().filter(|id| id != "default"),
            session: self.session.clone(),
            subagent: None,
        }
    }
}

/// `tasks.list`: tasks, newest first; 100 by default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Tasks {
    /// Of this project's folder.
    pub project: Option<String>,
    /// At most this many.
    pub limit: Option<usize>,
}

impl Question for Tasks {
    const COMMAND: &'static str = "tasks.list";
    type Answer = Vec<TaskSummary>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        Some(Self {
            project: arguments.text("project"),
            limit: arguments.limit("limit"),
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT);
        store.continuity().tasks(self.project.as_deref(), limit)
    }
}

/// `tasks.get`: a task by its folder; null if there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskOf {
    /// Its folder.
    pub folder: String,
}

impl Question for TaskOf {
    const COMMAND: &'static str = "tasks.get";
    type Answer = Option<TaskSummary>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let folder = arguments.needed_text("folder")?;
        Some(Self { folder })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        store.continuity().task(&self.folder)
    }
}

/// `tasks.new`: makes a task. One that exists stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct NewTask {
    /// The project's folder.
    pub project: String,
    /// The task's name.
    pub name: String,
    /// Its title.
    pub title: Option<String>,
    /// What it is about.
    pub description: Option<String>,
}

impl Question for NewTask {
    const COMMAND: &'static str = "tasks.new";
    const ACCESS: Access = Access::Changes;
    type Answer = Option<TaskSummary>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let (project, name) = (
            arguments.needed_text("project"),
            arguments.needed_text("name"),
        );
        let (title, description) = (arguments.text("title"), arguments.text("description"));
        Some(Self {
            project: project?,
            name: name?,
            title,
            description,
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let project = PathBuf::from(&self.project);
        let home = std::env::home_dir();
        let desk = Desk::new(store, &project, home.as_deref());
        let (title, description) = (self.title.as_deref(), self.description.as_deref());
        let task = desk.new_task(&self.name, title, description, Utc::now())?;
        Ok(Some(task))
    }
}

/// `efforts.list`: efforts, newest first; 100 by default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Efforts {
    /// Of this project's folder.
    pub project: Option<String>,
    /// At most this many.
    pub limit: Option<usize>,
}

impl Question for Efforts {
    const COMMAND: &'static str = "efforts.list";
    type Answer = Vec<Effort>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        Some(Self {
            project: arguments.text("project"),
            limit: arguments.limit("limit"),
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT);
        store.continuity().efforts(self.project.as_deref(), limit)
    }
}

/// `efforts.get`: everything about an effort; null if there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct EffortOf {
    /// Which one; by default the caller's.
    pub effort: Option<i64>,
    /// Who asks.
    #[serde(flatten)]
    pub asker: Asker,
}

impl Question for EffortOf {
    const COMMAND: &'static str = "efforts.get";
    type Answer = Option<EffortDetails>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let effort = arguments.number("effort");
        let asker = Asker::read(arguments)?;
        Some(Self { effort, asker })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let store = store.continuity();
        let effort = if let Some(number) = self.effort {
            Some(EffortId(number))
        } else {
            let resolved = store.resolve(&self.asker.who())?;
            resolved.effort.map(|effort| effort.id)
        };
        match effort {
            Some(effort) => store.effort(effort),
            None => Ok(None),
        }
    }
}

/// `efforts.perform`: begins an effort, logs, changes the phase, leaves a summary, finishes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Perform {
    /// What to do.
    pub command: EffortCommand,
    /// With which effort; by default with the caller's.
    pub effort: Option<i64>,
    /// Who asks.
    #[serde(flatten)]
    pub asker: Asker,
}

impl Question for Perform {
    const COMMAND: &'static str = "efforts.perform";
    const ACCESS: Access = Access::Changes;
    type Answer = Option<Done>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let expected = "an object such as {\"log\": {\"text\": \"what was done\"}}";
        let command = arguments.needed_value("command", expected);
        let effort = arguments.number("effort");
        let asker = Asker::read(arguments)?;
        Some(Self {
            command: command?,
            effort,
            asker,
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let project = PathBuf::from(&self.asker.project);
        let home = std::env::home_dir();
        let desk = Desk::new(store, &project, home.as_deref()).about(self.effort.map(EffortId));
        let done = desk.perform(&self.asker.who(), &self.command, Utc::now())?;
        Ok(Some(done))
    }
}

/// `notes.list`: the pinned notes of a project and of the caller's effort, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Notes {
    /// Who asks.
    #[serde(flatten)]
    pub asker: Asker,
}

impl Question for Notes {
    const COMMAND: &'static str = "notes.list";
    type Answer = Vec<Note>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let asker = Asker::read(arguments)?;
        Some(Self { asker })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let store = store.continuity();
        let effort = store.resolve(&self.asker.who())?.effort;
        let effort = effort.map(|effort| effort.id);
        store.notes(&self.asker.project, effort)
    }
}

/// `notes.add`: pins a note.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct AddNote {
    /// What it says.
    pub text: String,
    /// To which effort; by default to the project.
    pub effort: Option<i64>,
    /// Who pins it.
    #[serde(flatten)]
    pub asker: Asker,
}

impl Question for AddNote {
    const COMMAND: &'static str = "notes.add";
    const ACCESS: Access = Access::Changes;
    type Answer = Option<Note>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let (text, effort) = (arguments.needed_text("text"), arguments.number("effort"));
        let asker = Asker::read(arguments)?;
        Some(Self {
            text: text?,
            effort,
            asker,
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let project = PathBuf::from(&self.asker.project);
        let home = std::env::home_dir();
        let desk = Desk::new(store, &project, home.as_deref());
        let effort = self.effort.map(EffortId);
        let pinned = desk.pin(&self.asker.who(), effort, &self.text, Utc::now())?;
        Ok(Some(pinned))
    }
}

/// `notes.remove`: removes a note of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RemoveNote {
    /// The project's folder.
    pub project: String,
    /// The note's number.
    pub note: i64,
}

impl Question for RemoveNote {
    const COMMAND: &'static str = "notes.remove";
    const ACCESS: Access = Access::Changes;
    type Answer = Option<Note>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let (project, note) = (
            arguments.needed_text("project"),
            arguments.needed_number("note"),
        );
        Some(Self {
            project: project?,
            note: note?,
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let removed = store.continuity().remove_note(&self.project, self.note)?;
        Ok(Some(removed))
    }
}
