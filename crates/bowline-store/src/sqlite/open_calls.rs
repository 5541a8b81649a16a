//! The tool calls that have not ended, by chain: read from the database once, then kept beside it.

use std::collections::{HashMap, VecDeque};

use rusqlite::{Connection, params};

use crate::error::Result;
use crate::record::CallKey;

/// Of this many open calls of a chain the one that is meant is looked for: the newest.
const MAX_OPEN: usize = 1_000;
/// More than this, in all chains, is not remembered.
const MAX_REMEMBERED: usize = 20_000;
/// How the ids begin of calls that their agent gave none.
pub(super) const GENERATED: &str = "bowline-";

/// A tool call that has not ended.
#[derive(Debug, Clone)]
pub(super) struct OpenCall {
    pub(super) row: i64,
    pub(super) session: i64,
    pub(super) tool_use_id: String,
    pub(super) group: String,
    pub(super) tool: String,
    pub(super) digest: Option<i64>,
    pub(super) started_at: i64,
    /// What a person is asked about it.
    pub(super) asked: Option<String>,
}

/// The open calls of one chain, oldest first.
#[derive(Debug, Default)]
pub(super) struct ChainCalls(VecDeque<OpenCall>);

impl ChainCalls {
    /// The call with this id; the newest if there are several.
    pub(super) fn by_id(&self, id: &str) -> Option<&OpenCall> {
        self.0.iter().rev().find(|call| call.tool_use_id == id)
    }

    /// The calls that a person is asked about, of an agent or of one of its sub-agents.
    pub(super) fn asked(&self, session: i64) -> Vec<i64> {
        let asked = (self.0.iter()).filter(|call| call.asked.is_some() && call.session == session);
        asked.map(|call| call.row).collect()
    }

    /// The newest call of a tool.
    pub(super) fn newest_of(&self, tool: &str) -> Option<&OpenCall> {
        self.0.iter().rev().find(|call| call.tool == tool)
    }

    /// The call that is meant: by its id, else the oldest without one of the same tool, with the same input if one has it.
    pub(super) fn find(&self, call: &CallKey, tool: &str) -> Option<&OpenCall> {
        let digest = match call {
            CallKey::Id(id) => return self.by_id(id),
            CallKey::Unnamed { digest } => digest.map(u64::cast_signed),
        };
        // Calls that have an id are found by it.
        let mut unnamed = self
            .0
            .iter()
            .filter(|open| open.tool == tool && open.tool_use_id.starts_with(GENERATED));
        unnamed
            .clone()
            .find(|open| digest.is_some() && open.digest == digest)
            .or_else(|| unnamed.find(|open| digest.is_none() || open.digest.is_none()))
    }
}

#[derive(Debug, Default)]
pub(super) struct OpenCalls {
    chains: HashMap<i64, ChainCalls>,
    /// In all chains.
    count: usize,
}

impl OpenCalls {
    pub(super) fn are_too_many(&self) -> bool {
        self.count > MAX_REMEMBERED || self.chains.len() > MAX_REMEMBERED
    }

    /// The open calls of a chain.
    pub(super) fn of(&mut self, db: &Connection, chain: i64) -> Result<&ChainCalls> {
        if !self.chains.contains_key(&chain) {
            let calls = load(db, chain)?;
            self.count += calls.0.len();
            self.chains.insert(chain, calls);
        }
        Ok(self.chains.entry(chain).or_default())
    }

    /// A call has begun in a chain that was asked for.
    pub(super) fn begun(&mut self, chain: i64, call: OpenCall) {
        let Some(ChainCalls(calls)) = self.chains.get_mut(&chain) else {
            return;
        };
        // Spooled records arrive late.
        let place = calls.partition_point(|other| other.started_at <= call.started_at);
        calls.insert(place, call);
        self.count += 1;
        if calls.len() > MAX_OPEN {
            calls.pop_front();
            self.count -= 1;
        }
    }

