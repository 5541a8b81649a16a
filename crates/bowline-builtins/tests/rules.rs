//! `[[rule]]` from the file to the decision.

#![expect(
    clippy::unwrap_used,
    reason = "tests fail where they cannot set their ground"
)]

use std::path::PathBuf;
use std::sync::Arc;

use bowline::hooks::{
    Decision, FnHook, HookContext, HookEvent, HookInput, HookManager, Opinion, RunStatus,
};
use bowline::settings::{self, Locations, RuleStatus, Settings, Severity, TrustStore};
use bowline_builtins::Analyst;
use bowline_builtins::machine::Machine;
use bowline_builtins::rule::{Compiled, compile, compile_rules};
use bowline_guard::sensitive::SensitivePolicy;
use bowline_testkit::Sandbox;
use serde_json::{Value, json};

/// Whose file a text is.
#[derive(Clone, Copy)]
enum File {
    Managed,
    Project,
    Local,
    Global,
}

/// A project whose user has these rules.
fn with_rules(text: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write_settings(File::Global, text);
    sandbox
}

trait Rules {
    fn locations(&self) -> Locations;

    fn write_settings(&self, file: File, text: &str);

    fn load(&self) -> (Settings, Compiled);

    async fn trigger(&self, input: HookInput) -> Opinion;

    async fn bash(&self, command: &str) -> Opinion {
        self.trigger(call("Bash", json!({ "command": command })))
            .await
    }
}

impl Rules for Sandbox {
    fn locations(&self) -> Locations {
        Locations::under(self.root())
    }

    fn write_settings(&self, file: File, text: &str) {
        let path = match file {
            File::Managed => self.locations().managed_config,
            File::Global => self.locations().user_config.unwrap(),
            File::Project => self.path("project/bowline.toml"),
            File::Local => self.path("project/bowline.local.toml"),
        };
        self.write(path, text);
    }

    fn load(&self) -> (Settings, Compiled) {
        let settings = settings::load(self.project(), &self.locations());
        let compiled = compile(&settings, &analyst(self.project().to_owned()));
        (settings, compiled)
    }

    async fn trigger(&self, input: HookInput) -> Opinion {
        let mut manager = HookManager::new();
        for hook in self.load().1.hooks {
            manager.register_arc(hook);
        }
        let context = HookContext::new("s1").with_cwd(self.project());
        let result = manager.trigger(input, &context).await;
        for run in &result.results {
            let failed = matches!(run.status, RunStatus::Failed);
            assert!(!failed, "{}: {:?}", run.id, run.error);
        }
        result.output
    }
}

fn analyst(project: PathBuf) -> Arc<Analyst> {
    let machine = Arc::new(Machine::new(Some(PathBuf::from("/home/dev")), Vec::new()));
    Arc::new(Analyst::new(machine, project, SensitivePolicy::default()))
}

fn call(tool: &str, input: Value) -> HookInput {
    HookInput::pre_tool_use("s1", tool, input)
}

const UV: &str = r#"
[[rule]]
id = "uv-not-pip"
command = "pip install *"
verdict = "rewrite"
rewrite = "uv pip install"
message = "this project uses uv"
[rule.examples]
match = ["pip install requests", "sudo pip install x"]
not_match = ["uv pip install requests", "echo 'pip install x'"]
"#;

#[tokio::test]
async fn a_rule_can_be_about_how_programs_are_run() {
    let rule = |command: &str, verdict: &str| {
        with_rules(&format!(
            "[[rule]]\nid = 'x'\ncommand = '{command}'\nverdict = '{verdict}'\nmessage = 'no'\n"
        ))
    };
    for (pattern, command, expected) in [
        ("sudo *", "cd x && sudo ls", Decision::Deny),
        ("sudo *", "ls", Decision::NoOpinion),
        ("doas *", "doas -u www ls", Decision::Deny),
        ("timeout *", "timeout 5 make", Decision::Deny),
        ("timeout *", "make", Decision::NoOpinion),
        ("sudo apt *", "apt list", Decision::NoOpinion),
        ("sudo apt *", "sudo apt install x", Decision::Deny),
    ] {
        let sandbox = rule(pattern, "deny");
        assert_eq!(sandbox.load().1.diagnostics, [], "{pattern}");
        let found = sandbox.bash(command).await.decision();
        assert_eq!(found, expected, "{pattern} on {command}");
    }
    let allowed = rule("sudo *", "allow").load().1.diagnostics;
    assert!(allowed.iter().any(|it| it.message.contains("name the one")));
}

#[tokio::test]
async fn a_rule_on_stop_can_ask_whether_it_was_sent_on() {
    let rule = |event: &str| {
        with_rules(&format!(
            "[[rule]]\nid = 'x'\nevent = '{event}'\nwhen = '!stop_hook_active'\nverdict = 'context'\nmessage = 'test first'\n"
        ))
    };
    let sandbox = rule("Stop");
    assert_eq!(sandbox.load().1.diagnostics, []);
    for (active, expected) in [(false, Some("test first")), (true, None)] {
        let stop = HookInput::stop("s1").with_field("stop_hook_active", active);
        let said = sandbox.trigger(stop).await.additional_context.clone();
        assert_eq!(said.as_deref(), expected, "{active}");
    }
    let found = rule("SessionStart").load().1.diagnostics;
    assert_eq!(found.first().map(|it| it.code), Some("absent-field"));
}

