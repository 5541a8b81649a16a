//! Advice after failures, about prompts, about tools, and about calls that have nothing to do with an effort.

use bowline::hooks::{HookInput, Opinion};
use bowline_continuity::action::{EffortStart, Who};
use bowline_guidance::work::{NewItem, Priority, WorkKind, WorkStatus};
use chrono::Utc;
use serde_json::json;

use crate::stand::{Project, told};

async fn prompt(project: &Project, session: &str, text: &str) -> Opinion {
    project
        .trigger(HookInput::user_prompt_submit(session, text))
        .await
}

async fn read(project: &Project, session: &str, file: &str) -> Opinion {
    let input = json!({ "file_path": file });
    project.after(session, "Read", input, json!("text")).await
}

/// Begins an effort in which the session is.
pub(crate) async fn begin(project: &Project, session: &str, task: &str, skill: &str) {
    let folder = project.path().to_string_lossy().into_owned();
    project.trigger(HookInput::session_start(session)).await;
    let who = Who {
        folder: folder.clone(),
        project: Some(folder.clone()),
        session: Some(session.to_owned()),
        ..Who::default()
    };
    let start = EffortStart {
        who,
        task: format!("{folder}/.tasks/{task}"),
        project: folder,
        title: None,
        skill: skill.to_owned(),
        mode: None,
        phases: Vec::new(),
    };
    let store = project.store();
    store.continuity().start_effort(&start, Utc::now()).unwrap();
}

#[tokio::test]
async fn f26_b_a_failure_gets_suggestions_and_the_word_error_none() {
    let project = Project::new("[advice]\ndebugging = true\n");
    for (response, expected) in [
        (json!({ "stdout": "error: 3 errors in the log" }), ""),
        (json!("error"), ""),
        (
            json!({ "stderr": "make: command not found" }),
            "not installed",
        ),
        (
            json!({ "error": "No such file or directory" }),
            "not where it was looked for",
        ),
        (json!({ "success": false }), "one thing at a time"),
        (json!({ "stderr": "gcc: command not found" }), ""),
    ] {
        let input = json!({ "command": "make" });
        let said = project.after("s1", "Bash", input, response.clone()).await;
        assert_eq!(
            told(&said).is_empty(),
            expected.is_empty(),
            "{response} {said:?}"
        );
        assert!(told(&said).contains(expected), "{response} {said:?}");
    }
    let off = Project::new("");
    let said = off
        .after("s1", "Bash", json!({}), json!({ "stderr": "x" }))
        .await;
    assert_eq!(told(&said), "");
}

#[tokio::test]
async fn f29_a_prompts_get_advice_by_what_they_want() {
    let project = Project::new("[advice]\nintent = true\n");
    for (text, expected) in [
        ("implement the login feature", "This is new work"),
        ("continue", ""),
        (
            "The reports should all have warmer colours than they have today",
            "several files",
        ),
        ("List the files.", ""),
    ] {
        let said = prompt(&project, "s1", text).await;
        assert_eq!(
            told(&said).is_empty(),
            expected.is_empty(),
            "{text} {said:?}"
        );
        assert!(told(&said).contains(expected), "{text} {said:?}");
    }
    begin(&project, "s2", "login", "implement").await;
    for text in ["continue", "implement the login feature"] {
        let said = prompt(&project, "s2", text).await;
        assert!(!told(&said).contains("new work"), "{text} {said:?}");
    }
}

#[tokio::test]
async fn f29_b_calls_far_from_the_effort_are_said_and_three_lead_to_one_question() {
    let project = Project::new("[advice]\ndrift = true\n");
    let said = read(&project, "s0", "src/other.rs").await;
    assert_eq!(told(&said), "", "no effort");
    begin(&project, "s1", "login-form", "epic").await;
    let said = read(&project, "s1", "src/other.rs").await;
    assert_eq!(
        told(&said),
        "",
        "nothing had anything in common with it yet"
    );
    assert_eq!(told(&read(&project, "s1", "src/login.rs").await), "");
    for command in [
        "ls -la",
        "git status",
        "cargo test",
        "git commit -m 'Tests'",
    ] {
        let said = project.ran("s1", command).await;
        assert_eq!(told(&said), "", "{command} is a part of any work");
    }
    let first = read(&project, "s1", "src/billing.rs").await;
    assert!(
        told(&first).contains("little to do with login-form #1"),
        "{first:?}"
    );
    assert_eq!(told(&read(&project, "s1", "src/tax.rs").await), "");
    let third = read(&project, "s1", "src/vat.rs").await;
    for part in [
        "Read src/billing.rs; Read src/tax.rs; Read src/vat.rs",
        "Decide what they are",
    ] {
        assert!(told(&third).contains(part), "{third:?}");
    }
    for file in ["src/a.rs", "src/b.rs", "src/c.rs"] {
        assert_eq!(
            told(&read(&project, "s1", file).await),
            "",
            "within ten minutes"
        );
    }
}

#[tokio::test]
async fn f29_b_calls_are_scored_against_the_work_item_before_the_effort() {
    let project = Project::new("[advice]\ndrift = true\n");
    begin(&project, "s1", "login-form", "epic").await;
    let item = NewItem {
        title: "Round the taxes".to_owned(),
        kind: WorkKind::Chore,
        priority: Priority::Medium,
        status: WorkStatus::InProgress,
    };
    let folder = project.path().to_string_lossy().into_owned();
    let work = project.store().work();
    let item = work.add_item(&folder, None, &item, Utc::now()).unwrap();
    assert_eq!(told(&read(&project, "s1", "src/taxes.rs").await), "");
    let far = read(&project, "s1", "src/login.rs").await;
    let name = format!("little to do with work item {} (Round the taxes)", item.id);
    assert!(told(&far).contains(&name), "{far:?}");
    work.change_item(&folder, None, item.id, WorkStatus::Done, Utc::now())
        .unwrap();
    assert_eq!(told(&read(&project, "s1", "src/login.rs").await), "");
}

#[tokio::test]
async fn f24_c_rows_of_one_tool_are_remarked_on() {
    let project = Project::new("[advice]\ntool_patterns = true\n");
    for n in 1..=5 {
        let said = project.ran("s1", &format!("echo {n}")).await;
        assert_eq!(told(&said).contains("Four commands"), n == 4, "{n}");
    }
    read(&project, "s1", "a").await;
    let edit = project
        .after("s1", "Edit", json!({ "file_path": "a" }), json!({}))
        .await;
    assert!(told(&edit).contains("Good"), "{edit:?}");
    for n in 0..4 {
        let said = project.ran("s1", "ls").await;
        assert_eq!(told(&said).contains("Step back"), n == 2, "{n} {said:?}");
    }
}

#[tokio::test]
async fn f24_d_each_session_has_its_own_history() {
    let project = Project::new("[advice]\ntool_patterns = true\n");
    for session in ["s1", "s2", "s1", "s2", "s1", "s2"] {
        assert_eq!(told(&project.ran(session, "ls").await), "");
    }
    assert_ne!(told(&project.ran("s1", "ls").await), "");
}
