//! Loops: the same calls with the same results, again and again.
//!
//! What counts is a call together with its result. When a pair comes up that is not among the last ones, something new was learnt, and
//! counting begins anew. So a loop may be one call, or two that alternate, or a sub-agent that does what its agent did.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::text::Text;

/// What an agent is told once about a loop.
pub const WARNING: Text = Text {
    key: "loops.warning",
    says: "`{call}` gave the same result {count} times, and nothing new was learnt in between. Change something, look elsewhere, or tell the user what is missing.",
    names: &["call", "count"],
};

/// Why a call is denied.
pub const STOPPED: Text = Text {
    key: "loops.stopped",
    says: "`{call}` was made {count} times and gave the same result each time. It is not run again until something else was tried: change a file, look at the cause in another way, or tell the user what is missing.",
    names: &["call", "count"],
};

/// The texts of this rule.
pub const TEXTS: &[Text] = &[WARNING, STOPPED];

/// The rule under which calls are denied.
pub const RULE: &str = "loops.repeated";

/// So many pairs of call and result are remembered.
const PAIRS: usize = 16;
/// What is looked at of a text, at its beginning and again at its end.
const LOOKED_AT: usize = 8 * 1024;

/// What a session did last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trail {
    /// The pair that came up last is the last one.
    pairs: Vec<Pair>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Pair {
    #[serde(rename = "c")]
    call: u64,
    #[serde(rename = "r")]
    result: u64,
    /// How often it came up since something new was learnt.
    #[serde(rename = "n")]
    count: u32,
}

impl Trail {
    /// A call gave a result. Says how often it did since something new was learnt.
    pub fn gave(&mut self, call: u64, result: u64) -> u32 {
        let known = self.place(call, result);
        if known.is_none() {
            self.start_anew();
        }
        let before = known.map_or(0, |at| self.pairs.remove(at).count);
        let count = before.saturating_add(1);
        if self.pairs.len() >= PAIRS {
            self.pairs.remove(0);
        }
        self.pairs.push(Pair {
            call,
            result,
            count,
        });
        count
    }

    /// A file was changed: the same call may give something else now.
    pub fn changed(&mut self) {
        self.pairs.clear();
    }

    /// How often a call that is about to be made gave the same result since something new was learnt.
    pub fn repeated(&self, call: u64) -> u32 {
        let of_call = self.pairs.iter().filter(|pair| pair.call == call);
        of_call.map(|pair| pair.count).max().unwrap_or(0)
    }

    /// How often the last call gave its result since something new was learnt.
    pub fn count(&self) -> u32 {
        self.pairs.last().map_or(0, |pair| pair.count)
    }

    fn place(&self, call: u64, result: u64) -> Option<usize> {
        let is_it = |pair: &Pair| pair.call == call && pair.result == result;
        self.pairs.iter().position(is_it)
    }

    fn start_anew(&mut self) {
        for pair in &mut self.pairs {
            pair.count = 0;
        }
    }
}

/// Fields of a call that say nothing about what it does.
const DESCRIBING: &[&str] = &["description", "timeout"];

/// A number for a call: the same for the same tool and the same input.
pub fn call_digest(tool: &str, input: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    tool.hash(&mut hasher);
    match input {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields
                .iter()
                .filter(|(name, _)| !DESCRIBING.contains(&name.as_str()))
                .collect();
            fields.sort_unstable_by_key(|(name, _)| name.as_str());
            for (name, value) in fields {
                name.hash(&mut hasher);
                value.to_string().hash(&mut hasher);
            }
        }
        other => other.to_string().hash(&mut hasher),
    }
    hasher.finish()
}

/// A number for a result: the same for results that differ only in how long something took and what time it is.
pub fn result_digest(result: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    hash_value(result, &mut hasher);
    hasher.finish()
}

/// The same for an error message.
pub fn error_digest(message: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    "error".hash(&mut hasher);
    hash_text(message, &mut hasher);
    hasher.finish()
}

