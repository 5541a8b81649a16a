//! The functions that make paths of paths, and those that list folders.
//!
//! A listing is the pattern of what it may give: `notes/*` where it gives paths, `*` where it gives names. Unlike a shell's
//! pattern, most listings have the names with a dot in front, too.

use super::UNKNOWN;
use super::lexer::Token;
use super::names::{Choice, Names, Stays};
use super::value::{MADE_TEMPORARY, Value};

/// Modules and classes whose functions take the pattern or the folder as an argument.
const MODULES: &[&str] = &[
    "glob",
    "Dir",
    "fs",
    "fsp",
    "promises",
    "os",
    "path",
    "File",
    "posixpath",
    "fg",
    "globby",
    "fse",
    "Path",
    "FileUtils",
];

/// All that a folder has.
const ALL: &str = "{*,.[!.]*}";

/// The same pattern as it counts for what is read or printed, where a name is only one of many.
pub(super) fn without_hidden(pattern: &str) -> String {
    pattern.replace(ALL, "*")
}

/// What a listing gives. Where the text chooses among the names, nobody says that it takes those with a dot in front.
fn listed(names: &Names) -> &'static str {
    match names.choice {
        Choice::Every => ALL,
        Choice::Some => "*",
    }
}

/// The names of a folder.
pub(super) fn listing(names: &Names) -> Value {
    Value::Text(listed(names).to_owned())
}

/// Whether the name after a dot is one that is called on a path.
pub(super) fn is_called_on(name: Option<&Token>) -> bool {
    matches!(name, Some(Token::Name(name)) if matches!(
        name.as_str(),
        "glob" | "rglob" | "iterdir" | "joinpath" | "with_name" | "with_suffix" | "parent" | "name"
            | "resolve" | "absolute" | "expanduser" | "children" | "strip" | "rstrip" | "join"
    ))
}

/// A member of a value that is not called.
pub(super) fn member(name: &str, of: Value) -> Option<Value> {
    let Value::Text(path) = &of else {
        return None;
    };
    match name {
        "parent" => Some(Value::Text(parent_of(path))),
        // A temporary file is an object that has the path as its name.
        "name" | "path" if path.starts_with(MADE_TEMPORARY) => Some(of),
        "name" => Some(Value::Text(name_of(path)?.to_owned())),
        "path" => Some(of),
        _ => None,
    }
}

/// The path or the listing that a call gives; `None` if it is no such call, unknown if nobody can say.
pub(super) fn called(
    path: &[&str],
    args: &[Value],
    inside: &[Token],
    receiver: Option<&Value>,
    names: &Names,
) -> Option<Value> {
    let last = *path.last()?;
    let owner = path.len().checked_sub(2).and_then(|it| path.get(it));
    let is_function = receiver.is_none() && owner.is_none_or(|it| MODULES.contains(it));
    let first = args.first();
    let value = match last {
        "cwd" | "getcwd" | "pwd" if names.stays == Stays::InItsFolder => Value::Text(".".into()),
        "absolute" | "abspath" | "realpath" | "resolve" | "expand_path" => {
            let value = match (receiver, last) {
                (Some(receiver), _) if args.is_empty() => receiver.clone(),
                (None, "expand_path") if args.len() == 2 => {
                    joined(args.iter().rev(), Absolute::Replaces)
                }
                _ => joined(args.iter(), Absolute::Replaces),
            };
            return Some(lasting(value, names));
        }
        "join" if receiver.is_none() && !is_function => Value::Unknown,
        "join" | "joinpath" => joined_by(path, args, receiver),
        "Path" | "PurePath" | "Pathname" | "PosixPath" => match first {
            None if path.len() == 1 => Value::Text(".".into()),
            _ => joined(args.iter(), Absolute::Replaces),
        },
        "with_name" => {
            let folder = receiver.and_then(|it| member("parent", it.clone()));
            let parts = [folder.unwrap_or(Value::Unknown), argument(first)];
            joined(parts.iter(), Absolute::Replaces)
        }
        "with_suffix" => with_suffix(receiver, first),
        "dirname" => first.map_or(Value::Unknown, |it| {
            member("parent", it.clone()).unwrap_or(Value::Unknown)
        }),
        "basename" => first.map_or(Value::Unknown, |it| {
            member("name", it.clone()).unwrap_or(Value::Unknown)
        }),
        "listdir" | "readdirSync" | "readdir" if goes_deep(inside) => Value::Text("**".into()),
        "listdir" | "readdirSync" | "readdir" => listing(names),
        "children" | "entries" | "each_child" if owner == Some(&"Dir") => listing(names),
        "iterdir" | "children" => below(receiver, listed(names)),
        "scandir" if owner == Some(&"os") => {
            let folder = first.cloned().unwrap_or(Value::Text(".".into()));
            below(Some(&folder), listed(names))
        }
        "Dir" if path.len() == 1 => several(args),
        "glob" | "iglob" | "globSync" if is_function => several(args),
        "glob" => below(receiver, &of_path(argument(first).text(), names)),
        "rglob" => {
            let pattern = of_path(argument(first).text(), names);
            below(receiver, &format!("**/{pattern}"))
        }
        "entries" | "scandir" | "walk" | "iglob" | "globSync" | "cwd" | "getcwd" | "pwd" => {
            Value::Unknown
        }
        _ => return None,
    };
    Some(value)
}

fn argument(value: Option<&Value>) -> Value {
    value.cloned().unwrap_or(Value::Unknown)
}

/// The patterns of a call: one, or a list of them.
fn several(args: &[Value]) -> Value {
    match args {
        [one @ (Value::Text(_) | Value::List(_)), ..] => one.clone(),
        _ => Value::Unknown,
    }
}

