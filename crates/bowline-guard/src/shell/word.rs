//! One word: its value after quote removal, and the substitutions in it.
//!
//! The parser's view of a word is used only as far as its parts lie end to end over the word's text; anything else
//! is a problem.

use std::ops::Range;

use shuck_ast::{CommandSubstitutionSyntax, HeredocBody, HeredocBodyPart, WordPart, WordPartNode};
use shuck_parser::parser::Parser;

use super::plain::{self, Piece};
use super::quoting::{self, Quotes};
use super::reader::{Reader, Unit, UnitKind};
use super::{Construct, Expansion, Word};

/// Reads the word at the range.
pub(super) fn read(reader: &mut Reader, unit: &Unit, range: Range<usize>) -> Word {
    let Some(source) = unit.text.get(range.clone()) else {
        reader.problem("a word lies outside the text");
        return Word {
            source: String::new(),
            literal: None,
            expansion: Expansion::Dynamic,
        };
    };
    let mut value = Value::default();
    if has_special(source) {
        Scan { reader, unit }.word(range, source, &mut value);
    } else {
        value.push_unquoted(source);
    }
    value.into_word(source)
}

/// Reads the word at the range for what is in it alone.
pub(super) fn check(reader: &mut Reader, unit: &Unit, range: Range<usize>) {
    match unit.text.get(range.clone()) {
        Some(source) if !has_special(source) => {}
        Some(source) => Scan { reader, unit }.word(range, source, &mut Value::default()),
        None => reader.problem("a word lies outside the text"),
    }
}

fn has_special(source: &str) -> bool {
    source
        .bytes()
        .any(|it| matches!(it, b'$' | b'`' | b'\\' | b'\'' | b'"' | b'<' | b'>'))
}

/// Finds the substitutions in a whole unit.
pub(super) fn look_into(reader: &mut Reader, unit: &Unit, quotes: Quotes) {
    if quotes == Quotes::Double && unit.text.contains('\'') {
        // Here an apostrophe is a plain character to some operators and a quote to others.
        reader.problem(format!(
            "`{}` has a single quote inside double quotes",
            shorten(&unit.text)
        ));
    }
    let mut scan = Scan { reader, unit };
    let whole = 0..unit.text.len();
    let parsed = Parser::parse_word_string(&unit.text);
    scan.parts(&parsed.parts, whole, 0, quotes, &mut Value::default());
}

/// Finds the substitutions in the body of a here-document whose delimiter is not quoted.
pub(super) fn look_into_document(reader: &mut Reader, unit: &Unit, body: &HeredocBody) {
    let mut scan = Scan { reader, unit };
    let mut end = body.span.start.offset();
    for part in &body.parts {
        let range = part.span.start.offset()..part.span.end.offset();
        // `<<-` drops the tabs before a line, and the parser the part that was only tabs.
        let gap = unit.text.get(end..range.start);
        let contiguous = gap.is_some_and(|gap| gap.bytes().all(|byte| byte == b'\t'));
        end = range.end;
        let Some(text) = unit.text.get(range.clone()).filter(|_| contiguous) else {
            scan.unclear(&(range.start..range.end));
            return;
        };
        match &part.kind {
            HeredocBodyPart::Literal(_) => scan.no_openings(text, &range),
            HeredocBodyPart::Variable(_) | HeredocBodyPart::Parameter(_) => {
                scan.parameter(text, range, Quotes::Double);
            }
            HeredocBodyPart::CommandSubstitution { syntax, .. } => {
                scan.commands(*syntax, text, range, Quotes::None);
            }
            HeredocBodyPart::ArithmeticExpansion { .. } => scan.arithmetic(text, range),
        }
    }
    if end != body.span.end.offset() {
        scan.unclear(&(end..body.span.end.offset()));
    }
}

/// Whether something in the text may run commands.
pub(super) fn may_run_commands(text: &str) -> bool {
    text.contains(['$', '`']) || text.contains("<(") || text.contains(">(")
}

#[derive(Default)]
struct Value {
    literal: String,
    pattern: bool,
    dynamic: bool,
}

impl Value {
    fn push_unquoted(&mut self, text: &str) {
        self.pattern |= has_pattern(text) || (self.literal.is_empty() && text.starts_with('~'));
        self.literal.push_str(&quoting::unquoted(text));
    }

