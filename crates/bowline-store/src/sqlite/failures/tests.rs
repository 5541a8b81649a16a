use std::sync::Arc;

use super::super::Options;
use super::*;
use crate::record::{Change, Record};
use crate::store::{Forget, Store};
use crate::work_items::{WhichItems, Work};

fn open() -> (tempfile::TempDir, SqliteStore) {
    let folder = tempfile::tempdir().unwrap();
    let mut options = Options::new(folder.path().join("data"));
    options.deadline = std::time::Duration::from_secs(30);
    let store = SqliteStore::open(options).unwrap();
    (folder, store)
}

fn a_failure(signature: u64, beginning: u64) -> FailureRef {
    FailureRef {
        project: "/p".to_owned(),
        tool: "Bash".to_owned(),
        signature,
        beginning,
    }
}

fn record(id: &str, session: &str, change: Change) -> Record {
    let mut record = Record::new(id, Utc::now(), "claude-code", "PostToolUse", session);
    record.decided.project = Some("/p-worktree".to_owned());
    record.changes.push(change);
    record
}

fn submit(store: &dyn Store, record: Record) {
    store.submit(record, Box::new(|_| {}));
    store.flush().unwrap();
}

fn failed(id: &str, session: &str, failure: &FailureRef) -> Record {
    let call = FailedCall {
        failure: failure.clone(),
        message: Some(format!("boom in {session}")),
        follow_up_after: 3,
    };
    record(id, session, Change::Failed(call))
}

fn fail(store: &dyn Store, id: &str, session: &str, failure: &FailureRef) {
    submit(store, failed(id, session, failure));
}

fn all(store: &SqliteStore) -> Vec<Failure> {
    let filter = FailureFilter {
        limit: 100,
        ..FailureFilter::default()
    };
    Failures::list(store, &filter).unwrap()
}

#[test]
fn f27_b_the_third_time_opens_one_follow_up_and_the_fourth_none() {
    let (_folder, store) = open();
    let boom = a_failure(1, 10);
    let follow_up = |store: &SqliteStore| all(store)[0].follow_up;
    for (n, session) in ["s1", "s1", "s2", "s2", "s3"].iter().enumerate() {
        let record = failed(&format!("e{n}"), session, &boom);
        // A record that is handed over twice counts once.
        submit(&store, record.clone());
        submit(&store, record);
        assert_eq!(follow_up(&store).is_some(), n >= 2, "{n}");
    }
    let found = all(&store);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].count, found[0].sessions), (5, 3));
    assert_eq!(found[0].message.as_deref(), Some("boom in s3"));
    let since = follow_up(&store).unwrap().since;
    assert_eq!(store.times(found[0].id, 100).unwrap().len(), 5);
    store.close_follow_up(found[0].id, Utc::now()).unwrap();
    fail(&store, "e6", "s4", &boom);
    let closed = follow_up(&store).unwrap();
    assert_eq!(closed.status, FollowUpStatus::Done);
    assert!(closed.since >= since);
}

#[test]
fn f27_b_the_follow_up_is_a_work_item_and_ends_with_it() {
    let (_folder, store) = open();
    let items = || store.items("/p", WhichItems::All, 10).unwrap();
    for n in 0..4 {
        fail(&store, &format!("e{n}"), "s", &a_failure(1, 10));
        assert_eq!(items().len(), usize::from(n >= 2), "{n}");
    }
    let (failure, item) = (all(&store).remove(0), items().remove(0));
    assert_eq!(failure.follow_up.unwrap().work_item, Some(item.id));
    assert_eq!((item.kind, item.status), (WorkKind::Bug, WorkStatus::Todo));
    let command = format!("`bowline errors show {}`", failure.id);
    assert!(item.title.contains(&command), "{}", item.title);

    let to = |status| store.change_item("/p", None, item.id, status, Utc::now());
    let follow_up = || all(&store)[0].follow_up.unwrap().status;
    for (status, expected) in [
        (WorkStatus::InProgress, FollowUpStatus::Open),
        (WorkStatus::Done, FollowUpStatus::Done),
        (WorkStatus::Todo, FollowUpStatus::Open),
    ] {
        to(status).unwrap();
        assert_eq!(follow_up(), expected, "{status:?}");
    }
    store.close_follow_up(failure.id, Utc::now()).unwrap();
    assert_eq!(items()[0].status, WorkStatus::Done);
    assert_eq!(follow_up(), FollowUpStatus::Done);
    fail(&store, "again", "s", &a_failure(1, 10));
    assert_eq!(items().len(), 1, "it is never opened again");

    for n in 0..3 {
        fail(&store, &format!("o{n}"), "s", &a_failure(2, 20));
    }
    let other = all(&store)[0].id;
    store.forget_failure(other).unwrap();
    let left: Vec<i64> = items().iter().map(|item| item.id).collect();
    assert_eq!(left, [item.id], "what nobody began goes with its failure");
}

