//! The preset that `bowline init` writes, and that `bowline uninstall` leaves.

use std::fs;

use bowline_testkit::{Ran, Sandbox, needs};

use super::installed::installed;

fn own(sandbox: &Sandbox) -> String {
    fs::read_to_string(sandbox.path("home/.config/bowline/config.toml")).unwrap_or_default()
}

#[test]
fn a_preset_that_is_named_is_written_into_the_settings_of_the_scope() {
    let sandbox = installed();
    sandbox
        .run(&["init", "--dry-run", "--preset", "solo"])
        .expect(
            0,
            &[
                "config.toml (new file)",
                "+# Settings of Bowline.",
                "+preset = \"solo\"",
            ],
        );
    assert_eq!(own(&sandbox), "");
    sandbox.run(&["init", "--yes", "--preset", "solo"]).expect(
        0,
        &[
            "Installed: Claude Code",
            "The preset `solo` is in ~/.config/bowline/config.toml now",
            "bowline config show",
        ],
    );
    // No more than was previewed; `bowline config init` writes the long file.
    let text = own(&sandbox);
    assert!(text.ends_with("\npreset = \"solo\"\n"), "{text}");
    assert_eq!(text.lines().count(), 2, "{text}");
    sandbox
        .run(&["init", "--yes", "--preset", "solo"])
        .expect(0, &["is in ~/.config/bowline/config.toml already"]);
    sandbox.write(
        "home/.config/bowline/config.toml",
        "# mine\n[guard]\nmode = 'observe'\n",
    );
    let document = sandbox.json(&["init", "--yes", "--preset", "team"]);
    assert_eq!(document["preset"]["state"], "written");
    assert_eq!(
        own(&sandbox),
        "preset = \"team\"\n# mine\n[guard]\nmode = 'observe'\n"
    );
    let args = ["init", "--yes", "--scope", "project", "--preset", "team"];
    sandbox
        .run(&args)
        .expect(0, &["bowline.toml now", "`bowline trust`"]);
    let text = fs::read_to_string(sandbox.project().join("bowline.toml")).unwrap();
    assert!(text.contains("\npreset = \"team\"\n"), "{text}");

    let document = sandbox.json(&["uninstall", "--yes"]);
    let file = sandbox.path("home/.config/bowline/config.toml");
    assert_eq!(document["own_settings"], file.to_str().unwrap());
    sandbox.run(&["uninstall", "--yes"]).expect(
        0,
        &["Bowline's own settings stay in ~/.config/bowline/config.toml."],
    );
    assert!(file.exists());
}

#[test]
fn nobody_is_asked_for_a_preset_without_a_terminal() {
    let sandbox = installed();
    let ran = sandbox.run(&["init", "--yes"]);
    ran.expect(0, &["Installed"]);
    ran.lacks(&["preset"]);
    assert_eq!(own(&sandbox), "");
}

#[needs(terminal)]
#[test]
fn a_person_is_asked_for_a_preset_when_bowline_was_installed() {
    for (answers, preset, told) in [
        (
            "y\nteam\n",
            Some("team"),
            "agents that delegate to each other",
        ),
        (
            "y\nlots\nsolo\n",
            Some("solo"),
            "Expected one of safe, solo",
        ),
        ("y\n\n", None, "Which preset? [none]"),
    ] {
        let sandbox = installed();
        let line = format!("{} init", sandbox.path("bin/bowline").display());
        let ran = Ran::with_stdin(&mut sandbox.at_terminal(&line), answers.as_bytes());
        ran.expect(0, &["Installed: Claude Code", told]);
        let written = preset.map(|name| format!("\npreset = \"{name}\"\n"));
        match written {
            Some(line) => assert!(own(&sandbox).contains(&line), "{answers:?}\n{ran}"),
            None => assert_eq!(own(&sandbox), "", "{answers:?}"),
        }
    }
    // The answer was no: there is nothing to choose a preset for.
    let sandbox = installed();
    let line = format!("{} init", sandbox.path("bin/bowline").display());
    let ran = Ran::with_stdin(&mut sandbox.at_terminal(&line), b"n\n");
    ran.expect(1, &["Not installed"]);
    ran.lacks(&["Which preset"]);
}
