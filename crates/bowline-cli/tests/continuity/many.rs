//! Many agents at once: nothing is mixed up, nothing is lost.

use std::thread;

use serde_json::json;

use super::agent::{FakeAgent, with_client};

/// How many agents there are, in how many threads.
const AGENTS: usize = 100;
const THREADS: usize = 10;

#[test]
fn a_hundred_agents_on_one_daemon_have_their_own_counters() {
    let sandbox = with_client();
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    // One effort each, by the agent's name in the fleet.
    let work = |number: usize| {
        let (name, session) = (format!("agent-{number}"), format!("session-{number}"));
        let mut agent = FakeAgent::with(&sandbox, &session, &[("AGENT_ID", &name)]);
        agent.begins("startup");
        let skill = json!({"skill": "effort", "args": format!("start task-{number} implement")});
        let started = agent.call("Skill", skill, json!({}));
        assert!(
            started.context().contains(&format!("task-{number}")),
            "{started:?}"
        );
        // Each makes another number of calls, from none to nine.
        for _ in 0..number % 10 {
            agent.bash("ls").is_silent();
        }
        agent
    };
    let agents: Vec<FakeAgent<'_>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let numbers = (thread..AGENTS).step_by(THREADS);
                scope.spawn(move || numbers.map(work).collect::<Vec<_>>())
            })
            .collect();
        threads
            .into_iter()
            .flat_map(|it| it.join().unwrap())
            .collect()
    });
    let fleet = sandbox.json(&["fleet"]);
    let fleet = fleet["agents"].as_array().unwrap();
    assert_eq!(fleet.len(), AGENTS);
    for agent in fleet {
        let name = agent["id"].as_str().unwrap();
        let number: u64 = name.strip_prefix("agent-").unwrap().parse().unwrap();
        assert_eq!(agent["session"], format!("session-{number}"), "{agent}");
        assert_eq!(agent["heartbeat"], number % 10, "{agent}");
        let task = agent["task"].as_str().unwrap();
        assert!(task.ends_with(&format!("/task-{number}")), "{agent}");
        assert_eq!(agent["status"], "working", "{agent}");
    }
    drop(agents);
}