fn hash_value(value: &Value, hasher: &mut DefaultHasher) {
    match value {
        Value::String(text) => hash_text(text, hasher),
        Value::Array(items) => items.iter().for_each(|item| hash_value(item, hasher)),
        Value::Object(fields) => {
            for (name, value) in fields {
                let lower = name.to_lowercase();
                let is_time = ["duration", "elapsed", "time", "pid", "pgid"];
                if value.is_number() && is_time.iter().any(|it| lower.contains(it)) {
                    continue;
                }
                name.hash(hasher);
                hash_value(value, hasher);
            }
        }
        Value::Number(number) => number.to_string().hash(hasher),
        Value::Bool(flag) => flag.hash(hasher),
        Value::Null => 0_u8.hash(hasher),
    }
}

fn hash_text(text: &str, hasher: &mut DefaultHasher) {
    let end = text.floor_char_boundary(LOOKED_AT);
    let (beginning, rest) = text.split_at(end);
    hash_words(beginning, hasher);
    if rest.is_empty() {
        return;
    }
    let begin = rest.ceil_char_boundary(rest.len().saturating_sub(LOOKED_AT));
    let (between, last) = rest.split_at(begin);
    between.len().hash(hasher);
    hash_words(last, hasher);
}

/// Numbers count, because a number that changes is progress. Times do not.
fn hash_words(text: &str, hasher: &mut DefaultHasher) {
    for word in text.split_ascii_whitespace() {
        if is_time(word) {
            't'.hash(hasher);
        } else {
            word.hash(hasher);
        }
    }
}

/// `0.31s`, `12ms`, `(1.2s)`, `12:34:56`, `2026-11-17T12:34:56Z`.
fn is_time(word: &str) -> bool {
    let word = word.trim_matches(|sign: char| !sign.is_ascii_alphanumeric());
    if !word.starts_with(|sign: char| sign.is_ascii_digit()) {
        return false;
    }
    let unit = word.trim_start_matches(|sign: char| sign.is_ascii_digit() || sign == '.');
    if matches!(
        unit,
        "s" | "ms" | "µs" | "us" | "ns" | "m" | "min" | "sec" | "seconds"
    ) {
        return true;
    }
    let is_clock = |sign: char| sign.is_ascii_digit() || ":.,-+TZ".contains(sign);
    word.matches(':').count() == 2 && word.chars().all(is_clock)
}

