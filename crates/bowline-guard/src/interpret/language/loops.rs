//! What the names of loops and callbacks stand for.

use super::around::receiver;
use super::lexer::Token;
use super::names::Names;
use super::places;
use super::value::{Value, arguments, closing, evaluate};

/// At most this many names of one loop are looked at.
const MAX_NAMES: usize = 6;

/// The names of a loop over several at once, the last of which is at `at`, and their values; `None` if it has one.
pub(super) fn several(
    tokens: &[Token],
    at: usize,
    over: &[Token],
    names: &Names,
) -> Option<Vec<(String, Value)>> {
    let mut found = vec![name(tokens, at)?];
    let mut first = at;
    while found.len() < MAX_NAMES
        && first >= 2
        && tokens.get(first - 1) == Some(&Token::Symbol(','))
        && let Some(before) = name(tokens, first - 2)
    {
        found.push(before);
        first -= 2;
    }
    if found.len() < 2 {
        return None;
    }
    found.reverse();
    let walked = walked(over, names);
    let counted = counted(over, names);
    let values = found.iter().enumerate().map(|(number, name)| {
        let value = match (&walked, &counted) {
            (Some(folder), _) if number == 0 => folder.clone(),
            (Some(_), _) => places::listing(names),
            (None, Some(each)) if number == 1 => each.clone(),
            (None, _) => Value::Unknown,
        };
        ((*name).to_owned(), value)
    });
    Some(values.collect())
}

fn name(tokens: &[Token], at: usize) -> Option<&str> {
    match tokens.get(at) {
        Some(Token::Name(name)) => Some(name),
        _ => None,
    }
}

/// The folders that `os.walk("notes")` and `Path("notes").walk()` come to.
fn walked(over: &[Token], names: &Names) -> Option<Value> {
    let at = (0..over.len()).find(|at| name(over, *at) == Some("walk"))?;
    let inside = over.get(at + 2..closing(over, at + 1))?;
    let first = arguments(inside).into_iter().next();
    let folder = match first.map(|it| evaluate(it, names, 0)) {
        Some(folder) => Some(folder),
        None => receiver(over, at, names),
    };
    Some(places::below(folder.as_ref(), "**"))
}

/// What `enumerate(paths)` goes over.
fn counted(over: &[Token], names: &Names) -> Option<Value> {
    let inside = over.get(2..closing(over, 1))?;
    let first = arguments(inside).into_iter().next()?;
    (name(over, 0) == Some("enumerate")).then(|| evaluate(first, names, 0))
}

/// `paths.forEach(path => …)`, `paths.each { |path| … }`: the name, and what it stands for.
pub(super) fn callback(tokens: &[Token], at: usize, names: &Names) -> Option<(String, Value)> {
    if !matches!(
        name(tokens, at)?,
        "forEach" | "map" | "filter" | "flatMap" | "each" | "select" | "reject" | "each_entry"
    ) {
        return None;
    }
    let symbol = |at: usize, wanted: char| tokens.get(at) == Some(&Token::Symbol(wanted));
    let is_arrow = |at: usize| symbol(at, '=') && symbol(at + 1, '>');
    let mut start = at + 2;
    if matches!(name(tokens, start), Some("async" | "function")) {
        start += 1;
    }
    if matches!(name(tokens, at + 1), Some("do")) && symbol(at + 2, '|') {
        start = at + 3;
    }
    let parameter = match name(tokens, start) {
        Some(it) if symbol(at + 1, '(') && is_arrow(start + 1) => it,
        Some(it) if symbol(start - 1, '|') => it,
        None if symbol(start, '|') && symbol(at + 1, '{') => name(tokens, start + 1)?,
        None if symbol(start, '(') && symbol(at + 1, '(') => name(tokens, start + 1)?,
        _ => return None,
    };
    let value = receiver(tokens, at, names).unwrap_or(Value::Unknown);
    Some((parameter.to_owned(), value))
}
