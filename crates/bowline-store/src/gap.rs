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
    /// Neither the store nor the spool had room.
    Dropped,
    /// The database was damaged and moved aside.
    MovedAside,
    /// Lines of the spool were damaged.
    DamagedSpool,
    /// The database would not take a record.
    Refused,
}

impl GapCause {
    pub(crate) const ALL: [Self; 4] = [
        Self::Dropped,
        Self::MovedAside,
        Self::DamagedSpool,
        Self::Refused,
    ];

    /// The word that is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dropped => "dropped",
            Self::MovedAside => "moved_aside",
            Self::DamagedSpool => "damaged_spool",
            Self::Refused => "refused",
        }
    }
}

/// More kinds of gaps than this are counted together.
const MAX_PENDING: usize = 100;

/// Gaps that are not written down yet; the same cause counts up.
#[derive(Debug, Default)]
pub(crate) struct PendingGaps(Vec<Gap>);

impl PendingGaps {
    pub(crate) fn add(&mut self, cause: GapCause, records: u64, message: impl Into<String>) {
        let message = message.into();
        tracing::warn!(cause = cause.as_str(), records, "{message}");
        let same = |gap: &Gap| gap.cause == cause && gap.message == message;
        let place = self.0.iter().position(same);
        let place = place.or_else(|| {
            self.0
                .len()
                .checked_sub(1)
                .filter(|last| *last >= MAX_PENDING)
        });
        match place.and_then(|place| self.0.get_mut(place)) {
            Some(gap) => gap.records += records,
            None => self.0.push(Gap {
                time: Utc::now(),
                cause,
                records,
                message,
            }),
        }
    }

    pub(crate) fn list(&self) -> Vec<Gap> {
        self.0.clone()
    }

    /// Forgets what has been written down; what has been counted since stays.
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
