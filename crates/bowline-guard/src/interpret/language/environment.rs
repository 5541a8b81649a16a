//! Where the values of variables of the environment go in a program text: to a print, to another machine, or nowhere.
//!
//! A variable may be tested, counted, set, handed to a function or put into a header; only what is printed or sent
//! matters. What is assigned to a name is followed under that name.

use std::collections::BTreeSet;

use super::around::before_name;
use super::callees::{Callee, call_of, is_header_name, is_test_member};
use super::lexer::{Family, Lexed, Token, lex};
use super::value::closing;

/// At most this many names that hold such a value are followed.
const MAX_NAMES: usize = 16;

/// At most this many places are looked at.
const MAX_MENTIONS: usize = 256;

/// Expressions within texts within expressions.
const MAX_DEPTH: usize = 4;

/// What a text does with the environment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shown {
    /// Prints it, or writes it to a file.
    Printed(What),
    /// Sends it as the contents of a request.
    Sent(What),
    /// Puts it into an address.
    Addressed(What),
}

/// What of the environment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    One(String),
    Whole,
}

/// What becomes of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fate {
    /// It is tested, counted, or handed to something that knows what to do with it.
    Used,
    /// It is what a statement gives.
    Value,
    Assigned(String),
    Printed,
    Sent,
    Addressed,
}

/// A place where the value of a variable stands.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mention {
    start: usize,
    end: usize,
    what: What,
}

/// What a text shows of the environment.
pub(super) fn shown(lexed: &Lexed, family: Family) -> BTreeSet<Shown> {
    let text = Text::new(lexed, family);
    let mut found = BTreeSet::new();
    let mut names: Vec<(String, What)> = Vec::new();
    let mut seen: BTreeSet<(usize, What)> = BTreeSet::new();
    loop {
        let known = names.len();
        for mention in text.mentions(&names, 0) {
            if !seen.insert((mention.start, mention.what.clone())) {
                continue;
            }
            // Nobody writes so many; what is not looked at may be printed.
            if seen.len() > MAX_MENTIONS {
                found.insert(Shown::Printed(mention.what));
                continue;
            }
            match text.fate(&mention) {
                Fate::Printed => {
                    found.insert(Shown::Printed(mention.what));
                }
                Fate::Sent => {
                    found.insert(Shown::Sent(mention.what));
                }
                Fate::Addressed => {
                    found.insert(Shown::Addressed(mention.what));
                }
                // `node -p process.env.NAME`
                Fate::Value if mention.start == 0 && family == Family::JavaScript => {
                    found.insert(Shown::Printed(mention.what));
                }
                Fate::Assigned(name) if names.len() < MAX_NAMES => {
                    if !names.iter().any(|(it, _)| *it == name) {
                        names.push((name, mention.what));
                    }
                }
                Fate::Used | Fate::Value | Fate::Assigned(_) => {}
            }
        }
        if names.len() == known {
            return found;
        }
    }
}

/// A program text with the bracket that each token stands in.
struct Text<'t> {
    tokens: &'t [Token],
    inside: &'t [(usize, String)],
    opener: Vec<Option<usize>>,
    family: Family,
    imports_environ: bool,
    /// Whether it goes over the names of all variables.
    iterates: bool,
}

impl<'t> Text<'t> {
    fn new(lexed: &'t Lexed, family: Family) -> Self {
        let mut stack = Vec::new();
        let mut opener = Vec::with_capacity(lexed.tokens.len());
        for (at, token) in lexed.tokens.iter().enumerate() {
            if matches!(token, Token::Symbol(')' | ']' | '}')) {
                stack.pop();
            }
            opener.push(stack.last().copied());
            if matches!(token, Token::Symbol('(' | '[' | '{')) {
                stack.push(at);
            }
        }
        let name = |at: usize, wanted: &str| matches!(lexed.tokens.get(at), Some(Token::Name(it)) if it == wanted);
        let imports_environ = (0..lexed.tokens.len()).any(|at| {
            name(at, "from")
                && name(at + 1, "os")
                && (at + 2..at + 24)
                    .take_while(|it| {
                        !matches!(
                            lexed.tokens.get(*it),
                            Some(Token::Newline | Token::Symbol(';'))
                        )
                    })
                    .any(|it| name(it, "environ"))
        });
        let mut text = Self {
            tokens: &lexed.tokens,
            inside: &lexed.inside,
            opener,
            family,
            imports_environ,
            iterates: false,
        };
        text.iterates = text.goes_over_names();
        text
    }

