//! What the README shows must be so: its settings are valid, and there is every command and option that it names.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use bowline_testkit::Sandbox;

const README: &str = include_str!("../../../../README.md");

/// The blocks of code, each after the line with its language.
fn blocks() -> impl Iterator<Item = (&'static str, &'static str)> {
    let blocks = README.split("```").skip(1).step_by(2);
    blocks.filter_map(|block| block.split_once('\n'))
}

#[test]
fn its_settings_are_valid() {
    let samples = blocks().filter(|(language, _)| *language == "toml");
    for (_, sample) in samples {
        let sandbox = Sandbox::with_repository();
        sandbox.write_in_project("check.sh", "#!/bin/sh\n");
        let script = sandbox.project().join("check.sh");
        fs::set_permissions(script, Permissions::from_mode(0o755)).unwrap();
        let is_persons = sample.starts_with("# ~/.config/bowline/config.toml");
        let file = if is_persons {
            "../home/.config/bowline/config.toml"
        } else {
            "bowline.toml"
        };
        sandbox.write_in_project(file, sample);
        let (code, document) = sandbox.code_and_json(&["check"]);
        let findings = document["findings"].as_array().unwrap();
        // That what a project says needs trust is only noted.
        let wrong: Vec<_> = (findings.iter())
            .filter(|finding| finding["severity"] != "note")
            .collect();
        assert!(wrong.is_empty() && code == Some(0), "{sample}\n{wrong:#?}");
    }
}

#[test]
fn its_agents_are_those_that_bowline_speaks_with() {
    let agents = README.split("[guard.agents.").skip(1);
    for agent in agents.filter_map(|rest| rest.split(']').next()) {
        let speaks = bowline_agents::named(agent).is_some_and(|it| it.protocol().is_some());
        assert!(speaks, "{agent}");
    }
}

#[test]
fn its_commands_exist() {
    let sandbox = Sandbox::with_repository();
    let lines = blocks()
        .flat_map(|(_, block)| block.lines())
        .map(|line| line.trim_start_matches("$ "));
    let text: String = README.split("```").step_by(2).collect();
    let text = text.replace('\n', " ");
    let quoted = text.split('`').skip(1).step_by(2);
    let mut seen = 0;
    for named in lines.chain(quoted) {
        let Some(line) = named.strip_prefix("bowline ") else {
            continue;
        };
        seen += 1;
        let line = line.split(" #").next().unwrap_or(line);
        let mut words = line.split_whitespace();
        let mut help = help_of(&sandbox, &[words.next().unwrap_or_default()]);
        let second = words
            .clone()
            .next()
            .filter(|word| help.contains("\nCommands:") && !word.starts_with("--"));
        for action in second.into_iter().flat_map(|it| it.split('|')) {
            let command = line.split_whitespace().next().unwrap_or_default();
            help = help_of(&sandbox, &[command, action]);
        }
        for option in words.filter(|word| word.starts_with("--")) {
            assert!(help.contains(option), "`{named}`: {option}");
        }
    }
    assert!(seen > 40, "only {seen} commands");
}

fn help_of(sandbox: &Sandbox, command: &[&str]) -> String {
    let ran = sandbox.run(&[command, &["--help"]].concat());
    ran.expect(0, &[&format!("Usage: bowline {}", command.join(" "))]);
    ran.stdout.clone()
}
