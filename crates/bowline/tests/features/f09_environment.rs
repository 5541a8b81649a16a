//! Feature 09: the variables that a command hook gets, beside the payload on stdin.

use std::collections::HashMap;
use std::fs;

use bowline::hooks::{
    CommandHook, HookContext, HookEvent, HookInput, HookManager, RunStatus, Services, TriggerResult,
};
use serde_json::json;

use super::place::{Place, fire, nested};

/// Runs one hook for one event in a folder of its own and returns what it wrote to `out`.
async fn written(hook: CommandHook, input: HookInput, env: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let env: HashMap<String, String> = env
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let ctx = HookContext::new("s").with_cwd(folder.path()).with_env(env);
    let mut manager = HookManager::new();
    manager.register(hook);
    let result = manager.trigger(input, &ctx).await;
    assert_eq!(result.results[0].status, RunStatus::Ran, "{result:?}");
    fs::read_to_string(folder.path().join("out")).unwrap()
}

fn hook(command: &str, event: HookEvent) -> CommandHook {
    CommandHook::new("env", command, [event])
}

/// A command that writes the variables to `out`, one per line, and `-` for each that is not set.
fn printing(names: &[&str]) -> String {
    let values: Vec<String> = names
        .iter()
        .map(|name| format!("\"${{{name}--}}\""))
        .collect();
    format!("printf '%s\\n' {} >out", values.join(" "))
}

#[tokio::test]
async fn f09_a_a_tool_event_sets_every_family_of_names() {
    let input = HookInput::pre_tool_use(
        "s1",
        "Bash",
        json!({"command": "make all", "file_path": "/a/b.rs"}),
    )
    .with_field("tool_use_id", "toolu_1");
    let expected = [
        ("TOOL_NAME", "Bash"),
        (
            "TOOL_INPUT",
            r#"{"command":"make all","file_path":"/a/b.rs"}"#,
        ),
        ("SESSION_ID", "s1"),
        ("FILE_PATH", "/a/b.rs"),
        ("COMMAND", "make all"),
        ("TOOL_USE_ID", "toolu_1"),
        ("HOOK_TOOL_NAME", "Bash"),
        (
            "HOOK_TOOL_INPUT",
            r#"{"command":"make all","file_path":"/a/b.rs"}"#,
        ),
        ("HOOK_SESSION_ID", "s1"),
        ("HOOK_FILE_PATH", "/a/b.rs"),
        ("HOOK_COMMAND", "make all"),
        ("HOOK_EVENT", "PreToolUse"),
        ("EVENT", "pre_tool_use"),
        ("HTMLGRAPH_SESSION_ID", "s1"),
        ("HTMLGRAPH_TOOL_USE_ID", "toolu_1"),
        ("HTMLGRAPH_TRACE_ID", "toolu_1"),
    ];
    let names: Vec<&str> = expected.iter().map(|(name, _)| *name).collect();
    let out = written(hook(&printing(&names), HookEvent::PreToolUse), input, &[]).await;
    let found: Vec<(&str, &str)> = names.into_iter().zip(out.lines()).collect();
    assert_eq!(found, expected);
}

#[tokio::test]
async fn f09_a_other_events_set_what_they_are_about() {
    for (input, name, expected) in [
        (
            HookInput::subagent_start("s", "a1", "Explore", "looks"),
            "SUBAGENT_NAME",
            "Explore",
        ),
        (
            HookInput::user_prompt_submit("s", "fix it"),
            "USER_PROMPT",
            "fix it",
        ),
        (
            HookInput::user_prompt_submit("s", "fix it"),
            "HOOK_USER_PROMPT",
            "fix it",
        ),
        (
            HookInput::user_prompt_submit("s", "fix it"),
            "TOOL_USE_ID",
            "-",
        ),
        (
            HookInput::post_tool_use("s", "Read", json!("text")).with_field("duration_ms", 7),
            "EXECUTION_TIME_MS",
            "7",
        ),
        (
            HookInput::post_tool_use("s", "Read", json!("text")),
            "HOOK_TOOL_OUTPUT",
            "text",
        ),
        (
            HookInput::post_tool_use_failure("s", "Read", "no such file"),
            "HOOK_ERROR_MESSAGE",
            "no such file",
        ),
    ] {
        let hook = hook(&printing(&[name]), input.event_type());
        assert_eq!(
            written(hook, input, &[]).await,
            format!("{expected}\n"),
            "{name}"
        );
    }
}

#[tokio::test]
async fn f09_a_the_project_folder_is_the_agents_and_the_working_folder_ours() {
    let command = "[ \"$HOOK_WORKING_DIR\" -ef . ] && printf '%s' \"$CLAUDE_PROJECT_DIR\" >out";
    let out = written(
        hook(command, HookEvent::Stop),
        HookInput::stop("s"),
        &[("CLAUDE_PROJECT_DIR", "/the/project")],
    )
    .await;
    assert_eq!(out, "/the/project");
}

