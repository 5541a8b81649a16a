//! The interface of the store.

use std::fmt;
use std::path::Path;

use bowline_guidance::metrics::Facts;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::continuity::Continuity;
use crate::costs::Costs;
use crate::digest::{Digest, DigestFilter, RuleDigest};
use crate::error::Result;
use crate::failures::Failures;
use crate::gap::Gap;
use crate::hook_figures::HookFigures;
use crate::record::{MemoryOf, Record, RememberedSession};
use crate::session::{SessionDetails, SessionFilter, SessionSummary};
use crate::spool::SpoolMedium;
use crate::submission::{Done, Submission};
use crate::trace::{EventFilter, RecordedEvent, SessionRef, Trace, TraceFilter, TraceStatistics};
use crate::tree::TraceTree;
use crate::work::PastCall;
use crate::work_items::Work;

/// The outcome of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It is in the store, and survives a crash of this process.
    Committed(Vec<SkippedChange>),
    /// It is in the spool, survives a crash of this process, and is being committed. Readers of this store wait for the commit. If
    /// it fails, the record waits like a spooled one.
    Noted,
    /// A record with this id was already in the store. Nothing changed.
    Known,
    /// The store could not take it in time. It waits here and is committed later.
    Spooled(SpoolMedium),
    /// There was no space for it anywhere. It is counted in the gaps.
    Dropped,
    /// The store refused it. It is counted in the gaps.
    Refused(String),
}

impl Outcome {
    /// Whether it is in the store now.
    pub const fn is_committed(&self) -> bool {
        matches!(self, Self::Committed(_) | Self::Known)
    }

    /// The changes that were left out although the record was committed.
    pub fn skipped(&self) -> &[SkippedChange] {
        match self {
            Self::Committed(skipped) => skipped,
            _ => &[],
        }
    }
}

/// A change that was left out because what it would change does not exist.
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
    /// A call with this id is already open in the session. It was not started again.
    AlreadyStarted {
        /// Its id.
        tool_use_id: String,
    },
    /// A sub-agent ended to which nothing was delegated.
    NoDelegation {
        /// Its id, if the record has one.
        subagent: Option<String>,
    },
    /// The record names no session, so its changes were left out.
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
    /// For the user: where parts of it can still be read, and what to do about that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remains: Vec<String>,
}

/// Whether the store is intact.
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
    /// The size of the database on disk, with its log.
    pub on_disk: u64,
    /// The part of it that is in use. Retention keeps this under the cap.
    pub in_use: u64,
    /// The size of the spool.
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
    /// The time of the first event that is still kept.
    #[serde(default)]
    pub since: Option<DateTime<Utc>>,
}

/// What the store could not take yet, from all processes.
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

/// Keeps decided events, and answers questions about them.
///
/// Submitting never blocks the caller. Reading sees what is committed; call [`Store::flush`] first to read what was just
/// submitted. An unknown name or id gives an empty answer, not an error.
pub trait Store: Send + Sync {
    /// Submits a record. `done` gets the outcome when the record is safe.
    fn submit(&self, record: Record, done: Done) {
        self.submit_all(vec![Submission::new(record, done)]);
    }

    /// Submits several records at once, which is cheaper than one by one.
    fn submit_all(&self, submissions: Vec<Submission>);

    /// As [`Store::submit_all`], for a caller that wants a fast answer and may write a line to a file: a single record may be
    /// answered as soon as it is in the spool, and is committed after that.
    fn submit_noted(&self, submissions: Vec<Submission>) {
        self.submit_all(submissions);
    }

    /// Notes that a hook failed after its event was recorded, without secrets. The failure is stored with the figures of hooks.
    fn note_failure(&self, hook: &str, time: DateTime<Utc>, failure: &str);

    /// Waits until every submitted record has an outcome, the spool was tried again, and everything that is written only now and
    /// then (figures of hooks, when sessions were last active) is exact.
    fn flush(&self) -> Result<()>;

    /// Takes in what processes that have ended left in the spool, so that whoever asks next finds it, and waits a little for those that are
    /// about to commit. Waits at most a second.
    fn catch_up(&self) {}

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

    /// All calls of a group as a tree; `None` if there are none.
    fn get_trace_tree(&self, group: &str) -> Result<Option<TraceTree>>;

    /// The calls that a filter lets through, newest first.
    fn find_traces(&self, filter: &TraceFilter<'_>) -> Result<Vec<Trace>>;

    /// Statistics by tool of the calls that a filter lets through. The filter's limit says how many calls are read.
    fn trace_statistics(&self, filter: &TraceFilter<'_>) -> Result<TraceStatistics>;

    /// Sessions, the last active first. Sessions that continue each other count as one.
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

    /// What happened in a period, counted.
    fn digest(&self, filter: &DigestFilter<'_>) -> Result<Digest>;

    /// What was decided in a period, by rule, the most frequent first: a part of [`Store::digest`] that costs little.
    fn decided(&self, filter: &DigestFilter<'_>) -> Result<Vec<RuleDigest>>;

    /// When each hook last fired, what it said, how long it takes; by name.
    fn hook_figures(&self) -> Result<Vec<HookFigures>>;

    /// The gaps, newest first.
    fn gaps(&self) -> Result<Vec<Gap>>;

    /// Checks every page.
    fn integrity_check(&self) -> Result<Integrity>;

    /// Writes a copy to a new file, readable by its owner only.
    fn backup(&self, to: &Path) -> Result<()>;

    /// Gives unused disk space back to the file system.
    fn compact(&self) -> Result<()>;

    /// Removes records for good, also from the spool. Afterwards no file of the store holds anything of them, or
    /// [`Forgotten::remains`] says where.
    fn forget(&self, what: Forget<'_>) -> Result<Forgotten>;

    /// How much is kept.
    fn size(&self) -> Result<Size>;

    /// What happened from one time until before another, for figures: at most 50 000 of each kind.
    fn happened(&self, from: DateTime<Utc>, to: DateTime<Utc>) -> Result<Facts>;

    /// What a hook remembers of a session, by the agent's name for it, or of a project, by its folder; see
    /// [`Change::Remembered`](crate::Change::Remembered).
    fn remembered(&self, of: MemoryOf, name: &str, hook: &str) -> Result<Option<Value>>;

    /// What a hook remembers of the sessions of a project, the last changed first.
    fn remembered_of_sessions(&self, project: &str, hook: &str) -> Result<Vec<RememberedSession>>;

    /// Lets a hook remember something else from now on, outside of an event. A session that is not known is an error.
    fn remember(&self, of: MemoryOf, name: &str, hook: &str, state: &Value) -> Result<()>;

    /// Work items.
    fn work(&self) -> &dyn Work;
    /// What failed before.
    fn failures(&self) -> &dyn Failures;

    /// Tasks, efforts, notes and the fleet.
    fn continuity(&self) -> &dyn Continuity;

    /// What agents cost.
    fn costs(&self) -> &dyn Costs;

    /// What the store could not take yet. Works even if the database cannot be read.
    fn waiting(&self) -> Waiting;
}
