//! `bowline doctor`.

use std::fs;

use bowline_testkit::{Ran, put};
use serde_json::{Value, json};

use super::daemon::Daemon;
use super::installed::{BLIND, Installed as _, installed};

/// No process has this number.
const NOBODY: u32 = 4_194_305;

/// The status of a check, and what it says.
fn check(report: &Value, name: &str) -> (String, String) {
    let checks = report["checks"].as_array().unwrap();
    let found = checks.iter().find(|check| check["name"] == name);
    let found = found.unwrap_or_else(|| panic!("no check `{name}` in {report:#}"));
    let text = |name: &str| found[name].as_str().unwrap_or_default().to_owned();
    (
        text("status"),
        format!("{} {}", text("message"), found["details"]),
    )
}

#[track_caller]
fn expect(report: &Value, name: &str, status: &str, text: &str) {
    let (found, message) = check(report, name);
    assert_eq!(found, status, "{name}: {message}");
    assert!(message.contains(text), "{name}: no `{text}` in {message}");
}

#[test]
fn nothing_installed_is_a_problem_with_a_way_out() {
    let sandbox = installed();
    sandbox
        .run(&["doctor"])
        .expect(1, &["do not name Bowline", "run `bowline init`"]);
}

#[test]
fn the_installed_command_is_run_and_measured() {
    let sandbox = installed();
    sandbox.run(&["init", "--yes"]).expect(0, &[]);
    let (code, report) = sandbox.code_and_json(&["doctor"]);
    assert_eq!(code, Some(0), "{report:#}");
    expect(&report, "installed (user)", "ok", "28 events");
    expect(&report, "in force", "ok", "");
    expect(&report, "program", "ok", "");
    expect(&report, "deciding", "ok", "");
    expect(&report, "canary (user)", "ok", "denies a destructive one");
    expect(&report, "speed (user)", "ok", "an empty process takes");
    expect(&report, "daemon", "ok", "starts with the next event");
    expect(&report, "recording", "ok", "");
    expect(&report, "writing", "ok", "can be written");
    expect(&report, "store", "ok", "nothing is recorded yet");
    expect(&report, "hooks", "ok", "in force");
    expect(&report, "trust", "ok", "");
    let kept = fs::read_dir(sandbox.data()).unwrap().count();
    assert_eq!(kept, 1, "looking made a store beside the copies");
    assert_eq!(
        fs::read_dir(sandbox.path("home")).unwrap().count(),
        3,
        "a trial was left behind beside `.claude`, `.local` and the log"
    );
    let log = fs::read_to_string(sandbox.path("home/hook.log")).unwrap();
    assert_eq!(log.lines().count(), 23);
    let (started, home) = (
        "claude-code PreToolUse --timeout=600 --home=",
        sandbox.path("home"),
    );
    let started = format!("{started}{}", home.display());
    assert!(
        log.lines()
            .all(|line| line.starts_with(&started) && line.ends_with(" scope= tracking=1")),
        "{log}"
    );
}

#[test]
fn a_command_that_does_not_do_its_work_is_found_out() {
    for (script, text) in [
        (BLIND, "let pass without a word"),
        ("#!/bin/sh\ncat >/dev/null; exit 1\n", "answers wrongly"),
        ("#!/bin/sh\ncat >/dev/null; exit 2\n", "answers wrongly"),
        ("#!/nonexistent/sh\n", "cannot be started"),
    ] {
        let sandbox = installed();
        sandbox.run(&["init", "--yes"]).expect(0, &[]);
        sandbox.put_hook(script);
        let (code, report) = sandbox.code_and_json(&["doctor"]);
        assert_eq!(code, Some(1), "{script}");
        expect(&report, "canary (user)", "problem", text);
    }
}

/// A hook that says this to what is destructive.
fn saying(answer: &str) -> String {
    format!("#!/bin/sh\ncase $(cat) in *'rm -rf'*) echo '{answer}' ;; esac\n")
}

