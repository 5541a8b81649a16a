//! What an expression of a program text is, as far as it is written out.

use super::UNKNOWN;
use super::joining::{Joint, Made};
use super::lexer::Token;
use super::names::Names;
use super::{places, templates};
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

/// Works out an expression. What is not worked out is unknown: a path that is wrong would be one where nothing is.
pub(super) fn evaluate(tokens: &[Token], names: &Names, depth: usize) -> Value {
    if depth > 12 || !names.pay(1 + tokens.len()) {
        return Value::Unknown;
    }
    let mut made = Made::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let joint = Joint::before(tokens, at);
        match token {
            Token::Text(part) => {
                made.push(&templates::filled(part, names, depth), joint, names);
                at += 1;
            }
            // What stands before a value and does not change it.
            Token::Name(word) if matches!(word.as_str(), "await" | "new") => at += 1,
            Token::Symbol('[') if at == 0 => {
                let end = closing(tokens, 0);
                let inside = tokens.get(1..end).unwrap_or_default();
                let items = listed(inside, names, depth);
                let rest = tokens.get(end + 1..).unwrap_or_default();
                return packed(&items, inside, rest)
                    .unwrap_or_else(|| extended(items, rest, names, depth));
            }
            Token::Symbol('(') => {
                let end = closing(tokens, at);
                let inside = tokens.get(at + 1..end).unwrap_or_default();
                let value = if arguments(inside).len() > 1 {
                    Value::List(listed(inside, names, depth))
                } else {
                    evaluate(inside, names, depth + 1)
                };
                made.push(&value, joint, names);
                at = end + 1;
            }
            // `(base / "sub").glob("*")`: called on all that was made so far.
            Token::Symbol('.') if made.is_known() && places::is_called_on(tokens.get(at + 1)) => {
                let (value, next) = named(tokens, at + 1, Some(made.value()), names, depth);
                made = Made::new();
                made.push(&value.unwrap_or(Value::Unknown), Joint::Beside, names);
                at = next.max(at + 2);
            }
            // `"notes/%s" % name`
            Token::Symbol('%') if made.is_known() => {
                let rest = tokens.get(at + 1..).unwrap_or_default();
                let value = evaluate(rest, names, depth + 1);
                return templates::formatted(&made.value(), &value);
            }
            // Joining texts; keyword arguments, type marks and line ends change nothing.
            Token::Symbol('+' | '.' | '/' | '&' | '*') | Token::Newline => at += 1,
            Token::Name(_) => {
                let (value, next) = named(tokens, at, None, names, depth);
                if value.as_ref().is_some_and(|it| !names.pay(it.size())) {
                    return Value::Unknown;
                }
                at = next.max(at + 1);
                match value {
                    Some(Value::List(items)) if !made.is_known() => {
                        let rest = tokens.get(at..).unwrap_or_default();
                        if !matches!(rest.first(), Some(Token::Symbol('+' | '/'))) {
                            return Value::List(items);
                        }
                        let added = rest.get(1..).unwrap_or_default();
                        if rest.first() == Some(&Token::Symbol('+'))
                            && let Value::List(more) = evaluate(added, names, depth + 1)
                        {
                            return Value::List(items.into_iter().chain(more).collect());
                        }
                        made.push(&Value::List(items), joint, names);
                    }
                    value => made.push(&value.unwrap_or(Value::Unknown), joint, names),
                }
            }
            Token::Number(number) => {
                made.push(&Value::Text(number.clone()), Joint::Beside, names);
                at += 1;
            }
            Token::Shell(_) | Token::Symbol(_) => {
                at += 1;
                if made.is_known()
                    && matches!(token, Token::Symbol('=' | '>' | '<' | '?' | ':' | ';'))
                {
                    break;
                }
            }
        }
    }
    made.value()
}

/// The values of a list's items.
fn listed(inside: &[Token], names: &Names, depth: usize) -> Vec<Value> {
    arguments(inside)
        .into_iter()
        .map(|it| evaluate(it, names, depth + 1))
        .collect()
}

