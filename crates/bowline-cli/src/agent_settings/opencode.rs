//! Bowline's plugin for OpenCode: a file of its own, made of [`TEMPLATE`] and of what starts Bowline at each event.

use std::fmt::Write as _;

use bowline_agents::opencode::AGENT;
use bowline_wire::{ACKNOWLEDGE_WITHIN, MAX_PAYLOAD, PROTOCOL, SILENT_AFTER};
use serde_json::{Map, Value};

use super::installable::{EventFilter, FileKind, SettingsForm};
use super::own::{Comment, Own};
use super::{Entry, Found, Unfit};

/// The plugin, but for its constants.
const TEMPLATE: &str = include_str!("opencode/plugin.js");
/// Where they stand.
const CONSTANTS: &str = "// {{CONSTANTS}}\n";

const COMMENT: Comment = Comment("//");
const ENTRIES_BEGIN: &str = "const ENTRIES = {\n";
const ENTRIES_END: &str = "}\n";

pub(super) const PLUGIN: SettingsForm = SettingsForm {
    install,
    uninstall: |text, is_meant, _| uninstall(text, is_meant),
    found,
    shadowed: |_| Ok(Vec::new()),
    is_blank: |text| text.trim().is_empty(),
    kind: FileKind::Own,
    has_timeouts: false,
    status_line: None,
};

fn install(text: &str, entries: &[Entry], never: &[&str]) -> Result<String, Unfit> {
    let is_replaced =
        |event: &str| never.contains(&event) || entries.iter().any(|it| it.event == event);
    let mut all = entries_in(text)?;
    all.retain(|it| !is_replaced(&it.event));
    all.extend_from_slice(entries);
    Ok(written(all))
}

fn uninstall(text: &str, is_meant: EventFilter<'_>) -> Result<String, Unfit> {
    let mut all = entries_in(text)?;
    let before = all.len();
    all.retain(|it| !is_meant(&it.event));
    Ok(if all.len() == before {
        text.to_owned()
    } else {
        written(all)
    })
}

fn found(text: &str) -> Result<Vec<Found>, Unfit> {
    let found = |entry| Found {
        entry,
        matcher: None,
    };
    Ok(entries_in(text)?.into_iter().map(found).collect())
}

/// The plugin with these entries, in the order of the agent's events; nothing without any.
fn written(mut entries: Vec<Entry>) -> String {
    if entries.is_empty() {
        return String::new();
    }
    let place = |entry: &Entry| {
        let mut events = AGENT.events.iter();
        events.position(|(name, _)| *name == entry.event)
    };
    entries.sort_by_key(place);
    COMMENT.mark("", &TEMPLATE.replacen(CONSTANTS, &constants(&entries), 1))
}

fn constants(entries: &[Entry]) -> String {
    let lines = entries.iter().map(|entry| {
        let quoted = |text: &String| Value::from(text.as_str()).to_string();
        let started = match &entry.args {
            Some(args) => {
                let words = std::iter::once(&entry.command).chain(args);
                format!("[{}]", words.map(quoted).collect::<Vec<_>>().join(", "))
            }
            None => quoted(&entry.command),
        };
        format!("  {}: {started}", quoted(&entry.event))
    });
    let lines: Vec<String> = lines.collect();
    let mut constants = String::new();
    for (name, value) in [
        ("VERSION", Value::from(env!("CARGO_PKG_VERSION"))),
        ("PROTOCOL", PROTOCOL.into()),
        ("MAX_PAYLOAD", MAX_PAYLOAD.into()),
        (
            "ACKNOWLEDGE_WITHIN_MS",
            milliseconds(ACKNOWLEDGE_WITHIN).into(),
        ),
        ("SILENT_AFTER_MS", milliseconds(SILENT_AFTER).into()),
    ] {
        // Writing into memory cannot fail.
        let _ = writeln!(constants, "const {name} = {value}");
    }
    format!(
        "{constants}{ENTRIES_BEGIN}{}\n{ENTRIES_END}",
        lines.join(",\n")
    )
}

fn milliseconds(time: std::time::Duration) -> u64 {
    time.as_millis().try_into().unwrap_or(u64::MAX)
}

