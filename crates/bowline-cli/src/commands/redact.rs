//! `bowline redact`: takes the secrets out of a text.

use std::borrow::Cow;

use bowline_guard::secrets;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Outcome;
use crate::error::Result;
use crate::stream::{self, Line, Lines};

/// More than this is not held in memory at once.
const MAX_TEXT: usize = 256 * 1024 * 1024;

/// Take the secrets out of a text
///
/// Reads text on standard input and prints it with each secret replaced by [REDACTED:rule]. Everything
/// else stays byte for byte
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline redact < build.log > build.public.log
  env | bowline redact
  jq -c '{id, text: .message}' events.jsonl | bowline redact --jsonl

With --jsonl, a line that is no record is answered with {\"id\", \"error\"}, and
bowline exits with 1")]
pub(crate) struct RedactArgs {
    /// Read lines of {"id", "text"} and answer each with the same
    #[arg(long)]
    jsonl: bool,
}

#[derive(Debug, Deserialize)]
struct Record {
    #[serde(default)]
    id: Value,
    text: String,
}

/// One answer. An invalid line is never repeated, because it may hold a secret.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum RedactedLine {
    Redacted { id: Value, text: String },
    Unreadable { id: Value, error: String },
}

pub(crate) fn run(args: &RedactArgs) -> Result<Outcome> {
    if args.jsonl {
        return redact_lines();
    }
    let text = stream::read_all(MAX_TEXT)?;
    stream::write_all(&redact_bytes(&text))?;
    Ok(Outcome::Clean)
}

fn redact_lines() -> Result<Outcome> {
    let mut outcome = Outcome::Clean;
    Lines::of_process().answer(|line| {
        let answer = match line {
            Line::Whole(bytes) => redact_record(bytes),
            Line::TooLong => unreadable("it is longer than 64 MB"),
        };
        if matches!(answer, RedactedLine::Unreadable { .. }) {
            outcome = Outcome::Findings;
        }
        answer
    })?;
    Ok(outcome)
}

fn redact_record(line: &[u8]) -> RedactedLine {
    match serde_json::from_slice(line) {
        Ok(Record { id, text }) => RedactedLine::Redacted {
            id,
            text: secrets::redact(&text).into_owned(),
        },
        Err(why) if why.is_data() => unreadable("`text` is missing or not text"),
        Err(why) => unreadable(&format!("not JSON, see column {}", why.column())),
    }
}

fn unreadable(why: &str) -> RedactedLine {
    RedactedLine::Unreadable {
        id: Value::Null,
        error: format!("not a record of {{\"id\", \"text\"}}: {why}"),
    }
}

/// Redacts text in any encoding that has ASCII in it. Bytes that are no UTF-8 stand as private characters
/// meanwhile, so that a secret beside them is seen in its surroundings.
fn redact_bytes(bytes: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(bytes) {
        Ok(text) => match secrets::redact(text) {
            Cow::Borrowed(_) => Cow::Borrowed(bytes),
            Cow::Owned(redacted) => Cow::Owned(redacted.into_bytes()),
        },
        Err(_) => Cow::Owned(undisguise(&secrets::redact(&disguise(bytes)))),
    }
}

/// The private characters that stand for the bytes 0x80 to 0xff, at the very end of Unicode.
const DISGUISE: u32 = 0x10_fe00;

fn disguise(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if disguised_byte(c).is_some() {
                // Such a character in the text itself goes byte by byte, so that it comes back, too.
                let mut buffer = [0; 4];
                text.extend(c.encode_utf8(&mut buffer).bytes().filter_map(stand_in));
            } else {
                text.push(c);
            }
        }
        text.extend(chunk.invalid().iter().copied().filter_map(stand_in));
    }
    text
}

fn undisguise(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match disguised_byte(c) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

fn stand_in(byte: u8) -> Option<char> {
    char::from_u32(DISGUISE + u32::from(byte))
}

fn disguised_byte(c: char) -> Option<u8> {
    u32::from(c).checked_sub(DISGUISE)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_utf8_come_back_as_they_were() {
        let every: Vec<u8> = (0..=255).chain([0xf4, 0x8f, 0xb8, 0x80, 0xff]).collect();
        assert_eq!(undisguise(&disguise(&every)), every);
        assert_eq!(redact_bytes(&every), every);
        let all: String = ('\u{10fe00}'..='\u{10feff}').collect();
        assert_eq!(undisguise(&disguise(all.as_bytes())), all.as_bytes());
    }

    #[test]
    fn secrets_beside_such_bytes_are_found() {
        let token = secrets::expand("ghp_{a36}");
        let mut log = b"caf\xe9 ".to_vec();
        log.extend_from_slice(token.as_bytes());
        log.extend_from_slice(b" \xff\n");
        let redacted = redact_bytes(&log);
        assert!(redacted.starts_with(b"caf\xe9 [REDACTED:"));
        assert!(redacted.ends_with(b"] \xff\n"));
    }

    #[test]
    fn what_is_no_record_is_not_repeated() {
        for line in [
            &b"s3cr3t"[..],
            b"\"s3cr3t\"",
            b"{\"id\":1}",
            b"[]",
            b"{\"text\":1}",
            b"\xff",
            b"",
        ] {
            let answer = serde_json::to_string(&redact_record(line)).unwrap();
            assert!(
                answer.starts_with("{\"id\":null,\"error\":\"not a record"),
                "{answer}"
            );
            assert!(!answer.contains("s3cr3t"));
        }
    }
}
