//! Payloads gone wrong, through the whole engine: read, decided by all default hooks, recorded, answered. Nothing may
//! panic, and every answer must be one that the agent understands.
//!
//! ```text
//! cargo run --release -p bowline-daemon --example fuzz_payloads -- [--count 1000000] [--seed 1]
//! cargo run --release -p bowline-daemon --example fuzz_payloads -- --seed 1 --only 4711     # that one again
//! ```
#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a fuzzer prints what it found, and stops at the first surprise"
)]

mod mutate;

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{env, thread};

use bowline::hooks::{CancellationToken, HookEvent};
use bowline_agents::supported;
use bowline_daemon::{Engine, FILES_WITHIN, name_the_agent};
use bowline_testkit::recorded;
use bowline_wire::{Answer, Call, CallId};
use mutate::{Random, mutated};
use serde_json::Value;

/// Nobody reads more reproducers than this.
const MOST_FOUND: usize = 20;

thread_local! {
    /// What panicked on this thread, also where somebody caught it.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

struct Options {
    count: u64,
    seed: u64,
    only: Option<u64>,
}

/// What is wrong with one input.
struct Found {
    number: u64,
    what: String,
}

fn main() -> ExitCode {
    let options = options();
    let examples = examples();
    let project = tempfile::tempdir().expect("a temporary folder");
    panic::set_hook(Box::new(|info| {
        PANIC.with(|told| *told.borrow_mut() = Some(info.to_string()));
    }));
    let fuzzer = Fuzzer {
        engine: Arc::new(Engine::new(None)),
        project: project.path().to_owned(),
        examples,
        seed: options.seed,
    };
    if let Some(number) = options.only {
        let (call, payload) = fuzzer.input(number);
        println!(
            "{} {:?}\n{}",
            call.agent,
            call.event,
            String::from_utf8_lossy(&payload)
        );
        let problem = fuzzer.run(&runtime(), number);
        println!(
            "{}",
            problem.as_deref().unwrap_or("nothing is wrong with it")
        );
        return if problem.is_some() {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        };
    }
    report(&fuzzer, options.count)
}

fn report(fuzzer: &Fuzzer, count: u64) -> ExitCode {
    let began = Instant::now();
    let next = AtomicU64::new(0);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let (mut found, mut slowest) = (Vec::new(), (Duration::ZERO, 0));
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| scope.spawn(|| work(fuzzer, &next, count)))
            .collect();
        for worker in workers {
            let (theirs, slow) = worker.join().expect("a worker ends");
            found.extend(theirs);
            slowest = slowest.max(slow);
        }
    });
    let took = began.elapsed();
    println!(
        "{count} payloads in {took:.1?}, {:.0} a second; the slowest took {:.1?} (number {})",
        f64::from(u32::try_from(count).unwrap_or(u32::MAX)) / took.as_secs_f64(),
        slowest.0,
        slowest.1
    );
    for Found { number, what } in found.iter().take(MOST_FOUND) {
        println!(
            "number {number} (again: --seed {} --only {number}): {what}",
            fuzzer.seed
        );
    }
    if found.is_empty() {
        println!("no panic, and every answer is one that the agent understands");
        ExitCode::SUCCESS
    } else {
        println!("{} found", found.len());
        ExitCode::FAILURE
    }
}

fn work(fuzzer: &Fuzzer, next: &AtomicU64, count: u64) -> (Vec<Found>, (Duration, u64)) {
    let runtime = runtime();
    let (mut found, mut slowest) = (Vec::new(), (Duration::ZERO, 0));
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= count {
            return (found, slowest);
        }
        let began = Instant::now();
        if let Some(what) = fuzzer.run(&runtime, number) {
            found.push(Found { number, what });
        }
        slowest = slowest.max((began.elapsed(), number));
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

struct Fuzzer {
    engine: Arc<Engine>,
    project: PathBuf,
    examples: Vec<Vec<u8>>,
    seed: u64,
}

impl Fuzzer {
    /// The input of this number: a function of the seed and the number alone.
    fn input(&self, number: u64) -> (Call, Vec<u8>) {
        let mut random = Random::new(self.seed, number);
        let payload = mutated(&self.examples, &mut random);
        let folder = self.project.clone();
        let env = ["CLAUDE_PROJECT_DIR", "HOME"].map(|name| (name, folder.clone()));
        let mut call = Call::new(folder, env.into_iter().collect());
        call.id = CallId::from_parts(number, self.seed);
        let agents: Vec<_> = supported().map(|(agent, _)| agent.name).collect();
        agents[random.below(agents.len())].clone_into(&mut call.agent);
        let event = HookEvent::ALL[random.below(HookEvent::ALL.len())];
        call.event = (random.below(4) == 0).then(|| event.name().to_owned());
        call.payload_bytes = payload.len();
        (call, payload)
    }

    /// What is wrong with the input of this number, if anything is.
    fn run(&self, runtime: &tokio::runtime::Runtime, number: u64) -> Option<String> {
        let (mut call, payload) = self.input(number);
        let decided = panic::catch_unwind(AssertUnwindSafe(|| {
            name_the_agent(&mut call, &payload);
            let (call, never) = (Arc::new(call), CancellationToken::new());
            runtime.block_on(self.engine.decide(&call, &payload, never, FILES_WITHIN))
        }));
        if let Some(panicked) = PANIC.with(|told| told.borrow_mut().take()) {
            return Some(panicked);
        }
        match decided {
            Ok(decided) => misunderstood(&decided.answer),
            Err(_) => Some("a panic that nobody told of".to_owned()),
        }
    }
}

/// Why an agent would not understand this, if it would not.
fn misunderstood(answer: &Answer) -> Option<String> {
    if answer.exit != 0 && answer.exit != 2 {
        return Some(format!("exit code {}", answer.exit));
    }
    let text = answer.stdout.trim();
    if text.starts_with('{') && serde_json::from_str::<Value>(text).is_err() {
        return Some(format!("half a JSON document: {text}"));
    }
    None
}

fn options() -> Options {
    let mut options = Options {
        count: 1_000_000,
        seed: 1,
        only: None,
    };
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let number = arguments.next().and_then(|value| value.parse().ok());
        let Some(number) = number else {
            panic!("expected a number after `{argument}`");
        };
        match argument.as_str() {
            "--count" => options.count = number,
            "--seed" => options.seed = number,
            "--only" => options.only = Some(number),
            _ => panic!("unexpected `{argument}`; --count, --seed and --only are understood"),
        }
    }
    options
}

/// What real agents sent.
fn examples() -> Vec<Vec<u8>> {
    let payloads = recorded().into_iter();
    payloads.map(|it| it.text.into_bytes()).collect()
}
