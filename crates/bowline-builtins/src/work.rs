//! What a session made: the files, stashes and commits that are its own, and the files that it has read.
//!
//! A [`Ledger`] keeps that for all sessions in memory and, as part of the records, in the store, from which it is read
//! again when a verdict depends on a session that the process has not seen from its beginning. A change
//! of a file outside of a session's calls is somebody else's.

mod file_work;
mod hook;
mod kept;
mod ledger;
mod lookout;
mod reach;
mod session;
mod sessions;
mod touch;

pub(crate) use hook::{SUMMARY, Work, acts};
pub use ledger::Ledger;
pub(crate) use ledger::SessionView;
pub(crate) use session::Times;
pub(crate) use touch::{Before, Touch};