#[tokio::test]
async fn each_verdict_decides() {
    let sandbox = with_rules(
        r#"
        [[rule]]
        id = "no-force"
        command = "git push --force* *"
        verdict = "deny"
        message = "history is shared"
        suggestion = "push to a branch of your own"
        [[rule]]
        id = "migrations"
        tool = "Edit|Write"
        path = "migrations/**"
        verdict = "ask"
        [[rule]]
        id = "tests"
        command = ["cargo test *", "cargo check"]
        verdict = "allow"
        [[rule]]
        id = "deploy"
        event = "user-prompt-submit"
        when = 'prompt.contains("deploy")'
        verdict = "context"
        message = "Deployments go through make release."
        [[rule]]
        id = "remote"
        effect = "remote"
        verdict = "ask"
        "#,
    );
    for (command, decision) in [
        ("git push --force origin main", Decision::Deny),
        ("cd x && sudo git push --force origin main", Decision::Deny),
        ("ls", Decision::NoOpinion),
        ("cargo test -p x", Decision::Grant),
        ("cargo check", Decision::Grant),
        ("cargo check && cargo test", Decision::Grant),
        ("cargo publish", Decision::Ask),
        // Whoever allows one program has not allowed what stands beside it.
        ("cargo test; ls", Decision::NoOpinion),
        ("cargo test | tee log", Decision::NoOpinion),
        ("cargo test > ~/.bashrc", Decision::NoOpinion),
        ("cargo test > /dev/null", Decision::Grant),
        ("sudo cargo test", Decision::NoOpinion),
        ("RUSTC=./evil cargo test", Decision::NoOpinion),
        ("cargo test $(ls)", Decision::NoOpinion),
        ("cargo test $X", Decision::NoOpinion),
        ("cargo test; if", Decision::NoOpinion),
    ] {
        assert_eq!(
            sandbox.bash(command).await.decision(),
            decision,
            "{command}"
        );
    }
    let denied = sandbox.bash("git push --force origin main").await;
    let reason = denied.stop_reason.unwrap();
    assert!(
        reason.starts_with("Bowline: `git push --force origin main`: history is shared. Instead: ")
            && reason.ends_with("(rule no-force)"),
        "{reason}"
    );
    for (file, decision) in [
        ("migrations/1.sql", Decision::Ask),
        ("./src/../migrations/1.sql", Decision::Ask),
        ("src/main.rs", Decision::NoOpinion),
    ] {
        let output = sandbox
            .trigger(call("Write", json!({ "file_path": file })))
            .await;
        assert_eq!(output.decision(), decision, "{file}");
        let read = sandbox
            .trigger(call("Read", json!({ "file_path": file })))
            .await;
        assert_eq!(read.decision(), Decision::NoOpinion);
    }
    let prompt = |text: &str| HookInput::user_prompt_submit("s1", text);
    let told = sandbox.trigger(prompt("please deploy")).await;
    assert_eq!(told.decision(), Decision::NoOpinion);
    assert_eq!(
        told.additional_context.as_deref(),
        Some("Deployments go through make release.")
    );
    assert_eq!(
        sandbox.trigger(prompt("hello")).await.additional_context,
        None
    );
}

#[tokio::test]
async fn a_rewrite_changes_the_words_and_shows_it() {
    let sandbox = with_rules(UV);
    assert_eq!(sandbox.load().1.diagnostics, []);
    for (command, expected) in [
        (
            "pip install x && pip install y",
            "uv pip install x && uv pip install y",
        ),
        ("sudo pip install x", "sudo uv pip install x"),
    ] {
        let input = call("Bash", json!({ "command": command, "timeout": 5 }));
        let output = sandbox.trigger(input).await;
        assert_eq!(
            output.updated_input,
            Some(json!({ "command": expected, "timeout": 5 }))
        );
        assert_eq!(output.decision(), Decision::NoOpinion);
        assert_eq!(
            output.system_message.unwrap(),
            format!("{command} → {expected} (rule uv-not-pip)")
        );
        assert!(
            output
                .additional_context
                .unwrap()
                .ends_with("this project uses uv")
        );
    }
    for command in ["echo \"pip install x\"", "uv pip install x", "pip list"] {
        assert_eq!(sandbox.bash(command).await, Opinion::allow(), "{command}");
    }
    let nested = sandbox.bash("bash -c 'pip install x'").await;
    assert_eq!(nested.decision(), Decision::Ask);
    assert_eq!(nested.updated_input, None);
    assert!(
        nested
            .stop_reason
            .unwrap()
            .contains("rule uv-not-pip would rewrite")
    );
}

#[tokio::test]
async fn other_rules_judge_what_was_rewritten() {
    let sandbox = with_rules(&format!(
        "[[rule]]\nid = 'no-uv'\ncommand = 'uv *'\nverdict = 'deny'\n{UV}"
    ));
    assert_eq!(
        sandbox.bash("pip install x").await.decision(),
        Decision::Deny
    );
}

