//! What happens now, for whoever looks on: one notice for each decided event, and one whenever the inbox changes.

use std::sync::atomic::{AtomicU64, Ordering};

use bowline::hooks::Decision;
use bowline_store::Record;
use chrono::{DateTime, Utc};
use serde::Serialize;
use tokio::sync::broadcast;

/// A reader that is further behind reads everything anew.
const KEPT: usize = 1024;

/// One decided event in a few words. Everything else is in the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Notice {
    /// The event's id.
    pub id: String,
    /// When it was reported.
    pub time: DateTime<Utc>,
    /// The agent.
    pub agent: String,
    /// The agent's name for its session.
    pub session: String,
    /// The project's folder.
    pub project: Option<String>,
    /// The event.
    pub event: String,
    /// The tool.
    pub tool: Option<String>,
    /// The agent's id of the call.
    pub tool_use_id: Option<String>,
    /// `deny`, `ask`, `grant` or `nothing`.
    pub decision: &'static str,
}

impl Notice {
    fn of(record: &Record) -> Self {
        let event = &record.decided;
        Self {
            id: event.id.clone(),
            time: event.time,
            agent: event.agent.clone(),
            session: event.session.clone(),
            project: event.project.clone(),
            event: event.event.clone(),
            tool: event.tool.clone(),
            tool_use_id: event.tool_use_id.clone(),
            decision: match event.decision {
                Decision::Deny => "deny",
                Decision::Ask => "ask",
                Decision::Grant => "grant",
                Decision::NoOpinion => "nothing",
            },
        }
    }
}

/// Tells notices to those who look on. While nobody does, an event costs a look at one number and one more in another.
#[derive(Debug)]
pub struct Feed {
    notices: broadcast::Sender<Notice>,
    safe: AtomicU64,
}

impl Default for Feed {
    fn default() -> Self {
        Self {
            notices: broadcast::Sender::new(KEPT),
            safe: AtomicU64::new(0),
        }
    }
}

impl Feed {
    /// The notices from now on. A reader that is too slow is told how many it missed.
    pub fn follow(&self) -> broadcast::Receiver<Notice> {
        self.notices.subscribe()
    }

    /// How many records of this daemon are safe.
    pub fn count(&self) -> u64 {
        self.safe.load(Ordering::Acquire)
    }

    /// The notice of a record that is about to be kept, if anybody looks on.
    pub(crate) fn notice(&self, record: &Record) -> Option<Notice> {
        (self.notices.receiver_count() > 0).then(|| Notice::of(record))
    }

    /// Tells of a record that is safe now, so that whoever looks on finds it.
    pub(crate) fn tell(&self, notice: Option<Notice>) {
        self.safe.fetch_add(1, Ordering::Release);
        if let Some(notice) = notice {
            // Whoever left meanwhile misses nothing.
            let _ = self.notices.send(notice);
        }
    }
}
