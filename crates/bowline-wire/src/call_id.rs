//! The name of one hook call, by which it is decided and recorded once.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::process;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::WireError;

/// The name of one hook call: unique, and sorted by time as text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(String);

impl CallId {
    /// Makes a new one.
    pub fn generate() -> Self {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH);
        let milliseconds = since_epoch.map_or(0, |time| time.as_millis());
        // The keys of a `RandomState` come from the system's random numbers.
        let made = (process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        Self::from_parts(
            u64::try_from(milliseconds).unwrap_or(u64::MAX),
            RandomState::new().hash_one(made),
        )
    }

    /// Makes one from a time in milliseconds since 1970 and a number that distinguishes calls of the same millisecond.
    pub fn from_parts(milliseconds: u64, distinction: u64) -> Self {
        Self(format!("{milliseconds:012x}-{distinction:016x}"))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for CallId {
    type Err = WireError;

    /// Accepts what can stand in a command line and name a file: 1 to 64 letters, digits and hyphens.
    fn from_str(text: &str) -> Result<Self, WireError> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if (1..=64).contains(&text.len()) && text.bytes().all(fits) {
            Ok(Self(text.to_owned()))
        } else {
            let expected = "1 to 64 letters, digits and hyphens";
            Err(WireError::field("call", expected))
        }
    }
}
