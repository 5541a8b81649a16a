//! The permission mode of sessions. Hooks get it on every event. Agents name it only on some, so the last one counts. After a restart,
//! and without a daemon, it comes from the store.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bowline::hooks::HookInput;
use bowline_store::Store;
use serde_json::{Value, json};

use super::SESSIONS;

/// The payload's field, under whose name the mode is also kept.
const FIELD: &str = "permission_mode";

/// The last mode of each session; none if the store has none either.
#[derive(Debug, Default)]
pub(super) struct Modes {
    sessions: Mutex<HashMap<String, Option<String>>>,
}

impl Modes {
    /// The input with its session's mode, if that is known.
    pub(super) fn complete(&self, input: HookInput) -> HookInput {
        if input.field(FIELD).is_some() {
            return input;
        }
        let known = self.lock().get(&input.session_id).cloned().flatten();
        match known {
            Some(mode) => input.with_field(FIELD, mode),
            None => input,
        }
    }

    /// Learns the mode of a session that an earlier process saw.
    pub(super) fn recall(&self, session: &str, store: &dyn Store) {
        if session.is_empty() || self.lock().contains_key(session) {
            return;
        }
        let past = store.past_work(session).unwrap_or_default();
        let mode = past.iter().rev().find_map(|work| work.get(FIELD)?.as_str());
        self.remember(session, mode.map(str::to_owned));
    }

    /// What is to be kept of an event, if it changes its session's mode.
    pub(super) fn changed_by(&self, input: &HookInput) -> Option<Value> {
        let session = input.session_id.as_str();
        let mode = input.permission_mode().filter(|_| !session.is_empty())?;
        let known = self.lock().get(session).cloned().flatten();
        if known.as_deref() == Some(mode) {
            return None;
        }
        self.remember(session, Some(mode.to_owned()));
        Some(json!({ FIELD: mode }))
    }

    fn remember(&self, session: &str, mode: Option<String>) {
        let mut sessions = self.lock();
        if sessions.len() >= SESSIONS {
            sessions.clear();
        }
        sessions.insert(session.to_owned(), mode);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Option<String>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
