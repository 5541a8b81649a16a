//! Wildcards in names: parsing, plain matching, and whether two patterns can name the same file.
//!
//! `meet` is what sees `.e?v` or `*.p12` for what they are: it finds a name that both a user's
//! pattern and a rule's pattern accept, and how much of that name the user's pattern spells out.

mod extended;

pub(crate) use extended::is_extended;
pub use extended::may_match;

/// What follows this many steps of a pattern is taken as any text.
const MAX_TOKENS: usize = 128;
/// The same for the ranges of a class.
const MAX_RANGES: usize = 128;
/// Brace expansions beyond this many words collapse into a `*`.
const MAX_BRACE_WORDS: usize = 64;

/// One step of a pattern for a single path component.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Literal(char),
    AnyChar,
    AnyText,
    Class {
        ranges: Vec<(char, char)>,
        negated: Negated,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Negated {
    Yes,
    No,
}

impl Token {
    fn accepts(&self, character: char) -> bool {
        match self {
            Self::Literal(literal) => *literal == character,
            Self::AnyChar | Self::AnyText => true,
            Self::Class { ranges, negated } => {
                let inside = ranges
                    .iter()
                    .any(|(low, high)| (*low..=*high).contains(&character));
                inside == (*negated == Negated::No)
            }
        }
    }

    /// A character that this token accepts, for building an example name.
    fn example(&self) -> char {
        match self {
            Self::Literal(literal) => *literal,
            Self::AnyChar | Self::AnyText => 'x',
            Self::Class {
                ranges,
                negated: Negated::No,
            } => ranges.first().map_or('x', |(low, _)| *low),
            Self::Class {
                negated: Negated::Yes,
                ..
            } => ('a'..='z')
                .find(|letter| self.accepts(*letter))
                .unwrap_or('0'),
        }
    }

    /// A class of one character is that character in disguise.
    fn as_literal(&self) -> Option<char> {
        match self {
            Self::Literal(literal) => Some(*literal),
            Self::Class {
                ranges,
                negated: Negated::No,
            } => match ranges.as_slice() {
                [(low, high)] if low == high => Some(*low),
                _ => None,
            },
            Self::AnyChar | Self::AnyText | Self::Class { .. } => None,
        }
    }
}

/// Whether `text` holds a character that a shell would expand against file names.
pub fn has_wildcard(text: &str) -> bool {
    text.contains(['*', '?', '[']) || has_braces(text) || is_extended(text)
}

fn has_braces(text: &str) -> bool {
    matches!((text.find('{'), text.rfind('}')), (Some(open), Some(close)) if open < close)
        && (text.contains(',') || text.contains(".."))
}

/// Whether a component's pattern accepts about every name in its directory: `*`, `**`, `.*`,
/// `.[!.]*`, `?*`.
pub fn accepts_everything(component: &str) -> bool {
    let tokens = parse(component);
    let fixed = tokens.iter().filter(|token| match token {
        Token::Literal(literal) => *literal != '.',
        Token::AnyChar
        | Token::AnyText
        | Token::Class {
            negated: Negated::Yes,
            ..
        } => false,
        Token::Class {
            negated: Negated::No,
            ..
        } => true,
    });
    tokens.contains(&Token::AnyText) && fixed.count() == 0
}

fn parse(component: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = component.chars();
    while let Some(character) = rest.next() {
        if tokens.len() >= MAX_TOKENS {
            tokens.push(Token::AnyText);
            break;
        }
        match character {
            '*' if tokens.last() == Some(&Token::AnyText) => {}
            '*' => tokens.push(Token::AnyText),
            '?' => tokens.push(Token::AnyChar),
            '\\' => tokens.push(Token::Literal(rest.next().unwrap_or('\\'))),
            '[' => {
                let mut ahead = rest.clone();
                match parse_class(&mut ahead) {
                    Class::Whole(class) => {
                        rest = ahead;
                        tokens.push(class);
                    }
                    Class::Open => tokens.push(Token::Literal('[')),
                    // What follows could be anything.
                    Class::TooLong => {
                        tokens.push(Token::AnyText);
                        break;
                    }
                }
            }
            // Extended globs such as `@(a|b)`: what is inside could be anything.
            '@' | '+' | '!' if rest.clone().next() == Some('(') => {
                if let Some((_, after)) = rest.as_str().split_once(')') {
                    rest = after.chars();
                    tokens.push(Token::AnyText);
                } else {
                    tokens.push(Token::Literal(character));
                }
            }
            other => tokens.push(Token::Literal(other)),
        }
    }
    tokens
}

/// What begins with a bracket.
enum Class {
    Whole(Token),
    /// The bracket that closes it is missing, so the first one is only a character.
    Open,
    /// It has more than [`MAX_RANGES`] ranges.
    TooLong,
}

fn parse_class(rest: &mut std::str::Chars<'_>) -> Class {
    parse_ranges(rest).unwrap_or(Class::Open)
}

fn parse_ranges(rest: &mut std::str::Chars<'_>) -> Option<Class> {
    let mut negated = Negated::No;
    if matches!(rest.clone().next(), Some('!' | '^')) {
        rest.next();
        negated = Negated::Yes;
    }
    let mut ranges: Vec<(char, char)> = Vec::new();
    loop {
        let low = rest.next()?;
        if low == ']' && !ranges.is_empty() {
            return Some(Class::Whole(Token::Class { ranges, negated }));
        }
        // Every bracket would look through all that follows.
        if ranges.len() >= MAX_RANGES {
            return Some(Class::TooLong);
        }
        if low == '[' && rest.clone().next() == Some(':') {
            // A named class such as `[:alpha:]`: taken as any character.
            let _ = rest.by_ref().skip(1).find(|inner| *inner == ':');
            rest.next().filter(|closing| *closing == ']')?;
            ranges.push(('\0', char::MAX));
            continue;
        }
        let mut ahead = rest.clone();
        match (ahead.next(), ahead.next()) {
            (Some('-'), Some(high)) if high != ']' => {
                *rest = ahead;
                ranges.push((low, high));
            }
            _ => ranges.push((low, low)),
        }
    }
}

/// Whether `pattern`, in which only `*` is special, accepts the whole of `text`.
pub(crate) fn star_match(pattern: &str, text: &str) -> bool {
    let (bytes, given) = (pattern.as_bytes(), text.as_bytes());
    let differ = |of_pattern: Option<&u8>, of_text: Option<&u8>| {
        of_pattern != of_text && of_pattern != Some(&b'*')
    };
    // Most names differ at one of their ends.
    if differ(bytes.first(), given.first()) || differ(bytes.last(), given.last()) {
        return false;
    }
    let is_star = |byte: &u8| *byte == b'*';
    let (Some(first), Some(last)) = (
        bytes.iter().position(is_star),
        bytes.iter().rposition(is_star),
    ) else {
        return pattern == text;
    };
    let ends = pattern.get(..first).zip(pattern.get(last + 1..));
    let Some(rest) = ends.and_then(|(start, end)| text.strip_prefix(start)?.strip_suffix(end))
    else {
        return false;
    };
    let Some(between) = pattern.get(first + 1..last) else {
        return true;
    };
    let mut rest = rest;
    for piece in between.split('*') {
        let Some((_, after)) = rest.split_once(piece) else {
            return false;
        };
        rest = after;
    }
    true
}

/// A name that two patterns share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Meeting {
    /// The shortest example found.
    pub(crate) example: String,
    /// How many characters both patterns spell out, as far as they count.
    pub(crate) spelled: usize,
}

