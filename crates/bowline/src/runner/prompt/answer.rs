//! What a model's answer to a prompt hook means.

use serde_json::Value;

use crate::opinion::Opinion;

/// The longest piece of an unclear answer that is kept.
const KEPT_CHARS: usize = 10_000;

/// Reads a model's answer.
///
/// `ALLOW` has no opinion; `BLOCK: reason` blocks; `CONTINUE: message` continues with the message as context, each in
/// any casing. `{"ok": true}` and `{"ok": false, "reason": …}`, also in a code fence, allow and block.
/// Anything else continues with a warning, and the text is kept in [`Opinion::message`].
pub fn read_answer(text: &str) -> Opinion {
    PromptAnswer::read(text).into_output()
}

/// An answer, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PromptAnswer {
    Allow,
    Block {
        reason: String,
        outlook: Outlook,
    },
    Continue {
        message: String,
    },
    /// Not one of the forms that were asked for.
    Unclear {
        text: String,
    },
}

/// Whether what a block asks for can be had at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outlook {
    /// As far as the model knows.
    Open,
    /// The model says that it cannot (`"impossible": true`).
    Impossible,
}

impl PromptAnswer {
    pub(super) fn read(text: &str) -> Self {
        let text = text.trim();
        json_verdict(text)
            .or_else(|| word_verdict(text))
            .unwrap_or_else(|| Self::Unclear {
                text: text.to_owned(),
            })
    }

    pub(super) fn into_output(self) -> Opinion {
        match self {
            Self::Allow => Opinion::allow(),
            Self::Block { reason, .. } if reason.is_empty() => {
                Opinion::block("a prompt hook blocked this and gave no reason")
            }
            Self::Block { reason, .. } => Opinion::block(reason),
            Self::Continue { message } if message.is_empty() => Opinion::allow(),
            Self::Continue { message } => Opinion::allow().context(message),
            Self::Unclear { text } if text.is_empty() => {
                Opinion::allow().warning("the model's answer was empty, so it counts as no opinion")
            }
            Self::Unclear { text } => Opinion {
                message: Some(text.chars().take(KEPT_CHARS).collect()),
                ..Opinion::default()
            }
            .warning(
                "the model's answer is none of ALLOW, BLOCK: reason, CONTINUE: message or \
                 {\"ok\": …, \"reason\": …}, so it counts as no opinion; the text is kept as the message",
            ),
        }
    }
}

/// `{"ok": …, "reason": …}` as the whole answer.
fn json_verdict(text: &str) -> Option<PromptAnswer> {
    let json: Value = serde_json::from_str(inside_fence(text).unwrap_or(text)).ok()?;
    let reason = json.get("reason").and_then(Value::as_str);
    let reason = reason.unwrap_or_default().trim().to_owned();
    if json.get("ok")?.as_bool()? {
        return Some(PromptAnswer::Allow);
    }
    let outlook = match json.get("impossible").and_then(Value::as_bool) {
        Some(true) => Outlook::Impossible,
        Some(false) | None => Outlook::Open,
    };
    Some(PromptAnswer::Block { reason, outlook })
}

/// The inside of a code fence that is the whole text. The language may be named.
fn inside_fence(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("```")?.strip_suffix("```")?;
    Some(inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric()))
}

/// A leading ALLOW, BLOCK or CONTINUE, whatever emphasis the model put around it: a block must not be
/// missed for the sake of two asterisks.
fn word_verdict(text: &str) -> Option<PromptAnswer> {
    let inner = inside_fence(text).unwrap_or(text);
    let inner = inner.trim_start_matches(|c: char| c.is_whitespace() || is_decoration(c));
    let end = inner
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(inner.len());
    let (word, rest) = inner.split_at_checked(end)?;
    let rest = rest
        .trim_start_matches(|c: char| {
            c.is_whitespace() || is_decoration(c) || matches!(c, ':' | '-' | '–' | '—')
        })
        .trim_end()
        .to_owned();
    match word.to_ascii_uppercase().as_str() {
        "ALLOW" => Some(PromptAnswer::Allow),
        "BLOCK" => Some(PromptAnswer::Block {
            reason: rest,
            outlook: Outlook::Open,
        }),
        "CONTINUE" => Some(PromptAnswer::Continue { message: rest }),
        _ => None,
    }
}

fn is_decoration(c: char) -> bool {
    matches!(c, '*' | '`' | '"' | '\'' | '#' | '>' | '[' | ']')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocked(text: &str) -> Option<String> {
        let output = read_answer(text);
        (!output.continue_execution).then(|| output.stop_reason.unwrap_or_default())
    }

    #[test]
    fn a_block_is_seen_through_decoration() {
        let nothing_said = "a prompt hook blocked this and gave no reason";
        for (text, reason) in [
            ("BLOCK: a", "a"),
            ("block - a", "a"),
            ("Block a", "a"),
            ("BLOCK\na\nb", "a\nb"),
            ("**BLOCK:** a", "a"),
            ("**BLOCK**: a", "a"),
            ("`BLOCK` – a", "a"),
            ("```\nBLOCK: a\n```", "a"),
            ("\n BLOCK", nothing_said),
            ("BLOCK:", nothing_said),
            (r#"{"ok": false}"#, nothing_said),
            (r#"{"ok": false, "reason": " a "}"#, "a"),
            (r#"{"reason": "a", "ok": false, "more": 1}"#, "a"),
            ("```json\n{\"ok\": false, \"reason\": \"a\"}\n```", "a"),
            ("```\n{\"ok\": false, \"reason\": \"a\"}```", "a"),
        ] {
            assert_eq!(blocked(text).as_deref(), Some(reason), "{text}");
        }
    }

    #[test]
    fn allow_is_no_opinion_and_silent() {
        for text in [
            "ALLOW",
            " allow ",
            "Allow.",
            "ALLOW: fine",
            "**Allow**",
            "CONTINUE",
            r#"{"ok": true}"#,
            r#"{"ok": true, "reason": "fine"}"#,
        ] {
            assert_eq!(read_answer(text), Opinion::allow(), "{text}");
        }
    }

    #[test]
    fn anything_else_goes_on_with_a_warning_and_keeps_the_text() {
        for text in [
            "ALLOWED",
            "BLOCKED: x",
            "ALLOW_ALL",
            "I would BLOCK: this",
            "yes",
            "{}",
            "[]",
            "null",
            r#"{"ok": "no"}"#,
            r#"{"ok": false, "reason": "a"} and more"#,
            "```",
            "``````",
            "ÄLLOW",
        ] {
            let output = read_answer(text);
            assert!(output.continue_execution, "{text}");
            assert_eq!(output.message.as_deref(), Some(text));
            assert_eq!(output.warnings.len(), 1, "{text}");
            assert_eq!(output.additional_context, None);
        }
        let silent = read_answer("  \n");
        assert_eq!((silent.message, silent.warnings.len()), (None, 1));
    }

    #[test]
    fn what_is_kept_of_an_endless_answer_is_bounded() {
        let output = read_answer(&"ä".repeat(KEPT_CHARS * 3));
        assert_eq!(output.message.unwrap().chars().count(), KEPT_CHARS);
    }
}
