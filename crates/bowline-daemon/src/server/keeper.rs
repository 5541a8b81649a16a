//! A thread that submits records to the store for threads that must not wait for it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use bowline_store::{Store, Submission};

/// At most this many records wait. More are not kept, but counted; their answers still go out.
const MOST_WAITING: usize = 10_000;

/// The thread. It ends when this is dropped.
pub(super) struct Keeper {
    records: mpsc::Sender<Vec<Submission>>,
    waiting: Arc<AtomicUsize>,
}

impl Keeper {
    pub(super) fn start(store: Arc<dyn Store>) -> std::io::Result<Self> {
        let (records, given) = mpsc::channel::<Vec<Submission>>();
        let waiting = Arc::new(AtomicUsize::new(0));
        let handed_over = Arc::clone(&waiting);
        let keep = move || {
            for batch in given {
                let count = batch.len();
                store.submit_all(batch);
                handed_over.fetch_sub(count, Ordering::AcqRel);
            }
        };
        thread::Builder::new()
            .name("bowline-keeper".to_owned())
            .spawn(keep)?;
        Ok(Self { records, waiting })
    }

    /// Submits records when the store takes them.
    pub(super) fn keep(&self, batch: Vec<Submission>) {
        let count = batch.len();
        if self.waiting.fetch_add(count, Ordering::AcqRel) >= MOST_WAITING {
            self.waiting.fetch_sub(count, Ordering::AcqRel);
            return;
        }
        let _ = self.records.send(batch);
    }

    /// How many records are not with the store yet.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Acquire)
    }
}
