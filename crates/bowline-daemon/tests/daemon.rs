//! The daemon over its socket: calls, requests, settings, and how it ends.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod asking;
mod bridged;
mod entries;
#[expect(unreachable_pub, reason = "a module of one test")]
mod stage;

use std::fs;
use std::thread;
use std::time::Duration;

use bowline::hooks::Decision;
use bowline::settings::{Locations, TrustStore, load};
use bowline_daemon::{Connection, Idle, Pause, Stop};
use bowline_store::Enforcement;
use bowline_testkit::until;
use bowline_wire::{Heard, Signs};
use serde_json::{Map, Value, json};
use stage::{Client, Stage, permission};

#[test]
fn an_event_is_decided_and_recorded_before_it_is_answered() {
    let stage = Stage::new();
    for (command, expected) in [("git push -f", "deny"), ("ls", "silence")] {
        let answer = stage.hook(&stage.bash(command));
        assert_eq!(permission(&answer).0, expected, "{command}");
        let last = stage.recorded().remove(0);
        assert_eq!(last.decided.event, "PreToolUse");
        let decision = if expected == "deny" {
            Decision::Deny
        } else {
            Decision::NoOpinion
        };
        assert_eq!(last.decided.decision, decision);
        assert!(!last.decided.hooks.is_empty());
    }
}

#[test]
fn the_same_call_is_recorded_once() {
    let stage = Stage::new();
    let call = stage.call();
    for _ in 0..2 {
        stage.client().hook(call.clone(), &stage.bash("ls"));
    }
    assert_eq!(stage.recorded().len(), 1);
}

#[test]
fn f20_h_nothing_is_recorded_where_tracking_is_switched_off() {
    let stage = Stage::new();
    for name in ["BOWLINE_DISABLE_TRACKING", "HTMLGRAPH_DISABLE_TRACKING"] {
        let mut call = stage.call();
        call.env.push((name.into(), "1".into()));
        let answer = stage.client().hook(call, &stage.bash("git push -f"));
        assert_eq!(permission(&answer).0, "deny", "{name}");
    }
    assert_eq!(stage.recorded().len(), 0);
}

#[test]
fn the_guards_own_files_are_known_where_each_callers_environment_puts_them() {
    let stage = Stage::new();
    let asked = |moved: Option<(&str, &str)>, payload: &Value| {
        let mut call = stage.call();
        if let Some((name, path)) = moved {
            call.env.push((name.into(), stage.path(path).into()));
        }
        permission(&stage.client().hook(call, payload)).0 == "ask"
    };
    let shell = |file: &str| stage.bash(&format!("echo x > {}", stage.path(file).display()));
    let tool = |file: &str| {
        let mut payload = stage.bash("");
        payload["tool_name"] = json!("Write");
        payload["tool_input"] = json!({"file_path": stage.path(file), "content": "x"});
        payload
    };
    for (variable, folder, file) in [
        (
            "XDG_CONFIG_HOME",
            "project/c",
            "project/c/bowline/rules.toml",
        ),
        ("XDG_DATA_HOME", "project/d", "project/d/bowline/x"),
        ("XDG_STATE_HOME", "project/s", "project/s/bowline/x"),
        ("XDG_RUNTIME_DIR", "project/r", "project/r/bowline/x"),
        ("BOWLINE_SOCKET", "project/x.sock", "project/x.sock"),
        (
            "CLAUDE_CONFIG_DIR",
            "project/work",
            "project/work/settings.json",
        ),
        ("CODEX_HOME", "project/codex", "project/codex/config.toml"),
    ] {
        for payload in [shell(file), tool(file)] {
            assert!(
                asked(Some((variable, folder)), &payload),
                "{variable} {payload}"
            );
            assert!(!asked(None, &payload), "without {variable} {payload}");
        }
    }
}

#[test]
fn f30_b_requests_and_calls_are_answered_in_order_with_their_ids() {
    let stage = Stage::new();
    let mut client = stage.client();
    let call = stage.call();
    let mut frame = br#"{"id":1,"cmd":"daemon.status"}"#.to_vec();
    frame.extend_from_slice(b"\n\n{\"id\":\"two\",\"cmd\":\"store.size\"}\n");
    let payload = stage.bash("git push -f").to_string();
    let mut announced = call.clone();
    announced.payload_bytes = payload.len();
    frame.extend(announced.encode());
    frame.extend(payload.as_bytes());
    frame.extend_from_slice(b"{\"cmd\":\"daemon.status\"}\n");
    client.send(&frame);
    assert_eq!(client.json()["id"], 1);
    assert_eq!(client.json()["id"], "two");
    assert_eq!(permission(&client.answer_to(&call.id)).0, "deny");
    let last = client.json();
    assert_eq!(last["ok"], true);
    assert!(last.get("id").is_none(), "{last}");
}

