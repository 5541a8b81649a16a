//! Delegated work: a sub-agent is told to save what it finds, and its result is looked through for signs that it did.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::text::Text;

/// What is appended to a prompt that says nothing about saving.
pub const SAVE: Text = Text {
    key: "delegation.save",
    says: "Before you end, save what must not be lost: findings with `bowline note add \"…\"` (or `bowline effort log \"…\"` if an effort \
           is active), and say in your answer where they are.",
    names: &[],
};

/// What an agent is told that delegates too deep.
pub const TOO_DEEP: Text = Text {
    key: "delegation.too-deep",
    says: "This is delegation in depth {depth}: a sub-agent of a sub-agent. Results get lost on the way back; do this yourself or \
           return it to whoever gave you the work.",
    names: &["depth"],
};

/// What a person is told when a sub-agent left nothing.
pub const UNSAVED: Text = Text {
    key: "delegation.unsaved",
    says: "{agent} returned without a sign that its results were saved: no note, log entry or file in the last minute. \
           What it found is only in this conversation.",
    names: &["agent"],
};

/// What the agent is told when a sub-agent left something.
pub const SAVED: Text = Text {
    key: "delegation.saved",
    says: "{agent} saved its results ({sign}).",
    names: &["agent", "sign"],
};

/// The texts of this rule.
pub const TEXTS: &[Text] = &[SAVE, TOO_DEEP, UNSAVED, SAVED];

/// From this depth on a delegation is worth a warning.
pub const MAX_DEPTH: u32 = 3;

