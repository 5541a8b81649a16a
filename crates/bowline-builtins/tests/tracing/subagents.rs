//! Item 22: prompts, delegations and the calls of sub-agents.

use bowline::hooks::{HookEvent, HookInput, Opinion};
use bowline_store::{DelegationStatus, Enforcement, SessionRef, Store, TraceNode};
use serde_json::{Value, json};

use crate::bench::{Bench, event, payload};

fn shape(nodes: &[TraceNode]) -> String {
    let shown = nodes.iter().map(|node| {
        let id = &node.trace.tool_use_id;
        match shape(&node.children) {
            inner if inner.is_empty() => id.clone(),
            inner => format!("{id}({inner})"),
        }
    });
    shown.collect::<Vec<_>>().join(" ")
}

/// An event, inside the sub-agent `agent` if there is one.
fn told(name: &str, agent: Option<&str>, fields: Value) -> HookInput {
    let mut payload = fields;
    payload["hook_event_name"] = name.into();
    if let Some(agent) = agent {
        payload["agent_id"] = agent.into();
        payload["agent_type"] = "explorer".into();
    }
    event(payload)
}

fn hand_over(id: &str) -> HookInput {
    told(
        "PreToolUse",
        None,
        json!({"tool_name": "Agent", "tool_use_id": id,
            "tool_input": {"subagent_type": "explorer", "description": format!("look for {id}"), "prompt": "…"}}),
    )
}

fn call(agent: &str, id: &str) -> HookInput {
    let fields = json!({"tool_name": "Grep", "tool_use_id": id, "tool_input": {"pattern": "x"}});
    told("PreToolUse", Some(agent), fields)
}

#[tokio::test]
async fn f22_a_b_d_a_recorded_sub_agent_is_a_delegation_between_prompt_and_calls() {
    let mut bench = Bench::new();
    let session = payload("PreToolUse-5").session_id;
    let mut prompt = payload("UserPromptSubmit-1");
    prompt.session_id.clone_from(&session);
    bench.report(0, &prompt).await;
    for (ms, name) in [
        (10, "PreToolUse-5"),
        (20, "SubagentStart-1"),
        (30, "PreToolUse-6"),
        (40, "PostToolUse-5"),
        (50, "PostToolBatch-2"),
        (60, "SubagentStop-1"),
        (70, "PostToolUse-6"),
    ] {
        bench.recorded(ms, name).await;
    }
    let details = bench
        .store
        .session(SessionRef::Chain(&session))
        .unwrap()
        .unwrap();
    let [delegation] = &details.delegations[..] else {
        panic!("{details:?}")
    };
    assert_eq!(
        (delegation.from.as_str(), delegation.to.as_str()),
        ("claude-code", "general-purpose")
    );
    assert_eq!(delegation.description.as_deref(), Some("Count files"));
    assert_eq!(delegation.status, DelegationStatus::Completed);
    assert_eq!(
        delegation.last_message.as_deref(),
        Some("Two files: a.txt and b.txt.")
    );
    assert_eq!(delegation.subagent.as_deref(), Some("a7b6dad79aa3b0284"));

    let tree = bench
        .store
        .get_trace_tree(&details.prompts[0].group)
        .unwrap()
        .unwrap();
    assert_eq!(
        tree.prompt.as_ref().unwrap().text.as_deref(),
        Some("List the files.")
    );
    assert_eq!(
        shape(&tree.roots),
        "toolu_01zQIMJUSdciHaqRgNlI9zhl(toolu_01SB3oNYL8byjQsM325hfEM6)"
    );
}

