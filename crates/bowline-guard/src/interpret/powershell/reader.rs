//! PowerShell text to tokens: words as written, pipes, redirections, ends of statements.

/// One token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A word, an expression or a block, as written.
    Word(String),
    /// `|`
    Pipe,
    /// `>` or `>>`: the next word is the file.
    Redirect(Adding),
    /// `&` or `.` before a command.
    Call,
    /// The end of a statement.
    End,
}

/// Whether a redirection keeps what is in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Adding {
    Replaces,
    Adds,
}

const MAX_TOKENS: usize = 8_000;

/// The tokens of a text, and what could not be read.
pub(super) fn tokens(text: &str) -> (Vec<Token>, Option<&'static str>) {
    let mut reader = Reader {
        rest: text,
        tokens: Vec::new(),
        problem: None,
    };
    while reader.tokens.len() < MAX_TOKENS && reader.step() {}
    if !reader.rest.is_empty() {
        reader.problem.get_or_insert("it has too many words");
    }
    (reader.tokens, reader.problem)
}

struct Reader<'t> {
    rest: &'t str,
    tokens: Vec<Token>,
    problem: Option<&'static str>,
}

impl Reader<'_> {
    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn at_start(&self) -> bool {
        matches!(self.tokens.last(), None | Some(Token::End | Token::Pipe))
    }

    fn step(&mut self) -> bool {
        let Some(c) = self.rest.chars().next() else {
            return false;
        };
        let second = self.rest.chars().nth(1);
        match (c, second) {
            ('\n' | ';', _) => self.push(Token::End, 1),
            ('`', Some('\n')) => self.skip(2),
            (c, _) if c.is_whitespace() => self.skip(c.len_utf8()),
            ('#', _) => {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                self.skip(end);
            }
            ('<', Some('#')) => match self.rest.find("#>") {
                Some(end) => self.skip(end + 2),
                None => self.fail("a comment is never closed"),
            },
            ('&', Some('&')) | ('|', Some('|')) => self.push(Token::End, 2),
            ('|', _) => self.push(Token::Pipe, 1),
            ('&', _) if self.at_start() => self.push(Token::Call, 1),
            ('&', _) => self.push(Token::End, 1),
            ('.', Some(next))
                if self.at_start() && (next.is_whitespace() || matches!(next, '{' | '(')) =>
            {
                self.push(Token::Call, 1);
            }
            (',' | ')' | '}', _) => self.skip(1),
            ('>', Some('>')) => self.redirect(2, Adding::Adds),
            ('>', _) => self.redirect(1, Adding::Replaces),
            ('*' | '1'..='6', Some('>')) => {
                self.skip(1);
            }
            _ => {
                let word = self.word();
                self.tokens.push(Token::Word(word));
            }
        }
        true
    }

    fn push(&mut self, token: Token, bytes: usize) {
        self.tokens.push(token);
        self.skip(bytes);
    }

    /// `2>&1` goes nowhere else.
    fn redirect(&mut self, bytes: usize, adding: Adding) {
        self.skip(bytes);
        if self.rest.starts_with('&') {
            self.skip(2);
        } else {
            self.tokens.push(Token::Redirect(adding));
        }
    }

    fn fail(&mut self, problem: &'static str) {
        self.problem.get_or_insert(problem);
        self.rest = "";
    }

    /// Reads one word, expression or block as written.
    fn word(&mut self) -> String {
        let start = self.rest;
        let first = start.chars().next().unwrap_or_default();
        let is_expression = matches!(first, '$' | '(' | '[' | '@' | '"' | '\'');
        let mut length = 0;
        while let Some(c) = start.get(length..).and_then(|it| it.chars().next()) {
            let here = start.get(length..).unwrap_or_default();
            let ends = c.is_whitespace()
                || matches!(c, ';' | '|' | ',' | ')' | '}')
                || (c == '&' && !is_url(start))
                || (matches!(c, '(' | '{') && !is_expression && length > 0)
                || (c == '{' && length > 0 && !start.starts_with(['$', '@']))
                || (matches!(c, '=' | '>' | '+') && first == '$' && length > 0)
                // `'a'+'b'`: a sign between two texts is a word of its own.
                || (c == '+' && matches!(first, '\'' | '"' | '(') && length > 0)
                || (matches!(start.get(..length), Some("+" | "=" | "+="))
 && matches!(c, '\'' | '"' | '(' | '$' | '[' | '@'));
            if ends {
                break;
            }
            let Some(used) = piece(here) else {
                self.fail("a quote or bracket is never closed");
                return start.to_owned();
            };
            length += used;
            if first == '{' {
                break;
            }
        }
        // Whatever it is, it must not be read again.
        let length = length.max(first.len_utf8());
        self.skip(length);
        // PowerShell takes these for a hyphen.
        let word = start.get(..length).unwrap_or_default();
        match word.strip_prefix(['\u{2013}', '\u{2014}', '\u{2015}']) {
            Some(rest) => format!("-{rest}"),
            None => word.to_owned(),
        }
    }
}

