//! Tasks and efforts: begun, changed, finished.

use bowline_continuity::action::{How, MetadataPatch, PhaseRequest};
use bowline_continuity::effort::{Injection, Lifecycle};
use bowline_continuity::skill::Skill;
use bowline_continuity::task::{Task, TaskState};
use bowline_store::SqliteStore;
use serde_json::{Value, json};

use super::*;

fn to(phase: &str) -> PhaseRequest {
    PhaseRequest {
        to: phase.to_owned(),
        ..PhaseRequest::default()
    }
}

#[test]
fn a_task_is_made_once_and_stays_as_it_is() {
    let (_folder, store) = open();
    let store = store.continuity();
    let mut task = Task {
        folder: task("login"),
        project: PROJECT.to_owned(),
        title: Some("Login".into()),
        description: None,
        keywords: vec!["auth".into()],
        created_at: at(0),
    };
    let made = store.new_task(&task).unwrap();
    assert_eq!((&made.task, made.state), (&task, TaskState::Dormant));
    task.title = Some("Other".into());
    assert_eq!(store.new_task(&task).unwrap(), made);

    begin(store, who("s"), "login", "implement");
    begin(store, who("s"), "later", "implement");
    let all = store.tasks(None, 10).unwrap();
    let of_project = store.tasks(Some(PROJECT), 10).unwrap();
    assert_eq!(all, of_project);
    assert_eq!(all.len(), 2);
    let login = store.task(&made.task.folder).unwrap().unwrap();
    assert_eq!((login.state, login.efforts.len()), (TaskState::Active, 1));
    assert_eq!(store.task("/none").unwrap(), None);
    assert_eq!(store.tasks(Some("/none"), 10).unwrap(), []);
}

#[test]
fn the_active_effort_of_a_task_and_skill_is_taken_up_again() {
    let (_folder, store) = open();
    let store = store.continuity();
    let first = begin(store, who("s"), "login", "implement");
    assert_eq!((first.how, first.effort.ordinal), (How::Started, 1));
    let again = begin(store, who("s"), "login", "implement");
    assert_eq!(
        (again.how, again.effort.id),
        (How::Resumed, first.effort.id)
    );
    let review = begin(store, who("s"), "login", "review");
    assert_eq!((review.how, review.effort.ordinal), (How::Started, 2));
    let elsewhere = begin(store, who("s"), "other", "review");
    assert_eq!(elsewhere.effort.ordinal, 1);

    let finished = store.finish_effort(first.effort.id, at(10)).unwrap();
    assert_eq!(finished.lifecycle, Lifecycle::Finished);
    assert_eq!(finished.finished_at, Some(at(10)));
    let twice = store.finish_effort(first.effort.id, at(20));
    assert_eq!(code(twice), Code::AlreadyFinished);
    let third = begin(store, who("s"), "login", "implement");
    assert_eq!((third.how, third.effort.ordinal), (How::Started, 3));

    let ordinals = |efforts: &[bowline_continuity::effort::Effort]| -> Vec<u32> {
        efforts.iter().map(|effort| effort.ordinal).collect()
    };
    let listed = store.efforts(Some(PROJECT), 10).unwrap();
    assert_eq!(ordinals(&listed), [3, 1, 2, 1], "the newest first");
    assert_eq!(store.efforts(None, 2).unwrap(), listed[..2]);
    let summary = store.task(&task("login")).unwrap().unwrap();
    assert_eq!(ordinals(&summary.efforts), [1, 2, 3], "the oldest first");
}

#[test]
fn an_effort_is_taken_up_by_its_number_its_task_or_its_place() {
    let (_folder, store) = open();
    let store = store.continuity();
    assert_eq!(
        code(store.resume_effort(&who("s"), None, None, at(0))),
        Code::NoActiveEffort
    );
    let login = begin(store, who("s"), "login", "implement").effort.id;
    let other = begin(store, who("s"), "other", "implement").effort.id;
    let resume = |effort, name: Option<&str>| {
        let task = name.map(task);
        store.resume_effort(&who("s"), effort, task.as_deref(), at(1))
    };
    for (effort, name, expected) in [
        (None, None, other),
        (Some(login), None, login),
        (None, None, login),
        (None, Some("other"), other),
        (None, Some("login"), login),
    ] {
        let begun = resume(effort, name).unwrap();
        assert_eq!((begun.effort.id, begun.how), (expected, How::Resumed));
    }
    store.finish_effort(login, at(2)).unwrap();
    for (effort, name, expected) in [
        (Some(login), None, Code::EffortFinished),
        (Some(EffortId(99)), None, Code::NotFound),
        (None, Some("login"), Code::NoActiveEffort),
        (None, Some("none"), Code::TaskNotFound),
    ] {
        assert_eq!(code(resume(effort, name)), expected);
    }
}

