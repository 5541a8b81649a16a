//! Tries many inputs on everything that judges text:
//! `cargo run --release -p bowline-guard --example fuzz -- --inputs 10000000`.
//!
//! No input may panic, hang, take too many steps or too much memory, no wrapper may make a verdict milder, and simple
//! lines must be split as a splitter of our own splits them. Nothing that is tried is ever run.
//!
//! `--hostile 500` goes through every 500th of the texts that are made to take time and memory instead, and shows the
//! worst of them; `--number N` tries one of these.

#![expect(clippy::print_stdout, reason = "the findings are the output")]

mod checks;
mod hostile;
mod inputs;
mod limits;
mod sweep;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use checks::{Finding, check};
use inputs::Numbers;

const USAGE: &str = "usage: fuzz [--inputs N] [--seed N] [--seconds N] [--hang-seconds N] [--hostile EVERY] [--number N]";

/// Inputs that a thread takes at once.
const BATCH: u64 = 256;

/// At most this many of each kind of finding are shown.
const SHOWN: usize = 12;

struct Options {
    inputs: u64,
    seed: u64,
    /// Stops after this many seconds, if not before.
    seconds: u64,
    /// An input that takes longer hangs.
    hang_seconds: u64,
    /// Instead of inputs of chance, every so many of the hostile texts.
    hostile: Option<usize>,
    /// Instead of inputs of chance, one of the hostile texts.
    number: Option<usize>,
}

fn options() -> Option<Options> {
    let mut options = Options {
        inputs: 1_000_000,
        seed: 1,
        seconds: u64::MAX,
        hang_seconds: 20,
        hostile: None,
        number: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next()?.replace('_', "").parse().ok()?;
        match name.as_str() {
            "--inputs" => options.inputs = value,
            "--seed" => options.seed = value,
            "--seconds" => options.seconds = value,
            "--hang-seconds" => options.hang_seconds = value,
            "--number" => options.number = usize::try_from(value).ok(),
            "--hostile" => options.hostile = usize::try_from(value).ok().filter(|it| *it > 0),
            _ => return None,
        }
    }
    Some(options)
}

/// What the threads share.
struct State {
    options: Options,
    seeds: Vec<String>,
    start: Instant,
    next: AtomicU64,
    tried: AtomicU64,
    running: AtomicU64,
    /// For each thread the input that it is at, and since when in milliseconds.
    at: Vec<(AtomicU64, AtomicU64)>,
    findings: Mutex<BTreeMap<&'static str, Vec<Finding>>>,
}

impl State {
    fn milliseconds(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn is_over(&self) -> bool {
        self.start.elapsed().as_secs() >= self.options.seconds
    }

    fn work(&self, thread: usize) {
        while !self.is_over() {
            let first = self.next.fetch_add(BATCH, Ordering::Relaxed);
            let batch = first..self.options.inputs.min(first.saturating_add(BATCH));
            if batch.is_empty() {
                break;
            }
            for number in batch {
                if let Some((at, since)) = self.at.get(thread) {
                    at.store(number, Ordering::Relaxed);
                    since.store(self.milliseconds(), Ordering::Relaxed);
                }
                let mut numbers = Numbers::new(self.options.seed, number);
                let input = inputs::input(&self.seeds, &mut numbers);
                if let Some(finding) = check(number, &input, &mut numbers) {
                    self.found(number, finding);
                }
                self.tried.fetch_add(1, Ordering::Relaxed);
            }
        }
        self.running.fetch_sub(1, Ordering::Relaxed);
    }

    fn found(&self, number: u64, finding: Finding) {
        let Ok(mut findings) = self.findings.lock() else {
            return;
        };
        let same = findings.entry(finding.what).or_default();
        if same.len() < SHOWN {
            let Finding {
                what,
                input,
                details,
            } = &finding;
            println!("\ninput {number} {what}\n  {input:?}\n  {details}");
        }
        same.push(finding);
    }

    /// Shows how far it is; `false` when an input hangs.
    fn watch(&self) -> bool {
        let mut shown = 0;
        while self.running.load(Ordering::Relaxed) > 0 {
            std::thread::sleep(Duration::from_millis(200));
            let now = self.milliseconds();
            for (at, since) in &self.at {
                let number = at.load(Ordering::Relaxed);
                let taken = now.saturating_sub(since.load(Ordering::Relaxed));
                if self.running.load(Ordering::Relaxed) > 0
                    && taken > self.options.hang_seconds.saturating_mul(1000)
                    && number < self.options.inputs
                {
                    let mut numbers = Numbers::new(self.options.seed, number);
                    let input = inputs::input(&self.seeds, &mut numbers);
                    println!("\ninput {number} hangs\n  {input:?}");
                    return false;
                }
            }
            if now / 10_000 > shown {
                shown = now / 10_000;
                self.progress();
            }
        }
        true
    }

    fn progress(&self) {
        let tried = self.tried.load(Ordering::Relaxed);
        let seconds = self.start.elapsed().as_secs().max(1);
        println!(
            "{tried} of {} inputs, {seconds} s, {} a second",
            self.options.inputs,
            tried / seconds
        );
    }
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        println!("{USAGE}");
        return ExitCode::from(2);
    };
    // A panic is a finding; its own message would only get in between.
    std::panic::set_hook(Box::new(|_| {}));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    if let Some(number) = options.number {
        sweep::show(number);
        return ExitCode::SUCCESS;
    }
    if let Some(every) = options.hostile {
        return if sweep::sweep(every, threads) {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        };
    }
    let state = State {
        seeds: inputs::seeds(),
        start: Instant::now(),
        next: AtomicU64::new(0),
        tried: AtomicU64::new(0),
        running: AtomicU64::new(u64::try_from(threads).unwrap_or(1)),
        at: (0..threads)
            .map(|_| (AtomicU64::new(u64::MAX), AtomicU64::new(0)))
            .collect(),
        findings: Mutex::default(),
        options,
    };
    println!("seed {}, {threads} threads", state.options.seed);
    let state = &state;
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || state.work(thread));
        }
        if !state.watch() {
            // The thread that hangs cannot be joined.
            std::process::exit(3);
        }
    });
    state.progress();
    let findings = state
        .findings
        .lock()
        .map(|it| it.clone())
        .unwrap_or_default();
    for (what, same) in &findings {
        println!("{} × {what}", same.len());
    }
    if findings.is_empty() {
        println!("no findings");
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
