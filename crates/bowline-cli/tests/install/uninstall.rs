//! `bowline uninstall`.

use std::fs;

use serde_json::json;

use super::bench::Bench;
use super::daemon::Daemon;

const THEIRS: &str = "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"/opt/bowline-hook-log\",\n            \"args\": [\"bowline\"]\n          }\n        ]\n      }\n    ]\n  }\n}\n";

#[test]
fn only_bowlines_entries_go() {
    let bench = Bench::new();
    let file = bench.write("home/.claude/settings.json", THEIRS);
    bench.run(&["init", "--yes"]).expect(0, &["Installed"]);
    bench
        .run(&["uninstall"])
        .expect(2, &["\"claude-code\", \"Stop\"", "not a terminal", "--yes"]);
    bench.run(&["uninstall", "--dry-run"]).expect(
        0,
        &[
            "\"claude-code\", \"Stop\"",
            "as Stop: PreToolUse, ",
            "Nothing was changed",
        ],
    );
    assert_ne!(fs::read_to_string(&file).unwrap(), THEIRS);
    bench
        .run(&["uninstall", "--yes"])
        .expect(0, &["Uninstalled"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), THEIRS);
    bench
        .run(&["uninstall", "--yes"])
        .expect(0, &["Bowline is not in"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), THEIRS);
    assert_eq!(bench.copies(&file).len(), 2);
}

#[test]
fn what_goes_is_not_shown_as_what_stays() {
    let bench = Bench::new();
    bench.write("home/.claude/settings.json", THEIRS);
    bench.run(&["init", "--yes"]).expect(0, &["Installed"]);
    let shown = bench.run(&["uninstall", "--dry-run"]);
    for line in shown.stdout.lines().filter(|line| line.starts_with(' ')) {
        assert!(
            !line.contains("claude-code"),
            "{line} stays in {}",
            shown.stdout
        );
    }
    let removed = |line: &&str| line.starts_with('-') && line.contains("\"command\":");
    let removed = shown.stdout.lines().find(removed);
    assert!(
        removed.is_some_and(|line| line.ends_with(',')),
        "{}",
        shown.stdout
    );
    bench
        .run(&["uninstall", "--yes"])
        .expect(0, &["The file as it was: "]);
}

#[test]
fn other_scopes_that_still_have_it_are_named() {
    let bench = Bench::new();
    bench
        .run(&["init", "--yes", "--scope", "project"])
        .expect(0, &[]);
    bench.run(&["uninstall", "--yes"]).expect(
        0,
        &[
            "Bowline is not in",
            "project/.claude/settings.json still has Bowline; `bowline uninstall --scope project`",
        ],
    );
    bench
        .run(&["uninstall", "--yes", "--scope", "project"])
        .expect(0, &["Uninstalled"]);
    assert!(!bench.path("project/.claude/settings.json").exists());
}

