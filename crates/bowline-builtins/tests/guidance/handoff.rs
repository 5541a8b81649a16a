//! Who goes on where a sub-agent stopped.

use bowline::hooks::HookInput;

use serde_json::json;

use crate::stand::{Project, denied, told};

const ON: &str = "[handoff]\ndetect = true\n";
const NEXT: &str = "It works. Use the unit\u{2011}testing\u{2013}agent\nsubagent to run the tests.";

#[tokio::test]
async fn handoffs_are_off_unless_they_are_switched_on() {
    let project = Project::new("");
    assert_eq!(denied(&project.reported("s", "a", "1", NEXT).await), None);
}

#[tokio::test]
async fn f44_a_a_report_sends_the_agent_on() {
    let project = Project::new(ON);
    for said in [
        project.reported("s", "builder", "1", NEXT).await,
        project
            .delegated("s", "builder", Some("2"), &NEXT.to_uppercase())
            .await,
    ] {
        let reason = denied(&said).unwrap();
        assert!(
            reason.contains("Use the unit-testing-agent subagent"),
            "{reason}"
        );
        assert_eq!(said.rule.as_deref(), Some("handoff.next"));
    }
    let silent = project.reported("s", "builder", "3", "All is well.").await;
    assert_eq!(denied(&silent), None);
}

#[tokio::test]
async fn f44_c_an_unknown_target_is_warned_of_and_still_followed() {
    let registry = "[subagents]\nregistry = ['unit-testing-agent', 'reviewer']\n";
    let project = Project::new(&format!("{ON}{registry}"));
    let unknown = "Use the painter subagent to paint.";
    let said = project.reported("s", "a", "1", unknown).await;
    let reason = denied(&said).unwrap();
    assert!(reason.contains("Use the painter subagent"), "{reason}");
    assert!(
        reason.contains("`painter` is not a registered agent"),
        "{reason}"
    );
    assert!(reason.contains("unit-testing-agent, reviewer"), "{reason}");
    for known in ["reviewer", "mock-painter", "general-purpose"] {
        let report = format!("Use the {known} subagent to look.");
        let said = project.reported("s", "a", known, &report).await;
        assert!(!denied(&said).unwrap().contains("registered"), "{known}");
    }

    let strict = Project::new(&format!("{ON}{registry}strict = true\n"));
    let said = strict.reported("s", "a", "1", unknown).await;
    assert_eq!(said.rule.as_deref(), Some("handoff.unknown"));
    assert!(!denied(&said).unwrap().contains("Execute next"));
}

#[tokio::test]
async fn f44_d_completed_work_goes_to_the_hub_and_partial_work_back() {
    let project = Project::new(&format!("{ON}hub = 'conductor'\n"));
    let builder = "feature-implementation-agent";
    let said = project
        .reported("s", builder, "1", "The work is complete.")
        .await;
    assert!(
        denied(&said)
            .unwrap()
            .contains("Use the conductor subagent")
    );
    let said = project.reported("s", builder, "2", "Partially done.").await;
    let reason = denied(&said).unwrap();
    assert!(
        reason.contains(&format!("Use the {builder} subagent")),
        "{reason}"
    );
}

#[tokio::test]
async fn f44_e_a_token_of_another_form_is_warned_of() {
    let project = Project::new(ON);
    let report = "READY_20260131_173000, READY_20260131. Use the x subagent to go on.";
    let said = project.reported("s", "a", "1", report).await;
    assert_eq!(said.warnings.len(), 1, "{:?}", said.warnings);
    assert!(said.warnings[0].contains("`READY_20260131`"));
    let tokens = &said.facts["handoff"]["tokens"];
    assert_eq!(tokens, &serde_json::json!(["READY_20260131_173000"]));
}

#[tokio::test]
async fn f44_f_both_events_of_a_run_redirect_once() {
    for id in [Some("run-1"), None] {
        let mut project = Project::new(ON);
        assert!(denied(&project.reported("s", "a", "run-1", NEXT).await).is_some());
        assert_eq!(denied(&project.delegated("s", "a", id, NEXT).await), None);
        project = project.restarted(ON);
        assert_eq!(denied(&project.delegated("s", "a", id, NEXT).await), None);
        // Another run says the same, and another session.
        assert!(denied(&project.reported("s", "a", "run-2", NEXT).await).is_some());
        assert!(denied(&project.delegated("t", "a", Some("run-3"), NEXT).await).is_some());
    }
}