#[tokio::test]
async fn what_cannot_be_evaluated_is_asked_about_by_rules_that_stop() {
    for (when, verdict, decision) in [
        ("tool_input.timeout > 5", "deny", Decision::Ask),
        ("tool_input.timeout > 5", "allow", Decision::NoOpinion),
        ("tool_input.missing > 5", "deny", Decision::Ask),
        ("tool_input.sandbox != true", "ask", Decision::Ask),
        ("tool_input.sandbox != true", "allow", Decision::NoOpinion),
        (
            "has(tool_input.sandbox) && tool_input.sandbox",
            "deny",
            Decision::NoOpinion,
        ),
        (
            "!has(tool_input.sandbox) || !tool_input.sandbox",
            "deny",
            Decision::Deny,
        ),
        ("tool_input.timeout > ", "deny", Decision::Ask),
        ("tool_input.timeout > ", "allow", Decision::NoOpinion),
        ("command.matches('(')", "ask", Decision::Ask),
    ] {
        let sandbox = with_rules(&format!(
            "[[rule]]\nid = 'late'\ntool = 'Bash'\nwhen = \"{when}\"\nverdict = '{verdict}'\n"
        ));
        let input = call("Bash", json!({ "command": "ls", "timeout": "long" }));
        let output = sandbox.trigger(input).await;
        assert_eq!(output.decision(), decision, "{when} {verdict}");
        if decision == Decision::Ask {
            let reason = output.stop_reason.unwrap();
            assert!(
                reason.contains("rule late could not be evaluated"),
                "{reason}"
            );
        }
        let other = sandbox
            .trigger(call("Read", json!({ "file_path": "x" })))
            .await;
        assert_eq!(other.decision(), Decision::NoOpinion, "{when}");
    }
}

#[tokio::test]
async fn rules_judge_what_is_executed() {
    let sandbox = with_rules(
        r#"
        [[rule]]
        id = "look"
        command = "git status"
        verdict = "allow"
        [[rule]]
        id = "no-deploy"
        command = "deploy *"
        verdict = "deny"
        [[rule]]
        id = "careful"
        command = "publish *"
        verdict = "ask"
        "#,
    );
    for (rewritten, decision) in [
        ("deploy prod", Decision::Deny),
        ("publish x", Decision::Ask),
        ("ls", Decision::NoOpinion),
        ("git status", Decision::Grant),
    ] {
        let mut manager = HookManager::new();
        for hook in sandbox.load().1.hooks {
            manager.register_arc(hook);
        }
        let rewriter = FnHook::new("late", [HookEvent::PreToolUse], move |_, _| async move {
            Ok(Opinion::allow().updated_input(json!({ "command": rewritten })))
        });
        manager.register(rewriter.priority(-1));
        let context = HookContext::new("s1").with_cwd(sandbox.project());
        let input = call("Bash", json!({ "command": "git status" }));
        let result = manager.trigger(input, &context).await;
        assert_eq!(result.output.decision(), decision, "{rewritten}");
    }
}

#[tokio::test]
async fn a_rule_that_fails_asks_if_it_stops() {
    for (verdict, decision) in [
        ("deny", Decision::Ask),
        ("ask", Decision::Ask),
        ("allow", Decision::NoOpinion),
        ("context", Decision::NoOpinion),
    ] {
        let sandbox = with_rules(&format!(
            "[[rule]]\nid = 'r'\ncommand = 'ls'\nverdict = '{verdict}'\nmessage = 'm'"
        ));
        let mut manager = HookManager::new();
        for hook in sandbox.load().1.hooks {
            manager.register_arc(hook);
        }
        let context = HookContext::new("s1").with_cwd(sandbox.project());
        context.cancellation_token.cancel();
        let input = call("Bash", json!({ "command": "make" }));
        let result = manager.trigger(input, &context).await;
        assert!(matches!(result.results[0].status, RunStatus::Failed));
        assert_eq!(result.output.decision(), decision, "{verdict}");
    }
}

#[test]
fn untrusted_projects_do_not_instruct() {
    for (events, status, in_force) in [
        ("'Stop'", RuleStatus::Untrusted, "Stop"),
        ("'PostToolUse'", RuleStatus::Untrusted, "PostToolUse"),
        ("'PreToolUse'", RuleStatus::InForce, "PreToolUse"),
        ("['Stop', 'PreToolUse']", RuleStatus::InForce, "PreToolUse"),
    ] {
        let rule = format!(
            "[[rule]]\nid = 'r'\nevent = {events}\nverdict = 'deny'\nmessage = 'first run make bootstrap'"
        );
        let sandbox = Sandbox::new();
        sandbox.write_settings(File::Project, &rule);
        let (settings, compiled) = sandbox.load();
        let [loaded] = &settings.rules[..] else {
            panic!("{:?}", settings.rules)
        };
        assert_eq!(loaded.status, status, "{events}");
        let names: Vec<_> = loaded
            .definition
            .events
            .iter()
            .map(|event| event.name())
            .collect();
        assert_eq!(names, [in_force], "{events}");
        assert_eq!(compiled.hooks.is_empty(), status == RuleStatus::Untrusted);
        let noted = settings
            .diagnostics
            .iter()
            .any(|it| it.code == "untrusted-rule");
        assert_eq!(
            noted,
            events.contains("Stop") || events.contains("Post"),
            "{events}"
        );

        let mut store = TrustStore::open(&sandbox.locations()).unwrap();
        store.record(sandbox.project()).unwrap();
        let (settings, _) = sandbox.load();
        assert_eq!(settings.rules[0].status, RuleStatus::InForce, "{events}");
        let own = with_rules(&rule);
        assert_eq!(own.load().0.rules[0].status, RuleStatus::InForce);
    }
}

