//! `bowline config`: what holds, where it comes from, and a file to begin with.

use std::fs;

use bowline_testkit::Sandbox;
use serde_json::{Value, json};

/// The setting of a key in a document.
fn setting<'d>(document: &'d Value, key: &str) -> &'d Value {
    let settings = document["settings"].as_array().unwrap();
    let found = settings.iter().find(|it| it["key"] == key);
    found.unwrap_or_else(|| panic!("no {key}: {document:#}"))
}

#[test]
fn each_value_names_its_file_line_and_preset() {
    let sandbox = Sandbox::with_repository();
    sandbox
        .run(&["config", "show"])
        .expect(0, &["Every setting is as by default.", "config show --all"]);
    sandbox.write(
        "home/.config/bowline/config.toml",
        "preset = \"team\"\n\n[leases]\nmode = \"deny\"\n",
    );
    sandbox.write_in_project(
        "bowline.toml",
        "[guard]\nallow.rules = [\"git.push-force\"]\ncategories.delete = \"deny\"\n[store]\nkeep_days = 2\n",
    );
    let user = sandbox.path("home/.config/bowline/config.toml");
    let document = sandbox.json(&["config", "show"]);
    assert_eq!(document["preset"], "team");
    let secrets = setting(&document, "guard.secrets");
    assert_eq!(
        *secrets,
        json!({
            "key": "guard.secrets", "value": "deny", "default": "off",
            "source": {"file": user, "line": 1, "scope": "global", "preset": "team"},
        })
    );
    let leases = setting(&document, "leases.mode");
    assert_eq!(leases["value"], "deny");
    assert_eq!(leases["source"]["line"], 4);
    assert_eq!(leases["source"]["preset"], Value::Null);
    // A project may tighten before it is trusted.
    let delete = setting(&document, "guard.categories.delete");
    assert_eq!(delete["source"]["scope"], "project");
    let vain = document["not_in_force"].as_array().unwrap();
    let vain: Vec<_> = (vain.iter())
        .map(|it| (it["key"].as_str().unwrap(), it["code"].as_str().unwrap()))
        .collect();
    assert_eq!(
        vain,
        [
            ("guard.allow.rules", "untrusted"),
            ("store.keep_days", "not-in-projects")
        ]
    );
    sandbox.run(&["config", "show"]).expect(
        0,
        &[
            "leases.mode",
            "~/.config/bowline/config.toml:4",
            "~/.config/bowline/config.toml:1 (preset team)",
            "Not in force:",
            "the project's settings are not trusted",
        ],
    );
    sandbox.run(&["trust", "--yes"]);
    let document = sandbox.json(&["config", "show", "leases.mode"]);
    assert_eq!(document["settings"].as_array().unwrap().len(), 1);
    // Who asks for a key is told what other places say, too.
    let overridden = &document["not_in_force"][0];
    assert_eq!(
        (&overridden["value"], &overridden["status"]),
        (&json!("ask"), &json!("overridden"))
    );
    let document = sandbox.json(&["config", "show", "handover"]);
    assert_eq!(setting(&document, "handover.max_tokens")["value"], 2500);
    assert_eq!(
        setting(&document, "handover.max_tokens")["source"],
        Value::Null
    );
    let all = sandbox.json(&["config", "show", "--all"]);
    assert!(all["settings"].as_array().unwrap().len() > 40, "{all:#}");
    sandbox
        .run(&["config", "show", "lease.mode"])
        .expect_stderr(2, &["no setting is called `lease.mode`", "`leases.mode`"]);
}

#[test]
fn what_replaces_a_preset_is_shown_and_a_preset_that_is_unknown_is_told() {
    let sandbox = Sandbox::with_repository();
    let file = "home/.config/bowline/config.toml";
    sandbox.write(file, "preset = \"team\"\n[guard]\nsecrets = \"off\"\n");
    let document = sandbox.json(&["config", "show"]);
    let secrets = setting(&document, "guard.secrets");
    assert_eq!(secrets["value"], secrets["default"]);
    assert_eq!(secrets["source"]["line"], 3);
    assert_eq!(document["findings"], json!([]));

    sandbox.write(file, "preset = \"pair\"\n[leases]\nmodes = \"deny\"\n");
    sandbox.run(&["config", "show"]).expect(
        0,
        &[
            "2 problems in the settings (~/.config/bowline/config.toml): see `bowline check`",
            "~/.config/bowline/config.toml:1: `preset` is the string \"pair\"",
            "`safe` or `solo` or `team` or `collective`",
        ],
    );
    let document = sandbox.json(&["config", "show"]);
    assert_eq!(document["findings"][0]["code"], "wrong-value");
}

#[test]
fn a_file_to_begin_with_says_nothing_and_replaces_no_other() {
    let sandbox = Sandbox::with_repository();
    sandbox.run(&["config", "init"]).expect(
        0,
        &[
            "Written: ",
            "bowline.toml.",
            "bowline trust",
            "bowline config show",
        ],
    );
    let file = sandbox.project().join("bowline.toml");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("\n#mode = \"enforce\"\n"), "{text}");
    sandbox.run(&["check"]).expect(0, &[]);
    let document = sandbox.json(&["config", "show"]);
    assert_eq!(document["settings"], json!([]));
    sandbox
        .run(&["config", "init", "--preset", "team"])
        .expect_stderr(2, &["exists already", "preset = \"team\"", "--force"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    let document = sandbox.json(&["config", "init", "--preset", "team", "--force"]);
    assert_eq!(document["preset"], "team");
    let backup = document["backup"].as_str().unwrap();
    assert_eq!(fs::read_to_string(backup).unwrap(), text);
    assert_eq!(sandbox.json(&["config", "show"])["preset"], "team");

    let document = sandbox.json(&["config", "init", "--global", "--preset", "solo"]);
    assert_eq!(
        document["file"],
        json!(sandbox.path("home/.config/bowline/config.toml"))
    );
    sandbox
        .run(&["config", "init", "--preset", "pair"])
        .expect_stderr(2, &["safe", "solo", "team", "collective"]);
}
