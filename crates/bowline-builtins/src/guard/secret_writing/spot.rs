//! Where a secret stands and of what kind it is, in words that do not hold it.

use std::fmt;
use std::ops::Range;

use bowline_guard::lookalikes::escape;
use bowline_guard::secrets::{self, Confidence, redact, scan_live};

/// Folders whose files are made up for tests.
const TEST_FOLDERS: &[&str] = &[
    "test",
    "tests",
    "__tests__",
    "spec",
    "specs",
    "fixtures",
    "__fixtures__",
    "testdata",
    "test-data",
    "test_data",
    "mocks",
    "__mocks__",
    "snapshots",
    "__snapshots__",
    "cassettes",
    "examples",
];

/// A secret that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spot {
    /// What it is: "GitHub token".
    kind: &'static str,
    /// The rule's name.
    rule: &'static str,
    /// Where it is: "in `src/a.rs`, line 3".
    place: String,
    span: Range<usize>,
}

impl Spot {
    /// Whether the secret, which stands in `text`, stands in another text, too.
    pub(super) fn is_in(&self, text: &str, other: &str) -> bool {
        text.get(self.span.clone())
            .is_some_and(|secret| other.contains(secret))
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}) {}", self.kind, self.rule, self.place)
    }
}

/// What kind of file a text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Surroundings {
    /// A secret here is one.
    Real,
    /// A test or an example: made-up keys belong here, and only a token of a known format is taken for a real one.
    MadeUp,
}

impl Surroundings {
    pub(super) fn of(path: &str) -> Self {
        let mut parts = path.rsplit('/');
        let name = parts.next().unwrap_or_default().to_ascii_lowercase();
        let stem = name.split('.').next().unwrap_or_default();
        let is_test = parts.any(|folder| TEST_FOLDERS.contains(&folder))
            || stem.starts_with("test_")
            || stem.ends_with("_test")
            || name
                .split('.')
                .skip(1)
                .any(|part| matches!(part, "test" | "spec" | "example" | "sample" | "template"));
        if is_test { Self::MadeUp } else { Self::Real }
    }
}

/// The live secrets of a text; `place` says where its lines are, counted from 1.
pub(super) fn spots_in(
    text: &str,
    surroundings: Surroundings,
    place: impl Fn(usize) -> String,
) -> Vec<Spot> {
    let mut line = 1;
    let mut counted = 0;
    let counts = |rule: &str, confidence: Confidence| match surroundings {
        Surroundings::Real => true,
        Surroundings::MadeUp => {
            confidence == Confidence::Certain
                && !matches!(rule, "private-key" | "putty-key" | "jwt")
        }
    };
    let mut spots = Vec::new();
    for finding in scan_live(text) {
        if !counts(finding.rule, finding.confidence) {
            continue;
        }
        let before = text.get(counted..finding.span.start).unwrap_or_default();
        line += before.matches('\n').count();
        counted = finding.span.start;
        spots.push(Spot {
            kind: description(finding.rule),
            rule: finding.rule,
            place: place(line),
            span: finding.span,
        });
    }
    spots
}

/// A line of a file, in words.
pub(super) fn place_of(path: &str, line: usize, part: &str) -> String {
    format!("in {}, line {line}{part}", shown(path))
}

/// A path in quotes, with nothing secret and nothing deceiving in it.
pub(super) fn shown(path: &str) -> String {
    format!("`{}`", escape(&redact(path)))
}

fn description(rule: &'static str) -> &'static str {
    secrets::rules()
        .iter()
        .find(|known| known.id == rule)
        .map_or(rule, |known| known.description)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_examples_are_known_by_their_place() {
        for (path, expected) in [
            ("src/main.rs", Surroundings::Real),
            (".env", Surroundings::Real),
            ("src/testing.rs", Surroundings::Real),
            ("contest/a.py", Surroundings::Real),
            ("latest.json", Surroundings::Real),
            ("tests/a.rs", Surroundings::MadeUp),
            ("/srv/app/fixtures/key.pem", Surroundings::MadeUp),
            ("src/a.test.ts", Surroundings::MadeUp),
            ("a_test.go", Surroundings::MadeUp),
            ("test_a.py", Surroundings::MadeUp),
            (".env.example", Surroundings::MadeUp),
        ] {
            assert_eq!(Surroundings::of(path), expected, "{path}");
        }
    }
}
