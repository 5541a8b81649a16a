//! Sessions of efforts: what events do to them.

use bowline_continuity::message::Message;
use bowline_store::{
    DelegationEnd, DelegationStart, DelegationStatus, Outcome, SpoolMedium, SqliteStore, TraceStart,
};
use rusqlite::Connection;

use super::*;

fn subagent(session: &str) -> Who {
    Who {
        subagent: Some("sub".into()),
        ..who(session)
    }
}

fn counted(session: &str, ms: i64) -> Record {
    with(record("PreToolUse", session, ms), Change::HeartbeatCounted)
}

#[test]
fn sessions_of_an_effort_are_linked_and_count_for_themselves() {
    let (_folder, store) = open();
    let effort = begin(store.continuity(), who("none"), "login", "implement")
        .effort
        .id;
    committed(&store, joins("a", effort, 0));
    committed(&store, by(joins("a", effort, 1), "sub", "Explore"));
    committed(&store, joins("b", effort, 2));
    for record in [counted("a", 3), counted("a", 4), counted("b", 5)] {
        committed(&store, record);
    }
    committed(&store, by(counted("a", 6), "sub", "Explore"));
    committed(&store, joins("a", effort, 7));

    let sub = store.continuity().resolve(&subagent("a")).unwrap();
    let [a, b, sub] = [state(&store, "a"), state(&store, "b"), sub.session.unwrap()];
    assert_eq!([a.heartbeat, b.heartbeat, sub.heartbeat], [2, 1, 1]);
    assert_eq!(
        [a.previous, sub.previous, b.previous],
        [None, None, Some(a.session)],
        "sub-agents neither continue nor are continued"
    );
    let details = store.continuity().effort(effort).unwrap().unwrap();
    assert_eq!(details.sessions, [a, sub, b]);

    let of_subagent = || store.continuity().resolve(&subagent("a")).unwrap();
    let logged = store.continuity().logged(effort, &subagent("a"), at(8));
    logged.unwrap();
    assert_eq!(state(&store, "a").heartbeat, 2, "only the sub-agent's");
    assert_eq!(of_subagent().session.unwrap().heartbeat, 0);
    committed(&store, by(counted("a", 8), "sub", "Explore"));
    store.continuity().logged(effort, &who("a"), at(9)).unwrap();
    let after = of_subagent().session.unwrap().heartbeat;
    assert_eq!(after, 0, "it may have been the sub-agent who logged");
    assert_eq!(["a", "b"].map(|it| state(&store, it).heartbeat), [0, 1]);
    let anybody = Who {
        folder: PROJECT.into(),
        ..Who::default()
    };
    store.continuity().logged(effort, &anybody, at(9)).unwrap();
    assert_eq!(state(&store, "b").heartbeat, 0);
    store.continuity().finish_effort(effort, at(9)).unwrap();
    let late = store.continuity().logged(effort, &anybody, at(9));
    assert_eq!(code(late), Code::EffortFinished);
}

#[test]
fn an_effort_that_is_unknown_or_finished_is_not_joined() {
    let (_folder, store) = open();
    let effort = begin(store.continuity(), who("none"), "login", "implement")
        .effort
        .id;
    store.continuity().finish_effort(effort, at(0)).unwrap();
    for effort in [effort, EffortId(99)] {
        committed(&store, joins("s", effort, 1));
        committed(&store, counted("s", 2));
        let details = store.continuity().effort(effort).unwrap();
        assert!(details.is_none_or(|it| it.sessions.is_empty()));
    }
}

#[test]
fn a_session_that_turns_to_another_effort_begins_there_anew() {
    let (_folder, store) = open();
    let begin = |name: &str| {
        begin(store.continuity(), who("none"), name, "implement")
            .effort
            .id
    };
    let [one, two] = ["one", "two"].map(begin);
    committed(&store, joins("s", one, 0));
    committed(&store, counted("s", 1));
    committed(&store, joins("s", two, 2));
    let now = state(&store, "s");
    assert_eq!((now.effort, now.heartbeat), (two, 0));
    let left = store.continuity().effort(one).unwrap().unwrap();
    assert_eq!(left.sessions, []);
}

#[test]
fn f39_a_a_sub_agent_that_stops_ends_nothing_but_itself_and_leaves_what_it_read() {
    let (_folder, store) = open();
    let effort = begin(store.continuity(), who("none"), "login", "implement")
        .effort
        .id;
    let files = |files: &[&str]| Change::FilesLoaded {
        files: files.iter().map(|&file| file.to_owned()).collect(),
    };
    committed(&store, with(joins("s", effort, 0), files(&["/a"])));
    let mut call = record("PreToolUse", "s", 1);
    call.decided.tool = Some("Task".into());
    let id = bowline_store::CallKey::Id("t-1".into());
    call.changes = vec![
        Change::TraceStarted(TraceStart::new(id, "Task")),
        Change::DelegationStarted(DelegationStart {
            call: Some("t-1".into()),
            to: "Explore".into(),
            description: None,
        }),
    ];
    committed(&store, call);
    let begins = by(joins("s", effort, 2), "sub", "Explore");
    committed(&store, with(begins, Change::SubagentStarted));
    let reads = with(record("PostToolUse", "s", 3), files(&["/b", "/a"]));
    committed(&store, by(reads, "sub", "Explore"));
    let stops = Change::DelegationEnded(DelegationEnd {
        status: DelegationStatus::Completed,
        last_message: None,
    });
    committed(
        &store,
        by(
            with(record("SubagentStop", "s", 4), stops),
            "sub",
            "Explore",
        ),
    );
    assert_eq!(state(&store, "s").loaded_files, ["/a", "/b"]);
    let anybody = Who {
        folder: PROJECT.into(),
        ..Who::default()
    };
    let open = store
        .continuity()
        .resolve(&anybody)
        .unwrap()
        .session
        .unwrap();
    assert_eq!(open.session, state(&store, "s").session, "it is still open");
}

