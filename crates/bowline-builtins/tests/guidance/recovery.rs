//! What every session is told, and what a session gets back after a compaction.

use bowline::hooks::HookInput;
use serde_json::json;

use crate::stand::{Project, told};

const ON: &str = "[behaviour]\nrecovery = true\nfiles = ['INDEX.md', 'MISSING.md', 'rules/DECISION.md']\n[handoff]\ndetect = true\n";

fn start(session: &str, source: &str) -> HookInput {
    HookInput::session_start(session).with_field("source", source)
}

async fn worked(project: &Project) {
    let todos = json!({"todos": [
        {"content": "paint the door", "status": "in_progress", "activeForm": "Painting"},
        {"content": "dry it", "status": "pending", "activeForm": "Drying"},
    ]});
    project.after("s", "TodoWrite", todos, json!({})).await;
    let report = "Use the painter subagent to paint.";
    project.reported("s", "planner", "1", report).await;
    let painter =
        HookInput::subagent_start("s", "2", "painter", "paint").with_field("agent_id", "2");
    project.trigger(painter).await;
}

#[tokio::test]
async fn f42_a_a_session_is_told_the_files_that_there_are() {
    let project = Project::new(ON);
    project.write("INDEX.md", "Be brief.");
    project.write("rules/DECISION.md", "Ask first.");
    for source in ["startup", "resume", "clear", "compact"] {
        let said = project.trigger(start("s", source)).await;
        let text = told(&said);
        assert!(text.contains("### INDEX.md\nBe brief."), "{source}: {text}");
        assert!(text.contains("Ask first."), "{source}: {text}");
        assert!(!text.contains("MISSING"), "{source}: {text}");
    }
    let project = Project::new("");
    project.write("INDEX.md", "Be brief.");
    let said = project.trigger(start("s", "startup")).await;
    assert!(!told(&said).contains("Be brief."));
}

#[tokio::test]
async fn f42_b_f42_c_what_was_being_done_is_told_once_after_a_compaction_and_after_a_restart() {
    let mut project = Project::new(ON);
    project.trigger(start("s", "startup")).await;
    worked(&project).await;
    let compact = HookInput::pre_compact("s").with_field("trigger", "auto");
    project.trigger(compact).await;
    // Everything is in the store by now.
    project = project.restarted(ON);
    let said = project.trigger(start("s", "compact")).await;
    let text = told(&said);
    for part in [
        "sub-agent `painter` was at work",
        "in progress was \"paint the door\"",
        "`planner` had handed over to `painter`",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let again = project.trigger(start("s", "compact")).await;
    assert!(!told(&again).contains("`painter`"), "{}", told(&again));
    project = project.restarted(ON);
    let again = project.trigger(start("s", "startup")).await;
    assert!(!told(&again).contains("`painter`"), "{}", told(&again));
}

#[tokio::test]
async fn f42_c_a_start_of_any_source_gets_it() {
    for source in ["startup", "resume", "clear", "compact"] {
        let project = Project::new(ON);
        project.trigger(start("s", "startup")).await;
        worked(&project).await;
        project.trigger(HookInput::pre_compact("s")).await;
        let said = project.trigger(start("s", source)).await;
        assert!(
            told(&said).contains("`painter`"),
            "{source}: {}",
            told(&said)
        );
    }
}
