//! Two sessions that write the same file are told of each other.

use bowline_continuity::fleet::AgentStatus;
use bowline_continuity::lease::{Holder, Lease, LeaseAnswer, LeaseRequest};
use bowline_store::{AgentSignal, GONE, Options, SqliteStore, Unfinished};
use chrono::TimeDelta;

use super::*;

const FILE: &str = "/home/user/project/a.rs";
const EXPIRY: i64 = 60_000;

fn wish(session: &str, ms: i64, paths: &[&str]) -> LeaseRequest {
    LeaseRequest {
        paths: paths.iter().map(|&path| path.to_owned()).collect(),
        session: session.to_owned(),
        agent_id: None,
        folder: PROJECT.to_owned(),
        doing: format!("Edit: {}", paths.join(" ")),
        at: at(ms),
        expiry: TimeDelta::milliseconds(EXPIRY),
    }
}

fn lease(store: &dyn Store, session: &str, ms: i64) -> LeaseAnswer {
    let mut answers = store
        .continuity()
        .lease(&wish(session, ms, &[FILE]))
        .unwrap();
    assert_eq!(answers.len(), 1);
    answers.remove(0)
}

/// The session that has the file, if another one may not write it.
fn holder(answer: &LeaseAnswer) -> Option<&str> {
    match answer {
        LeaseAnswer::Held { by, .. } => Some(&by.session),
        _ => None,
    }
}

fn begins(session: &str, ms: i64) -> Record {
    let change = Change::SessionStarted {
        source: Some("startup".into()),
        model: None,
        previous: None,
    };
    with(record("SessionStart", session, ms), change)
}

fn ends(session: &str, ms: i64, reason: &str) -> Record {
    let change = Change::SessionEnded {
        reason: Some(reason.to_owned()),
        unfinished: Unfinished::Cancelled,
    };
    with(record("SessionEnd", session, ms), change)
}

fn paths(store: &dyn Store) -> Vec<String> {
    let mut paths: Vec<String> = (store.continuity().leases(100).unwrap().into_iter())
        .map(|lease| lease.path)
        .collect();
    paths.sort();
    paths
}

#[test]
fn the_second_writer_is_told_who_has_the_file_and_what_it_is_doing() {
    let (_folder, store) = open();
    assert_eq!(lease(&store, "one", 0), LeaseAnswer::Taken);
    assert_eq!(lease(&store, "one", 10), LeaseAnswer::Renewed);
    let by = Holder {
        chain: "one".into(),
        session: "one".into(),
        label: "an agent".into(),
        folder: PROJECT.into(),
    };
    let held = LeaseAnswer::Held {
        by: by.clone(),
        since: at(0),
        until: at(10 + EXPIRY),
        doing: format!("Edit: {FILE}"),
    };
    assert_eq!(
        lease(&store, "two", 20),
        held,
        "nothing of them is recorded yet"
    );

    let effort = begin(store.continuity(), who("none"), "login", "implement").effort;
    committed(&store, joins("one", effort.id, 30));
    let signal = AgentSignal {
        id: Some("main:builder".into()),
        folder: Some("/worktree".into()),
        ..AgentSignal::new(AgentStatus::Working)
    };
    committed(
        &store,
        with(start("one", "t-1", "Bash", 40), Change::AgentStatus(signal)),
    );
    store.flush().unwrap();
    let LeaseAnswer::Held {
        by, until, doing, ..
    } = lease(&store, "two", 50)
    else {
        panic!("it is held")
    };
    assert_eq!(
        (by.label.as_str(), by.folder.as_str()),
        ("main:builder", "/worktree")
    );
    assert_eq!(doing, "task login; Bash");
    assert_eq!(
        until,
        at(40 + EXPIRY),
        "whoever does something keeps its files"
    );
    let [listed] = &store.continuity().leases(10).unwrap()[..] else {
        panic!("one lease")
    };
    let expected = Lease {
        path: FILE.into(),
        holder: by,
        taken_at: at(0),
        renewed_at: at(40),
        doing,
    };
    assert_eq!(*listed, expected);
}

#[test]
fn sub_agents_and_what_continues_a_session_share_its_leases() {
    let (_folder, store) = open();
    committed(&store, begins("one", 0));
    assert_eq!(lease(&store, "one", 1), LeaseAnswer::Taken);
    committed(
        &store,
        by(record("PreToolUse", "one", EXPIRY), "sub", "Explore"),
    );
    store.flush().unwrap();
    assert_eq!(
        holder(&lease(&store, "two", EXPIRY + 10)),
        Some("one"),
        "its sub-agent is active"
    );
    let change = Change::SessionStarted {
        source: Some("resume".into()),
        model: None,
        previous: Some("one".into()),
    };
    committed(
        &store,
        with(record("SessionStart", "next", EXPIRY + 20), change),
    );
    assert_eq!(lease(&store, "next", EXPIRY + 30), LeaseAnswer::Renewed);
    committed(&store, ends("next", EXPIRY + 40, "other"));
    assert_eq!(lease(&store, "two", EXPIRY + 50), LeaseAnswer::Taken);
}

