//! What every store must be able to tell, whatever is behind it. Each chapter gets an empty one.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod support;

use std::time::Duration;

use bowline::hooks::Decision;
use bowline_store::{
    CallKey, Change, DecisionFilter, DelegationEnd, DelegationStart, DelegationStatus, Enforcement,
    EventFilter, Forget, GONE, HookFired, Integrity, Outcome, SessionFilter, SessionRef,
    SessionStatus, SkippedChange, StatusFilter, Store, TraceEnd, TraceFilter, TraceNode,
    TraceStart, TraceStatus, Unfinished,
};
use serde_json::json;
use support::*;

/// Every backend, one after another.
fn with_each(chapter: impl Fn(&dyn Store)) {
    let (_folder, store) = open();
    chapter(&store);
}

fn ids(traces: &[bowline_store::Trace]) -> Vec<&str> {
    traces
        .iter()
        .map(|trace| trace.tool_use_id.as_str())
        .collect()
}

#[test]
fn f20_a_a_call_is_one_row_with_both_times_and_its_duration() {
    with_each(|store| {
        let mut begin = start("s", "toolu_1", "Bash", 0);
        let Change::TraceStarted(trace) = &mut begin.changes[0] else {
            panic!()
        };
        trace.input = Some(json!({"command": "ls"}));
        committed(store, begin);
        let open = store.get_trace("toolu_1").unwrap().unwrap();
        assert_eq!(
            (open.status, open.duration_ms, open.ended_at),
            (TraceStatus::Started, None, None)
        );

        let mut finish = end("s", "toolu_1", "Bash", TraceStatus::Completed, 1_234);
        let Change::TraceEnded(trace) = &mut finish.changes[0] else {
            panic!()
        };
        trace.output = Some(json!({"stdout": "a b"}));
        committed(store, finish);

        let traces = store.get_traces(SessionRef::Chain("s"), 100, None).unwrap();
        let [trace] = &traces[..] else {
            panic!("{traces:?}")
        };
        assert_eq!(trace.status.shown(), "ok");
        assert_eq!(trace.duration_ms, Some(1_234));
        assert_eq!((trace.started_at, trace.ended_at), (at(0), Some(at(1_234))));
        assert_eq!(trace.input, Some(json!({"command": "ls"})));
        assert_eq!(trace.output, Some(json!({"stdout": "a b"})));
        assert_eq!(trace.project.as_deref(), Some("/home/user/project"));
        assert_eq!(
            (trace.session.as_str(), trace.agent.as_str()),
            ("s", "claude-code")
        );
        assert_eq!(store.get_trace("toolu_1").unwrap().as_ref(), Some(trace));
    });
}

#[test]
fn f20_b_a_call_without_an_id_is_found_again_by_session_tool_and_input() {
    let unnamed = |event: &str, session: &str, tool: &str, digest: Option<u64>, ms: i64| {
        let call = CallKey::Unnamed { digest };
        let change = if event == "PreToolUse" {
            Change::TraceStarted(TraceStart::new(call, tool))
        } else {
            Change::TraceEnded(TraceEnd::new(call, tool, TraceStatus::Completed))
        };
        let mut record = with(record(event, session, ms), change);
        record.decided.tool = Some(tool.to_owned());
        record
    };
    with_each(|store| {
        for (session, tool, digest, ms) in [
            ("s", "Bash", Some(1), 0),
            ("s", "Bash", Some(2), 10),
            ("s", "Read", None, 20),
            ("other", "Bash", Some(2), 30),
            ("s", "Bash", Some(u64::MAX), 40),
        ] {
            committed(store, unnamed("PreToolUse", session, tool, digest, ms));
        }
        // The second ends first: by its input, not by its age.
        committed(store, unnamed("PostToolUse", "s", "Bash", Some(2), 100));
        committed(
            store,
            unnamed("PostToolUse", "s", "Bash", Some(u64::MAX), 200),
        );
        committed(store, unnamed("PostToolUse", "s", "Read", None, 300));
        committed(store, unnamed("PostToolUse", "s", "Bash", None, 400));
        let found: Vec<_> = store
            .get_traces(SessionRef::Chain("s"), 100, None)
            .unwrap()
            .into_iter()
            .map(|trace| (trace.tool, trace.duration_ms))
            .collect();
        let expected = [("Bash", 160), ("Read", 280), ("Bash", 90), ("Bash", 400)];
        assert_eq!(
            found,
            expected.map(|(tool, ms)| (tool.to_owned(), Some(ms)))
        );
        let other = store
            .get_traces(SessionRef::Chain("other"), 100, None)
            .unwrap();
        assert_eq!(other[0].status, TraceStatus::Started);
        // Its event tells the id by which the call is kept, and the call its events.
        let of_other = EventFilter {
            session: Some(SessionRef::Chain("other")),
            ..EventFilter::default()
        };
        let began = store.find_events(&of_other).unwrap().remove(0);
        let id = began.decided.tool_use_id.clone().unwrap();
        assert_eq!(id, other[0].tool_use_id);
        assert_eq!(store.events_of(&other[0]).unwrap(), [began]);
        let call = store.get_trace(&id).unwrap().unwrap();
        assert_eq!(call, other[0]);
        let ended = store
            .get_traces(SessionRef::Chain("s"), 1, None)
            .unwrap()
            .remove(0);
        let events = store.events_of(&ended).unwrap();
        let events: Vec<&str> = events.iter().map(|it| it.decided.event.as_str()).collect();
        assert_eq!(events, ["PreToolUse", "PostToolUse"]);
        // Nothing of that kind is open any more.
        let outcome = submit(store, unnamed("PostToolUse", "s", "Bash", Some(2), 500));
        let tool = "Bash".to_owned();
        assert_eq!(
            outcome.skipped(),
            [SkippedChange::NoStart {
                tool_use_id: None,
                tool
            }]
        );
    });
}

