//! Runs real, harmless processes. What must not happen is checked by process id, not by the clock.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::json;

use super::*;
use crate::dialect::Exit;
use crate::input::HookInput;
use crate::runner::environment::event_variables;

/// A request and all that it borrows.
struct Case {
    action: CommandAction,
    stdin: Vec<u8>,
    variables: Vec<(String, String)>,
    extra_env: BTreeMap<String, String>,
    base: EnvBase,
    ctx: HookContext,
}

fn pairs<M: FromIterator<(String, String)>>(pairs: &[(&str, &str)]) -> M {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn shell(command: impl Into<String>) -> Case {
    let env: HashMap<String, String> = pairs(&[("PATH", "/usr/local/bin:/usr/bin:/bin")]);
    Case {
        action: CommandAction {
            command: command.into(),
            args: None,
        },
        stdin: b"{}\n".to_vec(),
        variables: Vec::new(),
        extra_env: BTreeMap::new(),
        base: EnvBase::Context,
        ctx: HookContext::new("s").with_env(env),
    }
}

fn direct(program: impl Into<String>, args: &[&str]) -> Case {
    let mut case = shell(program);
    case.action.args = Some(args.iter().map(|arg| (*arg).to_owned()).collect());
    case
}

impl Case {
    fn request(&self) -> CommandRequest<'_> {
        CommandRequest {
            action: &self.action,
            stdin: &self.stdin,
            variables: self.variables.clone(),
            extra_env: &self.extra_env,
            base: self.base,
            ctx: &self.ctx,
        }
    }

    async fn run(&self) -> Result<RawOutput, RunError> {
        run(self.request()).await
    }

    /// Runs until the predicate holds, then drops the future, as a timeout does.
    async fn run_until(&self, ready: impl Fn() -> bool) {
        let mut running = Box::pin(run(self.request()));
        while !ready() {
            tokio::select! {
                result = &mut running => panic!("ended by itself: {result:?}"),
                () = tokio::time::sleep(Duration::from_millis(2)) => {}
            }
        }
    }
}

fn alive(pid: Pid) -> bool {
    // A dead process that its parent, such as the container's first process, has not fetched yet is dead.
    let zombie = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()))
        .is_ok_and(|stat| stat.contains(") Z "));
    exists(pid) && !zombie
}

/// Alive or a zombie.
fn exists(pid: Pid) -> bool {
    test_kill_process(pid).is_ok()
}

async fn wait_until(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..10_000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    panic!("waited in vain: {what}");
}

fn read_pid(file: &Path) -> Option<Pid> {
    let text = fs::read_to_string(file).ok()?;
    Pid::from_raw(text.strip_suffix('\n')?.parse().ok()?)
}

/// Written by another process: a program that ours has open for writing, if only in a fork of another test,
/// cannot be started.
fn script(folder: &Path, name: &str, text: &str, mode: &str) -> String {
    let path = folder.join(name).to_str().unwrap().to_owned();
    let write = r#"printf '%s' "$1" >"$0" && chmod "$2" "$0""#;
    let status = std::process::Command::new(SHELL)
        .args(["-c", write, &path, text, mode])
        .status();
    assert!(status.unwrap().success());
    path
}

#[tokio::test]
async fn pipes_and_variables_go_through_the_shell_in_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("here.txt"), "").unwrap();
    let mut case =
        shell("ls | tr a-z A-Z; read -r line; echo \"$GREETING $line\"; echo no >&2; exit 3");
    case.stdin = b"{\"a\":1}\n".to_vec();
    case.extra_env = pairs(&[("GREETING", "hello")]);
    case.ctx.cwd = Some(folder.path().to_owned());
    assert_eq!(
        case.run().await.unwrap(),
        RawOutput {
            exit: Exit::Code(3),
            stdout: "HERE.TXT\nhello {\"a\":1}\n".to_owned(),
            stderr: "no\n".to_owned(),
            stdout_cut: false,
            stderr_cut: false,
        }
    );
}

