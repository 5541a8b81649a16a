//! Who asks: the project, the effort and the session.

use bowline_continuity::action::Resolved;

use super::*;

fn found(store: &dyn Store, who: &Who) -> (Option<String>, Option<EffortId>, Option<i64>) {
    let Resolved {
        project,
        effort,
        session,
    } = store.continuity().resolve(who).unwrap();
    (
        project,
        effort.map(|effort| effort.id),
        session.map(|session| session.session),
    )
}

#[test]
fn f32_a_an_effort_is_found_by_the_agent_the_session_or_the_folder() {
    let (_folder, store) = open();
    let begin = |who: Who, name: &str| begin(store.continuity(), who, name, "implement").effort.id;
    committed(&store, record("SessionStart", "s", 0));
    let of_session = begin(who("s"), "one");
    let agent = |id: &str, session: &str| Who {
        agent_id: Some(id.to_owned()),
        ..who(session)
    };
    let of_agent = begin(agent("a-1", "unknown"), "two");
    let newest = begin(
        Who {
            folder: PROJECT.into(),
            ..Who::default()
        },
        "three",
    );
    let project = Some(PROJECT.to_owned());
    let row = state(&store, "s").session;

    let in_folder = |folder: &str| Who {
        folder: folder.to_owned(),
        ..Who::default()
    };
    let below = format!("{PROJECT}/src/deep");
    for (who, expected) in [
        (who("s"), (project.clone(), Some(of_session), Some(row))),
        (who("other"), (project.clone(), Some(newest), None)),
        (in_folder(PROJECT), (project.clone(), Some(newest), None)),
        (in_folder(&below), (project.clone(), Some(newest), None)),
        (
            agent("a-1", "other"),
            (project.clone(), Some(of_agent), None),
        ),
        (agent("a-1", "s"), (project.clone(), Some(of_agent), None)),
        (
            agent("a-2", "s"),
            (project.clone(), Some(of_session), Some(row)),
        ),
        (in_folder("/home/user/projects"), (None, None, None)),
        (in_folder("/home/user"), (None, None, None)),
        (in_folder(""), (None, None, None)),
        (
            Who {
                project: project.clone(),
                ..in_folder("/tmp/worktree")
            },
            (project.clone(), Some(newest), None),
        ),
        (
            Who {
                session: Some("s".into()),
                ..in_folder("/elsewhere")
            },
            (None, Some(of_session), Some(row)),
        ),
    ] {
        assert_eq!(found(&store, &who), expected, "{who:?}");
    }

    for effort in [of_session, of_agent, newest] {
        store.continuity().finish_effort(effort, at(1)).unwrap();
    }
    for who in [who("s"), agent("a-1", "s"), in_folder(PROJECT)] {
        assert_eq!(
            found(&store, &who),
            (project.clone(), None, None),
            "{who:?}"
        );
    }
}

#[test]
fn the_effort_that_was_taken_up_last_is_meant_where_nobody_says_which() {
    let (_folder, store) = open();
    let store: &dyn Store = &store;
    let anybody = Who {
        folder: PROJECT.into(),
        ..Who::default()
    };
    let current = || found(store, &anybody).1;
    let begin = |who: Who, name: &str| begin(store.continuity(), who, name, "implement").effort.id;
    let resume = |who: &Who, name: &str| {
        let folder = task(name);
        let resumed = store
            .continuity()
            .resume_effort(who, None, Some(&folder), at(0));
        resumed.unwrap().effort.id
    };
    committed(store, record("SessionStart", "s", 0));
    let one = begin(who("s"), "one");
    let two = begin(anybody.clone(), "two");
    assert_eq!(current(), Some(two));
    // All of this happens in the same millisecond.
    assert_eq!(resume(&anybody, "one"), one);
    assert_eq!(current(), Some(one));
    assert_eq!(begin(anybody.clone(), "two"), two);
    assert_eq!(current(), Some(two));
    assert_eq!(
        found(store, &who("s")).1,
        Some(one),
        "a session stays in its effort"
    );

    let elsewhere = EffortStart {
        project: "/elsewhere".to_owned(),
        ..effort_start(anybody.clone(), "three", "implement")
    };
    store.continuity().start_effort(&elsewhere, at(9)).unwrap();
    assert_eq!(current(), Some(two), "another project has its own");

    // The clock was set back.
    let early = at(-1_000_000);
    let folder = task("one");
    let resumed = store
        .continuity()
        .resume_effort(&anybody, None, Some(&folder), early);
    assert_eq!(resumed.unwrap().effort.id, one);
    assert_eq!(current(), Some(one));

    store.continuity().finish_effort(one, at(1)).unwrap();
    assert_eq!(current(), Some(two), "a finished effort is never meant");
    store.continuity().finish_effort(two, at(1)).unwrap();
    assert_eq!(current(), None);
}

