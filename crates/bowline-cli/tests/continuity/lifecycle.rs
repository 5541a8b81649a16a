//! Notes, to-dos and what else is handed over, with and without efforts; and the events that leave a message.

use serde_json::{Value, json};

use super::agent::{FakeAgent, with_client};

#[test]
fn goal_and_decisions_survive_without_an_effort() {
    let sandbox = with_client();
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    let mut first = FakeAgent::start(&sandbox, "s1");
    first.begins("startup").is_silent();
    first.report(
        "UserPromptSubmit",
        json!({"prompt": "Make the login faster"}),
    );
    first
        .bowline(&["note", "add", "Never touch the schema"])
        .expect(0, &[]);
    let todos = json!({"todos": [
        {"content": "measure", "status": "completed", "activeForm": "Measuring"},
        {"content": "cache the user", "status": "in_progress", "activeForm": "Caching"},
        {"content": "write a test", "status": "pending", "activeForm": "Writing"},
    ]});
    first.used("TodoWrite", todos, json!({}));
    let file = sandbox.write_in_project("src/login.rs", "x");
    first.used("Edit", json!({"file_path": file}), json!({}));
    for source in ["compact", "clear", "resume"] {
        let told = first.begins(source);
        for part in [
            "Never touch the schema",
            "Make the login faster",
            "cache the user",
            "write a test",
            "src/login.rs",
        ] {
            assert!(told.context().contains(part), "{source}: {part}: {told:?}");
        }
        assert!(!told.context().contains("measure"), "{source}: {told:?}");
        let is_running = told
            .context()
            .contains("## The prompt that you are working on");
        assert_eq!(is_running, source == "compact", "{source}: {told:?}");
    }
    first.kill();
    let mut second = FakeAgent::start(&sandbox, "s2");
    let told = second.begins("startup");
    for part in [
        "Never touch the schema",
        "Make the login faster",
        "cache the user",
        "src/login.rs",
    ] {
        assert!(told.context().contains(part), "{part}: {told:?}");
    }
}

/// The shells of these agents do not know the session: what tells it is the call that runs `bowline`.
#[test]
fn an_effort_goes_on_with_the_agent_of_another_vendor() {
    let sandbox = with_client();
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    let agents = [
        ("codex", "PreToolUse", "Bash"),
        ("gemini", "BeforeTool", "run_shell_command"),
        ("claude-code", "PreToolUse", "Bash"),
    ];
    let mut left = String::new();
    for (number, (agent, event, tool)) in agents.into_iter().enumerate() {
        let session = format!("s{number}");
        let mut running = FakeAgent::of(&sandbox, agent, &session, &[]);
        let told = running.begins("startup");
        let goes_on = told.context().contains("You continue an effort");
        assert_eq!(goes_on, number > 0, "{agent}: {told:?}");
        assert!(told.context().contains(&left), "{agent}: {told:?}");
        left = format!("{agent} has done its part.");
        let mut run = |words: &[&str]| {
            let line = format!("bowline {}", words.join(" "));
            let call =
                json!({"tool_name": tool, "tool_use_id": line, "tool_input": {"command": line}});
            running.report(event, call);
            sandbox.run(words).expect(0, &[]);
        };
        if number == 0 {
            run(&["effort", "start", "login", "implement"]);
        }
        run(&["effort", "dehydrate", &left]);
        running.report("SessionEnd", json!({"reason": "other"}));
        running.kill();
    }
    let details = sandbox.json(&["effort", "show"]);
    let sessions = sandbox.json(&["session", "list"]);
    let agent_of = |row: &Value| {
        let mut all = sessions["sessions"].as_array().unwrap().iter();
        all.find(|it| it["row"] == *row)
            .map(|it| it["agent"].clone())
    };
    let chain = details["sessions"].as_array().unwrap().iter();
    let chain: Vec<_> = chain.map(|it| agent_of(&it["session"])).collect();
    assert_eq!(chain, agents.map(|it| Some(json!(it.0))), "{details:#}");
}

