//! Feature 18: applying outcomes, by the lifecycle driver. What the executable answers to a host (18g) is tested there.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bowline::Error;
use bowline::hooks::{
    CancellationToken, FnHook, HookEvent, HookInput, HookManager, Opinion, ToolOutput, async_trait,
};
use bowline::lifecycle::{
    Approval, Approver, CompactTrigger, Compaction, EndReason, Prompt, Session, SessionOptions,
    Stop, Subagent, ToolCall, ToolOutcome, ToolReport, Turn,
};
use serde_json::{Value, json};

type Seen = Arc<Mutex<Vec<HookInput>>>;

/// A manager whose one hook records every event and answers what the closure says.
fn manager(answer: impl Fn(&HookInput) -> Opinion + Send + Sync + 'static) -> (HookManager, Seen) {
    let seen = Seen::default();
    let record = Arc::clone(&seen);
    let mut manager = HookManager::new();
    manager.register(FnHook::new(
        "scripted",
        HookEvent::ALL.iter().copied(),
        move |input, _| {
            let output = answer(&input);
            record.lock().unwrap().push(input);
            async { Ok(output) }
        },
    ));
    (manager, seen)
}

fn events(seen: &Seen) -> Vec<&'static str> {
    seen.lock()
        .unwrap()
        .iter()
        .map(|input| input.event_type().name())
        .collect()
}

fn options() -> SessionOptions {
    SessionOptions::new()
        .session_id("session-1")
        .cwd("/srv/project")
        .transcript_path("/srv/transcript.jsonl")
        .permission_mode("default")
}

async fn started(manager: HookManager) -> Session {
    Session::start(manager, options()).await.expect("started").0
}

async fn accepted(session: &mut Session) -> Turn<'_> {
    match session.prompt("do it").await {
        Prompt::Accepted { turn, .. } => turn,
        other => panic!("{other:?}"),
    }
}

fn bash(command: &str) -> ToolCall {
    ToolCall::new("call-1", "Bash", json!({ "command": command }))
}

async fn echo(call: ToolCall) -> Result<ToolOutput, String> {
    Ok(ToolOutput::new(call.input))
}

fn on(event: HookEvent, output: Opinion) -> impl Fn(&HookInput) -> Opinion + Send + Sync + 'static {
    move |input| {
        if input.event_type() == event {
            output.clone()
        } else {
            Opinion::allow()
        }
    }
}

#[tokio::test]
async fn f18_a_a_blocked_tool_does_not_run_and_the_reason_is_what_the_agent_sees() {
    let (manager, seen) = manager(on(HookEvent::PreToolUse, Opinion::block("not here")));
    let mut session = started(manager).await;
    let runs = AtomicUsize::new(0);
    let report = accepted(&mut session)
        .await
        .tool(bash("ls"), |call| {
            runs.fetch_add(1, Ordering::SeqCst);
            echo(call)
        })
        .await;
    assert_eq!(
        report.outcome,
        ToolOutcome::Denied {
            reason: "not here".into()
        }
    );
    assert_eq!(report.model_text(), "not here");
    assert_eq!(runs.load(Ordering::SeqCst), 0);
    assert_eq!(session.denials(), 1);
    assert_eq!(
        events(&seen),
        ["SessionStart", "UserPromptSubmit", "PreToolUse"]
    );
}

struct Person {
    answer: Approval,
    asked: Arc<Mutex<Vec<(ToolCall, String)>>>,
}

#[async_trait]
impl Approver for Person {
    async fn approve(&self, call: &ToolCall, reason: &str) -> Approval {
        self.asked
            .lock()
            .unwrap()
            .push((call.clone(), reason.to_owned()));
        self.answer.clone()
    }
}

