//! Patches of several files: whatever looks after files sees each of them.

use std::fs;

use bowline::agents::named;
use bowline::hooks::{Decision, HookInput, Opinion, TriggerResult};
use bowline::settings::{Lasts, Reach, Wish};
use bowline_builtins::guard::call_of;
use bowline_builtins::recorder::make_record;
use bowline_guard::secrets::expand;
use bowline_store::{Change, Enforcement};
use bowline_testkit::needs;
use serde_json::json;

use crate::hooked_sandbox::HookedSandbox;

/// What Codex reports before it applies a patch of these files.
fn patch(sandbox: &HookedSandbox, body: &str) -> HookInput {
    event(
        sandbox,
        "PreToolUse",
        &format!("*** Begin Patch\n{body}\n*** End Patch\n"),
    )
}

fn event(sandbox: &HookedSandbox, event: &str, text: &str) -> HookInput {
    let codex = named("codex").and_then(|agent| agent.protocol()).unwrap();
    HookInput::from_owned_payload(codex.decode(json!({
        "hook_event_name": event, "session_id": "s1", "turn_id": "t1", "cwd": sandbox.project(), "tool_use_id": "call_1",
        "tool_name": "apply_patch", "tool_input": {"command": text}, "tool_response": "Success.",
    })))
}

/// What Codex is answered.
async fn answered(sandbox: &HookedSandbox, input: HookInput) -> TriggerResult {
    let ctx = sandbox.context().answering(named("codex").unwrap());
    sandbox
        .manager()
        .trigger(input, &ctx.with_call_id("event-1"))
        .await
}

fn reason(output: &Opinion) -> &str {
    output.stop_reason.as_deref().unwrap_or_default()
}

const HARMLESS: &str = "*** Update File: src/a.rs\n@@\n-1\n+2\n";

#[tokio::test]
async fn every_file_of_a_patch_is_guarded() {
    let key = expand("ghp_{a36}");
    let secret = format!("*** Add File: src/key.rs\n+let key = \"{key}\";");
    let sandbox = HookedSandbox::new().user("[guard]\nsecrets = 'ask'\n");
    fs::create_dir(sandbox.path("home/project/src")).unwrap();
    fs::write(sandbox.path("home/project/src/a.rs"), "1\n").unwrap();
    for (body, decision, told) in [
        ("*** Add File: src/b.rs\n+2", Decision::NoOpinion, ""),
        ("*** Add File: .env\n+KEY=1", Decision::Ask, ".env"),
        (
            "*** Update File: .env\n@@\n-KEY=1\n+KEY=2",
            Decision::Ask,
            ".env",
        ),
        (
            "*** Update File: src/a.rs\n*** Move to: .env\n@@\n-1\n+2",
            Decision::Ask,
            ".env",
        ),
        (
            "*** Add File: bowline.toml\n+[guard]\n+mode = \"observe\"",
            Decision::Ask,
            "bowline.toml",
        ),
        (
            "*** Add File: .codex/hooks.json\n+{}",
            Decision::Ask,
            ".codex/hooks.json",
        ),
        (
            "*** Delete File: /etc/hosts",
            Decision::Deny,
            "files.delete",
        ),
        (
            "*** Add File: p\u{430}ypal.rs\n+1",
            Decision::Ask,
            "plain characters",
        ),
        (&secret, Decision::Ask, "live secret"),
    ] {
        for body in [
            format!("{HARMLESS}{body}"),
            format!("{body}\n{}", HARMLESS.trim_end()),
        ] {
            let output = sandbox.fire(patch(&sandbox, &body)).await.output;
            assert_eq!(output.decision(), decision, "{body}: {output:?}");
            assert!(reason(&output).contains(told), "{body}: {output:?}");
            // Codex cannot ask.
            let told_codex = answered(&sandbox, patch(&sandbox, &body)).await.output;
            let strict = if decision == Decision::NoOpinion {
                decision
            } else {
                Decision::Deny
            };
            assert_eq!(told_codex.decision(), strict, "{body}: {told_codex:?}");
            assert!(!reason(&told_codex).contains(&key));
        }
    }
}

