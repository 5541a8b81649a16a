//! The guard against secrets that are written where they do not belong.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use bowline::hooks::{
    Decision, Hook, HookContext, HookEvent, HookInput, HookManager, HookOutput, Opinion,
};
use bowline::settings::Strictness;
use bowline_builtins::Analyst;
use bowline_builtins::guard::{Guards, Policies, SecretWritingGuard};
use bowline_builtins::machine::Machine;
use bowline_guard::secrets::expand;
use bowline_guard::sensitive::SensitivePolicy;
use bowline_testkit::{Sandbox, needs};
use serde_json::{Value, json};

fn guard(project: &Path, on_secret: Strictness) -> SecretWritingGuard {
    let machine = Arc::new(Machine::new(None, Vec::new()));
    let analyst = Analyst::new(machine, project.to_owned(), SensitivePolicy::default());
    let guards = Guards::new(Arc::new(analyst), Policies::default(), Arc::default());
    SecretWritingGuard::new(Arc::new(guards), on_secret)
}

async fn answer(input: HookInput, project: &Path, on_secret: Strictness) -> Opinion {
    let hook = guard(project, on_secret);
    let ctx = HookContext::new("s").with_cwd(project);
    hook.opinion(&input, &ctx).await.unwrap()
}

async fn tool(tool: &str, input: Value) -> Opinion {
    let input = HookInput::pre_tool_use("s", tool, input);
    answer(input, Path::new("/nowhere/project"), Strictness::Ask).await
}

fn reason(output: &Opinion) -> &str {
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
            ("write", json!({"file_path": "a.py", "content": text})),
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
            (
                "mcp__filesystem__write_file",
                json!({"path": "a.py", "content": text}),
            ),
            (
                "mcp__filesystem__edit_file",
                json!({"path": "a.py", "edits": [{"oldText": "x", "newText": text}]}),
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
        ("Bash", json!({"command": "git status && git log"})),
        ("Bash", json!({})),
        ("Write", json!("text")),
        ("Edit", json!({"edits": [1, {"new_string": 2}]})),
    ] {
        let output = tool(name, input.clone()).await;
        assert_eq!(output, Opinion::allow(), "{name} {input}");
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
        (Strictness::Ask, Decision::Ask),
        (Strictness::Deny, Decision::Deny),
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
        answer(input, project, Strictness::Deny).await,
        Opinion::allow()
    );
}

/// A sandbox whose project is a repository.
struct Repository(Sandbox);

impl Repository {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        sandbox.git(&["init", "-q"]);
        Self(sandbox)
    }

    fn git(&self, args: &[&str]) {
        self.0.git(args);
    }

    fn write(&self, name: &str, text: &str) {
        self.0.write_in_project(name, text);
    }

    async fn judge(&self, command: &str) -> Opinion {
        let input = HookInput::pre_tool_use("s", "Bash", json!({"command": command}));
        answer(input, self.0.project(), Strictness::Deny).await
    }
}

#[needs(git)]
#[tokio::test]
async fn the_change_of_a_commit_is_looked_at() {
    let repository = Repository::new();
    let token = expand("ghp_{a36}");
    let first = "git commit -m first";

    // Before the first commit there is no HEAD.
    repository.write("a.py", "one = 1\n");
    repository.write("key.py", &format!("# key\nkey = '{token}'\n"));
    repository.git(&["add", "a.py"]);
    assert_eq!(repository.judge(first).await, Opinion::allow());
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
    assert_eq!(repository.judge(first).await, Opinion::allow());
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
        repository.0.project().display()
    );
    assert_eq!(
        repository.judge(&from_above).await.decision(),
        Decision::Deny
    );

    // Nothing was changed by looking.
    repository.git(&["diff", "--cached", "--quiet"]);
}

#[needs(git)]
#[tokio::test]
async fn a_change_that_is_too_long_is_said_to_be_seen_in_part() {
    let repository = Repository::new();
    repository.write("a.txt", &"some words\n".repeat(500_000));
    repository.git(&["add", "a.txt"]);
    let output = repository.judge("git commit -m x").await;
    assert_eq!(output.decision(), Decision::NoOpinion);
    assert!(output.warnings[0].contains("first 4 MB"), "{output:?}");
}