#[test]
fn f30_c_every_failure_has_its_form_and_the_connection_stays_usable() {
    let stage = Stage::new();
    let mut client = stage.client();
    for (line, error) in [
        ("{", "INVALID_JSON"),
        ("[]", "INVALID_JSON"),
        (r#"{"id":3}"#, "VALIDATION_ERROR"),
        (r#"{"cmd":"no.such"}"#, "UNKNOWN_COMMAND"),
        (
            r#"{"cmd":"traces.list","args":{"limit":"x"}}"#,
            "VALIDATION_ERROR",
        ),
        (
            r#"{"cmd":"daemon.status","args":{"x":1}}"#,
            "VALIDATION_ERROR",
        ),
        (
            r#"{"cmd":"store.backup","args":{"to":"/no/such/folder/x"}}"#,
            "HANDLER_ERROR",
        ),
    ] {
        client.send(format!("{line}\n").as_bytes());
        let answer = client.json();
        assert_eq!(answer["ok"], false, "{line}");
        assert_eq!(answer["error"], error, "{line}: {answer}");
        assert!(answer["message"].is_string(), "{line}");
    }
    client.send(b"{\"cmd\":\"daemon.status\"}\n");
    assert_eq!(client.json()["ok"], true);
}

#[test]
fn f30_e_a_hundred_clients_at_once_never_see_each_others_environment() {
    let stage = Stage::without_daemon();
    stage.user_config(
        "[[hooks.UserPromptSubmit]]\nhooks = [{ type = 'command', command = 'echo \"mark $MARK\"' }]\n",
    );
    let mut stage = stage;
    stage.start();
    let prompt = json!({
        "session_id": "s1", "transcript_path": "/t", "cwd": stage.path("project"),
        "hook_event_name": "UserPromptSubmit", "prompt": "hello",
    });
    thread::scope(|scope| {
        for number in 0..100 {
            let (stage, prompt) = (&stage, &prompt);
            scope.spawn(move || {
                let mut call = stage.call();
                call.env.push(("MARK".into(), number.to_string().into()));
                let answer = stage.client().hook(call, prompt);
                let mark = format!("mark {number}\"");
                assert!(
                    answer.stdout.contains(&mark.replace('"', "")),
                    "{}",
                    answer.stdout
                );
                let others = (0..100).filter(|other| *other != number && *other > 9);
                for other in others {
                    assert!(
                        !answer.stdout.contains(&format!("mark {other}")),
                        "{number}: {}",
                        answer.stdout
                    );
                }
            });
        }
    });
    until("all are recorded", || stage.recorded().len() == 100);
}

#[test]
fn a_thousand_clients_at_once_are_answered() {
    let stage = Stage::new();
    stage.hook(&stage.bash("ls"));
    let mut clients: Vec<Client> = (0..1_000).map(|_| stage.client()).collect();
    let payload = stage.bash("git push -f").to_string();
    let calls: Vec<_> = clients
        .iter_mut()
        .map(|client| {
            let call = stage.call();
            client.send_call(call.clone(), payload.as_bytes());
            call.id
        })
        .collect();
    for (client, id) in clients.iter_mut().zip(&calls) {
        assert_eq!(permission(&client.answer_to(id)).0, "deny");
    }
    // A store that is busy takes some of them a little later.
    until("all are recorded", || stage.recorded().len() == 1_001);
    assert_eq!(stage.ask("daemon.status")["connections"], 1_001);
}

#[test]
fn a_client_that_stops_writing_is_still_answered() {
    let stage = Stage::new();
    let mut client = stage.client();
    client.send(b"{\"cmd\":\"daemon.status\"}\n");
    client.end_writing();
    assert_eq!(client.json()["ok"], true);
    assert_eq!(client.line(), None);
}

#[test]
fn a_line_without_an_end_and_another_protocol_end_the_connection_not_the_daemon() {
    let stage = Stage::new();
    let mut other = stage.client();
    other.send(b"{\"bowline\":99,\"call\":\"x\",\"payload\":5}\n");
    let told = other.json();
    assert_eq!(told["bowline"], 1, "{told}");
    assert_eq!(other.line(), None);

    let mut endless = stage.client();
    let part = vec![b'x'; 1024 * 1024];
    // The daemon closes while this is still being written.
    for _ in 0..20 {
        if std::io::Write::write_all(&mut endless.stream, &part).is_err() {
            break;
        }
    }
    assert_eq!(stage.ask("daemon.status")["connections"].as_u64(), Some(1));
}

#[test]
fn a_payload_that_cannot_be_read_is_unverified() {
    let stage = Stage::new();
    for (event, payload, expected) in [
        (Some("PreToolUse"), "not json", "ask"),
        (
            Some("PreToolUse"),
            r#"{"tool_input":{"command":"ls"}}"#,
            "ask",
        ),
        (Some("PostToolUse"), "not json", "silence"),
        (
            Some("PreToolUse"),
            r#"{"tool_input":{"command":"rm -rf /"#,
            "ask",
        ),
        (
            Some("PostToolUse"),
            r#"{"tool_input":{"command":"rm -rf /"#,
            "silence",
        ),
        (Some("PreToolUse"), "[\"git push --force\"]", "ask"),
        (
            Some("PreToolUse"),
            r#"{"tool_input":{"file_path":"/root/.ssh/id_rsa""#,
            "ask",
        ),
        (
            Some("PreToolUse"),
            r#"{"tool_input":{"command":"git\u0020push\u0020-\u002dforce""#,
            "ask",
        ),
        (Some("PreToolUse"), "g\0i\0t\0", "ask"),
        (
            Some("PreToolUse"),
            r#"{"tool_input":{"command":"git push --force"},"tool_name":7}"#,
            "ask",
        ),
    ] {
        let mut call = stage.call();
        call.event = event.map(ToOwned::to_owned);
        let id = call.id.clone();
        let mut client = stage.client();
        client.send_call(call, payload.as_bytes());
        let answer = client.answer_to(&id);
        assert_eq!(permission(&answer).0, expected, "{event:?} {payload}");
        let last = stage.recorded().remove(0);
        assert!(
            last.decided.reason.unwrap().starts_with("not verified"),
            "{payload}"
        );
    }
}

#[test]
fn an_event_with_its_fields_in_an_object_of_their_own_is_judged() {
    let stage = Stage::new();
    for argument in [None, Some("PreToolUse"), Some("PostToolUse")] {
        let mut call = stage.call();
        call.event = argument.map(ToOwned::to_owned);
        let event = serde_json::json!({
            "type": "PreToolUse", "timestamp": 1_700_000_000_000_u64, "sessionId": "s1",
            "payload": {"toolName": "Bash", "input": {"command": "rm -rf ~/"}},
        });
        let answer = stage.client().hook(call, &event);
        assert_eq!(permission(&answer).0, "deny", "{argument:?}");
    }
}

#[test]
fn an_event_that_nobody_names_is_never_passed_in_silence() {
    let stage = Stage::new();
    for agent in ["claude-code", "generic"] {
        let mut call = stage.call();
        agent.clone_into(&mut call.agent);
        let event = json!({"tool": "Bash", "arguments": {"command": "ls"}});
        let answer = stage.client().hook(call, &event);
        // Nobody can be asked in the form of an event that is not known.
        assert_eq!(answer.exit, 2, "{agent}");
        assert!(answer.stderr.contains("the event is not named"), "{agent}");
    }
}

#[test]
fn an_unknown_event_is_stopped_only_if_it_carries_a_tool_call() {
    let stage = Stage::new();
    let with = |fields: serde_json::Value| {
        let mut event = json!({"hook_event_name": "Foo", "session_id": "s1", "cwd": "/"});
        let all = event.as_object_mut().unwrap();
        all.extend(fields.as_object().unwrap().clone());
        event
    };
    let input = json!({"command": "rm -rf ~/"});
    for (fields, exit) in [
        (json!({"tool_name": "Bash", "tool_input": input}), 2),
        (json!({"tool_input": input}), 2),
        (json!({"toolName": "Bash", "toolInput": input}), 2),
        (json!({"tool": "Bash", "arguments": input}), 2),
        (json!({"tool_name": "Bash"}), 0),
        (json!({"message": "the weather changed"}), 0),
        // It has happened already.
        (
            json!({"tool_name": "Bash", "tool_input": input, "tool_response": {"stdout": ""}}),
            0,
        ),
    ] {
        let event = with(fields);
        let answer = stage.client().hook(stage.call(), &event);
        assert_eq!(answer.exit, exit, "{event}");
    }
}

#[test]
fn a_project_of_several_agents_is_listed_once() {
    let stage = Stage::new();
    for agent in ["claude-code", "generic", "codex"] {
        let mut call = stage.call();
        agent.clone_into(&mut call.agent);
        stage.client().hook(call, &stage.bash("ls"));
    }
    let status = stage.ask("daemon.status");
    let projects = status["projects"].as_array().unwrap();
    let folders: Vec<&Value> = projects.iter().map(|it| &it["project"]).collect();
    assert_eq!(folders, [stage.path("project").to_str().unwrap()]);
}

#[test]
fn an_agent_without_a_dialect_is_answered_by_the_mode_of_the_call() {
    let stage = Stage::new();
    let mut call = stage.call();
    call.agent = "somebody".to_owned();
    call.on_failure = bowline_wire::FailMode::Closed;
    let answer = stage.client().hook(call, &stage.bash("ls"));
    assert_eq!(answer.exit, 2);
    assert!(answer.stderr.contains("somebody"), "{}", answer.stderr);
}

#[test]
fn what_cannot_be_read_is_denied_where_failures_are() {
    let stage = Stage::new();
    let mut call = stage.call();
    call.event = Some("PreToolUse".to_owned());
    call.on_failure = bowline_wire::FailMode::Closed;
    let id = call.id.clone();
    let mut client = stage.client();
    client.send_call(call, b"");
    assert_eq!(client.answer_to(&id).exit, 2);
}

#[test]
fn where_two_events_are_named_the_gate_counts() {
    let stage = Stage::new();
    for (argument, payload, expected) in [
        ("PreToolUse", "PostToolUse", "deny"),
        ("PreToolUse", "FooBar", "deny"),
        ("Stop", "PreToolUse", "deny"),
        ("PostToolUse", "PostToolUse", "silence"),
    ] {
        let mut call = stage.call();
        call.event = Some(argument.to_owned());
        let mut event = stage.bash("git push -f");
        event["hook_event_name"] = payload.into();
        let answer = stage.client().hook(call, &event);
        assert_eq!(permission(&answer).0, expected, "{argument} {payload}");
    }
}

#[test]
fn a_gate_counts_however_an_agent_spells_it() {
    let stage = Stage::new();
    for (argument, exit) in [("beforeShellExecution", 2), ("afterShellExecution", 0)] {
        let mut call = stage.call();
        call.event = Some(argument.to_owned());
        let mut event = stage.bash("git push -f");
        event["hook_event_name"] = "PostToolUse".into();
        let answer = stage.client().hook(call, &event);
        // This agent has no such event. What cannot be judged does not pass.
        assert_eq!(answer.exit, exit, "{argument}: {answer:?}");
    }
}

#[test]
fn the_event_may_come_from_the_command_line() {
    let stage = Stage::new();
    let mut payload = stage.bash("git push -f");
    payload
        .as_object_mut()
        .unwrap()
        .shift_remove("hook_event_name");
    let mut call = stage.call();
    call.event = Some("PreToolUse".to_owned());
    let answer = stage.client().hook(call, &payload);
    assert_eq!(permission(&answer).0, "deny");
}

#[test]
fn f01_d_settings_that_change_count_for_the_next_event_and_broken_ones_leave_the_last_good_in_force()
 {
    let stage = Stage::new();
    let deny = |what: &str| {
        format!(
            "[[rule]]\nid = 'mine'\nverdict = 'deny'\ncommand = '{what} *'\nmessage = 'not here'\n"
        )
    };
    let decision = |command: &str| permission(&stage.hook(&stage.bash(command))).0;
    let reload = || {
        stage.ask("daemon.reload");
    };
    assert_eq!(decision("make world"), "silence");
    stage.user_config(&deny("make"));
    // Without being told: the change is seen.
    until("make is denied", || decision("make world") == "deny");
    stage.user_config("[[rule]\nid = ");
    reload();
    assert_eq!(decision("make world"), "deny");
    let problems = stage.ask("daemon.status")["projects"][0]["problems"].to_string();
    assert!(problems.contains("config.toml"), "{problems}");
    stage.user_config(&deny("cmake"));
    reload();
    assert_eq!(decision("make world"), "silence");
    assert_eq!(decision("cmake ."), "deny");

    // An event about settings is news in itself.
    stage.user_config(&deny("ninja"));
    stage.hook(&json!({
        "session_id": "s1", "transcript_path": "/t", "cwd": stage.path("project"),
        "hook_event_name": "ConfigChange", "source": "user_settings",
    }));
    assert_eq!(decision("ninja all"), "deny");
}

/// As after a restart: nobody knows what the file said before.
#[test]
fn settings_that_were_never_read_are_asked_about_until_somebody_mends_them() {
    let stage = Stage::new();
    stage.user_config("[[rule]]\nid = 'mine'\ncommand =\n");
    let event = |name: &str| {
        let payload = json!({
            "session_id": "s1", "transcript_path": "/t", "cwd": stage.path("project"),
            "hook_event_name": name, "source": "startup", "prompt": "mend it",
        });
        stage.hook(&payload)
    };
    let (decision, reason) = permission(&stage.hook(&stage.bash("make world")));
    assert_eq!(decision, "ask");
    for part in ["config.toml, line 3:", "`bowline check`"] {
        assert!(reason.contains(part), "{reason}");
    }
    // The guards stay on, and whoever mends it is only asked.
    let force = stage.bash("git push --force origin main");
    assert_eq!(permission(&stage.hook(&force)).0, "deny");
    let mend = json!({
        "session_id": "s1", "transcript_path": "/t", "cwd": stage.path("project"),
        "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_use_id": "t1",
        "tool_input": {"file_path": stage.path("home/.config/bowline/config.toml"), "content": ""},
    });
    assert_eq!(permission(&stage.hook(&mend)).0, "ask");
    assert_eq!(event("UserPromptSubmit").stdout, "");
    assert_eq!(event("Stop").stdout, "");
    let begun: Value = serde_json::from_str(&event("SessionStart").stdout).unwrap();
    let told = begun["systemMessage"].as_str().unwrap();
    assert!(told.contains("config.toml, line 3:"), "{told}");

    stage.user_config("");
    stage.ask("daemon.reload");
    assert_eq!(
        permission(&stage.hook(&stage.bash("make world"))).0,
        "silence"
    );
}

#[test]
fn while_paused_or_off_events_are_recorded_and_not_decided() {
    let stage = Stage::new();
    let deny = stage.bash("git push -f");
    let start = json!({
        "session_id": "s1", "transcript_path": "/t", "cwd": stage.path("project"),
        "hook_event_name": "SessionStart", "source": "startup",
    });
    let until = chrono::Local::now() + Duration::from_hours(1);
    let in_full = until.format("%Y-%m-%d %H:%M:%S").to_string();
    for (until, words) in [(Some(until.to_utc()), in_full.as_str()), (None, "resume")] {
        let pause = Pause {
            since: chrono::Utc::now(),
            until,
        };
        pause.write(&stage.places.pause()).unwrap();
        stage.ask("daemon.reload");
        assert_eq!(permission(&stage.hook(&deny)).0, "silence");
        let told: Value = serde_json::from_str(&stage.hook(&start).stdout).unwrap();
        let told = told["systemMessage"].as_str().unwrap().to_owned();
        // Where the person is, as every time.
        assert!(
            told.contains("paused") && told.contains(words) && !told.contains('Z'),
            "{told}"
        );
    }
    let last = stage.recorded().remove(1);
    assert!(last.decided.reason.unwrap().contains("paused"));
    assert!(stage.ask("daemon.status")["paused"].is_object());

    Pause::remove(&stage.places.pause()).unwrap();
    stage.ask("daemon.reload");
    assert_eq!(permission(&stage.hook(&deny)).0, "deny");
    let mut call = stage.call();
    call.env.push(("BOWLINE".into(), "off".into()));
    assert_eq!(permission(&stage.client().hook(call, &deny)).0, "silence");
    assert_eq!(stage.recorded().len(), 6);
}

/// The hook runs until a file appears, and tells its process.
fn slow_hook(stage: &Stage) {
    let (pid, go) = (stage.path("pid"), stage.path("go"));
    stage.user_config(&format!(
        "[[hooks.PreToolUse]]\nhooks = [{{ type = 'command', timeout = 60, command = 'echo $$ > {}; while ! test -e {}; do sleep 0.01; done; echo too late >&2; exit 2' }}]\n",
        pid.display(),
        go.display()
    ));
}

#[test]
fn f01_d_an_event_in_flight_finishes_with_the_hooks_that_it_began_with() {
    let mut stage = Stage::without_daemon();
    slow_hook(&stage);
    stage.start();
    let call = stage.call();
    let mut client = stage.client();
    client.send_call(call.clone(), stage.bash("ls").to_string().as_bytes());
    until("the hook runs", || stage.path("pid").exists());
    stage.user_config(
        "[[hooks.PreToolUse]]\nhooks = [{ type = 'command', command = 'echo new >&2; exit 2' }]\n",
    );
    stage.ask("daemon.reload");
    let (decision, reason) = permission(&stage.hook(&stage.bash("ls")));
    assert_eq!((decision.as_str(), reason.as_str()), ("deny", "new"));
    fs::write(stage.path("go"), "").unwrap();
    let (decision, reason) = permission(&client.answer_to(&call.id));
    assert_eq!((decision.as_str(), reason.as_str()), ("deny", "too late"));
}

#[test]
fn a_daemon_that_stops_finishes_what_it_has_begun() {
    let mut stage = Stage::without_daemon();
    slow_hook(&stage);
    stage.start();
    let call = stage.call();
    let mut client = stage.client();
    client.send_call(call.clone(), stage.bash("ls").to_string().as_bytes());
    until("the hook runs", || stage.path("pid").exists());
    assert_eq!(stage.ask("daemon.stop")["in_flight"], 1);
    until("the socket is gone", || !stage.places.socket.exists());
    fs::write(stage.path("go"), "").unwrap();
    let (decision, reason) = permission(&client.answer_to(&call.id));
    assert_eq!(
        (decision.as_str(), reason.contains("too late")),
        ("deny", true)
    );
    assert_eq!(stage.stopped(), Stop::Asked);
    assert_eq!(stage.recorded().len(), 1);
}

#[test]
fn while_hooks_run_there_are_signs_of_life_for_those_who_know_them() {
    let mut stage = Stage::without_daemon();
    slow_hook(&stage);
    stage.start();
    let (new, mut old) = (stage.call(), stage.call());
    old.signs = Signs::Unknown;
    let mut waiting = [&new, &old].map(|call| {
        let mut client = stage.client();
        client.send_call(call.clone(), stage.bash("ls").to_string().as_bytes());
        client.line().expect("an acknowledgement");
        client
    });
    for _ in 0..2 {
        let line = waiting[0].line().expect("a sign of life");
        assert_eq!(Heard::decode_for(&line, &new.id), Ok(Heard::Sign));
    }
    fs::write(stage.path("go"), "").unwrap();
    let [newer, older] = &mut waiting;
    let (answer, _) = newer.answer_after_signs(&new.id);
    assert_eq!(permission(&answer).0, "deny");
    let (answer, signs) = older.answer_after_signs(&old.id);
    assert_eq!((permission(&answer).0.as_str(), signs), ("deny", 0));
    // The next one on the same connection is answered at once, and no sign is left over.
    let next = stage.call();
    waiting[0].send_call(next.clone(), b"{}");
    waiting[0].line().expect("an acknowledgement");
    assert_eq!(waiting[0].answer_after_signs(&next.id).1, 0);
}

#[test]
fn what_runs_for_a_client_that_left_ends() {
    // A long event is read apart from the others.
    for padding in [0, 300_000] {
        let mut stage = Stage::without_daemon();
        slow_hook(&stage);
        stage.start();
        let mut client = stage.client();
        let mut event = stage.bash("ls");
        event["tool_input"]["description"] = "x".repeat(padding).into();
        client.send_call(stage.call(), event.to_string().as_bytes());
        let pid = || fs::read_to_string(stage.path("pid")).unwrap_or_default();
        until("the hook runs", || pid().ends_with('\n'));
        drop(client);
        let process = format!("/proc/{}", pid().trim());
        until("the hook has ended", || {
            !std::path::Path::new(&process).exists()
        });
        until("nothing is in flight", || {
            stage.ask("daemon.status")["in_flight"] == 0
        });
    }
}

#[test]
fn a_newer_client_is_answered_and_makes_the_daemon_step_aside() {
    let mut stage = Stage::new();
    let mut call = stage.call();
    call.client = "999.0.0".to_owned();
    let answer = stage.client().hook(call, &stage.bash("git push -f"));
    assert_eq!(permission(&answer).0, "deny");
    assert_eq!(stage.stopped(), Stop::Outdated);
    assert!(!stage.places.socket.exists());
    // The next one can begin at once.
    stage.start();
    assert_eq!(
        permission(&stage.hook(&stage.bash("git push -f"))).0,
        "deny"
    );
    assert_eq!(stage.recorded().len(), 2);
}

#[test]
fn f30_a_a_second_daemon_refuses_and_one_without_its_socket_ends() {
    let mut stage = Stage::new();
    let refused = bowline_daemon::run(stage.options()).unwrap_err();
    assert!(refused.to_string().contains("already running"), "{refused}");
    assert_eq!(
        permission(&stage.hook(&stage.bash("git push -f"))).0,
        "deny"
    );
    fs::remove_file(&stage.places.socket).unwrap();
    assert_eq!(stage.stopped(), Stop::SocketLost);
}

#[test]
fn a_daemon_that_nobody_needs_ends_unless_it_is_kept() {
    let (kept, idle) = (Stage::without_daemon(), Stage::without_daemon());
    let mut options = kept.options();
    options.idle = Idle::Never;
    let running = thread::spawn(move || bowline_daemon::run(options));
    until("the kept daemon answers", || {
        Connection::open(&kept.places.socket).is_ok()
    });
    let mut options = idle.options();
    options.idle = Idle::After(Duration::ZERO);
    let ending = thread::spawn(move || bowline_daemon::run(options));
    // A hook whose agent leaves it waiting for the event connects, and says nothing.
    let silent = std::cell::RefCell::new(None);
    until("somebody is connected", || {
        *silent.borrow_mut() = Connection::open(&idle.places.socket).ok();
        silent.borrow().is_some()
    });
    assert_eq!(ending.join().unwrap().unwrap(), Stop::Idle);
    // It began earlier, so that it has looked around as well.
    assert!(!running.is_finished());
    kept.ask("daemon.stop");
    assert_eq!(running.join().unwrap().unwrap(), Stop::Asked);
}

#[test]
fn the_project_of_a_session_is_where_it_began_also_for_a_daemon_that_was_not_there() {
    let mut stage = Stage::without_daemon();
    stage.write("project/.git/HEAD", "");
    stage.write("elsewhere/.git/HEAD", "");
    stage.start();
    let send = |stage: &Stage, cwd: &str| {
        let mut call = stage.call();
        call.agent = "generic".to_owned();
        call.env.remove("CLAUDE_PROJECT_DIR");
        let mut payload = stage.bash("ls");
        payload["cwd"] = stage.path(cwd).to_string_lossy().into();
        stage.client().hook(call, &payload);
        stage.recorded().remove(0).decided.project
    };
    let project = stage.path("project").canonicalize().unwrap();
    let project = Some(project.to_string_lossy().into_owned());
    assert_eq!(send(&stage, "project"), project);
    assert_eq!(send(&stage, "elsewhere"), project);
    Connection::open(&stage.places.socket)
        .unwrap()
        .ask("daemon.stop", Map::new())
        .unwrap();
    stage.stopped();
    stage.start();
    assert_eq!(send(&stage, "elsewhere"), project);
}

#[test]
fn no_call_chooses_the_project_by_the_folder_that_it_runs_in() {
    let mut stage = Stage::without_daemon();
    stage.write("project/.git/HEAD", "");
    stage.write("elsewhere/.git/HEAD", "");
    stage.start();
    let (here, there) = (stage.path("project"), stage.path("elsewhere"));
    let project = here.canonicalize().unwrap();
    let project = Some(project.to_string_lossy().into_owned());
    for (agent, payload) in [
        (
            "cursor",
            json!({"hook_event_name": "beforeShellExecution", "conversation_id": "c", "workspace_roots": [here], "command": "ls", "cwd": there}),
        ),
        (
            "windsurf",
            json!({"agent_action_name": "pre_run_command", "trajectory_id": "w", "tool_info": {"command_line": "ls", "cwd": there}}),
        ),
        (
            "kimi",
            json!({"hook_event_name": "PreToolUse", "session_id": "k", "cwd": here, "tool_name": "Bash",
                "tool_input": {"command": "ls", "cwd": there}}),
        ),
    ] {
        let mut call = stage.call();
        agent.clone_into(&mut call.agent);
        call.env.remove("CLAUDE_PROJECT_DIR");
        stage.client().hook(call, &payload);
        let recorded = stage.recorded().remove(0).decided;
        assert_eq!(recorded.project, project, "{agent}");
    }
}

#[test]
fn hooks_of_claude_codes_own_files_are_left_to_it_and_bridged_for_others() {
    let stage = Stage::new();
    stage.write(
        "home/.claude/settings.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo bridged >&2; exit 2"}]}]}}"#,
    );
    let agents = |agent: &str| {
        let mut call = stage.call();
        call.agent = agent.to_owned();
        stage.client().hook(call, &stage.bash("ls")).stdout
    };
    assert_eq!(agents("claude-code"), "");
    assert!(!agents("generic").contains("bridged"));
    stage.user_config("[bridge]\nclaude_hooks = true\n");
    stage.ask("daemon.reload");
    assert_eq!(agents("claude-code"), "");
    assert!(agents("generic").contains("bridged"));

    // What a repository brings along runs only once somebody has trusted the project.
    stage.write("home/.claude/settings.json", "{}");
    stage.write(
        "project/.claude/settings.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo cloned >&2; exit 2"}]}]}}"#,
    );
    stage.write("project/bowline.toml", "[guard]\nmode = 'enforce'\n");
    stage.ask("daemon.reload");
    assert!(!agents("generic").contains("cloned"));
    let locations = Locations::of_environment(|name| {
        (name == "HOME").then(|| stage.path("home").into_os_string())
    });
    let mut trust = TrustStore::open(&locations).unwrap();
    let project = stage.path("project").canonicalize().unwrap();
    trust.record(&project).unwrap();
    stage.ask("daemon.reload");
    assert!(
        !agents("generic").contains("cloned"),
        "nobody has seen them"
    );
    let seen = load(&project, &locations).claude_hooks.sha256.unwrap();
    trust.record_claude_hooks(&project, &seen).unwrap();
    stage.ask("daemon.reload");
    assert!(agents("generic").contains("cloned"));
    stage.write(
        "project/.claude/settings.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo swapped >&2; exit 2"}]}]}}"#,
    );
    stage.ask("daemon.reload");
    assert!(!agents("generic").contains("swapped"));
}

