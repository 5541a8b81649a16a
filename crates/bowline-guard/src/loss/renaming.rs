//! How programs find new names for files: by an ending, a text or an expression.

use regex::{Regex, RegexBuilder};

/// An expression that needs more than this is not followed.
const MAX_COMPILED: usize = 256 * 1024;

/// The rule by which a file gets its new name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Renaming {
    /// Something is put behind the name: `.gz`.
    Longer(String),
    /// The first of these endings that the name has is replaced: `.tgz` by `.tar`, `.gz` by nothing.
    Endings(Vec<(String, String)>),
    /// The first place of a text is replaced.
    Text {
        /// The text.
        what: String,
        /// What comes in its place.
        with: String,
    },
    /// What an expression finds is replaced.
    Expression {
        /// The expression.
        what: String,
        /// What comes in its place; `${1}` is its first group.
        with: String,
        /// How often.
        times: Times,
    },
}

/// How often something is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// Where it is first.
    Once,
    /// Wherever it is.
    Always,
}

impl Renaming {
    /// Perl's `s/WHAT/WITH/`, if that is all there is to it.
    pub(crate) fn substitution(text: &str) -> Option<Self> {
        let rest = text.trim().strip_prefix('s')?;
        let mark = rest.chars().next().filter(|it| "/|#,!@".contains(*it))?;
        let mut parts = split_unescaped(rest.get(mark.len_utf8()..)?, mark).into_iter();
        let (what, with, flags) = (parts.next()?, parts.next()?, parts.next()?);
        let plain = flags.chars().all(|it| "gi".contains(it)) && !with.contains(['@', '\\']);
        if parts.next().is_some() || !plain {
            return None;
        }
        let what = if flags.contains('i') {
            format!("(?i){what}")
        } else {
            what
        };
        Some(Self::Expression {
            what,
            with: numbered(&with, '$'),
            times: if flags.contains('g') {
                Times::Always
            } else {
                Times::Once
            },
        })
    }

    /// `'*.md' '#1.txt'`: what a wildcard took is put where its number is.
    pub(crate) fn wildcards(from: &str, to: &str) -> Option<Self> {
        if from.contains(['/', '[', ';']) || to.contains('/') {
            return None;
        }
        let mut what = String::from("^");
        for letter in from.chars() {
            match letter {
                '*' => what.push_str("(.*)"),
                '?' => what.push_str("(.)"),
                other => what.push_str(&regex::escape(&other.to_string())),
            }
        }
        what.push('$');
        Some(Self::Expression {
            what,
            with: numbered(&to.replace('$', "$$"), '#'),
            times: Times::Once,
        })
    }

    /// The new name of each, in order; `None` for those that keep theirs, and for all where the rule cannot be followed.
    pub fn of<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Option<Vec<Option<String>>> {
        let expression = match self {
            Self::Expression { what, .. } => Some(compiled(what)?),
            _ => None,
        };
        let names = names.into_iter();
        let named = names.map(|name| self.one(name, expression.as_ref()).filter(|it| it != name));
        Some(named.collect())
    }

    fn one(&self, name: &str, expression: Option<&Regex>) -> Option<String> {
        match self {
            Self::Longer(ending) => Some(format!("{name}{ending}")),
            Self::Endings(endings) => endings
                .iter()
                .find_map(|(from, to)| Some(format!("{}{to}", name.strip_suffix(from.as_str())?))),
            Self::Text { what, with } => Some(name.replacen(what.as_str(), with, 1)),
            Self::Expression { with, times, .. } => {
                let limit = usize::from(*times == Times::Once);
                Some(
                    expression?
                        .replacen(name, limit, with.as_str())
                        .into_owned(),
                )
            }
        }
    }
}

fn compiled(expression: &str) -> Option<Regex> {
    RegexBuilder::new(expression)
        .size_limit(MAX_COMPILED)
        .build()
        .ok()
}

/// The parts between marks; one behind a backslash is no mark.
fn split_unescaped(text: &str, mark: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let Some(part) = parts.last_mut() else { break };
        match letter {
            '\\' => match letters.next() {
                Some(next) if next == mark => part.push(next),
                next => part.extend(['\\'].into_iter().chain(next)),
            },
            _ if letter == mark => parts.push(String::new()),
            _ => part.push(letter),
        }
    }
    parts
}

/// `$1` and `#1` as the group that they mean.
fn numbered(text: &str, sign: char) -> String {
    let mut made = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letters.peek() {
            Some(digit) if letter == sign && digit.is_ascii_digit() => {
                made.push_str("${");
                made.push(*digit);
                made.push('}');
                letters.next();
            }
            _ => made.push(letter),
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renamed(rule: &Renaming, name: &str) -> Option<String> {
        rule.of([name]).unwrap().remove(0)
    }

    #[test]
    fn substitutions_are_followed() {
        for (rule, name, expected) in [
            ("s/\\.md$/.txt/", "a.md", Some("a.txt")),
            ("s/.*/x/", "a.md", Some("x")),
            ("s/a/b/", "aa", Some("ba")),
            ("s/a/b/g", "aa", Some("bb")),
            ("s/A/b/i", "a", Some("b")),
            ("s/(.)-(.)/$2-$1/", "a-b", Some("b-a")),
            ("s/q/r/", "a", None),
        ] {
            let rule = Renaming::substitution(rule).unwrap();
            assert_eq!(renamed(&rule, name).as_deref(), expected, "{rule:?}");
        }
        for text in ["y/A-Z/a-z/", "s/a/b/e", "s/a/b/; s/c/d/", "s/a", "$_ = 1"] {
            assert_eq!(Renaming::substitution(text), None, "{text}");
        }
    }

    #[test]
    fn wildcards_are_put_in_order() {
        let rule = Renaming::wildcards("*.?-*", "#3$#1.#2").unwrap();
        assert_eq!(renamed(&rule, "a.b-c").as_deref(), Some("c$a.b"));
        assert_eq!(renamed(&rule, "other"), None);
        assert_eq!(Renaming::wildcards("[a]*", "#1"), None);
    }
}
