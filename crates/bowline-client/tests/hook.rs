//! The client against daemons that do right and wrong.
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test that cannot go on must fail"
)]

mod stage;

use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::process::Stdio;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Instant;

use bowline_testkit::{feed, needs};
use bowline_wire::{Acknowledgement, CallId, FailMode, MAX_PAYLOAD, SILENT_AFTER};
use serde_json::{Value, json};
use stage::{Conversation, Stage, direct, run, said};

const PRE_TOOL_USE: [&str; 4] = ["claude-code", "PreToolUse", "--on-failure", "ask"];

#[test]
fn the_daemons_answer_is_passed_on() {
    let stage = Stage::new();
    let (seen, calls) = mpsc::channel();
    stage.daemon(move |mut conversation| {
        conversation.acknowledge();
        conversation.reply(2, "out\n", "err\n");
        seen.send((conversation.call.clone(), conversation.payload.clone()))
            .unwrap();
    });
    let mut hook = stage.hook(&["codex", "Stop", "--on-failure", "closed", "--timeout", "30"]);
    hook.env("ODD", OsStr::from_bytes(b"\xff\xfe"))
        .env(OsStr::from_bytes(b"N\xff"), "1");
    let payload = b"not even JSON \xff\x00\n{}";
    assert_eq!(
        said(run(hook, payload)),
        (2, "out\n".to_owned(), "err\n".to_owned())
    );

    let (call, sent) = calls.recv().unwrap();
    assert_eq!(sent, payload);
    assert_eq!(
        (call.agent.as_str(), call.event.as_deref()),
        ("codex", Some("Stop"))
    );
    assert_eq!(call.on_failure, FailMode::Closed);
    assert_eq!(call.client, env!("CARGO_PKG_VERSION"));
    assert_eq!(call.cwd, fs::canonicalize(stage.path(".")).unwrap());
    let path = format!("{}:/usr/bin:/bin", stage.path("path").display());
    for (name, value) in [
        (&b"ODD"[..], &b"\xff\xfe"[..]),
        (b"N\xff", b"1"),
        (b"PATH", path.as_bytes()),
    ] {
        let pair = (OsStr::from_bytes(name), OsStr::from_bytes(value));
        assert!(call.env.iter().any(|known| known == pair), "{pair:?}");
    }
    assert_eq!(call.env.iter().count(), 4);
    assert!(stage.direct_runs().is_empty());
}

#[test]
fn f48_c_one_event_is_one_round_trip() {
    let stage = Stage::new();
    let (seen, calls) = mpsc::channel();
    stage.daemon(move |mut conversation| {
        conversation.acknowledge();
        conversation.reply(0, "out", "");
        seen.send(conversation.rest()).unwrap();
    });
    let output = run(stage.hook(&PRE_TOOL_USE), b"{}");
    assert_eq!(said(output).1, "out");
    assert_eq!(calls.recv().unwrap(), b"", "nothing follows the call");
    assert!(calls.try_recv().is_err(), "one connection");
    assert!(stage.direct_runs().is_empty());
}

#[test]
fn payloads_of_any_size_arrive() {
    let stage = Stage::new();
    stage.daemon(|mut conversation| {
        conversation.acknowledge();
        let told = format!(
            "{} {:?}",
            conversation.payload.len(),
            conversation.payload.last()
        );
        conversation.reply(0, &told, "");
    });
    for size in [0, 1, 415, 65_536, 1_000_000] {
        let mut payload = vec![b'x'; size];
        payload.extend(b"}");
        let output = run(stage.hook(&PRE_TOOL_USE), &payload);
        assert_eq!(said(output).1, format!("{} Some(125)", size + 1));
    }
    assert_eq!(said(run(stage.hook(&PRE_TOOL_USE), b"")).1, "0 None");
    let mut hook = stage.hook(&PRE_TOOL_USE);
    hook.stdin(Stdio::null());
    assert_eq!(said(hook.output().unwrap()).1, "0 None");
    // Without a stdin at all.
    let client = stage.path("bin/bowline-hook");
    let mut shell = stage.hook(&[]);
    let mut closed = std::process::Command::new("sh");
    closed
        .args(["-c", "exec \"$0\" claude-code PreToolUse <&-"])
        .arg(client);
    closed.env_clear().env("BOWLINE_SOCKET", stage.socket());
    assert_eq!(said(closed.output().unwrap()).1, "0 None");
    shell.stdin(fs::File::open(stage.path(".")).unwrap());
    shell.args(["claude-code", "PreToolUse", "--on-failure", "closed"]);
    let (exit, stdout, stderr) = said(shell.output().unwrap());
    assert_eq!((exit, stdout.as_str()), (2, ""));
    assert!(stderr.contains("stdin cannot be read"), "{stderr}");
    assert!(stage.direct_runs().is_empty());
}

