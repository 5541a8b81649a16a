//! A settings file, with the places of everything in it.

mod changes;

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::handler::{entry, text_of};
use super::list::List;
use super::shape::{Entries, Shape};
use super::{Entry, Found, Shadowed, Unfit};
use crate::agent_settings::kinds::described;

/// The indentation for a file that has none.
const INDENT: &str = "  ";

/// A handler of ours, by its places in the lists.
pub(super) struct Ours {
    pub(super) found: Found,
    pub(super) standing: Standing,
    event: usize,
    entry: usize,
    handler: usize,
}

/// Whether the agent gets to see something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Read,
    /// The same event comes again further down.
    Shadowed,
}

/// What stays in a file although nothing is in it any more.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// The keys at the top level.
    keys: Vec<String>,
    events: Vec<String>,
}

/// A settings file, with the places of everything in it.
pub(super) struct Document<'a> {
    shape: &'static Shape,
    text: &'a str,
    /// Nothing in a file without anything in it.
    pub(super) root: Option<Object<'a>>,
    /// Which key of the events is meant, where there are several: the agent reads the last one.
    from_the_end: usize,
}

impl<'a> Document<'a> {
    pub(super) fn parse(shape: &'static Shape, text: &'a str) -> Result<Self, Unfit> {
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
                shape,
                text,
                root: Some(root),
                from_the_end: 0,
            }),
            // A file without anything in it is as good as an empty object.
            None if text.trim().is_empty() => Ok(Self {
                shape,
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

    /// For another key of events than the last one.
    pub(super) fn with_key(self, from_the_end: usize) -> Self {
        Self {
            from_the_end,
            ..self
        }
    }

    /// What is wrong with a value.
    pub(super) fn unfit(&self, value: &Value<'_>, path: &str, expected: &str) -> Unfit {
        Unfit {
            line: self.line_of(value.range().start),
            message: format!("`{path}` is {}; expected {expected}", described(value)),
        }
    }

    /// From 1.
    fn line_of(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or_default();
        before.matches('\n').count() + 1
    }

    /// How often the key of the events comes.
    pub(super) fn times_of_key(&self) -> usize {
        self.all_of_key().count()
    }

    fn all_of_key(&self) -> impl DoubleEndedIterator<Item = &ObjectProp<'a>> {
        let properties = self.root.as_ref().map(|root| root.properties.as_slice());
        let properties = properties.unwrap_or_default().iter();
        properties.filter(|it| Some(it.name.as_str()) == self.shape.key())
    }

    /// The property with the events; nothing where they are at the top level.
    fn key(&self) -> Option<&ObjectProp<'a>> {
        self.all_of_key().rev().nth(self.from_the_end)
    }

    /// The object of the events.
    fn hooks(&self) -> Option<&Object<'a>> {
        match self.shape.key() {
            Some(_) => self.key()?.value.as_object(),
            None => self.root.as_ref(),
        }
    }

    /// Entries that the agent does not read, because the same key follows again. The last one counts.
    pub(super) fn shadowed(&self) -> Vec<Shadowed> {
        let key = self.shape.key().into_iter();
        let mut found: Vec<_> = key
            .flat_map(|key| self.all_shadowed(self.root.as_ref(), key))
            .collect();
        if let Some(hooks) = self.hooks() {
            let mut names: Vec<&str> = hooks.properties.iter().map(|it| it.name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            for name in names {
                found.extend(self.all_shadowed(Some(hooks), name));
            }
        }
        found.sort_by_key(|it| it.line);
        found
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

    /// The keys and events of this file, for one that had them from it.
    pub(super) fn kept(&self) -> Kept {
        let names = |object: Option<&Object<'a>>| {
            let properties = object.map(|it| it.properties.as_slice());
            let properties = properties.unwrap_or_default().iter();
            properties.map(|it| it.name.as_str().to_owned()).collect()
        };
        Kept {
            keys: names(self.root.as_ref()),
            events: names(self.hooks()),
        }
    }

    /// The events with their lists.
    fn events(&self) -> impl Iterator<Item = (&ObjectProp<'a>, &Array<'a>)> {
        let events = self.hooks().map(|hooks| hooks.properties.as_slice());
        let events = events.unwrap_or_default().iter();
        events.filter_map(|event| Some((event, event.value.as_array()?)))
    }

    /// Finds what stands where entries of these events would, and is none.
    pub(super) fn check(&self, is_meant: impl Fn(&str) -> bool) -> Result<(), Unfit> {
        let prefix = match self.key() {
            Some(key) if key.value.as_object().is_none() => {
                return Err(self.unfit(&key.value, key.name.as_str(), "an object of events"));
            }
            Some(key) => format!("{}.", key.name.as_str()),
            None => String::new(),
        };
        let events = self.hooks().map(|hooks| hooks.properties.as_slice());
        let mut events = events.unwrap_or_default().iter();
        let wrong = events.find(|it| is_meant(it.name.as_str()) && it.value.as_array().is_none());
        let Some(wrong) = wrong else {
            return Ok(());
        };
        let expected = match self.shape.entries {
            Entries::Groups => "a list of groups",
            Entries::Handlers => "a list of hooks",
        };
        let path = format!("{prefix}{}", wrong.name.as_str());
        Err(self.unfit(&wrong.value, &path, expected))
    }

    /// Every handler of ours, in the order of the file.
    pub(super) fn ours(&self) -> Result<Vec<Ours>, Unfit> {
        // At the top level there may be other keys than events.
        self.check(|name| self.shape.key().is_some() && !self.shape.switches.contains(&name))?;
        let mut ours = Vec::new();
        for (event, (property, list)) in self.events().enumerate() {
            // Something that is not an object is not ours.
            for (at, object) in objects(list) {
                for (handler, fields) in self.shape.handlers(object) {
                    let Some(entry) = entry(self.shape, property.name.as_str(), fields) else {
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
                        entry: at,
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

    /// The list of an event that the agent reads.
    fn entries(&self, event: &str) -> Option<&Array<'a>> {
        let named = self
            .events()
            .filter(|(property, _)| property.name.as_str() == event);
        named.last().map(|(_, list)| list)
    }

    fn list(&self, list: &Array<'_>) -> List<'a> {
        let items = list.elements.iter().map(bounds).collect();
        List::new(self.text, bounds(list), items)
    }

    pub(super) fn properties(&self, object: &Object<'_>) -> List<'a> {
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
}

pub(super) fn bounds(part: &impl Ranged) -> Range<usize> {
    let range = part.range();
    range.start..range.end
}

/// The objects of a list, with their places.
pub(super) fn objects<'a, 'b>(
    list: &'b Array<'a>,
) -> impl Iterator<Item = (usize, &'b Object<'a>)> {
    let items = list.elements.iter().enumerate();
    items.filter_map(|(at, item)| Some((at, item.as_object()?)))
}
