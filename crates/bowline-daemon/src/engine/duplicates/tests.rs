use bowline_agents::named;
use serde_json::json;

use super::*;

/// An arrival: the agent that reports it, the agent and the event that its entry names, and whose entry it is.
struct Arrival {
    agent: &'static str,
    named: &'static str,
    event: &'static str,
    entry: Entry,
    payload: Value,
}

impl Arrival {
    fn by_user(agent: &'static str, event: &'static str, payload: Value) -> Self {
        Self {
            agent,
            named: agent,
            event,
            entry: Entry::User,
            payload,
        }
    }

    fn by_project(self) -> Self {
        Self {
            entry: Entry::Project,
            ..self
        }
    }

    fn in_claudes_settings(self, event: &'static str) -> Self {
        Self {
            named: "claude-code",
            event,
            ..self
        }
    }
}

fn meet(duplicates: &Duplicates, arrival: &Arrival) -> Met {
    let agent = named(arrival.agent).unwrap();
    let payload = agent.protocol().unwrap().decode(arrival.payload.clone());
    let entry = (arrival.named, Some(arrival.event));
    let identity = duplicates.identity(agent, entry, &payload);
    duplicates.meet(identity, arrival.entry)
}

/// Which of these come again. What is said of each is known before the next one comes.
fn again(arrivals: &[Arrival]) -> Vec<bool> {
    let duplicates = Duplicates::default();
    let mut held = Vec::new();
    let again = arrivals.iter().map(|arrival| {
        let met = meet(&duplicates, arrival);
        let is_again = matches!(met, Met::Again(_));
        if let Met::First(teller) = &met {
            teller.tell(&Opinion::allow(), None);
        }
        held.push(met);
        is_again
    });
    again.collect()
}

fn prompt(text: &str) -> Arrival {
    let payload = json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": text});
    Arrival::by_user("claude-code", "UserPromptSubmit", payload)
}

fn of_copilot(event: &'static str, own: Value) -> Arrival {
    let mut payload = json!({"hook_event_name": event, "session_id": "s", "cwd": "/p"});
    let Value::Object(own) = own else {
        panic!("{own}")
    };
    payload.as_object_mut().unwrap().extend(own);
    Arrival::by_user("copilot", event, payload)
}

fn copilots_call(command: &str, time: &str) -> Arrival {
    of_copilot(
        "PreToolUse",
        json!({"timestamp": time, "tool_name": "Bash", "tool_input": {"command": command, "description": "Run"}}),
    )
}

#[test]
fn only_the_same_event_by_another_entry_comes_again_and_only_once() {
    let arrivals = [
        (prompt("a"), false),
        (prompt("b").by_project(), false),
        (prompt("a").by_project(), true),
        (prompt("a").by_project(), false),
        (prompt("a").by_project(), false),
        (prompt("a"), true),
        (prompt("b"), true),
    ];
    let (arrivals, expected): (Vec<_>, Vec<_>) = arrivals.into_iter().unzip();
    assert_eq!(again(&arrivals), expected);
}

#[test]
fn another_agent_session_or_event_is_another_event() {
    let stop = |agent: &'static str, event: &'static str, session: &str| {
        let payload = json!({"hook_event_name": event, "session_id": session});
        Arrival::by_user(agent, event, payload)
    };
    let first = stop("claude-code", "Stop", "s");
    for other in [
        stop("generic", "Stop", "s"),
        stop("claude-code", "SessionEnd", "s"),
        stop("claude-code", "Stop", "t"),
    ] {
        assert_eq!(
            again(&[
                stop("claude-code", "Stop", "s"),
                other.by_project(),
                stop("claude-code", "Stop", "s").by_project()
            ]),
            [false, false, true]
        );
    }
    drop(first);
}

#[test]
fn the_time_of_an_event_does_not_tell_it_apart() {
    let later = |time: &str| {
        copilots_call("ls", time)
            .by_project()
            .in_claudes_settings("PreToolUse")
    };
    assert_eq!(
        again(&[copilots_call("ls", "1"), later("2")]),
        [false, true]
    );
    assert_eq!(
        again(&[
            copilots_call("ls", "1"),
            later("2"),
            copilots_call("ls", "3"),
            later("4")
        ]),
        [false, true, false, true]
    );
    let other = copilots_call("pwd", "1").by_project();
    assert_eq!(again(&[copilots_call("ls", "1"), other]), [false, false]);
}