#[test]
fn a_long_answer_arrives_whole() {
    let stage = Stage::new();
    stage.daemon(|mut conversation| {
        conversation.acknowledge();
        let long = "é\n".repeat(3_000_000);
        conversation.reply(0, &long, "end");
    });
    let (exit, stdout, stderr) = said(run(stage.hook(&PRE_TOOL_USE), b"{}"));
    assert_eq!((exit, stdout.len(), stderr.as_str()), (0, 9_000_000, "end"));
}

#[test]
fn an_answer_in_pieces_is_put_together() {
    let stage = Stage::new();
    stage.daemon(|mut conversation| {
        let call = &conversation.call.id;
        let acknowledged = Acknowledgement {
            daemon: "0".to_owned(),
            pid: 1,
        }
        .encode();
        let reply =
            format!("{{\"call\":\"{call}\",\"exit\":0,\"stdout\":\"yes\",\"stderr\":\"\"}}\n");
        for byte in acknowledged.iter().chain(reply.as_bytes()) {
            conversation.send(&[*byte]);
        }
    });
    assert_eq!(
        said(run(stage.hook(&PRE_TOOL_USE), b"{}")),
        (0, "yes".to_owned(), String::new())
    );
    assert!(stage.direct_runs().is_empty());
}

/// A daemon that does not say what it should, and a word for the message.
type Fault = (&'static str, fn(Conversation));

#[test]
fn a_daemon_that_fails_is_done_without_under_the_same_name() {
    let faults: [Fault; 10] = [
        ("closes at once", drop),
        ("does not acknowledge", Conversation::hang),
        ("acknowledges with nonsense", |mut it| it.send(b"hello\n")),
        ("speaks another version", |mut it| {
            it.send(b"{\"bowline\":2,\"daemon\":\"9\",\"pid\":1}\n");
            it.reply(0, "no", "");
        }),
        ("ends after the acknowledgement", |mut it| it.acknowledge()),
        ("replies with nonsense", |mut it| {
            it.acknowledge();
            it.send(b"{\"exit\":\n");
        }),
        ("ends within the reply", |mut it| {
            it.acknowledge();
            it.send(b"{\"call\":");
        }),
        ("replies without an exit code", |mut it| {
            it.acknowledge();
            let line = format!(
                "{{\"call\":\"{}\",\"stdout\":\"\",\"stderr\":\"\"}}\n",
                it.call.id
            );
            it.send(line.as_bytes());
        }),
        ("replies to another call", |mut it| {
            it.acknowledge();
            it.call.id = CallId::from_parts(1, 1);
            it.reply(0, "no", "");
        }),
        ("acknowledges with an endless line", |mut it| {
            for _ in 0..100 {
                it.send(&[b'x'; 1000]);
            }
        }),
    ];
    for (fault, script) in faults {
        let stage = Stage::new();
        let id = Arc::new(Mutex::new(None));
        let seen = Arc::clone(&id);
        stage.daemon(move |conversation| {
            *seen.lock().unwrap() = Some(conversation.call.id.clone());
            script(conversation);
        });
        assert_eq!(
            said(run(stage.hook(&PRE_TOOL_USE), b"{\"a\":1}")),
            direct(),
            "{fault}"
        );
        let id = id.lock().unwrap().clone().unwrap();
        let expected =
            format!("hook --direct claude-code PreToolUse --on-failure ask --call-id {id}");
        assert_eq!(stage.direct_runs(), [expected], "{fault}");
        assert_eq!(stage.direct_stdin(), b"{\"a\":1}", "{fault}");
        assert_eq!(stage.starts(), ["daemon start"], "{fault}");
    }
}

#[test]
fn a_daemon_that_closes_in_the_middle_of_a_payload_does_no_harm() {
    let stage = Stage::new();
    let listener = UnixListener::bind(stage.socket()).unwrap();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 10]);
        }
    });
    let payload = vec![b'x'; 3_000_000];
    assert_eq!(said(run(stage.hook(&PRE_TOOL_USE), &payload)), direct());
    assert_eq!(stage.direct_stdin(), payload);
}

