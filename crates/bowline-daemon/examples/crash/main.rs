//! A daemon that is killed again and again while agents work: no answered event may be missing or doubled, and no answer wrong.
//!
//! ```text
//! cargo xtask crash [--kills 2000] [--clients 32] [--programs DIR]
//! cargo xtask crash --kills 60 --reopen-window      # a daemon that answers before it records: this must find something
//! ```
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::expect_used,
    clippy::panic,
    reason = "a campaign prints what it finds, and stops at the first surprise"
)]

mod audit;
mod load;
mod sandbox;

use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{env, thread};

use audit::Audit;
use bowline_daemon::{AnswerWhen, DaemonOptions, Places};
use load::{Seen, under_load};
use rustix::process::{Signal, kill_process};
use sandbox::{Daemon, Sandbox};

/// What the program that stands for `bowline` starts this one with.
const AS_DAEMON: &str = "--as-daemon";
/// How long such a daemon leaves answered events unrecorded.
const LAG: Duration = Duration::from_millis(50);
/// A daemon is killed up to so long after it has begun to answer.
const LONGEST_LIFE: Duration = Duration::from_millis(150);

struct Options {
    kills: usize,
    clients: usize,
    /// Each phase has a home of its own, and is checked before the next.
    kills_in_phase: usize,
    programs: PathBuf,
    daemon: Daemon,
}

/// What came of one phase.
struct Phase {
    kills: usize,
    seen: Seen,
    audit: Audit,
}

fn main() -> ExitCode {
    if env::args().nth(1).as_deref() == Some(AS_DAEMON) {
        return run_lagging_daemon();
    }
    let options = options();
    let began = Instant::now();
    let mut phases = Vec::new();
    let mut left = options.kills;
    while left > 0 {
        let kills = left.min(options.kills_in_phase.max(1));
        phases.push(phase(&options, kills, phases.len() + 1));
        left -= kills;
    }
    show(&phases, began.elapsed());
    if phases.iter().all(Phase::is_clean) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn options() -> Options {
    let mut options = Options {
        kills: 2_000,
        clients: 32,
        kills_in_phase: 100,
        programs: PathBuf::new(),
        daemon: Daemon::Real,
    };
    let mut words = env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || {
            let value = words.next();
            value.unwrap_or_else(|| panic!("{word} needs a value"))
        };
        let number = |text: String| text.parse().expect("a number");
        match word.as_str() {
            "--kills" => options.kills = number(value()),
            "--clients" => options.clients = number(value()),
            "--kills-in-phase" => options.kills_in_phase = number(value()),
            "--programs" => options.programs = value().into(),
            "--reopen-window" => options.daemon = Daemon::Lagging,
            _ => panic!("`{word}` is not understood; `cargo xtask help` shows what is"),
        }
    }
    options.programs = options.programs.canonicalize().expect("--programs DIR");
    options
}

fn phase(options: &Options, kills: usize, number: usize) -> Phase {
    let sandbox = Sandbox::new(&options.programs, options.daemon);
    let seen = under_load(&sandbox, options.clients, |answered| {
        let mut last = None;
        for kill in 1..=kills {
            let daemon = sandbox.await_daemon(last);
            thread::sleep(random_below(LONGEST_LIFE));
            kill_process(daemon, Signal::KILL).expect("nobody else ends it");
            last = Some(daemon);
            eprint!(
                "\rphase {number}: {kill} of {kills} kills, {} events answered ",
                answered()
            );
        }
    });
    sandbox.stop_daemon();
    let audit = Audit::of(&sandbox, &seen.answered);
    let phase = Phase { kills, seen, audit };
    if phase.is_clean() {
        eprintln!("- clean");
    } else {
        eprintln!(
            "- NOT CLEAN; its files stay in {}",
            sandbox.keep().display()
        );
    }
    phase
}

impl Phase {
    fn is_clean(&self) -> bool {
        self.seen.wrong.is_empty() && self.audit == Audit::default()
    }
}

fn show(phases: &[Phase], took: Duration) {
    println!(
        "{:>5} {:>6} {:>9} {:>8} {:>8} {:>10} {:>6} {:>8} {:>8} {:>8}",
        "phase",
        "kills",
        "answered",
        "missing",
        "doubled",
        "differing",
        "wrong",
        "p50 ms",
        "p99 ms",
        "max ms"
    );
    for (number, phase) in phases.iter().enumerate() {
        let (seen, audit) = (&phase.seen, &phase.audit);
        let [half, most, all] = seen.latencies();
        println!(
            "{:>5} {:>6} {:>9} {:>8} {:>8} {:>10} {:>6} {half:>8} {most:>8} {all:>8}",
            number + 1,
            phase.kills,
            seen.answered.len(),
            audit.missing.len(),
            audit.doubled.len(),
            audit.differing.len(),
            seen.wrong.len(),
        );
    }
    for phase in phases {
        for wrong in phase.seen.wrong.iter().take(5) {
            println!("wrong: {wrong}");
        }
        for (what, ids) in phase.audit.findings() {
            println!("{what}: {}", ids.join(" "));
        }
        for gap in &phase.audit.gaps {
            println!("gap: {} records, {}", gap.records, gap.message);
        }
    }
    let sum = |count: fn(&Phase) -> usize| phases.iter().map(count).sum::<usize>();
    println!(
        "{} kills, {} events answered in {} s: {} missing, {} doubled, {} recorded differently, {} answered wrongly",
        sum(|it| it.kills),
        sum(|it| it.seen.answered.len()),
        took.as_secs(),
        sum(|it| it.audit.missing.len()),
        sum(|it| it.audit.doubled.len()),
        sum(|it| it.audit.differing.len()),
        sum(|it| it.seen.wrong.len()),
    );
}

fn random_below(limit: Duration) -> Duration {
    // Every `RandomState` has keys of its own.
    let random = RandomState::new().hash_one(()) % 1_000;
    limit * u32::try_from(random).unwrap_or(0) / 1_000
}

/// Answers before it records: the window that the real one does not have.
fn run_lagging_daemon() -> ExitCode {
    let mut options = DaemonOptions::new(Places::from_env().expect("places"));
    options.answer_when = AnswerWhen::Lagging(LAG);
    match bowline_daemon::run(options) {
        Ok(_) => ExitCode::SUCCESS,
        // Of several, one lives.
        Err(_) => ExitCode::FAILURE,
    }
}