#[test]
fn an_event_that_arrives_by_two_entries_is_handled_once() {
    let mut stage = Stage::without_daemon();
    stage.user_config(&format!(
        "[[hooks.Stop]]\nhooks = [{{ type = 'command', command = 'echo ran >> {}' }}]\n",
        stage.path("ran").display()
    ));
    stage.start();
    let by_project = || {
        let mut call = stage.call();
        call.env.push(("BOWLINE_SCOPE".into(), "project".into()));
        call
    };
    let stop = json!({
        "session_id": "s1", "transcript_path": "/t", "cwd": stage.path("project"), "hook_event_name": "Stop",
    });
    for payload in [stage.bash("git push -f"), stop.clone(), stop] {
        let (mut user, mut project) = (stage.client(), stage.client());
        let calls = [by_project(), stage.call()];
        project.send_call(calls[0].clone(), payload.to_string().as_bytes());
        user.send_call(calls[1].clone(), payload.to_string().as_bytes());
        assert_eq!(
            project.answer_to(&calls[0].id),
            user.answer_to(&calls[1].id)
        );
    }
    assert_eq!(stage.recorded().len(), 3);
    assert_eq!(fs::read_to_string(stage.path("ran")).unwrap(), "ran\nran\n");
    // Alone, a project's entry is as good as any.
    let alone = stage
        .client()
        .hook(by_project(), &stage.bash("git push --force"));
    assert_eq!(permission(&alone).0, "deny");
    assert_eq!(stage.recorded().len(), 4);
}

