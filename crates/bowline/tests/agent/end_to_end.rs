//! Prompts in, replies out: what ran, what hooks saw, what the model was told.

use std::path::Path;
use std::sync::{Arc, Mutex};

use bowline::Error;
use bowline::agent::{Agent, AgentBuilder, StopReason, Tool};
use bowline::hooks::{
    CancellationToken, ExecutionContext, FnHook, HookEvent, HookInput, Opinion, ToolOutput,
    async_trait,
};
use bowline::settings::Locations;
use bowline_testkit::Sandbox;
use serde_json::{Value, json};

use super::scripted_model::{ScriptedModel, calls, says};

type Seen = Arc<Mutex<Vec<HookInput>>>;

struct Stage {
    sandbox: Sandbox,
    model: ScriptedModel,
    seen: Seen,
}

impl Stage {
    async fn with(answers: Vec<(u16, Value)>) -> Self {
        Self {
            sandbox: Sandbox::new(),
            model: ScriptedModel::start(answers).await.expect("a model"),
            seen: Seen::default(),
        }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.sandbox.project().join(name)
    }

    fn builder(&self) -> AgentBuilder {
        connected(Agent::builder(), &self.model).cwd(self.sandbox.project())
    }

    /// An agent with one hook, which records every event and answers what the closure says.
    async fn agent(&self, answer: impl Fn(&HookInput) -> Opinion + Send + Sync + 'static) -> Agent {
        self.builder()
            .hook(self.recorder(answer))
            .build()
            .await
            .expect("an agent")
    }

    fn recorder(&self, answer: impl Fn(&HookInput) -> Opinion + Send + Sync + 'static) -> FnHook {
        let record = Arc::clone(&self.seen);
        FnHook::new(
            "scripted",
            HookEvent::ALL.iter().copied(),
            move |input, _| {
                let output = answer(&input);
                record.lock().unwrap().push(input);
                async { Ok(output) }
            },
        )
    }

    fn events(&self) -> Vec<&'static str> {
        let seen = self.seen.lock().unwrap();
        seen.iter().map(|input| input.event_type().name()).collect()
    }

    /// The last message of a request to the model.
    fn last_message(&self, request: usize) -> Value {
        let requests = self.model.requests();
        let messages = requests[request]["messages"].as_array().expect("messages");
        messages.last().expect("a message").clone()
    }
}

fn connected(builder: AgentBuilder, model: &ScriptedModel) -> AgentBuilder {
    builder
        .base_url(model.url())
        .api_key("no-key")
        .model("scripted")
}

fn allow(_: &HookInput) -> Opinion {
    Opinion::allow()
}

fn bash(command: &str) -> (&'static str, Value) {
    ("Bash", json!({ "command": command }))
}

