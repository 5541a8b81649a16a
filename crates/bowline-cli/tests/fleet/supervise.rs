//! `bowline supervise`.

use std::process::{Command, Stdio};

use bowline_continuity::effort_command::EffortCommand;
use bowline_daemon::rpc::efforts::{Asker, Perform};
use bowline_testkit::{Ran, Sandbox, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::stage::{Stage, payload};

/// Its runs are counted in a file. The first ones find a full context window, which the transcript says; the last one exits with 7.
const EXHAUSTED: &str = r#"
echo run >> runs
run=$(wc -l < runs)
sed "s/SESSION/s-$run/" start.json | "$HOOK" claude-code SessionStart >> told
[ $run -gt ${FULL:-1} ] && exit 7
sed "s/SESSION/s-$run/" stop.json | "$HOOK" claude-code Stop
exit 0
"#;

fn prepared() -> Stage {
    let stage = Stage::new();
    let error = json!({
        "type": "assistant", "isApiErrorMessage": true, "error": "invalid_request",
        "message": {"model": "<synthetic>", "content": [{"type": "text", "text": "Prompt is too long"}]},
    });
    let transcript = stage.write("transcript.jsonl", format!("{error}\n"));
    let project = stage.project();
    let start = payload(
        "SessionStart",
        "SESSION",
        project,
        &json!({"source": "startup"}),
    );
    let stop = payload(
        "Stop",
        "SESSION",
        project,
        &json!({"transcript_path": transcript}),
    );
    stage.write_in_project("start.json", start.to_string());
    stage.write_in_project("stop.json", stop.to_string());
    stage
}

fn supervise(stage: &Stage, options: &[&str], script: &str) -> Command {
    let script = stage.write("supervised.sh", script);
    let program = stage.agent_program();
    let words = [program.to_str().unwrap(), script.to_str().unwrap()];
    stage.command(&[&["supervise"], options, &["--"], &words].concat())
}

#[test]
fn an_agent_whose_context_was_full_is_started_again() {
    let stage = prepared();
    let ran = Ran::of(&mut supervise(&stage, &[], EXHAUSTED));
    assert_eq!(ran.code, Some(7), "{ran}");
    assert_eq!(
        ran.stderr,
        "note: the context was exhausted; starting the agent again (1 of 5 within 600 s)\n"
    );
    assert_eq!(stage.lines("project/runs"), 2);
    let agents = stage.json(&["fleet", "--all"]);
    let agents = agents["agents"].as_array().unwrap();
    assert_eq!(agents.len(), 1, "both sessions are one agent: {agents:?}");
    assert_eq!(agents[0]["session"], "s-2");
    assert!(agents[0]["id"].as_str().unwrap().starts_with("agent-"));
}

#[test]
fn after_too_many_restarts_it_is_left_alone() {
    let stage = prepared();
    let mut command = supervise(&stage, &["--max-restarts", "2"], EXHAUSTED);
    let ran = Ran::of(command.env("FULL", "9"));
    ran.expect_stderr(
        1,
        &[
            "(1 of 2",
            "(2 of 2",
            "started again 2 times within 600 s; giving up",
        ],
    );
    assert_eq!(stage.lines("project/runs"), 3);
}

#[test]
fn an_ordinary_end_is_the_end() {
    let stage = prepared();
    for (script, code) in [
        ("echo run >> runs; exit 0", 0),
        ("echo run >> runs; exit 3", 3),
        ("echo run >> runs; kill -KILL $$", 137),
    ] {
        let ran = Ran::of(&mut supervise(&stage, &[], script));
        assert_eq!(
            (ran.code, ran.stderr.as_str()),
            (Some(code), ""),
            "{script}"
        );
    }
    assert_eq!(stage.lines("project/runs"), 3);
    stage
        .run(&["supervise", "--", "/no/such/agent"])
        .expect_stderr(2, &["cannot run `/no/such/agent`"]);
    stage.run(&["supervise"]).expect_stderr(2, &["COMMAND"]);
}

#[test]
#[cfg(target_os = "linux")]
fn f35_d_an_agent_that_was_ended_goes_on_with_its_effort() {
    let sandbox = Sandbox::with_repository();
    sandbox.write(
        "home/.config/bowline/config.toml",
        "[effort]\non_auto_compaction = \"end\"\n",
    );
    let stage = Stage::of(sandbox);
    begin_effort(&stage);
    let project = stage.project();
    for (file, event, about) in [
        ("start.json", "SessionStart", json!({"source": "startup"})),
        ("full.json", "PreCompact", json!({"trigger": "auto"})),
    ] {
        let payload = payload(event, "SESSION", project, &about);
        stage.write_in_project(file, payload.to_string());
    }
    // The daemon ends it, not the script.
    let script = r#"
echo run >> runs
run=$(wc -l < runs)
sed "s/SESSION/s-$run/" start.json | "$HOOK" claude-code SessionStart > "told-$run"
[ $run -gt 1 ] && exit 0
sed "s/SESSION/s-$run/" full.json | "$HOOK" claude-code PreCompact
sleep 600 >/dev/null 2>&1 &
wait
"#;
    let mut command = supervise(&stage, &[], script);
    let ran = Ran::of(command.env("AGENT_ID", "main:build"));
    ran.expect_stderr(
        0,
        &["the context window was full; starting the agent again"],
    );
    assert_eq!(stage.lines("project/runs"), 2);
    let told = stage.read("project/told-2");
    assert!(told.contains("checkout"), "{told}");
    let agent = stage.agent_in_fleet("main:build").unwrap();
    assert_eq!(
        agent["task"].as_str().map(|it| it.ends_with("checkout")),
        Some(true)
    );
}

#[test]
fn f35_b_an_agent_that_left_a_summary_goes_on() {
    let stage = prepared();
    begin_effort(&stage);
    // It ends when it is told to, after the summary was left.
    let script = r#"
echo run >> runs
run=$(wc -l < runs)
sed "s/SESSION/s-$run/" start.json | "$HOOK" claude-code SessionStart > "told-$run"
[ $run -gt 1 ] && exit 0
read -r word
"#;
    let mut command = supervise(&stage, &[], script);
    let mut running = command
        .env("AGENT_ID", "main:build")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    stage.until_state("main:build", "done");
    until("the session is in the effort", || {
        let agent = stage.agent_in_fleet("main:build").unwrap();
        agent["heartbeat"].is_u64()
    });
    perform(
        &stage,
        Some("s-1"),
        EffortCommand::Dehydrate {
            payload: "half of the tests pass".to_owned(),
        },
    );
    drop(running.stdin.take());
    let ran = Ran::from(running.wait_with_output().unwrap());
    ran.expect_stderr(
        0,
        &["left a summary for its next session; starting the agent again (1 of 5"],
    );
    let told = stage.read("project/told-2");
    assert!(told.contains("half of the tests pass"), "{told}");
}

#[test]
fn signals_are_passed_on_and_end_it() {
    let stage = prepared();
    let script =
        "trap 'echo ended >> runs; exit 5' TERM\necho run >> runs\nwhile :; do sleep 0.05; done\n";
    let mut running = supervise(&stage, &[], script).spawn().unwrap();
    until("it runs", || stage.lines("project/runs") == 1);
    let process = Pid::from_raw(i32::try_from(running.id()).unwrap()).unwrap();
    kill_process(process, Signal::TERM).unwrap();
    assert_eq!(running.wait().unwrap().code(), Some(5));
    assert_eq!(stage.read("project/runs"), "run\nended\n");
}

fn begin_effort(stage: &Stage) {
    let start = EffortCommand::Start {
        task: "checkout".to_owned(),
        skill: "implement".to_owned(),
        mode: None,
    };
    perform(stage, None, start);
}

fn perform(stage: &Stage, session: Option<&str>, command: EffortCommand) {
    let asker = Asker {
        project: stage.project().display().to_string(),
        agent_id: Some("main:build".to_owned()),
        session: session.map(str::to_owned),
        ..Asker::default()
    };
    stage.question(&Perform {
        command,
        effort: None,
        asker,
    });
}