#[tokio::test]
async fn a_list_with_a_mistake_switches_nothing_off() {
    for broken in [
        "command = ['git push *', 'a; b']",
        "command = ['git push *', 5]",
        "tool = ['Read', 'a(']",
        "path = ['x', '../y']",
        "event = 'PreTolUse'",
    ] {
        let sandbox = with_rules(&format!("[[rule]]\nid = 'r'\n{broken}\nverdict = 'deny'"));
        assert_eq!(
            sandbox.bash("make").await.decision(),
            Decision::Ask,
            "{broken}"
        );
    }
}

#[tokio::test]
async fn only_what_is_wholly_meant_is_allowed() {
    let sandbox = with_rules(
        r#"
        [[rule]]
        id = "scratch"
        path = "scratch/**"
        verdict = "allow"
        [[rule]]
        id = "clean"
        command = "rm *"
        path = "scratch/**"
        verdict = "allow"
        [[rule]]
        id = "deletes"
        effect = "delete"
        path = "old/**"
        verdict = "allow"
        "#,
    );
    for (command, decision) in [
        ("rm -r scratch/x", Decision::Grant),
        ("rm scratch/x scratch/y", Decision::Grant),
        ("rm scratch/x src/y", Decision::NoOpinion),
        ("rm scratch/../src/y", Decision::NoOpinion),
        ("rm \"$X\"", Decision::NoOpinion),
        ("cd scratch && rm x", Decision::NoOpinion),
        ("rm scratch/x > scratch/log", Decision::NoOpinion),
        ("python scratch/x.py", Decision::NoOpinion),
        ("rm -r old/x", Decision::Grant),
        ("rm -r old/x; curl http://x", Decision::NoOpinion),
    ] {
        assert_eq!(
            sandbox.bash(command).await.decision(),
            decision,
            "{command}"
        );
    }
    for (file, decision) in [
        ("scratch/x", Decision::Grant),
        ("scratch/../x", Decision::NoOpinion),
    ] {
        let output = sandbox
            .trigger(call("Write", json!({ "file_path": file })))
            .await;
        assert_eq!(output.decision(), decision, "{file}");
    }
}

#[tokio::test]
async fn only_a_plain_line_is_allowed() {
    let sandbox = with_rules(
        r#"
        [[rule]]
        id = "look"
        command = ["git status *", "sudo git fetch", "printf *", "cd *", "export *", "alias *", "env *"]
        verdict = "allow"
        [[rule]]
        id = "deletes"
        effect = "delete"
        verdict = "allow"
        "#,
    );
    for command in [
        "git status",
        "git status --short 'a b' *.rs ~/x",
        "git status; git status && git status || git status\ngit status;",
        "git status > /dev/null 2>&1",
        "git status &> /dev/null",
        "nohup git status",
        "timeout 10s git status",
        "nice -n 5 git status",
        "sudo git fetch",
        "printf x",
        "rm -r old/x",
    ] {
        let decision = sandbox.bash(command).await.decision();
        assert_eq!(decision, Decision::Grant, "{command}");
    }
    for command in [
        "/srv/evil/git status",
        "./git status",
        "timeout 10 ./git status",
        "PATH=/srv/evil; git status",
        "PATH=/srv/evil git status",
        "declare -x LD_PRELOAD=/srv/x.so; git status",
        "export GIT_DIR=/x; git status",
        "HOME=/srv/evil; git status",
        "readonly PATH=/x; git status",
        "typeset PATH=/x; git status",
        "set -a; git status",
        "printf -v PATH /srv/evil; git status",
        "(( PATH = 1 )); git status",
        ": ${PATH:=x}; git status",
        "source x; git status",
        ". x; git status",
        "alias git=evil\ngit status",
        "git() { evil; }; git status",
        "f() { git status; }; f",
        "chroot /x git status",
        "env -C /srv git status",
        "env git status",
        "command git status",
        "exec git status",
        "eval git status",
        "bash -c 'git status'",
        "xargs git status",
        "git status | git status",
        "echo x | git status",
        "git status < x",
        "git status <<< x",
        "git status > log",
        "git status >& log",
        "git status 2>&$X",
        "{ git status; } > log",
        "(git status)",
        "for i in 1 2; do git status; done",
        "git status &",
        "git status $(git status)",
        "git status \"$X\"",
        "git status )",
        "sudo git status",
        "sudo -D /x git fetch",
        "cd x && git status",
        "pushd x; git status",
        "g=git; $g status",
        "rm -r old/x; ./y",
        "rm -r old/x; frobnicate",
        "cd /; rm -r old/x",
        "PATH=/x; rm -r old/x",
    ] {
        let decision = sandbox.bash(command).await.decision();
        assert_ne!(decision, Decision::Grant, "{command}");
    }
}

