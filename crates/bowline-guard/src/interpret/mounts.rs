//! What a new container sees of this machine: folders and volumes that it is given.

use super::At;
use super::Interpreter;
use super::known::{base, could_harm};
use super::options::texts_of;
use super::scope::Scope;
use super::value::{Content, Item, UNKNOWN};
use crate::invocation::{Directory, Value};
use crate::paths::{self, Shape};

/// Where engines keep volumes that have a name.
const VOLUMES: &str = "/var/lib/docker/volumes";

/// At most this many places of one container are followed.
const MAX_MOUNTS: usize = 16;

/// A place in a container that is really elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mount {
    /// The path in the container, without a slash at its end.
    inside: String,
    /// The path on this machine, with [`UNKNOWN`] for what is not known.
    outside: String,
}

/// What a container may do with a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

impl Access {
    /// What options with commas between them say.
    fn of(options: &str) -> Self {
        let reads_only = |it: &str| matches!(it, "readonly" | "ro" | "readonly=true" | "ro=true");
        if options.split(',').any(reads_only) {
            Self::Read
        } else {
            Self::Write
        }
    }
}

/// What a new container can reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reach {
    /// Nothing but itself.
    Itself,
    /// These places, too.
    Mounts(Vec<Mount>),
    /// What another container has.
    Unknown,
}

impl Interpreter<'_> {
    /// What the options of `docker run` give to the container for its command. What it can only read does not count
    /// for a command that could do more than read.
    pub(super) fn reach(&self, options: &[Item], command: &[Item], scope: &Scope) -> Reach {
        if !texts_of(options, &["--volumes-from"]).is_empty() {
            return Reach::Unknown;
        }
        let volumes = texts_of(options, &["-v", "--volume", "-B", "--bind"]);
        let pairs = volumes.iter().filter_map(|it| volume(it));
        let mounts = texts_of(options, &["--mount"]);
        let reads = only_reads(command);
        let found: Vec<Mount> = pairs
            .chain(mounts.iter().filter_map(|it| mount(it)))
            .filter(|(_, _, access)| reads || *access == Access::Write)
            .take(MAX_MOUNTS)
            .map(|(outside, inside, _)| Mount {
                inside: inside.trim_end_matches('/').to_owned(),
                outside: self.outside(outside, scope),
            })
            .collect();
        if found.is_empty() {
            Reach::Itself
        } else {
            Reach::Mounts(found)
        }
    }

    fn outside(&self, source: &str, scope: &Scope) -> String {
        let is_path = source.starts_with(['/', '~', '.', '$', UNKNOWN]);
        if !is_path {
            return format!("{VOLUMES}/{source}");
        }
        let Directory::Known(cwd) = &scope.directory else {
            return UNKNOWN.to_string();
        };
        let resolved = paths::resolve(source, &At::directory(cwd, self.world));
        match resolved.shape {
            Shape::Exact => resolved.path,
            Shape::Pattern | Shape::Unknown(_) => UNKNOWN.to_string(),
        }
    }
}

/// Whether a command is a program that reads what it is given: a shell could do anything.
fn only_reads(command: &[Item]) -> bool {
    command
        .first()
        .map(|it| base(it.marked()))
        .is_some_and(|it| it == "cat" || !could_harm(it))
}

/// `source:target` and `source:target:options`.
fn volume(text: &str) -> Option<(&str, &str, Access)> {
    let mut parts = text.split(':');
    let (outside, inside) = (parts.next()?, parts.next()?);
    let options = parts.next().unwrap_or_default();
    Some((outside, inside, Access::of(options)))
}

/// `type=bind,source=…,target=…`
fn mount(text: &str) -> Option<(&str, &str, Access)> {
    let value = |names: &[&str]| {
        text.split(',')
            .filter_map(|it| it.split_once('='))
            .find(|(name, _)| names.contains(name))
            .map(|(_, value)| value)
    };
    Some((
        value(&["source", "src"])?,
        value(&["target", "destination", "dst"])?,
        Access::of(text),
    ))
}

/// A word of a container's command with the paths of this machine in place of the container's.
pub(super) fn from_outside(item: &Item, mounts: &[Mount]) -> Item {
    let before = item.marked();
    let text = mounts
        .iter()
        .fold(before.to_owned(), |text, it| replaced(&text, it));
    if text == before {
        return item.clone();
    }
    let value = match &item.arg.value {
        _ if text.contains(UNKNOWN) => Value::Partly(text),
        Value::Pattern(_) => Value::Pattern(text),
        Value::Known(_) | Value::Partly(_) | Value::Unknown => Value::Known(text),
    };
    let mut changed = Item::of(Content {
        value,
        sources: item.sources.clone(),
    });
    changed.arg.source.clone_from(&item.arg.source);
    changed
}

/// The text with every path below a mount as it is outside.
fn replaced(text: &str, mount: &Mount) -> String {
    if mount.inside.is_empty() {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(mount.inside.as_str()) {
        let starts = out
            .chars()
            .chain(before.chars())
            .last()
            .is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '/' | '.' | '-' | '_'));
        let ends = after
            .chars()
            .next()
            .is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '.' | '-' | '_'));
        out.push_str(before);
        out.push_str(if starts && ends {
            &mount.outside
        } else {
            &mount.inside
        });
        rest = after;
    }
    out.push_str(rest);
    out
}
