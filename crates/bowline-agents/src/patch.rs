//! Patches in the form that `apply_patch` takes: several files in one text.
//!
//! ```text
//! *** Begin Patch
//! *** Add File: new.txt
//! +its first line
//! *** Update File: old.txt
//! *** Move to: moved.txt
//! @@ fn main
//!  context
//! -before
//! +after
//! *** End of File
//! *** Delete File: gone.txt
//! *** End Patch
//! ```
//!
//! A text that is not understood is never read in part: [`Unread`] says so, and names every file that it mentions.

mod calls;

use std::fmt;

use crate::parts::MAX_PARTS;

pub(crate) use calls::{calls, tell_in_unknown_tool};

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ENVIRONMENT: &str = "*** Environment ID: ";
const ADD: &str = "*** Add File: ";
const UPDATE: &str = "*** Update File: ";
const DELETE: &str = "*** Delete File: ";
const MOVE: &str = "*** Move to: ";
const END_OF_FILE: &str = "*** End of File";

/// Everything that begins a line which names a file.
const NAMING: [&str; 4] = [ADD, UPDATE, DELETE, MOVE];

/// What a patch does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange<'t> {
    /// Writes a file, also over one that is there.
    Add {
        /// As it is written in the patch.
        path: &'t str,
        /// All of the file.
        content: String,
    },
    /// Changes a file, and may give it another name.
    Update {
        /// As it is written in the patch.
        path: &'t str,
        /// The name that it gets.
        to: Option<&'t str>,
        /// The lines that have to be there: those of all places that are changed, one after another.
        old: String,
        /// The lines that are there afterwards.
        new: String,
    },
    /// Deletes a file.
    Delete {
        /// As it is written in the patch.
        path: &'t str,
    },
}

/// A text that cannot be read as a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread<'t> {
    /// The line that is not understood, from 1.
    pub line: usize,
    /// What was expected there.
    pub expected: &'static str,
    /// The files that the text mentions where a patch names files. More than [`MAX_PARTS`] are too many.
    pub files: Vec<&'t str>,
}

impl fmt::Display for Unread<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, expected, .. } = self;
        write!(f, "line {line} of the patch is not {expected}")
    }
}

impl std::error::Error for Unread<'_> {}

/// What a patch does to files, in its order.
pub fn parse(text: &str) -> Result<Vec<FileChange<'_>>, Unread<'_>> {
    Reader::of(text).read().map_err(|stop| Unread {
        line: stop.line,
        expected: stop.expected,
        files: mentioned(text),
    })
}

/// The files that a text mentions where a patch names files, however it is indented, up to as many as are looked at.
fn mentioned(text: &str) -> Vec<&str> {
    let mut files = Vec::new();
    for line in text.lines() {
        if files.len() > MAX_PARTS {
            break;
        }
        let named = NAMING.iter().find_map(|it| named_by(line, it));
        if let Some(file) = named.filter(|file| !files.contains(file)) {
            files.push(file);
        }
    }
    files
}

/// The file that a line names after this beginning, whether or not the line is indented.
fn named_by<'t>(line: &'t str, beginning: &str) -> Option<&'t str> {
    let file = line.trim().strip_prefix(beginning.trim_end())?.trim();
    (!file.is_empty()).then_some(file)
}

/// Where reading ended.
struct Stop {
    line: usize,
    expected: &'static str,
}

struct Reader<'t> {
    lines: Vec<&'t str>,
    /// The next line, from 0.
    at: usize,
    /// How many lines of the text come before the first.
    before: usize,
}

impl<'t> Reader<'t> {
    /// Blank lines around a patch do not count, nor does a here-document around it.
    fn of(text: &'t str) -> Self {
        let blank = text.len() - text.trim_start().len();
        let mut before = text.get(..blank).unwrap_or_default().lines().count();
        let mut lines: Vec<&str> = text.trim().lines().collect();
        let opens = |line: &str| matches!(line.trim(), "<<EOF" | "<<'EOF'" | "<<\"EOF\"");
        if let [first, .., last] = lines.as_slice()
            && opens(first)
            && last.trim() == "EOF"
        {
            lines.pop();
            lines.remove(0);
            before += 1;
        }
        Self {
            lines,
            at: 0,
            before,
        }
    }

    fn peek(&self) -> Option<&'t str> {
        self.lines.get(self.at).copied()
    }

    /// The next line after this beginning, if it has it; it is read then.
    fn take(&mut self, beginning: &str) -> Option<&'t str> {
        let rest = self.peek()?.trim().strip_prefix(beginning)?;
        self.at += 1;
        Some(rest)
    }

    fn stop(&self, expected: &'static str) -> Stop {
        Stop {
            line: self.before + self.at + 1,
            expected,
        }
    }

    fn read(mut self) -> Result<Vec<FileChange<'t>>, Stop> {
        if self.peek().map(str::trim) != Some(BEGIN) {
            return Err(self.stop("`*** Begin Patch`"));
        }
        self.at += 1;
        self.take(ENVIRONMENT);
        let mut changes = Vec::new();
        while self.peek().map(str::trim) != Some(END) {
            changes.push(self.change()?);
        }
        self.at += 1;
        match self.peek() {
            None if changes.is_empty() => Err(self.stop("a change of a file")),
            None => Ok(changes),
            Some(_) => Err(self.stop("the end of the text")),
        }
    }

    fn change(&mut self) -> Result<FileChange<'t>, Stop> {
        if let Some(path) = self.take(ADD) {
            return Ok(FileChange::Add {
                path,
                content: self.added(),
            });
        }
        if let Some(path) = self.take(DELETE) {
            return Ok(FileChange::Delete { path });
        }
        match self.take(UPDATE) {
            Some(path) => self.update(path),
            None => Err(self.stop(
                "`*** Add File: `, `*** Update File: `, `*** Delete File: ` or `*** End Patch`",
            )),
        }
    }

    fn added(&mut self) -> String {
        let mut content = String::new();
        while let Some(line) = self.peek().and_then(|line| line.strip_prefix('+')) {
            content.push_str(line);
            content.push('\n');
            self.at += 1;
        }
        content
    }

    fn update(&mut self, path: &'t str) -> Result<FileChange<'t>, Stop> {
        let to = self.take(MOVE);
        let (mut old, mut new) = (Vec::new(), Vec::new());
        let before = self.at;
        while let Some(line) = self.peek() {
            let text = line.get(1..).unwrap_or_default();
            match line.chars().next() {
                Some('+') => new.push(text),
                Some('-') => old.push(text),
                // What `apply_patch` takes for the beginning of the next file depends on what came before.
                Some(' ') if NAMING.iter().any(|it| named_by(line, it).is_some()) => {
                    return Err(self.stop("a line of the file, because it names one"));
                }
                Some(' ') | None => {
                    old.push(text);
                    new.push(text);
                }
                Some('@') if line == "@@" || line.starts_with("@@ ") => {}
                Some(_) if line == END_OF_FILE => {}
                Some('*') if line.starts_with("***") => break,
                Some(_) => {
                    return Err(self.stop("a line that begins with `+`, `-`, a space or `@@`"));
                }
            }
            self.at += 1;
        }
        if self.at == before && to.is_none() {
            return Err(self.stop("a line that begins with `+`, `-`, a space or `@@`"));
        }
        Ok(FileChange::Update {
            path,
            to,
            old: old.join("\n"),
            new: new.join("\n"),
        })
    }
}

#[cfg(test)]
mod tests;