#[test]
fn observing_is_no_problem() {
    let told = saying(r#"{"systemMessage":"it would deny"}"#);
    let deny = saying(r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#);
    let observe = "[guard]\nmode = 'observe'\n";
    let one_strike = "[guard]\nmode = 'one-strike'\n";
    let allowed = "[guard.categories]\ndelete = 'allow'\n";
    let of_agent = "[guard.agents.claude-code]\nmode = 'observe'\n";
    for (config, script, status, text, deciding) in [
        (
            observe,
            told.as_str(),
            "ok",
            "only observes",
            "only observes",
        ),
        (of_agent, &told, "ok", "only observes", "only observes"),
        (observe, BLIND, "problem", "without a word", "only observes"),
        (one_strike, &told, "ok", "one strike", "one strike"),
        (one_strike, &deny, "ok", "denies", "one strike"),
        (allowed, BLIND, "warning", "the settings let", "not paused"),
        ("", &told, "problem", "answers wrongly", "not paused"),
    ] {
        let sandbox = installed();
        sandbox.run(&["init", "--yes"]).expect(0, &[]);
        sandbox.put_hook(script);
        sandbox.write("home/.config/bowline/config.toml", config);
        let (_, report) = sandbox.code_and_json(&["doctor"]);
        expect(&report, "canary (user)", status, text);
        expect(&report, "deciding", "ok", deciding);
    }
}

#[test]
fn hooks_tell_what_the_guards_do_in_their_mode() {
    let sandbox = installed();
    for (mode, text) in [
        ("enforce", "denies commands"),
        ("observe", "only observes; in the mode `enforce` it denies"),
        ("one-strike", "passes at the second attempt"),
    ] {
        let config = format!("[guard]\nmode = '{mode}'\n");
        sandbox.write("home/.config/bowline/config.toml", &config);
        let (_, report) = sandbox.code_and_json(&["hooks", "--event", "PreToolUse"]);
        let hooks = report["hooks"].as_array().unwrap();
        let guard = hooks.iter().find(|hook| hook["id"] == "guard:commands");
        let runs = guard.unwrap()["runs"].as_str().unwrap();
        assert!(runs.contains(text), "{mode}: {runs}");
        assert!(mode == "observe" || !runs.contains("observes"), "{runs}");
    }
}

#[test]
fn entries_that_lead_nowhere_are_found() {
    let sandbox = installed();
    sandbox.run(&["init", "--yes"]).expect(0, &[]);
    fs::rename(sandbox.path("bin/bowline-hook"), sandbox.path("bin/gone")).unwrap();
    let (code, report) = sandbox.code_and_json(&["doctor"]);
    assert_eq!(code, Some(1));
    expect(&report, "program", "problem", "not there or not executable");
    expect(&report, "canary (user)", "problem", "cannot be started");

    let sandbox = installed();
    sandbox
        .run(&["init", "--yes", "--scope", "project"])
        .expect(0, &[]);
    let (_, report) = sandbox.code_and_json(&["doctor"]);
    expect(&report, "program", "problem", "not on the PATH");
    let path = format!("{}:/usr/bin:/bin", sandbox.path("bin").display());
    let ran = Ran::of(sandbox.command(&["doctor", "--json"]).env("PATH", path));
    let report = serde_json::from_str(&ran.stdout).unwrap();
    expect(&report, "canary (project)", "ok", "");
    assert_eq!(ran.code, Some(0), "{report:#}");
}

#[test]
fn questions_that_cannot_wait_as_long_as_they_should_are_told() {
    let sandbox = installed();
    sandbox.run(&["init", "--yes"]).expect(0, &[]);
    let settings = sandbox.path("home/.claude/settings.json");
    let new = fs::read_to_string(&settings).unwrap();
    let old = new.replace("\"--timeout=600\",", "");
    let old = old.replace("\"timeout\": 600", "\"timeout\": 60");
    assert_ne!(new, old);
    let again = "run `bowline init` again";
    for (entries, wait, status, text, advice) in [
        (&new, "2m", "ok", "waits 2 min", ""),
        (&old, "50s", "ok", "waits 50 s", ""),
        (&old, "2m", "warning", "56 s instead of 2 min", again),
        (
            &new,
            "10m",
            "warning",
            "instead of 10 min",
            "at most `596s`",
        ),
    ] {
        fs::write(&settings, entries).unwrap();
        let config = format!("[approvals]\nwait = \"{wait}\"\n");
        sandbox.write("home/.config/bowline/config.toml", config);
        let (_, report) = sandbox.code_and_json(&["doctor"]);
        expect(&report, "inbox", status, text);
        let checks = report["checks"].as_array().unwrap();
        let check = checks.iter().find(|it| it["name"] == "inbox").unwrap();
        let told = check["advice"].as_str().unwrap_or_default();
        assert!(told.contains(advice), "{check}");
    }
    sandbox.write("home/.config/bowline/config.toml", "");
    let (_, report) = sandbox.code_and_json(&["doctor"]);
    assert!(!report.to_string().contains("\"inbox\""), "{report:#}");
}

#[test]
fn what_keeps_the_agent_from_asking_is_told() {
    let sandbox = installed();
    sandbox.run(&["init", "--yes"]).expect(0, &[]);
    let file = sandbox.user_settings();
    let installed = fs::read_to_string(&file).unwrap();
    let edit = |text: &str| {
        fs::write(&file, text).unwrap();
        sandbox.code_and_json(&["doctor"]).1
    };
    let off = installed.replacen('{', "{\n  \"disableAllHooks\": true,", 1);
    expect(&edit(&off), "in force", "problem", "disableAllHooks");
    let comment = installed.replacen('{', "{ // mine", 1);
    expect(
        &edit(&comment),
        "installed (user)",
        "problem",
        "runs no hooks of",
    );
    let fewer = installed.replacen("\"Stop\"", "\"Stopp\"", 1);
    expect(&edit(&fewer), "installed (user)", "warning", "Stop");
    let narrow = installed.replacen("\"hooks\": [", "\"matcher\": \"Bash\", \"hooks\": [", 1);
    expect(
        &edit(&narrow),
        "installed (user)",
        "warning",
        "only for `Bash`",
    );
    expect(&edit("{"), "installed (user)", "problem", "cannot be used");
}

#[test]
fn the_entries_are_compared_with_the_clients_version() {
    for (written_for, client, status, text) in [
        ("2.1.197", "2.1.197", "ok", "2.1.197 knows all"),
        ("2.1.325", "2.1.325", "ok", "2.1.325 knows all"),
        (
            "2.1.197",
            "2.1.325",
            "ok",
            "`bowline init` adds DirectoryAdded, PreModelSwitch, PostModelSwitch",
        ),
        ("2.1.325", "2.1.197", "problem", "the event PreModelSwitch"),
        ("2.1.325", "2.1.197", "problem", "`onFailure` of PreToolUse"),
        ("2.1.197", "2.1.138", "problem", "`args` of PreToolUse"),
        (
            "2.1.150",
            "2.1.150",
            "warning",
            "2.1.150 is older than 2.1.197, the oldest that Bowline was tried with",
        ),
        ("2.1.325", "none", "warning", "which is no version"),
    ] {
        let sandbox = installed();
        sandbox.put_client(client);
        let init = ["init", "--yes", "--on-failure", "closed"];
        sandbox
            .run(&[&init[..], &["--client-version", written_for]].concat())
            .expect(0, &[]);
        let ran = sandbox.run_with_client(&["doctor", "--json"]);
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        expect(&report, "client", status, text);
        if client != "2.1.138" {
            expect(&report, "installed (user)", "ok", "");
        }
        assert_eq!(ran.code, Some(i32::from(status == "problem")), "{report:#}");
    }
}

#[test]
fn pauses_are_shown_and_the_canary_waits() {
    let sandbox = installed();
    sandbox.run(&["init", "--yes"]).expect(0, &[]);
    sandbox.run(&["pause", "--for", "1h"]).expect(0, &[]);
    let (_, report) = sandbox.code_and_json(&["doctor"]);
    expect(&report, "deciding", "warning", "paused until 2");
    expect(&report, "canary (user)", "warning", "not tried");
    sandbox.run(&["resume"]).expect(0, &[]);
    let off = Ran::of(sandbox.command(&["doctor"]).env("BOWLINE", "off"));
    off.expect(0, &["BOWLINE=off is set"]);
}

#[test]
fn that_nothing_is_recorded_is_told() {
    let sandbox = installed();
    for (name, value, status) in [
        ("BOWLINE_DISABLE_TRACKING", "1", "warning"),
        ("HTMLGRAPH_DISABLE_TRACKING", "true", "warning"),
        ("BOWLINE_DISABLE_TRACKING", "0", "ok"),
    ] {
        let ran = Ran::of(sandbox.command(&["doctor", "--json"]).env(name, value));
        let report = serde_json::from_str(&ran.stdout).unwrap();
        let text = if status == "ok" { "" } else { name };
        expect(&report, "recording", status, text);
    }
    Ran::of(
        sandbox
            .command(&["doctor"])
            .env("BOWLINE_DISABLE_TRACKING", "1"),
    )
    .expect(
        1,
        &[
            "nothing of them is recorded",
            "unset BOWLINE_DISABLE_TRACKING",
        ],
    );
}

/// Neither a folder in the place of a file nor the system's own folders can be written, whoever runs this.
#[test]
fn a_store_that_cannot_be_written_is_found() {
    let sandbox = installed();
    let folder = Ran::of(
        sandbox
            .command(&["doctor", "--json"])
            .env("XDG_DATA_HOME", "/proc/self"),
    );
    let report = serde_json::from_str(&folder.stdout).unwrap();
    expect(&report, "writing", "problem", "cannot be written");

    fs::create_dir_all(sandbox.data().join("bowline.db")).unwrap();
    sandbox.run(&["doctor"]).expect(
        1,
        &[
            "share/bowline/bowline.db cannot be written",
            "XDG_DATA_HOME",
        ],
    );
    fs::remove_dir_all(sandbox.data()).unwrap();
    sandbox.write("home/.local/share/bowline", "");
    let (_, report) = sandbox.code_and_json(&["doctor"]);
    expect(&report, "writing", "problem", "share/bowline cannot");
}

#[test]
fn the_daemon_and_its_store_are_asked() {
    let version = env!("CARGO_PKG_VERSION");
    let status = |version: &str| {
        json!({
            "pid": NOBODY, "version": version, "uptime_ms": 60000, "events": 3, "memory_bytes": 1024,
            "projects": [], "paused": null,
        })
    };
    let healthy = |name: &str, answer: Value| {
        let mut answers = vec![
            ("daemon.status", status(version)),
            (
                "store.size",
                json!({"on_disk": 2048, "in_use": 1024, "spooled": 0, "spooled_records": 0}),
            ),
            ("store.integrity", json!({"problems": []})),
            ("store.gaps", json!([])),
            ("hooks.figures", json!([])),
        ];
        for entry in &mut answers {
            if entry.0 == name {
                entry.1 = answer.clone();
            }
        }
        answers
    };
    let gap = json!([{"time": "2026-01-01T00:00:00Z", "cause": "dropped", "records": 3, "message": "three are lost"}]);
    let problems = {
        let mut status = status(version);
        status["projects"] = json!([{"project": "/p", "problems": ["bad file"]}]);
        status
    };
    for (name, answer, looked_at, status, text) in [
        ("", json!(null), "daemon", "ok", "answers (process 4194305"),
        ("", json!(null), "store", "ok", "2.0 kB"),
        (
            "daemon.status",
            status("0.0.9"),
            "daemon",
            "warning",
            "0.0.9",
        ),
        (
            "daemon.status",
            problems,
            "daemon",
            "warning",
            "/p: bad file",
        ),
        (
            "store.integrity",
            json!({"problems": ["page 3"]}),
            "store",
            "problem",
            "page 3",
        ),
        ("store.gaps", gap, "store", "warning", "three are lost"),
        (
            "store.size",
            json!({"on_disk": 1, "in_use": 1, "spooled": 9, "spooled_records": 4}),
            "store",
            "warning",
            "not taken yet: 4 records",
        ),
        (
            "hooks.figures",
            json!([{"name": "x", "fired": 1, "failed": 0, "last_fired": "2026-01-01T00:00:00Z", "last_decision": "deny", "last_failure": null, "p50_ms": 0.001, "p99_ms": 0.001}]),
            "hooks",
            "ok",
            "no recorded event has fired these yet",
        ),
    ] {
        let sandbox = installed();
        let _daemon = Daemon::start(&sandbox.socket(), &healthy(name, answer));
        let (_, report) = sandbox.code_and_json(&["doctor"]);
        expect(&report, looked_at, status, text);
        // Times are as everywhere, where the person is.
        assert!(!report.to_string().contains("+00:00"), "{report}");
    }
}

/// A daemon that runs another file than the one beside the hook is not asked by it.
#[cfg(target_os = "linux")]
#[test]
fn a_daemon_of_another_copy_is_told() {
    let sandbox = installed();
    sandbox.run(&["init", "--yes"]).expect(0, &[]);
    let start = |program: &std::path::Path| {
        let mut sleep = std::process::Command::new(program);
        Sleeper(sleep.arg("600").spawn().unwrap())
    };
    let other = sandbox.path("other");
    put("/bin/sleep", &other);
    let stranger = start(&other);
    let beside = sandbox.path("bin/bowline");
    let doctor = |process: u32| {
        let status = json!({
            "pid": process, "version": env!("CARGO_PKG_VERSION"), "uptime_ms": 60000, "events": 3,
            "memory_bytes": 1024, "projects": [], "paused": null,
        });
        let _ = fs::remove_file(sandbox.socket());
        let _daemon = Daemon::start(&sandbox.socket(), &[("daemon.status", status)]);
        sandbox.code_and_json(&["doctor"]).1
    };
    let report = doctor(stranger.0.id());
    let text = format!("runs {}, but {}", other.display(), beside.display());
    expect(&report, "daemon", "warning", &text);
    let advice = report["checks"].as_array().unwrap().iter();
    let advice: Vec<_> = advice.map(|check| check["advice"].to_string()).collect();
    let restart = format!("run `{} daemon restart`", beside.display());
    assert!(advice.iter().any(|it| it.contains(&restart)), "{advice:?}");

    fs::remove_file(&other).unwrap();
    let report = doctor(stranger.0.id());
    expect(&report, "daemon", "warning", "was replaced or removed");

    // The very program beside the hook.
    let own = Sleeper(
        sandbox
            .command(&["daemon", "run"])
            .env("XDG_RUNTIME_DIR", sandbox.path("apart"))
            .spawn()
            .unwrap(),
    );
    let report = doctor(own.0.id());
    expect(&report, "daemon", "ok", "answers");
}

/// A process that ends with its test.
#[cfg(target_os = "linux")]
struct Sleeper(std::process::Child);

#[cfg(target_os = "linux")]
impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn folders_that_are_no_longer_the_persons_are_told() {
    let sandbox = installed();
    sandbox.run(&["init", "--yes"]).expect(0, &[]);
    let (_, report) = sandbox.code_and_json(&["doctor"]);
    expect(&report, "folders", "ok", "");
    let moved = sandbox.path("moved");
    let ran = Ran::of(
        sandbox
            .command(&["doctor", "--json"])
            .env("XDG_DATA_HOME", &moved),
    );
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let (status, message) = check(&report, "folders");
    assert_eq!(status, "warning");
    let home = sandbox.path("home");
    for line in [
        format!(
            "in the agent's settings: XDG_DATA_HOME={}/.local/share",
            home.display()
        ),
        format!("in this shell: XDG_DATA_HOME={}", moved.display()),
    ] {
        assert!(message.contains(&line), "no `{line}` in {message}");
    }
    assert!(!message.contains("XDG_CONFIG_HOME"), "{message}");
}

#[test]
fn trust_that_a_change_ended_is_told_with_the_file() {
    let sandbox = installed();
    let file = sandbox.write("project/bowline.toml", "[guard]\nmode = 'observe'\n");
    sandbox.run(&["trust", "--yes"]).expect(0, &[]);
    fs::write(&file, "[guard]\nmode = 'one-strike'\n").unwrap();
    sandbox.run(&["doctor"]).expect(
        1,
        &["because they have changed", "bowline.toml has changed"],
    );
}