    fn name(&self, at: usize) -> Option<&'t str> {
        match self.tokens.get(at) {
            Some(Token::Name(name)) => Some(name),
            _ => None,
        }
    }

    fn symbol(&self, at: usize) -> Option<char> {
        match self.tokens.get(at) {
            Some(Token::Symbol(symbol)) => Some(*symbol),
            _ => None,
        }
    }

    fn text(&self, at: usize) -> Option<&'t str> {
        match self.tokens.get(at) {
            Some(Token::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Where values of the environment stand, and the names that hold one.
    fn mentions(&self, names: &[(String, What)], depth: usize) -> Vec<Mention> {
        let mut found: Vec<Mention> = (0..self.tokens.len())
            .filter_map(|at| self.variable(at).or_else(|| self.holder(at, names)))
            .collect();
        for (at, code) in self.inside.iter().filter(|_| depth < MAX_DEPTH) {
            let lexed = lex(code, self.family);
            let inner = Text {
                imports_environ: self.imports_environ,
                iterates: self.iterates,
                ..Text::new(&lexed, self.family)
            };
            for mention in inner.mentions(names, depth + 1) {
                // A whole expression in a text is where the text is.
                if inner.fate(&mention) == Fate::Value {
                    found.push(Mention {
                        start: *at,
                        end: at + 1,
                        what: mention.what,
                    });
                }
            }
        }
        found
    }

    /// A name that was given such a value.
    fn holder(&self, at: usize, names: &[(String, What)]) -> Option<Mention> {
        let name = self.name(at)?;
        let (_, what) = names.iter().find(|(it, _)| it == name)?;
        let member = at > 0 && self.symbol(at - 1) == Some('.');
        let is_key = self.symbol(at + 1) == Some(':') && self.family == Family::JavaScript;
        (!member && !is_key && !self.is_assigned(at + 1)).then(|| Mention {
            start: at,
            end: at + 1,
            what: what.clone(),
        })
    }

    /// Whether `=` stands here, and not `==` or `=>`.
    fn is_assigned(&self, at: usize) -> bool {
        self.symbol(at) == Some('=') && !matches!(self.symbol(at + 1), Some('=' | '>'))
    }

    /// `os.environ["NAME"]`, `process.env.NAME`, `getenv("NAME")`, and all of it.
    fn variable(&self, at: usize) -> Option<Mention> {
        let name = self.name(at)?;
        let before = before_name(self.tokens, at);
        let is_environment = match name {
            "environ" => before == "os" || (before.is_empty() && self.imports_environ),
            "env" => matches!(before.as_str(), "process" | "Deno" | "Bun" | "import.meta"),
            "ENV" | "$ENV" | "$_ENV" | "$_SERVER" => before.is_empty(),
            "getenv" => self.symbol(at + 1) == Some('('),
            _ => false,
        };
        if !is_environment {
            return None;
        }
        let parts = before.split('.').filter(|it| !it.is_empty()).count();
        let start = at.saturating_sub(2 * parts);
        let next = if self.symbol(at + 1) == Some('?') && self.symbol(at + 2) == Some('.') {
            at + 2
        } else {
            at + 1
        };
        let (what, end) = match (self.symbol(next), self.name(next + 1)) {
            (Some('('), _) if name == "getenv" => self.argument(next)?,
            (Some('[' | '{'), _) if next == at + 1 => self.argument(next)?,
            (Some('.'), Some("get" | "fetch" | "pop")) => self.argument(next + 2)?,
            (Some('.'), Some("items" | "values" | "copy" | "to_h" | "toObject")) => {
                (What::Whole, closing(self.tokens, next + 2) + 1)
            }
            (Some('.'), Some("each" | "each_pair" | "inspect" | "map" | "select")) => {
                (What::Whole, next + 2)
            }
            (Some('.'), Some(member)) if self.family == Family::JavaScript && name == "env" => {
                (What::One(member.to_owned()), next + 2)
            }
            (Some('.'), _) => return None,
            _ if name == "$_SERVER" => return None,
            _ => (What::Whole, at + 1),
        };
        Some(Mention { start, end, what })
    }

    /// The variable that brackets name, and where they end. One that is not written out may be any.
    fn argument(&self, open: usize) -> Option<(What, usize)> {
        let end = closing(self.tokens, open) + 1;
        let what = match (self.tokens.get(open + 1)?, self.symbol(open)) {
            (Token::Text(name), _) => What::One(name.clone()),
            (Token::Name(name), Some('{')) if !name.starts_with('$') => What::One(name.clone()),
            (Token::Symbol(')'), Some('(')) => What::Whole,
            _ if self.iterates => What::Whole,
            _ => return None,
        };
        Some((what, end))
    }

    fn goes_over_names(&self) -> bool {
        (1..self.tokens.len()).any(|at| {
            let is_all = match self.name(at) {
                Some("environ") => !matches!(self.symbol(at + 1), Some('[' | '.')),
                Some("env") => matches!(self.symbol(at + 1), Some(')')),
                Some("ENV") => self.symbol(at - 1) == Some('%'),
                _ => false,
            };
            let before = (at.saturating_sub(6)..at).filter_map(|it| self.name(it));
            is_all
                && before
                    .into_iter()
                    .any(|it| matches!(it, "in" | "of" | "keys"))
        })
    }

    /// What becomes of the value that stands at a place.
    fn fate(&self, mention: &Mention) -> Fate {
        let (mut start, mut end) = (mention.start, mention.end);
        let mut is_header = false;
        if self.is_assigned(end) || self.is_tested_before(start) {
            return Fate::Used;
        }
        if let Some(fate) = self.iterated(mention) {
            return fate;
        }
        loop {
            end = self.after_members(end);
            if self.is_tested_after(end) {
                return Fate::Used;
            }
            let Some(open) = self.opener.get(start).copied().flatten() else {
                return self.statement(start, None);
            };
            let keyword = self.keyword(start, open);
            is_header |= keyword.is_some_and(is_header_name);
            let callee = open.checked_sub(1).and_then(|it| self.name(it));
            match (self.symbol(open), callee) {
                (Some('('), Some(callee)) => {
                    let first = keyword.is_none() && !self.has_comma(open, start);
                    match call_of(callee, &before_name(self.tokens, open - 1)) {
                        Callee::Prints => return Fate::Printed,
                        Callee::Sends if first && !is_header => return Fate::Addressed,
                        Callee::Sends if !is_header => return Fate::Sent,
                        Callee::Passes => {}
                        Callee::Tests | Callee::Sends | Callee::Other => return Fate::Used,
                    }
                    let parts = before_name(self.tokens, open - 1);
                    let parts = parts.split('.').filter(|it| !it.is_empty()).count();
                    start = (open - 1).saturating_sub(2 * parts);
                }
                (Some('['), Some(_)) => return Fate::Used,
                (Some('{'), _) if self.is_block(open) => {
                    return self.statement(start, Some(open));
                }
                _ => start = open,
            }
            end = closing(self.tokens, open) + 1;
        }
    }

    /// Past `.strip()`, `[:8]` and the like, which leave a part of the value.
    fn after_members(&self, mut end: usize) -> usize {
        for _ in 0..8 {
            let dot = match (self.symbol(end), self.symbol(end + 1)) {
                (Some('.'), _) => end,
                (Some('?'), Some('.')) => end + 1,
                (Some('['), _) => {
                    end = closing(self.tokens, end) + 1;
                    continue;
                }
                _ => return end,
            };
            if self.name(dot + 1).is_none_or(is_test_member) {
                return end;
            }
            end = dot + 2;
            if self.symbol(end) == Some('(') {
                end = closing(self.tokens, end) + 1;
            }
        }
        end
    }

    fn is_tested_before(&self, start: usize) -> bool {
        let Some(before) = start.checked_sub(1) else {
            return false;
        };
        self.symbol(before) == Some('!')
            || self.name(before).is_some_and(|it| {
                matches!(
                    it,
                    "if" | "elif"
                        | "not"
                        | "while"
                        | "unless"
                        | "until"
                        | "assert"
                        | "del"
                        | "delete"
                        | "defined"
                        | "typeof"
                        | "exists"
                )
            })
    }

    fn is_tested_after(&self, end: usize) -> bool {
        match (self.symbol(end), self.symbol(end + 1)) {
            (Some('?'), Some('.')) => self.name(end + 2).is_some_and(is_test_member),
            // `? a : b`, but not `??`.
            (Some('?'), next) => next != Some('?'),
            (Some('=' | '!'), Some('=')) | (Some('&'), Some('&')) | (Some('>' | '<'), _) => true,
            (Some('.'), _) => self.name(end + 1).is_some_and(is_test_member),
            _ => self
                .name(end)
                .is_some_and(|it| matches!(it, "is" | "in" | "and")),
        }
    }

    /// `for name, value in …`, `… each { |name, value| }`, and the same within a list.
    fn iterated(&self, mention: &Mention) -> Option<Fate> {
        if mention.what != What::Whole {
            return None;
        }
        let shows = || (0..self.tokens.len()).any(|at| self.prints(at));
        let member = self.name(mention.end.checked_sub(1)?);
        if matches!(member, Some("each" | "each_pair" | "map" | "select")) {
            return Some(if shows() { Fate::Printed } else { Fate::Used });
        }
        let before = mention.start.checked_sub(1)?;
        // `%ENV` is both names and values, unless only one of them is asked for.
        let hash = self.symbol(before) == Some('%') && self.family == Family::Perl;
        let asked = if hash { before.checked_sub(1)? } else { before };
        if hash && matches!(self.name(asked), Some("each" | "values")) {
            return Some(if shows() { Fate::Printed } else { Fate::Used });
        }
        let keys = matches!(self.name(asked), Some("in" | "of" | "keys"));
        if !keys {
            return None;
        }
        let with_values = self.symbol(mention.end.checked_sub(1)?) == Some(')');
        let open = self.opener.get(mention.start).copied().flatten();
        let own_print =
            open.is_some_and(|open| (open..closing(self.tokens, open)).any(|at| self.prints(at)));
        Some(match with_values {
            true if own_print => Fate::Printed,
            true => match self.loop_name(before) {
                Some(name) if open.is_none() => Fate::Assigned(name),
                _ => return None,
            },
            // Only names.
            false => Fate::Used,
        })
    }

    /// The last name of `for a, b in`.
    fn loop_name(&self, in_at: usize) -> Option<String> {
        self.name(in_at.checked_sub(1)?).map(str::to_owned)
    }

    fn prints(&self, at: usize) -> bool {
        self.name(at)
            .is_some_and(|it| call_of(it, &before_name(self.tokens, at)) == Callee::Prints)
    }

    /// `{` after `)`, `=>` or a word begins statements, not a value.
    fn is_block(&self, open: usize) -> bool {
        let Some(before) = open.checked_sub(1) else {
            return true;
        };
        match self.tokens.get(before) {
            Some(Token::Symbol(symbol)) => matches!(symbol, ')' | '>' | ';' | '}' | '{'),
            Some(Token::Name(word)) => word != "return",
            Some(Token::Newline) => true,
            _ => false,
        }
    }

    /// The name in `name=value` or `name: value` that an argument begins with.
    fn keyword(&self, start: usize, open: usize) -> Option<&'t str> {
        let begin = self.argument_start(start, open);
        let named = self.name(begin).or_else(|| self.text(begin))?;
        matches!(self.symbol(begin + 1), Some('=' | ':')).then_some(named)
    }

    fn argument_start(&self, start: usize, open: usize) -> usize {
        let at_level = |at: &usize| self.opener.get(*at).copied().flatten() == Some(open);
        let comma = (open + 1..start)
            .rev()
            .filter(at_level)
            .find(|at| self.symbol(*at) == Some(','));
        let mut begin = comma.unwrap_or(open) + 1;
        while self.tokens.get(begin) == Some(&Token::Newline) {
            begin += 1;
        }
        begin
    }

    fn has_comma(&self, open: usize, start: usize) -> bool {
        (open + 1..start).any(|at| {
            self.symbol(at) == Some(',') && self.opener.get(at).copied().flatten() == Some(open)
        })
    }

    /// What a statement does with a value that stands in no call.
    fn statement(&self, start: usize, block: Option<usize>) -> Fate {
        let first = block.map_or(0, |it| it + 1);
        let at_level = |at: &usize| self.opener.get(*at).copied().flatten() == block;
        let mut last = start;
        for at in (first..start).rev().filter(at_level) {
            match self.tokens.get(at) {
                Some(Token::Newline | Token::Symbol(';')) => break,
                Some(Token::Name(_)) if self.prints(at) => return Fate::Printed,
                Some(Token::Name(word)) if word == "return" || word == "yield" => {
                    return Fate::Used;
                }
                Some(Token::Symbol('=')) if self.is_assigned(at) => {
                    let target = at.checked_sub(1).map(|it| match self.symbol(it) {
                        Some('+' | '|' | '?' | ':') => it.saturating_sub(1),
                        _ => it,
                    });
                    return match target.and_then(|it| self.name(it)) {
                        Some(name) => Fate::Assigned(name.to_owned()),
                        None => Fate::Used,
                    };
                }
                _ => last = at,
            }
        }
        if last == start {
            Fate::Value
        } else {
            Fate::Used
        }
    }
}
