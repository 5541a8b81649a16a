//! Puts entries into hooks of the form `{"hooks": {EVENT: [{"matcher": …, "hooks": [HANDLER]}]}}` and takes them out,
//! with comments, order, indentation and everybody else's entries left as they are. An entry takes one line.

mod list;
mod splice;

use std::ops::Range;

use bowline_daemon::registration::starts_bowline;
use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::{Entry, Found, Unfit};
use list::{IfEmpty, Left, Lines, List};
use splice::Edits;

const BYTE_ORDER_MARK: char = '\u{feff}';
/// What a file gets that has no indentation of its own.
const INDENT: &str = "  ";

/// Puts the entries in: new ones beside what is there, older ones of ours in their place. Ours is taken away from the
/// events in `never`.
pub(super) fn install(text: &str, entries: &[Entry], never: &[&str]) -> Result<String, Unfit> {
    let whole_of = |ours: &Ours, entry: &Entry| {
        ours.found.entry.event == entry.event && ours.found.matcher.is_none()
    };
    // The first at an event is brought up to date.
    let text = edited(text, |document, ours, edits| {
        for entry in entries {
            let first = ours.iter().find(|it| whole_of(it, entry));
            if let Some(first) = first.filter(|it| it.found.entry != *entry) {
                document.update(first, entry, edits);
            }
        }
    })?;
    // Others go. One under a matcher sees only a part of what happens, so that it goes in favour of one that sees all.
    let text = edited(&text, |document, ours, edits| {
        document.remove(ours, edits, |at, it| {
            let event = it.found.entry.event.as_str();
            let mut before = ours.iter().take(at);
            let is_wanted = entries
                .iter()
                .any(|entry| whole_of(it, entry) && !before.any(|other| whole_of(other, entry)));
            let is_meant = entries.iter().any(|entry| entry.event == event);
            never.contains(&event) || is_meant && !is_wanted
        });
    })?;
    edited(&text, |document, ours, edits| {
        let is_there = |entry: &&Entry| ours.iter().any(|it| whole_of(it, entry));
        let new: Vec<_> = entries.iter().filter(|entry| !is_there(entry)).collect();
        document.add(&new, edits);
    })
}

/// Takes every entry of ours out of the events that `is_meant`, with the groups, events and the object that are empty
/// then.
pub(super) fn uninstall(text: &str, is_meant: &dyn Fn(&str) -> bool) -> Result<String, Unfit> {
    edited(text, |document, ours, edits| {
        document.remove(ours, edits, |_, it| is_meant(&it.found.entry.event));
    })
}

/// What starts Bowline.
pub(super) fn found(text: &str) -> Result<Vec<Found>, Unfit> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let ours = Document::parse(text)?.ours()?;
    Ok(ours.into_iter().map(|it| it.found).collect())
}

/// Whether a file says nothing at all.
pub(super) fn is_blank(text: &str) -> bool {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    text.chars().filter(|c| !c.is_whitespace()).eq("{}".chars()) || text.trim().is_empty()
}

/// The text after some changes to it.
fn edited(
    text: &str,
    change: impl FnOnce(&Document<'_>, &[Ours], &mut Edits),
) -> Result<String, Unfit> {
    let body = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let document = Document::parse(body)?;
    let ours = document.ours()?;
    let mut edits = Edits::default();
    change(&document, &ours, &mut edits);
    let body = edits.apply(body);
    // Editors that put the mark there expect it back.
    let begins_with_mark = text.starts_with(BYTE_ORDER_MARK);
    Ok(if begins_with_mark {
        format!("{BYTE_ORDER_MARK}{body}")
    } else {
        body
    })
}

/// A handler of ours, by its places in the lists.
struct Ours {
    found: Found,
    event: usize,
    group: usize,
    handler: usize,
}

/// A settings file, with the places of everything in it.
struct Document<'a> {
    text: &'a str,
    /// Nothing in a file without anything in it.
    root: Option<Object<'a>>,
}

