//! The keys of one object: each is asked for by name in any casing, checked, and accounted for.

use std::collections::{BTreeMap, HashMap};

use bowline_agents::near::nearest;

use super::findings::Findings;
use super::node::{Entry, Node, Span, Value};
use crate::event::fold;
use crate::settings::keys::Choice;

/// Something was wrong, and that has been reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::settings) struct Reported;

/// The keys of one object that have not been asked for yet.
#[derive(Debug)]
pub(in crate::settings) struct Fields<'n> {
    /// In the order of the file, by folded name.
    left: Vec<(String, &'n Entry)>,
    /// The object, to point at.
    pub(in crate::settings) span: &'n Span,
    /// Whether a value was not of the kind that it has to be.
    pub(in crate::settings) faulty: bool,
}

/// A string and where it is written.
#[derive(Debug, Clone, Copy)]
pub(in crate::settings) struct Text<'n> {
    pub(in crate::settings) text: &'n str,
    pub(in crate::settings) span: &'n Span,
}

impl<'n> Fields<'n> {
    /// The keys of an object; `None` for anything else.
    pub(in crate::settings) fn of(node: &'n Node, findings: &mut Findings<'_>) -> Option<Self> {
        Some(Self::new(unique(node, fold, findings)?, &node.span))
    }

    /// These keys.
    pub(in crate::settings) fn new(entries: Vec<&'n Entry>, span: &'n Span) -> Self {
        Self {
            left: entries
                .into_iter()
                .map(|entry| (fold(&entry.key.text), entry))
                .collect(),
            span,
            faulty: false,
        }
    }

    /// No keys: for a hook that is only a command.
    pub(in crate::settings) fn none(span: &'n Span) -> Self {
        Self::new(Vec::new(), span)
    }

    /// Whether there is a key of this name.
    pub(in crate::settings) fn has(&self, name: &str) -> bool {
        let folded = fold(name);
        self.left.iter().any(|(key, _)| *key == folded)
    }