/// How the best meeting of two remainders goes on.
#[derive(Clone, Copy)]
enum Step {
    End,
    SkipLeft,
    SkipRight,
    TakeLeft,
    TakeRight,
    TakeBoth,
}

#[derive(Clone, Copy)]
struct Cell {
    spelled: usize,
    length: usize,
    step: Step,
}

/// Finds the name accepted by both `pattern` and `rule` (where only `*` is special) that has the
/// most characters spelled out in both. The first `counted` characters of `rule` count.
pub(crate) fn meet(pattern: &str, rule: &str, counted: usize) -> Option<Meeting> {
    if !Ends::of_pattern(pattern).agree(&Ends::of_rule(rule)) {
        return None;
    }
    let left = parse(pattern);
    let right: Vec<Token> = rule
        .chars()
        .map(|character| {
            if character == '*' {
                Token::AnyText
            } else {
                Token::Literal(character)
            }
        })
        .collect();
    let width = right.len() + 1;
    // Filled from the ends of both patterns: a cell is the best meeting of the two remainders.
    let mut cells: Vec<Option<Cell>> = vec![None; (left.len() + 1) * width];
    for row in (0..=left.len()).rev() {
        for column in (0..=right.len()).rev() {
            let best = best_step(&left, &right, &cells, (row, column), counted);
            if let Some(cell) = cells.get_mut(row * width + column) {
                *cell = best;
            }
        }
    }
    let spelled = cells.first().copied().flatten()?.spelled;
    Some(Meeting {
        example: trace(&left, &right, &cells),
        spelled,
    })
}

