//! How long questions take in a large store while 1,000 records a second are written.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bowline_store::{
    Change, Options, SearchFilter, SessionFilter, SessionRef, SqliteStore, StatusFilter, Store,
    TextKind, TraceFilter, TraceStatus,
};
use chrono::{TimeDelta, Utc};

use crate::load::{begin, event, finish, half, project, scatter, session, tool, tool_use_id};
use crate::{LimitCheck, Size};

pub(crate) const LIMIT: Duration = Duration::from_millis(2);
/// A person waits for a search, and nothing else does.
const SEARCH_LIMIT: Duration = Duration::from_millis(50);
const ROUNDS: u64 = 5;
const PER_SESSION: u64 = 1_000;
const PER_PROMPT: u64 = 20;

pub(crate) fn measure(folder: &Path, size: &Size) -> LimitCheck {
    let store = fill(&folder.join("queries"), size.traces);
    println!(
        "{} traces, {} MB in use; 1,000 records a second are written\n",
        size.traces,
        store.size().unwrap().in_use / 1_048_576
    );
    println!(
        "{:<34}{:>12}{:>12}{:>12}",
        "query", "median µs", "p99 µs", "limit µs"
    );
    let stop = AtomicBool::new(false);
    let mut verdict = LimitCheck::Kept;
    std::thread::scope(|scope| {
        scope.spawn(|| write_steadily(&store, size.traces, &stop));
        let queries = queries().into_iter().map(|it| (it, LIMIT));
        let searches = searches().into_iter().map(|it| (it, SEARCH_LIMIT));
        for ((name, query), limit) in queries.chain(searches) {
            // A search takes much longer than the others.
            let times = if limit == LIMIT {
                size.queries
            } else {
                size.queries / 20
            };
            let (median, p99) = time(&store, size.traces, times, &query);
            let kept = LimitCheck::of(p99 <= limit);
            verdict = verdict.and(kept);
            println!(
                "{name:<34}{:>12}{:>12}{:>12} {}",
                median.as_micros(),
                p99.as_micros(),
                limit.as_micros(),
                kept.word()
            );
        }
        stop.store(true, Ordering::Relaxed);
    });
    verdict
}