fn is_url(word: &str) -> bool {
    word.starts_with("http://") || word.starts_with("https://")
}

/// The length of a quoted text, of a bracket with all in it, or of one character; `None` if it never ends.
fn piece(text: &str) -> Option<usize> {
    let c = text.chars().next()?;
    match c {
        '@' if text.starts_with("@'") || text.starts_with("@\"") => {
            let end = if text.starts_with("@'") {
                "\n'@"
            } else {
                "\n\"@"
            };
            text.find(end).map(|at| at + end.len())
        }
        '\'' => quoted(text, '\''),
        '"' => quoted(text, '"'),
        '(' | '{' | '[' => bracket(text),
        '`' => Some(1 + text.chars().nth(1).map_or(0, char::len_utf8)),
        c => Some(c.len_utf8()),
    }
}

fn quoted(text: &str, quote: char) -> Option<usize> {
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c == '`' && quote == '"' {
            chars.next();
        } else if c == quote {
            // A doubled quote stands for itself.
            if chars.peek().is_some_and(|(_, next)| *next == quote) {
                chars.next();
            } else {
                return Some(at + quote.len_utf8());
            }
        }
    }
    None
}

/// From an opening bracket to its end. Brackets of all kinds count together, quotes are leapt over.
fn bracket(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(c) = text.get(at..)?.chars().next() {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            '\'' | '"' => {
                at += quoted(text.get(at..)?, c)?;
                continue;
            }
            '`' => at += text.get(at + 1..)?.chars().next().map_or(0, char::len_utf8),
            _ => {}
        }
        at += c.len_utf8();
    }
    None
}

/// The bracket with which an expression begins.
pub(super) fn leading_bracket(expression: &str) -> Option<&str> {
    expression.get(..bracket(expression).filter(|_| expression.starts_with('('))?)
}

/// The inside of a word that is one bracket: `( … )`, `$( … )`, `@( … )`, `{ … }`.
pub(super) fn inside(word: &str, open: char) -> Option<&str> {
    let rest = word.strip_prefix(['$', '@']).unwrap_or(word);
    if !rest.starts_with(open) || bracket(rest)? != rest.len() {
        return None;
    }
    rest.get(1..rest.len() - 1)
}

/// The inside of a block: `{ … }`.
pub(super) fn block(word: &str) -> Option<&str> {
    inside(word, '{').filter(|_| word.starts_with('{'))
}

/// The arguments of each call of a method in an expression: the name, what stands before it, and the words.
pub(super) fn methods(expression: &str) -> Vec<(String, &str, Vec<String>)> {
    let mut found = Vec::new();
    for (at, _) in expression.match_indices('(').take(32) {
        let before = expression.get(..at).unwrap_or_default();
        let name = before
            .rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .next()
            .unwrap_or_default();
        let receiver = before.strip_suffix(name).unwrap_or_default();
        let receiver = receiver
            .strip_suffix("::")
            .or_else(|| receiver.strip_suffix('.'));
        let (Some(receiver), false) = (receiver, name.is_empty()) else {
            continue;
        };
        let Some(arguments) = expression
            .get(at..)
            .and_then(|text| bracket(text).and_then(|end| text.get(1..end - 1)))
        else {
            continue;
        };
        let words = tokens(arguments)
            .0
            .into_iter()
            .filter_map(|token| match token {
                Token::Word(word) => Some(word),
                _ => None,
            });
        found.push((name.to_ascii_lowercase(), receiver, words.collect()));
    }
    found
}
