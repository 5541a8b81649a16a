//! Git's patterns for names: `*`, `?`, `[a-z]`, `**` and `\`, matched in bounded time.

use super::cache::MemoryUse;

/// A pattern for a path below some folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    components: Vec<Component>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Component {
    /// `**`: any number of folders, also none.
    Folders,
    Name(Vec<Token>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Byte(u8),
    Slash,
    AnyByte,
    AnyText,
    Class(Class),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Class {
    sense: Sense,
    ranges: Vec<(u8, u8)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sense {
    AnyOf,
    NoneOf,
}

impl MemoryUse for Pattern {
    fn memory_use(&self) -> u64 {
        let names = self.components.iter().map(|component| match component {
            Component::Folders => 0,
            Component::Name(tokens) => tokens.capacity() * size_of::<Token>(),
        });
        let own = self.components.capacity() * size_of::<Component>();
        (own + names.sum::<usize>()) as u64
    }
}

impl Pattern {
    /// Reads a pattern; `None` if it could never match.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let tokens = tokens(text)?;
        let mut components: Vec<Component> = tokens
            .split(|token| *token == Token::Slash)
            .map(|name| match name {
                [Token::AnyText, Token::AnyText, ..]
                    if name.iter().all(|token| *token == Token::AnyText) =>
                {
                    Component::Folders
                }
                name => Component::Name(name.to_vec()),
            })
            .collect();
        // `a/**` is everything in `a`, but not `a` itself.
        if components.last() == Some(&Component::Folders) {
            components.push(Component::Name(vec![Token::AnyText]));
        }
        Some(Self { components })
    }

    /// The number of folders and names that a path must have to match; `None` if that is open.
    pub(super) fn depth(&self) -> Option<usize> {
        let open = self.components.contains(&Component::Folders);
        (!open).then_some(self.components.len())
    }

    /// Whether the pattern matches a whole path, given as its components.
    pub(super) fn matches(&self, path: &[&[u8]]) -> bool {
        matches_with_gaps(
            &self.components,
            path,
            |component| *component == Component::Folders,
            |component, name| match component {
                Component::Folders => false,
                Component::Name(tokens) => matches_name(tokens, name),
            },
        )
    }
}

fn matches_name(tokens: &[Token], name: &[u8]) -> bool {
    matches_with_gaps(
        tokens,
        name,
        |token| *token == Token::AnyText,
        |token, byte| match token {
            Token::Byte(expected) => expected == byte,
            Token::AnyByte => true,
            Token::Class(class) => class.accepts(*byte),
            Token::AnyText | Token::Slash => false,
        },
    )
}

/// Matches `text` against a pattern some of whose parts are gaps that stand for any number of units.
/// Only the latest gap is ever widened, so that the work is bounded by the product of the lengths.
fn matches_with_gaps<P, T>(
    pattern: &[P],
    text: &[T],
    is_gap: impl Fn(&P) -> bool,
    fits: impl Fn(&P, &T) -> bool,
) -> bool {
    let (mut at, mut read) = (0, 0);
    let mut latest_gap: Option<(usize, usize)> = None;
    loop {
        match (pattern.get(at), text.get(read)) {
            (None, None) => return true,
            (Some(part), _) if is_gap(part) => {
                latest_gap = Some((at + 1, read));
                at += 1;
                continue;
            }
            (Some(part), Some(unit)) if fits(part, unit) => {
                at += 1;
                read += 1;
                continue;
            }
            _ => {}
        }
        let Some((after_gap, from)) = latest_gap.filter(|(_, from)| *from < text.len()) else {
            return false;
        };
        latest_gap = Some((after_gap, from + 1));
        at = after_gap;
        read = from + 1;
    }
}

fn tokens(text: &[u8]) -> Option<Vec<Token>> {
    let mut tokens = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        tokens.push(match first {
            b'*' => Token::AnyText,
            b'?' => Token::AnyByte,
            b'/' => Token::Slash,
            b'[' => {
                let (class, after) = class(rest)?;
                rest = after;
                Token::Class(class)
            }
            b'\\' => {
                let (escaped, after) = rest.split_first()?;
                rest = after;
                match escaped {
                    b'/' => Token::Slash,
                    other => Token::Byte(*other),
                }
            }
            other => Token::Byte(*other),
        });
    }
    Some(tokens)
}

