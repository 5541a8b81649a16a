//! What makes Codex refuse its whole `hooks.json`.

use bowline_agents::codex::AGENT;

use crate::agent_settings::groups::Groups;
use crate::agent_settings::kinds::{Kind, Looked};
use crate::agent_settings::refusals::{Refusal, mark_and_refusals};

const KEYS: [&str; 2] = ["description", "hooks"];

const GROUPS: Groups = Groups {
    required: &[],
    types: &["command", "mcp_tool", "prompt", "agent"],
    command: &[("command", Kind::Text), ("timeout", Kind::Whole)],
};

/// Everything that is not strict JSON, keys that it does not know, and values of a wrong kind.
pub(super) fn refused(text: &str) -> Vec<Refusal> {
    let mut found = mark_and_refusals(text);
    found.extend(Looked::at(text, |looked, root| {
        for property in &root.properties {
            let name = property.name.as_str();
            if !KEYS.contains(&name) {
                let known = KEYS.join("` and `");
                let what = format!("the key `{name}`; Codex knows only `{known}` there");
                looked.refuse(&property.value, what);
            }
        }
        looked.expect_all(root, "", &[("description", Kind::Text)]);
        let is_known = |event: &str| AGENT.events.iter().any(|(known, _)| *known == event);
        GROUPS.look_below(root, is_known, looked);
    }));
    found.sort_by_key(|it| it.line);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `hooks/list` listed none of the hooks beside it, or all.
    #[test]
    fn what_makes_it_refuse_the_file_is_told() {
        for (text, expected) in [
            (r#"{"hooks": {}, "description": "mine"}"#, &[][..]),
            (r#"{"hooks": {"Nope": 5, "Stop": [{}]}}"#, &[]),
            (
                r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "other": 5}]}]}}"#,
                &[],
            ),
            ("\u{feff}{\"hooks\": {}}", &["line 1: a byte order mark"]),
            (
                "{\n  \"hooks\": {},\n  \"other\": 1\n}",
                &["line 3: the key `other`; Codex knows only `description` and `hooks` there"],
            ),
            (
                r#"{"hooks": {"Stop": ["x", {"hooks": [{"type": "command", "command": "x", "timeout": 5.5}]}]}, "description": 5}"#,
                &[
                    "line 1: `description` is the number 5; expected a text",
                    "line 1: `hooks.Stop[0]` is a text; expected an object",
                    "line 1: `hooks.Stop[1].hooks[0].timeout` is the number 5.5; expected a whole number",
                ],
            ),
        ] {
            let told: Vec<String> = refused(text).iter().map(Refusal::told).collect();
            assert_eq!(told, expected, "{text}");
        }
    }
}