#[tokio::test]
async fn an_allowed_tool_runs_and_the_model_gets_its_result() {
    let stage = Stage::with(vec![
        calls(&[bash("echo hello > made; cat made")]),
        says("done"),
    ])
    .await;
    let mut agent = stage.agent(allow).await;
    let reply = agent.run("make a file").await.expect("a reply");
    assert_eq!(reply.text, "done");
    assert_eq!((reply.turns, reply.tool_calls, reply.denials), (2, 1, 0));
    assert_eq!(reply.stop_reason, StopReason::Finished);
    assert_eq!(
        (reply.usage.input_tokens, reply.usage.output_tokens),
        (200, 20)
    );
    agent.end().await;

    assert_eq!(
        std::fs::read_to_string(stage.path("made")).unwrap(),
        "hello\n"
    );
    let result = &stage.last_message(1)["content"][0];
    assert_eq!(result["tool_use_id"], "call-0");
    assert_eq!(result["content"], "hello");
    assert_eq!(result.get("is_error"), None);
    let request = &stage.model.requests()[0];
    assert_eq!(request["model"], "scripted");
    let tools: Vec<_> = request["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(tools, ["Bash", "Read", "Write", "Edit", "Task"]);
    assert_eq!(
        stage.events(),
        [
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "PostToolBatch",
            "Stop",
            "SessionEnd"
        ]
    );
}

#[tokio::test]
async fn a_denied_tool_does_not_run_and_the_model_gets_the_reason() {
    let stage = Stage::with(vec![calls(&[bash("touch made")]), says("a pity")]).await;
    let mut agent = stage
        .agent(|input| match input.event_type() {
            HookEvent::PreToolUse => Opinion::block("files are made by hand here"),
            _ => Opinion::allow(),
        })
        .await;
    let reply = agent.run("make a file").await.expect("a reply");
    assert_eq!((reply.tool_calls, reply.denials), (1, 1));
    assert!(!stage.path("made").exists());
    let result = &stage.last_message(1)["content"][0];
    assert_eq!(result["content"], "files are made by hand here");
    assert_eq!(result["is_error"], true);
}

#[tokio::test]
async fn a_rewritten_input_is_what_runs() {
    let stage = Stage::with(vec![calls(&[bash("touch made")]), says("done")]).await;
    let mut agent = stage
        .agent(|input| match input.event_type() {
            HookEvent::PreToolUse => {
                Opinion::allow().updated_input(json!({"command": "touch rewritten"}))
            }
            _ => Opinion::allow(),
        })
        .await;
    agent.run("make a file").await.expect("a reply");
    assert!(!stage.path("made").exists());
    assert!(stage.path("rewritten").exists());
}

#[tokio::test]
async fn a_failing_or_unknown_tool_is_an_error_that_the_model_sees() {
    let stage = Stage::with(vec![
        calls(&[bash("echo broken >&2; exit 3"), ("Teleport", json!({}))]),
        says("I see"),
    ])
    .await;
    let mut agent = stage.agent(allow).await;
    agent.run("fail").await.expect("a reply");
    let content = stage.last_message(1)["content"].clone();
    assert_eq!(content[0]["content"], "exit code 3\nbroken");
    assert_eq!(content[0]["is_error"], true);
    let unknown = content[1]["content"].as_str().unwrap();
    assert!(unknown.contains("no tool called Teleport"), "{unknown}");
    let failures = stage
        .events()
        .iter()
        .filter(|event| **event == "PostToolUseFailure")
        .count();
    assert_eq!(failures, 2);
}

#[tokio::test]
async fn what_hooks_say_reaches_the_model_and_the_caller() {
    let stage = Stage::with(vec![calls(&[bash("true")]), says("done")]).await;
    let mut agent = stage
        .agent(|input| match input.event_type() {
            HookEvent::SessionStart => Opinion::allow().context("the main branch is frozen"),
            HookEvent::UserPromptSubmit => Opinion::allow().system_message("be brief"),
            HookEvent::PostToolUse => Opinion::block("now run the tests"),
            _ => Opinion::allow(),
        })
        .await;
    let reply = agent.run("go").await.expect("a reply");
    assert_eq!(reply.notes.context, ["the main branch is frozen"]);
    assert_eq!(reply.notes.system_messages, ["be brief"]);
    let first = stage.last_message(0)["content"].to_string();
    assert!(
        first.contains("the main branch is frozen") && first.contains("be brief"),
        "{first}"
    );
    let result = stage.last_message(1)["content"][0]["content"].to_string();
    assert!(result.contains("now run the tests"), "{result}");
}

#[tokio::test]
async fn a_subagent_works_between_its_start_and_its_stop() {
    let task = json!({"description": "look", "prompt": "look around", "subagent_type": "scout"});
    let stage = Stage::with(vec![
        calls(&[("Task", task)]),
        calls(&[bash("echo found")]),
        says("there is something"),
        says("the scout found something"),
    ])
    .await;
    let mut agent = stage
        .agent(|input| match input.event_type() {
            HookEvent::SubagentStart => Opinion::allow().context("mind the step"),
            HookEvent::SubagentStop => Opinion::allow().system_message("the scout is back"),
            _ => Opinion::allow(),
        })
        .await;
    let reply = agent.run("send a scout").await.expect("a reply");
    assert_eq!(reply.text, "the scout found something");
    assert_eq!((reply.turns, reply.tool_calls), (2, 2));
    assert_eq!(reply.usage.input_tokens, 400);
    assert_eq!(reply.notes.system_messages, ["the scout is back"]);

    assert_eq!(
        stage.events(),
        [
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "SubagentStart",
            "PreToolUse",
            "PostToolUse",
            "PostToolBatch",
            "SubagentStop",
            "PostToolUse",
            "PostToolBatch",
            "Stop"
        ]
    );
    let seen = stage.seen.lock().unwrap();
    let id = seen[3].subagent_id().expect("an id");
    for inside in &seen[3..8] {
        assert_eq!(inside.agent_id(), Some(id));
        assert_eq!(inside.agent_type(), Some("scout"));
    }
    assert_eq!(seen[2].agent_id(), None);
    drop(seen);

    let requests = stage.model.requests();
    let opening = requests[1]["messages"][0]["content"].to_string();
    assert!(
        opening.contains("look around") && opening.contains("mind the step"),
        "{opening}"
    );
    let tools = requests[1]["tools"].to_string();
    assert!(
        !tools.contains("\"Task\""),
        "a sub-agent starts no sub-agents"
    );
    assert_eq!(
        stage.last_message(3)["content"][0]["content"],
        "there is something"
    );
}

#[tokio::test]
async fn a_refused_subagent_does_not_start() {
    let task = json!({"description": "look", "prompt": "look around"});
    let stage = Stage::with(vec![calls(&[("Task", task)]), says("alone then")]).await;
    let mut agent = stage
        .agent(|input| match input.event_type() {
            HookEvent::SubagentStart => Opinion::block("no helpers"),
            _ => Opinion::allow(),
        })
        .await;
    agent.run("send a scout").await.expect("a reply");
    assert_eq!(stage.model.requests().len(), 2);
    let result = stage.last_message(1)["content"][0].to_string();
    assert!(result.contains("no helpers"), "{result}");
    assert!(!stage.events().contains(&"SubagentStop"));
}

#[tokio::test]
async fn a_stop_hook_sends_the_agent_on_once() {
    let stage = Stage::with(vec![says("done"), says("now really")]).await;
    let mut agent = stage
        .agent(|input| match input.event_type() {
            HookEvent::Stop => Opinion::block("the tests fail"),
            _ => Opinion::allow(),
        })
        .await;
    let reply = agent.run("go").await.expect("a reply");
    assert_eq!((reply.text.as_str(), reply.turns), ("now really", 2));
    let feedback = stage.last_message(1)["content"][0]["text"].clone();
    assert_eq!(feedback, "Stop hook feedback:\nthe tests fail");
    assert!(reply.notes.warnings[0].contains("the tests fail"));
}

#[tokio::test]
async fn a_refused_prompt_never_reaches_the_model_and_ends_the_session() {
    let stage = Stage::with(vec![says("hello")]).await;
    let mut agent = stage
        .agent(|input| match input.prompt() {
            Some("secret") => Opinion::block("not that").system_message("ask someone else"),
            _ => Opinion::allow(),
        })
        .await;
    match agent.run("secret").await {
        Err(Error::Refused { reason }) => assert_eq!(reason, "not that"),
        other => panic!("{other:?}"),
    }
    assert_eq!(agent.take_notes().system_messages, ["ask someone else"]);
    assert!(stage.model.requests().is_empty());
    assert_eq!(
        stage.events(),
        ["SessionStart", "UserPromptSubmit", "SessionEnd"]
    );
    // Ending twice is once; a better prompt starts again, without the refused one.
    agent.end().await;
    agent.run("hello").await.expect("a reply");
    assert_eq!(
        stage.events()[3..],
        ["SessionStart", "UserPromptSubmit", "Stop"]
    );
    assert!(!stage.model.requests()[0].to_string().contains("secret"));
}

#[tokio::test]
async fn a_large_conversation_is_compacted() {
    let stage = Stage::with(vec![
        calls(&[bash("echo first-result")]),
        calls(&[bash("echo second-result")]),
        says("the summary"),
        says("done"),
    ])
    .await;
    let mut agent = stage
        .builder()
        .compact_above(50)
        .hook(stage.recorder(|input| match input.event_type() {
            HookEvent::PreCompact => Opinion::allow().context("keep the names"),
            HookEvent::SessionStart if input.source() == Some("compact") => {
                Opinion::allow().context("you are in a project")
            }
            _ => Opinion::allow(),
        }))
        .build()
        .await
        .expect("an agent");
    let reply = agent.run("the task").await.expect("a reply");
    assert_eq!((reply.text.as_str(), reply.turns), ("done", 3));

    let summary_request = stage.model.requests()[2].to_string();
    for part in ["the task", "first-result", "keep the names"] {
        assert!(summary_request.contains(part), "{part}: {summary_request}");
    }
    assert!(!summary_request.contains("second-result"));
    let compacted = stage.model.requests()[3]["messages"].clone();
    let opening = compacted[0]["content"].to_string();
    assert!(opening.contains("the summary") && opening.contains("you are in a project"));
    assert_eq!(compacted.as_array().unwrap().len(), 3);
    assert_eq!(compacted[2]["content"][0]["content"], "second-result");
    let events = stage.events();
    let at = events
        .iter()
        .position(|event| *event == "PreCompact")
        .unwrap();
    assert_eq!(
        events[at..at + 3],
        ["PreCompact", "PostCompact", "SessionStart"]
    );
}

#[tokio::test]
async fn a_busy_model_is_asked_once_more_and_a_broken_one_fails_the_turn() {
    let busy = (529, json!({"error": {"message": "busy"}}));
    let stage = Stage::with(vec![
        busy.clone(),
        says("here I am"),
        (400, json!({"error": {"message": "what?"}})),
        says("better"),
    ])
    .await;
    let mut agent = stage.agent(allow).await;
    let reply = agent.run("hello").await.expect("a reply");
    assert_eq!(reply.text, "here I am");
    let error = agent.run("again").await.unwrap_err().to_string();
    assert!(error.contains("what?"), "{error}");
    {
        let seen = stage.seen.lock().unwrap();
        let failure = seen.last().unwrap();
        assert_eq!(failure.event_type(), HookEvent::StopFailure);
        assert_eq!(failure.error(), Some("invalid_request"));
    }
    // The conversation is still usable.
    assert_eq!(agent.run("and now?").await.expect("a reply").text, "better");
}

#[tokio::test]
async fn the_loop_is_bounded() {
    let stage = Stage::with((0..5).map(|_| calls(&[bash("true")])).collect()).await;
    let mut agent = stage
        .builder()
        .max_turns(3)
        .hook(stage.recorder(allow))
        .build()
        .await
        .expect("an agent");
    let reply = agent.run("go").await.expect("a reply");
    assert_eq!(reply.stop_reason, StopReason::MaxTurns);
    assert_eq!(stage.model.requests().len(), 3);
    assert_eq!(stage.events().last(), Some(&"Stop"));
}

#[tokio::test]
async fn a_hook_can_end_the_turn() {
    let stage = Stage::with(vec![calls(&[bash("touch made")])]).await;
    let mut agent = stage
        .agent(|input| match input.event_type() {
            HookEvent::PreToolUse => Opinion {
                end_turn: Some("that is enough".into()),
                ..Opinion::allow()
            },
            _ => Opinion::allow(),
        })
        .await;
    let reply = agent.run("go").await.expect("a reply");
    let reason = "that is enough".to_owned();
    assert_eq!(reply.stop_reason, StopReason::EndedByHook { reason });
    assert!(stage.path("made").exists());
}

#[tokio::test]
async fn a_cut_answer_runs_nothing() {
    let (status, mut cut) = calls(&[bash("touch made")]);
    cut["stop_reason"] = "max_tokens".into();
    let stage = Stage::with(vec![(status, cut), says("shorter")]).await;
    let mut agent = stage.agent(allow).await;
    let reply = agent.run("go").await.expect("a reply");
    assert_eq!(reply.stop_reason, StopReason::Model("max_tokens".into()));
    assert!(!stage.path("made").exists());
    // The next request answers the call that was cut, as the API demands.
    agent.run("shorter, please").await.expect("a reply");
    let messages = stage.model.requests()[1]["messages"].clone();
    assert_eq!(messages[2]["content"][0]["tool_use_id"], "call-0");
}

#[tokio::test]
async fn cancelling_ends_the_run() {
    struct Cancel(CancellationToken);

    #[async_trait]
    impl Tool for Cancel {
        fn name(&self) -> &'static str {
            "Cancel"
        }
        fn description(&self) -> &'static str {
            "Cancels everything."
        }
        fn input_schema(&self) -> Value {
            json!({"type": "object"})
        }
        async fn run(&self, _: Value, _: &ExecutionContext) -> Result<ToolOutput, String> {
            self.0.cancel();
            Ok(ToolOutput::new("cancelled"))
        }
    }

    let token = CancellationToken::new();
    let task = json!({"description": "wait", "prompt": "wait"});
    let stage = Stage::with(vec![
        calls(&[("Task", task)]),
        calls(&[("Cancel", json!({})), bash("sleep 600")]),
    ])
    .await;
    let mut agent = stage
        .builder()
        .cancellation(token.clone())
        .tool(Cancel(token))
        .hook(stage.recorder(allow))
        .build()
        .await
        .expect("an agent");
    let error = agent.run("go").await.unwrap_err().to_string();
    assert!(error.contains("cancelled"), "{error}");
    agent.end().await;
    let events = stage.events();
    assert!(events.contains(&"SubagentStop"), "{events:?}");
    assert_eq!(events[events.len() - 2..], ["StopFailure", "SessionEnd"]);
}

