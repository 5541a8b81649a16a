//! `bowline run`.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use bowline_testkit::{Ran, Sandbox, needs, put, script, until, until_some};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::screen::Screen;
use super::stage::Stage;

/// What a guard would deny at once. Its program is one that only says that it was run.
const DENIED: &str = "rm -rf ~";
/// What a guard asks about.
const ASKED: &str = "terraform apply";

/// A sandbox in which the programs that could do harm do none.
fn harmless(settings: &str) -> Sandbox {
    let mut sandbox = Sandbox::with_repository();
    let bin = sandbox.folder("bin");
    let ran = sandbox.path("ran");
    for name in ["rm", "git", "terraform"] {
        let text = format!("#!/bin/sh\necho \"{name} $*\" >> {}\n", ran.display());
        script(bin.join(name), &text);
    }
    let path = std::env::var("PATH").unwrap();
    sandbox.set("PATH", format!("{}:{path}", bin.display()));
    sandbox.set("SHELL", "/bin/sh");
    sandbox.write("home/.config/bowline/config.toml", settings);
    sandbox
}

fn stage() -> Stage {
    Stage::of(harmless(""))
}

/// `bowline run` of a program that does what a shell script says, and is no shell to anybody.
fn run(stage: &Stage, options: &[&str], text: &str) -> Command {
    let file = stage.write("program.sh", text);
    let program = stage.agent_program();
    let words = [program.to_str().unwrap(), file.to_str().unwrap()];
    stage.command(&[&["run"], options, &["--"], &words].concat())
}

/// The calls that were recorded, the first one first: the command, and how it went.
fn calls(stage: &Sandbox) -> Vec<(String, String)> {
    let document = stage.json(&["trace", "list"]);
    let traces = document["traces"].as_array().unwrap().iter().rev();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    traces
        .map(|it| (text(&it["input"]["command"]), text(&it["status"])))
        .collect()
}

fn commands(stage: &Sandbox) -> Vec<String> {
    calls(stage)
        .into_iter()
        .map(|(command, _)| command)
        .collect()
}

/// The folders of runs.
fn folders(stage: &Sandbox) -> Vec<PathBuf> {
    let runtime = stage.socket();
    let entries = fs::read_dir(runtime.parent().unwrap()).unwrap();
    let paths = entries.map(|it| it.unwrap().path());
    paths.filter(|it| it.join("run.json").exists()).collect()
}

fn agents(stage: &Sandbox) -> Vec<Value> {
    let document = stage.json(&["fleet", "--all"]);
    document["agents"].as_array().unwrap().clone()
}

fn pid(child: &Child) -> Pid {
    Pid::from_child(child)
}

#[test]
fn what_a_program_starts_runs_as_ever_and_is_recorded() {
    let stage = stage();
    // No text to anybody.
    let odd = OsStr::from_bytes(b"\xff");
    let text = r#"
bash -c 'read line; echo "$line $X"; echo problem >&2; exit 3' < input
echo "code $?"
git status --short
"$SHELL" -c 'echo "by the shell of $BOWLINE_SESSION"'
exit 7
"#;
    stage.write_in_project("input", "hello\n");
    let ran = Ran::of(
        run(&stage, &[], text)
            .env("X", "world")
            .env("ODD", odd)
            .env(odd, "x"),
    );
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (Some(7), "problem\n"),
        "{ran}"
    );
    let agents = agents(&stage);
    let [agent] = agents.as_slice() else {
        panic!("{agents:?}");
    };
    let session = agent["session"].as_str().unwrap();
    let expected = format!("hello world\ncode 3\nby the shell of {session}\n");
    assert_eq!(ran.stdout, expected);
    assert_eq!(stage.read("ran"), "git status --short\n");
    let calls = calls(&stage);
    let calls: Vec<_> = calls
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    assert_eq!(
        calls,
        [
            (
                r#"read line; echo "$line $X"; echo problem >&2; exit 3"#,
                "error"
            ),
            ("git status --short", "ok"),
            (r#"echo "by the shell of $BOWLINE_SESSION""#, "ok"),
        ]
    );
    let failed = stage.json(&["trace", "errors"]);
    assert_eq!(failed["traces"][0]["error"], "Exit code 3");
    assert_eq!(agent["agent"], "run");
    assert_eq!(agent["project"], stage.project().to_str().unwrap());
    assert!(
        agent["id"].as_str().unwrap().starts_with("agent-"),
        "{agent}"
    );
    assert_eq!(agent["state"], "ended");
}

