use serde_json::{Value, json};

use super::*;
use crate::event::HookEvent;

fn call(tool: &str, arguments: Value) -> HookInput {
    HookInput::pre_tool_use("s", tool, arguments).with_field("cwd", "/home/u/p")
}

fn fits(rule: &str, input: &HookInput) -> bool {
    Condition::parse(rule)
        .unwrap()
        .matches(input, Some(Path::new("/home/u")))
        == Match::Yes
}

fn bash(command: &str) -> HookInput {
    call("Bash", json!({ "command": command }))
}

#[test]
fn what_the_client_was_measured_to_do_with_commands() {
    let input = bash("FOO=1 echo A1 && cat x | timeout 5 echo B2");
    for rule in [
        "Bash",
        "Bash(*)",
        "Bash(echo *)",
        "Bash(echo:*)",
        "Bash(echo A1)",
        "Bash(cat *)",
        "Bash(timeout *)",
        "Bash(* B2)",
    ] {
        assert!(fits(rule, &input), "{rule}");
    }
    for rule in [
        "Bash(git *)",
        "Bash(ECHO *)",
        "Bash(echo)",
        "Bash(FOO=1 *)",
        "bash(echo *)",
        "Bash(echo *)|Bash(git *)",
    ] {
        assert!(!fits(rule, &input), "{rule}");
    }
}

#[test]
fn commands() {
    for (rule, command, expected) in [
        ("Bash()", "anything", true),
        ("Bash(git *)", "git", true),
        ("Bash(git *)", "gitk", false),
        ("Bash(git:*)", "gitk", false),
        ("Bash(git*)", "gitk", true),
        ("Bash(git push:*)", "git   push  origin", true),
        ("Bash(git push:*)", "git pushx", false),
        ("Bash(git  push *)", "git push", true),
        ("Bash(git * main)", "git push origin main", true),
        ("Bash(git *)", "ls; (cd x && git push)", true),
        ("Bash(git *)", "if true; then \"git\" push; fi", true),
        ("Bash(git *)", "echo 'git push'", false),
        ("Bash(git *)", "bash -c 'git push'", false),
        ("Bash(rm *)", "find . | xargs rm -f", true),
        ("Bash(rm *)", "find . | xargs -0 -n 1 rm", true),
        ("Bash(rm *)", "xargs echo rm", false),
        ("Bash(git *)", "echo $(git log)", true),
        ("Bash(git *)", "echo `git log`", true),
        ("Bash(rm *)", "echo $(date)", false),
        ("Bash(rm -rf *)", "echo $(date)", true),
        ("Bash(rm -rf *)", "echo `date`", true),
        ("Bash(rm -rf *)", "echo $HOME", true),
        ("Bash(rm *)", "echo $HOME", false),
        ("Bash(rm -rf *)", "echo home", false),
        ("Bash(rm *)", "$CMD x", true),
        ("Bash(rm *)", "echo 'unclosed", true),
        ("Bash(rm *)", "echo $(fi)", true),
        ("Bash(echo \\(a\\))", "echo '(a)'", true),
        ("Bash(git *)", "time git push", true),
        ("Bash(ls)", "FOO=1 ls", true),
        ("Bash(ls)", "ls > out", true),
        ("Bash(rm *)", "", false),
        // What the client does not look into, it runs every rule for.
        ("Bash(rm *)", "bash <<EOF\nls\nEOF", true),
        ("Bash(rm *)", "echo ${x:-y}", true),
        ("Bash(rm *)", "echo ${x}", false),
        ("Bash(rm *)", "for i in a b; do echo $i; done", true),
        ("Bash(rm *)", "for i in a b; do echo x; done", false),
        (
            "Bash(rm *)",
            "while read line; do echo \"$line\"; done",
            true,
        ),
    ] {
        assert_eq!(fits(rule, &bash(command)), expected, "{rule} on {command}");
    }
    let shout = call("PowerShell", json!({"command": "GIT Push"}));
    assert!(fits("PowerShell(git push *)", &shout));
}

#[test]
fn what_the_client_was_measured_to_do_with_files() {
    let input = call("Write", json!({"file_path": "/home/u/p/src/a.ts"}));
    for rule in [
        "Write",
        "Write(*)",
        "Write(*.ts)",
        "Write(a.ts)",
        "Write(src/a.ts)",
        "Write(./src/a.ts)",
        "Write(src/*.ts)",
        "Write(src/**)",
        "Write(/src/**)",
        "Write(**/*.ts)",
        "Write(/home/u/p/src/a.ts)",
    ] {
        assert!(fits(rule, &input), "{rule}");
    }
    for rule in ["Edit(*.ts)", "Read(*.ts)"] {
        assert!(!fits(rule, &input), "{rule}");
    }
}

