//! One handler of ours, read from a file and written into one.

use bowline_daemon::registration::starts_bowline;
use jsonc_parser::ast::Object;

use super::Entry;

/// The fields of a handler that Bowline writes.
pub(super) const OUR_FIELDS: [&str; 5] = ["type", "command", "args", "timeout", "onFailure"];

/// The entry that a handler is, if it starts Bowline.
pub(super) fn entry(event: &str, handler: &Object<'_>) -> Option<Entry> {
    if text_of(handler, "type")? != "command" {
        return None;
    }
    let command = text_of(handler, "command")?;
    let args = match handler.get("args") {
        None => None,
        Some(args) => {
            let words = args.value.as_array()?.elements.iter();
            let words = words.map(|word| Some(word.as_string_lit()?.value.clone().into_owned()));
            Some(words.collect::<Option<Vec<_>>>()?)
        }
    };
    starts_bowline(command, args.as_deref()).then(|| Entry {
        event: event.to_owned(),
        command: command.to_owned(),
        args,
        timeout: handler
            .get_number("timeout")
            .and_then(|timeout| timeout.value.parse().ok()),
        blocks_on_failure: text_of(handler, "onFailure").is_some_and(|word| word == "block"),
    })
}

pub(super) fn text_of<'b>(object: &'b Object<'_>, name: &str) -> Option<&'b str> {
    Some(&object.get_string(name)?.value)
}

pub(super) fn event_text(entry: &Entry) -> String {
    format!("{}: [{}]", json(&entry.event), group_text(entry))
}

pub(super) fn group_text(entry: &Entry) -> String {
    let fields = fields_of(entry).into_iter();
    let fields = fields.filter_map(|(name, value)| Some(format!(", \"{name}\": {}", value?)));
    let fields: String = fields.collect();
    format!("{{\"hooks\": [{{\"type\": \"command\"{fields}}}]}}")
}

/// The fields that are ours to set, as JSON; nothing for those that should not be there.
pub(super) fn fields_of(entry: &Entry) -> [(&'static str, Option<String>); 4] {
    let args = entry.args.as_ref().map(|args| {
        let args: Vec<_> = args.iter().map(|arg| json(arg)).collect();
        format!("[{}]", args.join(", "))
    });
    [
        ("command", Some(json(&entry.command))),
        ("args", args),
        ("timeout", entry.timeout.map(|seconds| seconds.to_string())),
        ("onFailure", entry.blocks_on_failure.then(|| json("block"))),
    ]
}

pub(super) fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
