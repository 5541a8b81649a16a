//! Inputs that do nothing but fail and say why: what a call runs with that is denied.
//!
//! The reason is somebody's text, with commands in it. No shell and no tool may find anything in it that it could do.

use serde_json::{Value, json};

/// What begins every reason.
const DENIED: &str = "This call was denied. ";
/// A longer reason is cut.
const LONGEST: usize = 2_000;

/// Nothing is below this file.
const NOWHERE: &str = "/dev/null/";
const COMMAND: (&str, &str) = ("printf '%s\\n' '", "' >&2; exit 1");
/// What no regular expression begins with.
const NO_PATTERN: &str = "(?";
/// What nobody fetches from.
const NO_ADDRESS: &str = "denied:";

/// Whether a call of this tool can be made to fail.
pub(super) fn is_known(tool: &str) -> bool {
    input(tool, "").is_some()
}

/// What a call runs with that is denied for this reason.
pub(super) fn input(tool: &str, reason: &str) -> Option<Value> {
    let text = harmless(&format!("{DENIED}{reason}"));
    // A path has parts, and one of them may lead back.
    let name = || text.replace('/', "\u{2215}").replace('\n', " ");
    Some(match tool {
        "run_commands" => json!({"commands": [format!("{}{text}{}", COMMAND.0, COMMAND.1)]}),
        "editor" => json!({"path": format!("{NOWHERE}{}", name()), "new_text": ""}),
        "read_files" => json!({"files": [{"path": format!("{NOWHERE}{}", name())}]}),
        "search_codebase" => json!({"queries": [format!("{NO_PATTERN}{text}")]}),
        "fetch_web_content" => {
            json!({"requests": [{"url": format!("{NO_ADDRESS}{}", name()), "prompt": "none"}]})
        }
        _ => return None,
    })
}

/// Why a call with this input was denied; nothing if it was not.
pub(super) fn told(tool: &str, own: &Value) -> Option<String> {
    let (path, before, after) = match tool {
        "run_commands" => ("/commands/0", COMMAND.0, COMMAND.1),
        "editor" => ("/path", NOWHERE, ""),
        "read_files" => ("/files/0/path", NOWHERE, ""),
        "search_codebase" => ("/queries/0", NO_PATTERN, ""),
        "fetch_web_content" => ("/requests/0/url", NO_ADDRESS, ""),
        _ => return None,
    };
    let text = own.pointer(path)?.as_str()?.strip_prefix(before)?;
    let reason = text.strip_suffix(after)?.strip_prefix(DENIED)?;
    // Only what is nothing else is one.
    (input(tool, reason).as_ref() == Some(own)).then(|| reason.to_owned())
}

/// A text that is one word between single quotes in every shell.
fn harmless(text: &str) -> String {
    let letters = text.chars().take(LONGEST).map(|letter| match letter {
        // Shells end a quoted text at these, or take what follows for something else.
        '\'' | '\u{2018}'..='\u{201b}' => '"',
        '\\' => '\u{2216}',
        '\n' => '\n',
        letter if letter.is_control() => ' ',
        letter => letter,
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOLS: [&str; 5] = [
        "run_commands",
        "editor",
        "read_files",
        "search_codebase",
        "fetch_web_content",
    ];

    #[test]
    fn a_denied_call_is_known_again() {
        for tool in TOOLS {
            let denied = input(tool, "not `rm -rf /`, it's $HOME\\..\nAsk.").unwrap();
            let told = told(tool, &denied).unwrap();
            assert!(told.starts_with("not `rm -rf "), "{tool}: {told}");
            assert!(!told.contains(['\'', '\\']), "{tool}: {told}");
        }
        for tool in [
            "use_mcp_tool",
            "files__read",
            "spawn_agent",
            "apply_patch",
            "",
        ] {
            assert_eq!(input(tool, "why"), None, "{tool}");
        }
    }

    #[test]
    fn nothing_else_is_taken_for_a_denial() {
        let text = "printf '%s\\n' 'This call was denied. no' >&2; exit 1";
        let is_denial = |input: &Value| told("run_commands", input).is_some();
        assert!(is_denial(&json!({"commands": [text]})));
        for command in [
            "ls",
            "printf '%s\\n' 'This call was denied. no'; rm a; echo ' >&2; exit 1",
            "printf '%s\\n' 'This call was denied. no' >&2; exit 1; rm a",
            "printf '%s\\n' 'no' >&2; exit 1",
        ] {
            assert!(!is_denial(&json!({"commands": [command]})), "{command}");
        }
        for input in [
            json!({"commands": [text, "rm a"]}),
            json!({"commands": text}),
            json!({"commands": [text], "more": 1}),
            json!([text]),
            json!(null),
        ] {
            assert!(!is_denial(&input), "{input}");
        }
        assert_eq!(
            told(
                "editor",
                &json!({"path": "/dev/null/This call was denied. a/b", "new_text": ""})
            ),
            None
        );
    }

    #[test]
    fn a_reason_does_nothing() {
        for reason in [
            "'; rm -rf /; '",
            "\u{2019}; rm -rf /; \u{2018}",
            "\\'; rm -rf /; \\'",
            "/../../etc/passwd",
            "a\0b\r\u{1b}[2J",
            "<<EOF",
        ] {
            does_nothing(reason);
        }
    }

    /// A reason has no way out of the place where it stands, and is known again.
    fn does_nothing(reason: &str) {
        let command = input("run_commands", reason).unwrap();
        let command = command["commands"][0].as_str().unwrap();
        let quoted = command.strip_prefix(COMMAND.0).unwrap();
        let quoted = quoted.strip_suffix(COMMAND.1).unwrap();
        let ends = ['\'', '\\', '\0', '\r', '\u{1b}', '\u{2018}', '\u{2019}'];
        assert!(!quoted.contains(ends), "{quoted}");
        for (tool, field, before) in [
            ("editor", "/path", NOWHERE),
            ("read_files", "/files/0/path", NOWHERE),
            ("fetch_web_content", "/requests/0/url", NO_ADDRESS),
        ] {
            let given = input(tool, reason).unwrap();
            let name = given.pointer(field).and_then(Value::as_str).unwrap();
            let name = name.strip_prefix(before).unwrap();
            assert!(!name.contains(['/', '\0', '\n']), "{given}");
        }
        for tool in TOOLS {
            let denied = input(tool, reason).unwrap();
            let told = told(tool, &denied).unwrap();
            assert_eq!(input(tool, &told), Some(denied), "{tool}");
        }
    }

    proptest::proptest! {
        #[test]
        fn whatever_the_reason_is_it_does_nothing(reason in "(?s).{0,60}", many in 0_usize..3_000) {
            does_nothing(&reason);
            does_nothing(&reason.repeat(many / reason.len().max(1)));
        }
    }
}
