//! How full a context window is, from what agents say about it.

use serde_json::Value;

use crate::transcript::Chain;

/// The size of a context window of which nothing is known.
pub const USUAL_WINDOW: u64 = 200_000;
/// The size of a large one.
pub const LARGE_WINDOW: u64 = 1_000_000;

/// The size of a model's context window, from its name. A transcript does not say the size, so this is a guess; what a status line says
/// is better.
pub fn window_of(model: Option<&str>) -> u64 {
    let Some(model) = model.map(str::to_ascii_lowercase) else {
        return USUAL_WINDOW;
    };
    if model.contains("[1m]") || is_of_a_large_generation(&model) {
        LARGE_WINDOW
    } else {
        USUAL_WINDOW
    }
}

/// From their fifth generation on, Opus and Sonnet have a large window without the mark `[1m]`.
fn is_of_a_large_generation(model: &str) -> bool {
    ["claude-opus-", "claude-sonnet-"].iter().any(|family| {
        model.split_once(family).is_some_and(|(_, rest)| {
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            // A date (`claude-opus-20240229`) is no generation.
            digits.len() <= 2 && digits.parse::<u32>().is_ok_and(|number| number >= 5)
        })
    })
}

/// The used part of a window, from 0 to 1.
pub fn used(tokens: u64, window: u64) -> f64 {
    if window == 0 {
        return 0.0;
    }
    share(tokens, window).clamp(0.0, 1.0)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "token counts are far below 2^52, and a share needs few digits"
)]
fn share(tokens: u64, window: u64) -> f64 {
    tokens as f64 / window as f64
}

/// Whether a window is nearly full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fullness {
    /// There is room.
    Fine,
    /// The agent has to leave its summary now.
    Warn,
}

/// Whether the used part has reached a threshold. What is not known is fine.
pub fn fullness(used: Option<f64>, threshold: f64) -> Fullness {
    match used {
        Some(used) if used >= threshold => Fullness::Warn,
        _ => Fullness::Fine,
    }
}

/// What Claude Code's status line says: the used part of the window.
pub fn of_status_line(payload: &Value) -> Option<f64> {
    let window = payload.get("context_window")?;
    if let Some(percent) = window.get("used_percentage").and_then(Value::as_f64) {
        return Some((percent / 100.0).clamp(0.0, 1.0));
    }
    let tokens = tokens(window.get("current_usage")?)?;
    Some(used(tokens, window_of_status_line(payload)?))
}

/// What Claude Code's status line says: the size of the window.
fn window_of_status_line(payload: &Value) -> Option<u64> {
    payload
        .pointer("/context_window/context_window_size")
        .and_then(Value::as_u64)
        .filter(|size| *size > 0)
        .or_else(|| {
            let over = payload
                .get("exceeds_200k_tokens")
                .and_then(Value::as_bool)?;
            over.then_some(LARGE_WINDOW)
        })
        .or_else(|| Some(window_of(Some(payload.pointer("/model/id")?.as_str()?))))
}

/// What other agents say in the payloads of their events: the used part of the window.
pub fn of_payload(payload: &Value) -> Option<f64> {
    if let Some(percent) = payload.get("context_usage_percent").and_then(Value::as_f64) {
        return Some((percent / 100.0).clamp(0.0, 1.0));
    }
    let number = |key: &str| payload.get(key).and_then(Value::as_u64);
    let window = number("context_window_size").or_else(|| number("context_limit"))?;
    let tokens = number("context_tokens").or_else(|| number("input_tokens"))?;
    (window > 0).then(|| used(tokens, window))
}

/// What one record of a transcript says about the window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// An answer of the model was written with so much in the window. The blocks of one answer are several records that repeat this;
    /// the latest reading counts, nothing is added up.
    Tokens {
        /// How many tokens are in the window.
        tokens: u64,
        /// The model.
        model: Option<String>,
    },
    /// The conversation was compacted to so many tokens, if it is known.
    Compacted {
        /// How many tokens are left.
        tokens: Option<u64>,
    },
}

impl Reading {
    /// The used part of the window. Its size comes from the status line, if there is one, else from the model's name. A window that
    /// holds more than its size is a large one.
    pub fn used(&self, window: Option<u64>) -> f64 {
        let (tokens, model) = match self {
            Self::Tokens { tokens, model } => (*tokens, model.as_deref()),
            Self::Compacted { tokens } => (tokens.unwrap_or(0), None),
        };
        let window = window.unwrap_or_else(|| window_of(model));
        if tokens > window {
            used(tokens, window.max(LARGE_WINDOW))
        } else {
            used(tokens, window)
        }
    }
}