#[test]
fn the_file_is_as_it_was_byte_for_byte() {
    for text in [
        "",
        "\n",
        "{}",
        "{}\n",
        "{\n}\n",
        "{ }",
        "{\"a\":1}",
        "{\n  \"hooks\": {}\n}\n",
        "{\"hooks\": {\"PreToolUse\": []}}",
        "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]}}",
        "{\r\n\t\"a\": 1\r\n}\r\n",
        "\u{feff}{\"a\": 1}",
    ] {
        let bench = Bench::new();
        let file = bench.write("home/.claude/settings.json", text);
        bench.run(&["init", "--yes"]).expect(0, &["Installed"]);
        // Brought up to date, as after another version of the client.
        bench
            .run(&["init", "--yes", "--client-version", "2.1.325"])
            .expect(0, &["Installed"]);
        bench
            .run(&["uninstall", "--yes"])
            .expect(0, &["Uninstalled"]);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}

#[test]
fn a_file_that_init_made_goes_again_but_not_what_others_wrote_to_it() {
    for (scope, name) in [
        ("user", "home/.claude/settings.json"),
        ("project", "project/.claude/settings.json"),
        ("local", "project/.claude/settings.local.json"),
    ] {
        let bench = Bench::new();
        let file = bench.path(name);
        let init = ["init", "--yes", "--scope", scope];
        let uninstall = ["uninstall", "--yes", "--scope", scope];
        bench.run(&init).expect(0, &["Installed"]);
        bench.run(&uninstall).expect(0, &["Uninstalled"]);
        assert!(!file.exists(), "{scope}");

        // As an agent prints it anew.
        bench.run(&init).expect(0, &["Installed"]);
        let text = fs::read_to_string(&file).unwrap();
        let mut settings: serde_json::Value = serde_json::from_str(&text).unwrap();
        fs::write(&file, serde_json::to_string_pretty(&settings).unwrap()).unwrap();
        bench.run(&init).expect(0, &["Already installed"]);
        bench.run(&uninstall).expect(0, &["Uninstalled"]);
        assert!(!file.exists(), "{scope}");

        bench.run(&init).expect(0, &["Installed"]);
        settings["model"] = json!("opus");
        fs::write(&file, serde_json::to_string_pretty(&settings).unwrap()).unwrap();
        let again = [&init[..], &["--client-version", "2.1.325"]].concat();
        bench.run(&again).expect(0, &["Installed"]);
        bench.run(&uninstall).expect(0, &["Uninstalled"]);
        let left: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!(left, json!({"model": "opus"}));
    }
}

#[test]
fn the_daemon_is_stopped_and_the_data_stays() {
    let bench = Bench::new();
    bench.run(&["init", "--yes"]).expect(0, &[]);
    let kept = bench.write("home/.local/share/bowline/bowline.db", "rows");
    let daemon = Daemon::start(&bench.socket(), &[("daemon.stop", json!({}))]);
    bench
        .run(&["uninstall", "--yes"])
        .expect(0, &["The daemon was stopped", "--purge"]);
    assert_eq!(daemon.asked(), ["daemon.stop"]);
    assert!(kept.exists());
}

#[test]
fn the_daemon_of_another_scope_goes_on() {
    let bench = Bench::new();
    for scope in ["user", "local"] {
        bench
            .run(&["init", "--yes", "--scope", scope])
            .expect(0, &[]);
    }
    let daemon = Daemon::start(&bench.socket(), &[("daemon.stop", json!({}))]);
    bench.run(&["uninstall", "--yes"]).expect(
        0,
        &[
            "Uninstalled",
            "The daemon goes on",
            "uninstall --scope local",
        ],
    );
    assert_eq!(daemon.asked(), [""; 0]);
    bench
        .run(&["uninstall", "--yes", "--scope", "local"])
        .expect(0, &["The daemon was stopped"]);
    assert_eq!(daemon.asked(), ["daemon.stop"]);
}

#[test]
fn a_daemon_that_refuses_is_told_and_stops_nothing_else() {
    let bench = Bench::new();
    bench.run(&["init", "--yes"]).expect(0, &[]);
    let _daemon = Daemon::start(&bench.socket(), &[]);
    bench.run(&["uninstall", "--yes"]).expect(
        0,
        &["Uninstalled", "could not be stopped: there is no command"],
    );
}

#[test]
fn a_purge_shows_what_goes_and_leaves_the_rest_alone() {
    let bench = Bench::new();
    bench.write("home/.local/share/bowline/bowline.db", "rows");
    bench.write("home/.local/share/bowline/spool/1", "row");
    let runtime = bench.socket().parent().unwrap().display().to_string();
    let beside = ["losses", "0001.spool"].map(|it| bench.write(&format!("{runtime}/{it}"), "row"));
    let other = bench.write("home/.local/share/other/kept", "");
    std::os::unix::fs::symlink(&other, bench.data().join("link")).unwrap();
    bench.run(&["uninstall", "--purge"]).expect(
        2,
        &["To be deleted for good", "bowline.db", "spool", "--yes"],
    );
    assert!(bench.data().exists());
    bench
        .run(&["uninstall", "--purge", "--yes"])
        .expect(0, &["has been deleted"]);
    assert!(!bench.data().exists() && other.exists());
    assert!(beside.iter().all(|it| !it.exists()), "{beside:?}");
    bench
        .run(&["uninstall", "--purge", "--yes"])
        .expect(0, &["Bowline is not in"]);

    fs::create_dir_all(bench.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(bench.path("elsewhere"), bench.data()).unwrap();
    bench
        .run(&["uninstall", "--purge", "--yes"])
        .expect(2, &["is a link"]);
    assert!(bench.path("elsewhere").exists());
}
