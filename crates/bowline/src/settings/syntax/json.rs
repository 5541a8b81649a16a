//! JSON, and what people write in its place: comments and trailing commas.

use jsonc_parser::ast::{self, ObjectPropName};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::findings::Findings;
use super::node::{Entry, Key, Node, Span, SyntaxError, Value, shifted};

/// Who else reads a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::settings) enum Reader {
    /// Claude Code, which takes nothing but JSON.
    ClaudeCode,
    /// Perhaps nobody.
    Other,
}

/// A part of a text that JSON does not have, and that editors and people find nothing wrong with.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotJson {
    /// The bytes.
    pub span: Span,
    /// What it is, for people: "a comment".
    pub what: &'static str,
}

/// Every comment and every comma too many, in the order of the text; nothing where it is plain JSON, or worse.
pub fn not_json(text: &str) -> Vec<NotJson> {
    let base = crate::settings::syntax::tree::start(text);
    let collect = CollectOptions {
        comments: CommentCollectionStrategy::AsTokens,
        tokens: true,
    };
    let body = text.get(base..).unwrap_or_default();
    let parsed = parse_to_ast(body, &collect, &ParseOptions::default());
    let tokens = parsed.ok().and_then(|it| it.tokens).unwrap_or_default();
    let part = |range, what| NotJson {
        span: span(range, base),
        what,
    };
    let mut parts = Vec::new();
    let mut comma = None;
    for token in &tokens {
        match &token.token {
            Token::CommentLine(_) | Token::CommentBlock(_) => {
                parts.push(part(token.range, "a comment"));
            }
            Token::Comma => comma = Some(token.range),
            Token::CloseBrace | Token::CloseBracket => {
                let comma = comma.take();
                parts.extend(comma.map(|at| part(at, "a comma before the closing bracket")));
            }
            _ => comma = None,
        }
    }
    parts.sort_by_key(|it| it.span.start);
    parts
}

/// Reads JSON that begins at byte `base` of the file; `None` when there is nothing in it.
///
/// The text is first read strictly. What JSON does not have but is understood is then allowed and reported,
/// one kind after the other; all of it where Claude Code reads the file, too.
pub(in crate::settings) fn read(
    text: &str,
    base: usize,
    reader: Reader,
    findings: &mut Findings<'_>,
) -> Result<Option<Node>, SyntaxError> {
    let mut options = ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    loop {
        let error = match parse_to_ast(text, &CollectOptions::default(), &options) {
            Ok(parsed) => {
                if reader == Reader::ClaudeCode {
                    refused(text, base, findings);
                }
                return Ok(parsed.value.as_ref().map(|value| node(value, base)));
            }
            Err(error) => error,
        };
        let span = span(error.range(), base);
        let found = match error.kind() {
            ParseErrorKind::CommentsNotAllowed if !options.allow_comments => {
                options.allow_comments = true;
                "a comment"
            }
            ParseErrorKind::TrailingCommasNotAllowed if !options.allow_trailing_commas => {
                options.allow_trailing_commas = true;
                "a comma after the last entry"
            }
            kind => {
                return Err(SyntaxError {
                    span,
                    message: format!("not valid JSON: {}", lower_first(&kind.to_string())),
                });
            }
        };
        if reader == Reader::Other {
            findings.warning(
                NOT_STRICT,
                &span,
                format!("{found}: Bowline reads this, but Claude Code refuses the whole file"),
                "remove it if Claude Code reads this file too",
            );
        }
    }
}

const NOT_STRICT: &str = "not-strict-json";

/// What makes Claude Code refuse the file.
fn refused(text: &str, base: usize, findings: &mut Findings<'_>) {
    for part in not_json(text) {
        findings.error(
            NOT_STRICT,
            &shifted(part.span, base),
            format!(
                "{}: Claude Code refuses the whole file, with all of its hooks and permissions",
                part.what
            ),
            "remove it",
        );
    }
}

fn node(value: &ast::Value<'_>, base: usize) -> Node {
    let read = match value {
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::BooleanLit(literal) => Value::Bool(literal.value),
        ast::Value::NumberLit(literal) => Value::Number(literal.value.to_owned()),
        ast::Value::StringLit(literal) => Value::String(literal.value.clone().into_owned()),
        ast::Value::Array(array) => Value::List(
            array
                .elements
                .iter()
                .map(|element| node(element, base))
                .collect(),
        ),
        ast::Value::Object(object) => Value::Map(
            object
                .properties
                .iter()
                .map(|property| Entry {
                    key: key(&property.name, base),
                    value: node(&property.value, base),
                })
                .collect(),
        ),
    };
    Node::new(read, span(value.range(), base))
}

fn key(name: &ObjectPropName<'_>, base: usize) -> Key {
    Key {
        text: name.as_str().to_owned(),
        span: span(name.range(), base),
    }
}

fn span(range: Range, base: usize) -> Span {
    shifted(range.start..range.end, base)
}

/// The parser's messages begin with a capital; ours go on after a colon.
fn lower_first(message: &str) -> String {
    let mut chars = message.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_read_with_one_warning_each() {
        let text = "{ // one\n \"a\": [1, 2,], /* two */ \"b\": {\"c\": null,}, }";
        let mut findings = Findings::new(text, 0, None);
        let root = read(text, 0, Reader::Other, &mut findings)
            .unwrap()
            .unwrap();
        assert!(matches!(&root.get("a").unwrap().value, Value::List(list) if list.len() == 2));
        let found: Vec<_> = findings
            .finish()
            .iter()
            .map(|finding| (finding.code, finding.line))
            .collect();
        assert_eq!(found, [("not-strict-json", 1), ("not-strict-json", 2)]);
    }

    #[test]
    fn all_that_claude_code_refuses_is_an_error() {
        let text = "\u{feff}{ // one\n \"a\": [1, 2,],\n /* three */ \"b\": {\"c\": null,}, }";
        let mut findings = Findings::new(text, 3, None);
        read(&text[3..], 3, Reader::ClaudeCode, &mut findings)
            .unwrap()
            .unwrap();
        let found: Vec<_> = findings
            .finish()
            .iter()
            .map(|it| (it.severity, it.line, text[it.span.clone()].to_owned()))
            .collect();
        let error = |line, part: &str| (crate::settings::Severity::Error, line, part.to_owned());
        assert_eq!(
            found,
            [
                error(1, "// one"),
                error(2, ","),
                error(3, "/* three */"),
                error(3, ","),
                error(3, ",")
            ]
        );
        assert_eq!(not_json("{\"a\": \"// no, ]\"}"), []);
    }

    #[test]
    fn other_deviations_are_errors_with_a_place() {
        for (text, at) in [
            ("{\"a\": 1 \"b\": 2}", 7),
            ("{'a': 1}", 1),
            ("{a: 1}", 1),
            ("{\"a\": }", 6),
            ("[1, 2", 0),
            ("{} {}", 3),
            ("{\"a\": \"\\x\"}", 7),
            ("nul", 0),
        ] {
            let mut findings = Findings::new(text, 0, None);
            let error = read(text, 0, Reader::Other, &mut findings).unwrap_err();
            assert_eq!(error.span.start, at, "{text}: {}", error.message);
        }
    }

    #[test]
    fn spans_are_those_of_the_whole_file() {
        let text = "\u{feff}{\"é\": \"x\"}";
        let mut findings = Findings::new(text, 3, None);
        let root = read(&text[3..], 3, Reader::Other, &mut findings)
            .unwrap()
            .unwrap();
        assert_eq!(&text[root.get("é").unwrap().span.clone()], "\"x\"");
    }
}
