//! What a session leaves, and what the next one is told.

use bowline_continuity::action::{HandOver, MetadataPatch, Origin};
use bowline_continuity::fleet::AgentStatus;
use bowline_continuity::note::{Todo, TodoState};
use bowline_continuity::session::Dehydrated;
use bowline_store::{AgentSignal, SqliteStore};
use serde_json::json;

use super::*;

fn payload(summary: &str) -> Dehydrated {
    serde_json::from_value(json!({
        "summary": summary, "lastAction": "ran the tests", "nextSteps": ["fix them"], "requiredFiles": ["/a"], "mine": [1],
    }))
    .unwrap()
}

#[test]
fn f35_b_what_a_session_leaves_is_handed_over_exactly_and_once() {
    let folder = tempfile::tempdir().unwrap();
    let stores = [(); 2].map(|()| SqliteStore::open(patient(&folder)).unwrap());
    let store = stores[0].continuity();
    let effort = begin(store, who("none"), "login", "implement").effort.id;
    committed(&stores[0], joins("old", effort, 0));
    let steering = MetadataPatch {
        effort: Some(effort),
        keys: vec![
            ("dehydrating".into(), json!(true)),
            ("mine".into(), json!(1)),
        ],
    };
    store.patch_metadata(&steering).unwrap();

    let too_large = store.dehydrate(&who("old"), effort, &payload(&"x".repeat(70_000)), at(1));
    assert_eq!(code(too_large), Code::CommandError);
    let before = store.effort(effort).unwrap().unwrap();
    assert!(
        before.effort.metadata.dehydrating,
        "a refusal changes nothing"
    );

    let left = store
        .dehydrate(&who("old"), effort, &payload("half done"), at(1))
        .unwrap();
    assert_eq!(left.dehydrated, Some(payload("half done")));
    let metadata = store.effort(effort).unwrap().unwrap().effort.metadata;
    assert_eq!(serde_json::to_value(metadata).unwrap(), json!({"mine": 1}));

    let calls: Vec<String> = (0..8).map(|n| format!("call-{n}")).collect();
    let got: Vec<(usize, HandOver)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (calls.iter().enumerate())
            .map(|(n, call)| {
                let store = &stores[n % 2];
                let ask = move || store.continuity().hand_over(&who("new"), call).unwrap();
                (n, scope.spawn(ask))
            })
            .collect();
        let answers = threads.into_iter().map(|(n, it)| (n, it.join().unwrap()));
        answers.collect()
    });
    let winners: Vec<usize> = (got.iter())
        .filter(|(_, told)| told.dehydrated.is_some())
        .map(|(n, _)| *n)
        .collect();
    let [winner] = winners[..] else {
        panic!("{winners:?}")
    };
    for (n, call) in calls.iter().enumerate() {
        for store in &stores {
            let again = store.continuity().hand_over(&who("new"), call).unwrap();
            let expected = (n == winner).then(|| payload("half done"));
            assert_eq!(again.dehydrated, expected, "{call}");
            assert_eq!(again.effort.unwrap().id, effort);
        }
    }
}

#[test]
fn what_is_left_anew_goes_to_the_next_and_what_was_got_stays() {
    let (_folder, store) = open();
    let effort = begin(store.continuity(), who("none"), "login", "implement")
        .effort
        .id;
    let leave = |session: &str, summary: &str| {
        let store = store.continuity();
        store
            .dehydrate(&who(session), effort, &payload(summary), at(1))
            .unwrap();
    };
    let get = |call: &str| {
        let told = store.continuity().hand_over(&who("new"), call).unwrap();
        told.dehydrated.map(|it| it.summary)
    };
    for (ms, session) in [(0, "a"), (1, "b")] {
        committed(&store, joins(session, effort, ms));
    }
    leave("a", "one");
    leave("b", "two");
    assert_eq!(
        get("1").as_deref(),
        Some("two"),
        "of the newest session first"
    );
    assert_eq!(get("2").as_deref(), Some("one"));
    assert_eq!(get("3"), None);
    leave("b", "three");
    assert_eq!(
        get("2").as_deref(),
        Some("one"),
        "a call gets the same again"
    );
    assert_eq!(get("3").as_deref(), Some("three"));
    let sub = Who {
        subagent: Some("sub".into()),
        ..who("b")
    };
    leave("a", "four");
    let told = store.continuity().hand_over(&sub, "4").unwrap();
    assert_eq!(
        told.dehydrated, None,
        "a sub-agent is told by the one that it works for"
    );
    store.continuity().finish_effort(effort, at(2)).unwrap();
    assert_eq!(get("5"), None, "the effort is over");
}

