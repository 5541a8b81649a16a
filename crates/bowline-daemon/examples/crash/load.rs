//! Agents at work: real `bowline-hook` processes, one after another each.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use bowline::hooks::Decision;

use crate::sandbox::Sandbox;

/// What the answer to an event must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Right {
    Deny,
    Silence,
}

impl Right {
    pub(crate) fn decision(self) -> Decision {
        match self {
            Self::Deny => Decision::Deny,
            Self::Silence => Decision::NoOpinion,
        }
    }

    /// The command is judged, never run.
    pub(crate) fn command(self) -> &'static str {
        match self {
            Self::Deny => "git push --force origin main",
            Self::Silence => "ls -l src",
        }
    }
}

/// A tool call that an agent reports.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    /// The agent's id of the tool call, which no other event has.
    pub(crate) id: String,
    pub(crate) session: String,
    pub(crate) right: Right,
}

/// What agents have seen.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Events that were answered, rightly or not.
    pub(crate) answered: Vec<Event>,
    /// What was wrong with answers.
    pub(crate) wrong: Vec<String>,
    took: Vec<Duration>,
}

impl Seen {
    /// Half of the answers took at most this, 99 of 100, and all, in milliseconds.
    pub(crate) fn latencies(&self) -> [u128; 3] {
        let mut sorted = self.took.clone();
        sorted.sort_unstable();
        let at = |percent: usize| {
            let last = sorted.len().saturating_sub(1);
            let place = (sorted.len() * percent / 100).min(last);
            sorted.get(place).map_or(0, Duration::as_millis)
        };
        [at(50), at(99), at(100)]
    }
}

/// Agents report events for as long as something else goes on, which is told how many were answered.
pub(crate) fn under_load(
    sandbox: &Sandbox,
    clients: usize,
    meanwhile: impl FnOnce(&dyn Fn() -> usize),
) -> Seen {
    let seen = Mutex::new(Seen::default());
    let (over, count) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        for client in 0..clients {
            let (seen, over, count) = (&seen, &over, &count);
            scope.spawn(move || {
                for number in 0.. {
                    if over.load(Ordering::Relaxed) {
                        return;
                    }
                    let event = event(client, number);
                    let began = Instant::now();
                    let wrong = sandbox.report(&event).err();
                    let took = began.elapsed();
                    count.fetch_add(1, Ordering::Relaxed);
                    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
                    seen.answered.push(event);
                    seen.wrong.extend(wrong);
                    seen.took.push(took);
                }
            });
        }
        let _ended = EndOnDrop(&over);
        meanwhile(&|| count.load(Ordering::Relaxed));
    });
    seen.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn event(client: usize, number: usize) -> Event {
    let right = if number.is_multiple_of(2) {
        Right::Deny
    } else {
        Right::Silence
    };
    Event {
        id: format!("client{client}-{number:06}"),
        session: format!("session{client}"),
        right,
    }
}

/// Agents also end when the campaign fails.
struct EndOnDrop<'a>(&'a AtomicBool);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
