//! One handler of ours, read from a file and written into one.

use bowline_daemon::registration::starts_bowline;
use jsonc_parser::ast::{Object, Value as Json};

use super::Entry;
use super::shape::{Entries, Part, Shape};

/// The entry that a handler is, if it starts Bowline.
pub(super) fn entry(shape: &Shape, event: &str, handler: &Object<'_>) -> Option<Entry> {
    let mut entry = Entry {
        event: event.to_owned(),
        command: String::new(),
        args: None,
        timeout: None,
        blocks_on_failure: false,
    };
    for (name, part) in shape.handler {
        let value = handler.get(name).map(|it| &it.value);
        match part {
            Part::Command => entry.command = value?.as_string_lit()?.value.clone().into_owned(),
            Part::Arguments => {
                entry.args = match value {
                    Some(value) => Some(words(value)?),
                    None => None,
                }
            }
            Part::Timeout(unit) => {
                let number = value.and_then(Json::as_number_lit);
                entry.timeout = number.and_then(|it| unit.seconds(it.value));
            }
            Part::OnFailure(blocks) => {
                entry.blocks_on_failure = value.is_some_and(|it| blocks.is(it));
            }
            Part::Kind(kind) if !kind.is(value?) => return None,
            Part::Kind(_) | Part::Usually(_) => {}
        }
    }
    starts_bowline(&entry.command, entry.args.as_deref()).then_some(entry)
}

fn words(list: &Json<'_>) -> Option<Vec<String>> {
    let words = list.as_array()?.elements.iter();
    let words = words.map(|word| Some(word.as_string_lit()?.value.clone().into_owned()));
    words.collect()
}

pub(super) fn text_of<'b>(object: &'b Object<'_>, name: &str) -> Option<&'b str> {
    Some(&object.get_string(name)?.value)
}

pub(super) fn event_text(shape: &Shape, entry: &Entry) -> String {
    format!("{}: [{}]", json(&entry.event), entry_text(shape, entry))
}

/// What is put into the list of an event.
pub(super) fn entry_text(shape: &Shape, entry: &Entry) -> String {
    let parts = shape.handler.iter().filter_map(|(name, part)| {
        let value = match part {
            Part::Kind(value) | Part::Usually(value) => value.json(),
            _ => value_of(*part, entry)?,
        };
        Some(format!("\"{name}\": {value}"))
    });
    let parts: Vec<_> = parts.collect();
    let handler = format!("{{{}}}", parts.join(", "));
    match shape.entries {
        Entries::Groups => format!("{{\"hooks\": [{handler}]}}"),
        Entries::Handlers => handler,
    }
}

/// The fields that change with the entry, as JSON; nothing for those that should not be there.
pub(super) fn fields_of(shape: &Shape, entry: &Entry) -> Vec<(&'static str, Option<String>)> {
    let parts = shape.handler.iter();
    let parts = parts.filter(|(_, part)| !matches!(part, Part::Kind(_) | Part::Usually(_)));
    parts
        .map(|(name, part)| (*name, value_of(*part, entry)))
        .collect()
}

fn value_of(part: Part, entry: &Entry) -> Option<String> {
    match part {
        Part::Command => Some(json(&entry.command)),
        Part::Arguments => {
            let args: Vec<_> = entry.args.as_ref()?.iter().map(|arg| json(arg)).collect();
            Some(format!("[{}]", args.join(", ")))
        }
        Part::Timeout(unit) => Some(unit.of_seconds(entry.timeout?).to_string()),
        Part::OnFailure(value) => entry.blocks_on_failure.then(|| value.json()),
        Part::Kind(_) | Part::Usually(_) => None,
    }
}

/// Whether a handler of ours says nothing that a person put there.
pub(super) fn is_as_written(shape: &Shape, handler: &Object<'_>) -> bool {
    handler.properties.iter().all(|property| {
        let name = property.name.as_str();
        let part = shape.handler.iter().find(|(it, _)| *it == name);
        match part {
            Some((_, Part::Usually(value))) => value.is(&property.value),
            Some(_) => true,
            None => false,
        }
    })
}

pub(super) fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
