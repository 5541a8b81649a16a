//! Orchestrator mode: an agent that coordinates hands work over.

use bowline::hooks::{HookInput, Opinion};
use bowline_store::MemoryOf;
use serde_json::{Value, json};

use crate::stand::{Project, denied, told};

const STRICT: &str = "[orchestrator]\nmode = 'strict'\n";

async fn bash(project: &Project, command: &str) -> Opinion {
    project
        .before("s1", "Bash", json!({ "command": command }))
        .await
}

async fn edit(project: &Project, session: &str) -> Opinion {
    let file = project.path().join("a.rs");
    let input = json!({"file_path": file, "old_string": "a", "new_string": "b"});
    project.before(session, "Edit", input).await
}

async fn read(project: &Project) -> Opinion {
    let file = project.path().join("a.rs");
    project
        .before("s1", "Read", json!({ "file_path": file }))
        .await
}

async fn task(project: &Project) -> Opinion {
    let input = json!({"description": "d", "prompt": "p", "subagent_type": "Explore"});
    project.before("s1", "Task", input).await
}

fn rule(opinion: &Opinion) -> Option<&str> {
    opinion.rule.as_deref()
}

#[tokio::test]
async fn f23_a_off_allows_everything() {
    for settings in ["", "[orchestrator]\nmode = 'off'\n"] {
        let project = Project::new(settings);
        for _ in 0..9 {
            assert_eq!(denied(&edit(&project, "s1").await), None);
            assert_eq!(denied(&bash(&project, "cargo test").await), None);
            assert_eq!(told(&edit(&project, "s1").await), "");
        }
    }
}

#[tokio::test]
async fn f23_b_guidance_allows_an_edit_and_says_once_that_it_can_be_delegated() {
    let project = Project::new("[orchestrator]\nmode = 'guidance'\n");
    let first = edit(&project, "s1").await;
    assert_eq!(denied(&first), None);
    assert!(told(&first).contains("sub-agent"), "{}", told(&first));
    assert_eq!(told(&edit(&project, "s1").await), "");
    assert!(told(&bash(&project, "npm test").await).contains("report only what failed"));
    for command in ["git status", "ls", "python3 x.py"] {
        assert_eq!(told(&bash(&project, command).await), "", "{command}");
    }
    assert_ne!(told(&edit(&project, "s2").await), "");
}

#[tokio::test]
async fn f23_c_strict_denies_work_and_allows_coordination() {
    let count = "[orchestrator]\nmode = 'strict'\nbreaker = 99\n";
    let project = Project::new(count);
    let write = json!({"file_path": project.path().join("new.rs"), "content": "x"});
    let calls: [(&str, Value); 8] = [
        (
            "Edit",
            json!({"file_path": "a.rs", "old_string": "a", "new_string": "b"}),
        ),
        ("Write", write),
        ("Bash", json!({"command": "cargo test"})),
        ("Bash", json!({"command": "npm run build"})),
        ("Bash", json!({"command": "git commit -m x"})),
        ("Bash", json!({"command": "cd sub && git push"})),
        ("Bash", json!({"command": "echo x > a.rs"})),
        ("Bash", json!({"command": "python3 fix.py"})),
    ];
    for (number, (tool, input)) in (1..).zip(calls) {
        let opinion = project.before("s1", tool, input.clone()).await;
        let reason = denied(&opinion).unwrap_or_else(|| panic!("{tool} {input}"));
        assert!(reason.contains(&format!("{number} of 99")), "{reason}");
        assert!(reason.contains("sub-agent"), "{reason}");
        assert_eq!(rule(&opinion), Some("orchestrator.delegate"));
    }
    let allowed: [(&str, Value); 9] = [
        ("Task", json!({"description": "d", "prompt": "p"})),
        ("Agent", json!({"description": "d", "prompt": "p"})),
        ("AskUserQuestion", json!({"questions": []})),
        ("TodoWrite", json!({"todos": []})),
        ("Bash", json!({"command": "git status"})),
        ("Bash", json!({"command": "git diff | head -50"})),
        ("Bash", json!({"command": "bowline work list"})),
        ("Bash", json!({"command": "bowline effort log x"})),
        ("mcp__linear__list_issues", json!({})),
    ];
    for (tool, input) in allowed {
        let opinion = project.before("s1", tool, input.clone()).await;
        assert_eq!(denied(&opinion), None, "{tool} {input}");
    }
}

#[tokio::test]
async fn programs_that_a_person_names_are_allowed() {
    let project = Project::new("[orchestrator]\nmode = 'strict'\nprograms = ['gh']\n");
    assert_eq!(denied(&bash(&project, "gh pr list").await), None);
    assert_ne!(denied(&bash(&project, "gh pr list && make").await), None);
}

