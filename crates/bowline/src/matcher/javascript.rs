//! JavaScript's `RegExp(text).test(value)`, without flags, on top of `fancy-regex`.
//!
//! The text is translated where the two languages differ. What JavaScript refuses is refused.

use std::iter::Peekable;
use std::str::Chars;

use crate::error::{Error, Result};

/// A pattern that backtracks longer than this on a name does not match.
const BACKTRACK_LIMIT: usize = 100_000;
const MAX_COMPILED_BYTES: usize = 1 << 20;

const DIGIT: &str = "0-9";
const WORD: &str = "0-9A-Za-z_";
const LINE_ENDS: &str = r"\n\r\x{2028}\x{2029}";

#[derive(Debug)]
pub(super) struct JsPattern(fancy_regex::Regex);

impl JsPattern {
    pub(super) fn new(text: &str) -> Result<Self> {
        let invalid = |reason: String| Error::Pattern {
            pattern: text.to_owned(),
            reason,
        };
        let translated = Translator::new(text)
            .translate()
            .map_err(|reason| invalid(reason.to_owned()))?;
        fancy_regex::RegexBuilder::new(&translated)
            .backtrack_limit(BACKTRACK_LIMIT)
            .delegate_size_limit(MAX_COMPILED_BYTES)
            .build()
            .map(Self)
            .map_err(|error| {
                invalid(match error {
                    fancy_regex::Error::ParseError(_, cause) => cause.to_string(),
                    error => error.to_string(),
                })
            })
    }

    /// Found anywhere in the value. Running over the limit is not found.
    pub(super) fn test(&self, value: &str) -> bool {
        self.0.is_match(value).unwrap_or(false)
    }
}

struct Translator<'a> {
    rest: Peekable<Chars<'a>>,
    out: String,
    /// Whether the last thing written can be repeated.
    repeatable: bool,
}

type Translated<T> = std::result::Result<T, &'static str>;