#[test]
fn what_is_denied_does_not_run_and_says_why() {
    let stage = stage();
    for way in [
        DENIED.to_owned(),
        format!("bash -c '{DENIED}'"),
        format!("sh -lc '{DENIED}'"),
        format!("bash -euo pipefail -c 'true && {DENIED}'"),
        format!("\"$SHELL\" -c '{DENIED}'"),
        "sh -c 'rm -rf \"$1\"' sh ~".to_owned(),
        format!("sudo() {{ :; }}; env -u X {DENIED}"),
        // Nobody knows beforehand what these are told.
        format!("echo '{DENIED}' | bash"),
        format!("echo '{DENIED}' | \"$SHELL\" -s"),
        // The first of a program's own words does not count.
        format!(
            "export BOWLINE=off BOWLINE_DAEMON=off HOME=/; rm -rf {}",
            stage.home().display()
        ),
    ] {
        let ran = Ran::of(&mut run(&stage, &[], &way));
        ran.expect_stderr(126, &["error: denied: ", "rm", "[files."]);
    }
    assert!(!stage.path("ran").exists());
    let calls = calls(&stage);
    assert!(
        calls.iter().all(|(_, status)| status == "denied"),
        "{calls:?}"
    );
    assert_eq!(calls.len(), 10, "{calls:?}");
}

#[test]
fn a_question_without_a_terminal_is_a_denial() {
    let stage = stage();
    let ran = Ran::of(&mut run(&stage, &[], ASKED));
    ran.expect_stderr(
        126,
        &[
            "nobody could be asked about terraform apply",
            "[",
            "[approvals]",
        ],
    );
    assert!(!stage.path("ran").exists());
    assert_eq!(calls(&stage), [(ASKED.to_owned(), "refused".to_owned())]);
    let way = ran
        .stderr
        .split_once("To allow it, in a terminal: bowline allow ");
    let id = way.and_then(|(_, rest)| rest.split_whitespace().next());
    let traces = stage.json(&["trace", "list"]);
    assert_eq!(traces["traces"][0]["tool_use_id"].as_str(), id, "{ran}");
}

#[test]
fn a_person_at_the_terminal_is_asked() {
    let stage = stage();
    let text = format!("{ASKED}; echo \"first: $?\"; {ASKED}; echo \"second: $?\"");
    let mut screen = Screen::of(&run(&stage, &[], &text), 100, 40);
    screen.until("Run it? [y/N]");
    screen.types("y\n");
    screen.until("first: 0");
    screen.until("first: 0\n\nbowline: `terraform apply` ");
    screen.types("\n");
    screen.until("second: 126");
    assert!(screen.ended().success());
    screen.assert_restored("two questions");
    assert_eq!(stage.read("ran"), "terraform apply\n");
    let status: Vec<_> = calls(&stage)
        .into_iter()
        .map(|(_, status)| status)
        .collect();
    assert_eq!(status, ["ok", "refused"]);
}

/// Else nobody would know which of them an answer is for.
#[test]
fn of_several_questions_one_is_asked_at_a_time() {
    let stage = stage();
    let text = "terraform apply one & terraform apply two & wait; echo over";
    let mut screen = Screen::of(&run(&stage, &[], text), 100, 40);
    screen.until("Run it? [y/N]");
    until("both wait", || calls(&stage).len() == 2);
    let first = screen.text();
    assert_eq!(first.matches("Run it?").count(), 1, "{first}");
    let (asked, other) = if first.contains("apply one") {
        ("one", "two")
    } else {
        ("two", "one")
    };
    screen.types("y\n");
    screen.until(&format!("terraform apply {other}"));
    screen.types("n\n");
    screen.until("over");
    assert!(screen.ended().success());
    assert_eq!(stage.read("ran"), format!("terraform apply {asked}\n"));
}

#[needs(no_agent, terminal)]
#[test]
fn a_question_waits_in_the_inbox() {
    let stage = Stage::of(harmless("[approvals]\nwait = \"5m\"\n"));
    let mut command = run(&stage, &[], ASKED);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = child.spawn().unwrap();
    let id = until_some("it waits", || {
        let questions = stage.questions();
        Some(questions.first()?["id"].as_str()?.to_owned())
    });
    let program = bowline_testkit::bowline();
    let allow = format!("{} approvals allow {id}", program.display());
    Ran::of(&mut stage.at_terminal(&allow)).expect(0, &[]);
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran}");
    assert_eq!(stage.read("ran"), "terraform apply\n");
}

