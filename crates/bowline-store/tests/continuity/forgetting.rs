//! What is forgotten, and what is not because of its age alone.

use std::fs;
use std::path::Path;

use bowline_continuity::action::PhaseRequest;
use bowline_continuity::fleet::AgentStatus;
use bowline_continuity::lease::{LeaseAnswer, LeaseRequest};
use bowline_continuity::message::Message;
use bowline_continuity::note::{Todo, TodoState};
use bowline_continuity::session::Dehydrated;
use bowline_continuity::skill::Skill;
use bowline_continuity::task::Task;
use bowline_store::{AgentSignal, Forget};
use chrono::TimeDelta;
use rusqlite::Connection;

use super::*;

/// Every row of continuity of one project and session, with a needle in every text.
fn fill(store: &dyn Store, needle: &str) -> EffortId {
    let session = format!("{needle}-session");
    let project = format!("/{needle}/project");
    let who = Who {
        folder: project.clone(),
        project: Some(project.clone()),
        agent_id: Some(format!("{needle}-agent")),
        session: Some(session.clone()),
        subagent: None,
    };
    let mut begins = record("SessionStart", &session, 0);
    begins.decided.project = Some(project.clone());
    committed(store, begins);
    let kept = store.continuity();
    let task = Task {
        folder: format!("{project}/.tasks/t"),
        project: project.clone(),
        title: Some(format!("{needle} title")),
        description: Some(format!("{needle} description")),
        keywords: vec![format!("{needle} keyword")],
        created_at: at(0),
    };
    kept.new_task(&task).unwrap();
    let start = EffortStart {
        who: who.clone(),
        project: project.clone(),
        task: task.folder,
        skill: format!("{needle}-skill"),
        ..EffortStart::default()
    };
    let effort = kept.start_effort(&start, at(0)).unwrap().effort.id;
    let request = PhaseRequest {
        to: format!("{needle} phase"),
        proof: Some(format!("{needle} proof")),
        reason: None,
    };
    kept.change_phase(effort, &who, &request, at(0)).unwrap();
    kept.add_note(&who, &project, None, &format!("{needle} note"), at(0))
        .unwrap();
    kept.add_note(
        &who,
        &project,
        Some(effort),
        &format!("{needle} pin"),
        at(0),
    )
    .unwrap();
    let skill = Skill {
        name: format!("{needle}-skill"),
        ..Skill::default()
    };
    kept.keep_skill(&project, &skill, at(0)).unwrap();
    let message = || Message {
        role: "user".into(),
        content: format!("{needle} message"),
        tool: None,
    };
    let path = || vec![format!("/{needle}/file")];
    let mut event = record("PostToolUse", &session, 1);
    event.decided.project = Some(project);
    event.changes = vec![
        Change::AgentStatus(AgentSignal {
            id: who.agent_id.clone(),
            label: Some(format!("{needle} label")),
            ..AgentSignal::new(AgentStatus::Working)
        }),
        Change::Said(message()),
        Change::Todos {
            todos: vec![Todo {
                id: None,
                text: format!("{needle} to-do"),
                state: TodoState::Pending,
            }],
        },
        Change::FilesEdited { files: path() },
        Change::FilesLoaded { files: path() },
        Change::FilesPreloaded {
            files: path(),
            directives: path(),
            directories: path(),
        },
        Change::TranscriptRead {
            path: format!("/{needle}/transcript"),
            from: 0,
            offset: 9,
            messages: vec![message()],
        },
    ];
    committed(store, event);
    let payload = Dehydrated {
        summary: format!("{needle} summary"),
        ..Dehydrated::default()
    };
    kept.dehydrate(&who, effort, &payload, at(2)).unwrap();
    let request = LeaseRequest {
        paths: path(),
        session,
        agent_id: who.agent_id,
        folder: who.folder,
        doing: format!("{needle} doing"),
        at: at(2),
        expiry: TimeDelta::hours(1),
    };
    assert_eq!(kept.lease(&request).unwrap(), [LeaseAnswer::Taken]);
    effort
}

