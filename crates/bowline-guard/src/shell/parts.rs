//! One word in parts: text, parameters, substitutions.

use shuck_ast::{CommandSubstitutionSyntax, WordPart, WordPartNode};
use shuck_parser::parser::Parser;

use super::hidden::in_parentheses;
use super::plain::{self, Piece};
use super::quoting::{self, Quotes};
use super::tree::{Part, Quoting, TreeWord};

/// Reads one word.
pub(crate) fn read_word(source: &str) -> TreeWord {
    let mut parts = Vec::new();
    if let Some(pieces) = plain::pieces(source) {
        parts.extend(pieces.into_iter().map(part_of));
    } else if source.contains(['$', '`', '\\', '\'', '"', '<', '>']) {
        let parsed = Parser::parse_word_string(source);
        read_parts(
            source,
            &parsed.parts,
            0..source.len(),
            Quotes::None,
            &mut parts,
        );
    } else if !source.is_empty() {
        parts.push(Part::Text(source.to_owned(), Quoting::Bare));
    }
    TreeWord {
        source: source.to_owned(),
        parts,
    }
}

fn part_of(piece: Piece<'_>) -> Part {
    match piece {
        Piece::Bare(text) => Part::Text(text.to_owned(), Quoting::Bare),
        Piece::Quoted(text) => Part::Text(text.to_owned(), Quoting::Quoted),
        // An empty pair of quotes is a word all the same.
        Piece::Opening => Part::Text(String::new(), Quoting::Quoted),
        Piece::Parameter(text, quotes) => Part::Parameter(text.to_owned(), quoting_of(quotes)),
    }
}

fn quoting_of(quotes: Quotes) -> Quoting {
    match quotes {
        Quotes::None => Quoting::Bare,
        Quotes::Double => Quoting::Quoted,
    }
}

/// Reads text in which only expansions matter, as in double quotes: the body of a here-document.
pub(crate) fn read_document(body: &str) -> TreeWord {
    // Quotes are plain characters there; escaped, they are in a word too.
    let mut quoted = String::with_capacity(body.len() + 2);
    quoted.push('"');
    let mut chars = body.chars();
    loop {
        // In a substitution they are quotes.
        if chars.as_str().starts_with("$(")
            && let Some((inside, after)) = in_parentheses(chars.as_str())
                .and_then(|length| chars.as_str().split_at_checked(length))
        {
            quoted.push_str(inside);
            chars = after.chars();
            continue;
        }
        let Some(c) = chars.next() else {
            break;
        };
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => {
                quoted.push('\\');
                match chars.next() {
                    Some('"') => quoted.push_str("\\\\\""),
                    Some(next) => quoted.push(next),
                    None => quoted.push('\\'),
                }
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    read_word(&quoted)
}

fn read_parts(
    source: &str,
    nodes: &[WordPartNode],
    all: std::ops::Range<usize>,
    quotes: Quotes,
    out: &mut Vec<Part>,
) {
    let mut end = all.start;
    for node in nodes {
        let range = node.span.start.offset()..node.span.end.offset();
        let contiguous = range.start == end && range.end <= all.end;
        let start = end;
        end = range.end;
        if let Some(text) = source.get(range.clone()).filter(|_| contiguous) {
            read_part(source, &node.kind, text, range.start, quotes, out);
        } else {
            let unseen = source.get(start..all.end).unwrap_or(source);
            out.push(Part::Opaque(unseen.to_owned()));
            return;
        }
    }
    if end != all.end {
        let unseen = source.get(end..all.end).unwrap_or(source);
        out.push(Part::Opaque(unseen.to_owned()));
    }
}

fn read_part(
    source: &str,
    part: &WordPart,
    text: &str,
    start: usize,
    quotes: Quotes,
    out: &mut Vec<Part>,
) {
    let quoting = quoting_of(quotes);
    let read = match part {
        WordPart::Literal(_) => match quotes {
            Quotes::None => return push_bare(text, out),
            Quotes::Double => Some(Part::Text(quoting::double_quoted(text), Quoting::Quoted)),
        },
        WordPart::SingleQuoted { dollar: true, .. } => between(text, "$'", "'")
            .map(|inside| Part::Text(quoting::ansi_c(inside), Quoting::Quoted)),
        WordPart::SingleQuoted { dollar: false, .. } => {
            between(text, "'", "'").map(|inside| Part::Text(inside.to_owned(), Quoting::Quoted))
        }
        WordPart::DoubleQuoted { parts, dollar } => {
            let opening = if *dollar { "$\"" } else { "\"" };
            match between(text, opening, "\"") {
                Some(inside) => {
                    let start = start + opening.len();
                    // An empty pair of quotes is a word all the same.
                    out.push(Part::Text(String::new(), Quoting::Quoted));
                    let inner = start..start + inside.len();
                    return read_parts(source, parts, inner, Quotes::Double, out);
                }
                None => None,
            }
        }
        WordPart::CommandSubstitution { syntax, .. } => match syntax {
            CommandSubstitutionSyntax::DollarParen => {
                between(text, "$(", ")").map(|inside| Part::Commands(inside.to_owned(), quoting))
            }
            CommandSubstitutionSyntax::Backtick => between(text, "`", "`")
                .map(|inside| Part::Commands(quoting::in_backticks(inside, quotes), quoting)),
        },
        WordPart::ProcessSubstitution { is_input: true, .. } => {
            between(text, "<(", ")").map(|inside| Part::ReadsFrom(inside.to_owned()))
        }
        WordPart::ProcessSubstitution {
            is_input: false, ..
        } => between(text, ">(", ")").map(|inside| Part::WritesTo(inside.to_owned())),
        WordPart::ArithmeticExpansion { .. } => between(text, "$((", "))")
            .or_else(|| between(text, "$[", "]"))
            .map(|inside| Part::Arithmetic(inside.to_owned())),
        WordPart::Variable(_)
        | WordPart::Parameter(_)
        | WordPart::ParameterExpansion { .. }
        | WordPart::Length(_)
        | WordPart::ArrayAccess(_)
        | WordPart::ArrayLength(_)
        | WordPart::ArrayIndices(_)
        | WordPart::Substring { .. }
        | WordPart::ArraySlice { .. }
        | WordPart::IndirectExpansion { .. }
        | WordPart::PrefixMatch { .. }
        | WordPart::Transformation { .. } => Some(Part::Parameter(text.to_owned(), quoting)),
        WordPart::ZshQualifiedGlob(_) => None,
    };
    out.push(read.unwrap_or_else(|| Part::Opaque(text.to_owned())));
}

/// Text outside quotes: what a backslash keeps as it is counts as quoted.
fn push_bare(text: &str, out: &mut Vec<Part>) {
    let mut bare = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            bare.push(c);
            continue;
        }
        match chars.next() {
            Some('\n') => {}
            Some(escaped) if escaped.is_ascii_alphanumeric() => bare.push(escaped),
            Some(escaped) => {
                if !bare.is_empty() {
                    out.push(Part::Text(std::mem::take(&mut bare), Quoting::Bare));
                }
                out.push(Part::Text(escaped.to_string(), Quoting::Quoted));
            }
            None => bare.push('\\'),
        }
    }
    if !bare.is_empty() {
        out.push(Part::Text(bare, Quoting::Bare));
    }
}

