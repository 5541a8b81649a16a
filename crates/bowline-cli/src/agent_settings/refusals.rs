//! What keeps Claude Code from reading a settings file that people and editors find nothing wrong with.

use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde::Serialize;

/// A part of a file for which the client refuses the whole of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Refusal {
    /// From 1.
    pub(crate) line: usize,
    what: &'static str,
}

impl Refusal {
    pub(crate) fn told(&self) -> String {
        format!("line {}: {}", self.line, self.what)
    }
}

/// Every comment and every comma too many, in the order of the file; nothing where the file is plain JSON.
pub(crate) fn refusals(text: &str) -> Vec<Refusal> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let collect = CollectOptions {
        comments: CommentCollectionStrategy::AsTokens,
        tokens: true,
    };
    let parsed = parse_to_ast(text, &collect, &ParseOptions::default());
    let tokens = parsed.ok().and_then(|it| it.tokens).unwrap_or_default();
    let line_of = |start: usize| {
        let before = text.get(..start).unwrap_or_default();
        before.matches('\n').count() + 1
    };
    let mut refusals = Vec::new();
    let mut comma = None;
    for token in &tokens {
        match &token.token {
            Token::CommentLine(_) | Token::CommentBlock(_) => {
                refusals.push((token.range.start, "a comment"));
            }
            Token::Comma => comma = Some(token.range.start),
            Token::CloseBrace | Token::CloseBracket => {
                refusals.extend(
                    comma
                        .take()
                        .map(|at| (at, "a comma before the closing bracket")),
                );
            }
            _ => comma = None,
        }
    }
    refusals.sort_by_key(|(at, _)| *at);
    let refusals = refusals.into_iter();
    refusals
        .map(|(at, what)| Refusal {
            line: line_of(at),
            what,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_commas_are_told_with_their_lines() {
        let lines =
            |text: &str| -> Vec<usize> { refusals(text).iter().map(|it| it.line).collect() };
        for (text, expected) in [
            ("", &[][..]),
            ("{\"a\": [1, \"// no, ]\"]}", &[]),
            ("\u{feff}{}\n", &[]),
            ("{ // one\n}", &[1]),
            (
                "// one\n{\n  \"a\": [1, 2,], /* three */\n}\n// five",
                &[1, 3, 3, 3, 5],
            ),
            ("{\n  \"a\": 1, // two\n}", &[2, 2]),
        ] {
            assert_eq!(lines(text), expected, "{text}");
        }
        let told: Vec<_> = refusals("{\n  \"a\": 1,\n}")
            .iter()
            .map(Refusal::told)
            .collect();
        assert_eq!(told, ["line 2: a comma before the closing bracket"]);
    }
}