#[test]
fn a_daemon_that_reads_nothing_is_done_without() {
    let stage = Stage::new();
    // Connections are queued by the system, and nobody takes them.
    let _listener = UnixListener::bind(stage.socket()).unwrap();
    let payload = vec![b'x'; 3_000_000];
    for _ in 0..2 {
        assert_eq!(said(run(stage.hook(&PRE_TOOL_USE), &payload)), direct());
    }
    assert_eq!(stage.starts(), ["daemon start"]);
}

#[test]
fn a_hang_after_the_acknowledgement_is_answered_in_time_by_the_mode() {
    let stage = Stage::new();
    stage.daemon(|mut conversation| {
        conversation.acknowledge();
        conversation.hang();
    });
    let mut answers = Vec::new();
    for mode in ["open", "ask", "closed"] {
        let hook = stage.hook(&[
            "claude-code",
            "PreToolUse",
            "--on-failure",
            mode,
            "--timeout",
            "1",
        ]);
        answers.push(said(run(hook, b"{}")));
    }
    assert_eq!(answers[0], (0, String::new(), String::new()));
    let ask: Value = serde_json::from_str(&answers[1].1).unwrap();
    assert_eq!(ask["hookSpecificOutput"]["permissionDecision"], "ask");
    let reason = ask["hookSpecificOutput"]["permissionDecisionReason"]
        .as_str()
        .unwrap();
    assert!(reason.contains("the daemon is too slow"), "{reason}");
    assert_eq!((answers[2].0, answers[2].1.as_str()), (2, ""));
    assert!(answers[2].2.contains("the daemon is too slow"));
    // There is no time left for another attempt.
    assert!(stage.direct_runs().is_empty());
}

#[test]
fn a_daemon_that_acknowledges_and_falls_silent_is_done_without() {
    let stage = Stage::new();
    stage.daemon(|mut conversation| {
        conversation.acknowledge();
        conversation.sign();
        conversation.hang();
    });
    let began = Instant::now();
    assert_eq!(said(run(stage.hook(&PRE_TOOL_USE), b"{}")), direct());
    assert!(began.elapsed() >= SILENT_AFTER);
    assert_eq!(stage.starts(), ["daemon start"]);
}

#[test]
fn a_daemon_that_gives_signs_of_life_or_never_did_is_waited_for() {
    type Waits = fn(&mut Conversation);
    let cases: [(&str, Waits); 2] = [
        ("gives signs", |it| {
            it.acknowledge();
            for _ in 0..5 {
                thread::sleep(SILENT_AFTER / 4);
                it.sign();
            }
        }),
        ("is older than they are", |it| {
            it.send(b"{\"bowline\":1,\"daemon\":\"0.0.0\",\"pid\":1}\n");
            thread::sleep(SILENT_AFTER + SILENT_AFTER / 4);
        }),
    ];
    for (what, wait) in cases {
        let stage = Stage::new();
        stage.daemon(move |mut conversation| {
            wait(&mut conversation);
            conversation.reply(0, "late, and right", "");
        });
        let output = run(stage.hook(&PRE_TOOL_USE), b"{}");
        assert_eq!(said(output).1, "late, and right", "{what}");
        assert!(stage.direct_runs().is_empty(), "{what}");
    }
}

