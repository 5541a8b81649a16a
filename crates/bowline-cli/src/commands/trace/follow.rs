//! `bowline trace list --follow`: calls as they begin and end.

use std::collections::HashMap;
use std::time::Duration;

use bowline_daemon::rpc::traces;
use bowline_store::{Trace, TraceStatus};
use chrono::{DateTime, TimeDelta, Utc};

use super::list::{About, Calls};
use crate::Outcome;
use crate::ask::Records;
use crate::commands::meant::Wanted;
use crate::error::Result;
use crate::moment;
use crate::stream::{self, Reader};
use crate::ui::{Format, Ui};

/// How many calls are shown before the first new one.
const FIRST: usize = 10;
/// How many are looked at each time.
const PAGE: usize = 1_000;
/// How many open calls are waited for; older ones are given up.
const MOST_OPEN: usize = 100;
/// What was spooled arrives late.
const LATE: TimeDelta = TimeDelta::seconds(10);
const PAUSE: Duration = Duration::from_millis(500);

pub(super) fn run(
    mut filter: traces::Filter,
    records: &mut Records,
    format: Format,
    ui: &mut Ui,
) -> Result<Outcome> {
    let first = *filter.limit.get_or_insert(FIRST);
    let mut seen = Seen::default();
    let mut lines = Calls::about(&About::Calls(Wanted::default()));
    loop {
        let question = traces::List {
            filter: filter.clone(),
        };
        let mut calls = records.ask(&question, ui)?;
        if seen.newest.is_none() && calls.len() == first {
            // Calls that were left out at first are not new later.
            let oldest = calls.iter().map(|call| call.started_at).min();
            filter.since = filter.since.max(oldest);
        }
        for (row, id) in seen.open_beside(&calls) {
            let call = records.ask(&traces::Get { id }, ui)?;
            calls.extend(call.filter(|call| call.session_row == row));
        }
        let changed = seen.changed(calls);
        lines.know_projects_of(&changed);
        for call in changed {
            match format {
                Format::Json => ui.json_line(&call)?,
                Format::Text => lines.add(moment::clock(call.started_at), &call),
            }
        }
        ui.list_going_on(&mut lines.list);
        ui.flush()?;
        if stream::pause(PAUSE) == Reader::Gone {
            return Ok(Outcome::Clean);
        }
        filter.limit = Some(PAGE);
        filter.since = filter.since.max(seen.horizon());
    }
}

/// A call among all: ids are unique in a session.
type Key = (i64, String);

/// What was shown already, as far as it can come again.
#[derive(Debug, Default)]
struct Seen {
    shown: HashMap<Key, (DateTime<Utc>, TraceStatus)>,
    newest: Option<DateTime<Utc>>,
}

impl Seen {
    /// From when on calls are read again.
    fn horizon(&self) -> Option<DateTime<Utc>> {
        self.newest.map(|newest| newest - LATE)
    }

    /// The calls that are new or have changed, oldest first.
    fn changed(&mut self, mut calls: Vec<Trace>) -> Vec<Trace> {
        calls.sort_by_key(|call| call.started_at);
        calls.retain(|call| {
            let key = (call.session_row, call.tool_use_id.clone());
            let now = (call.started_at, call.status);
            self.newest = self.newest.max(Some(call.started_at));
            self.shown.insert(key, now) != Some(now)
        });
        self.forget();
        calls
    }

    /// Open calls that are not among these.
    fn open_beside(&self, calls: &[Trace]) -> Vec<Key> {
        let here = |(row, id): &Key| {
            calls
                .iter()
                .any(|call| call.session_row == *row && call.tool_use_id == *id)
        };
        self.shown
            .iter()
            .filter(|(key, (_, status))| *status == TraceStatus::Started && !here(key))
            .map(|(key, _)| key.clone())
            .collect()
    }

    /// Drops what is too old to be read again, but for the newest of those that can still end.
    fn forget(&mut self) {
        let horizon = self.horizon();
        let is_old = |started: DateTime<Utc>| Some(started) < horizon;
        let mut open: Vec<DateTime<Utc>> = self
            .shown
            .values()
            .filter(|(started, status)| is_old(*started) && *status == TraceStatus::Started)
            .map(|(started, _)| *started)
            .collect();
        open.sort_unstable();
        let oldest = open.iter().rev().nth(MOST_OPEN - 1).copied();
        self.shown.retain(|_, (started, status)| {
            !is_old(*started) || (*status == TraceStatus::Started && Some(*started) >= oldest)
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(id: &str, second: u32, status: &str) -> Trace {
        serde_json::from_value(json!({
            "tool_use_id": id, "trace_id": "t", "session": "s", "session_row": 1, "agent": "a",
            "tool": "Bash", "started_at": format!("2026-11-15T10:00:{second:02}Z"), "status": status,
        }))
        .unwrap()
    }

    fn ids(calls: &[Trace]) -> Vec<(&str, &str)> {
        calls
            .iter()
            .map(|call| (call.tool_use_id.as_str(), call.status.shown()))
            .collect()
    }

    #[test]
    fn only_what_is_new_or_changed_is_shown_oldest_first() {
        let mut seen = Seen::default();
        let shown = seen.changed(vec![call("b", 2, "started"), call("a", 1, "completed")]);
        assert_eq!(ids(&shown), [("a", "ok"), ("b", "started")]);
        assert!(seen.changed(vec![call("b", 2, "started")]).is_empty());

        let shown = seen.changed(vec![call("c", 40, "failed")]);
        assert_eq!(ids(&shown), [("c", "error")]);
        let open = seen.open_beside(&[]);
        assert_eq!(open, [(1, "b".to_owned())], "an old call is waited for");
        let shown = seen.changed(vec![call("b", 2, "completed")]);
        assert_eq!(ids(&shown), [("b", "ok")]);
        assert!(seen.open_beside(&[]).is_empty());
        assert_eq!(seen.shown.len(), 1, "what cannot come again is forgotten");
    }

    #[test]
    fn only_so_many_open_calls_are_waited_for() {
        let mut seen = Seen::default();
        let many = (0..MOST_OPEN + 50).map(|n| call(&format!("open-{n}"), 1, "started"));
        let mut calls: Vec<Trace> = many.collect();
        for (n, call) in calls.iter_mut().enumerate() {
            call.started_at += TimeDelta::milliseconds(i64::try_from(n).unwrap());
        }
        calls.push(call("newest", 40, "completed"));
        seen.changed(calls);
        assert_eq!(seen.open_beside(&[]).len(), MOST_OPEN);
    }
}
