//! Tokens with a format of their own, written down from what the vendors publish.

mod cloud;
mod code;
mod services;

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

use super::rule::{Lead, Rule};
use super::text::{Text, is_word};
use super::values::is_placeholder;

/// All tables.
pub(super) const TABLES: [&[Rule]; 3] = [cloud::RULES, code::RULES, services::RULES];

/// How much of the text a pattern sees.
const WINDOW: usize = 1024;

/// A rule of the tables with its pattern, which is built when it is first needed.
#[derive(Debug)]
pub(super) struct Matcher {
    pub(super) rule: &'static Rule,
    prefix: &'static str,
    lead: Option<Lead>,
    pattern: &'static str,
    regex: OnceLock<Option<Regex>>,
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
                lead: token.lead,
                pattern: token.pattern,
                regex: OnceLock::new(),
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
        if !text.starts_with(at, self.prefix.as_bytes()) {
            return None;
        }
        let start = match self.lead {
            None => text.starts_token(at).then_some(at)?,
            Some(lead) => {
                let start = text.run_back(at, lead.most, lead.class);
                (!(lead.class)(text.before(start))).then_some(start)?
            }
        };
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
        let body = secret
            .as_bytes()
            .get(self.prefix.len()..)
            .unwrap_or_default();
        let live = !is_word(text.byte(end)) && !is_placeholder(body);
        live.then_some(first..end)
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

fn is_token_byte(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'~' | b'.' | b'-')
}
