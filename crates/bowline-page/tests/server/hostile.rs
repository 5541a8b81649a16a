//! Payloads that try to become a part of the page.

use bowline_builtins::inbox::Question;
use bowline_continuity::effort_command::EffortCommand;
use bowline_continuity::fleet::AgentStatus;
use bowline_daemon::rpc::Question as _;
use bowline_daemon::rpc::efforts::{AddNote, Asker, Perform};
use bowline_guidance::cost::usage::{Tokens, Usage};
use bowline_store::{
    AgentSignal, CallKey, Change, DelegationStart, HookFired, Record, Store, TraceEnd, TraceStart,
    TraceStatus,
};
use chrono::Utc;
use serde_json::json;

use super::{Stage, question};

const MARKUP: &str = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>&lt;";

/// HTML, escape sequences, and characters that turn or hide others.
fn hostile(number: u8) -> String {
    format!("{number}{MARKUP}\u{1b}[2J\u{1b}]0;x\u{7}\u{202e}\u{200b}\u{2066}\u{9b}31m\0 end")
}

fn fill(store: &dyn Store, project: &str) -> (String, String) {
    let (session, call) = (hostile(1), hostile(2));
    let event = |id: &str, name: &str| {
        let mut record = Record::new(id, Utc::now(), hostile(3), name, session.clone());
        record.decided.project = Some(project.to_owned());
        record.decided.tool = Some(hostile(4));
        record.decided.tool_use_id = Some(call.clone());
        record.decided.decision = bowline::hooks::Decision::Deny;
        record.decided.reason = Some(hostile(5));
        record.decided.rule = Some(hostile(6));
        record.decided.hooks = vec![HookFired {
            name: hostile(7),
            scope: Some(hostile(8)),
            failure: Some(hostile(9)),
            warnings: vec![hostile(10)],
            message: Some(hostile(11)),
            ..HookFired::default()
        }];
        record
    };
    let mut start = event(&hostile(12), &hostile(13));
    let mut begun = TraceStart::new(CallKey::Id(call.clone()), hostile(4));
    begun.input = Some(json!({
        "command": hostile(14), "old_string": hostile(15), "new_string": hostile(16), hostile(17): hostile(18)
    }));
    begun.group = Some(hostile(19));
    let mut signal = AgentSignal::new(AgentStatus::Attention);
    signal.label = Some(hostile(20));
    signal.waiting_for = Some(hostile(21));
    signal.folder = Some(format!("/{}", hostile(22)));
    start.changes = vec![
        Change::SessionStarted {
            source: Some(hostile(23)),
            model: Some(hostile(24)),
            previous: None,
        },
        Change::PromptGiven {
            text: Some(hostile(25)),
        },
        Change::TraceStarted(begun),
        Change::DelegationStarted(DelegationStart {
            call: Some(call.clone()),
            to: hostile(26),
            description: Some(hostile(27)),
        }),
        Change::AgentStatus(signal),
    ];
    let mut end = event("later", "PostToolUse");
    let mut ended = TraceEnd::new(CallKey::Id(call.clone()), hostile(4), TraceStatus::Failed);
    ended.output = Some(json!({"text": hostile(28)}));
    ended.error = Some(hostile(29));
    end.changes = vec![Change::TraceEnded(ended)];
    for record in [start, end] {
        store.submit(record, Box::new(|_| {}));
    }
    store.flush().unwrap();
    let asker = Asker {
        project: project.to_owned(),
        session: Some(session.clone()),
        ..Asker::default()
    };
    let begin = Perform {
        command: EffortCommand::Start {
            task: "task".to_owned(),
            skill: hostile(30),
            mode: None,
        },
        effort: None,
        asker: asker.clone(),
    };
    // Names that no file may have are refused.
    let _ = begin.answer(store);
    let note = AddNote {
        text: hostile(31),
        effort: None,
        asker,
    };
    note.answer(store).unwrap();
    let usage = Usage {
        message: "m".to_owned(),
        at: Utc::now(),
        session: session.clone(),
        folder: project.to_owned(),
        subagent: None,
        model: hostile(32),
        tools: std::iter::once(hostile(33)).collect(),
        tokens: Tokens {
            input: 5,
            ..Tokens::default()
        },
    };
    store.costs().keep_usage(vec![usage], None).unwrap();
    (session, call)
}

