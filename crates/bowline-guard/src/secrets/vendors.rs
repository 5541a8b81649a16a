//! Tokens with a format of their own, written down from what the vendors publish.

mod cloud;
mod code;
mod models;
mod services;
mod tools;

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

use super::rule::{Certainty, Lead, Rule, expand};
use super::text::{Text, is_word};
use super::values::{is_placeholder, is_spelled_out};

/// All tables.
pub(super) const TABLES: [&[Rule]; 5] = [
    cloud::RULES,
    code::RULES,
    models::RULES,
    services::RULES,
    tools::RULES,
];

/// How much of the text a pattern sees.
const WINDOW: usize = 1024;

/// A rule of the tables with its pattern, which is built when it is first needed.
#[derive(Debug)]
pub(super) struct Matcher {
    pub(super) rule: &'static Rule,
    prefix: &'static str,
    telling: Certainty,
    lead: Option<Lead>,
    pattern: &'static str,
    regex: OnceLock<Option<Regex>>,
    lengths: OnceLock<Vec<usize>>,
}

/// One matcher for each prefix of each rule.
pub(super) fn matchers() -> Vec<Matcher> {
    let rules = TABLES.iter().flat_map(|table| table.iter());
    rules
        .filter_map(|rule| Some((rule, rule.token?)))
        .flat_map(|(rule, token)| {
            token.prefixes.iter().map(move |prefix| Matcher {
                rule,
                prefix,
                telling: token.telling,
                lead: token.lead,
                pattern: token.pattern,
                regex: OnceLock::new(),
                lengths: OnceLock::new(),
            })
        })
        .collect()
}

impl Matcher {
    pub(super) fn prefix(&self) -> &'static str {
        self.prefix
    }

    /// The secret whose prefix stands at `at`.
    pub(super) fn find(&self, text: Text<'_>, at: usize) -> Option<Range<usize>> {
        let (span, body) = self.matching(text, at)?;
        self.counts(body, span.len()).then_some(span)
    }

    /// What looks like the secret whose prefix stands at `at`, and what of it is not the prefix.
    fn matching<'t>(&self, text: Text<'t>, at: usize) -> Option<(Range<usize>, &'t [u8])> {
        if !text.starts_with(at, self.prefix.as_bytes()) {
            return None;
        }
        let start = match self.lead {
            None => self.starts(text, at).then_some(at)?,
            Some(lead) => {
                let start = text.run_back(at, lead.most, lead.class);
                (!(lead.class)(text.before(start))).then_some(start)?
            }
        };
        self.matching_from(text, start)
    }

    fn matching_from<'t>(&self, text: Text<'t>, start: usize) -> Option<(Range<usize>, &'t [u8])> {
        let regex = self.regex.get_or_init(|| build(self.pattern)).as_ref()?;
        let window = text.slice(start..start + WINDOW);
        let captures = regex.captures(window)?;
        let whole = captures.get(0)?;
        let secret = captures.get(1).unwrap_or(whole);
        let mut end = start + secret.end();
        if whole.end() == window.len() {
            // The token is longer than the window: the rest of it goes too.
            end = text.run(end, text.len(), |b| {
                is_word(b) || matches!(b, b'-' | b'.' | b'+' | b'/' | b'=')
            });
        }
        let first = start + secret.start();
        // `_token_`: emphasis is no part of it.
        if text.before(first) == b'_' {
            end = text.run_back(end, 3, |b| b == b'_');
        }
        let ends = text.run(end, 3, |b| b == b'_');
        let body = secret
            .as_bytes()
            .get(self.prefix.len()..)
            .unwrap_or_default();
        (!is_word(text.byte(ends))).then_some((first..end, body))
    }

    fn starts(&self, text: Text<'_>, at: usize) -> bool {
        let joined = text.before(at) == b'_' && self.telling == Certainty::Surely;
        joined || text.starts_token(at)
    }

    /// Whether it may be in use. What looks made up is taken for real if it has the form of a real one, unless it says
    /// in words what belongs there.
    fn counts(&self, body: &[u8], length: usize) -> bool {
        !is_placeholder(body)
            || (self.telling == Certainty::Surely
                && !is_spelled_out(body)
                && self.lengths().iter().any(|known| length >= *known))
    }

    /// Whether real ones are exactly so long.
    pub(super) fn is_whole(&self, length: usize) -> bool {
        self.lengths().contains(&length)
    }

    /// Whether real ones are longer.
    pub(super) fn is_cut(&self, length: usize) -> bool {
        self.lengths().iter().all(|known| length < *known)
    }

    /// How long real ones are, by the examples of the rule.
    fn lengths(&self) -> &[usize] {
        self.lengths.get_or_init(|| {
            let examples = self.rule.matches.iter().map(|example| expand(example));
            examples.filter_map(|it| self.length_in(&it)).collect()
        })
    }

    fn length_in(&self, example: &str) -> Option<usize> {
        let starts = (0..example.len()).filter(|at| example.is_char_boundary(*at));
        let text = Text::new(example);
        let mut spans = starts.filter_map(|at| self.matching_from(text, at));
        spans.next().map(|(span, _)| span.len())
    }
}

/// A pattern of the tables that cannot be built finds nothing; the test of all examples shows it.
fn build(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(&format!(r"\A(?:{pattern})"))
        .unicode(false)
        .build()
        .ok()
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

fn is_hex_digit(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

fn is_alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn is_word_byte(byte: u8) -> bool {
    is_word(byte)
}

fn is_token_byte(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'~' | b'.' | b'-')
}