#[tokio::test]
async fn exits() {
    for (command, expected) in [
        (":", Exit::Code(0)),
        ("exit 2", Exit::Code(2)),
        ("exit 255", Exit::Code(255)),
        ("no-such-program-at-all", Exit::Code(127)),
        ("kill -9 $$", Exit::Signal(9)),
        ("kill -15 $$", Exit::Signal(15)),
        ("(", Exit::Code(2)),
    ] {
        assert_eq!(
            shell(command).run().await.unwrap().exit,
            expected,
            "{command}"
        );
    }
}

#[tokio::test]
async fn the_exit_decides_however_stdin_is_treated() {
    for (command, stdout) in [
        ("exit 5", ""),
        ("exec <&-; exit 5", ""),
        ("head -c 10; exit 5", "xxxxxxxxxx"),
        ("cat | wc -c | tr -d ' \\n'; exit 5", "2000000"),
        // Answers before it reads, as much as it was given: both sides must make progress.
        (
            "head -c 300000 /dev/zero | tr '\\0' y | wc -c >/dev/null; cat >/dev/null; exit 5",
            "",
        ),
    ] {
        let mut case = shell(command);
        case.stdin = vec![b'x'; 2_000_000];
        let output = case.run().await.unwrap();
        assert_eq!(output.exit, Exit::Code(5), "{command}");
        assert_eq!(output.stdout, stdout, "{command}");
    }
}

#[tokio::test]
async fn a_hook_that_echoes_a_large_input_does_not_deadlock() {
    let mut case = shell("cat; cat >&2");
    case.stdin = vec![b'x'; 2_000_000];
    assert_eq!(case.run().await.unwrap().stdout.len(), 2_000_000);
}

#[tokio::test]
async fn output_past_the_caps_is_read_and_thrown_away() {
    let case = shell(
        "head -c 9000000 /dev/zero | tr '\\0' o; head -c 2000000 /dev/zero | tr '\\0' e >&2; exit 4",
    );
    let output = case.run().await.unwrap();
    assert_eq!(
        output.exit,
        Exit::Code(4),
        "it was not stopped by a full pipe"
    );
    assert_eq!((output.stdout.len(), output.stdout_cut), (8 << 20, true));
    assert_eq!((output.stderr.len(), output.stderr_cut), (1 << 20, true));

    let case = shell("head -c 8388608 /dev/zero | tr '\\0' o");
    let output = case.run().await.unwrap();
    assert_eq!((output.stdout.len(), output.stdout_cut), (8 << 20, false));
}

#[tokio::test]
async fn bytes_that_are_no_text_are_replaced() {
    let output = shell(r"printf 'a\377b'; printf '\303' >&2")
        .run()
        .await
        .unwrap();
    assert_eq!(output.stdout, "a\u{FFFD}b");
    assert_eq!(output.stderr, "\u{FFFD}");
}

#[tokio::test]
async fn a_child_that_keeps_the_pipes_open_delays_nobody_and_lives_on() {
    let output = shell("sleep 300 & echo $!; echo late >&2")
        .run()
        .await
        .unwrap();
    let sleeper = Pid::from_raw(output.stdout.trim().parse().unwrap()).unwrap();
    assert!(alive(sleeper));
    assert_eq!(output.exit, Exit::Code(0));
    assert_eq!(output.stderr, "late\n");
    kill_process(sleeper, Signal::KILL).unwrap();
}

#[tokio::test]
async fn a_child_that_goes_on_writing_delays_nobody() {
    let output = shell("yes & echo $! >&2").run().await.unwrap();
    let writer = Pid::from_raw(output.stderr.trim().parse().unwrap()).unwrap();
    assert_eq!(output.exit, Exit::Code(0));
    // It may have found its pipe closed by now.
    let _ = kill_process(writer, Signal::KILL);
}

/// Each hook leaves the process ids of those that would act later in the files `1`, `2`, …
async fn assert_all_end(command: &str, count: usize) {
    let folder = tempfile::tempdir().unwrap();
    let mut case = shell(command);
    case.ctx.cwd = Some(folder.path().to_owned());
    let pids = || -> Option<Vec<Pid>> {
        (1..=count)
            .map(|n| read_pid(&folder.path().join(n.to_string())))
            .collect()
    };
    case.run_until(|| pids().is_some()).await;
    for pid in pids().unwrap() {
        wait_until(command, || !alive(pid)).await;
    }
    assert!(!folder.path().join("effect").exists(), "{command}");
}

