//! Tokens of a program text in any of the scripting languages: names, strings, the rest.

/// One token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A name; `$` and `@` before it belong to it.
    Name(String),
    /// A string's text, as far as it is literal: `…` for what is put into it.
    Text(String),
    /// A text that the language gives to a shell: backticks, `qx`, `%x`.
    Shell(String),
    Number(String),
    Symbol(char),
    Newline,
}

/// Which of the families a language belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Python,
    JavaScript,
    Ruby,
    Perl,
    Php,
    Tcl,
    Other,
}

const MAX_TOKENS: usize = 20_000;

/// At most this many expressions within texts are kept.
const MAX_INSIDE: usize = 128;

/// A program text, split.
#[derive(Debug)]
pub(super) struct Lexed {
    pub(super) tokens: Vec<Token>,
    /// The expressions that are put into texts, with the number of the text's token.
    pub(super) inside: Vec<(usize, String)>,
}

/// Splits a program text. Never fails: what it does not know is a symbol.
pub(super) fn lex(text: &str, family: Family) -> Lexed {
    let mut lexer = Lexer {
        rest: text,
        family,
        out: Vec::new(),
        inside: Vec::new(),
    };
    while lexer.out.len() < MAX_TOKENS && lexer.step() {}
    Lexed {
        tokens: lexer.out,
        inside: lexer.inside,
    }
}

struct Lexer<'t> {
    rest: &'t str,
    family: Family,
    out: Vec<Token>,
    inside: Vec<(usize, String)>,
}