/// They start in another order than they were asked for; the result of a call says who worked for it.
#[tokio::test]
async fn f22_a_sub_agents_that_were_taken_for_each_other_are_put_right_by_the_result() {
    for in_background in [false, true] {
        let mut bench = Bench::new();
        let prompt = told("UserPromptSubmit", None, json!({"prompt": "go"}));
        bench.report(0, &prompt).await;
        bench.report(1, &hand_over("t1")).await;
        bench.report(2, &hand_over("t2")).await;
        for (ms, agent) in [(3, "a2"), (4, "a1")] {
            let start = told("SubagentStart", Some(agent), json!({}));
            bench.report(ms, &start).await;
        }
        for (ms, agent, id) in [(5, "a1", "x"), (6, "a2", "y")] {
            bench.report(ms, &call(agent, id)).await;
        }
        if !in_background {
            let stop = told(
                "SubagentStop",
                Some("a1"),
                json!({"last_assistant_message": "one"}),
            );
            bench.report(7, &stop).await;
        }
        let response = if in_background {
            json!({"status": "async_launched", "agentId": "a1"})
        } else {
            json!({"status": "completed", "agentId": "a1"})
        };
        let done = told(
            "PostToolUse",
            None,
            json!({"tool_name": "Task", "tool_use_id": "t1", "tool_response": response}),
        );
        bench.report(8, &done).await;
        // Also what comes later.
        bench.report(9, &call("a1", "z")).await;
        let details = bench
            .store
            .session(SessionRef::Chain("s"))
            .unwrap()
            .unwrap();
        let tree = bench
            .store
            .get_trace_tree(&details.prompts[0].group)
            .unwrap()
            .unwrap();
        assert_eq!(shape(&tree.roots), "t1(x z) t2(y)");
        let [first, second] = &details.delegations[..] else {
            panic!("{details:?}")
        };
        assert_eq!(first.subagent.as_deref(), Some("a1"));
        assert_eq!(second.subagent.as_deref(), Some("a2"));
        assert_eq!(second.status, DelegationStatus::Started);
        if !in_background {
            assert_eq!(first.status, DelegationStatus::Completed);
            assert_eq!(first.last_message.as_deref(), Some("one"));
            assert_eq!(second.last_message, None);
        }
    }
}

#[tokio::test]
async fn f22_a_two_sub_agents_of_one_type_at_the_same_time() {
    let mut bench = Bench::new();
    let prompt = told("UserPromptSubmit", None, json!({"prompt": "go"}));
    bench.report(0, &prompt).await;
    bench.report(1, &hand_over("t1")).await;
    bench.report(2, &hand_over("t2")).await;
    bench
        .report(3, &told("SubagentStart", Some("a1"), json!({})))
        .await;
    bench
        .report(4, &told("SubagentStart", Some("a2"), json!({})))
        .await;
    for (ms, agent, id) in [(5, "a2", "x"), (6, "a1", "y"), (7, "a2", "z")] {
        bench.report(ms, &call(agent, id)).await;
    }
    let stop = |agent: &str, words: &str| {
        told(
            "SubagentStop",
            Some(agent),
            json!({"last_assistant_message": words}),
        )
    };
    bench.report(8, &stop("a2", &"w".repeat(5_000))).await;
    let details = bench
        .store
        .session(SessionRef::Chain("s"))
        .unwrap()
        .unwrap();
    let tree = bench
        .store
        .get_trace_tree(&details.prompts[0].group)
        .unwrap()
        .unwrap();
    assert_eq!(shape(&tree.roots), "t1(y) t2(x z)");
    let [first, second] = &details.delegations[..] else {
        panic!("{details:?}")
    };
    assert_eq!(
        (first.status, second.status),
        (DelegationStatus::Started, DelegationStatus::Completed)
    );
    assert_eq!(second.description.as_deref(), Some("look for t2"));
    assert_eq!(second.last_message.as_ref().unwrap().chars().count(), 2_000);
}

