//! Puts entries into hooks of JSON files and takes them out, with comments, order, indentation and everybody else's entries left
//! as they are. What is special about an agent's file is its shape. An entry takes one line.

mod document;
mod handler;
mod list;
mod shape;
mod shapes;
pub(super) mod splice;
mod status_line;

use super::installable::EventFilter;
use super::{Entry, Found, Shadowed, Unfit};
use document::{Document, Kept, Ours, Standing};
use shape::Shape;
use splice::Edits;

pub(super) use shapes::*;

pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

/// The form of a file in this shape.
macro_rules! form {
    ($shape:expr) => {
        SettingsForm {
            install: |text, entries, never| $shape.install(text, entries, never),
            uninstall: |text, is_meant, before| $shape.take_out(text, is_meant, before),
            found: |text| $shape.found(text),
            shadowed: |text| $shape.shadowed(text),
            is_blank,
            kind: FileKind::Settings,
            has_timeouts: $shape.has_timeouts(),
            status_line: None,
        }
    };
}
use form;

impl Shape {
    /// Puts the entries in: new ones beside what is there, older ones of ours in their place. Ours is taken away from the
    /// events in `never`.
    fn install(
        &'static self,
        text: &str,
        entries: &[Entry],
        never: &[&str],
    ) -> Result<String, Unfit> {
        let is_event = |event: &str| entries.iter().any(|it| it.event == event);
        Document::parse(self, body(text))?.check(is_event)?;
        let whole_of = |ours: &Ours, entry: &Entry| {
            let is_all = ours.found.matcher.is_none() && ours.standing == Standing::Read;
            ours.found.entry.event == entry.event && is_all
        };
        // The first at an event is brought up to date.
        let text = self.edited(text, |document, ours, edits| {
            for entry in entries {
                let first = ours.iter().find(|it| whole_of(it, entry));
                if let Some(first) = first.filter(|it| it.found.entry != *entry) {
                    document.update(first, entry, edits);
                }
            }
        })?;
        // Others go. One under a matcher sees only a part of what happens, so that it goes in favour of one that sees all.
        let text = self.edited(&text, |document, ours, edits| {
            document.remove(ours, &Kept::default(), edits, |at, it| {
                let event = it.found.entry.event.as_str();
                let mut before = ours.iter().take(at);
                let is_wanted = entries.iter().any(|entry| {
                    whole_of(it, entry) && !before.any(|other| whole_of(other, entry))
                });
                never.contains(&event) || is_event(event) && !is_wanted
            });
        })?;
        if entries.is_empty() {
            return Ok(text);
        }
        let text = self.edited(&text, |document, _, edits| document.add_required(edits))?;
        self.edited(&text, |document, ours, edits| {
            let is_there = |entry: &&Entry| ours.iter().any(|it| whole_of(it, entry));
            let new: Vec<_> = entries.iter().filter(|entry| !is_there(entry)).collect();
            document.add(&new, edits);
        })
    }

    /// Takes every entry of ours out of the events that `is_meant`, with the groups, events and the object that are
    /// empty then, unless they were there `before`.
    fn take_out(
        &'static self,
        text: &str,
        is_meant: EventFilter<'_>,
        before: &str,
    ) -> Result<String, Unfit> {
        let kept = Document::parse(self, body(before)).map(|it| it.kept());
        // What cannot be read says nothing.
        let kept = kept.unwrap_or_default();
        // Also where the agent does not look: a key of events that another one comes after.
        let count = Document::parse(self, body(text))?.times_of_key();
        let mut text = text.to_owned();
        for from_the_end in (0..count.max(1)).rev() {
            text = self.edited_at(from_the_end, &text, |document, ours, edits| {
                document.remove(ours, &kept, edits, |_, it| is_meant(&it.found.entry.event));
            })?;
        }
        Ok(text)
    }

    /// What starts Bowline.
    fn found(&'static self, text: &str) -> Result<Vec<Found>, Unfit> {
        let ours = Document::parse(self, body(text))?.ours()?;
        let read = ours.into_iter().filter(|it| it.standing == Standing::Read);
        Ok(read.map(|it| it.found).collect())
    }

    /// Entries that the agent does not read, because the same key follows again. The last one counts.
    fn shadowed(&'static self, text: &str) -> Result<Vec<Shadowed>, Unfit> {
        Ok(Document::parse(self, body(text))?.shadowed())
    }

    /// The text after some changes to it.
    fn edited(
        &'static self,
        text: &str,
        change: impl FnOnce(&Document<'_>, &[Ours], &mut Edits),
    ) -> Result<String, Unfit> {
        self.edited_at(0, text, change)
    }

    /// As [`Shape::edited`], for another key of events than the last one.
    fn edited_at(
        &'static self,
        from_the_end: usize,
        text: &str,
        change: impl FnOnce(&Document<'_>, &[Ours], &mut Edits),
    ) -> Result<String, Unfit> {
        let body = body(text);
        let document = Document::parse(self, body)?.with_key(from_the_end);
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
}

fn body(text: &str) -> &str {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// Whether a file says nothing at all.
fn is_blank(text: &str) -> bool {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    text.chars().filter(|c| !c.is_whitespace()).eq("{}".chars()) || text.trim().is_empty()
}

#[cfg(test)]
mod tests;
