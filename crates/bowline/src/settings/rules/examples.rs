//! `[rule.examples]`: what a rule must apply to, and what not.

use serde_json::{Map, Value as Json};

use super::definition::{ExampleCall, Expected, RuleExample};
use super::keys::EXAMPLES;
use super::read::position;
use crate::settings::syntax::fields::{Fields, described};
use crate::settings::syntax::findings::Findings;
use crate::settings::syntax::node::{Node, Value};

/// Reads the key `examples` of a rule.
pub(in crate::settings) fn read(
    rule: &mut Fields<'_>,
    findings: &mut Findings<'_>,
) -> Vec<RuleExample> {
    let Some(entry) = rule.take("examples") else {
        return Vec::new();
    };
    let Some(mut fields) = Fields::of(&entry.value, findings) else {
        rule.wrong_kind(entry, "a table with `match` and `not_match`", findings);
        return Vec::new();
    };
    let mut examples = Vec::new();
    for (name, expected) in [("match", Expected::Match), ("not_match", Expected::NoMatch)] {
        let Some(entry) = fields.take(name) else {
            continue;
        };
        let nodes = match &entry.value.value {
            Value::List(nodes) => nodes.as_slice(),
            _ => std::slice::from_ref(&entry.value),
        };
        for node in nodes {
            match example(node) {
                    Some(call) => examples.push(RuleExample {
                        expected,
                        call,
                        position: position(&node.span, findings),
                    }),
                    None => findings.error(
                        "wrong-type",
                        &node.span,
                        format!("an example is {}; expected a text or a call", described(node)),
                        "write a command in quotes, `{ tool = \"Write\", input = { file_path = \"x\" } }` or \
                         `{ prompt = \"…\" }`",
                    ),
                }
        }
    }
    fields.finish(&EXAMPLES.names(), findings);
    examples
}

fn example(node: &Node) -> Option<ExampleCall> {
    let text = |node: &Node| match &node.value {
        Value::String(text) => Some(text.clone()),
        _ => None,
    };
    let Value::Map(entries) = &node.value else {
        return text(node).map(ExampleCall::Text);
    };
    match (node.get("tool"), node.get("input"), node.get("prompt")) {
        (None, None, Some(prompt)) if entries.len() == 1 => text(prompt).map(ExampleCall::Prompt),
        (Some(tool), None, None) if entries.len() == 1 => Some(ExampleCall::Tool {
            tool: text(tool)?,
            input: Map::new(),
        }),
        (Some(tool), Some(input), None) if entries.len() == 2 => match json(input) {
            Json::Object(input) => Some(ExampleCall::Tool {
                tool: text(tool)?,
                input,
            }),
            _ => None,
        },
        _ => None,
    }
}

fn json(node: &Node) -> Json {
    match &node.value {
        Value::Null => Json::Null,
        Value::Bool(flag) => Json::Bool(*flag),
        Value::Number(digits) => {
            let whole = digits.parse::<i64>().map(Json::from);
            whole.unwrap_or_else(|_| digits.parse::<f64>().map_or(Json::Null, Json::from))
        }
        Value::String(text) => Json::String(text.clone()),
        Value::List(nodes) => nodes.iter().map(json).collect(),
        Value::Map(entries) => entries
            .iter()
            .map(|entry| (entry.key.text.clone(), json(&entry.value)))
            .collect(),
    }
}
