//! What projects' own files have tried in a session. The agent's process keeps such a variable when the file no longer sets it:
//! another branch is checked out, or the file is gone. So what counted for nothing once does not count later in the session.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bowline_store::Store;
use serde_json::{Value, json};

use super::SESSIONS;
use super::incoming::{Incoming, Switch};
use super::void::Void;

/// The name under which it is kept with the session's records.
const KEPT_AS: &str = "void_variables";

/// The variables that were a project's word, by session.
#[derive(Debug, Default)]
pub(super) struct Voids {
    sessions: Mutex<HashMap<String, Vec<String>>>,
}

impl Voids {
    /// Whether the records have to be asked: the caller switches something off, and nothing is known of its session.
    pub(super) fn wants_to_recall(&self, session: &str, incoming: &Incoming) -> bool {
        let switched = incoming.switches_off() == Switch::Off;
        switched && !session.is_empty() && !self.lock().contains_key(session)
    }

    /// Learns what was tried before this process heard of a session.
    pub(super) fn recall(&self, session: &str, store: &dyn Store) {
        let past = store.past_work(session).unwrap_or_default();
        let names = past.iter().filter_map(|work| work.get(KEPT_AS)?.as_array());
        let names = names.flatten().filter_map(Value::as_str);
        let names: Vec<String> = names.map(str::to_owned).collect();
        self.remember(session, names);
    }

    /// What counts for nothing in a call: what the project's files set now, and what was a project's word before.
    pub(super) fn in_call<'v>(&self, session: &str, void: &'v Void) -> Cow<'v, Void> {
        match self.lock().get(session) {
            Some(names) => void.and(names),
            None => Cow::Borrowed(void),
        }
    }

    /// What is to be kept of an event in which a project's own files try something for the first time.
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