/// `["rm", "-rf"] + folders`: a list with what is added to it.
fn extended(mut items: Vec<Value>, rest: &[Token], names: &Names, depth: usize) -> Value {
    if rest.first() == Some(&Token::Symbol('+')) {
        match evaluate(rest.get(1..).unwrap_or_default(), names, depth + 1) {
            Value::List(more) => items.extend(more),
            Value::Text(_) | Value::Unknown => items.push(Value::Unknown),
        }
    }
    Value::List(items)
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

/// A name with what follows it: calls, members, indexes. Gives the value and where it ends. It may be a member of `on`.
fn named(
    tokens: &[Token],
    start: usize,
    on: Option<Value>,
    names: &Names,
    depth: usize,
) -> (Option<Value>, usize) {
    let mut path: Vec<&str> = Vec::new();
    let mut at = start;
    let is_member = on.is_some();
    let mut value = on;
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
                if (path.len() == 1 && !is_member)
                    || matches!(path.as_slice(), ["self" | "this", _])
                {
                    let known = names.get(name);
                    if known.is_some_and(|it| !names.pay(it.size())) {
                        return (None, at + 1);
                    }
                    value = known.cloned();
                } else if !matches!(tokens.get(at + 1), Some(Token::Symbol('('))) {
                    value = value.and_then(|it| places::member(name, it));
                }
                if let Some(place) = place_by(&path) {
                    value = Some(place);
                }
                at += 1;
            }
            Token::Symbol('.') => at += 1,
            Token::Symbol('?') if matches!(tokens.get(at + 1), Some(Token::Symbol('.'))) => at += 1,
            Token::Symbol(':') if matches!(tokens.get(at + 1), Some(Token::Symbol(':'))) => at += 2,
            Token::Symbol('-') if matches!(tokens.get(at + 1), Some(Token::Symbol('>'))) => at += 2,
            Token::Symbol('(' | '[' | '{') => {
                let end = closing(tokens, at);
                let inside = tokens.get(at + 1..end).unwrap_or_default();
                at = end + 1;
                if let (["require" | "__import__"], [Token::Text(module)]) =
                    (path.as_slice(), inside)
                {
                    path = vec![module.rsplit(['/', ':']).next().unwrap_or(module)];
                    value = None;
                    continue;
                }
                value = called(&path, inside, value, names, depth);
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
pub(super) const MADE_TEMPORARY: &str = "/tmp/tmp.XXXXXXXXXX";

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
    let last = path.last().copied().unwrap_or_default();
    // A module that the text gave a name to is no value.
    let receiver = receiver.filter(|it| *it != Value::Unknown);
    if let Some(place) = places::called(path, &args, inside, receiver.as_ref(), names) {
        return Some(place).filter(|it| *it != Value::Unknown);
    }
    let first = args.first().map(Value::text);
    let text = match last {
        "new" | "path"
            if !matches!(
                path.first(),
                Some(&("Path" | "Pathname" | "File" | "Dir" | "Directory" | "path"))
            ) =>
        {
            return None;
        }
        "new" | "path" | "expanduser" | "normpath" | "expandvars" | "str" | "String"
        | "escapeshellarg" | "shlex" | "quote" | "File" | "bytes" | "Buffer" => {
            match (&args.first(), receiver) {
                (Some(Value::List(items)), _) if last == "bytes" => characters(items)?,
                (Some(_), _) => first?,
                (None, receiver) => return receiver,
            }
        }
        "home" | "homedir" => "~".to_owned(),
        "encode" | "toString" | "strip" | "trim" | "rstrip" => match receiver {
            Some(receiver) => return places::trimmed(receiver, args.first()),
            None if path.len() == 1 => first?,
            None => return None,
        },
        // They leave out some, or give them in another order.
        "filter" | "sort" | "reverse" | "slice" | "select" | "reject" | "to_a" | "toSorted"
            if receiver.is_some() =>
        {
            return receiver;
        }
        "sorted" | "list" | "set" | "tuple" | "reversed" | "iter" if path.len() == 1 => {
            return args.into_iter().next();
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
        "mkdtemp" | "mkdtempSync" | "mkstemp" | "mktemp" | "mktmpdir" | "TemporaryDirectory"
        | "NamedTemporaryFile" | "makeTempDir" | "makeTempDirSync" | "makeTempFile"
        | "makeTempFileSync" | "tempnam" => MADE_TEMPORARY.to_owned(),
        "gettempdir" | "tmpdir" | "sys_get_temp_dir" => "/tmp".to_owned(),
        _ => return None,
    };
    Some(Value::Text(text))
}