fn between<'t>(text: &'t str, opening: &str, closing: &str) -> Option<&'t str> {
    text.strip_prefix(opening)?.strip_suffix(closing)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn through_the_parser(source: &str) -> Vec<Part> {
        let mut parts = Vec::new();
        let parsed = Parser::parse_word_string(source);
        let all = 0..source.len();
        read_parts(source, &parsed.parts, all, Quotes::None, &mut parts);
        parts
    }

    /// Quotes with nothing in them make a word; more of them make nothing else.
    fn one_empty(mut parts: Vec<Part>) -> Vec<Part> {
        let empty = |part: &Part| *part == Part::Text(String::new(), Quoting::Quoted);
        parts.dedup_by(|next, previous| empty(next) && empty(previous));
        parts
    }

    #[test]
    fn plain_words_need_no_parser() {
        for word in [
            "a",
            "$x",
            "\"$x/a b\"",
            "'a $x'b",
            "--a=\"b\"",
            "\"\"",
            "''",
        ] {
            assert!(plain::pieces(word).is_some(), "{word}");
        }
        for word in [
            "$(a)", "`a`", "\"a\\b\"", "~", "*.rs", "{a,b}", "$1", "${x}", "$x[1]",
        ] {
            assert!(plain::pieces(word).is_none(), "{word}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_word_without_the_parser_is_what_the_parser_makes_of_it(
            word in "([a-z0-9./:=,+@%_-]{1,3}|\\$[a-z_]{1,2}|'[^']{0,4}'|\"([^\"\\\\`$]|\\$[a-z]){0,4}\"){1,5}"
        ) {
            if plain::pieces(&word).is_some() {
                let without = one_empty(read_word(&word).parts);
                prop_assert_eq!(without, one_empty(through_the_parser(&word)), "{}", word);
            }
        }
    }
}
