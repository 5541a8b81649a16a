//! What Bowline keeps of the agents' work: every decided event, the traces, sessions, prompts and delegations that follow
//! from it, and what lets work outlive a context window ([`Continuity`]).
//!
//! [`Store`] is what the rest of Bowline sees; [`SqliteStore`] is the store of one machine. A [`Record`] is one decided
//! event with everything that is kept together with it, atomically and once, however often it is handed over.
//!
//! ```
//! use bowline_store::{CallKey, Change, Options, Record, SqliteStore, Store, TraceStart};
//! use chrono::Utc;
//!
//! let folder = tempfile::tempdir()?;
//! let store = SqliteStore::open(Options::new(folder.path().join("data")))?;
//! let mut record = Record::new("call-1", Utc::now(), "claude-code", "PreToolUse", "session-1");
//! record.changes.push(Change::TraceStarted(TraceStart::new(CallKey::Id("toolu_1".into()), "Bash")));
//! store.submit(record, Box::new(|outcome| assert!(outcome.is_committed())));
//! store.flush()?;
//! assert_eq!(store.get_trace("toolu_1")?.unwrap().tool, "Bash");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod caps;
mod continuity;
mod costs;
mod digest;
mod error;
mod failures;
mod folder;
#[cfg(test)]
mod format_tests;
mod gap;
mod hash;
mod hook_figures;
mod milliseconds;
mod queue;
mod record;
mod reserve;
mod running;
mod search;
mod session;
mod spool;
mod sqlite;
mod status;
mod store;
mod submission;
mod told;
mod trace;
mod tree;
mod work;
mod work_items;
mod writer;

pub use continuity::{AgentSignal, Continuity};
pub use costs::{Costs, Mark, SpentFilter, SpentOn};
pub use digest::{
    AnswerCount, Digest, DigestFilter, FailedHook, RuleDigest, StatusCount, ToolFailures,
};
pub use error::{Error, Result, Unavailable};
pub use failures::{
    FailedCall, Failure, FailureFilter, FailureRef, Failures, FollowUp, FollowUpStatus, PastFailure,
};
pub use folder::private_folder;
pub use gap::{Gap, GapCause};
pub use hook_figures::HookFigures;
pub use record::{
    CallKey, Change, DecidedEvent, DelegationEnd, DelegationStart, Enforcement, GONE, HookFired,
    INBOX, MemoryOf, Record, RememberedSession, Subagent, TraceEnd, TraceStart, Unfinished,
};
pub use running::{
    Doing, LastCall, LastPrompt, MOST_CALLS, MOST_STOPPED, Running, RunningCall, TELLING,
};
pub use search::{Findings, Found, Match, Part, SearchFilter, TextKind, is_searchable};
pub use session::{Delegation, Prompt, Session, SessionDetails, SessionFilter, SessionSummary};
pub use spool::{Spool, SpoolMedium, SpoolOptions, Spooled};
pub use sqlite::{
    Durability, Options, Retention, SqliteStore, count_unkept, keep_beside, kept_beside, unkept,
};
pub use status::{DelegationStatus, SessionStatus, TraceStatus, UnknownStatus};
pub use store::{Forget, Forgotten, Integrity, Outcome, Size, SkippedChange, Store, Waiting};
pub use submission::{Done, Submission};
pub use trace::{
    DecisionFilter, EventFilter, RecordedEvent, SessionRef, StatusFilter, StatusSet,
    ToolStatistics, Trace, TraceFilter, TraceStatistics,
};
pub use tree::{TraceNode, TraceTree};
pub use work::PastCall;
pub use work_items::{WhichItems, Work};
