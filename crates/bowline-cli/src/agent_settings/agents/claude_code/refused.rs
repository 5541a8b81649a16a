//! What makes Claude Code refuse a whole settings file, with all hooks in it.

use crate::agent_settings::groups::Groups;
use crate::agent_settings::kinds::{Kind, Looked};
use crate::agent_settings::refusals::{Refusal, refusals};

/// The keys whose values have to be of a kind, and of which people write more than of others.
const KEYS: &[(&str, Kind)] = &[
    ("alwaysThinkingEnabled", Kind::Flag),
    ("apiKeyHelper", Kind::Text),
    ("availableModels", Kind::List),
    ("cleanupPeriodDays", Kind::Number),
    ("disableAllHooks", Kind::Flag),
    ("enableAllProjectMcpServers", Kind::Flag),
    ("enabledPlugins", Kind::Object),
    ("env", Kind::Object),
    ("includeCoAuthoredBy", Kind::Flag),
    ("language", Kind::Text),
    ("model", Kind::Text),
    ("outputStyle", Kind::Text),
    ("permissions", Kind::Object),
    ("sandbox", Kind::Object),
    ("spinnerTipsEnabled", Kind::Flag),
    ("statusLine", Kind::Object),
];

const PERMISSIONS: &[(&str, Kind)] = &[
    ("additionalDirectories", Kind::List),
    ("allow", Kind::List),
    ("ask", Kind::List),
    ("defaultMode", Kind::Text),
    ("deny", Kind::List),
    ("disableBypassPermissionsMode", Kind::Text),
];

/// The events that decide what may be done. Of a wrong hook of another event 2.1.325 leaves out that hook alone; 2.1.197 refuses the
/// file for it, too, but it is not known here who reads it.
const EVENTS: [&str; 2] = ["PreToolUse", "PermissionRequest"];

const GROUPS: Groups = Groups {
    required: &["hooks"],
    types: &["command", "prompt", "agent", "http", "mcp_tool"],
    command: &[
        ("args", Kind::List),
        ("async", Kind::Flag),
        ("command", Kind::Text),
        ("if", Kind::Text),
        ("statusMessage", Kind::Text),
        ("timeout", Kind::AboveZero),
    ],
};

/// Comments, commas, and values of a wrong kind.
pub(super) fn refused(text: &str) -> Vec<Refusal> {
    let mut found = refusals(text);
    found.extend(Looked::at(text, |looked, root| {
        looked.expect_all(root, "", KEYS);
        if let Some(permissions) = root.get_object("permissions") {
            looked.expect_all(permissions, "permissions.", PERMISSIONS);
        }
        GROUPS.look_below(root, |event| EVENTS.contains(&event), looked);
    }));
    found.sort_by_key(|it| it.line);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As version 2.1.325 said that it did not load the file, or did.
    #[test]
    fn what_makes_it_refuse_a_file_is_told() {
        for (text, expected) in [
            (
                r#"{"model": "opus", "env": {"A": 5}, "unknown": 5}"#,
                &[][..],
            ),
            ("\u{feff}{\"model\": \"opus\"}", &[]),
            (r#"{"hooks": {"PostToolUse": ["x"], "Stop": [{}]}}"#, &[]),
            (r#"{"permissions": {"allow": [5, "Bash("]}}"#, &[]),
            (
                r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "", "other": 1}]}]}}"#,
                &[],
            ),
            (
                "{\n  \"model\": 5,\n  \"permissions\": {\n    \"allow\": \"x\"\n  }\n}",
                &[
                    "line 2: `model` is the number 5; expected a text",
                    "line 4: `permissions.allow` is a text; expected a list",
                ],
            ),
            (
                r#"{"model": null, "permissions": [], "includeCoAuthoredBy": "yes", "cleanupPeriodDays": true}"#,
                &[
                    "line 1: `model` is null; expected a text",
                    "line 1: `permissions` is a list; expected an object",
                    "line 1: `includeCoAuthoredBy` is a text; expected true or false",
                    "line 1: `cleanupPeriodDays` is true; expected a number",
                ],
            ),
            (
                r#"{"hooks": {"PreToolUse": ["x", {}, {"hooks": "x"}]}}"#,
                &[
                    "line 1: `hooks.PreToolUse[0]` is a text; expected an object",
                    "line 1: `hooks.PreToolUse[1]` has no `hooks`",
                    "line 1: `hooks.PreToolUse[2].hooks` is a text; expected a list",
                ],
            ),
            (
                r#"{"hooks": {"PermissionRequest": [{"matcher": 5, "hooks": [{}, {"type": "nope"}, {"type": "command"},
                    {"type": "command", "command": "x", "timeout": 0}]}]}}"#,
                &[
                    "line 1: `hooks.PermissionRequest[0].matcher` is the number 5; expected a text",
                    "line 1: `hooks.PermissionRequest[0].hooks[0]` has no `type`",
                    "line 1: `hooks.PermissionRequest[0].hooks[1].type` is `nope`; expected one of `command`, `prompt`, `agent`, `http`, `mcp_tool`",
                    "line 1: `hooks.PermissionRequest[0].hooks[2]` has no `command`",
                    "line 2: `hooks.PermissionRequest[0].hooks[3].timeout` is the number 0; expected a number above 0",
                ],
            ),
            (
                "{\n  \"env\": \"x\", // mine\n}",
                &[
                    "line 2: a comma before the closing bracket",
                    "line 2: a comment",
                    "line 2: `env` is a text; expected an object",
                ],
            ),
        ] {
            let told: Vec<String> = refused(text).iter().map(Refusal::told).collect();
            assert_eq!(told, expected, "{text}");
        }
    }
}
