//! The description of a key: its name, its type, its default, who may set it, and its purpose.

use super::slot::{Put, Slot};
use super::value::Value;
use crate::event::fold;

/// A key, described once.
#[derive(Debug)]
pub(in crate::settings) struct Key {
    pub(in crate::settings) name: &'static str,
    /// One sentence for people.
    pub(in crate::settings) about: &'static str,
    pub(in crate::settings) kind: Kind,
    /// Where its value goes. Tables have none, nor have keys that the readers of hooks and rules ask for themselves.
    pub(super) slot: Option<&'static dyn Slot>,
    /// The default in words; `None` to use `Config::default()`.
    pub(super) default: Option<&'static str>,
    pub(super) who: Who,
    pub(super) need: Need,
    pub(super) complaints: Complaints,
    pub(super) together: Together,
    /// A value to begin with, as TOML, where the default is none: of values by name one entry, of tables by name a name.
    pub(super) example: Option<&'static str>,
}

/// Whose files a key counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    /// Everybody's. A project's say counts when the user trusts it, or when it only tightens.
    Everybody,
    /// The user's and the administrator's: it is about what all projects share.
    User,
    /// The administrator's alone.
    Administrator,
}

/// Whether a table can do without a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    Optional,
    Required,
}

/// Who says what is wrong with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Complaints {
    Here,
    /// The reader of hooks, which reads the key as well.
    WithHooks,
}

/// What becomes of the values of several files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Together {
    /// The strongest file's counts.
    Replaces,
    /// They add up.
    AddsUp,
}

/// What a key holds.
#[derive(Debug, Clone, Copy)]
pub(in crate::settings) enum Kind {
    Flag,
    Text,
    TextLike(&'static TextLike),
    /// A whole number above 0.
    Count,
    WholeNumber,
    Number,
    /// A number above 0.
    Seconds,
    /// Anything with keys.
    Object,
    Words(&'static WordList),
    List(&'static Kind),
    Map(&'static Map),
    AnyOf(&'static Union),
    Table(&'static Table),
}

/// A text of a certain form.
#[derive(Debug)]
pub(in crate::settings) struct TextLike {
    /// A regular expression, for the schema.
    pub(in crate::settings) pattern: &'static str,
    pub(in crate::settings) max_length: Option<usize>,
    /// What it is, for people.
    pub(in crate::settings) what: &'static str,
}

/// One of a few words.
#[derive(Debug)]
pub(in crate::settings) struct WordList {
    /// What the schema calls it.
    pub(in crate::settings) name: &'static str,
    pub(in crate::settings) about: &'static str,
    pub(in crate::settings) words: fn() -> Vec<&'static str>,
}

/// Values by names that the file chooses, or that are given.
#[derive(Debug)]
pub(in crate::settings) struct Map {
    /// Its name in the schema, if it is used more than once.
    pub(in crate::settings) name: Option<&'static str>,
    pub(in crate::settings) about: &'static str,
    /// What a name stands for, in `[guard.agents.NAME]`.
    pub(in crate::settings) key: &'static str,
    /// The names that are known.
    pub(in crate::settings) names: fn() -> Vec<&'static str>,
    pub(in crate::settings) others: Unknown,
    pub(in crate::settings) of: Kind,
}

/// Either of several kinds.
#[derive(Debug)]
pub(in crate::settings) struct Union {
    /// What the schema calls it.
    pub(in crate::settings) name: &'static str,
    pub(in crate::settings) about: &'static str,
    pub(in crate::settings) of: &'static [Kind],
}

/// Keys that belong together.
#[derive(Debug)]
pub(in crate::settings) struct Table {
    /// What the schema calls it.
    pub(in crate::settings) name: &'static str,
    pub(in crate::settings) about: &'static str,
    pub(in crate::settings) keys: &'static [Key],
    pub(in crate::settings) others: Unknown,
}

/// How the schema treats unknown keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::settings) enum Unknown {
    Fine,
    Wrong,
}

impl Key {
    pub(in crate::settings) const fn new(
        name: &'static str,
        about: &'static str,
        kind: Kind,
    ) -> Self {
        Self {
            name,
            about,
            kind,
            slot: None,
            default: None,
            who: Who::Everybody,
            need: Need::Optional,
            complaints: Complaints::Here,
            together: Together::Replaces,
            example: None,
        }
    }

    /// A key with one value, whose type says how it is read.
    pub(super) const fn setting<T: Value>(
        name: &'static str,
        about: &'static str,
        put: &'static Put<T>,
    ) -> Self {
        let mut key = Self::new(name, about, T::KIND);
        key.slot = Some(put);
        key
    }

    /// Values by name; `about` says what they are for, `map` what they are.
    pub(super) const fn settings<T: Value>(
        name: &'static str,
        about: &'static str,
        map: &'static Map,
        put: &'static Put<T>,
    ) -> Self {
        let mut key = Self::new(name, about, Kind::Map(map));
        key.slot = Some(put);
        key
    }

    pub(super) const fn by(mut self, who: Who) -> Self {
        self.who = who;
        self
    }

    /// The default.
    pub(in crate::settings) const fn default(mut self, words: &'static str) -> Self {
        self.default = Some(words);
        self
    }

    /// A value to begin with.
    pub(super) const fn example(mut self, toml: &'static str) -> Self {
        self.example = Some(toml);
        self
    }

    /// The values of all files count.
    pub(super) const fn adding_up(mut self) -> Self {
        self.together = Together::AddsUp;
        self
    }

    pub(in crate::settings) const fn required(mut self) -> Self {
        self.need = Need::Required;
        self
    }

    pub(super) const fn read_with_hooks(mut self) -> Self {
        self.complaints = Complaints::WithHooks;
        self
    }
}

impl Table {
    /// The key of this name, in any casing.
    pub(super) fn key(&self, name: &str) -> Option<&'static Key> {
        let folded = fold(name);
        self.keys.iter().find(|key| fold(key.name) == folded)
    }

    pub(in crate::settings) fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).collect()
    }
}

/// Any name is valid.
pub(in crate::settings) fn any_name() -> Vec<&'static str> {
    Vec::new()
}
