//! What a word says before it is a path: `~`, variables, commands, `file://`.

use bowline_agents::is_project_variable;

use super::glob;
use super::{Shape, Unknown, World};

/// More text than any system takes as a path.
const MAX_WORD: usize = 8192;

/// Who reads the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// A shell: variables, commands and wildcards are expanded.
    Shell,
    /// A tool: the text is the path.
    Literal,
}

/// The text after expansion; unknown parts stand as `*`.
#[derive(Debug)]
pub(super) struct Expanded {
    pub(super) text: String,
    pub(super) shape: Shape,
}

pub(super) fn expand(word: &str, world: &dyn World, reading: Reading) -> Expanded {
    if word.is_empty() {
        return Expanded {
            text: String::new(),
            shape: Shape::Unknown(Unknown::Empty),
        };
    }
    if word.len() > MAX_WORD {
        // The end names the file, so the end is kept for judging it.
        let start = (word.len() - MAX_WORD..word.len()).find(|at| word.is_char_boundary(*at));
        let text = start
            .and_then(|at| word.get(at..))
            .unwrap_or_default()
            .to_owned();
        return Expanded {
            text,
            shape: Shape::Unknown(Unknown::TooLong),
        };
    }
    let local = strip_file_scheme(word);
    let word = local.as_deref().unwrap_or(word);
    let tilde = expand_tilde(word, world);
    let word = tilde.as_deref().unwrap_or(word);
    let (text, unknown) = expand_variables(word, world, reading);
    let shape = match unknown {
        Some(why) => Shape::Unknown(why),
        None if reading == Reading::Shell && glob::has_wildcard(&text) => Shape::Pattern,
        None => Shape::Exact,
    };
    Expanded { text, shape }
}

/// The path of a `file:` address, with its percent signs decoded.
fn strip_file_scheme(word: &str) -> Option<String> {
    let scheme = word
        .get(..5)
        .filter(|start| start.eq_ignore_ascii_case("file:"))?;
    let rest = word.get(scheme.len()..)?;
    let path = match rest.strip_prefix("//") {
        // An authority such as `localhost` comes before the path's own slash.
        Some(authority) => authority.get(authority.find('/')?..)?,
        None => rest,
    };
    Some(decode_percent(path))
}