#[tokio::test]
async fn f18_a_a_call_that_a_person_has_to_decide_on_runs_only_when_a_person_approves() {
    let denied = Approval::Denied {
        reason: "the person said no".into(),
    };
    // Who is there, what PermissionRequest hooks say, whether the person is asked, what comes of it.
    for (person, permission_hook, asked, expected) in [
        (None, Opinion::grant(), 0, Err("is that wise?")),
        (Some(Approval::Approved), Opinion::allow(), 1, Ok(())),
        (
            Some(denied.clone()),
            Opinion::allow(),
            1,
            Err("the person said no"),
        ),
        (Some(denied), Opinion::grant(), 0, Ok(())),
        (
            Some(Approval::Approved),
            Opinion::block("never"),
            0,
            Err("never"),
        ),
        (Some(Approval::Approved), Opinion::ask("really?"), 1, Ok(())),
    ] {
        let rewritten = json!({"command": "ls -l"});
        let new_input = rewritten.clone();
        let (manager, seen) = manager(move |input| match input.event_type() {
            HookEvent::PreToolUse => Opinion::ask("is that wise?").updated_input(new_input.clone()),
            HookEvent::PermissionRequest => permission_hook.clone(),
            _ => Opinion::allow(),
        });
        let asked_about = Arc::default();
        let mut options = options();
        let has_person = person.is_some();
        if let Some(answer) = person {
            let asked = Arc::clone(&asked_about);
            options = options.approver(Person { answer, asked });
        }
        let (mut session, _) = Session::start(manager, options).await.expect("started");
        let report = accepted(&mut session).await.tool(bash("ls"), echo).await;
        match expected {
            Ok(()) => assert_eq!(
                report.outcome,
                ToolOutcome::Ran(ToolOutput::new(rewritten.clone()))
            ),
            Err(reason) => assert_eq!(report.model_text(), reason),
        }
        assert_eq!(session.denials(), usize::from(expected.is_err()));
        assert_eq!(events(&seen).contains(&"PermissionRequest"), has_person);
        let asked_about = asked_about.lock().unwrap();
        assert_eq!(asked_about.len(), asked);
        // A person decides on what would run.
        assert!(asked_about.iter().all(|(call, _)| call.input == rewritten));
    }
}

#[tokio::test]
async fn f18_b_a_rewritten_input_is_what_runs_and_what_later_events_report() {
    let safer = json!({"command": "ls --color=never"});
    let output = Opinion::allow().updated_input(safer.clone());
    let (manager, seen) = manager(on(HookEvent::PreToolUse, output));
    let mut session = started(manager).await;
    let report = accepted(&mut session).await.tool(bash("ls"), echo).await;
    assert_eq!(
        report.outcome,
        ToolOutcome::Ran(ToolOutput::new(safer.clone()))
    );
    assert_eq!(report.call.input, safer);
    let seen = seen.lock().unwrap();
    let after = seen.last().expect("an event");
    assert_eq!(after.event_type(), HookEvent::PostToolUse);
    assert_eq!(after.tool_input(), Some(&safer));
}

#[tokio::test]
async fn f18_b_a_block_beats_a_rewritten_input() {
    let output = Opinion::block("no").updated_input(json!({"command": "ls"}));
    let (manager, _) = manager(on(HookEvent::PreToolUse, output));
    let mut session = started(manager).await;
    let report = accepted(&mut session).await.tool(bash("rm x"), echo).await;
    assert_eq!(report.model_text(), "no");
    assert_eq!(report.call.input, json!({"command": "rm x"}));
}

#[tokio::test]
async fn f18_c_a_refused_prompt_is_not_processed_and_the_session_still_ends() {
    let (manager, seen) = manager(on(HookEvent::UserPromptSubmit, Opinion::block("closed")));
    let mut session = started(manager).await;
    match session.prompt("hello").await {
        Prompt::Refused { reason, .. } => assert_eq!(reason, "closed"),
        other => panic!("{other:?}"),
    }
    session.end(EndReason::PromptInputExit).await;
    assert_eq!(
        events(&seen),
        ["SessionStart", "UserPromptSubmit", "SessionEnd"]
    );
    let seen = seen.lock().unwrap();
    assert_eq!(seen[2].reason(), Some("prompt_input_exit"));
}

#[tokio::test]
async fn f18_d_a_blocked_session_or_subagent_does_not_start() {
    for output in [Opinion::block("not today"), Opinion::ask("not today")] {
        let (blocked, seen) = manager(on(HookEvent::SessionStart, output.clone()));
        match Session::start(blocked, options()).await {
            Err(Error::Refused { reason }) => assert_eq!(reason, "not today"),
            other => panic!("{other:?}"),
        }
        assert_eq!(events(&seen), ["SessionStart"]);

        let (blocked, seen) = manager(on(HookEvent::SubagentStart, output));
        let mut session = started(blocked).await;
        let turn = accepted(&mut session).await;
        let subagent = Subagent::new("reviewer", "reads the diff");
        match subagent.start(turn.execution()).await {
            Err(Error::Refused { reason }) => assert_eq!(reason, "not today"),
            other => panic!("{other:?}"),
        }
        assert!(!events(&seen).contains(&"SubagentStop"));
    }
}

