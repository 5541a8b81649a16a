//! Changes of continuity that come with an event, written with its record.

use bowline_continuity::message::Message;
use bowline_continuity::note::Todo;
use rusqlite::{OptionalExtension, params};

use super::super::apply::Apply;
use super::super::memory::KnownSession;
use super::agents::{self, status_word, use_context};
use super::rows::{merged, to_json};
use super::{messages, sessions};
use crate::continuity::AgentSignal;
use crate::error::Result;
use crate::record::Change;

/// At most this many files are remembered of one kind.
const MAX_FILES: usize = 500;
/// At most this many edited files are remembered of one chain.
const MAX_EDITED: i64 = 50;

pub(super) const FILES: &str = "SELECT effort_id, loaded_files, preloaded_files
    FROM effort_sessions WHERE session_id = ?1";

impl Apply<'_> {
    /// Applies a change of continuity. Without an effort there is often nothing to change.
    pub(in crate::sqlite) fn change_continuity(
        &mut self,
        change: &Change,
        session: &KnownSession,
    ) -> Result<()> {
        match change {
            Change::EffortJoined { effort, transcript } => {
                let transcript = transcript.as_deref();
                sessions::join(self.db, session.id, *effort, transcript, self.at)
            }
            Change::HeartbeatCounted => self.count_heartbeat(session),
            Change::ContextUsed { used } => {
                let host = self.host_of(session)?;
                use_context(self.db, session.id, host.id, *used)
            }
            Change::AgentStatus(signal) => self.signal(session, signal),
            Change::Said(message) => self.say(session, message),
            Change::FilesLoaded { files } => self.load_files(session.id, files),
            Change::FilesPreloaded {
                files,
                directives,
                directories,
            } => self.preload_files(session.id, files, directives, directories),
            Change::Todos { todos } => self.write_todos(session, todos),
            Change::FilesEdited { files } => self.edit_files(session, files),
            Change::TranscriptRead {
                path,
                from,
                offset,
                messages,
            } => self.read_transcript(session, path, *from..*offset, messages),
            // The others are not about continuity.
            _ => Ok(()),
        }
    }

    fn count_heartbeat(&self, session: &KnownSession) -> Result<()> {
        self.db
            .prepare_cached(
                "UPDATE effort_sessions SET heartbeat = heartbeat + 1, last_heartbeat_at = ?2 WHERE session_id = ?1",
            )?
            .execute(params![session.id, self.at])?;
        Ok(())
    }

    /// The session that a sub-agent works for; any other is its own.
    pub(in crate::sqlite) fn host_of(&self, session: &KnownSession) -> Result<KnownSession> {
        let key = self.host_key();
        if key == self.key() {
            return Ok(session.clone());
        }
        let host = match self.memory.session(&key) {
            Some(known) => Some(known.clone()),
            None => self.find(&key)?,
        };
        Ok(host.unwrap_or_else(|| session.clone()))
    }

    fn signal(&self, session: &KnownSession, signal: &AgentSignal) -> Result<()> {
        let host = self.host_of(session)?;
        let decided = &self.record.decided;
        let id = signal.id.as_ref().unwrap_or(&decided.session);
        self.db
            .prepare_cached(
                "INSERT INTO agents (id, label, agent, session_id, chain_id, project_id, folder, effort_id, status, since,
                    waiting_for, pid, pid_started)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
                 ON CONFLICT (id) DO UPDATE SET
                    label = coalesce(excluded.label, label),
                    agent = excluded.agent,
                    session_id = excluded.session_id,
                    chain_id = excluded.chain_id,
                    project_id = coalesce(excluded.project_id, project_id),
                    folder = coalesce(excluded.folder, folder),
                    effort_id = coalesce(excluded.effort_id, effort_id),
                    since = CASE WHEN status = excluded.status THEN since ELSE excluded.since END,
                    status = excluded.status,
                    waiting_for = excluded.waiting_for,
                    context_usage = CASE WHEN chain_id = excluded.chain_id THEN context_usage END,
                    pid = CASE WHEN excluded.pid IS NULL AND chain_id = excluded.chain_id THEN pid ELSE excluded.pid END,
                    pid_started = CASE WHEN excluded.pid IS NULL AND chain_id = excluded.chain_id
                        THEN pid_started ELSE excluded.pid_started END,
                    ended_at = NULL,
                    end_reason = NULL",
            )?
            .execute(params![
                id,
                signal.label,
                decided.agent,
                host.id,
                host.chain,
                host.project,
                signal.folder,
                signal.effort.map(|effort| effort.0),
                status_word(signal.status),
                self.at,
                signal.waiting_for,
                signal.process.map(|process| process.id),
                signal.process.map(|process| process.started.cast_signed()),
            ])?;
        // What it did last does not open a session that ends.
        for change in &self.record.changes {
            if let Change::SessionEnded { reason, .. } = change {
                agents::end(self.db, host.id, reason.as_deref(), self.at)?;
            }
        }
        Ok(())
    }

    fn say(&self, session: &KnownSession, message: &Message) -> Result<()> {
        self.db
            .prepare_cached(
                "INSERT INTO messages (chain_id, session_id, role, content, tool, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                session.chain,
                session.id,
                message.role,
                message.content,
                message.tool,
                self.at
            ])?;
        Ok(())
    }

    /// What a session of an effort has of files.
    fn files(&self, session: i64) -> Result<Option<(i64, String, String)>> {
        Ok(self
            .db
            .prepare_cached(FILES)?
            .query_row([session], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?)
    }

    fn load_files(&self, session: i64, files: &[String]) -> Result<()> {
        let Some((_, loaded, _)) = self.files(session)? else {
            return Ok(());
        };
        if let Some(loaded) = merged(&loaded, files, MAX_FILES)? {
            self.db
                .prepare_cached(
                    "UPDATE effort_sessions SET loaded_files = ?2 WHERE session_id = ?1",
                )?
                .execute(params![session, loaded])?;
        }
        Ok(())
    }

    fn preload_files(
        &self,
        session: i64,
        files: &[String],
        directives: &[String],
        directories: &[String],
    ) -> Result<()> {
        let Some((effort, _, preloaded)) = self.files(session)? else {
            return Ok(());
        };
        if let Some(preloaded) = merged(&preloaded, files, MAX_FILES)? {
            self.db
                .prepare_cached(
                    "UPDATE effort_sessions SET preloaded_files = ?2 WHERE session_id = ?1",
                )?
                .execute(params![session, preloaded])?;
        }
        let found: Option<(String, String)> = self
            .db
            .prepare_cached("SELECT directives, directories FROM efforts WHERE id = ?1")?
            .query_row([effort], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((known, searched)) = found else {
            return Ok(());
        };
        let directives = merged(&known, directives, MAX_FILES)?;
        let directories = merged(&searched, directories, MAX_FILES)?;
        if directives.is_some() || directories.is_some() {
            self.db
                .prepare_cached(
                    "UPDATE efforts SET directives = coalesce(?2, directives), directories = coalesce(?3, directories)
                     WHERE id = ?1",
                )?
                .execute(params![effort, directives, directories])?;
        }
        Ok(())
    }

    /// What a sub-agent has read counts for the session that it worked for, if both belong to the same effort.
    pub(in crate::sqlite) fn merge_loaded(&self, session: &KnownSession) -> Result<()> {
        let host = self.host_of(session)?;
        if host.id == session.id {
            return Ok(());
        }
        let (Some((effort, loaded, _)), Some((of_host, ..))) =
            (self.files(session.id)?, self.files(host.id)?)
        else {
            return Ok(());
        };
        if effort != of_host {
            return Ok(());
        }
        let loaded: Vec<String> = super::rows::from_json(&loaded);
        self.load_files(host.id, &loaded)
    }

    /// The list of a sub-agent is its own, and goes with it.
    fn write_todos(&self, session: &KnownSession, todos: &[Todo]) -> Result<()> {
        if self.key().subagent.is_some() {
            return Ok(());
        }
        self.db
            .prepare_cached(
                "INSERT INTO todos (chain_id, content, at) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET content = excluded.content, at = excluded.at",
            )?
            .execute(params![session.chain, to_json(&todos)?, self.at])?;
        Ok(())
    }

    fn edit_files(&self, session: &KnownSession, files: &[String]) -> Result<()> {
        let mut insert = self.db.prepare_cached(
            "INSERT OR REPLACE INTO edited_files (chain_id, path, at) VALUES (?1, ?2, ?3)",
        )?;
        for path in files {
            insert.execute(params![session.chain, path, self.at])?;
        }
        self.db
            .prepare_cached(
                "DELETE FROM edited_files WHERE chain_id = ?1 AND id <= (SELECT id FROM edited_files
                    INDEXED BY edited_files_by_chain WHERE chain_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
            )?
            .execute(params![session.chain, MAX_EDITED])?;
        Ok(())
    }

    fn read_transcript(
        &self,
        session: &KnownSession,
        path: &str,
        part: std::ops::Range<u64>,
        messages: &[Message],
    ) -> Result<()> {
        if part.is_empty() || messages::position(self.db, path)? != part.start {
            return Ok(());
        }
        self.db
            .prepare_cached(
                "INSERT INTO transcripts (path, chain_id, position, at) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO UPDATE SET chain_id = excluded.chain_id, position = excluded.position, at = excluded.at",
            )?
            .execute(params![
                path,
                session.chain,
                part.end.cast_signed(),
                self.at
            ])?;
        messages
            .iter()
            .try_for_each(|message| self.say(session, message))
    }
}