#[tokio::test]
async fn the_hooks_of_claude_code_settings_apply() {
    let stage = Stage::with(vec![
        calls(&[bash("touch made"), bash("touch allowed")]),
        says("one of them"),
    ])
    .await;
    std::fs::create_dir(stage.path(".claude")).unwrap();
    let deny =
        r#"case "$(cat)" in *"touch made"*) echo "not in $CLAUDE_PROJECT_DIR" >&2; exit 2;; esac"#;
    let settings = json!({"hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": deny}]}],
        "PreToolUze": [],
    }});
    std::fs::write(stage.path(".claude/settings.json"), settings.to_string()).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let builder = Agent::builder()
        .from_claude_code(stage.sandbox.project())
        .await
        .unwrap()
        .hook(stage.recorder(allow))
        .locations(Locations::under(elsewhere.path()));
    let mut agent = connected(builder, &stage.model).build().await.unwrap();
    let reply = agent.run("make two files").await.expect("a reply");

    assert_eq!((reply.tool_calls, reply.denials), (2, 1));
    assert!(!stage.path("made").exists());
    assert!(stage.path("allowed").exists());
    let reason = stage.last_message(1)["content"][0]["content"].to_string();
    let project = stage.sandbox.project();
    assert!(
        reason.contains(&format!("not in {}", project.display())),
        "{reason}"
    );
    let warnings = reply.notes.warnings.join("\n");
    assert!(warnings.contains("PreToolUze"), "{warnings}");
    assert_eq!(stage.events()[..2], ["SessionStart", "UserPromptSubmit"]);
}

#[tokio::test]
async fn without_a_key_or_a_folder_there_is_no_agent() {
    let missing = Path::new("/does/not/exist");
    let builder = Agent::builder().api_key("no-key").cwd(missing);
    let error = builder.build().await.unwrap_err().to_string();
    assert!(error.contains("/does/not/exist"), "{error}");
}
