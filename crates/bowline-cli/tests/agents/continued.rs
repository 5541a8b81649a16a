//! Work that outlives a run of the real Claude Code: several runs in one project, one after another. See `realclient.rs` for what it needs.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use bowline_testkit::{Ran, Sandbox, built, needs, until_some};
use serde_json::{Value, json};

use super::realclient::{harness, install, real_client};
use super::reporting::with_client;

mod guided;

const SUMMARY: &str =
    "The form is done: `POST /login` checks the password.\n\nThe token is \"not\" renewed yet.";
const LEFT: &str = "## What the last session left for you\n";
const EFFORT: &str = "## You continue an effort\n";
const LAST_PROMPT: &str = "## What the user asked last in the session before (not a new request)\n";

/// A command that ends only when it is told to.
const HANGS: &str = "touch running; until test -e go; do sleep 0.1; done";

/// A project in which the client runs, and in which `bowline` is on the client's PATH.
pub(super) struct Project {
    pub(super) sandbox: Sandbox,
    client: PathBuf,
}

/// What happened in a run of the client.
pub(super) struct Run(Value);

impl Project {
    pub(super) fn new() -> Self {
        let (sandbox, client) = (with_client(), real_client());
        sandbox.folder("project/.git");
        install(&sandbox, &client, "user");
        Self { sandbox, client }
    }

    /// What the person has set.
    fn settings(&self, settings: &str) {
        self.sandbox
            .write("home/.config/bowline/config.toml", settings);
    }

    /// Runs the client with this prompt, while the model says these turns. `more` is what else the scenario has.
    pub(super) fn run(&self, name: &str, prompt: &str, turns: Vec<Value>, more: &Value) -> Run {
        let mut scenario = json!({
            "prompt": prompt,
            "args": ["--allowedTools", "Bash", "Write"],
            "turns": turns,
            "expect": {"exit_code": 0},
        });
        let more = more.as_object().cloned().unwrap_or_default();
        scenario.as_object_mut().unwrap().extend(more);
        let file = self
            .sandbox
            .write(format!("{name}.json"), scenario.to_string());
        let folders = env::var_os("PATH").unwrap_or_default();
        let folders = [built()].into_iter().chain(env::split_paths(&folders));
        let path = env::join_paths(folders).unwrap().into_string().unwrap();
        let ran = Ran::of(
            Command::new("python3")
                .arg(harness().join("run_scenario.py"))
                .arg(file)
                .args(["--no-record", "--same-folder", "--client"])
                .arg(&self.client)
                .arg("--work")
                .arg(self.sandbox.root())
                .args(["--env", &format!("PATH={path}"), "--env"])
                .arg(format!(
                    "BOWLINE_SOCKET={}",
                    self.sandbox.socket().display()
                )),
        );
        let run = Run(ran.json());
        assert_eq!(run.0["failures"], json!([]), "{name}: {}", run.0);
        run
    }
}

impl Run {
    /// The requests to the model: of the agent itself, or for a summary of the conversation.
    fn requests(&self) -> impl Iterator<Item = &Value> {
        let requests = self.0["model_requests"].as_array().unwrap().iter();
        requests.filter(|request| request["kind"] == "main" || request["kind"] == "compact")
    }

    fn kinds(&self) -> Vec<&str> {
        self.requests()
            .map(|request| request["kind"].as_str().unwrap())
            .collect()
    }

    /// What the model was told anew before each turn of the agent.
    pub(super) fn told(&self) -> Vec<String> {
        self.texts(|request| request["kind"] == "main")
    }

    /// What the model was told anew in each of these requests.
    fn texts(&self, is_meant: impl Fn(&Value) -> bool) -> Vec<String> {
        let texts = |request: &Value| -> Vec<String> {
            let news = request["new"].as_array().unwrap().iter();
            let texts = news.map(|new| new["text"].as_str().unwrap_or_default().to_owned());
            texts.collect()
        };
        let requests = self.0["model_requests"].as_array().unwrap().iter();
        requests
            .filter(|request| is_meant(request))
            .map(|request| texts(request).join("\n"))
            .collect()
    }