#[test]
fn f35_b_resume_tells_a_running_session_what_was_left_once() {
    let sandbox = with_client();
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    let mut first = FakeAgent::start(&sandbox, "s1");
    first.begins("startup").is_silent();
    let mut second = FakeAgent::start(&sandbox, "s2");
    second.begins("startup").is_silent();
    first
        .bowline(&["effort", "start", "login", "implement"])
        .expect(0, &[]);
    let leave = |text: &str| {
        first
            .bowline(&["effort", "dehydrate", text])
            .expect(0, &["once"]);
    };
    leave("The form is done.");
    let resume = ["effort", "resume", "login"];
    let of_person = sandbox.run(&resume);
    of_person.lacks(&["The form is done."]);
    second
        .bowline(&resume)
        .expect(0, &["What the last session left", "The form is done."]);
    second.bowline(&resume).lacks(&["The form is done."]);
    leave("The button is done.");
    let told = second.bowline(&[&resume[..], &["--json"]].concat()).json();
    assert_eq!(told["left"]["summary"], "The button is done.");
    let mut third = FakeAgent::start(&sandbox, "s3");
    let told = third.begins("startup");
    assert!(!told.context().contains("is done"), "{told:?}");
}

#[test]
fn the_hand_over_can_be_switched_off_and_is_bounded() {
    let sandbox = with_client();
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    let mut first = FakeAgent::start(&sandbox, "s1");
    first.begins("startup");
    first.report("UserPromptSubmit", json!({"prompt": "word ".repeat(5_000)}));
    first.bowline(&["note", "add", "Keep this"]).expect(0, &[]);
    let config = |text: &str| {
        sandbox.write("home/.config/bowline/config.toml", text);
        sandbox.run(&["daemon", "restart"]).expect(0, &[]);
    };
    config("[handover]\ndetail = 'off'\n");
    FakeAgent::start(&sandbox, "s2")
        .begins("startup")
        .is_silent();
    for detail in ["summary", "full"] {
        config(&format!(
            "[handover]\ndetail = '{detail}'\nmax_tokens = 100\n"
        ));
        let told = FakeAgent::start(&sandbox, detail).begins("startup");
        assert!(told.context().contains("Keep this"), "{told:?}");
        assert!(told.context().encode_utf16().count() <= 400, "{told:?}");
    }
}

#[test]
fn f36_b_a_dialogue_with_the_user_is_kept() {
    let sandbox = with_client();
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    let mut agent = FakeAgent::start(&sandbox, "s1");
    agent.begins("startup");
    let asked = json!({"questions": [{"question": "Which database?", "header": "DB", "options": [
        {"label": "SQLite", "description": "small"}, {"label": "Postgres", "description": "large"},
    ]}]});
    agent.used(
        "AskUserQuestion",
        asked.clone(),
        json!({"answers": {"Which database?": "SQLite"}}),
    );
    agent.used("AskUserQuestion", asked, json!("no JSON"));
    let said = messages(&sandbox, "s1");
    let dialogues: Vec<&str> = said
        .iter()
        .filter(|it| it["tool"] == "AskUserQuestion")
        .map(|it| it["content"].as_str().unwrap())
        .collect();
    assert_eq!(dialogues.len(), 2, "{said:?}");
    assert!(dialogues[0].contains("Which database?") && dialogues[0].contains("Postgres"));
    assert!(dialogues[0].contains("SQLite"));
}

#[test]
fn f39_b_failures_teammates_and_tasks_leave_a_message() {
    let sandbox = with_client();
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    let mut agent = FakeAgent::start(&sandbox, "s1");
    agent.begins("startup");
    agent.report(
        "PostToolUseFailure",
        json!({"tool_name": "Bash", "tool_use_id": "x", "tool_input": {}, "error": "boom"}),
    );
    agent.report("TaskCompleted", json!({"task_id": "4", "task_subject": "Add a test", "teammate_name": "tester", "team_name": "t"}));
    agent.report(
        "TeammateIdle",
        json!({"teammate_name": "tester", "team_name": "t"}),
    );
    agent.report(
        "PreCompact",
        json!({"trigger": "auto", "custom_instructions": null}),
    );
    agent.report(
        "PreCompact",
        json!({"trigger": "manual", "custom_instructions": "x"}),
    );
    agent.report("StopFailure", json!({"error": "rate_limit", "error_details": "429 Too Many Requests", "last_assistant_message": "API Error: Rate limit reached"}));
    let said = messages(&sandbox, "s1");
    let events: Vec<String> = said
        .iter()
        .filter_map(|it| serde_json::from_str::<Value>(it["content"].as_str()?).ok())
        .filter_map(|it| Some(it["event"].as_str()?.to_owned()))
        .collect();
    assert_eq!(
        events,
        [
            "tool_use_failure",
            "task_completed",
            "teammate_idle",
            "auto_compaction",
            "rate_limit"
        ]
    );
    let fleet = sandbox.json(&["fleet"]);
    let teammate = fleet["agents"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["label"] == "tester");
    assert_eq!(teammate.unwrap()["status"], "done", "{fleet}");
}

