//! Work items: what somebody means to do in a project, and whether it is being done.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::text::{Text, preview};

/// Why an edit is denied where a work item is required.
pub const REQUIRED: Text = Text {
    key: "work.required",
    says: "CREATE_WORK_ITEM: no work item is active in this project, and files may only be changed for one. \
           Run `bowline work add \"WHAT YOU ARE ABOUT TO DO\" --kind feature --start`, or `bowline work start ID` for one that \
           `bowline work list` shows. Then repeat this call.",
    names: &[],
};

/// The same where another tracker has the items.
pub const REQUIRED_ELSEWHERE: Text = Text {
    key: "work.required-elsewhere",
    says: "CREATE_WORK_ITEM: {tracker} names no active work item, and files may only be changed for one. \
           Create or start the item there. Then repeat this call.",
    names: &["tracker"],
};

/// What an agent is told that changes files without a work item where none is required.
pub const ADVISED: Text = Text {
    key: "work.advised",
    says: "No work item is active in this project. If this is more than a small fix, note what it is for: \
           `bowline work add \"WHAT YOU ARE DOING\" --start`.",
    names: &[],
};

/// The same where another tracker has the items.
pub const ADVISED_ELSEWHERE: Text = Text {
    key: "work.advised-elsewhere",
    says: "{tracker} names no active work item. If this is more than a small fix, create or start the item there.",
    names: &["tracker"],
};

/// The texts of this rule.
pub const TEXTS: &[Text] = &[REQUIRED, REQUIRED_ELSEWHERE, ADVISED, ADVISED_ELSEWHERE];

/// The longest title, in characters.
pub const MAX_TITLE: usize = 200;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name {
            $($(#[$of])* $variant,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its word.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// The one that has this word.
            pub fn of_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|it| it.as_str() == word)
            }
        }
    };
}

words! {
    /// What kind of work an item is.
    WorkKind {
        /// Something new.
        Feature = "feature",
        /// Something that does not work.
        Bug = "bug",
        /// Something to find out.
        Spike = "spike",
        /// Something that has to be done.
        Chore = "chore",
    }
}

words! {
    /// How far an item is.
    WorkStatus {
        /// Nobody has begun.
        Todo = "todo",
        /// Somebody is at it.
        InProgress = "in_progress",
        /// Something stands in the way.
        Blocked = "blocked",
        /// It is done.
        Done = "done",
        /// It will not be done.
        Cancelled = "cancelled",
    }
}

words! {
    /// How much an item matters.
    Priority {
        /// It can wait.
        Low = "low",
        /// As most.
        Medium = "medium",
        /// It comes first.
        High = "high",
        /// Nothing else matters.
        Critical = "critical",
    }
}

impl WorkStatus {
    /// Whether an item of this status is still to be done.
    pub const fn is_open(self) -> bool {
        !matches!(self, Self::Done | Self::Cancelled)
    }
}

/// One work item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkItem {
    /// Its number.
    pub id: i64,
    /// The project's folder.
    pub project: String,
    /// What kind of work it is.
    pub kind: WorkKind,
    /// What is to be done.
    pub title: String,
    /// How far it is.
    pub status: WorkStatus,
    /// How much it matters.
    pub priority: Priority,
    /// When it was added.
    pub created_at: DateTime<Utc>,
    /// When it was last started.
    pub started_at: Option<DateTime<Utc>>,
    /// When it was done or cancelled.
    pub ended_at: Option<DateTime<Utc>>,
    /// The agent's name for the session that last changed it; none where a person did.
    pub session: Option<String>,
}

/// A new work item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewItem {
    /// What is to be done.
    pub title: String,
    /// What kind of work it is.
    pub kind: WorkKind,
    /// How much it matters.
    pub priority: Priority,
    /// How far it is.
    pub status: WorkStatus,
}

impl NewItem {
    /// The title as it is kept: one line, not too long; `None` if it says nothing.
    pub fn title(&self) -> Option<String> {
        let title = preview(&self.title, MAX_TITLE);
        (!title.is_empty()).then_some(title)
    }
}

/// What is being worked on, by whichever tracker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveItem {
    /// Its name in the tracker: `12`, `bd-7`, `ENG-123`.
    pub id: String,
    /// What is to be done.
    pub title: Option<String>,
    /// What kind of work it is, if the tracker is Bowline's own.
    pub kind: Option<WorkKind>,
}

impl From<&WorkItem> for ActiveItem {
    fn from(item: &WorkItem) -> Self {
        Self {
            id: item.id.to_string(),
            title: Some(item.title.clone()),
            kind: Some(item.kind),
        }
    }
}

/// Fields that hold an item's name, best first.
const IDS: &[&str] = &["id", "identifier", "key", "number"];
/// Fields that hold its title.
const TITLES: &[&str] = &["title", "name", "summary"];

/// Reads what a file or a program of another tracker says: JSON with an `id`, a list of such, or a line with the name and the title.
pub fn read_active(text: &str) -> Option<ActiveItem> {
    let text = text.trim();
    if text.starts_with(['{', '[']) {
        let value: Value = serde_json::from_str(text).ok()?;
        let item = match &value {
            Value::Array(items) => items.first()?,
            one => one,
        };
        let id = IDS.iter().find_map(|name| as_name(item.get(name)?))?;
        let title = TITLES.iter().find_map(|name| as_name(item.get(name)?));
        return Some(ActiveItem {
            id,
            title,
            kind: None,
        });
    }
    let line = text.lines().next()?.trim();
    let (id, title) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    Some(ActiveItem {
        id: as_name(&Value::from(id))?,
        title: as_name(&Value::from(title)),
        kind: None,
    })
}

/// A name in one line; none if it says nothing.
fn as_name(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => preview(text, MAX_TITLE),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty() && text != "null").then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_trackers_are_understood() {
        for (text, expected) in [
            ("bd-7\n", Some(("bd-7", None))),
            (
                "bd-7 Fix the login\nmore",
                Some(("bd-7", Some("Fix the login"))),
            ),
            (
                r#"{"id": "ENG-123", "title": "Fix"}"#,
                Some(("ENG-123", Some("Fix"))),
            ),
            (r#"{"identifier": "ENG-1"}"#, Some(("ENG-1", None))),
            (
                r#"[{"number": 42, "title": "Fix"}]"#,
                Some(("42", Some("Fix"))),
            ),
            ("[]", None),
            ("{}", None),
            (r#"{"id": null}"#, None),
            ("null", None),
            ("{broken", None),
            ("", None),
            (" \n ", None),
        ] {
            let found = read_active(text);
            let found = found
                .as_ref()
                .map(|it| (it.id.as_str(), it.title.as_deref()));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_title_is_one_line() {
        let item = |title: &str| NewItem {
            title: title.to_owned(),
            kind: WorkKind::Bug,
            priority: Priority::Medium,
            status: WorkStatus::Todo,
        };
        assert_eq!(
            item(" Fix\n the login ").title().as_deref(),
            Some("Fix the login")
        );
        assert_eq!(item(" \n").title(), None);
        assert_eq!(
            item(&"x".repeat(999)).title().unwrap().chars().count(),
            MAX_TITLE
        );
    }

    #[test]
    fn words_are_read_as_they_are_written() {
        for status in WorkStatus::ALL {
            assert_eq!(WorkStatus::of_word(status.as_str()), Some(*status));
            let json = serde_json::to_value(status).unwrap();
            assert_eq!(json, status.as_str());
        }
    }
}
