//! How fast texts are redacted: `cargo bench -p bowline-guard --bench secrets`.

#![expect(clippy::print_stdout, reason = "the figures are the output")]

use std::hint::black_box;
use std::time::Instant;

use bowline_guard::secrets::redact;

const SIZE: usize = 8 * 1024 * 1024;
const ROUNDS: usize = 8;

fn main() {
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
        let best = (0..ROUNDS)
            .map(|_| {
                let start = Instant::now();
                black_box(redact(black_box(&text)));
                start.elapsed()
            })
            .min()
            .unwrap_or_default();
        let megabytes = u32::try_from(text.len() / 1_000_000).unwrap_or(u32::MAX);
        println!(
            "{name:18} {:8.0} MB/s",
            f64::from(megabytes) / best.as_secs_f64()
        );
    }
}
