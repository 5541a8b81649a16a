//! Git's rules on what it ignores: one file of them.
//!
//! Read here rather than by a library. Those for globs take `{a,b}` for a choice, which git does not: they would call a
//! file ignored that git does not ignore. `gix-ignore` takes seconds for some lines of a hundred bytes.

use super::cache::MemoryUse;
use super::wildmatch::Pattern;

/// At most this many rules. A larger file is not judged.
const MAX_RULES: usize = 8192;
const MAX_LINE: usize = 1024;

/// The rules of one file, in its order.
#[derive(Debug, Default)]
pub(super) struct Rules {
    rules: Vec<Rule>,
}

#[derive(Debug)]
struct Rule {
    pattern: Pattern,
    verdict: IgnoreMatch,
    anchor: Anchor,
    subject: Subject,
}

/// What a rule says about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IgnoreMatch {
    Ignored,
    /// Taken in again by `!`.
    Included,
}

/// What a rule's pattern is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    /// The last component, wherever it lies.
    Name,
    /// The whole path, from the folder of the rules on.
    Path,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    Anything,
    Folders,
}

/// Whether a path is a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Folder,
    NoFolder,
}

impl Rules {
    /// Reads the text of a `.gitignore`; `None` if it is out of all proportion, or holds what only git understands.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
        let mut rules = Vec::new();
        for line in text.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.len() > MAX_LINE || rules.len() >= MAX_RULES {
                return None;
            }
            if line.starts_with(b"#") {
                continue;
            }
            let line = without_trailing_spaces(line);
            if is_read_oddly(line) {
                return None;
            }
            rules.extend(rule(line));
        }
        Some(Self { rules })
    }

    /// What the last rule that matches says of a path, given as its components below the folder of the rules.
    pub(super) fn verdict(&self, path: &[&[u8]], kind: Kind) -> Option<IgnoreMatch> {
        let name = path.get(path.len().checked_sub(1)?..)?;
        let matching = self.rules.iter().rev().find(|rule| {
            let subject = match rule.anchor {
                Anchor::Name => name,
                Anchor::Path => path,
            };
            (rule.subject == Subject::Anything || kind == Kind::Folder)
                && rule.pattern.matches(subject)
        });
        matching.map(|rule| rule.verdict)
    }
}

impl MemoryUse for Rules {
    fn memory_use(&self) -> u64 {
        let own = self.rules.capacity() * size_of::<Rule>();
        let patterns = self.rules.iter().map(|rule| rule.pattern.memory_use());
        own as u64 + patterns.sum::<u64>()
    }
}

fn rule(line: &[u8]) -> Option<Rule> {
    let (verdict, line) = match line.strip_prefix(b"!") {
        Some(rest) => (IgnoreMatch::Included, rest),
        None => (IgnoreMatch::Ignored, line),
    };
    let (subject, line) = match line.strip_suffix(b"/") {
        Some(rest) => (Subject::Folders, rest),
        None => (Subject::Anything, line),
    };
    if line.is_empty() {
        return None;
    }
    let anchor = if line.contains(&b'/') {
        Anchor::Path
    } else {
        Anchor::Name
    };
    let pattern = Pattern::parse(line.strip_prefix(b"/").unwrap_or(line))?;
    Some(Rule {
        pattern,
        verdict,
        anchor,
        subject,
    })
}

/// Whether git reads the pattern unlike its own documentation: it compares plain text at the start by itself, so that
/// the `**` in `a**/b` stands at the beginning; and `**\/` is neither `**/` nor `*/`.
pub(super) fn is_read_oddly(line: &[u8]) -> bool {
    let odd_slash = line.windows(3).any(|part| part == br"*\/");
    let plain = line.iter().position(|byte| br"*?[\".contains(byte));
    let (start, wild) = line.split_at(plain.unwrap_or(line.len()));
    let after_stars = wild.iter().position(|byte| *byte != b'*');
    let stars = after_stars.unwrap_or(wild.len());
    let closed = wild.get(stars).is_none_or(|byte| *byte == b'/');
    let glued = start.last().is_some_and(|byte| !b"/!".contains(byte));
    let below_here = line.strip_suffix(b"/").unwrap_or(line).contains(&b'/');
    odd_slash || (glued && stars > 1 && closed && below_here)
}

/// Spaces at the end do not count, unless a backslash stands before them.
fn without_trailing_spaces(line: &[u8]) -> &[u8] {
    let mut end = 0;
    let mut at = 0;
    while let Some(byte) = line.get(at) {
        at += if *byte == b'\\' { 2 } else { 1 };
        if *byte != b' ' {
            end = at.min(line.len());
        }
    }
    line.get(..end).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_at_the_end_count_only_when_escaped() {
        for (line, kept) in [
            ("a  ", "a"),
            ("a\\  ", "a\\ "),
            ("a b ", "a b"),
            ("a\\", "a\\"),
            ("   ", ""),
            ("a\t", "a\t"),
        ] {
            let found = without_trailing_spaces(line.as_bytes());
            assert_eq!(String::from_utf8_lossy(found), kept, "{line:?}");
        }
    }

    #[test]
    fn what_only_git_understands_is_unknown() {
        for (line, known) in [
            ("a**/b", false),
            ("/a**", false),
            ("!a/b**/", false),
            (r"**\/a", false),
            ("a**", true),
            ("a**/", true),
            ("a/**/b", true),
            ("!**/b", true),
            ("a**b/c", true),
            ("# a**/b", true),
        ] {
            assert_eq!(Rules::parse(line.as_bytes()).is_some(), known, "{line}");
        }
    }

    #[test]
    fn files_out_of_proportion_are_unknown() {
        assert!(Rules::parse(&[b'x'; MAX_LINE + 1]).is_none());
        assert!(Rules::parse("x\n".repeat(MAX_RULES + 1).as_bytes()).is_none());
    }
}
