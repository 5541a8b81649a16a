//! One effort from its beginning to its end, over two context windows and two sub-agents.

use bowline_testkit::{Sandbox, until_some};
use serde_json::{Value, json};

use super::agent::{FakeAgent, with_client};

const SKILL: &str = r#"---
name: implement
description: Builds what a plan says.
---
```json
{"phases": ["1: Plan", "2: Build", "3: Test"], "logTemplate": "templates/LOG.md"}
```
"#;

/// When the daemon ends and another one begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Restart {
    Never,
    AfterEachCall,
}

struct Story<'s> {
    sandbox: &'s Sandbox,
    restart: Restart,
}

impl Story<'_> {
    fn between(&self) {
        if self.restart == Restart::AfterEachCall {
            self.sandbox.run(&["daemon", "restart"]).expect(0, &[]);
        }
    }

    /// What is kept of the effort.
    fn effort(&self) -> Value {
        self.sandbox.json(&["effort", "show", "1"])
    }

    fn tell(&self) {
        let sandbox = self.sandbox;
        sandbox.write_in_project(".claude/skills/implement/SKILL.md", SKILL);
        sandbox.write_in_project("templates/LOG.md", "# Log\n");
        sandbox.write_in_project("AGENTS.md", "Rules.\n");
        sandbox.write_in_project("src/login.rs", "fn login() {}\n");
        let mut agent = FakeAgent::start(sandbox, "first");
        agent.begins("startup").is_silent();
        self.between();
        let started = agent.bowline(&["effort", "start", "login", "implement"]);
        started.expect(0, &["login", "1: Plan"]);
        self.between();
        let prompt = agent.report("UserPromptSubmit", json!({"prompt": "Fix the login"}));
        assert!(
            prompt
                .context()
                .contains("| implement | none | heartbeat 0/10"),
            "{prompt:?}"
        );
        self.between();

        for _ in 1..10 {
            agent.bash("ls").is_silent();
            self.between();
        }
        for count in ["10/10", "11/10"] {
            let denied = agent.bash("ls");
            assert!(denied.denial().unwrap().contains(count), "{denied:?}");
            assert!(
                denied.denial().unwrap().contains("bowline effort log"),
                "{denied:?}"
            );
            self.between();
        }
        let log = agent.bash("bowline effort log 'Looked at the login'");
        log.is_silent();
        self.between();
        agent
            .bowline(&["effort", "log", "Looked at the login"])
            .expect(0, &["1_IMPLEMENT_LOG.md"]);
        self.between();
        agent.bash("ls").is_silent();
        assert_eq!(self.effort()["sessions"][0]["heartbeat"], 1);
        let log =
            std::fs::read_to_string(sandbox.project().join(".tasks/login/1_IMPLEMENT_LOG.md"));
        assert!(log.unwrap().contains("Looked at the login"));

        self.phases(&agent);
        self.subagents(&mut agent);
        self.directives(&mut agent);
        self.overflow(agent);
        self.next_session();
    }

    fn phases(&self, agent: &FakeAgent<'_>) {
        let phase = |arguments: &[&str]| agent.bowline(&[&["effort", "phase"], arguments].concat());
        phase(&["1: Plan"]).expect(0, &["1: Plan"]);
        self.between();
        phase(&["3: Test"]).expect_stderr(1, &["PHASE_NOT_SEQUENTIAL", "2: Build", "--reason"]);
        phase(&["9: Party"]).expect_stderr(1, &["UNKNOWN_PHASE", "2: Build"]);
        phase(&["2: Build", "--proof", "the plan is written"]).expect(0, &["2: Build"]);
        self.between();
        phase(&["2.1: Repair"]).expect(0, &["2.1: Repair"]);
        phase(&["2: Build", "--reason", "the repair was wrong"]).expect(0, &["2: Build"]);
        let effort = self.effort();
        let history = effort["history"].as_array().unwrap();
        let entered: Vec<&str> = history
            .iter()
            .map(|it| it["phase"].as_str().unwrap())
            .collect();
        assert_eq!(entered, ["1: Plan", "2: Build", "2.1: Repair", "2: Build"]);
        assert_eq!(history[1]["proof"], "the plan is written");
        assert_eq!(history[3]["reason"], "the repair was wrong");
        assert_eq!(
            effort["sessions"][0]["heartbeat"], 0,
            "a new phase begins anew"
        );
    }

    /// Two sub-agents beside each other have their own counters, and end nothing but their own sessions.
    fn subagents(&self, agent: &mut FakeAgent<'_>) {
        let of = |id: &str| json!({"agent_id": id, "agent_type": "Explore"});
        for id in ["a1", "a2"] {
            let told = agent.report("SubagentStart", of(id));
            assert!(told.context().contains("bowline effort log"), "{told:?}");
            self.between();
        }
        for _ in 1..10 {
            for id in ["a1", "a2"] {
                let call = agent.call("Bash", json!({"command": "ls"}), of(id));
                assert_eq!(call.denial(), None, "{call:?}");
            }
        }
        self.between();
        let tenth = agent.call("Bash", json!({"command": "ls"}), of("a1"));
        assert!(tenth.denial().unwrap().contains("10/10"), "{tenth:?}");
        agent.bash("ls").is_silent();
        for id in ["a1", "a2"] {
            agent.report("SubagentStop", of(id)).is_silent();
            self.between();
        }
        agent.bash("ls").is_silent();
        let effort = self.effort();
        let beats: Vec<u64> = (effort["sessions"].as_array().unwrap().iter())
            .map(|session| session["heartbeat"].as_u64().unwrap())
            .collect();
        assert_eq!(beats, [2, 10, 9]);
        let sessions = self.sandbox.json(&["session", "show", "first"]);
        let of_agent = &sessions["sessions"][0];
        assert_eq!(
            (&of_agent["subagent"], &of_agent["status"]),
            (&Value::Null, &json!("active"))
        );
        let ended = sessions["sessions"].as_array().unwrap()[1..].iter();
        assert!(
            ended.clone().all(|it| it["status"] == "ended"),
            "{sessions}"
        );
    }

    /// A folder's rules are named once, when the agent first comes there.
    fn directives(&self, agent: &mut FakeAgent<'_>) {
        let file = self.sandbox.project().join("src/login.rs");
        let read = |agent: &mut FakeAgent<'_>| {
            let input = json!({"file_path": file});
            agent.used("Read", input, json!({"type": "text"}))
        };
        let first = read(agent);
        assert!(first.context().contains("AGENTS.md"), "{first:?}");
        self.between();
        read(agent).is_silent();
    }

    /// A context window that is nearly full: the agent leaves a summary, and is killed.
    fn overflow(&self, mut agent: FakeAgent<'_>) {
        let ran = |agent: &mut FakeAgent<'_>| {
            agent.used("Bash", json!({"command": "ls"}), json!({"stdout": ""}))
        };
        agent.uses_tokens(170_000);
        ran(&mut agent).is_silent();
        self.between();
        agent.bash("ls").is_silent();
        agent.uses_tokens(181_000);
        ran(&mut agent).is_silent();
        self.between();
        let told = agent.bash("ls");
        assert_eq!(told.denial(), None);
        assert!(told.context().contains("90% full"), "{told:?}");
        assert!(
            told.context().contains("bowline effort dehydrate"),
            "{told:?}"
        );
        let payload = json!({
            "summary": "The login is repaired.", "lastAction": "edited src/login.rs",
            "nextSteps": ["write the test", "run it"], "requiredFiles": ["src/login.rs"],
        });
        let too_many: Vec<String> = (0..9).map(|it| format!("{it}.rs")).collect();
        agent
            .bowline_with(
                &["effort", "dehydrate"],
                &json!({"summary": "x", "requiredFiles": too_many}).to_string(),
            )
            .expect_stderr(2, &["requiredFiles", "8"]);
        agent
            .bowline_with(&["effort", "dehydrate"], &payload.to_string())
            .expect(0, &["once"]);
        self.between();
        agent.bash("ls").is_silent();
        agent.kill();
    }

    /// The next session gets the summary, and no later one does.
    fn next_session(&self) {
        let mut second = FakeAgent::start(self.sandbox, "second");
        let told = second.begins("startup");
        let text = told.context();
        for part in [
            "phase `2: Build`",
            "The login is repaired.",
            "edited src/login.rs",
            "1. write the test",
            "2. run it",
            "- src/login.rs",
            "templates/LOG.md",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(text.encode_utf16().count() <= 10_000);
        self.between();
        let mut third = FakeAgent::start(self.sandbox, "third");
        let told = third.begins("startup");
        assert!(
            !told.context().contains("The login is repaired."),
            "{told:?}"
        );
        assert!(told.context().contains("1_IMPLEMENT_LOG.md"), "{told:?}");
        // A process that found the database in use keeps its record beside it until it ends.
        let effort = until_some("the third session is there", || {
            let effort = self.effort();
            (effort["sessions"].as_array()?.len() == 5).then_some(effort)
        });
        let of = |session: &Value| (session["session"].clone(), session["previous"].clone());
        let sessions = effort["sessions"].as_array().unwrap();
        let chain: Vec<(Value, Value)> = sessions.iter().map(of).collect();
        assert_eq!(
            chain[3].1, chain[0].0,
            "the second continues the first, not a sub-agent"
        );
        assert_eq!(chain[4].1, chain[3].0);

        second
            .bowline(&["effort", "finish"])
            .expect(0, &["Finished"]);
        self.between();
        for _ in 0..12 {
            second.bash("ls").is_silent();
        }
        second
            .bowline(&["effort", "log", "more"])
            .expect_stderr(1, &["NO_ACTIVE_EFFORT"]);
        second.begins("compact").is_nothing_of_efforts();
    }
}

impl super::agent::Answered {
    #[track_caller]
    fn is_nothing_of_efforts(&self) {
        assert!(!self.context().contains("effort"), "{self:?}");
    }
}

#[test]
fn an_effort_goes_on_in_the_next_session_exactly_where_it_was() {
    let sandbox = with_client();
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    let story = Story {
        sandbox: &sandbox,
        restart: Restart::Never,
    };
    story.tell();
}

#[test]
fn an_effort_goes_on_although_the_daemon_ends_after_each_call() {
    let sandbox = with_client();
    let story = Story {
        sandbox: &sandbox,
        restart: Restart::AfterEachCall,
    };
    story.tell();
}

#[test]
fn an_effort_goes_on_without_a_daemon() {
    let mut sandbox = with_client();
    sandbox.set("BOWLINE_DAEMON", "off");
    let story = Story {
        sandbox: &sandbox,
        restart: Restart::Never,
    };
    story.tell();
}
