//! Puts entries into a TOML file as tables `[[hooks]]` of their own and takes them out, with everything else left as it is, byte for byte.

use std::ops::Range;

use toml_edit::{Document, Item, TableLike};

use super::edit::BYTE_ORDER_MARK;
use super::edit::splice::Edits;
use super::installable::{EventFilter, FileKind, SettingsForm};
use super::{Entry, Found, Unfit};
use bowline_daemon::registration::starts_bowline;

/// The form of Kimi's `config.toml`.
pub(super) const KIMI_TOML: SettingsForm = SettingsForm {
    kind: FileKind::Settings,
    install,
    uninstall: |text, is_meant, _| uninstall(text, is_meant),
    found: |text| Ok(Tables::read(text)?.ours().map(|it| it.found).collect()),
    // A key that comes twice is no TOML.
    shadowed: |text| Tables::read(text).map(|_| Vec::new()),
    is_blank: |text| body(text).trim().is_empty(),
    has_timeouts: true,
    status_line: None,
};

/// The key of the tables.
const HOOKS: &str = "hooks";

/// Puts the entries in: new ones at the end, older ones of ours in their place. Ours is taken away from the events in `never`.
fn install(text: &str, entries: &[Entry], never: &[&str]) -> Result<String, Unfit> {
    let tables = Tables::read(text)?;
    let mut edits = Edits::default();
    let mut is_there = vec![false; entries.len()];
    for ours in tables.ours() {
        let event = ours.found.entry.event.as_str();
        let at = entries.iter().position(|it| it.event == event);
        let found = at.and_then(|at| Some((entries.get(at)?, is_there.get_mut(at)?)));
        match found {
            // One under a matcher sees only a part of what happens, so that it goes in favour of one that sees all.
            Some((entry, is_there)) if !*is_there && ours.found.matcher.is_none() => {
                *is_there = true;
                if ours.found.entry != *entry {
                    tables.update(&ours, entry, &mut edits)?;
                }
            }
            Some(_) => tables.remove(&ours, &mut edits)?,
            None if never.contains(&event) => tables.remove(&ours, &mut edits)?,
            None => {}
        }
    }
    let new = entries.iter().zip(is_there);
    let new: Vec<&Entry> = new
        .filter_map(|(it, is_there)| (!is_there).then_some(it))
        .collect();
    if !new.is_empty() && tables.is_list {
        // A list with nothing in it says as much as no list.
        let lines = tables.empty_list().ok_or_else(|| tables.is_a_list())?;
        edits.remove(lines);
    }
    let kept = tables.edited(edits);
    Ok(tables.finished(appended(kept, &new, tables.newline())))
}

/// Takes every table of ours out of the events that `is_meant`.
fn uninstall(text: &str, is_meant: EventFilter<'_>) -> Result<String, Unfit> {
    let tables = Tables::read(text)?;
    let mut edits = Edits::default();
    for ours in tables.ours() {
        if is_meant(&ours.found.entry.event) {
            tables.remove(&ours, &mut edits)?;
        }
    }
    let kept = tables.edited(edits);
    Ok(tables.finished(kept))
}

fn body(text: &str) -> &str {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// One table of hooks, by its places in the text.
pub(super) struct Hook<'d> {
    fields: &'d dyn TableLike,
    /// The header, of a table that is not written in a list.
    header: Option<Range<usize>>,
    /// The first line, from 1.
    pub(super) line: usize,
}

/// A hook of ours.
struct Ours {
    found: Found,
    /// All of its lines; nothing in a list.
    block: Option<Range<usize>>,
    command: Range<usize>,
    timeout: Option<Range<usize>>,
}

/// A TOML file with its hooks.
pub(super) struct Tables<'a> {
    text: &'a str,
    document: Document<&'a str>,
    /// The hooks are written as `hooks = [{…}]`.
    is_list: bool,
}