#[test]
fn f20_c_a_message_makes_an_error_and_is_cut() {
    with_each(|store| {
        committed(store, start("s", "a", "Bash", 0));
        let mut finish = end("s", "a", "Bash", TraceStatus::Completed, 1);
        let Change::TraceEnded(trace) = &mut finish.changes[0] else {
            panic!()
        };
        trace.error = Some(format!("stderr: {}", "x".repeat(1_000)));
        committed(store, finish);
        let trace = store.get_trace("a").unwrap().unwrap();
        assert_eq!(trace.status.shown(), "error");
        assert_eq!(trace.error.unwrap().chars().count(), 500);
    });
}

#[test]
fn f20_d_an_end_without_a_start_warns_and_changes_nothing_else() {
    with_each(|store| {
        let outcome = submit(store, end("s", "nobody", "Bash", TraceStatus::Completed, 0));
        let note = SkippedChange::NoStart {
            tool_use_id: Some("nobody".into()),
            tool: "Bash".into(),
        };
        assert_eq!(outcome, Outcome::Committed(vec![note]));
        assert_eq!(store.get_trace("nobody").unwrap(), None);
        assert!(
            store
                .find_traces(&TraceFilter::default())
                .unwrap()
                .is_empty()
        );

        // A call ends once, in its own session.
        committed(store, start("s", "a", "Bash", 0));
        assert_eq!(
            submit(store, end("t", "a", "Bash", TraceStatus::Failed, 5))
                .skipped()
                .len(),
            1
        );
        committed(store, end("s", "a", "Bash", TraceStatus::Completed, 10));
        assert_eq!(
            submit(store, end("s", "a", "Bash", TraceStatus::Failed, 20))
                .skipped()
                .len(),
            1
        );
        let trace = store.get_trace("a").unwrap().unwrap();
        assert_eq!(
            (trace.status, trace.duration_ms),
            (TraceStatus::Completed, Some(10))
        );
    });
}

#[test]
fn f20_e_a_start_that_is_no_time_gives_no_duration() {
    with_each(|store| {
        let mut impossible = start("s", "epoch", "Bash", 0);
        impossible.decided.time = chrono::DateTime::UNIX_EPOCH;
        committed(store, impossible);
        committed(store, end("s", "epoch", "Bash", TraceStatus::Completed, 10));
        committed(store, start("s", "later", "Bash", 1_000));
        committed(store, end("s", "later", "Bash", TraceStatus::Completed, 10));
        for id in ["epoch", "later"] {
            let trace = store.get_trace(id).unwrap().unwrap();
            assert_eq!(
                (trace.status, trace.duration_ms),
                (TraceStatus::Completed, None),
                "{id}"
            );
        }
        // The agent knows better.
        committed(store, start("s", "told", "Bash", 0));
        let mut finish = end("s", "told", "Bash", TraceStatus::Completed, 9_000);
        let Change::TraceEnded(trace) = &mut finish.changes[0] else {
            panic!()
        };
        trace.duration = Some(Duration::from_millis(7));
        committed(store, finish);
        assert_eq!(
            store.get_trace("told").unwrap().unwrap().duration_ms,
            Some(7)
        );
    });
}

#[test]
fn the_same_event_is_kept_once_and_the_same_call_begins_once() {
    with_each(|store| {
        let once = start("s", "a", "Bash", 0);
        committed(store, once.clone());
        assert_eq!(submit(store, once.clone()), Outcome::Known);
        let mut by_another_path = once;
        by_another_path.decided.id = "registered twice".into();
        let outcome = submit(store, by_another_path);
        assert_eq!(
            outcome.skipped(),
            [SkippedChange::AlreadyStarted {
                tool_use_id: "a".into()
            }]
        );
        assert_eq!(store.find_traces(&TraceFilter::default()).unwrap().len(), 1);
        assert_eq!(store.last_events(50).unwrap().len(), 2);

        let begin = |id: &str| {
            let mut begin = with(
                record("SessionStart", "t", 0),
                Change::SessionStarted {
                    source: None,
                    model: None,
                    previous: None,
                },
            );
            begin.decided.id = id.into();
            begin
        };
        committed(store, begin("x"));
        assert_eq!(submit(store, begin("x")), Outcome::Known);
        let details = store.session(SessionRef::Chain("t")).unwrap().unwrap();
        assert_eq!(details.sessions.len(), 1);
        assert_eq!(details.sessions[0].events, 1);
    });
}

