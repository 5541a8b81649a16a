use bowline_continuity::fleet::AgentStatus;
use bowline_store::{LastPrompt, RunningCall};
use serde_json::json;

use super::*;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
}

fn bash(command: &str) -> Doing {
    Doing::of("Bash", Some(&json!({"command": command})))
}

fn agent(session: &str) -> FleetAgent {
    let agent = json!({
        "id": session, "agent": "claude-code", "session": session, "status": "working",
        "since": at(10), "last_event_at": at(20), "project": "/p",
    });
    serde_json::from_value(agent).unwrap()
}

fn working(session: &str) -> Facts {
    let mut running = Running::new(agent(session));
    running.prompt = Some(LastPrompt {
        group: "g".to_owned(),
        text: Some("fix it".to_owned()),
    });
    Facts {
        running,
        cost: None,
        repeated: 0,
    }
}

fn ended(command: &str, status: TraceStatus, second: i64) -> LastCall {
    LastCall {
        tool_use_id: "toolu_1".to_owned(),
        doing: bash(command),
        status,
        started_at: at(second),
        ended_at: Some(at(second)),
        error: (status != TraceStatus::Completed).then(|| "because".to_owned()),
    }
}

fn question(id: &str, session: &str, command: &str, second: i64) -> Question {
    Question {
        id: id.to_owned(),
        asked_at: at(second),
        until: at(second + 120),
        cut_short: None,
        agent: "claude-code".to_owned(),
        session: session.to_owned(),
        project: "/p".to_owned(),
        subagent: None,
        tool: "Bash".to_owned(),
        input: json!({"command": command}),
        tool_use_id: None,
        reason: None,
        rule: None,
    }
}

/// What is different from a session that thinks.
type Change = Box<dyn FnOnce(&mut Facts)>;

/// What one session does.
fn only(change: impl FnOnce(&mut Facts)) -> (State, i64) {
    let mut facts = working("s");
    change(&mut facts);
    let runs = |process: Process| process.id == 1;
    let mut board = board(vec![facts], Vec::new(), at(100), runs);
    let row = board.sessions.remove(0);
    (row.state, row.since.timestamp())
}

#[test]
fn the_state_follows_from_what_is_recorded() {
    let idle = (State::Idle, 10);
    let thinks = (State::Working { on: None }, 10);
    let cargo = State::Working {
        on: Some(bash("cargo test")),
    };
    let blocked = State::Blocked {
        on: Some(bash("rm x")),
        why: "because".to_owned(),
    };
    let waits = |what: &str| State::WaitingForYou {
        what: what.to_owned(),
    };
    let looping = State::Looping {
        on: Some(bash("ls")),
        times: 3,
    };
    let turn = State::Blocked {
        on: None,
        why: "its turn ended by an error".to_owned(),
    };
    let process = |id| Some(Process { id, started: 1 });
    let open = Some(RunningCall {
        doing: bash("cargo test"),
        since: at(30),
    });
    let rows: Vec<(&str, Change, (State, i64))> = vec![
        ("it thinks", Box::new(|_| {}), thinks),
        (
            "a call runs",
            Box::new({
                let open = open.clone();
                |it| it.running.open = open
            }),
            (cargo.clone(), 30),
        ),
        (
            "its process runs",
            Box::new({
                let open = open.clone();
                move |it| {
                    it.running.agent.process = process(1);
                    it.running.open = open;
                }
            }),
            (cargo.clone(), 30),
        ),
        (
            "its process is gone",
            Box::new({
                let open = open.clone();
                move |it| {
                    it.running.agent.process = process(2);
                    it.running.open = open;
                }
            }),
            (State::Gone, 20),
        ),
        (
            "it ended without a word",
            Box::new(|it| {
                it.running.agent.ended_at = Some(at(50));
                it.running.agent.end_reason = Some(GONE.to_owned());
            }),
            (State::Gone, 20),
        ),
        (
            "a call ended",
            Box::new(|it| it.running.last = Some(ended("ls", TraceStatus::Completed, 15))),
            (State::Working { on: None }, 15),
        ),
        (
            "its last call was denied",
            Box::new(|it| it.running.last = Some(ended("rm x", TraceStatus::Denied, 15))),
            (blocked, 15),
        ),
        (
            "another call runs since",
            Box::new({
                let open = open.clone();
                |it| {
                    it.running.last = Some(ended("rm x", TraceStatus::Denied, 15));
                    it.running.open = open;
                }
            }),
            (cargo.clone(), 30),
        ),
        (
            "its turn ended after a denial",
            Box::new(|it| {
                it.running.last = Some(ended("rm x", TraceStatus::Denied, 15));
                it.running.agent.status = AgentStatus::Done;
            }),
            idle.clone(),
        ),
        (
            "it repeats itself",
            Box::new(|it| {
                it.running.last = Some(ended("ls", TraceStatus::Completed, 15));
                it.repeated = 3;
            }),
            (looping, 10),
        ),
        (
            "it repeated itself, and is done",
            Box::new(|it| {
                it.repeated = 9;
                it.running.agent.status = AgentStatus::Done;
            }),
            idle,
        ),
        (
            "it asks",
            Box::new(|it| {
                it.running.agent.status = AgentStatus::Attention;
                it.running.agent.waiting_for = Some("permission for Bash: ls".to_owned());
            }),
            (waits("permission for Bash: ls"), 10),
        ),
        (
            "somebody has looked and not answered",
            Box::new(|it| it.running.agent.status = AgentStatus::Checked),
            (waits("an answer"), 10),
        ),
        (
            "a tool failed, and it goes on",
            Box::new(|it| {
                it.running.agent.status = AgentStatus::Error;
                it.running.last = Some(ended("ls", TraceStatus::Failed, 20));
            }),
            (State::Working { on: None }, 20),
        ),
        (
            "a tool failed, and another runs",
            Box::new(|it| {
                it.running.agent.status = AgentStatus::Error;
                it.running.open = open;
            }),
            (cargo, 30),
        ),
        (
            "its turn failed",
            Box::new(|it| {
                it.running.agent.status = AgentStatus::Error;
                it.running.last = Some(ended("ls", TraceStatus::Completed, 15));
            }),
            (turn, 10),
        ),
    ];
    for (what, change, expected) in rows {
        assert_eq!(only(change), expected, "{what}");
    }
}

