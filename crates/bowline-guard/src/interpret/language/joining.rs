//! Texts that an expression puts together, where a part may be one of several.

use super::UNKNOWN;
use super::lexer::Token;
use super::names::Names;
use super::value::Value;

/// At most this many texts are distinguished; of more, the part is unknown.
const MAX_TEXTS: usize = 16;

/// How a part is joined to what stands before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    Beside,
    /// `base / "name"`: the slash joins paths.
    Slash,
}

impl Joint {
    pub(super) fn before(tokens: &[Token], at: usize) -> Self {
        match at.checked_sub(1).and_then(|it| tokens.get(it)) {
            Some(Token::Symbol('/')) if at > 1 => Self::Slash,
            _ => Self::Beside,
        }
    }
}

/// What was put together so far.
#[derive(Debug)]
pub(super) struct Made {
    texts: Vec<String>,
    known: bool,
}

impl Made {
    pub(super) fn new() -> Self {
        Self {
            texts: vec![String::new()],
            known: false,
        }
    }

    pub(super) fn is_known(&self) -> bool {
        self.known
    }

    /// Adds a part; one that may be several things makes as many texts.
    pub(super) fn push(&mut self, part: &Value, joint: Joint, names: &Names) {
        self.known = true;
        let unknown = UNKNOWN.to_string();
        let parts: Vec<String> = match part {
            Value::List(items)
                if items.len() * self.texts.len() <= MAX_TEXTS
                    && items.iter().all(|it| matches!(it, Value::Text(_))) =>
            {
                items.iter().map(Value::text).collect()
            }
            Value::Text(text) => vec![text.clone()],
            Value::List(_) | Value::Unknown => vec![unknown],
        };
        let size: usize = parts.iter().chain(&self.texts).map(String::len).sum();
        if parts.len() > 1 && !names.pay(size * MAX_TEXTS) {
            self.texts = vec![UNKNOWN.to_string()];
            return;
        }
        if let [part] = parts.as_slice() {
            for text in &mut self.texts {
                add(text, part, joint);
            }
            return;
        }
        let before = std::mem::take(&mut self.texts);
        for text in before {
            for part in &parts {
                let mut text = text.clone();
                add(&mut text, part, joint);
                self.texts.push(text);
            }
        }
    }

    pub(super) fn value(&self) -> Value {
        match self.texts.as_slice() {
            _ if !self.known => Value::Unknown,
            [text] if text.chars().all(|c| c == UNKNOWN) && !text.is_empty() => Value::Unknown,
            [text] => Value::Text(text.clone()),
            [] => Value::Unknown,
            several => Value::List(several.iter().cloned().map(Value::Text).collect()),
        }
    }
}

fn add(text: &mut String, part: &str, joint: Joint) {
    if joint == Joint::Slash {
        text.push('/');
    }
    text.push_str(part);
}
