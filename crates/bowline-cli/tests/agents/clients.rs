//! One policy for every agent: the real clients with Bowline in them, headless and offline, under the same settings.
//!
//! A client runs where its variable names it (`CLINE_BIN`, `CODEX_BIN`, `COPILOT_BIN`, `DROID_BIN`, `GEMINI_BIN`, `GROK_BIN`, `KIMI_BIN`, `OPENCODE_BIN`, `QWEN_BIN`,
//! `CLAUDE_BIN`), and `python3` plays its model. What each may be expected to do is what `docs/agents.md` says, which comes from the same
//! functions.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use bowline_agents::ability::{Heard, Said, heard};
use bowline_agents::{Agent, HookEvent, named};
use bowline_testkit::{Ran, Sandbox, built, needs, script, until};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::realclient::harness;

/// The person's settings, the same for every agent.
const SETTINGS: &str = r#"
[[rule]]
id = "printed-otherwise"
command = "echo original"
verdict = "rewrite"
rewrite = "echo rewritten"

[[hooks.SessionStart]]
hooks = [{ type = "command", command = "printf '{\"additional_context\": \"The shed is green.\"}'" }]

[[hooks.UserPromptSubmit]]
hooks = [{ type = "command", command = "printf '{\"additional_context\": \"The roof is brown.\"}'" }]

[[hooks.PostToolUse]]
hooks = [{ type = "command", command = "printf '{\"additional_context\": \"The door is blue.\"}'" }]
"#;

/// The texts of these hooks, and where the agent has to hear them.
const CONTEXTS: [(&str, HookEvent); 3] = [
    ("The shed is green.", HookEvent::SessionStart),
    ("The roof is brown.", HookEvent::UserPromptSubmit),
    ("The door is blue.", HookEvent::PostToolUse),
];

/// What an agent does not report where it has no terminal.
const UNREPORTED: [(&str, HookEvent); 2] = [
    ("cline", HookEvent::UserPromptSubmit),
    ("droid", HookEvent::UserPromptSubmit),
];

const DONE: &str = "All that could be done is done.";

#[needs(client)]
#[test]
fn claude_code_keeps_to_the_policy() {
    keeps_to_the_policy("claude-code", "CLAUDE_BIN");
}

#[needs(cline)]
#[test]
fn cline_keeps_to_the_policy() {
    keeps_to_the_policy("cline", "CLINE_BIN");
}

#[needs(codex)]
#[test]
fn codex_keeps_to_the_policy() {
    keeps_to_the_policy("codex", "CODEX_BIN");
}

#[needs(copilot)]
#[test]
fn copilot_keeps_to_the_policy() {
    keeps_to_the_policy("copilot", "COPILOT_BIN");
}

#[needs(droid)]
#[test]
fn droid_keeps_to_the_policy() {
    keeps_to_the_policy("droid", "DROID_BIN");
}

#[needs(gemini)]
#[test]
fn gemini_keeps_to_the_policy() {
    keeps_to_the_policy("gemini", "GEMINI_BIN");
}

#[needs(grok)]
#[test]
fn grok_keeps_to_the_policy() {
    keeps_to_the_policy("grok", "GROK_BIN");
}

#[needs(kimi)]
#[test]
fn kimi_keeps_to_the_policy() {
    keeps_to_the_policy("kimi", "KIMI_BIN");
}

#[needs(opencode)]
#[test]
fn opencode_keeps_to_the_policy() {
    keeps_to_the_policy("opencode", "OPENCODE_BIN");
}

#[needs(qwen)]
#[test]
fn qwen_keeps_to_the_policy() {
    keeps_to_the_policy("qwen", "QWEN_BIN");
}

/// A session that does something harmless, something destructive and something that a rule changes.
fn keeps_to_the_policy(agent: &'static str, variable: &str) {
    let (work, sandbox) = prepared(SETTINGS);
    let client = PathBuf::from(env::var_os(variable).unwrap());
    put_in(&sandbox, agent, &client);

    let agent = named(agent).unwrap();
    goes_well(&sandbox, agent, &scenario(agent), work.path());
    is_recorded(&sandbox, agent);

    let mut uninstall = sandbox.command(&["uninstall", "--agent", agent.name, "--yes"]);
    Ran::of(uninstall.env("PATH", path_with(&client))).expect(0, &[]);
    let left = sandbox.run(&["doctor", "--agent", agent.name, "--json"]);
    assert!(left.stdout.contains("do not name Bowline"), "{left}");
}

