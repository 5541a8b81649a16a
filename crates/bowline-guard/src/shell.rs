//! Splits shell text into the simple commands that it would run.
//!
//! `shuck-parser` reads the structure of commands; words are read again from their own text, and the text of
//! every substitution is read as a unit of its own, so that nothing which that parser drops in silence is taken for
//! understood. Its types never leave this module.

pub(crate) mod build;
pub(crate) mod costs;
mod documents;
pub(crate) mod hidden;
mod limits;
pub(crate) mod parts;
mod plain;
mod quoting;
mod reader;
pub(crate) mod tree;
mod walk;
mod word;

use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};

pub use limits::MAX_LENGTH;

/// What a shell text would run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShellLine {
    /// The simple commands in the order of the text, wherever they stand: in pipelines, loops, functions,
    /// substitutions. When the text was not understood, those that were found all the same.
    pub commands: Vec<SimpleCommand>,
    /// The redirections of compound commands, such as `{ …; } > file`.
    pub redirects: Vec<Redirect>,
    /// How far the text was understood.
    pub understanding: Understanding,
}

impl ShellLine {
    /// Whether every command of the text is known to be in the list.
    pub fn is_clean(&self) -> bool {
        self.understanding == Understanding::Clean
    }
}

/// How far a text was understood. Anything but clean must never be a reason to allow.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Understanding {
    /// Entirely.
    Clean,
    /// Only in part: something was skipped, or cannot be seen through.
    Partial {
        /// What, for people.
        problems: Vec<String>,
    },
    /// Not at all.
    Failed {
        /// Why, for people.
        reason: String,
    },
}

/// Assignments, words and redirections, without operators. Without words it only assigns or redirects.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SimpleCommand {
    /// `NAME=value` before the first word.
    pub assignments: Vec<Assignment>,
    /// The command's name and its arguments.
    pub words: Vec<Word>,
    /// The redirections.
    pub redirects: Vec<Redirect>,
    /// Where it stands.
    pub context: CommandContext,
    /// Where it stands in the text, in bytes. Commands in backticks with escapes carry the range of the backticks.
    pub span: Range<usize>,
}

impl SimpleCommand {
    /// The command's name, where it is known before the shell runs.
    pub fn name(&self) -> Option<&str> {
        self.words.first()?.literal.as_deref()
    }
}

/// A word as written, and its value as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Word {
    /// As written.
    pub source: String,
    /// The value after quotes are removed; `None` when only running the shell tells it. Of a pattern, the pattern.
    pub literal: Option<String>,
    /// What the shell still makes of it.
    pub expansion: Expansion,
}

/// What the shell makes of a word after its quotes are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Expansion {
    /// Nothing.
    None,
    /// Other words: it has a glob, braces or a tilde.
    Pattern,
    /// Anything: it has variables or substitutions.
    Dynamic,
}

/// `NAME=value` before a command.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// The value; `None` for an array.
    pub value: Option<Word>,
}

/// A redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Redirect {
    /// What it does.
    pub operator: RedirectOperator,
    /// The descriptor before the operator.
    pub descriptor: Option<i32>,
    /// Where to or from.
    pub target: RedirectTarget,
}

/// The operator of a redirection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RedirectOperator {
    /// `>`
    Write,
    /// `>|`
    Clobber,
    /// `>>`
    Append,
    /// `<`
    Read,
    /// `<>`
    ReadWrite,
    /// `<<` and `<<-`
    HereDocument,
    /// `<<<`
    HereString,
    /// `>&`
    DuplicateOutput,
    /// `<&`
    DuplicateInput,
    /// `&>` and `&>>`
    WriteBoth,
}

/// Where a redirection goes to or comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RedirectTarget {
    /// A file, a descriptor or a here-string.
    Word(Word),
    /// The text of a here-document, as written.
    HereDocument {
        /// The text.
        body: String,
        /// Whether the shell expands it: its delimiter is not quoted.
        expanded: bool,
    },
}

/// Where a command stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandContext {
    /// What decides when it runs and where its output goes.
    pub construct: Construct,
    /// In how many constructs it is: groups, loops, functions, substitutions.
    pub depth: usize,
}

/// The innermost construct around a command that decides when it runs and where its output goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Construct {
    /// None: it runs with the text.
    TopLevel,
    /// A function's body, which runs when the function is called.
    Function,
    /// `$( )` or backticks.
    Substitution,
    /// `<( )` or `>( )`.
    ProcessSubstitution,
}

/// Reads shell text (bash). Never panics, and its work is bounded by the size of the text.
///
/// ```
/// let line = bowline_guard::shell::parse("cd /tmp && FOO=1 ls \"$(pwd)\"");
/// let names: Vec<_> = line.commands.iter().filter_map(|command| command.name()).collect();
/// assert_eq!(names, ["cd", "ls", "pwd"]);
/// assert!(line.is_clean());
/// ```
pub fn parse(text: &str) -> ShellLine {
    unless_it_panics(|| reader::read(text)).unwrap_or_else(|understanding| ShellLine {
        commands: Vec::new(),
        redirects: Vec::new(),
        understanding,
    })
}

/// The parser is not ours, and some texts make it panic: such a text is not understood.
pub(crate) fn unless_it_panics<T>(read: impl FnOnce() -> T) -> Result<T, Understanding> {
    panic::catch_unwind(AssertUnwindSafe(read)).map_err(|_| Understanding::Failed {
        reason: "it cannot be parsed".to_owned(),
    })
}

#[cfg(test)]
mod tests;