#[test]
fn f27_b_two_writers_at_once_open_one_follow_up() {
    let (folder, store) = open();
    let other = SqliteStore::open(Options::new(folder.path().join("data"))).unwrap();
    let stores: [Arc<SqliteStore>; 2] = [Arc::new(store), Arc::new(other)];
    std::thread::scope(|scope| {
        for (who, store) in stores.iter().enumerate() {
            scope.spawn(move || {
                for n in 0..10 {
                    fail(
                        &**store,
                        &format!("{who}-{n}"),
                        &format!("s{who}"),
                        &a_failure(7, 70),
                    );
                }
            });
        }
    });
    for store in &stores {
        store.flush().unwrap();
    }
    let found = all(&stores[0]);
    assert_eq!((found.len(), found[0].count, found[0].sessions), (1, 20, 2));
    assert_eq!(found[0].follow_up.unwrap().status, FollowUpStatus::Open);
}

#[test]
fn a_message_that_begins_alike_is_the_same_and_another_tool_is_not() {
    let (_folder, store) = open();
    fail(&store, "a", "s", &a_failure(1, 10));
    fail(&store, "b", "s", &a_failure(2, 10));
    fail(&store, "c", "s", &a_failure(1, 11));
    let other = FailureRef {
        tool: "Edit".to_owned(),
        ..a_failure(1, 10)
    };
    fail(&store, "d", "s", &other);
    let counts: Vec<u64> = all(&store).iter().map(|failure| failure.count).collect();
    assert_eq!(counts, [1, 3]);
    assert_eq!(store.known(&a_failure(2, 10)).unwrap().unwrap().count, 3);
    let elsewhere = FailureRef {
        project: "/q".to_owned(),
        ..a_failure(1, 10)
    };
    assert_eq!(store.known(&elsewhere).unwrap(), None);
}

#[test]
fn what_is_forgotten_of_failures_is_gone() {
    let (_folder, store) = open();
    let fixed = |failure: &FailureRef, by: &str| Change::FailureFixed {
        failure: failure.clone(),
        by: Some(by.to_owned()),
    };
    let (both, alone) = (a_failure(1, 1), a_failure(2, 2));
    fail(&store, "a", "s1", &both);
    fail(&store, "b", "s2", &both);
    fail(&store, "c", "s1", &alone);
    submit(&store, record("d", "s1", fixed(&both, "in s1")));
    submit(
        &store,
        record("e", "s2", fixed(&a_failure(9, 9), "nothing")),
    );
    assert_eq!(all(&store)[1].fixed_by.as_deref(), Some("in s1"));
    store.forget(Forget::Session("s1")).unwrap();
    let left = all(&store);
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].message.as_deref(), Some("boom in s2"));
    assert_eq!((left[0].fixed_by.as_deref(), left[0].sessions), (None, 1));
    assert_eq!(
        store.forget_failure(left[0].id).unwrap(),
        Some(left[0].clone())
    );
    assert_eq!(store.forget_failure(left[0].id).unwrap(), None);
    for what in [
        Forget::Project("/p"),
        Forget::Before(Utc::now() + chrono::TimeDelta::days(1)),
        Forget::All,
    ] {
        fail(&store, &format!("{what:?}"), "s1", &both);
        assert_eq!(all(&store).len(), 1);
        store.forget(what).unwrap();
        assert_eq!(all(&store), []);
    }
}