#[test]
fn a_call_with_another_id_is_another_call() {
    let call = |id: &str| {
        let payload = json!({"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash",
            "tool_input": {"command": "ls"}, "tool_use_id": id});
        Arrival::by_user("claude-code", "PreToolUse", payload)
    };
    assert_eq!(
        again(&[call("1"), call("2").by_project(), call("1").by_project()]),
        [false, false, true]
    );
}

#[test]
fn both_spellings_of_an_event_are_one() {
    let in_own_words = Arrival::by_user(
        "copilot",
        "preToolUse",
        json!({"hook_event_name": "preToolUse", "sessionId": "s", "cwd": "/p", "toolName": "bash",
            "toolArgs": {"command": "ls", "description": "Run"}}),
    );
    assert_eq!(
        again(&[copilots_call("ls", "1"), in_own_words]),
        [false, true]
    );
}

/// Copilot requests a permission for calls that it has reported.
#[test]
fn a_call_that_is_reported_under_another_name_comes_again() {
    let permission = |tool: &str, input: Value| {
        let payload = json!({"hook_event_name": "PermissionRequest", "hookName": "permissionRequest", "sessionId": "s",
            "cwd": "/p", "toolName": tool, "toolInput": input});
        Arrival::by_user("copilot", "PermissionRequest", payload)
    };
    let created = || {
        of_copilot(
            "PreToolUse",
            json!({"tool_name": "Write", "tool_input": {"path": "/p/a", "file_text": "x"}}),
        )
    };
    let of_server = || {
        of_copilot(
            "PreToolUse",
            json!({"tool_name": "files-echo", "tool_input": {"text": "hi"}}),
        )
    };
    for (call, request, expected) in [
        (
            copilots_call("ls", "1"),
            permission("bash", json!({"command": "ls"})),
            true,
        ),
        (
            copilots_call("ls", "1"),
            permission("bash", json!({"command": "pwd"})),
            false,
        ),
        (
            created(),
            permission("edit", json!({"file_path": "/p/a", "diff": "+x"})),
            true,
        ),
        (
            created(),
            permission("edit", json!({"file_path": "/p/b", "diff": "+x"})),
            false,
        ),
        (
            of_copilot(
                "PreToolUse",
                json!({"tool_name": "Read", "tool_input": {"path": "/p/a"}}),
            ),
            permission("edit", json!({"file_path": "/p/a", "diff": "+x"})),
            false,
        ),
        (
            of_server(),
            permission("files/echo", json!({"text": "hi"})),
            true,
        ),
        (
            of_server(),
            permission("files/echo", json!({"text": "ho"})),
            false,
        ),
    ] {
        let told = format!("{} {}", call.payload, request.payload);
        assert_eq!(again(&[call, request]), [false, expected], "{told}");
    }
    let alone = || permission("bash", json!({"command": "ls"}));
    assert_eq!(again(&[alone(), alone()]), [false, false]);
}

/// Of two calls at once nobody knows which one a permission is requested for.
#[test]
fn what_one_call_is_granted_is_not_said_of_another() {
    for (said, expected) in [
        ([Opinion::grant(), Opinion::grant()], true),
        ([Opinion::ask("why"), Opinion::grant()], false),
        ([Opinion::grant(), Opinion::ask("why")], true),
        ([Opinion::block("why"), Opinion::grant()], true),
    ] {
        let duplicates = Duplicates::default();
        for (opinion, text) in said.iter().zip(["x", "y"]) {
            let call =
                json!({"tool_name": "Write", "tool_input": {"path": "/p/a", "file_text": text}});
            let Met::First(teller) = meet(&duplicates, &of_copilot("PreToolUse", call)) else {
                panic!("it is another call")
            };
            teller.tell(opinion, None);
        }
        let request = json!({"hookName": "permissionRequest", "toolName": "edit", "toolInput": {"file_path": "/p/a"}});
        let met = meet(&duplicates, &of_copilot("PermissionRequest", request));
        assert_eq!(matches!(met, Met::Again(_)), expected, "{said:?}");
    }
}

#[test]
fn the_same_command_elsewhere_is_another_call() {
    let mut there = before_shell("ls");
    there.payload["cwd"] = "/q".into();
    assert_eq!(again(&[cursors_call("1", "ls"), there]), [false, false]);
    // What is harmless there may be all that somebody has here.
    let call = |folder: &str| {
        let mut call = copilots_call("rm -rf *", "1");
        call.payload["cwd"] = folder.into();
        call
    };
    let (there, here) = (call("/p/build"), call("/p"));
    assert_eq!(again(&[there, here.by_project()]), [false, false]);
}

