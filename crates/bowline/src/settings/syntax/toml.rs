//! TOML.

use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::node::{Entry, Key, Node, Span, SyntaxError, Value, shifted};

/// Reads TOML that begins at byte `base` of the file.
pub(in crate::settings) fn read(text: &str, base: usize) -> Result<Node, SyntaxError> {
    let table = DeTable::parse(text).map_err(|error| SyntaxError {
        span: shifted(error.span().unwrap_or(0..0), base),
        message: format!("not valid TOML: {}", error.message()),
    })?;
    Ok(Node::new(
        map(table.get_ref(), base),
        shifted(table.span(), base),
    ))
}

fn node(value: &Spanned<DeValue<'_>>, base: usize) -> Node {
    let read = match value.get_ref() {
        DeValue::String(text) => Value::String(text.clone().into_owned()),
        DeValue::Integer(integer) => Value::Number(decimal(integer)),
        DeValue::Float(float) => Value::Number(float.as_str().to_owned()),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Datetime(time) => Value::String(time.to_string()),
        DeValue::Array(array) => {
            Value::List(array.iter().map(|element| node(element, base)).collect())
        }
        DeValue::Table(table) => map(table, base),
    };
    Node::new(read, shifted(value.span(), base))
}

/// The parser sorts by name; hooks run in the order of the file.
fn map(table: &DeTable<'_>, base: usize) -> Value {
    let mut entries: Vec<Entry> = table
        .iter()
        .map(|(key, value)| {
            let span: Span = shifted(key.span(), base);
            Entry {
                key: Key {
                    text: key.get_ref().clone().into_owned(),
                    span,
                },
                value: node(value, base),
            }
        })
        .collect();
    entries.sort_by_key(|entry| entry.key.span.start);
    Value::Map(entries)
}

fn decimal(integer: &DeInteger<'_>) -> String {
    match i128::from_str_radix(integer.as_str(), integer.radix()) {
        Ok(value) => value.to_string(),
        Err(_) => integer.as_str().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_keep_the_order_of_the_file() {
        let text = "[hooks.Stop.zeta]\ncommand = 'z'\n[hooks.Stop.alpha]\ncommand = 'a'\n[hooks.PreToolUse]\nx = 0x1F\n";
        let root = read(text, 0).unwrap();
        let hooks = root.get("hooks").unwrap();
        let names = |node: &Node| match &node.value {
            Value::Map(entries) => entries
                .iter()
                .map(|entry| entry.key.text.clone())
                .collect::<Vec<_>>(),
            _ => Vec::new(),
        };
        assert_eq!(names(hooks), ["Stop", "PreToolUse"]);
        assert_eq!(names(hooks.get("Stop").unwrap()), ["zeta", "alpha"]);
        let x = hooks.get("PreToolUse").unwrap().get("x").unwrap();
        assert_eq!(x.value, Value::Number("31".to_owned()));
        assert_eq!(&text[x.span.clone()], "0x1F");
    }

    #[test]
    fn broken_toml_has_a_place() {
        let error = read("a = 1\nb = = 2\n", 3).unwrap_err();
        assert_eq!(error.span.start, 3 + 10);
        assert!(read("a = 1\na = 2", 0).is_err());
    }
}
