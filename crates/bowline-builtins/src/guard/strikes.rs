//! Which calls were denied before in the same session, as far as memory allows.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Mutex, PoisonError};

/// Sessions that are remembered; the one that was quiet longest is forgotten first.
const MAX_SESSIONS: usize = 1_000;

/// Calls that are remembered of one session.
const MAX_CALLS: usize = 1_000;

/// The denied calls of all sessions.
#[derive(Debug, Default)]
pub struct Strikes {
    sessions: Mutex<Sessions>,
    hasher: RandomState,
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
}

impl Strikes {
    /// Counts the call, and says how often it was counted before.
    pub(super) fn count(&self, strike: &Strike) -> u32 {
        let call = self.hasher.hash_one(&strike.call);
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.clock += 1;
        let clock = sessions.clock;
        if sessions.known.len() >= MAX_SESSIONS && !sessions.known.contains_key(&strike.session) {
            sessions.forget_quietest();
        }
        let session = sessions.known.entry(strike.session.clone()).or_default();
        session.last = clock;
        if session.calls.len() >= MAX_CALLS && !session.calls.contains_key(&call) {
            session.calls.clear();
        }
        let count = session.calls.entry(call).or_default();
        *count = count.saturating_add(1);
        *count - 1
    }
}

impl Sessions {
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
