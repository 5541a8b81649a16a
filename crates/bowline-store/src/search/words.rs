//! Words: how a text is cut for the index, what is asked of it, and where the answer is in a text.

use std::ops::Range;

/// What counts of a longer word, in characters.
const LONGEST: usize = 64;
/// A word of at least this many characters also finds longer ones that begin with it.
const BEGINNING: usize = 3;
/// At most this many words are searched for.
const MOST: usize = 32;

/// A word of a text, and where it is.
#[derive(Debug, PartialEq, Eq)]
struct Word {
    /// In lower case, character by character.
    folded: String,
    place: Range<usize>,
}

/// The words of a text: letters and digits in a row. Everything else is a gap.
fn words(text: &str) -> impl Iterator<Item = Word> {
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        while rest.next_if(|(_, c)| !c.is_alphanumeric()).is_some() {}
        let (start, first) = rest.next()?;
        let mut word = Word {
            folded: fold(first).to_string(),
            place: start..start + first.len_utf8(),
        };
        let mut length = 1;
        while !stands_alone(first)
            && let Some((at, c)) = rest.next_if(|(_, c)| c.is_alphanumeric() && !stands_alone(*c))
        {
            length += 1;
            if length <= LONGEST {
                word.folded.push(fold(c));
                word.place.end = at + c.len_utf8();
            }
        }
        Some(word)
    })
}

/// One character for one, so that what is found can be marked in the text.
fn fold(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

/// Chinese and Japanese have no gaps between words: each character is one.
const fn stands_alone(c: char) -> bool {
    matches!(
        c,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}'
    )
}

/// A text as the index gets it: its words with a blank between them.
pub(crate) fn indexed(text: &str) -> String {
    let mut indexed = String::with_capacity(text.len());
    for word in words(text) {
        if !indexed.is_empty() {
            indexed.push(' ');
        }
        indexed.push_str(&word.folded);
    }
    indexed
}

/// What is searched for. Each group of words was written without a blank (`src/main.rs`), and is found in one place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Words {
    groups: Vec<Vec<String>>,
}

/// The words that begin with a word, itself among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Longer {
    These(Vec<String>),
    TooMany,
}

impl Words {
    /// The words of what somebody searches for; `None` if there are none.
    pub(crate) fn wanted(text: &str) -> Option<Self> {
        let mut left = MOST;
        let mut groups = Vec::new();
        for written in text.split_whitespace() {
            let group: Vec<String> = words(written).take(left).map(|it| it.folded).collect();
            left -= group.len();
            if !group.is_empty() {
                groups.push(group);
            }
            if left == 0 {
                break;
            }
        }
        (!groups.is_empty()).then_some(Self { groups })
    }

    /// As a query in the language of FTS5. Words are letters and digits alone, so that nothing in quotes can end the quotes. `longer` says
    /// which words begin with a word: FTS5 reads all rows of a beginning before it gives the first, but of a word only those that are wanted.
    pub(crate) fn query<E>(
        &self,
        mut longer: impl FnMut(&str) -> Result<Longer, E>,
    ) -> Result<String, E> {
        let mut groups = Vec::new();
        for group in &self.groups {
            let Some((last, before)) = group.split_last() else {
                continue;
            };
            let phrase = |last: &str| {
                let words = before.iter().map(String::as_str).chain([last]);
                format!("\"{}\"", words.collect::<Vec<_>>().join(" "))
            };
            if !is_beginning(group) {
                groups.push(phrase(last));
                continue;
            }
            groups.push(match longer(last)? {
                Longer::TooMany => format!("{} *", phrase(last)),
                // A word that nobody has finds nothing.
                Longer::These(words) if words.is_empty() => phrase(last),
                Longer::These(words) => {
                    let phrases: Vec<String> = words.iter().map(|it| phrase(it)).collect();
                    format!("({})", phrases.join(" OR "))
                }
            });
        }
        Ok(groups.join(" AND "))
    }

    /// Whether each group is somewhere in a text.
    pub(crate) fn are_all_in(&self, text: &str) -> bool {
        let words: Vec<Word> = words(text).collect();
        let mut groups = self.groups.iter();
        groups.all(|group| places(group, &words).next().is_some())
    }

    /// The places of a text, in bytes and in order, where a group is. None is within another.
    pub(crate) fn matches(&self, text: &str) -> Vec<Range<usize>> {
        let words: Vec<Word> = words(text).collect();
        let groups = self.groups.iter();
        let mut found: Vec<Range<usize>> = groups
            .flat_map(|group| places(group, &words))
            .map(|place| to_length(text, place))
            .collect();
        found.sort_by_key(|place| (place.start, std::cmp::Reverse(place.end)));
        let mut end = 0;
        found.retain(|place| {
            let is_apart = place.start >= end;
            if is_apart {
                end = place.end;
            }
            is_apart
        });
        found
    }
}

/// Whether the last word of a group also finds longer ones.
fn is_beginning(group: &[String]) -> bool {
    group
        .last()
        .is_some_and(|word| word.chars().nth(BEGINNING - 1).is_some())
}

