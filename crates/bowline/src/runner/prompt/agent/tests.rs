use std::fs;

use bowline_guard::sensitive::SensitivePolicy;
use serde_json::{Value, json};

use super::*;
use crate::context::HookContext;
use crate::execution::Secrets;
use crate::input::HookInput;
use crate::model_api::ApiKey;
use crate::test_server::{Reply, Server};

fn says(text: &str) -> Reply {
    turn("end_turn", json!([{ "type": "text", "text": text }]))
}

fn calls(tools: &[(&str, Value)]) -> Reply {
    let content: Vec<Value> = tools
        .iter()
        .enumerate()
        .map(|(index, (name, input))| json!({ "type": "tool_use", "id": format!("t{index}"), "name": name, "input": input }))
        .collect();
    turn("tool_use", json!(content))
}

fn turn(stop_reason: &str, content: Value) -> Reply {
    let body = json!({ "content": content, "stop_reason": stop_reason, "usage": { "input_tokens": 1, "output_tokens": 1 } });
    Reply::new(200, body.to_string())
}

/// A project with one file and one secret, and a model on this machine.
struct Stage {
    root: tempfile::TempDir,
    server: Server,
}

impl Stage {
    async fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("main.rs"), "fn main() { todo!() }\n").unwrap();
        fs::write(root.path().join(".env"), "KEY=s3cr3t-of-the-project\n").unwrap();
        let server = Server::start(replies).await;
        Self { root, server }
    }

    async fn judge(&self, dialect: Dialect) -> Result<Opinion> {
        let model = ModelConfig {
            base_url: self.server.url(""),
            ..ModelConfig::new(ModelProvider::Anthropic, ApiKey::new("sk-s3cr3t"))
        };
        self.judge_by(dialect, Some(&model)).await
    }

    async fn judge_by(&self, dialect: Dialect, model: Option<&ModelConfig>) -> Result<Opinion> {
        let action = AgentAction {
            prompt: "Is anything left to do? $ARGUMENTS".to_owned(),
            model: Some("my-model".to_owned()),
        };
        let event = Event {
            input: &HookInput::stop("s"),
            ctx: &HookContext::new("s"),
            payload: &json!({ "session_id": "s" }),
        };
        let project = self.root.path().canonicalize().unwrap();
        let view = View {
            secrets: Secrets::of_project(&project, None, SensitivePolicy::default()),
            project,
        };
        run(&action, event, dialect, model, view).await
    }
}

#[tokio::test]
async fn the_agent_looks_and_then_blocks_without_ending_the_turn() {
    let stage = Stage::new([
        calls(&[
            ("Read", json!({ "file_path": "main.rs" })),
            ("Grep", json!({ "pattern": "todo" })),
            ("Read", json!({ "file_path": ".env" })),
            ("Read", json!({ "file_path": "/etc/hostname" })),
            ("Bash", json!({ "command": "id" })),
            ("Write", json!({ "file_path": "main.rs", "content": "" })),
        ]),
        says("I looked at main.rs.\n{\"ok\": false, \"reason\": \"main.rs has a todo\"}"),
    ])
    .await;
    let output = stage.judge(Dialect::ClaudeCode).await.unwrap();
    assert_eq!(output, Opinion::block("main.rs has a todo"));

    let [first, second] = stage.server.requests().try_into().unwrap();
    let first = first.json();
    assert_eq!(first["model"], "my-model");
    let names: Vec<&str> = first["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Read", "LS", "Glob", "Grep"]);
    let asked = first["messages"][0].to_string();
    assert!(asked.contains("session_id"), "{asked}");

    let second = second.json();
    let results = second["messages"][2]["content"].as_array().unwrap();
    let shown: Vec<String> = results.iter().map(Value::to_string).collect();
    for (result, part) in shown.iter().zip([
        "fn main()",
        "main.rs:1:",
        "secret",
        "outside",
        "no tool called Bash",
        "no tool called Write",
    ]) {
        assert!(result.contains(part), "{part}: {result}");
    }
    assert!(!second.to_string().contains("s3cr3t-of-the-project"));
    let kept = fs::read_to_string(stage.root.path().join("main.rs")).unwrap();
    assert!(kept.contains("todo"));
}

#[tokio::test]
async fn answers_are_read_as_those_of_prompt_hooks() {
    for (text, blocked) in [
        ("{\"ok\": true}", None),
        ("ALLOW", None),
        ("All is well.\nALLOW", None),
        ("BLOCK: no", Some("no")),
        ("I read three files.\n\nBLOCK: no", Some("no")),
        ("who knows", None),
    ] {
        for dialect in [Dialect::Generic, Dialect::ClaudeCode] {
            let stage = Stage::new([says(text)]).await;
            let output = stage.judge(dialect).await.unwrap();
            assert_eq!(output.stop_reason.as_deref(), blocked, "{text}");
            assert_eq!(output.end_turn, None, "{text}");
            let unclear = text == "who knows";
            assert_eq!(!output.warnings.is_empty(), unclear, "{text}");
        }
    }
}

#[tokio::test]
async fn without_a_model_the_hook_is_skipped_with_a_warning() {
    let stage = Stage::new([]).await;
    let output = stage.judge_by(Dialect::Generic, None).await.unwrap();
    assert!(output.continue_execution);
    assert!(
        output.warnings[0].contains("the agent hook was skipped"),
        "{output:?}"
    );
}

#[tokio::test]
async fn an_agent_without_end_is_a_failure() {
    let again = || calls(&[("LS", json!({}))]);
    let stage = Stage::new(std::iter::repeat_with(again).take(60)).await;
    let error = stage.judge(Dialect::Generic).await.unwrap_err().to_string();
    assert!(error.contains("within 50 turns"), "{error}");
    assert_eq!(stage.server.requests().len(), 50);
}

#[tokio::test]
async fn a_model_that_cannot_call_tools_is_said() {
    let stage = Stage::new([]).await;
    let model = ModelConfig::new(ModelProvider::Openai, ApiKey::new("k"));
    let error = stage
        .judge_by(Dialect::Generic, Some(&model))
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("[prompt]"), "{error}");
}