/// It has a terminal, and takes the signs of the run away.
#[needs(no_agent, terminal)]
#[test]
#[cfg(target_os = "linux")]
fn a_program_answers_no_question_and_allows_nothing() {
    let stage = stage();
    let program = bowline_testkit::bowline();
    let signs = "-u BOWLINE_RUN -u BOWLINE_SESSION -u AGENT_ID";
    let text = format!(
        "/usr/bin/env {signs} {0} allow files.delete --once; echo \"code $?\"; /usr/bin/env {signs} {0} approvals allow; echo \"code $?\"\n",
        program.display()
    );
    let script = stage.write("program.sh", &text);
    let agent = stage.agent_program();
    let line = format!(
        "{} run -- {} {}",
        program.display(),
        agent.display(),
        script.display()
    );
    let ran = Ran::of(&mut stage.at_terminal(&line));
    let refused = ran.stdout.matches("`bowline run` started it").count();
    assert_eq!(refused, 2, "{ran}");
    assert_eq!(ran.stdout.matches("code 2").count(), 2, "{ran}");
}

/// Whether the system tells who started a process.
#[test]
#[cfg(target_os = "linux")]
fn a_part_of_what_was_judged_is_not_judged_again() {
    let stage = stage();
    put("/bin/sh", stage.path("other"));
    let inner = stage.write("inner.sh", "git log\n");
    let other = stage.path("other");
    let by_another = format!("{} {}", other.display(), inner.display());
    let parts =
        r#"git status | cat; (git diff); bash -c "git show"; env git tag; echo x | xargs git add"#;
    let text = format!(
        "bash -c '{parts}'\nbash -c '{by_another}; true'\nbash {}",
        inner.display()
    );
    Ran::of(&mut run(&stage, &[], &text)).expect(0, &[]);
    let expected = [
        parts.to_owned(),
        format!("{by_another}; true"),
        // Whoever runs code of his own is looked at again.
        "git log".to_owned(),
        format!("bash {}", inner.display()),
        // Nobody knows what is in a script.
        "git log".to_owned(),
    ];
    assert_eq!(commands(&stage), expected);
    assert_eq!(stage.lines("ran"), 7);
}

/// Whoever judges a line cannot know these words, and the stand-in of the program can.
#[test]
#[cfg(target_os = "linux")]
fn words_that_only_running_shows_are_judged_when_it_runs() {
    let stage = stage();
    stage.write_in_project("f", "--force\n");
    for way in [
        "xargs git push < f",
        "bash -c 'cat f | xargs git push'",
        "bash -c 'git push $(cat f)'",
        "bash -c 'read x < f; git push $x'",
        "bash -c 'read x < f; git status; git push $x'",
        "bash -c 'eval \"git push $(cat f)\"'",
        "bash -c 'bash -c \"git push $(cat f)\"'",
    ] {
        let ran = Ran::of(&mut run(&stage, &[], way));
        let stderr = &ran.stderr;
        let denied = "denied: git push --force";
        assert!(stderr.contains(denied), "{way}: {ran}");
    }
    // What was said in the line is not asked about again.
    assert_eq!(stage.read("ran"), "git status\n");
    assert!(!commands(&stage).contains(&"git status".to_owned()));
}

#[test]
fn a_hook_may_change_what_runs() {
    let hook = "if grep -q 'git push'; then printf '{\"updated_input\": {\"command\": \"git push --dry-run\"}}'; fi";
    let settings = format!(
        "[[hooks]]\non = \"PreToolUse\"\nhooks = [{{ type = \"command\", command = {hook:?} }}]\n"
    );
    let settings = settings.replace("[[hooks]]\non = \"PreToolUse\"", "[[hooks.PreToolUse]]");
    let stage = Stage::of(harmless(&settings));
    let text = "git push; bash -e -c 'git push'";
    Ran::of(&mut run(&stage, &[], text)).expect(0, &[]);
    assert_eq!(
        stage.read("ran"),
        "git push --dry-run\ngit push --dry-run\n"
    );
}

