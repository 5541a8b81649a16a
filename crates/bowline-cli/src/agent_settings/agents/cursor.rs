//! Cursor: what `bowline_agents::cursor` cannot say without reading settings.

use bowline_agents::cursor::{AGENT, REGISTRATION};
use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use crate::agent_settings::edit;
use crate::agent_settings::installable::Installable;
use crate::agent_settings::refusals::{Refusal, commas};

/// Its events that Bowline has no use for.
const MORE_EVENTS: &[&str] = &[
    "beforeTabFileRead",
    "afterTabFileEdit",
    "afterAgentResponse",
    "afterAgentThought",
    "workspaceOpen",
];

pub(super) const INSTALLABLE: Installable = Installable {
    agent: &AGENT,
    registration: &REGISTRATION,
    skills: None,
    form: edit::CURSOR_JSON,
    trust: None,
    refusals,
    hooks_off: |_| None,
    entries_off: |_| None,
};

/// It reads comments, and takes every `//` for the beginning of one. One event that it does not know makes it refuse the whole file.
fn refusals(text: &str) -> Vec<Refusal> {
    let collect = CollectOptions {
        comments: CommentCollectionStrategy::Off,
        tokens: true,
    };
    let Ok(parsed) = parse_to_ast(text, &collect, &ParseOptions::default()) else {
        return Vec::new();
    };
    let refused = |start, what| Refusal::at(text, start, what);
    let mut found = commas(text);
    for token in parsed.tokens.iter().flatten() {
        let range = token.range;
        let written = text.get(range.start..range.end).unwrap_or_default();
        if matches!(token.token, Token::String(_)) && written.contains("//") {
            let what = "`//` in a text: Cursor takes it for the beginning of a comment";
            found.push(refused(range.start, what));
        }
    }
    let root = parsed.value.as_ref().and_then(Value::as_object);
    if let Some(version) = root.and_then(|root| root.get("version"))
        && !is_version(&version.value)
    {
        let what = "`version` is no number from 1";
        found.push(refused(version.range().start, what));
    }
    let hooks = root.and_then(|root| root.get_object("hooks"));
    for event in hooks.into_iter().flat_map(events) {
        let name = event.name.as_str();
        let mut known = AGENT.events.iter().map(|(name, _)| *name);
        if !known.any(|it| it == name) && !MORE_EVENTS.contains(&name) {
            let what = "an event that Cursor does not know, so that it refuses the whole file";
            found.push(refused(event.range().start, what));
        }
    }
    found.sort_by_key(|it| it.line);
    found
}

fn events<'a, 'b>(hooks: &'b Object<'a>) -> impl Iterator<Item = &'b ObjectProp<'a>> {
    hooks.properties.iter()
}

fn is_version(value: &Value<'_>) -> bool {
    let number = value.as_number_lit().map(|it| it.value);
    number.is_some_and(|number| number.parse::<u32>().is_ok_and(|number| number > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_it_refuse_a_file_is_told() {
        for (text, lines) in [
            (r#"{"version": 1, "hooks": {"stop": []}}"#, &[][..]),
            ("{\n  // why\n  \"version\": 1 /* so */\n}", &[]),
            (r#"{"hooks": {"workspaceOpen": []}}"#, &[]),
            ("{\n  \"hooks\": {},\n}", &[2]),
            ("{\n  \"version\": \"1\"\n}", &[2]),
            ("{\n  \"version\": 0\n}", &[2]),
            (
                "{\n  \"hooks\": {\n    \"PreToolUse\": [],\n    \"stop\": []\n  }\n}",
                &[3],
            ),
            (
                "{\n  \"hooks\": {\n    \"stop\": [{\"command\": \"curl http://x\"}]\n  }\n}",
                &[3],
            ),
            ("{", &[]),
            ("[]", &[]),
        ] {
            let found: Vec<usize> = refusals(text).iter().map(|it| it.line).collect();
            assert_eq!(found, lines, "{text}");
        }
    }
}
