//! Spoils payloads: first as documents, then as bytes.

use serde_json::{Map, Value, json};

/// Numbers that are as good as random, and the same on every machine.
pub(crate) struct Random(u64);

impl Random {
    /// The series of an input.
    pub(crate) fn new(seed: u64, number: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number);
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below this one.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).unwrap_or(u64::MAX);
        usize::try_from(self.next() % bound).unwrap_or(0)
    }

    fn one_of<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        &things[self.below(things.len())]
    }
}

/// Texts that parsers, guards and terminals trip over.
const TEXTS: [&str; 22] = [
    "",
    " ",
    "\0",
    "\u{202e}txt.exe",
    "caf\u{65}\u{301}",
    "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
    "раураl",
    "\u{feff}PreToolUse",
    "../../../../etc/passwd",
    "/dev/null/x",
    "~root/.ssh/id_rsa",
    "rm -rf ${HOME:-/}/*",
    "echo $(echo $(echo `id`))",
    "cat <<'E' | sh\nrm -rf /\nE",
    "while :; do :; done &",
    "'unclosed \"quotes",
    "eval \"$(printf '\\162\\155 -rf /')\"",
    "python3 -c 'import os; os.system(\"ls\")'",
    "FOO=bar; ${FOO@P} ${!FOO} ${FOO//a/b}",
    "PreToolUse",
    "NoSuchEvent",
    "999999999999999999999999999999",
];

const WORDS: [&str; 16] = [
    "{", "}", "[", "]", "\"", ",", ":", "null", "true", "-1e999", "\\u0000", "\\ud800", "\\", "\n",
    "\u{7f}", "0x",
];

/// At most this many bytes of JSON are made by copying a value.
const MAX_COPIED: usize = 4 * 1024 * 1024;

/// One of the examples, spoiled one to four times.
pub(crate) fn mutated(examples: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let example = random.one_of(examples).clone();
    let times = 1 + random.below(4);
    let spoil_document = random.below(3) > 0;
    let mut bytes = match serde_json::from_slice::<Value>(&example) {
        Ok(mut document) if spoil_document => {
            for _ in 0..times {
                let depth = random.below(5);
                spoil(&mut document, depth, random);
            }
            serde_json::to_vec(&document).unwrap_or(example)
        }
        _ => example,
    };
    if !spoil_document || random.below(4) == 0 {
        for _ in 0..times {
            garble(&mut bytes, examples, random);
        }
    }
    bytes
}

/// Goes down into the document, and changes what it finds there.
fn spoil(value: &mut Value, depth: usize, random: &mut Random) {
    match value {
        Value::Object(fields) if depth > 0 && !fields.is_empty() => {
            let index = random.below(fields.len());
            let name = fields.keys().nth(index).cloned().unwrap_or_default();
            match random.below(8) {
                0 => {
                    fields.shift_remove(&name);
                }
                1 => {
                    if let Some(moved) = fields.shift_remove(&name) {
                        fields.insert((*random.one_of(&TEXTS)).to_owned(), moved);
                    }
                }
                _ => {
                    if let Some(field) = fields.get_mut(&name) {
                        spoil(field, depth - 1, random);
                    }
                }
            }
        }
        Value::Array(items) if depth > 0 && !items.is_empty() => {
            let index = random.below(items.len());
            spoil(&mut items[index], depth - 1, random);
        }
        other => *other = replacement(other, random),
    }
}

fn replacement(old: &Value, random: &mut Random) -> Value {
    match random.below(10) {
        0 => Value::Null,
        1 => json!(random.below(2) == 0),
        2 => random
            .one_of(&[
                json!(0),
                json!(-1),
                json!(u64::MAX),
                json!(i64::MIN),
                json!(1e308),
                json!(0.1),
            ])
            .clone(),
        3 => json!([old]),
        4 => json!({ *random.one_of(&TEXTS): old }),
        5 => nested(old.clone(), random.below(200), random),
        6 => Value::String(random.one_of(&TEXTS).repeat(1 + random.below(2_000))),
        7 => copied(old, random),
        8 => Value::Object(Map::new()),
        _ => (*random.one_of(&TEXTS)).into(),
    }
}

fn copied(old: &Value, random: &mut Random) -> Value {
    if let Value::String(text) = old {
        return Value::String(format!("{text}{}", random.one_of(&TEXTS)));
    }
    // A list of lists of lists grows beyond all memory, and tells nothing new.
    let room = MAX_COPIED / old.to_string().len().max(1);
    Value::Array(vec![old.clone(); random.below(300).min(room)])
}

fn nested(mut value: Value, depth: usize, random: &mut Random) -> Value {
    for _ in 0..depth {
        // The macro would copy what is inside once more for every level.
        value = match random.below(2) {
            0 => Value::Array(vec![value]),
            _ => Value::Object(Map::from_iter([("command".to_owned(), value)])),
        };
    }
    value
}

/// Changes the text, whatever it means.
fn garble(bytes: &mut Vec<u8>, examples: &[Vec<u8>], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    match random.below(7) {
        0 => bytes.truncate(at),
        1 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        2 => {
            let word = random.one_of(&WORDS).as_bytes().to_vec();
            bytes.splice(at..at, word);
        }
        3 => {
            let end = (at + random.below(60)).min(bytes.len());
            bytes.drain(at..end);
        }
        4 => {
            let end = (at + random.below(200)).min(bytes.len());
            let piece = bytes[at..end].to_vec();
            bytes.splice(at..at, piece);
        }
        5 => {
            let other = random.one_of(examples);
            let from = random.below(other.len());
            bytes.truncate(at);
            bytes.extend_from_slice(&other[from..]);
        }
        _ => bytes.splice(at..at, [0xff, 0xfe, 0x80]).for_each(drop),
    }
}
