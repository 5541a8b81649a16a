//! Texts with expressions in them: `f"notes/{name}"`, `"notes/%s" % name`.

use super::UNKNOWN;
use super::joining::{Joint, Made};
use super::lexer::lex;
use super::names::Names;
use super::value::{Value, evaluate};

/// At most this many expressions of one text are worked out.
const MAX_EXPRESSIONS: usize = 8;

/// A text with the values of its expressions, as far as they are known.
pub(super) fn filled(text: &str, names: &Names, depth: usize) -> Value {
    let plain = || Value::Text(text.to_owned());
    let Some(codes) = names.template(text).filter(|_| text.contains(UNKNOWN)) else {
        return plain();
    };
    let parts: Vec<&str> = text.split(UNKNOWN).collect();
    // A mark of the text's own cannot be told from one of ours.
    if parts.len() != codes.len() + 1 || codes.len() > MAX_EXPRESSIONS {
        return plain();
    }
    let mut made = Made::new();
    for (number, part) in parts.iter().enumerate() {
        made.push(&Value::Text((*part).to_owned()), Joint::Beside, names);
        if let Some(code) = codes.get(number) {
            let value = evaluate(&lex(code, names.family).tokens, names, depth + 1);
            made.push(&value, Joint::Beside, names);
        }
    }
    made.value()
}

/// `"notes/%s" % name`: the one text that is put in, or something unknown.
pub(super) fn formatted(template: &Value, value: &Value) -> Value {
    let value = match value {
        Value::Text(text) => text.clone(),
        Value::List(_) | Value::Unknown => UNKNOWN.to_string(),
    };
    match template {
        Value::Text(text) if text.matches('%').count() == 1 && text.contains("%s") => {
            Value::Text(text.replace("%s", &value))
        }
        Value::Text(text) => Value::Text(format!("{text}{UNKNOWN}")),
        Value::List(_) | Value::Unknown => Value::Unknown,
    }
}
