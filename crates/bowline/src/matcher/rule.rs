//! One matcher text, compiled by the rules of its dialect.

use bowline_agents::claude_code::rules::allows_wide_lists;
use bowline_agents::claude_code::tools::{current_name, old_names};
use regex::Regex;

use crate::dialect::Dialect;
use crate::error::{Error, Result};
use crate::event::HookEvent;
use crate::input::HookInput;

use super::javascript::JsPattern;

/// Patterns are for names; one that needs more than this is a mistake.
const MAX_COMPILED_BYTES: usize = 1 << 20;

/// What a rule is compared with.
pub(super) struct Value<'a> {
    text: &'a str,
    kind: ValueKind,
    event: HookEvent,
}

#[derive(Clone, Copy)]
enum ValueKind {
    Tool,
    Other,
}

impl<'a> Value<'a> {
    pub(super) fn subject(input: &'a HookInput) -> Option<Self> {
        let event = input.event_type();
        let text = input.subject()?;
        Some(if event.is_tool_event() {
            Self::tool(text, event)
        } else {
            Self::other(text, event)
        })
    }

    pub(super) fn tool(text: &'a str, event: HookEvent) -> Self {
        Self {
            text,
            kind: ValueKind::Tool,
            event,
        }
    }

    pub(super) fn other(text: &'a str, event: HookEvent) -> Self {
        Self {
            text,
            kind: ValueKind::Other,
            event,
        }
    }

    /// Whether any name of what it is fits: those of a renamed tool are one.
    fn any_name(&self, fits: impl Fn(&str) -> bool) -> bool {
        let other_name = || {
            let current = current_name(self.text);
            fits(current) || old_names(current).any(&fits)
        };
        match self.kind {
            ValueKind::Tool => fits(self.text) || other_name(),
            ValueKind::Other => fits(self.text),
        }
    }

    /// For people.
    pub(super) fn describe(&self) -> String {
        match self.kind {
            ValueKind::Tool => format!("tool {}", self.text),
            ValueKind::Other => format!("`{}`", self.text),
        }
    }
}

/// A compiled matcher text.
#[derive(Debug)]
pub(super) enum Rule {
    /// Every value.
    All,
    /// The generic dialect: one of these names.
    Names(Vec<String>, Casing),
    /// The generic dialect: a pattern for the whole name.
    Whole(Regex),
    /// Claude Code's rule.
    Client(ClientRule),
}

/// Whether names have to be written as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Casing {
    Exact,
    Any,
}

impl Casing {
    fn is_same(self, one: &str, other: &str) -> bool {
        match self {
            Self::Exact => one == other,
            Self::Any => one.eq_ignore_ascii_case(other),
        }
    }
}

/// Whether a text is a list of names or a pattern depends on its characters, and for some texts on the event.
#[derive(Debug)]
pub(super) enum ClientRule {
    Names(Vec<String>),
    /// Names where the event allows commas, hyphens and blanks in a list; else a pattern.
    NamesOrPattern(Vec<String>, JsPattern),
    Pattern(JsPattern),
}

impl Rule {
    pub(super) fn parse(text: &str, dialect: Dialect) -> Result<Self> {
        match dialect {
            Dialect::Generic => Self::generic(text, Casing::Exact),
            Dialect::ClaudeCode => Self::client(text),
        }
    }

    pub(super) fn generic(text: &str, casing: Casing) -> Result<Self> {
        let text = text.trim();
        if matches!(text, "" | "*" | ".*") {
            return Ok(Self::All);
        }
        if text.chars().all(in_wide_list) {
            return Ok(Self::Names(
                names(text).map(str::to_owned).collect(),
                casing,
            ));
        }
        regex::RegexBuilder::new(&format!("^(?:{text})$"))
            .size_limit(MAX_COMPILED_BYTES)
            .case_insensitive(casing == Casing::Any)
            .build()
            // The error of the anchored form would point into text that the user did not write.
            .map_err(|anchored| Regex::new(text).err().unwrap_or(anchored))
            .map(Self::Whole)
            .map_err(|error| Error::Pattern {
                pattern: text.to_owned(),
                reason: first_words(&error),
            })
    }

    fn client(text: &str) -> Result<Self> {
        if matches!(text, "" | "*") {
            return Ok(Self::All);
        }
        let names = || names(text).map(str::to_owned).collect();
        Ok(Self::Client(if text.chars().all(in_narrow_list) {
            ClientRule::Names(names())
        } else if text.chars().all(in_wide_list) {
            ClientRule::NamesOrPattern(names(), JsPattern::new(text)?)
        } else {
            ClientRule::Pattern(JsPattern::new(text)?)
        }))
    }

    pub(super) fn fits(&self, value: &Value<'_>) -> bool {
        match self {
            Self::All => true,
            Self::Names(names, casing) => {
                value.any_name(|text| names.iter().any(|name| casing.is_same(name, text)))
            }
            Self::Whole(pattern) => value.any_name(|text| pattern.is_match(text)),
            Self::Client(rule) => rule.fits(value),
        }
    }
}

impl ClientRule {
    fn fits(&self, value: &Value<'_>) -> bool {
        match self {
            Self::Names(names) => named(names, value),
            Self::NamesOrPattern(names, _) if allows_wide_lists(value.event) => named(names, value),
            Self::NamesOrPattern(_, pattern) | Self::Pattern(pattern) => found(pattern, value),
        }
    }
}

fn named(names: &[String], value: &Value<'_>) -> bool {
    names.iter().any(|name| match value.kind {
        ValueKind::Tool => current_name(name) == value.text,
        ValueKind::Other => name == value.text,
    })
}

fn found(pattern: &JsPattern, value: &Value<'_>) -> bool {
    pattern.test(value.text)
        || match value.kind {
            ValueKind::Tool => old_names(value.text).any(|old| pattern.test(old)),
            ValueKind::Other => false,
        }
}

/// The names of a matcher that is a list of them; none of a pattern.
pub(crate) fn listed_names(text: &str) -> impl Iterator<Item = &str> {
    let is_list = text.chars().all(in_wide_list);
    names(text).filter(move |_| is_list)
}

fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(['|', ','])
        .map(str::trim)
        .filter(|name| !name.is_empty())
}

fn in_narrow_list(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '|')
}

fn in_wide_list(c: char) -> bool {
    in_narrow_list(c) || matches!(c, ',' | '-' | ' ')
}

/// A regex error without the drawing of where it is, which does not fit in one line.
fn first_words(error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(limit) => {
            format!("it is too large (over {limit} bytes when compiled)")
        }
        error => {
            let text = error.to_string();
            let cause = text.lines().last().unwrap_or_default();
            cause.strip_prefix("error: ").unwrap_or(cause).to_owned()
        }
    }
}