impl<'a> Document<'a> {
    fn parse(text: &'a str) -> Result<Self, Unfit> {
        let options = ParseOptions {
            allow_comments: true,
            allow_loose_object_property_names: false,
            allow_trailing_commas: true,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let parsed = parse_to_ast(text, &CollectOptions::default(), &options);
        let parsed = parsed.map_err(|error| Unfit {
            line: error.line_display(),
            message: format!("not valid JSON: {}", error.kind()),
        })?;
        match parsed.value {
            Some(Value::Object(root)) => Ok(Self {
                text,
                root: Some(root),
            }),
            // A file without anything in it is as good as an empty object.
            None if text.trim().is_empty() => Ok(Self { text, root: None }),
            _ => Err(Unfit {
                line: 1,
                message: "the file holds something else than an object `{ … }`".to_owned(),
            }),
        }
    }

    /// What is wrong with a value.
    fn unfit(&self, value: &Value<'_>, path: &str, expected: &str) -> Unfit {
        let before = self.text.get(..value.range().start).unwrap_or_default();
        Unfit {
            line: before.matches('\n').count() + 1,
            message: format!("`{path}` should be {expected}"),
        }
    }

    fn hooks(&self) -> Option<&Object<'a>> {
        self.root.as_ref()?.get_object("hooks")
    }

    /// The events with their lists of groups.
    fn events(&self) -> impl Iterator<Item = (&ObjectProp<'a>, &Array<'a>)> {
        let events = self.hooks().map(|hooks| hooks.properties.as_slice());
        let events = events.unwrap_or_default().iter();
        events.filter_map(|event| Some((event, event.value.as_array()?)))
    }

    /// Every handler of ours, in the order of the file.
    fn ours(&self) -> Result<Vec<Ours>, Unfit> {
        let hooks = self.root.as_ref().and_then(|root| root.get("hooks"));
        if let Some(hooks) = hooks.filter(|it| it.value.as_object().is_none()) {
            return Err(self.unfit(&hooks.value, "hooks", "an object of events"));
        }
        let events = self.hooks().map(|hooks| hooks.properties.as_slice());
        for event in events.unwrap_or_default() {
            if event.value.as_array().is_none() {
                let path = format!("hooks.{}", event.name.as_str());
                return Err(self.unfit(&event.value, &path, "a list of groups"));
            }
        }
        let mut ours = Vec::new();
        for (event, (property, groups)) in self.events().enumerate() {
            // What is no group is not ours, and the agent's business.
            for (group, object) in objects(groups) {
                let handlers = object.get_array("hooks").into_iter().flat_map(objects);
                for (handler, fields) in handlers {
                    let Some(entry) = entry(property.name.as_str(), fields) else {
                        continue;
                    };
                    let matcher = text_of(object, "matcher");
                    let matcher = matcher.filter(|it| !matches!(*it, "" | "*"));
                    ours.push(Ours {
                        found: Found {
                            entry,
                            matcher: matcher.map(str::to_owned),
                        },
                        event,
                        group,
                        handler,
                    });
                }
            }
        }
        Ok(ours)
    }

    fn list(&self, list: &Array<'_>) -> List<'a> {
        let items = list.elements.iter().map(bounds).collect();
        List::new(self.text, bounds(list), items)
    }

    fn properties(&self, object: &Object<'_>) -> List<'a> {
        let items = object.properties.iter().map(bounds).collect();
        List::new(self.text, bounds(object), items)
    }

    fn newline(&self) -> &'static str {
        if self.text.contains("\r\n") {
            "\r\n"
        } else {
            "\n"
        }
    }

    /// The white space before a place, if the place begins a line.
    fn indent_at(&self, at: usize) -> Option<&'a str> {
        let line = self.text.get(..at)?.rsplit('\n').next()?;
        line.trim_start_matches([' ', '\t'])
            .is_empty()
            .then_some(line)
    }

    /// How the items of an object are indented that stands `depth` deep.
    fn indent(&self, object: &Object<'_>, depth: usize) -> String {
        let own = object.properties.first();
        let own = own.and_then(|it| self.indent_at(it.range.start));
        own.map_or_else(|| self.unit().repeat(depth), str::to_owned)
    }