/// The plain beginning and end of a pattern.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends<'text> {
    start: &'text str,
    end: &'text str,
}

impl<'text> Ends<'text> {
    /// Of a user's pattern.
    pub(crate) fn of_pattern(pattern: &'text str) -> Self {
        const SPECIAL: [char; 10] = ['*', '?', '[', ']', '\\', '(', ')', '@', '+', '!'];
        Self {
            start: pattern.split(SPECIAL).next().unwrap_or_default(),
            end: pattern.rsplit(SPECIAL).next().unwrap_or_default(),
        }
    }

    /// Of a rule's, where only `*` is special.
    pub(crate) fn of_rule(rule: &'text str) -> Self {
        Self {
            start: rule.split('*').next().unwrap_or_default(),
            end: rule.rsplit('*').next().unwrap_or_default(),
        }
    }

    /// Whether both can belong to one name. Most pairs fail here, long before the full search.
    pub(crate) fn agree(&self, rule: &Ends<'_>) -> bool {
        (self.start.starts_with(rule.start) || rule.start.starts_with(self.start))
            && (self.end.ends_with(rule.end) || rule.end.ends_with(self.end))
    }
}

/// The characters that a component's pattern spells out.
pub(crate) fn literals(component: &str) -> Vec<char> {
    parse(component)
        .iter()
        .filter_map(Token::as_literal)
        .collect()
}

fn best_step(
    left: &[Token],
    right: &[Token],
    cells: &[Option<Cell>],
    (row, column): (usize, usize),
    counted: usize,
) -> Option<Cell> {
    let width = right.len() + 1;
    let mut best: Option<Cell> = None;
    let mut offer = |row: usize, column: usize, step: Step, spelled: usize| {
        let Some(next) = cells.get(row * width + column).copied().flatten() else {
            return;
        };
        let longer = usize::from(!matches!(step, Step::SkipLeft | Step::SkipRight));
        let (spelled, length) = (next.spelled + spelled, next.length + longer);
        if best.is_none_or(|best| (spelled, best.length) > (best.spelled, length)) {
            best = Some(Cell {
                spelled,
                length,
                step,
            });
        }
    };
    match (left.get(row), right.get(column)) {
        (None, None) => {
            best = Some(Cell {
                spelled: 0,
                length: 0,
                step: Step::End,
            });
        }
        (Some(Token::AnyText), other) => {
            offer(row + 1, column, Step::SkipLeft, 0);
            match other {
                Some(Token::AnyText) => offer(row, column + 1, Step::SkipRight, 0),
                Some(_) => offer(row, column + 1, Step::TakeRight, 0),
                None => {}
            }
        }
        (other, Some(Token::AnyText)) => {
            offer(row, column + 1, Step::SkipRight, 0);
            if other.is_some() {
                offer(row + 1, column, Step::TakeLeft, 0);
            }
        }
        (Some(one), Some(Token::Literal(character))) if one.accepts(*character) => {
            let both = one.as_literal() == Some(*character) && column < counted;
            offer(row + 1, column + 1, Step::TakeBoth, usize::from(both));
        }
        _ => {}
    }
    best
}

fn trace(left: &[Token], right: &[Token], cells: &[Option<Cell>]) -> String {
    let width = right.len() + 1;
    let (mut row, mut column) = (0, 0);
    let mut example = String::new();
    // Every step but the last moves on in one of the two patterns, so this ends.
    while let Some(cell) = cells.get(row * width + column).copied().flatten() {
        match cell.step {
            Step::End => break,
            Step::SkipLeft => row += 1,
            Step::SkipRight => column += 1,
            Step::TakeLeft => {
                example.extend(left.get(row).map(Token::example));
                row += 1;
            }
            Step::TakeRight => {
                example.extend(right.get(column).map(Token::example));
                column += 1;
            }
            Step::TakeBoth => {
                example.extend(right.get(column).map(Token::example));
                row += 1;
                column += 1;
            }
        }
    }
    example
}

/// Expands `{a,b}` as a shell does. Never more than a bounded number of words: what exceeds the
/// bound is returned as one word with a `*` in place of every group.
pub fn expand_braces(word: &str) -> Vec<String> {
    let mut finished = Vec::new();
    let mut waiting = vec![word.to_owned()];
    while let Some(current) = waiting.pop() {
        if finished.len() + waiting.len() >= MAX_BRACE_WORDS {
            return vec![collapse_braces(word)];
        }
        match split_group(&current) {
            None => finished.push(current),
            Some((before, choices, after)) => {
                if choices.len() > MAX_BRACE_WORDS {
                    return vec![collapse_braces(word)];
                }
                waiting.extend(
                    choices
                        .iter()
                        .rev()
                        .map(|choice| format!("{before}{choice}{after}")),
                );
            }
        }
    }
    finished
}