#[test]
fn f31_b_ordinals_are_without_gaps_whoever_begins() {
    const THREADS: u32 = 4;
    const EFFORTS: u32 = 8;
    let folder = tempfile::tempdir().unwrap();
    let stores = [(); 2].map(|()| SqliteStore::open(patient(&folder)).unwrap());
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            for (n, store) in stores.iter().enumerate() {
                scope.spawn(move || {
                    for effort in 0..EFFORTS {
                        let skill = format!("skill-{n}-{thread}-{effort}");
                        begin(store.continuity(), who("s"), "login", &skill);
                    }
                });
            }
        }
    });
    let summary = stores[0].continuity().task(&task("login")).unwrap();
    let mut ordinals: Vec<u32> = (summary.unwrap().efforts.iter())
        .map(|effort| effort.ordinal)
        .collect();
    ordinals.sort_unstable();
    let expected: Vec<u32> = (1..=2 * THREADS * EFFORTS).collect();
    assert_eq!(ordinals, expected);
}

#[test]
fn one_effort_is_begun_by_many_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let stores = [(); 2].map(|()| SqliteStore::open(patient(&folder)).unwrap());
    let begun: Vec<Begun> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|n| {
                let store = &stores[n % 2];
                scope.spawn(move || begin(store.continuity(), who("s"), "login", "implement"))
            })
            .collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    });
    let started = begun.iter().filter(|begun| begun.how == How::Started);
    assert_eq!(started.count(), 1, "{begun:?}");
    assert!(begun.iter().all(|it| it.effort.id == begun[0].effort.id));
}

#[test]
fn f37_a_phases_are_kept_with_their_proof_and_reset_the_heartbeats() {
    let (_folder, store) = open();
    let effort = begin(store.continuity(), who("s"), "login", "implement")
        .effort
        .id;
    for session in ["a", "b"] {
        committed(&store, joins(session, effort, 0));
        committed(
            &store,
            with(record("PreToolUse", session, 1), Change::HeartbeatCounted),
        );
    }
    let change = |request: &PhaseRequest| {
        let store = store.continuity();
        store.change_phase(effort, &who("a"), request, at(5))
    };
    let entered = change(&PhaseRequest {
        proof: Some("read it all".into()),
        ..to("1")
    });
    assert_eq!(entered.unwrap().phase.as_deref(), Some("1: Plan"));
    assert_eq!(["a", "b"].map(|it| state(&store, it).heartbeat), [0, 0]);

    let before = store.continuity().effort(effort).unwrap();
    assert_eq!(code(change(&to("3: Test"))), Code::PhaseNotSequential);
    assert_eq!(code(change(&to("7: Elsewhere"))), Code::UnknownPhase);
    assert_eq!(code(change(&to(&"x".repeat(600)))), Code::CommandError);
    let same = change(&to("1: Plan")).unwrap();
    assert_eq!(same.phase.as_deref(), Some("1: Plan"));
    assert_eq!(
        store.continuity().effort(effort).unwrap(),
        before,
        "a refusal and the same phase change nothing"
    );

    change(&PhaseRequest {
        reason: Some("nothing to build".into()),
        ..to("3")
    })
    .unwrap();
    let details = store.continuity().effort(effort).unwrap().unwrap();
    let history: Vec<_> = (details.history.iter())
        .map(|it| (it.phase.as_str(), it.proof.as_deref(), it.reason.as_deref()))
        .collect();
    assert_eq!(
        history,
        [
            ("1: Plan", Some("read it all"), None),
            ("3: Test", None, Some("nothing to build")),
        ]
    );
    store.continuity().finish_effort(effort, at(9)).unwrap();
    assert_eq!(code(change(&to("2"))), Code::EffortFinished);
}

#[test]
fn metadata_is_changed_key_by_key() {
    let (_folder, store) = open();
    let store = store.continuity();
    let effort = begin(store, who("s"), "login", "implement").effort.id;
    let patch = |keys: Value| {
        let keys = keys.as_object().unwrap().clone().into_iter().collect();
        store.patch_metadata(&MetadataPatch {
            effort: Some(effort),
            keys,
        })
    };
    patch(json!({"blockAfter": 3, "loading": true, "mine": {"a": 1}})).unwrap();
    let changed = patch(json!({"loading": null, "dehydrating": true})).unwrap();
    assert_eq!(
        serde_json::to_value(&changed.metadata).unwrap(),
        json!({"blockAfter": 3, "dehydrating": true, "mine": {"a": 1}})
    );
    for refused in [
        json!({"blockAfter": "many", "loading": true}),
        json!({"mine": "x".repeat(70_000), "loading": true}),
    ] {
        assert_eq!(code(patch(refused)), Code::CommandError);
    }
    let found = store.effort(effort).unwrap().unwrap();
    assert_eq!(found.effort, changed, "a refusal changes nothing");
    assert_eq!(
        code(store.patch_metadata(&MetadataPatch::default())),
        Code::NoActiveEffort
    );
}