    /// One step of indentation.
    fn unit(&self) -> &'a str {
        let first = self.root.as_ref().and_then(|root| root.properties.first());
        let first = first.and_then(|it| self.indent_at(it.range.start));
        first.filter(|it| !it.is_empty()).unwrap_or(INDENT)
    }

    fn add(&self, entries: &[&Entry], edits: &mut Edits) {
        let Some(hooks) = self.hooks() else {
            return self.add_hooks(entries, edits);
        };
        let closing = self.indent_at(hooks.range.start);
        let mut new = Vec::new();
        for entry in entries {
            match hooks.get_array(&entry.event) {
                Some(groups) => {
                    let first = groups.elements.first();
                    let indent = first.and_then(|it| self.indent_at(it.range().start));
                    let lines = Lines {
                        newline: self.newline(),
                        indent: indent.map_or_else(|| self.unit().repeat(3), str::to_owned),
                        closing: self.unit().repeat(2),
                    };
                    let group = [group_text(entry)];
                    self.list(groups)
                        .append(&group, &lines, IfEmpty::AsItIs, edits);
                }
                None => new.push(event_text(entry)),
            }
        }
        let lines = Lines {
            newline: self.newline(),
            indent: self.indent(hooks, 2),
            closing: closing.unwrap_or(self.unit()).to_owned(),
        };
        self.properties(hooks)
            .append(&new, &lines, IfEmpty::Spread, edits);
    }

    /// Writes the object of events, where there is none.
    fn add_hooks(&self, entries: &[&Entry], edits: &mut Edits) {
        if entries.is_empty() {
            return;
        }
        let (newline, unit) = (self.newline(), self.unit());
        let event = |entry: &&Entry| format!("{newline}{unit}{unit}{}", event_text(entry));
        let events: Vec<_> = entries.iter().map(event).collect();
        let hooks = format!("\"hooks\": {{{}{newline}{unit}}}", events.join(","));
        let Some(root) = &self.root else {
            let whole = format!("{{{newline}{unit}{hooks}{newline}}}{newline}");
            return edits.replace(0..self.text.len(), whole);
        };
        let lines = Lines {
            newline,
            indent: self.indent(root, 1),
            closing: String::new(),
        };
        self.properties(root)
            .append(&[hooks], &lines, IfEmpty::Spread, edits);
    }

    /// Takes out the handlers that `is_gone`, with what holds nothing then.
    fn remove(&self, ours: &[Ours], edits: &mut Edits, is_gone: impl Fn(usize, &Ours) -> bool) {
        let numbered = ours.iter().enumerate();
        let gone: Vec<&Ours> = numbered
            .filter(|(at, it)| is_gone(*at, it))
            .map(|(_, it)| it)
            .collect();
        let (Some(root), Some(hooks)) = (&self.root, self.hooks()) else {
            return;
        };
        if gone.is_empty() {
            return;
        }
        let mut empty_events = Vec::new();
        for (event, (_, groups)) in self.events().enumerate() {
            let gone: Vec<_> = gone.iter().filter(|it| it.event == event).collect();
            let mut empty_groups = Vec::new();
            for (group, object) in objects(groups) {
                let of_group = |handler| {
                    let mut gone = gone.iter();
                    gone.any(|it| (it.group, it.handler) == (group, handler))
                };
                let has_any = gone.iter().any(|it| it.group == group);
                let handlers = object.get_array("hooks").filter(|_| has_any);
                if let Some(handlers) = handlers
                    && self.list(handlers).remove(&of_group, edits) == Left::Nothing
                {
                    empty_groups.push(group);
                }
            }
            if !empty_groups.is_empty() {
                let list = self.list(groups);
                let is_empty = |group: usize| empty_groups.contains(&group);
                if list.remove(&is_empty, edits) == Left::Nothing {
                    empty_events.push(event);
                }
            }
        }
        let is_empty = |event: usize| empty_events.contains(&event);
        if self.properties(hooks).remove(&is_empty, edits) == Left::Nothing {
            let is_hooks = |at: usize| {
                let property = root.properties.get(at);
                property.is_some_and(|it| it.value.range() == hooks.range)
            };
            if self.properties(root).remove(&is_hooks, edits) == Left::Nothing {
                edits.replace(bounds(root), "{}".to_owned());
            }
        }
    }

    /// Makes a handler of ours the one that is wanted. What a person added to it stays.
    fn update(&self, ours: &Ours, wanted: &Entry, edits: &mut Edits) {
        let groups = self.events().nth(ours.event).map(|(_, groups)| groups);
        let group = groups.and_then(|it| it.elements.get(ours.group)?.as_object());
        let handlers = group.and_then(|it| it.get_array("hooks"));
        let handler = handlers.and_then(|it| it.elements.get(ours.handler)?.as_object());
        let (Some(groups), Some(group), Some(handlers), Some(handler)) =
            (groups, group, handlers, handler)
        else {
            return;
        };
        let is_ours_alone = group.properties.len() == 1
            && handlers.elements.len() == 1
            && handler
                .properties
                .iter()
                .all(|it| OUR_FIELDS.contains(&it.name.as_str()));
        if is_ours_alone && groups.elements.len() == 1 && !self.may_have_remarks(groups) {
            edits.replace(bounds(groups), format!("[{}]", group_text(wanted)));
        } else if is_ours_alone && !self.may_have_remarks(group) {
            edits.replace(bounds(group), group_text(wanted));
        } else {
            self.update_fields(handler, wanted, edits);
        }
    }

    fn may_have_remarks(&self, part: &impl Ranged) -> bool {
        let text = self.text.get(bounds(part)).unwrap_or_default();
        text.contains("//") || text.contains("/*")
    }

    fn update_fields(&self, handler: &Object<'_>, wanted: &Entry, edits: &mut Edits) {
        let fields = fields_of(wanted);
        let value_of = |name: &str| fields.iter().find(|(it, _)| *it == name);
        let mut new = Vec::new();
        for (name, value) in &fields {
            match (handler.get(name), value) {
                (Some(property), Some(value)) => {
                    edits.replace(bounds(&property.value), value.clone());
                }
                (None, Some(value)) => new.push(format!(", \"{name}\": {value}")),
                (_, None) => {}
            }
        }
        if let Some(command) = handler.get("command") {
            edits.insert(command.range.end, new.concat());
        }
        let is_gone = |at: usize| {
            let name = handler.properties.get(at).map(|it| it.name.as_str());
            name.and_then(value_of)
                .is_some_and(|(_, value)| value.is_none())
        };
        self.properties(handler).remove(&is_gone, edits);
    }
}