#[test]
fn without_a_daemon_the_decision_is_the_same() {
    let mut sandbox = harmless("");
    sandbox.set("BOWLINE_DAEMON", "off");
    let stage = Stage::of(sandbox);
    stage.run(&["daemon", "stop"]).expect(0, &[]);
    let ran = Ran::of(&mut run(&stage, &[], &format!("git status && {DENIED}")));
    ran.expect_stderr(126, &["denied: rm -rf"]);
    assert_eq!(stage.read("ran"), "git status\n");
    let status: Vec<_> = calls(&stage)
        .into_iter()
        .map(|(_, status)| status)
        .collect();
    assert_eq!(status, ["ok", "denied"]);
}

#[test]
fn what_nobody_can_judge_runs_only_if_the_person_said_so() {
    let mut sandbox = harmless("");
    let alone = sandbox.folder("alone");
    put(bowline_testkit::bowline(), alone.join("bowline"));
    let path = sandbox.path("bin");
    sandbox.set("PATH", format!("{}:/usr/bin:/bin", path.display()));
    sandbox.set_programs(alone);
    put("/bin/sh", sandbox.path("agent"));
    let program = sandbox.path("agent");
    let file = sandbox.write("program.sh", "git status; exit $?");
    let words = [program.to_str().unwrap(), file.to_str().unwrap()];
    for (mode, code) in [("ask", 126), ("closed", 126), ("open", 0)] {
        let args = [&["run", "--on-failure", mode, "--"][..], &words].concat();
        let ran = sandbox.run(&args);
        assert_eq!(ran.code, Some(code), "{mode}: {ran}");
        assert_eq!(sandbox.path("ran").exists(), code == 0, "{mode}");
    }
}

#[test]
fn signals_reach_the_program_and_its_end_is_told() {
    let stage = stage();
    for (text, signal, code) in [
        ("echo on >> began; exec sleep 600", Signal::TERM, 143),
        (
            "trap 'exit 5' HUP; echo on >> began; while :; do sleep 0.01; done",
            Signal::HUP,
            5,
        ),
        (
            "echo on >> began; bash -c 'trap \"exit 9\" INT; while :; do sleep 0.01; done'",
            Signal::TERM,
            143,
        ),
    ] {
        let began = stage.lines("project/began");
        let mut child = run(&stage, &[], text).spawn().unwrap();
        until("it has begun", || stage.lines("project/began") > began);
        let folders = folders(&stage);
        assert_eq!(folders.len(), 1, "{folders:?}");
        let mode = fs::metadata(&folders[0]).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        kill_process(pid(&child), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(code), "{text}");
        assert!(!folders[0].exists(), "{text}");
        let agents = agents(&stage);
        assert!(agents.iter().all(|it| it["state"] == "ended"), "{agents:?}");
    }
    let ran = Ran::of(&mut run(&stage, &[], "kill -KILL $$"));
    assert_eq!(ran.code, Some(137), "{ran}");
}

/// A program that ends its command gets what it would without Bowline.
#[test]
#[cfg(target_os = "linux")]
fn a_signal_for_a_command_ends_the_command() {
    let stage = stage();
    let text = "bash -c 'echo $$ > pid; exec sleep 600' &\nuntil [ -s pid ]; do :; done\nkill -TERM $!\nwait $!\necho \"code $?\"";
    Ran::of(&mut run(&stage, &[], text)).expect(0, &["code 143"]);
    let process = stage.read("project/pid");
    assert!(!Path::new("/proc").join(process.trim()).exists());
}

#[test]
#[cfg(target_os = "linux")]
fn a_run_that_is_killed_is_noticed_and_its_folder_goes_with_the_next() {
    let stage = stage();
    let text = "echo on > began; git status; read never";
    let mut command = run(&stage, &[], text);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    until("it has run a command", || {
        calls(&stage).iter().any(|(_, status)| status == "ok")
    });
    kill_process(pid(&child), Signal::KILL).unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(9));
    let left = folders(&stage);
    assert_eq!(left.len(), 1, "{left:?}");
    Ran::of(&mut run(&stage, &[], ":")).expect(0, &[]);
    assert_eq!(folders(&stage), [] as [PathBuf; 0]);
    until("its session ends", || {
        agents(&stage).iter().any(|it| it["end_reason"] == "gone")
    });
}