#[test]
fn a_direct_run_that_fails_is_answered_by_the_mode() {
    for (how, answer) in [
        ("fails", "printf '{\"half\":'; exit 1"),
        ("is not understood", "exit 127"),
        ("is killed", "kill -9 $$"),
        ("hangs", "exec sleep 5"),
    ] {
        let stage = Stage::new();
        stage.bowline(answer);
        let hook = stage.hook(&[
            "claude-code",
            "PreToolUse",
            "--on-failure",
            "closed",
            "--timeout",
            "1",
        ]);
        let (exit, stdout, stderr) = said(run(hook, b"{}"));
        assert_eq!((exit, stdout.as_str()), (2, ""), "{how}");
        assert!(
            stderr.contains("Bowline could not judge this"),
            "{how}: {stderr}"
        );
        let hook = stage.hook(&[
            "claude-code",
            "PreToolUse",
            "--on-failure",
            "open",
            "--timeout",
            "1",
        ]);
        assert_eq!(
            said(run(hook, b"{}")),
            (0, String::new(), String::new()),
            "{how}"
        );
    }
}

#[test]
fn without_any_bowline_each_agent_gets_the_form_of_its_own() {
    let stage = Stage::without_bowline();
    // Where the word stands in its own form, if it has one for the mode; else exit code 2 denies.
    let forms = [
        (
            "claude-code",
            "PreToolUse",
            Some("/hookSpecificOutput/permissionDecision"),
            None,
        ),
        ("generic", "PreToolUse", Some("/decision"), None),
        (
            "copilot",
            "preToolUse",
            Some("/permissionDecision"),
            Some("/permissionDecision"),
        ),
        (
            "copilot",
            "PreToolUse",
            Some("/hookSpecificOutput/permissionDecision"),
            Some("/hookSpecificOutput/permissionDecision"),
        ),
        ("cursor", "beforeShellExecution", Some("/permission"), None),
        ("cursor", "preToolUse", None, None),
        ("codex", "PreToolUse", None, None),
        ("opencode", "tool.execute.before", None, None),
        ("somebody-new", "PreToolUse", None, None),
    ];
    for (agent, event, ask, deny) in forms {
        let answer = |mode| {
            let (exit, stdout, stderr) = said(run(
                stage.hook(&[agent, event, "--on-failure", mode]),
                b"{}",
            ));
            assert!(!stderr.to_lowercase().contains("no such file"), "{stderr}");
            (
                exit,
                stdout,
                stderr.contains("Bowline could not judge this"),
            )
        };
        assert_eq!(answer("open"), (0, String::new(), false), "{agent} {event}");
        for (mode, word, place) in [("closed", "deny", deny), ("ask", "ask", ask)] {
            let (exit, stdout, shown) = answer(mode);
            let Some(place) = place else {
                assert_eq!(
                    (exit, stdout.as_str(), shown),
                    (2, "", true),
                    "{agent} {event}"
                );
                continue;
            };
            let told: Value = serde_json::from_str(&stdout).unwrap();
            assert_eq!(told.pointer(place), Some(&json!(word)), "{agent}: {told}");
            assert_eq!((exit, shown), (0, false), "{agent} {event}");
        }
    }
    // The event may stand in the payload alone.
    let stop = br#"{"session_id":"1","hook_event_name":"Stop"}"#;
    let (exit, stdout, stderr) = said(run(
        stage.hook(&["claude-code", "--on-failure", "closed"]),
        stop,
    ));
    assert_eq!((exit, stdout.as_str()), (0, ""));
    assert!(stderr.contains("Bowline could not judge this"));
    let closed = stage.hook(&["claude-code", "--on-failure", "closed"]);
    run(closed, b"{}").expect(2, &[]);
}

