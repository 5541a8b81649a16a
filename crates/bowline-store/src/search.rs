//! The search over commands, paths, prompts and errors: what is asked, and what is found.
//!
//! How texts are cut into words is in `words`, and which texts a record has in `texts`. Both are pure. What is written to the index and
//! what is asked of it are words of the same kind, so that no text is ever read as a query.

pub(crate) mod texts;
pub(crate) mod words;

use std::ops::Range;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::trace::SessionRef;
use words::Words;

/// What is shown of a text in which something was found, in characters.
const EXCERPT: usize = 240;
/// A text whose first match begins later than this is not shown from its beginning …
const LATE: usize = 80;
/// … but from this many characters before the match.
const BEFORE: usize = 40;

/// What kind of text the search looks through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextKind {
    /// What a tool call runs or looks for.
    Command,
    /// The files and addresses that a tool call names.
    Path,
    /// What a person, or an agent that delegates, asks for.
    Prompt,
    /// What went wrong in a tool call, or why it never ran.
    Error,
}

impl TextKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Command, Self::Path, Self::Prompt, Self::Error];

    /// Its word, as in JSON. The index has a column of this name.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Path => "path",
            Self::Prompt => "prompt",
            Self::Error => "error",
        }
    }
}

/// What is searched for, and where. `None` and an empty list match all.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchFilter<'a> {
    /// The words; see [`is_searchable`].
    pub text: &'a str,
    /// Only in texts of these kinds.
    pub kinds: &'a [TextKind],
    /// Only in these sessions.
    pub session: Option<SessionRef<'a>>,
    /// Only in calls of this tool, in any casing.
    pub tool: Option<&'a str>,
    /// Only in this project's folder.
    pub project: Option<&'a str>,
    /// Only at this time or later.
    pub since: Option<DateTime<Utc>>,
    /// At most this many.
    pub limit: usize,
}

impl<'a> SearchFilter<'a> {
    /// Searches for these words everywhere.
    pub const fn new(text: &'a str) -> Self {
        Self {
            text,
            kinds: &[],
            session: None,
            tool: None,
            project: None,
            since: None,
            limit: 50,
        }
    }

    /// The kinds that are meant.
    pub(crate) const fn meant_kinds(&self) -> &[TextKind] {
        match self.kinds {
            [] => &TextKind::ALL,
            kinds => kinds,
        }
    }
}

/// Whether a text has a letter or a digit. Nothing else can be found.
pub fn is_searchable(text: &str) -> bool {
    Words::wanted(text).is_some()
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// Newest first.
    pub found: Vec<Found>,
    /// Records from before this time are not indexed yet, because they are older than the index. They will be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indexed_since: Option<DateTime<Utc>>,
}

/// A record in which a search found its words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// In what kind of text.
    pub kind: TextKind,
    /// When.
    pub time: DateTime<Utc>,
    /// The agent.
    pub agent: String,
    /// The agent's name of the session.
    pub session: String,
    /// The project's folder.
    pub project: Option<String>,
    /// The tool.
    pub tool: Option<String>,
    /// The agent's id of the call, or one that was generated.
    pub tool_use_id: Option<String>,
    /// The id of the event.
    pub event_id: String,
    /// The part of the text around the first match, on one line.
    pub excerpt: String,
    /// The matches in it, in order.
    pub matches: Vec<Match>,
}

/// Where a match is in an excerpt, counted in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Match {
    /// Its first character.
    pub start: usize,
    /// The character after its last.
    pub end: usize,
}

/// A part of an excerpt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// What was searched for.
    Match(String),
    /// What is around it.
    Other(String),
}

impl Found {
    /// The excerpt, cut where matches begin and end. Positions that are not in it, from wherever they come, mark nothing.
    pub fn parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut rest = self.excerpt.chars();
        let mut at = 0;
        for found in &self.matches {
            let other: String = rest.by_ref().take(found.start.saturating_sub(at)).collect();
            at = at.max(found.start);
            let matched: String = rest.by_ref().take(found.end.saturating_sub(at)).collect();
            at = at.max(found.end);
            parts.extend((!other.is_empty()).then_some(Part::Other(other)));
            parts.extend((!matched.is_empty()).then_some(Part::Match(matched)));
        }
        let other: String = rest.collect();
        parts.extend((!other.is_empty()).then_some(Part::Other(other)));
        parts
    }
}