fn encoded(text: &str) -> String {
    let mut encoded = form_urlencoded::Serializer::new(String::new());
    encoded.append_key_only(text);
    encoded.finish()
}

#[test]
fn nothing_of_a_payload_becomes_a_part_of_the_page() {
    let stage = Stage::new();
    let folder = stage.folder.path().join("pro<b>ject\u{202e}");
    std::fs::create_dir_all(&folder).unwrap();
    let (session, call) = fill(&*stage.store, folder.to_str().unwrap());
    let asked = Question {
        agent: hostile(34),
        session: session.clone(),
        project: hostile(35),
        subagent: Some(hostile(36)),
        tool: hostile(37),
        input: json!({"command": hostile(38), hostile(39): [hostile(40)]}),
        reason: Some(hostile(41)),
        rule: Some(hostile(42)),
        ..question(&hostile(43))
    };
    stage.desk.ask(asked);
    let browser = stage.open();
    let (session, call, group) = (encoded(&session), encoded(&call), encoded(&hostile(19)));
    let (rule, project) = (encoded(&hostile(6)), encoded(folder.to_str().unwrap()));
    for view in [
        String::new(),
        "inbox".to_owned(),
        "timeline".to_owned(),
        format!("timeline?session={session}&project={project}&tool={call}"),
        format!("waterfall?group={group}"),
        format!("waterfall?session={session}"),
        "sessions".to_owned(),
        format!("sessions?project={project}"),
        format!("session?session={session}"),
        "effort?id=1".to_owned(),
        format!("call?id={call}"),
        "costs".to_owned(),
        "guards?period=all".to_owned(),
        format!("guards?rule={rule}"),
        "hooks".to_owned(),
        "search?q=script".to_owned(),
        "search?q=end&kind=error".to_owned(),
        format!("search?q={}", encoded(&hostile(14))),
        format!(
            "search?q={}&kind={call}&since={call}&tool={call}&project={project}",
            encoded(MARKUP)
        ),
        format!("search?q={}", encoded("\" OR 1=1 -- NEAR(* ^ ) AND : {x}")),
        "search?q=%2A".to_owned(),
        "search?q=%00%ff%22".to_owned(),
        format!("search?q={}", "a+".repeat(2_000)),
        format!("inbox?outcome={}", encoded(MARKUP)),
        format!("costs?{call}={session}&period={call}"),
        format!("timeline?project={call}&session={call}&tool={session}"),
        format!("sessions?project={call}"),
        format!("search?q=script&project={call}&tool={session}"),
        format!("guards?rule={call}"),
        format!("session?session={call}"),
        format!("call?id={session}"),
        format!("false-alarm?id={call}"),
        format!("false-alarm?id={call}&event={call}&done={call}"),
        encoded(MARKUP),
    ] {
        let answered = browser.get(&view).ask();
        assert!(matches!(answered.status, 200 | 404), "{view}: {answered:?}");
        let body = &answered.body;
        for part in ["<script>", "<img", "<b>", "onerror=alert(1)>", "\"'><"] {
            assert!(!body.contains(part), "{view}: {part}\n{body}");
        }
        let odd =
            |c: &char| (c.is_control() && *c != '\n') || "\u{202e}\u{200b}\u{2066}".contains(*c);
        let found: Vec<char> = body.chars().filter(odd).collect();
        assert!(found.is_empty(), "{view}: {found:?}\n{body}");
    }
    for (view, shows) in [
        ("timeline", true),
        ("inbox", true),
        ("sessions", true),
        ("costs", true),
        ("hooks", true),
        ("search?q=script", true),
    ] {
        let body = browser.get(view).ask().body;
        assert_eq!(
            body.contains("&lt;script&gt;"),
            shows,
            "{view} shows nothing of it:\n{body}"
        );
    }
}
