//! Fixed data for the tests of views.

use bowline_builtins::false_alarm::{NoRemedy, Remedy};
use bowline_builtins::guard::ways;
use bowline_builtins::inbox::Question;
use bowline_continuity::effort::Effort;
use bowline_continuity::note::Note;
use bowline_daemon::board::Board;
use bowline_daemon::known::UnknownName;
use bowline_guidance::cost::prices::Prices;
use bowline_guidance::cost::report::{By, Spent, report};
use bowline_guidance::cost::usage::{Band, Tokens};
use bowline_store::{
    Findings, RecordedEvent, SessionDetails, SessionSummary, TextKind, Trace, TraceStatus,
};
use chrono::{DateTime, TimeDelta, Utc};
use maud::Markup;
use serde_json::json;

use super::false_alarm::Done;
use super::{Frame, View, layout};
use crate::data::call::Call;
use crate::data::costs::{Costs, Period};
use crate::data::false_alarm::{Aid, Alarm, NoAid, Test};
use crate::data::guards::{Guards, Stopped, StoppedCall};
use crate::data::inbox::{Outcome, Planned};
use crate::data::known::{Missing, Unmet};
use crate::data::search::{Answer, Wanted};
use crate::data::sessions::{OneSession, Overview};
use crate::data::timeline::{self, Timeline, Waterfall};
use crate::parameters::ignored;
use crate::places::COSTS;
use crate::query::Query;

/// The time at which all tests happen.
pub(crate) fn now() -> DateTime<Utc> {
    "2026-11-18T12:00:00Z".parse().unwrap()
}

fn board(sessions: Vec<serde_json::Value>) -> Board {
    serde_json::from_value(json!({"at": now(), "sessions": sessions})).unwrap()
}

/// A row of the board.
fn running(state: serde_json::Value, questions: &[Question]) -> serde_json::Value {
    json!({
        "session": "b17e9a40-77c", "name": "b17e9a40-77c", "agent": "claude-code", "project": "/home/ada/shop",
        "worktree": "/home/ada/shop-login", "model": "claude-opus-4-8", "trace_id": "g1", "prompt": "Fix the login",
        "state": state, "since": now() - TimeDelta::seconds(12), "calls": 12, "failed": 1, "denied": 10_000,
        "context_usage": 0.62, "cost_usd": 1.25, "questions": questions,
    })
}

pub(crate) fn question() -> Question {
    Question {
        id: "k3f9a".to_owned(),
        asked_at: now() - chrono::TimeDelta::seconds(20),
        until: now() + chrono::TimeDelta::seconds(100),
        cut_short: Some(
            "56 s instead of 5 min, because the agent waits no longer for its hook".to_owned(),
        ),
        agent: "claude-code".to_owned(),
        session: "b17e9a40-77c".to_owned(),
        project: "/home/ada/shop".to_owned(),
        subagent: None,
        tool: "Bash".to_owned(),
        input: json!({"command": "terraform apply", "description": "Apply the plan"}),
        tool_use_id: Some("toolu_1".to_owned()),
        reason: Some("this changes what runs in production".to_owned()),
        rule: Some("cloud.apply".to_owned()),
    }
}

/// A recorded event: a call that was denied.
pub(crate) fn event() -> RecordedEvent {
    serde_json::from_value(json!({
        "id": "019a0000-0000-7000-8000-000000000001",
        "time": "2026-11-18T11:59:30Z",
        "agent": "claude-code",
        "event": "PreToolUse",
        "project": "/home/ada/shop",
        "session": "b17e9a40-77c",
        "tool": "Bash",
        "tool_use_id": "toolu_1",
        "decision": "deny",
        "reason": "this throws away commits of others",
        "rule": "git.push-force",
        "enforcement": "enforced",
        "duration_ms": 1.25,
        "hooks": [
            {"name": "command-guard", "scope": "built-in", "decision": "deny", "duration_ms": 0.5, "failure": null},
            {"name": "lint", "scope": "project", "decision": "no_opinion", "duration_ms": 12.0, "failure": "exit 1",
             "warnings": ["slow"], "message": "hello"}
        ],
        "input": {"command": "git push --force"},
        "prompt": null
    }))
    .unwrap()
}

pub(crate) fn trace() -> Trace {
    serde_json::from_value(json!({
        "tool_use_id": "toolu_1",
        "trace_id": "g1",
        "session": "b17e9a40-77c",
        "session_row": 1,
        "agent": "claude-code",
        "project": "/home/ada/shop",
        "subagent": null,
        "tool": "Edit",
        "input": {"file_path": "src/main.rs", "old_string": "one\ntwo\n", "new_string": "one\nthree\n"},
        "output": {"ok": true},
        "started_at": "2026-11-18T11:59:30Z",
        "ended_at": "2026-11-18T11:59:32Z",
        "duration_ms": 2000,
        "status": "ok",
        "error": null,
        "parent": null
    }))
    .unwrap()
}

