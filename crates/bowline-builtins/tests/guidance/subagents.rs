//! Sub-agents that start, and modules whose documentation is not forgotten.

use bowline::hooks::{HookInput, Opinion};
use serde_json::json;

use crate::stand::{Project, denied, told};

async fn started(project: &Project, agent: &str) -> Opinion {
    let input = HookInput::subagent_start("s", "1", agent, "do it").with_field("agent_id", "1");
    project.trigger(input).await
}

#[tokio::test]
async fn f43_a_unknown_names_are_warned_of_and_still_started() {
    let project = Project::new("[subagents]\nregistry = ['painter', 'reviewer']\n");
    project.write(
        ".claude/agents/local-hand.md",
        "---\nname: local-hand\n---\n",
    );
    for known in [
        "painter",
        "Reviewer",
        "mock-thing",
        "general-purpose",
        "local-hand",
    ] {
        let said = started(&project, known).await;
        assert!(said.warnings.is_empty(), "{known}: {:?}", said.warnings);
        assert_eq!(denied(&said), None, "{known}");
    }
    let said = started(&project, "stranger").await;
    assert_eq!(denied(&said), None);
    assert!(
        said.warnings[0].contains("`stranger` is not a registered"),
        "{:?}",
        said.warnings
    );
}

#[tokio::test]
async fn f43_b_a_sub_agent_is_told_about_the_project() {
    let project = Project::new("[subagents]\ncontext = true\n[behaviour]\nrecovery = true\n");
    assert_eq!(told(&started(&project, "painter").await), "");
    project.write("composer.json", r#"{"require": {"drupal/core": "^11.1"}}"#);
    project.write(".claude/agent-memory/painter/MEMORY.md", "blue");
    let said = started(&project, "painter").await;
    let text = told(&said);
    assert!(text.contains("This project uses Drupal ^11.1."), "{text}");
    assert!(text.contains(".claude/agent-memory/painter"), "{text}");
    let other = started(&project, "reviewer").await;
    assert!(!told(&other).contains("agent-memory"), "{}", told(&other));

    // `painter` is still at work when the context is compacted.
    project.trigger(HookInput::pre_compact("s")).await;
    let said = started(&project, "reviewer").await;
    assert!(told(&said).contains("was at work"), "{}", told(&said));
}

#[tokio::test]
async fn f43_c_the_registry_is_configurable_and_can_be_strict() {
    let project = Project::new("[subagents]\nregistry = ['painter']\nstrict = true\n");
    let said = started(&project, "stranger").await;
    assert_eq!(said.rule.as_deref(), Some("subagents.unknown"));
    assert!(denied(&said).is_some());
    assert_eq!(denied(&started(&project, "painter").await), None);
    let project = Project::new("");
    assert!(started(&project, "stranger").await.warnings.is_empty());
}

#[tokio::test]
async fn f46_d_an_edited_module_is_reminded_of_once_a_session() {
    let project = Project::new("[docs]\nreminder = true\n");
    let edited = |session: &'static str, file: &str| {
        let file = project.path().join(file).to_string_lossy().into_owned();
        let project = &project;
        async move {
            let input = json!({ "file_path": file, "old_string": "a", "new_string": "b" });
            let said = project.after(session, "Edit", input, json!({})).await;
            told(&said).to_owned()
        }
    };
    let cart = "web/modules/custom/shop/src/Cart.php";
    assert!(edited("s1", cart).await.contains("`shop`"));
    assert_eq!(
        edited("s1", "web/modules/custom/shop/shop.module").await,
        ""
    );
    assert!(
        edited("s1", "web/modules/custom/tax/tax.module")
            .await
            .contains("`tax`")
    );
    assert!(edited("s2", cart).await.contains("`shop`"));
    assert_eq!(edited("s1", "src/main.rs").await, "");
}

#[tokio::test]
async fn f46_a_the_figures_of_the_day_are_written_when_a_turn_ends() {
    let project = Project::new("[metrics]\ndaily = true\n");
    project
        .before("s", "Bash", json!({ "command": "ls" }))
        .await;
    project.ran("s", "ls").await;
    project.trigger(HookInput::stop("s")).await;
    let name = chrono::Utc::now().format("metrics-%Y%m%d.json").to_string();
    let folder = project.path().with_file_name("data").join("metrics");
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    let day: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(day["performance_metrics"]["tool_executions"], 1, "{text}");
    let facts = project
        .store()
        .happened(chrono::DateTime::UNIX_EPOCH, chrono::Utc::now());
    assert_eq!(facts.unwrap().calls.len(), 1);
}
