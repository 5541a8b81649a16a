//! Feature 11: running a command hook. Processes are real and harmless; whether they ended is asked by id.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use bowline::hooks::{
    CommandHook, Decision, HookContext, HookEvent, HookInput, HookManager, HookRun, RunStatus,
};
use serde_json::{Value, json};

use super::place::{Place, USER_FILE, fire};

fn tool_call(input: Value) -> HookInput {
    HookInput::pre_tool_use("s", "Bash", input)
}

fn hook(command: &str) -> CommandHook {
    CommandHook::new("cmd", command, [HookEvent::PreToolUse])
}

async fn run(hook: CommandHook, input: HookInput, cwd: &Path) -> HookRun {
    let mut manager = HookManager::new();
    manager.register(hook);
    let ctx = HookContext::new("s").with_cwd(cwd);
    manager.trigger(input, &ctx).await.results.remove(0)
}

fn running(pid: &str) -> bool {
    // A dead process that nobody has fetched yet is not running.
    let ps = Command::new("ps")
        .args(["-o", "stat=", "-p", pid])
        .stderr(Stdio::null())
        .output()
        .unwrap();
    let state = String::from_utf8_lossy(&ps.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

/// Polls on a thread of its own. As long as it runs, tokio's paused clock stands still.
async fn wait_until(holds: impl Fn() -> bool + Send + 'static) {
    let poll = move || {
        (0..10_000).any(|_| {
            std::thread::sleep(Duration::from_millis(2));
            holds()
        })
    };
    assert!(
        tokio::task::spawn_blocking(poll).await.unwrap(),
        "waited in vain"
    );
}

#[tokio::test]
async fn f11_a_pipes_and_variables_go_through_the_shell_in_the_sessions_folder() {
    let folder = tempfile::tempdir().unwrap();
    let command = "X=one; echo $X two | tr a-z A-Z >out; exit 0";
    let result = run(hook(command), tool_call(json!({})), folder.path()).await;
    assert_eq!(result.status, RunStatus::Ran);
    assert_eq!(
        fs::read_to_string(folder.path().join("out")).unwrap(),
        "ONE TWO\n"
    );
}

#[tokio::test]
async fn f11_b_a_hook_that_never_reads_stdin_is_judged_by_its_exit_alone() {
    let folder = tempfile::tempdir().unwrap();
    for size in [10, 2_000_000] {
        let input = || tool_call(json!({"command": "x".repeat(size)}));
        for (command, expected) in [
            ("exit 0", Decision::NoOpinion),
            ("exec <&-; exit 0", Decision::NoOpinion),
            ("echo no >&2; exit 2", Decision::Deny),
        ] {
            let result = run(hook(command), input(), folder.path()).await;
            assert_eq!(
                result.status,
                RunStatus::Ran,
                "{command}, {size}: {result:?}"
            );
            assert_eq!(result.decision(), expected, "{command}, {size}");
        }
    }
}

async fn assert_timeout_ends(command: &str, pid_files: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<PathBuf> = pid_files
        .iter()
        .map(|name| folder.path().join(name))
        .collect();
    let wanted = files.clone();
    let all_started = move || {
        wanted
            .iter()
            .all(|file| fs::read_to_string(file).is_ok_and(|text| text.ends_with('\n')))
    };
    let slow = hook(command).timeout(Duration::from_secs(30));
    let (result, ()) = tokio::join!(
        run(slow, tool_call(json!({})), folder.path()),
        wait_until(all_started)
    );
    assert_eq!(result.status, RunStatus::Failed);
    assert!(result.error.unwrap().contains("30 s"));
    for file in files {
        let pid = fs::read_to_string(file).unwrap().trim().to_owned();
        wait_until(move || !running(&pid)).await;
    }
    assert!(!folder.path().join("effect").exists());
}

#[tokio::test(start_paused = true)]
async fn f11_c_at_the_timeout_the_hook_and_its_descendants_end() {
    assert_timeout_ends(
        "sh -c 'echo $$ >child; trap \"\" TERM; sleep 300; touch effect' & \
         echo $$ >main; trap '' TERM; sleep 300; touch effect",
        &["main", "child"],
    )
    .await;
}

#[cfg(target_os = "linux")]
#[tokio::test(start_paused = true)]
async fn f11_c_descendants_that_left_the_group_end_too() {
    assert_timeout_ends(
        "setsid sh -c 'echo $$ >session; sleep 300; touch effect' & \
         (setsid sh -c 'echo $$ >daemon; sleep 300; touch effect' >/dev/null 2>&1 &); \
         (env -i PATH=\"$PATH\" setsid sh -c 'echo $$ >bare; sleep 300; touch effect' >/dev/null 2>&1 &); \
         sleep 300",
        &["session", "daemon", "bare"],
    )
    .await;
}

#[tokio::test]
async fn f11_c_what_a_finished_hook_left_in_the_background_delays_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let command = "sleep 300 & echo $! >pid; echo '{\"decision\":\"block\",\"reason\":\"no\"}'";
    let result = run(hook(command), tool_call(json!({})), folder.path()).await;
    let pid = fs::read_to_string(folder.path().join("pid")).unwrap();
    assert!(running(pid.trim()), "the answer did not wait for it");
    assert_eq!(result.decision(), Decision::Deny);
    Command::new("kill").arg(pid.trim()).status().unwrap();
}

#[tokio::test]
async fn f11_d_output_past_the_cap_is_discarded_and_noted() {
    let folder = tempfile::tempdir().unwrap();
    let filler = "head -c 9000000 /dev/zero | tr '\\0' x";

    let text = run(
        hook(&format!("{filler}; touch through")),
        tool_call(json!({})),
        folder.path(),
    );
    let text = text.await;
    assert_eq!(text.status, RunStatus::Ran);
    assert!(
        folder.path().join("through").exists(),
        "a full pipe did not stop it"
    );
    assert!(!text.output.warnings.is_empty(), "the cut is noted");
    let kept = text.output.message.unwrap();
    assert_eq!(kept.len(), 8 * 1024 * 1024);

    let reason = run(
        hook(&format!("{{ {filler}; }} >&2; exit 2")),
        tool_call(json!({})),
        folder.path(),
    );
    let reason = reason.await.output;
    assert!(!reason.warnings.is_empty(), "the cut is noted");
    assert_eq!(reason.stop_reason.unwrap().len(), 1024 * 1024);

    let json = run(
        hook(&format!(
            "printf '{{\"reason\":\"'; {filler}; printf '\"}}'"
        )),
        tool_call(json!({})),
        folder.path(),
    )
    .await;
    assert_eq!(
        json.status,
        RunStatus::Failed,
        "half an answer is no answer"
    );
}

#[tokio::test]
async fn f11_e_a_script_is_run_by_its_shebang() {
    let folder = tempfile::tempdir().unwrap();
    // The interpreter's argument shows that the first line was obeyed. Written by another process: one that this
    // process has open for writing, if only in a fork of another test, cannot be started.
    let script = folder.path().join("my script");
    let write = r#"printf '#!/bin/sh -f\nprintf %%s * >out\n' >"$0" && chmod 755 "$0""#;
    let status = Command::new("/bin/sh")
        .args(["-c", write])
        .arg(&script)
        .status();
    assert!(status.unwrap().success());

    let hook = hook(script.to_str().unwrap()).args(Vec::<String>::new());
    let result = run(hook, tool_call(json!({})), folder.path()).await;
    assert_eq!(result.status, RunStatus::Ran, "{result:?}");
    assert_eq!(fs::read_to_string(folder.path().join("out")).unwrap(), "*");
}

#[tokio::test]
async fn f11_e_a_script_list_runs_its_scripts() {
    let place = Place::new();
    let script = place.path("project/check.sh");
    let write = r#"printf '#!/bin/sh -f\necho "*"\nexit 3\n' >"$0" && chmod 755 "$0""#;
    let status = Command::new("/bin/sh")
        .args(["-c", write])
        .arg(&script)
        .status();
    assert!(status.unwrap().success());
    let list = json!({"hooks": [{"name": "check", "type": "PreToolUse", "description": "", "script": "./check.sh"}]});
    place.write("project/.claude/settings.json", list.to_string());
    let result = fire(&place, &place.manager(), tool_call(json!({}))).await;
    assert_eq!(result.results[0].id, "check");
    assert_eq!(
        result.output.stop_reason.as_deref(),
        Some("*"),
        "{result:?}"
    );
}

/// A hook whose output goes through another process must not lose its answer when it is the first to exit.
#[tokio::test]
async fn f11_an_answer_that_is_passed_on_late_still_counts() {
    let folder = tempfile::tempdir().unwrap();
    // Counting takes a moment without starting anything.
    for command in [
        r#"{ i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; echo '{"decision":"block","reason":"late"}'; } &"#,
        r#"{ printf '{"decision":"block",'; i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; echo '"reason":"late"}'; } &"#,
    ] {
        let result = run(hook(command), tool_call(json!({})), folder.path()).await;
        assert_eq!(
            result.output.stop_reason.as_deref(),
            Some("late"),
            "{command}: {result:?}"
        );
    }
}

#[tokio::test]
async fn f11_c_a_hook_over_its_time_is_asked_to_end_and_may_put_things_in_order() {
    let place = Place::new();
    place.write(
        USER_FILE,
        "[[hooks.PreToolUse]]\ntimeout_ms = 300\n\
         command = 'trap \"echo bye > cleaned; exit 1\" TERM; echo > begun; sleep 300 & wait'\n",
    );
    let input = HookInput::pre_tool_use("s", "Bash", json!({"command": "ls"}));
    fire(&place, &place.manager(), input).await;
    assert_eq!(place.lines("project/begun"), 1);
    assert_eq!(place.lines("project/cleaned"), 1);
}