/// The fields of a handler that Bowline writes.
const OUR_FIELDS: [&str; 5] = ["type", "command", "args", "timeout", "onFailure"];

fn bounds(part: &impl Ranged) -> Range<usize> {
    let range = part.range();
    range.start..range.end
}

/// The objects of a list, with their places.
fn objects<'a, 'b>(list: &'b Array<'a>) -> impl Iterator<Item = (usize, &'b Object<'a>)> {
    let items = list.elements.iter().enumerate();
    items.filter_map(|(at, item)| Some((at, item.as_object()?)))
}

/// The entry that a handler is, if it starts Bowline.
fn entry(event: &str, handler: &Object<'_>) -> Option<Entry> {
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

fn text_of<'b>(object: &'b Object<'_>, name: &str) -> Option<&'b str> {
    Some(&object.get_string(name)?.value)
}

fn event_text(entry: &Entry) -> String {
    format!("{}: [{}]", json(&entry.event), group_text(entry))
}

fn group_text(entry: &Entry) -> String {
    let fields = fields_of(entry).into_iter();
    let fields = fields.filter_map(|(name, value)| Some(format!(", \"{name}\": {}", value?)));
    let fields: String = fields.collect();
    format!("{{\"hooks\": [{{\"type\": \"command\"{fields}}}]}}")
}

/// The fields that are ours to set, as JSON; nothing for those that should not be there.
fn fields_of(entry: &Entry) -> [(&'static str, Option<String>); 4] {
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

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests;
