//! Sessions and prompts, written.

use rusqlite::{OptionalExtension, params};

use super::apply::Apply;
use super::continuity;
use super::memory::{KnownSession, SessionKey};
use crate::error::Result;
use crate::record::{AGENT_ENDED, Change, GONE, Subagent, Unfinished};
use crate::status::TraceStatus;

impl Apply<'_> {
    /// Names the record's session.
    pub(super) fn key(&self) -> SessionKey {
        SessionKey {
            subagent: self
                .record
                .decided
                .subagent
                .as_ref()
                .map(|subagent| subagent.id.clone())
                .filter(|id| !id.is_empty()),
            ..self.host_key()
        }
    }

    pub(super) fn host_key(&self) -> SessionKey {
        SessionKey {
            agent: self.record.decided.agent.clone(),
            name: self.record.decided.session.clone(),
            subagent: None,
        }
    }

    /// The session of the record, made if it is missing, and begun if the record says so.
    pub(super) fn session(&mut self, project: Option<i64>) -> Result<Option<KnownSession>> {
        if self.record.decided.session.is_empty() {
            return Ok(None);
        }
        let key = self.key();
        if let Some(known) = self.memory.session(&key)
            && !self.starts_session()
        {
            let known = known.clone();
            return self.with_project(key, known, project).map(Some);
        }
        let host = self.host(project)?;
        let session = match self
            .record
            .decided
            .subagent
            .as_ref()
            .filter(|it| !it.id.is_empty())
        {
            None => host,
            Some(subagent) => self.subagent_session(&key, subagent, &host)?,
        };
        Ok(Some(session))
    }

    pub(super) fn starts_session(&self) -> bool {
        self.record
            .changes
            .iter()
            .any(|change| matches!(change, Change::SessionStarted { .. }))
    }

    /// A session belongs to the first project that is named with it.
    fn with_project(
        &mut self,
        key: SessionKey,
        mut known: KnownSession,
        project: Option<i64>,
    ) -> Result<KnownSession> {
        if known.project.is_none() && project.is_some() {
            self.db
                .prepare_cached("UPDATE sessions SET project_id = ?2 WHERE id = ?1")?
                .execute(params![known.id, project])?;
            known.project = project;
            self.memory.remember(key, known.clone());
        }
        Ok(known)
    }

    fn host(&mut self, project: Option<i64>) -> Result<KnownSession> {
        let key = self.host_key();
        let latest = match self.memory.session(&key) {
            Some(known) => Some(known.clone()),
            None => self.find(&key)?,
        };
        for change in &self.record.changes {
            if let Change::SessionStarted {
                source,
                model,
                previous,
            } = change
            {
                let before = match (&latest, previous) {
                    (Some(latest), _) => Some(latest.clone()),
                    (None, Some(name)) => {
                        let name = name.clone();
                        self.find(&SessionKey {
                            name,
                            ..key.clone()
                        })?
                    }
                    (None, None) => None,
                };
                let details = (source.as_deref(), model.as_deref());
                return self.start(key, before.as_ref(), project, details);
            }
        }
        match latest {
            Some(known) => {
                self.memory.remember(key.clone(), known.clone());
                self.with_project(key, known, project)
            }
            None => self.start(key, None, project, (None, None)),
        }
    }

    pub(super) fn find(&self, key: &SessionKey) -> Result<Option<KnownSession>> {
        let found = self
            .db
            .prepare_cached(
                "SELECT id, chain_id, project_id, trace_id, spawned_by FROM sessions INDEXED BY sessions_by_name
                 WHERE name = ?1 AND subagent IS ?2 AND agent = ?3 ORDER BY id DESC LIMIT 1",
            )?
            .query_row(params![key.name, key.subagent, key.agent], |row| {
                Ok(KnownSession {
                    id: row.get(0)?,
                    chain: row.get(1)?,
                    project: row.get(2)?,
                    group: row.get(3)?,
                    spawned_by: row.get(4)?,
                })
            })
            .optional()?;
        Ok(found)
    }

    /// A new session; the one before it in the chain is over.
    fn start(
        &mut self,
        key: SessionKey,
        before: Option<&KnownSession>,
        project: Option<i64>,
        (source, model): (Option<&str>, Option<&str>),
    ) -> Result<KnownSession> {
        let project = project.or(before.and_then(|before| before.project));
        self.db
            .prepare_cached(
                "INSERT INTO sessions (chain_id, agent, name, project_id, previous_id, status, source, model, started_at,
                    last_event_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, 'created', ?6, ?7, ?8, ?8)",
            )?
            .execute(params![
                before.map_or(0, |before| before.chain),
                key.agent,
                key.name,
                project,
                before.map(|before| before.id),
                source,
                model,
                self.at,
            ])?;
        let id = self.db.last_insert_rowid();
        match before {
            Some(before) => {
                self.end_row(before.id, Some("continued"))?;
                continuity::go_on(self.db, before.id, id)?;
            }
            None => {
                self.db
                    .prepare_cached("UPDATE sessions SET chain_id = id WHERE id = ?1")?
                    .execute([id])?;
            }
        }
        let session = KnownSession {
            id,
            chain: before.map_or(id, |before| before.chain),
            project,
            group: None,
            spawned_by: None,
        };
        self.memory.remember(key, session.clone());
        Ok(session)
    }

    fn subagent_session(
        &mut self,
        key: &SessionKey,
        subagent: &Subagent,
        host: &KnownSession,
    ) -> Result<KnownSession> {
        if let Some(known) = self.find(key)? {
            self.memory.remember(key.clone(), known.clone());
            return Ok(known);
        }
        self.db
            .prepare_cached(
                "INSERT INTO sessions (chain_id, agent, name, project_id, parent_id, subagent, subagent_kind, status,
                    started_at, last_event_at, trace_id)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'created', ?8, ?8, ?9)",
            )?
            .execute(params![
                host.chain,
                key.agent,
                key.name,
                host.project,
                host.id,
                subagent.id,
                subagent.kind,
                self.at,
                host.group,
            ])?;
        let mut session = KnownSession {
            id: self.db.last_insert_rowid(),
            chain: host.chain,
            project: host.project,
            group: host.group.clone(),
            spawned_by: None,
        };
        self.claim_delegation(&mut session, subagent)?;
        self.memory.remember(key.clone(), session.clone());
        Ok(session)
    }

    pub(super) fn give_prompt(&mut self, session: &KnownSession, text: Option<&str>) -> Result<()> {
        self.refuse_asked(session)?;
        let group = self.record.decided.id.clone();
        self.db
            .prepare_cached(
                "INSERT INTO prompts (chain_id, session_id, trace_id, at, text) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![session.chain, session.id, group, self.at, text])?;
        self.db
            .prepare_cached("UPDATE sessions SET trace_id = ?2 WHERE id = ?1")?
            .execute(params![session.id, group])?;
        let mut session = session.clone();
        session.group = Some(group);
        let key = self.key();
        self.memory.remember(key, session);
        Ok(())
    }

    pub(super) fn end_row(&self, id: i64, reason: Option<&str>) -> Result<()> {
        self.db
            .prepare_cached(
                "UPDATE sessions SET status = 'ended', ended_at = ?2, end_reason = ?3
                 WHERE id = ?1 AND status <> 'ended'",
            )?
            .execute(params![id, self.at, reason])?;
        Ok(())
    }

    /// Ends a session and closes what is still open in its chain.
    pub(super) fn end_session(
        &mut self,
        session: &KnownSession,
        reason: Option<&str>,
        unfinished: Unfinished,
    ) -> Result<()> {
        self.end_row(session.id, reason)?;
        continuity::end_agent(self.db, session.id, reason, self.at)?;
        continuity::end_leases(self.db, session.chain)?;
        let gone = (reason == Some(GONE)).then_some(AGENT_ENDED);
        self.db
            .prepare_cached(
                "UPDATE sessions SET status = 'ended', ended_at = ?2, end_reason = ?3
                 WHERE chain_id = ?1 AND subagent IS NOT NULL AND status <> 'ended'",
            )?
            .execute(params![session.chain, self.at, reason])?;
        self.db
            .prepare_cached(
                "UPDATE traces SET ended_at = ?3, error_message = coalesce(?4, error_message),
                    status = CASE WHEN error_message IS NULL OR ?4 IS NOT NULL THEN ?2 ELSE 'refused' END
                 WHERE chain_id = ?1 AND status = 'started'",
            )?
            .execute(params![
                session.chain,
                TraceStatus::from(unfinished).as_str(),
                self.at,
                gone
            ])?;
        self.memory.open.all_ended(session.chain);
        self.db
            .prepare_cached(
                "UPDATE delegations SET status = 'cancelled', ended_at = ?2
                 WHERE chain_id = ?1 AND status = 'started'",
            )?
            .execute(params![session.chain, self.at])?;
        Ok(())
    }
}
