//! The guards as ordinary hooks of a project: order, reasons, rule ids, modes, and silence.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod hooked_sandbox;

#[cfg(test)]
mod guards {
    mod patches;
}

use bowline::hooks::{Decision, FnHook, HookEvent, HookInput, HookManager, Opinion, Recording};
use bowline::settings::{Lasts, Reach, TrustState, Wish};
use bowline_agents::{codex, qwen};
use bowline_builtins::guard::{GuardHook, GuardedCall, Judged, ToolGuard, add_way, call_of};
use bowline_guard::Strictness;
use bowline_guard::policy::GuardPolicy;
use bowline_guard::rules::{Typical, rules};
use bowline_guard::tool_call::{ToolCall, judge_tool_call};
use bowline_testkit::needs;
use hooked_sandbox::HookedSandbox;
use serde_json::{Value, json};

fn shell(command: &str) -> HookInput {
    HookInput::pre_tool_use("s1", "Bash", json!({ "command": command }))
}

fn tool(name: &str, input: Value) -> HookInput {
    HookInput::pre_tool_use("s1", name, input)
}

fn reason(output: &Opinion) -> &str {
    output.stop_reason.as_deref().unwrap_or_default()
}

#[tokio::test]
async fn f40_a_a_destructive_command_is_denied_with_reason_rule_and_a_safer_way() {
    let sandbox = HookedSandbox::new();
    let result = sandbox.fire(shell("sudo rm -rf /")).await;
    assert_eq!(result.output.decision(), Decision::Deny);
    let reason = reason(&result.output);
    for part in [
        "`rm -rf /`",
        "the root of the file system",
        "Instead: ",
        "[files.delete]",
    ] {
        assert!(reason.contains(part), "{part} in {reason}");
    }
    let denied: Vec<&str> = result
        .results
        .iter()
        .filter(|run| run.decision() == Decision::Deny)
        .map(|run| run.id.as_str())
        .collect();
    assert_eq!(denied, ["guard:commands"]);
}

#[tokio::test]
async fn f41_a_a_sensitive_file_is_denied_for_every_tool() {
    let sandbox = HookedSandbox::new();
    for (input, decision) in [
        (tool("Read", json!({ "file_path": ".env" })), Decision::Deny),
        (
            tool("Read", json!({ "file_path": "a/../.env" })),
            Decision::Deny,
        ),
        (
            tool("Grep", json!({ "pattern": "x", "path": ".env" })),
            Decision::Deny,
        ),
        (tool("Edit", json!({ "file_path": ".env" })), Decision::Ask),
        (tool("read", json!({ "file_path": ".env" })), Decision::Deny),
        (shell("cat .env"), Decision::Deny),
        (
            tool("bash", json!({ "command": "cat .env" })),
            Decision::Deny,
        ),
        (
            tool("Read", json!({ "file_path": ".env.example" })),
            Decision::NoOpinion,
        ),
        (
            tool("Read", json!({ "file_path": "src/main.rs" })),
            Decision::NoOpinion,
        ),
    ] {
        let shown = format!("{:?}", input.data);
        let result = sandbox.fire(input).await;
        assert_eq!(result.output.decision(), decision, "{shown}");
    }
}

