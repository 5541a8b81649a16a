//! Versions of agents' programs.

use std::fmt;
use std::str::FromStr;

use serde_core::{Serialize, Serializer};

/// A version of the program that runs as an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientVersion {
    major: u32,
    minor: u32,
    patch: u32,
}

impl ClientVersion {
    /// A version by its three numbers.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self {
            major,
            minor,
            patch,
        }
    }
}

impl fmt::Display for ClientVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// No version of a client is written like this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoVersion(String);

impl fmt::Display for NoVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &self.0;
        write!(
            f,
            "`{text}` is not a version; expected three numbers such as `2.1.197`"
        )
    }
}

impl std::error::Error for NoVersion {}

impl FromStr for ClientVersion {
    type Err = NoVersion;

    /// Reads `2.1.197`, and also a line that a client prints: `2.1.197 (Claude Code)`.
    fn from_str(text: &str) -> Result<Self, NoVersion> {
        let word = text.split_whitespace().next().unwrap_or_default();
        let mut numbers = word.split('.').map(|number| number.parse::<u32>().ok());
        let mut next = || numbers.next().flatten();
        match (next(), next(), next(), numbers.next()) {
            (Some(major), Some(minor), Some(patch), None) => Ok(Self::new(major, minor, patch)),
            _ => Err(NoVersion(text.trim().to_owned())),
        }
    }
}

impl Serialize for ClientVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_the_client_prints_them_and_compared_by_number() {
        for (text, expected) in [
            ("2.1.197", Some((2, 1, 197))),
            ("2.1.325 (Claude Code)\n", Some((2, 1, 325))),
            ("  10.0.1", Some((10, 0, 1))),
            ("2.1", None),
            ("2.1.197.4", None),
            ("v2.1.197", None),
            ("2.1.x", None),
            ("2.1.-1", None),
            ("", None),
            ("command not found: claude", None),
        ] {
            let expected = expected.map(|(a, b, c)| ClientVersion::new(a, b, c));
            assert_eq!(text.parse().ok(), expected, "{text:?}");
        }
        let version = |text: &str| text.parse::<ClientVersion>().unwrap();
        assert!(version("2.1.99") < version("2.1.197"));
        assert!(version("2.1.325") < version("2.2.0"));
        assert_eq!(version("2.1.197").to_string(), "2.1.197");
    }
}