/// Cline has no answer that denies one call: what it runs instead must do nothing, and say why. A script of the person's own runs, too.
#[needs(cline)]
#[test]
fn cline_says_why_a_call_of_any_of_its_tools_is_denied() {
    let tools = [
        (
            "Bash",
            "run_commands",
            json!({"commands": ["touch made.txt"]}),
        ),
        (
            "Write",
            "editor",
            json!({"path": "made.txt", "new_text": "x"}),
        ),
        ("Read", "read_files", json!({"files": [{"path": "a.txt"}]})),
        ("Grep", "search_codebase", json!({"queries": ["a .ecret"]})),
        (
            "WebFetch",
            "fetch_web_content",
            json!({"requests": [{"url": "https://example.com/", "prompt": "Read it."}]}),
        ),
    ];
    let reason = |tool: &str| format!("{tool} isn't for `$HOME`\\'s guests; ask.");
    let rules = tools.each_ref().map(|(tool, ..)| {
        let answer = json!({"continue_execution": false, "decision": "deny", "stop_reason": reason(tool)});
        let file = format!("home/{tool}.json");
        (format!("[[hooks.PreToolUse]]\nmatcher = \"{tool}\"\nhooks = [{{ type = \"command\", command = \"cat ~/{tool}.json\" }}]\n"), file, answer)
    });
    let settings: String = rules.iter().map(|(rule, ..)| rule.as_str()).collect();
    let (work, sandbox) = prepared(&settings);
    for (_, file, answer) in &rules {
        sandbox.write(file, answer.to_string());
    }
    sandbox.write("project/a.txt", "a secret\n");
    let own = sandbox
        .folder("home/Documents/Cline/Hooks")
        .join("PreToolUse");
    script(
        &own,
        "#!/bin/sh\ncat >/dev/null\necho >> \"$HOME/own.log\"\n",
    );
    let client = PathBuf::from(env::var_os("CLINE_BIN").unwrap());
    put_in(&sandbox, "cline", &client);

    let agent = named("cline").unwrap();
    let turn = |(_, name, input): &(&str, &str, Value)| json!({"text": "Going on.", "tools": [{"name": name, "input": input}]});
    let mut turns: Vec<Value> = tools.iter().map(turn).collect();
    turns.push(json!({"text": DONE}));
    // No shell and no path may find anything in a reason.
    let told = tools
        .each_ref()
        .map(|(tool, ..)| format!("{tool} isn\\\"t for `$HOME`"));
    let scenario = json!({
        "prompt": "Tidy up, please.",
        "turns": turns,
        "expect": {
            "exit_code": 0,
            "result": DONE,
            "tools": tools.each_ref().map(|it| it.1),
            "model_sees": told,
            "model_never_sees": ["a secret"],
            "files": {"made.txt": null},
        },
    });
    goes_well(&sandbox, agent, &scenario, work.path());

    let answer = sandbox.json(&["trace", "list", "--limit", "100"]);
    let traces = answer["traces"].as_array().unwrap().iter().rev();
    let seen: Vec<_> = traces.map(|it| (&it["tool"], &it["status"])).collect();
    let denied = json!("denied");
    let names = tools.each_ref().map(|it| json!(it.0));
    let expected: Vec<_> = names.iter().map(|tool| (tool, &denied)).collect();
    assert_eq!(seen, expected);
    let own_runs = fs::read_to_string(sandbox.path("home/own.log")).unwrap();
    assert_eq!(own_runs.lines().count(), tools.len());
}

/// A sandbox with these settings of the person.
fn prepared(settings: &str) -> (TempDir, Sandbox) {
    let work = tempfile::Builder::new().prefix("bl").tempdir().unwrap();
    let sandbox = Sandbox::within(work.path());
    sandbox.git(&["init", "-q"]);
    sandbox.write("home/.config/bowline/config.toml", settings);
    (work, sandbox)
}

/// Plays a scenario; all that it expects has to happen.
fn goes_well(sandbox: &Sandbox, agent: &Agent, scenario: &Value, work: &Path) {
    let file = sandbox.write("scenario.json", scenario.to_string());
    let summary = played(sandbox, agent, &file, work);
    let wrong = summary["failures"].as_array().unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}\n{summary:#}");
}

/// Puts Bowline into the client's settings, as a person does.
pub(super) fn put_in(sandbox: &Sandbox, agent: &str, client: &Path) {
    let mut init = sandbox.command(&["init", "--agent", agent, "--yes"]);
    Ran::of(init.env("PATH", path_with(client))).expect(0, &[]);
}

/// The `PATH` with the folder of the client, which is asked for its version and for what it trusts.
fn path_with(client: &Path) -> std::ffi::OsString {
    let node = env::var_os("NODE_BIN").map(PathBuf::from);
    let own = [Some(client), node.as_deref()].into_iter().flatten();
    let own = own.filter_map(|program| program.parent().map(Path::to_owned));
    let usual = env::var_os("PATH").unwrap_or_default();
    env::join_paths(own.chain(env::split_paths(&usual))).unwrap()
}

