//! How hooks stand in a settings file: all that one agent's JSON has otherwise than another's.

use jsonc_parser::ast::{Object, ObjectProp};

/// How hooks stand in a settings file.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) events: Events,
    pub(super) entries: Entries,
    /// What a new handler consists of, in this order.
    pub(super) handler: &'static [(&'static str, Part)],
    /// The keys beside the events that are none.
    pub(super) switches: &'static [&'static str],
    /// What the file must say beside its hooks.
    pub(super) required: &'static [(&'static str, Value)],
}

/// Where the events are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Events {
    /// In the object under this key.
    Under(&'static str),
    AtTopLevel,
}

/// What an event's list holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entries {
    /// Groups of handlers: `{"matcher": …, "hooks": [HANDLER]}`.
    Groups,
    /// Handlers.
    Handlers,
}

/// What a field of a handler says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The program, or the line for the shell. Every shape has it.
    Command,
    /// The program's arguments.
    Arguments,
    Timeout(Unit),
    /// This, if the agent is to block when the hook cannot run; otherwise the field is absent.
    OnFailure(Value),
    /// Always this: a handler that says something else is of another kind.
    Kind(Value),
    /// This, unless a person has changed it.
    Usually(Value),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Seconds,
    Milliseconds,
}

/// A value that is the same for every entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    Text(&'static str),
    Number(&'static str),
    True,
}

impl Shape {
    /// Whether a handler says how long it may run.
    pub(super) const fn has_timeouts(&self) -> bool {
        let mut at = 0;
        while at < self.handler.len() {
            #[expect(
                clippy::indexing_slicing,
                reason = "within bounds; a const has no iterator"
            )]
            if matches!(self.handler[at].1, Part::Timeout(_)) {
                return true;
            }
            at += 1;
        }
        false
    }

    /// The key of the events, where they are not at the top level.
    pub(super) const fn key(&self) -> Option<&'static str> {
        match self.events {
            Events::Under(key) => Some(key),
            Events::AtTopLevel => None,
        }
    }

    /// How deep the events stand.
    pub(super) const fn depth(&self) -> usize {
        match self.events {
            Events::Under(_) => 2,
            Events::AtTopLevel => 1,
        }
    }

    /// The handlers of an entry with their places in it.
    pub(super) fn handlers<'a, 'b>(&self, entry: &'b Object<'a>) -> Vec<(usize, &'b Object<'a>)> {
        match self.entries {
            Entries::Groups => {
                let handlers = entry.get_array("hooks").into_iter();
                handlers.flat_map(super::document::objects).collect()
            }
            Entries::Handlers => vec![(0, entry)],
        }
    }

    /// Whether the file must have this property, and has it as Bowline would write it.
    pub(super) fn requires(&self, property: &ObjectProp<'_>) -> bool {
        let mut required = self.required.iter();
        required.any(|(name, value)| *name == property.name.as_str() && value.is(&property.value))
    }
}

impl Unit {
    pub(super) fn of_seconds(self, seconds: u32) -> u64 {
        match self {
            Self::Seconds => seconds.into(),
            Self::Milliseconds => u64::from(seconds) * 1000,
        }
    }

    /// Whole seconds.
    pub(super) fn seconds(self, written: &str) -> Option<u32> {
        let number: u64 = written.parse().ok()?;
        let seconds = match self {
            Self::Seconds => number,
            Self::Milliseconds => number / 1000,
        };
        u32::try_from(seconds).ok()
    }
}

impl Value {
    pub(super) fn json(self) -> String {
        match self {
            Self::Text(text) => super::handler::json(text),
            Self::Number(number) => number.to_owned(),
            Self::True => "true".to_owned(),
        }
    }

    pub(super) fn is(self, value: &jsonc_parser::ast::Value<'_>) -> bool {
        use jsonc_parser::ast::Value as Json;
        match (self, value) {
            (Self::Text(text), Json::StringLit(literal)) => literal.value == text,
            (Self::Number(number), Json::NumberLit(literal)) => literal.value == number,
            (Self::True, Json::BooleanLit(literal)) => literal.value,
            _ => false,
        }
    }
}