/// The whole page with each tag on a line. Times of the day depend on where the test runs.
fn lines(view: View, body: &Markup) -> String {
    let frame = Frame {
        view,
        title: None,
        waiting: 1,
        version: "v".to_owned(),
        home: super::BESIDE.to_owned(),
    };
    let mut html = layout(&frame, body).into_string().replace("><", ">\n<");
    for seconds in [-86_400, -60, -30, -20, -28, 0] {
        let time = now() + TimeDelta::seconds(seconds);
        let full = crate::text::full(time);
        let clock = full.split(' ').nth(1).unwrap_or_default().to_owned();
        html = html
            .replace(&full, "[a time]")
            .replace(&format!(">{clock}<"), ">[a clock]<");
    }
    html
}

fn summary() -> SessionSummary {
    serde_json::from_value(json!({
        "row": 1, "session": "b17e9a40-77c", "agent": "claude-code", "project": "/home/ada/shop", "previous": null,
        "parent": null, "subagent": null, "subagent_kind": null, "status": "active", "source": "startup",
        "model": "claude-opus-4-8", "started_at": "2026-11-18T11:59:00Z", "last_event_at": "2026-11-18T11:59:40Z",
        "ended_at": null, "end_reason": null, "events": 12,
        "first_prompt": "Fix the login", "calls": 5, "errors": 1, "denied": 2
    }))
    .unwrap()
}

fn effort() -> Effort {
    serde_json::from_value(json!({
        "id": 3, "task": "/home/ada/shop/.tasks/fix-login", "project": "/home/ada/shop", "skill": "implement", "mode": null,
        "ordinal": 1, "lifecycle": "active", "phase": "2: Build", "phases": ["1: Plan", "2: Build"], "directives": [],
        "directories": [], "metadata": {}, "created_at": "2026-11-17T12:00:00Z", "finished_at": null
    }))
    .unwrap()
}

fn details() -> SessionDetails {
    serde_json::from_value(json!({
        "sessions": [summary().newest],
        "prompts": [{"trace_id": "g1", "session_row": 1, "time": "2026-11-18T11:59:00Z", "text": "Fix the login"}],
        "delegations": [{
            "session_row": 1, "call": "toolu_2", "from": "main", "to": "reviewer", "subagent": "a1",
            "description": "Look at it", "status": "completed", "started_at": "2026-11-18T11:59:30Z",
            "ended_at": "2026-11-18T11:59:40Z", "last_message": "Done"
        }]
    }))
    .unwrap()
}

fn costs() -> Costs {
    let spent = |key: &str, model: &str, input| Spent {
        key: key.to_owned(),
        model: model.to_owned(),
        day: "2026-11-15".parse().unwrap(),
        band: Band::Short,
        messages: 2,
        tokens: Tokens {
            input,
            ..Tokens::default()
        },
    };
    let of = |by, keys: [&str; 2]| {
        let [one, two] = keys;
        let all = [
            spent(one, "claude-opus-4-8", 1_000_000),
            spent(two, "local", 5),
        ];
        report(by, &all, &Prices::default())
    };
    Costs {
        period: Period::Month,
        by_day: of(By::Day, ["2026-11-14", "2026-11-15"]),
        by_model: of(By::Model, ["claude-opus-4-8", "local"]),
        by_project: of(By::Project, ["/home/ada/shop", ""]),
    }
}

fn wanted() -> Wanted {
    Wanted {
        text: Some("push \"<b>".to_owned()),
        project: None,
        tool: Some("Bash".to_owned()),
        since: Some(Period::Week),
        kind: Some(TextKind::Command),
    }
}

fn findings(now: DateTime<Utc>) -> Findings {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let found = |excerpt: &str, call: Option<&str>| {
        json!({
            "kind": if call.is_some() { "command" } else { "prompt" }, "time": now - TimeDelta::seconds(60),
            "agent": "claude-code", "session": "b17e9a40-77c", "project": "/home/ada/shop",
            "tool": call.map(|_| "Bash"), "tool_use_id": call, "event_id": "e", "excerpt": excerpt,
            "matches": [{"start": 4, "end": 8}, {"start": 90, "end": 99}],
        })
    };
    serde_json::from_value(json!({
        "found": [
            found("git push <b>\u{202e}", Some("toolu_1")),
            found("Now push it", None),
            found(&format!("git push {token}"), Some("toolu_2")),
        ],
        "indexed_since": now - TimeDelta::seconds(86_400),
    }))
    .unwrap()
}