fn cursors_call(id: &str, command: &str) -> Arrival {
    let payload = json!({"hook_event_name": "preToolUse", "session_id": "s", "cursor_version": "3", "tool_name": "Shell",
        "tool_input": {"command": command, "cwd": "/p"}, "tool_use_id": id});
    Arrival::by_user("cursor", "preToolUse", payload)
}

fn before_shell(command: &str) -> Arrival {
    let payload = json!({"hook_event_name": "beforeShellExecution", "session_id": "s", "cursor_version": "3",
        "command": command, "cwd": "/p", "sandbox": false});
    Arrival::by_user("cursor", "beforeShellExecution", payload)
}

#[test]
fn cursors_second_report_of_a_call_is_the_same_call() {
    assert_eq!(
        again(&[cursors_call("1", "ls"), before_shell("ls")]),
        [false, true]
    );
    assert_eq!(
        again(&[
            cursors_call("1", "ls"),
            before_shell("ls"),
            cursors_call("2", "ls"),
            before_shell("ls"),
            before_shell("ls"),
        ]),
        [false, true, false, true, false]
    );
    assert_eq!(
        again(&[cursors_call("1", "ls"), before_shell("pwd")]),
        [false, false]
    );
    let by_claude = cursors_call("1", "ls").in_claudes_settings("PreToolUse");
    assert_eq!(
        again(&[by_claude, cursors_call("1", "ls"), before_shell("ls")]),
        [false, true, true]
    );
}

/// It is run as hooks have changed it, and reported again like that.
#[test]
fn a_call_that_was_changed_is_recognised_as_it_is_now() {
    let duplicates = Duplicates::default();
    let Met::First(teller) = meet(&duplicates, &cursors_call("1", "ls")) else {
        panic!("it is the first")
    };
    let input = json!({"command": "ls -l"});
    let changed = Reports {
        session: Some("s"),
        agent_id: None,
        event: HookEvent::PreToolUse,
        tool: Some("Bash"),
        input: Some(&input),
        folder: Some("/p"),
        parts: None,
    };
    let changed = duplicates.call(named("cursor").unwrap(), &changed);
    teller.tell(&Opinion::allow(), changed);
    assert!(matches!(
        meet(&duplicates, &before_shell("ls")),
        Met::First(_)
    ));
    assert!(matches!(
        meet(&duplicates, &before_shell("ls -l")),
        Met::Again(_)
    ));
}

#[test]
fn few_are_remembered() {
    let duplicates = Duplicates::default();
    let mut held = Vec::new();
    for number in 0..=WAITING {
        held.push(meet(&duplicates, &prompt(&number.to_string())));
    }
    let first = prompt("0").by_project();
    assert!(matches!(meet(&duplicates, &first), Met::First(_)));
    let last = prompt(&WAITING.to_string()).by_project();
    assert!(matches!(meet(&duplicates, &last), Met::Again(_)));
}

#[tokio::test]
async fn the_others_get_what_was_said_or_learn_that_nothing_was() {
    let duplicates = Duplicates::default();
    for told in [true, false] {
        let Met::First(first) = meet(&duplicates, &prompt("a")) else {
            panic!("it is the first")
        };
        let Met::Again(other) = meet(&duplicates, &prompt("a").by_project()) else {
            panic!("it comes again")
        };
        let opinion = Opinion::block("why");
        if told {
            first.tell(&opinion, None);
            first.tell(&Opinion::allow(), None);
        } else {
            drop(first);
        }
        assert_eq!(said_of(other).await, told.then_some(opinion));
    }
    // What nobody decides is over.
    assert!(matches!(
        meet(&duplicates, &prompt("a").by_project()),
        Met::First(_)
    ));
}

#[test]
fn sessions_are_known_by_their_agent() {
    let duplicates = Duplicates::default();
    let (cursor, copilot) = (named("cursor").unwrap(), named("copilot").unwrap());
    duplicates.note_own(cursor, "s");
    assert!(duplicates.has_own(cursor, "s"));
    assert!(!duplicates.has_own(cursor, "t") && !duplicates.has_own(copilot, "s"));
}
