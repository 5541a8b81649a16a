//! What an expression of a program text is, as far as it is written out.

use super::UNKNOWN;
use super::lexer::Token;
use super::names::Names;
use crate::interpret::decode;

/// The value of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// A text, with `…` for what is unknown, and `~` or `$HOME` for the home.
    Text(String),
    List(Vec<Value>),
    Unknown,
}

impl Value {
    pub(super) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::List(items) => items.iter().map(Self::text).collect::<Vec<_>>().join(" "),
            Self::Unknown => UNKNOWN.to_string(),
        }
    }

    /// How much a copy takes.
    fn size(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::List(items) => items.iter().map(|it| 32 + it.size()).sum(),
            Self::Unknown => 0,
        }
    }
}

/// Splits the tokens of an argument list at its commas.
pub(super) fn arguments(tokens: &[Token]) -> Vec<&[Token]> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let mut start = 0;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Symbol('(' | '[' | '{') => depth += 1,
            Token::Symbol(')' | ']' | '}') => depth = depth.saturating_sub(1),
            Token::Symbol(',') if depth == 0 => {
                found.push(tokens.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = tokens.get(start..).unwrap_or_default();
    if last.iter().any(|token| *token != Token::Newline) {
        found.push(last);
    }
    found
}

/// Where the bracket that opens at `at` closes.
pub(super) fn closing(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        match token {
            Token::Symbol('(' | '[' | '{') => depth += 1,
            Token::Symbol(')' | ']' | '}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return index;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

/// Works out an expression.
pub(super) fn evaluate(tokens: &[Token], names: &Names, depth: usize) -> Value {
    if depth > 12 || !names.pay(1 + tokens.len()) {
        return Value::Unknown;
    }
    let mut text = String::new();
    let mut known = false;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token {
            Token::Text(part) => {
                if follows_slash(tokens, at) {
                    text.push('/');
                }
                text.push_str(part);
                known = true;
                at += 1;
            }
            // What stands before a value and does not change it.
            Token::Name(word) if matches!(word.as_str(), "await" | "new") => at += 1,
            Token::Symbol('[') if at == 0 => {
                let end = closing(tokens, 0);
                let inside = tokens.get(1..end).unwrap_or_default();
                let items: Vec<_> = arguments(inside)
                    .into_iter()
                    .map(|it| evaluate(it, names, depth + 1))
                    .collect();
                let rest = tokens.get(end + 1..).unwrap_or_default();
                return packed(&items, inside, rest).unwrap_or(Value::List(items));
            }
            Token::Symbol('(') if at == 0 => {
                let end = closing(tokens, 0);
                let inside = evaluate(tokens.get(1..end).unwrap_or_default(), names, depth + 1);
                text.push_str(&inside.text());
                known = true;
                at = end + 1;
            }
            // Joining texts; keyword arguments, type marks and line ends change nothing.
            Token::Symbol('+' | '.' | '/' | '&' | '*') | Token::Newline => at += 1,
            Token::Name(_) => {
                let (value, next) = named(tokens, at, names, depth);
                if value.as_ref().is_some_and(|it| !names.pay(it.size())) {
                    return Value::Unknown;
                }
                match value {
                    Some(Value::List(items)) if text.is_empty() => return Value::List(items),
                    Some(value) => {
                        if follows_slash(tokens, at) {
                            text.push('/');
                        }
                        text.push_str(&value.text());
                    }
                    None => text.push(UNKNOWN),
                }
                known = true;
                at = next.max(at + 1);
            }
            Token::Number(number) => {
                text.push_str(number);
                known = true;
                at += 1;
            }
            Token::Shell(_) | Token::Symbol(_) => {
                at += 1;
                if known && matches!(token, Token::Symbol('=' | '>' | '<' | '?' | ':' | ';')) {
                    break;
                }
            }
        }
    }
    if !known || text.chars().all(|c| c == UNKNOWN) {
        Value::Unknown
    } else {
        Value::Text(text)
    }
}

/// `base / "name"`: the slash joins paths.
fn follows_slash(tokens: &[Token], at: usize) -> bool {
    matches!(tokens.get(at.wrapping_sub(1)), Some(Token::Symbol('/'))) && at > 1
}

/// `[114, 109].pack("c*")`, `bytes([114, 109])`: numbers that are characters.
fn packed(items: &[Value], inside: &[Token], rest: &[Token]) -> Option<Value> {
    let numbers = !inside.is_empty()
        && inside.iter().all(|it| {
            matches!(
                it,
                Token::Number(_) | Token::Symbol(',' | ' ') | Token::Newline
            )
        });
    if !numbers || !rest.iter().any(|it| matches!(it, Token::Name(name) if name == "pack" || name == "map" || name == "decode")) {
        return None;
    }
    characters(items).map(Value::Text)
}

fn characters(items: &[Value]) -> Option<String> {
    items
        .iter()
        .map(|item| match item {
            Value::Text(number) => {
                let code = match number.strip_prefix("0x") {
                    Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                    None => number.parse().ok()?,
                };
                char::from_u32(code)
            }
            Value::List(_) | Value::Unknown => None,
        })
        .collect()
}

/// A name with what follows it: calls, members, indexes. Gives the value and where it ends.
fn named(tokens: &[Token], start: usize, names: &Names, depth: usize) -> (Option<Value>, usize) {
    let mut path: Vec<&str> = Vec::new();
    let mut at = start;
    let mut value: Option<Value> = None;
    while let Some(token) = tokens.get(at) {
        match token {
            Token::Name(name) => {
                // Two names in a row: a new expression.
                if at > start
                    && !matches!(
                        tokens.get(at - 1),
                        Some(Token::Symbol('.' | ':' | '>' | '-'))
                    )
                {
                    break;
                }
                path.push(name);
                // What an object keeps under a name counts as the name itself.
                if path.len() == 1 || matches!(path.as_slice(), ["self" | "this", _]) {
                    let known = names.get(name);
                    if known.is_some_and(|it| !names.pay(it.size())) {
                        return (None, at + 1);
                    }
                    value = known.cloned();
                }
                if name == "parent"
                    && let Some(Value::Text(inner)) = &value
                {
                    value = Some(Value::Text(parent_of(inner)));
                }
                if let Some(place) = place_by(&path) {
                    value = Some(place);
                }
                at += 1;
            }
            Token::Symbol('.' | ':') => at += 1,
            Token::Symbol('-') if matches!(tokens.get(at + 1), Some(Token::Symbol('>'))) => at += 2,
            Token::Symbol('(' | '[' | '{') => {
                let end = closing(tokens, at);
                let inside = tokens.get(at + 1..end).unwrap_or_default();
                value = called(&path, inside, value, names, depth);
                at = end + 1;
            }
            // Perl calls without parentheses.
            Token::Text(text)
                if path
                    .last()
                    .is_some_and(|it| matches!(*it, "decode_base64" | "glob"))
                    && value.is_none() =>
            {
                value = called(&path, &[Token::Text(text.clone())], None, names, depth);
                at += 1;
            }
            Token::Text(_)
            | Token::Shell(_)
            | Token::Number(_)
            | Token::Symbol(_)
            | Token::Newline => break,
        }
    }
    (value, at)
}

/// Stands for a file or folder that the text has just made: nobody has anything in it.
const MADE_TEMPORARY: &str = "/tmp/tmp.XXXXXXXXXX";

fn place_by(path: &[&str]) -> Option<Value> {
    let joined = path.join(".");
    let place = if matches!(joined.as_str(), "process.env.HOME" | "Deno.env.HOME")
        || joined.ends_with("Dir.home")
    {
        "~"
    } else if joined.ends_with("Dir.mktmpdir") {
        MADE_TEMPORARY
    } else if joined.ends_with("Dir.tmpdir") {
        "/tmp"
    } else {
        return None;
    };
    Some(Value::Text(place.to_owned()))
}

fn parent_of(path: &str) -> String {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/".to_owned(),
        Some((parent, _)) => parent.to_owned(),
        None => ".".to_owned(),
    }
}

/// What a call, or an index, gives.
fn called(
    path: &[&str],
    inside: &[Token],
    receiver: Option<Value>,
    names: &Names,
    depth: usize,
) -> Option<Value> {
    let args: Vec<Value> = arguments(inside)
        .into_iter()
        .map(|it| evaluate(it, names, depth + 1))
        .collect();
    let first = args.first().map(Value::text);
    let last = path.last().copied().unwrap_or_default();
    let text = match last {
        "new" | "path"
            if !matches!(
                path.first(),
                Some(&("Path" | "Pathname" | "File" | "Dir" | "Directory" | "path"))
            ) =>
        {
            return None;
        }
        "new" | "path" | "expanduser" | "resolve" | "normpath" | "abspath" | "realpath"
        | "expandvars" | "Path" | "PurePath" | "str" | "String" | "Pathname" | "escapeshellarg"
        | "shlex" | "quote" | "File" | "expand_path" | "bytes" | "encode" | "toString"
        | "strip" | "trim" | "rstrip" | "Buffer" => match (&args.first(), receiver) {
            (Some(Value::List(items)), _) if last == "bytes" => characters(items)?,
            (Some(_), _) => first?,
            (None, receiver) => return receiver,
        },
        "home" | "homedir" => "~".to_owned(),
        "cwd" | "getcwd" | "pwd" => ".".to_owned(),
        "join" | "joinpath" => {
            if let Some(Value::Text(separator)) = &receiver
                && let Some(Value::List(items)) = args.first()
            {
                items
                    .iter()
                    .map(Value::text)
                    .collect::<Vec<_>>()
                    .join(separator)
            } else {
                args.iter().map(Value::text).collect::<Vec<_>>().join("/")
            }
        }
        "environ" | "getenv" | "get" | "ENV" | "env" | "$ENV" | "$_ENV" | "$_SERVER" | "fetch" => {
            let name = match (first, inside.first()) {
                (_, Some(Token::Name(name))) => name.clone(),
                (Some(first), _) => first,
                (None, _) => return None,
            };
            match name.as_str() {
                "HOME" | "USERPROFILE" => "~".to_owned(),
                "PWD" => ".".to_owned(),
                _ => return None,
            }
        }
        "b64decode" | "base64_decode" | "decode_base64" | "decode64" | "atob"
        | "strict_decode64" | "urlsafe_b64decode" => decode::base64(&first?)?,
        "fromhex" | "unhexlify" | "hex2bin" => decode::hex(&first?)?,
        "from" => match args.get(1).map(Value::text).as_deref() {
            Some("base64") => decode::base64(&first?)?,
            Some("hex") => decode::hex(&first?)?,
            _ => first?,
        },
        "pack" => match args.as_slice() {
            [Value::Text(format), Value::Text(hex)] if format.starts_with('H') => decode::hex(hex)?,
            [_, rest @ ..] => characters(rest)?,
            [] => return receiver,
        },
        "fromCharCode" | "fromCodePoint" | "chr" => characters(&args)?,
        "strrev" => first?.chars().rev().collect(),
        "decode" | "read" | "text" | "toLowerCase" | "lower" | "to_s" | "chomp" => match receiver {
            Some(receiver) => return Some(receiver),
            None => first?,
        },
        "listdir" | "scandir" | "readdirSync" | "readdir" | "iterdir" | "children" | "entries"
        | "walk" | "glob" | "iglob" | "rglob" | "globSync" => {
            let base = first
                .or(receiver.map(|it| it.text()))
                .unwrap_or_else(|| ".".to_owned());
            if base.contains('*') {
                base
            } else {
                format!("{}/*", base.trim_end_matches('/'))
            }
        }
        "dirname" => parent_of(&first?),
        "mkdtemp" | "mkdtempSync" | "mkstemp" | "mktemp" | "mktmpdir" | "TemporaryDirectory"
        | "NamedTemporaryFile" | "makeTempDir" | "makeTempDirSync" | "makeTempFile"
        | "makeTempFileSync" | "tempnam" => MADE_TEMPORARY.to_owned(),
        "gettempdir" | "tmpdir" | "sys_get_temp_dir" => "/tmp".to_owned(),
        _ => return None,
    };
    Some(Value::Text(text))
}