fn is_done(agent: &Agent, event: HookEvent, said: Said) -> bool {
    is_reported(agent, event) && heard(agent, event, said) == Heard::Done
}

fn is_reported(agent: &Agent, event: HookEvent) -> bool {
    !UNREPORTED.contains(&(agent.name, event))
}

fn scenario(agent: &Agent) -> Value {
    let shell = |command: &str| json!([{"action": "shell", "command": command}]);
    let (told, untold): (Vec<_>, Vec<_>) = CONTEXTS
        .iter()
        .partition(|(_, event)| is_done(agent, *event, Said::Context));
    let texts = |of: Vec<&(&'static str, HookEvent)>| of.iter().map(|it| it.0).collect::<Vec<_>>();
    let (mut told, untold) = (texts(told), texts(untold));
    told.extend(["Bowline: ", "[git.push-force]"]);
    // A rewritten call that cannot run is denied, and the model is told what to run instead.
    let word = is_done(agent, HookEvent::PreToolUse, Said::Rewrite).then_some("rewritten\n");
    if word.is_none() {
        told.push("echo rewritten > word.txt");
    }
    json!({
        "prompt": "Tidy up, please.",
        "turns": [
            {"text": "Looking.", "tools": shell("echo hello > made.txt")},
            {"text": "Tidying.", "tools": shell("git push --force origin main")},
            {"text": "Printing.", "tools": shell("echo original > word.txt")},
            {"text": DONE},
        ],
        "expect": {
            "exit_code": 0,
            "result": DONE,
            "tools": ["shell", "shell", "shell"],
            "model_sees": told,
            "model_never_sees": untold,
            "files": {"made.txt": "hello\n", "word.txt": word},
        },
    })
}

pub(super) fn played(sandbox: &Sandbox, agent: &Agent, scenario: &Path, work: &Path) -> Value {
    let mut command = Command::new("python3");
    // The agents run `bowline`, too.
    command
        .env("PATH", path_with(&built().join("bowline")))
        .arg(harness().join("run_agent.py"))
        .args([agent.name, scenario.to_str().unwrap(), "--work"])
        .arg(work)
        .arg("--env")
        .arg(format!("BOWLINE_SOCKET={}", sandbox.socket().display()));
    let ran = Ran::of(&mut command);
    let summary = serde_json::from_str(&ran.stdout);
    summary.unwrap_or_else(|error| panic!("no summary: {error}: {ran}"))
}

/// Every call is a trace of this agent, and its session is in the fleet with the status of its end.
fn is_recorded(sandbox: &Sandbox, agent: &Agent) {
    let answer = sandbox.json(&["trace", "list", "--limit", "100"]);
    let traces = answer["traces"].as_array().unwrap();
    let mut calls: Vec<(&str, &str)> = Vec::new();
    for trace in traces.iter().rev() {
        assert_eq!(trace["agent"], agent.name, "{trace}");
        assert_eq!(trace["tool"], "Bash", "{trace}");
        let command = trace["input"]["command"].as_str().unwrap();
        calls.push((
            command.split('>').next().unwrap().trim(),
            trace["status"].as_str().unwrap(),
        ));
    }
    let changed = if is_done(agent, HookEvent::PreToolUse, Said::Rewrite) {
        ("echo rewritten", "ok")
    } else {
        ("echo original", "denied")
    };
    let [first, second, third] = calls.as_slice() else {
        panic!("{} calls: {calls:?}", calls.len())
    };
    assert_eq!(*first, ("echo hello", "ok"));
    assert_eq!(*second, ("git push --force origin main", "denied"));
    assert_eq!(*third, changed);

    let log = sandbox.json(&["log", "--limit", "100"]);
    let seen: Vec<&str> = log["triggers"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| it["event"].as_str())
        .collect();
    for event in [
        HookEvent::UserPromptSubmit,
        HookEvent::PreToolUse,
        HookEvent::Stop,
    ] {
        let is_seen = seen.contains(&event.name());
        assert_eq!(is_seen, is_reported(agent, event), "{event} in {seen:?}");
    }
    let status = || {
        let fleet = sandbox.json(&["fleet", "--all"]);
        let agents = fleet["agents"].as_array().unwrap().clone();
        (agents.len() == 1 && agents[0]["agent"] == agent.name).then(|| agents[0]["status"].clone())
    };
    until("its session is done or gone", || {
        status().is_some_and(|it| it == "done" || it == "checked")
    });
}