#[tokio::test]
async fn f18_e_a_block_after_the_tool_undoes_nothing_and_is_an_instruction() {
    for (event, succeeds) in [
        (HookEvent::PostToolUse, true),
        (HookEvent::PostToolUseFailure, false),
    ] {
        let (manager, _) = manager(on(event, Opinion::block("run the tests now")));
        let mut session = started(manager).await;
        let report = accepted(&mut session)
            .await
            .tool(bash("make"), |_| async move {
                if succeeds {
                    Ok(ToolOutput::new("built"))
                } else {
                    Err("broken".to_owned())
                }
            })
            .await;
        assert_eq!(report.succeeded(), succeeds);
        assert_eq!(report.feedback.as_deref(), Some("run the tests now"));
        let result = if succeeds { "built" } else { "broken" };
        assert_eq!(
            report.model_text(),
            format!("{result}\n\nrun the tests now")
        );
        assert_eq!(session.denials(), 0);
    }
}

#[tokio::test]
async fn f18_e_a_blocked_subagent_stop_sends_the_subagent_on_with_the_reason() {
    let (manager, seen) = manager(on(HookEvent::SubagentStop, Opinion::block("look again")));
    let mut session = started(manager).await;
    let parent = accepted(&mut session).await;
    let (turn, _) = Subagent::new("reviewer", "reads the diff")
        .id("agent-1")
        .start(parent.execution())
        .await
        .expect("started");
    let Stop::GoOn {
        mut turn, reason, ..
    } = turn.stop("done").await
    else {
        panic!("it may not stop yet");
    };
    assert_eq!(reason, "look again");
    let denied = turn.tool(bash("git diff"), echo).await;
    assert!(denied.succeeded());
    assert!(matches!(turn.stop("done again").await, Stop::End { .. }));
    let _ = parent.halt("").await;

    let seen = seen.lock().unwrap();
    let inside: Vec<_> = seen
        .iter()
        .filter(|input| input.agent_id() == Some("agent-1"))
        .map(|input| {
            assert_eq!(input.agent_type(), Some("reviewer"));
            assert_eq!(input.session_id, "session-1");
            (input.event_type().name(), input.stop_hook_active())
        })
        .collect();
    assert_eq!(
        inside,
        [
            ("SubagentStart", false),
            ("SubagentStop", false),
            ("PreToolUse", false),
            ("PostToolUse", false),
            ("SubagentStop", true),
        ]
    );
    let stop = seen.last().expect("an event");
    assert_eq!(
        (stop.event_type(), stop.agent_id()),
        (HookEvent::Stop, None)
    );
}

#[tokio::test]
async fn f18_f_a_blocked_stop_sends_the_agent_on_at_most_once_in_a_row() {
    let (manager, seen) = manager(on(HookEvent::Stop, Opinion::block("the tests fail")));
    let mut session = started(manager).await;
    for _prompt in 0..2 {
        let turn = accepted(&mut session).await;
        let Stop::GoOn { turn, reason, .. } = turn.stop("done").await else {
            panic!("it may not stop yet");
        };
        assert_eq!(reason, "the tests fail");
        let Stop::End { notes } = turn.stop("really done").await else {
            panic!("it must stop now");
        };
        assert!(notes.warnings[0].contains("the tests fail"), "{notes:?}");
    }
    let seen = seen.lock().unwrap();
    let stops: Vec<_> = seen
        .iter()
        .filter(|input| input.event_type() == HookEvent::Stop)
        .map(|input| (input.stop_hook_active(), input.last_assistant_message()))
        .collect();
    assert_eq!(
        stops,
        [
            (false, Some("done")),
            (true, Some("really done")),
            (false, Some("done")),
            (true, Some("really done")),
        ]
    );
}

#[tokio::test]
async fn every_event_says_whose_it_is() {
    let (manager, seen) = manager(|_| Opinion::allow());
    let mut session = started(manager).await;
    let mut turn = accepted(&mut session).await;
    turn.tool(bash("ls"), echo).await;
    turn.tool(bash("ls"), |_| async { Err("no".to_owned()) })
        .await;
    let _ = turn.stop("done").await;
    session.end(EndReason::Other).await;
    assert_eq!(
        events(&seen),
        [
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "PreToolUse",
            "PostToolUseFailure",
            "Stop",
            "SessionEnd"
        ]
    );
    for input in seen.lock().unwrap().iter() {
        let event = input.event_type();
        assert_eq!(input.session_id, "session-1", "{event}");
        assert_eq!(input.cwd(), Some("/srv/project"), "{event}");
        assert_eq!(input.transcript_path(), Some("/srv/transcript.jsonl"));
        assert_eq!(input.permission_mode(), Some("default"), "{event}");
        let expected = event.is_tool_event().then_some("call-1");
        assert_eq!(input.tool_use_id(), expected, "{event}");
    }
}