/// Words of a prompt that already ask for results to be kept or reported.
static ASKS_TO_SAVE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?xi)
        \b bowline \s+ (note|effort|work|task) \b
        | \b htmlgraph \b | \b sdk\.\w+ | \.save\(\) | \b spikes? \b
        | \b (save|store|record|log|track|persist|write \s+ down|note \s+ down) \s+ (\w+\s+){0,3}
          (findings?|results?|conclusions?|notes?|outcomes?|report|summary) \b
        | \b report \s+ (\w+\s+){0,2} results? \b
        | \b (write|save) \s+ (\w+\s+){0,6} (to|into|in) \s+ [`']?[\w./-]*[./][\w-]+ ",
    )
    .ok()
});

/// Words of a result that say where something was kept.
static SAYS_SAVED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?xi)
        \b bowline \s+ (note|effort|work) \b
        | \b (findings?|results?|notes?|report|summary) \s+ (\w+\s+){0,2} (saved|stored|recorded|logged|pinned|written) \b
        | \b (saved|stored|recorded|logged|pinned|wrote|written) \s+ (\S+\s+){0,6}? (to|in|into|as|under) \s+ \S
        | \b (pinned|added) \s+ note \b | \b note \s+ \d+ \b | \b work \s+ item \s+ \d+ \b | \b (bug|feat|spk|spike)-[0-9a-f]{8} \b
        | \b commit(ted)? \s+ (\w+\s+){0,2} [0-9a-f]{7,40} \b",
    )
    .ok()
});

/// Whether a prompt already asks for results to be kept.
pub fn asks_to_save(prompt: &str) -> bool {
    matches(&ASKS_TO_SAVE, prompt)
}

/// Whether a result says that something was kept.
pub fn says_saved(result: &str) -> bool {
    matches(&SAYS_SAVED, result)
}

fn matches(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|it| it.is_match(text))
}

/// The arguments of a delegation with an instruction appended to the prompt; everything else stays as it is. `None` if the prompt needs
/// none, or there is no prompt.
pub fn with_instruction(arguments: &Value, instruction: &str) -> Option<Value> {
    let prompt = arguments.get("prompt")?.as_str()?;
    if prompt.trim().is_empty() || asks_to_save(prompt) || prompt.contains(instruction) {
        return None;
    }
    let mut updated = arguments.clone();
    let longer = format!("{}\n\n{instruction}", prompt.trim_end());
    *updated.get_mut("prompt")? = Value::String(longer);
    Some(updated)
}

/// The text of a result, whatever its form: a text, `content` as a text, or parts of it.
pub fn result_text(response: &Value) -> String {
    match response {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<String> = parts.iter().map(result_text).collect();
            texts.join("\n")
        }
        Value::Object(fields) => {
            let inner = ["text", "content", "result", "output"];
            let inner = inner.iter().find_map(|name| fields.get(*name));
            inner.map(result_text).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// So many delegations and sub-agents are remembered.
const MAX_KNOWN: usize = 64;

/// How deep the sub-agents of a session are nested.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Nesting {
    /// Delegations whose sub-agent has not begun: the type that was asked for, and its depth.
    open: Vec<(String, u32)>,
    /// Sub-agents that are at work, by their ids.
    agents: BTreeMap<String, u32>,
}

impl Nesting {
    /// Somebody delegates; says how deep the new sub-agent will be. An agent itself is at 0.
    pub fn delegated(&mut self, by: Option<&str>, to: &str) -> u32 {
        // One that nobody saw beginning works for the agent itself.
        let by = by.map_or(0, |id| self.agents.get(id).copied().unwrap_or(1));
        let depth = by.saturating_add(1);
        if self.open.len() >= MAX_KNOWN {
            self.open.remove(0);
        }
        self.open.push((to.to_owned(), depth));
        depth
    }

    /// A sub-agent begins: it is the oldest one of its type that somebody asked for.
    pub fn began(&mut self, id: &str, kind: &str) {
        let at = self.open.iter().position(|(to, _)| to == kind);
        let depth = at.map_or(1, |at| self.open.remove(at).1);
        if self.agents.len() < MAX_KNOWN {
            self.agents.insert(id.to_owned(), depth);
        }
    }

    /// A sub-agent ended.
    pub fn ended(&mut self, id: &str) {
        self.agents.remove(id);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn f25_a_only_a_prompt_without_save_words_gets_the_instruction() {
        for (prompt, expected) in [
            ("Find out how the login works", true),
            ("Look at the sdk folder and the keyboard code", true),
            ("Fix the save button of the editor", true),
            ("Report back", true),
            ("Find out how it works and save your findings", false),
            ("Look at it. Report the results in a table.", false),
            ("Save the results with `bowline note add`", false),
            ("Track results as a spike", false),
            ("Write a summary to docs/login.md", false),
            ("", false),
        ] {
            let arguments =
                json!({"description": "d", "prompt": prompt, "subagent_type": "Explore", "n": [1]});
            let updated = with_instruction(&arguments, "SAVE IT");
            assert_eq!(updated.is_some(), expected, "{prompt}");
            let Some(mut updated) = updated else { continue };
            assert_eq!(updated["prompt"], format!("{prompt}\n\nSAVE IT"));
            assert_eq!(with_instruction(&updated, "SAVE IT"), None, "only once");
            updated["prompt"] = json!(prompt);
            assert_eq!(updated, arguments, "the rest stays as it is");
        }
        assert_eq!(with_instruction(&json!({"description": "d"}), "x"), None);
    }

    #[test]
    fn our_own_instruction_counts_as_one() {
        assert!(asks_to_save(SAVE.says));
    }

    #[test]
    fn f25_b_depth_follows_who_delegates_to_whom() {
        let mut nesting = Nesting::default();
        assert_eq!(nesting.delegated(None, "a"), 1);
        assert_eq!(nesting.delegated(None, "b"), 1);
        nesting.began("a1", "a");
        assert_eq!(nesting.delegated(Some("a1"), "c"), 2);
        nesting.began("c1", "c");
        assert_eq!(nesting.delegated(Some("c1"), "c"), 3);
        nesting.began("c2", "c");
        assert_eq!(nesting.delegated(Some("c2"), "d"), 4);
        nesting.began("b1", "b");
        assert_eq!(nesting.delegated(Some("b1"), "d"), 2);
        nesting.ended("c2");
        assert_eq!(nesting.delegated(Some("c2"), "d"), 2, "nobody knows it");
        assert_eq!(nesting.delegated(None, "d"), 1);
    }

    #[test]
    fn f25_c_a_result_says_where_something_was_kept() {
        for (result, expected) in [
            ("I pinned note 3 with the findings.", true),
            ("Findings saved.", true),
            ("Wrote the report to docs/login.md", true),
            ("I ran `bowline note add` at the end", true),
            ("Committed as 3f2a91c", true),
            ("The login works like this: it saves a cookie.", false),
            ("Nothing was found", false),
            ("", false),
        ] {
            assert_eq!(says_saved(result), expected, "{result}");
        }
    }

    #[test]
    fn results_have_several_forms() {
        for (response, expected) in [
            (json!("plain"), "plain"),
            (
                json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}),
                "a\nb",
            ),
            (json!({"content": "c"}), "c"),
            (json!({"result": "r"}), "r"),
            (json!({"other": 1}), ""),
            (json!(null), ""),
        ] {
            assert_eq!(result_text(&response), expected, "{response}");
        }
    }
}
