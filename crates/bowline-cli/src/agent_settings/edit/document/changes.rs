//! Changes to a document: what is put in, brought up to date and taken out.

use jsonc_parser::ast::{Array, Object, ObjectProp};
use jsonc_parser::common::Ranged;

use super::{Document, Entry, Kept, Ours, bounds, objects};
use crate::agent_settings::edit::handler::{entry_text, event_text, fields_of, is_as_written};
use crate::agent_settings::edit::list::{IfEmpty, Left, Lines};
use crate::agent_settings::edit::shape::{Entries, Part};
use crate::agent_settings::edit::splice::Edits;

impl Document<'_> {
    /// Writes entries after all others.
    pub(in crate::agent_settings::edit) fn add(&self, entries: &[&Entry], edits: &mut Edits) {
        let Some(hooks) = self.hooks() else {
            return self.add_hooks(entries, edits);
        };
        let depth = self.shape.depth();
        let closing = self.indent_at(hooks.range.start);
        let mut new = Vec::new();
        for entry in entries {
            match self.entries(&entry.event) {
                Some(list) => {
                    let first = list.elements.first();
                    let indent = first.and_then(|it| self.indent_at(it.range().start));
                    let lines = Lines {
                        newline: self.newline(),
                        indent: indent.map_or_else(|| self.unit().repeat(depth + 1), str::to_owned),
                        closing: self.unit().repeat(depth),
                    };
                    let entry = [entry_text(self.shape, entry)];
                    self.list(list)
                        .append(&entry, &lines, IfEmpty::AsItIs, edits);
                }
                None => new.push(event_text(self.shape, entry)),
            }
        }
        let lines = Lines {
            newline: self.newline(),
            indent: self.indent(hooks, depth),
            closing: closing.map_or_else(|| self.unit().repeat(depth - 1), str::to_owned),
        };
        self.properties(hooks)
            .append(&new, &lines, IfEmpty::Spread, edits);
    }

    /// Writes the object of events, where there is none.
    fn add_hooks(&self, entries: &[&Entry], edits: &mut Edits) {
        let events = entries.iter().map(|entry| event_text(self.shape, entry));
        let Some(key) = self.shape.key() else {
            return self.add_to_root(&events.collect::<Vec<_>>(), edits);
        };
        if entries.is_empty() {
            return;
        }
        let (newline, unit) = (self.newline(), self.unit());
        let events: Vec<_> = events
            .map(|event| format!("{newline}{unit}{unit}{event}"))
            .collect();
        let hooks = format!("\"{key}\": {{{}{newline}{unit}}}", events.join(","));
        self.add_to_root(&[hooks], edits);
    }

    /// Writes what the file must say beside its hooks, where it does not.
    pub(in crate::agent_settings::edit) fn add_required(&self, edits: &mut Edits) {
        let is_there = |name: &str| {
            let root = self.root.as_ref();
            root.is_some_and(|root| root.get(name).is_some())
        };
        let required = self.shape.required.iter();
        let new: Vec<_> = required
            .filter(|(name, _)| !is_there(name))
            .map(|(name, value)| format!("\"{name}\": {}", value.json()))
            .collect();
        self.add_to_root(&new, edits);
    }

    /// Writes properties after all others of the file.
    pub(in crate::agent_settings::edit) fn add_to_root(&self, new: &[String], edits: &mut Edits) {
        if new.is_empty() {
            return;
        }
        let (newline, unit) = (self.newline(), self.unit());
        let Some(root) = &self.root else {
            let between = format!(",{newline}{unit}");
            let new = new.join(&between);
            let whole = format!("{{{newline}{unit}{new}{newline}}}{newline}");
            return edits.replace(0..self.text.len(), whole);
        };
        let lines = Lines {
            newline,
            indent: self.indent(root, 1),
            closing: String::new(),
        };
        self.properties(root)
            .append(new, &lines, IfEmpty::Spread, edits);
    }

    /// Takes out the handlers that `is_gone`, with what holds nothing then and is not `kept`.
    pub(in crate::agent_settings::edit) fn remove(
        &self,
        ours: &[Ours],
        kept: &Kept,
        edits: &mut Edits,
        is_gone: impl Fn(usize, &Ours) -> bool,
    ) {
        let numbered = ours.iter().enumerate();
        let gone: Vec<&Ours> = numbered
            .filter(|(at, it)| is_gone(*at, it))
            .map(|(_, it)| it)
            .collect();
        let Some(hooks) = self.hooks().filter(|_| !gone.is_empty()) else {
            return;
        };
        let mut empty_events = Vec::new();
        for (event, (property, list)) in self.events().enumerate() {
            let gone: Vec<_> = gone
                .iter()
                .copied()
                .filter(|it| it.event == event)
                .collect();
            let empty = self.remove_handlers(list, &gone, edits);
            let is_empty = |entry: usize| empty.contains(&entry);
            if empty.is_empty() || self.list(list).remove(&is_empty, edits) == Left::Something {
                continue;
            }
            if kept.events.iter().any(|it| it == property.name.as_str()) {
                edits.replace(bounds(list), "[]".to_owned());
            } else {
                empty_events.push(event);
            }
        }
        // Among the properties there may be some that are no event.
        let events = self.events().enumerate();
        let empty_events: Vec<_> = events
            .filter(|(event, _)| empty_events.contains(event))
            .map(|(_, (property, _))| property.range.start)
            .collect();
        let is_empty = |at: usize| {
            let property = hooks.properties.get(at);
            property.is_some_and(|it| empty_events.contains(&it.range.start))
        };
        if self.properties(hooks).remove(&is_empty, edits) == Left::Something {
            return;
        }
        let mut keys = kept.keys.iter();
        if keys.any(|key| Some(key.as_str()) == self.shape.key()) {
            edits.replace(bounds(hooks), "{}".to_owned());
        } else {
            self.remove_hooks(kept, edits);
        }
    }

    /// Takes handlers out of the groups of a list; says which of its entries hold nothing then.
    fn remove_handlers(&self, list: &Array<'_>, gone: &[&Ours], edits: &mut Edits) -> Vec<usize> {
        let mut empty = Vec::new();
        for (at, entry) in objects(list) {
            let gone: Vec<_> = gone.iter().filter(|it| it.entry == at).collect();
            let is_gone = |handler| gone.iter().any(|it| it.handler == handler);
            let is_empty = match self.shape.entries {
                _ if gone.is_empty() => false,
                Entries::Handlers => true,
                Entries::Groups => entry
                    .get_array("hooks")
                    .is_some_and(|it| self.list(it).remove(&is_gone, edits) == Left::Nothing),
            };
            if is_empty {
                empty.push(at);
            }
        }
        empty
    }

    /// Takes the object of events out, and what the file had to say beside it, if it says nothing else.
    fn remove_hooks(&self, kept: &Kept, edits: &mut Edits) {
        let Some(root) = &self.root else {
            return;
        };
        let key = self.key().map(|it| it.range.start);
        let is_key = |property: &ObjectProp<'_>| Some(property.range.start) == key;
        let properties = self.properties(root);
        let mut all = root.properties.iter();
        let is_bowlines = |it: &ObjectProp<'_>| {
            self.shape.requires(it) && !kept.keys.iter().any(|key| key == it.name.as_str())
        };
        let has_nothing_else =
            all.all(|it| is_key(it) || is_bowlines(it)) && !properties.has_remarks();
        let is_gone = |at: usize| {
            let property = root.properties.get(at);
            property.is_some_and(|it| has_nothing_else || is_key(it))
        };
        if self.shape.key().is_none() || properties.remove(&is_gone, edits) == Left::Nothing {
            edits.replace(bounds(root), "{}".to_owned());
        }
    }

    /// Makes a handler of ours the one that is wanted. What a person added to it stays.
    pub(in crate::agent_settings::edit) fn update(
        &self,
        ours: &Ours,
        wanted: &Entry,
        edits: &mut Edits,
    ) {
        let list = self.events().nth(ours.event).map(|(_, list)| list);
        let entry = list.and_then(|it| it.elements.get(ours.entry)?.as_object());
        let (Some(list), Some(entry)) = (list, entry) else {
            return;
        };
        let handlers = self.shape.handlers(entry);
        let handler = handlers.iter().find(|(at, _)| *at == ours.handler);
        let Some((_, handler)) = handler else {
            return;
        };
        let is_alone = match self.shape.entries {
            Entries::Groups => {
                let handlers = entry.get_array("hooks");
                let is_only_one = handlers.is_some_and(|it| it.elements.len() == 1);
                entry.properties.len() == 1 && is_only_one
            }
            Entries::Handlers => true,
        };
        let is_ours_alone = is_alone && is_as_written(self.shape, handler);
        let text = entry_text(self.shape, wanted);
        if is_ours_alone && list.elements.len() == 1 && !self.may_have_remarks(list) {
            edits.replace(bounds(list), format!("[{text}]"));
        } else if is_ours_alone && !self.may_have_remarks(entry) {
            edits.replace(bounds(entry), text);
        } else {
            self.update_fields(handler, wanted, edits);
        }
    }

    fn may_have_remarks(&self, part: &impl Ranged) -> bool {
        let text = self.text.get(bounds(part)).unwrap_or_default();
        text.contains("//") || text.contains("/*")
    }

    fn update_fields(&self, handler: &Object<'_>, wanted: &Entry, edits: &mut Edits) {
        let fields = fields_of(self.shape, wanted);
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
        let mut parts = self.shape.handler.iter();
        let command = parts.find(|(_, part)| *part == Part::Command);
        if let Some(command) = command.and_then(|(name, _)| handler.get(name)) {
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