const LATER: &str = "trap '' TERM HUP INT; sleep 300; touch effect";

#[tokio::test]
async fn dropping_ends_the_hook_and_its_children() {
    assert_all_end(
        &format!("(echo $$ >1; sh -c 'echo $$ >2; {LATER}') & sh -c 'echo $$ >3; sleep 300' | cat; {LATER}"),
        3,
    )
    .await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn dropping_ends_those_that_left_the_group() {
    for command in [
        // Still a child.
        format!("setsid sh -c 'echo $$ >1; {LATER}' & wait"),
        // A daemon: its parent is gone.
        format!("(setsid sh -c 'echo $$ >1; {LATER}' >/dev/null 2>&1 &); sleep 300"),
        // Waits for the end of one in the group.
        format!("sh -c 'sleep 300' | setsid sh -c 'echo $$ >1; cat; touch effect; {LATER}'"),
        // A child without our mark.
        format!("env -i PATH=\"$PATH\" setsid sh -c 'echo $$ >1; {LATER}' & wait"),
        // A daemon without our mark in its environment.
        format!(
            "(env -i PATH=\"$PATH\" setsid sh -c 'echo $$ >1; {LATER}' >/dev/null 2>&1 &); sleep 300"
        ),
    ] {
        assert_all_end(&command, 1).await;
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_daemon_that_was_started_on_purpose_survives_other_hooks() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let mut case = shell("(setsid sh -c 'echo $$ >pid; exec sleep 300' >/dev/null 2>&1 &)");
    case.ctx.cwd = Some(folder.path().to_owned());
    case.run().await.unwrap();
    wait_until("the daemon is up", || read_pid(&file).is_some()).await;
    let daemon = read_pid(&file).unwrap();
    assert_all_end("echo $$ >1; sleep 300", 1).await;
    assert!(alive(daemon));
    kill_process(daemon, Signal::KILL).unwrap();
}

#[test]
fn dropping_outside_of_the_runtime_ends_it_too() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("1");
    let mut case = shell("echo $$ >1; sleep 300");
    case.ctx.cwd = Some(folder.path().to_owned());
    let mut running = Box::pin(run(case.request()));
    runtime.block_on(async {
        while read_pid(&file).is_none() {
            tokio::select! {
                result = &mut running => panic!("ended by itself: {result:?}"),
                () = tokio::time::sleep(Duration::from_millis(2)) => {}
            }
        }
    });
    drop(running);
    let pid = read_pid(&file).unwrap();
    runtime.block_on(wait_until("ended and reaped", || !exists(pid)));
}

#[test]
fn nothing_starts_before_the_first_poll() {
    let folder = tempfile::tempdir().unwrap();
    let mut case = shell("touch effect");
    case.ctx.cwd = Some(folder.path().to_owned());
    drop(run(case.request()));
    assert!(!folder.path().join("effect").exists());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn dropping_right_after_the_start_leaves_nothing() {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Waker};

    for _ in 0..20 {
        let case = shell("sleep 300");
        let before = children();
        {
            let mut running = pin!(run(case.request()));
            let poll = running
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()));
            assert!(poll.is_pending());
        }
        let started = children().into_iter().filter(|pid| !before.contains(pid));
        for pid in started.collect::<Vec<_>>() {
            wait_until("ended and reaped", || !exists(pid)).await;
        }
    }
}

/// This thread's children: those of other tests are not among them.
#[cfg(target_os = "linux")]
fn children() -> Vec<Pid> {
    fs::read_to_string("/proc/thread-self/children")
        .unwrap_or_default()
        .split_whitespace()
        .filter_map(|pid| Pid::from_raw(pid.parse().ok()?))
        .collect()
}