#[test]
fn what_a_hook_warns_of_is_kept_with_its_event() {
    let stage = Stage::new();
    stage.user_config(
        r#"[[hooks.PreToolUse]]
hooks = [{ type = "command", command = """echo '{"modifiedInput":"{oops"}'""" }]
"#,
    );
    let mut event = stage.bash("ls");
    event["tool_use_id"] = "toolu_1".into();
    stage.hook(&event);
    let last = stage.recorded().remove(0);
    let warnings: Vec<&String> = (last.decided.hooks.iter())
        .flat_map(|hook| &hook.warnings)
        .collect();
    assert!(
        warnings
            .iter()
            .any(|warning| warning.contains("modifiedInput")),
        "{last:?}"
    );
}

#[test]
fn f18_f_an_agent_is_kept_from_ending_its_turn_once_in_a_row() {
    let stage = Stage::new();
    stage.user_config(
        "[[hooks.Stop]]\nhooks = [{ type = 'command', command = 'echo go on >&2; exit 1' }]\n\
         [[hooks.SubagentStop]]\nhooks = [{ type = 'command', command = 'echo go on >&2; exit 1' }]\n",
    );
    for event in ["Stop", "SubagentStop"] {
        for (active, expected, enforcement) in [
            (false, "block", Enforcement::Enforced),
            (true, "", Enforcement::Unenforced),
        ] {
            let answer = stage.hook(&serde_json::json!({
                "session_id": "s1", "cwd": stage.path("project"), "hook_event_name": event,
                "stop_hook_active": active,
            }));
            let said: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
            assert_eq!(
                said["decision"].as_str().unwrap_or_default(),
                expected,
                "{event}"
            );
            assert_eq!(answer.exit, 0);
            if active {
                let told = said["systemMessage"].as_str().unwrap();
                assert!(told.ends_with("go on"), "{told}");
            }
            let last = stage.recorded().remove(0);
            assert_eq!(last.decided.decision, Decision::Deny);
            assert_eq!(last.decided.enforcement, enforcement, "{event} {active}");
        }
    }
}