#[tokio::test]
async fn a_rule_looks_at_a_counted_number_of_files() {
    let lines = |folder: &str| {
        let files = (0..2_400).map(|n| format!("{folder}/f{n}"));
        let files: Vec<String> = files.collect();
        let lines = files
            .chunks(200)
            .map(|some| format!("touch {}", some.join(" ")));
        lines.collect::<Vec<_>>().join("\n")
    };
    let in_one: Vec<String> = (0..2_400).map(|n| format!("src/f{n}")).collect();
    let in_one = format!("touch {}", in_one.join(" "));
    for (verdict, command, decision) in [
        ("deny", lines("src"), Decision::Ask),
        ("ask", lines("src"), Decision::Ask),
        ("deny", in_one, Decision::Ask),
        (
            "deny",
            format!("touch vault/x\n{}", lines("src")),
            Decision::Deny,
        ),
        ("deny", "touch src/f".to_owned(), Decision::NoOpinion),
        ("allow", "touch vault/x".to_owned(), Decision::Grant),
        ("allow", lines("vault"), Decision::NoOpinion),
    ] {
        let sandbox = with_rules(&format!(
            "[[rule]]\nid = 'r'\ncommand = 'touch *'\npath = 'vault/**'\nverdict = '{verdict}'"
        ));
        sandbox.folder("project/src");
        let output = sandbox.bash(&command).await;
        let shown: String = command.chars().take(20).collect();
        assert_eq!(output.decision(), decision, "{verdict} {shown}");
    }
}

#[tokio::test]
async fn what_is_not_understood_does_not_get_around_a_rule() {
    for verdict in ["deny", "ask", "allow", "context"] {
        let sandbox = with_rules(&format!(
            "[[rule]]\nid = 'r'\ncommand = ['npm publish *', 'make release']\nverdict = '{verdict}'\nmessage = 'm'\n\
             [[rule]]\nid = 'files'\npath = 'vault/**'\nverdict = '{verdict}'\nmessage = 'm'"
        ));
        for (command, for_deny) in [
            ("npm publish\n)", Decision::Deny),
            ("npm \\\npublish\n)", Decision::Deny),
            ("ls; n'p'm publish\nfi", Decision::Deny),
            ("rm vault/x\n)", Decision::Deny),
            ("rm 'vault/x\n", Decision::Ask),
            ("npm 'publish\n", Decision::Ask),
            ("npm run x\n)", Decision::Ask),
            ("npm $A publish", Decision::Ask),
            ("make $A", Decision::Ask),
            ("make build $A", Decision::NoOpinion),
            ("ls\n)", Decision::NoOpinion),
            ("npm run x", Decision::NoOpinion),
            ("source x; npm run y", Decision::NoOpinion),
        ] {
            let decision = match (verdict, for_deny) {
                ("ask", Decision::Deny) => Decision::Ask,
                ("deny" | "ask", it) => it,
                _ => Decision::NoOpinion,
            };
            let found = sandbox.bash(command).await.decision();
            assert_eq!(found, decision, "{verdict} {command}");
        }
    }
}

