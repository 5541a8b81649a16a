//! Work that goes from the agent of one vendor to that of another, in one effort.

use std::path::{Path, PathBuf};
use std::{env, fs};

use bowline_agents::named;
use bowline_testkit::{Sandbox, built, needs};
use serde_json::{Value, json};

use super::clients::{played, put_in};

const DONE: &str = "That is all for now.";

fn shell(command: &str) -> Value {
    json!({"text": "Working.", "tools": [{"action": "shell", "command": command}]})
}

/// A session of an agent in which the model says these turns; it has to see these texts, and none of those.
fn session(
    sandbox: &Sandbox,
    agent: &str,
    work: &Path,
    turns: &[Value],
    (sees, never_sees): (&[&str], &[&str]),
) {
    let mut turns = turns.to_vec();
    turns.push(json!({"text": DONE}));
    let scenario = json!({
        "prompt": "Go on with the login, please.",
        "turns": turns,
        "expect": {"exit_code": 0, "result": DONE, "model_sees": sees, "model_never_sees": never_sees},
    });
    let file = sandbox.write("scenario.json", scenario.to_string());
    // What the model was asked before is another session's.
    let _ = fs::remove_dir_all(work.join("out"));
    let summary = played(sandbox, named(agent).unwrap(), &file, work);
    let wrong = summary["failures"].as_array().unwrap();
    assert!(wrong.is_empty(), "{agent}: {wrong:#?}\n{summary:#}");
}

#[needs(codex, gemini, client)]
#[test]
fn an_effort_goes_on_with_the_agent_of_another_vendor() {
    let work = tempfile::Builder::new().prefix("bl").tempdir().unwrap();
    let sandbox = Sandbox::within(work.path());
    sandbox.folder("project/.git");
    // Some agents run commands in login shells.
    let path = format!("PATH={}:$PATH\n", built().display());
    sandbox.write("home/.profile", path);
    let clients = [
        ("codex", "CODEX_BIN"),
        ("gemini", "GEMINI_BIN"),
        ("claude-code", "CLAUDE_BIN"),
    ];
    for (agent, variable) in clients {
        put_in(
            &sandbox,
            agent,
            &PathBuf::from(env::var_os(variable).unwrap()),
        );
    }

    let begins = [
        shell("bowline effort start login implement"),
        shell("bowline effort log 'The form is done'"),
        shell("bowline effort dehydrate 'The form is green. The token is not renewed yet.'"),
    ];
    session(
        &sandbox,
        "codex",
        work.path(),
        &begins,
        (&[], &["You continue an effort"]),
    );
    let goes_on = [shell(
        "bowline effort dehydrate 'The token is renewed. The button is missing.'",
    )];
    let left = &[
        "You continue an effort",
        "The form is green. The token is not renewed yet.",
    ];
    session(&sandbox, "gemini", work.path(), &goes_on, (left, &[]));
    let left = &[
        "You continue an effort",
        "The token is renewed. The button is missing.",
    ];
    session(
        &sandbox,
        "claude-code",
        work.path(),
        &[],
        (left, &["The form is green."]),
    );

    let details = sandbox.json(&["effort", "show"]);
    let sessions = sandbox.json(&["session", "list"]);
    let sessions = sessions["sessions"].as_array().unwrap();
    let agent_of = |row: &Value| {
        let mut of_row = sessions.iter().filter(|it| it["row"] == *row);
        of_row.next().map(|it| it["agent"].as_str().unwrap())
    };
    let chain = details["sessions"].as_array().unwrap();
    let chain: Vec<_> = chain
        .iter()
        .map(|it| (agent_of(&it["session"]), agent_of(&it["previous"])))
        .collect();
    assert_eq!(
        chain,
        [
            (Some("codex"), None),
            (Some("gemini"), Some("codex")),
            (Some("claude-code"), Some("gemini")),
        ],
        "{details:#}"
    );
}
