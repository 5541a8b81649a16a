//! How fast texts are redacted: `cargo bench -p bowline-guard --bench secrets`. Fails beyond its limits.

#![expect(clippy::print_stdout, reason = "the figures are the output")]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use bowline_guard::secrets::redact;

#[path = "../tests/long/secrets.rs"]
mod hostile;

const SIZE: usize = 8 * 1024 * 1024;
const ROUNDS: usize = 8;

/// Plain text is redacted at least so fast, in MB/s.
const LEAST: f64 = 100.0;

/// Eight times the text: linear is 8, quadratic 64.
const MOST_GROWTH: f64 = 32.0;

fn main() -> ExitCode {
    let mut within = true;
    for (name, line) in [
        (
            "prose",
            "The quick brown fox jumps over the lazy dog while the author opens the keyboard. ",
        ),
        (
            "code",
            "    let total = items.iter().map(|item| item.price * item.count).sum::<u64>();\n",
        ),
        (
            "log",
            "2026-05-01T10:00:00.123Z INFO worker-3 GET /api/orders/42?page=2 200 12ms user=ci\n",
        ),
        (
            "log with secrets",
            "2026-05-01T10:00:00.123Z INFO worker-3 login ok password=hunter2-Tr0ub4dor user=ci\n",
        ),
    ] {
        let text = line.repeat(SIZE / line.len());
        black_box(redact(&text));
        let best = best_of(ROUNDS, &text);
        let megabytes = u32::try_from(text.len() / 1_000_000).unwrap_or(u32::MAX);
        let speed = f64::from(megabytes) / best.as_secs_f64();
        within &= speed >= LEAST || name.contains("secrets");
        println!("{name:18} {speed:8.0} MB/s");
    }
    println!("\nfrom 16 KB to 128 KB of what keeps detectors busy");
    for unit in hostile::HOSTILE {
        let time = |size: usize| best_of(ROUNDS, &unit.repeat(size / unit.len()));
        let growth = time(128 * 1024).as_secs_f64() / time(16 * 1024).as_secs_f64();
        within &= growth < MOST_GROWTH;
        println!("{:32} {growth:6.1}×", format!("{unit:?}"));
    }
    if within {
        ExitCode::SUCCESS
    } else {
        println!("\na limit is exceeded");
        ExitCode::FAILURE
    }
}

fn best_of(rounds: usize, text: &str) -> Duration {
    (0..rounds)
        .map(|_| {
            let start = Instant::now();
            black_box(redact(black_box(text)));
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}