#[needs(git)]
#[tokio::test]
async fn a_commit_that_cannot_be_looked_at_is_asked_about() {
    let repository = Repository::new();
    repository.write("a.py", "one = 1\n");
    repository.git(&["add", "a.py"]);
    repository.git(&["config", "alias.ci", "commit -a"]);
    repository.git(&["config", "alias.st", "status"]);
    let nowhere = tempfile::tempdir().unwrap();
    let outside = format!("cd {} && git commit -m x", nowhere.path().display());
    for (command, said) in [
        ("cd \"$D\" && git commit -m x", "cannot be known"),
        ("ssh host git commit -m x", "another machine"),
        ("git --git-dir=other.git commit -m x", "another repository"),
        ("git --git-dir other.git commit -m x", "another repository"),
        ("git --work-tree=/srv commit -am x", "another repository"),
        (
            "git -c core.worktree=/srv commit -am x",
            "another repository",
        ),
        ("GIT_DIR=other.git git commit -m x", "another repository"),
        (
            "export GIT_DIR=other.git; git commit -m x",
            "another repository",
        ),
        ("GIT_INDEX_FILE=i git commit -m x", "another repository"),
        ("git ci -m x", "an alias"),
        ("git commit -m x ../../elsewhere", "could not tell"),
        (outside.as_str(), "no repository"),
    ] {
        let output = repository.judge(command).await;
        assert_eq!(output.decision(), Decision::Ask, "{command}");
        let said_twice = [reason(&output), &output.warnings[0]];
        assert!(said_twice.iter().all(|it| it.contains(said)), "{output:?}");
    }
    for command in ["git commit -m x", "git st", "git nonsense"] {
        let output = repository.judge(command).await;
        assert_eq!(output, Opinion::allow(), "{command}");
    }

    // The agent's own environment leads git elsewhere, too; and there may be no git at all.
    for (name, value) in [("GIT_DIR", "other.git"), ("PATH", "/nowhere")] {
        let hook = guard(repository.0.project(), Strictness::Deny);
        let ctx = HookContext::new("s")
            .with_cwd(repository.0.project())
            .with_env([(name.to_owned(), value.to_owned())].into());
        let input = HookInput::pre_tool_use("s", "Bash", json!({"command": "git commit -m x"}));
        let output = hook.opinion(&input, &ctx).await.unwrap();
        assert_eq!(output.decision(), Decision::Ask, "{name}");
    }
}

#[tokio::test]
async fn a_repository_that_the_line_makes_is_looked_at_as_a_whole() {
    let token = expand("ghp_{a36}");
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("src")).unwrap();
    std::fs::write(at("src/a.py"), "one = 1\n").unwrap();
    let judge = async |command: &str| {
        let input = HookInput::pre_tool_use("s", "Bash", json!({"command": command}));
        answer(input, folder.path(), Strictness::Deny).await
    };
    let line = "git init -q -b main && git add -A && git commit -m x";
    assert_eq!(judge(line).await, Opinion::allow());
    assert_eq!(
        judge("git init new && cd new && git commit -m x").await,
        Opinion::allow()
    );
    std::fs::write(at("src/key.py"), format!("\nkey = '{token}'\n")).unwrap();
    for command in [line, "git init . ; cd src ; git add . ; git commit -m x"] {
        let output = judge(command).await;
        assert_eq!(output.decision(), Decision::Deny, "{command}");
        let said = reason(&output);
        assert!(said.contains("`src/key.py`, line 2"), "{said}");
    }
    assert_eq!(
        judge("git add -A && git commit -m x").await.decision(),
        Decision::Ask
    );
}

