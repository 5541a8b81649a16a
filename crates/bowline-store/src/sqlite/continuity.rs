//! Tasks, efforts, notes and the fleet. Questions are read like all others. Changes are made by the writing thread, each in a transaction
//! of its own, which a refusal rolls back.

mod agents;
mod apply;
mod efforts;
mod forget;
mod hand_over;
mod leases;
mod messages;
mod notes;
mod resolve;
mod rows;
mod running;
mod sessions;
mod skills;
mod tasks;
#[cfg(test)]
mod tests;

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bowline_continuity::action::{
    Begun, EffortDetails, EffortStart, HandOver, MetadataPatch, PhaseRequest, Resolved,
    TaskSummary, Who,
};
use bowline_continuity::effort::{Effort, EffortId, Injection};
use bowline_continuity::fleet::{AgentStatus, FleetAgent};
use bowline_continuity::lease::{Lease, LeaseAnswer, LeaseRequest};
use bowline_continuity::message::Message;
use bowline_continuity::note::{Note, Todo};
use bowline_continuity::session::{Dehydrated, SessionState};
use bowline_continuity::skill::Skill;
use bowline_continuity::task::Task;
use chrono::{DateTime, Utc};
use rusqlite::Connection;

use super::readers::snapshot;
use super::{SqliteStore, millis};
use crate::caps;
use crate::continuity::Continuity;
use crate::error::{Error, Result, Unavailable};
use crate::running::Running;
use crate::writer::Drained;

pub(super) use agents::{end as end_agent, go_on};
pub(super) use forget::{OLD_SESSIONS, all, before, of_chain, of_project, with_old_sessions};
pub(super) use leases::end_leases;

/// How long a change waits for other processes to release the database.
const PATIENCE: Duration = Duration::from_secs(2);

impl SqliteStore {
    /// Several statements that see the same moment.
    pub(super) fn look<T>(&self, what: impl Fn(&Connection) -> Result<T>) -> Result<T> {
        self.read(|db| snapshot(db, &what))
    }

    /// Makes a change on the writing thread, completely or not at all.
    pub(super) fn change<T: Send + 'static>(
        &self,
        what: impl FnMut(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (value, rows) = self.transact(what)?;
        if rows > 0 {
            self.foreign_writes.fetch_add(1, Ordering::Release);
        }
        Ok(value)
    }

    /// Makes a change on the writing thread, and says how many rows it changed.
    fn transact<T: Send + 'static>(
        &self,
        mut what: impl FnMut(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<(T, u64)> {
        let until = Instant::now() + PATIENCE;
        self.on_writer(move |writer| {
            // The session that it is about may still be in the spool.
            if writer.drain_step() == Drained::Some && Instant::now() < until {
                return Ok(None);
            }
            let changed = writer.backend.whole(|backend| backend.change(&mut what));
            match changed {
                // Records are not kept waiting while another process holds the database.
                Err(Error::Unavailable {
                    why: Unavailable::Locked,
                    ..
                }) if Instant::now() < until => Ok(None),
                other => other.map(Some),
            }
        })
    }

    /// As [`Self::change`], for what nobody keeps a copy of.
    pub(super) fn change_uncopied<T: Send + 'static>(
        &self,
        what: impl FnMut(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.transact(what).map(|(value, _)| value)
    }
}

impl Continuity for SqliteStore {
    fn resolve(&self, who: &Who) -> Result<Resolved> {
        self.look(|db| resolve::find(db, who)).map(Resolved::from)
    }

    fn knows_session(&self, session: &str) -> Result<bool> {
        self.read(|db| resolve::row_named(db, session, None))
            .map(|row| row.is_some())
    }

    fn effort(&self, id: EffortId) -> Result<Option<EffortDetails>> {
        self.look(|db| efforts::details(db, id))
    }

    fn efforts(&self, project: Option<&str>, limit: usize) -> Result<Vec<Effort>> {
        self.look(|db| efforts::list(db, project, limit))
    }

    fn tasks(&self, project: Option<&str>, limit: usize) -> Result<Vec<TaskSummary>> {
        self.look(|db| tasks::list(db, project, limit))
    }

    fn task(&self, folder: &str) -> Result<Option<TaskSummary>> {
        self.look(|db| tasks::one(db, folder))
    }

    fn fleet(
        &self,
        project: Option<&str>,
        ended_since: Option<DateTime<Utc>>,
    ) -> Result<Vec<FleetAgent>> {
        self.look(|db| agents::fleet(db, project, ended_since))
    }

    fn running(&self, ended_since: DateTime<Utc>) -> Result<Vec<Running>> {
        self.look(|db| running::running(db, ended_since))
    }

    fn notes(&self, project: &str, effort: Option<EffortId>) -> Result<Vec<Note>> {
        self.look(|db| notes::of_folder(db, project, effort))
    }

    fn messages(&self, session: &str, limit: usize) -> Result<Vec<(DateTime<Utc>, Message)>> {
        self.look(|db| messages::list(db, session, limit))
    }

    fn transcript_position(&self, path: &str) -> Result<u64> {
        self.read(|db| messages::position(db, path))
    }

    fn skill(&self, project: &str, name: &str) -> Result<Option<Skill>> {
        self.look(|db| skills::one(db, project, name))
    }

