//! OpenCode's plugin under plain node, which plays OpenCode, with the real programs behind it or with a daemon that is none.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::thread;

use bowline_testkit::{Ran, Sandbox, client, needs, script};
use bowline_wire::{Acknowledgement, Answer, Call, Heard, Reply};
use serde_json::{Value, json};

use super::reporting::with_client;

/// What the plugin's hooks did.
struct Played {
    results: Vec<Value>,
    toasts: Value,
}

impl Played {
    /// The error by which a hook refused something.
    #[track_caller]
    fn refused(&self, at: usize, text: &str) {
        let error = self.results[at]["error"].as_str();
        assert!(
            error.is_some_and(|error| error.contains(text)),
            "no `{text}` in {:#}",
            self.results[at]
        );
    }

    #[track_caller]
    fn passed(&self, at: usize) -> &Value {
        assert_eq!(
            self.results[at].get("error"),
            None,
            "{:#}",
            self.results[at]
        );
        &self.results[at]["output"]
    }
}

/// A plugin as `bowline init` writes it, with these arguments. Node takes it for a module by its name.
fn plugin(sandbox: &Sandbox, scope: &str, arguments: &[&str]) -> PathBuf {
    let init = ["init", "--agent", "opencode", "--scope", scope, "--yes"];
    sandbox.run(&[&init, arguments].concat()).expect(0, &[]);
    let file = match scope {
        "user" => sandbox.path("home/.config/opencode/plugin/bowline.js"),
        _ => sandbox.project().join(".opencode/plugin/bowline.js"),
    };
    let text = fs::read_to_string(file).unwrap();
    sandbox.write(format!("{scope}.mjs"), text)
}

fn play(sandbox: &Sandbox, plugins: &[&Path], steps: &Value, variables: &[(&str, &str)]) -> Played {
    let said = json!({
        "plugins": plugins, "directory": sandbox.project(), "steps": steps,
        "sessions": {"ses_old": {"id": "ses_old", "time": {"created": 1}}},
    });
    let mut node = sandbox.program("node");
    let player = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/opencode/play.mjs");
    node.arg(player).envs(variables.iter().copied());
    let ran = Ran::with_stdin(&mut node, said.to_string().as_bytes());
    ran.expect(0, &[]);
    let said = ran.json();
    Played {
        results: said["results"].as_array().unwrap().clone(),
        toasts: said["toasts"].clone(),
    }
}

fn before(command: &str, call: &str) -> Value {
    let input = json!({"tool": "bash", "sessionID": "ses_1", "callID": call});
    json!([
        "tool.execute.before",
        input,
        {"args": {"command": command, "description": "Run"}}
    ])
}

fn after(call: &str, output: &str) -> Value {
    let input =
        json!({"tool": "bash", "sessionID": "ses_1", "callID": call, "args": {"command": "ls"}});
    json!(["tool.execute.after", input, {"title": "", "output": output, "metadata": {"exit": 0}}])
}

fn bus(kind: &str, properties: &Value) -> Value {
    json!(["event", {"event": {"type": kind, "properties": properties}}, null])
}

#[needs(node)]
#[test]
fn the_plugin_is_read_by_node() {
    let sandbox = with_client();
    for scope in ["user", "project"] {
        let plugin = plugin(&sandbox, scope, &["--on-failure", "closed"]);
        let mut node = sandbox.program("node");
        Ran::of(node.arg("--check").arg(plugin)).expect(0, &[]);
    }
}

const SETTINGS: &str = r#"
[[rule]]
id = "printed-otherwise"
command = "echo original"
verdict = "rewrite"
rewrite = "echo rewritten"

[[hooks.SessionStart]]
hooks = [{ type = "command", command = "printf '{\"additional_context\": \"The shed is green.\"}'" }]

[[hooks.UserPromptSubmit]]
hooks = [{ type = "command", command = "if grep -q forbidden; then echo 'no such prompts' >&2; exit 2; fi" }]

[[hooks.PreToolUse]]
hooks = [{ type = "command", command = "if grep -q 'make all'; then printf '{\"updated_input\": {\"command\": \"make\"}}'; fi" }]

[[hooks.PostToolUse]]
hooks = [{ type = "command", command = "printf '{\"additional_context\": \"The door is blue.\", \"system_message\": \"Hello, person.\"}'" }]
"#;