#[test]
fn the_nearest_project_counts() {
    let (_folder, store) = open();
    let inner = format!("{PROJECT}/inner");
    for project in [PROJECT, &inner] {
        let mut record = record("SessionStart", project, 0);
        record.decided.project = Some(project.to_owned());
        committed(&store, record);
    }
    for (folder, expected) in [
        (format!("{inner}/src"), &inner[..]),
        (inner.clone(), &inner),
        (format!("{PROJECT}/innermost"), PROJECT),
    ] {
        let who = Who {
            folder,
            ..Who::default()
        };
        assert_eq!(found(&store, &who).0.as_deref(), Some(expected));
    }
}

#[test]
fn without_a_session_the_newest_open_one_is_meant() {
    let (_folder, store) = open();
    let effort = begin(store.continuity(), who("s"), "one", "implement")
        .effort
        .id;
    for (n, session) in ["first", "second", "third"].into_iter().enumerate() {
        let ms = i64::try_from(n).unwrap();
        committed(&store, joins(session, effort, ms));
    }
    committed(&store, by(joins("second", effort, 5), "sub", "Explore"));
    let end = Change::SessionEnded {
        reason: None,
        unfinished: bowline_store::Unfinished::Cancelled,
    };
    committed(&store, with(record("SessionEnd", "third", 6), end));
    let anybody = Who {
        folder: PROJECT.into(),
        ..Who::default()
    };
    let second = state(&store, "second").session;
    assert_eq!(found(&store, &anybody).2, Some(second));
}

#[test]
fn the_next_context_window_keeps_the_effort_of_its_session() {
    let (_folder, store) = open();
    committed(&store, record("SessionStart", "s", 0));
    let effort = begin(store.continuity(), who("s"), "one", "implement")
        .effort
        .id;
    begin(
        store.continuity(),
        Who {
            folder: PROJECT.into(),
            ..Who::default()
        },
        "two",
        "implement",
    );
    let first = state(&store, "s").session;
    let restart = Change::SessionStarted {
        source: Some("compact".into()),
        model: None,
        previous: None,
    };
    committed(&store, with(record("SessionStart", "s", 1), restart));
    let project = Some(PROJECT.to_owned());
    assert_eq!(
        found(&store, &who("s")),
        (project, Some(effort), None),
        "its own effort, and no session of it yet"
    );
    committed(&store, joins("s", effort, 2));
    let second = state(&store, "s");
    assert!(second.session > first);
    assert_eq!(second.previous, Some(first));
}

#[test]
fn a_sub_agent_shares_the_effort_of_the_session_that_it_works_for() {
    let (_folder, store) = open();
    committed(&store, record("SessionStart", "s", 0));
    let effort = begin(store.continuity(), who("s"), "one", "implement")
        .effort
        .id;
    begin(
        store.continuity(),
        Who {
            folder: PROJECT.into(),
            ..Who::default()
        },
        "two",
        "implement",
    );
    let sub = Who {
        subagent: Some("sub".into()),
        ..who("s")
    };
    let project = Some(PROJECT.to_owned());
    assert_eq!(found(&store, &sub), (project.clone(), Some(effort), None));
    committed(&store, by(joins("s", effort, 1), "sub", "Explore"));
    let (_, shared, own) = found(&store, &sub);
    assert_eq!(shared, Some(effort));
    assert_ne!(own, Some(state(&store, "s").session));
    assert!(own.is_some());
}
