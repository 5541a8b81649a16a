//! What stands around a called name: receiver, arguments, and the names that the text has bound.

use std::collections::BTreeMap;

use super::lexer::{Family, Lexed, Token};
use super::loops;
use super::names::Names;
use super::value::{Value, arguments, closing, evaluate};

/// At most this many tokens of an expression are looked at.
const MAX_EXPRESSION: usize = 256;

/// At most this many tokens before a call are looked at for what it is called on.
const MAX_RECEIVER: usize = 512;

/// What stands before a called name: `os`, `fs.promises`, `)` for a call.
pub(super) fn before_name(tokens: &[Token], at: usize) -> String {
    let mut parts = Vec::new();
    let mut index = at;
    while index >= 1 && parts.len() < 6 {
        let separator = match tokens.get(index - 1) {
            Some(Token::Symbol('.')) => 1,
            Some(Token::Symbol(':'))
                if index >= 2 && tokens.get(index - 2) == Some(&Token::Symbol(':')) =>
            {
                2
            }
            Some(Token::Symbol('>'))
                if index >= 2 && tokens.get(index - 2) == Some(&Token::Symbol('-')) =>
            {
                2
            }
            _ => break,
        };
        index -= separator;
        match index.checked_sub(1).and_then(|it| tokens.get(it)) {
            Some(Token::Name(name)) => {
                parts.push(name.clone());
                index -= 1;
            }
            Some(Token::Symbol(')')) => {
                parts.push(")".to_owned());
                break;
            }
            _ => break,
        }
    }
    parts.reverse();
    parts.join(".")
}

/// The value that a method is called on.
pub(super) fn receiver(tokens: &[Token], at: usize, names: &Names) -> Option<Value> {
    let mut dot = at.checked_sub(1)?;
    match tokens.get(dot)? {
        Token::Symbol('.') => {}
        // Perl and PHP: `$path->remove`
        Token::Symbol('>') if tokens.get(dot.checked_sub(1)?) == Some(&Token::Symbol('-')) => {
            dot -= 1;
        }
        _ => return None,
    }
    let mut depth = 0_usize;
    let mut start = dot;
    while start > 0 && dot - start < MAX_RECEIVER {
        match tokens.get(start - 1)? {
            Token::Symbol(')' | ']') => depth += 1,
            Token::Symbol('(' | '[') => {
                if depth == 0 {
                    break;
                }
                depth -= 1;
            }
            Token::Symbol(';' | '=' | ',' | '{' | '}') | Token::Newline if depth == 0 => break,
            // `if path.is_file(): path`, but not `File::Path`.
            Token::Symbol(':') if depth == 0 && !is_doubled(tokens, start - 1) => break,
            _ => {}
        }
        start -= 1;
    }
    if dot - start >= MAX_RECEIVER {
        names.give_up();
        return None;
    }
    let expression = tokens.get(start..dot)?;
    // `new File("x")`, `await`, `for f in`: the name that counts comes last.
    let begin = expression
        .iter()
        .rposition(|it| matches!(it, Token::Name(name) if matches!(name.as_str(), "new" | "await" | "in" | "if" | "and" | "return")))
        .map_or(0, |it| it + 1);
    match evaluate(expression.get(begin..)?, names, 0) {
        Value::Unknown => None,
        value => Some(value),
    }
}

fn is_doubled(tokens: &[Token], at: usize) -> bool {
    let same = |it: usize| tokens.get(it) == tokens.get(at);
    same(at + 1) || at.checked_sub(1).is_some_and(same)
}

/// The tokens of a call's arguments, in parentheses or, where the language allows it, without.
pub(super) fn arguments_at(tokens: &[Token], at: usize, family: Family) -> Option<&[Token]> {
    match tokens.get(at + 1)? {
        Token::Symbol('(') => {
            let end = closing(tokens, at + 1);
            tokens.get(at + 2..end)
        }
        Token::Text(_) | Token::Name(_) | Token::Symbol('[' | '<' | '*')
            if matches!(
                family,
                Family::Ruby | Family::Perl | Family::Php | Family::Other
            ) =>
        {
            let rest = tokens.get(at + 1..)?;
            let end = rest
                .iter()
                .position(|it| match it {
                    Token::Newline | Token::Symbol(';' | '}') => true,
                    Token::Name(name) => {
                        matches!(name.as_str(), "if" | "unless" | "or" | "and" | "for" | "do")
                    }
                    _ => false,
                })
                .unwrap_or(rest.len());
            rest.get(..end)
        }
        _ => None,
    }
}

