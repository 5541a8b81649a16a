//! What the rest of Bowline knows of the store.

use std::fmt;
use std::path::Path;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::gap::Gap;
use crate::hook_figures::HookFigures;
use crate::record::Record;
use crate::session::{SessionDetails, SessionFilter, SessionSummary};
use crate::spool::SpoolMedium;
use crate::trace::{EventFilter, RecordedEvent, SessionRef, Trace, TraceFilter, TraceStatistics};
use crate::tree::TraceTree;
use crate::work::PastCall;

/// Is told what became of a record, once, on a thread of the store or on the one that brought it. It must not block.
pub type Done = Box<dyn FnOnce(Outcome) + Send>;

/// A record on its way into the store.
pub struct Submission {
    /// What to keep.
    pub record: Record,
    /// Is told what became of it.
    pub done: Done,
}

impl fmt::Debug for Submission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Submission")
            .field("record", &self.record)
            .finish_non_exhaustive()
    }
}

/// What became of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It is in the store and survives the end of this process.
    Committed(Vec<SkippedChange>),
    /// It survives the end of this process, and is being committed. Whoever reads by this store waits for that; should it fail,
    /// the record waits like one that was spooled.
    Noted,
    /// A record with this id was in the store already; nothing changed.
    Known,
    /// The store could not take it in time; it waits here and will be taken later.
    Spooled(SpoolMedium),
    /// There was no room for it anywhere; it is counted in the gaps.
    Dropped,
    /// The store would not have it; it is counted in the gaps.
    Refused(String),
}

impl Outcome {
    /// Whether it is in the store now.
    pub const fn is_committed(&self) -> bool {
        matches!(self, Self::Committed(_) | Self::Known)
    }

    /// What did not fit, although the record was committed.
    pub fn skipped(&self) -> &[SkippedChange] {
        match self {
            Self::Committed(skipped) => skipped,
            _ => &[],
        }
    }
}

/// A change that was left out because there is nothing that it could change.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkippedChange {
    /// A tool call ended that never began.
    NoStart {
        /// Its id, if it has one.
        tool_use_id: Option<String>,
        /// The tool.
        tool: String,
    },
    /// A call with this id is open in the session already; it was not begun again.
    AlreadyStarted {
        /// Its id.
        tool_use_id: String,
    },
    /// A sub-agent ended to which nothing was delegated.
    NoDelegation {
        /// Its id, if the record has one.
        subagent: Option<String>,
    },
    /// The record names no session, and so its changes were left out.
    NoSession,
}

impl SkippedChange {
    /// What happened, without saying to which session or call.
    pub(crate) fn cause(&self) -> String {
        match self {
            Self::NoStart { tool, .. } => {
                format!("a {tool} call ended but never began; its end is recorded without a trace")
            }
            Self::AlreadyStarted { .. } => "a call began that is open already".to_owned(),
            Self::NoDelegation { .. } => {
                "a sub-agent ended to which nothing was delegated".to_owned()
            }
            Self::NoSession => self.to_string(),
        }
    }
}

impl fmt::Display for SkippedChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoStart { tool_use_id, tool } => {
                let id = tool_use_id.as_deref().unwrap_or("without an id");
                write!(f, "the {tool} call {id} ended but never began")
            }
            Self::AlreadyStarted { tool_use_id } => {
                write!(f, "the call {tool_use_id} is open already")
            }
            Self::NoDelegation { subagent } => {
                let id = subagent.as_deref().unwrap_or("without an id");
                write!(f, "nothing was delegated to the sub-agent {id} that ended")
            }
            Self::NoSession => f.write_str("changes of an event without a session were left out"),
        }
    }
}

/// What to forget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forget<'a> {
    /// A session by the agent's name for it, with its whole chain and its sub-agents.
    Session(&'a str),
    /// A project by its folder.
    Project(&'a str),
    /// Everything before this time.
    Before(DateTime<Utc>),
    /// Everything.
    All,
}

/// What was forgotten.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forgotten {
    /// Decided events.
    pub events: u64,
    /// Tool calls.
    pub traces: u64,
    /// Sessions.
    pub sessions: u64,
    /// For the user: where something of it may still be read, and what to do about that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remains: Vec<String>,
}

/// Whether the store is sound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Integrity {
    /// It is.
    Sound,
    /// It is not; what was found.
    Damaged(Vec<String>),
}

/// How much is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Size {
    /// What the database takes on disk, with its log.
    pub on_disk: u64,
    /// What is in use of it; retention keeps this under its cap.
    pub in_use: u64,
    /// What waits in the spool.
    pub spooled: u64,
    /// How many records wait in the spool.
    pub spooled_records: u64,
    /// How many of them only the memory of this process holds, because no folder took them.
    #[serde(default)]
    pub in_memory_records: u64,
    /// How many sessions there are; those that continue each other are one.
    #[serde(default)]
    pub sessions: u64,
    /// How many tool calls there are.
    #[serde(default)]
    pub calls: u64,
    /// When the first event was that is still kept.
    #[serde(default)]
    pub since: Option<DateTime<Utc>>,
}

/// What the store could not take yet, whichever process put it there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Waiting {
    /// How many records.
    pub records: u64,
    /// How many of them only the memory of this process holds.
    pub in_memory: u64,
    /// How many bytes they are.
    pub bytes: u64,
}

