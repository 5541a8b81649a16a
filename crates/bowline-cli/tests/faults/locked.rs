//! A database that another process holds.

use std::time::{Duration, Instant};

use bowline_store::Store;
use bowline_testkit::until;

use super::audit::Audit;
use super::stage::{Event, Stage, Way};

const LOCKED_FOR: Duration = Duration::from_secs(5);
const AT_LEAST: usize = 40;

#[test]
fn while_another_process_locks_the_database_events_are_answered_and_recorded_later_once_in_order() {
    let stage = Stage::new();
    let mut sent = stage.wake_daemon("wake");
    let other = rusqlite::Connection::open(stage.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let began = Instant::now();
    let mut through_daemon = Vec::new();
    for number in 0.. {
        if number >= AT_LEAST && began.elapsed() >= LOCKED_FOR {
            break;
        }
        let event = Event::new("locked", number);
        let before = events(&stage);
        stage.must_send(&event);
        // A machine that is too busy has the client do without the daemon.
        if events(&stage) == before + 1 {
            through_daemon.push(event.id.clone());
        }
        sent.push(event);
        if number % 10 == 0 {
            let direct = Event::new("direct", number);
            stage.send(&direct, Way::Direct).unwrap();
            sent.push(direct);
        }
    }
    assert!(
        sent.iter()
            .all(|event| is_recorded(&stage, event) == event.id.starts_with("wake")),
        "all were answered before any could be recorded"
    );
    other.execute_batch("ROLLBACK").unwrap();

    until("the daemon has recorded what waited", || {
        stage
            .ask("store.size")
            .is_some_and(|size| size["spooled_records"] == 0)
    });
    Audit::of(&stage, &sent).must_be_clean();
    let recorded = stage.store().last_events(1_000_000).unwrap();
    let mut in_order: Vec<String> = recorded
        .into_iter()
        .filter_map(|trigger| trigger.decided.tool_use_id)
        .filter(|id| through_daemon.contains(id))
        .collect();
    in_order.reverse();
    assert_eq!(in_order, through_daemon);
    assert!(stage.gaps().is_empty());
    let log = stage.log();
    let told = log.matches("is locked by another process").count();
    // On a busy machine a second daemon may find the same.
    assert!((1..=3).contains(&told), "not for each event: {log}");
}

/// How many events the daemon has seen.
fn events(stage: &Stage) -> u64 {
    stage.ask("daemon.status").unwrap()["events"]
        .as_u64()
        .unwrap()
}

fn is_recorded(stage: &Stage, event: &Event) -> bool {
    stage.store().get_trace(&event.id).unwrap().is_some()
}
