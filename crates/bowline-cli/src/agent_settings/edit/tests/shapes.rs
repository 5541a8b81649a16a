//! Every shape beside Claude Code's.

use super::*;
use crate::agent_settings::edit::shapes::{CODEX, COPILOT, CURSOR, DROID, GEMINI, WINDSURF};

const ALL: [&Shape; 7] = [
    &CLAUDE, &CODEX, &COPILOT, &CURSOR, &DROID, &GEMINI, &WINDSURF,
];

/// As this shape can say it.
fn entry(shape: &Shape, event: &str, blocks_on_failure: bool) -> Entry {
    Entry {
        timeout: shape.has_timeouts().then_some(60),
        blocks_on_failure,
        ..line(event)
    }
}

#[test]
fn an_entry_is_written_as_the_agent_reads_it() {
    for (shape, blocks_on_failure, expected) in [
        (
            &CLAUDE,
            true,
            r#"{
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "bowline-hook claude-code Stop", "timeout": 60, "onFailure": "block"}]}]
  }
}
"#,
        ),
        (
            &CODEX,
            false,
            r#"{
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "bowline-hook claude-code Stop", "timeout": 60}]}]
  }
}
"#,
        ),
        (
            &COPILOT,
            false,
            r#"{
  "version": 1,
  "hooks": {
    "Stop": [{"type": "command", "command": "bowline-hook claude-code Stop", "timeout": 60}]
  }
}
"#,
        ),
        (
            &CURSOR,
            true,
            r#"{
  "version": 1,
  "hooks": {
    "Stop": [{"command": "bowline-hook claude-code Stop", "timeout": 60, "failClosed": true}]
  }
}
"#,
        ),
        (
            &DROID,
            false,
            r#"{
  "Stop": [{"hooks": [{"type": "command", "command": "bowline-hook claude-code Stop", "timeout": 60}]}]
}
"#,
        ),
        (
            &GEMINI,
            false,
            r#"{
  "hooks": {
    "Stop": [{"hooks": [{"name": "bowline", "type": "command", "command": "bowline-hook claude-code Stop", "timeout": 60000}]}]
  }
}
"#,
        ),
        (
            &WINDSURF,
            false,
            r#"{
  "hooks": {
    "Stop": [{"command": "bowline-hook claude-code Stop", "show_output": true}]
  }
}
"#,
        ),
    ] {
        let wanted = entry(shape, "Stop", blocks_on_failure);
        for text in ["", "{}\n"] {
            let installed = shape
                .install(text, std::slice::from_ref(&wanted), &[])
                .unwrap();
            assert_eq!(installed, expected);
        }
        let [found] = shape.found(expected).unwrap().try_into().unwrap();
        assert_eq!(found.entry, wanted, "{expected}");
        assert_eq!(found.matcher, None);
        assert_eq!(shape.uninstall(expected, &|_| true).unwrap(), "{}\n");
    }
}

/// Theirs, without a blank, where the events are under a key. `ENTRY` stands for one of theirs.
const UNDER_A_KEY: [&str; 5] = [
    r#"{"version":1,"hooks":{"Stop":[ENTRY]}}"#,
    r#"{"version":1,"z":[1,2],}"#,
    r#"{"hooks":{"Stop":[ENTRY,],},"version":1,}"#,
    r#"{"version":1,"hooks":{"Stop":[1,null]},"z":true}"#,
    r#"{"version":7,"hooks":{"PreToolUse":[ENTRY,ENTRY],"Stop":[{}]}}"#,
];

/// Theirs where the events are at the top level.
const AT_TOP_LEVEL: [&str; 7] = [
    r#"{"hooksDisabled":false,"Stop":[ENTRY]}"#,
    r#"{"Stop":[ENTRY]}"#,
    r#"{"$schema":"x","z":[1,2],}"#,
    r#"{"hooks":{"Stop":[ENTRY]}}"#,
    r#"{"Other":[ENTRY,],"$schema":"x","Stop":[ENTRY,],}"#,
    r#"{"z":1,"Stop":[1,null]}"#,
    r#"{"PreToolUse":[ENTRY,ENTRY],"z":{},"Stop":[{}]}"#,
];