#[tokio::test]
async fn a_patch_that_cannot_be_read_is_asked_about_and_its_files_are_judged() {
    let sandbox = HookedSandbox::new();
    let text = |body: &str| event(&sandbox, "PreToolUse", body);
    for (body, rule, told) in [
        (
            "*** Begin Patch\nnonsense\n*** End Patch",
            "call.unread",
            "line 2 of the patch",
        ),
        (
            "*** Update File: src/a.rs",
            "call.unread",
            "line 1 of the patch",
        ),
        ("", "call.unread", "cannot be judged"),
        (
            "*** Begin Patch\n*** Delete File: a\n*** Frob: b\n*** Update File: .env\n",
            "sensitive.environment-file",
            ".env",
        ),
    ] {
        let output = sandbox.fire(text(body)).await.output;
        assert_eq!(output.decision(), Decision::Ask, "{body}: {output:?}");
        assert_eq!(output.rule.as_deref(), Some(rule), "{body}");
        assert!(reason(&output).contains(told), "{body}: {output:?}");
        let output = answered(&sandbox, text(body)).await.output;
        assert_eq!(output.decision(), Decision::Deny, "{body}: {output:?}");
    }
    // Afterwards there is nothing to ask.
    let after = sandbox
        .fire(event(&sandbox, "PostToolUse", "nonsense"))
        .await;
    assert_eq!(after.output.decision(), Decision::NoOpinion);
}

#[tokio::test]
async fn more_files_than_are_looked_at_are_asked_about() {
    let sandbox = HookedSandbox::new();
    for (count, decision) in [(200, Decision::NoOpinion), (201, Decision::Ask)] {
        let files: Vec<String> = (0..count)
            .map(|n| format!("*** Add File: f{n}\n+x"))
            .collect();
        let output = sandbox
            .fire(patch(&sandbox, &files.join("\n")))
            .await
            .output;
        assert_eq!(output.decision(), decision, "{count}: {output:?}");
        assert_eq!(
            reason(&output).contains("201 things"),
            decision == Decision::Ask
        );
    }
}

#[tokio::test]
async fn rules_are_for_every_file_of_a_patch() {
    let sandbox = HookedSandbox::new().user(
        "[[rule]]\nid = 'generated'\ntool = 'Edit|Write'\npath = 'generated/**'\nverdict = 'deny'\nmessage = 'It is generated.'\n\
         [[rule]]\nid = 'kept'\npath = 'kept/**'\nverdict = 'deny'\nmessage = 'It is kept.'\n",
    );
    for (body, rule) in [
        ("*** Add File: src/b.rs\n+1", None),
        ("*** Add File: generated/b.rs\n+1", Some("generated")),
        (
            "*** Update File: src/c.rs\n*** Move to: generated/c.rs\n@@\n-1\n+2",
            Some("generated"),
        ),
        ("*** Delete File: kept/a", Some("kept")),
        ("*** Update File: kept/a\n*** Move to: b", Some("kept")),
        ("*** Update File: b\n*** Move to: kept/a", Some("kept")),
    ] {
        let body = format!("{HARMLESS}{body}");
        let output = sandbox.fire(patch(&sandbox, &body)).await.output;
        assert_eq!(output.rule.as_deref(), rule, "{body}: {output:?}");
        assert_eq!(
            output.decision() == Decision::Deny,
            rule.is_some(),
            "{body}"
        );
    }
}

/// Nobody but the person can have these back.
#[needs(git)]
#[tokio::test]
async fn somebodys_work_is_not_taken_away_by_a_patch() {
    let sandbox = HookedSandbox::new();
    let file = |name: &str| sandbox.path(format!("home/project/{name}"));
    sandbox.git(&["init", "-q", "-b", "main"]);
    for name in ["committed", "worked-on"] {
        fs::write(file(name), "1\n").unwrap();
    }
    sandbox.git(&["add", "."]);
    sandbox.git(&["commit", "-q", "-m", "first"]);
    fs::write(file("worked-on"), "half an idea\n").unwrap();
    fs::write(file("new"), "an idea\n").unwrap();
    for (body, is_stopped) in [
        ("*** Delete File: committed", false),
        ("*** Delete File: worked-on", true),
        ("*** Delete File: new", true),
        ("*** Add File: new\n+mine", true),
        ("*** Update File: committed\n*** Move to: new", true),
        ("*** Update File: committed\n*** Move to: moved", false),
    ] {
        let body = format!("*** Add File: other\n+1\n{body}");
        let output = sandbox.fire(patch(&sandbox, &body)).await.output;
        assert_eq!(
            output.decision() >= Decision::Ask,
            is_stopped,
            "{body}: {output:?}"
        );
    }
}

