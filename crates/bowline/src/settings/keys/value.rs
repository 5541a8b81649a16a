//! The types of values: what each is called, and how it is read.

use std::fmt;
use std::time::Duration;

use super::describe::{Kind, TextLike, WordList};
use super::slot::At;
use crate::event::fold;
use crate::settings::syntax::node::{self, Node};

/// What one key can hold.
pub(super) trait Value: Clone + fmt::Debug + Sized + Sync + 'static {
    const KIND: Kind;

    /// `None`: the value is wrong, and that was said.
    fn read(node: &Node, at: &mut At<'_, '_, '_>) -> Option<Self>;
}

/// The words that stand for values of a type.
#[derive(Debug)]
pub(in crate::settings) struct Choice<T: 'static> {
    pub(in crate::settings) words: &'static [(&'static str, T)],
    /// Words that are also accepted, but not documented.
    pub(in crate::settings) also: &'static [(&'static str, T)],
}

impl<T: Copy> Choice<T> {
    pub(in crate::settings) fn names(&self) -> Vec<&'static str> {
        self.words.iter().map(|(word, _)| *word).collect()
    }

    /// The value of a word, in any casing.
    pub(in crate::settings) fn find(&self, node: &Node) -> Option<T> {
        let node::Value::String(text) = &node.value else {
            return None;
        };
        let folded = fold(text);
        let mut all = self.words.iter().chain(self.also);
        let (_, value) = all.find(|(word, _)| fold(word) == folded)?;
        Some(*value)
    }
}

/// A type whose values are written as words.
pub(in crate::settings) trait Chosen:
    Copy + fmt::Debug + Sync + 'static
{
    const LIST: &'static WordList;
    const CHOICE: &'static Choice<Self>;
}

impl<T: Chosen> Value for T {
    const KIND: Kind = Kind::Words(T::LIST);

    fn read(node: &Node, at: &mut At<'_, '_, '_>) -> Option<Self> {
        let found = T::CHOICE.find(node);
        if found.is_none() {
            let quoted = T::CHOICE.names().into_iter();
            let quoted: Vec<String> = quoted.map(|word| format!("`{word}`")).collect();
            at.wrong(node, &format!("expected {}", quoted.join(" or ")));
        }
        found
    }
}

impl Value for bool {
    const KIND: Kind = Kind::Flag;

    fn read(node: &Node, at: &mut At<'_, '_, '_>) -> Option<Self> {
        let flag = match node.value {
            node::Value::Bool(flag) => Some(flag),
            _ => None,
        };
        or_wrong(flag, node, at, "expected true or false")
    }
}

impl Value for String {
    const KIND: Kind = Kind::Text;

    fn read(node: &Node, at: &mut At<'_, '_, '_>) -> Option<Self> {
        or_wrong(text(node), node, at, "expected a text")
    }
}

impl Value for Vec<String> {
    const KIND: Kind = Kind::List(&Kind::Text);

    fn read(node: &Node, at: &mut At<'_, '_, '_>) -> Option<Self> {
        let texts = match &node.value {
            node::Value::List(items) => items.iter().map(text).collect(),
            _ => None,
        };
        or_wrong(texts, node, at, "expected a list of texts")
    }
}

/// A whole number above 0.
impl Value for u32 {
    const KIND: Kind = Kind::Count;

    fn read(node: &Node, at: &mut At<'_, '_, '_>) -> Option<Self> {
        let count = match &node.value {
            node::Value::Number(digits) => digits.parse().ok(),
            _ => None,
        };
        let above_0 = count.filter(|count| *count > 0);
        or_wrong(above_0, node, at, "expected a whole number above 0")
    }
}

/// A part of a whole, from 1 to 100.
#[derive(Debug, Clone, Copy)]
pub(super) struct Percent(pub(super) u32);

impl Value for Percent {
    const KIND: Kind = Kind::Count;

    fn read(node: &Node, at: &mut At<'_, '_, '_>) -> Option<Self> {
        let part = match &node.value {
            node::Value::Number(digits) => digits.parse().ok(),
            _ => None,
        };
        let part = part.filter(|part| (1..=100).contains(part));
        or_wrong(part, node, at, "expected a whole number from 1 to 100").map(Self)
    }
}

/// Seconds.
impl Value for Duration {
    const KIND: Kind = Kind::Seconds;

    fn read(node: &Node, at: &mut At<'_, '_, '_>) -> Option<Self> {
        let limit = match &node.value {
            node::Value::Number(digits) => digits
                .parse()
                .ok()
                .and_then(|secs| Self::try_from_secs_f64(secs).ok()),
            _ => None,
        };
        let above_0 = limit.filter(|limit| !limit.is_zero());
        or_wrong(above_0, node, at, "expected a number of seconds above 0")
    }
}

/// Where to ask over HTTP.
#[derive(Debug, Clone)]
pub(super) struct Url(pub(super) String);

impl Value for Url {
    const KIND: Kind = Kind::TextLike(&TextLike {
        pattern: r"^https?://",
        max_length: None,
        what: "a URL",
    });

    fn read(node: &Node, at: &mut At<'_, '_, '_>) -> Option<Self> {
        let url =
            text(node).filter(|url| url.starts_with("https://") || url.starts_with("http://"));
        let expected = "expected a URL that begins with https:// or http://";
        or_wrong(url, node, at, expected).map(Self)
    }
}

/// The name of an environment variable. It is checked, so that no secret key ends up in a file.
#[derive(Debug, Clone)]
pub(super) struct VariableName(pub(super) String);

impl Value for VariableName {
    const KIND: Kind = Kind::TextLike(&TextLike {
        pattern: r"^[A-Za-z_][A-Za-z0-9_]*$",
        max_length: None,
        what: "the name of a variable",
    });

    fn read(node: &Node, at: &mut At<'_, '_, '_>) -> Option<Self> {
        let name = text(node).filter(|name| {
            name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && !name.starts_with(|c: char| c.is_ascii_digit())
        });
        let expected = "expected the name of an environment variable, not the key itself";
        or_wrong(name, node, at, expected).map(Self)
    }
}

fn text(node: &Node) -> Option<String> {
    match &node.value {
        node::Value::String(text) if !text.is_empty() => Some(text.clone()),
        _ => None,
    }
}

fn or_wrong<T>(read: Option<T>, node: &Node, at: &mut At<'_, '_, '_>, expected: &str) -> Option<T> {
    if read.is_none() {
        at.wrong(node, expected);
    }
    read
}