#[test]
fn f35_b_a_session_that_takes_up_an_effort_gets_what_was_left_once() {
    let (_folder, store) = open();
    let effort = begin(store.continuity(), who("none"), "login", "implement")
        .effort
        .id;
    for (ms, session) in [(0, "old"), (1, "running")] {
        committed(&store, joins(session, effort, ms));
    }
    let leave = |summary: &str| {
        let store = store.continuity();
        store
            .dehydrate(&who("old"), effort, &payload(summary), at(2))
            .unwrap();
    };
    let resume = |who: &Who| {
        let store = store.continuity();
        let begun = store.resume_effort(who, Some(effort), None, at(3)).unwrap();
        begun.left.map(|left| left.summary)
    };
    let person = Who {
        folder: PROJECT.into(),
        ..Who::default()
    };
    let sub = Who {
        subagent: Some("sub".into()),
        ..who("running")
    };
    leave("one");
    assert_eq!(resume(&person), None, "a person leaves it to the agent");
    assert_eq!(resume(&who("old")), None, "nobody leaves it to itself");
    assert_eq!(resume(&sub), None, "a sub-agent is told by its agent");
    assert_eq!(resume(&who("running")).as_deref(), Some("one"));
    assert_eq!(resume(&who("running")), None);
    let told = store.continuity().hand_over(&who("new"), "call").unwrap();
    assert_eq!(told.dehydrated, None, "it was delivered");
    leave("two");
    let again = begin(store.continuity(), who("running"), "login", "implement");
    assert_eq!(again.left.unwrap().summary, "two");
}

#[test]
fn a_session_that_nobody_named_leaves_for_the_newest() {
    let (_folder, store) = open();
    let effort = begin(store.continuity(), who("none"), "login", "implement")
        .effort
        .id;
    let anybody = Who {
        folder: PROJECT.into(),
        ..Who::default()
    };
    let leave = || {
        store
            .continuity()
            .dehydrate(&anybody, effort, &payload("x"), at(1))
    };
    assert_eq!(code(leave()), Code::NotFound);
    committed(&store, joins("a", effort, 0));
    committed(&store, joins("b", effort, 1));
    assert_eq!(leave().unwrap().session, state(&store, "b").session);
}

#[test]
fn a_session_that_leaves_something_for_another_effort_stays_in_its_own() {
    let (_folder, store) = open();
    committed(&store, record("SessionStart", "s", 0));
    let own = begin(store.continuity(), who("s"), "one", "implement")
        .effort
        .id;
    let other = begin(
        store.continuity(),
        Who {
            folder: PROJECT.into(),
            ..Who::default()
        },
        "two",
        "implement",
    );
    let leave = || {
        let payload = payload("x");
        store
            .continuity()
            .dehydrate(&who("s"), other.effort.id, &payload, at(1))
    };
    assert_eq!(code(leave()), Code::NotFound);
    committed(&store, joins("other", other.effort.id, 1));
    assert_eq!(leave().unwrap().session, state(&store, "other").session);
    assert_eq!(state(&store, "s").effort, own);
}

