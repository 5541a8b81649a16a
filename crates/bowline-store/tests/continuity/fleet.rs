//! The fleet: who works on what, and who waits.

use bowline_continuity::fleet::{AgentStatus, FleetAgent, Process};
use bowline_store::{AgentSignal, GONE, TraceStatus, Unfinished};
use chrono::{DateTime, Utc};
use serde_json::json;

use super::*;

fn signals(session: &str, ms: i64, signal: AgentSignal) -> Record {
    with(
        record("Notification", session, ms),
        Change::AgentStatus(signal),
    )
}

fn status(session: &str, ms: i64, status: AgentStatus) -> Record {
    signals(session, ms, AgentSignal::new(status))
}

fn fleet(store: &dyn Store, ended_since: Option<DateTime<Utc>>) -> Vec<FleetAgent> {
    let mut fleet = store.continuity().fleet(None, ended_since).unwrap();
    fleet.sort_by(|one, other| one.id.cmp(&other.id));
    fleet
}

fn only(store: &dyn Store) -> FleetAgent {
    let mut fleet = fleet(store, Some(at(0)));
    assert_eq!(fleet.len(), 1, "{fleet:?}");
    fleet.remove(0)
}

fn ends(session: &str, ms: i64, reason: &str) -> Record {
    let change = Change::SessionEnded {
        reason: Some(reason.to_owned()),
        unfinished: Unfinished::Cancelled,
    };
    with(record("SessionEnd", session, ms), change)
}

#[test]
fn an_agent_is_shown_with_everything_that_is_known_of_it() {
    let (_folder, store) = open();
    let effort = begin(store.continuity(), who("none"), "login", "implement").effort;
    let mut begins = joins("s", effort.id, 0);
    begins.changes.push(Change::HeartbeatCounted);
    begins.changes.push(Change::ContextUsed { used: 0.25 });
    committed(&store, begins);
    let process = Process {
        id: 7,
        started: u64::MAX,
    };
    let signal = AgentSignal {
        id: Some("a-1".into()),
        label: Some("Ann".into()),
        status: AgentStatus::Attention,
        waiting_for: Some("permission".into()),
        folder: Some("/worktree".into()),
        process: Some(process),
        effort: None,
    };
    let mut call = start("s", "t-1", "Bash", 1);
    if let Change::TraceStarted(trace) = &mut call.changes[0] {
        trace.input = Some(json!({"command": "cargo test", "description": "Test"}));
    }
    committed(&store, call);
    committed(&store, signals("s", 2, signal));
    store.flush().unwrap();
    let expected = FleetAgent {
        id: "a-1".into(),
        label: Some("Ann".into()),
        agent: "claude-code".into(),
        session: "s".into(),
        project: Some(PROJECT.into()),
        worktree: Some("/worktree".into()),
        task: Some(task("login")),
        effort: Some(effort.id),
        ordinal: Some(1),
        skill: Some("implement".into()),
        phase: None,
        heartbeat: Some(1),
        status: AgentStatus::Attention,
        since: at(2),
        last_event_at: at(2),
        context_usage: Some(0.25),
        last_action: Some("Bash: cargo test".into()),
        waiting_for: Some("permission".into()),
        process: Some(process),
        ended_at: None,
        end_reason: None,
    };
    assert_eq!(only(&store), expected);
    store.continuity().set_usage("s", 0.5).unwrap();
    store.continuity().set_usage("unknown", 0.5).unwrap();
    assert_eq!(only(&store).context_usage, Some(0.5));
    assert_eq!(state(&store, "s").context_usage, Some(0.5));

    store.continuity().finish_effort(effort.id, at(3)).unwrap();
    assert_eq!(only(&store).task, None, "a finished effort is nobody's");
}

