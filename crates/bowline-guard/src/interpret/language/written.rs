//! What a program text writes to the files that it opens, for whoever runs them later in the same line.

use std::borrow::Cow;

use super::deeds::Deed;
use super::lexer::{Family, Token};
use super::names::Names;
use super::value::{Value, arguments, closing, evaluate};
use crate::interpret::Interpreter;
use crate::interpret::scope::Scope;
use crate::interpret::value::Output;
use crate::invocation::Arg;

/// At most this many writing calls are looked at.
const MAX_WRITES: usize = 32;

impl Interpreter<'_> {
    /// Remembers what a file is given.
    pub(super) fn keeps(&mut self, path: &Value, text: &str, scope: &mut Scope) {
        if let Value::Text(path) = path {
            self.written(&Arg::known(path.clone()), &Output::text(text), scope);
        }
    }
}

/// Whether a value may be the path of a file.
pub(super) fn could_be_path(value: &Value) -> bool {
    match value {
        Value::Text(text) => text.contains(['/', '.', '~', '*', '\\', '…']) || text.len() > 3,
        Value::List(values) => values.iter().any(could_be_path),
        Value::Unknown => true,
    }
}

/// Whether a method that deletes is one of a path, although nobody knows which: `path.unlink()`.
pub(super) fn deletes_a_path(tokens: &[Token], before: &str) -> bool {
    let is_path =
        |it: &Token| matches!(it, Token::Name(word) if matches!(word.as_str(), "Path" | "pathlib"));
    !before.is_empty() && tokens.iter().any(is_path)
}

/// The code with `~` for the home where a text puts it in: `"rm -rf $ENV{HOME}"`.
pub(super) fn with_home(code: &str) -> Cow<'_, str> {
    const HOME: &[&str] = &[
        "$ENV{HOME}",
        "#{ENV['HOME']}",
        "#{ENV[\"HOME\"]}",
        "#{Dir.home}",
        "${process.env.HOME}",
        "${os.homedir()}",
        "{Path.home()}",
        "{os.environ['HOME']}",
        "{$_SERVER['HOME']}",
        "{os.path.expanduser('~')}",
    ];
    if !code.contains(['{']) || !HOME.iter().any(|it| code.contains(it)) {
        return Cow::Borrowed(code);
    }
    let mut text = code.to_owned();
    for home in HOME {
        text = text.replace(home, "~");
    }
    Cow::Owned(text)
}

/// Everything that the writing calls of a text write.
pub(super) fn texts_written(tokens: &[Token], names: &Names) -> String {
    let mut found = String::new();
    let calls = tokens.iter().enumerate().filter(|(_, token)| {
        matches!(token, Token::Name(name)
            if matches!(name.as_str(), "write" | "writelines" | "print" | "puts" | "fwrite" | "fputs" | "syswrite"))
    });
    for (at, _) in calls.take(MAX_WRITES) {
        let inside = match tokens.get(at + 1) {
            Some(Token::Symbol('(')) => tokens.get(at + 2..closing(tokens, at + 1)),
            // Perl: `print F "text";`
            _ => tokens.get(at + 1..).map(|rest| {
                let end = rest
                    .iter()
                    .position(|it| matches!(it, Token::Symbol(';' | '}') | Token::Newline))
                    .unwrap_or(rest.len());
                rest.get(..end).unwrap_or_default()
            }),
        };
        for argument in arguments(inside.unwrap_or_default()) {
            let begin = argument
                .iter()
                .position(|it| matches!(it, Token::Text(_)))
                .unwrap_or(0);
            if let Value::Text(text) = evaluate(argument.get(begin..).unwrap_or_default(), names, 0)
            {
                found.push_str(&text);
                found.push('\n');
            }
        }
    }
    found
}

/// Ruby and Perl call methods without parentheses: `path.rmtree`.
pub(super) fn no_arguments(deed: Deed, before: &str) -> Option<&'static [Token]> {
    (deed == Deed::DeleteTree && before.ends_with(')')).then_some(&[])
}

/// The file that is opened for writing.
pub(super) fn written_path(values: &[Value], family: Family) -> Option<Value> {
    let writes = |mode: &str| mode.starts_with(['w', 'x', 'a', '>']);
    match (family, values) {
        (Family::Perl, [_, Value::Text(text)]) if writes(text) => {
            Some(Value::Text(text.trim_start_matches(['>', ' ']).to_owned()))
        }
        (Family::Perl, [_, Value::Text(mode), path, ..]) | (_, [path, Value::Text(mode), ..])
            if writes(mode) =>
        {
            Some(path.clone())
        }
        _ => None,
    }
}