#[needs(git)]
#[tokio::test]
async fn what_a_patch_made_is_the_sessions_own() {
    let sandbox = HookedSandbox::new();
    sandbox.git(&["init", "-q", "-b", "main"]);
    let text = "*** Begin Patch\n*** Add File: a\n+1\n*** Add File: b\n+2\n*** End Patch\n";
    let manager = sandbox.manager();
    let before = manager
        .trigger(event(&sandbox, "PreToolUse", text), &sandbox.context())
        .await;
    assert_eq!(before.output.decision(), Decision::NoOpinion);
    for (name, content) in [("a", "1\n"), ("b", "2\n")] {
        fs::write(sandbox.path(format!("home/project/{name}")), content).unwrap();
    }
    manager
        .trigger(event(&sandbox, "PostToolUse", text), &sandbox.context())
        .await;
    let gone = "*** Begin Patch\n*** Delete File: a\n*** Delete File: b\n*** End Patch\n";
    let deleted = manager
        .trigger(event(&sandbox, "PreToolUse", gone), &sandbox.context())
        .await;
    assert_eq!(
        deleted.output.decision(),
        Decision::NoOpinion,
        "{:?}",
        deleted.output
    );
}

/// Whoever allows a call allows all that it does; and nothing else.
#[tokio::test]
async fn a_person_allows_a_patch_as_a_whole() {
    for lasts in [Lasts::Once, Lasts::Always] {
        let sandbox = HookedSandbox::new();
        let input = patch(
            &sandbox,
            "*** Add File: a/.env\n+A=1\n*** Add File: b/.env\n+B=1",
        );
        let asked = sandbox.fire(input.clone()).await.output;
        let rule = asked.rule.clone().unwrap();
        let call = call_of(input.tool_name().unwrap(), input.call_input().as_deref());
        sandbox.allow(Wish {
            call: Some(call),
            ..wish(&rule, lasts.clone())
        });
        let other = patch(
            &sandbox,
            "*** Add File: a/.env\n+A=1\n*** Add File: c/.env\n+B=1",
        );
        assert_eq!(sandbox.fire(other).await.output.decision(), Decision::Ask);
        let output = sandbox.fire(input.clone()).await.output;
        assert_eq!(output.decision(), Decision::NoOpinion, "{output:?}");
        // The next event is another call.
        let again = HookInput {
            timestamp: input.timestamp + chrono::Duration::seconds(1),
            ..input
        };
        let is_over = matches!(lasts, Lasts::Once);
        let decision = sandbox.fire(again).await.output.decision();
        assert_eq!(decision == Decision::Ask, is_over, "{lasts:?}");
    }
}

fn wish(rule: &str, lasts: Lasts) -> Wish {
    Wish {
        rule: rule.to_owned(),
        call: None,
        reach: Reach::Global,
        lasts,
    }
}

#[tokio::test]
async fn a_patch_is_one_call_in_the_records_with_all_that_it_does() {
    let sandbox = HookedSandbox::new();
    let input = patch(&sandbox, &format!("{HARMLESS}*** Delete File: b"));
    let ctx = sandbox
        .context()
        .with_call_id("event-1")
        .with_agent("codex");
    let result = sandbox.manager().trigger(input.clone(), &ctx).await;
    let record = make_record(
        chrono::Utc::now(),
        &input,
        &ctx,
        &result,
        Enforcement::Enforced,
    )
    .unwrap();
    let started: Vec<_> = (record.changes.iter())
        .filter_map(|change| match change {
            Change::TraceStarted(start) => Some(start),
            _ => None,
        })
        .collect();
    let [start] = started.as_slice() else {
        panic!("{started:?}");
    };
    let kept = start.input.as_ref().unwrap();
    assert_eq!(
        (start.tool.as_str(), kept["parts"][1]["tool_name"].as_str()),
        ("Edit", Some("Delete"))
    );
    assert_eq!(
        start.native.as_ref().map(|it| &it["tool"]),
        Some(&json!("apply_patch"))
    );
}