/// Whether a listing goes into the folders, too.
fn goes_deep(inside: &[Token]) -> bool {
    let mut words = inside.iter();
    words.any(|it| matches!(it, Token::Name(name) if name == "recursive"))
}

/// A pattern that is matched by a path's own method, for which a dot in front is nothing special.
fn of_path(pattern: String, names: &Names) -> String {
    match pattern.strip_suffix('*') {
        Some(before) if before.is_empty() || before.ends_with('/') => {
            format!("{before}{}", listed(names))
        }
        _ => pattern,
    }
}

pub(super) fn below(folder: Option<&Value>, pattern: &str) -> Value {
    let under = |folder: &str| format!("{}/{pattern}", folder.trim_end_matches('/'));
    match folder {
        Some(Value::Text(folder)) if folder == "." => Value::Text(pattern.to_owned()),
        Some(Value::Text(folder)) => Value::Text(under(folder)),
        Some(Value::List(folders)) if folders.iter().all(|it| matches!(it, Value::Text(_))) => {
            Value::List(
                folders
                    .iter()
                    .map(|it| Value::Text(under(&it.text())))
                    .collect(),
            )
        }
        Some(Value::List(_) | Value::Unknown) | None => Value::Text(format!("{UNKNOWN}/{pattern}")),
    }
}

/// What a part does that is absolute by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Absolute {
    Replaces,
    IsJoined,
}

/// `", ".join(items)`, `os.path.join(a, b)`, `path.join(a, b)`, `folder.joinpath(a)`.
fn joined_by(path: &[&str], args: &[Value], receiver: Option<&Value>) -> Value {
    match (receiver, args) {
        (Some(Value::Text(separator)), [Value::List(items)]) if path.last() == Some(&"join") => {
            let texts: Vec<String> = items.iter().map(Value::text).collect();
            Value::Text(texts.join(separator))
        }
        (Some(receiver), _) => joined(std::iter::once(receiver).chain(args), Absolute::Replaces),
        (None, _) if path.last() == Some(&"joinpath") => joined(
            std::iter::once(&Value::Unknown).chain(args),
            Absolute::Replaces,
        ),
        (None, _) if matches!(path, ["path" | "File", _]) => {
            joined(args.iter(), Absolute::IsJoined)
        }
        (None, _) => joined(args.iter(), Absolute::Replaces),
    }
}

/// Parts of a path, joined; where one may be several, so may the whole.
fn joined<'v>(parts: impl Iterator<Item = &'v Value>, absolute: Absolute) -> Value {
    let mut texts = vec![String::new()];
    for part in parts.take(16) {
        let more: Vec<String> = match part {
            Value::List(items) if items.len() * texts.len() <= 16 && !items.is_empty() => {
                items.iter().map(Value::text).collect()
            }
            Value::Text(text) => vec![text.clone()],
            Value::List(_) | Value::Unknown => vec![UNKNOWN.to_string()],
        };
        texts = texts
            .iter()
            .flat_map(|text| more.iter().map(move |it| join(text, it, absolute)))
            .collect();
    }
    match texts.as_slice() {
        [text] if text.is_empty() => Value::Unknown,
        [text] => Value::Text(text.clone()),
        several => Value::List(several.iter().cloned().map(Value::Text).collect()),
    }
}

fn join(folder: &str, part: &str, absolute: Absolute) -> String {
    let replaces = absolute == Absolute::Replaces && part.starts_with(['/', '~']);
    match folder {
        "" | "." => part.to_owned(),
        _ if replaces => part.to_owned(),
        _ => format!(
            "{}/{}",
            folder.trim_end_matches('/'),
            part.trim_start_matches('/')
        ),
    }
}

/// A path that was made absolute; nobody knows to which folder, where the text goes to others.
fn lasting(path: Value, names: &Names) -> Value {
    match &path {
        Value::Text(text) if !text.starts_with(['/', '~']) && names.stays == Stays::No => {
            Value::Unknown
        }
        Value::List(_) if names.stays == Stays::No => Value::Unknown,
        _ => path,
    }
}

fn with_suffix(path: Option<&Value>, suffix: Option<&Value>) -> Value {
    match (path, suffix) {
        (Some(Value::Text(path)), Some(Value::Text(suffix))) => {
            let path = &without_hidden(path);
            let name = name_of(path).unwrap_or(path);
            let stem = match name.rfind('.') {
                Some(at) if at > 0 => path.len() - (name.len() - at),
                _ => path.len(),
            };
            Value::Text(format!("{}{suffix}", path.get(..stem).unwrap_or(path)))
        }
        _ => Value::Unknown,
    }
}

/// A text without what is taken off its ends; what a path may lose is known only of slashes and blanks.
pub(super) fn trimmed(text: Value, off: Option<&Value>) -> Option<Value> {
    match off {
        None => Some(text),
        Some(Value::Text(off)) if off.chars().all(|c| c == '/' || c.is_whitespace()) => Some(text),
        // `toString("utf8")`
        Some(Value::Text(off)) if off.starts_with("utf") || off == "ascii" => Some(text),
        Some(_) => None,
    }
}

fn parent_of(path: &str) -> String {
    if path == "." || path == ".." || path.ends_with("/..") {
        return format!("{path}/..");
    }
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/".to_owned(),
        Some((parent, _)) => parent.to_owned(),
        None => ".".to_owned(),
    }
}

/// The last part of a path.
fn name_of(path: &str) -> Option<&str> {
    path.trim_end_matches('/').rsplit('/').next()
}
