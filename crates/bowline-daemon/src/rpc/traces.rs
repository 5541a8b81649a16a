//! Questions about tool calls.

use bowline_store::{
    Prompt, Result, StatusFilter, Store, TELLING, Trace, TraceFilter, TraceNode, TraceStatistics,
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::Question;
use super::arguments::{Arguments, MAX_LIMIT, SessionKey, status_word};

/// How many calls are listed by default.
pub const DEFAULT_LIMIT: usize = 100;
/// From how many milliseconds on a call is slow by default.
pub const DEFAULT_THRESHOLD_MS: i64 = 1_000;

/// Which calls are wanted. `None` matches all.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Filter {
    /// Of these sessions.
    pub session: Option<SessionKey>,
    /// Of this agent.
    pub agent: Option<String>,
    /// Of this tool.
    pub tool: Option<String>,
    /// With this status.
    #[serde(serialize_with = "write_status")]
    pub status: Option<StatusFilter>,
    /// Begun at this time or later.
    pub since: Option<DateTime<Utc>>,
    /// Of this project's folder.
    pub project: Option<String>,
    /// At most this many.
    pub limit: Option<usize>,
}

#[expect(
    clippy::ref_option,
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference to the field"
)]
fn write_status<S: Serializer>(
    status: &Option<StatusFilter>,
    to: S,
) -> std::result::Result<S::Ok, S::Error> {
    status.map(status_word).serialize(to)
}

impl Filter {
    fn read(arguments: &mut Arguments) -> Self {
        Self {
            session: arguments.session("session"),
            agent: arguments.text("agent"),
            tool: arguments.text("tool"),
            status: arguments.status("status"),
            since: arguments.time("since"),
            project: arguments.text("project"),
            limit: arguments.limit("limit"),
        }
    }

    fn for_store(&self, default_limit: usize) -> TraceFilter<'_> {
        TraceFilter {
            session: self.session.as_ref().map(SessionKey::as_filter),
            agent: self.agent.as_deref(),
            tool: self.tool.as_deref(),
            status: self.status,
            since: self.since,
            project: self.project.as_deref(),
            limit: self.limit.unwrap_or(default_limit),
            ..TraceFilter::default()
        }
    }
}

/// `traces.get`: one call by its id; null if it is unknown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Get {
    /// The agent's id of the call.
    pub id: String,
}

impl Question for Get {
    const COMMAND: &'static str = "traces.get";
    type Answer = Option<Trace>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let id = arguments.needed_text("id")?;
        Some(Self { id })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        store.get_trace(&self.id)
    }
}

/// `traces.list`: calls, newest first; 100 by default.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct List {
    /// Which ones.
    #[serde(flatten)]
    pub filter: Filter,
}

impl Question for List {
    const COMMAND: &'static str = "traces.list";
    type Answer = Vec<Trace>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let filter = Filter::read(arguments);
        Some(Self { filter })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let filter = self.filter.for_store(DEFAULT_LIMIT);
        store.find_traces(&filter)
    }
}

/// `traces.slow`: calls that took long, slowest first; by default 100 of at least one second.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Slow {
    /// At least this many milliseconds.
    pub threshold_ms: Option<i64>,
    /// At most this many.
    pub limit: Option<usize>,
}

impl Question for Slow {
    const COMMAND: &'static str = "traces.slow";
    type Answer = Vec<Trace>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        Some(Self {
            threshold_ms: arguments.milliseconds("threshold_ms"),
            limit: arguments.limit("limit"),
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let threshold = self.threshold_ms.unwrap_or(DEFAULT_THRESHOLD_MS);
        store.get_slow_traces(threshold, self.limit.unwrap_or(DEFAULT_LIMIT))
    }
}

/// `traces.errors`: calls that failed, timed out or were cancelled, newest first; 100 by default.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Errors {
    /// Only of these sessions.
    pub session: Option<SessionKey>,
    /// At most this many.
    pub limit: Option<usize>,
}

impl Question for Errors {
    const COMMAND: &'static str = "traces.errors";
    type Answer = Vec<Trace>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        Some(Self {
            session: arguments.session("session"),
            limit: arguments.limit("limit"),
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let filter = TraceFilter {
            session: self.session.as_ref().map(SessionKey::as_filter),
            status: Some(StatusFilter::AnyError),
            limit: self.limit.unwrap_or(DEFAULT_LIMIT),
            ..TraceFilter::default()
        };
        store.find_traces(&filter)
    }
}

/// `traces.tree`: everything that followed from one prompt; null if it is unknown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tree {
    /// A group, or the id of any call in it.
    pub id: String,
}

/// What followed from one prompt, or from one call. Calls are in the order in which a tree is written down, so that
/// no line of calls is too deep to be sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WholeTree {
    /// The group.
    #[serde(rename = "trace_id")]
    pub group: String,
    /// The prompt from which all calls follow.
    pub prompt: Option<Prompt>,
    /// The calls, each before its parts, and these oldest first.
    pub calls: Vec<TreeCall>,
    /// Whether there are more calls than a tree may hold.
    pub truncated: bool,
}

/// One call of a tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TreeCall {
    /// Within how many others it is.
    pub depth: usize,
    /// The call.
    pub trace: Trace,
}

impl Question for Tree {
    const COMMAND: &'static str = "traces.tree";
    type Answer = Option<WholeTree>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let id = arguments.needed_text("id")?;
        Some(Self { id })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let tree = match store.get_trace_tree(&self.id)? {
            Some(tree) => Some(tree),
            None => match store.get_trace(&self.id)? {
                Some(call) => store.get_trace_tree(&call.group)?,
                None => None,
            },
        };
        Ok(tree.map(|tree| WholeTree {
            group: tree.group,
            prompt: tree.prompt,
            calls: written_down(tree.roots),
            truncated: tree.truncated,
        }))
    }
}

fn written_down(roots: Vec<TraceNode>) -> Vec<TreeCall> {
    let mut calls = Vec::new();
    let mut left: Vec<(usize, TraceNode)> = roots.into_iter().rev().map(|root| (0, root)).collect();
    while let Some((depth, node)) = left.pop() {
        calls.push(TreeCall {
            depth,
            trace: node.trace,
        });
        left.extend(node.children.into_iter().rev().map(|it| (depth + 1, it)));
    }
    calls
}

/// `traces.stats`: statistics of calls by tool. The limit says how many of the newest are read; 10,000 by default.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Stats {
    /// Which ones.
    #[serde(flatten)]
    pub filter: Filter,
}

impl Question for Stats {
    const COMMAND: &'static str = "traces.stats";
    type Answer = TraceStatistics;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let filter = Filter::read(arguments);
        Some(Self { filter })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let filter = self.filter.for_store(MAX_LIMIT);
        store.trace_statistics(&filter)
    }
}

/// What a call is about: the text of its input that says most, in full.
pub fn told(input: Option<&Value>) -> String {
    match input {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Object(fields)) => {
            let told = TELLING
                .iter()
                .filter_map(|name| fields.get(*name).and_then(Value::as_str))
                .find(|text| !text.trim().is_empty());
            match told {
                Some(text) => text.to_owned(),
                None if fields.is_empty() => String::new(),
                None => Value::Object(fields.clone()).to_string(),
            }
        }
        Some(other) => other.to_string(),
    }
}
