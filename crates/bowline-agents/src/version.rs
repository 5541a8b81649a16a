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

    /// Reads `2.1.197`, and also what a client prints: `2.1.197 (Claude Code)`, `codex-cli 0.166.0-alpha.3`, `GitHub Copilot CLI 1.0.102.`
    /// A pre-release counts as its numbers.
    fn from_str(text: &str) -> Result<Self, NoVersion> {
        let plain = without_colours(text);
        // Some clients say first that there is another version than theirs.
        let is_news = |line: &&str| {
            let line = line.to_ascii_lowercase();
            ["update", "upgrade", "available"]
                .iter()
                .any(|word| line.contains(word))
        };
        let (news, own): (Vec<&str>, Vec<&str>) = plain.lines().partition(is_news);
        let mut words = own.iter().chain(&news).flat_map(|it| it.split_whitespace());
        words
            .find_map(Self::in_word)
            .ok_or_else(|| NoVersion(plain.trim().to_owned()))
    }
}

impl ClientVersion {
    fn in_word(word: &str) -> Option<Self> {
        let word = word.trim_matches(['(', ')', '[', ']', ',', ';', ':', '.', '!']);
        let word = word.strip_prefix(['v', 'V']).unwrap_or(word);
        // What follows is the name of a pre-release or of a build.
        let (numbers, _) = word.split_once(['-', '+']).unwrap_or((word, ""));
        let mut numbers = numbers.split('.').map(|number| number.parse::<u32>().ok());
        let mut next = || numbers.next().flatten();
        match (next(), next(), next(), numbers.next()) {
            (Some(major), Some(minor), Some(patch), None) => Some(Self::new(major, minor, patch)),
            _ => None,
        }
    }
}

/// The text without the sequences that colour it in a terminal.
fn without_colours(text: &str) -> String {
    let mut pieces = text.split("\u{1b}[");
    let first = pieces.next().unwrap_or_default().to_owned();
    // A sequence ends with its first letter or sign.
    let ends = |sign: char| ('@'..='~').contains(&sign);
    pieces.fold(first, |plain, piece| {
        let after = piece.split_once(ends).map_or("", |(_, after)| after);
        plain + after
    })
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
            ("codex-cli 0.166.0\n", Some((0, 166, 0))),
            ("grok 1.0.41 (4220f3b224a6)", Some((1, 0, 41))),
            ("1.99.3\n1c2d3e4f\nx64\n", Some((1, 99, 3))),
            ("2.1", None),
            ("2.1.197.4", None),
            ("2.1.197.4-alpha", None),
            ("v0.61.0", Some((0, 61, 0))),
            ("0.61.0-nightly.20261101", Some((0, 61, 0))),
            ("codex-cli 0.166.0-alpha.3\n", Some((0, 166, 0))),
            ("1.2.3+build.7", Some((1, 2, 3))),
            (
                "GitHub Copilot CLI 1.0.102.\nRun 'copilot update' to check for updates.\n",
                Some((1, 0, 102)),
            ),
            ("\u{1b}[1;32m0.61.0\u{1b}[0m\n", Some((0, 61, 0))),
            ("Update available! 0.25.0\n0.24.4\n", Some((0, 24, 4))),
            ("0.24.4 (update available: 0.25.0)", Some((0, 24, 4))),
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