#[tokio::test]
async fn every_field_that_names_files_counts() {
    let rule = |path: &str, verdict: &str| {
        with_rules(&format!(
            "[[rule]]\nid = 'r'\npath = '{path}/**'\nverdict = '{verdict}'"
        ))
    };
    let (vault, docs) = (rule("vault", "deny"), rule("docs", "allow"));
    for (tool, input, denied, granted) in [
        (
            "Grep",
            json!({"path": "vault", "file_path": "docs/x"}),
            true,
            false,
        ),
        (
            "Grep",
            json!({"pattern": "x", "glob": "vault/**"}),
            true,
            false,
        ),
        (
            "Grep",
            json!({"path": "src", "glob": "{a,vault}/**"}),
            true,
            false,
        ),
        (
            "Grep",
            json!({"path": "docs/a", "glob": "vault/**"}),
            true,
            true,
        ),
        (
            "Grep",
            json!({"pattern": "vault/x", "path": "docs/a"}),
            false,
            true,
        ),
        (
            "Grep",
            json!({"path": "docs/a", "glob": "*.md"}),
            false,
            true,
        ),
        (
            "Grep",
            json!({"path": "docs/a", "glob": "../../src/*"}),
            false,
            false,
        ),
        ("Grep", json!({"glob": "*.md"}), false, false),
        ("Glob", json!({"pattern": "vault/**"}), true, false),
        ("glob", json!({"pattern": "vault/**"}), true, false),
        ("Glob", json!({"pattern": "docs/**"}), false, true),
        (
            "Glob",
            json!({"pattern": "**", "path": "vault"}),
            true,
            false,
        ),
        (
            "NotebookEdit",
            json!({"file_path": "docs/a", "notebook_path": "vault/a"}),
            true,
            false,
        ),
        (
            "NotebookEdit",
            json!({"file_path": "docs/a", "notebook_path": "src/a"}),
            false,
            false,
        ),
        (
            "NotebookEdit",
            json!({"notebook_path": "docs/a"}),
            false,
            true,
        ),
        (
            "Write",
            json!({"file_path": "docs/a", "path": ["src"]}),
            false,
            false,
        ),
        ("Write", json!({}), false, false),
    ] {
        let output = vault.trigger(call(tool, input.clone())).await;
        assert_eq!(
            output.decision() == Decision::Deny,
            denied,
            "{tool} {input}"
        );
        let output = docs.trigger(call(tool, input.clone())).await;
        assert_eq!(
            output.decision() == Decision::Grant,
            granted,
            "{tool} {input}"
        );
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_out_of_an_allowed_folder_is_not_allowed() {
    let sandbox = with_rules("[[rule]]\nid = 'r'\npath = 'docs/**'\nverdict = 'allow'");
    sandbox.folder("project/docs");
    sandbox.folder("project/src");
    std::os::unix::fs::symlink("../src", sandbox.project().join("docs/out")).unwrap();
    for (file, decision) in [
        ("docs/in", Decision::Grant),
        ("docs/out/x", Decision::NoOpinion),
    ] {
        let input = call("Write", json!({ "file_path": file }));
        assert_eq!(sandbox.trigger(input).await.decision(), decision, "{file}");
    }
}

#[test]
fn more_rules_than_anyone_keeps_are_refused() {
    let rules: Vec<String> = (0..501)
        .map(|n| format!("[[rule]]\nid = 'r{n}'\nverdict = 'deny'\n"))
        .collect();
    let (settings, _) = with_rules(&rules.concat()).load();
    assert_eq!(settings.rules.len(), 500);
    let found: Vec<_> = settings
        .diagnostics
        .iter()
        .map(|it| (it.code, it.line))
        .collect();
    assert_eq!(found, [("too-many-rules", 1501)]);
}

#[tokio::test]
async fn a_misspelt_condition_never_widens_a_rule() {
    for (verdict, decision) in [("allow", Decision::NoOpinion), ("deny", Decision::Ask)] {
        let sandbox = with_rules(&format!(
            "[[rule]]\nid = 'typo'\ncomand = 'git status'\nverdict = '{verdict}'\n"
        ));
        assert_eq!(
            sandbox.bash("rm -rf x").await.decision(),
            decision,
            "{verdict}"
        );
        let (settings, _) = sandbox.load();
        let finding = &settings.diagnostics[0];
        assert_eq!((finding.code, finding.line), ("unknown-field", 3));
        assert_eq!(finding.help.as_deref(), Some("did you mean `command`?"));
    }
}

#[tokio::test]
async fn untrusted_projects_only_tighten() {
    let rules = |verdict: &str| {
        format!(
            "[[rule]]\nid = '{verdict}-ls'\ncommand = 'ls *'\nverdict = '{verdict}'\nmessage = 'm'\n"
        )
    };
    for file in [File::Project, File::Local] {
        for (verdict, untrusted, trusted) in [
            ("allow", Decision::NoOpinion, Decision::Grant),
            ("deny", Decision::Deny, Decision::Deny),
            ("ask", Decision::Ask, Decision::Ask),
        ] {
            let sandbox = Sandbox::new();
            sandbox.write_settings(file, &rules(verdict));
            assert_eq!(sandbox.bash("ls").await.decision(), untrusted, "{verdict}");
            let (settings, _) = sandbox.load();
            let noted = settings
                .diagnostics
                .iter()
                .any(|it| it.code == "untrusted-rule");
            assert_eq!(noted, verdict == "allow");
            assert_eq!(settings.rules[0].status == RuleStatus::Untrusted, noted);

            let mut store = TrustStore::open(&sandbox.locations()).unwrap();
            store.record(sandbox.project()).unwrap();
            assert_eq!(sandbox.bash("ls").await.decision(), trusted, "{verdict}");
        }
        let sandbox = Sandbox::new();
        sandbox.write_settings(file, &rules("context"));
        assert_eq!(sandbox.bash("ls").await, Opinion::allow());
    }
}

#[tokio::test]
async fn a_locked_section_leaves_only_what_tightens() {
    let sandbox = with_rules(
        "[[rule]]\nid = 'mine'\ncommand = 'ls'\nverdict = 'allow'\n[[rule]]\nid = 'strict'\ncommand = 'cat *'\nverdict = 'deny'",
    );
    assert_eq!(sandbox.bash("ls").await.decision(), Decision::Grant);
    sandbox.write_settings(
        File::Managed,
        "locked = ['rule']\n[[rule]]\nid = 'theirs'\ncommand = 'make'\nverdict = 'allow'",
    );
    for (command, decision) in [
        ("ls", Decision::NoOpinion),
        ("cat x", Decision::Deny),
        ("make", Decision::Grant),
    ] {
        assert_eq!(
            sandbox.bash(command).await.decision(),
            decision,
            "{command}"
        );
    }
    let (settings, _) = sandbox.load();
    let ids: Vec<_> = settings
        .rules
        .iter()
        .map(|rule| rule.definition.id.as_str())
        .collect();
    assert_eq!(ids, ["theirs", "mine", "strict"]);
    assert!(
        settings
            .diagnostics
            .iter()
            .any(|it| it.code == "locked" && it.line == 1)
    );
    // Nobody knows what a file that cannot be read would lock.
    sandbox.write_settings(File::Managed, "locked = [");
    assert_eq!(sandbox.bash("ls").await.decision(), Decision::NoOpinion);
}

#[test]
fn findings_point_at_what_is_wrong() {
    for (text, code, place, severity) in [
        (
            "[[rule]]\nverdict = 'deny'",
            "missing-field",
            "1:1",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'a'",
            "missing-field",
            "1:1",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'A b'\nverdict = 'deny'",
            "wrong-value",
            "2:6",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'forbid'",
            "wrong-type",
            "3:11",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'rewrite'\ncommand = 'x'",
            "missing-field",
            "1:1",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'rewrite'\nrewrite = 'x'",
            "missing-field",
            "1:1",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'deny'\nrewrite = 'x'",
            "misplaced-field",
            "4:11",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'context'",
            "missing-field",
            "1:1",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'deny'\nevent = 'PreTolUse'",
            "unknown-event",
            "4:9",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'deny'\ntool = ['Bash', 'a(']",
            "invalid-matcher",
            "4:17",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'deny'\ncommand = ['ls', 5]",
            "wrong-type",
            "4:18",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'deny'\ncommand = []",
            "wrong-type",
            "4:11",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'deny'\ncommand = 'a; b'",
            "invalid-pattern",
            "4:11",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'deny'\npath = ['x', '../y']",
            "invalid-pattern",
            "4:14",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'deny'\neffect = 'a b'",
            "invalid-pattern",
            "4:10",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'deny'\nwhen = 'toll == \"x\"'",
            "invalid-condition",
            "4:9",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'deny'\nwhen = '''\ntool == \"x\"\n  && toll == \"x\"'''",
            "invalid-condition",
            "6:6",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'deny'\nwhen = \"tool == \\\"x\\\" && toll\"",
            "invalid-condition",
            "4:8",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'rewrite'\ncommand = 'x'\nrewrite = 'y; z'",
            "invalid-rewrite",
            "5:11",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'allow'\nevent = 'Stop'",
            "misplaced-field",
            "1:1",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'deny'\nevent = 'Stop'\ncommand = 'x'",
            "misplaced-field",
            "1:1",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'deny'\nevent = 'SessionEnd'",
            "cannot-block",
            "1:1",
            Severity::Warning,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'deny'\n[[rule]]\nid = 'a'\nverdict = 'ask'",
            "duplicate-id",
            "4:1",
            Severity::Warning,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'deny'\ncommand = 'x'\nsuggestion = 'rm -rf ~'",
            "stopped-suggestion",
            "5:14",
            Severity::Warning,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'deny'\ncommand = 'x *'\nsuggestion = 'Use `x y`.'",
            "stopped-suggestion",
            "5:14",
            Severity::Warning,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'deny'\ncommand = 'x *'\nexamples.match = [\n  'x 1',\n  'y 1',\n]",
            "failed-example",
            "7:3",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'deny'\ncommand = 'x *'\nexamples.not_match = ['x 1']",
            "failed-example",
            "5:23",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'deny'\ntool = 'mcp__a__b'\nexamples.match = ['x']",
            "failed-example",
            "5:19",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'deny'\nexamples.match = [{ tol = 'x' }]",
            "wrong-type",
            "4:19",
            Severity::Error,
        ),
        (
            "[[rule]]\nid = 'a'\nverdict = 'deny'\nexamples.mach = ['x']",
            "unknown-field",
            "4:10",
            Severity::Warning,
        ),
        ("rule = 5", "wrong-type", "1:8", Severity::Error),
        ("rule = [5]", "wrong-type", "1:9", Severity::Error),
        ("rules = []", "unknown-key", "1:1", Severity::Warning),
    ] {
        let (settings, compiled) = with_rules(text).load();
        let found: Vec<_> = settings
            .diagnostics
            .iter()
            .chain(&compiled.diagnostics)
            .map(|it| (it.code, format!("{}:{}", it.line, it.column), it.severity))
            .collect();
        assert_eq!(found, [(code, place.to_owned(), severity)], "{text}");
    }
}

#[tokio::test]
async fn failing_examples_switch_off_only_what_loosens() {
    let rule = |verdict: &str| {
        format!(
            "[[rule]]\nid = 'r'\ncommand = 'ls'\nverdict = '{verdict}'\nexamples.match = ['cat']\n"
        )
    };
    let sandbox = with_rules(&rule("deny"));
    assert_eq!(sandbox.bash("ls").await.decision(), Decision::Deny);
    let sandbox = with_rules(&rule("allow"));
    assert_eq!(sandbox.bash("ls").await.decision(), Decision::NoOpinion);
    let RuleStatus::Disabled { by } = &sandbox.load().1.rules[0].status else {
        panic!("in force");
    };
    assert!(by.contains("does not apply to `cat`"), "{by}");
}

#[test]
fn examples_of_every_kind_are_understood() {
    let sandbox = with_rules(
        r#"
        [[rule]]
        id = "files"
        path = ["migrations/**", "~/notes"]
        verdict = "ask"
        [rule.examples]
        match = ["migrations/1.sql", { tool = "Bash", input = { command = "rm -r migrations" } }, { tool = "Read", input = { file_path = "/home/dev/notes/a" } }, { tool = "Bash", input = { command = "cd migrations && touch 2.sql" } }, { tool = "Bash", input = { command = "date > migrations/x" } }]
        not_match = ["src/migrations.rs", { tool = "Bash", input = { command = "ls src" } }]
        [[rule]]
        id = "prompts"
        event = "UserPromptSubmit"
        when = "prompt.matches('(?i)password')"
        verdict = "deny"
        [rule.examples]
        match = ["my Password is", { prompt = "password" }]
        not_match = ["hello"]
        [[rule]]
        id = "slow"
        tool = "Bash"
        when = "has(tool_input.timeout) && tool_input.timeout > 600000"
        verdict = "ask"
        [rule.examples]
        match = [{ tool = "Bash", input = { command = "x", timeout = 700000 } }]
        not_match = ["x", { tool = "Bash", input = { command = "x", timeout = 5 } }]
        [[rule]]
        id = "afterwards"
        event = ["PostToolUse", "PermissionRequest", "PostToolUseFailure"]
        command = "make *"
        verdict = "context"
        message = "see BUILD.md"
        [rule.examples]
        match = ["make all"]
        [[rule]]
        id = "secrets"
        effect = ["secret-read", "git.*"]
        verdict = "deny"
        [rule.examples]
        match = ["cat .env", "git reset --hard", { tool = "Read", input = { file_path = ".env" } }]
        not_match = ["cat README.md", { tool = "Read", input = { file_path = "README.md" } }]
        "#,
    );
    let (settings, compiled) = sandbox.load();
    assert_eq!(settings.diagnostics, []);
    assert_eq!(compiled.diagnostics, []);
    assert_eq!(compiled.hooks.len(), 5);
}

#[tokio::test]
async fn reasons_carry_no_secrets_and_nothing_that_deceives() {
    let sandbox = with_rules("[[rule]]\nid = 'r'\ntool = 'Bash'\nverdict = 'deny'");
    let token = bowline_guard::secrets::expand("ghp_{a36}");
    let output = sandbox.bash(&format!("echo {token} \u{202e}x")).await;
    let reason = output.stop_reason.unwrap();
    assert!(
        !reason.contains(&token) && !reason.contains('\u{202e}'),
        "{reason}"
    );
}

#[test]
fn one_file_is_checked_by_itself() {
    let sandbox = Sandbox::new();
    let path = sandbox.write(
        "bowline.toml",
        UV.replace("\"echo 'pip install x'\"", "\"pip install y\""),
    );
    let report = settings::check_file(&path, None);
    assert_eq!(report.parsed.diagnostics, []);
    let compiled = compile_rules(&report.rules, &analyst(sandbox.root().to_owned()));
    let found: Vec<_> = compiled
        .diagnostics
        .iter()
        .map(|it| (it.code, it.line))
        .collect();
    assert_eq!(found, [("failed-example", 10)]);
}

#[tokio::test]
async fn tools_are_known_in_any_casing() {
    for tool in ["bash", "BASH", "write|bash", "ba.h"] {
        let sandbox = with_rules(&format!(
            "[[rule]]\nid = 'r'\ntool = '{tool}'\nverdict = 'deny'"
        ));
        let (settings, compiled) = sandbox.load();
        assert_eq!(settings.diagnostics, [], "{tool}");
        assert_eq!(compiled.diagnostics, [], "{tool}");
        assert_eq!(
            sandbox.bash("ls").await.decision(),
            Decision::Deny,
            "{tool}"
        );
        let read = sandbox.trigger(call("Read", json!({}))).await;
        assert_eq!(read.decision(), Decision::NoOpinion, "{tool}");
    }
}

#[tokio::test]
async fn a_misspelt_tool_asks_where_it_was_meant() {
    for (verdict, on_meant) in [
        ("deny", Decision::Ask),
        ("ask", Decision::Ask),
        ("allow", Decision::NoOpinion),
    ] {
        let sandbox = with_rules(&format!(
            "[[rule]]\nid = 'r'\ntool = 'Wrte'\nverdict = '{verdict}'"
        ));
        let (settings, _) = sandbox.load();
        let [finding] = settings.diagnostics.as_slice() else {
            panic!("{:?}", settings.diagnostics);
        };
        assert_eq!(
            (finding.code, finding.severity, finding.line),
            ("unknown-tool", Severity::Warning, 3)
        );
        assert!(finding.help.as_ref().unwrap().contains("`Write`"));
        let input = json!({"file_path": "a", "content": ""});
        let write = sandbox.trigger(call("Write", input)).await;
        assert_eq!(write.decision(), on_meant, "{verdict}");
        assert_eq!(sandbox.bash("ls").await.decision(), Decision::NoOpinion);
    }
    let sandbox = with_rules("[[rule]]\nid = 'r'\ntool = 'Wrte'\nverdict = 'deny'");
    let own = sandbox.trigger(call("Wrte", json!({}))).await;
    assert_eq!(own.decision(), Decision::Deny);
    let meant = with_rules("[[rule]]\nid = 'r'\ntool = '^Wrte$'\nverdict = 'deny'");
    assert_eq!(meant.load().0.diagnostics, []);
}

#[test]
fn a_star_that_is_no_pattern_is_noticed() {
    let sandbox = with_rules("[[rule]]\nid = 'r'\ntool = 'mcp__files__*'\nverdict = 'deny'");
    let (settings, _) = sandbox.load();
    let [finding] = settings.diagnostics.as_slice() else {
        panic!("{:?}", settings.diagnostics);
    };
    assert_eq!((finding.code, finding.line), ("matches-nothing", 3));
    assert!(finding.help.as_ref().unwrap().contains("mcp__files__.*"));
}

#[test]
fn a_rule_with_the_name_of_a_guards_is_noticed() {
    let sandbox = with_rules("[[rule]]\nid = 'git.push-force'\ncommand = 'x'\nverdict = 'deny'");
    let found = sandbox.load().1.diagnostics;
    let found: Vec<_> = found.iter().map(|it| (it.code, it.severity)).collect();
    assert_eq!(found, [("guard-rule-id", Severity::Warning)]);
}
