//! Decides which thread polls: one at a time. If it does not return from a look-up or from the store, another takes over.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;

use super::Server;
use super::berth::{Away, Berth};
use super::helper::HelperState;
use super::outbox::WakeList;
use super::round::Round;
use crate::engine::patience::MOST_HANGING;
use crate::instance::Instance;
use crate::status::Stop;

/// How serving ended.
pub(super) type End = io::Result<(Stop, Instance)>;

/// The polling thread, and those that stand by.
pub(super) struct Helm {
    pub(super) server: Berth<Box<Server>>,
    pub(super) helper: Berth<Round>,
    state: Arc<HelperState>,
    wake_list: Arc<WakeList>,
    /// Threads that were replaced and have not returned.
    away: AtomicUsize,
    /// Those of them that hand records to the store.
    at_the_store: AtomicUsize,
    next: mpsc::Sender<Box<Server>>,
    standing_by: Mutex<mpsc::Receiver<Box<Server>>>,
    idle: AtomicUsize,
    end: mpsc::Sender<End>,
}

impl Helm {
    /// No thread polls yet. The receiver gets the result of serving.
    pub(super) fn new(
        state: Arc<HelperState>,
        wake_list: Arc<WakeList>,
    ) -> (Self, mpsc::Receiver<End>) {
        let (next, standing_by) = mpsc::channel();
        let (end, ended) = mpsc::channel();
        let helm = Self {
            server: Berth::new(),
            helper: Berth::new(),
            state,
            wake_list,
            away: AtomicUsize::new(0),
            at_the_store: AtomicUsize::new(0),
            next,
            standing_by: Mutex::new(standing_by),
            idle: AtomicUsize::new(0),
            end,
        };
        (helm, ended)
    }

    /// Starts a polling thread.
    pub(super) fn hand_to_another(self: &Arc<Self>, server: Box<Server>) -> io::Result<()> {
        let _ = self.next.send(server);
        // If no thread stands by, this waits until one returns.
        if self.idle.load(Ordering::Acquire) == 0 {
            let helm = Arc::clone(self);
            let thread = thread::Builder::new().name("bowline-poll".to_owned());
            thread.spawn(move || helm.stand_by())?;
        }
        Ok(())
    }

    fn stand_by(&self) {
        loop {
            self.idle.fetch_add(1, Ordering::AcqRel);
            let next = {
                let standing_by = self.standing_by.lock();
                standing_by.unwrap_or_else(PoisonError::into_inner).recv()
            };
            self.idle.fetch_sub(1, Ordering::AcqRel);
            let Ok(server) = next else {
                return;
            };
            let led = catch_unwind(AssertUnwindSafe(|| server.lead()));
            let end = led.unwrap_or_else(|_| Some(Err(io::Error::other("polling panicked"))));
            match end {
                Some(end) => {
                    let _ = self.end.send(end);
                    return;
                }
                None => {
                    self.away.fetch_sub(1, Ordering::AcqRel);
                }
            }
        }
    }

    /// Replaces threads that do not return. Touches no file.
    pub(super) fn relieve(self: &Arc<Self>) {
        if let Some((rest, _)) = self.helper.overdue() {
            self.state.give_back(rest);
            self.wake_list.wake();
        }
        // If even that many threads hang, direct runs decide.
        if self.away.load(Ordering::Acquire) >= MOST_HANGING {
            return;
        }
        if let Some((server, away)) = self.server.overdue() {
            self.away.fetch_add(1, Ordering::AcqRel);
            if away == Away::AtTheStore {
                self.at_the_store.fetch_add(1, Ordering::AcqRel);
            }
            let _ = self.hand_to_another(server);
        }
    }

    /// A thread that was replaced is back from the store.
    pub(super) fn is_back_from_store(&self) {
        self.at_the_store.fetch_sub(1, Ordering::AcqRel);
    }

    /// Whether the store keeps a thread that hands records to it.
    pub(super) fn store_hangs(&self) -> bool {
        self.at_the_store.load(Ordering::Acquire) > 0
    }

    /// Whether no thread does something that may hang.
    pub(super) fn is_settled(&self) -> bool {
        self.server.is_empty() && self.helper.is_empty()
    }
}
