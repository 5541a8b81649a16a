//! Guard rules: what an effort wants to be said or blocked when a figure of its session passes a mark.
//!
//! ```json
//! {"ruleId": "wrap-up", "condition": {"field": "context_usage", "op": "gte", "value": 0.7}, "payload": {"text": "Come to an end.", "block": true}}
//! ```

use serde_json::Value;

/// A rule that applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fired {
    /// Which one.
    pub rule_id: String,
    /// What the agent is told.
    pub text: String,
    /// What happens to the call.
    pub effect: Effect,
}

/// What a rule does to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The agent is told something.
    Inform,
    /// The call is blocked, too.
    Block,
}

/// The rules that apply, in their order. `usage` is the used part of the context window, if it is known. A rule that is not understood, or
/// whose figure is unknown, does not apply.
pub fn fired(rules: &[Value], heartbeat: u32, usage: Option<f64>) -> Vec<Fired> {
    let applies = |rule: &&Value| {
        rule.get("condition")
            .and_then(|condition| holds(condition, heartbeat, usage))
            .unwrap_or(false)
    };
    rules.iter().filter(applies).map(read).collect()
}

/// `None` if the condition is not understood.
fn holds(condition: &Value, heartbeat: u32, usage: Option<f64>) -> Option<bool> {
    let figure = match text(condition, "field")? {
        "heartbeat_counter" | "heartbeatCounter" => f64::from(heartbeat),
        "context_usage" | "contextUsage" => usage?,
        _ => return None,
    };
    let order = figure.partial_cmp(&condition.get("value")?.as_f64()?)?;
    match text(condition, "op")? {
        "gte" => Some(order.is_ge()),
        "gt" => Some(order.is_gt()),
        "lte" => Some(order.is_le()),
        "lt" => Some(order.is_lt()),
        "eq" => Some(order.is_eq()),
        _ => None,
    }
}

fn read(rule: &Value) -> Fired {
    let rule_id = ["ruleId", "rule_id", "id"]
        .iter()
        .find_map(|key| text(rule, key))
        .unwrap_or("unnamed");
    let payload = rule.get("payload").unwrap_or(&Value::Null);
    let said = payload.as_str().or_else(|| {
        let keys = ["text", "message", "content"];
        keys.iter().find_map(|key| text(payload, key))
    });
    let is_block = payload.get("block").and_then(Value::as_bool) == Some(true)
        || ["action", "urgency"]
            .iter()
            .any(|key| text(payload, key) == Some("block"));
    Fired {
        rule_id: rule_id.to_owned(),
        text: said.map_or_else(
            || format!("The guard rule \"{rule_id}\" of this effort applies."),
            str::to_owned,
        ),
        effect: if is_block {
            Effect::Block
        } else {
            Effect::Inform
        },
    }
}