/// What starts Bowline in a plugin of any version.
fn entries_in(text: &str) -> Result<Vec<Entry>, Unfit> {
    let Own::Text(lines) = COMMENT.read(text)? else {
        return Ok(Vec::new());
    };
    let begins = |line: &&&str| **line != ENTRIES_BEGIN;
    let inside = lines.iter().skip_while(begins).skip(1);
    let inside: String = inside
        .take_while(|it| **it != ENTRIES_END)
        .copied()
        .collect();
    let entries: Map<String, Value> =
        serde_json::from_str(&format!("{{{inside}}}")).map_err(|error| Unfit {
            line: 1,
            message: format!(
                "another version of Bowline wrote it in a way that this one does not know: {error}"
            ),
        })?;
    let entry = |(event, started): (String, Value)| {
        let words: Vec<String> = match &started {
            Value::String(line) => vec![line.clone()],
            Value::Array(words) => {
                let words = words.iter().filter_map(Value::as_str);
                words.map(str::to_owned).collect()
            }
            _ => Vec::new(),
        };
        let (command, args) = words.split_first()?;
        Some(Entry {
            event,
            command: command.clone(),
            args: started.is_array().then(|| args.to_vec()),
            timeout: None,
            blocks_on_failure: false,
        })
    };
    Ok(entries.into_iter().filter_map(entry).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(event: &str, command: &str, args: Option<&[&str]>) -> Entry {
        Entry {
            event: event.to_owned(),
            command: command.to_owned(),
            args: args.map(|args| args.iter().map(ToString::to_string).collect()),
            timeout: None,
            blocks_on_failure: false,
        }
    }

    fn events(text: &str) -> Vec<String> {
        let found = found(text).unwrap().into_iter();
        found.map(|it| it.entry.event).collect()
    }

    #[test]
    fn what_is_put_in_is_found_and_taken_out_again() {
        let before = entry(
            "tool.execute.before",
            "/opt/my \"bin\"/bowline-hook",
            Some(&["opencode", "tool.execute.before", "--home=/home/ann"]),
        );
        let created = entry(
            "session.created",
            "exec bowline-hook opencode session.created",
            None,
        );
        let text = install("", &[before.clone(), created.clone()], &[]).unwrap();
        // In the order of the agent's events.
        let entries: Vec<Entry> = found(&text)
            .unwrap()
            .into_iter()
            .map(|it| it.entry)
            .collect();
        assert_eq!(entries, [created.clone(), before.clone()]);
        assert_eq!(
            install(&text, &[before.clone(), created], &[]).unwrap(),
            text
        );

        let newer = entry("tool.execute.before", "/new/bowline-hook", Some(&[]));
        let text = install(&text, std::slice::from_ref(&newer), &["session.created"]).unwrap();
        assert_eq!(events(&text), ["tool.execute.before"]);
        assert_eq!(found(&text).unwrap()[0].entry, newer);
        assert_eq!(
            uninstall(&text, &|it| it == "session.created").unwrap(),
            text
        );
        assert_eq!(uninstall(&text, &|_| true).unwrap(), "");
        assert_eq!(uninstall("", &|_| true).unwrap(), "");
        assert_eq!(install("", &[], &[]).unwrap(), "");
    }

    #[test]
    fn a_plugin_of_somebody_else_is_left_alone() {
        let ours = install("", &[entry("dispose", "/b/bowline-hook", Some(&[]))], &[]).unwrap();
        let changed = ours.replace("const PROTOCOL = 1\n", "const PROTOCOL = 2\n");
        for text in ["export const Mine = async () => ({})\n", &changed] {
            assert!(install(text, &[], &[]).is_err(), "{text}");
            assert!(uninstall(text, &|_| true).is_err(), "{text}");
            assert!(found(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_plugin_knows_what_the_wire_is_like() {
        let text = install("", &[entry("dispose", "/b/bowline-hook", Some(&[]))], &[]).unwrap();
        for line in [
            "const PROTOCOL = 1\n",
            "const MAX_PAYLOAD = 67108864\n",
            "const ACKNOWLEDGE_WITHIN_MS = 250\n",
            "const SILENT_AFTER_MS = 2000\n",
            "  \"dispose\": [\"/b/bowline-hook\"]\n",
        ] {
            assert!(text.contains(line), "{line} in {text}");
        }
        // Every event is told of somewhere in the plugin.
        for (event, _) in AGENT.events {
            assert!(
                TEMPLATE.contains(&format!("\"{event}\"")) || *event == "dispose",
                "{event}"
            );
        }
    }
}