/// A sub-agent ends, under a client that tells the agent which started it.
fn ends(id: &str, kind: &str, report: &str) -> HookInput {
    HookInput::subagent_stop("s", id, true, None)
        .with_field("agent_type", kind)
        .with_field("agent_id", id)
        .with_field("stop_hook_active", false)
        .with_field("last_assistant_message", report)
        .with_field("background_tasks", json!([]))
}

#[tokio::test]
async fn f44_f_the_agent_that_started_it_is_sent_on_where_the_client_tells_it_of_the_end() {
    let project = Project::new(ON);
    let said = project.trigger(ends("1", "builder", NEXT)).await;
    assert_eq!(denied(&said), None);
    let said = project.delegated("s", "builder", Some("1"), NEXT).await;
    let reason = denied(&said).unwrap();
    assert!(reason.contains("where builder stopped"), "{reason}");
    let again = project.delegated("s", "builder", Some("1"), NEXT).await;
    assert_eq!(denied(&again), None);
}

#[tokio::test]
async fn f44_f_the_end_of_a_sub_agent_in_the_background_is_followed_once() {
    let mut project = Project::new(ON);
    let report = "The work is complete.";
    let notification = |id: &str| {
        let prompt = format!(
            "<task-notification>\n<task-id>{id}</task-id>\n<result>{report}</result>\n</task-notification>"
        );
        HookInput::user_prompt_submit("s", prompt)
    };
    let builder = "feature-implementation-agent";
    let said = project.trigger(ends("1", builder, report)).await;
    assert_eq!(denied(&said), None);
    project = project.restarted(ON);
    let said = project.trigger(notification("1")).await;
    // A prompt that is denied would never reach the agent.
    assert_eq!(denied(&said), None);
    let text = told(&said);
    let expected = "feature-implementation-agent reports completed work";
    assert!(text.contains(expected), "{text}");
    assert_eq!(told(&project.trigger(notification("1")).await), "");
    // Nobody knows this one.
    assert_eq!(told(&project.trigger(notification("2")).await), "");
}

#[tokio::test]
async fn an_agent_that_was_sent_on_once_is_not_sent_on_again() {
    let project = Project::new(ON);
    let again = HookInput::subagent_stop("s", "1", true, None)
        .with_field("agent_type", "a")
        .with_field("stop_hook_active", true)
        .with_field("last_assistant_message", NEXT);
    assert_eq!(denied(&project.trigger(again).await), None);
    // The agent that ran it learns it instead.
    assert!(denied(&project.delegated("s", "a", Some("1"), NEXT).await).is_some());
}

#[tokio::test]
async fn f45_d_a_completed_phase_goes_to_the_validator() {
    let settings = format!("{ON}[tests]\nphases = true\n");
    let project = Project::new(&settings);
    let report = "PHASE 1 HAS BEEN COMPLETED. Use the painter subagent to paint.";
    let said = project
        .reported("s", "task-orchestrator", "1", report)
        .await;
    assert!(
        denied(&said)
            .unwrap()
            .contains("Use the tdd-validation-agent subagent")
    );
    assert_eq!(said.rule.as_deref(), Some("checkpoint.phase"));
    let said = project
        .reported("s", "task-orchestrator", "2", "All goes well.")
        .await;
    assert_eq!(denied(&said), None);
    let deployed = "PHASE 2 HAS BEEN COMPLETED and deployed";
    let said = project
        .reported("s", "task-orchestrator", "3", deployed)
        .await;
    assert_eq!(denied(&said), None);
}

#[tokio::test]
async fn a_report_that_stands_only_in_the_transcript_is_read_there() {
    let project = Project::new(ON);
    let line = serde_json::json!({
        "type": "assistant", "message": {"content": [{"type": "text", "text": NEXT}]},
    });
    project.write("agent.jsonl", &format!("{line}\n"));
    let transcript = project.path().join("agent.jsonl");
    let input = HookInput::subagent_stop("s", "1", true, None)
        .with_field("agent_type", "a")
        .with_field(
            "agent_transcript_path",
            transcript.to_string_lossy().into_owned(),
        );
    assert!(denied(&project.trigger(input).await).is_some());
}