/// Reads a class after its `[`; `None` if it does not end or names an unknown kind of character.
fn class(text: &[u8]) -> Option<(Class, &[u8])> {
    let (sense, mut rest) = match text {
        [b'!' | b'^', after @ ..] => (Sense::NoneOf, after),
        _ => (Sense::AnyOf, text),
    };
    let mut ranges = Vec::new();
    let mut previous: Option<u8> = None;
    // A `]` that comes first is a member.
    let mut may_end = false;
    loop {
        let (first, after) = rest.split_first()?;
        match (first, after) {
            (b']', _) if may_end => return Some((Class { sense, ranges }, after)),
            (b'-', [end, tail @ ..]) if *end != b']' && previous.is_some() => {
                let (end, tail) = match (end, tail) {
                    (b'\\', [escaped, tail @ ..]) => (*escaped, tail),
                    (b'\\', []) => return None,
                    _ => (*end, tail),
                };
                ranges.push((previous?, end));
                previous = None;
                rest = tail;
            }
            (b'[', [b':', named @ ..]) if kind_of_character(named).is_some() => {
                let (name, tail) = kind_of_character(named)?;
                ranges.extend_from_slice(ranges_of(name)?);
                previous = None;
                rest = tail;
            }
            (b'\\', _) => {
                let (escaped, tail) = after.split_first()?;
                ranges.push((*escaped, *escaped));
                previous = Some(*escaped);
                rest = tail;
            }
            _ => {
                ranges.push((*first, *first));
                previous = Some(*first);
                rest = after;
            }
        }
        may_end = true;
    }
}

/// The name in `[:name:]`, after its first colon, and what follows it.
fn kind_of_character(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = text.iter().position(|byte| *byte == b']')?;
    let name = text.get(..end)?.strip_suffix(b":")?;
    Some((name, text.get(end + 1..)?))
}

fn ranges_of(kind: &[u8]) -> Option<&'static [(u8, u8)]> {
    Some(match kind {
        b"alnum" => &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')],
        b"alpha" => &[(b'A', b'Z'), (b'a', b'z')],
        b"blank" => &[(b' ', b' '), (b'\t', b'\t')],
        b"cntrl" => &[(0, 31), (127, 127)],
        b"digit" => &[(b'0', b'9')],
        b"graph" => &[(33, 126)],
        b"lower" => &[(b'a', b'z')],
        b"print" => &[(32, 126)],
        b"punct" => &[(33, 47), (58, 64), (91, 96), (123, 126)],
        b"space" => &[(9, 13), (b' ', b' ')],
        b"upper" => &[(b'A', b'Z')],
        b"xdigit" => &[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')],
        _ => return None,
    })
}

impl Class {
    fn accepts(&self, byte: u8) -> bool {
        let among = self
            .ranges
            .iter()
            .any(|(start, end)| (*start..=*end).contains(&byte));
        match self.sense {
            Sense::AnyOf => among,
            Sense::NoneOf => !among,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        let components: Vec<&[u8]> = path.split('/').map(str::as_bytes).collect();
        Pattern::parse(pattern.as_bytes()).is_some_and(|it| it.matches(&components))
    }

    #[test]
    fn patterns_match_as_git_says() {
        for (pattern, accepted, refused) in [
            ("*.o", &["a.o", ".o"][..], &["a.c", "a/b.o"][..]),
            ("a/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["ab", "a/bc"]),
            ("a/**", &["a/b", "a/b/c"], &["a", "b/a"]),
            ("**/a", &["a", "x/a", "x/y/a"], &["xa", "a/x"]),
            ("**a", &["xa", "a"], &["x/a"]),
            ("[!a-c]?", &["dx", "-x"], &["ax", "d"]),
            ("[]x]", &["]", "x"], &["y"]),
            ("[a\\]b]", &["]", "b"], &["\\"]),
            ("[[:digit:]x]*", &["1", "xa"], &["a", ":"]),
            ("[[:digit]", &["[", ":", "d"], &["1"]),
            ("*.{o,a}", &["x.{o,a}"], &["x.o"]),
            ("\\*", &["*"], &["a"]),
            ("x[a/b]", &["xa"], &["x/"]),
        ] {
            for path in accepted {
                assert!(matches(pattern, path), "{pattern} {path}");
            }
            for path in refused {
                assert!(!matches(pattern, path), "{pattern} {path}");
            }
        }
    }

    #[test]
    fn broken_patterns_match_nothing() {
        for broken in ["[", "[a", "[]", "a\\", "[[:nothing:]]", "[a-\\"] {
            assert_eq!(Pattern::parse(broken.as_bytes()), None, "{broken}");
        }
    }

    #[test]
    fn many_gaps_do_not_multiply_the_work() {
        let pattern = "*a".repeat(400) + "b";
        assert!(!matches(&pattern, &"a".repeat(4000)));
        let pattern = "**/a/".repeat(200) + "b";
        assert!(!matches(&pattern, &"a/".repeat(1000)));
    }
}
