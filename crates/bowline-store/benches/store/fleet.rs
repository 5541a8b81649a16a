//! How long the fleet takes to be listed, and a session to be found, among very many sessions.

use std::path::Path;
use std::time::{Duration, Instant};

use bowline_continuity::action::{EffortStart, Who};
use bowline_continuity::fleet::AgentStatus;
use bowline_store::{AgentSignal, Change, Options, SqliteStore, Store, Unfinished};
use chrono::{TimeDelta, Utc};

use crate::load::{begin, event, project, scatter, session};
use crate::{LimitCheck, Size, queries};

/// A person looks at the list again and again.
const LISTED: Duration = Duration::from_millis(50);
const AGENTS: u64 = 1_000;
const ROUNDS: u64 = 200;

pub(crate) fn measure(folder: &Path, size: &Size) -> LimitCheck {
    let sessions = (size.traces / 10).max(AGENTS);
    let store = fill(&folder.join("fleet"), sessions);
    println!("\n{AGENTS} agents, {sessions} sessions\n");
    let names = ["median µs", "p99 µs", "limit µs"];
    let [median, p99, limit] = names;
    println!("{:<34}{median:>12}{p99:>12}{limit:>12}", "question");
    let listed = time("fleet", LISTED, |_| {
        let fleet = store.continuity().fleet(None, None).unwrap();
        assert_eq!(fleet.len() as u64, AGENTS);
        assert!(fleet.iter().all(|agent| agent.last_action.is_some()));
    });
    let resolved = time("resolve", queries::LIMIT, |n| {
        let number = scatter(n) % sessions;
        let who = Who {
            folder: format!("{}/src/deep", project(number)),
            session: Some(session(number)),
            ..Who::default()
        };
        let found = store.continuity().resolve(&who).unwrap();
        assert!(found.effort.is_some() && found.project.is_some());
    });
    listed.and(resolved)
}

/// Sessions of many days, of which the last are open.
fn fill(path: &Path, sessions: u64) -> SqliteStore {
    let mut options = Options::new(path);
    options.deadline = Duration::from_secs(600);
    options.retention.bytes = None;
    let store = SqliteStore::open(options).unwrap();
    let begun = Utc::now() - TimeDelta::days(1);
    for n in 0..20 {
        let start = EffortStart {
            project: project(n),
            task: format!("{}/.tasks/task", project(n)),
            skill: "implement".to_owned(),
            ..EffortStart::default()
        };
        store.continuity().start_effort(&start, begun).unwrap();
    }
    for n in 0..sessions {
        let mut record = event(n, n, begun, "PreToolUse");
        let signal = AgentSignal::new(AgentStatus::Working);
        record.changes.push(Change::AgentStatus(signal));
        record.changes.push(Change::TraceStarted(begin(n)));
        if n + AGENTS < sessions {
            record.changes.push(Change::SessionEnded {
                reason: None,
                unfinished: Unfinished::Cancelled,
            });
        }
        store.submit(
            record,
            Box::new(|outcome| assert!(outcome.is_committed(), "{outcome:?}")),
        );
        if n % 5_000 == 0 {
            store.flush().unwrap();
        }
    }
    store.flush().unwrap();
    store
}

fn time(name: &str, limit: Duration, mut ask: impl FnMut(u64)) -> LimitCheck {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|n| {
            let begun = Instant::now();
            ask(n);
            begun.elapsed()
        })
        .collect();
    let (median, p99) = (queries::at(&mut times, 50), queries::at(&mut times, 99));
    let kept = LimitCheck::of(p99 <= limit);
    println!(
        "{name:<34}{:>12}{:>12}{:>12} {}",
        median.as_micros(),
        p99.as_micros(),
        limit.as_micros(),
        kept.word()
    );
    kept
}
