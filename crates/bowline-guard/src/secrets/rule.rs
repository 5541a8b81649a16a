//! A rule: what it finds, and the examples that prove it.

use std::ops::Range;

/// How sure a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// The format of a vendor, or a private key: it can be nothing else.
    Certain,
    /// A literal where a secret belongs, or a random value under a telling name.
    Likely,
}

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The id of the rule that found it.
    pub rule: &'static str,
    /// The bytes of the secret value alone.
    pub span: Range<usize>,
    /// How sure it is.
    pub confidence: Confidence,
}

/// One kind of secret, with the examples that are checked by [`check_rules`](super::check_rules).
///
/// Examples are templates, so that this source holds nothing that looks live: `{a36}` stands for
/// 36 letters and digits (see [`expand`]).
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The name shown in place of the secret.
    pub id: &'static str,
    /// What it finds, for people.
    pub description: &'static str,
    /// Templates of texts in which it finds something.
    pub matches: &'static [&'static str],
    /// Templates of texts in which nothing is found.
    pub ignores: &'static [&'static str],
    pub(super) token: Option<Token>,
}

/// How a token is recognised: one of the prefixes, then the anchored pattern.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    /// Where to look, exact in case.
    pub(super) prefixes: &'static [&'static str],
    /// Whether the prefix alone tells what it is.
    pub(super) telling: Certainty,
    /// What of the token may stand before the prefix.
    pub(super) lead: Option<Lead>,
    /// What the token is; group 1, if there is one, is the secret.
    pub(super) pattern: &'static str,
}

/// What a prefix says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    /// Only tokens of this kind begin like this.
    Surely,
    /// Other names begin like this, too.
    Perhaps,
}

/// The part of a token before its telling part: at most this many bytes of a class.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lead {
    pub(super) most: usize,
    pub(super) class: fn(u8) -> bool,
}

impl Rule {
    /// A token that starts with its prefix.
    pub(super) const fn token(
        id: &'static str,
        description: &'static str,
        prefixes: &'static [&'static str],
        pattern: &'static str,
        matches: &'static [&'static str],
        ignores: &'static [&'static str],
    ) -> Self {
        Self {
            id,
            description,
            matches,
            ignores,
            token: Some(Token {
                prefixes,
                telling: Certainty::Surely,
                lead: None,
                pattern,
            }),
        }
    }

    /// The same rule for a token whose prefix other names have, too.
    pub(super) const fn perhaps(self) -> Self {
        match self.token {
            Some(token) => Self {
                token: Some(Token {
                    telling: Certainty::Perhaps,
                    ..token
                }),
                ..self
            },
            None => self,
        }
    }

    /// The same rule for a token whose telling part comes after at most this many other bytes.
    pub(super) const fn led_by(self, most: usize, class: fn(u8) -> bool) -> Self {
        let lead = Some(Lead { most, class });
        match self.token {
            Some(token) => Self {
                token: Some(Token { lead, ..token }),
                ..self
            },
            None => self,
        }
    }

    /// A rule whose detector is code of its own.
    pub(super) const fn structural(
        id: &'static str,
        description: &'static str,
        matches: &'static [&'static str],
        ignores: &'static [&'static str],
    ) -> Self {
        Self {
            id,
            description,
            matches,
            ignores,
            token: None,
        }
    }
}

/// An example that does not behave as its rule says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleFault {
    /// An example that must match is not found.
    #[error("secret rule `{rule}` does not find its example `{example}`")]
    Missed {
        /// The rule.
        rule: &'static str,
        /// The template of the example.
        example: &'static str,
    },
    /// An example that must not match is found.
    #[error("secret rule `{rule}` finds a secret in `{example}`, which must stay")]
    FalseAlarm {
        /// The rule.
        rule: &'static str,
        /// The template of the example.
        example: &'static str,
    },
}

/// Fills a template: `{a36}` becomes 36 letters and digits, `{A16}` upper case and digits, `{l8}`
/// lower case and digits, `{h32}` hexadecimal digits, `{d9}` digits, `{b40}` base64. The result is
/// always the same.
///
/// ```
/// use bowline_guard::secrets::expand;
///
/// assert_eq!(expand("id={d3}").len(), "id=123".len());
/// assert_eq!(expand("{\"a\": 1}"), "{\"a\": 1}");
/// ```
pub fn expand(template: &str) -> String {
    let mut text = String::with_capacity(template.len() + 64);
    let mut rest = template;
    let mut state = 0x9e37_79b9_u32;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let hole = after.split_once('}');
        if let Some(((alphabet, count), tail)) =
            hole.and_then(|(hole, tail)| Some((parse_hole(hole)?, tail)))
        {
            text.extend((0..count).map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let pick = (state >> 16) as usize % alphabet.len();
                alphabet.get(pick).copied().map_or('a', char::from)
            }));
            rest = tail;
        } else {
            text.push('{');
            rest = after;
        }
    }
    text.push_str(rest);
    text
}

fn parse_hole(hole: &str) -> Option<(&'static [u8], usize)> {
    let (class, count) = hole.split_at_checked(1)?;
    let count = count.parse().ok().filter(|&n| n <= 4096)?;
    let alphabet: &[u8] = match class {
        "a" => b"aQ7kZ2mX9pR4tW6vB8nC3dF5gH1jLsTyUeKw",
        "A" => b"Q7KZ2MX9PR4TW6VB8NC3DF5GH1JLSTYUE",
        "l" => b"q7kz2mx9pr4tw6vb8nc3df5gh1jlstyue",
        "h" => b"0a9b8c7d6e5f4132",
        "d" => b"7294018365",
        "b" => b"aQ7kZ+mX9pR4tW6vB/nC3dF5gH1jLsTyUeKw",
        _ => return None,
    };
    Some((alphabet, count))
}
