//! The arguments of one request, taken one by one. All mistakes are reported together.

use bowline_store::{DecisionFilter, SessionRef, StatusFilter, TraceStatus};
use bowline_wire::RequestError;
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// At most this many rows per answer.
pub const MAX_LIMIT: usize = 10_000;

/// Which sessions are meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum SessionKey {
    /// The agent's name for it, with what it continues, what continues it, and its sub-agents.
    Name(String),
    /// The number of one session's row.
    Row(i64),
}

impl SessionKey {
    /// As the store knows it.
    pub fn as_ref(&self) -> SessionRef<'_> {
        match self {
            Self::Name(name) => SessionRef::Chain(name),
            Self::Row(row) => SessionRef::Row(*row),
        }
    }

    /// The same for a filter, which also accepts the beginning of a name.
    pub fn as_filter(&self) -> SessionRef<'_> {
        match self {
            Self::Name(name) => SessionRef::Beginning(name),
            Self::Row(row) => SessionRef::Row(*row),
        }
    }
}

/// Takes arguments by name, and notes what is wrong.
#[derive(Debug)]
pub struct Arguments {
    command: &'static str,
    left: Map<String, Value>,
    known: Vec<&'static str>,
    issues: Vec<String>,
}

impl Arguments {
    pub(super) fn new(command: &'static str, given: Map<String, Value>) -> Self {
        Self {
            command,
            left: given,
            known: Vec::new(),
            issues: Vec::new(),
        }
    }

    /// The question, if nothing is wrong with its arguments.
    pub(super) fn finish<Q>(mut self, question: Option<Q>) -> Result<Q, RequestError> {
        let takes = match self.known.as_slice() {
            [] => "it takes none".to_owned(),
            known => format!("it takes {}", known.join(", ")),
        };
        for name in self.left.keys() {
            let name = shortened(name);
            let issue = format!("`{name}` is no argument of `{}`; {takes}", self.command);
            self.issues.push(issue);
        }
        match question {
            Some(question) if self.issues.is_empty() => Ok(question),
            _ => Err(RequestError::InvalidArguments(self.issues)),
        }
    }

    /// Notes that something is wrong.
    pub(super) fn issue(&mut self, issue: impl Into<String>) {
        self.issues.push(issue.into());
    }

    /// An argument that may be missing.
    fn take(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        // The others keep their order for the error message.
        self.left
            .shift_remove(name)
            .filter(|value| !value.is_null())
    }

    fn wrong(&mut self, name: &str, found: &Value, expected: &str) {
        let found = shortened(&found.to_string());
        self.issue(format!("`{name}` is {found}; expected {expected}"));
    }

    /// A text that is not empty.
    pub(super) fn text(&mut self, name: &'static str) -> Option<String> {
        match self.take(name)? {
            Value::String(text) if !text.is_empty() => Some(text),
            other => {
                self.wrong(name, &other, "a text that is not empty");
                None
            }
        }
    }

    /// A required text.
    pub(super) fn needed_text(&mut self, name: &'static str) -> Option<String> {
        if self.left.get(name).is_none_or(Value::is_null) {
            self.issue(format!("`{name}` is missing; expected a text"));
        }
        self.text(name)
    }

    /// A session's name, or the number of its row.
    pub(super) fn session(&mut self, name: &'static str) -> Option<SessionKey> {
        match self.take(name)? {
            Value::String(text) if !text.is_empty() => Some(SessionKey::Name(text)),
            value => {
                if let Some(row) = value.as_i64() {
                    return Some(SessionKey::Row(row));
                }
                self.wrong(name, &value, "a session's name or the number of its row");
                None
            }
        }
    }

    /// A required session.
    pub(super) fn needed_session(&mut self, name: &'static str) -> Option<SessionKey> {
        if self.left.get(name).is_none_or(Value::is_null) {
            let expected = "expected a session's name or the number of its row";
            self.issue(format!("`{name}` is missing; {expected}"));
        }
        self.session(name)
    }

    /// A time.
    pub(super) fn time(&mut self, name: &'static str) -> Option<DateTime<Utc>> {
        let value = self.take(name)?;
        let time = value
            .as_str()
            .and_then(|text| DateTime::parse_from_rfc3339(text).ok());
        if time.is_none() {
            self.wrong(name, &value, "a time such as \"2026-11-15T10:30:00Z\"");
        }
        time.map(|time| time.to_utc())
    }

    /// How many rows at most.
    pub(super) fn limit(&mut self, name: &'static str) -> Option<usize> {
        let value = self.take(name)?;
        let limit = value.as_u64().and_then(|limit| usize::try_from(limit).ok());
        let limit = limit.filter(|limit| (1..=MAX_LIMIT).contains(limit));
        if limit.is_none() {
            self.wrong(name, &value, &format!("a number from 1 to {MAX_LIMIT}"));
        }
        limit
    }