#[tokio::test]
async fn what_hooks_say_reaches_the_caller_at_every_step() {
    let (manager, _) = manager(|input| {
        let event = input.event_type().name();
        Opinion::allow()
            .context(format!("context of {event}"))
            .system_message(format!("message of {event}"))
            .warning(format!("warning of {event}"))
    });
    let (mut session, start) = Session::start(manager, options()).await.expect("started");
    let Prompt::Accepted {
        mut turn,
        notes: prompt,
    } = session.prompt("go").await
    else {
        panic!("accepted");
    };
    let tool = turn.tool(bash("ls"), echo).await.notes;
    let Stop::End { notes: stop } = turn.stop("done").await else {
        panic!("stopped");
    };
    let end = session.end(EndReason::Other).await;
    for (notes, events) in [
        (start, vec!["SessionStart"]),
        (prompt, vec!["UserPromptSubmit"]),
        (tool, vec!["PreToolUse", "PostToolUse"]),
        (stop, vec!["Stop"]),
        (end, vec!["SessionEnd"]),
    ] {
        let said = |what: &str| -> Vec<String> {
            events
                .iter()
                .map(|event| format!("{what} of {event}"))
                .collect()
        };
        assert_eq!(notes.context, said("context"));
        assert_eq!(notes.system_messages, said("message"));
        assert_eq!(notes.warnings, said("warning"));
    }
}

#[tokio::test]
async fn a_batch_is_decided_in_order_and_run_together() {
    let (manager, seen) = manager(|input| match (input.event_type(), input.command()) {
        (HookEvent::PreToolUse, Some("two")) => Opinion::block("not two"),
        (HookEvent::PostToolBatch, _) => Opinion::block("now summarise"),
        _ => Opinion::allow(),
    });
    let mut session = started(manager).await;
    let mut turn = accepted(&mut session).await;
    let calls = ["one", "two", "three"]
        .map(|name| ToolCall::new(name, "Bash", json!({ "command": name })))
        .to_vec();
    // Each of the two tools that run waits for the other.
    let together = tokio::sync::Barrier::new(2);
    let batch = turn
        .tools(calls, |call| {
            let together = &together;
            async move {
                together.wait().await;
                Ok(ToolOutput::new(call.id))
            }
        })
        .await;
    let texts: Vec<_> = batch.reports.iter().map(ToolReport::model_text).collect();
    assert_eq!(texts, ["one", "not two", "three"]);
    assert_eq!(batch.feedback.as_deref(), Some("now summarise"));
    let _ = turn.halt("").await;

    let seen = seen.lock().unwrap();
    let commands: Vec<_> = seen[2..5].iter().map(|input| input.command()).collect();
    assert_eq!(commands, [Some("one"), Some("two"), Some("three")]);
    let calls = seen[7].tool_calls();
    let responses: Vec<_> = calls.iter().map(|call| &call["tool_response"]).collect();
    assert_eq!(responses, ["one", "not two", "three"]);
}

#[tokio::test]
async fn a_hook_that_ends_the_turn_lets_the_tool_run_and_nothing_after_it() {
    let (manager, seen) = manager(|input| match input.event_type() {
        HookEvent::PreToolUse => Opinion {
            end_turn: Some("enough".into()),
            ..Opinion::allow()
        },
        HookEvent::Stop => Opinion::block("go on"),
        _ => Opinion::allow(),
    });
    let mut session = started(manager).await;
    let mut turn = accepted(&mut session).await;
    assert!(turn.tool(bash("ls"), echo).await.succeeded());
    assert_eq!(turn.end_requested(), Some("enough"));
    let late = turn.tools(vec![bash("ls")], echo).await;
    assert!(late.reports[0].model_text().contains("enough"));
    let Stop::End { notes } = turn.stop("done").await else {
        panic!("the turn is over");
    };
    assert!(notes.warnings[0].contains("go on"));
    assert_eq!(
        events(&seen)
            .iter()
            .filter(|event| **event == "PreToolUse")
            .count(),
        1
    );
}

#[tokio::test]
async fn a_hook_may_keep_a_prompt_from_the_model_without_refusing_it() {
    let output = Opinion {
        end_turn: Some("noted".into()),
        ..Opinion::allow()
    };
    let (manager, _) = manager(on(HookEvent::UserPromptSubmit, output));
    let mut session = started(manager).await;
    assert!(matches!(
        session.prompt("remember this").await,
        Prompt::Ended { reason, .. } if reason == "noted"
    ));
}