    fn keep_skill(&self, project: &str, skill: &Skill, at: DateTime<Utc>) -> Result<()> {
        let (project, skill) = (project.to_owned(), skill.clone());
        self.change(move |db| skills::keep(db, &project, &skill, millis(at)))
    }

    fn forget_skills(&self, project: &str) -> Result<()> {
        let project = project.to_owned();
        self.change(move |db| skills::forget(db, &project))
    }

    fn todos(&self, session: &str) -> Result<Vec<Todo>> {
        self.look(|db| hand_over::todos_of(db, session))
    }

    fn new_task(&self, task: &Task) -> Result<TaskSummary> {
        let task = task.clone();
        self.change(move |db| tasks::new(db, &task))
    }

    fn start_effort(&self, start: &EffortStart, at: DateTime<Utc>) -> Result<Begun> {
        let start = start.clone();
        self.change(move |db| efforts::start(db, &start, millis(at)))
    }

    fn resume_effort(
        &self,
        who: &Who,
        effort: Option<EffortId>,
        task: Option<&str>,
        at: DateTime<Utc>,
    ) -> Result<Begun> {
        let (who, task) = (who.clone(), task.map(str::to_owned));
        self.change(move |db| efforts::resume(db, &who, effort, task.as_deref(), millis(at)))
    }

    fn change_phase(
        &self,
        effort: EffortId,
        who: &Who,
        request: &PhaseRequest,
        at: DateTime<Utc>,
    ) -> Result<Effort> {
        let (who, request) = (who.clone(), request.clone());
        self.change(move |db| efforts::change_phase(db, effort, &who, &request, millis(at)))
    }

    fn logged(&self, effort: EffortId, who: &Who, at: DateTime<Utc>) -> Result<()> {
        let who = who.clone();
        self.change(move |db| efforts::logged(db, effort, &who, millis(at)))
    }

    fn patch_metadata(&self, patch: &MetadataPatch) -> Result<Effort> {
        let patch = patch.clone();
        self.change(move |db| efforts::patch_metadata(db, &patch))
    }

    fn take_injections(&self, effort: EffortId) -> Result<Vec<Injection>> {
        self.change(move |db| efforts::take_injections(db, effort))
    }

    fn dehydrate(
        &self,
        who: &Who,
        effort: EffortId,
        payload: &Dehydrated,
        at: DateTime<Utc>,
    ) -> Result<SessionState> {
        let (who, payload) = (who.clone(), payload.clone());
        self.change(move |db| sessions::dehydrate(db, &who, effort, &payload, millis(at)))
    }

    fn finish_effort(&self, effort: EffortId, at: DateTime<Utc>) -> Result<Effort> {
        self.change(move |db| efforts::finish(db, effort, at))
    }

    fn hand_over(&self, who: &Who, call: &str) -> Result<HandOver> {
        let prepared = self.look(|db| hand_over::prepare(db, who, call))?;
        let mut told = prepared.told;
        if let Some(effort) = prepared.unclaimed {
            let call = call.to_owned();
            told.dehydrated = self.change(move |db| hand_over::claim(db, effort, &call))?;
        }
        Ok(told)
    }

    fn add_note(
        &self,
        who: &Who,
        project: &str,
        effort: Option<EffortId>,
        text: &str,
        at: DateTime<Utc>,
    ) -> Result<Note> {
        let (who, project, text) = (who.clone(), project.to_owned(), text.to_owned());
        self.change(move |db| notes::add(db, &who, &project, effort, &text, millis(at)))
    }

    fn remove_note(&self, project: &str, id: i64) -> Result<Note> {
        let project = project.to_owned();
        self.change(move |db| notes::remove(db, &project, id))
    }

    fn set_usage(&self, session: &str, used: f64) -> Result<()> {
        let who = Who {
            session: Some(session.to_owned()),
            ..Who::default()
        };
        self.change(move |db| match resolve::session_row(db, &who)? {
            Some(row) => agents::use_context(db, row.id, row.id, used),
            None => Ok(()),
        })
    }

    fn set_status(
        &self,
        session: &str,
        status: AgentStatus,
        waiting_for: Option<&str>,
        at: DateTime<Utc>,
    ) -> Result<()> {
        let who = Who {
            session: Some(session.to_owned()),
            ..Who::default()
        };
        let waiting_for = caps::text(waiting_for);
        self.change(move |db| match resolve::session_row(db, &who)? {
            Some(row) => agents::set_status(db, row.id, status, waiting_for.as_deref(), millis(at)),
            None => Ok(()),
        })
    }

    fn seen(&self, agents: &[String], at: DateTime<Utc>) -> Result<usize> {
        let agents = agents.to_vec();
        self.change(move |db| agents::seen(db, &agents, millis(at)))
    }

    fn lease(&self, request: &LeaseRequest) -> Result<Vec<LeaseAnswer>> {
        let request = caps::lease_request(request)?;
        self.change_uncopied(move |db| leases::take(db, &request))
    }

    fn leases(&self, limit: usize) -> Result<Vec<Lease>> {
        self.look(|db| leases::list(db, limit))
    }

    fn release_leases(&self, paths: &[String]) -> Result<Vec<Lease>> {
        let paths = paths.to_vec();
        self.change_uncopied(move |db| leases::release(db, &paths))
    }

    fn foreign_writes(&self) -> u64 {
        self.foreign_writes.load(Ordering::Acquire)
    }
}