/// Not every agent says that it was sent on: then the records know.
#[test]
fn f18_f_a_rule_keeps_an_agent_going_once_in_a_row_whatever_the_agent_says() {
    let stage = Stage::new();
    stage.user_config(
        "[[rule]]\nid = 'tests'\nevent = 'Stop'\nverdict = 'deny'\nmessage = 'run make test first'\n",
    );
    let report = |event: &str, more: serde_json::Value| {
        let mut payload = json!({
            "session_id": "s1", "cwd": stage.path("project"), "hook_event_name": event,
        });
        let fields = more.as_object().unwrap().clone();
        payload.as_object_mut().unwrap().extend(fields);
        let answer = stage.hook(&payload);
        assert_eq!(answer.exit, 0);
        // Times are kept in milliseconds, and no agent is as fast as that.
        let now = || chrono::Utc::now().timestamp_millis();
        let then = now();
        until("the clock goes on", || now() > then);
        answer.stdout.contains("\"block\"")
    };
    for (active, blocks) in [(false, true), (true, false), (true, false), (false, true)] {
        let blocked = report("Stop", json!({ "stop_hook_active": active }));
        assert_eq!(blocked, blocks, "{active}");
    }
    report("UserPromptSubmit", json!({"prompt": "x"}));
    for blocks in [true, false, true, false] {
        assert_eq!(report("Stop", json!({})), blocks);
        report(
            "PreToolUse",
            json!({"tool_name": "Read", "tool_input": {"file_path": "a"}}),
        );
    }
    report("UserPromptSubmit", json!({"prompt": "go on"}));
    assert!(report("Stop", json!({})));
    report("UserPromptSubmit", json!({"prompt": "go on"}));
    assert!(report("Stop", json!({})), "a person has said something");
}