#[test]
fn f21_b_queries_order_limit_and_filter() {
    with_each(|store| {
        for (n, (session, tool, status, took)) in [
            ("s", "Bash", TraceStatus::Completed, 50),
            ("s", "Read", TraceStatus::Failed, 500),
            ("t", "Bash", TraceStatus::Timeout, 5_000),
            ("s", "Bash", TraceStatus::Cancelled, 5),
            ("t", "Edit", TraceStatus::Completed, 800),
        ]
        .into_iter()
        .enumerate()
        {
            let (id, ms) = (n.to_string(), i64::try_from(n).unwrap() * 10_000);
            let mut begin = start(session, &id, tool, ms);
            if session == "t" {
                begin.decided.project = Some("/other".into());
            }
            committed(store, begin);
            committed(store, end(session, &id, tool, status, ms + took));
        }
        committed(store, start("s", "open", "Bash", 60_000));

        let s = SessionRef::Chain("s");
        let traces = |limit, since| store.get_traces(s, limit, since).unwrap();
        assert_eq!(ids(&traces(100, None)), ["open", "3", "1", "0"]);
        assert_eq!(ids(&traces(2, None)), ["open", "3"]);
        assert_eq!(ids(&traces(100, Some(at(10_000)))), ["open", "3", "1"]);
        assert_eq!(ids(&traces(100, Some(at(10_001)))), ["open", "3"]);
        assert_eq!(
            ids(&store.get_traces_by_tool("Bash", 100, None).unwrap()),
            ["open", "3", "2", "0"]
        );
        assert_eq!(
            ids(&store.get_slow_traces(500, 100).unwrap()),
            ["2", "4", "1"]
        );
        assert_eq!(ids(&store.get_slow_traces(0, 2).unwrap()), ["2", "4"]);
        assert_eq!(ids(&store.get_error_traces(s, 100).unwrap()), ["3", "1"]);

        let all = TraceFilter::default();
        for (filter, expected) in [
            (all.clone(), vec!["open", "4", "3", "2", "1", "0"]),
            (
                TraceFilter {
                    limit: 1,
                    ..all.clone()
                },
                vec!["open"],
            ),
            (
                TraceFilter {
                    project: Some("/other"),
                    ..all.clone()
                },
                vec!["4", "2"],
            ),
            (
                TraceFilter {
                    project: Some("/nowhere"),
                    ..all.clone()
                },
                vec![],
            ),
            (
                TraceFilter {
                    status: Some(StatusFilter::AnyError),
                    ..all.clone()
                },
                vec!["3", "2", "1"],
            ),
            (
                TraceFilter {
                    status: Some(StatusFilter::Is(TraceStatus::Timeout)),
                    ..all.clone()
                },
                vec!["2"],
            ),
            (
                TraceFilter {
                    status: Some(StatusFilter::Is(TraceStatus::Started)),
                    ..all.clone()
                },
                vec!["open"],
            ),
            (
                TraceFilter {
                    status: Some(StatusFilter::Is(TraceStatus::Completed)),
                    tool: Some("Bash"),
                    session: Some(s),
                    ..all.clone()
                },
                vec!["0"],
            ),
            (
                TraceFilter {
                    tool: Some("Bash"),
                    project: Some("/other"),
                    since: Some(at(1)),
                    ..all.clone()
                },
                vec!["2"],
            ),
            (
                TraceFilter {
                    since: Some(at(10_000)),
                    before: Some(at(30_000)),
                    ..all
                },
                vec!["2", "1"],
            ),
        ] {
            assert_eq!(
                ids(&store.find_traces(&filter).unwrap()),
                expected,
                "{filter:?}"
            );
        }

        assert_eq!(store.get_trace("unknown").unwrap(), None);
        assert!(
            store
                .get_traces(SessionRef::Chain("unknown"), 9, None)
                .unwrap()
                .is_empty()
        );
        assert!(
            store
                .get_traces(SessionRef::Row(999), 9, None)
                .unwrap()
                .is_empty()
        );
        assert!(
            store
                .get_traces_by_tool("unknown", 9, None)
                .unwrap()
                .is_empty()
        );
        assert!(store.get_trace_tree("unknown").unwrap().is_none());
        assert!(
            store
                .session(SessionRef::Chain("unknown"))
                .unwrap()
                .is_none()
        );

        let statistics = store.trace_statistics(&TraceFilter::default()).unwrap();
        assert_eq!((statistics.looked_at, statistics.more), (6, false));
        let bash = &statistics.tools[0];
        assert_eq!(
            (bash.tool.as_str(), bash.count, bash.errors),
            ("Bash", 4, 2)
        );
        assert_eq!((bash.p50_ms, bash.p99_ms), (Some(50), Some(5_000)));
        let few = TraceFilter {
            limit: 2,
            ..TraceFilter::default()
        };
        let statistics = store.trace_statistics(&few).unwrap();
        assert_eq!((statistics.looked_at, statistics.more), (2, true));
    });
}

/// `call(child child)`, oldest first.
fn shape(nodes: &[TraceNode]) -> String {
    let words: Vec<String> = nodes
        .iter()
        .map(|node| match shape(&node.children).as_str() {
            "" => node.trace.tool_use_id.clone(),
            children => format!("{}({children})", node.trace.tool_use_id),
        })
        .collect();
    words.join(" ")
}

fn delegate(session: &str, id: &str, kind: &str, ms: i64) -> bowline_store::Record {
    with(
        start(session, id, "Task", ms),
        Change::DelegationStarted(DelegationStart {
            call: Some(id.into()),
            to: kind.into(),
            description: Some(format!("work of {id}")),
        }),
    )
}

