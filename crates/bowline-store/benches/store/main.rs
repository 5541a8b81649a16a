//! What a record costs, and how long questions take while records arrive.
//!
//! ```text
//! cargo bench -p bowline-store --bench store -- [commits] [queries] [fleet] [--quick] [--traces N] [--seconds N]
//! ```
//!
//! Without a part all are run. `--quick` is for a look in between: fewer traces, shorter measurements. In a release build
//! it ends with 1 when a limit is missed.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_precision_loss,
    reason = "a bench prints figures, and ends at the first thing that goes wrong"
)]

mod commits;
mod cpu;
mod fleet;
mod load;
mod queries;

use std::process::ExitCode;

/// Whether every limit was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LimitCheck {
    Kept,
    Missed,
}

impl LimitCheck {
    fn of(kept: bool) -> Self {
        if kept { Self::Kept } else { Self::Missed }
    }

    fn and(self, other: Self) -> Self {
        Self::of(self == Self::Kept && other == Self::Kept)
    }

    fn word(self) -> &'static str {
        match self {
            Self::Kept => "ok",
            Self::Missed => "over",
        }
    }
}

#[derive(Debug)]
struct Size {
    traces: u64,
    seconds: u64,
    queries: u64,
}

fn main() -> ExitCode {
    let mut parts = Vec::new();
    let mut size = Size {
        traces: 1_000_000,
        seconds: 4,
        queries: 2_000,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|text| text.parse().ok());
        match argument.as_str() {
            "commits" | "queries" | "fleet" => parts.push(argument),
            "--quick" => {
                size = Size {
                    traces: 50_000,
                    seconds: 1,
                    queries: 500,
                }
            }
            "--traces" => size.traces = number().unwrap_or(size.traces),
            "--seconds" => size.seconds = number().unwrap_or(size.seconds),
            // What `cargo bench` says to every bench.
            "--bench" => {}
            other => {
                eprintln!(
                    "`{other}` is not known: commits, queries, fleet, --quick, --traces N or --seconds N"
                );
                return ExitCode::from(2);
            }
        }
    }
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|named| named == part);
    let folder = tempfile::tempdir().unwrap();
    let mut verdict = LimitCheck::Kept;
    if wanted("commits") {
        verdict = verdict.and(commits::measure(folder.path(), &size));
    }
    if wanted("queries") {
        verdict = verdict.and(queries::measure(folder.path(), &size));
    }
    if wanted("fleet") {
        verdict = verdict.and(fleet::measure(folder.path(), &size));
    }
    if verdict == LimitCheck::Missed && !cfg!(debug_assertions) {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
