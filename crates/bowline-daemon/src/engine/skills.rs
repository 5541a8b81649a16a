//! Which skills sessions have put into use. The manager of a project knows it. After a restart, and without a daemon, the store
//! does.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bowline::hooks::{Decision, HookEvent, HookInput, Opinion};
use bowline_store::Store;
use serde_json::{Value, json};

/// At most this many sessions are remembered.
const SESSIONS: usize = 1_000;

/// The key under which a skill's use is kept. Null ends all of them.
const KEPT_AS: &str = "skill";

/// The skills of one project's sessions.
#[derive(Debug, Default)]
pub(super) struct Skills {
    sessions: Mutex<HashMap<String, Session>>,
}

#[derive(Debug, Default)]
struct Session {
    noted: HashSet<String>,
    recalled: Recalled,
}

/// Whether the store was asked about a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Recalled {
    #[default]
    No,
    Yes,
}

impl Skills {
    /// The skills of a session that an earlier process saw; nothing the second time.
    pub(super) fn recall(&self, session: &str, store: &dyn Store) -> Vec<String> {
        if session.is_empty() || self.with(session, |known| known.recalled) == Recalled::Yes {
            return Vec::new();
        }
        let mut skills: Vec<String> = Vec::new();
        for work in store.past_work(session).unwrap_or_default() {
            match work.get(KEPT_AS) {
                Some(Value::String(skill)) => skills.push(skill.clone()),
                Some(_) => skills.clear(),
                None => {}
            }
        }
        self.with(session, |known| {
            known.recalled = Recalled::Yes;
            known.noted.extend(skills.iter().cloned());
        });
        skills
    }

    /// What is to be kept of a decided event, if it changes which skills are in use.
    pub(super) fn changed_by(&self, input: &HookInput, output: &Opinion) -> Option<Value> {
        let session = &input.session_id;
        let event = input.event_type();
        if event == HookEvent::SessionEnd {
            let ended = self.lock().remove(session)?;
            return (!ended.noted.is_empty()).then(|| json!({ KEPT_AS: null }));
        }
        let goes_on = event == HookEvent::PostToolUse || output.decision() < Decision::Ask;
        let skill = input
            .skill()
            .filter(|_| goes_on && !session.is_empty())?
            .to_owned();
        let is_new = self.with(session, |known| known.noted.insert(skill.clone()));
        is_new.then(|| json!({ KEPT_AS: skill }))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, session: &str, work: impl FnOnce(&mut Session) -> T) -> T {
        let mut sessions = self.lock();
        if sessions.len() >= SESSIONS && !sessions.contains_key(session) {
            sessions.clear();
        }
        work(sessions.entry(session.to_owned()).or_default())
    }
}