    /// Whether each tool call went wrong, and what the model was told about it.
    pub(super) fn calls(&self) -> Vec<(bool, &str)> {
        let calls = self.0["tool_calls"].as_array().unwrap().iter();
        let result = |call: &Value| call["is_error"] == true;
        calls
            .map(|call| (result(call), call["result"].as_str().unwrap_or_default()))
            .collect()
    }
}

/// A turn in which the model calls a tool.
fn calls(tool: &str, input: &Value) -> Value {
    json!({"tools": [{"name": tool, "input": input}]})
}

pub(super) fn bash(command: &str) -> Value {
    calls("Bash", &json!({"command": command, "description": "Work"}))
}

pub(super) fn says(text: &str) -> Value {
    json!({"text": text})
}

/// A text has exactly this under this heading. What the client adds itself comes after an empty line.
#[track_caller]
fn has(told: &str, heading: &str, text: &str) {
    let section = format!("{heading}{text}\n");
    let (_, rest) = told.split_once(&section).unwrap_or_default();
    let ends = ["\n", "</system-reminder>"];
    let ends_there = ends.iter().any(|end| rest.starts_with(end));
    assert!(ends_there, "no {section:?} in:\n{told}");
}

#[needs(client)]
#[test]
fn an_effort_goes_on_in_the_next_run_with_what_the_last_one_left_once() {
    let project = Project::new();
    let turns = vec![
        bash("bowline effort start login implement"),
        bash("echo one"),
        bash("bowline effort log 'The form is done'"),
        bash(&format!("bowline effort dehydrate <<'EOF'\n{SUMMARY}\nEOF")),
        says("The rest is for the next session."),
    ];
    let first = project.run("first", "Build the login.", turns, &Value::Null);
    assert!(!first.told()[0].contains(EFFORT));
    for (failed, result) in first.calls() {
        assert!(!failed, "{result}");
    }

    let folder = project.sandbox.project().display();
    let effort = format!("{EFFORT}Task `{folder}/.tasks/login`, effort 1, skill `implement`");
    let left = format!("{LEFT}{SUMMARY}\n\n{LAST_PROMPT}Build the login.");
    for (name, is_left) in [("second", true), ("third", false)] {
        let run = project.run(name, "Go on.", vec![says("I go on.")], &Value::Null);
        let told = &run.told()[0];
        assert!(told.contains(&effort), "{name}: {told}");
        assert_eq!(told.contains(LEFT), is_left, "{name}: {told}");
        assert_eq!(told.contains(&left), is_left, "{name}: {told}");
    }
    let details = project.sandbox.json(&["effort", "show"]);
    let chain = |n: usize| &details["sessions"][n];
    for n in [1, 2] {
        assert_eq!(chain(n)["previous"], chain(n - 1)["session"], "{details}");
    }
}

#[needs(client)]
#[test]
fn the_tenth_call_without_a_log_entry_is_denied_until_there_is_one() {
    let project = Project::new();
    let mut turns = vec![bash("bowline effort start login implement")];
    turns.extend((1..=10).map(|n| bash(&format!("echo call {n}"))));
    turns.push(bash("bowline effort log 'Nine calls'"));
    turns.push(bash("echo call 10"));
    turns.push(says("Done."));
    let run = project.run("ten", "Work.", turns, &Value::Null);
    let calls = run.calls();
    assert_eq!(calls.len(), 13);
    for (n, (failed, result)) in calls.iter().enumerate() {
        assert_eq!(*failed, n == 10, "call {n}: {result}");
    }
    let told = &run.told()[11];
    for text in [
        "Heartbeat 10/10",
        "login #1 (implement)",
        "`bowline effort log \"what you did and found\"`",
    ] {
        assert!(told.contains(text), "no {text:?} in:\n{told}");
    }
    assert_eq!(calls[12].1, "call 10");
}