#[tokio::test]
async fn f22_a_a_sub_agent_in_the_background_may_begin_after_its_call_has_ended() {
    let mut bench = Bench::new();
    bench.report(0, &hand_over("t1")).await;
    bench.report(1, &hand_over("t2")).await;
    for (ms, id, agent) in [(2, "t2", "a2"), (3, "t1", "a1")] {
        let launched = json!({"tool_name": "Agent", "tool_use_id": id,
            "tool_response": {"isAsync": true, "status": "async_launched", "agentId": agent}});
        bench.report(ms, &told("PostToolUse", None, launched)).await;
    }
    bench
        .report(4, &told("SubagentStart", Some("a1"), json!({})))
        .await;
    bench
        .report(5, &told("SubagentStart", Some("a2"), json!({})))
        .await;
    bench.report(6, &call("a2", "x")).await;
    bench.report(7, &call("a1", "y")).await;
    assert_eq!(bench.trace("x").parent.as_deref(), Some("t2"));
    assert_eq!(bench.trace("y").parent.as_deref(), Some("t1"));
    bench
        .report(
            8,
            &told(
                "SubagentStop",
                Some("a1"),
                json!({"last_assistant_message": "done"}),
            ),
        )
        .await;
    let details = bench
        .store
        .session(SessionRef::Chain("s"))
        .unwrap()
        .unwrap();
    let found: Vec<_> = details
        .delegations
        .iter()
        .map(|it| (it.call.as_deref(), it.subagent.as_deref(), it.status))
        .collect();
    assert_eq!(
        found,
        [
            (Some("t1"), Some("a1"), DelegationStatus::Completed),
            (Some("t2"), Some("a2"), DelegationStatus::Started),
        ]
    );
}

#[tokio::test]
async fn f22_b_a_sub_agent_that_is_sent_on_is_not_done() {
    for (enforcement, expected) in [
        (Enforcement::Enforced, DelegationStatus::Started),
        (Enforcement::Unenforced, DelegationStatus::Completed),
    ] {
        let mut bench =
            Bench::new().answering(HookEvent::SubagentStop, Opinion::block("run the tests"));
        bench.enforcement = enforcement;
        bench.report(0, &hand_over("t1")).await;
        bench
            .report(1, &told("SubagentStart", Some("a1"), json!({})))
            .await;
        bench
            .report(2, &told("SubagentStop", Some("a1"), json!({})))
            .await;
        let details = bench
            .store
            .session(SessionRef::Chain("s"))
            .unwrap()
            .unwrap();
        assert_eq!(details.delegations[0].status, expected);
    }
}

#[tokio::test]
async fn a_helper_that_compacts_is_no_sub_agent() {
    let mut bench = Bench::new();
    bench.recorded(0, "SubagentStop-2").await;
    let session = payload("SubagentStop-2").session_id;
    let details = bench
        .store
        .session(SessionRef::Chain(&session))
        .unwrap()
        .unwrap();
    assert_eq!((details.sessions.len(), details.delegations.len()), (1, 0));
}

#[tokio::test]
async fn f22_c_a_session_row_is_there_before_anything_refers_to_it() {
    let mut bench = Bench::new();
    bench.report(0, &call("a1", "x")).await;
    let details = bench
        .store
        .session(SessionRef::Chain("s"))
        .unwrap()
        .unwrap();
    let sessions = details.sessions.iter();
    let found: Vec<_> = sessions
        .map(|session| session.subagent.as_deref())
        .collect();
    assert_eq!(found, [None, Some("a1")]);
}

#[tokio::test]
async fn f22_d_a_task_without_a_type_and_a_denied_one_are_delegations_too() {
    let mut bench = Bench::new().answering(HookEvent::PreToolUse, Opinion::block("not now"));
    let task = json!({"tool_name": "Task", "tool_use_id": "t", "tool_input": {"prompt": "look"}});
    bench.report(0, &told("PreToolUse", None, task)).await;
    // Not every tool of that name hands something over.
    let other = json!({"tool_name": "task", "tool_use_id": "u", "tool_input": {"id": 5}});
    bench.report(1, &told("PreToolUse", None, other)).await;
    let details = bench
        .store
        .session(SessionRef::Chain("s"))
        .unwrap()
        .unwrap();
    let [delegation] = &details.delegations[..] else {
        panic!("{details:?}")
    };
    assert_eq!(
        (
            delegation.to.as_str(),
            delegation.description.as_deref(),
            delegation.status
        ),
        ("general-purpose", Some("look"), DelegationStatus::Cancelled)
    );
}