/// What a record of Claude Code's transcript says about the window of a session or of a sub-agent, which has its own. An error that
/// takes the place of an answer counts nothing.
pub fn of_record(record: &Value, chain: Chain) -> Option<Reading> {
    let is_error = record.get("isApiErrorMessage").and_then(Value::as_bool) == Some(true);
    if Chain::of(record) != chain || is_error {
        return None;
    }
    match record.get("type")?.as_str()? {
        "system" if record.get("subtype")? == "compact_boundary" => Some(Reading::Compacted {
            tokens: record
                .pointer("/compactMetadata/postTokens")
                .and_then(Value::as_u64),
        }),
        "assistant" => {
            let message = record.get("message")?;
            let model = message.get("model").and_then(Value::as_str);
            if model == Some("<synthetic>") {
                return None;
            }
            Some(Reading::Tokens {
                tokens: tokens(message.get("usage")?)?,
                model: model.map(str::to_owned),
            })
        }
        _ => None,
    }
}

/// Everything that is in the window after an answer: what was sent, from the cache or not, and the answer.
fn tokens(usage: &Value) -> Option<u64> {
    let number = |key: &str| usage.get(key).and_then(Value::as_u64);
    let input = number("input_tokens")?;
    Some(
        [
            "cache_creation_input_tokens",
            "cache_read_input_tokens",
            "output_tokens",
        ]
        .iter()
        .filter_map(|key| number(key))
        .fold(input, u64::saturating_add),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn near(found: f64, expected: f64, row: &str) {
        assert!((found - expected).abs() < 1e-9, "{row}: {found}");
    }

    #[test]
    fn the_window_follows_from_the_model() {
        for (model, expected) in [
            (None, USUAL_WINDOW),
            (Some(""), USUAL_WINDOW),
            (Some("claude-opus-4-8"), USUAL_WINDOW),
            (Some("claude-opus-4-8[1m]"), LARGE_WINDOW),
            (Some("anthropic/claude-sonnet-4-6[1M]"), LARGE_WINDOW),
            (Some("claude-opus-5-5"), LARGE_WINDOW),
            (Some("us.anthropic.claude-sonnet-5"), LARGE_WINDOW),
            (Some("claude-haiku-5"), USUAL_WINDOW),
            (Some("claude-opus-20240229"), USUAL_WINDOW),
            (Some("claude-opus-"), USUAL_WINDOW),
            (Some("fake-model"), USUAL_WINDOW),
        ] {
            assert_eq!(window_of(model), expected, "{model:?}");
        }
    }

    #[test]
    fn the_used_part_is_between_0_and_1() {
        for (tokens, window, expected) in [
            (0, 200_000, 0.0),
            (180_000, 200_000, 0.9),
            (300_000, 200_000, 1.0),
            (1, 0, 0.0),
            (u64::MAX, 1, 1.0),
        ] {
            near(
                used(tokens, window),
                expected,
                &format!("{tokens}/{window}"),
            );
        }
    }

    #[test]
    fn f35_a_the_threshold_itself_warns() {
        for (used, expected) in [
            (None, Fullness::Fine),
            (Some(0.0), Fullness::Fine),
            (Some(0.8999), Fullness::Fine),
            (Some(0.9), Fullness::Warn),
            (Some(1.0), Fullness::Warn),
            (Some(f64::NAN), Fullness::Fine),
        ] {
            assert_eq!(fullness(used, 0.9), expected, "{used:?}");
        }
    }

    #[test]
    fn a_status_line_says_how_full_the_window_is() {
        let usage = json!({"input_tokens": 900, "output_tokens": 640, "cache_creation_input_tokens": 1200, "cache_read_input_tokens": 46_000});
        for (row, payload, expected) in [
            (
                "percentage",
                json!({"context_window": {"used_percentage": 5, "context_window_size": 1_000_000, "current_usage": usage}}),
                Some(0.05),
            ),
            (
                "a percentage with a fraction",
                json!({"context_window": {"used_percentage": 90.5}}),
                Some(0.905),
            ),
            (
                "no percentage yet",
                json!({"context_window": {"used_percentage": null, "context_window_size": 200_000, "current_usage": usage}}),
                Some(0.2437),
            ),
            (
                "no size",
                json!({"context_window": {"current_usage": usage}, "model": {"id": "claude-opus-4-8[1m]"}}),
                Some(0.04874),
            ),
            (
                "no size, but too much for a usual window",
                json!({"context_window": {"current_usage": {"input_tokens": 300_000}}, "exceeds_200k_tokens": true}),
                Some(0.3),
            ),
            (
                "before the first call",
                json!({"context_window": {"used_percentage": null, "context_window_size": 200_000, "current_usage": null}}),
                None,
            ),
            ("another payload", json!({"cwd": "/p"}), None),
            ("no object", json!("x"), None),
            (
                "more than all",
                json!({"context_window": {"used_percentage": 130}}),
                Some(1.0),
            ),
        ] {
            match (of_status_line(&payload), expected) {
                (Some(found), Some(expected)) => near(found, expected, row),
                (found, expected) => assert_eq!(found, expected, "{row}"),
            }
        }
    }

    #[test]
    fn other_agents_say_it_in_their_payloads() {
        for (payload, expected) in [
            (json!({"context_usage_percent": 85}), Some(0.85)),
            (
                json!({"context_tokens": 64_000, "context_window_size": 128_000}),
                Some(0.5),
            ),
            (
                json!({"context_usage": 0.1, "context_limit": 1000, "input_tokens": 250}),
                Some(0.25),
            ),
            (json!({"context_tokens": 1, "context_window_size": 0}), None),
            (json!({"input_tokens": 250}), None),
            (json!({"context_usage_percent": "much"}), None),
        ] {
            assert_eq!(of_payload(&payload), expected, "{payload}");
        }
    }

    fn answer(id: &str, usage: Value) -> Value {
        json!({"type": "assistant", "isSidechain": false, "message": {"id": id, "model": "claude-opus-4-8", "usage": usage}})
    }

    #[test]
    fn a_record_says_what_is_in_the_window() {
        let full = json!({"input_tokens": 900, "cache_creation_input_tokens": 1200, "cache_read_input_tokens": 46_000, "output_tokens": 210});
        let mut sidechain = answer("a", full.clone());
        sidechain["isSidechain"] = json!(true);
        let own = of_record(&sidechain, Chain::Side);
        assert_eq!(own, of_record(&answer("a", full.clone()), Chain::Main));
        let mut error = answer("a", full.clone());
        error["isApiErrorMessage"] = json!(true);
        let mut synthetic = answer("a", full.clone());
        synthetic["message"]["model"] = json!("<synthetic>");
        for (row, record, expected) in [
            ("an answer", answer("a", full.clone()), Some(48_310)),
            (
                "without a cache",
                answer("a", json!({"input_tokens": 100, "output_tokens": 20})),
                Some(120),
            ),
            ("a sub-agent's", sidechain, None),
            ("an error", error, None),
            ("written by the client", synthetic, None),
            (
                "no usage",
                json!({"type": "assistant", "message": {"id": "a"}}),
                None,
            ),
            (
                "wrong types",
                answer("a", json!({"input_tokens": "many"})),
                None,
            ),
            (
                "a prompt",
                json!({"type": "user", "message": {"usage": full}}),
                None,
            ),
        ] {
            let found = of_record(&record, Chain::Main).map(|reading| match reading {
                Reading::Tokens { tokens, .. } => tokens,
                Reading::Compacted { .. } => panic!("{row}"),
            });
            assert_eq!(found, expected, "{row}");
        }
    }

    #[test]
    fn a_compaction_empties_the_window() {
        let boundary = json!({"type": "system", "subtype": "compact_boundary", "compactMetadata": {"preTokens": 48_310, "postTokens": 4000}});
        let reading = of_record(&boundary, Chain::Main).unwrap();
        near(reading.used(Some(200_000)), 0.02, "with a size");
        let unknown = of_record(
            &json!({"type": "system", "subtype": "compact_boundary"}),
            Chain::Main,
        )
        .unwrap();
        near(unknown.used(None), 0.0, "without a figure");
    }

    #[test]
    fn a_window_that_holds_more_than_its_size_is_large() {
        let reading = |tokens| Reading::Tokens {
            tokens,
            model: Some("claude-opus-4-8".into()),
        };
        near(reading(180_000).used(None), 0.9, "usual");
        near(reading(250_000).used(None), 0.25, "more than usual");
        near(reading(250_000).used(Some(1_000_000)), 0.25, "known");
        near(reading(2_000_000).used(None), 1.0, "more than large");
    }
}
