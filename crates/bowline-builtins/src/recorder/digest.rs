//! A number that is the same for the same input, in every process: calls without an id are found again by it.

use serde_json::Value;

/// FNV-1a, 64 bits.
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// The digest of a value; the order of fields does not matter.
pub(crate) fn digest(value: &Value) -> u64 {
    match value {
        Value::Null => hash(b'n', &[]),
        Value::Bool(flag) => hash(b'b', &[u8::from(*flag)]),
        Value::Number(number) => hash(b'#', number.to_string().as_bytes()),
        Value::String(text) => digest_of_text(text),
        Value::Array(items) => items.iter().fold(hash(b'a', &[]), |sum, item| {
            hash_on(sum, &digest(item).to_le_bytes())
        }),
        Value::Object(fields) => fields.iter().fold(hash(b'o', &[]), |sum, (name, value)| {
            let field = hash_on(digest(value), name.as_bytes());
            sum.wrapping_add(field)
        }),
    }
}

/// The digest of a text, as of the value that it would be.
pub(super) fn digest_of_text(text: &str) -> u64 {
    hash(b's', text.as_bytes())
}

fn hash(kind: u8, bytes: &[u8]) -> u64 {
    hash_on(hash_on(OFFSET, &[kind]), bytes)
}

fn hash_on(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(PRIME)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_digest_tells_inputs_apart_but_not_the_order_of_their_fields() {
        assert_eq!(
            digest(&json!({"a": [1, {"x": "y"}], "b": null})),
            digest(&json!({"b": null, "a": [1, {"x": "y"}]})),
        );
        let different = [
            json!({}),
            json!([]),
            json!(null),
            json!(""),
            json!({"a": 1}),
            json!({"a": "1"}),
            json!({"a": 1.5}),
            json!({"a": true}),
            json!({"b": 1}),
            json!({"a": [1, 2]}),
            json!({"a": [2, 1]}),
            json!({"a": {"b": "c"}}),
            json!({"a": "b", "c": "d"}),
            json!({"a": "d", "c": "b"}),
        ];
        for (place, one) in different.iter().enumerate() {
            for other in &different[..place] {
                assert_ne!(digest(one), digest(other), "{one} and {other}");
            }
        }
    }
}