#[test]
fn f22_a_prompt_delegation_and_calls_form_a_tree_also_with_parallel_agents_of_one_type() {
    with_each(|store| {
        let prompt = with(
            record("UserPromptSubmit", "s", 0),
            Change::PromptGiven {
                text: Some("do it".into()),
            },
        );
        let group = prompt.decided.id.clone();
        committed(store, prompt);
        committed(store, start("s", "read", "Read", 10));
        committed(store, delegate("s", "task1", "explorer", 20));
        committed(store, delegate("s", "task2", "explorer", 21));
        committed(
            store,
            by(
                with(record("SubagentStart", "s", 30), Change::SubagentStarted),
                "a1",
                "explorer",
            ),
        );
        // The second sub-agent is first heard of by its first call.
        committed(
            store,
            by(start("s", "b-grep", "Grep", 31), "a2", "explorer"),
        );
        committed(
            store,
            by(start("s", "a-grep", "Grep", 32), "a1", "explorer"),
        );
        committed(
            store,
            by(delegate("s", "task3", "helper", 33), "a1", "explorer"),
        );
        committed(store, by(start("s", "c-read", "Read", 34), "a3", "helper"));
        committed(store, start("s", "edit", "Edit", 40));

        let tree = store.get_trace_tree(&group).unwrap().unwrap();
        assert_eq!(tree.prompt.as_ref().unwrap().text.as_deref(), Some("do it"));
        assert_eq!(
            shape(&tree.roots),
            "read task1(a-grep task3(c-read)) task2(b-grep) edit"
        );
        assert_eq!(tree.root().unwrap().trace.tool_use_id, "read");
        let grep = store.get_trace("b-grep").unwrap().unwrap();
        assert_eq!(
            (grep.parent.as_deref(), grep.subagent.as_deref()),
            (Some("task2"), Some("a2"))
        );

        // The next prompt has a tree of its own.
        let next = with(
            record("UserPromptSubmit", "s", 50),
            Change::PromptGiven { text: None },
        );
        let next_id = next.decided.id.clone();
        committed(store, next);
        assert!(store.get_trace_tree(&next_id).unwrap().unwrap().is_empty());
        committed(store, start("s", "next", "Bash", 60));
        assert_eq!(
            shape(&store.get_trace_tree(&next_id).unwrap().unwrap().roots),
            "next"
        );
    });
}

