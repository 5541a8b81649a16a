//! How long commands are analysed: `cargo bench -p bowline-guard --bench analysis`.
//!
//! First the labelled commands, then long texts of every kind. Fails when a limit is exceeded.

#![expect(clippy::print_stdout, reason = "the figures are the output")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use bowline_guard::judge::{judge, judge_powershell};
use bowline_guard::paths::StaticWorld;
use serde_json::Value;

#[path = "../tests/long/growing.rs"]
mod growing;
#[path = "../tests/long/mod.rs"]
mod long;

const MEDIAN_LIMIT: Duration = Duration::from_micros(30);
const P99_LIMIT: Duration = Duration::from_micros(300);
const LONG_LIMIT: Duration = Duration::from_millis(20);

const LONG: &[usize] = &[8 * 1024, 64 * 1024];

/// The best of this many rounds counts: the machine may be busy with something else in any of them.
const ROUNDS: usize = 9;
const LONG_ROUNDS: u32 = 8;

/// A command of the corpus.
struct Row {
    id: String,
    command: String,
    cwd: String,
}

fn main() -> ExitCode {
    let (source, rows) = corpus();
    println!("{} commands of {source}", rows.len());
    // Tables are built once for a process, by the first command.
    for row in &rows {
        analyse(&row.command, &row.cwd);
    }
    let mut times: Vec<(Duration, &str)> = rows
        .iter()
        .map(|row| (best_of(ROUNDS, &row.command, &row.cwd), row.id.as_str()))
        .collect();
    times.sort_unstable();
    let mut within = true;
    for (name, percent, limit) in [
        ("median", 50, Some(MEDIAN_LIMIT)),
        ("p90", 90, None),
        ("p99", 99, Some(P99_LIMIT)),
        ("max", 100, None),
    ] {
        let (time, _) = times
            .get((times.len().saturating_sub(1)) * percent / 100)
            .copied()
            .unwrap_or_default();
        within &= report(name, time, limit);
    }
    println!("\nslowest commands");
    for (time, id) in times.iter().rev().take(5) {
        report(id, *time, None);
    }
    for size in LONG {
        println!("\ntexts of {} KB", size / 1024);
        for (name, make) in long::KINDS.iter().chain(growing::SHELL) {
            let text = make(*size);
            let time = average_of(LONG_ROUNDS, || analyse(&text, "/home/dev/project"));
            within &= report(name, time, Some(LONG_LIMIT));
        }
        println!("\nPowerShell texts of {} KB", size / 1024);
        for (name, make) in growing::POWERSHELL {
            let text = make(*size);
            let time = average_of(LONG_ROUNDS, || {
                let world = StaticWorld::new("/home/dev/project", "/home/dev");
                black_box(judge_powershell(black_box(&text), &world));
            });
            within &= report(name, time, Some(LONG_LIMIT));
        }
    }
    if within {
        ExitCode::SUCCESS
    } else {
        println!("\na limit is exceeded");
        ExitCode::FAILURE
    }
}

fn analyse(command: &str, cwd: &str) {
    let world = StaticWorld::new("/home/dev/project", "/home/dev").with_cwd(cwd);
    black_box(judge(black_box(command), &world));
}

fn best_of(rounds: usize, command: &str, cwd: &str) -> Duration {
    (0..rounds)
        .map(|_| {
            let start = Instant::now();
            analyse(command, cwd);
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

/// Long enough that a busy machine interrupts it, so that only the processor's time counts.
fn average_of(rounds: u32, run: impl Fn()) -> Duration {
    let start = processor_time();
    for _ in 0..rounds {
        run();
    }
    processor_time().saturating_sub(start) / rounds
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

/// Prints a line of the table, and tells whether the time is within its limit.
fn report(name: &str, time: Duration, limit: Option<Duration>) -> bool {
    let microseconds = |it: Duration| it.as_secs_f64() * 1e6;
    let within = limit.is_none_or(|limit| time <= limit);
    let limit = limit.map_or_else(String::new, |limit| {
        format!("  limit {:6.0} µs", microseconds(limit))
    });
    let mark = if within { "" } else { "  EXCEEDED" };
    println!("{name:36} {:9.1} µs{limit}{mark}", microseconds(time));
    within
}

/// The shared corpus where it is there, else the project's own rows.
fn corpus() -> (String, Vec<Row>) {
    let shared = std::env::var_os("BOWLINE_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    match std::fs::read_to_string(shared.join("corpus/commands.jsonl")) {
        Ok(text) => ("the shared corpus".to_owned(), rows(&text)),
        Err(_) => (
            "tests/data (BOWLINE_SHARED names the folder that has corpus/)".to_owned(),
            rows(include_str!("../tests/data/commands.jsonl")),
        ),
    }
}

fn rows(text: &str) -> Vec<Row> {
    let field = |row: &Value, name: &str| row.get(name)?.as_str().map(str::to_owned);
    text.lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|row| {
            Some(Row {
                id: field(&row, "id")?,
                command: field(&row, "command")?,
                cwd: field(&row, "cwd_hint").unwrap_or_else(|| "/home/dev/project".to_owned()),
            })
        })
        .collect()
}