/// The part of a text around its first match, and the matches in it. The positions given are those of bytes, in order.
pub(crate) fn excerpt(text: &str, matches: &[Range<usize>]) -> (String, Vec<Match>) {
    let character = |byte: usize| text.get(..byte).unwrap_or(text).chars().count();
    let first = matches.first().map_or(0, |found| character(found.start));
    let skipped = if first > LATE { first - BEFORE } else { 0 };
    let mut shown = String::new();
    let mut ahead = 0;
    if skipped > 0 {
        shown.push('…');
        ahead = 1;
    }
    let mut rest = text.chars().skip(skipped);
    let line = |c: char| if c.is_whitespace() { ' ' } else { c };
    shown.extend(rest.by_ref().take(EXCERPT).map(line));
    if rest.next().is_some() {
        shown.push('…');
    }
    let marks = matches.iter().filter_map(|found| {
        let (start, end) = (character(found.start), character(found.end));
        let end = end.min(skipped + EXCERPT);
        (start >= skipped && start < end).then_some(Match {
            start: start - skipped + ahead,
            end: end - skipped + ahead,
        })
    });
    let marks = marks.collect();
    (shown, marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str, wanted: &str) -> String {
        let words = Words::wanted(wanted).unwrap();
        let (excerpt, matches) = excerpt(text, &words.matches(text));
        let found = Found {
            kind: TextKind::Command,
            time: DateTime::UNIX_EPOCH,
            agent: String::new(),
            session: String::new(),
            project: None,
            tool: None,
            tool_use_id: None,
            event_id: String::new(),
            excerpt,
            matches,
        };
        let parts = found.parts().into_iter().map(|part| match part {
            Part::Match(text) => format!("[{text}]"),
            Part::Other(text) => text,
        });
        parts.collect()
    }

    #[test]
    fn an_excerpt_is_one_line_with_its_matches_marked() {
        for (text, wanted, expected) in [
            ("cargo test", "cargo", "[cargo] test"),
            ("cargo\n\ttest", "test", "cargo  [test]"),
            ("vim src/main.rs", "src/main", "vim [src/main].rs"),
            ("Größe und größer", "GRÖß", "[Größ]e und [größ]er"),
            ("test testing", "test", "[test] [test]ing"),
            ("a b a", "a", "[a] b [a]"),
        ] {
            assert_eq!(marked(text, wanted), expected, "{text}: {wanted}");
        }
    }

    #[test]
    fn an_excerpt_begins_near_its_first_match_and_has_an_end() {
        let text = format!("{}needle {}", "ä ".repeat(100), "x ".repeat(300));
        let shown = marked(&text, "needle");
        assert!(shown.starts_with("…ä ä"), "{shown}");
        assert!(shown.ends_with('…'), "{shown}");
        assert!(shown.contains("ä [needle] x"), "{shown}");
        assert_eq!(shown.chars().count(), EXCERPT + "…[]…".chars().count());

        // Of many matches only those that are shown are marked.
        let many = marked(&"ab ".repeat(500), "ab");
        assert_eq!(many.matches("[ab]").count(), EXCERPT / 3);
    }

    #[test]
    fn positions_that_are_not_in_an_excerpt_mark_nothing() {
        let mut found: Found = serde_json::from_value(serde_json::json!({
            "kind": "path", "time": "2026-11-15T10:30:00Z", "agent": "a", "session": "s", "project": null, "tool": null,
            "tool_use_id": null, "event_id": "e", "excerpt": "äbc", "matches": [{"start": 1, "end": 2}],
        }))
        .unwrap();
        let (other, matched) = (
            |it: &str| Part::Other(it.into()),
            |it: &str| Part::Match(it.into()),
        );
        assert_eq!(found.parts(), [other("ä"), matched("b"), other("c")]);
        for (start, end, expected) in [
            (7, 9, vec![other("äbc")]),
            (2, 1, vec![other("äb"), other("c")]),
            (0, usize::MAX, vec![matched("äbc")]),
        ] {
            found.matches = vec![Match { start, end }];
            assert_eq!(found.parts(), expected, "{start} to {end}");
        }
    }
}