/// The daemon decides: what starts `bowline-hook` is not there.
#[needs(node)]
#[test]
fn the_daemon_is_asked_over_its_socket() {
    let sandbox = with_client();
    sandbox.write("home/.config/bowline/config.toml", SETTINGS);
    let plugin = plugin(&sandbox, "user", &[]);
    let text = fs::read_to_string(&plugin).unwrap();
    let program = client().to_str().unwrap();
    assert!(text.contains(program));
    fs::write(&plugin, text.replace(program, "/nowhere/bowline-hook")).unwrap();
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    let prompt = |text: &str| {
        let message =
            json!({"id": "msg_1", "agent": "build", "model": {"providerID": "p", "modelID": "m"}});
        json!(["chat.message", {"sessionID": "ses_1"}, {"message": message, "parts": [{"type": "text", "text": text}]}])
    };
    let created = json!({"info": {"id": "ses_1", "time": {"created": 99_999_999_999_999_u64}}});
    let child =
        json!({"info": {"id": "ses_2", "parentID": "ses_1", "agent": "general", "title": "Help"}});
    let of_child = json!({"tool": "bash", "sessionID": "ses_2", "callID": "call_6"});
    let failed = json!({"part": {"type": "tool", "sessionID": "ses_1", "callID": "call_5", "state": {"status": "error", "error": "gone"}}});
    let steps = json!([
        bus("session.created", &created),
        prompt("the forbidden thing"),
        prompt("Tidy up."),
        before("echo hello", "call_1"),
        before("rm -rf /", "call_2"),
        before("echo original > a", "call_3"),
        before("make all", "call_4"),
        after("call_1", "hello\n"),
        before("cat missing", "call_5"),
        bus("message.part.updated", &failed),
        bus("session.created", &child),
        json!(["tool.execute.before", of_child, {"args": {"command": "ls"}}]),
        json!(["shell.env", {"cwd": "/", "sessionID": "ses_2"}, {"env": {}}]),
        bus("session.idle", &json!({"sessionID": "ses_2"})),
        bus("session.idle", &json!({"sessionID": "ses_1"})),
        json!(["dispose", null, null]),
    ]);
    let played = play(&sandbox, &[&plugin], &steps, &[]);
    played.refused(1, "no such prompts");
    let parts = &played.passed(2)["parts"];
    assert_eq!(parts[1]["text"], "The shed is green.", "{parts}");
    assert_eq!(played.passed(3)["args"]["command"], "echo hello");
    played.refused(4, "rm -rf /");
    assert_eq!(played.passed(5)["args"]["command"], "echo rewritten > a");
    // What the new input lacks is gone.
    assert_eq!(played.passed(6)["args"], json!({"command": "make"}));
    let output = played.passed(7)["output"].as_str().unwrap();
    assert!(
        output.starts_with("hello\n") && output.ends_with("The door is blue."),
        "{output}"
    );
    assert_eq!(
        played.passed(12)["env"],
        json!({"BOWLINE_SESSION": "ses_1"})
    );
    let toasts = played.toasts.to_string();
    assert!(
        toasts.contains("Hello, person.") && toasts.contains("no such prompts"),
        "{toasts}"
    );

    let log = sandbox.json(&["log", "--limit", "100"]);
    let events = |subagent: &Value| -> Vec<String> {
        let all = log["triggers"].as_array().unwrap().iter().rev();
        let of_agent = all.filter(|it| it["subagent"] == *subagent);
        let events = of_agent.map(|it| {
            let who = (&it["agent"], &it["session"]);
            assert_eq!(who, (&json!("opencode"), &json!("ses_1")), "{it}");
            it["event"].as_str().unwrap().to_owned()
        });
        events.collect()
    };
    assert_eq!(
        events(&Value::Null),
        [
            "SessionStart",
            "UserPromptSubmit",
            "UserPromptSubmit",
            "PreToolUse",
            "PreToolUse",
            "PreToolUse",
            "PreToolUse",
            "PostToolUse",
            "PreToolUse",
            "PostToolUseFailure",
            "Stop",
            "SessionEnd",
        ]
    );
    let of_child = events(&"ses_2".into());
    assert_eq!(of_child, ["SubagentStart", "PreToolUse", "SubagentStop"]);
    let call = sandbox.json(&["trace", "show", "call_1"]);
    assert_eq!(call["trace"]["status"], "ok", "{call}");
    let call = sandbox.json(&["trace", "show", "call_5"]);
    assert_eq!(
        (&call["trace"]["status"], &call["trace"]["error"]),
        (&json!("error"), &json!("gone")),
        "{call}"
    );
}