#[tokio::test]
async fn f09_b_a_long_value_is_cut_and_whole_on_stdin() {
    let prompt = format!("a\0{}", "ä".repeat(200_000));
    let command = "printf '%s' \"USER_PROMPT=$USER_PROMPT\" >out; cat >>out";
    let out = written(
        hook(command, HookEvent::UserPromptSubmit),
        HookInput::user_prompt_submit("s", &*prompt),
        &[],
    )
    .await;
    let (variable, stdin) = out.split_at(out.find('{').unwrap());
    assert!(variable.starts_with("USER_PROMPT=a\u{FFFD}ää"));
    assert!(variable.ends_with("ä…[cut]"));
    assert!(
        (131_069..=131_071).contains(&variable.len()),
        "{}",
        variable.len()
    );
    let payload: serde_json::Value = serde_json::from_str(stdin).unwrap();
    assert_eq!(payload["prompt"], prompt);
}

#[tokio::test]
async fn f09_c_a_configured_variable_overrides_the_inherited_one() {
    // `CARGO_PKG_NAME` is in this process's environment, `TOOL_NAME` is the event's, `OF_CONTEXT` the context's.
    let hook = hook(
        &printing(&[
            "CARGO_PKG_NAME",
            "TOOL_NAME",
            "OF_CONTEXT",
            "CARGO_PKG_VERSION",
        ]),
        HookEvent::PreToolUse,
    )
    .env("CARGO_PKG_NAME", "mine")
    .env("TOOL_NAME", "mine")
    .env("OF_CONTEXT", "mine");
    let input = HookInput::pre_tool_use("s", "Bash", json!({}));
    let out = written(hook, input, &[("OF_CONTEXT", "theirs")]).await;
    assert_eq!(
        out,
        format!("mine\nmine\nmine\n{}\n", env!("CARGO_PKG_VERSION"))
    );
}

/// The project's folder is known from the settings, wherever the session's folder is.
#[tokio::test]
async fn f09_a_configured_hooks_know_their_project() {
    let place = Place::new();
    place.write(
        "project/.claude/settings.json",
        r#"{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "echo $CLAUDE_PROJECT_DIR"}]}]}}"#,
    );
    place.write("project/sub/file", "");
    let manager = place.manager();
    let start = || HookInput::session_start("s");
    let sub = HookContext::new("s").with_cwd(place.path("project/sub"));
    let said = |result: TriggerResult| result.output.additional_context;
    let project = place.path("project").display().to_string();
    assert_eq!(
        said(manager.trigger(start(), &sub).await),
        Some(project.clone())
    );
    assert_eq!(
        said(manager.trigger(start(), &HookContext::new("s")).await),
        Some(project)
    );
    let named = HashMap::from([("CLAUDE_PROJECT_DIR".to_owned(), "/elsewhere".to_owned())]);
    let named = sub.with_env(named);
    assert_eq!(
        said(manager.trigger(start(), &named).await).as_deref(),
        Some("/elsewhere")
    );
}

/// With an empty variable `rm -r ${CLAUDE_PLUGIN_ROOT}/x` would mean something else.
#[tokio::test]
async fn f09_a_command_that_needs_a_plugin_and_has_none_does_not_start() {
    let place = Place::new();
    place.write(
        "project/.claude/settings.json",
        nested("echo ${CLAUDE_PLUGIN_ROOT}/x >ran"),
    );
    let input = HookInput::pre_tool_use("s", "Bash", json!({}));
    let result = fire(&place, &place.manager(), input).await;
    assert_eq!(result.results[0].status, RunStatus::Failed, "{result:?}");
    assert!(!place.path("project/ran").exists());
}

#[tokio::test]
async fn f09_hooks_of_claude_codes_files_find_the_clients_variables() {
    let place = Place::new();
    let print = "echo $CLAUDECODE $CLAUDE_CODE_SESSION_ID $CLAUDE_ENV_FILE";
    let settings = json!({"hooks": {
        "SessionStart": [{"hooks": [{"type": "command", "command": print}]}],
        "UserPromptSubmit": [{"hooks": [{"type": "command", "command": print}]}],
    }});
    place.write("project/.claude/settings.json", settings.to_string());
    let settings = place.load();
    let manager = settings.manager(Services::of_caller(&settings, &place.locations));
    let path = std::env::var("PATH").unwrap_or_default();
    let own = HashMap::from([("PATH".to_owned(), path)]);
    let clients = HashMap::from([
        ("CLAUDECODE".to_owned(), "x".to_owned()),
        ("CLAUDE_ENV_FILE".to_owned(), "/its/own".to_owned()),
    ]);
    for (input, env, expected) in [
        (
            HookInput::session_start("s1"),
            own.clone(),
            "1 s1 /dev/null",
        ),
        (
            HookInput::user_prompt_submit("s1", "x"),
            own.clone(),
            "1 s1",
        ),
        // What the client itself sets stays.
        (
            HookInput::session_start("s1"),
            own.into_iter().chain(clients).collect(),
            "x s1 /its/own",
        ),
    ] {
        let ctx = HookContext::new("s1")
            .with_cwd(place.path("project"))
            .with_env(env);
        let said = manager.trigger(input, &ctx).await.output;
        assert_eq!(said.additional_context.unwrap().trim(), expected);
    }
}