#[tokio::test]
async fn the_exec_form_starts_the_program_itself() {
    let folder = tempfile::tempdir().unwrap();
    let echo = script(
        folder.path(),
        "echo args.sh",
        "#!/bin/sh\nfor arg; do printf '[%s]' \"$arg\"; done\n",
        "755",
    );
    let mut case = direct(
        "${CLAUDE_PLUGIN_ROOT}/echo args.sh",
        &[
            "$HOME",
            "a b; exit 1",
            "${CLAUDE_PROJECT_DIR}/x:${CLAUDE_PLUGIN_DATA}",
            "${HOME}${",
        ],
    );
    case.extra_env = pairs(&[
        (
            "CLAUDE_PLUGIN_ROOT",
            Path::new(&echo).parent().unwrap().to_str().unwrap(),
        ),
        ("CLAUDE_PLUGIN_DATA", "${CLAUDE_PROJECT_DIR}"),
    ]);
    case.variables = vec![(PROJECT_DIR.to_owned(), "/project".to_owned())];
    let output = case.run().await.unwrap();
    assert_eq!(
        output.stdout,
        "[$HOME][a b; exit 1][/project/x:${CLAUDE_PROJECT_DIR}][${HOME}${]"
    );
}

#[tokio::test]
async fn the_exec_form_finds_programs_in_the_childs_path() {
    let folder = tempfile::tempdir().unwrap();
    script(
        folder.path(),
        "bowline-test-program",
        "#!/bin/sh\necho found\n",
        "755",
    );
    let mut case = direct("bowline-test-program", &[]);
    for base in [EnvBase::Context, EnvBase::Inherited] {
        case.base = base;
        case.extra_env = pairs(&[("PATH", folder.path().to_str().unwrap())]);
        assert_eq!(case.run().await.unwrap().stdout, "found\n");
    }
}

#[tokio::test]
async fn what_cannot_start_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let plain = script(folder.path(), "plain.sh", "#!/bin/sh\n", "644");
    let no_shebang = script(folder.path(), "text", "exit 0\n", "755");
    let no_interpreter = script(folder.path(), "lost", "#!/no/such/interpreter\n", "755");
    for (program, args, expected) in [
        ("/no/such/program", vec![], "does not exist"),
        ("no-such-program", vec![], "does not exist"),
        (plain.as_str(), vec![], "chmod +x"),
        (no_shebang.as_str(), vec![], "#!/bin/sh"),
        (no_interpreter.as_str(), vec![], "interpreter"),
        (
            "/bin/echo",
            vec!["${CLAUDE_PLUGIN_ROOT}"],
            "`${CLAUDE_PLUGIN_ROOT}` has no value",
        ),
        ("/bin/echo", vec!["a\0b"], "nul byte"),
    ] {
        let error = direct(program, &args).run().await.unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("could not start `{program}`")),
            "{error}"
        );
        assert!(error.contains(expected), "{error}");
    }
}

#[tokio::test]
async fn a_command_longer_than_the_system_allows_is_a_clear_failure() {
    let error = shell(format!(": {}", "x".repeat(5_000_000)))
        .run()
        .await
        .unwrap_err();
    let text = error.to_string();
    assert!(text.contains("longer than the system allows"), "{text}");
}

#[tokio::test]
async fn variables_that_are_too_much_together_are_cut_rather_than_stop_the_hook() {
    let mut case = shell("printf '%s' \"${#V7}\"");
    case.variables = (0..100)
        .map(|n| (format!("V{n}"), "v".repeat(130_000)))
        .collect();
    let length: usize = case.run().await.unwrap().stdout.parse().unwrap();
    assert!((4000..4096).contains(&length), "{length}");
}

