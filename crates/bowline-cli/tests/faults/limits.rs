//! A system that permits only small files, or few.

use bowline_store::Store;
use bowline_testkit::{until, until_some};

use super::audit::Audit;
use super::stage::{Event, Files, Stage, Way};

#[test]
fn where_files_must_be_small_answers_are_right_and_losses_are_counted() {
    let stage = Stage::new();
    let mut sent = Vec::new();
    let mut send = |series: &str, number, way| {
        let event = Event::new(series, number);
        stage.send_limited(&event, way, Files::Small).unwrap();
        sent.push(event);
    };
    for number in 0..6 {
        send("direct", number, Way::Direct);
    }
    let mut number = 0;
    let daemon = until_some("a daemon answers events", || {
        send("daemon", number, Way::Usual);
        number += 1;
        stage.answering_daemon()
    });
    for number in 0..20 {
        send("later", number, Way::Usual);
    }
    assert_eq!(stage.answering_daemon(), Some(daemon), "it lives");
    let length = std::fs::metadata(stage.database()).unwrap().len();
    assert!(length <= 8 * 1_024, "the limit was none");
    stage.stop_daemon();
    // What could be kept is there, and the rest is counted.
    let missing = Audit::of(&stage, &sent).missing.len() as u64;
    let gaps = stage.store().gaps().unwrap();
    let counted: u64 = gaps.iter().map(|gap| gap.records).sum();
    assert_eq!(missing, counted, "{gaps:?}");
}

#[test]
fn where_files_must_be_few_answers_are_right_and_losses_are_counted() {
    // With fewer descriptors no process can decide, and the agent is told so.
    for most in 9..=14 {
        let stage = Stage::new();
        // The folders are there.
        let first = Event::new("first", 0);
        stage.send(&first, Way::Direct).unwrap();
        let mut sent = vec![first];
        for number in 0..6 {
            let event = Event::new("few", number);
            let answered = stage.send_limited(&event, Way::Direct, Files::Few(most));
            answered.unwrap();
            sent.push(event);
        }
        // A process that found no descriptor keeps its record when it ends, after it has answered.
        until("nothing is missing that is not counted", || {
            let missing = Audit::of(&stage, &sent).missing.len() as u64;
            let gaps = stage.store().gaps().unwrap();
            let counted: u64 = gaps.iter().map(|gap| gap.records).sum();
            missing == counted
        });
    }
}

#[cfg(target_os = "linux")]
#[test]
fn without_descriptors_for_connections_answers_are_right_and_the_log_is_not_filled() {
    use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
    const EVENTS: usize = 6;
    let stage = Stage::new();
    let mut sent = stage.wake_daemon("wake");
    let daemon = stage.answering_daemon().unwrap();
    let permit = |daemon: Pid, files: Option<u64>| {
        let limit = Rlimit {
            current: files,
            maximum: getrlimit(Resource::Nofile).maximum,
        };
        prlimit(Some(daemon), Resource::Nofile, limit).unwrap()
    };
    // The lowest numbers are taken.
    let usual = permit(daemon, Some(3));
    for number in 0..EVENTS {
        let event = Event::new("none", number);
        stage.must_send(&event);
        sent.push(event);
    }
    let told = stage.log().matches("connection cannot be taken").count();
    assert!(
        (1..=EVENTS).contains(&told),
        "{told} times: {}",
        stage.log()
    );
    permit(daemon, usual.current);
    until_some("the daemon is back", || stage.ask("daemon.status"));
    Audit::of(&stage, &sent).must_be_clean();
}
