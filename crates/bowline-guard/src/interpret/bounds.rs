//! How much text is made while a text is followed: how long each may become, and all of them together.
//!
//! Values can be doubled again and again, put into each other, and copied with every subshell. So each text that is made
//! or copied is paid for by its size. What is beyond a limit is unknown, and the whole is then said to be cut short: a
//! limit never makes a verdict milder.

use super::Interpreter;
use super::call::ExpandedCommand;
use super::scope::{Scope, Stay, Variable};
use super::value::{Content, Item, Output, marked};
use crate::invocation::{Directory, Opened, Value};
use crate::shell::MAX_LENGTH;

/// The longest text that is carried along. What is only handed on is never longer.
pub(super) const MAX_TEXT: usize = MAX_LENGTH;

/// Bytes of all texts that are made for one text, copies included.
pub(super) const MAX_MADE: usize = 2 * 1024 * 1024;

/// What a value costs beside its text.
const EACH: usize = 192;

/// The longest directory that is kept in mind, and the deepest: every command that runs there looks at all its folders.
const MAX_DIRECTORY: usize = 1024;
const MAX_FOLDERS: usize = 64;

/// The longest list of programs that a run is said to depend on.
const MAX_NAMED: usize = 16 * 1024;

/// A text would become longer than is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooLong;

/// A text with everything that is found in it replaced.
pub(super) fn replaced(text: &str, from: &str, to: &str) -> Result<String, TooLong> {
    // Only a longer text in its place makes the whole longer.
    if to.len() > from.len() {
        let found = text.matches(from).take(MAX_TEXT).count();
        let growth = found.saturating_mul(to.len() - from.len());
        if text.len().saturating_add(growth) > MAX_TEXT {
            return Err(TooLong);
        }
    }
    Ok(text.replace(from, to))
}

/// Adds those who have a part in a text; each is named once.
pub(super) fn add_sources<'s>(to: &mut Vec<String>, sources: impl IntoIterator<Item = &'s String>) {
    for source in sources {
        if !to.contains(source) {
            to.push(source.clone());
        }
    }
}

/// The directory with this path, unless it is too long or too deep to be kept in mind.
pub(super) fn directory(path: String) -> Directory {
    let folders = path.bytes().filter(|byte| *byte == b'/').count();
    if path.len() <= MAX_DIRECTORY && folders <= MAX_FOLDERS {
        Directory::Known(path)
    } else {
        Directory::Unknown
    }
}

/// How many bytes a copy takes, about.
pub(super) trait Size {
    fn size(&self) -> usize;
}

impl Size for [String] {
    fn size(&self) -> usize {
        self.iter().map(|text| EACH + text.len()).sum()
    }
}

impl Size for Value {
    fn size(&self) -> usize {
        EACH + marked(self).len()
    }
}

impl Size for Content {
    fn size(&self) -> usize {
        self.value.size() + self.sources.size()
    }
}

impl Size for [Content] {
    fn size(&self) -> usize {
        self.iter().map(Content::size).sum()
    }
}

impl Size for Output {
    fn size(&self) -> usize {
        self.text.len() + self.sources.size()
    }
}

impl Size for Item {
    fn size(&self) -> usize {
        let feed = self.feed.as_ref().map_or(0, Output::size);
        self.arg.source.len() + self.arg.value.size() + self.sources.size() + feed
    }
}

impl Size for [Item] {
    fn size(&self) -> usize {
        self.iter().map(Item::size).sum()
    }
}

impl Size for ExpandedCommand {
    fn size(&self) -> usize {
        let environment = self.environment.iter();
        let environment: usize = environment.map(|(_, value)| value.size()).sum();
        let file = |it: &Opened| it.file.source.len() + it.file.value.size();
        let opened: usize = self.opened.iter().map(file).sum();
        self.words.size() + environment + opened
    }
}

impl Size for Variable {
    fn size(&self) -> usize {
        match self {
            Self::One(content) => content.size(),
            Self::Many(contents) => contents.size(),
        }
    }
}

impl Size for Scope {
    fn size(&self) -> usize {
        let aliases = self.aliases.iter();
        self.variables.values().map(Variable::size).sum::<usize>()
            + aliases.map(|(_, text)| EACH + text.len()).sum::<usize>()
            + self.stack.len() * EACH
            + self.stay.as_ref().map_or(0, Size::size)
    }
}

impl Size for Stay {
    fn size(&self) -> usize {
        self.stack.len() * EACH
    }
}

impl Interpreter<'_> {
    /// Pays for texts that are made or copied; `false` when there would be too many of them.
    pub(super) fn make(&mut self, bytes: usize) -> bool {
        if let Some(left) = self.texts_left.checked_sub(bytes) {
            self.texts_left = left;
            true
        } else {
            self.texts_left = 0;
            self.cut_short("following all of it would take too much memory");
            // Whatever comes would be made of texts that are not there.
            self.steps_left = 0;
            false
        }
    }

    /// Notes that a text is not followed, because it would become too long. It is paid for: to find that out was work.
    pub(super) fn too_long(&mut self) {
        self.cut_short("a text becomes longer than is followed");
        self.make(MAX_TEXT);
    }

    /// Adds an output to another.
    pub(super) fn append(&mut self, to: &mut Output, other: Output) {
        self.make(other.size());
        if to.append(other).is_err() {
            self.too_long();
        }
    }

    /// Those who have a part in a text, as one text.
    pub(super) fn named(&mut self, sources: &[String]) -> String {
        let mut named = sources.join(" | ");
        if named.len() > MAX_NAMED {
            self.cut_short("more programs have a part in a text than are followed");
            let end = named.floor_char_boundary(MAX_NAMED);
            named.truncate(end);
        }
        named
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_replaced_beyond_the_limit() {
        assert_eq!(replaced("a-a", "a", "bb").as_deref(), Ok("bb-bb"));
        assert_eq!(replaced("aaa", "aa", "").as_deref(), Ok("a"));
        let long = "a".repeat(1024);
        assert_eq!(replaced(&long, "a", &long), Err(TooLong));
        assert_eq!(replaced(&long, "b", &long).as_ref(), Ok(&long));
        // The empty text is found around every character.
        assert_eq!(replaced(&long, "", &long), Err(TooLong));
    }

    #[test]
    fn a_source_is_named_once() {
        let mut sources = vec!["ls".to_owned()];
        add_sources(&mut sources, &["ls".to_owned(), "date".to_owned()]);
        assert_eq!(sources, ["ls", "date"]);
    }
}
