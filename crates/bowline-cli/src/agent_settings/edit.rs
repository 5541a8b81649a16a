//! Puts entries into hooks of the form `{"hooks": {EVENT: [{"matcher": …, "hooks": [HANDLER]}]}}` and takes them out,
//! with comments, order, indentation and everybody else's entries left as they are. An entry takes one line.

mod handler;
mod list;
mod splice;
mod status_line;

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::installable::{SettingsForm, StatusLineForm};
use super::{Entry, Found, Shadowed, Unfit};
use handler::{OUR_FIELDS, entry, event_text, fields_of, group_text, text_of};
use list::{IfEmpty, Left, Lines, List};
use splice::Edits;

const BYTE_ORDER_MARK: char = '\u{feff}';
/// The indentation for a file that has none.
const INDENT: &str = "  ";

/// The form of Claude Code's `settings.json`.
pub(super) const CLAUDE_JSON: SettingsForm = SettingsForm {
    install,
    uninstall,
    found,
    shadowed,
    is_blank,
    status_line: Some(StatusLineForm {
        install: status_line::install,
        uninstall: status_line::uninstall,
    }),
};

/// Puts the entries in: new ones beside what is there, older ones of ours in their place. Ours is taken away from the
/// events in `never`.
fn install(text: &str, entries: &[Entry], never: &[&str]) -> Result<String, Unfit> {
    let whole_of = |ours: &Ours, entry: &Entry| {
        let is_all = ours.found.matcher.is_none() && ours.standing == Standing::Read;
        ours.found.entry.event == entry.event && is_all
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
fn uninstall(text: &str, is_meant: &dyn Fn(&str) -> bool) -> Result<String, Unfit> {
    // Also where the agent does not look: a `hooks` that another one comes after.
    let count = Document::parse(body(text))?.all_hooks().count();
    let mut text = text.to_owned();
    for from_the_end in (0..count.max(1)).rev() {
        text = edited_at(from_the_end, &text, |document, ours, edits| {
            document.remove(ours, edits, |_, it| is_meant(&it.found.entry.event));
        })?;
    }
    Ok(text)
}

/// What starts Bowline.
fn found(text: &str) -> Result<Vec<Found>, Unfit> {
    let ours = Document::parse(body(text))?.ours()?;
    let read = ours.into_iter().filter(|it| it.standing == Standing::Read);
    Ok(read.map(|it| it.found).collect())
}

/// Entries that the agent does not read, because the same key follows again. The last one counts.
fn shadowed(text: &str) -> Result<Vec<Shadowed>, Unfit> {
    let document = Document::parse(body(text))?;
    let mut found = document.all_shadowed(document.root.as_ref(), "hooks");
    if let Some(hooks) = document.hooks() {
        let mut names: Vec<&str> = hooks.properties.iter().map(|it| it.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            found.extend(document.all_shadowed(Some(hooks), name));
        }
    }
    found.sort_by_key(|it| it.line);
    Ok(found)
}

fn body(text: &str) -> &str {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// Whether a file says nothing at all.
fn is_blank(text: &str) -> bool {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    text.chars().filter(|c| !c.is_whitespace()).eq("{}".chars()) || text.trim().is_empty()
}

/// The text after some changes to it.
fn edited(
    text: &str,
    change: impl FnOnce(&Document<'_>, &[Ours], &mut Edits),
) -> Result<String, Unfit> {
    edited_at(0, text, change)
}

/// As [`edited`], for another `hooks` than the last one.
fn edited_at(
    from_the_end: usize,
    text: &str,
    change: impl FnOnce(&Document<'_>, &[Ours], &mut Edits),
) -> Result<String, Unfit> {
    let body = body(text);
    let document = Document {
        from_the_end,
        ..Document::parse(body)?
    };
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
    standing: Standing,
    event: usize,
    group: usize,
    handler: usize,
}

/// Whether the agent gets to see something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Read,
    /// The same event comes again further down.
    Shadowed,
}

/// A settings file, with the places of everything in it.
struct Document<'a> {
    text: &'a str,
    /// Nothing in a file without anything in it.
    root: Option<Object<'a>>,
    /// Which `hooks` is meant, where there are several: the agent reads the last one.
    from_the_end: usize,
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
                from_the_end: 0,
            }),
            // A file without anything in it is as good as an empty object.
            None if text.trim().is_empty() => Ok(Self {
                text,
                root: None,
                from_the_end: 0,
            }),
            _ => Err(Unfit {
                line: 1,
                message: "the file holds something else than an object `{ … }`".to_owned(),
            }),
        }
    }

    /// What is wrong with a value.
    fn unfit(&self, value: &Value<'_>, path: &str, expected: &str) -> Unfit {
        Unfit {
            line: self.line_of(value.range().start),
            message: format!("`{path}` should be {expected}"),
        }
    }

    /// From 1.
    fn line_of(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or_default();
        before.matches('\n').count() + 1
    }

    fn all_hooks(&self) -> impl DoubleEndedIterator<Item = &ObjectProp<'a>> {
        let properties = self.root.as_ref().map(|root| root.properties.as_slice());
        let properties = properties.unwrap_or_default().iter();
        properties.filter(|it| it.name.as_str() == "hooks")
    }

    fn hooks_property(&self) -> Option<&ObjectProp<'a>> {
        self.all_hooks().rev().nth(self.from_the_end)
    }

    fn hooks(&self) -> Option<&Object<'a>> {
        self.hooks_property()?.value.as_object()
    }

    /// Every key of this name but the last.
    fn all_shadowed(&self, object: Option<&Object<'a>>, name: &str) -> Vec<Shadowed> {
        let properties = object.map(|it| it.properties.as_slice());
        let mut lines: Vec<usize> = properties
            .unwrap_or_default()
            .iter()
            .filter(|it| it.name.as_str() == name)
            .map(|it| self.line_of(it.range.start))
            .collect();
        let read_line = lines.pop().unwrap_or_default();
        let shadowed = lines.into_iter().map(|line| Shadowed {
            line,
            key: name.to_owned(),
            read_line,
        });
        shadowed.collect()
    }

    /// The events with their lists of groups.
    fn events(&self) -> impl Iterator<Item = (&ObjectProp<'a>, &Array<'a>)> {
        let events = self.hooks().map(|hooks| hooks.properties.as_slice());
        let events = events.unwrap_or_default().iter();
        events.filter_map(|event| Some((event, event.value.as_array()?)))
    }

    /// Every handler of ours, in the order of the file.
    fn ours(&self) -> Result<Vec<Ours>, Unfit> {
        let hooks = self.hooks_property();
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
            // Something that is not a group is not ours.
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
                        standing: self.standing(property),
                        event,
                        group,
                        handler,
                    });
                }
            }
        }
        Ok(ours)
    }

    fn standing(&self, event: &ObjectProp<'_>) -> Standing {
        let mut events = self.events().map(|(property, _)| property);
        let again = events.any(|it| {
            it.name.as_str() == event.name.as_str() && it.range.start > event.range.start
        });
        if again {
            Standing::Shadowed
        } else {
            Standing::Read
        }
    }

    /// The groups of an event that the agent reads.
    fn groups(&self, event: &str) -> Option<&Array<'a>> {
        let named = self
            .events()
            .filter(|(property, _)| property.name.as_str() == event);
        named.last().map(|(_, groups)| groups)
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
            match self.groups(&entry.event) {
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

fn bounds(part: &impl Ranged) -> Range<usize> {
    let range = part.range();
    range.start..range.end
}

/// The objects of a list, with their places.
fn objects<'a, 'b>(list: &'b Array<'a>) -> impl Iterator<Item = (usize, &'b Object<'a>)> {
    let items = list.elements.iter().enumerate();
    items.filter_map(|(at, item)| Some((at, item.as_object()?)))
}

#[cfg(test)]
mod tests;
