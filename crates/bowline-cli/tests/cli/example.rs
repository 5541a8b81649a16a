//! Settings that several tests use.

use std::fs;
use std::path::{Path, PathBuf};

use bowline_testkit::Sandbox;
use serde_json::json;

/// A sandbox with the project that the documentation shows.
pub(super) fn example_project() -> Sandbox {
    let sandbox = Sandbox::with_repository();
    copy_folder(&example(), sandbox.project());
    sandbox
}

pub(super) fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/project")
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Settings with one hook of Claude Code's form.
pub(super) fn one_hook(event: &str, matcher: &str, command: &str) -> String {
    json!({"hooks": {event: [{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}]}})
        .to_string()
}