/// Whether the daemon or a process of its own decides, a session that was there before begins again.
#[needs(node)]
#[test]
fn without_a_daemon_bowline_hook_decides() {
    let sandbox = with_client();
    let plugin = plugin(&sandbox, "user", &[]);
    let mut old = before("echo hello", "call_1");
    old[1]["sessionID"] = "ses_old".into();
    let steps = json!([old, before("rm -rf /", "call_2")]);
    let played = play(&sandbox, &[&plugin], &steps, &[("BOWLINE_DAEMON", "off")]);
    played.passed(0);
    played.refused(1, "rm -rf /");
    let log = sandbox.json(&["log", "--limit", "9"]);
    let log: Vec<_> = log["triggers"].as_array().unwrap().iter().rev().collect();
    assert_eq!(
        (&log[0]["event"], &log[0]["session"]),
        (&json!("SessionStart"), &json!("ses_old"))
    );
    let session = sandbox.json(&["session", "show", "ses_old"]);
    assert!(session.to_string().contains("\"resume\""), "{session}");
}

#[needs(node)]
#[test]
fn where_nobody_can_decide_the_fail_mode_does() {
    let sandbox = with_client();
    let prompt = json!(["chat.message", {"sessionID": "ses_1"}, {"message": {}, "parts": []}]);
    let steps = json!([before("ls", "call_1"), prompt, after("call_1", "a\n")]);
    for (mode, refuses_call, refuses_prompt) in [
        ("ask", true, false),
        ("closed", true, true),
        ("open", false, false),
    ] {
        let plugin = plugin(&sandbox, "user", &["--on-failure", mode]);
        let text = fs::read_to_string(&plugin).unwrap();
        let text = text.replace(client().to_str().unwrap(), "/nowhere/bowline-hook");
        fs::write(&plugin, text).unwrap();
        let played = play(&sandbox, &[&plugin], &steps, &[]);
        let text = "Bowline could not judge this: `bowline-hook` cannot be started (ENOENT)";
        for (at, refuses) in [(0, refuses_call), (1, refuses_prompt)] {
            if refuses {
                played.refused(at, text);
            } else {
                played.passed(at);
            }
        }
        // What has happened is never made undone.
        assert_eq!(played.passed(2)["output"], "a\n", "{mode}");
    }
}

/// A model may write anything, and OpenCode may change.
#[needs(node)]
#[test]
fn odd_input_is_never_let_pass_unseen_and_never_ends_the_client() {
    let sandbox = with_client();
    let plugin = plugin(&sandbox, "user", &[]);
    let off = [("BOWLINE_DAEMON", "off")];
    let call = json!({"tool": "bash", "sessionID": "ses_1", "callID": "c"});
    let cyclic = json!({"info": {"id": "ses_3", "parentID": "ses_3"}});
    let steps = json!([
        json!(["tool.execute.before", call, {"args": "circular"}]),
        json!(["tool.execute.before", call, {"args": "bigint"}]),
        json!(["tool.execute.before", call, {"args": "text"}]),
        json!(["tool.execute.before", null, null]),
        json!(["tool.execute.before", {"tool": 3, "sessionID": [], "callID": {}}, {"args": null}]),
        json!(["tool.execute.after", null, null]),
        json!(["tool.execute.after", {"tool": "x", "sessionID": "ses_1"}, {"content": [3]}]),
        json!(["chat.message", {"sessionID": "ses_1"}, {}]),
        json!(["experimental.session.compacting", {}, null]),
        json!(["shell.env", null, null]),
        json!(["event", null, null]),
        bus("nobody.knows", &json!({})),
        bus("session.created", &json!(null)),
        bus("session.created", &cyclic),
        bus("session.error", &json!({"sessionID": "ses_1"})),
        bus("permission.asked", &json!({})),
        bus("message.part.updated", &json!({"part": 3})),
        json!(["dispose", null, null]),
    ]);
    let played = play(&sandbox, &[&plugin], &steps, &off);
    played.refused(0, "Bowline could not judge this");
    played.refused(1, "Bowline could not judge this");
    // A shell without a command, and a call without a tool, cannot be judged.
    for at in 2..5 {
        played.refused(at, "");
    }
    for at in 5..played.results.len() {
        assert_eq!(
            played.results[at].get("error"),
            None,
            "{:#}",
            played.results[at]
        );
    }
}