#[test]
fn f22_b_d_a_delegation_is_recorded_and_completed_with_the_last_message() {
    with_each(|store| {
        committed(store, delegate("s", "task1", "explorer", 0));
        committed(store, delegate("s", "task2", "explorer", 1));
        for (agent, ms) in [("a1", 2), ("a2", 3)] {
            let begin = with(record("SubagentStart", "s", ms), Change::SubagentStarted);
            committed(store, by(begin, agent, "explorer"));
        }
        let finish = |agent: &str, message: String| {
            let end = DelegationEnd {
                status: DelegationStatus::Completed,
                last_message: Some(message),
            };
            by(
                with(
                    record("SubagentStop", "s", 100),
                    Change::DelegationEnded(end),
                ),
                agent,
                "explorer",
            )
        };
        committed(store, finish("a2", "m".repeat(5_000)));
        let details = store.session(SessionRef::Chain("s")).unwrap().unwrap();
        let found: Vec<_> = details
            .delegations
            .iter()
            .map(|it| {
                (
                    it.call.as_deref().unwrap(),
                    it.from.as_str(),
                    it.to.as_str(),
                    it.subagent.as_deref(),
                    it.status,
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                (
                    "task1",
                    "claude-code",
                    "explorer",
                    Some("a1"),
                    DelegationStatus::Started
                ),
                (
                    "task2",
                    "claude-code",
                    "explorer",
                    Some("a2"),
                    DelegationStatus::Completed
                ),
            ]
        );
        assert_eq!(
            details.delegations[0].description.as_deref(),
            Some("work of task1")
        );
        let message = details.delegations[1].last_message.as_ref().unwrap();
        assert_eq!(message.chars().count(), 2_000);
        // Sub-agents have sessions of their own, under that of their parent.
        let parents: Vec<_> = details
            .sessions
            .iter()
            .map(|it| (it.subagent.as_deref(), it.parent.is_some()))
            .collect();
        assert_eq!(
            parents,
            [(None, false), (Some("a1"), true), (Some("a2"), true)]
        );
        assert_eq!(details.sessions[2].status, SessionStatus::Ended);

        // The end of an agent that nobody called: internal helpers do that.
        let stray = by(finish("ghost", "x".into()), "ghost", "");
        assert_eq!(
            submit(store, stray).skipped(),
            [SkippedChange::NoDelegation {
                subagent: Some("ghost".into())
            }]
        );
        // A call whose sub-agent was never heard of settles its delegation.
        committed(store, delegate("s", "task3", "silent", 200));
        committed(store, end("s", "task3", "Task", TraceStatus::Failed, 210));
        let details = store.session(SessionRef::Chain("s")).unwrap().unwrap();
        assert_eq!(details.delegations[2].status, DelegationStatus::Failed);
    });
}

#[test]
fn f22_c_a_session_is_there_before_anything_refers_to_it() {
    with_each(|store| {
        committed(store, start("never announced", "a", "Bash", 5));
        let sessions = store.sessions(&SessionFilter::default()).unwrap();
        let [session] = &sessions[..] else {
            panic!("{sessions:?}")
        };
        assert_eq!(
            (session.newest.session.as_str(), session.newest.events),
            ("never announced", 1)
        );
        let session = &session.newest;
        assert_eq!((session.started_at, session.last_event_at), (at(5), at(5)));
        assert_eq!(
            store.get_trace("a").unwrap().unwrap().session_row,
            session.row
        );

        // An event without a session is kept, its changes are not.
        let outcome = submit(store, start("", "b", "Bash", 6));
        assert_eq!(outcome.skipped(), [SkippedChange::NoSession]);
        assert_eq!(store.get_trace("b").unwrap(), None);
        assert_eq!(store.last_events(1).unwrap()[0].decided.session, "");
    });
}

#[test]
fn sessions_are_chained_and_never_reopened() {
    with_each(|store| {
        let begin = |session: &str, source: &str, previous: Option<&str>, ms| {
            with(
                record("SessionStart", session, ms),
                Change::SessionStarted {
                    source: Some(source.into()),
                    model: Some("m".into()),
                    previous: previous.map(Into::into),
                },
            )
        };
        committed(store, begin("s", "startup", None, 0));
        committed(store, start("s", "a", "Bash", 1));
        committed(store, begin("s", "compact", None, 2));
        committed(store, start("s", "b", "Bash", 3));
        committed(store, begin("t", "clear", Some("s"), 4));
        committed(store, start("t", "c", "Bash", 5));

        let chain = store
            .session(SessionRef::Chain("s"))
            .unwrap()
            .unwrap()
            .sessions;
        let found: Vec<_> = chain
            .iter()
            .map(|it| {
                (
                    it.session.as_str(),
                    it.source.as_deref().unwrap(),
                    it.previous,
                    it.status,
                )
            })
            .collect();
        let (first, second) = (chain[0].row, chain[1].row);
        assert_eq!(
            found,
            [
                ("s", "startup", None, SessionStatus::Ended),
                ("s", "compact", Some(first), SessionStatus::Ended),
                ("t", "clear", Some(second), SessionStatus::Active),
            ]
        );
        let rows = |session| store.get_traces(session, 100, None).unwrap();
        assert_eq!(ids(&rows(SessionRef::Chain("s"))), ["c", "b", "a"]);
        assert_eq!(ids(&rows(SessionRef::Row(second))), ["b"]);
        assert_eq!(
            store
                .session(SessionRef::Row(second))
                .unwrap()
                .unwrap()
                .sessions
                .len(),
            1
        );

        store.flush().unwrap();
        let listed = store.sessions(&SessionFilter::default()).unwrap();
        assert_eq!(
            listed.iter().map(|it| it.newest.row).collect::<Vec<_>>(),
            [chain[2].row],
            "what goes on is one session"
        );
        assert_eq!(listed[0].newest.started_at, at(0));
        assert_eq!((listed[0].calls, listed[0].errors), (3, 0));
        let recent = SessionFilter {
            since: Some(at(4)),
            ..SessionFilter::default()
        };
        assert_eq!(store.sessions(&recent).unwrap().len(), 1);
        let elsewhere = SessionFilter {
            project: Some("/x"),
            ..SessionFilter::default()
        };
        assert!(store.sessions(&elsewhere).unwrap().is_empty());
    });
}

#[test]
fn a_call_that_never_finished_is_closed_with_its_session() {
    with_each(|store| {
        for (session, unfinished, expected) in [
            ("s", Unfinished::Cancelled, TraceStatus::Cancelled),
            ("t", Unfinished::Timeout, TraceStatus::Timeout),
        ] {
            let (open, sub, done) = (
                format!("{session}1"),
                format!("{session}2"),
                format!("{session}3"),
            );
            committed(store, delegate(session, &open, "helper", 0));
            committed(store, by(start(session, &sub, "Bash", 1), "a", "helper"));
            committed(store, start(session, &done, "Bash", 2));
            committed(
                store,
                end(session, &done, "Bash", TraceStatus::Completed, 3),
            );
            let change = Change::SessionEnded {
                reason: Some("exit".into()),
                unfinished,
            };
            committed(store, with(record("SessionEnd", session, 10), change));
            for (id, status) in [
                (&open, expected),
                (&sub, expected),
                (&done, TraceStatus::Completed),
            ] {
                assert_eq!(store.get_trace(id).unwrap().unwrap().status, status, "{id}");
            }
            let details = store.session(SessionRef::Chain(session)).unwrap().unwrap();
            assert!(
                details
                    .sessions
                    .iter()
                    .all(|it| it.status == SessionStatus::Ended)
            );
            assert_eq!(details.delegations[0].status, DelegationStatus::Cancelled);
        }
        committed(store, start("u", "u1", "Bash", 0));
        let change = Change::TraceClosed {
            call: CallKey::Id("u1".into()),
            how: Unfinished::Cancelled,
            message: Some("denied".into()),
        };
        committed(store, with(record("PermissionDenied", "u", 1), change));
        let trace = store.get_trace("u1").unwrap().unwrap();
        assert_eq!(
            (trace.status, trace.error.as_deref()),
            (TraceStatus::Cancelled, Some("denied"))
        );
    });
}

#[test]
fn a_call_whose_agent_was_killed_is_no_error() {
    with_each(|store| {
        for id in ["open", "failed"] {
            committed(store, start("s", id, "Bash", 0));
        }
        committed(store, end("s", "failed", "Bash", TraceStatus::Failed, 3));
        let change = Change::SessionEnded {
            reason: Some(GONE.into()),
            unfinished: Unfinished::Cancelled,
        };
        committed(store, with(record("SessionEnd", "s", 10), change));
        let call = store.get_trace("open").unwrap().unwrap();
        assert_eq!(
            (call.status, call.error.as_deref()),
            (TraceStatus::Cancelled, Some("the agent's process ended"))
        );
        let with_status = |status| {
            let filter = TraceFilter {
                status: Some(status),
                ..TraceFilter::default()
            };
            store.find_traces(&filter).unwrap()
        };
        assert_eq!(ids(&with_status(StatusFilter::AnyError)), ["failed"]);
        let both = [TraceStatus::Cancelled, TraceStatus::Failed];
        let both = with_status(StatusFilter::AnyOf(both.into_iter().collect()));
        assert_eq!(both.len(), 2);
        let statistics = store.trace_statistics(&TraceFilter::default()).unwrap();
        assert_eq!(statistics.tools[0].errors, 1);
        let sessions = store.sessions(&SessionFilter::default()).unwrap();
        assert_eq!(sessions[0].errors, 1);
        let all = bowline_store::DigestFilter::default();
        let digest = store.digest(&all).unwrap();
        assert_eq!((digest.failed, digest.failures[0].count), (1, 1));
    });
}

#[test]
fn sessions_tell_what_they_were_about_and_how_it_went() {
    with_each(|store| {
        for (text, ms) in [("mend the parser", 0), ("and the tests", 50)] {
            let prompt = Change::PromptGiven {
                text: Some(text.into()),
            };
            committed(store, with(record("UserPromptSubmit", "s", ms), prompt));
        }
        for (id, status, ms) in [
            ("a", TraceStatus::Completed, 60),
            ("b", TraceStatus::Failed, 70),
            ("c", TraceStatus::Timeout, 80),
        ] {
            committed(store, start("s", id, "Bash", ms));
            committed(store, end("s", id, "Bash", status, ms + 5));
        }
        committed(store, start("s", "d", "Bash", 90));
        let denied = Change::TraceClosed {
            call: CallKey::Id("d".into()),
            how: Unfinished::Denied,
            message: Some("no".into()),
        };
        committed(store, with(record("PreToolUse", "s", 91), denied));
        let listed = store.sessions(&SessionFilter::default()).unwrap();
        let [session] = &listed[..] else {
            panic!("{listed:?}")
        };
        assert_eq!(session.first_prompt.as_deref(), Some("mend the parser"));
        assert_eq!((session.calls, session.errors, session.denied), (4, 2, 1));
    });
}

#[test]
fn events_are_found_by_what_was_decided_and_about_what() {
    with_each(|store| {
        let mut decided = Vec::new();
        for (n, decision, enforcement, rule) in [
            (0, Decision::Deny, Enforcement::Enforced, "git.push-force"),
            (1, Decision::Ask, Enforcement::Enforced, "files.delete"),
            (2, Decision::Deny, Enforcement::Observed, "git.reset"),
            (3, Decision::NoOpinion, Enforcement::Enforced, ""),
        ] {
            let mut event = start(
                if n < 2 { "abc-1" } else { "xyz-2" },
                &n.to_string(),
                "Bash",
                n,
            );
            event.decided.tool_use_id = Some(n.to_string());
            event.decided.tool = Some("Bash".into());
            (event.decided.decision, event.decided.enforcement) = (decision, enforcement);
            event.decided.rule = (!rule.is_empty()).then(|| rule.into());
            decided.push(event);
        }
        let Change::TraceStarted(first) = &mut decided[0].changes[0] else {
            panic!("a call begins")
        };
        first.input = Some(json!({"command": "git push --force"}));
        for event in decided {
            committed(store, event);
        }
        let prompt = Change::PromptGiven {
            text: Some("mend it".into()),
        };
        committed(store, with(record("UserPromptSubmit", "xyz-2", 4), prompt));
        let find = |filter: EventFilter<'_>| store.find_events(&filter).unwrap();
        let calls = |filter: EventFilter<'_>| -> Vec<String> {
            let found = find(filter).into_iter();
            found
                .map(|it| it.decided.tool_use_id.unwrap_or_default())
                .collect()
        };
        let none = EventFilter::default;
        for (filter, expected) in [
            (
                EventFilter {
                    decisions: &[DecisionFilter::Deny],
                    ..none()
                },
                &["0"][..],
            ),
            (
                EventFilter {
                    decisions: &[DecisionFilter::Deny, DecisionFilter::Ask],
                    ..none()
                },
                &["1", "0"],
            ),
            (
                EventFilter {
                    decisions: &[DecisionFilter::Observed],
                    ..none()
                },
                &["2"],
            ),
            (
                EventFilter {
                    decisions: &[DecisionFilter::Nothing],
                    tool: Some("bash"),
                    ..none()
                },
                &["3"],
            ),
            (
                EventFilter {
                    rule: Some("git.*"),
                    ..none()
                },
                &["2", "0"],
            ),
            (
                EventFilter {
                    rule: Some("git.reset"),
                    ..none()
                },
                &["2"],
            ),
            (
                EventFilter {
                    session: Some(SessionRef::Beginning("ab")),
                    ..none()
                },
                &["1", "0"],
            ),
            (
                EventFilter {
                    session: Some(SessionRef::Chain("ab")),
                    ..none()
                },
                &[],
            ),
            (
                EventFilter {
                    event: Some("userpromptsubmit"),
                    ..none()
                },
                &[""],
            ),
            (
                EventFilter {
                    since: Some(at(3)),
                    tool: Some("Bash"),
                    ..none()
                },
                &["3"],
            ),
            (
                EventFilter {
                    decisions: &[DecisionFilter::Deny, DecisionFilter::Ask],
                    before: Some(at(1)),
                    ..none()
                },
                &["0"],
            ),
            (
                EventFilter {
                    project: Some("/nowhere"),
                    ..none()
                },
                &[],
            ),
            (EventFilter { limit: 1, ..none() }, &[""]),
        ] {
            let shown = format!("{filter:?}");
            assert_eq!(calls(filter), expected, "{shown}");
        }
        let all = find(none());
        assert_eq!(all[4].input, Some(json!({"command": "git push --force"})));
        assert_eq!(all[0].prompt.as_deref(), Some("mend it"));
        // Whatever its case, and by the beginning of a session's name.
        for (tool, session, count) in [("bash", "ab", 2), ("BASH", "xyz-2", 2), ("Read", "ab", 0)] {
            let filter = TraceFilter {
                tool: Some(tool),
                session: Some(SessionRef::Beginning(session)),
                ..TraceFilter::default()
            };
            assert_eq!(
                store.find_traces(&filter).unwrap().len(),
                count,
                "{tool} {session}"
            );
        }
    });
}