#[test]
fn what_an_agent_does_now_is_told_with_its_counts() {
    let (_folder, store) = open();
    let running = || store.continuity().running(at(0)).unwrap();
    assert_eq!(running(), []);
    let begun = Change::SessionStarted {
        source: None,
        model: Some("opus".into()),
        previous: None,
    };
    committed(&store, with(record("SessionStart", "s", 0), begun));
    committed(&store, status("s", 1, AgentStatus::Working));
    for (ms, text) in [(2, "first"), (3, "second")] {
        let text = Some(text.to_owned());
        let prompt = record("UserPromptSubmit", "s", ms);
        committed(&store, with(prompt, Change::PromptGiven { text }));
    }
    let call = |id: &str, command: &str, ms| {
        let mut call = start("s", id, "Bash", ms);
        if let Change::TraceStarted(trace) = &mut call.changes[0] {
            trace.input = Some(json!({"command": command}));
        }
        call
    };
    for (id, status, ms) in [
        ("t-1", TraceStatus::Completed, 10),
        ("t-2", TraceStatus::Failed, 20),
        ("t-3", TraceStatus::Denied, 30),
    ] {
        committed(&store, call(id, "ls", ms));
        committed(&store, end("s", id, "Bash", status, ms + 5));
    }
    store.flush().unwrap();
    let [agent] = &running()[..] else { panic!() };
    assert_eq!(agent.agent.session, "s");
    assert_eq!(agent.model.as_deref(), Some("opus"));
    let prompt = agent.prompt.as_ref().unwrap();
    assert_eq!(prompt.text.as_deref(), Some("second"));
    assert_eq!((agent.calls, agent.failed, agent.denied), (3, 1, 1));
    assert_eq!(agent.open, None);
    let last = agent.last.as_ref().unwrap();
    assert_eq!(
        (last.tool_use_id.as_str(), last.status),
        ("t-3", TraceStatus::Denied)
    );

    let mut asked = call("t-4", "terraform apply", 40);
    if let Change::TraceStarted(trace) = &mut asked.changes[0] {
        trace.asked = Some("may I?".into());
    }
    committed(&store, call("t-5", "\n cargo test\nmore", 41));
    committed(&store, asked);
    committed(&store, status("another", 50, AgentStatus::Done));
    store.flush().unwrap();
    let running = running();
    let agent = running.iter().find(|it| it.agent.session == "s").unwrap();
    let open = agent.open.as_ref().unwrap();
    assert_eq!(
        open.doing.what.as_deref(),
        Some("cargo test\nmore"),
        "one that is asked about does not run"
    );
    assert_eq!(open.since, at(41));
    assert_eq!((running.len(), agent.calls), (2, 5));
}

#[test]
fn f38_since_moves_only_with_the_status_and_what_is_not_known_stays() {
    let (_folder, store) = open();
    let labelled = AgentSignal {
        label: Some("Ann".into()),
        process: Some(Process { id: 7, started: 8 }),
        ..AgentSignal::new(AgentStatus::Working)
    };
    committed(&store, signals("s", 0, labelled));
    committed(&store, status("s", 10, AgentStatus::Working));
    assert_eq!(only(&store).since, at(0));
    committed(&store, status("s", 20, AgentStatus::Error));
    let agent = only(&store);
    assert_eq!(
        (agent.id.as_str(), agent.status, agent.since),
        ("s", AgentStatus::Error, at(20))
    );
    assert_eq!(agent.label.as_deref(), Some("Ann"));
    assert_eq!(agent.process.map(|it| it.id), Some(7));
}

#[test]
fn an_agent_with_a_name_of_its_own_goes_on_in_another_session() {
    let (_folder, store) = open();
    let named = |session: &str, ms, process| {
        let signal = AgentSignal {
            id: Some("a-1".into()),
            process,
            ..AgentSignal::new(AgentStatus::Working)
        };
        signals(session, ms, signal)
    };
    let process = Some(Process { id: 7, started: 8 });
    committed(&store, named("one", 0, process));
    committed(&store, named("two", 1, None));
    let agent = only(&store);
    assert_eq!((agent.session.as_str(), agent.process), ("two", None));
    // The end of the first session is not the agent's.
    committed(&store, ends("one", 2, "other"));
    assert_eq!(only(&store).ended_at, None);
}