/// A project's plugin does nothing where Bowline is not, and nothing where the user has one.
#[needs(node)]
#[test]
fn a_projects_plugin_gives_way() {
    let sandbox = with_client();
    let users = plugin(&sandbox, "user", &[]);
    let projects = plugin(&sandbox, "project", &[]);
    let folder = client().parent().unwrap().to_str().unwrap();
    let with_client = format!("{folder}:/usr/bin:/bin");
    let steps = json!([before("rm -rf /", "call_1")]);
    // Node is where it is for tests.
    let node = sandbox
        .program("sh")
        .args(["-c", "command -v node"])
        .output()
        .unwrap();
    let node = String::from_utf8(node.stdout).unwrap();
    let node = Path::new(node.trim()).parent().unwrap().to_str().unwrap();
    let off = ("BOWLINE_DAEMON", "off");
    let without = format!("{node}:/usr/bin:/bin");
    let played = play(&sandbox, &[&projects], &steps, &[("PATH", &without), off]);
    played.passed(0);
    let with = format!("{with_client}:{node}");
    let played = play(&sandbox, &[&projects], &steps, &[("PATH", &with), off]);
    played.refused(0, "rm -rf /");
    let calls = || {
        sandbox.json(&["trace", "list"])["traces"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(calls(), 1);
    let steps = json!([before("echo hello", "call_2")]);
    let played = play(
        &sandbox,
        &[&users, &projects],
        &steps,
        &[("PATH", &with), off],
    );
    played.passed(0);
    assert_eq!(calls(), 2, "it is asked about once");
}

/// What a daemon that is none says to a call.
type Script = fn(&Call, &mut UnixStream);

fn acknowledge(stream: &mut UnixStream) {
    let line = Acknowledgement {
        daemon: "0.1.0".to_owned(),
        pid: std::process::id(),
    };
    stream.write_all(&line.encode()).unwrap();
}

fn reply(call: &Call, stream: &mut UnixStream) {
    let answer = Answer {
        stdout: "{\"deny\":\"by the daemon\"}\n".to_owned(),
        ..Answer::default()
    };
    let call = call.id.clone();
    // The plugin may have given up by then; whose answer counts is looked at in the end.
    let _ = stream.write_all(&Reply { call, answer }.encode());
}

/// Waits until the plugin gives up.
fn hang(stream: &mut UnixStream) {
    let _ = stream.read(&mut [0]);
}

/// One after another, with who answers in the end.
const SCRIPTS: &[(&str, Script, &str)] = &[
    (
        "all is well",
        |call, stream| {
            acknowledge(stream);
            stream.write_all(&Heard::sign_for(&call.id)).unwrap();
            reply(call, stream);
        },
        "by the daemon",
    ),
    (
        "it says nothing",
        |_, stream| hang(stream),
        "by the program",
    ),
    ("it leaves", |_, _| {}, "by the program"),
    (
        "it falls silent",
        |_, stream| {
            acknowledge(stream);
            hang(stream);
        },
        "by the program",
    ),
    (
        "it is newer",
        |call, stream| {
            stream
                .write_all(b"{\"bowline\":2,\"daemon\":\"9.0.0\",\"pid\":1,\"signs\":true}\n")
                .unwrap();
            reply(call, stream);
            hang(stream);
        },
        "by the program",
    ),
    (
        "it says something else",
        |_, stream| {
            stream.write_all(b"hello\n").unwrap();
            hang(stream);
        },
        "by the program",
    ),
    (
        "it answers another call",
        |call, stream| {
            acknowledge(stream);
            let other = Call::new("/".into(), call.env.clone());
            reply(&other, stream);
            hang(stream);
        },
        "by the program",
    ),
    (
        "its reply has no exit code",
        |call, stream| {
            acknowledge(stream);
            let line = format!(
                "{{\"call\":\"{}\",\"stdout\":\"\",\"stderr\":\"\"}}\n",
                call.id
            );
            stream.write_all(line.as_bytes()).unwrap();
            hang(stream);
        },
        "by the program",
    ),
    (
        "its answer is cut off",
        |call, stream| {
            acknowledge(stream);
            let answer = Answer {
                stdout: "{\"deny\":".to_owned(),
                ..Answer::default()
            };
            let call = call.id.clone();
            stream.write_all(&Reply { call, answer }.encode()).unwrap();
            hang(stream);
        },
        "by the program",
    ),
    (
        "its answer is in the words of another agent",
        |call, stream| {
            acknowledge(stream);
            let answer = Answer {
                exit: 1,
                ..Answer::default()
            };
            let call = call.id.clone();
            stream.write_all(&Reply { call, answer }.encode()).unwrap();
            hang(stream);
        },
        "by the program",
    ),
];

/// Answers one call after another, as scripted, and gives back their ids.
fn daemon(listener: UnixListener) -> thread::JoinHandle<Vec<String>> {
    thread::spawn(move || {
        let scripted = SCRIPTS.iter().map(|(_, script, _)| {
            let (mut stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut line = Vec::new();
            reader.read_until(b'\n', &mut line).unwrap();
            let frame = Call::decode(&line).unwrap();
            let mut body = vec![0; frame.body_bytes()];
            reader.read_exact(&mut body).unwrap();
            let (call, payload) = frame.with_body(body).into_parts();
            let payload: Value = serde_json::from_slice(&payload).unwrap();
            assert_eq!(payload["tool"], "bash");
            assert_eq!(call.env.get("MARK").unwrap(), "a=b");
            script(&call, &mut stream);
            call.id.as_str().to_owned()
        });
        scripted.collect()
    })
}

#[needs(node)]
#[test]
fn a_daemon_that_does_not_answer_is_done_without() {
    let sandbox = with_client();
    let plugin = plugin(&sandbox, "user", &[]);
    // Nothing is beside this program, so that anybody may be the daemon.
    let stub = sandbox.folder("stub").join("bowline-hook");
    script(
        &stub,
        "#!/bin/sh\ncat > /dev/null\nprintf '{\"deny\": \"by the program %s\"}' \"$*\"\n",
    );
    let text = fs::read_to_string(&plugin).unwrap();
    // Only calls are reported.
    let text: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("  \"session."))
        .collect();
    let text = text
        .join("\n")
        .replace(client().to_str().unwrap(), stub.to_str().unwrap());
    fs::write(&plugin, text).unwrap();
    let socket = sandbox.socket();
    let mut folder = fs::DirBuilder::new();
    folder
        .recursive(true)
        .mode(0o700)
        .create(socket.parent().unwrap())
        .unwrap();
    let ids = daemon(UnixListener::bind(&socket).unwrap());
    let steps: Vec<Value> = SCRIPTS
        .iter()
        .map(|(what, ..)| before("ls", what))
        .collect();
    let played = play(&sandbox, &[&plugin], &json!(steps), &[("MARK", "a=b")]);
    let ids = ids.join().unwrap();
    for (at, (what, _, by)) in SCRIPTS.iter().enumerate() {
        let error = played.results[at]["error"].as_str().unwrap();
        assert!(error.starts_with(by), "{what}: {error}");
        // It is the same call, whoever decides it.
        let id = format!("--call-id={}", ids[at]);
        assert!(
            *by == "by the daemon" || error.ends_with(&id),
            "{what}: {error}"
        );
    }
}

/// Another program behind the socket is not believed.
#[needs(node)]
#[test]
#[cfg(target_os = "linux")]
fn only_the_daemon_beside_the_hook_is_believed() {
    let sandbox = with_client();
    let plugin = plugin(&sandbox, "user", &[]);
    let socket = sandbox.socket();
    let mut folder = fs::DirBuilder::new();
    folder
        .recursive(true)
        .mode(0o700)
        .create(socket.parent().unwrap())
        .unwrap();
    let listener = UnixListener::bind(&socket).unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut line = Vec::new();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            if reader.read_until(b'\n', &mut line).is_ok()
                && let Ok(frame) = Call::decode(&line)
            {
                acknowledge(&mut stream);
                let call = frame.with_body(Vec::new()).into_parts().0.id;
                let silence = Reply {
                    call,
                    answer: Answer::default(),
                };
                let _ = stream.write_all(&silence.encode());
            }
        }
    });
    let played = play(
        &sandbox,
        &[&plugin],
        &json!([before("rm -rf /", "call_1")]),
        &[],
    );
    played.refused(0, "rm -rf /");
}