#[test]
fn files_are_remembered_once_and_in_bounds() {
    let (_folder, store) = open();
    let effort = begin(store.continuity(), who("none"), "login", "implement")
        .effort
        .id;
    committed(&store, joins("s", effort, 0));
    let preload = |files: &[&str], directives: &[&str], directories: &[&str]| {
        let owned = |list: &[&str]| list.iter().map(|&it| it.to_owned()).collect();
        Change::FilesPreloaded {
            files: owned(files),
            directives: owned(directives),
            directories: owned(directories),
        }
    };
    for change in [
        preload(&["/p/AGENTS.md"], &["/p/AGENTS.md"], &["/p"]),
        preload(
            &["/p/AGENTS.md", "/p/x"],
            &["/p/AGENTS.md"],
            &["/p", "/p/src"],
        ),
    ] {
        committed(&store, with(record("PostToolUse", "s", 1), change));
    }
    let effort = store.continuity().effort(effort).unwrap().unwrap().effort;
    assert_eq!(state(&store, "s").preloaded_files, ["/p/AGENTS.md", "/p/x"]);
    assert_eq!(effort.directives, ["/p/AGENTS.md"]);
    assert_eq!(effort.directories, ["/p", "/p/src"]);
    for n in 0..6 {
        let files = (0..100).map(|m| format!("/{n}/{m}")).collect();
        committed(
            &store,
            with(record("PostToolUse", "s", 2), Change::FilesLoaded { files }),
        );
    }
    let loaded = state(&store, "s").loaded_files;
    assert_eq!((loaded.len(), loaded[0].as_str()), (500, "/1/0"));
}

#[test]
fn f36_d_each_line_of_a_transcript_is_kept_once() {
    let (_folder, store) = open();
    let read = |session: &str, from, offset, content: &str| {
        let message = Message {
            role: "user".into(),
            content: content.into(),
            tool: None,
        };
        let change = Change::TranscriptRead {
            path: "/t.jsonl".into(),
            from,
            offset,
            messages: vec![message],
        };
        committed(&store, with(record("PostToolUse", session, 0), change));
    };
    read("s", 0, 10, "one");
    read("s", 0, 15, "one and half of two, read by another process");
    read("s", 10, 10, "nothing");
    read("s", 10, 20, "two");
    read("s", 30, 40, "after a part that nobody has read");
    read("s", 10, 20, "two again");
    // The next context window goes on in the same file.
    let restart = Change::SessionStarted {
        source: Some("compact".into()),
        model: None,
        previous: None,
    };
    committed(&store, with(record("SessionStart", "s", 0), restart));
    read("s", 20, 30, "three");
    let said = |limit| -> Vec<String> {
        let messages = store.continuity().messages("s", limit).unwrap();
        messages
            .into_iter()
            .map(|(_, message)| message.content)
            .collect()
    };
    assert_eq!(said(100), ["one", "two", "three"]);
    assert_eq!(said(2), ["two", "three"]);
    let position = |path| store.continuity().transcript_position(path).unwrap();
    assert_eq!((position("/t.jsonl"), position("/none")), (30, 0));
}

#[test]
fn f48_heartbeats_of_a_hundred_sessions_are_neither_mixed_nor_lost() {
    const SESSIONS: u32 = 100;
    let folder = tempfile::tempdir().unwrap();
    let stores = [(); 2].map(|()| SqliteStore::open(patient(&folder)).unwrap());
    let effort = begin(stores[0].continuity(), who("none"), "login", "implement")
        .effort
        .id;
    let name = |n: u32| format!("session-{n}");
    std::thread::scope(|scope| {
        for thread in 0..10_usize {
            let store = &stores[thread % 2];
            scope.spawn(move || {
                for n in (0..SESSIONS).filter(|n| *n as usize % 10 == thread) {
                    store.submit(joins(&name(n), effort, 0), Box::new(|_| ()));
                    for beat in 0..n {
                        store.submit(counted(&name(n), i64::from(beat)), Box::new(|_| ()));
                    }
                }
            });
        }
    });
    for store in &stores {
        store.flush().unwrap();
    }
    for n in 0..SESSIONS {
        assert_eq!(state(&stores[0], &name(n)).heartbeat, n);
    }
}

#[test]
fn heartbeats_that_waited_in_the_spool_are_counted_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = patient(&folder);
    options.deadline = std::time::Duration::from_millis(20);
    let store = SqliteStore::open(options).unwrap();
    let effort = begin(store.continuity(), who("none"), "login", "implement")
        .effort
        .id;
    let other = Connection::open(store.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(
        submit(&store, joins("s", effort, 0)),
        Outcome::Spooled(SpoolMedium::Data)
    );
    let twice = counted("s", 1);
    for record in [twice.clone(), counted("s", 2), twice] {
        assert_eq!(submit(&store, record), Outcome::Spooled(SpoolMedium::Data));
    }
    other.execute_batch("ROLLBACK").unwrap();
    // A change sees what waited before it.
    let seen = store.continuity().finish_effort(effort, at(9)).unwrap();
    assert_eq!(seen.id, effort);
    store.flush().unwrap();
    let details = store.continuity().effort(effort).unwrap().unwrap();
    assert_eq!(details.sessions[0].heartbeat, 2);
}