impl<'a> Translator<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            rest: text.chars().peekable(),
            out: String::with_capacity(text.len() + 8),
            repeatable: false,
        }
    }

    fn translate(mut self) -> Translated<String> {
        while let Some(c) = self.rest.next() {
            match c {
                '\\' => self.escape()?,
                '[' => self.class()?,
                '(' => self.group()?,
                '*' | '+' | '?' => self.quantifier(c.to_string())?,
                '{' => self.brace()?,
                '.' => self.atom(&format!("[^{LINE_ENDS}]")),
                '^' => self.assertion("^"),
                '$' => self.assertion("$"),
                '|' => self.assertion("|"),
                ')' => self.atom(")"),
                c => self.literal(c),
            }
        }
        Ok(self.out)
    }

    fn atom(&mut self, text: &str) {
        self.out.push_str(text);
        self.repeatable = true;
    }

    fn assertion(&mut self, text: &str) {
        self.out.push_str(text);
        self.repeatable = false;
    }

    fn literal(&mut self, c: char) {
        push_literal(&mut self.out, c);
        self.repeatable = true;
    }

    fn quantifier(&mut self, text: String) -> Translated<()> {
        if !self.repeatable {
            return Err("nothing to repeat");
        }
        self.out.push_str(&text);
        if self.rest.next_if_eq(&'?').is_some() {
            self.out.push('?');
        }
        self.repeatable = false;
        Ok(())
    }

    /// `{2,3}` repeats; any other brace is a character.
    fn brace(&mut self) -> Translated<()> {
        let mut ahead = self.rest.clone();
        let mut bounds = String::new();
        while let Some(c) = ahead.next_if(|c| c.is_ascii_digit() || *c == ',') {
            bounds.push(c);
        }
        let well_formed = bounds.starts_with(|c: char| c.is_ascii_digit())
            && bounds.matches(',').count() <= 1
            && ahead.next_if_eq(&'}').is_some();
        if !well_formed {
            self.literal('{');
            return Ok(());
        }
        self.rest = ahead;
        self.quantifier(format!("{{{bounds}}}"))
    }

    fn group(&mut self) -> Translated<()> {
        self.out.push('(');
        self.repeatable = false;
        if self.rest.next_if_eq(&'?').is_none() {
            return Ok(());
        }
        self.out.push('?');
        match self.rest.next() {
            Some(c @ (':' | '=' | '!' | '<')) => {
                self.out.push(c);
                if c == '<'
                    && let Some(behind) = self.rest.next_if(|c| matches!(c, '=' | '!'))
                {
                    self.out.push(behind);
                } else if c == '<' {
                    self.group_name()?;
                }
                Ok(())
            }
            _ => Err("JavaScript has no inline flags such as `(?i)`"),
        }
    }

    fn group_name(&mut self) -> Translated<()> {
        for c in self.rest.by_ref() {
            self.out.push(c);
            match c {
                '>' => return Ok(()),
                c if c.is_alphanumeric() || matches!(c, '_' | '$') => {}
                _ => break,
            }
        }
        Err("a group's name is not closed")
    }

    fn escape(&mut self) -> Translated<()> {
        let c = self.rest.next().ok_or("a backslash at the end")?;
        match c {
            'd' => self.atom(&format!("[{DIGIT}]")),
            'D' => self.atom(&format!("[^{DIGIT}]")),
            'w' => self.atom(&format!("[{WORD}]")),
            'W' => self.atom(&format!("[^{WORD}]")),
            's' | 'S' | 'k' | '1'..='9' => self.atom(&format!("\\{c}")),
            'b' | 'B' => self.word_boundary(c),
            c => {
                let c = self.character_escape(c);
                self.literal(c);
            }
        }
        Ok(())
    }

    /// JavaScript's words are ASCII.
    fn word_boundary(&mut self, c: char) {
        let (inside, outside) = match c {
            'b' => ("!", "="),
            _ => ("=", "!"),
        };
        self.assertion(&format!(
            "(?:(?<=[{WORD}])(?{inside}[{WORD}])|(?<![{WORD}])(?{outside}[{WORD}]))"
        ));
    }

    /// The character that an escape stands for; a letter without a meaning stands for itself.
    fn character_escape(&mut self, c: char) -> char {
        match c {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            'f' => '\u{c}',
            '0' => '\0',
            'x' => self.hexadecimal(2).unwrap_or('x'),
            'u' => self.hexadecimal(4).unwrap_or('u'),
            c => c,
        }
    }

    fn hexadecimal(&mut self, digits: usize) -> Option<char> {
        let mut ahead = self.rest.clone();
        let mut value = 0;
        for _ in 0..digits {
            value = value * 16 + ahead.next()?.to_digit(16)?;
        }
        let c = char::from_u32(value)?;
        self.rest = ahead;
        Some(c)
    }

    fn class(&mut self) -> Translated<()> {
        let negated = self.rest.next_if_eq(&'^').is_some();
        if self.rest.next_if_eq(&']').is_some() {
            self.atom(if negated { r"(?s:.)" } else { "(?!)" });
            return Ok(());
        }
        self.out.push_str(if negated { "[^" } else { "[" });
        loop {
            let c = self.rest.next().ok_or("a character class is not closed")?;
            match c {
                ']' => break,
                '-' => self.out.push('-'),
                '\\' => self.class_escape()?,
                c => push_literal(&mut self.out, c),
            }
        }
        self.atom("]");
        Ok(())
    }

    fn class_escape(&mut self) -> Translated<()> {
        let c = self.rest.next().ok_or("a backslash at the end")?;
        match c {
            'd' => self.out.push_str(DIGIT),
            'w' => self.out.push_str(WORD),
            'D' => self.out.extend(["[^", DIGIT, "]"]),
            'W' => self.out.extend(["[^", WORD, "]"]),
            's' | 'S' => {
                self.out.push('\\');
                self.out.push(c);
            }
            'b' => self.out.push_str(r"\x08"),
            c => {
                let c = self.character_escape(c);
                push_literal(&mut self.out, c);
            }
        }
        Ok(())
    }
}

/// One character that stands for itself, inside a class and outside.
fn push_literal(out: &mut String, c: char) {
    if c.is_ascii_punctuation() && c != '_' && c != '<' && c != '>' {
        out.push('\\');
        out.push(c);
    } else if c.is_control() || c == ' ' {
        out.extend(c.escape_unicode().map(|c| if c == 'u' { 'x' } else { c }));
    } else {
        out.push(c);
    }
}
