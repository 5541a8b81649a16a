//! Delegations, written: which call handed over to which sub-agent.

use rusqlite::{OptionalExtension, params};

use super::apply::Apply;
use super::memory::{KnownSession, SessionKey};
use crate::error::Result;
use crate::record::{Change, DelegationEnd, DelegationStart, Subagent};
use crate::status::TraceStatus;
use crate::store::SkippedChange;

impl Apply<'_> {
    pub(super) fn start_delegation(
        &mut self,
        session: &KnownSession,
        start: &DelegationStart,
    ) -> Result<()> {
        let open = self.memory.open.of(self.db, session.chain)?;
        let call = match &start.call {
            Some(id) => open.by_id(id),
            None => open.newest_of(self.record.decided.tool.as_deref().unwrap_or_default()),
        };
        let call = call.map(|call| call.row);
        self.insert_delegation(session, call, &start.to, None, start.description.as_deref())
    }

    fn insert_delegation(
        &self,
        session: &KnownSession,
        call: Option<i64>,
        to: &str,
        subagent: Option<&str>,
        description: Option<&str>,
    ) -> Result<()> {
        // A sub-agent without a known caller was called by the session itself.
        let caller = self
            .record
            .decided
            .subagent
            .as_ref()
            .filter(|_| subagent.is_none());
        let from = caller.map_or(&self.record.decided.agent, |caller| &caller.id);
        self.db
            .prepare_cached(
                "INSERT INTO delegations (chain_id, session_id, trace_row, from_agent, to_agent, subagent, description,
                    status, started_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'started', ?8)",
            )?
            .execute(params![
                session.chain,
                session.id,
                call,
                from,
                to,
                subagent,
                description,
                self.at
            ])?;
        Ok(())
    }

    /// Gives a new sub-agent the delegation that names it, else the oldest open one to its type.
    pub(super) fn claim_delegation(
        &self,
        session: &mut KnownSession,
        subagent: &Subagent,
    ) -> Result<()> {
        // The end of a sub-agent that never began is not the beginning of another's work.
        let ends = |change: &Change| matches!(change, Change::DelegationEnded(_));
        if self.record.changes.iter().any(ends) {
            return Ok(());
        }
        let claimed: Option<(i64, Option<i64>, Option<String>)> = self
            .db
            .prepare_cached(
                "SELECT d.id, d.trace_row, t.trace_id
                 FROM delegations d LEFT JOIN traces t ON t.id = d.trace_row
                 WHERE d.chain_id = ?1 AND d.status = 'started'
                    AND (d.subagent = ?3 OR (d.subagent IS NULL AND d.to_agent = ?2 COLLATE NOCASE))
                 ORDER BY d.subagent IS NULL, d.id LIMIT 1",
            )?
            .query_row(params![session.chain, subagent.kind, subagent.id], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .optional()?;
        let Some((delegation, call, group)) = claimed else {
            return Ok(());
        };
        session.spawned_by = call;
        session.group = group.or(session.group.take());
        self.db
            .prepare_cached("UPDATE delegations SET subagent = ?2 WHERE id = ?1")?
            .execute(params![delegation, subagent.id])?;
        self.db
            .prepare_cached("UPDATE sessions SET spawned_by = ?2, trace_id = ?3 WHERE id = ?1")?
            .execute(params![session.id, session.spawned_by, session.group])?;
        Ok(())
    }

    /// A call names its sub-agent: one that is not known yet, or that already has this delegation.
    pub(super) fn name_subagent(&self, chain: i64, call: i64, subagent: &str) -> Result<()> {
        if self.delegation_of(chain, subagent)?.is_none() {
            self.db
                .prepare_cached(
                    "UPDATE delegations INDEXED BY delegations_open SET subagent = ?2
                     WHERE trace_row = ?1 AND status = 'started' AND subagent IS NULL",
                )?
                .execute(params![call, subagent])?;
        }
        Ok(())
    }

    /// A call says who worked for it. Which of several sub-agents of one type that is was a guess when they began; if it was
    /// wrong, the two change places, with all that they did.
    pub(super) fn correct_delegation(
        &mut self,
        chain: i64,
        call: i64,
        subagent: &str,
    ) -> Result<()> {
        let Some(guessed) = self.delegation(Delegated::By(call), chain)? else {
            return Ok(());
        };
        let Some(right) = self.delegation(Delegated::To(subagent), chain)? else {
            return Ok(());
        };
        if guessed.id == right.id {
            return Ok(());
        }
        for (delegation, worker) in [(&guessed, &right), (&right, &guessed)] {
            self.db
                .prepare_cached(
                    "UPDATE delegations SET subagent = ?2, status = ?3, ended_at = ?4, last_message = ?5 WHERE id = ?1",
                )?
                .execute(params![
                    delegation.id,
                    worker.subagent,
                    worker.status,
                    worker.ended_at,
                    worker.last_message
                ])?;
            if let Some(subagent) = &worker.subagent {
                self.move_work(chain, subagent, worker.call, delegation.call)?;
            }
        }
        if right.call.is_none() && guessed.subagent.is_none() {
            // It was created for a sub-agent without a known caller.
            self.db
                .prepare_cached("DELETE FROM delegations WHERE id = ?1")?
                .execute([right.id])?;
        }
        Ok(())
    }

    /// Puts what a sub-agent did under another call.
    fn move_work(
        &mut self,
        chain: i64,
        subagent: &str,
        from: Option<i64>,
        to: Option<i64>,
    ) -> Result<()> {
        let group: Option<String> = match to {
            Some(call) => self
                .db
                .prepare_cached("SELECT trace_id FROM traces WHERE id = ?1")?
                .query_row([call], |row| row.get(0))
                .optional()?,
            None => None,
        };
        self.db
            .prepare_cached(
                "UPDATE sessions SET spawned_by = ?3, trace_id = coalesce(?4, trace_id)
                 WHERE chain_id = ?1 AND subagent = ?2",
            )?
            .execute(params![chain, subagent, to, group])?;
        self.db
            .prepare_cached(
                "UPDATE traces SET parent_id = ?4, trace_id = coalesce(?5, trace_id)
                 WHERE chain_id = ?1 AND subagent = ?2 AND parent_id IS ?3",
            )?
            .execute(params![chain, subagent, from, to, group])?;
        let key = SessionKey {
            subagent: Some(subagent.to_owned()),
            ..self.key()
        };
        if let Some(known) = self.memory.session(&key) {
            let moved = KnownSession {
                spawned_by: to,
                group: group.or_else(|| known.group.clone()),
                ..known.clone()
            };
            self.memory.remember(key, moved);
        }
        Ok(())
    }

    fn delegation(&self, which: Delegated<'_>, chain: i64) -> Result<Option<Delegation>> {
        let (call, subagent) = match which {
            Delegated::By(call) => (Some(call), None),
            Delegated::To(subagent) => (None, Some(subagent)),
        };
        Ok(self
            .db
            .prepare_cached(DELEGATION)?
            .query_row(params![chain, call, subagent], |row| {
                Ok(Delegation {
                    id: row.get(0)?,
                    call: row.get(1)?,
                    subagent: row.get(2)?,
                    status: row.get(3)?,
                    ended_at: row.get(4)?,
                    last_message: row.get(5)?,
                })
            })
            .optional()?)
    }

    /// A sub-agent begins; if no call delegated to it, that is a delegation of its own.
    pub(super) fn start_subagent(&self, session: &KnownSession) -> Result<()> {
        let Some(subagent) = &self.record.decided.subagent else {
            return Ok(());
        };
        if self.delegation_of(session.chain, &subagent.id)?.is_some() {
            return Ok(());
        }
        self.insert_delegation(session, None, &subagent.kind, Some(&subagent.id), None)
    }

    fn delegation_of(&self, chain: i64, subagent: &str) -> Result<Option<i64>> {
        Ok(self
            .db
            .prepare_cached(
                "SELECT id FROM delegations WHERE chain_id = ?1 AND subagent = ?2 ORDER BY id DESC LIMIT 1",
            )?
            .query_row(params![chain, subagent], |row| row.get(0))
            .optional()?)
    }

    pub(super) fn end_delegation(
        &mut self,
        session: &KnownSession,
        end: &DelegationEnd,
    ) -> Result<()> {
        let subagent = self
            .record
            .decided
            .subagent
            .as_ref()
            .map(|it| it.id.clone());
        let delegation = match &subagent {
            Some(id) => self.delegation_of(session.chain, id)?,
            None => None,
        };
        let Some(delegation) = delegation else {
            self.skipped.push(SkippedChange::NoDelegation { subagent });
            return Ok(());
        };
        self.db
            .prepare_cached(
                "UPDATE delegations SET status = ?2, ended_at = ?3, last_message = coalesce(?4, last_message)
                 WHERE id = ?1",
            )?
            .execute(params![
                delegation,
                end.status.as_str(),
                self.at,
                end.last_message
            ])?;
        self.merge_loaded(session)?;
        self.end_row(session.id, None)
    }

    /// A call that delegated has ended, and no sub-agent was ever seen at work: then the delegation ended with it.
    pub(super) fn settle_delegation(&self, call: i64, status: TraceStatus) -> Result<()> {
        // Hardly any call delegates, and an update that finds its rows by what it changes costs more than a look.
        let delegation: Option<i64> = self
            .db
            .prepare_cached(OPEN_OF_CALL)?
            .query_row([call], |row| row.get(0))
            .optional()?;
        let Some(delegation) = delegation else {
            return Ok(());
        };
        let status = match status {
            TraceStatus::Completed | TraceStatus::Started => "completed",
            TraceStatus::Failed | TraceStatus::Timeout => "failed",
            TraceStatus::Cancelled | TraceStatus::Denied | TraceStatus::Refused => "cancelled",
        };
        self.db
            .prepare_cached("UPDATE delegations SET status = ?2, ended_at = ?3 WHERE id = ?1")?
            .execute(params![delegation, status, self.at])?;
        Ok(())
    }
}

/// How a delegation is found.
enum Delegated<'a> {
    /// By the call that handed over.
    By(i64),
    /// By the sub-agent that works on it.
    To(&'a str),
}

/// A delegation: the call that handed over, and who works on it, and how that went.
struct Delegation {
    id: i64,
    call: Option<i64>,
    subagent: Option<String>,
    status: String,
    ended_at: Option<i64>,
    last_message: Option<String>,
}

pub(super) const DELEGATION: &str = "SELECT id, trace_row, subagent, status, ended_at, last_message
    FROM delegations INDEXED BY delegations_by_chain
    WHERE chain_id = ?1 AND (trace_row = ?2 OR subagent = ?3) ORDER BY id DESC LIMIT 1";

const OPEN_OF_CALL: &str = "SELECT id FROM delegations INDEXED BY delegations_open
    WHERE trace_row = ?1 AND status = 'started' AND subagent IS NULL LIMIT 1";
