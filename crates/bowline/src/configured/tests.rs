//! What settings say reaches what runs: from the text of a file to the decision.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::*;
use crate::decision::Decision;
use crate::manager::TriggerResult;
use crate::settings::{self, Locations};
#[cfg(any(feature = "http", feature = "prompt"))]
use crate::test_server::{Reply, Server};

/// A user with a file of their own, and nothing else.
struct User {
    home: PathBuf,
    settings: Settings,
    services: Services,
    _root: tempfile::TempDir,
}

impl User {
    fn with(config: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        let locations = Locations::under(root.path());
        let file = locations.user_config.clone().unwrap();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, config).unwrap();
        let settings = settings::load(root.path(), &locations);
        assert!(settings.diagnostics.is_empty(), "{settings:?}");
        Self {
            home: locations.home.clone().unwrap(),
            services: Services::from_settings(&settings, &locations),
            settings,
            _root: root,
        }
    }

    fn manager(&self) -> HookManager {
        self.settings.manager(self.services.clone())
    }

    async fn uses(&self, tool: &str, input: Value) -> TriggerResult {
        let input = HookInput::pre_tool_use("s", tool, input);
        let mut ctx = HookContext::new("s");
        ctx.env.insert("TOKEN".to_owned(), "s3cr3t".to_owned());
        self.manager().trigger(input, &ctx).await
    }
}

/// One hook on `PreToolUse`, in TOML.
fn hook(fields: &str) -> String {
    format!("[[hooks.PreToolUse]]\n{fields}\n")
}

#[tokio::test]
async fn the_exit_policy_is_the_hooks_own() {
    for (policy, expected) in [
        ("any_non_zero", Decision::Deny),
        ("only_two", Decision::NoOpinion),
    ] {
        let user = User::with(&hook(&format!(
            "command = 'exit 1'\nexit_policy = '{policy}'"
        )));
        let result = user.uses("Bash", json!({})).await;
        assert_eq!(result.output.decision(), expected, "{policy}");
    }
}

#[tokio::test]
async fn the_timeout_is_the_hooks_own() {
    let user = User::with(&hook(
        "command = 'sleep 60'\ntimeout_ms = 50\non_failure = 'block'",
    ));
    let reason = user.uses("Bash", json!({})).await.output.stop_reason;
    assert!(reason.as_ref().unwrap().contains("50 ms"), "{reason:?}");
}

#[test]
fn the_priority_is_the_hooks_own() {
    let user = User::with(
        &(hook("name = 'usual'\ncommand = ':'")
            + &hook("name = 'early'\ncommand = ': 2'\npriority = 5")),
    );
    let mut manager = HookManager::new();
    manager.register(CommandHook::new("own", ":", [HookEvent::PreToolUse]));
    user.settings
        .register_into(&mut manager, user.services.clone());
    assert_eq!(manager.names(), ["early", "own", "usual"]);
}

#[tokio::test]
async fn conditions_know_the_home() {
    let user = User::with(&hook("command = 'exit 1'\nif = 'Read(~/secret)'"));
    for (file, allowed) in [("secret", false), ("public", true)] {
        let result = user
            .uses("Read", json!({"file_path": user.home.join(file)}))
            .await;
        assert_eq!(result.allowed, allowed, "{file}");
    }
}