/// An entry of somebody else.
fn theirs_in(shape: &Shape) -> &'static str {
    match shape.entries {
        Entries::Groups => {
            r#"{"matcher":"x","hooks":[{"type":"command","command":"x"},{"type":"http"}]}"#
        }
        Entries::Handlers => r#"{"type":"command","command":"x","timeout":5}"#,
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(3000))]

    #[test]
    fn every_shape_comes_and_goes_byte_for_byte(
        shape in 0..ALL.len(),
        theirs in 0_usize..64,
        gaps in proptest::collection::vec(0_usize..9, 1..40),
    ) {
        let shape = ALL[shape];
        let theirs = match shape.key() {
            Some(_) => UNDER_A_KEY[theirs % UNDER_A_KEY.len()],
            None => AT_TOP_LEVEL[theirs % AT_TOP_LEVEL.len()],
        };
        let text = written(&theirs.replace("ENTRY", theirs_in(shape)), &gaps);
        let entries = ["PreToolUse", "Stop", "SessionStart", "Setup"];
        comes_and_goes(shape, &text, &entries.map(|event| entry(shape, event, false)));
    }
}

#[test]
fn what_a_person_added_to_an_entry_stays() {
    for (shape, older, expected) in [
        (
            &GEMINI,
            r#"{"hooks": {"Stop": [{"hooks": [{"name": "policy", "type": "command", "command": "/old/bowline-hook gemini Stop", "timeout": 5}]}]}}"#,
            r#"{"hooks": {"Stop": [{"hooks": [{"name": "policy", "type": "command", "command": "bowline-hook claude-code Stop", "timeout": 60000}]}]}}"#,
        ),
        (
            &GEMINI,
            r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/old/bowline-hook gemini Stop", "env": {}}]}]}}"#,
            r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "bowline-hook claude-code Stop", "timeout": 60000, "env": {}}]}]}}"#,
        ),
        (
            &CURSOR,
            r#"{"hooks": {"Stop": [{"command": "x"}, {"command": "/old/bowline-hook cursor stop", "failClosed": true, "loop_limit": 2}]}, "version": 3}"#,
            r#"{"hooks": {"Stop": [{"command": "x"}, {"command": "bowline-hook claude-code Stop", "timeout": 60, "loop_limit": 2}]}, "version": 3}"#,
        ),
        (
            &COPILOT,
            "{\n  \"version\": 1,\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"type\": \"command\",\n        \"command\": \"/old/bowline-hook copilot agentStop\"\n      }\n    ]\n  }\n}",
            "{\n  \"version\": 1,\n  \"hooks\": {\n    \"Stop\": [{\"type\": \"command\", \"command\": \"bowline-hook claude-code Stop\", \"timeout\": 60}]\n  }\n}",
        ),
        (
            &WINDSURF,
            r#"{"hooks": {"Stop": [{"command": "/old/bowline-hook windsurf x", "show_output": false}]}}"#,
            r#"{"hooks": {"Stop": [{"command": "bowline-hook claude-code Stop", "show_output": false}]}}"#,
        ),
    ] {
        let wanted = entry(shape, "Stop", false);
        let updated = shape
            .install(older, std::slice::from_ref(&wanted), &[])
            .unwrap();
        assert_eq!(updated, expected);
        assert_eq!(shape.found(&updated).unwrap().len(), 1);
    }
}

/// What the file must say beside its hooks is written where it is missing, and goes with us if nothing else is there.
#[test]
fn what_a_file_must_say_comes_once_and_goes_last() {
    let wanted = entry(&CURSOR, "Stop", false);
    for (text, without) in [
        ("{\n  \"version\": 1\n}\n", "{}\n"),
        (
            "{\n  // mine\n  \"version\": 1\n}\n",
            "{\n  // mine\n  \"version\": 1\n}\n",
        ),
        ("{\n  \"version\": 2\n}\n", "{\n  \"version\": 2\n}\n"),
        (
            "{\n  \"hooks\": {\"other\": [{\"command\": \"x\"}]}\n}\n",
            "{\n  \"hooks\": {\"other\": [{\"command\": \"x\"}]},\n  \"version\": 1\n}\n",
        ),
    ] {
        let installed = CURSOR
            .install(text, std::slice::from_ref(&wanted), &[])
            .unwrap();
        assert_eq!(installed.matches("\"version\"").count(), 1, "{installed}");
        assert_eq!(
            CURSOR.uninstall(&installed, &|_| true).unwrap(),
            without,
            "{installed}"
        );
        assert_eq!(
            CURSOR.install(text, &[], &[]).unwrap(),
            text,
            "there is nothing to say"
        );
    }
}