fn decode_percent(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digit = |byte: u8| {
            char::from(byte)
                .to_digit(16)
                .and_then(|it| u8::try_from(it).ok())
        };
        if let (b'%', [high, low, tail @ ..]) = (*first, after)
            && let (Some(high), Some(low)) = (digit(*high), digit(*low))
        {
            bytes.push(high * 16 + low);
            rest = tail;
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn expand_tilde(word: &str, world: &dyn World) -> Option<String> {
    let after = word.strip_prefix('~')?;
    let (user, rest) = after.split_at(after.find('/').unwrap_or(after.len()));
    let home = world.home().map(|home| home.trim_end_matches('/'));
    let base = match (user, home) {
        ("", Some(home)) => home.to_owned(),
        ("", None) => "$HOME".to_owned(),
        ("+", _) => world.cwd().to_owned(),
        ("-", _) => "$OLDPWD".to_owned(),
        ("root", _) => "/root".to_owned(),
        (user, _)
            if !user
                .chars()
                .all(|it| it.is_alphanumeric() || "-_.".contains(it)) =>
        {
            return None;
        }
        (user, Some(home)) => {
            let parent = home.rsplit_once('/').map_or("", |(parent, _)| parent);
            let parent = if parent.is_empty() { "/home" } else { parent };
            format!("{parent}/{user}")
        }
        (user, None) => format!("/home/{user}"),
    };
    Some(format!("{base}{rest}"))
}

/// Replaces variables; the first unknown one is reported, and all of them become `*`.
fn expand_variables(word: &str, world: &dyn World, reading: Reading) -> (String, Option<Unknown>) {
    let mut text = String::with_capacity(word.len());
    let mut unknown = None;
    let mut rest = word;
    while let Some(at) = rest.find(['$', '`']) {
        text.push_str(rest.get(..at).unwrap_or_default());
        let from = rest.get(at..).unwrap_or_default();
        let (part, after) = split_expansion(from);
        rest = after;
        match part {
            Part::Plain(plain) => text.push_str(plain),
            Part::Variable { name, written } => match value_of(name, world) {
                Some(value) => text.push_str(&value),
                None if reading == Reading::Literal => text.push_str(written),
                None => {
                    text.push('*');
                    unknown.get_or_insert_with(|| Unknown::Variable(name.to_owned()));
                }
            },
            Part::Command(written) if reading == Reading::Literal => text.push_str(written),
            Part::Command(_) => {
                text.push('*');
                unknown.get_or_insert(Unknown::Command);
            }
        }
    }
    text.push_str(rest);
    (text, unknown)
}

enum Part<'word> {
    Plain(&'word str),
    Variable {
        name: &'word str,
        written: &'word str,
    },
    Command(&'word str),
}

/// Splits off the expansion that `from` starts with (its first character is `$` or a backtick).
fn split_expansion(from: &str) -> (Part<'_>, &str) {
    let cut = |end: usize| {
        (
            from.get(..end).unwrap_or(from),
            from.get(end..).unwrap_or_default(),
        )
    };
    if let Some(body) = from.strip_prefix('`') {
        let (written, rest) = cut(body.find('`').map_or(from.len(), |close| close + 2));
        return (Part::Command(written), rest);
    }
    if from.starts_with("$(") {
        let mut depth = 0_usize;
        let close = from.char_indices().find(|(_, character)| {
            match character {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => return false,
            }
            depth == 0
        });
        let (written, rest) = cut(close.map_or(from.len(), |(at, _)| at + 1));
        return (Part::Command(written), rest);
    }
    if let Some(body) = from.strip_prefix("${") {
        let Some(close) = body.find('}') else {
            let (written, rest) = cut(from.len());
            return (Part::Command(written), rest);
        };
        let inner = body.get(..close).unwrap_or_default();
        let (written, rest) = cut(close + 3);
        // `${HOME:?}` and `${HOME:-x}` are the variable itself whenever it is set.
        let name_end = inner.find(|it: char| !is_name(it)).unwrap_or(inner.len());
        let (name, operator) = inner.split_at(name_end);
        let plain = operator.is_empty()
            || [":?", ":-", "?", "-"]
                .iter()
                .any(|known| operator.starts_with(known));
        let name = if plain && !name.is_empty() {
            name
        } else {
            inner
        };
        return (Part::Variable { name, written }, rest);
    }
    let body = from.get(1..).unwrap_or_default();
    let length = match body.chars().next() {
        Some(first) if first.is_ascii_digit() || "@*#?!-$".contains(first) => 1,
        _ => body.find(|it: char| !is_name(it)).unwrap_or(body.len()),
    };
    let (written, rest) = cut(length + 1);
    match body.get(..length) {
        Some(name) if !name.is_empty() => (Part::Variable { name, written }, rest),
        _ => (Part::Plain(written), rest),
    }
}

fn is_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

fn value_of(name: &str, world: &dyn World) -> Option<String> {
    if let Some(value) = world.variable(name) {
        return Some(value.into_owned());
    }
    match name {
        "HOME" => world
            .home()
            .map(|home| home.trim_end_matches('/').to_owned()),
        "PWD" => Some(world.cwd().to_owned()),
        "USER" | "LOGNAME" => world
            .home()
            .and_then(|home| home.trim_end_matches('/').rsplit('/').next())
            .map(Into::into),
        "TMPDIR" => Some(
            world
                .temp_dirs()
                .first()
                .map_or("/tmp", String::as_str)
                .to_owned(),
        ),
        name if is_project_variable(name) => Some(world.project_root().to_owned()),
        _ => None,
    }
}