#[cfg(feature = "http")]
#[tokio::test]
async fn an_http_hook_posts_the_event_and_its_answer_decides() {
    let server = Server::start([Reply::new(200, r#"{"decision":"block","reason":"no"}"#)]).await;
    let user = User::with(&hook(&format!(
        "type = 'http'\nurl = '{}'\nheaders = {{ X-Token = '$TOKEN' }}\nallowed_env_vars = ['TOKEN']",
        server.url("/judge")
    )));
    let result = user.uses("Bash", json!({"command": "ls"})).await;
    assert_eq!(result.output, Opinion::block("no"));

    let request = &server.requests()[0];
    assert_eq!(request.line(), "POST /judge");
    assert_eq!(request.header("x-token"), ["s3cr3t"]);
    let body = request.json();
    assert_eq!(body["hook_event_name"], "PreToolUse");
    assert_eq!(body["tool_input"]["command"], "ls");
}

#[cfg(feature = "http")]
#[tokio::test]
async fn an_http_hook_that_fails_follows_its_policy() {
    for (on_failure, expected) in [
        ("allow", Decision::NoOpinion),
        ("ask", Decision::Ask),
        ("block", Decision::Deny),
    ] {
        let server = Server::start([Reply::new(500, "")]).await;
        let user = User::with(&hook(&format!(
            "type = 'http'\nurl = '{}'\non_failure = '{on_failure}'",
            server.url("/")
        )));
        let result = user.uses("Bash", json!({})).await;
        assert_eq!(result.output.decision(), expected, "{on_failure}");
        let error = result.results[0].error.clone().unwrap();
        assert!(error.contains("500"), "{error}");
    }
}

#[cfg(feature = "http")]
#[test]
fn settings_name_the_hosts_that_need_no_tls() {
    let user = User::with("[http]\nallow_insecure_hosts = ['box.lan']\n");
    assert_eq!(user.services.http.allow_insecure_hosts, ["box.lan"]);
}

#[cfg(feature = "agent")]
#[tokio::test]
async fn an_agent_hook_asks_the_model_of_the_settings_and_keeps_off_what_they_deny() {
    let turn = |stop_reason: &str, content: Value| {
        let body = json!({ "content": content, "stop_reason": stop_reason, "usage": {} });
        Reply::new(200, body.to_string())
    };
    let read = |id: &str, file: &str| json!({ "type": "tool_use", "id": id, "name": "Read", "input": { "file_path": file } });
    let server = Server::start([
        turn(
            "tool_use",
            json!([read("1", "internal/plan.md"), read("2", "home/notes.md")]),
        ),
        turn(
            "end_turn",
            json!([{ "type": "text", "text": "BLOCK: not now" }]),
        ),
    ])
    .await;
    let user = User::with(&format!(
        "[prompt]\nbase_url = '{}'\napi_key_env = 'CARGO_PKG_NAME'\nmodel = 'small'\n\
         [guard.sensitive]\ndeny = ['internal/**']\n{}",
        server.url(""),
        hook("type = 'agent'\nprompt = 'Is $COMMAND safe?'")
    ));
    let project = &user.settings.project;
    fs::create_dir_all(project.join("internal")).unwrap();
    fs::write(project.join("internal/plan.md"), "the plan").unwrap();
    fs::write(user.home.join("notes.md"), "the notes").unwrap();
    let result = user.uses("Bash", json!({"command": "ls"})).await;
    assert_eq!(result.output, Opinion::block("not now"));
    let [first, second] = server.requests().try_into().unwrap();
    assert_eq!(first.json()["model"], "small");
    let results = second.json()["messages"][2].to_string();
    assert!(results.contains("the notes"), "{results}");
    assert!(!results.contains("the plan"), "{results}");
}

#[cfg(feature = "prompt")]
#[tokio::test]
async fn a_prompt_hook_asks_the_model_of_the_settings() {
    let body = json!({"content": [{"type": "text", "text": "BLOCK: too risky"}]});
    let server = Server::start([Reply::new(200, body.to_string())]).await;
    // Cargo sets the variable; what it holds is as good as a key.
    let user = User::with(&format!(
        "[prompt]\nbase_url = '{}'\napi_key_env = 'CARGO_PKG_NAME'\nmodel = 'small'\n{}",
        server.url(""),
        hook("type = 'prompt'\nprompt = 'Is $COMMAND safe?'")
    ));
    let result = user.uses("Bash", json!({"command": "ls"})).await;
    assert_eq!(result.output, Opinion::block("too risky"));
    let request = &server.requests()[0];
    assert_eq!(request.header("x-api-key"), [env!("CARGO_PKG_NAME")]);
    assert_eq!(request.json()["model"], "small");
}