/// A session with something to hand over, in a folder.
fn works(store: &dyn Store, session: &str, folder: Option<&str>, ms: i64) {
    let mut record = record("UserPromptSubmit", session, ms);
    let signal = AgentSignal {
        folder: folder.map(str::to_owned),
        ..AgentSignal::new(AgentStatus::Working)
    };
    record.changes = vec![
        Change::PromptGiven {
            text: Some(format!("prompt of {session}")),
        },
        Change::AgentStatus(signal),
        Change::Todos {
            todos: vec![Todo {
                id: None,
                text: format!("to-do of {session}"),
                state: TodoState::Pending,
            }],
        },
        Change::FilesEdited {
            files: vec!["/first".into(), format!("/{session}")],
        },
    ];
    committed(store, record);
}

#[test]
fn the_last_prompt_the_to_dos_and_the_edited_files_are_handed_over() {
    let (_folder, store) = open();
    works(&store, "older", Some("/worktree"), 0);
    works(&store, "newer", None, 2_000);
    // Nothing was done in the newest.
    committed(&store, record("SessionStart", "newest", 4_000));
    let told = |who: &Who| {
        let told = store.continuity().hand_over(who, "call").unwrap();
        let is_own =
            told.last_prompt == Some(format!("prompt of {}", who.session.as_ref().unwrap()));
        let from = if is_own {
            Origin::Same
        } else {
            Origin::Earlier
        };
        assert_eq!(told.from, from, "{who:?}");
        (told.last_prompt, told.todos, told.edited_files)
    };
    let of = |session: &str| {
        let todo = Todo {
            id: None,
            text: format!("to-do of {session}"),
            state: TodoState::Pending,
        };
        (
            Some(format!("prompt of {session}")),
            vec![todo],
            vec![format!("/{session}"), "/first".to_owned()],
        )
    };
    store.flush().unwrap();
    assert_eq!(told(&who("new")), of("newer"));
    let in_worktree = Who {
        folder: "/worktree".into(),
        project: Some(PROJECT.into()),
        ..who("new")
    };
    assert_eq!(
        told(&in_worktree),
        of("older"),
        "the same folder is preferred"
    );
    assert_eq!(told(&who("older")), of("older"), "its own");
    let elsewhere = Who {
        folder: "/elsewhere".into(),
        ..who("new")
    };
    assert_eq!(told(&elsewhere), (None, vec![], vec![]));

    // A sub-agent's list is its own; what it edits is the session's.
    let mut sub = by(record("PostToolUse", "newer", 5_000), "sub", "Explore");
    sub.changes = vec![
        Change::Todos { todos: Vec::new() },
        Change::FilesEdited {
            files: vec!["/first".into()],
        },
    ];
    committed(&store, sub);
    let (prompt, todos, _) = of("newer");
    let files = vec!["/first".to_owned(), "/newer".to_owned()];
    assert_eq!(told(&who("newer")), (prompt, todos, files));
}

#[test]
fn the_last_fifty_edited_files_are_remembered() {
    let (_folder, store) = open();
    for n in 0..60 {
        let files = vec![format!("/{n}")];
        committed(
            &store,
            with(record("PostToolUse", "s", n), Change::FilesEdited { files }),
        );
    }
    let told = store.continuity().hand_over(&who("s"), "call").unwrap();
    let expected: Vec<String> = (10..60).rev().map(|n| format!("/{n}")).collect();
    assert_eq!(told.edited_files, expected);
}

#[test]
fn notes_are_handed_over_with_and_without_an_effort() {
    let (_folder, store) = open();
    let store = store.continuity();
    let add = |effort, text| {
        store
            .add_note(&who("s"), PROJECT, effort, text, at(0))
            .unwrap()
    };
    let of_project = add(None, "never push");
    let texts = || store.hand_over(&who("s"), "call").unwrap().notes;
    assert_eq!(texts(), std::slice::from_ref(&of_project));
    let effort = begin(store, who("s"), "login", "implement").effort.id;
    let of_effort = add(Some(effort), "use the old parser");
    assert_eq!(texts(), [of_project, of_effort]);
}
