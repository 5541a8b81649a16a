//! What is known to be missing.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Something that should be in the store and is not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Gap {
    /// When it was noticed.
    pub time: DateTime<Utc>,
    /// Why.
    pub cause: GapCause,
    /// How many records are missing, as far as that is known.
    pub records: u64,
    /// For the user: what happened, and where to look.
    pub message: String,
}

/// Why something is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum GapCause {
    /// Neither the store nor the spool had space.
    Dropped,
    /// The database was damaged and moved aside.
    MovedAside,
    /// Lines of the spool were damaged.
    DamagedSpool,
    /// The database refused a record.
    Refused,
    /// Only the memory of a process held records, and it ended.
    Unkept,
    /// The database's log was cut, removed or replaced while it was in use.
    LostLog,
    /// The database was removed or replaced by another while it was in use.
    Removed,
}

impl GapCause {
    pub(crate) const ALL: [Self; 7] = [
        Self::Dropped,
        Self::MovedAside,
        Self::DamagedSpool,
        Self::Refused,
        Self::Unkept,
        Self::LostLog,
        Self::Removed,
    ];

    /// The word that is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dropped => "dropped",
            Self::MovedAside => "moved_aside",
            Self::DamagedSpool => "damaged_spool",
            Self::Refused => "refused",
            Self::Unkept => "unkept",
            Self::LostLog => "lost_log",
            Self::Removed => "removed",
        }
    }
}

/// More kinds of gaps than this are counted together.
const MAX_PENDING: usize = 100;

/// Gaps that are not written yet. The same cause is counted once more.
#[derive(Debug, Default)]
pub(crate) struct PendingGaps(Vec<Gap>);

impl PendingGaps {
    /// Counts something that is missing. A cause that is already counted is not logged again.
    pub(crate) fn add(&mut self, cause: GapCause, records: u64, message: impl Into<String>) {
        let gap = Gap {
            time: Utc::now(),
            cause,
            records,
            message: message.into(),
        };
        if self.find(&gap).is_none() {
            tracing::warn!(cause = cause.as_str(), records, "{}", gap.message);
        }
        self.count(gap);
    }

    pub(crate) fn count(&mut self, new: Gap) {
        match self.find(&new) {
            Some(gap) => gap.records += new.records,
            None => self.0.push(new),
        }
    }

    /// Where a gap is counted.
    fn find(&mut self, new: &Gap) -> Option<&mut Gap> {
        let same = |gap: &Gap| gap.cause == new.cause && gap.message == new.message;
        let last = self.0.len().checked_sub(1);
        let place = self.0.iter().position(same);
        let place = place.or(last.filter(|last| *last >= MAX_PENDING));
        self.0.get_mut(place?)
    }

    pub(crate) fn list(&self) -> Vec<Gap> {
        self.0.clone()
    }

    /// Forgets what has been written. What was counted since then stays.
    pub(crate) fn written(&mut self, written: &[Gap]) {
        for gap in written {
            let same = |pending: &Gap| pending.cause == gap.cause && pending.message == gap.message;
            if let Some(pending) = self.0.iter_mut().find(|pending| same(pending)) {
                pending.records = pending.records.saturating_sub(gap.records);
            }
            self.0
                .retain(|pending| pending.records > 0 || !same(pending));
        }
    }
}
