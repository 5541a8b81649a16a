//! The pure fold of outputs: the strictest decision wins, the rest follows a fixed table.

use serde_json::{Map, Value};

use crate::decision::Decision;
use crate::opinion::{Opinion, Permission};

/// Merges several outputs, in order.
///
/// | field | rule |
/// |---|---|
/// | decision | the strictest: deny > ask > grant > no opinion |
/// | `continue_execution` | AND |
/// | `stop_reason`, `system_message`, `updated_input`, `end_turn` | the last one given |
/// | `additional_context`, `message` | joined by newlines, in order |
/// | `suppress_logging` | OR |
/// | `event_fields`, `facts` | by key, the last one given |
/// | `warnings` | all, in order |
/// | `rule` | that of the stop reason |
/// | `observed` | the strictest; of two alike the last |
///
/// The reason of an *ask* that a deny has overruled does not count as the stop reason. Whether a rewritten
/// input runs is [`Opinion::rewritten_input`]'s business: never beside a deny.
pub fn merge<'a>(outputs: impl IntoIterator<Item = &'a Opinion>) -> Opinion {
    let outputs: Vec<&Opinion> = outputs.into_iter().collect();
    let decision = outputs
        .iter()
        .map(|output| output.decision())
        .max()
        .unwrap_or_default();
    let mut merged = Opinion {
        continue_execution: decision < Decision::Ask,
        permission: match decision {
            Decision::Ask => Some(Permission::Ask),
            Decision::Grant => Some(Permission::Grant),
            Decision::Deny | Decision::NoOpinion => None,
        },
        ..Opinion::default()
    };
    for output in outputs {
        let overruled = decision == Decision::Deny && output.decision() == Decision::Ask;
        if !overruled {
            replace(&mut merged.stop_reason, output.stop_reason.as_ref());
            if output.stop_reason.is_some() {
                merged.rule.clone_from(&output.rule);
            }
        }
        let strictest = merged.observed.as_ref().map(|observed| observed.decision);
        if output.observed.as_ref().map(|observed| observed.decision) >= strictest {
            replace(&mut merged.observed, output.observed.as_ref());
        }
        replace(&mut merged.system_message, output.system_message.as_ref());
        replace(&mut merged.updated_input, output.updated_input.as_ref());
        replace(&mut merged.end_turn, output.end_turn.as_ref());
        append_line(
            &mut merged.additional_context,
            output.additional_context.as_deref(),
        );
        append_line(&mut merged.message, output.message.as_deref());
        merged.suppress_logging |= output.suppress_logging;
        extend(&mut merged.event_fields, &output.event_fields);
        extend(&mut merged.facts, &output.facts);
        merged.warnings.extend(output.warnings.iter().cloned());
    }
    merged
}

fn replace<T: Clone>(slot: &mut Option<T>, given: Option<&T>) {
    if let Some(value) = given {
        *slot = Some(value.clone());
    }
}

fn extend(fields: &mut Map<String, Value>, given: &Map<String, Value>) {
    let given = given.iter();
    fields.extend(given.map(|(name, value)| (name.clone(), value.clone())));
}

fn append_line(slot: &mut Option<String>, given: Option<&str>) {
    match (slot.as_mut(), given) {
        (Some(text), Some(line)) => {
            text.push('\n');
            text.push_str(line);
        }
        (None, Some(line)) => *slot = Some(line.to_owned()),
        (_, None) => {}
    }
}