#[needs(client)]
#[test]
fn the_effort_and_the_notes_outlive_compaction() {
    let project = Project::new();
    let mut last_before = bash("echo full");
    last_before["usage"] = json!({"input_tokens": 195_000});
    let turns = vec![
        bash("bowline effort start login implement"),
        bash("bowline note add 'No new dependency'; bowline effort note 'Times are in UTC'"),
        last_before,
        bash("echo go on"),
        says("The client compacted by itself."),
        says("The user asked for it."),
    ];
    let more = json!({
        "prompts": ["Build the login.", "/compact", "Go on."],
        "host": {"decision": "allow"},
        "compact": {"text": "<analysis>short</analysis>\n<summary>Work was done.</summary>"},
        "env": {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"},
    });
    let run = project.run("compact", "", turns, &more);
    assert_eq!(
        run.kinds(),
        [
            "main", "main", "main", "compact", "main", "main", "compact", "main"
        ]
    );
    for (turn, told) in run.told().iter().enumerate() {
        let is_compacted = [3, 5].contains(&turn);
        assert_eq!(told.contains(EFFORT), is_compacted, "{turn}: {told}");
        if is_compacted {
            assert!(told.contains("/.tasks/login`, effort 1, skill `implement`"));
            let notes = "- No new dependency\n- Times are in UTC";
            has(told, "## Pinned notes\n", notes);
        }
    }
}

#[needs(client)]
#[test]
fn a_killed_client_is_shown_as_gone_and_its_work_is_offered_to_the_next() {
    let project = Project::new();
    let form = json!({"file_path": "{{PROJECT}}/form.html", "content": "<form>\n"});
    let turns = vec![
        bash("bowline effort start login implement"),
        bash("bowline effort log 'The form is done'"),
        calls("Write", &form),
        bash(HANGS),
    ];
    let more = json!({"kill_when": "{{PROJECT}}/running", "expect": {"exit_code": -9}});
    let killed = project.run("killed", "Build the login.", turns, &more);
    // What the client ran is not killed with it.
    project.sandbox.write_in_project("go", "");

    let all = json!({"ended_since": "2000-01-01T00:00:00Z"});
    let agent = until_some("the agent is gone", || {
        let fleet = project.sandbox.ask_with("fleet.list", &all).unwrap();
        let agent = fleet[0].clone();
        (!agent["ended_at"].is_null()).then_some(agent)
    });
    assert_eq!(agent["session"], killed.0["session_id"]);
    assert_eq!(agent["end_reason"], "gone");
    assert_eq!(project.sandbox.ask("fleet.list"), Some(json!([])));
    let traces = project.sandbox.json(&["trace", "list"]);
    let call = &traces["traces"][0];
    assert_eq!(call["input"]["command"], HANGS);
    assert_eq!(call["status"], "cancelled", "{traces}");
    assert_eq!(call["error"], "the agent's process ended");

    let next = project.run("next", "Go on.", vec![says("I go on.")], &Value::Null);
    let told = &next.told()[0];
    let folder = project.sandbox.project().display();
    assert!(told.contains(EFFORT), "{told}");
    let files = "## The last session left no summary. These are the files of the effort; read what you need\n";
    let log = format!("- {folder}/.tasks/login/1_IMPLEMENT_LOG.md");
    has(told, files, &log);
    has(told, LAST_PROMPT, "Build the login.");
    let edited = "## Files that the session before edited, the last first\n";
    has(told, edited, &format!("- {folder}/form.html"));
}

#[needs(client)]
#[test]
fn to_dos_and_the_last_prompt_are_handed_over_without_an_effort() {
    let project = Project::new();
    let task = |subject: &str| {
        let task = json!({"subject": subject, "description": subject, "activeForm": subject});
        calls("TaskCreate", &task)
    };
    let update = |id: &str, status: &str| {
        let update = json!({"taskId": id, "status": status});
        calls("TaskUpdate", &update)
    };
    let turns = vec![
        task("Write the form"),
        task("Test it"),
        task("Renew the token"),
        update("1", "completed"),
        update("3", "in_progress"),
        says("Later."),
    ];
    let more = json!({"env": {"CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"}});
    project.run("first", "Build the login.", turns, &more);

    let next = project.run("next", "Go on.", vec![says("I go on.")], &Value::Null);
    let told = &next.told()[0];
    assert!(!told.contains(EFFORT));
    has(told, LAST_PROMPT, "Build the login.");
    let open = "- Renew the token (in progress)\n- Test it\n(1 done)";
    has(told, "## Open to-dos of the session before\n", open);
}
