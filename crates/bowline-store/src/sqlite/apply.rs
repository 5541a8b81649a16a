//! One record, written within the transaction of the caller.

use rusqlite::{Connection, OptionalExtension, params};

use super::memory::{KnownSession, Memory};
use super::stretches::Whose;
use super::{failures, hook_memory, hooks, keys, millis};
use crate::error::{Error, Result};
use crate::record::{Change, Record, decision};
use crate::store::SkippedChange;
use crate::writer::Applied;

/// A record being written.
pub(super) struct Apply<'a> {
    pub(super) db: &'a Connection,
    pub(super) memory: &'a mut Memory,
    pub(super) record: &'a Record,
    /// The record's time.
    pub(super) at: i64,
    pub(super) skipped: Vec<SkippedChange>,
    /// The tool call that the record began or ended.
    pub(super) call: Option<RecordedCall>,
}

/// A tool call that was written.
#[derive(Debug)]
pub(super) struct RecordedCall {
    pub(super) row: i64,
    /// What went wrong in it.
    pub(super) error: Option<String>,
}

/// Whether an event was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inserted {
    /// Under this number.
    New(i64),
    Known,
}

/// Two events of one millisecond may get the same number. The later takes the next free one, at most this far away.
const MAX_NEIGHBOURS: i64 = 1_000;

impl<'a> Apply<'a> {
    pub(super) fn new(db: &'a Connection, memory: &'a mut Memory, record: &'a Record) -> Self {
        Self {
            db,
            memory,
            record,
            at: millis(record.decided.time),
            skipped: Vec::new(),
            call: None,
        }
    }

    pub(super) fn run(mut self) -> Result<Applied> {
        let project = match &self.record.decided.project {
            Some(path) => Some(self.memory.project(self.db, path, self.at)?),
            None => None,
        };
        // Starting a session always makes a row, which must not be made twice.
        if self.starts_session() && self.is_known()? {
            return Ok(Applied::Known);
        }
        let session = self.session(project)?;
        let Inserted::New(number) = self.insert_event(project, session.as_ref())? else {
            return Ok(Applied::Known);
        };
        let whose = [
            session.as_ref().map(|session| Whose::Chain(session.chain)),
            self.record.decided.tool.as_deref().map(Whose::tool),
            project.map(Whose::Project),
            Some(Whose::agent(&self.record.decided.agent)),
        ];
        let noted = &mut self.memory.noted;
        noted.note(self.db, number, whose.into_iter().flatten())?;
        match session {
            None if self.record.changes.is_empty() => {}
            None => self.skipped.push(SkippedChange::NoSession),
            Some(session) => {
                self.memory.touch(session.id, self.at);
                for change in &self.record.changes {
                    self.change(change, &session)?;
                }
                if self.skipped.is_empty() {
                    self.note_for_search(number, project, &session);
                }
            }
        }
        Ok(Applied::Recorded(self.skipped))
    }

    /// The numbers that this event may have.
    fn numbers(&self) -> std::ops::Range<i64> {
        let first = keys::event(&self.record.decided.id, self.record.decided.time);
        first..first.saturating_add(MAX_NEIGHBOURS)
    }

    /// Which event has a number.
    fn event_at(&self, number: i64) -> Result<Option<String>> {
        Ok(self
            .db
            .prepare_cached("SELECT event_id FROM events WHERE id = ?1")?
            .query_row([number], |row| row.get(0))
            .optional()?)
    }

    fn is_known(&self) -> Result<bool> {
        for number in self.numbers() {
            match self.event_at(number)? {
                None => return Ok(false),
                Some(id) if id == self.record.decided.id => return Ok(true),
                Some(_) => {}
            }
        }
        Ok(false)
    }

    /// Writes the event under the first number that is free. Nearly always that is the first, and nothing need be read.
    fn insert_event(
        &self,
        project: Option<i64>,
        session: Option<&KnownSession>,
    ) -> Result<Inserted> {
        let record = self.record;
        let duration = i64::try_from(record.decided.duration.as_micros()).unwrap_or(i64::MAX);
        let hooks = hooks::to_text(&record.decided.hooks)?;
        let mut insert = self.db.prepare_cached(
            "INSERT INTO events (id, event_id, at, agent, event, project_id, chain_id, session_id, subagent, tool,
                tool_use_id, decision, reason, enforcement, duration_us, hooks, rule)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
             ON CONFLICT (id) DO NOTHING",
        )?;
        for number in self.numbers() {
            let inserted = insert.execute(params![
                number,
                record.decided.id,
                self.at,
                record.decided.agent,
                record.decided.event,
                project,
                session.map(|session| session.chain),
                session.map(|session| session.id),
                record
                    .decided
                    .subagent
                    .as_ref()
                    .map(|subagent| &subagent.id),
                record.decided.tool,
                record.decided.tool_use_id,
                decision::as_str(record.decided.decision),
                record.decided.reason,
                record.decided.enforcement.as_str(),
                duration,
                hooks,
                record.decided.rule,
            ])?;
            if inserted > 0 {
                return Ok(Inserted::New(number));
            }
            if self
                .event_at(number)?
                .is_some_and(|id| id == record.decided.id)
            {
                return Ok(Inserted::Known);
            }
        }
        Err(Error::Backend(format!(
            "there is no number left for the event `{}`",
            record.decided.id
        )))
    }

    fn change(&mut self, change: &Change, session: &KnownSession) -> Result<()> {
        match change {
            // Done before the event was written.
            Change::SessionStarted { .. } => Ok(()),
            Change::SessionEnded { reason, unfinished } => {
                self.end_session(session, reason.as_deref(), *unfinished)
            }
            Change::PromptGiven { text } => self.give_prompt(session, text.as_deref()),
            Change::TraceStarted(start) => self.start_trace(session, start),
            Change::TraceEnded(end) => self.end_trace(session, end),
            Change::TraceClosed { call, how, message } => {
                self.close_trace(session, call, *how, message.as_deref())
            }
            Change::Worked { call, work } => self.keep_work(session, call, work),
            Change::DelegationStarted(start) => self.start_delegation(session, start),
            Change::SubagentStarted => self.start_subagent(session),
            Change::DelegationEnded(end) => self.end_delegation(session, end),
            Change::EffortJoined { .. }
            | Change::HeartbeatCounted
            | Change::ContextUsed { .. }
            | Change::AgentStatus(_)
            | Change::Said(_)
            | Change::FilesLoaded { .. }
            | Change::FilesPreloaded { .. }
            | Change::Todos { .. }
            | Change::FilesEdited { .. }
            | Change::TranscriptRead { .. } => self.change_continuity(change, session),
            Change::Remembered { of, hook, state } => {
                hook_memory::keep(self, session, *of, hook, state)
            }
            Change::Failed(call) => failures::failed(self, session, call),
            Change::FailureFixed { failure, by } => {
                failures::fixed(self, session, failure, by.as_deref())
            }
        }
    }
}
