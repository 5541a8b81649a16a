//! Messages, and how far transcripts were read.

use bowline_continuity::message::Message;
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, params};

use super::super::queries::limit;
use super::super::{time, traces};
use crate::error::Result;
use crate::trace::SessionRef;

pub(super) const OF_CHAIN: &str = "SELECT at, role, content, tool FROM messages
    INDEXED BY messages_by_chain WHERE chain_id = ?1 ORDER BY id DESC LIMIT ?2";

pub(super) const POSITION: &str = "SELECT position FROM transcripts WHERE path = ?1";

pub(super) fn list(
    db: &Connection,
    session: &str,
    most: usize,
) -> Result<Vec<(DateTime<Utc>, Message)>> {
    let mut messages = Vec::new();
    for scope in traces::scopes(db, SessionRef::Chain(session))? {
        let mut select = db.prepare_cached(OF_CHAIN)?;
        let rows = select.query_map(params![scope.chain, limit(most)], |row| {
            let message = Message {
                role: row.get(1)?,
                content: row.get(2)?,
                tool: row.get(3)?,
            };
            Ok((time(row.get(0)?), message))
        })?;
        for row in rows {
            messages.push(row?);
        }
    }
    // Two agents may use the same name.
    messages.reverse();
    messages.sort_by_key(|(at, _)| *at);
    let excess = messages.len().saturating_sub(most);
    Ok(messages.split_off(excess))
}

pub(super) fn position(db: &Connection, path: &str) -> Result<u64> {
    let position: Option<i64> = db
        .prepare_cached(POSITION)?
        .query_row([path], |row| row.get(0))
        .optional()?;
    Ok(position.map_or(0, i64::cast_unsigned))
}
