//! Which calls were denied before in the same session: as far as memory allows, and, where a second attempt passes, as the store
//! has it.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bowline::hooks::{HookContext, HookInput};
use bowline_store::{Change, Store};
use serde_json::{Value, json};

use crate::recorder::add_change;
use crate::recorder::digest::digest;

/// Sessions that are remembered; the one that was quiet longest is forgotten first.
const MAX_SESSIONS: usize = 1_000;

/// Calls that are remembered of one session.
const MAX_CALLS: usize = 1_000;

/// What is kept of a denied call is under this name.
const KEPT_AS: &str = "struck";

/// The denied calls of all sessions.
#[derive(Default)]
pub struct Strikes {
    sessions: Mutex<Sessions>,
    /// Where they are looked up that another process has seen, and noted for the next.
    kept: Option<Arc<dyn Store>>,
}

impl fmt::Debug for Strikes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Strikes").finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct Sessions {
    known: HashMap<String, Session>,
    clock: u64,
}

#[derive(Debug, Default)]
struct Session {
    calls: HashMap<u64, u32>,
    last: u64,
    recalled: Recalled,
}

/// Whether what the store has of a session is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Recalled {
    #[default]
    No,
    Yes,
}

/// One denied call.
#[derive(Debug)]
pub(super) struct Strike {
    session: String,
    call: Vec<String>,
}

impl Strike {
    pub(super) fn new(session: &str, call: &[&str]) -> Self {
        Self {
            session: session.to_owned(),
            call: call.iter().map(|part| (*part).to_owned()).collect(),
        }
    }

    /// The same number for the same call in every process.
    fn digest(&self) -> u64 {
        digest(&Value::from(self.call.clone()))
    }
}

impl Strikes {
    /// Strikes that outlive the process: with the records of the events, in this store.
    pub fn kept(store: Arc<dyn Store>) -> Self {
        Self {
            sessions: Mutex::default(),
            kept: Some(store),
        }
    }

    /// Counts the call, and says how often it was counted before by this process.
    pub(super) fn count(&self, strike: &Strike) -> u32 {
        self.lock().count(strike)
    }

    /// Counts the call, and says how often it was counted before by any process. The first is noted with its event.
    pub(super) fn count_kept(&self, strike: &Strike, input: &HookInput, ctx: &HookContext) -> u32 {
        let Some(store) = &self.kept else {
            return self.count(strike);
        };
        if self.lock().session(strike).recalled == Recalled::No {
            // The store may be slow; nobody else waits for it here.
            let past = store.past_work(&strike.session).unwrap_or_default();
            let mut sessions = self.lock();
            let session = sessions.session(strike);
            session.recalled = Recalled::Yes;
            for call in past.iter().filter_map(|work| work.get(KEPT_AS)?.as_u64()) {
                session.add(call);
            }
        }
        let before = self.lock().count(strike);
        if before == 0
            && let Some(event) = ctx.call_id()
        {
            let call = input.tool_use_id().unwrap_or(event).to_owned();
            let work = json!({ KEPT_AS: strike.digest() });
            add_change(ctx, Change::Worked { call, work });
        }
        before
    }

    fn lock(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    /// Says how often it was added before.
    fn add(&mut self, call: u64) -> u32 {
        if self.calls.len() >= MAX_CALLS && !self.calls.contains_key(&call) {
            self.calls.clear();
        }
        let count = self.calls.entry(call).or_default();
        *count = count.saturating_add(1);
        *count - 1
    }
}

impl Sessions {
    fn session(&mut self, strike: &Strike) -> &mut Session {
        self.clock += 1;
        if self.known.len() >= MAX_SESSIONS && !self.known.contains_key(&strike.session) {
            self.forget_quietest();
        }
        let session = self.known.entry(strike.session.clone()).or_default();
        session.last = self.clock;
        session
    }

    fn count(&mut self, strike: &Strike) -> u32 {
        self.session(strike).add(strike.digest())
    }

    fn forget_quietest(&mut self) {
        let quietest = self.known.iter().min_by_key(|(_, session)| session.last);
        if let Some(name) = quietest.map(|(name, _)| name.clone()) {
            self.known.remove(&name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_call_is_counted_in_its_session_only() {
        let strikes = Strikes::default();
        let first = Strike::new("s1", &["Bash", "x"]);
        assert_eq!(strikes.count(&first), 0);
        assert_eq!(strikes.count(&first), 1);
        assert_eq!(strikes.count(&Strike::new("s1", &["Bash", "y"])), 0);
        assert_eq!(strikes.count(&Strike::new("s2", &["Bash", "x"])), 0);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let strikes = Strikes::default();
        for session in 0..=MAX_SESSIONS {
            strikes.count(&Strike::new(&session.to_string(), &["x"]));
        }
        for call in 0..=MAX_CALLS {
            strikes.count(&Strike::new("busy", &[&call.to_string()]));
        }
        let sessions = strikes.sessions.lock().unwrap();
        assert!(sessions.known.len() <= MAX_SESSIONS);
        assert!(!sessions.known.contains_key("0"), "the quietest goes first");
        assert!(sessions.known["busy"].calls.len() <= MAX_CALLS);
    }
}
