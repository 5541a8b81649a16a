//! Patterns in the tools that a session uses one after another.

use serde::{Deserialize, Serialize};

use crate::text::Text;

const BASH: Text = Text {
    key: "patterns.bash",
    says: "Four commands in a row. If they look for something, one script or a sub-agent can do it at once.",
    names: &[],
};
const EDIT: Text = Text {
    key: "patterns.edit",
    says: "Three edits in a row. Run the tests, or at least the compiler, before the next one.",
    names: &[],
};
const GREP: Text = Text {
    key: "patterns.grep",
    says: "Three searches in a row. Read the most likely file, or hand the search to a sub-agent.",
    names: &[],
};
const READ: Text = Text {
    key: "patterns.read",
    says: "Four files were read in a row. Search for the place you need, or hand the reading to a sub-agent.",
    names: &[],
};
const READ_EDIT: Text = Text {
    key: "patterns.read-edit",
    says: "Good: the file was read before it was changed.",
    names: &[],
};
const HEALTH: Text = Text {
    key: "patterns.health",
    says: "{repeats} of the last {calls} calls repeat the tool before them, with {tools} tools in all. Step back: is this the shortest way to what was asked?",
    names: &["repeats", "calls", "tools"],
};

/// The texts of this rule.
pub const TEXTS: &[Text] = &[BASH, EDIT, GREP, READ, READ_EDIT, HEALTH];

/// So many calls are looked back at.
const CALLS: usize = 20;
/// Calls from before this many seconds do not count.
const SECONDS: i64 = 3_600;
/// With so many calls there is something to say about their health.
const ENOUGH: usize = 10;
/// So many repeats are too many.
const REPEATS: usize = 5;
/// So few tools are too few.
const TOOLS: usize = 2;

/// What counts as one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Used {
    /// A shell.
    #[serde(rename = "b")]
    Bash,
    /// A change of a file.
    #[serde(rename = "e")]
    Edit,
    /// A search.
    #[serde(rename = "g")]
    Grep,
    /// A look at a file.
    #[serde(rename = "r")]
    Read,
    /// Anything else.
    #[serde(rename = "o")]
    Other,
}

/// The tools that a session used, the last one last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    calls: Vec<(Used, i64)>,
}

/// What is said about a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The text.
    pub text: &'static Text,
    /// What is filled in.
    pub values: Vec<(&'static str, String)>,
}

impl From<&'static Text> for Remark {
    fn from(text: &'static Text) -> Self {
        Self {
            text,
            values: Vec::new(),
        }
    }
}

impl History {
    /// A tool was used at a time in seconds. Says what there is to say about it.
    pub fn add(&mut self, used: Used, now: i64) -> Vec<Remark> {
        self.calls.retain(|(_, at)| now - at < SECONDS);
        self.calls.push((used, now));
        let too_many = self.calls.len().saturating_sub(CALLS);
        self.calls.drain(..too_many);
        let mut remarks: Vec<Remark> = self.row().into_iter().map(Remark::from).collect();
        if self.ends_with(&[Used::Read, Used::Edit]) {
            remarks.push((&READ_EDIT).into());
        }
        remarks.extend(self.health());
        remarks
    }

    /// The same tool too often in a row.
    fn row(&self) -> Option<&'static Text> {
        let rows: [(Used, usize, &'static Text); 4] = [
            (Used::Bash, 4, &BASH),
            (Used::Edit, 3, &EDIT),
            (Used::Grep, 3, &GREP),
            (Used::Read, 4, &READ),
        ];
        let is_it =
            |(used, most, _): &&(Used, usize, &'static Text)| self.ends_with(&vec![*used; *most]);
        rows.iter().find(is_it).map(|(_, _, text)| *text)
    }

    fn ends_with(&self, last: &[Used]) -> bool {
        let used = self.calls.iter().map(|(used, _)| used);
        self.calls.len() >= last.len()
            && used
                .rev()
                .zip(last.iter().rev())
                .all(|(one, other)| one == other)
    }

    fn health(&self) -> Option<Remark> {
        if self.calls.len() < ENOUGH {
            return None;
        }
        let pairs = self.calls.iter().zip(self.calls.iter().skip(1));
        let repeats = pairs.filter(|(one, other)| one.0 == other.0).count();
        let mut tools: Vec<Used> = Vec::new();
        for (used, _) in &self.calls {
            if !tools.contains(used) {
                tools.push(*used);
            }
        }
        (repeats >= REPEATS || tools.len() <= TOOLS).then(|| Remark {
            text: &HEALTH,
            values: vec![
                ("repeats", repeats.to_string()),
                ("calls", self.calls.len().to_string()),
                ("tools", tools.len().to_string()),
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remarks(calls: &str) -> Vec<&'static str> {
        let mut history = History::default();
        let mut last = Vec::new();
        for (now, sign) in (0..).zip(calls.chars()) {
            let used = serde_json::from_value(sign.to_string().into()).unwrap();
            last = history.add(used, now);
        }
        last.iter().map(|remark| remark.text.key).collect()
    }

    #[test]
    fn f24_c_rows_are_remarked_on() {
        for (calls, expected) in [
            ("bbb", &[][..]),
            ("bbbb", &["patterns.bash"]),
            ("ee", &[]),
            ("eee", &["patterns.edit"]),
            ("gg", &[]),
            ("ggg", &["patterns.grep"]),
            ("rrr", &[]),
            ("rrrr", &["patterns.read"]),
            ("bbobb", &[]),
            ("re", &["patterns.read-edit"]),
            ("er", &[]),
            ("gebrgebrg", &[]),
            ("gebrgebrgo", &[]),
            ("bgbgbgbgb", &[]),
            ("bgbgbgbgbg", &["patterns.health"]),
            ("bbrrggeebo", &[]),
            ("bbrrggeebb", &["patterns.health"]),
        ] {
            assert_eq!(remarks(calls), expected, "{calls}");
        }
    }

    #[test]
    fn f24_c_an_hour_ago_does_not_count() {
        let mut history = History::default();
        for _ in 0..3 {
            history.add(Used::Bash, 0);
        }
        assert_eq!(history.add(Used::Bash, 3_600), []);
        assert_eq!(history.calls.len(), 1);
    }
}