impl Lexer<'_> {
    fn step(&mut self) -> bool {
        let Some(c) = self.rest.chars().next() else {
            return false;
        };
        match c {
            '\n' => {
                self.skip(1);
                self.out.push(Token::Newline);
            }
            c if c.is_whitespace() => self.skip(c.len_utf8()),
            '#' if self.family != Family::JavaScript && !self.after_name() => self.comment("\n"),
            '/' if self.rest.starts_with("//")
                && matches!(
                    self.family,
                    Family::JavaScript | Family::Php | Family::Other
                ) =>
            {
                self.comment("\n");
            }
            '/' if self.rest.starts_with("/*") && self.family != Family::Python => {
                self.comment("*/");
            }
            '\'' | '"' => self.string(c),
            '`' => {
                let text = self.delimited('`', '`', true);
                self.out.push(match self.family {
                    Family::JavaScript if !self.tagged() => Token::Text(text),
                    Family::Python => Token::Text(text),
                    _ => Token::Shell(text),
                });
            }
            '%' if self.family == Family::Ruby => self.percent(),
            c if c == '_' || c == '$' || c == '@' || c.is_alphabetic() => self.name(),
            c if c.is_ascii_digit() => self.number(),
            c => {
                self.skip(c.len_utf8());
                self.out.push(Token::Symbol(c));
            }
        }
        true
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn after_name(&self) -> bool {
        self.family == Family::Perl && matches!(self.out.last(), Some(Token::Symbol('$')))
    }

    /// zx's `$` before a template runs it.
    fn tagged(&self) -> bool {
        matches!(self.out.last(), Some(Token::Name(name)) if name == "$")
    }

    fn comment(&mut self, end: &str) {
        let at = self.rest.find(end).map_or(self.rest.len(), |at| {
            if end == "\n" { at } else { at + end.len() }
        });
        self.skip(at.max(1));
    }

    fn string(&mut self, quote: char) {
        let triple: String = [quote; 3].iter().collect();
        if self.family == Family::Python && self.rest.starts_with(&triple) {
            let inside = self.rest.get(3..).unwrap_or_default();
            let end = inside.find(&triple).unwrap_or(inside.len());
            let text = inside.get(..end).unwrap_or_default().to_owned();
            self.skip((3 + end + 3).min(self.rest.len()));
            self.out.push(Token::Text(text));
            return;
        }
        let expands =
            quote == '"' && matches!(self.family, Family::Ruby | Family::Perl | Family::Php);
        // Python's prefixes were read as a name.
        let prefix = match self.out.last() {
            Some(Token::Name(name))
                if self.family == Family::Python
                    && name.len() <= 2
                    && name.chars().all(|c| "rRbBfFuU".contains(c)) =>
            {
                name.to_ascii_lowercase()
            }
            _ => String::new(),
        };
        if !prefix.is_empty() {
            self.out.pop();
        }
        let text = self.delimited(quote, quote, expands || prefix.contains('f'));
        self.out.push(Token::Text(text));
    }

    /// The text between two delimiters; escapes are resolved, and what is put into it is unknown.
    fn delimited(&mut self, open: char, close: char, expands: bool) -> String {
        self.skip(open.len_utf8());
        let mut text = String::new();
        let mut depth = 0_usize;
        let number = self.out.len();
        let mut chars = self.rest.char_indices().peekable();
        let mut end = self.rest.len();
        while let Some((at, c)) = chars.next() {
            if c == '\\' {
                match chars.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, 'x')) => {
                        let mut value = 0;
                        for _ in 0..2 {
                            if let Some((_, digit)) = chars.next_if(|(_, c)| c.is_ascii_hexdigit())
                            {
                                value = value * 16 + digit.to_digit(16).unwrap_or(0);
                            }
                        }
                        text.extend(char::from_u32(value));
                    }
                    Some((_, '\n')) | None => {}
                    Some((_, other)) => text.push(other),
                }
                continue;
            }
            if c == close && depth == 0 {
                end = at + c.len_utf8();
                break;
            }
            if open != close {
                depth += usize::from(c == open);
                depth -= usize::from(c == close);
            }
            let next = chars.peek().map(|(_, c)| *c);
            let interpolation = expands
                && match (c, next) {
                    ('#' | '$', Some('{')) => true,
                    ('{', _) => self.family == Family::Python,
                    ('$', Some(next)) => {
                        matches!(self.family, Family::Perl | Family::Php)
                            && (next.is_alphabetic() || next == '_')
                    }
                    _ => false,
                };
            if interpolation {
                if c != '{' && next == Some('{') {
                    chars.next();
                }
                let mut code = String::new();
                if c == '{' || next == Some('{') {
                    code.extend(chars.by_ref().map(|(_, c)| c).take_while(|c| *c != '}'));
                } else {
                    code.push(c);
                    while let Some((_, c)) =
                        chars.next_if(|(_, c)| c.is_alphanumeric() || *c == '_')
                    {
                        code.push(c);
                    }
                    // `$ENV{NAME}`
                    if code == "$ENV" && chars.peek().is_some_and(|(_, c)| *c == '{') {
                        code.extend(chars.by_ref().map(|(_, c)| c).take_while(|c| *c != '}'));
                        code.push('}');
                    }
                }
                if self.inside.len() < MAX_INSIDE {
                    self.inside.push((number, code));
                }
                text.push(super::UNKNOWN);
                continue;
            }
            text.push(c);
        }
        self.skip(end);
        text
    }

    /// Ruby's `%x(…)`, `%w[…]`, `%q(…)`.
    fn percent(&mut self) {
        let mut chars = self.rest.chars().skip(1);
        let (kind, open) = (chars.next().unwrap_or(' '), chars.next().unwrap_or(' '));
        let close = match open {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            '<' => '>',
            '|' | '!' | '/' => open,
            _ => ' ',
        };
        if close == ' ' || !"xqQwWi".contains(kind) {
            self.skip(1);
            return self.out.push(Token::Symbol('%'));
        }
        self.skip(2);
        let text = self.delimited(open, close, true);
        match kind {
            'x' => self.out.push(Token::Shell(text)),
            'w' | 'W' | 'i' => {
                self.out.push(Token::Symbol('['));
                for word in text.split_whitespace() {
                    self.out.push(Token::Text(word.to_owned()));
                    self.out.push(Token::Symbol(','));
                }
                self.out.push(Token::Symbol(']'));
            }
            _ => self.out.push(Token::Text(text)),
        }
    }

    fn name(&mut self) {
        let end = self
            .rest
            .char_indices()
            .skip(1)
            .find(|(_, c)| *c != '_' && !c.is_alphanumeric())
            .map_or(self.rest.len(), |(at, _)| at);
        let name = self.rest.get(..end).unwrap_or_default().to_owned();
        self.skip(end);
        if self.family == Family::Perl
            && matches!(name.as_str(), "qx" | "q" | "qq" | "qw")
            && let Some(open) = self.rest.chars().next().filter(|c| "{([<|!/'".contains(*c))
        {
            let close = match open {
                '{' => '}',
                '(' => ')',
                '[' => ']',
                '<' => '>',
                other => other,
            };
            let text = self.delimited(open, close, true);
            match name.as_str() {
                "qx" => self.out.push(Token::Shell(text)),
                "qw" => {
                    for (index, word) in text.split_whitespace().enumerate() {
                        if index > 0 {
                            self.out.push(Token::Symbol(','));
                        }
                        self.out.push(Token::Text(word.to_owned()));
                    }
                }
                _ => self.out.push(Token::Text(text)),
            }
            return;
        }
        self.out.push(Token::Name(name));
    }

    fn number(&mut self) {
        let end = self
            .rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(self.rest.len());
        let number = self.rest.get(..end).unwrap_or_default().to_owned();
        self.skip(end);
        self.out.push(Token::Number(number));
    }
}
