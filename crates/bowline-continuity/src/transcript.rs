//! Reads a transcript piece by piece while its agent writes it.

use serde_json::Value;

use crate::message::Message;
use crate::text::shortened;
use crate::usage::{self, Reading};

/// At most so many bytes are read at once. A line that is longer is skipped.
pub const MAX_READ: usize = 8 * 1024 * 1024;
/// A message keeps at most so many characters.
pub const MAX_TEXT: usize = 4000;

/// How far a transcript has been read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Position {
    /// The file.
    pub path: String,
    /// The first byte that has not been read.
    pub offset: u64,
    /// Which file it is (its inode), if that is known.
    pub identity: Option<u64>,
}

impl Position {
    /// Where reading goes on in the file that has this path, identity and length now. Another file, and one that has become shorter, is
    /// read from its beginning.
    pub fn next_offset(&self, path: &str, identity: Option<u64>, length: u64) -> u64 {
        let replaced = matches!((self.identity, identity), (Some(then), Some(now)) if then != now);
        if self.path != path || replaced || length < self.offset {
            0
        } else {
            self.offset
        }
    }
}

/// Divides what was read from `offset` on into its whole lines, without their ends, and says where the next reading begins. The last
/// line waits until it is complete. Empty lines are left out.
pub fn take_lines(bytes: &[u8], offset: u64) -> (Vec<&[u8]>, u64) {
    let complete = match bytes.iter().rposition(|byte| *byte == b'\n') {
        Some(end) => end + 1,
        // Nothing will ever end it within one reading. The rest of it is no JSON and is skipped, too.
        None if bytes.len() >= MAX_READ => bytes.len(),
        None => 0,
    };
    let lines = bytes
        .get(..complete)
        .unwrap_or_default()
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty())
        .collect();
    let read = u64::try_from(complete).unwrap_or(u64::MAX);
    (lines, offset.saturating_add(read))
}

/// Whose records are wanted. Old clients wrote those of sub-agents into the session's own file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chain {
    /// The session's.
    Main,
    /// A sub-agent's, in its own file.
    Side,
}

impl Chain {
    /// Whose a record is.
    pub(crate) fn of(record: &Value) -> Self {
        if record.get("isSidechain").and_then(Value::as_bool) == Some(true) {
            Self::Side
        } else {
            Self::Main
        }
    }
}

/// What a piece of a transcript says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct News {
    /// The messages, in order.
    pub messages: Vec<Message>,
    /// The latest reading of the window.
    pub usage: Option<Reading>,
    /// Where the next reading begins.
    pub offset: u64,
}

/// Reads a piece that begins at `offset`.
pub fn read(bytes: &[u8], offset: u64, chain: Chain) -> News {
    let (lines, offset) = take_lines(bytes, offset);
    let mut news = News {
        offset,
        ..News::default()
    };
    for line in lines {
        let Ok(record) = serde_json::from_slice::<Value>(line) else {
            continue;
        };
        news.messages.extend(message(&record, chain));
        if let Some(reading) = usage::of_record(&record, chain) {
            news.usage = Some(reading);
        }
    }
    news
}

/// What a record says, if it is a message: somebody's words, or the use of a tool. Results of tools are none, because they are nobody's
/// words.
pub fn message(record: &Value, chain: Chain) -> Option<Message> {
    if Chain::of(record) != chain {
        return None;
    }
    let is = |key: &str| record.get(key).and_then(Value::as_bool) == Some(true);
    if is("isMeta") || is("isCompactSummary") || is("isVisibleInTranscriptOnly") {
        return None;
    }
    let role = record.get("type")?.as_str()?;
    let content = match role {
        "user" | "assistant" => record.pointer("/message/content")?,
        "system" => record.get("content")?,
        _ => return None,
    };
    let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
    let text = content
        .as_str()
        .map_or_else(|| text_of(blocks), str::to_owned);
    let text = text.trim();
    let tool = blocks
        .iter()
        .find(|block| kind(block) == Some("tool_use"))
        .and_then(|block| block.get("name")?.as_str());
    if text.is_empty() && tool.is_none() {
        return None;
    }
    Some(Message {
        role: role.to_owned(),
        content: shortened(text, MAX_TEXT),
        tool: tool.map(str::to_owned),
    })
}

