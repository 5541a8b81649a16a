//! Failures that come again.

use bowline::hooks::{HookInput, Opinion};
use bowline_store::{Failure, FailureFilter, FollowUpStatus, WhichItems};
use serde_json::json;

use crate::stand::{Project, told};

const ON: &str = "[errors]\nmemory = true\n";

/// A command fails, as Claude Code reports it.
async fn fails(project: &Project, session: &str, command: &str, error: &str) -> Opinion {
    let input = HookInput::post_tool_use_failure(session, "Bash", error)
        .with_field("tool_input", json!({ "command": command }));
    project.trigger(input).await
}

fn failures(project: &Project) -> Vec<Failure> {
    let filter = FailureFilter {
        limit: 100,
        ..FailureFilter::default()
    };
    project.store().failures().list(&filter).unwrap()
}

#[tokio::test]
async fn nothing_is_remembered_unless_it_is_switched_on() {
    let project = Project::new("");
    fails(&project, "s1", "make", "boom").await;
    assert_eq!(failures(&project), []);
}

#[tokio::test]
async fn f27_a_each_real_failure_is_kept_with_time_tool_message_and_session() {
    let project = Project::new(ON);
    fails(&project, "s1", "make", "Exit code 2\nmake: *** boom").await;
    for (tool, response) in [
        ("Edit", json!({ "error": "String to replace not found" })),
        ("Write", json!({ "success": false, "reason": "disk full" })),
        ("Bash", json!({ "stderr": "gone" })),
        // No failures.
        ("Bash", json!({ "stdout": "error: none", "stderr": "" })),
        ("Grep", json!("an error in the text")),
        ("Bash", json!({ "stdout": "", "interrupted": true })),
    ] {
        let input = json!({ "command": "x", "file_path": "a" });
        project.after("s2", tool, input, response).await;
    }
    let filter = FailureFilter {
        limit: 100,
        ..FailureFilter::default()
    };
    let lines = project.store().failures().all_times(&filter).unwrap();
    let lines: Vec<_> = lines
        .iter()
        .map(|it| (&*it.tool, it.message.as_deref().unwrap(), &*it.session))
        .collect();
    assert_eq!(
        lines,
        [
            ("Bash", "make: *** boom", "s1"),
            ("Edit", "String to replace not found", "s2"),
            ("Write", "disk full", "s2"),
            ("Bash", "gone", "s2"),
        ]
    );
}

#[tokio::test]
async fn f27_b_three_failures_in_two_sessions_give_one_follow_up() {
    let mut project = Project::new(ON);
    let boom = |line: u32| format!("src/a.rs:{line}: error: mismatched types");
    assert_eq!(
        told(&fails(&project, "s1", "cargo build", &boom(1)).await),
        ""
    );
    assert_eq!(
        told(&fails(&project, "s1", "cargo build", &boom(9)).await),
        ""
    );
    assert!(failures(&project)[0].follow_up.is_none());
    project = project.restarted(ON);
    let third = fails(&project, "s2", "cargo build", &boom(12)).await;
    assert!(
        told(&third).contains("failed like this 3 times"),
        "{third:?}"
    );
    let fourth = fails(&project, "s2", "cargo build", &boom(13)).await;
    assert_eq!(told(&fourth), "");
    fails(&project, "s2", "cargo build", "something else").await;
    let found = failures(&project);
    assert_eq!(found.len(), 2);
    assert_eq!((found[1].count, found[1].sessions), (4, 2));
    let follow_up = found[1].follow_up.unwrap();
    assert_eq!(follow_up.status, FollowUpStatus::Open);
    assert!(found[0].follow_up.is_none());
    let folder = found[1].project.as_str();
    let items = project.store().work();
    let items = items.items(folder, WhichItems::Open, 10).unwrap();
    assert_eq!(items[0].id, follow_up.work_item.unwrap());
}

#[tokio::test]
async fn f27_b_a_linked_worktree_shares_the_failures_of_its_main_checkout() {
    let project = Project::new(ON);
    let main = project.path().with_file_name("main");
    let git = main.join(".git/worktrees/feature");
    std::fs::create_dir_all(&git).unwrap();
    let link = format!("gitdir: {}\n", git.display());
    std::fs::write(project.path().join(".git"), link).unwrap();
    let project = project.restarted(ON);
    fails(&project, "s1", "make", "boom").await;
    assert_eq!(failures(&project)[0].project, main.to_string_lossy());
    project.ran("s1", "make").await;
    assert!(failures(&project)[0].fixed_by.is_some());
    let again = fails(&project, "s2", "make", "boom").await;
    assert!(told(&again).contains("make"), "{again:?}");
}

#[tokio::test]
async fn f27_c_secrets_are_masked() {
    let project = Project::new(ON);
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let error = format!("fatal: could not read with token {secret}");
    fails(&project, "s1", &format!("git push {secret}"), &error).await;
    project.ran("s1", &format!("git push {secret} again")).await;
    let found = failures(&project);
    let shown = serde_json::to_string(&found).unwrap();
    assert!(shown.contains("fatal: could not read"), "{shown}");
    assert!(shown.contains("git push"), "{shown}");
    assert!(!shown.contains(&secret), "{shown}");
}

#[tokio::test]
async fn an_agent_is_told_what_put_an_end_to_it() {
    let mut project = Project::new(ON);
    let error = "error: package `x` cannot be found";
    fails(&project, "s1", "cargo build", error).await;
    project.ran("s1", "ls").await;
    project
        .after(
            "s1",
            "Edit",
            json!({ "file_path": "Cargo.toml" }),
            json!({}),
        )
        .await;
    project.ran("s1", "cargo test").await;
    assert_eq!(failures(&project)[0].fixed_by, None);
    project.ran("s1", "cd app && cargo build --offline").await;
    let fix =
        "Bash cd app && cargo build --offline after Bash ls; Edit Cargo.toml; Bash cargo test";
    assert_eq!(failures(&project)[0].fixed_by.as_deref(), Some(fix));
    project = project.restarted(ON);
    let said = fails(&project, "s2", "cargo build", error).await;
    assert!(told(&said).contains(fix), "{said:?}");
    let again = fails(&project, "s2", "cargo build", error).await;
    assert!(!told(&again).contains(fix), "{again:?}");
}

#[tokio::test]
async fn an_interrupted_call_puts_an_end_to_nothing() {
    let project = Project::new(ON);
    fails(&project, "s1", "make", "boom").await;
    let interrupted = json!({ "stdout": "", "stderr": "", "interrupted": true });
    project
        .after("s1", "Bash", json!({ "command": "make" }), interrupted)
        .await;
    assert_eq!(failures(&project)[0].fixed_by, None);
    project.ran("s1", "make").await;
    let fix = "the same call again (Bash make)";
    assert_eq!(failures(&project)[0].fixed_by.as_deref(), Some(fix));
}

#[tokio::test]
async fn what_is_not_recorded_is_not_kept_with_failures_either() {
    let off = "[errors]\nmemory = true\n[record]\ninputs = 'off'\noutputs = 'off'\n";
    let project = Project::new(off);
    for session in ["s1", "s2", "s3"] {
        fails(&project, session, "make", "boom").await;
    }
    project.ran("s3", "make").await;
    let found = failures(&project);
    assert_eq!(found[0].count, 3);
    assert_eq!((&found[0].message, &found[0].fixed_by), (&None, &None));
    assert!(found[0].follow_up.is_some());
}
