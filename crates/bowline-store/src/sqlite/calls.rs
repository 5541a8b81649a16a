//! Tool calls, written: each begins, and ends or is closed.

use rusqlite::{OptionalExtension, params};

use super::apply::{Apply, RecordedCall};
use super::memory::KnownSession;
use super::open_calls::{GENERATED, OpenCall};
use super::{keys, millis, traces};
use crate::error::Result;
use crate::record::{CallKey, TraceEnd, TraceStart, Unfinished};
use crate::status::TraceStatus;
use crate::store::SkippedChange;

/// How a call ended.
struct Finish<'a> {
    status: TraceStatus,
    duration: Option<i64>,
    error: Option<&'a str>,
    output: Option<String>,
}

impl Apply<'_> {
    pub(super) fn start_trace(&mut self, session: &KnownSession, start: &TraceStart) -> Result<()> {
        let row = self.memory.next_trace(self.db)?;
        let (tool_use_id, digest) = match &start.call {
            CallKey::Id(id) => (id.clone(), None),
            CallKey::Unnamed { digest } => {
                (format!("{GENERATED}{row}"), digest.map(u64::cast_signed))
            }
        };
        let open = self.memory.open.of(self.db, session.chain)?;
        if open.by_id(&tool_use_id).is_some() {
            self.skipped
                .push(SkippedChange::AlreadyStarted { tool_use_id });
            return Ok(());
        }
        let parent = start.parent.as_deref().and_then(|id| open.by_id(id));
        let parent_row = parent.map(|parent| parent.row).or(session.spawned_by);
        let named_group = (start.group.clone()).or(parent.map(|parent| parent.group.clone()));
        let group = named_group
            // A prompt in the same record has set the group that this call belongs to.
            .or_else(|| self.memory.session(&self.key())?.group.clone())
            .unwrap_or_else(|| tool_use_id.clone());
        let input = start.input.as_ref().map(serde_json::Value::to_string);
        self.db
            .prepare_cached(
                "INSERT INTO traces (id, tool_use_id, lookup, trace_id, chain_id, session_id, project_id, subagent,
                    parent_id, tool, digest, status, started_at, created_at, tool_input, error_message, native)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 'started', ?12, ?13, ?14, ?15, ?16)",
            )?
            .execute(params![
                row,
                tool_use_id,
                keys::lookup(row, &tool_use_id),
                group,
                session.chain,
                session.id,
                session.project,
                self.record.decided.subagent.as_ref().map(|subagent| &subagent.id),
                parent_row,
                start.tool,
                digest,
                self.at,
                millis(chrono::Utc::now()),
                input,
                start.asked,
                start.native.as_ref().map(serde_json::Value::to_string),
            ])?;
        let begun = OpenCall {
            row,
            tool_use_id,
            group,
            tool: start.tool.clone(),
            digest,
            started_at: self.at,
            session: session.id,
            asked: start.asked.clone(),
        };
        self.memory.open.begun(session.chain, begun);
        self.call = Some(RecordedCall { row, error: None });
        Ok(())
    }

    pub(super) fn end_trace(&mut self, session: &KnownSession, end: &TraceEnd) -> Result<()> {
        let open = self.memory.open.of(self.db, session.chain)?;
        let open = open.find(&end.call, &end.tool);
        let found = match open.map(|open| (open.row, open.started_at)) {
            None => self.refused(session, &end.call)?,
            open => open,
        };
        let Some((row, started_at)) = found else {
            self.note_no_start(&end.call, &end.tool);
            return Ok(());
        };
        let error = end
            .error
            .as_deref()
            .filter(|error| !error.trim().is_empty());
        let status = match (end.status, error) {
            (TraceStatus::Completed | TraceStatus::Started, Some(_)) => TraceStatus::Failed,
            (TraceStatus::Started, None) => TraceStatus::Completed,
            (status, _) => status,
        };
        let duration = match end.duration {
            Some(duration) => i64::try_from(duration.as_millis()).ok(),
            // A start that is no time, or that comes after the end, gives no duration.
            None => Some(self.at - started_at).filter(|ms| *ms >= 0 && started_at > 0),
        };
        if let Some(subagent) = &end.subagent {
            self.name_subagent(session.chain, row, subagent)?;
        }
        if let Some(subagent) = end.subagent.as_ref().or(end.done_by.as_ref()) {
            self.correct_delegation(session.chain, row, subagent)?;
        }
        let finish = Finish {
            status,
            duration,
            error,
            output: end.output.as_ref().map(serde_json::Value::to_string),
        };
        self.finish_trace(session, row, &finish)
    }

    /// A call that was taken for refused, and when it began: the user gave a prompt while it ran.
    fn refused(&self, session: &KnownSession, call: &CallKey) -> Result<Option<(i64, i64)>> {
        let CallKey::Id(id) = call else {
            return Ok(None);
        };
        let Some(row) = traces::row_of(self.db, id)? else {
            return Ok(None);
        };
        let mut select = self.db.prepare_cached(
            "SELECT id, started_at FROM traces WHERE id = ?1 AND chain_id = ?2 AND status = 'refused'",
        )?;
        let found = select.query_row([row, session.chain], |row| Ok((row.get(0)?, row.get(1)?)));
        Ok(found.optional()?)
    }

    pub(super) fn close_trace(
        &mut self,
        session: &KnownSession,
        call: &CallKey,
        how: Unfinished,
        message: Option<&str>,
    ) -> Result<()> {
        let tool = self.record.decided.tool.as_deref().unwrap_or_default();
        let open = self.memory.open.of(self.db, session.chain)?;
        // One that is not open needs no closing.
        let Some(open) = open.find(call, tool) else {
            return Ok(());
        };
        let row = open.row;
        // Our question says more than the fact of a refusal.
        let asked = (open.asked.clone()).filter(|_| how == Unfinished::Refused);
        let finish = Finish {
            status: how.into(),
            duration: None,
            error: asked.as_deref().or(message),
            output: None,
        };
        self.finish_trace(session, row, &finish)
    }

    /// If a person continues without answering a question, the call was refused. No agent reports more.
    pub(super) fn refuse_asked(&mut self, session: &KnownSession) -> Result<()> {
        let open = self.memory.open.of(self.db, session.chain)?;
        for row in open.asked(session.id) {
            self.db
                .prepare_cached(
                    "UPDATE traces SET status = 'refused', ended_at = ?2 WHERE id = ?1",
                )?
                .execute(params![row, self.at])?;
            self.memory.open.ended(session.chain, row);
            self.settle_delegation(row, TraceStatus::Refused)?;
        }
        Ok(())
    }

    fn finish_trace(
        &mut self,
        session: &KnownSession,
        row: i64,
        finish: &Finish<'_>,
    ) -> Result<()> {
        self.db
            .prepare_cached(
                "UPDATE traces SET status = ?2, ended_at = ?3, duration_ms = ?4, error_message = ?5, tool_output = ?6
                 WHERE id = ?1",
            )?
            .execute(params![
                row,
                finish.status.as_str(),
                self.at,
                finish.duration,
                finish.error,
                finish.output
            ])?;
        self.memory.open.ended(session.chain, row);
        self.call = Some(RecordedCall {
            row,
            error: finish.error.map(str::to_owned),
        });
        self.settle_delegation(row, finish.status)
    }

    pub(super) fn keep_work(
        &mut self,
        session: &KnownSession,
        call: &str,
        work: &serde_json::Value,
    ) -> Result<()> {
        self.db
            .prepare_cached(
                "INSERT INTO work (chain_id, tool_use_id, at, content) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![session.chain, call, self.at, work.to_string()])?;
        Ok(())
    }

    fn note_no_start(&mut self, call: &CallKey, tool: &str) {
        let tool_use_id = match call {
            CallKey::Id(id) => Some(id.clone()),
            CallKey::Unnamed { .. } => None,
        };
        self.skipped.push(SkippedChange::NoStart {
            tool_use_id,
            tool: tool.to_owned(),
        });
    }
}