#[tokio::test]
async fn f23_d_the_third_violation_stops_everything_but_coordination_and_the_reset() {
    let mut project = Project::new(STRICT);
    for count in ["1 of 3", "2 of 3"] {
        let opinion = edit(&project, "s1").await;
        assert!(denied(&opinion).unwrap().contains(count), "{opinion:?}");
    }
    let third = edit(&project, "s1").await;
    let reason = denied(&third).unwrap();
    assert!(reason.contains("3 of 3"), "{reason}");
    assert!(reason.contains("bowline orchestrator reset"), "{reason}");
    assert_eq!(rule(&third), Some("orchestrator.breaker"));
    for round in ["at once", "after a restart"] {
        for opinion in [
            read(&project).await,
            bash(&project, "git status").await,
            bash(&project, "ls").await,
            project.before("s1", "mcp__x__y", json!({})).await,
            project.before("s1", "Skill", json!({"skill": "x"})).await,
        ] {
            assert!(
                denied(&opinion).unwrap().contains("orchestrator reset"),
                "{round}"
            );
        }
        for opinion in [
            task(&project).await,
            bash(&project, "bowline orchestrator reset").await,
            bash(&project, "cd /tmp && bowline orchestrator reset").await,
        ] {
            assert_eq!(denied(&opinion), None, "{round}");
        }
        project = project.restarted(STRICT);
    }
    // Another session has done nothing.
    assert!(
        denied(&edit(&project, "s2").await)
            .unwrap()
            .contains("1 of 3")
    );
}

#[tokio::test]
async fn f23_e_sub_agents_are_exempt() {
    let project = Project::new(STRICT);
    for _ in 0..9 {
        let input = json!({"command": "cargo test && git push"});
        let call = HookInput::pre_tool_use("s1", "Bash", input)
            .with_field("agent_id", "a1")
            .with_field("agent_type", "Explore");
        assert_eq!(denied(&project.trigger(call).await), None);
    }
    assert!(
        denied(&edit(&project, "s1").await)
            .unwrap()
            .contains("1 of 3")
    );
}

#[tokio::test]
async fn f23_f_the_fourth_exploration_in_a_row_is_denied_also_after_a_restart() {
    let mut project = Project::new(STRICT);
    for _ in 0..2 {
        assert_eq!(denied(&read(&project).await), None);
    }
    project = project.restarted(STRICT);
    assert_eq!(denied(&bash(&project, "grep -rn x .").await), None);
    let fourth = read(&project).await;
    assert!(denied(&fourth).unwrap().contains("1 of 3"), "{fourth:?}");
    assert_eq!(denied(&task(&project).await), None);
    assert_eq!(denied(&read(&project).await), None, "a new row");
}

#[tokio::test]
async fn f23_f_thresholds_are_settings() {
    let project = Project::new("[orchestrator]\nmode = 'strict'\nexplorations = 1\nbreaker = 1\n");
    assert_eq!(denied(&read(&project).await), None);
    let second = read(&project).await;
    assert!(denied(&second).unwrap().contains("1 of 1"), "{second:?}");
    assert_eq!(rule(&second), Some("orchestrator.breaker"));
}

#[tokio::test]
async fn f23_f_a_state_that_cannot_be_read_is_off_until_a_reset() {
    let mut project = Project::new(STRICT);
    for _ in 0..3 {
        edit(&project, "s1").await;
    }
    for broken in [json!("{broken"), json!({"violations": 7}), json!([])] {
        let of = MemoryOf::Session;
        let store = project.store();
        store.remember(of, "s1", "orchestrator", &broken).unwrap();
        for _ in 0..2 {
            assert_eq!(denied(&edit(&project, "s1").await), None, "{broken}");
            project = project.restarted(STRICT);
        }
        let kept = project.store().remembered(of, "s1", "orchestrator");
        assert_eq!(kept.unwrap(), Some(broken), "it is left as it is");
    }
}

#[tokio::test]
async fn a_person_switches_it_off_for_a_session_or_a_project() {
    let project = Project::new(STRICT);
    edit(&project, "s1").await;
    edit(&project, "s2").await;
    let folder = project.path().to_string_lossy().into_owned();
    let set = |of, name: &str, state: Value| {
        let store = project.store();
        store.remember(of, name, "orchestrator", &state).unwrap();
    };
    set(MemoryOf::Session, "s1", json!({"off": true}));
    assert_eq!(denied(&edit(&project, "s1").await), None);
    assert_ne!(denied(&edit(&project, "s2").await), None);
    set(MemoryOf::Project, &folder, json!({"off": true}));
    assert_eq!(denied(&edit(&project, "s2").await), None);
    set(MemoryOf::Project, &folder, json!({"off": false}));
    assert_ne!(denied(&edit(&project, "s2").await), None);
}