#[test]
fn a_secret_that_is_found_is_not_shown() {
    let answer = Answer::Found(findings(now()));
    let html = super::search::view(&wanted(), &answer, now()).into_string();
    assert!(!html.contains("ghp_a1B2"), "{html}");
    assert_eq!(html.matches("<mark>push</mark>").count(), 2, "{html}");
    assert!(!html.contains("<b>"), "{html}");
}

#[test]
fn views_are_as_they_were() {
    let now = self::now();
    let board = board(vec![
        running(
            json!({"is": "waiting_for_you", "for": "terraform apply"}),
            &[question()],
        ),
        running(json!({"is": "waiting_for_you", "for": "an answer"}), &[]),
        running(
            json!({"is": "blocked", "on": {"tool": "Bash", "what": "git push -f"}, "why": "it throws away commits"}),
            &[],
        ),
        running(
            json!({"is": "looping", "on": {"tool": "Bash", "what": "cargo test"}, "times": 4}),
            &[],
        ),
        running(
            json!({"is": "working", "on": {"tool": "Read", "what": "src/main.rs"}}),
            &[],
        ),
        running(json!({"is": "working", "on": null}), &[]),
        running(json!({"is": "idle"}), &[]),
        running(json!({"is": "gone"}), &[]),
    ]);
    let call = Call {
        trace: trace(),
        events: vec![event()],
    };
    let planned = Planned {
        question: question(),
        preview: Ok(serde_json::from_value(json!({
            "extent": "always",
            "rules": [],
            "change": {
                "file": "/home/ada/shop/bowline.local.toml",
                "entry": {"key": "guard.allow.commands", "patterns": ["terraform apply"]},
                "lines": {"line": 1, "removed": [], "added": ["[guard.allow]", "commands = [\"terraform apply\"]"]}
            }
        }))
        .unwrap()),
    };
    let mut lane = trace();
    lane.subagent = Some("a1b2".to_owned());
    lane.status = TraceStatus::Failed;
    let timeline = Timeline {
        filter: timeline::Filter {
            project: Some("/home/ada/shop".to_owned()),
            ..timeline::Filter::default()
        },
        events: vec![event()],
        older: Some(timeline::Older {
            than: 3_774_873_600_000_000_001,
            time: now - TimeDelta::seconds(60),
        }),
        unmet: Vec::new(),
    };
    let several = Unmet::Several {
        noun: "project",
        name: "shop".to_owned(),
        meant: vec!["/home/ada/shop".to_owned(), "/srv/sh<o>p".to_owned()],
    };
    let nothing = Timeline {
        filter: timeline.filter.with("tool", "Bsh"),
        unmet: vec![several, Unmet::Unknown(UnknownName::alone("tool", "B<s>h"))],
        ..Timeline::default()
    };
    let waterfall = Waterfall {
        prompt: Some("Fix the login".to_owned()),
        calls: vec![trace(), trace(), lane],
        truncated: false,
    };
    let overview = Overview {
        project: None,
        sessions: vec![summary()],
        efforts: vec![effort()],
        unmet: Vec::new(),
    };
    let one = OneSession {
        name: "b17e9a40-77c".to_owned(),
        details: details(),
        effort: Some(effort()),
        is_cut: true,
        notes: vec![Note {
            id: 1,
            project: "/home/ada/shop".to_owned(),
            effort: None,
            text: "Never touch the schema".to_owned(),
            at: now - TimeDelta::seconds(60),
        }],
    };
    let guards = Guards {
        period: Period::Week,
        rules: vec![
            serde_json::from_value(json!({
                "decision": "deny", "enforcement": "enforced", "rule": "git.push-force", "count": 3,
                "answers": {"ran": 0, "refused": 0, "unknown": 0}, "last": event()
            }))
            .unwrap(),
            serde_json::from_value(json!({
                "decision": "ask", "enforcement": "observed", "rule": null, "count": 1,
                "answers": {"ran": 0, "refused": 0, "unknown": 1}, "last": event()
            }))
            .unwrap(),
        ],
    };
    let stopped = |is_false_alarm| Stopped {
        rule: "git.push-force".to_owned(),
        calls: vec![StoppedCall {
            event: event(),
            is_false_alarm,
        }],
        unmet: None,
    };
    let alarm = |remedy: Option<Result<Remedy, NoAid>>| Alarm {
        call: "toolu_1".to_owned(),
        event: event(),
        aid: remedy.map(|remedy| Aid {
            remedy,
            ways: ways(&event().decided, event().input.as_ref()),
            test: Some(Test {
                case: "{\"command\":\"git push --force\"}".to_owned(),
                of_all: "bowline rules test cases.jsonl".to_owned(),
                of_call: "bowline test PreToolUse --tool Bash".to_owned(),
            }),
        }),
    };
    let entry = planned.preview.as_ref().unwrap().change.clone().unwrap();
    let own_rule = serde_json::from_value(json!({
        "file": "/home/ada/shop/bowline.toml", "line": 7, "text": "[[rule]]\nid = \"no-force\"\nwhen = 'command != \"<b>\"'"
    }));
    let alarms = [
        ("false_alarm", alarm(None), Done::Nothing),
        (
            "false_alarm_entry",
            alarm(Some(Ok(Remedy::Entry(entry)))),
            Done::Nothing,
        ),
        (
            "false_alarm_rule",
            alarm(Some(Ok(Remedy::Rule(own_rule.unwrap())))),
            Done::Nothing,
        ),
        (
            "false_alarm_allowed",
            alarm(Some(Err(NoAid::No(NoRemedy::Passes)))),
            Done::Allowed,
        ),
        (
            "false_alarm_not_kept",
            Alarm {
                aid: Some(Aid {
                    remedy: Err(NoAid::NotKept),
                    ways: Vec::new(),
                    test: None,
                }),
                ..alarm(None)
            },
            Done::Nothing,
        ),
        (
            "false_alarm_of_a_hook",
            alarm(Some(Err(NoAid::No(NoRemedy::Hook)))),
            Done::Nothing,
        ),
    ];
    for (name, alarm, done) in alarms {
        let body = super::false_alarm::view(&alarm, done, "t0k3n", now);
        insta::assert_snapshot!(name, lines(View::Guards, &body));
    }
    let hook = serde_json::from_value(json!({
        "name": "lint", "fired": 10, "failed": 1, "last_fired": "2026-11-18T11:59:40Z", "last_decision": "ask",
        "last_failure": ["2026-11-18T11:59:30Z", "exit 1"], "p50_ms": 1.5, "p99_ms": 20.0
    }))
    .unwrap();
    let query = Query::parse(b"perod=7d&period=3d&<b>=1");
    for (name, view, body) in [
        ("now", View::Now, super::now::view(&board, now)),
        (
            "now_empty",
            View::Now,
            super::now::view(&Board::default(), now),
        ),
        (
            "inbox",
            View::Inbox,
            super::inbox::view(&[question()], Some(Outcome::Gone), "t0k3n", now),
        ),
        (
            "inbox_empty",
            View::Inbox,
            super::inbox::view(&[], None, "t0k3n", now),
        ),
        (
            "allow",
            View::Inbox,
            super::inbox::plan(&planned, "t0k3n", now),
        ),
        ("call", View::Timeline, super::call::view(&call, now)),
        ("timeline", View::Timeline, super::timeline::view(&timeline)),
        (
            "timeline_of_nobody",
            View::Timeline,
            super::timeline::view(&nothing),
        ),
        (
            "ignored",
            View::Costs,
            super::unmet::ignored(&ignored(&query, COSTS.parameters)),
        ),
        (
            "waterfall",
            View::Timeline,
            super::timeline::calls(&waterfall, now),
        ),
        (
            "sessions",
            View::Sessions,
            super::sessions::view(&overview, now),
        ),
        (
            "session",
            View::Sessions,
            super::sessions::session(&one, now),
        ),
        ("costs", View::Costs, super::costs::view(&costs())),
        ("guards", View::Guards, super::guards::view(&guards, now)),
        (
            "rule",
            View::Guards,
            super::guards::rule(&stopped(false), "t0k3n", now),
        ),
        (
            "rule_with_a_false_alarm",
            View::Guards,
            super::guards::rule(&stopped(true), "t0k3n", now),
        ),
        ("hooks", View::Hooks, super::hooks::view(&[hook], now)),
        (
            "search",
            View::Search,
            super::search::view(&wanted(), &Answer::Found(findings(now)), now),
        ),
        (
            "search_unasked",
            View::Search,
            super::search::view(&Wanted::default(), &Answer::Unasked, now),
        ),
        (
            "search_without_words",
            View::Search,
            super::search::view(&wanted(), &Answer::NoWords, now),
        ),
        (
            "search_in_vain",
            View::Search,
            super::search::view(&wanted(), &Answer::Found(Findings::default()), now),
        ),
        (
            "missing",
            View::Now,
            super::unmet::missing(&Missing::View, super::BESIDE),
        ),
        (
            "gone",
            View::Inbox,
            super::unmet::missing(&Missing::Gone, super::BESIDE),
        ),
        (
            "unsaid",
            View::Timeline,
            super::unmet::missing(&Missing::Unsaid("call", "id"), super::BESIDE),
        ),
    ] {
        insta::assert_snapshot!(name, lines(view, &body));
    }
}