impl<'a> Tables<'a> {
    pub(super) fn read(text: &'a str) -> Result<Self, Unfit> {
        let body = body(text);
        let document = Document::parse(body).map_err(|error| Unfit {
            line: line_of(body, error.span().map_or(0, |it| it.start)),
            message: format!("not valid TOML: {}", error.message()),
        })?;
        let mut tables = Self {
            text,
            document,
            is_list: false,
        };
        match tables.document.as_table().get(HOOKS) {
            None | Some(Item::ArrayOfTables(_)) => {}
            Some(item) if item.is_array() => tables.is_list = true,
            Some(item) => {
                return Err(Unfit {
                    line: line_of(body, item.span().map_or(0, |it| it.start)),
                    message: format!(
                        "`{HOOKS}` is {}; expected tables `[[{HOOKS}]]`",
                        item.type_name()
                    ),
                });
            }
        }
        Ok(tables)
    }

    fn body(&self) -> &'a str {
        body(self.text)
    }

    fn newline(&self) -> &'static str {
        if self.text.contains("\r\n") {
            "\r\n"
        } else {
            "\n"
        }
    }

    /// Every hook, in the order of the file.
    pub(super) fn hooks(&self) -> Vec<Hook<'_>> {
        let Some(item) = self.document.as_table().get(HOOKS) else {
            return Vec::new();
        };
        let tables = item.as_array_of_tables().into_iter().flatten();
        let tables = tables.map(|table| (table as &dyn TableLike, table.span(), true));
        let list = item.as_array().into_iter().flatten();
        let list = list.filter_map(|value| Some((value.as_inline_table()?, value.span())));
        let list = list.map(|(table, span)| (table as &dyn TableLike, span, false));
        let all = tables.chain(list).map(|(fields, span, has_header)| Hook {
            fields,
            line: line_of(self.body(), span.as_ref().map_or(0, |it| it.start)),
            header: span.filter(|_| has_header),
        });
        all.collect()
    }

    /// Those that start Bowline.
    fn ours(&self) -> impl Iterator<Item = Ours> {
        let hooks = self.hooks().into_iter();
        hooks
            .filter_map(|hook| self.ours_in(&hook))
            .collect::<Vec<_>>()
            .into_iter()
    }

    fn ours_in(&self, hook: &Hook<'_>) -> Option<Ours> {
        let text = |name: &str| hook.fields.get(name)?.as_str();
        let span = |name: &str| hook.fields.get(name)?.span();
        let command = text("command")?;
        if !starts_bowline(command, None) {
            return None;
        }
        let timeout = hook.fields.get("timeout").and_then(Item::as_integer);
        Some(Ours {
            found: Found {
                entry: Entry {
                    event: text("event")?.to_owned(),
                    command: command.to_owned(),
                    args: None,
                    timeout: timeout.and_then(|it| u32::try_from(it).ok()),
                    blocks_on_failure: false,
                },
                matcher: text("matcher")
                    .filter(|it| !it.is_empty())
                    .map(str::to_owned),
            },
            block: self.block(hook),
            command: span("command")?,
            timeout: span("timeout"),
        })
    }

    /// The lines of a table, from its header to its last value.
    fn block(&self, hook: &Hook<'_>) -> Option<Range<usize>> {
        let header = hook.header.clone()?;
        let values = hook.fields.iter().filter_map(|(_, value)| value.span());
        let last = values.map(|it| it.end).fold(header.end, usize::max);
        Some(self.line_start(header.start)..self.line_end(last))
    }

    fn line_start(&self, at: usize) -> usize {
        let before = self.body().get(..at).unwrap_or_default();
        before.rfind('\n').map_or(0, |it| it + 1)
    }

    /// After the line's end.
    fn line_end(&self, at: usize) -> usize {
        let after = self.body().get(at..).unwrap_or_default();
        after.find('\n').map_or(self.body().len(), |it| at + it + 1)
    }

    /// Writes other values into a hook of ours.
    fn update(&self, ours: &Ours, entry: &Entry, edits: &mut Edits) -> Result<(), Unfit> {
        if self.is_list {
            return Err(self.is_a_list());
        }
        if ours.found.entry.command != entry.command {
            edits.replace(ours.command.clone(), value(&entry.command));
        }
        match (&ours.timeout, entry.timeout) {
            _ if ours.found.entry.timeout == entry.timeout => {}
            (Some(place), Some(seconds)) => edits.replace(place.clone(), seconds.to_string()),
            (Some(place), None) => {
                edits.remove(self.line_start(place.start)..self.line_end(place.end));
            }
            (None, Some(seconds)) => {
                let before = self.line_start(ours.command.start);
                edits.insert(before, format!("timeout = {seconds}{}", self.newline()));
            }
            (None, None) => {}
        }
        Ok(())
    }

    /// Takes a hook of ours out, with the blank line before it.
    fn remove(&self, ours: &Ours, edits: &mut Edits) -> Result<(), Unfit> {
        let Some(block) = ours.block.clone() else {
            return Err(self.is_a_list());
        };
        let newline = self.newline();
        let before = self.body().get(..block.start).unwrap_or_default();
        let has_blank = before
            .strip_suffix(newline)
            .is_some_and(|it| it.ends_with('\n'));
        let start = if has_blank {
            block.start - newline.len()
        } else {
            block.start
        };
        edits.remove(start..block.end);
        Ok(())
    }

    fn edited(&self, edits: Edits) -> String {
        let body = self.body();
        let edited = edits.apply(body);
        // What was written after a file without a newline at its end brought one along.
        let had_end = body.is_empty() || body.ends_with('\n');
        let is_shorter = edited.len() < body.len();
        match edited.strip_suffix(self.newline()) {
            Some(without) if !had_end && is_shorter => without.to_owned(),
            _ => edited,
        }
    }

    /// With the mark that editors put there and expect back.
    fn finished(&self, body: String) -> String {
        if self.text.starts_with(BYTE_ORDER_MARK) {
            format!("{BYTE_ORDER_MARK}{body}")
        } else {
            body
        }
    }

    /// The lines of a list in which nothing stands, not even a comment.
    fn empty_list(&self) -> Option<Range<usize>> {
        let list = self.document.as_table().get(HOOKS)?;
        let place = list
            .as_array()
            .filter(|it| it.is_empty())
            .and(list.span())?;
        let lines = self.line_start(place.start)..self.line_end(place.end);
        let has_comment = self.body().get(lines.clone())?.contains('#');
        (!has_comment).then_some(lines)
    }

    fn is_a_list(&self) -> Unfit {
        let list = self.document.as_table().get(HOOKS);
        let at = list.and_then(Item::span).map_or(0, |it| it.start);
        Unfit {
            line: line_of(self.body(), at),
            message: format!(
                "`{HOOKS}` is written as a list; write each of its items as a table `[[{HOOKS}]]`, which means the same"
            ),
        }
    }
}

impl Hook<'_> {
    /// The fields, by name.
    pub(super) fn fields(&self) -> impl Iterator<Item = (&str, &Item)> {
        self.fields.iter()
    }

    pub(super) fn field(&self, name: &str) -> Option<&Item> {
        self.fields.get(name)
    }
}

fn line_of(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    before.matches('\n').count() + 1
}

fn value(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

/// The text with tables for these entries after it, each after a blank line.
fn appended(mut text: String, entries: &[&Entry], newline: &str) -> String {
    let had_end = text.is_empty() || text.ends_with('\n');
    if !had_end {
        text.push_str(newline);
    }
    for entry in entries {
        if !text.is_empty() {
            text.push_str(newline);
        }
        let mut lines = vec![
            format!("[[{HOOKS}]]"),
            format!("event = {}", value(&entry.event)),
            format!("command = {}", value(&entry.command)),
        ];
        lines.extend(entry.timeout.map(|it| format!("timeout = {it}")));
        for line in lines {
            text.push_str(&line);
            text.push_str(newline);
        }
    }
    match text.strip_suffix(newline) {
        Some(without) if !had_end => without.to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests;