    /// The keys that were not read yet.
    pub(in crate::settings) fn left(&self) -> impl Iterator<Item = &'n str> + use<'n, '_> {
        self.left.iter().map(|(_, entry)| entry.key.text.as_str())
    }

    /// Where the key of this name is written.
    pub(in crate::settings) fn key_span(&self, name: &str) -> Option<&'n Span> {
        let folded = fold(name);
        let (_, entry) = self.left.iter().find(|(key, _)| *key == folded)?;
        Some(&entry.key.span)
    }

    /// The key of this name. Null counts as not there.
    pub(in crate::settings) fn take(&mut self, name: &str) -> Option<&'n Entry> {
        let folded = fold(name);
        let index = self.left.iter().position(|(key, _)| *key == folded)?;
        let (_, entry) = self.left.remove(index);
        (entry.value.value != Value::Null).then_some(entry)
    }

    /// A string.
    pub(in crate::settings) fn string(
        &mut self,
        name: &str,
        findings: &mut Findings<'_>,
    ) -> Result<Option<Text<'n>>, Reported> {
        let Some(entry) = self.take(name) else {
            return Ok(None);
        };
        match &entry.value.value {
            Value::String(text) => Ok(Some(Text {
                text,
                span: &entry.value.span,
            })),
            _ => Err(self.wrong_kind(entry, "a string", findings)),
        }
    }

    /// `true` or `false`; false when it is not there, or neither.
    pub(in crate::settings) fn flag(&mut self, name: &str, findings: &mut Findings<'_>) -> bool {
        let Some(entry) = self.take(name) else {
            return false;
        };
        if let Value::Bool(flag) = entry.value.value {
            return flag;
        }
        self.wrong_kind(entry, "true or false", findings);
        false
    }

    /// A whole number.
    pub(in crate::settings) fn whole_number(
        &mut self,
        name: &str,
        findings: &mut Findings<'_>,
    ) -> Option<i32> {
        let entry = self.take(name)?;
        let number = match &entry.value.value {
            Value::Number(digits) => digits.parse().ok(),
            _ => None,
        };
        if number.is_none() {
            let expected = format!("a whole number from {} to {}", i32::MIN, i32::MAX);
            self.wrong_kind(entry, &expected, findings);
        }
        number
    }

    /// One of a few words, in any casing.
    pub(in crate::settings) fn word<T: Copy>(
        &mut self,
        name: &str,
        choice: &Choice<T>,
        findings: &mut Findings<'_>,
    ) -> Option<T> {
        let entry = self.take(name)?;
        let found = choice.find(&entry.value);
        if found.is_none() {
            let words = choice.names().into_iter();
            let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
            self.wrong_kind(entry, &format!("one of {}", words.join(", ")), findings);
        }
        found
    }

    /// A list of strings.
    pub(in crate::settings) fn strings(
        &mut self,
        name: &str,
        findings: &mut Findings<'_>,
    ) -> Result<Option<Vec<String>>, Reported> {
        let Some(entry) = self.take(name) else {
            return Ok(None);
        };
        let strings = match &entry.value.value {
            Value::List(nodes) => nodes
                .iter()
                .map(|node| match &node.value {
                    Value::String(text) => Some(text.clone()),
                    _ => None,
                })
                .collect(),
            _ => None,
        };
        match strings {
            Some(strings) => Ok(Some(strings)),
            None => Err(self.wrong_kind(entry, "a list of strings", findings)),
        }
    }

    /// Names and texts. Numbers, true and false are taken as they are written.
    pub(in crate::settings) fn texts_by_name(
        &mut self,
        name: &str,
        findings: &mut Findings<'_>,
    ) -> BTreeMap<String, String> {
        let Some(entry) = self.take(name) else {
            return BTreeMap::new();
        };
        let Some(entries) = unique(&entry.value, str::to_owned, findings) else {
            self.wrong_kind(entry, "an object of names and strings", findings);
            return BTreeMap::new();
        };
        let mut texts = BTreeMap::new();
        for entry in entries {
            let text = match &entry.value.value {
                Value::String(text) | Value::Number(text) => text.clone(),
                Value::Bool(flag) => flag.to_string(),
                Value::Null | Value::List(_) | Value::Map(_) => {
                    self.wrong_kind(entry, "a string", findings);
                    continue;
                }
            };
            texts.insert(entry.key.text.clone(), text);
        }
        texts
    }

    /// Forgets keys that need no reading and are no mistake.
    pub(in crate::settings) fn skip(&mut self, names: &[&str]) {
        self.left
            .retain(|(key, _)| !names.iter().any(|name| fold(name) == *key));
    }

    /// Warns about every key that was not read.
    pub(in crate::settings) fn finish(&mut self, known: &[&str], findings: &mut Findings<'_>) {
        for (folded, entry) in self.left.drain(..) {
            let name = shortened(&entry.key.text);
            let (code, message, help) = if known.iter().any(|known| fold(known) == folded) {
                (
                    "misplaced-field",
                    format!("`{name}` has no effect in this place"),
                    misplaced_help(&folded),
                )
            } else {
                let help = match nearest(&entry.key.text, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "remove it, or check its spelling".to_owned(),
                };
                let message = format!("`{name}` is not known and has no effect");
                ("unknown-field", message, help)
            };
            findings.warning(code, &entry.key.span, message, help);
        }
    }

    /// Reports a value of the wrong kind.
    pub(in crate::settings) fn wrong_kind(
        &mut self,
        entry: &Entry,
        expected: &str,
        findings: &mut Findings<'_>,
    ) -> Reported {
        self.faulty = true;
        findings.error(
            "wrong-type",
            &entry.value.span,
            format!(
                "`{}` is {}; expected {expected}",
                shortened(&entry.key.text),
                described(&entry.value)
            ),
            format!("write {expected}, or leave the key out"),
        );
        Reported
    }
}

/// The entries of an object without those that a later one of the same name replaces; `None` for anything else.
pub(in crate::settings) fn unique<'n>(
    node: &'n Node,
    name: impl Fn(&str) -> String,
    findings: &mut Findings<'_>,
) -> Option<Vec<&'n Entry>> {
    let Value::Map(entries) = &node.value else {
        return None;
    };
    let mut last: HashMap<String, usize> = HashMap::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        last.insert(name(&entry.key.text), index);
    }
    let mut kept = Vec::with_capacity(last.len());
    for (index, entry) in entries.iter().enumerate() {
        if last.get(&name(&entry.key.text)) == Some(&index) {
            kept.push(entry);
        } else {
            findings.warning(
                "duplicate-key",
                &entry.key.span,
                format!(
                    "`{}` comes again further down; this one has no effect",
                    shortened(&entry.key.text)
                ),
                "keep one of them",
            );
        }
    }
    Some(kept)
}

fn misplaced_help(folded: &str) -> String {
    match folded {
        "matcher" => "put it beside `hooks`, where it applies to the whole group",
        _ => "it does not go with this type of hook: remove it",
    }
    .to_owned()
}

const MAX_SHOWN: usize = 80;

/// A text of the file, short enough for a message.
pub(in crate::settings) fn shortened(text: &str) -> String {
    let line: String = text
        .chars()
        .take(MAX_SHOWN)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if line.len() < text.len() {
        format!("{line}…")
    } else {
        line
    }
}

/// A value for a message: itself if it is short, else what it is.
pub(in crate::settings) fn described(node: &Node) -> String {
    match &node.value {
        Value::String(text) => format!("the string \"{}\"", shortened(text)),
        Value::Number(digits) => format!("the number {}", shortened(digits)),
        Value::Bool(flag) => flag.to_string(),
        Value::Null | Value::List(_) | Value::Map(_) => node.kind().to_owned(),
    }
}
