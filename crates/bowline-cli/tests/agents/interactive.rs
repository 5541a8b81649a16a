//! The real Claude Code in a terminal, with Bowline in it: nothing may stand between the person and the prompt.
//!
//! Needs `CLAUDE_BIN` as `realclient` does, once with each version that is supported.

use std::fs;
use std::path::Path;
use std::process::Command;

use bowline_testkit::{Ran, Sandbox, needs};

use super::realclient::{harness, install, real_client};
use super::reporting::with_client;

#[needs(client)]
#[test]
fn the_client_starts_without_a_warning() {
    let client = real_client();
    for scope in ["user", "project", "local"] {
        let sandbox = with_client();
        install(&sandbox, &client, scope);
        assert_eq!(shows(&sandbox, &client), "prompt", "{scope}");
    }
    // An event that no client knows: what the test looks for is there to be seen.
    let sandbox = with_client();
    install(&sandbox, &client, "user");
    let file = sandbox.path("home/.claude/settings.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(
        &file,
        text.replacen("\"SessionEnd\"", "\"NobodyKnowsIt\"", 1),
    )
    .unwrap();
    assert_eq!(shows(&sandbox, &client), "warning");
}

/// What the client opens with.
fn shows(sandbox: &Sandbox, client: &Path) -> String {
    let mut command = Command::new("python3");
    command
        .arg(harness().join("interactive.py"))
        .arg("--client")
        .arg(client)
        .arg("--home")
        .arg(sandbox.path("home"))
        .arg("--project")
        .arg(sandbox.path("project"))
        .arg("--work")
        .arg(sandbox.path("work"))
        .arg("--env")
        .arg(format!("BOWLINE_SOCKET={}", sandbox.socket().display()));
    let told = Ran::of(&mut command).json();
    let shows = told["shows"].as_str().unwrap();
    assert_ne!(shows, "nothing", "{told}");
    shows.to_owned()
}