#[test]
fn those_that_need_a_person_come_first() {
    let with = |session: &str, status: AgentStatus| {
        let mut facts = working(session);
        facts.running.agent.status = status;
        facts
    };
    let mut loops = working("looping");
    loops.repeated = 4;
    let mut denied = working("blocked");
    denied.running.last = Some(ended("rm x", TraceStatus::Denied, 15));
    let mut gone = working("gone");
    gone.running.agent.process = Some(Process { id: 2, started: 1 });
    let mut newer = working("newer");
    newer.cost = Some(Usd(1_230_000_007));
    newer.running.agent.since = at(11);
    let mut over = working("ended as it should");
    over.running.agent.ended_at = Some(at(50));
    let facts = vec![
        over,
        gone,
        with("idle", AgentStatus::Done),
        working("older"),
        newer,
        loops,
        denied,
        with("waiting", AgentStatus::Attention),
        with("asked here", AgentStatus::Attention),
    ];
    let questions = vec![
        question("q1", "asked here", "terraform apply", 40),
        question("q2", "asked here", "terraform destroy", 50),
        question("q3", "unknown", "make", 45),
    ];
    let board = board(facts, questions, at(100), |process| process.id == 1);
    let found: Vec<(&str, &str, usize)> = (board.sessions.iter())
        .map(|row| (row.session.as_str(), row.state.word(), row.questions.len()))
        .collect();
    assert_eq!(
        found,
        [
            ("unknown", "waiting for you", 1),
            ("asked here", "waiting for you", 2),
            ("waiting", "waiting for you", 0),
            ("blocked", "blocked", 0),
            ("looping", "looping", 0),
            ("newer", "working", 0),
            ("older", "working", 0),
            ("idle", "idle", 0),
            ("gone", "gone", 0),
        ]
    );
    let first = &board.sessions[1];
    let what = "terraform apply".to_owned();
    assert_eq!(first.state, State::WaitingForYou { what });
    assert_eq!(first.since, at(40));
    let document = serde_json::to_value(&board).unwrap();
    assert_eq!(document["sessions"][1]["state"]["is"], "waiting_for_you");
    assert_eq!(document["sessions"][1]["state"]["for"], "terraform apply");
    assert_eq!(document["sessions"][5]["cost_usd"], 1.230_000_007);
    assert_eq!(serde_json::from_value::<Board>(document).unwrap(), board);
}