#[test]
fn a_run_within_a_run_is_guarded_too() {
    let stage = stage();
    let inner = stage.write("inner.sh", format!("git status; {DENIED}"));
    let agent = stage.agent_program();
    let text = format!(
        "bowline run -- {} {}; echo \"code $?\"",
        agent.display(),
        inner.display()
    );
    let path = format!(
        "{}:{}",
        bowline_testkit::built().display(),
        stage.path("bin").display()
    );
    let path = format!("{path}:{}", std::env::var("PATH").unwrap());
    let ran = Ran::of(run(&stage, &[], &text).env("PATH", path));
    ran.expect(0, &["code 126"]);
    ran.expect_stderr(0, &["denied: rm -rf"]);
    assert_eq!(stage.read("ran"), "git status\n");
    assert_eq!(agents(&stage).len(), 2);
    let commands = commands(&stage);
    assert!(commands[0].starts_with("bowline run -- "), "{commands:?}");
    assert_eq!(commands[1], "git status");
    assert_eq!(commands.len(), 3, "{commands:?}");
}

#[test]
fn a_program_that_is_worth_a_look_is_judged_itself() {
    let stage = stage();
    stage
        .run(&["run", "--", "rm", "-rf", stage.home().to_str().unwrap()])
        .expect_stderr(126, &["denied: rm -rf"]);
    stage
        .run(&["run", "--", "sh", "-c", DENIED])
        .expect_stderr(126, &["denied: rm -rf"]);
    let script = stage.write("own.sh", "#!/usr/bin/env bash\ngit status\n");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    stage
        .run(&["run", "--", script.to_str().unwrap()])
        .expect(0, &[]);
    assert_eq!(stage.read("ran"), "git status\n");
    let last = commands(&stage).pop().unwrap();
    // The program of the run is no call of it.
    assert_eq!(last, "git status");
}

#[test]
fn a_program_is_judged_by_the_name_of_its_file_and_is_the_one_that_was_named() {
    let stage = stage();
    let elsewhere = stage.folder("elsewhere");
    let text = format!(
        "#!/bin/sh\necho \"this git $*\" >> {}\n",
        stage.path("ran").display()
    );
    script(elsewhere.join("git"), &text);
    let git = elsewhere.join("git");
    let git = git.to_str().unwrap();
    stage
        .run(&["run", "--", git, "push", "--force"])
        .expect_stderr(126, &["denied: git push --force"]);
    assert!(!stage.path("ran").exists());
    if cfg!(target_os = "linux") {
        stage.run(&["run", "--", git, "status"]).expect(0, &[]);
        assert_eq!(stage.read("ran"), "this git status\n");
    }
}

/// All links of a run lead to Bowline's file. Who starts that must not get Bowline instead of a program.
#[test]
#[cfg(target_os = "linux")]
fn a_stand_in_is_no_other_program_however_it_is_started() {
    let stage = stage();
    let path = format!(
        "{}:{}:{}",
        stage.path("bin").display(),
        bowline_testkit::built().display(),
        std::env::var("PATH").unwrap()
    );
    let ran = |text: &str| Ran::of(run(&stage, &[], text).env("PATH", &path));
    ran("\"$(realpath \"$(command -v git)\")\" init")
        .expect_stderr(126, &["cannot tell which program", "by their names"]);
    ran("/bin/ln -sf \"$(command -v git)\" mine; ./mine push --force")
        .expect_stderr(126, &["git push --force"]);
    ran("cd \"$BOWLINE_RUN\"; ./git push --force").expect_stderr(126, &["git push --force"]);
    assert!(!stage.path("ran").exists());
    ran("/bin/ln -sf \"$(command -v git)\" mine; ./mine status").expect(0, &[]);
    assert_eq!(stage.read("ran"), "git status\n");
    for way in ["bowline --version", "bash -c 'bowline --version; true'"] {
        ran(way).expect(0, &["bowline "]);
    }
    stage
        .run(&[
            "run",
            "--",
            bowline_testkit::bowline().to_str().unwrap(),
            "--version",
        ])
        .expect(0, &["bowline "]);
}

#[test]
fn open_files_reach_the_program() {
    let stage = stage();
    stage.write_in_project("three", "of three\n");
    let text = "bash -c 'cat <&3' 3< three; bash -c 'diff <(echo a) <(echo a) && echo same'";
    Ran::of(&mut run(&stage, &[], text)).expect(0, &["of three\n", "same\n"]);
}

