//! The last committed records, in memory in case the database has lost them.

use std::collections::VecDeque;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension};
use serde_json::Value;

use super::keys;
use crate::error::Result;
use crate::record::{Change, Record};

/// At most this many records are held …
const RECORDS: usize = 512;
/// … and this many bytes of them, about.
const BYTES: usize = 2 * 1024 * 1024;
/// The numbers of more records than this are not remembered.
const NUMBERS: usize = 65_536;

#[derive(Debug, Default)]
pub(super) struct Recent {
    /// Newest last.
    records: VecDeque<(Arc<Record>, usize)>,
    bytes: usize,
    /// The numbers of what was committed since the log began anew: all of that may be nowhere else.
    in_log: Vec<i64>,
    /// How many were committed since the database was opened.
    committed: u64,
}

impl Recent {
    pub(super) fn add(&mut self, record: &Arc<Record>) {
        let weight = weight(record);
        self.records.push_back((Arc::clone(record), weight));
        self.bytes += weight;
        while self.records.len() > RECORDS || self.bytes > BYTES {
            let Some((_, weight)) = self.records.pop_front() else {
                break;
            };
            self.bytes -= weight;
        }
        if self.in_log.len() < NUMBERS {
            self.in_log
                .push(keys::event(&record.decided.id, record.decided.time));
        }
        self.committed += 1;
    }

    /// The content of the log is now in the database.
    pub(super) fn log_begins_anew(&mut self) {
        self.in_log.clear();
    }

    /// Forgotten records must not be restored.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// How many were committed since the database was opened; it is another from now on.
    pub(super) fn take_committed(&mut self) -> u64 {
        self.in_log.clear();
        std::mem::take(&mut self.committed)
    }

    /// How many may be in the log alone.
    pub(super) fn count_in_log(&self) -> u64 {
        self.in_log.len() as u64
    }

    pub(super) fn records(&self) -> Vec<Arc<Record>> {
        let records = self.records.iter();
        records.map(|(record, _)| Arc::clone(record)).collect()
    }

    /// How many of those that were in the log are not in the database. What is older than `oldest`, the oldest event that was left,
    /// may have been removed because there was too much.
    pub(super) fn missing(&self, db: &Connection, oldest: Option<i64>) -> Result<u64> {
        let oldest = oldest.unwrap_or(i64::MIN);
        let mut select = db.prepare_cached("SELECT 1 FROM events WHERE id = ?1")?;
        let mut missing = 0;
        for number in self.in_log.iter().filter(|number| **number >= oldest) {
            let found: Option<i64> = select.query_row([number], |row| row.get(0)).optional()?;
            missing += u64::from(found.is_none());
        }
        Ok(missing)
    }
}

/// About how many bytes a record takes.
pub(super) fn weight(record: &Record) -> usize {
    let changes = record.changes.iter().map(|change| match change {
        Change::TraceStarted(start) => {
            let said = [&start.input, &start.native];
            said.into_iter().flatten().map(value).sum()
        }
        Change::TraceEnded(end) => end.output.as_ref().map_or(0, value),
        Change::PromptGiven { text } => text.as_ref().map_or(0, String::len),
        Change::Worked { work: it, .. } | Change::Remembered { state: it, .. } => value(it),
        Change::Said(message) => message.content.len(),
        Change::TranscriptRead { messages, .. } => {
            messages.iter().map(|message| message.content.len()).sum()
        }
        Change::FilesLoaded { files } | Change::FilesEdited { files } => texts(files),
        Change::FilesPreloaded {
            files,
            directives,
            directories,
        } => texts(files) + texts(directives) + texts(directories),
        Change::Todos { todos } => todos.iter().map(|todo| todo.text.len()).sum(),
        Change::Failed(call) => call.message.as_ref().map_or(0, String::len),
        Change::FailureFixed { by, .. } => by.as_ref().map_or(0, String::len),
        Change::SessionStarted { .. }
        | Change::SessionEnded { .. }
        | Change::TraceClosed { .. }
        | Change::DelegationStarted(_)
        | Change::SubagentStarted
        | Change::DelegationEnded(_)
        | Change::EffortJoined { .. }
        | Change::HeartbeatCounted
        | Change::ContextUsed { .. }
        | Change::AgentStatus(_) => 64,
    });
    1_024 + changes.sum::<usize>()
}

fn texts(texts: &[String]) -> usize {
    texts.iter().map(String::len).sum()
}

fn value(value: &Value) -> usize {
    const NODE: usize = 32;
    let inner = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(self::value).sum(),
        Value::Object(fields) => {
            let fields = fields.iter();
            fields.map(|(name, it)| name.len() + self::value(it)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    NODE + inner
}
