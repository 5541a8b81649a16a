//! What a session has in one file.

use chrono::{DateTime, Duration, Utc};

use super::touch::{Before, Touch};

/// The clock of a file system goes in steps of at most this length: the time of a file may be this much before the one at which it
/// changed.
pub(super) const STEP: Duration = Duration::milliseconds(10);

/// A file that a session has written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileWork {
    /// When the session first wrote it.
    pub(super) since: DateTime<Utc>,
    /// The end of the last call that did.
    pub(super) until: DateTime<Utc>,
    pub(super) share: Share,
    /// Whether the agent was shown what is there.
    pub(super) shown: bool,
    /// What it was copied from, if that was somebody else's.
    pub(super) copy_of: Option<String>,
    /// Whether somebody else's work was moved there.
    pub(super) moved: bool,
    /// What git's index held when the session first wrote it.
    pub(super) staged: Option<String>,
    /// The name that git would give to what the last call left there.
    pub(super) content: Option<String>,
}

/// Whose work is in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Share {
    /// The session's alone, on top of what git has.
    Own,
    /// Somebody else's, too.
    Mixed,
}

impl FileWork {
    /// Whether what changed at a time was there when the last call ended. What comes right after the call may bear a time before
    /// its end; there only the content decides, if it is known.
    pub(super) fn was_there(&self, time: DateTime<Utc>) -> bool {
        time <= self.until - STEP || (time <= self.until && self.content.is_none())
    }

    /// The file after a call that lasted from `started` to `ended`.
    pub(super) fn after(
        known: Option<&Self>,
        touch: &Touch,
        started: DateTime<Utc>,
        ended: DateTime<Utc>,
    ) -> Self {
        let goes_on = known.filter(|_| touch.before == Before::Own);
        Self {
            since: goes_on.map_or(started, |it| it.since),
            until: ended,
            shown: touch.shown,
            share: match touch.before {
                Before::Missing | Before::Held => Share::Own,
                Before::Own => goes_on.map_or(Share::Own, |it| it.share),
                Before::Other => Share::Mixed,
            },
            copy_of: touch.copy_of.clone(),
            moved: touch.moved,
            staged: match goes_on {
                Some(it) => it.staged.clone(),
                None => touch.staged.clone(),
            },
            content: None,
        }
    }
}