#[test]
fn a_lease_ends_with_its_session_and_with_its_time() {
    for reason in ["prompt_input_exit", GONE] {
        let (_folder, store) = open();
        committed(&store, begins("one", 0));
        committed(&store, begins("two", 0));
        lease(&store, "one", 1);
        committed(&store, ends("two", 2, reason));
        assert_eq!(
            holder(&lease(&store, "two", 3)),
            Some("one"),
            "another's end"
        );
        committed(&store, ends("one", 4, reason));
        assert_eq!(paths(&store), Vec::<String>::new());
        assert_eq!(lease(&store, "two", 5), LeaseAnswer::Taken);
    }
    let (_folder, store) = open();
    lease(&store, "one", 0);
    assert_eq!(holder(&lease(&store, "two", EXPIRY - 1)), Some("one"));
    let over = lease(&store, "two", EXPIRY);
    assert!(matches!(over, LeaseAnswer::TakenOver { from } if from.session == "one"));
    assert_eq!(holder(&lease(&store, "one", EXPIRY + 1)), Some("two"));
}

#[test]
fn all_files_of_a_call_are_taken_or_none() {
    let (_folder, store) = open();
    lease(&store, "one", 0);
    let kept = store.continuity();
    let both = |session: &str| kept.lease(&wish(session, 1, &["/b", FILE])).unwrap();
    let answers = both("two");
    assert_eq!(answers[0], LeaseAnswer::Taken);
    assert_eq!(holder(&answers[1]), Some("one"));
    assert_eq!(paths(&store), [FILE], "the call is not made");
    assert_eq!(both("one"), [LeaseAnswer::Taken, LeaseAnswer::Renewed]);
    assert_eq!(paths(&store), ["/b", FILE]);
}

#[test]
fn a_person_ends_leases() {
    let (_folder, store) = open();
    lease(&store, "one", 0);
    let release = |path: &str| {
        store
            .continuity()
            .release_leases(&[path.to_owned()])
            .unwrap()
    };
    assert_eq!(release("/another"), []);
    assert_eq!(release(FILE)[0].holder.session, "one");
    assert_eq!(release(FILE), []);
    assert_eq!(lease(&store, "two", 1), LeaseAnswer::Taken);
}

#[test]
fn leases_whose_time_is_over_are_tidied_up_and_active_ones_stay() {
    let (_folder, store) = open();
    let kept = store.continuity();
    kept.lease(&wish("dead", 0, &["/dead"])).unwrap();
    kept.lease(&wish("busy", 0, &["/busy"])).unwrap();
    committed(&store, record("PreToolUse", "busy", EXPIRY));
    store.flush().unwrap();
    lease(&store, "two", EXPIRY + 10);
    assert_eq!(paths(&store), ["/busy", FILE]);
}

#[test]
fn two_processes_agree() {
    let (folder, store) = open();
    let data = folder.path().join("data");
    let path = store.path().parent().unwrap();
    assert_eq!(path, data);
    let other = SqliteStore::open(Options::new(data)).unwrap();
    assert_eq!(lease(&store, "one", 0), LeaseAnswer::Taken);
    assert_eq!(holder(&lease(&other, "two", 1)), Some("one"));
    assert_eq!(lease(&other, "one", 2), LeaseAnswer::Renewed);
    committed(&other, ends("one", 3, "other"));
    assert_eq!(lease(&store, "two", 4), LeaseAnswer::Taken);
}

#[test]
fn long_names_are_cut_and_long_paths_are_refused() {
    let (_folder, store) = open();
    let long = "ä".repeat(9_000);
    let mut request = wish(&long, 0, &[FILE]);
    request.agent_id = Some(long.clone());
    request.folder = long.clone();
    request.doing = long.clone();
    let kept = store.continuity();
    kept.lease(&request).unwrap();
    // The session's records have the same name.
    committed(&store, begins(&long, 1));
    assert_eq!(kept.lease(&request).unwrap(), [LeaseAnswer::Renewed]);
    let lease = kept.leases(1).unwrap().remove(0);
    let characters = format!("{lease:?}").chars().count();
    assert!(characters < 7_000, "{characters}");
    request.paths = vec![long];
    assert_eq!(code(kept.lease(&request)), Code::CommandError);
}