#[test]
fn what_is_too_long_is_asked_about_in_every_mode() {
    let stage = Stage::new();
    stage.daemon(|_| panic!("nobody may be asked"));
    let payload = vec![b' '; MAX_PAYLOAD + 1];
    for mode in ["open", "closed"] {
        let output = run(
            stage.hook(&["claude-code", "PreToolUse", "--on-failure", mode]),
            &payload,
        );
        let (exit, stdout, stderr) = said(output);
        let told: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!((exit, stderr.as_str()), (0, ""));
        assert_eq!(told["hookSpecificOutput"]["permissionDecision"], "ask");
        assert_eq!(told["hookSpecificOutput"]["hookEventName"], "PreToolUse");
    }
    let output = run(
        stage.hook(&["codex", "PreToolUse", "--on-failure", "open"]),
        &payload,
    );
    assert_eq!((output.code, output.stdout.len()), (Some(2), 0));
    assert!(stage.direct_runs().is_empty());
}

#[test]
fn the_longest_payload_is_still_judged() {
    let stage = Stage::new();
    stage.daemon(|mut conversation| {
        conversation.acknowledge();
        conversation.reply(0, &conversation.payload.len().to_string(), "");
    });
    let output = run(stage.hook(&PRE_TOOL_USE), &vec![b' '; MAX_PAYLOAD]);
    assert_eq!(said(output).1, MAX_PAYLOAD.to_string());
}

#[test]
fn a_reader_that_goes_away_does_not_let_the_answer_vanish() {
    let stage = Stage::new();
    let (read, readers) = mpsc::channel();
    let readers = Arc::new(Mutex::new(readers));
    stage.daemon(move |mut conversation| {
        conversation.acknowledge();
        readers.lock().unwrap().recv().unwrap();
        conversation.reply(0, &"x".repeat(1_000_000), "");
    });
    for (mode, exit) in [("ask", 2), ("closed", 2), ("open", 0)] {
        let hook = stage
            .hook(&["claude-code", "PreToolUse", "--on-failure", mode])
            .spawn()
            .unwrap();
        let mut hook = feed(hook, b"{}");
        drop(hook.stdout.take());
        read.send(()).unwrap();
        // An exit code, not a signal.
        assert_eq!(hook.wait().unwrap().code(), Some(exit), "{mode}");
    }
}

