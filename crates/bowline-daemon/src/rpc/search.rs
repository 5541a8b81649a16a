//! The search over commands, paths, prompts and errors.

use bowline_store::{Findings, Result, SearchFilter, Store, TextKind, is_searchable};
use chrono::{DateTime, Utc};
use serde::Serialize;

use super::Question;
use super::arguments::{Arguments, SessionKey};

/// How many records are listed by default.
pub const DEFAULT_LIMIT: usize = 50;

/// `search.find`: the records in which all of these words are, newest first; 50 by default.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Find {
    /// The words. They are never read as anything but words.
    pub text: String,
    /// Only in texts of these kinds; all if there are none.
    pub kinds: Vec<TextKind>,
    /// Only in these sessions.
    pub session: Option<SessionKey>,
    /// Only in calls of this tool.
    pub tool: Option<String>,
    /// Only in this project's folder.
    pub project: Option<String>,
    /// Only at this time or later.
    pub since: Option<DateTime<Utc>>,
    /// At most this many.
    pub limit: Option<usize>,
}

impl Question for Find {
    const COMMAND: &'static str = "search.find";
    type Answer = Findings;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let text = arguments.needed_text("text");
        if text.as_deref().is_some_and(|text| !is_searchable(text)) {
            arguments.issue("`text` has no letter and no digit; expected words to search for");
        }
        let kinds = arguments.value("kinds", "a list of command, path, prompt and error");
        let session = arguments.session("session");
        let tool = arguments.text("tool");
        let project = arguments.text("project");
        let since = arguments.time("since");
        let limit = arguments.limit("limit");
        Some(Self {
            text: text?,
            kinds: kinds.unwrap_or_default(),
            session,
            tool,
            project,
            since,
            limit,
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        store.search(&SearchFilter {
            text: &self.text,
            kinds: &self.kinds,
            session: self.session.as_ref().map(SessionKey::as_filter),
            tool: self.tool.as_deref(),
            project: self.project.as_deref(),
            since: self.since,
            limit: self.limit.unwrap_or(DEFAULT_LIMIT),
        })
    }
}
