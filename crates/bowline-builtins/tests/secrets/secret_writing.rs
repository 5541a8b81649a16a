//! The guard against secrets that are written where they do not belong.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use bowline::hooks::{Decision, Hook, HookContext, HookInput, HookOutput};
use bowline_builtins::Analyst;
use bowline_builtins::guard::{Guards, OnSecret, Policies, SecretWritingGuard};
use bowline_builtins::machine::Machine;
use bowline_guard::secrets::expand;
use bowline_guard::sensitive::SensitivePolicy;
use serde_json::{Value, json};

fn guard(project: &Path, on_secret: OnSecret) -> SecretWritingGuard {
    let machine = Arc::new(Machine::new(None, Vec::new()));
    let analyst = Analyst::new(machine, project.to_owned(), SensitivePolicy::default());
    let guards = Guards::new(Arc::new(analyst), Policies::default(), Arc::default());
    SecretWritingGuard::new(Arc::new(guards), on_secret)
}

async fn answer(input: HookInput, project: &Path, on_secret: OnSecret) -> HookOutput {
    let hook = guard(project, on_secret);
    let ctx = HookContext::new("s").with_cwd(project);
    hook.execute(input, &ctx).await.unwrap()
}

async fn tool(tool: &str, input: Value) -> HookOutput {
    let input = HookInput::pre_tool_use("s", tool, input);
    answer(input, Path::new("/nowhere/project"), OnSecret::Ask).await
}

fn reason(output: &HookOutput) -> &str {
    output.stop_reason.as_deref().unwrap_or_default()
}

/// Live-looking secrets, and what is said of them.
fn secrets() -> Vec<(String, &'static str)> {
    let key = "-----BEGIN RSA PRIVATE KEY-----\n{a64}\n{a64}\n-----END RSA PRIVATE KEY-----";
    [
        ("ghp_{a36}", "(github-token)"),
        ("sk_live_{a24}", "(stripe-key)"),
        (key, "(private-key)"),
    ]
    .map(|(template, said)| (expand(template), said))
    .to_vec()
}

#[tokio::test]
async fn every_field_of_new_content_is_looked_at() {
    for (secret, said) in secrets() {
        let text = format!("first\nvalue = {secret}\n");
        // Of a private key only what stands within its frame is secret.
        let line = if said == "(private-key)" {
            "line 3"
        } else {
            "line 2"
        };
        for (name, input) in [
            ("Write", json!({"file_path": "a.py", "content": text})),
            (
                "Edit",
                json!({"file_path": "a.py", "old_string": "x", "new_string": text}),
            ),
            (
                "MultiEdit",
                json!({"file_path": "a.py", "edits": [{"old_string": "x", "new_string": "y"}, {"old_string": "z", "new_string": text}]}),
            ),
            (
                "NotebookEdit",
                json!({"notebook_path": "a.ipynb", "new_source": text}),
            ),
        ] {
            let output = tool(name, input).await;
            assert_eq!(output.decision(), Decision::Ask, "{name} {said}");
            let reason = reason(&output);
            assert!(reason.contains(said), "{reason}");
            assert!(reason.contains("`a.") && reason.contains(line), "{reason}");
            assert!(reason.contains("Instead: "), "{reason}");
            assert!(!format!("{output:?}").contains(&secret), "{output:?}");
        }
    }
}

#[tokio::test]
async fn what_is_no_live_secret_passes_in_silence() {
    let token = expand("ghp_{a36}");
    let key =
        expand("-----BEGIN RSA PRIVATE KEY-----\n{a64}\n{a64}\n-----END RSA PRIVATE KEY-----");
    for (name, input) in [
        (
            "Write",
            json!({"file_path": "a.py", "content": "token = os.environ['GITHUB_TOKEN']"}),
        ),
        (
            "Write",
            json!({"file_path": "a.py", "content": "token = 'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'"}),
        ),
        (
            "Write",
            json!({"file_path": "a.py", "content": expand("key = 'sk_test_{a24}'")}),
        ),
        (
            "Write",
            json!({"file_path": "a.py", "content": "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE"}),
        ),
        (
            "Write",
            json!({"file_path": "tests/fixtures/key.pem", "content": key}),
        ),
        (
            "Write",
            json!({"file_path": "a_test.go", "content": expand("apiKey := \"{a32}\"")}),
        ),
        (
            "Write",
            json!({"file_path": "a.lock", "content": expand("sha256 = {h64}")}),
        ),
        // It is there already.
        (
            "Edit",
            json!({"file_path": "a.py", "old_string": format!("t='{token}' "), "new_string": format!("t='{token}'")}),
        ),
        ("Read", json!({"file_path": "a.py", "content": token})),
        (
            "Bash",
            json!({"command": format!("curl -H 'Authorization: Bearer {token}' https://api.test > out.json")}),
        ),
        (
            "Bash",
            json!({"command": format!("echo {token} > /dev/null")}),
        ),
        ("Bash", json!({"command": "echo $TOKEN > .env"})),
        ("Bash", json!({"command": "git commit -m 'done'"})),
        ("Bash", json!({})),
        ("Write", json!("text")),
        ("Edit", json!({"edits": [1, {"new_string": 2}]})),
    ] {
        let output = tool(name, input.clone()).await;
        assert_eq!(output, HookOutput::allow(), "{name} {input}");
    }
}