#[test]
fn a_rule_that_adds_context_on_stop_speaks_once_in_a_row() {
    let stage = Stage::new();
    stage.user_config(
        "[[rule]]\nid = 'tests'\nevent = 'Stop'\nverdict = 'context'\nmessage = 'run make test first'\n",
    );
    for (active, speaks) in [(false, true), (true, false), (true, false), (false, true)] {
        let answer = stage.hook(&serde_json::json!({
            "session_id": "s1", "cwd": stage.path("project"), "hook_event_name": "Stop",
            "stop_hook_active": active,
        }));
        assert_eq!(answer.exit, 0);
        assert_eq!(
            answer.stdout.contains("run make test first"),
            speaks,
            "{active}"
        );
    }
}

#[test]
fn f18_d_an_exit_code_that_blocks_what_cannot_be_blocked_is_recorded_as_not_enforced() {
    // Whether the agent can show it.
    for (event, shown) in [
        ("Notification", false),
        ("SessionStart", true),
        ("SubagentStart", true),
    ] {
        let stage = Stage::new();
        stage.user_config(&format!(
            "[[hooks.{event}]]\nhooks = [{{ type = 'command', command = 'echo not today >&2; exit 1' }}]\n",
        ));
        let answer = stage.hook(&json!({
            "session_id": "s1", "cwd": stage.path("project"), "hook_event_name": event,
            "message": "done", "notification_type": "idle_prompt", "source": "startup",
            "agent_id": "a1", "agent_type": "explorer",
        }));
        assert_eq!(answer.exit, 0, "{event}");
        assert_eq!(answer.stdout.contains("not today"), shown, "{event}");
        let last = stage.recorded().remove(0);
        assert_eq!(last.decided.decision, Decision::Deny, "{event}");
        assert_eq!(last.decided.enforcement, Enforcement::Unenforced, "{event}");
        assert_eq!(last.decided.reason.as_deref(), Some("not today"), "{event}");
    }
}

