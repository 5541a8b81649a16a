//! What lets work outlive a context window, as the rest of Bowline asks for it: tasks, efforts, what their sessions leave for each
//! other, notes, and the fleet.

use bowline_continuity::action::{
    Begun, EffortDetails, EffortStart, HandOver, MetadataPatch, PhaseRequest, Resolved,
    TaskSummary, Who,
};
use bowline_continuity::effort::{Effort, EffortId, Injection};
use bowline_continuity::fleet::{AgentStatus, FleetAgent, Process};
use bowline_continuity::lease::{Lease, LeaseAnswer, LeaseRequest};
use bowline_continuity::message::Message;
use bowline_continuity::note::{Note, Todo};
use bowline_continuity::session::{Dehydrated, SessionState};
use bowline_continuity::skill::Skill;
use bowline_continuity::task::Task;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::running::Running;

/// What an event says about an agent of the fleet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentSignal {
    /// `AGENT_ID`, unless it is empty or `default`. Without it the session's name is the agent's.
    pub id: Option<String>,
    /// What it is shown as.
    pub label: Option<String>,
    /// What it is doing.
    pub status: AgentStatus,
    /// What it waits for.
    pub waiting_for: Option<String>,
    /// The folder that it works in.
    pub folder: Option<String>,
    /// Its process.
    pub process: Option<Process>,
    /// The effort that it works on.
    pub effort: Option<EffortId>,
}

impl AgentSignal {
    /// A status with nothing else known. What is not known stays as it was.
    pub const fn new(status: AgentStatus) -> Self {
        Self {
            id: None,
            label: None,
            status,
            waiting_for: None,
            folder: None,
            process: None,
            effort: None,
        }
    }
}

/// Keeps tasks, efforts, notes and the fleet. What comes with an event is a [`Change`](crate::Change) of its record; the rest is here.
///
/// Questions about what is unknown have an empty answer. A change is made completely or not at all.
pub trait Continuity: Send + Sync {
    /// Finds the project, the effort and the session of somebody.
    ///
    /// The effort is the one that `AGENT_ID` is bound to, else the session's, else the current one of the project: the active
    /// one that was started or resumed last. Without a session's name the session is the effort's newest open one.
    fn resolve(&self, who: &Who) -> Result<Resolved>;

    /// Whether something was recorded under an agent's name for a session.
    fn knows_session(&self, session: &str) -> Result<bool>;

    /// An effort with everything about it.
    fn effort(&self, id: EffortId) -> Result<Option<EffortDetails>>;

    /// Efforts of a project, or of all, newest first.
    fn efforts(&self, project: Option<&str>, limit: usize) -> Result<Vec<Effort>>;

    /// Tasks of a project, or of all, newest first.
    fn tasks(&self, project: Option<&str>, limit: usize) -> Result<Vec<TaskSummary>>;

    /// A task by its folder.
    fn task(&self, folder: &str) -> Result<Option<TaskSummary>>;

    /// The agents whose session is open, and those whose session ended at this time or later.
    fn fleet(
        &self,
        project: Option<&str>,
        ended_since: Option<DateTime<Utc>>,
    ) -> Result<Vec<FleetAgent>>;

    /// The same agents of all projects, with what their sessions do. Costs a few look-ups for each.
    fn running(&self, ended_since: DateTime<Utc>) -> Result<Vec<Running>>;

    /// The notes of a project, then those of an effort, oldest first.
    fn notes(&self, project: &str, effort: Option<EffortId>) -> Result<Vec<Note>>;

    /// The last messages under an agent's name for a session, oldest first.
    fn messages(&self, session: &str, limit: usize) -> Result<Vec<(DateTime<Utc>, Message)>>;

    /// How far a transcript was read; see [`Change::TranscriptRead`](crate::Change::TranscriptRead).
    fn transcript_position(&self, path: &str) -> Result<u64>;

    /// A skill of a project.
    fn skill(&self, project: &str, name: &str) -> Result<Option<Skill>>;

    /// Keeps a skill of a project as its file has it.
    fn keep_skill(&self, project: &str, skill: &Skill, at: DateTime<Utc>) -> Result<()>;

