//! Reads a transcript line by line, whoever wrote it.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::others::{self, Said};
use super::{Usage, claude_code};

/// A reader of one transcript. Some agents say at the beginning whose session it is and which model works, and not again with what a
/// message used: that is remembered.
#[derive(Debug, Default)]
pub struct TranscriptReader {
    said: Said,
}

macro_rules! finders {
    ($( $name:ident = $text:literal; )*) => { $(
        static $name: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new($text));
    )* };
}

finders! {
    CODEX_USAGE = "\"token_usage_record\"";
    CODEX_SESSION = "\"session_meta\"";
    CODEX_TURN = "\"turn_context\"";
    COPILOT_USAGE = "\"session.usage_record\"";
    COPILOT_SESSION = "\"session.start\"";
    GEMINI_USAGE = "\"tokens\":{";
    GEMINI_SESSION = "\"projectHash\"";
    QWEN_USAGE = "\"usageMetadata\"";
}

impl TranscriptReader {
    /// What the message on the next line used. `None` for everything else. Most lines are results of tools, and large: they are not
    /// parsed at all.
    pub fn line(&mut self, line: &[u8]) -> Option<Usage> {
        let has = |finder: &Finder<'_>| finder.find(line).is_some();
        if let Some(usage) = claude_code::of_line(line) {
            return Some(usage);
        }
        if has(&CODEX_USAGE) {
            others::codex(line, &self.said)
        } else if has(&COPILOT_USAGE) {
            others::copilot(line, &self.said)
        } else if has(&QWEN_USAGE) {
            others::qwen(line)
        } else if has(&GEMINI_USAGE) {
            others::gemini(line, &self.said)
        } else {
            self.remember(line);
            None
        }
    }

    /// Takes in what a line says about the lines after it.
    pub fn remember(&mut self, line: &[u8]) {
        let has = |finder: &Finder<'_>| finder.find(line).is_some();
        let is_told = has(&CODEX_SESSION)
            || has(&CODEX_TURN)
            || has(&COPILOT_SESSION)
            || has(&GEMINI_SESSION);
        if is_told {
            self.said.take_in(line);
        }
    }

    /// Whether a transcript that begins with this line says things once that later lines do not repeat.
    pub fn tells_once(first_line: &[u8]) -> bool {
        let mut reader = Self::default();
        reader.remember(first_line);
        !reader.said.session.is_empty()
    }
}
