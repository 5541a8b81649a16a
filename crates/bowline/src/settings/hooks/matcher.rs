//! A matcher as it is written: a string, or an object.

use super::unmatched;
use crate::dialect::Dialect;
use crate::event::HookEvent;
use crate::matcher::Matcher;
use crate::settings::claude::traps;
use crate::settings::syntax::fields::{Reported, Text, described, unique};
use crate::settings::syntax::findings::Findings;
use crate::settings::syntax::node::{Entry, Span, Value};

/// Reads a matcher: a string, or an object of which every key has to match.
pub(in crate::settings) fn read(
    written: Option<&Entry>,
    event: HookEvent,
    dialect: Dialect,
    findings: &mut Findings<'_>,
) -> Result<Matcher, Reported> {
    let Some(Entry { value: node, .. }) = written else {
        return Ok(Matcher::all());
    };
    let matcher = match &node.value {
        Value::String(text) => {
            let span = &node.span;
            traps::bare_mcp_server(event, Text { text, span }, findings);
            unmatched::check(event, Text { text, span }, dialect, findings);
            Matcher::from_text(text, dialect)
        }
        Value::Map(_) => {
            let mut keys = Vec::new();
            for entry in unique(node, str::to_owned, findings).unwrap_or_default() {
                let Value::String(pattern) = &entry.value.value else {
                    invalid_matcher(&entry.value.span, described(&entry.value), findings);
                    return Err(Reported);
                };
                keys.push((entry.key.text.as_str(), pattern.as_str()));
            }
            Matcher::from_keys(keys, dialect)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::List(_) => {
            invalid_matcher(&node.span, described(node), findings);
            return Err(Reported);
        }
    };
    matcher.map_err(|error| {
        invalid_matcher(&node.span, error.to_string(), findings);
        Reported
    })
}

fn invalid_matcher(span: &Span, why: String, findings: &mut Findings<'_>) {
    findings.error(
        "invalid-matcher",
        span,
        format!("invalid matcher: {why}; the hooks under it are left out"),
        "write a pattern such as \"Bash|Write\", or `{\"toolName\": \"…\", \"agentName\": \"…\"}`",
    );
}