#[tokio::test]
async fn a_shell_line_that_writes_a_secret_is_asked_about() {
    let token = expand("ghp_{a36}");
    for command in [
        format!("echo 'TOKEN={token}' > .env"),
        format!("echo TOKEN={token} >> conf/app.env"),
        format!("printf 'TOKEN=%s\\n' {token} > .env"),
        format!("cat > .env <<EOF\nA=1\nTOKEN={token}\nEOF"),
        format!("cat <<'EOF' >> .env\nTOKEN={token}\nEOF"),
        format!("echo {token} | tee token.txt"),
        format!("echo {token} | sudo tee -a /srv/token.txt"),
        format!("tee token.txt <<< {token}"),
        format!("cd x && bash -c 'echo {token} > y'"),
        format!("T={token}; echo $T > y"),
        format!("git commit -m 'use {token}'"),
        format!("sudo -u ci git commit -F - <<EOF\nuse {token}\nEOF"),
    ] {
        let output = tool("Bash", json!({"command": command})).await;
        assert_eq!(output.decision(), Decision::Ask, "{command}");
        assert!(reason(&output).contains("(github-token)"), "{output:?}");
        assert!(!format!("{output:?}").contains(&token), "{output:?}");
    }
}

#[tokio::test]
async fn a_prompt_with_a_secret_is_stopped_and_the_secret_to_be_replaced() {
    let token = expand("ghp_{a36}");
    let project = Path::new("/nowhere/project");
    for (on_secret, expected) in [
        (OnSecret::Ask, Decision::Ask),
        (OnSecret::Deny, Decision::Deny),
    ] {
        let input = HookInput::user_prompt_submit("s", format!("use this:\n{token}"));
        let output = answer(input, project, on_secret).await;
        assert_eq!(output.decision(), expected);
        let reason = reason(&output);
        assert!(
            reason.contains("line 2") && reason.contains("replace the secret"),
            "{reason}"
        );
        assert!(!reason.contains(&token), "{reason}");
    }
    let input = HookInput::user_prompt_submit("s", "my password is hunter2");
    assert_eq!(
        answer(input, project, OnSecret::Deny).await,
        HookOutput::allow()
    );
}

/// A repository in a folder of its own, untouched by the machine's settings.
struct Repository(tempfile::TempDir);

impl Repository {
    fn new() -> Option<Self> {
        let repository = Self(tempfile::tempdir().unwrap());
        if !repository.try_git(&["init", "-q"]) {
            eprintln!("skipped: there is no git here");
            return None;
        }
        Some(repository)
    }

    fn try_git(&self, args: &[&str]) -> bool {
        let mut command = Command::new("git");
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            command.env_remove(name);
        }
        command
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .args(["-c", "user.name=a", "-c", "user.email=a@b.test"])
            .args(args)
            .current_dir(self.0.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }

