//! Hooks that run in the background: nobody waits for them, and they outlive the event that started them.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio_util::sync::CancellationToken;

use crate::context::HookContext;
use crate::error::Error;

/// Told of a hook that failed: its name, what went wrong, and where it ran.
type FailureCallback = dyn Fn(&str, &Error, &HookContext) + Send + Sync;

/// The background hooks of one or several managers. Clones are the same.
///
/// They are not cancelled with the event that started them, whose caller has its answer and is gone. They end by themselves,
/// by their timeouts, or by [`Background::cancel`].
#[derive(Clone, Default)]
pub struct Background {
    running: Arc<AtomicUsize>,
    cancellation: CancellationToken,
    on_failure: Option<Arc<FailureCallback>>,
}

impl fmt::Debug for Background {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Background")
            .field("running", &self.running())
            .finish_non_exhaustive()
    }
}

impl Background {
    /// One that reports hooks that fail: which one, how, and in which context.
    pub fn telling(
        on_failure: impl Fn(&str, &Error, &HookContext) + Send + Sync + 'static,
    ) -> Self {
        Self {
            on_failure: Some(Arc::new(on_failure)),
            ..Self::default()
        }
    }

    /// How many run now.
    pub fn running(&self) -> usize {
        self.running.load(Ordering::Acquire)
    }

    /// Ends those that run, and all that would be started from now on.
    pub fn cancel(&self) {
        self.cancellation.cancel();
    }

    /// Counts one more, until this is dropped, however its turn ends.
    pub(super) fn begin(&self) -> Running {
        self.running.fetch_add(1, Ordering::AcqRel);
        Running(Arc::clone(&self.running))
    }

    pub(super) fn cancellation(&self) -> CancellationToken {
        self.cancellation.child_token()
    }

    pub(super) fn tell(&self, hook: &str, error: &Error, ctx: &HookContext) {
        if let Some(on_failure) = &self.on_failure {
            on_failure(hook, error, ctx);
        }
    }
}

/// A hook that runs.
pub(super) struct Running(Arc<AtomicUsize>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}
