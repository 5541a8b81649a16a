//! How much time and memory a text takes.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use bowline_guard::judge::{judge, judge_powershell};
use bowline_guard::paths::StaticWorld;
use bowline_guard::policy::GuardPolicy;
use bowline_guard::secrets;
use bowline_guard::tool_call::judge_whole_command;

/// What no text of 64 KB may exceed.
pub(crate) const MOST_TIME: Duration = Duration::from_millis(20);
pub(crate) const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// What one kind of judging took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Taken {
    pub(crate) what: &'static str,
    pub(crate) time: Duration,
    /// The most that was allocated at once.
    pub(crate) bytes: u64,
}

/// Judges a text in each way.
pub(crate) fn taken(text: &str) -> Vec<Taken> {
    let world = StaticWorld::new("/home/dev/project", "/home/dev");
    let policy = GuardPolicy::default();
    vec![
        measured("shell", || {
            let judgement = judge(text, &world);
            judge_whole_command(text, &judgement, &world, &policy);
        }),
        measured("powershell", || {
            judge_powershell(text, &world);
        }),
        measured("redact", || {
            secrets::redact(text);
        }),
    ]
}

fn measured(what: &'static str, run: impl FnOnce()) -> Taken {
    let mut time = Duration::ZERO;
    let memory = allocation_counter::measure(|| {
        let start = processor_time();
        run();
        time = processor_time().saturating_sub(start);
    });
    Taken {
        what,
        time,
        bytes: memory.bytes_max,
    }
}

/// What this thread has spent on a processor, where the system tells; else the time since the first call.
fn processor_time() -> Duration {
    static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
    // The system brings the figure up to date when a thread steps aside.
    std::thread::yield_now();
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse().ok())
        .map_or_else(|| FIRST.elapsed(), Duration::from_nanos)
}
