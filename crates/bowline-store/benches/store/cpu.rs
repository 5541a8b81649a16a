//! The processor's time of threads: on a machine that also does other things, the only figure that can be compared.

use std::fs;
use std::time::Duration;

/// What the writing thread and all threads of this process have used so far; nothing where the system does not tell.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Used {
    pub(crate) writer: Duration,
    pub(crate) all: Duration,
}

impl Used {
    pub(crate) fn now() -> Self {
        let mut used = Self::default();
        for task in fs::read_dir("/proc/self/task")
            .into_iter()
            .flatten()
            .flatten()
        {
            let read = |name: &str| fs::read_to_string(task.path().join(name)).unwrap_or_default();
            let nanos = read("schedstat")
                .split(' ')
                .next()
                .and_then(|word| word.parse().ok());
            let time = Duration::from_nanos(nanos.unwrap_or(0));
            used.all += time;
            if read("comm").trim() == "bowline-store" {
                used.writer += time;
            }
        }
        used
    }

    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            writer: self.writer.saturating_sub(before.writer),
            all: self.all.saturating_sub(before.all),
        }
    }
}
