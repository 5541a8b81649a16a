//! One tool call with everything that was said about it.

use bowline::hooks::Decision;
use bowline_builtins::guard::{SECRET_WRITING, call_of};
use bowline_guard::effect::Category;
use bowline_guard::rules;
use bowline_store::{RecordedEvent, Result, Store, Trace};
use serde_json::Value;

/// The placeholders for what was not recorded.
const NOT_KEPT: &[&str] = &["[REDACTED", "left out]", "[left out"];

/// A call, and the events that were decided about it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    pub(crate) trace: Trace,
    /// The oldest first.
    pub(crate) events: Vec<RecordedEvent>,
}

/// A command that lets something pass, and what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Way {
    pub(crate) command: String,
    pub(crate) effect: &'static str,
}

pub(crate) fn read(store: &dyn Store, id: &str) -> Result<Option<Call>> {
    let Some(trace) = store.get_trace(id)? else {
        return Ok(None);
    };
    let events = store.events_of(&trace)?;
    Ok(Some(Call { trace, events }))
}

impl Call {
    /// The event that stopped it.
    pub(crate) fn stopped(&self) -> Option<&RecordedEvent> {
        let mut events = self.events.iter();
        events.find(|event| event.decided.decision >= Decision::Ask)
    }

    /// How it can be allowed.
    pub(crate) fn ways(&self) -> Vec<Way> {
        let stopped = self.stopped();
        stopped.map_or_else(Vec::new, |event| ways(event, self.trace.input.as_ref()))
    }
}

/// The commands that let a call pass which a rule of the guard stopped, the narrowest first.
pub(crate) fn ways(event: &RecordedEvent, input: Option<&Value>) -> Vec<Way> {
    let event = &event.decided;
    let Some(rule) = event.rule.as_deref().filter(|id| can_be_silenced(id)) else {
        return Vec::new();
    };
    let mut ways = Vec::new();
    if is_kept(event.tool.as_deref().unwrap_or_default(), input) {
        let id = &event.id;
        ways.push(Way {
            command: format!("bowline allow {id} --once"),
            effect: "this call, one time",
        });
        ways.push(Way {
            command: format!("bowline allow {id}"),
            effect: "this call in its project",
        });
    }
    ways.push(Way {
        command: format!("bowline allow {rule} --session"),
        effect: "all that this rule finds, in the newest session of the project",
    });
    ways.push(Way {
        command: format!("bowline allow {rule}"),
        effect: "all that this rule finds, in the project that you are in",
    });
    ways
}

/// Whether the guard has such a rule, and a person may silence it.
fn can_be_silenced(id: &str) -> bool {
    let mut rules = rules::rules().into_iter();
    id == SECRET_WRITING
        || rules.any(|rule| rule.id == id && rule.category != Category::OwnSettings)
}

/// Whether a call was kept word for word.
fn is_kept(tool: &str, input: Option<&Value>) -> bool {
    let what = input.map(|input| call_of(tool, Some(input)).what);
    what.is_some_and(|what| !NOT_KEPT.iter().any(|mark| what.contains(mark)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::views::tests::event;

    #[test]
    fn what_cannot_be_allowed_is_not_offered() {
        for (rule, input, expected) in [
            (Some("git.push-force"), json!({"command": "git push -f"}), 4),
            (
                Some("git.push-force"),
                json!({"command": "X=[REDACTED] git push -f"}),
                2,
            ),
            (Some("self.settings"), json!({"command": "x"}), 0),
            (Some("my-own-rule"), json!({"command": "x"}), 0),
            (None, json!({"command": "x"}), 0),
        ] {
            let mut event = event();
            event.decided.rule = rule.map(ToOwned::to_owned);
            assert_eq!(ways(&event, Some(&input)).len(), expected, "{rule:?}");
        }
    }
}