    fn into_word(self, source: &str) -> Word {
        Word {
            source: source.to_owned(),
            literal: (!self.dynamic).then_some(self.literal),
            expansion: match (self.dynamic, self.pattern) {
                (true, _) => Expansion::Dynamic,
                (false, true) => Expansion::Pattern,
                (false, false) => Expansion::None,
            },
        }
    }
}

/// Whether text outside quotes has a glob or braces that expand.
fn has_pattern(text: &str) -> bool {
    let mut brace = false;
    let mut separator = false;
    let mut previous = ' ';
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '*' | '?' | '[' => return true,
            '(' if matches!(previous, '!' | '@' | '+') => return true,
            '{' => brace = true,
            ',' => separator |= brace,
            '.' => separator |= brace && previous == '.',
            '}' if separator => return true,
            _ => {}
        }
        previous = c;
    }
    false
}

struct Scan<'r, 'u> {
    reader: &'r mut Reader,
    unit: &'u Unit,
}

impl Scan<'_, '_> {
    fn word(&mut self, range: Range<usize>, source: &str, value: &mut Value) {
        value.dynamic = self.reader.pay(source).is_err();
        if value.dynamic {
            return;
        }
        if let Some(pieces) = plain::pieces(source) {
            for piece in pieces {
                match piece {
                    Piece::Bare(text) | Piece::Quoted(text) => value.literal.push_str(text),
                    Piece::Opening => {}
                    Piece::Parameter(..) => value.dynamic = true,
                }
            }
        } else {
            let parsed = Parser::parse_word_string(source);
            let base = range.start;
            self.parts(&parsed.parts, range, base, Quotes::None, value);
        }
    }

    /// Parts that must cover `all`, end to end. `base` is where their own offsets begin.
    fn parts(
        &mut self,
        parts: &[WordPartNode],
        all: Range<usize>,
        base: usize,
        quotes: Quotes,
        value: &mut Value,
    ) {
        let mut end = all.start;
        for part in parts {
            let range = base + part.span.start.offset()..base + part.span.end.offset();
            let contiguous = range.start == end && range.end <= all.end;
            end = range.end;
            let Some(text) = self.unit.text.get(range.clone()).filter(|_| contiguous) else {
                value.dynamic = true;
                self.unclear(&all);
                return;
            };
            self.part(&part.kind, text, range, base, quotes, value);
        }
        if end != all.end {
            value.dynamic = true;
            self.unclear(&all);
        }
    }

    fn part(
        &mut self,
        part: &WordPart,
        text: &str,
        range: Range<usize>,
        base: usize,
        quotes: Quotes,
        value: &mut Value,
    ) {
        match part {
            WordPart::Literal(_) => {
                self.no_openings(text, &range);
                match quotes {
                    Quotes::None => value.push_unquoted(text),
                    Quotes::Double => value.literal.push_str(&quoting::double_quoted(text)),
                }
            }
            WordPart::SingleQuoted { dollar, .. } => {
                let opening = if *dollar { "$'" } else { "'" };
                match (between(text, opening, "'"), dollar) {
                    (Some(inside), true) => value.literal.push_str(&quoting::ansi_c(inside)),
                    (Some(inside), false) => value.literal.push_str(inside),
                    (None, _) => self.unclear(&range),
                }
            }
            WordPart::DoubleQuoted { parts, dollar } => {
                let opening = if *dollar { "$\"" } else { "\"" };
                match between(text, opening, "\"") {
                    Some(inside) => {
                        let start = range.start + opening.len();
                        let inner = start..start + inside.len();
                        self.parts(parts, inner, base, Quotes::Double, value);
                    }
                    None => self.unclear(&range),
                }
            }
            WordPart::CommandSubstitution { syntax, .. } => {
                value.dynamic = true;
                self.commands(*syntax, text, range, quotes);
            }
            WordPart::ProcessSubstitution { is_input, .. } => {
                value.dynamic = true;
                self.process(text, range, if *is_input { "<(" } else { ">(" }, quotes);
            }
            WordPart::ArithmeticExpansion { .. } => {
                value.dynamic = true;
                self.arithmetic(text, range);
            }
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
            | WordPart::Transformation { .. } => {
                value.dynamic = true;
                self.parameter(text, range, quotes);
            }
            WordPart::ZshQualifiedGlob(_) => {
                value.dynamic = true;
                self.unclear(&range);
            }
        }
    }