/// The words of an API message or of its blocks.
pub(crate) fn text_of(blocks: &[Value]) -> String {
    let texts: Vec<_> = blocks
        .iter()
        .filter(|block| kind(block) == Some("text"))
        .filter_map(|block| block.get("text")?.as_str())
        .collect();
    texts.join("\n")
}

fn kind(block: &Value) -> Option<&str> {
    block.get("type")?.as_str()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn f36_d_half_a_line_waits() {
        for (bytes, offset, expected, next) in [
            ("", 0, vec![], 0),
            ("{\"a\":1}", 10, vec![], 10),
            ("{\"a\":1}\n", 10, vec!["{\"a\":1}"], 18),
            ("{\"a\":1}\n{\"b\":", 0, vec!["{\"a\":1}"], 8),
            ("a\nb\n", 5, vec!["a", "b"], 9),
            ("a\r\n\r\n\nb\r\n", 0, vec!["a", "b"], 9),
            ("\n\n", 3, vec![], 5),
        ] {
            let (lines, found) = take_lines(bytes.as_bytes(), offset);
            let lines: Vec<_> = lines
                .iter()
                .map(|line| std::str::from_utf8(line).unwrap())
                .collect();
            assert_eq!((lines, found), (expected, next), "{bytes:?}");
        }
    }

    #[test]
    fn f36_d_every_line_is_taken_once_wherever_the_file_is_cut() {
        let text = "{\"n\":1}\n{\"ä\":\"😀\"}\r\n\n{\"n\":3}\n";
        let all: Vec<_> = take_lines(text.as_bytes(), 0).0;
        for cut in 0..=text.len() {
            let (first, offset) = take_lines(&text.as_bytes()[..cut], 0);
            let from = usize::try_from(offset).unwrap();
            let (second, end) = take_lines(&text.as_bytes()[from..], offset);
            assert_eq!([first, second].concat(), all, "cut at {cut}");
            assert_eq!(end, text.len() as u64, "cut at {cut}");
        }
    }

    #[test]
    fn a_line_that_never_ends_holds_up_nothing() {
        let endless = vec![b'x'; MAX_READ];
        assert_eq!(take_lines(&endless[1..], 7).1, 7);
        let read = read(&endless, 7, Chain::Main);
        assert_eq!(read.offset, 7 + MAX_READ as u64);
        assert_eq!(read.messages, []);
    }

    #[test]
    fn a_file_that_was_replaced_is_read_from_its_beginning() {
        let position = |identity| Position {
            path: "/t/a.jsonl".into(),
            offset: 100,
            identity,
        };
        for (row, identity, path, now, length, expected) in [
            ("grown", Some(1), "/t/a.jsonl", Some(1), 150, 100),
            ("unchanged", Some(1), "/t/a.jsonl", Some(1), 100, 100),
            ("shorter", Some(1), "/t/a.jsonl", Some(1), 99, 0),
            ("another inode", Some(1), "/t/a.jsonl", Some(2), 150, 0),
            ("another path", Some(1), "/t/b.jsonl", Some(1), 150, 0),
            ("unknown before", None, "/t/a.jsonl", Some(2), 150, 100),
            ("unknown now", Some(1), "/t/a.jsonl", None, 150, 100),
        ] {
            let found = position(identity).next_offset(path, now, length);
            assert_eq!(found, expected, "{row}");
        }
    }

    #[test]
    fn records_become_messages() {
        let message_of = |record: Value| {
            message(&record, Chain::Main).map(|found| (found.role, found.content, found.tool))
        };
        let said = |role: &str, text: &str, tool: Option<&str>| {
            Some((role.to_owned(), text.to_owned(), tool.map(str::to_owned)))
        };
        for (row, record, expected) in [
            (
                "a prompt",
                json!({"type": "user", "isSidechain": false, "message": {"role": "user", "content": "Run the tests"}}),
                said("user", "Run the tests", None),
            ),
            (
                "an answer",
                json!({"type": "assistant", "message": {"content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Now."}, {"type": "text", "text": "Or then."}]}}),
                said("assistant", "Now.\nOr then.", None),
            ),
            (
                "the first tool is named",
                json!({"type": "assistant", "message": {"content": [{"type": "tool_use", "name": "Bash"}, {"type": "tool_use", "name": "Read"}]}}),
                said("assistant", "", Some("Bash")),
            ),
            (
                "a note of the client",
                json!({"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"}),
                said("system", "Conversation compacted", None),
            ),
            (
                "a tool's result is nobody's words",
                json!({"type": "user", "message": {"content": [{"type": "tool_result", "content": "3 passed"}]}}),
                None,
            ),
            (
                "a sub-agent's words",
                json!({"type": "user", "isSidechain": true, "message": {"content": "Count the files"}}),
                None,
            ),
            (
                "not meant for people",
                json!({"type": "user", "isMeta": true, "message": {"content": "Caveat"}}),
                None,
            ),
            (
                "a summary",
                json!({"type": "user", "isCompactSummary": true, "message": {"content": "Summary"}}),
                None,
            ),
            (
                "nothing said",
                json!({"type": "system", "subtype": "turn_duration"}),
                None,
            ),
            (
                "blank",
                json!({"type": "user", "message": {"content": " \n"}}),
                None,
            ),
            (
                "another type",
                json!({"type": "last-prompt", "lastPrompt": "x"}),
                None,
            ),
            (
                "wrong types",
                json!({"type": "user", "message": {"content": 3}}),
                None,
            ),
            (
                "blocks of wrong types",
                json!({"type": "user", "message": {"content": [1, null, {"type": 4}]}}),
                None,
            ),
            ("no object", json!([]), None),
        ] {
            assert_eq!(message_of(record), expected, "{row}");
        }
    }

    #[test]
    fn a_sub_agents_own_file_has_its_words() {
        let record =
            json!({"type": "user", "isSidechain": true, "message": {"content": "Count the files"}});
        assert_eq!(
            message(&record, Chain::Side).unwrap().content,
            "Count the files"
        );
    }

    #[test]
    fn a_long_message_is_cut() {
        let record = json!({"type": "user", "message": {"content": "ä".repeat(MAX_TEXT + 1)}});
        let content = message(&record, Chain::Main).unwrap().content;
        assert_eq!(content.chars().count(), MAX_TEXT);
        assert!(content.ends_with('…'), "{content}");
    }

    const TRANSCRIPT: &str = concat!(
        r#"{"type":"mode","mode":"normal"}"#,
        "\n",
        r#"{"type":"user","isSidechain":false,"message":{"role":"user","content":"Run the tests"}}"#,
        "\nnot JSON\n",
        r#"{"type":"assistant","isSidechain":false,"message":{"id":"m1","model":"claude-opus-4-8","content":[{"type":"text","text":"Running them."}],"usage":{"input_tokens":900,"cache_read_input_tokens":46000,"output_tokens":210}}}"#,
        "\n",
        r#"{"type":"assistant","isSidechain":false,"message":{"id":"m1","model":"claude-opus-4-8","content":[{"type":"tool_use","name":"Bash","input":{"command":"npm test"}}],"usage":{"input_tokens":900,"cache_read_input_tokens":46000,"output_tokens":210}}}"#,
        "\n",
        r#"{"type":"user","message":{"content":[{"type":"tool_result","content":"3 passed"}]}}"#,
        "\n",
    );

    #[test]
    fn a_piece_gives_messages_and_the_latest_reading() {
        let news = read(TRANSCRIPT.as_bytes(), 0, Chain::Main);
        let texts: Vec<_> = news
            .messages
            .iter()
            .map(|message| {
                (
                    message.role.as_str(),
                    message.content.as_str(),
                    message.tool.as_deref(),
                )
            })
            .collect();
        assert_eq!(
            texts,
            [
                ("user", "Run the tests", None),
                ("assistant", "Running them.", None),
                ("assistant", "", Some("Bash")),
            ]
        );
        // The usage of one answer is repeated in each of its records, and counts once.
        let tokens = Reading::Tokens {
            tokens: 47_110,
            model: Some("claude-opus-4-8".into()),
        };
        assert_eq!(news.usage, Some(tokens));
        assert_eq!(news.offset, TRANSCRIPT.len() as u64);

        let boundary = r#"{"type":"system","subtype":"compact_boundary","content":"Conversation compacted","compactMetadata":{"postTokens":3300}}"#;
        let news = read(
            format!("{TRANSCRIPT}{boundary}\n").as_bytes(),
            0,
            Chain::Main,
        );
        assert_eq!(news.usage, Some(Reading::Compacted { tokens: Some(3300) }));
    }
}
