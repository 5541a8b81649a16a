//! What stands under a key of a JSON file: of which kind it is, and which kind an agent expects.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::edit::BYTE_ORDER_MARK;
use super::refusals::Refusal;

/// Of what kind a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Number,
    AboveZero,
    Whole,
    Flag,
    List,
    Object,
}

impl Kind {
    const fn expected(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Number => "a number",
            Self::AboveZero => "a number above 0",
            Self::Whole => "a whole number",
            Self::Flag => "true or false",
            Self::List => "a list",
            Self::Object => "an object",
        }
    }

    fn is_of(self, value: &Value<'_>) -> bool {
        let number = value.as_number_lit().map(|it| it.value);
        match self {
            Self::Text => value.as_string_lit().is_some(),
            Self::Number => number.is_some(),
            Self::AboveZero => number.is_some_and(|it| it.parse().is_ok_and(|it: f64| it > 0.0)),
            Self::Whole => number.is_some_and(|it| it.parse::<u64>().is_ok()),
            Self::Flag => value.as_boolean_lit().is_some(),
            Self::List => value.as_array().is_some(),
            Self::Object => value.as_object().is_some(),
        }
    }
}

/// What a value is, for people. A text may be a secret.
pub(super) fn described(value: &Value<'_>) -> String {
    match value {
        Value::StringLit(_) => "a text".to_owned(),
        Value::NumberLit(number) => format!("the number {}", number.value),
        Value::BooleanLit(literal) => literal.value.to_string(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::NullKeyword(_) => "null".to_owned(),
    }
}

/// A file that is looked at, and what an agent refuses in it.
pub(super) struct Looked<'t> {
    text: &'t str,
    refusals: Vec<Refusal>,
}

impl<'t> Looked<'t> {
    /// Looks at a file through its object. One that is no object is another matter.
    pub(super) fn at(text: &'t str, look: impl FnOnce(&mut Self, &Object<'t>)) -> Vec<Refusal> {
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let refusals = Vec::new();
        let mut looked = Self { text, refusals };
        let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
        if let Some(Value::Object(root)) = parsed.ok().and_then(|it| it.value) {
            look(&mut looked, &root);
        }
        looked.refusals
    }

    /// Adds what is wrong with a value.
    pub(super) fn refuse(&mut self, value: &Value<'_>, what: impl Into<String>) {
        let start = value.range().start;
        self.refusals
            .push(Refusal::at(self.text, start, what.into()));
    }

    /// Adds that a key is missing.
    pub(super) fn lacks(&mut self, object: &Value<'_>, path: &str, key: &str) {
        self.refuse(object, format!("`{path}` has no `{key}`"));
    }

    /// Looks whether a value is of this kind.
    pub(super) fn expect(&mut self, value: &Value<'_>, path: &str, kind: Kind) {
        if !kind.is_of(value) {
            let (found, expected) = (described(value), kind.expected());
            self.refuse(value, format!("`{path}` is {found}; expected {expected}"));
        }
    }

    /// Looks at what is there of these keys of an object, which stands below `above`.
    pub(super) fn expect_all(&mut self, object: &Object<'_>, above: &str, keys: &[(&str, Kind)]) {
        for property in &object.properties {
            let name = property.name.as_str();
            if let Some((_, kind)) = keys.iter().find(|(key, _)| *key == name) {
                self.expect(&property.value, &format!("{above}{name}"), *kind);
            }
        }
    }
}