/// `explain` and `eval` judge without hooks. A rule that only they know stops nobody.
#[tokio::test]
async fn what_is_judged_without_hooks_a_hook_says_too() {
    let sandbox = HookedSandbox::new();
    let (builtins, manager) = (sandbox.builtins(), sandbox.manager());
    let project = sandbox.project().to_str().unwrap();
    let mut wrong = Vec::new();
    let mut stopped = 0;
    for rule in rules() {
        let Some(Typical { example, .. }) = rule.typical() else {
            continue;
        };
        let is_given = |name: &str| name == example.field();
        let call = ToolCall::from_fields(|name| is_given(name).then_some(example.text));
        let world = builtins.guards.analyst().world_for(project, &rule.id);
        let verdict = judge_tool_call(example.tool, &call, &world, &GuardPolicy::default());
        let expected = match verdict.decision {
            Strictness::Allow => Decision::NoOpinion,
            Strictness::Ask => Decision::Ask,
            Strictness::Deny => Decision::Deny,
        };
        stopped += usize::from(expected != Decision::NoOpinion);
        let input = json!({ example.field(): example.text });
        let input = HookInput::pre_tool_use(&*rule.id, example.tool, input);
        let said = manager.trigger(input, &sandbox.context()).await;
        let said = said.output.decision();
        if said != expected {
            wrong.push(format!(
                "{}: {said:?}, not {expected:?}: {example:?}",
                rule.id
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(stopped > 150, "only {stopped} calls were stopped");
}

#[tokio::test]
async fn nothing_to_say_is_silence() {
    let sandbox = HookedSandbox::new();
    for input in [
        shell("cargo test"),
        shell("rm -rf node_modules"),
        tool("Read", json!({ "file_path": "README.md" })),
        tool("WebFetch", json!({ "url": "https://example.com" })),
        HookInput::user_prompt_submit("s1", "delete everything with rm -rf /"),
        HookInput::session_start("s1"),
    ] {
        let shown = format!("{:?}", input.data);
        let result = sandbox.fire(input).await;
        assert_eq!(result.output, Opinion::allow(), "{shown}");
    }
}

#[tokio::test]
async fn look_alikes_are_shown_escaped_and_asked_about() {
    let sandbox = HookedSandbox::new();
    let result = sandbox.fire(shell("l\u{455} src")).await;
    assert_eq!(result.output.decision(), Decision::Ask);
    assert!(
        reason(&result.output).contains("\\u{455}"),
        "{}",
        reason(&result.output)
    );
    assert!(!reason(&result.output).contains('\u{455}'));
}

#[tokio::test]
async fn guards_judge_what_other_hooks_have_made_of_the_call() {
    let sandbox = HookedSandbox::new();
    let mut manager: HookManager = sandbox.manager();
    manager.register(
        FnHook::new("rewriter", [HookEvent::PreToolUse], |_, _| async {
            Ok(Opinion::allow().updated_input(json!({ "command": "git reset --hard" })))
        })
        .priority(i32::MIN + 1),
    );
    assert!(
        manager.names().iter().position(|it| *it == "rewriter")
            < manager
                .names()
                .iter()
                .position(|it| *it == "guard:commands")
    );
    let result = manager.trigger(shell("ls"), &sandbox.context()).await;
    assert_eq!(result.output.decision(), Decision::Deny);
    assert_eq!(result.output.rewritten_input(), None);
}

#[tokio::test]
async fn the_same_denied_call_gets_a_shorter_firmer_answer() {
    let sandbox = HookedSandbox::new();
    let manager = sandbox.manager();
    let context = sandbox.context();
    let first = manager.trigger(shell("git reset --hard"), &context).await;
    let mut again = shell("git reset --hard");
    again.replace_tool_input(json!({ "command": "git reset --hard", "description": "please" }));
    let again = manager.trigger(again, &context).await;
    let (first, again) = (reason(&first.output), reason(&again.output));
    assert!(again.len() < first.len(), "{again}");
    assert!(
        again.contains("will not change") && again.contains("[git.reset-hard]"),
        "{again}"
    );
    let other = manager
        .trigger(shell("git reset --hard HEAD~1"), &context)
        .await;
    assert!(!reason(&other.output).contains("will not change"));
    let mut session = shell("git reset --hard");
    session.session_id = "s2".to_owned();
    let session = manager.trigger(session, &context).await;
    assert!(!reason(&session.output).contains("will not change"));
}

#[tokio::test]
async fn a_question_that_an_agent_cannot_ask_says_how_a_person_lets_it_pass() {
    let sandbox =
        HookedSandbox::new().user("[[rule]]\nid = 'no-make'\ncommand = 'make *'\nverdict = 'ask'");
    let manager = sandbox.manager();
    for (command, agent, decision, shown) in [
        ("terraform apply", &codex::AGENT, Decision::Deny, true),
        ("terraform apply", &qwen::AGENT, Decision::Ask, false),
        // What guards Bowline, and a rule of one's own, is let pass in another way.
        ("bowline uninstall", &codex::AGENT, Decision::Deny, false),
        ("make deploy", &codex::AGENT, Decision::Deny, false),
        ("ls", &codex::AGENT, Decision::NoOpinion, false),
    ] {
        let context = sandbox.context().with_call_id("019a-77").answering(agent);
        let mut result = manager.trigger(shell(command), &context).await;
        add_way(&mut result, &context);
        assert_eq!(result.output.decision(), decision, "{command}");
        let told = result.output.system_message.unwrap_or_default();
        let way = "To allow it, in a terminal: bowline allow 019a-77";
        assert_eq!(told.contains(way), shown, "{command}: {told}");
    }
}

#[tokio::test]
async fn denials_are_signed_and_only_the_person_reads_how_to_allow() {
    let sandbox =
        HookedSandbox::new().user("[[rule]]\nid = 'no-make'\ncommand = 'make *'\nverdict = 'deny'");
    let manager = sandbox.manager();
    let context = sandbox.context().with_call_id("019a-77");
    let way = "bowline allow 019a-77";
    for (input, decision, shown) in [
        (shell("git reset --hard"), Decision::Deny, true),
        (shell("git reset --hard"), Decision::Deny, false),
        (shell("bowline uninstall"), Decision::Ask, false),
        (shell("make deploy"), Decision::Deny, false),
        (
            tool("Edit", json!({ "file_path": ".env" })),
            Decision::Ask,
            false,
        ),
    ] {
        let output = manager.trigger(input, &context).await.output;
        assert_eq!(output.decision(), decision);
        let told = reason(&output);
        assert!(
            told.starts_with("Bowline: ") && !told.contains(way),
            "{told}"
        );
        let person = output.system_message.as_deref().unwrap_or_default();
        assert_eq!(person.contains(way), shown, "{told}: {person}");
    }
    // What is not recorded cannot be named in a terminal.
    let unrecorded = sandbox.context().with_call_id("019a-78");
    let unrecorded = unrecorded.with_recording(Recording::Off);
    let output = manager
        .trigger(shell("git clean -fd"), &unrecorded)
        .await
        .output;
    assert_eq!(output.decision(), Decision::Deny);
    assert_eq!(output.system_message, None);
}

fn wish(sandbox: &HookedSandbox, rule: &str, only: Option<&str>, lasts: Lasts) -> Wish {
    Wish {
        rule: rule.to_owned(),
        call: only.map(|command| call_of("Bash", Some(&json!({ "command": command })))),
        reach: Reach::Project(sandbox.project().to_owned()),
        lasts,
    }
}

#[tokio::test]
async fn an_allowance_silences_exactly_that() {
    let sandbox = HookedSandbox::new();
    sandbox.allow(wish(&sandbox, "git.reset-hard", None, Lasts::Always));
    sandbox.allow(wish(
        &sandbox,
        "git.clean",
        Some("git clean -fd"),
        Lasts::Always,
    ));
    sandbox.allow(wish(&sandbox, "self.command", None, Lasts::Always));
    sandbox.allow(wish(&sandbox, "secrets.writing", None, Lasts::Always));
    for (command, decision) in [
        ("git reset --hard", Decision::NoOpinion),
        ("git reset --hard HEAD~3", Decision::NoOpinion),
        ("git reset --hard && rm -rf ~", Decision::Deny),
        ("git clean -fd", Decision::NoOpinion),
        ("git clean -fdx", Decision::Deny),
        ("bowline uninstall", Decision::Ask),
        ("git push --force", Decision::Deny),
    ] {
        let output = sandbox.fire(shell(command)).await.output;
        assert_eq!(output.decision(), decision, "{command}");
    }
    let elsewhere = sandbox
        .fire_in(&sandbox.home(), shell("git reset --hard"))
        .await;
    assert_eq!(elsewhere.output.decision(), Decision::Deny);
}

#[tokio::test]
async fn an_allowance_for_one_call_is_used_up_by_it_and_by_no_other() {
    let sandbox = HookedSandbox::new();
    sandbox.allow(wish(&sandbox, "git.reset-hard", None, Lasts::Once));
    sandbox.allow(wish(&sandbox, "git.clean", None, Lasts::Once));
    let both = "git reset --hard && git clean -fd && rm -rf ~";
    for (command, decision) in [
        ("ls", Decision::NoOpinion),
        ("git push --force", Decision::Deny),
        (both, Decision::Deny),
        ("git reset --hard && git clean -fd", Decision::NoOpinion),
        ("git reset --hard", Decision::Deny),
        ("git clean -fd", Decision::Deny),
    ] {
        let output = sandbox.fire(shell(command)).await.output;
        assert_eq!(output.decision(), decision, "{command}");
    }
}

#[tokio::test]
async fn an_allowance_undoes_no_trust_and_a_lock_stays_above_it() {
    let sandbox = HookedSandbox::new().untrusted("guard.categories.production = 'allow'");
    sandbox.trust();
    sandbox.allow(wish(&sandbox, "git.reset-hard", None, Lasts::Always));
    assert_eq!(sandbox.settings().trust, TrustState::Trusted);
    let passes = sandbox.fire(shell("git reset --hard")).await.output;
    assert_eq!(passes.decision(), Decision::NoOpinion);
    for lock in ["locked = ['guard']", "locked = ['guard.allow']", "not toml"] {
        let sandbox = HookedSandbox::new().managed(lock);
        sandbox.allow(wish(&sandbox, "git.reset-hard", None, Lasts::Always));
        let output = sandbox.fire(shell("git reset --hard")).await.output;
        assert_eq!(output.decision(), Decision::Deny, "{lock}");
    }
}

#[tokio::test]
async fn f40_e_one_strike_denies_once_and_lets_the_identical_retry_pass() {
    let sandbox = HookedSandbox::new().user("guard.mode = 'one-strike'");
    let manager = sandbox.manager();
    let context = sandbox.context();
    let first = manager.trigger(shell("git reset --hard"), &context).await;
    assert_eq!(first.output.decision(), Decision::Deny);
    assert!(reason(&first.output).contains("once more passes"));
    let retry = manager.trigger(shell("git reset --hard"), &context).await;
    assert_eq!(retry.output.decision(), Decision::NoOpinion);
    assert!(
        retry
            .output
            .system_message
            .as_deref()
            .unwrap()
            .contains("second attempt")
    );
    let other = manager.trigger(shell("git clean -fd"), &context).await;
    assert_eq!(other.output.decision(), Decision::Deny);
    let ask = manager.trigger(shell("bowline uninstall"), &context).await;
    assert_eq!(ask.output.decision(), Decision::Ask);
    let again = manager.trigger(shell("bowline uninstall"), &context).await;
    assert_eq!(
        again.output.decision(),
        Decision::Ask,
        "the guard itself is always asked about"
    );
}

#[tokio::test]
async fn f40_e_observe_tells_and_lets_pass_except_for_itself() {
    let sandbox = HookedSandbox::new().user("guard.mode = 'observe'");
    let denied = sandbox.fire(shell("rm -rf ~")).await;
    assert_eq!(denied.output.decision(), Decision::NoOpinion);
    let told = denied.output.system_message.unwrap();
    assert!(
        told.contains("would deny") && told.contains("[files.delete]"),
        "{told}"
    );
    let observed = denied.output.observed.unwrap();
    assert_eq!(observed.decision, Decision::Deny);
    assert_eq!(observed.rule.as_deref(), Some("files.delete"));
    assert!(told.ends_with(&observed.reason), "{told}");
    let own = sandbox.fire(shell("bowline pause")).await;
    assert_eq!(own.output.decision(), Decision::Ask);
}

#[tokio::test]
async fn settings_reach_the_guards_by_agent_and_sub_agent() {
    let sandbox = HookedSandbox::new().user(
        "[guard.agents.codex]\ncategories.discard = 'allow'\n\
         [guard.subagents.Explore]\nmode = 'observe'\ncategories.discard = 'ask'\ncategories.remote = 'deny'",
    );
    let reset = || shell("git reset --hard");
    let of = |input: HookInput, agent_type: &str| input.with_field("agent_type", agent_type);
    assert_eq!(
        sandbox.fire(reset()).await.output.decision(),
        Decision::Deny
    );
    let codex = sandbox.fire_as("codex", reset()).await;
    assert_eq!(codex.output.decision(), Decision::NoOpinion);
    let other = sandbox.fire_as("claude-code", reset()).await;
    assert_eq!(other.output.decision(), Decision::Deny);
    let disguised = sandbox.fire(of(reset(), "codex")).await;
    assert_eq!(
        disguised.output.decision(),
        Decision::Deny,
        "a sub-agent's name is no agent's"
    );
    let explore = sandbox.fire(of(reset(), "Explore")).await;
    assert_eq!(
        explore.output.decision(),
        Decision::Deny,
        "a sub-agent's settings only tighten"
    );
    let of_codex = sandbox.fire_as("codex", of(reset(), "Explore")).await;
    assert_eq!(of_codex.output.decision(), Decision::Ask);
    let publish = || shell("npm publish");
    assert_eq!(
        sandbox.fire(publish()).await.output.decision(),
        Decision::Ask
    );
    let denied = sandbox.fire(of(publish(), "Explore")).await;
    assert_eq!(denied.output.decision(), Decision::Deny);
}

#[needs(git)]
#[tokio::test]
async fn a_linked_worktree_may_be_looser_but_not_for_what_lies_outside_of_it() {
    let sandbox = HookedSandbox::new();
    let write = |folder: &std::path::Path, text: &str| {
        std::fs::write(folder.join("work.txt"), text).unwrap();
    };
    let (project, tree) = (sandbox.path("home/project"), sandbox.path("home/tree"));
    write(&project, "committed");
    sandbox.git(&["init", "-q"]);
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-q", "-m", "x"]);
    sandbox.git(&["worktree", "add", "-q", "../tree"]);
    // There is something to be lost in both.
    write(&project, "somebody's work");
    write(&tree, "somebody's work");
    let sandbox = sandbox.user("[guard.worktree]\ncategories.discard = 'allow'");
    let reset = || shell("git reset --hard");
    assert_eq!(
        sandbox.fire(reset()).await.output.decision(),
        Decision::Deny
    );
    let inside = sandbox.fire_in(&tree, reset()).await;
    assert_eq!(inside.output.decision(), Decision::NoOpinion);
    for outside in [
        format!("git -C {} reset --hard", sandbox.project().display()),
        "cd ../project && git reset --hard".to_owned(),
        "git -C ../project reset --hard".to_owned(),
        "git -C \"$MAIN\" reset --hard".to_owned(),
        "GIT_DIR=../project/.git git reset --hard".to_owned(),
    ] {
        let result = sandbox.fire_in(&tree, shell(&outside)).await;
        assert_eq!(result.output.decision(), Decision::Deny, "{outside}");
    }
}

#[tokio::test]
async fn a_guard_that_fails_asks() {
    struct Broken;
    impl ToolGuard for Broken {
        const NAME: &'static str = "guard:broken";
        const SUMMARY: &'static str = "";
        const TOOLS: &'static str = "";
        const UNCONCERNED: &'static str = "";
        fn concerns(_: &str) -> bool {
            true
        }
        fn judge(_: &GuardedCall<'_>) -> Judged {
            panic!("broken")
        }
    }
    let sandbox = HookedSandbox::new();
    let mut manager = HookManager::new();
    let guard: GuardHook<Broken> = GuardHook::new(sandbox.builtins().guards);
    manager.register(guard);
    let result = manager.trigger(shell("ls"), &sandbox.context()).await;
    assert_eq!(result.output.decision(), Decision::Ask);
}

#[tokio::test]
async fn every_event_is_judged_by_what_the_machine_is_then() {
    let sandbox = HookedSandbox::new();
    let manager = sandbox.manager();
    let (out, context) = (sandbox.project().join("out"), sandbox.context());
    std::fs::create_dir(&out).unwrap();
    let remove = || shell("rm -rf out/");
    let harmless = manager.trigger(remove(), &context).await;
    assert_eq!(harmless.output.decision(), Decision::NoOpinion);
    std::fs::remove_dir(&out).unwrap();
    std::os::unix::fs::symlink(sandbox.home(), &out).unwrap();
    let now = manager.trigger(remove(), &context).await;
    assert_eq!(now.output.decision(), Decision::Deny);

    // The same moment, but another place or another session.
    let mut here = shell("rm -rf ../project/out");
    here.session_id = "s2".to_owned();
    let mut there = here.clone().with_field("cwd", "/srv/app");
    let first = manager.trigger(here, &context).await;
    there.session_id = "s3".to_owned();
    let second = manager.trigger(there, &context).await;
    assert_ne!(first.output.stop_reason, second.output.stop_reason);
}

#[tokio::test]
async fn the_same_command_elsewhere_or_for_another_reason_is_not_the_same_call() {
    let sandbox = HookedSandbox::new();
    let manager = sandbox.manager();
    let context = sandbox.context();
    let again = "will not change";
    manager.trigger(shell("rm -rf ../x"), &context).await;
    let elsewhere = shell("rm -rf ../x").with_field("cwd", "/srv/app");
    let elsewhere = manager.trigger(elsewhere, &context).await;
    assert!(!reason(&elsewhere.output).contains(again));
    let read = |path: &str| tool("Read", json!({ "file_path": path, "command": "x" }));
    manager.trigger(read(".env"), &context).await;
    let other = manager.trigger(read("id_rsa"), &context).await;
    assert!(
        !reason(&other.output).contains(again),
        "{}",
        reason(&other.output)
    );
}

#[tokio::test]
async fn an_untrusted_project_only_tightens() {
    let sandbox = HookedSandbox::new().untrusted(
        "[guard]\nmode = 'observe'\nallow.rules = ['*']\ncategories.process = 'deny'\nsensitive.deny = ['internal/**']",
    );
    assert_eq!(
        sandbox.fire(shell("rm -rf ~")).await.output.decision(),
        Decision::Deny
    );
    let read = sandbox
        .fire(tool("Read", json!({ "file_path": "internal/plan.txt" })))
        .await;
    assert_eq!(read.output.decision(), Decision::Deny);
    let cat = sandbox.fire(shell("cat internal/plan.txt")).await;
    assert_eq!(cat.output.decision(), Decision::Deny);
}

#[tokio::test]
async fn a_guard_that_cannot_judge_asks() {
    let sandbox = HookedSandbox::new();
    for input in [
        tool("Bash", json!({ "cmd": "ls" })),
        tool("Bash", json!("ls")),
    ] {
        let result = sandbox.fire(input).await;
        assert_eq!(result.output.decision(), Decision::Ask);
    }
}

#[tokio::test]
async fn a_permission_request_is_judged_too() {
    let sandbox = HookedSandbox::new();
    let request = HookInput::for_event("s1", HookEvent::PermissionRequest)
        .with_field("tool_name", "Bash")
        .with_field("tool_input", json!({ "command": "rm -rf ~" }));
    let result = sandbox.fire(request).await;
    assert_eq!(result.output.decision(), Decision::Deny);
}

#[tokio::test]
async fn f41_a_the_projects_own_patterns_and_allow_list_count_for_every_access() {
    let sandbox = HookedSandbox::new();
    let folder = sandbox.project().join(".claude");
    std::fs::create_dir_all(&folder).unwrap();
    let file = json!({
        "patterns": { "custom_patterns": ["^internal/"] },
        "allowlist": ["^deploy/"],
    });
    std::fs::write(folder.join("sensitive-files.json"), file.to_string()).unwrap();
    let secret = tool("Read", json!({ "file_path": "internal/plan.md" }));
    let allowed = || tool("Read", json!({ "file_path": "deploy/.env" }));
    for input in [
        secret,
        shell("cat internal/plan.md"),
        shell("cp internal/plan.md /tmp/x"),
        tool(
            "Grep",
            json!({ "pattern": "x", "path": "internal/plan.md" }),
        ),
        // Nobody has trusted the allow-list yet.
        allowed(),
    ] {
        let shown = format!("{:?}", input.data);
        let result = sandbox.fire(input).await;
        assert_eq!(result.output.decision(), Decision::Deny, "{shown}");
    }
    sandbox.trust();
    assert_eq!(
        sandbox.fire(allowed()).await.output.decision(),
        Decision::NoOpinion
    );
    let cat = sandbox.fire(shell("cat deploy/.env")).await;
    assert_eq!(cat.output.decision(), Decision::NoOpinion);
}

#[tokio::test]
async fn the_secret_writing_guard_is_there_when_it_is_wanted() {
    let token = bowline_guard::secrets::expand("ghp_{a36}");
    let write = || tool("Write", json!({ "file_path": "a.rs", "content": token }));
    let off = HookedSandbox::new();
    assert_eq!(off.fire(write()).await.output, Opinion::allow());
    let on = HookedSandbox::new().user("guard.secrets = 'deny'");
    let denied = on.fire(write()).await;
    assert_eq!(denied.output.decision(), Decision::Deny);
    assert!(!reason(&denied.output).contains(&token));
    let prompt = HookInput::user_prompt_submit("s1", format!("use {token}"));
    assert_eq!(on.fire(prompt).await.output.decision(), Decision::Deny);
    let observed = HookedSandbox::new().user("guard.secrets = 'deny'\nguard.mode = 'observe'");
    let told = observed.fire(write()).await;
    assert_eq!(told.output.decision(), Decision::NoOpinion);
    assert!(told.output.system_message.is_some());
    let observed = told.output.observed.unwrap();
    assert_eq!(observed.rule.as_deref(), Some("secrets.writing"));
}

#[tokio::test]
async fn f40_c_f41_a_what_is_only_worth_a_note_is_noted() {
    let sandbox = HookedSandbox::new();
    for (input, note) in [
        (
            shell("git push --force-with-lease"),
            "[git.push-force-with-lease]",
        ),
        (
            tool("Read", json!({ "file_path": "db/seed.sql" })),
            "dump of a database",
        ),
    ] {
        let result = sandbox.fire(input).await;
        assert_eq!(result.output.decision(), Decision::NoOpinion);
        assert!(
            result.output.warnings[0].contains(note),
            "{:?}",
            result.output
        );
    }
}

#[tokio::test]
async fn a_misspelt_rule_asks_rather_than_being_silent() {
    for text in [
        "id = 'a'\ncommand = 'deploy *'\nverdict = 'dny'",
        "id = 'a'\ncommand = 'deploy *'",
        "command = 'deploy *'\nverdict = 'deny'",
        "id = 'No_Deploys'\ncommand = 'deploy *'\nverdict = 'deny'",
        "id = 5\ncommand = 'deploy *'\nverdict = 'deny'",
        "id = 'a'\neffect = 'git.push-forc'\ncommand = 'deploy *'\nverdict = 'deny'",
        "id = 'a'\neffect = 'delet'\ncommand = 'deploy *'\nverdict = 'deny'",
    ] {
        let sandbox = HookedSandbox::new().user(&format!("[[rule]]\n{text}\n"));
        let call = HookInput::pre_tool_use("s1", "Bash", json!({ "command": "deploy prod" }));
        let result = sandbox.fire(call).await;
        assert_eq!(result.output.decision(), Decision::Ask, "{text}");
        let found =
            sandbox.settings().diagnostics.len() + sandbox.builtins().rules.diagnostics.len();
        assert!(found > 0, "{text}");
    }
}