    /// A call has ended.
    pub(super) fn ended(&mut self, chain: i64, row: i64) {
        let Some(ChainCalls(calls)) = self.chains.get_mut(&chain) else {
            return;
        };
        if calls.len() >= MAX_OPEN {
            // There may be older ones that are not remembered.
            self.count -= calls.len();
            self.chains.remove(&chain);
        } else if let Some(place) = calls.iter().position(|call| call.row == row) {
            calls.remove(place);
            self.count -= 1;
        }
    }

    /// Every call of a chain has ended.
    pub(super) fn all_ended(&mut self, chain: i64) {
        let ended = self.chains.insert(chain, ChainCalls::default());
        self.count -= ended.map_or(0, |ended| ended.0.len());
    }
}

pub(super) const OPEN: &str =
    "SELECT id, tool_use_id, trace_id, tool, digest, started_at, session_id, error_message
    FROM traces INDEXED BY traces_open
    WHERE chain_id = ?1 AND status = 'started' ORDER BY started_at DESC, id DESC LIMIT ?2";

fn load(db: &Connection, chain: i64) -> Result<ChainCalls> {
    let mut select = db.prepare_cached(OPEN)?;
    let limit = i64::try_from(MAX_OPEN).unwrap_or(i64::MAX);
    let rows = select.query_map(params![chain, limit], |row| {
        Ok(OpenCall {
            row: row.get(0)?,
            tool_use_id: row.get(1)?,
            group: row.get(2)?,
            tool: row.get(3)?,
            digest: row.get(4)?,
            started_at: row.get(5)?,
            session: row.get(6)?,
            asked: row.get(7)?,
        })
    })?;
    let mut calls: VecDeque<OpenCall> = rows.collect::<rusqlite::Result<_>>()?;
    calls.make_contiguous().reverse();
    Ok(ChainCalls(calls))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(row: i64, id: &str, tool: &str, digest: Option<i64>, started_at: i64) -> OpenCall {
        OpenCall {
            row,
            tool_use_id: id.into(),
            group: String::new(),
            tool: tool.into(),
            digest,
            started_at,
            session: 1,
            asked: None,
        }
    }

    #[test]
    fn the_call_that_is_meant_is_found() {
        let mut open = OpenCalls::default();
        open.all_ended(7);
        for call in [
            call(1, "bowline-1", "Bash", Some(5), 10),
            call(2, "bowline-2", "Bash", Some(6), 20),
            call(3, "bowline-3", "Bash", None, 30),
            call(4, "toolu_x", "Bash", None, 5),
            call(5, "toolu_x", "Read", None, 40),
        ] {
            open.begun(7, call);
        }
        let unnamed = |digest| CallKey::Unnamed { digest };
        for (wanted, tool, expected) in [
            (CallKey::Id("toolu_x".into()), "", Some(5)),
            (CallKey::Id("none".into()), "Bash", None),
            (unnamed(Some(6)), "Bash", Some(2)),
            (unnamed(Some(9)), "Bash", Some(3)),
            (unnamed(None), "Bash", Some(1)),
            (unnamed(None), "Read", None),
        ] {
            let found = open.chains[&7].find(&wanted, tool).map(|call| call.row);
            assert_eq!(found, expected, "{wanted:?} {tool}");
        }
        assert_eq!(open.chains[&7].newest_of("Bash").unwrap().row, 3);
        open.ended(7, 2);
        assert!(open.chains[&7].by_id("bowline-2").is_none());
        assert_eq!(open.count, 4);
    }

    #[test]
    fn of_very_many_the_newest_are_kept_and_older_ones_read_again() {
        let mut open = OpenCalls::default();
        open.all_ended(1);
        for row in 0..1_500 {
            open.begun(1, call(row, &row.to_string(), "Bash", None, row));
        }
        assert_eq!(open.count, MAX_OPEN);
        assert!(open.chains[&1].by_id("499").is_none());
        assert!(open.chains[&1].by_id("500").is_some());
        open.ended(1, 1_499);
        assert!(!open.chains.contains_key(&1));
        assert_eq!(open.count, 0);
    }
}
