//! The thread that keeps the deadline when the writer is held up.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

use super::Shared;

/// The watch sleeps until it is woken after it found nothing unanswered this many times.
const QUIET: u32 = 10;
/// How long the watch waits before it tries again.
const SOON: Duration = Duration::from_millis(1);

#[derive(Debug, Default)]
pub(super) struct Watch {
    thread: OnceLock<Thread>,
    awake: AtomicBool,
}

impl Watch {
    pub(super) fn wake(&self) {
        if !self.awake.swap(true, Ordering::AcqRel)
            && let Some(thread) = self.thread.get()
        {
            thread.unpark();
        }
    }
}

/// Watches over the deadline until the store is closed.
pub(super) fn run<B>(shared: &Shared<B>) {
    let mut quiet = 0;
    let _ = shared.watch.thread.set(thread::current());
    while !shared.queue.is_closing() {
        shared.relieve();
        let pause = if let Some(since) = shared.queue.unanswered_since() {
            quiet = 0;
            // Late records could not be spooled this time.
            shared.deadline.saturating_sub(since.elapsed()).max(SOON)
        } else {
            quiet += 1;
            // No record that arrives while this thread sleeps is late before it wakes.
            shared.deadline
        };
        if quiet < QUIET {
            thread::park_timeout(pause);
            continue;
        }
        shared.watch.awake.store(false, Ordering::Release);
        // A record that arrived before this saw the watch awake and did not wake it.
        if shared.queue.unanswered_since().is_none() && !shared.queue.is_closing() {
            thread::park();
        }
        shared.watch.awake.store(true, Ordering::Release);
        quiet = 0;
    }
}
