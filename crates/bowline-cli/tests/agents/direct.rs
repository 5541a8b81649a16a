//! What a session has done before counts, although each event is decided by a process of its own.

use std::fs;

use serde_json::{Value, json};

use super::place::Place;

/// A machine whose user has this file.
fn place_with(file: &str, text: &str) -> Place {
    let place = Place::new();
    let path = place.path("home").join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    place
}

fn call(place: &Place, tool: &str, input: &Value) -> Value {
    json!({
        "session_id": "s1", "cwd": place.path("project"), "hook_event_name": "PreToolUse",
        "tool_name": tool, "tool_input": input,
    })
}

#[test]
fn f40_e_a_second_attempt_passes_without_a_daemon() {
    let place = place_with(
        ".config/bowline/config.toml",
        "[guard]\nmode = 'one-strike'\n",
    );
    let push = call(&place, "Bash", &json!({"command": "git push -f"}));
    assert!(place.direct(&push).contains("deny"));
    let again = place.direct(&push);
    assert!(!again.contains("deny"), "{again}");
    assert!(again.contains("second attempt"), "{again}");
}

#[test]
fn f06_b_a_skill_is_in_use_without_a_daemon() {
    let place = place_with(
        ".config/bowline/config.toml",
        "[bridge]\nclaude_hooks = true\n",
    );
    let skill = place.path("home/.claude/skills/review");
    fs::create_dir_all(&skill).unwrap();
    fs::write(
        skill.join("SKILL.md"),
        "---\nname: review\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          \
         command: echo reviewing >&2; exit 2\n---\n",
    )
    .unwrap();
    let list = call(&place, "Bash", &json!({"command": "ls"}));
    assert_eq!(place.direct(&list), "");
    place.direct(&call(&place, "Skill", &json!({"skill": "review"})));
    assert!(place.direct(&list).contains("reviewing"));
}