/// Keeps what was decided, and answers questions about it.
///
/// Submitting never blocks the caller. Reading is answered from what is committed; [`Store::flush`] first to read what was
/// just submitted. Unknown names and ids are answered with nothing, not with an error.
pub trait Store: Send + Sync {
    /// Hands over a record; `done` is told when it is safe, or where it waits.
    fn submit(&self, record: Record, done: Done) {
        self.submit_all(vec![Submission { record, done }]);
    }

    /// Hands over several records at once, which is cheaper than one by one.
    fn submit_all(&self, submissions: Vec<Submission>);

    /// As [`Store::submit_all`], for a caller in a hurry that may be held up by a line in a file: a lone record may be answered as
    /// soon as a note makes it safe, and is committed after that.
    fn submit_noted(&self, submissions: Vec<Submission>) {
        self.submit_all(submissions);
    }

    /// Notes that a hook failed after its event was recorded, without secrets. It is written down with the figures of hooks.
    fn note_failure(&self, hook: &str, time: DateTime<Utc>, failure: &str);

    /// Waits until everything that was submitted has an outcome, what waits in the spool was tried again, and what is
    /// written down now and then (figures of hooks, when sessions were last heard of) is exact.
    fn flush(&self) -> Result<()>;

    /// A tool call by its id; the newest if several agents used the same.
    fn get_trace(&self, tool_use_id: &str) -> Result<Option<Trace>>;

    /// The calls of sessions, newest first.
    fn get_traces(
        &self,
        session: SessionRef<'_>,
        limit: usize,
        since: Option<DateTime<Utc>>,
    ) -> Result<Vec<Trace>> {
        self.find_traces(&TraceFilter {
            session: Some(session),
            since,
            limit,
            ..TraceFilter::default()
        })
    }

    /// The calls of a tool, newest first.
    fn get_traces_by_tool(
        &self,
        tool: &str,
        limit: usize,
        since: Option<DateTime<Utc>>,
    ) -> Result<Vec<Trace>> {
        self.find_traces(&TraceFilter {
            tool: Some(tool),
            since,
            limit,
            ..TraceFilter::default()
        })
    }

    /// The calls that took at least this many milliseconds, slowest first.
    fn get_slow_traces(&self, threshold_ms: i64, limit: usize) -> Result<Vec<Trace>>;

    /// The calls of sessions that failed, timed out or were cancelled, newest first.
    fn get_error_traces(&self, session: SessionRef<'_>, limit: usize) -> Result<Vec<Trace>> {
        self.find_traces(&TraceFilter {
            session: Some(session),
            status: Some(crate::trace::StatusFilter::AnyError),
            limit,
            ..TraceFilter::default()
        })
    }

    /// Everything with this trace id as a tree; `None` if there is nothing.
    fn get_trace_tree(&self, group: &str) -> Result<Option<TraceTree>>;

    /// The calls that a filter lets through, newest first.
    fn find_traces(&self, filter: &TraceFilter<'_>) -> Result<Vec<Trace>>;

    /// What the calls that a filter lets through come to, by tool; the filter's limit says how many are looked at.
    fn trace_statistics(&self, filter: &TraceFilter<'_>) -> Result<TraceStatistics>;

    /// Sessions, last heard of first; those that continue each other are one.
    fn sessions(&self, filter: &SessionFilter<'_>) -> Result<Vec<SessionSummary>>;

    /// Everything about sessions; `None` if there are none.
    fn session(&self, session: SessionRef<'_>) -> Result<Option<SessionDetails>>;

    /// The calls under an agent's name for a session, oldest first, with what they did to files.
    fn past_calls(&self, session: &str) -> Result<Vec<PastCall>>;

    /// What was kept of the work under an agent's name for a session, oldest first; see
    /// [`Change::Worked`](crate::Change::Worked).
    fn past_work(&self, session: &str) -> Result<Vec<serde_json::Value>>;

    /// The last decided events, newest first.
    fn last_events(&self, limit: usize) -> Result<Vec<RecordedEvent>> {
        self.find_events(&EventFilter {
            limit,
            ..EventFilter::default()
        })
    }

    /// The decided events that a filter lets through, newest first.
    fn find_events(&self, filter: &EventFilter<'_>) -> Result<Vec<RecordedEvent>>;

    /// The decided events of a tool call, oldest first.
    fn events_of(&self, call: &Trace) -> Result<Vec<RecordedEvent>>;

    /// When each hook last fired, what it said, how long it takes; by name.
    fn hook_figures(&self) -> Result<Vec<HookFigures>>;

    /// What is known to be missing, newest first.
    fn gaps(&self) -> Result<Vec<Gap>>;

    /// Looks at every page.
    fn integrity_check(&self) -> Result<Integrity>;

    /// Writes a copy to a new file, readable by its owner only.
    fn backup(&self, to: &Path) -> Result<()>;

    /// Gives unused room back to the file system.
    fn compact(&self) -> Result<()>;

    /// Removes records for good, also those that wait in the spool: afterwards nothing of them is in any file of the store, or
    /// [`Forgotten::remains`] says where.
    fn forget(&self, what: Forget<'_>) -> Result<Forgotten>;

    /// How much is kept.
    fn size(&self) -> Result<Size>;

    /// What the store could not take yet. Known also when the database cannot be read.
    fn waiting(&self) -> Waiting;
}
