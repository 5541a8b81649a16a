//! `bowline store`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::history::History;

fn calls(history: &History) -> usize {
    history.json(&["trace", "list"])["traces"]
        .as_array()
        .unwrap()
        .len()
}

#[test]
fn the_place_and_the_size_are_told() {
    let history = History::after_work();
    let database = history.data().join("bowline.db");
    let ran = history.run_at(24, &["store", "path"]);
    assert_eq!(ran.stdout, format!("{}\n", database.display()));
    assert_eq!(history.json(&["store", "path"])["exists"], true);
    history
        .run(&["store", "size"])
        .expect(0, &["2 sessions, 7 calls since 20", "On disk", "kB"]);
    let size = history.json(&["store", "size"]);
    assert!(size["on_disk"].as_u64().unwrap() > 0);
    assert_eq!((&size["sessions"], &size["calls"]), (&2.into(), &7.into()));
    history.run(&["store", "compact"]).expect(0, &["on disk"]);
    assert_eq!(calls(&history), 7);
}

#[test]
fn a_backup_is_private_whole_and_overwrites_nothing() {
    let history = History::after_work();
    history
        .run(&["store", "backup", "copy.db"])
        .expect(0, &["Copied to"]);
    let copy = history.path("project/copy.db");
    assert_eq!(
        fs::metadata(&copy).unwrap().permissions().mode() & 0o777,
        0o600
    );

    let restored = History::new();
    fs::create_dir_all(restored.data()).unwrap();
    fs::copy(&copy, restored.data().join("bowline.db")).unwrap();
    assert_eq!(calls(&restored), 7);

    fs::write(history.path("project/mine"), "mine").unwrap();
    history
        .run(&["store", "backup", "mine"])
        .expect_stderr(2, &["exists already and was left alone"]);
    assert_eq!(fs::read(history.path("project/mine")).unwrap(), b"mine");
    history
        .run(&["store", "backup", "no/such/folder/copy.db"])
        .expect_stderr(2, &["error:"]);
}

#[test]
fn forgetting_shows_what_goes_and_asks() {
    let history = History::after_work();
    // Standard input is no terminal, so nobody can say yes.
    for (args, expected) in [
        (
            &["--session", "s-1"][..],
            "Session s-1: 2 sessions with 6 tool calls",
        ),
        (&["--project", "."], "2 sessions with 7 tool calls"),
        (&["--before", "1s"], "all or a part of 2 sessions"),
        (&["--all"], "Everything: 2 sessions with 7 tool calls"),
    ] {
        history
            .run(&[&["store", "forget"], args].concat())
            .expect(2, &[expected])
            .expect_stderr(2, &["cannot ask", "--yes"]);
    }
    let told = [
        "no recorded session is called `nobody`",
        "bowline session list",
    ];
    let forget = ["store", "forget", "--session", "nobody"];
    history.run(&forget).expect_stderr(2, &told);
    let forget = [&forget[..], &["--yes"]].concat();
    history.run(&forget).expect_stderr(2, &told);
    let forget = [&forget[..], &["--json"]].concat();
    history.run(&forget).expect(2, &told);
    let forget = ["store", "forget", "--project", "/nowhere"];
    let unknown = ["No project `/nowhere` is recorded"];
    history
        .run(&forget)
        .expect(0, &["nothing was forgotten"])
        .expect_stderr(0, &unknown);
    for more in [&["--yes"][..], &["--yes", "--json"]] {
        let forget = [&forget[..], more].concat();
        history.run(&forget).expect_stderr(0, &unknown);
    }
    for more in [&[][..], &["--yes"]] {
        let forget = [&["store", "forget", "--session", ""][..], more].concat();
        let told = ["expected the name of a session"];
        history.run(&forget).expect_stderr(2, &told);
    }
    history
        .run(&["store", "forget", "--all", "--json"])
        .expect(2, &["--yes"]);
    assert_eq!(calls(&history), 7, "nothing was forgotten without a yes");

    history
        .run(&["store", "forget", "--session", "s-1", "--yes"])
        .expect(0, &["6 tool calls"]);
    assert_eq!(calls(&history), 1);
    history
        .run(&["store", "forget", "--session", "s-2"])
        .expect(2, &["Session s-2: 1 session with 1 tool call."]);
    let document = history.json(&["store", "forget", "--project", ".", "--yes"]);
    assert_eq!(document["forgotten"]["traces"], 1);
    history
        .run(&["trace", "list"])
        .expect(0, &["No tool call is like that"]);
}

#[test]
fn what_is_forgotten_is_not_quoted_by_the_log_either() {
    let history = History::after_work();
    let logs = ["daemon.log", "daemon.log.1"].map(|name| history.data().join(name));
    for log in &logs {
        std::fs::write(log, "a hook failed at NEEDLE").unwrap();
    }
    history
        .run(&["store", "forget", "--session", "s-1", "--yes"])
        .expect(0, &["6 tool calls"]);
    for log in &logs {
        let text = std::fs::read_to_string(log).unwrap_or_default();
        assert!(!text.contains("NEEDLE"), "{}", log.display());
    }
}

#[test]
fn figures_of_days_count_nothing_that_is_forgotten() {
    let history = History::after_work();
    let written = history.json(&["metrics", "write"]);
    let today = std::path::PathBuf::from(written["file"].as_str().unwrap());
    let executions = || -> serde_json::Value {
        let text = fs::read_to_string(&today).unwrap();
        let day: serde_json::Value = serde_json::from_str(&text).unwrap();
        day["performance_metrics"]["tool_executions"].clone()
    };
    assert_eq!(executions(), 6, "one of the seven was denied");
    // Days of which the store knows nothing any more.
    let old = history.data().join("metrics/metrics-20260102.json");
    let archived = history
        .data()
        .join("metrics/archives/2026-01/metrics-20260101.json");
    fs::create_dir_all(archived.parent().unwrap()).unwrap();
    for file in [&old, &archived] {
        fs::write(file, "{}").unwrap();
    }
    history
        .run(&["store", "forget", "--session", "s-1", "--yes"])
        .expect(0, &["6 tool calls"]);
    assert_eq!(executions(), 1);
    history
        .run(&["store", "forget", "--before", "2026-01-02", "--yes"])
        .expect(0, &["0 tool calls"]);
    assert!(!archived.exists() && old.exists());
    history
        .run(&["store", "forget", "--project", ".", "--yes"])
        .expect(0, &["1 tool call"]);
    assert!(!today.exists(), "nothing of this day is left");
    assert!(old.exists(), "a session is forgotten, not a day");
    history
        .run(&["store", "forget", "--all", "--yes"])
        .expect(0, &["Forgotten"]);
    assert!(!old.exists());
}