#[needs(git)]
#[tokio::test]
async fn what_the_repository_configures_is_not_run() {
    let repository = Repository::new();
    let token = expand("ghp_{a36}");
    let trap = repository.0.project().join("ran");
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
    repository.write("c.py", "x\n");
    repository.git(&["-c", "core.fsmonitor=false", "add", "b.py", "c.py"]);
    std::fs::remove_file(&trap).ok();
    let output = repository.judge("git commit -m x").await;
    assert!(reason(&output).contains("in `b.py`, line 1"), "{output:?}");
    assert!(!trap.exists());

    // Filters run whenever git compares the work tree with anything.
    repository.write(".git/info/attributes", "*.py diff=trap filter=trap\n");
    let hooks = repository.0.project().join(".git/hooks/post-index-change");
    std::fs::create_dir_all(hooks.parent().unwrap()).unwrap();
    executable(&hooks, &format!("#!/bin/sh\n{script}\n"));
    for name in ["clean", "smudge", "process"] {
        repository.git(&["config", &format!("filter.trap.{name}"), &script]);
        repository.write("a.py", "y\n");
        repository.write("c.py", &format!("key = '{token}'\n"));
        repository.write("new.py", &format!("key = '{token}'\n"));
        for command in [
            "git commit -am x",
            "git commit -m x c.py",
            "git add -A && git commit -m x",
            "git add -f new.py && git commit -m x",
            "git add -u && git commit -m x",
        ] {
            let output = repository.judge(command).await;
            assert_eq!(output.decision(), Decision::Deny, "{command}");
            assert!(!trap.exists(), "{name}: {command}");
        }
        repository.git(&["config", "--unset", &format!("filter.trap.{name}")]);
    }
}

#[needs(git)]
#[tokio::test]
async fn a_repository_that_the_command_names_is_not_asked() {
    let repository = Repository::new();
    let trap = repository.0.project().join("ran");
    let script = format!("touch {}; false", trap.display());
    repository.git(&["init", "-q", "--bare", "evil.git"]);
    repository.write("a.py", "x\n");
    let evil = ["--git-dir=evil.git", "--work-tree=."];
    repository.git(&[&evil[..], &["add", "a.py"]].concat());
    repository.write("evil.git/info/attributes", "*.py filter=trap\n");
    repository.git(&["--git-dir=evil.git", "config", "filter.trap.clean", &script]);
    repository.write("a.py", "y\n");
    for command in [
        "git --git-dir=evil.git --work-tree=. commit -am x",
        "GIT_DIR=evil.git GIT_WORK_TREE=. git commit -am x",
        "cd evil.git && git commit -am x",
    ] {
        let output = repository.judge(command).await;
        assert_eq!(output.decision(), Decision::Ask, "{command}");
        assert!(!trap.exists(), "{command}");
    }
}

#[needs(git)]
#[tokio::test]
async fn variables_of_the_daemon_do_not_lead_git() {
    // A child of its own, since variables belong to the whole process.
    const INNER: &str = "BOWLINE_TEST_REPOSITORY";
    let repository = Repository::new();
    if let Some(folder) = std::env::var_os(INNER) {
        let input = HookInput::pre_tool_use("s", "Bash", json!({"command": "git commit -m x"}));
        let output = answer(input, Path::new(&folder), Strictness::Deny).await;
        assert_eq!(output.decision(), Decision::Deny, "{output:?}");
        return;
    }
    repository.write("key.py", &expand("key = 'ghp_{a36}'\n"));
    repository.git(&["add", "key.py"]);
    for name in [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
    ] {
        let status = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "secrets::secret_writing::variables_of_the_daemon_do_not_lead_git",
            ])
            .env(INNER, repository.0.project())
            .env(name, "/nowhere")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert!(status.unwrap().success(), "{name}");
    }
}

