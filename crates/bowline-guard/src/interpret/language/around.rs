//! What stands around a called name: receiver, arguments, and the names that the text has bound.

use std::collections::BTreeMap;

use super::lexer::{Family, Token};
use super::value::{Names, Value, closing, evaluate};

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
    while start > 0 {
        match tokens.get(start - 1)? {
            Token::Symbol(')' | ']') => depth += 1,
            Token::Symbol('(' | '[') => {
                if depth == 0 {
                    break;
                }
                depth -= 1;
            }
            Token::Symbol(';' | '=' | ',' | '{' | '}') | Token::Newline if depth == 0 => break,
            _ => {}
        }
        start -= 1;
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
                at = closing(tokens, at) + 1;
            }
            Some(Token::Symbol(';') | Token::Newline) | None => return last,
            Some(_) => return None,
        }
    }
    None
}

/// The names that the text gives values to, and what its loops go over.
pub(super) fn bindings(tokens: &[Token]) -> Names {
    let mut names = Names::new();
    for (at, token) in tokens.iter().enumerate() {
        let Token::Name(name) = token else {
            continue;
        };
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
            .min(256);
        let value = evaluate(rest.get(..end).unwrap_or_default(), &names, 0);
        // Set twice to different things: unknown.
        let value = match names.get(bound) {
            Some(before) if *before != value => Value::Unknown,
            _ => value,
        };
        names.insert(bound.clone(), value);
        if names.len() > 256 {
            break;
        }
    }
    names
}