#[test]
fn f47_a_the_last_triggers_say_what_was_decided_and_by_whom() {
    with_each(|store| {
        for n in 0..60 {
            let mut event = record("PreToolUse", "s", n);
            event.decided.tool = Some("Bash".into());
            event.decided.decision = if n == 59 {
                Decision::Deny
            } else {
                Decision::NoOpinion
            };
            event.decided.reason = (n == 59).then(|| "deletes everything".into());
            event.decided.enforcement = if n == 58 {
                Enforcement::Unenforced
            } else {
                Enforcement::Enforced
            };
            event.decided.duration = Duration::from_micros(300);
            event.decided.hooks = vec![HookFired {
                name: "guard".into(),
                scope: Some("built-in".into()),
                decision: event.decided.decision,
                duration: Duration::from_micros(120),
                failure: (n == 10).then(|| "panicked".into()),
                ..HookFired::default()
            }];
            committed(store, event);
        }
        let last = store.last_events(50).unwrap();
        assert_eq!(last.len(), 50);
        let newest = &last[0];
        assert_eq!(
            (newest.decided.event.as_str(), newest.decided.decision),
            ("PreToolUse", Decision::Deny)
        );
        assert_eq!(newest.decided.reason.as_deref(), Some("deletes everything"));
        assert_eq!(
            (newest.decided.time, newest.decided.duration),
            (at(59), Duration::from_micros(300))
        );
        assert_eq!(newest.decided.hooks[0].scope.as_deref(), Some("built-in"));
        assert_eq!(newest.decided.hooks[0].decision, Decision::Deny);
        assert_eq!(last[1].decided.enforcement, Enforcement::Unenforced);

        let figures = store.hook_figures().unwrap();
        let [guard] = &figures[..] else {
            panic!("{figures:?}")
        };
        assert_eq!(
            (guard.name.as_str(), guard.fired, guard.failed),
            ("guard", 60, 1)
        );
        assert_eq!(
            (guard.last_fired, guard.last_decision),
            (at(59), Decision::Deny)
        );
        assert_eq!(guard.last_failure, Some((at(10), "panicked".to_owned())));
        let figure = Duration::from_micros(120);
        assert_eq!((guard.p50, guard.p99), (figure, figure));
    });
}

