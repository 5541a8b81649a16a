//! Which variables projects' own files have set in a session. The agent's process keeps such a variable after the file no longer sets it,
//! because another branch is checked out or the file is gone. So it does not count for the rest of the session.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bowline_store::Store;
use serde_json::{Value, json};

use super::SESSIONS;
use super::context::Switch;
use super::void::Void;

/// The name under which it is kept with the session's records.
const KEPT_AS: &str = "void_variables";

/// The variables that projects have set, by session.
#[derive(Debug, Default)]
pub(super) struct Voids {
    sessions: Mutex<HashMap<String, Vec<String>>>,
}

impl Voids {
    /// Whether the store has to be asked: the caller switches something off, and its session is unknown.
    pub(super) fn wants_to_recall(&self, session: &str, switched: Switch) -> bool {
        switched == Switch::Off && !session.is_empty() && !self.lock().contains_key(session)
    }

    /// Loads what projects set before this process knew the session.
    pub(super) fn recall(&self, session: &str, store: &dyn Store) {
        // The call in which a project set it may have been answered by another process just now.
        store.catch_up();
        let past = store.past_work(session).unwrap_or_default();
        let names = past.iter().filter_map(|work| work.get(KEPT_AS)?.as_array());
        let names = names.flatten().filter_map(Value::as_str);
        let names: Vec<String> = names.map(str::to_owned).collect();
        self.remember(session, names);
    }

    /// The variables that do not count in a call: those that the project's files set now, and those that projects set before.
    pub(super) fn in_call<'v>(&self, session: &str, void: &'v Void) -> Cow<'v, Void> {
        match self.lock().get(session) {
            Some(names) => void.and(names),
            None => Cow::Borrowed(void),
        }
    }

    /// What to record of an event in which a project's own files set something for the first time.
    pub(super) fn changed_by(&self, session: &str, tried: &[String]) -> Option<Value> {
        if tried.is_empty() || session.is_empty() {
            return None;
        }
        let known = self.lock().get(session).cloned().unwrap_or_default();
        let is_new = |name: &&String| !known.contains(name);
        let new: Vec<String> = tried.iter().filter(is_new).cloned().collect();
        if new.is_empty() {
            return None;
        }
        self.remember(session, new.clone());
        Some(json!({ KEPT_AS: new }))
    }

    fn remember(&self, session: &str, names: Vec<String>) {
        let mut sessions = self.lock();
        if sessions.len() >= SESSIONS && !sessions.contains_key(session) {
            sessions.clear();
        }
        sessions
            .entry(session.to_owned())
            .or_default()
            .extend(names);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Vec<String>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
