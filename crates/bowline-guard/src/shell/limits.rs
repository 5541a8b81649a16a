//! What bounds the work: counted, never timed.

use super::costs::{UNCOUNTED, looked_ahead, looked_for_braces, openings, parts, words};
use super::documents::without_bodies;

/// The longest text that is read, in bytes.
pub const MAX_LENGTH: usize = 128 * 1024;

/// Substitutions within substitutions.
pub(super) const MAX_DEPTH: usize = 32;

/// Constructs within constructs. Every level costs the parser stack, and more time than the one before.
pub(super) const MAX_PARSER_DEPTH: usize = 24;

/// In bytes looked at: the parser looks ahead to the end of the word from every opening.
const MAX_WORK: usize = 4_000_000;

/// The search for the end of a brace is simple: this many of its bytes cost as much as one byte of other work.
const BRACES_AT_ONCE: usize = 4;

/// Parentheses and `${` that are open at once: some of the parser's work doubles with each.
const MAX_OPEN: usize = 32;

/// `$((`: its lexer recurses into each without counting.
const MAX_ARITHMETIC: usize = 128;

/// `time` and `coproc` before commands: the parser recurses into each without counting, at 20 kB of stack and more.
const MAX_PREFIXES: usize = 32;

/// Commands and expansions: reading so many takes longer than a verdict may, and nobody writes them in one call.
const MAX_PARTS: usize = 2_000;

/// Words, operators and quotes: the same.
const MAX_WORDS: usize = 12_000;

/// Words after which a command may follow.
const BEFORE_COMMANDS: &[&str] = &[
    "time", "coproc", "-p", "--", "if", "then", "elif", "else", "while", "until", "do",
];

/// Why a text is not read at all.
pub(super) fn refusal(text: &str) -> Option<String> {
    if text.len() > MAX_LENGTH {
        return Some(format!(
            "the text has {} bytes; at most {MAX_LENGTH} are read",
            text.len()
        ));
    }
    if text.contains('\0') {
        return Some("the text contains a NUL character".to_owned());
    }
    let text = &*without_bodies(text);
    if text.len() <= MAX_OPEN {
        return None;
    }
    if most_open(text) > MAX_OPEN {
        Some(format!(
            "parentheses or `${{` are nested deeper than {MAX_OPEN} levels"
        ))
    } else if text.len() > MAX_ARITHMETIC && text.matches("$((").count() > MAX_ARITHMETIC {
        Some(format!("the text has more than {MAX_ARITHMETIC} `$((`"))
    } else if text.len() > MAX_PARTS && parts(text) > MAX_PARTS {
        Some(format!(
            "the text has more than {MAX_PARTS} commands and expansions"
        ))
    } else if text.len() > MAX_WORDS && words(text) > MAX_WORDS {
        Some(format!("the text has more than {MAX_WORDS} words"))
    } else if prefixes(text) > MAX_PREFIXES {
        Some(format!(
            "the text has `time` or `coproc` before more than {MAX_PREFIXES} commands"
        ))
    } else {
        None
    }
}

/// The most parentheses, or `${`, that are open at once, whether they are quoted or not.
fn most_open(text: &str) -> usize {
    let (mut parentheses, mut parameters, mut most) = (0_usize, 0_usize, 0);
    let mut previous = 0;
    for byte in text.bytes() {
        match byte {
            b'(' => parentheses += 1,
            b')' => parentheses = parentheses.saturating_sub(1),
            b'{' if previous == b'$' => parameters += 1,
            b'}' => parameters = parameters.saturating_sub(1),
            _ => {}
        }
        most = most.max(parentheses).max(parameters);
        previous = byte;
    }
    most
}

/// How often `time` or `coproc` stands where a command may begin. Quotes are not looked at, so this is at least
/// what the parser finds.
fn prefixes(text: &str) -> usize {
    if text.len() < MAX_PREFIXES * "time ".len() {
        return 0;
    }
    let joined = text.replace("\\\n", "");
    let mut count = 0;
    let mut may_begin = true;
    let blank_or_operator = |c: char| c.is_whitespace() || is_operator(c);
    for piece in joined.split_inclusive(blank_or_operator) {
        let word = piece.trim_end_matches(blank_or_operator);
        if !word.is_empty() {
            count += usize::from(may_begin && matches!(word, "time" | "coproc"));
            may_begin = BEFORE_COMMANDS.contains(&word);
        }
        may_begin |= piece.ends_with(is_operator);
    }
    count
}

fn is_operator(c: char) -> bool {
    matches!(
        c,
        '\n' | ';' | '&' | '|' | '(' | ')' | '{' | '}' | '<' | '>' | '!' | '`' | '"' | '\''
    )
}

/// Work that is left for one text, shared by everything that is read for it.
#[derive(Debug)]
pub(super) struct Budget {
    left: usize,
    words_left: usize,
    bytes_read: usize,
}

/// The text would cost more work than a command is worth.
#[derive(Debug)]
pub(super) struct TooMuchWork;

impl Budget {
    pub(super) fn new() -> Self {
        Self {
            left: MAX_WORK,
            words_left: MAX_WORDS + MAX_WORDS / 4,
            bytes_read: 0,
        }
    }

    /// The bytes of all texts that were paid for.
    pub(super) fn bytes_read(&self) -> usize {
        self.bytes_read
    }

    /// Pays for reading the text once.
    pub(super) fn pay(&mut self, text: &str) -> Result<(), TooMuchWork> {
        self.bytes_read += text.len();
        if self.bytes_read <= UNCOUNTED {
            return Ok(());
        }
        let outside = without_bodies(text);
        let cost = text.len().saturating_mul(1 + openings(&outside));
        let cost = cost.saturating_add(looked_ahead(text));
        let cost = cost.saturating_add(looked_for_braces(&outside) / BRACES_AT_ONCE);
        self.left = self.left.checked_sub(cost).ok_or(TooMuchWork)?;
        let words_left = self.words_left.checked_sub(words(text));
        self.words_left = words_left.ok_or(TooMuchWork)?;
        Ok(())
    }
}

/// The parser's own budget of operations. A word takes one, a command about five.
pub(super) const PARSER_OPERATIONS: usize = 20_000;
