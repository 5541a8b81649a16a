//! Agents that repeat themselves.

use bowline::hooks::{HookInput, Opinion};
use serde_json::{Value, json};

use crate::stand::{Project, denied, told};

const STOP: &str = "[loops]\nmode = 'stop'\n";
const WARN: &str = "[loops]\nmode = 'warn'\n";

/// Makes a call and gets a result; says what the agent was told.
async fn call(project: &Project, tool: &str, input: Value, result: Value) -> Opinion {
    let before = project.before("s1", tool, input.clone()).await;
    if denied(&before).is_some() {
        return before;
    }
    project.after("s1", tool, input, result).await
}

async fn run(project: &Project, command: &str, stdout: &str) -> Opinion {
    let input = json!({ "command": command, "description": format!("{command} {stdout}") });
    call(
        project,
        "Bash",
        input,
        json!({ "stdout": stdout, "stderr": "" }),
    )
    .await
}

#[tokio::test]
async fn a_loop_is_said_once_and_then_stopped() {
    let mut project = Project::new(STOP);
    for n in 1..=5 {
        let said = run(&project, "make", "same").await;
        assert_eq!(denied(&said), None);
        assert_eq!(told(&said).contains("same result 3 times"), n == 3, "{n}");
        if n == 4 {
            project = project.restarted(STOP);
        }
    }
    for _ in 0..2 {
        let stopped = run(&project, "make", "same").await;
        let reason = denied(&stopped).unwrap();
        assert!(reason.contains("`Bash make` was made 5 times"), "{reason}");
        assert_eq!(stopped.rule.as_deref(), Some("loops.repeated"));
    }
    // Something else is tried.
    assert_eq!(denied(&run(&project, "make -d", "why").await), None);
    assert_eq!(denied(&run(&project, "make", "same").await), None);
}

#[tokio::test]
async fn a_loop_is_said_once_also_where_nothing_is_stopped() {
    let project = Project::new("[loops]\nmode = \"warn\"\n");
    let (input, result) = (
        json!({"command": "make"}),
        json!({"stdout": "same", "stderr": ""}),
    );
    let mut said = 0;
    for _ in 0..9 {
        let before = project.before("s1", "Bash", input.clone()).await;
        let after = project
            .after("s1", "Bash", input.clone(), result.clone())
            .await;
        let texts = [told(&before), told(&after)];
        said += texts.iter().filter(|it| it.contains("same result")).count();
    }
    assert_eq!(said, 1);
}

#[tokio::test]
async fn a_call_that_is_denied_again_and_again_is_a_loop() {
    let project = Project::new(STOP);
    let push = json!({ "command": "git push --force" });
    for n in 1..=7 {
        let said = project.before("s1", "Bash", push.clone()).await;
        assert!(denied(&said).is_some(), "{said:?}");
        let is_stopped = said.rule.as_deref() == Some("loops.repeated");
        assert_eq!(is_stopped, n >= 6, "{n}: {said:?}");
        assert_eq!(told(&said).contains("same result 3 times"), n == 4, "{n}");
    }
    // Something else is tried.
    run(&project, "git status", "ahead 1").await;
    let said = project.before("s1", "Bash", push).await;
    assert_eq!(said.rule.as_deref(), Some("git.push-force"), "{said:?}");
}

#[tokio::test]
async fn nothing_is_counted_unless_it_is_switched_on() {
    let project = Project::new("");
    for _ in 0..10 {
        let said = run(&project, "make", "same").await;
        assert_eq!((denied(&said), told(&said)), (None, ""));
    }
    let project = Project::new(WARN);
    for n in 1..=10 {
        let said = run(&project, "make", "same").await;
        assert_eq!((denied(&said), told(&said).is_empty()), (None, n != 3));
    }
}

#[tokio::test]
async fn another_result_or_an_edit_is_progress() {
    let project = Project::new(STOP);
    for n in 0..12 {
        let said = run(&project, "tail -n 5 log", &format!("{n} % done")).await;
        assert_eq!((denied(&said), told(&said)), (None, ""), "polling");
    }
    for _ in 0..12 {
        let said = run(&project, "make", "same").await;
        assert_eq!((denied(&said), told(&said)), (None, ""), "edits between");
        let edit = json!({ "file_path": "a.c", "old_string": "a", "new_string": "b" });
        call(&project, "Edit", edit, json!({ "ok": true })).await;
    }
    // What waits by itself is never stopped.
    for _ in 0..12 {
        let said = run(&project, "sleep 60; gh run view", "in progress").await;
        assert_eq!(denied(&said), None);
    }
}

#[tokio::test]
async fn loops_go_across_tools_sub_agents_and_errors() {
    let project = Project::new(STOP);
    let mut stopped = false;
    for _ in 0..8 {
        for (tool, input) in [
            ("Read", json!({ "file_path": "a.c" })),
            ("Bash", json!({ "command": "make" })),
        ] {
            let said = call(&project, tool, input, json!({ "stdout": "same" })).await;
            stopped |= denied(&said).is_some();
        }
    }
    assert!(stopped, "two calls that alternate");

    let project = Project::new(STOP);
    for n in 1..=6 {
        let fields = |input: HookInput| {
            let input = input.with_field("tool_input", json!({ "command": "make" }));
            if n % 2 == 0 {
                return input
                    .with_field("agent_id", "a1")
                    .with_field("agent_type", "x");
            }
            input
        };
        let before = HookInput::pre_tool_use("s1", "Bash", json!({ "command": "make" }));
        let before = project.trigger(fields(before)).await;
        assert_eq!(denied(&before).is_some(), n == 6, "{n}");
        if n < 6 {
            let failed = HookInput::post_tool_use_failure("s1", "Bash", "Exit code 2\nboom");
            let said = project.trigger(fields(failed)).await;
            assert_eq!(told(&said).is_empty(), n != 3, "{n}");
        }
    }
}