    /// Forgets the skills of a project. Their files are read anew when they are next needed.
    fn forget_skills(&self, project: &str) -> Result<()>;

    /// The to-do list under an agent's name for a session.
    fn todos(&self, session: &str) -> Result<Vec<Todo>>;

    /// Makes a task. If it exists, it stays as it is.
    fn new_task(&self, task: &Task) -> Result<TaskSummary>;

    /// Begins an effort, or takes up the active one of the same task and skill. Binds the session and the agent to it, makes it the
    /// current one of its project, and makes the task if it is missing.
    fn start_effort(&self, start: &EffortStart, at: DateTime<Utc>) -> Result<Begun>;

    /// Takes up an active effort: this one, else the newest of the task, else the one that [`Continuity::resolve`] finds.
    /// It becomes the current one of its project.
    fn resume_effort(
        &self,
        who: &Who,
        effort: Option<EffortId>,
        task: Option<&str>,
        at: DateTime<Utc>,
    ) -> Result<Begun>;

    /// Changes the phase, if the rules allow it. The heartbeats of the effort's open sessions begin anew.
    fn change_phase(
        &self,
        effort: EffortId,
        who: &Who,
        request: &PhaseRequest,
        at: DateTime<Utc>,
    ) -> Result<Effort>;

    /// Something was logged: the heartbeat of the session begins anew; if no session is named, those of all open ones of the effort.
    fn logged(&self, effort: EffortId, who: &Who, at: DateTime<Utc>) -> Result<()>;

    /// Sets and removes keys of an effort's metadata.
    fn patch_metadata(&self, patch: &MetadataPatch) -> Result<Effort>;

    /// Takes what the agent is to be told: once, and in order.
    fn take_injections(&self, effort: EffortId) -> Result<Vec<Injection>>;

    /// Keeps what a session leaves for the next one of its effort. The effort is no longer being dehydrated.
    fn dehydrate(
        &self,
        who: &Who,
        effort: EffortId,
        payload: &Dehydrated,
        at: DateTime<Utc>,
    ) -> Result<SessionState>;

    /// Finishes an effort, for good.
    fn finish_effort(&self, effort: EffortId, at: DateTime<Utc>) -> Result<Effort>;

    /// What a session that begins is told. What an earlier session of the effort left goes to the first call that asks; the same call
    /// gets it again, no other ever.
    fn hand_over(&self, who: &Who, call: &str) -> Result<HandOver>;

    /// Pins a note to a project or an effort.
    fn add_note(
        &self,
        who: &Who,
        project: &str,
        effort: Option<EffortId>,
        text: &str,
        at: DateTime<Utc>,
    ) -> Result<Note>;

    /// Removes a note of a project, and gives it back.
    fn remove_note(&self, project: &str, id: i64) -> Result<Note>;

    /// The used part of a session's context window, from 0 to 1, as the agent says it outside of an event.
    fn set_usage(&self, session: &str, used: f64) -> Result<()>;

    /// What a session's agent is doing, as it is known outside of an event. Of an unknown session nothing is kept.
    fn set_status(
        &self,
        session: &str,
        status: AgentStatus,
        waiting_for: Option<&str>,
        at: DateTime<Utc>,
    ) -> Result<()>;

    /// A person has looked at agents, named by their ids or the beginnings of these; all if none is named. Says how many had waited for
    /// that.
    fn seen(&self, agents: &[String], at: DateTime<Utc>) -> Result<usize>;

    /// Takes the leases of files for a session, or none of them if another session has one. The answers are in the order of the files.
    ///
    /// A lease ends with the sessions of its chain, and when these have not been heard of for as long as the request says.
    fn lease(&self, request: &LeaseRequest) -> Result<Vec<LeaseAnswer>>;

    /// The leases, those of active holders first. One whose time is over is listed until somebody else takes a file.
    fn leases(&self, limit: usize) -> Result<Vec<Lease>>;

    /// Ends the leases of files, and gives them back.
    fn release_leases(&self, paths: &[String]) -> Result<Vec<Lease>>;

    /// Grows when another process has written, as far as this one has noticed, and with every change that is made here. Whoever keeps a
    /// copy reads it anew when the number differs.
    fn foreign_writes(&self) -> u64;
}
