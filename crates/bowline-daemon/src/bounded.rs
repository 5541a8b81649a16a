//! Work that may never end, such as reading a file on a disk that hangs.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The time that files may take of an answer. What takes longer is unknown, or not kept.
pub const FILES_WITHIN: Duration = Duration::from_secs(1);

/// A piece of work on its own thread. A thread that hangs is abandoned.
#[derive(Debug)]
pub struct Slow<T>(mpsc::Receiver<T>);

impl<T: Send + 'static> Slow<T> {
    /// Begins it.
    pub fn start(work: impl FnOnce() -> T + Send + 'static) -> Self {
        let (done, ended) = mpsc::channel();
        let worker = thread::Builder::new().name("bowline-files".to_owned());
        if let Err(error) = worker.spawn(move || done.send(work())) {
            tracing::warn!("a thread cannot be started: {error}");
        }
        Self(ended)
    }

    /// Waits for the result, at most this long. The result can be taken once.
    pub fn wait(&self, limit: Duration) -> Option<T> {
        self.0.recv_timeout(limit).ok()
    }
}

/// Does a piece of work on its own thread, and waits for it at most this long.
pub fn within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    Slow::start(work).wait(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hangs_is_left_and_what_does_not_is_had() {
        let (_kept, never) = mpsc::channel::<()>();
        assert_eq!(within(Duration::from_mins(1), || 7), Some(7));
        assert!(within(Duration::from_millis(1), move || never.recv()).is_none());
    }
}
