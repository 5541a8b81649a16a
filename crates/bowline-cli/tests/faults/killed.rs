//! A daemon that is ended while agents work.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::Duration;
use std::{env, thread};

use bowline_daemon::{AnswerWhen, DaemonOptions, Places};
use bowline_testkit::until_some;
use rustix::process::{Signal, kill_process};

use super::audit::Audit;
use super::load::{Seen, under_load};
use super::programs;
use super::stage::Stage;

/// Ends the daemon so many times, each time somewhere in its work. Clients start the next one.
fn end_repeatedly(stage: &Stage, signal: Signal, times: u32) -> Seen {
    let seen = under_load(stage, || {
        let mut last = None;
        for time in 1..=times {
            // One that dies before its starter has heard of it is missed for a while; that is right, and long.
            let daemon = until_some(&format!("daemon {time} answers events"), || {
                let daemon = stage.answering_daemon().filter(|pid| last != Some(*pid));
                daemon.filter(|_| !stage.is_starting())
            });
            thread::sleep(Duration::from_micros(random() % 30_000));
            kill_process(daemon, signal).unwrap();
            last = Some(daemon);
        }
    });
    // What the last one has begun, it may finish.
    stage.stop_daemon();
    seen
}

fn random() -> u64 {
    RandomState::new().hash_one(())
}

#[test]
fn a_daemon_killed_50_times_under_load_loses_no_answered_event_and_answers_none_wrongly() {
    let stage = Stage::new();
    let seen = end_repeatedly(&stage, Signal::KILL, 50);
    assert_eq!(seen.wrong, Vec::<String>::new());
    Audit::of(&stage, &seen.answered).must_be_clean();
}

#[test]
fn the_same_check_finds_what_is_lost_when_records_lag_behind_answers() {
    let programs = programs::with_daemon("faults::killed::a_daemon_that_lags", LAGGING);
    let stage = Stage::with_programs(programs);
    let seen = end_repeatedly(&stage, Signal::KILL, 6);
    assert_eq!(seen.wrong, Vec::<String>::new());
    let audit = Audit::of(&stage, &seen.answered);
    assert!(!audit.missing.is_empty(), "nothing was found: {audit:?}");
}

#[test]
fn a_daemon_that_is_told_to_end_under_load_finishes_what_it_has_begun() {
    let stage = Stage::new();
    let seen = end_repeatedly(&stage, Signal::TERM, 5);
    assert_eq!(seen.wrong, Vec::<String>::new());
    Audit::of(&stage, &seen.answered).must_be_clean();
}

/// Set for the daemon that lags, so that nobody else ever starts it.
const LAGGING: &str = "BOWLINE_FAULTS_LAGGING";

#[test]
#[ignore = "no test: the daemon of the control run"]
fn a_daemon_that_lags() {
    if env::var_os(LAGGING).is_none() {
        return;
    }
    let mut options = DaemonOptions::new(Places::from_env().unwrap());
    options.answer_when = AnswerWhen::Lagging(Duration::from_millis(50));
    // Of several, one lives.
    let _ = bowline_daemon::run(options);
}