#[needs(git)]
#[tokio::test]
async fn what_is_staged_counts_only_where_it_is_recorded() {
    let repository = Repository::new();
    let token = expand("ghp_{a36}");
    repository.write(".gitignore", ".env\n");
    repository.write(".env", &format!("TOKEN={token}\n"));
    repository.write("old.py", &format!("key = '{token}'\n"));
    repository.write("sub/a.py", "one = 1\n");
    repository.git(&["add", "."]);
    repository.git(&["commit", "-q", "-m", "first"]);
    // It was committed long ago.
    repository.write("old.py", &format!("\n\nkey = '{token}'\n"));
    // It is staged, and taken out since.
    repository.write("key.py", &format!("key = '{token}'\n"));
    repository.git(&["add", "key.py"]);
    repository.write("key.py", "key = None\n");
    for (command, expected) in [
        ("git commit -m x", Decision::Deny),
        ("git commit -m x old.py", Decision::NoOpinion),
        ("git commit -am x", Decision::NoOpinion),
        ("cd sub && git commit -am x", Decision::NoOpinion),
        ("git add -A && git commit -m x", Decision::NoOpinion),
        ("git add -f .env && git commit -m x", Decision::Deny),
        ("git commit -m x -- \"$FILE\"", Decision::NoOpinion),
    ] {
        let output = repository.judge(command).await;
        assert_eq!(output.decision(), expected, "{command}: {output:?}");
    }
    std::fs::remove_file(repository.0.project().join("key.py")).unwrap();
    repository.write("sub/a.py", &format!("key = '{token}'\n"));
    for command in [
        "git commit -am x",
        "cd sub && git commit -am x",
        "git commit -m x \"$FILE\"",
        "cd sub && git add a.py && git commit -m x",
    ] {
        let output = repository.judge(command).await;
        let said = reason(&output);
        assert!(said.contains("in `sub/a.py`, line 1"), "{command}: {said}");
    }
}

/// Says yes to everything, and puts a secret into the call.
struct Rewriter(i32, HookEvent, String);

#[async_trait::async_trait]
impl Hook for Rewriter {
    fn name(&self) -> &str {
        "rewriter"
    }
    fn events(&self) -> &[HookEvent] {
        std::slice::from_ref(&self.1)
    }
    fn priority(&self) -> i32 {
        self.0
    }
    async fn execute(&self, _: HookInput, _: &HookContext) -> bowline::Result<HookOutput> {
        let input = json!({"file_path": "a.py", "content": self.2});
        Ok(HookOutput::allow().updated_input(input))
    }
}

#[tokio::test]
async fn a_secret_that_a_hook_writes_into_a_call_is_seen() {
    let project = Path::new("/nowhere/project");
    for event in [HookEvent::PreToolUse, HookEvent::PermissionRequest] {
        for priority in [100, 0, -1, i32::MIN + 1] {
            let mut manager = HookManager::new();
            manager.register(guard(project, Strictness::Deny));
            let text = expand("key = 'ghp_{a36}'");
            manager.register(Rewriter(priority, event, text));
            let call = json!({"file_path": "a.py", "content": "x = 1"});
            let input = match event {
                HookEvent::PreToolUse => HookInput::pre_tool_use("s", "Write", call),
                _ => HookInput::for_event("s", event)
                    .with_field("tool_name", "Write")
                    .with_field("tool_input", call),
            };
            let ctx = HookContext::new("s").with_cwd(project);
            let result = manager.trigger(input, &ctx).await;
            assert_eq!(
                result.output.decision(),
                Decision::Deny,
                "{event:?} {priority}"
            );
        }
    }
}

fn executable(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;

    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[tokio::test]
async fn git_ends_with_the_hook() {
    let root = tempfile::tempdir().unwrap();
    let program = root.path().join("git");
    let started = root.path().join("started");
    let script = format!(
        "#!/bin/sh\nsleep 1000 &\necho $$ $! >{}.new\nmv {0}.new {0}\nwait\n",
        started.display()
    );
    executable(&program, &script);
    let path = format!("{}:/usr/bin:/bin", root.path().display());

    let hook = guard(root.path(), Strictness::Deny);
    let ctx = HookContext::new("s")
        .with_cwd(root.path())
        .with_env([("PATH".to_owned(), path)].into());
    let input = HookInput::pre_tool_use("s", "Bash", json!({"command": "git commit -m x"}));
    tokio::select! {
        output = hook.opinion(&input, &ctx) => panic!("git does not end by itself: {output:?}"),
        is_there = until(|| started.exists()) => assert!(is_there, "git was not run"),
    }
    let pids = std::fs::read_to_string(&started).unwrap();
    for pid in pids.split_whitespace() {
        let is_gone = || {
            let signal = Command::new("kill")
                .args(["-0", pid])
                .stderr(Stdio::null())
                .status();
            signal.is_ok_and(|status| !status.success())
        };
        assert!(until(is_gone).await, "{pid} of {pids} outlives the hook");
    }
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