/// `shell=True`, `recursive: true`, `{recursive: true}`: no value of its own.
pub(super) fn is_keyword(tokens: &[Token]) -> bool {
    let mut significant = tokens.iter().filter(|it| **it != Token::Newline);
    match (significant.next(), significant.next()) {
        (Some(Token::Name(_)), Some(Token::Symbol('=' | ':'))) => {
            !matches!(significant.next(), Some(Token::Symbol('=' | ':')))
        }
        (Some(Token::Symbol('{')), _) => true,
        _ => false,
    }
}

/// Functions by the names that the text gives them: `import rmtree as r`, `{rmSync: r}`, `f = os.system`.
pub(super) fn aliases(tokens: &[Token], family: Family) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let name = |at: usize| match tokens.get(at) {
        Some(Token::Name(name)) => Some(name.as_str()),
        _ => None,
    };
    for (at, token) in tokens.iter().enumerate() {
        let alias = match token {
            Token::Name(word) if word == "as" => at
                .checked_sub(1)
                .and_then(|before| Some((name(at + 1)?, name(before)?))),
            Token::Symbol(':') if family == Family::JavaScript => at
                .checked_sub(1)
                .and_then(|before| Some((name(at + 1)?, name(before)?))),
            Token::Symbol('=') => at
                .checked_sub(1)
                .and_then(|before| Some((name(before)?, last_member(tokens, at + 1)?))),
            _ => None,
        };
        if let Some((alias, function)) = alias.filter(|(alias, function)| alias != function) {
            found.insert(alias.to_owned(), function.to_owned());
        }
        if found.len() > 64 {
            break;
        }
    }
    found
}

/// The function that an expression like `os.system` names, if it is not called.
fn last_member(tokens: &[Token], start: usize) -> Option<&str> {
    let mut at = start;
    let mut last = None;
    while at < start + 32 {
        match tokens.get(at) {
            Some(Token::Name(name)) => {
                last = Some(name.as_str());
                at += 1;
            }
            Some(Token::Symbol('.')) => {
                last = None;
                at += 1;
            }
            Some(Token::Symbol('(')) => {
                last = None;
                let near = tokens.get(..at + MAX_EXPRESSION).unwrap_or(tokens);
                at = closing(near, at) + 1;
            }
            Some(Token::Symbol(';') | Token::Newline) | None => return last,
            Some(_) => return None,
        }
    }
    None
}

/// The names that the text gives values to, and what its loops go over.
pub(super) fn bindings(lexed: &Lexed, family: Family) -> Names {
    let tokens = lexed.tokens.as_slice();
    let mut names = Names::of(lexed, family);
    for (at, token) in tokens.iter().enumerate() {
        let Token::Name(name) = token else {
            continue;
        };
        if let Some((bound, value)) = bound_by_with(tokens, at, &names) {
            bind(&mut names, &bound, value);
        }
        if let Some((bound, value)) = loops::callback(tokens, at, &names) {
            bind(&mut names, &bound, value);
        }
        let (bound, start) = match tokens.get(at + 1) {
            Some(Token::Symbol('='))
                if !matches!(tokens.get(at + 2), Some(Token::Symbol('=' | '>'))) =>
            {
                (name, at + 2)
            }
            Some(Token::Name(word)) if matches!(word.as_str(), "in" | "of") => (name, at + 2),
            _ => continue,
        };
        let rest = tokens.get(start..).unwrap_or_default();
        let mut depth = 0_usize;
        let end = rest
            .iter()
            .take(MAX_EXPRESSION)
            .position(|it| match it {
                Token::Symbol('(' | '[' | '{') => {
                    depth += 1;
                    false
                }
                Token::Symbol(')' | ']' | '}') => {
                    let outside = depth == 0;
                    depth = depth.saturating_sub(1);
                    outside
                }
                Token::Newline | Token::Symbol(';' | ',') => depth == 0,
                Token::Name(word) => depth == 0 && matches!(word.as_str(), "if" | "for" | "do"),
                _ => false,
            })
            .unwrap_or(rest.len())
            .min(MAX_EXPRESSION);
        let expression = rest.get(..end).unwrap_or_default();
        let is_loop = tokens.get(at + 1) != Some(&Token::Symbol('='));
        if is_loop && let Some(several) = loops::several(tokens, at, expression, &names) {
            for (bound, value) in several {
                bind(&mut names, &bound, value);
            }
            continue;
        }
        let value = if !is_loop && is_a_choice(rest, end) {
            Value::Unknown
        } else {
            evaluate(expression, &names, 0)
        };
        bind(&mut names, bound, value);
        if names.len() > 256 {
            break;
        }
    }
    bind_parameters(tokens, &mut names);
    names
}