/// Beside the events there may be what switches them off.
#[test]
fn what_is_no_event_is_left_alone() {
    let text = r#"{"hooks": {"enabled": true, "disabled": ["x"]}}"#;
    let wanted = [entry(&GEMINI, "Stop", false)];
    let installed = GEMINI.install(text, &wanted, &[]).unwrap();
    assert_eq!(GEMINI.found(&installed).unwrap().len(), 1);
    assert_eq!(GEMINI.uninstall(&installed, &|_| true).unwrap(), text);
    let unfit = CLAUDE.install(text, &wanted, &[]).unwrap_err();
    assert!(
        unfit
            .message
            .contains("`hooks.enabled` is true; expected a list of groups"),
        "{unfit}"
    );
}

#[test]
fn a_file_in_another_shape_is_told_with_its_line() {
    for (shape, text, line, message) in [
        (
            &DROID,
            "{\n  \"z\": 1,\n  \"Stop\": {}\n}",
            3,
            "`Stop` is an object; expected a list of groups",
        ),
        (
            &CURSOR,
            "{\n  \"hooks\": {\n    \"Stop\": 1\n  }\n}",
            3,
            "`hooks.Stop` is the number 1; expected a list of hooks",
        ),
        (
            &COPILOT,
            "{\n  \"hooks\": []\n}",
            2,
            "`hooks` is a list; expected an object of events",
        ),
    ] {
        let unfit = shape
            .install(text, &[entry(shape, "Stop", false)], &[])
            .unwrap_err();
        assert_eq!((unfit.line, unfit.message.as_str()), (line, message));
    }
}

/// Handlers of another kind, of another shape, or of somebody else are none of ours.
#[test]
fn only_what_the_agent_would_start_is_found() {
    for (shape, text, expected) in [
        (
            &DROID,
            r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "bowline-hook droid Stop"}]}]}}"#,
            0,
        ),
        (
            &DROID,
            r#"{"Stop": [{"hooks": [{"type": "command", "command": "bowline-hook droid Stop"}]}], "z": 1}"#,
            1,
        ),
        (
            &CURSOR,
            r#"{"hooks": {"Stop": [{"hooks": [{"command": "bowline-hook cursor stop"}]}]}}"#,
            0,
        ),
        (
            &CURSOR,
            r#"{"hooks": {"Stop": [{"command": "bowline-hook cursor stop"}, {"type": "prompt", "prompt": "bowline-hook cursor stop"}]}}"#,
            1,
        ),
        (
            &COPILOT,
            r#"{"hooks": {"Stop": [{"type": "http", "command": "bowline-hook copilot x"}, {"command": "bowline-hook copilot x"}]}}"#,
            0,
        ),
        (
            &GEMINI,
            r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "bowline-hook gemini x"}]}]}}"#,
            1,
        ),
    ] {
        assert_eq!(shape.found(text).unwrap().len(), expected, "{text}");
    }
    let narrowed = r#"{"version": 1, "hooks": {"Stop": [{"matcher": "Bash", "command": "bowline-hook cursor stop"}]}}"#;
    let [found] = CURSOR.found(narrowed).unwrap().try_into().unwrap();
    assert_eq!(found.matcher.as_deref(), Some("Bash"));
    let installed = CURSOR
        .install(narrowed, &[entry(&CURSOR, "Stop", false)], &[])
        .unwrap();
    assert_eq!(CURSOR.found(&installed).unwrap()[0].matcher, None);
}

#[test]
fn a_key_at_the_top_level_that_comes_twice_is_told() {
    let twice = "{\n  \"Stop\": [],\n  \"hooks\": 1,\n  \"Stop\": []\n}";
    let [shadowed] = DROID.shadowed(twice).unwrap().try_into().unwrap();
    assert_eq!((shadowed.line, shadowed.read_line), (2, 4));
    let installed = DROID
        .install(twice, &[entry(&DROID, "Stop", false)], &[])
        .unwrap();
    let read = read_by_the_agent(&installed);
    assert_eq!(read["Stop"][0]["hooks"][0]["timeout"], 60, "{installed}");
    assert_eq!(
        DROID.uninstall(&installed, &|_| true).unwrap(),
        "{\n  \"Stop\": [],\n  \"hooks\": 1\n}"
    );
}