    fn commands(
        &mut self,
        syntax: CommandSubstitutionSyntax,
        text: &str,
        range: Range<usize>,
        quotes: Quotes,
    ) {
        let (opening, closing) = match syntax {
            CommandSubstitutionSyntax::DollarParen => ("$(", ")"),
            CommandSubstitutionSyntax::Backtick => ("`", "`"),
        };
        let Some(inside) = between(text, opening, closing) else {
            return self.unclear(&range);
        };
        let commands = match syntax {
            CommandSubstitutionSyntax::DollarParen => inside.to_owned(),
            CommandSubstitutionSyntax::Backtick => quoting::in_backticks(inside, quotes),
        };
        self.later(
            range,
            opening,
            inside,
            commands,
            UnitKind::Commands,
            Construct::Substitution,
        );
    }

    fn process(&mut self, text: &str, range: Range<usize>, opening: &str, quotes: Quotes) {
        let Some(inside) = between(text, opening, ")") else {
            return self.unclear(&range);
        };
        let (kind, construct) = match quotes {
            Quotes::None => (UnitKind::Commands, Construct::ProcessSubstitution),
            // Arithmetic: a comparison with something in parentheses.
            Quotes::Double => (UnitKind::Expansion(quotes), self.unit.context.construct),
        };
        self.later(range, opening, inside, inside.to_owned(), kind, construct);
    }

    fn arithmetic(&mut self, text: &str, range: Range<usize>) {
        let double = between(text, "$((", "))").map(|inside| ("$((", inside));
        let Some((opening, inside)) =
            double.or_else(|| between(text, "$[", "]").map(|inside| ("$[", inside)))
        else {
            return self.unclear(&range);
        };
        self.expansion(range, opening, inside, Quotes::Double);
    }

    fn parameter(&mut self, text: &str, range: Range<usize>, quotes: Quotes) {
        if !text.starts_with("${") {
            // `$name`, or `$` and one character.
            let name = text.strip_prefix('$').unwrap_or_default();
            let named = name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
            if name.is_empty() || (!named && name.chars().nth(1).is_some()) {
                self.unclear(&range);
            }
            return;
        }
        let Some(inside) = between(text, "${", "}") else {
            return self.unclear(&range);
        };
        if inside.starts_with([' ', '\t', '\n', '|', '(']) {
            // Commands that run in this shell, since bash 5.3. Where the braces end is a guess.
            self.reader
                .problem(format!("`{}` runs commands", shorten(text)));
            let commands = inside.trim_start_matches('|').to_owned();
            self.later(
                range,
                "${",
                inside,
                commands,
                UnitKind::Commands,
                Construct::Substitution,
            );
        } else {
            self.expansion(range, "${", inside, quotes);
        }
    }

    fn expansion(&mut self, range: Range<usize>, opening: &str, inside: &str, quotes: Quotes) {
        if may_run_commands(inside) {
            let construct = self.unit.context.construct;
            let kind = UnitKind::Expansion(quotes);
            self.later(range, opening, inside, inside.to_owned(), kind, construct);
        }
    }

    fn later(
        &mut self,
        range: Range<usize>,
        opening: &str,
        inside: &str,
        text: String,
        kind: UnitKind,
        construct: Construct,
    ) {
        let start = range.start + opening.len();
        let part = start..start + inside.len();
        self.reader
            .read_later(self.unit, part, text, kind, construct);
    }

    /// A literal must not have anything left in it that a shell would expand.
    fn no_openings(&mut self, text: &str, range: &Range<usize>) {
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' => {
                    chars.next();
                }
                '`' => return self.unclear(range),
                '$' if matches!(chars.peek(), Some('(' | '{' | '[')) => {
                    return self.unclear(range);
                }
                _ => {}
            }
        }
    }

    fn unclear(&mut self, range: &Range<usize>) {
        let text = self.unit.text.get(range.clone()).unwrap_or(&self.unit.text);
        let problem = format!("`{}` cannot be seen through", shorten(text));
        self.reader.problem(problem);
    }
}

fn between<'t>(text: &'t str, opening: &str, closing: &str) -> Option<&'t str> {
    text.strip_prefix(opening)?.strip_suffix(closing)
}

/// Enough of a text to recognise it, in one line.
pub(super) fn shorten(text: &str) -> String {
    const MOST: usize = 60;
    let mut short: String = text.chars().take(MOST).collect();
    if text.chars().nth(MOST).is_some() {
        short.push('…');
    }
    short.replace(char::is_control, " ")
}