#[test]
fn f36_a_injections_are_taken_once_and_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let stores = [(); 2].map(|()| SqliteStore::open(patient(&folder)).unwrap());
    let store = stores[0].continuity();
    let effort = begin(store, who("s"), "login", "implement").effort.id;
    let injections: Vec<Injection> = ["one", "two", "three"]
        .map(|content| Injection {
            rule_id: "r".into(),
            content: content.into(),
        })
        .to_vec();
    let patch = MetadataPatch {
        effort: Some(effort),
        keys: vec![
            ("pendingInjections".into(), json!(injections)),
            ("mine".into(), json!(1)),
        ],
    };
    store.patch_metadata(&patch).unwrap();
    let taken: Vec<Vec<Injection>> = std::thread::scope(|scope| {
        let threads = stores
            .each_ref()
            .map(|store| scope.spawn(|| store.continuity().take_injections(effort).unwrap()));
        threads.map(|it| it.join().unwrap()).to_vec()
    });
    assert_eq!(taken.concat(), injections, "one of them got all: {taken:?}");
    let left = store.effort(effort).unwrap().unwrap().effort.metadata;
    assert_eq!(serde_json::to_value(left).unwrap(), json!({"mine": 1}));
    assert_eq!(store.take_injections(EffortId(99)).unwrap(), []);
}

#[test]
fn notes_belong_to_a_project_or_an_effort() {
    let (_folder, store) = open();
    let store = store.continuity();
    let effort = begin(store, who("s"), "login", "implement").effort.id;
    let add = |effort, text: &str| store.add_note(&who("s"), PROJECT, effort, text, at(1));
    let of_effort = add(Some(effort), "use the old parser").unwrap();
    let of_project = add(None, "never push").unwrap();
    assert_eq!((of_project.at, of_project.effort), (at(1), None));
    assert_eq!(code(add(None, " ")), Code::CommandError);
    assert_eq!(code(add(Some(EffortId(99)), "x")), Code::NotFound);
    assert_eq!(
        store.notes(PROJECT, Some(effort)).unwrap(),
        [of_project.clone(), of_effort.clone()]
    );
    assert_eq!(
        store.notes(PROJECT, None).unwrap(),
        std::slice::from_ref(&of_project)
    );
    assert_eq!(store.notes("/none", None).unwrap(), []);
    let details = store.effort(effort).unwrap().unwrap();
    assert_eq!(details.notes, [of_effort]);

    assert_eq!(
        code(store.remove_note("/other", of_project.id)),
        Code::NotFound
    );
    assert_eq!(
        store.remove_note(PROJECT, of_project.id).unwrap(),
        of_project
    );
    assert_eq!(
        code(store.remove_note(PROJECT, of_project.id)),
        Code::NotFound
    );
    assert_eq!(store.notes(PROJECT, None).unwrap(), []);
}

#[test]
fn the_skills_of_a_project_are_kept_until_they_are_forgotten() {
    let (_folder, store) = open();
    let store = store.continuity();
    let skill = |name: &str, phase: &str| Skill {
        name: name.to_owned(),
        phases: vec![phase.to_owned()],
        ..Skill::default()
    };
    let (a, b) = (skill("a", "1: One"), skill("b", "1: One"));
    for skill in [&a, &b] {
        store.keep_skill(PROJECT, skill, at(0)).unwrap();
    }
    store.keep_skill("/other", &a, at(0)).unwrap();
    let newer = skill("b", "2: Two");
    store.keep_skill(PROJECT, &newer, at(1)).unwrap();
    assert_eq!(store.skill(PROJECT, "a").unwrap().as_ref(), Some(&a));
    assert_eq!(store.skill(PROJECT, "b").unwrap().as_ref(), Some(&newer));
    store.forget_skills(PROJECT).unwrap();
    assert_eq!(store.skill(PROJECT, "b").unwrap(), None);
    assert_eq!(store.skill("/other", "a").unwrap().as_ref(), Some(&a));
    assert_eq!(store.skill("/none", "a").unwrap(), None);
}

#[test]
fn whoever_keeps_a_copy_notices_changes() {
    let folder = tempfile::tempdir().unwrap();
    let [store, other] = [(); 2].map(|()| SqliteStore::open(patient(&folder)).unwrap());
    let effort = begin(store.continuity(), who("s"), "login", "implement")
        .effort
        .id;
    committed(&store, joins("s", effort, 0));
    let count = || store.continuity().foreign_writes();

    let before = count();
    committed(
        &store,
        with(record("PreToolUse", "s", 1), Change::HeartbeatCounted),
    );
    assert_eq!(store.continuity().take_injections(effort).unwrap(), []);
    store.continuity().resolve(&who("s")).unwrap();
    assert_eq!(
        count(),
        before,
        "nothing that the writer of a record does not know"
    );

    store.continuity().logged(effort, &who("s"), at(2)).unwrap();
    let after = count();
    assert!(after > before);

    other.continuity().finish_effort(effort, at(3)).unwrap();
    committed(&store, record("PreToolUse", "s", 4));
    assert!(count() > after, "the writer saw that another has written");
}