/// A text of an object that says something.
fn text<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    let text = object.get(key)?.as_str()?;
    (!text.trim().is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn rule(field: &str, op: &str, value: Value) -> Value {
        json!({
            "ruleId": "r",
            "condition": { "field": field, "op": op, "value": value },
            "payload": "Log.",
        })
    }

    #[test]
    fn a_condition_compares_a_figure_of_the_session() {
        for (rule, expected) in [
            (rule("heartbeat_counter", "gte", json!(5)), true),
            (rule("heartbeat_counter", "gte", json!(6)), false),
            (rule("heartbeat_counter", "gt", json!(4)), true),
            (rule("heartbeat_counter", "gt", json!(5)), false),
            (rule("heartbeat_counter", "lte", json!(5)), true),
            (rule("heartbeat_counter", "lte", json!(4)), false),
            (rule("heartbeat_counter", "lt", json!(5.5)), true),
            (rule("heartbeat_counter", "lt", json!(5)), false),
            (rule("heartbeat_counter", "eq", json!(5)), true),
            (rule("heartbeat_counter", "eq", json!(5.0)), true),
            (rule("heartbeat_counter", "eq", json!(-5)), false),
            (rule("heartbeatCounter", "eq", json!(5)), true),
            (rule("context_usage", "gte", json!(0.7)), true),
            (rule("contextUsage", "gt", json!(0.7)), false),
            (rule("contextUsage", "lt", json!(1)), true),
        ] {
            let rules = [rule];
            let found = !fired(&rules, 5, Some(0.7)).is_empty();
            assert_eq!(found, expected, "{rules:?}");
        }
    }

    #[test]
    fn what_is_not_understood_does_not_apply() {
        for rule in [
            rule("heartbeat_counter", "ne", json!(4)),
            rule("heartbeat_counter", ">=", json!(4)),
            rule("heartbeat_counter", "", json!(4)),
            rule("heartbeat_counter", "gte", json!("4")),
            rule("heartbeat_counter", "gte", Value::Null),
            rule("tool_count", "gte", json!(0)),
            rule("", "gte", json!(0)),
            json!({ "ruleId": "r", "condition": { "field": "heartbeat_counter", "op": "gte" } }),
            json!({ "ruleId": "r", "condition": { "field": "heartbeat_counter", "value": 1 } }),
            json!({ "ruleId": "r", "condition": { "op": "gte", "value": 1 } }),
            json!({ "ruleId": "r", "condition": "heartbeat_counter gte 1" }),
            json!({ "ruleId": "r", "payload": "Log." }),
            json!("rule"),
            json!(["condition"]),
            json!(null),
        ] {
            let rules = [rule];
            assert_eq!(fired(&rules, 5, Some(0.7)), [], "{rules:?}");
        }
    }

    #[test]
    fn an_unknown_usage_fires_nothing() {
        for op in ["gte", "gt", "lte", "lt", "eq"] {
            let rules = [rule("context_usage", op, json!(0))];
            assert_eq!(fired(&rules, 5, None), [], "{op}");
            assert_eq!(fired(&rules, 5, Some(f64::NAN)), [], "{op}");
        }
    }

    #[test]
    fn a_payload_says_something_and_may_block() {
        for (payload, text, effect) in [
            (json!("Log."), "Log.", Effect::Inform),
            (json!("block"), "block", Effect::Inform),
            (json!({ "text": "Log." }), "Log.", Effect::Inform),
            (json!({ "message": "Log." }), "Log.", Effect::Inform),
            (
                json!({ "text": "", "content": "Log." }),
                "Log.",
                Effect::Inform,
            ),
            (
                json!({ "text": "Log.", "mode": "inline" }),
                "Log.",
                Effect::Inform,
            ),
            (
                json!({ "text": "Log.", "block": true }),
                "Log.",
                Effect::Block,
            ),
            (
                json!({ "text": "Log.", "action": "block" }),
                "Log.",
                Effect::Block,
            ),
            (
                json!({ "text": "Log.", "urgency": "block" }),
                "Log.",
                Effect::Block,
            ),
            (
                json!({ "text": "Log.", "block": false }),
                "Log.",
                Effect::Inform,
            ),
            (
                json!({ "text": "Log.", "block": "true" }),
                "Log.",
                Effect::Inform,
            ),
            (
                json!({ "text": "Log.", "urgency": "allow" }),
                "Log.",
                Effect::Inform,
            ),
            (
                json!({ "block": true }),
                "The guard rule \"r\" of this effort applies.",
                Effect::Block,
            ),
            (
                Value::Null,
                "The guard rule \"r\" of this effort applies.",
                Effect::Inform,
            ),
        ] {
            let mut rule = rule("heartbeat_counter", "gte", json!(0));
            rule["payload"] = payload;
            let expected = Fired {
                rule_id: "r".to_owned(),
                text: text.to_owned(),
                effect,
            };
            assert_eq!(fired(&[rule.clone()], 5, None), [expected], "{rule}");
        }
    }

    #[test]
    fn rules_fire_in_their_order() {
        let named = |id: &str, value: u32| {
            let mut rule = rule("heartbeat_counter", "gte", json!(value));
            rule["ruleId"] = json!(id);
            rule
        };
        let rules = [named("c", 1), named("b", 9), json!(7), named("a", 5)];
        let ids: Vec<String> = fired(&rules, 5, None)
            .into_iter()
            .map(|fired| fired.rule_id)
            .collect();
        assert_eq!(ids, ["c", "a"]);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let key = prop::sample::select(vec![
            "ruleId",
            "condition",
            "payload",
            "field",
            "op",
            "value",
            "text",
            "block",
            "action",
            "x",
        ]);
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            prop::sample::select(vec![
                "heartbeat_counter",
                "contextUsage",
                "gte",
                "lt",
                "block",
                ""
            ])
            .prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 6, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::vec((key.clone(), inner), 0..6).prop_map(|entries| {
                    let entries = entries.into_iter();
                    Value::Object(
                        entries
                            .map(|(key, value)| (key.to_owned(), value))
                            .collect(),
                    )
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn no_json_is_too_strange(
            rules in prop::collection::vec(any_json(), 0..4),
            heartbeat: u32,
            usage: Option<f64>,
        ) {
            let found = fired(&rules, heartbeat, usage);
            prop_assert!(found.len() <= rules.len());
        }
    }
}
