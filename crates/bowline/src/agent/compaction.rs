//! Summarising the older part of a conversation. The latest exchange stays word for word.

use std::fmt::Write as _;

use serde_json::Value;

use super::message::{Message, Role};
use crate::error::Error;
use crate::lifecycle::Notes;

/// How much of one block goes into the transcript.
const BLOCK_LIMIT: usize = 4_000;
/// How much transcript is summarised; the latest part counts.
const TRANSCRIPT_LIMIT: usize = 400_000;

/// The part of a conversation that is to be summarised.
pub(super) struct Older {
    pub(super) transcript: String,
    /// Where the part begins that is kept.
    pub(super) kept: usize,
}

/// Splits the conversation where no call is parted from its result; `None` if there is too little to summarise.
pub(super) fn split(messages: &[Message]) -> Option<Older> {
    let last = messages.len().checked_sub(1)?;
    let kept = match messages.get(last.checked_sub(1)?) {
        Some(before) if before.has_tool_calls() => last - 1,
        _ => last,
    };
    let older = messages.get(..kept).filter(|older| older.len() >= 2)?;
    Some(Older {
        transcript: transcript(older),
        kept,
    })
}

pub(super) fn request(transcript: &str, instructions: Option<&str>) -> String {
    let mut text = String::from(
        "Below is the transcript of an agent's work so far. Summarise it for the agent, which will go on from \
         your summary alone: the user's task in the user's own words, what was decided and why, which files were \
         read or changed and how, what was tried and failed, and what is left to do. Write only the summary.",
    );
    if let Some(instructions) = instructions {
        let _ = write!(text, "\n\nAlso: {instructions}");
    }
    let _ = write!(text, "\n\n<transcript>\n{transcript}</transcript>");
    text
}

pub(super) fn replace_older(
    messages: &mut Vec<Message>,
    kept: usize,
    summary: &str,
    notes: &Notes,
) {
    let opening =
        format!("This conversation goes on from an earlier part, summarised here:\n\n{summary}");
    let opening = Message::user(opening).with_notes(notes);
    messages.splice(..kept.min(messages.len()), [opening]);
}

pub(super) fn failed(error: &Error) -> Notes {
    Notes {
        warnings: vec![format!("the conversation could not be compacted: {error}")],
        ..Notes::default()
    }
}

fn transcript(messages: &[Message]) -> String {
    let mut text = String::new();
    for message in messages {
        let who = match message.role {
            Role::User => "user",
            Role::Assistant => "agent",
        };
        for block in &message.content {
            let _ = writeln!(text, "[{who}] {}", clip(&said(block), BLOCK_LIMIT));
        }
    }
    let surplus = text.len().saturating_sub(TRANSCRIPT_LIMIT);
    if surplus > 0 {
        let cut = text.ceil_char_boundary(surplus);
        text.replace_range(..cut, "(the beginning is left out)\n");
    }
    text
}

fn said(block: &Value) -> String {
    let field = |name: &str| block.get(name).map_or(String::new(), plain);
    match block.get("type").and_then(Value::as_str) {
        Some("text") => field("text"),
        Some("tool_use") => format!("calls {} with {}", field("name"), field("input")),
        Some("tool_result") => format!("result: {}", field("content")),
        _ => String::from("(not text)"),
    }
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn clip(text: &str, limit: usize) -> String {
    match text.get(..text.floor_char_boundary(limit)) {
        Some(head) if head.len() < text.len() => format!("{head} … (cut)"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn calls(id: &str) -> Message {
        let block =
            json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "ls"}});
        Message::assistant(vec![block])
    }

    fn result(id: &str) -> Message {
        let block = json!({"type": "tool_result", "tool_use_id": id, "content": "files"});
        Message {
            role: Role::User,
            content: vec![block],
        }
    }

    #[test]
    fn a_call_stays_with_its_result() {
        let says = || Message::assistant(vec![json!({"type": "text", "text": "hello"})]);
        let user = || Message::user("go");
        for (messages, kept) in [
            (vec![], None),
            (vec![user()], None),
            (vec![user(), calls("a"), result("a")], None),
            (
                vec![user(), calls("a"), result("a"), calls("b"), result("b")],
                Some(3),
            ),
            (vec![user(), says(), user()], Some(2)),
        ] {
            let found = split(&messages).map(|older| older.kept);
            assert_eq!(found, kept, "{messages:?}");
        }
    }

    #[test]
    fn the_summary_takes_the_older_part() {
        let mut messages = vec![
            Message::user("go"),
            calls("a"),
            result("a"),
            calls("b"),
            result("b"),
        ];
        let older = split(&messages).unwrap();
        assert_eq!(
            older.transcript,
            "[user] go\n[agent] calls Bash with {\"command\":\"ls\"}\n[user] result: files\n"
        );
        replace_older(&mut messages, older.kept, "short", &Notes::default());
        assert_eq!(messages.len(), 3);
        assert_eq!(messages[0].role, Role::User);
        assert!(messages[1].has_tool_calls());
    }

    #[test]
    fn a_transcript_is_bounded() {
        let long = "é".repeat(BLOCK_LIMIT);
        let messages: Vec<_> = (0..200).map(|_| Message::user(long.as_str())).collect();
        let text = transcript(&messages);
        assert!(text.len() < TRANSCRIPT_LIMIT + 100);
        assert!(text.starts_with("(the beginning is left out)"));
    }
}
