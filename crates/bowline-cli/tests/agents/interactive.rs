//! The real Claude Code in a terminal, with Bowline in it: nothing may stand between the person and the prompt.
//!
//! Needs `CLAUDE_BIN` as `realclient` does, once with each version that is supported.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::place::Place;
use super::realclient::{harness, install, skipped};

#[test]
fn the_client_starts_without_a_warning() {
    let Some(client) = env::var_os("CLAUDE_BIN").filter(|path| Path::new(path).exists()) else {
        return skipped("CLAUDE_BIN does not name the client's program");
    };
    if Command::new("python3").arg("-V").output().is_err() {
        return skipped("python3 is not here");
    }
    let client = PathBuf::from(client);
    for scope in ["user", "project", "local"] {
        let place = Place::new();
        install(&place, &client, scope);
        assert_eq!(shows(&place, &client), "prompt", "{scope}");
    }
    // An event that no client knows: what the test looks for is there to be seen.
    let place = Place::new();
    install(&place, &client, "user");
    let file = place.path("home/.claude/settings.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(
        &file,
        text.replacen("\"SessionEnd\"", "\"NobodyKnowsIt\"", 1),
    )
    .unwrap();
    assert_eq!(shows(&place, &client), "warning");
}

/// What the client opens with.
fn shows(place: &Place, client: &Path) -> String {
    let output = Command::new("python3")
        .arg(harness().join("interactive.py"))
        .arg("--client")
        .arg(client)
        .arg("--home")
        .arg(place.path("home"))
        .arg("--project")
        .arg(place.path("project"))
        .arg("--work")
        .arg(place.path("work"))
        .arg("--env")
        .arg(format!("BOWLINE_SOCKET={}", place.socket().display()))
        .output()
        .unwrap();
    let told: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let shows = told["shows"].as_str().unwrap();
    assert_ne!(shows, "nothing", "{told}");
    shows.to_owned()
}
