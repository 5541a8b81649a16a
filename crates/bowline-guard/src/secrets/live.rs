//! Which of the secrets in a text could be in use, as opposed to those of examples and tests.

use super::text::contains_ignore_case;
use super::values::{is_hex, is_placeholder, is_random};
use super::{Confidence, Finding, scan};

/// A literal that is only likely a secret has to be at least this long to look as if a machine had made it.
const LEAST_RANDOM: usize = 16;
const LEAST_HEX: usize = 32;
/// A recovery phrase of a test repeats its words.
const LEAST_WORDS: usize = 8;

/// Parts of values that nobody uses in earnest, between other characters than letters.
const TEST_WORDS: &[&[u8]] = &[b"test", b"fake", b"mock", b"demo", b"fixture", b"testing"];

/// Rules whose findings open nothing by themselves.
const NOT_USABLE: &[&str] = &["password-hash"];

/// The secrets of a text that look as if they were in use: tokens of known formats and private keys, and random
/// values where a secret belongs. A password that could be anybody's word is none, nor is what an example or a test
/// spells out.
///
/// ```
/// use bowline_guard::secrets::{expand, scan_live};
///
/// assert_eq!(scan_live(&expand("token = 'ghp_{a36}'")).len(), 1);
/// assert!(scan_live(&expand("key = 'sk_test_{a24}'")).is_empty());
/// assert!(scan_live("password = 'S3cr3t-pw'").is_empty());
/// ```
pub fn scan_live(text: &str) -> Vec<Finding> {
    let mut findings = scan(text);
    findings.retain(|finding| {
        let value = text.get(finding.span.clone()).unwrap_or_default();
        is_live(finding, value.as_bytes())
    });
    findings
}

fn is_live(finding: &Finding, value: &[u8]) -> bool {
    if NOT_USABLE.contains(&finding.rule) || is_placeholder(value) {
        return false;
    }
    match (finding.rule, finding.confidence) {
        ("mnemonic", _) => has_many_words(value),
        ("private-key" | "putty-key", _) => true,
        (_, Confidence::Certain) => !names_a_test(value),
        (_, Confidence::Likely) => {
            !names_a_test(value)
                && (is_random(value, LEAST_RANDOM) || (value.len() >= LEAST_HEX && is_hex(value)))
        }
    }
}

/// Whether a word of the value says that it is for tests: `sk_test_…`, `fake-token-…`.
fn names_a_test(value: &[u8]) -> bool {
    contains_ignore_case(value, b"notreal")
        || value.split(|byte| !byte.is_ascii_alphabetic()).any(|word| {
            TEST_WORDS
                .iter()
                .any(|test| word.eq_ignore_ascii_case(test))
        })
}

fn has_many_words(phrase: &[u8]) -> bool {
    let mut words: Vec<&[u8]> = phrase.split(u8::is_ascii_whitespace).collect();
    words.sort_unstable();
    words.dedup();
    words.len() >= LEAST_WORDS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::expand;

    #[test]
    fn only_what_could_be_in_use_is_live() {
        for (text, rule) in [
            ("token: ghp_{a36}", Some("github-token")),
            ("AWS_ACCESS_KEY_ID=AKIA{A16}", Some("aws-access-key-id")),
            ("stripe = 'sk_live_{a24}'", Some("stripe-key")),
            ("API_KEY={a32}", Some("secret")),
            ("session_secret: {h64}", Some("secret")),
            ("postgres://app:{a24}@db.test/x", Some("url-password")),
            (
                "-----BEGIN RSA PRIVATE KEY-----\n{a64}\n{a64}\n-----END RSA PRIVATE KEY-----",
                Some("private-key"),
            ),
            ("stripe = 'sk_test_{a24}'", None),
            ("AKIAIOSFODNN7EXAMPLE", None),
            ("API_KEY=fake-{a32}", None),
            ("API_KEY=your-api-key-here", None),
            ("API_KEY=${API_KEY}", None),
            ("password: hunter2", None),
            ("DB_PASSWORD=postgres123", None),
            ("postgres://app:postgres@localhost/x", None),
            ("commit {h40}", None),
        ] {
            let text = expand(text);
            let found = scan_live(&text);
            assert_eq!(found.first().map(|it| it.rule), rule, "{text}: {found:?}");
        }
    }
}