#[test]
fn mistakes_on_the_command_line_are_told() {
    let stage = stage();
    stage.run(&["run"]).expect_stderr(2, &["COMMAND"]);
    stage.run(&["run", "aider"]).expect_stderr(2, &["-- "]);
    stage
        .run(&["run", "--", "no-such-program"])
        .expect_stderr(2, &["there is no program `no-such-program` on the PATH"]);
    stage
        .run(&["run", "--", "./none"])
        .expect_stderr(2, &["there is no program ./none"]);
    let text = stage.write("my_agent.py", "print()\n");
    let text = text.to_str().unwrap();
    stage
        .run(&["run", "--", text])
        .expect_stderr(2, &["my_agent.py is not executable", "chmod +x"]);
    let folder = stage.home();
    stage
        .run(&["run", "--", folder.to_str().unwrap()])
        .expect_stderr(2, &["is a folder"]);
    stage
        .run(&["run", "--on-failure", "never", "--", "true"])
        .expect_stderr(2, &["never"]);
    assert_eq!(agents(&stage), [json!(null); 0]);
    assert_eq!(folders(&stage), [] as [PathBuf; 0]);
}

/// `subprocess.run(…, timeout=1)` kills what it started, and knows nothing of a process below that.
#[test]
#[cfg(target_os = "linux")]
fn who_kills_a_command_ends_it() {
    let stage = stage();
    let text = "bash -c 'echo $$ > pid; exec sleep 600' &\nuntil [ -s pid ]; do :; done\nkill -KILL $!\nwait $!\necho \"code $?\"";
    Ran::of(&mut run(&stage, &[], text)).expect(0, &["code 137"]);
    let process = stage.read("project/pid");
    let process = Path::new("/proc").join(process.trim());
    until("the command ends", || !process.exists());
    let mut child = run(&stage, &[], "echo $$ > program; exec sleep 600")
        .spawn()
        .unwrap();
    until("it has begun", || stage.lines("project/program") > 0);
    kill_process(pid(&child), Signal::KILL).unwrap();
    child.wait().unwrap();
    let process = Path::new("/proc").join(stage.read("project/program").trim());
    until("the program ends", || !process.exists());
}

/// The folder of a run may go while something of it still starts programs.
#[test]
#[cfg(target_os = "linux")]
fn what_outlives_its_run_is_not_judged_by_it() {
    let stage = stage();
    let text = "(until [ -s go ]; do :; done; cd \"$BOWLINE_RUN\" 2> gone; \"$BOWLINE_RUN\"/rm -rf x; echo $? > code) > /dev/null 2>&1 &";
    Ran::of(&mut run(&stage, &[], text)).expect(0, &[]);
    stage.write_in_project("go", "now\n");
    until("it has tried", || stage.lines("project/code") > 0);
    assert_eq!(stage.read("project/code"), "127\n");
    // Of a folder that is only half gone, the links start nothing.
    let folder = stage.folder("run-x");
    std::os::unix::fs::symlink(bowline_testkit::bowline(), folder.join("rm")).unwrap();
    let ran = Ran::of(stage.program(folder.join("rm")).args(["-rf", "x"]));
    ran.expect_stderr(126, &["cannot judge rm: its `bowline run` is over"]);
    assert!(!stage.path("ran").exists());
}

#[test]
fn a_person_in_a_shell_is_guarded_command_by_command() {
    let stage = stage();
    for shell in [
        stage.command(&["run", "--", "bash", "--norc"]),
        // The command that was judged says nothing of what is typed later.
        run(&stage, &[], "bash -c 'echo; bash --norc; echo out'"),
    ] {
        let mut screen = Screen::of(&shell, 100, 40);
        screen.types("git status; echo said $?\n");
        screen.until("said 0");
        screen.types("rm -rf ~; echo then $?\n");
        screen.until("then 126");
        screen.types("terraform apply; echo last $?\n");
        screen.until("Run it? [y/N]");
        screen.types("y\n");
        screen.until("last 0");
        screen.types("exit\n");
        screen.ended();
        assert_eq!(stage.read("ran"), "git status\nterraform apply\n");
        fs::remove_file(stage.path("ran")).unwrap();
    }
}