    /// A whole number.
    pub(super) fn number(&mut self, name: &'static str) -> Option<i64> {
        self.value(name, "a whole number")
    }

    /// A required whole number.
    pub(super) fn needed_number(&mut self, name: &'static str) -> Option<i64> {
        self.needed_value(name, "a whole number")
    }

    /// A value of a type that says itself how it is read.
    pub(super) fn value<T: DeserializeOwned>(
        &mut self,
        name: &'static str,
        expected: &str,
    ) -> Option<T> {
        let value = self.take(name)?;
        let read = serde_json::from_value(value.clone()).ok();
        if read.is_none() {
            self.wrong(name, &value, expected);
        }
        read
    }

    /// A required one.
    pub(super) fn needed_value<T: DeserializeOwned>(
        &mut self,
        name: &'static str,
        expected: &str,
    ) -> Option<T> {
        if self.left.get(name).is_none_or(Value::is_null) {
            self.issue(format!("`{name}` is missing; expected {expected}"));
        }
        self.value(name, expected)
    }

    /// A number of milliseconds.
    pub(super) fn milliseconds(&mut self, name: &'static str) -> Option<i64> {
        let value = self.take(name)?;
        let number = value.as_i64().filter(|number| *number >= 0);
        if number.is_none() {
            self.wrong(name, &value, "a number of milliseconds");
        }
        number
    }

    /// A status, or all that count as errors.
    pub(super) fn status(&mut self, name: &'static str) -> Option<StatusFilter> {
        let value = self.take(name)?;
        let status = value.as_str().and_then(parse_status);
        if status.is_none() {
            self.wrong(name, &value, STATUSES);
        }
        status
    }

    /// Decisions, each by its word.
    pub(super) fn decisions(&mut self, name: &'static str) -> Vec<DecisionFilter> {
        let Some(value) = self.take(name) else {
            return Vec::new();
        };
        let decisions = value.as_array().and_then(|words| {
            let words = words.iter();
            words.map(|word| parse_decision(word.as_str()?)).collect()
        });
        decisions.unwrap_or_else(|| {
            self.wrong(name, &value, &format!("a list of {DECISIONS}"));
            Vec::new()
        })
    }

    /// A flag. Only `true` is valid.
    pub(super) fn said(&mut self, name: &'static str) -> Option<()> {
        let value = self.take(name)?;
        if value == Value::Bool(true) {
            return Some(());
        }
        self.wrong(name, &value, "true");
        None
    }
}

/// The statuses that can be asked for.
pub const STATUSES: &str = "started, ok, error, denied, refused, cancelled, timeout, or any-error for error, cancelled and timeout; several with commas";

/// Every status that counts as an error.
const ANY_ERROR: &str = "any-error";

/// The statuses that words mean, several with commas: each one of them, or `any-error`.
pub fn parse_status(words: &str) -> Option<StatusFilter> {
    let filters: Vec<StatusFilter> = words
        .split(',')
        .map(|word| one_status(word.trim()))
        .collect::<Option<_>>()?;
    match filters.as_slice() {
        [only] => Some(*only),
        several => {
            let statuses = several.iter().flat_map(|filter| filter.statuses());
            Some(StatusFilter::AnyOf(statuses.collect()))
        }
    }
}

fn one_status(word: &str) -> Option<StatusFilter> {
    if word.eq_ignore_ascii_case(ANY_ERROR) {
        return Some(StatusFilter::AnyError);
    }
    let status: TraceStatus = word.parse().ok()?;
    Some(StatusFilter::Is(status))
}

/// The decisions that can be asked for.
pub const DECISIONS: &str = "deny, ask, grant, observed or nothing";

/// The decision that a word means: as in filters, as in JSON, or in the past tense.
pub fn parse_decision(word: &str) -> Option<DecisionFilter> {
    let word = word.trim();
    let spellings = |decision| match decision {
        DecisionFilter::Nothing => &["no_opinion", "no-opinion", "none", "-"][..],
        DecisionFilter::Grant => &["granted", "allow", "allowed"],
        DecisionFilter::Ask => &["asked"],
        DecisionFilter::Deny => &["denied"],
        DecisionFilter::Observed => &["observe"],
    };
    DecisionFilter::ALL.into_iter().find(|known| {
        let is_it = |it: &str| it.eq_ignore_ascii_case(word);
        is_it(known.word()) || spellings(*known).iter().any(|it| is_it(it))
    })
}

/// The word for statuses.
pub(super) fn status_word(filter: StatusFilter) -> String {
    match filter {
        StatusFilter::AnyError => ANY_ERROR.to_owned(),
        other => {
            let words: Vec<&str> = other.statuses().map(TraceStatus::shown).collect();
            words.join(",")
        }
    }
}

/// The given value, short enough for a message.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
