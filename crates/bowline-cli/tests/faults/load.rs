//! Agents at work while something happens.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::stage::{Event, Stage, Way};

/// What agents have seen.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Events that were answered, rightly or not.
    pub(super) answered: Vec<Event>,
    /// What was wrong with answers.
    pub(super) wrong: Vec<String>,
}

const AGENTS: usize = 3;

/// Agents report events, one after another each, for as long as something else goes on.
pub(super) fn under_load(stage: &Stage, meanwhile: impl FnOnce()) -> Seen {
    let seen = Mutex::new(Seen::default());
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for agent in 0..AGENTS {
            let (seen, over) = (&seen, &over);
            scope.spawn(move || {
                for number in 0.. {
                    if over.load(Ordering::Relaxed) {
                        return;
                    }
                    let event = Event::new(&format!("agent{agent}"), number);
                    let result = stage.send(&event, Way::Usual);
                    let mut seen = seen.lock().unwrap();
                    seen.answered.push(event);
                    seen.wrong.extend(result.err());
                }
            });
        }
        let _ended = EndOnDrop(&over);
        meanwhile();
    });
    seen.into_inner().unwrap()
}

/// Agents also end when the test fails.
struct EndOnDrop<'a>(&'a AtomicBool);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