#[test]
fn files() {
    for (rule, path, expected) in [
        ("Read(src)", "src/a/b.rs", true),
        ("Read(src/)", "src/a/b.rs", true),
        ("Read(src/**)", "x/src/a.rs", false),
        ("Read(src/*)", "src/a.rs", true),
        ("Read(*.rs)", "src/deep/er/a.rs", true),
        ("Read(*.rs)", "src/a.rs.bak", false),
        ("Read(//etc/**)", "/etc/passwd", true),
        ("Read(//etc/**)", "etc/passwd", false),
        ("Read(~/.ssh/**)", "/home/u/.ssh/id", true),
        ("Read(~/.ssh/**)", "../.ssh/id", true),
        ("Read(~/.ssh/**)", "/root/.ssh/id", false),
        ("Read(src/**)", "./x/../src/a.rs", true),
        ("Read(src/**)", "src/../../other", false),
        ("Read(*.rs)", "/elsewhere/a.rs", true),
        ("Read(**)", "/elsewhere/a.rs", true),
        ("Read(src/*.rs)", "/elsewhere/src/a.rs", false),
        ("Read(*.RS)", "src/a.rs", true),
        ("Read(src/**)", "SRC/a.rs", true),
        ("Read(*/a.rs)", "deep/er/a.rs", true),
        ("Read(*/a.rs)", "a.rs", false),
        ("Read(a{b,c})", "ab", false),
        ("Read(a{b,c})", "a{b,c}", true),
        ("Read(.env)", "sub/.env", true),
        ("Read(.env*)", ".env.local", true),
    ] {
        let input = call("Read", json!({ "file_path": path }));
        assert_eq!(fits(rule, &input), expected, "{rule} on {path}");
    }
    let notebook = call("NotebookEdit", json!({"notebook_path": "n/a.ipynb"}));
    assert!(fits("NotebookEdit(*.ipynb)", &notebook));
    assert!(fits(
        "MultiEdit(*.rs)",
        &call("MultiEdit", json!({"file_path": "a.rs"}))
    ));
    let nowhere = HookInput::pre_tool_use("s", "Read", json!({"file_path": "/a/b.rs"}));
    assert!(fits("Read(*.rs)", &nowhere));
}

#[test]
fn searches_are_compared_by_their_pattern() {
    for tool in ["Glob", "Grep"] {
        let input = call(tool, json!({"pattern": "src/**/*.rs", "path": "/etc"}));
        assert!(fits(&format!("{tool}(src/*)"), &input));
        assert!(!fits(&format!("{tool}(/etc*)"), &input));
    }
}

#[test]
fn what_never_fits_says_why() {
    for (rule, input, words) in [
        (
            "WebFetch(domain:x)",
            call("WebFetch", json!({})),
            "not compared",
        ),
        (
            "Bash(ls)",
            call("Bash", json!({"command": 1})),
            "lacks the argument",
        ),
        ("Bash", HookInput::stop("s"), "never fits Stop"),
        ("Bash", call("bash", json!({})), "not for tool bash"),
        (
            "mcp__x",
            call("mcp__x__y", json!({})),
            "not for tool mcp__x__y",
        ),
    ] {
        let Match::No(reason) = Condition::parse(rule).unwrap().matches(&input, None) else {
            panic!("{rule} fits");
        };
        assert!(reason.contains(words), "{rule}: {reason}");
    }
    let denied = HookInput::for_event("s", HookEvent::PermissionDenied)
        .with_field("tool_name", "Bash")
        .with_field("tool_input", json!({"command": "git push"}));
    assert!(fits("Bash(git *)", &denied));
    assert!(
        fits("Task", &call("Agent", json!({}))),
        "old names stand for the current ones"
    );
}

#[test]
fn rules_that_cannot_be_read() {
    for rule in [
        "",
        "(x)",
        "Bash(git",
        "Bash(git) ",
        "Bash)",
        "Bash(a\\)",
        "Read([)",
    ] {
        let error = Condition::parse(rule).expect_err(rule);
        assert!(matches!(error, Error::Pattern { .. }), "{rule}: {error}");
    }
    assert_eq!(
        Condition::parse("Bash(git *)").unwrap().source(),
        "Bash(git *)"
    );
}
