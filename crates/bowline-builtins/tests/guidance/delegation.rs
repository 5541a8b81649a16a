//! Delegated work: what is told before, and what is looked for afterwards.

use bowline::hooks::{HookInput, Opinion};
use serde_json::{Value, json};

use crate::stand::{Project, told};

const ON: &str = "[work]\nsave_results = true\n";

fn arguments(prompt: &str) -> Value {
    json!({"description": "look", "prompt": prompt, "subagent_type": "Explore", "model": "haiku"})
}

async fn returned(project: &Project, session: &str, response: Value) -> Opinion {
    let input = arguments("look");
    project.after(session, "Task", input, response).await
}

#[tokio::test]
async fn f25_a_a_prompt_without_save_words_gets_the_instruction() {
    let project = Project::new(ON);
    for tool in ["Task", "Agent"] {
        let given = arguments("Find out how the login works");
        let opinion = project.before("s1", tool, given.clone()).await;
        let mut updated = opinion.updated_input.unwrap();
        let prompt = updated["prompt"].as_str().unwrap();
        assert!(prompt.starts_with("Find out how the login works\n\n"));
        assert!(prompt.contains("bowline note add"), "{prompt}");
        updated["prompt"] = given["prompt"].clone();
        assert_eq!(updated, given, "other parameters are unchanged");
    }
    let asks = arguments("Find out how it works and save your findings");
    let opinion = project.before("s1", "Task", asks).await;
    assert_eq!(opinion.updated_input, None);
    let other = project.before("s1", "Read", json!({"file_path": "a", "prompt": "x"}));
    assert_eq!(other.await.updated_input, None);
    let off = Project::new("");
    let opinion = off.before("s1", "Task", arguments("Look")).await;
    assert_eq!(opinion.updated_input, None);
}

#[tokio::test]
async fn f25_a_the_instruction_can_be_replaced() {
    let own = "[work]\nsave_results = true\n[advice.texts]\n'delegation.save' = 'Keep it.'\n";
    let project = Project::new(own);
    let opinion = project.before("s1", "Task", arguments("Look")).await;
    assert_eq!(opinion.updated_input.unwrap()["prompt"], "Look\n\nKeep it.");
}

#[tokio::test]
async fn f25_b_delegation_deeper_than_three_is_worth_a_warning() {
    let mut project = Project::new(ON);
    let mut by: Option<String> = None;
    for depth in 1..=5 {
        let mut call = HookInput::pre_tool_use("s1", "Task", arguments("Look"));
        if let Some(id) = &by {
            call = call
                .with_field("agent_id", id.as_str())
                .with_field("agent_type", "Explore");
        }
        let opinion = project.trigger(call).await;
        let warned = told(&opinion).contains(&format!("depth {depth}"));
        assert_eq!(warned, depth > 3, "{depth}: {opinion:?}");
        let id = format!("a{depth}");
        project
            .trigger(HookInput::subagent_start("s1", &id, "Explore", ""))
            .await;
        by = Some(id);
        project = project.restarted(ON);
    }
}

#[tokio::test]
async fn f25_c_a_result_without_a_sign_of_being_saved_is_told_to_the_person() {
    let project = Project::new(ON);
    let content = json!({"content": [{"type": "text", "text": "The login works like this."}]});
    let opinion = returned(&project, "s1", content.clone()).await;
    let message = opinion.system_message.unwrap();
    assert!(
        message.contains("Explore") && message.contains("saved"),
        "{message}"
    );
    let again = returned(&project, "s1", content.clone()).await;
    assert_eq!(again.system_message, None, "once a session");

    let said = json!({"content": [{"type": "text", "text": "Findings saved as note 3."}]});
    let opinion = returned(&project, "s2", said).await;
    assert_eq!(opinion.system_message, None);
    assert!(told(&opinion).contains("saved its results"), "{opinion:?}");

    let input = json!({"file_path": project.path().join("found.md"), "content": "x"});
    let call = HookInput::pre_tool_use("s3", "Write", input).with_field("tool_use_id", "t1");
    project.trigger(call).await;
    let done = HookInput::post_tool_use("s3", "Write", json!({"type": "create"}))
        .with_field("tool_use_id", "t1");
    project.trigger(done).await;
    let opinion = returned(&project, "s3", content).await;
    assert_eq!(opinion.system_message, None, "{opinion:?}");
    assert!(told(&opinion).contains("a file was changed"), "{opinion:?}");
}

#[tokio::test]
async fn f25_c_what_goes_on_in_the_background_is_not_judged_yet() {
    let project = Project::new(ON);
    let launched = json!({"isAsync": true, "status": "async_launched", "agentId": "a1"});
    let opinion = returned(&project, "s1", launched).await;
    assert_eq!(
        (opinion.system_message, opinion.additional_context),
        (None, None)
    );
}