    fn git(&self, args: &[&str]) {
        assert!(self.try_git(args), "{args:?}");
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    async fn judge(&self, command: &str) -> HookOutput {
        let input = HookInput::pre_tool_use("s", "Bash", json!({"command": command}));
        answer(input, self.0.path(), OnSecret::Deny).await
    }
}

#[tokio::test]
async fn the_change_of_a_commit_is_looked_at() {
    let Some(repository) = Repository::new() else {
        return;
    };
    let token = expand("ghp_{a36}");
    let first = "git commit -m first";

    // Before the first commit there is no HEAD.
    repository.write("a.py", "one = 1\n");
    repository.write("key.py", &format!("# key\nkey = '{token}'\n"));
    repository.git(&["add", "a.py"]);
    assert_eq!(repository.judge(first).await, HookOutput::allow());
    repository.git(&["add", "key.py"]);
    for command in [first, "git commit -am first"] {
        let output = repository.judge(command).await;
        assert_eq!(output.decision(), Decision::Deny, "{command}");
        let said = reason(&output);
        assert!(said.contains("in `key.py`, line 2"), "{said}");
        assert!(!format!("{output:?}").contains(&token), "{output:?}");
    }
    repository.git(&["commit", "-q", "-m", "first"]);

    // What is recorded already is not added, nor is what is taken out.
    repository.write("a.py", "two = 2\n");
    repository.write("key.py", "key = None\n");
    repository.git(&["add", "-A"]);
    assert_eq!(repository.judge(first).await, HookOutput::allow());
    repository.git(&["commit", "-q", "-m", "second"]);

    // Unstaged changes count where the commit takes them.
    repository.write("a.py", &format!("two = 2\nkey = '{token}'\n"));
    repository.write("b.py", &format!("key = '{token}'\n"));
    for (command, expected) in [
        ("git commit -m x", Decision::NoOpinion),
        ("git commit -m x key.py", Decision::NoOpinion),
        ("git commit -am x", Decision::Deny),
        ("git commit -m x a.py", Decision::Deny),
        ("git commit -m x -- a.py", Decision::Deny),
        ("env X=1 git commit -a -m x", Decision::Deny),
        ("bash -c 'git commit -am x'", Decision::Deny),
        ("git add -A && git commit -m x", Decision::Deny),
        ("git add b.py && git commit -m x", Decision::Deny),
        ("git add a.py; git commit -m x", Decision::Deny),
        ("git add key.py && git commit -m x", Decision::NoOpinion),
        ("git add -A", Decision::NoOpinion),
        ("git diff", Decision::NoOpinion),
    ] {
        let output = repository.judge(command).await;
        assert_eq!(output.decision(), expected, "{command}: {output:?}");
        assert!(!format!("{output:?}").contains(&token), "{output:?}");
    }
    let from_above = format!(
        "cd / && git -C {} commit -am x",
        repository.0.path().display()
    );
    assert_eq!(
        repository.judge(&from_above).await.decision(),
        Decision::Deny
    );

    // Nothing was changed by looking.
    assert!(repository.try_git(&["diff", "--cached", "--quiet"]));
}

#[tokio::test]
async fn a_change_that_is_too_long_is_said_to_be_seen_in_part() {
    let Some(repository) = Repository::new() else {
        return;
    };
    repository.write("a.txt", &"some words\n".repeat(500_000));
    repository.git(&["add", "a.txt"]);
    let output = repository.judge("git commit -m x").await;
    assert_eq!(output.decision(), Decision::NoOpinion);
    assert!(output.warnings[0].contains("first 4 MB"), "{output:?}");

    let unknown = repository.judge("cd \"$D\" && git commit -m x").await;
    assert!(
        unknown.warnings[0].contains("cannot be known"),
        "{unknown:?}"
    );
}

#[tokio::test]
async fn what_the_repository_configures_is_not_run() {
    let Some(repository) = Repository::new() else {
        return;
    };
    let token = expand("ghp_{a36}");
    let trap = repository.0.path().join("ran");
    let script = format!("touch {}; false", trap.display());
    repository.write("a.py", "x\n");
    repository.git(&["add", "a.py"]);
    repository.write(".git/info/attributes", "*.py diff=trap\n");
    repository.git(&["config", "diff.external", &script]);
    repository.git(&["config", "diff.trap.textconv", &script]);
    repository.git(&["config", "core.fsmonitor", &script]);
    repository.git(&["config", "core.pager", &script]);
    repository.git(&["config", "diff.noprefix", "true"]);
    repository.write("b.py", &format!("key = '{token}'\n"));
    std::fs::remove_file(&trap).ok();
    repository.git(&["-c", "core.fsmonitor=false", "add", "b.py"]);
    let output = repository.judge("git commit -m x").await;
    assert!(reason(&output).contains("in `b.py`, line 1"), "{output:?}");
    assert!(!trap.exists());
}

#[tokio::test]
async fn git_ends_with_the_hook() {
    use std::os::unix::fs::PermissionsExt as _;

    let root = tempfile::tempdir().unwrap();
    let program = root.path().join("git");
    let started = root.path().join("started");
    let script = format!(
        "#!/bin/sh\necho $$ >{}.new\nmv {0}.new {0}\nexec sleep 1000\n",
        started.display()
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", root.path().display());

    let hook = guard(root.path(), OnSecret::Deny);
    let ctx = HookContext::new("s")
        .with_cwd(root.path())
        .with_env([("PATH".to_owned(), path)].into());
    let input = HookInput::pre_tool_use("s", "Bash", json!({"command": "git commit -m x"}));
    tokio::select! {
        output = hook.execute(input, &ctx) => panic!("git does not end by itself: {output:?}"),
        is_there = until(|| started.exists()) => assert!(is_there, "git was not run"),
    }
    let pid = std::fs::read_to_string(&started).unwrap();
    let is_gone = || {
        let signal = Command::new("kill")
            .args(["-0", pid.trim()])
            .stderr(Stdio::null())
            .status();
        signal.is_ok_and(|status| !status.success())
    };
    assert!(until(is_gone).await, "git outlives the hook");
}

/// Whether something comes true, for as long as anybody would wait.
async fn until(mut is_true: impl FnMut() -> bool) -> bool {
    for _ in 0..1_000 {
        if is_true() {
            return true;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    false
}