/// Whether a call waits for something by itself. It is not stopped: it costs nothing, and what it waits for may need long.
pub fn waits(tool: &str, command: Option<&str>) -> bool {
    const READERS_OF_BACKGROUND_RUNS: &[&str] = &["BashOutput", "TaskOutput", "AgentOutput"];
    const WAITING: &[&str] = &[
        "sleep",
        "wait",
        "watch",
        "--watch",
        "-f",
        "--follow",
        "inotifywait",
    ];
    READERS_OF_BACKGROUND_RUNS.contains(&tool)
        || command.is_some_and(|command| {
            let mut words =
                command.split(|sign: char| sign.is_whitespace() || ";&|()".contains(sign));
            words.any(|word| WAITING.contains(&word))
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The counts of a list of `call result` pairs; `!` is a change of a file.
    fn counts(steps: &str) -> Vec<u32> {
        let mut trail = Trail::default();
        let mut counts = Vec::new();
        for step in steps.split(' ') {
            if step == "!" {
                trail.changed();
                continue;
            }
            let mut signs = step.chars().map(|sign| u64::from(u32::from(sign)));
            counts.push(trail.gave(signs.next().unwrap(), signs.next().unwrap()));
            assert_eq!(counts.last(), Some(&trail.count()));
        }
        counts
    }

    #[test]
    fn only_what_repeats_without_anything_new_counts() {
        for (what, steps, expected) in [
            ("the same", "a1 a1 a1 a1", &[1, 2, 3, 4][..]),
            ("another result", "a1 a1 a2 a2 a1", &[1, 2, 1, 2, 1]),
            ("polling", "a1 a2 a3 a4 a5", &[1, 1, 1, 1, 1]),
            ("a change between", "a1 a1 ! a1 a1", &[1, 2, 1, 2]),
            (
                "two that alternate",
                "a1 b1 a1 b1 a1 b1",
                &[1, 1, 1, 2, 2, 3],
            ),
            (
                "three that alternate",
                "a1 b1 c1 a1 b1 c1 a1 b1 c1",
                &[1, 1, 1, 1, 1, 2, 2, 2, 3],
            ),
            (
                "something new between",
                "a1 a1 b1 a1 a1 c1 a1",
                &[1, 2, 1, 1, 2, 1, 1],
            ),
            ("a flaky result", "a1 a2 a1 a2 a1 a2", &[1, 1, 1, 2, 2, 3]),
        ] {
            assert_eq!(counts(steps), expected, "{what}");
        }
    }

    #[test]
    fn what_is_about_to_be_made_is_known_by_its_call() {
        let mut trail = Trail::default();
        for _ in 0..3 {
            trail.gave(1, 1);
        }
        assert_eq!((trail.repeated(1), trail.repeated(2)), (3, 0));
        trail.gave(1, 2);
        assert_eq!(trail.repeated(1), 1);
        let stored = serde_json::to_value(&trail).unwrap();
        assert_eq!(serde_json::from_value::<Trail>(stored).unwrap(), trail);
        for n in 0..100 {
            trail.gave(n, n);
        }
        assert_eq!(trail.pairs.len(), PAIRS);
    }

    #[test]
    fn calls_are_the_same_by_what_they_do() {
        let digest = |input: Value| call_digest("Bash", &input);
        let plain = digest(json!({"command": "ls"}));
        assert_eq!(
            plain,
            digest(json!({"command": "ls", "description": "List", "timeout": 5}))
        );
        assert_ne!(plain, digest(json!({"command": "ls -l"})));
        assert_ne!(plain, call_digest("Shell", &json!({"command": "ls"})));
        assert_eq!(
            digest(json!({"a": 1, "b": 2})),
            digest(json!({"b": 2, "a": 1}))
        );
    }

    #[test]
    fn results_are_the_same_but_for_the_time() {
        let long = "x ".repeat(20_000);
        for (one, other, same) in [
            (json!("finished in 0.31s"), json!("finished in 12.5s"), true),
            (json!("12:00:01 waiting"), json!("12:00:05 waiting"), true),
            (
                json!({"stdout": "a", "durationMs": 4}),
                json!({"stdout": "a", "durationMs": 9}),
                true,
            ),
            (json!("45 % done"), json!("46 % done"), false),
            (json!("3 failed"), json!("2 failed"), false),
            (json!("a b"), json!("b a"), false),
            (
                json!(format!("{long}end")),
                json!(format!("{long}end")),
                true,
            ),
            (
                json!(format!("{long}end")),
                json!(format!("{long}END")),
                false,
            ),
        ] {
            assert_eq!(
                result_digest(&one) == result_digest(&other),
                same,
                "{one:.40} {other:.40}"
            );
        }
        assert_eq!(
            error_digest("x failed (1.2s)"),
            error_digest("x failed (3s)")
        );
        assert_ne!(error_digest("x"), result_digest(&json!("x")));
    }

    #[test]
    fn some_calls_wait() {
        for (tool, command, expected) in [
            ("Bash", Some("sleep 30 && gh run view"), true),
            ("Bash", Some("tail -f log"), true),
            ("BashOutput", None, true),
            ("Bash", Some("cargo test"), false),
            ("Bash", Some("cat sleep.txt"), false),
            ("Read", None, false),
        ] {
            assert_eq!(waits(tool, command), expected, "{tool} {command:?}");
        }
    }
}