#[test]
fn an_agent_ends_with_its_session_and_comes_back_with_it() {
    let (_folder, store) = open();
    committed(&store, status("s", 0, AgentStatus::Working));
    committed(
        &store,
        by(status("s", 1, AgentStatus::Attention), "sub", "Explore"),
    );
    assert_eq!(
        only(&store).status,
        AgentStatus::Attention,
        "a sub-agent speaks for it"
    );
    committed(&store, ends("s", 2, GONE));
    let agent = only(&store);
    assert_eq!((agent.status, agent.since), (AgentStatus::Done, at(2)));
    assert_eq!(
        (agent.ended_at, agent.end_reason.as_deref()),
        (Some(at(2)), Some("gone"))
    );
    assert_eq!(agent.waiting_for, None);
    assert_eq!(fleet(&store, None), [], "only who is open");
    assert_eq!(fleet(&store, Some(at(3))), [], "and who ended since");

    let resumes = Change::SessionStarted {
        source: Some("resume".into()),
        model: None,
        previous: None,
    };
    committed(&store, with(record("SessionStart", "s", 3), resumes));
    assert_eq!(fleet(&store, None).len(), 1, "it is open again");
    committed(&store, ends("s", 4, "other"));
    committed(&store, status("s", 5, AgentStatus::Working));
    assert_eq!(fleet(&store, None).len(), 1, "whoever reports is not gone");

    // In whichever order they come with the end.
    for (session, place) in [("first", 0), ("last", 1)] {
        let mut record = ends(session, 6, "logout");
        let done = Change::AgentStatus(AgentSignal::new(AgentStatus::Done));
        record.changes.insert(place, done);
        committed(&store, record);
    }
    let open: Vec<String> = fleet(&store, None).into_iter().map(|it| it.id).collect();
    assert_eq!(open, ["s"]);
}

#[test]
fn agents_of_one_project_are_listed_alone() {
    let (_folder, store) = open();
    committed(&store, status("here", 0, AgentStatus::Working));
    let mut there = status("there", 0, AgentStatus::Working);
    there.decided.project = Some("/there".into());
    committed(&store, there);
    let ids = |project: Option<&str>| {
        let mut ids: Vec<String> = (store.continuity().fleet(project, None).unwrap().into_iter())
            .map(|agent| agent.id)
            .collect();
        ids.sort();
        ids
    };
    assert_eq!(ids(None), ["here", "there"]);
    assert_eq!(ids(Some("/there")), ["there"]);
    assert_eq!(ids(Some("/none")), Vec::<String>::new());
}

#[test]
fn an_agent_that_was_bound_before_it_reported_is_shown_once_it_does() {
    let (_folder, store) = open();
    let mut waiting = who("unknown");
    waiting.agent_id = Some("a-1".into());
    let effort = begin(store.continuity(), waiting, "login", "implement")
        .effort
        .id;
    assert_eq!(fleet(&store, None), []);
    let signal = AgentSignal {
        id: Some("a-1".into()),
        ..AgentSignal::new(AgentStatus::Working)
    };
    committed(&store, signals("s", 1, signal));
    assert_eq!(only(&store).effort, Some(effort));
}

#[test]
fn a_person_who_looks_is_noticed() {
    let (_folder, store) = open();
    for id in ["a", "ab", "abc", "b"] {
        committed(&store, status(id, 0, AgentStatus::Attention));
    }
    committed(&store, status("busy", 0, AgentStatus::Working));
    let seen = |ids: &[&str]| {
        let ids: Vec<String> = ids.iter().map(|&id| id.to_owned()).collect();
        store.continuity().seen(&ids, at(5)).unwrap()
    };
    let checked = || -> Vec<String> {
        let agents = fleet(&store, None).into_iter();
        agents
            .filter(|it| (it.status, it.since) == (AgentStatus::Checked, at(5)))
            .map(|it| it.id)
            .collect()
    };
    assert_eq!(seen(&["ab"]), 1, "it is one, and not a beginning");
    assert_eq!(checked(), ["ab"]);
    assert_eq!(seen(&["abc", "nobody"]), 1);
    assert_eq!(seen(&["", "bu"]), 0);
    assert_eq!(seen(&[]), 2, "all that wait");
    assert_eq!(checked(), ["a", "ab", "abc", "b"]);
    assert_eq!(seen(&[]), 0);
}