/// `path = "a" if quick else "b"`: nobody knows which.
fn is_a_choice(rest: &[Token], end: usize) -> bool {
    let after = rest.get(end..).unwrap_or_default();
    matches!(after.first(), Some(Token::Name(word)) if word == "if")
        && after
            .iter()
            .take(MAX_EXPRESSION)
            .take_while(|it| !matches!(it, Token::Newline | Token::Symbol(';')))
            .any(|it| matches!(it, Token::Name(word) if word == "else"))
}

/// At most this many functions of a text, and this many calls of one, are looked at.
const MAX_FUNCTIONS: usize = 16;
const MAX_CALLS: usize = 16;

/// Gives the parameters of the text's own functions the values that they are called with.
fn bind_parameters(tokens: &[Token], names: &mut Names) {
    let functions = (0..tokens.len()).filter_map(|at| function_at(tokens, at));
    for (name, open) in functions.take(MAX_FUNCTIONS).collect::<Vec<_>>() {
        let inside = tokens
            .get(open + 1..closing(tokens, open))
            .unwrap_or_default();
        let parameters = arguments(inside).into_iter().map(|it| match it.first() {
            Some(Token::Name(parameter)) => Some(parameter.clone()),
            _ => None,
        });
        let parameters: Vec<Option<String>> = parameters.collect();
        let calls = (1..tokens.len()).filter(|at| {
            *at + 1 != open
                && matches!(tokens.get(*at), Some(Token::Name(it)) if *it == name)
                && tokens.get(at + 1) == Some(&Token::Symbol('('))
        });
        let mut given: Vec<Vec<Value>> = vec![Vec::new(); parameters.len()];
        for call in calls.take(MAX_CALLS) {
            let inside = tokens
                .get(call + 2..closing(tokens, call + 1))
                .unwrap_or_default();
            for (values, argument) in given.iter_mut().zip(arguments(inside)) {
                values.push(evaluate(argument, names, 0));
            }
        }
        for (parameter, mut values) in parameters.into_iter().zip(given) {
            values.dedup();
            let value = match values.as_slice() {
                [] => continue,
                [only] => only.clone(),
                several if several.iter().all(|it| matches!(it, Value::Text(_))) => {
                    Value::List(values)
                }
                _ => Value::Unknown,
            };
            if let Some(parameter) = parameter {
                bind(names, &parameter, value);
            }
        }
    }
}

/// The name of the function that is defined at a place, and where its parameters begin.
fn function_at(tokens: &[Token], at: usize) -> Option<(String, usize)> {
    let name = |at: usize| match tokens.get(at) {
        Some(Token::Name(name)) => Some(name.as_str()),
        _ => None,
    };
    let symbol = |at: usize, wanted: char| tokens.get(at) == Some(&Token::Symbol(wanted));
    match name(at)? {
        "function" | "def" if symbol(at + 2, '(') => Some((name(at + 1)?.to_owned(), at + 2)),
        bound if symbol(at + 1, '=') => {
            let start = match name(at + 2) {
                Some("async" | "function") => at + 3,
                _ => at + 2,
            };
            let end = closing(tokens, start);
            let arrow = symbol(end + 1, '=') && symbol(end + 2, '>');
            let is_function = name(start - 1) == Some("function") || arrow;
            (symbol(start, '(') && is_function).then(|| (bound.to_owned(), start))
        }
        _ => None,
    }
}

fn bind(names: &mut Names, name: &str, value: Value) {
    // Set twice to different things: unknown.
    let value = match names.get(name) {
        Some(before) if *before != value => Value::Unknown,
        _ => value,
    };
    names.insert(name.to_owned(), value);
}

/// `with open(…) as file`: the name and its value, where `at` is the `as`.
fn bound_by_with(tokens: &[Token], at: usize, names: &Names) -> Option<(String, Value)> {
    let (Some(Token::Name(word)), Some(Token::Name(bound))) = (tokens.get(at), tokens.get(at + 1))
    else {
        return None;
    };
    let before = tokens
        .get(at.saturating_sub(MAX_EXPRESSION / 4)..at)
        .filter(|_| word == "as")?;
    if before.last() != Some(&Token::Symbol(')')) {
        return None;
    }
    let mut depth = 0_usize;
    let start = before.iter().rposition(|token| match token {
        Token::Symbol(')' | ']' | '}') => {
            depth += 1;
            false
        }
        Token::Symbol('(' | '[' | '{') => {
            let outside = depth == 0;
            depth = depth.saturating_sub(1);
            outside
        }
        Token::Newline | Token::Symbol(',' | ';' | ':') => depth == 0,
        Token::Name(word) => depth == 0 && word == "with",
        _ => false,
    });
    let expression = before.get(start.map_or(0, |it| it + 1)..)?;
    Some((bound.clone(), evaluate(expression, names, 0)))
}