/// Fills a store with the traces of 19 days.
fn fill(path: &Path, traces: u64) -> SqliteStore {
    let mut options = Options::new(path);
    options.deadline = Duration::from_secs(600);
    options.retention.bytes = None;
    let store = SqliteStore::open(options).unwrap();
    let begun = Utc::now() - TimeDelta::days(20);
    let step = TimeDelta::days(19).num_milliseconds() / i64::try_from(traces.max(1)).unwrap();
    for n in 0..traces {
        let time = begun + TimeDelta::milliseconds(step * i64::try_from(n).unwrap());
        let mut record = event(n, n / PER_SESSION, time, "PreToolUse");
        if n.is_multiple_of(PER_PROMPT) {
            record.decided.id = prompt_id(n);
            record.changes.push(Change::PromptGiven {
                text: Some("please".into()),
            });
        }
        record.changes.push(Change::TraceStarted(begin(n)));
        record.changes.push(Change::TraceEnded(finish(n)));
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

fn prompt_id(n: u64) -> String {
    format!("prompt-{}", n / PER_PROMPT)
}

fn write_steadily(store: &SqliteStore, traces: u64, stop: &AtomicBool) {
    let committed = Arc::new(AtomicBool::new(true));
    let begun = Instant::now();
    let mut written = 0;
    while !stop.load(Ordering::Relaxed) {
        let due = u64::try_from(begun.elapsed().as_millis()).unwrap();
        for n in written..due {
            let committed = committed.clone();
            let n = 2 * traces + n;
            store.submit(
                half(n, n / PER_SESSION, Utc::now()),
                Box::new(move |outcome| {
                    committed.fetch_and(outcome.is_committed(), Ordering::Relaxed);
                }),
            );
        }
        written = due;
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(
        committed.load(Ordering::Relaxed),
        "every record was committed meanwhile"
    );
}

type Query = Box<dyn Fn(&dyn Store, u64) -> usize>;

/// Each gets the number of a trace, and answers how many rows it found.
fn queries() -> Vec<(&'static str, Query)> {
    fn query(ask: impl Fn(&dyn Store, u64) -> usize + 'static) -> Query {
        Box::new(ask)
    }
    fn session_of(n: u64) -> String {
        session(n / PER_SESSION)
    }
    fn find(store: &dyn Store, filter: &TraceFilter<'_>) -> usize {
        store.find_traces(filter).unwrap().len()
    }
    vec![
        (
            "get_trace",
            query(|store, n| usize::from(store.get_trace(&tool_use_id(n)).unwrap().is_some())),
        ),
        (
            "get_trace, unknown",
            query(|store, n| usize::from(store.get_trace(&format!("none {n}")).unwrap().is_none())),
        ),
        (
            "get_traces",
            query(|store, n| {
                let session = session_of(n);
                let chain = SessionRef::Chain(&session);
                store.get_traces(chain, 100, None).unwrap().len()
            }),
        ),
        (
            "get_traces, since",
            query(|store, n| {
                let session = session_of(n);
                let since = Some(Utc::now() - TimeDelta::days(30));
                let chain = SessionRef::Chain(&session);
                store.get_traces(chain, 100, since).unwrap().len()
            }),
        ),
        (
            "get_traces_by_tool",
            query(|store, n| store.get_traces_by_tool(tool(n), 100, None).unwrap().len()),
        ),
        (
            "get_slow_traces",
            query(|store, n| {
                let threshold = i64::try_from(n % 9_000).unwrap();
                store.get_slow_traces(threshold, 100).unwrap().len()
            }),
        ),
        (
            "get_error_traces",
            query(|store, n| {
                let session = session_of(n);
                let chain = SessionRef::Chain(&session);
                store.get_error_traces(chain, 100).unwrap().len()
            }),
        ),
        (
            "get_trace_tree",
            query(|store, n| store.get_trace_tree(&prompt_id(n)).unwrap().unwrap().len()),
        ),
        (
            "find_traces, newest",
            query(|store, _| find(store, &TraceFilter::default())),
        ),
        (
            "find_traces, of a project",
            query(|store, n| {
                let project = project(n / PER_SESSION);
                let filter = TraceFilter {
                    project: Some(&project),
                    ..TraceFilter::default()
                };
                find(store, &filter)
            }),
        ),
        (
            "find_traces, errors",
            query(|store, _| {
                let filter = TraceFilter {
                    status: Some(StatusFilter::AnyError),
                    ..TraceFilter::default()
                };
                find(store, &filter)
            }),
        ),
        (
            "find_traces, completed",
            query(|store, _| {
                let filter = TraceFilter {
                    status: Some(StatusFilter::Is(TraceStatus::Completed)),
                    ..TraceFilter::default()
                };
                find(store, &filter)
            }),
        ),
        (
            "trace_statistics, 1,000 calls",
            query(|store, n| {
                let session = session_of(n);
                let filter = TraceFilter {
                    session: Some(SessionRef::Chain(&session)),
                    limit: 1_000,
                    ..TraceFilter::default()
                };
                store.trace_statistics(&filter).unwrap().looked_at
            }),
        ),
        (
            "sessions",
            query(|store, _| store.sessions(&SessionFilter::default()).unwrap().len()),
        ),
        (
            "session",
            query(|store, n| {
                let session = session_of(n);
                let details = store.session(SessionRef::Chain(&session)).unwrap();
                details.unwrap().prompts.len()
            }),
        ),
        (
            "last_events",
            query(|store, _| store.last_events(50).unwrap().len()),
        ),
        (
            "hook_figures",
            query(|store, _| store.hook_figures().unwrap().len()),
        ),
        (
            "gaps",
            query(|store, _| usize::from(store.gaps().unwrap().is_empty())),
        ),
        (
            "size",
            query(|store, _| usize::from(store.size().unwrap().in_use > 0)),
        ),
    ]
}

/// As [`queries`].
fn searches() -> Vec<(&'static str, Query)> {
    fn search(store: &dyn Store, filter: &SearchFilter<'_>) -> usize {
        store.search(filter).unwrap().found.len()
    }
    vec![
        (
            "search, a word of every call",
            Box::new(|store, _| search(store, &SearchFilter::new("cargo"))),
        ),
        (
            "search, a short word",
            Box::new(|store, _| search(store, &SearchFilter::new("1"))),
        ),
        (
            "search, several words",
            Box::new(|store, _| search(store, &SearchFilter::new("cargo workspace test"))),
        ),
        (
            "search, in a session",
            Box::new(|store, n| {
                let session = session(n / PER_SESSION);
                let filter = SearchFilter {
                    session: Some(SessionRef::Chain(&session)),
                    ..SearchFilter::new("cargo")
                };
                search(store, &filter)
            }),
        ),
        (
            "search, among errors",
            Box::new(|store, _| {
                let filter = SearchFilter {
                    kinds: &[TextKind::Error],
                    ..SearchFilter::new("exit status")
                };
                search(store, &filter)
            }),
        ),
    ]
}

/// The median, and the p99 as the median of those of several rounds: one stall of the machine is not the store's.
fn time(store: &SqliteStore, traces: u64, times: u64, query: &Query) -> (Duration, Duration) {
    let rounds = (0..ROUNDS).map(|round| {
        let mut times: Vec<Duration> = (0..times / ROUNDS)
            .map(|n| {
                let n = scatter(n * ROUNDS + round) % traces;
                let begun = Instant::now();
                let rows = query(store, n);
                let time = begun.elapsed();
                assert!(rows > 0, "a query of the bench finds something");
                time
            })
            .collect();
        (at(&mut times, 50), at(&mut times, 99))
    });
    let (mut medians, mut p99s): (Vec<Duration>, Vec<Duration>) = rounds.unzip();
    (at(&mut medians, 50), at(&mut p99s, 50))
}

pub(crate) fn at(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    times.get(times.len() * percent / 100).copied().unwrap()
}