#[test]
fn f08_a_hooks_learn_the_last_permission_mode_of_the_session_on_every_event() {
    let mut stage = Stage::new();
    let seen = stage.path("seen");
    stage.user_config(&format!(
        "[[hooks.Notification]]\nhooks = [{{ type = 'command', command = 'cat >> {}' }}]\n",
        seen.display()
    ));
    let notify = |stage: &Stage, session: &str| {
        stage.hook(&json!({
            "session_id": session, "cwd": stage.path("project"), "hook_event_name": "Notification",
            "message": "done", "notification_type": "idle_prompt",
        }));
        let text = fs::read_to_string(&seen).unwrap();
        let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        last["permission_mode"].clone()
    };
    assert_eq!(notify(&stage, "s1"), Value::Null);
    for mode in ["plan", "acceptEdits"] {
        let mut call = stage.bash("ls");
        call["permission_mode"] = mode.into();
        stage.hook(&call);
        assert_eq!(notify(&stage, "s1"), mode);
        stage.restart();
        assert_eq!(notify(&stage, "s1"), mode, "after a restart");
        assert_eq!(notify(&stage, "s2"), Value::Null);
    }
}

#[test]
fn f40_e_a_second_attempt_passes_also_after_a_restart() {
    let mut stage = Stage::new();
    stage.user_config("[guard]\nmode = 'one-strike'\n");
    for (n, (id, expected)) in [
        (Some("toolu_1"), "deny"),
        (Some("toolu_2"), "silence"),
        (None, "deny"),
        (None, "silence"),
    ]
    .into_iter()
    .enumerate()
    {
        let command = if n < 2 { "git push -f" } else { "rm -rf ~/" };
        let mut event = stage.bash(command);
        if let Some(id) = id {
            event["tool_use_id"] = id.into();
        }
        let answer = stage.hook(&event);
        let decision = permission(&answer).0;
        let passed = decision == "-" || decision == "silence";
        assert_eq!(passed, expected == "silence", "{n}: {}", answer.stdout);
        stage.restart();
    }
    let mut elsewhere = stage.bash("git push -f");
    elsewhere["session_id"] = "s2".into();
    assert_eq!(permission(&stage.hook(&elsewhere)).0, "deny");
}

#[test]
fn f06_b_a_skill_stays_in_use_after_a_restart_until_its_session_ends() {
    let mut stage = Stage::new();
    stage.user_config("[bridge]\nclaude_hooks = true\n");
    stage.write(
        "home/.claude/skills/review/SKILL.md",
        "---\nname: review\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          \
         command: echo reviewing >&2; exit 2\n---\n",
    );
    let send = |stage: &Stage, event: &Value| {
        let mut call = stage.call();
        "generic".clone_into(&mut call.agent);
        stage.client().hook(call, event).stdout
    };
    let reviewed = |stage: &Stage| send(stage, &stage.bash("ls")).contains("reviewing");
    assert!(!reviewed(&stage));
    let mut skill = stage.bash("");
    skill["tool_name"] = "Skill".into();
    skill["tool_input"] = json!({"skill": "review"});
    send(&stage, &skill);
    assert!(reviewed(&stage));
    stage.restart();
    assert!(reviewed(&stage));
    let mut end = stage.bash("");
    end["hook_event_name"] = "SessionEnd".into();
    end["reason"] = "clear".into();
    send(&stage, &end);
    stage.restart();
    assert!(!reviewed(&stage));
}