#[test]
fn what_is_forgotten_is_gone_and_the_rest_stays() {
    with_each(|store| {
        let fill = || {
            for (session, project, ms) in [("s", "/p", 0), ("t", "/q", 1_000), ("u", "/q", 2_000)] {
                let mut begin = start(session, &format!("{session}-{ms}"), "Bash", ms);
                begin.decided.project = Some(project.into());
                begin.changes.insert(
                    0,
                    Change::PromptGiven {
                        text: Some("words".into()),
                    },
                );
                submit(store, begin);
            }
        };
        fill();
        let left = || {
            let sessions = store.sessions(&SessionFilter::default()).unwrap();
            let names: Vec<String> = sessions.into_iter().map(|it| it.newest.session).collect();
            let traces = store.find_traces(&TraceFilter::default()).unwrap();
            let triggers = store.last_events(50).unwrap();
            assert_eq!(traces.len(), names.len());
            assert_eq!(triggers.len(), names.len());
            names.join(" ")
        };
        assert_eq!(left(), "u t s");
        let forgotten = store.forget(Forget::Session("t")).unwrap();
        assert_eq!(
            (forgotten.events, forgotten.traces, forgotten.sessions),
            (1, 1, 1)
        );
        assert_eq!(left(), "u s");
        store.forget(Forget::Session("unknown")).unwrap();
        store.forget(Forget::Before(at(1_000))).unwrap();
        assert_eq!(left(), "u");
        store.forget(Forget::Project("/p")).unwrap();
        assert_eq!(left(), "u");
        store.forget(Forget::Project("/q")).unwrap();
        assert_eq!(left(), "");
        fill();
        assert_eq!(left(), "u t s", "what is forgotten may come anew");
        store.forget(Forget::All).unwrap();
        assert_eq!(left(), "");
        assert!(store.hook_figures().unwrap().is_empty());
    });
}

#[test]
fn it_can_be_checked_copied_compacted_and_measured() {
    with_each(|store| {
        for n in 0..200 {
            committed(store, start("s", &n.to_string(), "Bash", n));
        }
        assert_eq!(store.integrity_check().unwrap(), Integrity::Sound);
        let size = store.size().unwrap();
        assert!(
            size.in_use > 50_000 && size.on_disk >= size.in_use,
            "{size:?}"
        );
        assert_eq!((size.spooled, size.spooled_records), (0, 0));

        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("copy.db");
        store.backup(&copy).unwrap();
        assert!(store.backup(&copy).is_err(), "a copy never replaces a file");
        assert!(std::fs::metadata(&copy).unwrap().len() > 50_000);

        store.forget(Forget::All).unwrap();
        store.compact().unwrap();
        assert!(store.size().unwrap().on_disk < size.on_disk);
        assert!(store.gaps().unwrap().is_empty());
        committed(store, start("s", "again", "Bash", 1));
    });
}

#[test]
fn what_was_answered_is_found_by_whoever_reads_next() {
    with_each(|store| {
        for n in 0..20 {
            let mut event = record("PreToolUse", "s", n);
            event.decided.hooks = vec![HookFired {
                name: "guard".into(),
                scope: None,
                decision: event.decided.decision,
                duration: Duration::ZERO,
                failure: None,
                ..HookFired::default()
            }];
            let (tell, told) = std::sync::mpsc::channel();
            store.submit_noted(vec![bowline_store::Submission::new(
                event,
                Box::new(move |_| tell.send(()).unwrap()),
            )]);
            told.recv_timeout(Duration::from_secs(60)).unwrap();
            let answered = u64::try_from(n).unwrap() + 1;
            assert_eq!(store.hook_figures().unwrap()[0].fired, answered);
            assert_eq!(store.last_events(100).unwrap().len() as u64, answered);
            // The next one finds a writer that sleeps again.
            std::thread::sleep(Duration::from_millis(2));
        }
    });
}