/// From the beginning of the first word of a match to this many characters of its last word.
struct Place {
    start: usize,
    last: usize,
    characters: usize,
}

fn to_length(text: &str, place: Place) -> Range<usize> {
    let last = text.get(place.last..).unwrap_or_default();
    let length = last
        .char_indices()
        .nth(place.characters)
        .map_or(last.len(), |(at, _)| at);
    place.start..place.last + length
}

fn places<'a>(group: &'a [String], words: &'a [Word]) -> impl Iterator<Item = Place> {
    let begins = is_beginning(group);
    words.windows(group.len()).filter_map(move |found| {
        let (last_wanted, wanted) = group.split_last()?;
        let (last, before) = found.split_last()?;
        let is_there = wanted
            .iter()
            .zip(before)
            .all(|(it, word)| *it == word.folded)
            && if begins {
                last.folded.starts_with(last_wanted.as_str())
            } else {
                last.folded == *last_wanted
            };
        is_there.then(|| Place {
            start: found.first().unwrap_or(last).place.start,
            last: last.place.start,
            characters: last_wanted.chars().count(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_into_words() {
        for (text, expected) in [
            ("", ""),
            ("-- / \0 \"*\" ", ""),
            ("cargo test --Workspace", "cargo test workspace"),
            ("/home/me/src/main.rs:12", "home me src main rs 12"),
            ("rm -rf node_modules", "rm rf node modules"),
            ("ÄÖÜ straße İ", "äöü straße i"),
            ("部署a服务 テスト", "部 署 a 服 务 テ ス ト"),
            ("a\"b*c(d)AND-x", "a b c d and x"),
        ] {
            assert_eq!(indexed(text), expected, "{text:?}");
        }
        assert_eq!(indexed(&"x".repeat(1_000)), "x".repeat(LONGEST));
    }

    fn query(text: &str, longer: &Longer) -> Option<String> {
        let find = |_: &str| Ok::<_, ()>(longer.clone());
        Words::wanted(text).map(|words| words.query(find).unwrap())
    }

    #[test]
    fn a_beginning_becomes_the_words_that_begin_so() {
        let these =
            |words: &[&str]| Longer::These(words.iter().map(|it| (*it).to_owned()).collect());
        for (text, longer, expected) in [
            ("test", these(&["test", "tests"]), "(\"test\" OR \"tests\")"),
            ("src/tes", these(&["test"]), "(\"src test\")"),
            ("test", these(&[]), "\"test\""),
            ("ls", these(&["lsof"]), "\"ls\""),
            ("a test", Longer::TooMany, "\"a\" AND \"test\" *"),
        ] {
            assert_eq!(query(text, &longer).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_searched_for_is_never_read_as_a_query() {
        for (text, expected) in [
            ("cargo", "\"cargo\" *"),
            ("ls", "\"ls\""),
            ("cargo test", "\"cargo\" * AND \"test\" *"),
            ("src/main.rs", "\"src main rs\""),
            ("--force", "\"force\" *"),
            (
                "AND OR NOT NEAR",
                "\"and\" * AND \"or\" AND \"not\" * AND \"near\" *",
            ),
            ("\"a\" * \"", "\"a\""),
            ("command:x ^y {z}", "\"command x\" AND \"y\" AND \"z\""),
            ("a\0b", "\"a b\""),
        ] {
            let query = query(text, &Longer::TooMany);
            assert_eq!(query.as_deref(), Some(expected), "{text:?}");
        }
        for text in ["", " ", "\0", "-", "\"", "*", "()", "--- /// …", "\u{202e}"] {
            assert_eq!(Words::wanted(text), None, "{text:?}");
        }
        let much = Words::wanted(&"word/word ".repeat(1_000)).unwrap();
        assert_eq!(much.groups.iter().map(Vec::len).sum::<usize>(), MOST);
        let long = query(&"x".repeat(10_000), &Longer::TooMany).unwrap();
        assert!(long.len() < 100, "{long}");
    }

    #[test]
    fn every_group_has_to_be_there_in_any_order() {
        for (wanted, text, expected) in [
            ("cargo test", "TEST of cargo", true),
            ("cargo test", "cargo build", false),
            ("depl", "the deployment", true),
            ("de", "the deployment", false),
            ("ment", "the deployment", false),
            ("main.rs", "src/main.rs", true),
            ("main.rs", "rs main", false),
            ("src/mai", "src/main.rs", true),
            ("m", "rm -m", true),
        ] {
            let words = Words::wanted(wanted).unwrap();
            assert_eq!(words.are_all_in(text), expected, "{wanted} in {text}");
        }
    }

    #[test]
    fn no_match_is_within_another() {
        let words = Words::wanted("test test/more tes").unwrap();
        let text = "a test/more test";
        let found: Vec<&str> = words
            .matches(text)
            .into_iter()
            .map(|it| &text[it])
            .collect();
        assert_eq!(found, ["test/more", "test"]);
    }
}