#[tokio::test]
async fn the_folder_falls_back_to_the_project_then_home() {
    let project = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    let gone = project.path().join("gone");
    let path = |folder: &Path| folder.canonicalize().unwrap().to_str().unwrap().to_owned();

    let mut case = shell("pwd -P");
    case.ctx.cwd = Some(gone.clone());
    case.extra_env.insert("HOME".to_owned(), path(home.path()));
    // Nobody knows the project: the guess is the folder itself.
    case.variables = event_variables(&HookInput::stop("s"), &case.ctx);
    let output = case.run().await.unwrap();
    assert_eq!(output.stdout.trim_end(), path(home.path()));

    case.ctx
        .env
        .insert(PROJECT_DIR.to_owned(), path(project.path()));
    let output = case.run().await.unwrap();
    assert_eq!(output.stdout.trim_end(), path(project.path()));

    case.ctx.env.remove(PROJECT_DIR);
    case.extra_env
        .insert("HOME".to_owned(), gone.to_str().unwrap().to_owned());
    let error = case.run().await.unwrap_err().to_string();
    assert!(error.contains(gone.to_str().unwrap()), "{error}");
}

#[tokio::test]
async fn the_environment_is_layered() {
    // (context, event, configured, what the hook sees)
    for (context, event, configured, expected) in [
        (None, None, None, ""),
        (Some("c"), None, None, "c"),
        (Some("c"), Some("e"), None, "e"),
        (Some("c"), Some("e"), Some("x"), "x"),
        (Some("c"), None, Some(""), ""),
    ] {
        for base in [EnvBase::Context, EnvBase::Inherited] {
            let mut case = shell("printf '%s' \"$BOWLINE_TEST_NAME\"");
            case.base = base;
            let name = || "BOWLINE_TEST_NAME".to_owned();
            case.ctx
                .env
                .extend(context.map(|value| (name(), value.to_owned())));
            case.variables
                .extend(event.map(|value| (name(), value.to_owned())));
            case.extra_env
                .extend(configured.map(|value| (name(), value.to_owned())));
            assert_eq!(case.run().await.unwrap().stdout, expected);
        }
    }
}

#[tokio::test]
async fn the_base_is_this_process_or_the_context_alone() {
    // Set by cargo for every test.
    for (base, expected) in [(EnvBase::Inherited, "bowline"), (EnvBase::Context, "")] {
        let mut case = shell("printf '%s' \"$CARGO_PKG_NAME\"");
        case.base = base;
        assert_eq!(case.run().await.unwrap().stdout, expected);
        case.extra_env = pairs(&[("CARGO_PKG_NAME", "configured")]);
        assert_eq!(case.run().await.unwrap().stdout, "configured", "9c");
    }
}

#[tokio::test]
async fn a_known_project_folder_is_not_replaced_by_a_guess() {
    for (context, configured, expected) in [
        (None, None, "guess"),
        (Some("known"), None, "known"),
        (Some("known"), Some("set"), "set"),
    ] {
        let mut case = shell(format!("printf '%s' \"${PROJECT_DIR}\""));
        case.variables = pairs(&[(PROJECT_DIR, "guess")]);
        case.ctx
            .env
            .extend(context.map(|value| (PROJECT_DIR.to_owned(), value.to_owned())));
        case.extra_env
            .extend(configured.map(|value| (PROJECT_DIR.to_owned(), value.to_owned())));
        assert_eq!(case.run().await.unwrap().stdout, expected);
    }
}

#[tokio::test]
async fn odd_names_and_values_do_not_stop_a_hook() {
    let mut case = shell("printf '%s' \"$FINE\"");
    case.extra_env = pairs(&[("", "x"), ("A=B", "x"), ("N\0", "x"), ("FINE", "a\0b")]);
    assert_eq!(case.run().await.unwrap().stdout, "a\u{FFFD}b");
}

#[tokio::test]
async fn an_event_with_a_huge_command_still_reaches_the_hook() {
    let mut case = shell("printf '%s ' \"${#COMMAND}\"; wc -c | tr -d ' '");
    let input = HookInput::pre_tool_use("s", "Bash", json!({"command": "x".repeat(2_000_000)}));
    case.variables = event_variables(&input, &case.ctx);
    case.stdin = vec![b'j'; 2_000_000];
    let output = case.run().await.unwrap().stdout;
    let (in_variable, on_stdin) = output.trim_end().split_once(' ').unwrap();
    let in_variable: usize = in_variable.parse().unwrap();
    assert!((131_000..131_071).contains(&in_variable), "{in_variable}");
    assert_eq!(on_stdin, "2000000");
}
