//! The sessions of which a process remembers what they made. There are only so many, and they take only so much memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};

use super::session::SessionWork;

/// Sessions that are remembered; the one that was quiet longest is forgotten first.
const MAX_SESSIONS: usize = 256;
/// What is remembered of all sessions takes about so many bytes at most; the sessions that were quiet longest are forgotten first.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// It is added up once in so many times.
const ADD_UP: u32 = 512;

/// The sessions that are remembered.
#[derive(Default)]
pub(super) struct Sessions {
    known: HashMap<String, Arc<Known>>,
    asked: u32,
    /// When the last of those that were forgotten was heard of. What sessions did until then has to be looked up in the store.
    forgotten: DateTime<Utc>,
}

impl Sessions {
    /// A session by its name. It is heard of now.
    pub(super) fn named(&mut self, session: &str, project: &str) -> Arc<Known> {
        let now = Utc::now();
        self.asked = self.asked.wrapping_add(1);
        if self.asked.is_multiple_of(ADD_UP) {
            self.make_room(session);
        }
        if let Some(known) = self.known.get(session) {
            lock(&known.state).last = now;
            return Arc::clone(known);
        }
        let mut state = State {
            last: now,
            ..State::default()
        };
        project.clone_into(&mut state.work.project);
        let known = Arc::new(Known {
            since: now,
            state: Mutex::new(state),
        });
        self.known.insert(session.to_owned(), Arc::clone(&known));
        if self.known.len() > MAX_SESSIONS {
            self.make_room(session);
        }
        known
    }

    /// All but one.
    pub(super) fn others(&self, but: &str) -> Vec<Arc<Known>> {
        let others = self.known.iter().filter(|(name, _)| *name != but);
        others.map(|(_, known)| Arc::clone(known)).collect()
    }

    /// Since when a session is heard of here; what was before is in the store.
    pub(super) fn since(&self, session: &str) -> Option<DateTime<Utc>> {
        self.known.get(session).map(|it| it.since)
    }

    /// Whether all are remembered that were heard of here since a time.
    pub(super) fn remember_all_since(&self, time: DateTime<Utc>) -> bool {
        time > self.forgotten
    }

    /// Forgets the quietest sessions but one, if there are too many or they take too much memory. The store has them.
    fn make_room(&mut self, but: &str) {
        // One that somebody has just now is not quiet, and must not be waited for. One with a call that runs is needed soon.
        let mut quiet: Vec<(bool, DateTime<Utc>, usize, &String)> = (self.known.iter())
            .filter(|(name, _)| *name != but)
            .filter_map(|(name, known)| {
                let state = known.state.try_lock().ok()?;
                let is_at_work = !state.work.open.is_empty();
                Some((is_at_work, state.last, state.work.weight(), name))
            })
            .collect();
        let mut bytes: usize = quiet.iter().map(|(_, _, weight, _)| weight).sum();
        let mut left = self.known.len();
        if left <= MAX_SESSIONS && bytes <= MAX_BYTES {
            return;
        }
        quiet.sort_unstable();
        let too_much = quiet.into_iter().take_while(|(_, _, weight, _)| {
            let is_too_much = left > MAX_SESSIONS || bytes > MAX_BYTES;
            bytes -= weight;
            left -= 1;
            is_too_much
        });
        let forgotten: Vec<(DateTime<Utc>, String)> = too_much
            .map(|(_, last, _, name)| (last, name.clone()))
            .collect();
        for (last, name) in forgotten {
            self.known.remove(&name);
            self.forgotten = self.forgotten.max(last);
        }
    }
}

/// One session.
pub(super) struct Known {
    /// Since when this process hears of it; what was before is in the store.
    pub(super) since: DateTime<Utc>,
    pub(super) state: Mutex<State>,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) work: SessionWork,
    pub(super) past: Past,
    last: DateTime<Utc>,
}

/// Whether what was before is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Past {
    #[default]
    NotRead,
    Read,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use super::super::reach::Reach;
    use super::super::session::Ground;
    use super::super::touch::CallWork;
    use super::*;

    fn work(known: &Known, calls: std::ops::Range<usize>) {
        let mut state = lock(&known.state);
        for call in calls {
            let times = (state.last, state.last + Duration::milliseconds(1));
            let ground = Ground::Fore(Reach::Anything);
            let call = format!("toolu_{call}");
            state.work.add(&call, times, ground, &CallWork::default());
        }
    }

    fn names(sessions: &Sessions) -> Vec<&str> {
        let mut names: Vec<&str> = sessions.known.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn many_calls_make_the_quietest_sessions_forgotten() {
        let mut sessions = Sessions::default();
        let begun = Utc::now();
        for number in 0..50 {
            work(&sessions.named(&format!("{number:03}"), "/p"), 0..4_100);
        }
        sessions.make_room("000");
        let bytes: usize = sessions
            .known
            .values()
            .map(|it| lock(&it.state).work.weight())
            .sum();
        assert!(bytes <= 2 * MAX_BYTES, "{bytes}");
        let names = names(&sessions);
        assert!(names.len() > 8, "{names:?}");
        // The one that is asked about, and those that were heard of last.
        assert_eq!(names[0], "000");
        assert_eq!(
            names[1..],
            (51 - names.len()..50)
                .map(|it| format!("{it:03}"))
                .collect::<Vec<_>>()
        );
        assert!(!sessions.remember_all_since(begun));
        assert!(sessions.remember_all_since(Utc::now()));
    }

    #[test]
    fn many_sessions_make_the_quietest_forgotten_but_those_with_a_call_that_runs() {
        let mut sessions = Sessions::default();
        let begun = Utc::now();
        for number in 0..MAX_SESSIONS {
            sessions.named(&format!("{number:03}"), "/p");
        }
        assert!(sessions.remember_all_since(begun));
        let open = super::super::session::OpenCall {
            started: begun,
            work: CallWork::default(),
            ground: Ground::Back,
        };
        lock(&sessions.known["000"].state).work.begin("toolu", open);
        for more in ["a", "b"] {
            sessions.named(more, "/p");
        }
        let names = names(&sessions);
        assert_eq!(names.len(), MAX_SESSIONS);
        assert_eq!(names[..2], ["000", "003"]);
    }
}