/// Only where it is wanted, only in an effort, and only the agent whose context is full.
#[test]
#[cfg(target_os = "linux")]
fn f35_d_auto_compaction_ends_the_agent_that_called_where_that_is_wanted() {
    let sandbox = with_client();
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    let compacts = |agent: &mut FakeAgent<'_>, trigger: &str| {
        agent.report(
            "PreCompact",
            json!({"trigger": trigger, "custom_instructions": null}),
        )
    };
    let (mut full, mut other) = (
        FakeAgent::start(&sandbox, "full"),
        FakeAgent::start(&sandbox, "other"),
    );
    full.begins("startup");
    full.bowline(&["effort", "start", "login", "implement"])
        .expect(0, &[]);
    other.begins("startup");
    compacts(&mut full, "auto").is_silent();
    full.bash("ls").is_silent();
    sandbox.write(
        "home/.config/bowline/config.toml",
        "[effort]\non_auto_compaction = 'end'\n",
    );
    sandbox.run(&["daemon", "restart"]).expect(0, &[]);
    compacts(&mut full, "manual").is_silent();
    full.bash("ls").is_silent();
    compacts(&mut full, "auto");
    full.wait_for_the_end();
    other.bash("ls");
    let sessions = sandbox.json(&["session", "list"]);
    let sessions = sessions["sessions"].as_array().unwrap();
    let of = |name: &str| sessions.iter().find(|it| it["session"] == name).unwrap();
    assert_eq!(of("full")["end_reason"], "overflow", "{sessions:?}");
    assert_eq!(of("other")["ended_at"], Value::Null, "{sessions:?}");
}

/// Nobody writes to it, so that whoever opens it waits for ever.
#[test]
fn a_transcript_that_is_a_pipe_holds_up_nobody() {
    let sandbox = with_client();
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    let mut agent = FakeAgent::start(&sandbox, "piped");
    let made = std::process::Command::new("mkfifo")
        .arg(agent.transcript())
        .status();
    assert!(made.unwrap().success());
    agent.begins("startup");
    agent
        .bowline(&["effort", "start", "login", "implement"])
        .expect(0, &[]);
    agent.used("Bash", json!({"command": "ls"}), json!({"stdout": ""}));
    agent.report("Stop", json!({"stop_hook_active": false}));
    agent.bash("ls").is_silent();
    let mut other = FakeAgent::start(&sandbox, "other");
    assert!(other.begins("startup").context().contains("/login"));
    let warned = sandbox.json(&["log"])["triggers"].to_string();
    assert!(!warned.contains("could not be looked at"), "{warned}");
}

#[test]
fn no_secret_and_no_link_gets_into_an_effort() {
    let sandbox = with_client();
    let mut agent = FakeAgent::start(&sandbox, "s1");
    agent.begins("startup");
    let token = format!(
        "ghp_{}",
        "a1B2c3D4e5F6g7H8i9J0".repeat(2).get(..36).unwrap()
    );
    agent
        .bowline(&["effort", "start", "login", "implement"])
        .expect(0, &[]);
    let phase = format!("1: with {token}");
    agent
        .bowline(&["effort", "phase", &phase, "--proof", &token])
        .expect(0, &[]);
    agent
        .bowline(&["task", "new", "x", "--title", &token])
        .expect(0, &[]);
    let told = FakeAgent::start(&sandbox, "s2").begins("startup");
    assert!(told.context().contains("1: with"), "{told:?}");
    assert!(!told.context().contains(&token), "{told:?}");
    agent
        .bowline(&["effort", "start", "login", &"x".repeat(300)])
        .expect_stderr(2, &["COMMAND_ERROR"]);
    let elsewhere = sandbox.folder("elsewhere");
    let link = sandbox.project().join(".tasks/linked");
    std::fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &link).unwrap();
    agent
        .bowline(&["effort", "start", "linked", "implement"])
        .expect_stderr(2, &["FS_NOT_FOUND", "leads out of the project"]);
    let log = sandbox.project().join(".tasks/login/1_IMPLEMENT_LOG.md");
    std::fs::create_dir_all(log.parent().unwrap()).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&log).status();
    assert!(made.unwrap().success());
    agent
        .bowline(&["effort", "log", "x"])
        .expect_stderr(2, &["FS_NOT_FOUND"]);
}

fn messages(sandbox: &bowline_testkit::Sandbox, session: &str) -> Vec<Value> {
    let said = sandbox.json(&["session", "messages", session]);
    said["messages"].as_array().unwrap().clone()
}