#[tokio::test]
async fn a_compaction_fires_its_events_and_can_be_prevented() {
    let (allowing, seen) = manager(|input| {
        let event = input.event_type().name();
        Opinion::allow().context(format!("context of {event}"))
    });
    let mut session = started(allowing).await;
    let mut turn = accepted(&mut session).await;
    let done = turn
        .compact(
            CompactTrigger::Auto,
            Some("keep the plan"),
            |asked| async move {
                assert_eq!(
                    asked.as_deref(),
                    Some("keep the plan\ncontext of PreCompact")
                );
                Ok::<_, Error>("short".to_owned())
            },
        )
        .await
        .expect("compacted");
    let Compaction::Done { summary, notes } = done else {
        panic!("{done:?}");
    };
    assert_eq!(summary, "short");
    assert_eq!(
        notes.context,
        ["context of PostCompact", "context of SessionStart"]
    );
    let _ = turn.halt("").await;
    {
        let seen = seen.lock().unwrap();
        assert_eq!(seen[2].trigger(), Some("auto"));
        assert_eq!(seen[3].compact_summary(), Some("short"));
        assert_eq!(seen[4].source(), Some("compact"));
    }

    let (preventing, seen) = manager(on(HookEvent::PreCompact, Opinion::block("not now")));
    let mut session = started(preventing).await;
    let done = session
        .compact(CompactTrigger::Manual, None, |_| async {
            Err::<String, _>("not asked for")
        })
        .await;
    assert!(matches!(
        done,
        Ok(Compaction::Prevented { reason, .. }) if reason == "not now"
    ));
    assert_eq!(events(&seen), ["SessionStart", "PreCompact"]);
}

#[tokio::test]
async fn blocks_that_nothing_can_come_of_are_noted() {
    let (manager, _) = manager(on(HookEvent::SessionEnd, Opinion::block("stay")));
    let notes = started(manager).await.end(EndReason::Other).await;
    assert!(notes.warnings[0].contains("stay"), "{notes:?}");
}

#[tokio::test]
async fn a_hook_may_rewrite_what_the_model_sees() {
    let mut output = Opinion::allow();
    output
        .event_fields
        .insert("updatedToolOutput".into(), Value::from("[removed]"));
    let (manager, _) = manager(on(HookEvent::PostToolUse, output));
    let mut session = started(manager).await;
    let report = accepted(&mut session).await.tool(bash("env"), echo).await;
    assert_eq!(report.model_text(), "[removed]");
}

#[tokio::test(start_paused = true)]
async fn cancelling_interrupts_the_tool_and_is_still_reported() {
    let token = CancellationToken::new();
    let (manager, seen) = manager(|_| Opinion::allow());
    let (mut session, _) = Session::start(manager, options().cancellation(token.clone()))
        .await
        .expect("started");
    let mut turn = accepted(&mut session).await;
    let report = turn
        .tool(bash("sleep 3600"), |_| async move {
            token.cancel();
            tokio::time::sleep(Duration::from_hours(1)).await;
            Ok(ToolOutput::new("late"))
        })
        .await;
    assert!(report.model_text().contains("interrupted"));
    let _ = turn.halt("").await;
    session.end(EndReason::Other).await;
    assert_eq!(
        events(&seen)[3..],
        ["PostToolUseFailure", "Stop", "SessionEnd"]
    );
    assert!(seen.lock().unwrap()[3].is_interrupt());
}

#[tokio::test]
async fn a_failed_turn_reports_the_failure() {
    let (manager, seen) = manager(|_| Opinion::allow());
    let mut session = started(manager).await;
    let turn = accepted(&mut session).await;
    let (child, _) = Subagent::new("reviewer", "reads")
        .start(turn.execution())
        .await
        .expect("started");
    child.fail("server_error", "the model is away").await;
    turn.fail("server_error", "the model is away").await;
    let seen = seen.lock().unwrap();
    let (child, parent) = (&seen[3], &seen[4]);
    assert_eq!(child.event_type(), HookEvent::SubagentStop);
    assert_eq!(child.error(), Some("the model is away"));
    assert_eq!(parent.event_type(), HookEvent::StopFailure);
    assert_eq!(parent.subject(), Some("server_error"));
}

#[tokio::test]
async fn a_turn_can_be_driven_on_another_thread() {
    let (manager, _) = manager(|_| Opinion::allow());
    let ran = tokio::spawn(async move {
        let mut session = started(manager).await;
        let mut turn = accepted(&mut session).await;
        let batch = turn.tools(vec![bash("ls")], echo).await;
        let _ = turn.stop("done").await;
        batch.reports.len()
    });
    assert_eq!(ran.await.expect("no panic"), 1);
}