/// The first group with a comma at its own level: text before, choices, text after.
fn split_group(word: &str) -> Option<(&str, Vec<&str>, &str)> {
    let mut from = 0;
    while let Some(open) = word
        .get(from..)
        .and_then(|rest| rest.find('{'))
        .map(|at| at + from)
    {
        from = open + 1;
        let before = word.get(..open)?;
        if before.ends_with(['$', '\\']) {
            continue;
        }
        let (mut depth, mut start) = (0_usize, open + 1);
        let mut choices = Vec::new();
        for (at, character) in word.char_indices().skip_while(|(at, _)| *at <= open) {
            match character {
                '{' => depth += 1,
                ',' if depth == 0 => {
                    choices.push(word.get(start..at)?);
                    start = at + 1;
                }
                '}' if depth == 0 => {
                    if choices.is_empty() {
                        break;
                    }
                    choices.push(word.get(start..at)?);
                    return Some((before, choices, word.get(at + 1..)?));
                }
                '}' => depth -= 1,
                _ => {}
            }
        }
    }
    None
}

fn collapse_braces(word: &str) -> String {
    let mut depth = 0_usize;
    let mut collapsed = String::with_capacity(word.len());
    for character in word.chars() {
        match character {
            '{' => {
                if depth == 0 {
                    collapsed.push('*');
                }
                depth += 1;
            }
            '}' => depth = depth.saturating_sub(1),
            other if depth == 0 => collapsed.push(other),
            _ => {}
        }
    }
    collapsed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A class with more ranges than are read, and a letter after it.
    const LONG_CLASS: &str = concat!(
        "[abcdefghijklmnoabcdefghijklmnoabcdefghijklmnoabcdefghijklmnoabcdefghijklmno",
        "abcdefghijklmnoabcdefghijklmnoabcdefghijklmnoabcdefghijklmnoabcdefghijklmnor]m"
    );

    #[test]
    fn patterns_meet_where_a_name_fits_both() {
        let spelled = |pattern, rule: &str| {
            meet(pattern, rule, rule.chars().count()).map(|found| (found.example, found.spelled))
        };
        for (pattern, rule, expected) in [
            (".e?v", ".env", Some((".env", 3))),
            (".[e]nv", ".env", Some((".env", 4))),
            ("*.lock", ".env.*", Some((".env.lock", 1))),
            ("prod*.pem", "*.pem", Some(("prod.pem", 4))),
            ("*", "id_rsa", Some(("id_rsa", 0))),
            ("*.rs", "id_rsa", None),
            ("[!.]nv", ".env", None),
            ("@(.env|x)", ".env", Some((".env", 0))),
            ("[[[[", "rm", None),
            (LONG_CLASS, "rm", Some(("rm", 0))),
        ] {
            let expected = expected.map(|(name, count)| (name.to_owned(), count));
            assert_eq!(spelled(pattern, rule), expected, "{pattern} and {rule}");
        }
    }

    #[test]
    fn stars_match_greedily_enough() {
        for (pattern, text, expected) in [
            ("*.pem", "a.pem", true),
            ("*key*.pem", "my-key-2.pem", true),
            ("a*b*c", "abbc", true),
            ("a*a", "a", false),
            ("exact", "exact", true),
            ("exact", "exactly", false),
        ] {
            assert_eq!(star_match(pattern, text), expected, "{pattern} on {text}");
        }
    }

    #[test]
    fn braces_expand_within_bounds() {
        assert_eq!(expand_braces("a{b,c{d,e}}f"), ["abf", "acdf", "acef"]);
        assert_eq!(expand_braces("${HOME}/{x}"), ["${HOME}/{x}"]);
        assert_eq!(expand_braces("/{,}"), ["/", "/"]);
        let bomb = "{a,b}".repeat(40);
        assert_eq!(expand_braces(&bomb), ["*".repeat(40)]);
    }

    #[test]
    fn only_open_patterns_accept_everything() {
        for open in ["*", "**", ".*", ".[!.]*", "?*"] {
            assert!(accepts_everything(open), "{open}");
        }
        for bound in ["*.rs", "a*", "?", "[ab]*", "src"] {
            assert!(!accepts_everything(bound), "{bound}");
        }
    }
}