#[test]
fn f40_f_what_was_not_understood_is_seen_in_the_records() {
    let stage = Stage::new();
    stage.hook(&stage.bash("echo 'never closed"));
    let last = stage.recorded().remove(0);
    assert_eq!(last.decided.decision, Decision::NoOpinion);
    let warnings: Vec<&String> = (last.decided.hooks.iter())
        .flat_map(|hook| &hook.warnings)
        .collect();
    assert!(
        warnings
            .iter()
            .any(|warning| warning.contains("unverified")),
        "{last:?}"
    );
}

#[test]
fn the_agents_shells_learn_the_session_where_the_agent_names_a_file_for_that() {
    let stage = Stage::new();
    let file = stage.path("home/.claude/session-env/s1/sessionstart-hook-0.sh");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let mut call = stage.call();
    call.env = [
        ("HOME", stage.path("home").into_os_string()),
        ("CLAUDE_ENV_FILE", file.clone().into_os_string()),
    ]
    .into_iter()
    .collect();
    let event = json!({
        "session_id": "s1", "cwd": stage.path("project"), "hook_event_name": "SessionStart",
        "source": "startup",
    });
    stage.client().hook(call, &event);
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        "export BOWLINE_SESSION='s1'\nexport HTMLGRAPH_SESSION_ID='s1'\n"
    );
}

#[test]
fn f33_a_a_session_that_begins_is_answered_with_its_effort_and_the_id_that_other_commands_take() {
    let stage = Stage::new();
    let mut client = stage.client();
    let env = json!({"HOME": stage.path("home"), "PATH": std::env::var("PATH").unwrap()});
    let mut ask = |command: &str, args: Value| -> Value {
        let request = json!({"cmd": command, "args": args, "env": env});
        client.send(format!("{request}\n").as_bytes());
        let answer: Value = serde_json::from_slice(&client.line().unwrap()).unwrap();
        assert_eq!(answer["ok"], true, "{answer}");
        answer["data"].clone()
    };
    let project = stage.path("project");
    let begin = json!({
        "sessionId": "s1", "transcriptPath": "/t", "cwd": project, "source": "startup",
    });
    let before = ask("hooks.sessionStart", begin.clone());
    assert_eq!(before["found"], false, "{before}");
    assert_eq!(before.get("sessionId"), None, "{before}");
    let start = json!({"start": {"task": "login", "skill": "implement"}});
    ask(
        "efforts.perform",
        json!({"command": start, "project": project}),
    );
    let begun = ask("hooks.sessionStart", begin);
    assert_eq!(begun["found"], true, "{begun}");
    let session = begun["sessionId"].clone();
    assert_eq!(session, "s1");
    let prompt = json!({"sessionId": "s1", "transcriptPath": "/t", "cwd": project, "prompt": "go"});
    assert_eq!(ask("hooks.userPrompt", prompt)["sessionId"], session);
    // Other commands take it.
    let effort = ask(
        "efforts.get",
        json!({"project": project, "session": session}),
    );
    assert_eq!(effort["effort"]["id"], begun["effortId"], "{effort}");
    let found = ask("sessions.get", json!({ "session": session }));
    assert!(found.is_object(), "{found}");
}

#[test]
fn f08_c_an_event_may_come_as_a_request_on_one_line() {
    let stage = Stage::new();
    let mut client = stage.client();
    let mut ask = |line: String| -> Value {
        client.send(format!("{line}\n").as_bytes());
        serde_json::from_slice(&client.line().unwrap()).unwrap()
    };
    let env = json!({"HOME": stage.path("home"), "PATH": std::env::var("PATH").unwrap()});
    let base = |command: &str| {
        json!({
            "sessionId": "s1", "transcriptPath": "/t", "cwd": stage.path("project"),
            "toolName": "Bash", "toolInput": {"command": command}, "toolUseId": "toolu_1",
        })
    };
    let request = |command: &str, args: &Value| {
        json!({"id": 7, "cmd": command, "args": args, "env": env}).to_string()
    };
    let answer = ask(request("hooks.preToolUse", &base("git push -f")));
    assert_eq!(answer["id"], 7);
    assert_eq!(answer["ok"], true);
    assert_eq!(answer["data"]["allow"], false);
    assert_eq!(answer["data"]["decision"], "deny");
    assert!(!answer["data"]["reason"].as_str().unwrap().is_empty());
    let answer = ask(request("hooks.pre_tool_use", &base("ls")));
    assert_eq!(
        answer["data"],
        json!({"allow": true, "decision": "no_opinion"})
    );
    let prompt = json!({"sessionId": "s1", "transcriptPath": "/t", "cwd": "/", "prompt": "hello"});
    assert_eq!(
        ask(request("hooks.userPrompt", &prompt))["data"]["allow"],
        true
    );

    // The four ways in which it fails; the connection stays usable.
    let answer = ask(request("hooks.preToolUse", &json!({"cwd": "/"})));
    assert_eq!(answer["error"], "VALIDATION_ERROR");
    let issues = answer["details"]["issues"].to_string();
    for field in ["session_id", "transcript_path", "tool_name", "tool_input"] {
        assert!(issues.contains(field), "{issues}");
    }
    assert_eq!(ask("{\"cmd\":".to_owned())["error"], "INVALID_JSON");
    assert_eq!(
        ask(request("hooks.preToolUze", &json!({})))["error"],
        "UNKNOWN_COMMAND"
    );
    let nowhere = json!({"to": "/no/such/folder/copy"});
    assert_eq!(
        ask(request("store.backup", &nowhere))["error"],
        "HANDLER_ERROR"
    );
    assert_eq!(ask(request("hooks.preToolUse", &base("ls")))["ok"], true);
    let recorded = stage.recorded();
    assert_eq!(recorded.len(), 4);
    assert_eq!(recorded[3].decided.decision, Decision::Deny);
    assert_eq!(recorded[3].decided.session, "s1");
}
