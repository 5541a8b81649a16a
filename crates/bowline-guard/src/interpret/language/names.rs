//! The names that a program text gives values to, and how much may be made of them.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::lexer::{Family, Lexed, Token};
use super::value::Value;

/// Tokens that are looked at and bytes that are made for the values of one text. A name may double another again and
/// again.
const MAX_MADE: usize = 512 * 1024;

/// Whether the text runs in one folder all the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stays {
    InItsFolder,
    No,
}

/// Which of the names of a listing are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    Every,
    /// The text compares names, or asks for their endings.
    Some,
}

impl Choice {
    fn of(tokens: &[Token]) -> Self {
        let compares = tokens.windows(3).any(|it| match it {
            [before, Token::Symbol('=' | '!'), Token::Symbol('=')] => {
                *before != Token::Name("__name__".to_owned())
            }
            [Token::Name(not), Token::Name(within), _] => not == "not" && within == "in",
            _ => false,
        });
        let asks = |it: &Token| matches!(it, Token::Name(name) if chooses(name));
        if compares || tokens.iter().any(asks) {
            Self::Some
        } else {
            Self::Every
        }
    }
}

/// Functions and members by which a text chooses among names.
#[rustfmt::skip]
fn chooses(name: &str) -> bool {
    matches!(
        name,
        "endswith" | "startswith" | "endsWith" | "startsWith" | "end_with" | "start_with" | "suffix" | "suffixes" | "stem"
            | "splitext" | "extname" | "fnmatch" | "fnmatchcase" | "match" | "fullmatch" | "matches" | "search" | "test"
            | "includes" | "include"
    )
}

/// `os.chdir`, `process.chdir`, `Dir.chdir`: the folder is another one for what comes next.
pub(super) fn is_change_of_folder(name: &str) -> bool {
    matches!(name, "chdir" | "fchdir" | "cd")
}

/// The names that the text itself gives values to.
#[derive(Debug)]
pub(super) struct Names {
    values: BTreeMap<String, Value>,
    /// The expressions in each text that has some; none if two texts look alike and differ in them.
    templates: BTreeMap<String, Option<Vec<String>>>,
    pub(super) family: Family,
    pub(super) stays: Stays,
    pub(super) choice: Choice,
    left: Cell<usize>,
    spent: Cell<bool>,
}

impl Names {
    pub(super) fn of(lexed: &Lexed, family: Family) -> Self {
        let moves = lexed
            .tokens
            .iter()
            .any(|it| matches!(it, Token::Name(name) if is_change_of_folder(name)));
        Self {
            values: BTreeMap::new(),
            templates: templates_of(lexed),
            family,
            stays: if moves { Stays::No } else { Stays::InItsFolder },
            choice: Choice::of(&lexed.tokens),
            left: Cell::new(MAX_MADE),
            spent: Cell::new(false),
        }
    }

    /// The expressions that are put into a text.
    pub(super) fn template(&self, text: &str) -> Option<&[String]> {
        self.templates.get(text)?.as_deref()
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    pub(super) fn insert(&mut self, name: String, value: Value) {
        self.values.insert(name, value);
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Pays for work on values; `false` when it would be too much, so that the value is unknown.
    pub(super) fn pay(&self, size: usize) -> bool {
        let left = self.left.get().checked_sub(size);
        if let Some(left) = left {
            self.left.set(left);
        } else {
            self.give_up();
        }
        left.is_some()
    }

    /// Notes that a value is unknown only because it would be too much.
    pub(super) fn give_up(&self) {
        self.spent.set(true);
    }

    /// Whether some value is unknown only because it would be too much.
    pub(super) fn is_spent(&self) -> bool {
        self.spent.get()
    }
}

fn templates_of(lexed: &Lexed) -> BTreeMap<String, Option<Vec<String>>> {
    let mut by_token: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (at, code) in &lexed.inside {
        by_token.entry(*at).or_default().push(code.clone());
    }
    let mut found: BTreeMap<String, Option<Vec<String>>> = BTreeMap::new();
    for (at, codes) in by_token {
        let Some(Token::Text(text)) = lexed.tokens.get(at) else {
            continue;
        };
        found
            .entry(text.clone())
            .and_modify(|it| *it = it.take().filter(|it| *it == codes))
            .or_insert(Some(codes));
    }
    found
}