#[test]
fn a_digest_counts_what_was_decided_answered_failed_and_slow() {
    with_each(|store| {
        let asked = |id: &str, ms: i64| {
            let mut record = start("s", id, "Bash", ms);
            record.decided.decision = Decision::Ask;
            record.decided.rule = Some("git.push".into());
            let Change::TraceStarted(trace) = &mut record.changes[0] else {
                panic!()
            };
            trace.asked = Some("push?".into());
            trace.input = Some(json!({"command": format!("git push {id}")}));
            record
        };
        committed(store, asked("old", 0));
        for (id, ms) in [("ran", 1_000), ("failed", 1_100), ("refused", 1_200)] {
            committed(store, asked(id, ms));
        }
        committed(
            store,
            end("s", "ran", "Bash", TraceStatus::Completed, 3_000),
        );
        let mut failed = end("s", "failed", "Bash", TraceStatus::Failed, 1_200);
        failed.decided.hooks = vec![HookFired {
            name: "lint".into(),
            failure: Some("exit code 1".into()),
            ..HookFired::default()
        }];
        committed(store, failed);
        // The person goes on without an answer.
        let prompt = Change::PromptGiven { text: None };
        committed(store, with(record("UserPromptSubmit", "s", 4_000), prompt));
        committed(store, asked("open", 5_000));
        // What a person answered in the inbox was asked, too. A hook of that name in somebody's file is none.
        for (decision, scope) in [
            (Decision::Grant, None),
            (Decision::Deny, None),
            (Decision::Deny, Some("global")),
        ] {
            let mut record = record("PreToolUse", "s", 5_500);
            record.decided.decision = decision;
            record.decided.rule = Some("git.pull".into());
            record.decided.hooks = vec![HookFired {
                name: bowline_store::INBOX.into(),
                scope: scope.map(Into::into),
                decision,
                ..HookFired::default()
            }];
            committed(store, record);
        }
        for (decision, enforcement) in [
            (Decision::Deny, Enforcement::Enforced),
            (Decision::Deny, Enforcement::Enforced),
            (Decision::Deny, Enforcement::Observed),
        ] {
            let mut record = record("PreToolUse", "t", 6_000);
            record.decided.decision = decision;
            record.decided.enforcement = enforcement;
            record.decided.rule = Some("files.delete".into());
            record.decided.project = Some("/elsewhere".into());
            committed(store, record);
        }
        let since = |ms| bowline_store::DigestFilter {
            since: Some(at(ms)),
            project: None,
        };

        let digest = store.digest(&since(500)).unwrap();
        assert_eq!(store.decided(&since(500)).unwrap(), digest.decided);
        assert_eq!((digest.events, digest.sessions), (13, 2));
        let groups: Vec<_> = (digest.decided.iter())
            .map(|it| {
                (
                    it.rule.as_deref().unwrap(),
                    it.decision,
                    it.enforcement,
                    it.count,
                )
            })
            .collect();
        let deny = |enforcement, count| ("files.delete", Decision::Deny, enforcement, count);
        assert_eq!(
            groups,
            [
                ("git.push", Decision::Ask, Enforcement::Enforced, 4),
                deny(Enforcement::Enforced, 2),
                ("git.pull", Decision::Ask, Enforcement::Enforced, 2),
                deny(Enforcement::Observed, 1),
                ("git.pull", Decision::Deny, Enforcement::Enforced, 1),
            ]
        );
        let pull = &digest.decided[2].answers;
        assert_eq!((pull.ran, pull.refused, pull.unknown), (1, 1, 0));
        let push = &digest.decided[0];
        let answers = (push.answers.ran, push.answers.refused, push.answers.unknown);
        assert_eq!(answers, (2, 1, 1));
        assert_eq!(push.last.input, Some(json!({"command": "git push open"})));
        let status = |status| {
            digest
                .calls
                .iter()
                .find(|it| it.status == status)
                .unwrap()
                .count
        };
        assert_eq!(status(TraceStatus::Completed), 1);
        assert_eq!(status(TraceStatus::Started), 1);
        let [bash] = digest.failures.as_slice() else {
            panic!("{:?}", digest.failures)
        };
        assert_eq!((bash.tool.as_str(), bash.count), ("Bash", 1));
        assert_eq!(bash.last.tool_use_id, "failed");
        assert_eq!(ids(&digest.slowest), ["ran", "failed"]);
        let [lint] = digest.failed_hooks.as_slice() else {
            panic!("{:?}", digest.failed_hooks)
        };
        assert_eq!(
            (lint.hook.as_str(), lint.count, lint.last_failed),
            ("lint", 1, at(1_200))
        );

        let elsewhere = bowline_store::DigestFilter {
            since: None,
            project: Some("/elsewhere"),
        };
        let digest = store.digest(&elsewhere).unwrap();
        assert_eq!((digest.events, digest.sessions), (3, 1));
        assert!(digest.slowest.is_empty() && digest.calls.is_empty());
        let nowhere = bowline_store::DigestFilter {
            since: None,
            project: Some("/nowhere"),
        };
        assert_eq!(
            store.digest(&nowhere).unwrap(),
            bowline_store::Digest::default()
        );
        assert!(store.decided(&nowhere).unwrap().is_empty());
        assert_eq!(store.digest(&since(7_000)).unwrap().events, 0);
    });
}
