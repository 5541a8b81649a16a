//! `bowline session`.

use super::history::History;

#[test]
fn sessions_are_listed_last_heard_of_first() {
    let history = History::after_work();
    let document = history.json(&["session", "list"]);
    let names: Vec<&str> = document["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|session| session["session"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["s-2", "s-1"]);
    for (filter, count) in [
        (&["--agent", "claude-code"][..], 2),
        (&["--agent", "codex"], 0),
        (&["--limit", "1"], 1),
        (&["--project", "."], 2),
        (&["--project", "/nowhere"], 0),
        (&["--since", "1s"], 0),
    ] {
        let document = history.json(&[&["session", "list"], filter].concat());
        assert_eq!(
            document["sessions"].as_array().unwrap().len(),
            count,
            "{filter:?}"
        );
    }
    history.run(&["session", "list"]).expect(
        0,
        &[
            "s-1",
            "claude-code",
            "active",
            "find the bug in the parser",
            "6 s",
        ],
    );
    let first = &document["sessions"][1];
    assert_eq!(first["first_prompt"], "find the bug in the parser");
    let counts = ["calls", "errors", "denied"].map(|name| first[name].as_i64().unwrap());
    assert_eq!(counts, [6, 1, 1]);
    // One that goes on is still one.
    history.record(vec![super::history::with(
        history.event("SessionStart", "s-1", 9_000),
        bowline_store::Change::SessionStarted {
            source: Some("resume".into()),
            model: None,
            previous: None,
        },
    )]);
    let again = history.json(&["session", "list"]);
    let names = again["sessions"].as_array().unwrap().iter();
    let names: Vec<_> = names.map(|it| it["session"].as_str().unwrap()).collect();
    assert_eq!(names, ["s-1", "s-2"]);
    assert_eq!(again["sessions"][0]["started_at"], first["started_at"]);
    history
        .run(&["session", "list", "--agent", "codex"])
        .expect(0, &["No session is like that"]);
}

#[test]
fn a_session_shows_agents_prompts_tools_errors_and_what_happened() {
    let history = History::after_work();
    history.run(&["session", "show", "s-1"]).expect(
        0,
        &[
            "s-1  active",
            "Agent     claude-code (large)",
            "explorer",
            "completed",
            "Tools",
            "Errors",
            "exit code 101",
            "❯ find the bug in the parser",
            "  Task  ok  3.5 s",
            "    Read  ok  50 ms",
        ],
    );
    let document = history.json(&["session", "show", "s-1", "--limit", "2"]);
    assert_eq!(document["traces"].as_array().unwrap().len(), 2);
    assert_eq!(document["prompts"][0]["text"], "find the bug in the parser");
    assert_eq!(document["delegations"][0]["to"], "explorer");
    assert_eq!(document["statistics"]["looked_at"], 6);
    history
        .run(&["session", "show", "s-1", "--limit", "2"])
        .expect(0, &["4 earlier calls"]);
    history
        .run(&["session", "show", "s"])
        .expect_stderr(2, &["2 sessions have a name that begins with `s`"]);
    history.run(&["session", "show", "nobody"]).expect_stderr(
        2,
        &["no recorded session is called `nobody`", "session list"],
    );
}