#[test]
fn places_without_a_daemon_are_done_without() {
    for (place, prepare) in [
        ("a missing folder", "none/daemon.sock"),
        ("a missing socket", "run/daemon.sock"),
        ("a folder", "run"),
        ("a file", "bin/bowline-hook"),
        ("a dead socket", "run/dead.sock"),
    ] {
        let stage = Stage::new();
        drop(UnixListener::bind(stage.path("run/dead.sock")).unwrap());
        let mut hook = stage.hook(&PRE_TOOL_USE);
        hook.env("BOWLINE_SOCKET", stage.path(prepare));
        assert_eq!(said(run(hook, b"{}")), direct(), "{place}");
        assert_eq!(stage.starts(), ["daemon start"], "{place}");
    }
    let too_long = format!("/{}", "x".repeat(200));
    for place in [
        "relative.sock",
        &too_long,
        "/proc/bowline/daemon.sock",
        "/dev/null/daemon.sock",
    ] {
        let stage = Stage::new();
        stage.bowline("sleep 0.2; printf 'direct out'; printf 'direct err' >&2; exit 2");
        let mut hook = stage.hook(&PRE_TOOL_USE);
        hook.env("BOWLINE_SOCKET", place);
        assert_eq!(said(run(hook, b"{}")), direct(), "{place}");
        // Where nothing can be written, no daemon could live.
        assert!(!stage.path("starts").exists(), "{place}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_does_no_harm() {
    let stage = Stage::new();
    fs::set_permissions(stage.path("run"), fs::Permissions::from_mode(0o500)).unwrap();
    assert_eq!(said(run(stage.hook(&PRE_TOOL_USE), b"{}")), direct());
    fs::set_permissions(stage.path("run"), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn the_folder_that_is_made_for_a_daemon_is_private() {
    let stage = Stage::new();
    let mut hook = stage.hook(&PRE_TOOL_USE);
    hook.env_remove("BOWLINE_SOCKET")
        .env("HOME", "/home/ann")
        .env("XDG_RUNTIME_DIR", stage.path("run"));
    assert_eq!(said(run(hook, b"{}")), direct());
    assert_eq!(stage.starts(), ["daemon start"]);
    let ours = stage.path("run/bowline/3ac9351970493f0d");
    for made in [ours.parent().unwrap(), &ours] {
        let made = fs::metadata(made).unwrap();
        assert_eq!(made.permissions().mode() & 0o777, 0o700);
    }
    assert!(ours.join("daemon.starting").exists());
}

#[test]
fn f30_f_however_many_arrive_one_daemon_is_started_and_all_are_answered() {
    let stage = Stage::new();
    let hooks: Vec<_> = (0..50)
        .map(|_| stage.hook(&PRE_TOOL_USE).spawn().unwrap())
        .collect();
    let hooks: Vec<_> = hooks.into_iter().map(|hook| feed(hook, b"{}")).collect();
    for hook in hooks {
        assert_eq!(said(hook.wait_with_output().unwrap()), direct());
    }
    assert_eq!(stage.starts(), ["daemon start"]);
    let mut runs = stage.direct_runs();
    runs.sort();
    runs.dedup();
    assert_eq!(runs.len(), 50, "every call has a name of its own");
}

#[test]
fn a_daemon_that_is_there_again_is_asked_again() {
    let stage = Stage::new();
    assert_eq!(said(run(stage.hook(&PRE_TOOL_USE), b"{}")), direct());
    assert_eq!(stage.starts(), ["daemon start"]);
    assert!(stage.path("run/daemon.starting").exists());
    stage.daemon(|mut conversation| {
        conversation.acknowledge();
        conversation.reply(0, "", "");
    });
    assert_eq!(
        said(run(stage.hook(&PRE_TOOL_USE), b"{}")),
        (0, String::new(), String::new())
    );
}

#[test]
fn an_old_start_does_not_prevent_a_new_one() {
    let stage = Stage::new();
    let marker = fs::File::create(stage.path("run/daemon.starting")).unwrap();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    marker.set_modified(long_ago).unwrap();
    assert_eq!(said(run(stage.hook(&PRE_TOOL_USE), b"{}")), direct());
    assert_eq!(stage.starts(), ["daemon start"]);
}

#[needs(root)]
#[test]
fn the_environment_is_not_sent_to_a_socket_of_somebody_else() {
    for theirs in ["run", "run/daemon.sock"] {
        let stage = Stage::new();
        stage.daemon(|_| panic!("nobody may be asked"));
        let stranger = 4_000_000;
        std::os::unix::fs::chown(stage.path(theirs), Some(stranger), None).unwrap();
        assert_eq!(
            said(run(stage.hook(&PRE_TOOL_USE), b"{}")),
            direct(),
            "{theirs}"
        );
        assert!(!stage.path("run/daemon.starting").exists(), "{theirs}");
    }
}

#[test]
fn only_a_daemon_that_runs_the_program_beside_the_client_is_asked() {
    let stage = Stage::new();
    stage.daemon(|mut conversation| {
        conversation.acknowledge();
        conversation.reply(0, "the daemon's", "");
    });
    let asked = || said(run(stage.hook(&PRE_TOOL_USE), b"{}")).1;
    assert_eq!(asked(), "the daemon's", "nobody can tell");
    stage.own_program_beside();
    assert_eq!(asked(), "the daemon's", "it runs the program");
    // As an upgrade does it.
    stage.put_bowline("bin/new", "printf upgraded");
    fs::rename(stage.path("bin/new"), stage.path("bin/bowline")).unwrap();
    if cfg!(target_os = "linux") {
        assert_eq!(asked(), "upgraded", "it runs what was there before");
        assert_eq!(stage.starts(), ["daemon start"]);
    }
}

#[test]
fn the_daemon_can_be_switched_off() {
    let stage = Stage::new();
    stage.daemon(|_| panic!("nobody may be asked"));
    let mut hook = stage.hook(&PRE_TOOL_USE);
    hook.env("BOWLINE_DAEMON", "off");
    assert_eq!(said(run(hook, b"{}")), direct());
    assert!(!stage.path("run/daemon.starting").exists());
    assert!(!stage.path("starts").exists());
}

#[test]
fn bowline_is_found_on_the_path_too() {
    let stage = Stage::without_bowline();
    fs::create_dir(stage.path("elsewhere")).unwrap();
    stage.put_bowline("elsewhere/bowline", "printf found");
    let mut hook = stage.hook(&["generic", "--on-failure", "closed"]);
    hook.env(
        "PATH",
        format!("{}:/usr/bin:/bin", stage.path("elsewhere").display()),
    );
    assert_eq!(
        said(run(hook, b"{}")),
        (0, "found".to_owned(), String::new())
    );
    let runs = stage.direct_runs();
    assert!(
        runs[0].starts_with("hook --direct generic --on-failure closed --call-id "),
        "{runs:?}"
    );
}

#[test]
fn a_direct_run_that_reads_nothing_and_says_much_is_passed_on() {
    let stage = Stage::without_bowline();
    stage.put_bowline("bin/bowline", "");
    let script =
        "#!/bin/sh\n[ \"$1\" = daemon ] && exit\nyes | head -c 300000\nyes | head -c 300000 >&2\n";
    let mut writer = std::process::Command::new("sh");
    writer
        .args(["-c", "cat > \"$0\""])
        .arg(stage.path("bin/bowline"))
        .stdin(Stdio::piped());
    let mut writer = writer.spawn().unwrap();
    writer
        .stdin
        .take()
        .unwrap()
        .write_all(script.as_bytes())
        .unwrap();
    assert!(writer.wait().unwrap().success());
    let (exit, stdout, stderr) = said(run(stage.hook(&PRE_TOOL_USE), &vec![b'x'; 1_000_000]));
    assert_eq!((exit, stdout.len(), stderr.len()), (0, 300_000, 300_000));
}

#[test]
fn help_is_a_usage_and_an_example() {
    for option in ["--help", "-h"] {
        let (exit, stdout, stderr) = said(run(Stage::new().hook(&[option]), b""));
        assert_eq!((exit, stderr.as_str()), (0, ""));
        assert!(stdout.starts_with("Usage: bowline-hook [AGENT [EVENT]]"));
        assert!(stdout.contains("Example: bowline-hook claude-code PreToolUse"));
    }
}

#[test]
fn the_version_names_the_commit() {
    let expected = concat!("bowline-hook ", env!("CARGO_PKG_VERSION"));
    let mut git = std::process::Command::new("git");
    git.args(["rev-parse", "--short=7", "HEAD"])
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    let commit = git.output().ok().filter(|it| it.status.success());
    let commit = commit.map(|it| String::from_utf8(it.stdout).unwrap());
    // In an archive of the sources there is none.
    let expected = match commit {
        Some(commit) => format!("{expected} ({})\n", commit.trim()),
        None => format!("{expected}\n"),
    };
    for option in ["--version", "-V"] {
        let (exit, stdout, stderr) = said(run(Stage::new().hook(&[option]), b""));
        assert_eq!((exit, stdout, stderr.as_str()), (0, expected.clone(), ""));
    }
}

/// As a client starts it that ignores the arguments of hooks.
#[test]
fn nothing_on_stdin_is_a_note_and_no_block() {
    let stage = Stage::new();
    for nothing in ["", "\n", "  \n\t"] {
        let (exit, stdout, stderr) = said(run(stage.hook(&[]), nothing.as_bytes()));
        assert_eq!((exit, stdout.as_str()), (0, ""));
        assert!(stderr.contains("no event on standard input"), "{stderr}");
    }
    assert!(stage.direct_runs().is_empty());
    drop(stage);
    // Whoever names agent and gate means it, and is asked.
    let (exit, stdout, _) = said(run(Stage::without_bowline().hook(&PRE_TOOL_USE), b""));
    assert!(exit == 0 && stdout.contains("\"ask\""), "{stdout}");
}

#[test]
fn a_bare_call_without_anybody_to_decide_blocks_no_prompt() {
    for (payload, asked) in [
        (
            r#"{"hook_event_name":"UserPromptSubmit","prompt":"x"}"#,
            false,
        ),
        (r#"{"hook_event_name":"SessionStart"}"#, false),
        (r#"{"hook_event_name":"Stop"}"#, false),
        (r#"{"hook_event_name":"PreToolUse"}"#, true),
        (r#"{"event":"something"}"#, false),
        ("not JSON", false),
    ] {
        let stage = Stage::without_bowline();
        let (exit, stdout, stderr) = said(run(stage.hook(&[]), payload.as_bytes()));
        assert_eq!(exit, 0, "{payload}: {stderr}");
        assert_eq!(stdout.contains("\"ask\""), asked, "{payload}: {stdout}");
        assert_eq!(
            stderr.contains("could not judge"),
            !asked,
            "{payload}: {stderr}"
        );
    }
}

#[test]
fn a_bare_call_is_handed_on_without_an_agent() {
    let stage = Stage::new();
    let payload = br#"{"hook_event_name":"PreToolUse"}"#;
    let (exit, stdout, _) = said(run(stage.hook(&[]), payload));
    assert_eq!((exit, stdout.as_str()), (2, "direct out"));
    let [arguments] = stage.direct_runs().try_into().unwrap();
    assert!(
        arguments.starts_with("hook --direct --on-failure ask --call-id "),
        "{arguments}"
    );
    assert_eq!(stage.direct_stdin(), payload);
}

#[test]
fn a_wrong_command_line_is_answered_in_its_mode() {
    let stage = Stage::new();
    for (arguments, exit) in [
        (
            &[
                "claude-code",
                "PreToolUse",
                "--on-failure",
                "closed",
                "--new-option",
            ][..],
            2,
        ),
        (
            &[
                "claude-code",
                "PreToolUse",
                "--on-failure",
                "open",
                "--new-option",
            ],
            0,
        ),
        // The mode counts wherever the mistake is.
        (
            &["claude-code", "Stop", "--bogus", "--on-failure", "open"],
            0,
        ),
        (&["codex", "--timeout", "0", "--on-failure", "open"], 0),
        (&["codex", "Stop", "--a=b", "--on-failure=open"], 0),
        (&["codex", "a", "b", "c", "--on-failure", "open"], 0),
        (
            &["codex", "PreToolUse", "--bogus", "--on-failure", "closed"],
            2,
        ),
        (&["codex", "PreToolUse", "--on-failure", "perhaps"], 2),
        (&["codex", "PreToolUse", "--timeout", "0"], 2),
        (&["codex", "PreToolUse", "extra"], 2),
    ] {
        let (code, stdout, stderr) = said(run(stage.hook(arguments), b"{}"));
        assert_eq!((code, stdout.as_str()), (exit, ""), "{arguments:?}");
        assert_eq!(
            stderr.contains("expected bowline-hook [AGENT"),
            exit == 2,
            "{arguments:?}: {stderr}"
        );
    }
    assert!(stage.direct_runs().is_empty());
}

#[test]
fn the_client_stays_small() {
    let lines = [
        include_str!("../src/main.rs"),
        include_str!("../src/daemon.rs"),
        include_str!("../src/direct.rs"),
    ];
    let code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    let count: usize = lines
        .iter()
        .map(|file| file.lines().filter(code).count())
        .sum();
    assert!(count < 310, "{count} lines of code");
    let files = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))
        .unwrap()
        .count();
    assert_eq!(files, lines.len(), "every file is counted");
}