const TABLES: [&str; 12] = [
    "tasks",
    "efforts",
    "phase_history",
    "effort_sessions",
    "transcripts",
    "messages",
    "agents",
    "notes",
    "todos",
    "edited_files",
    "skills",
    "leases",
];

/// The tables of continuity that have rows.
fn filled(path: &Path) -> Vec<&'static str> {
    let db = Connection::open(path).unwrap();
    let rows = |table: &&str| -> i64 {
        db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
            row.get(0)
        })
        .unwrap()
    };
    TABLES.into_iter().filter(|table| rows(table) > 0).collect()
}

/// Whether a text is anywhere in the store's files.
fn is_found(folder: &Path, needle: &str) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return is_found(&path, needle);
        }
        let bytes = fs::read(&path).unwrap();
        bytes
            .windows(needle.len())
            .any(|it| it == needle.as_bytes())
    })
}

#[test]
fn a_project_is_forgotten_with_everything_of_it() {
    let (folder, store) = open();
    fill(&store, "NEEDLE");
    let kept = fill(&store, "KEPT");
    assert_eq!(filled(store.path()), TABLES, "the test fills every table");
    store.forget(Forget::Project("/NEEDLE/project")).unwrap();
    assert!(!is_found(folder.path(), "NEEDLE"));
    assert!(store.continuity().effort(kept).unwrap().is_some());
    assert_eq!(filled(store.path()), TABLES, "another project's stays");
}

#[test]
fn a_session_is_forgotten_and_the_effort_of_the_project_stays() {
    let (folder, store) = open();
    let effort = fill(&store, "NEEDLE");
    store.forget(Forget::Session("NEEDLE-session")).unwrap();
    for text in [
        "NEEDLE message",
        "NEEDLE to-do",
        "NEEDLE summary",
        "NEEDLE note",
        "NEEDLE label",
        "NEEDLE/transcript",
        "NEEDLE doing",
    ] {
        assert!(!is_found(folder.path(), text), "{text}");
    }
    let details = store.continuity().effort(effort).unwrap().unwrap();
    assert_eq!(details.sessions, []);
    assert_eq!(
        filled(store.path()),
        ["tasks", "efforts", "phase_history", "skills"]
    );
}

#[test]
fn everything_is_forgotten() {
    let (folder, store) = open();
    fill(&store, "NEEDLE");
    store.forget(Forget::All).unwrap();
    assert!(!is_found(folder.path(), "NEEDLE"));
    assert_eq!(filled(store.path()), Vec::<&str>::new());
    let effort = fill(&store, "AGAIN");
    assert!(store.continuity().effort(effort).unwrap().is_some());
}

#[test]
fn tasks_active_efforts_and_their_notes_do_not_go_because_of_their_age() {
    let (_folder, store) = open();
    let active = fill(&store, "ACTIVE");
    let finished = fill(&store, "FINISHED");
    store.continuity().finish_effort(finished, at(3)).unwrap();
    store.flush().unwrap();
    store.forget(Forget::Before(at(1_000_000))).unwrap();

    let details = store.continuity().effort(active).unwrap().unwrap();
    assert_eq!((details.history.len(), details.notes.len()), (1, 1));
    let [session] = &details.sessions[..] else {
        panic!("{details:?}")
    };
    assert!(
        session.dehydrated.is_some(),
        "the next one can still continue"
    );
    assert_eq!(store.continuity().effort(finished).unwrap(), None);
    let tasks = store.continuity().tasks(None, 10).unwrap();
    assert_eq!(tasks.len(), 2);
    let project = store.continuity().notes("/FINISHED/project", None).unwrap();
    assert_eq!(project.len(), 1, "pinned to the project");
    assert_eq!(
        store.continuity().messages("ACTIVE-session", 10).unwrap(),
        []
    );

    // The number of an effort that was removed is not used again.
    let start = EffortStart {
        project: "/FINISHED/project".into(),
        task: "/FINISHED/project/.tasks/t".into(),
        skill: "s".into(),
        ..EffortStart::default()
    };
    let next = store.continuity().start_effort(&start, at(4)).unwrap();
    assert_eq!(next.effort.ordinal, 2);
}
