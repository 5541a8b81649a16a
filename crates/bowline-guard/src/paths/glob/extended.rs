//! Bash's extended patterns: `!(a|b)`, `@(a|b)`, `?(a)`, `*(a)`, `+(a)`.

use super::{Class, parse_class};

/// At most this many steps one comparison may take. What needs more may match.
const MAX_STEPS: usize = 20_000;

/// Whether a text has an extended pattern in it.
pub(crate) fn is_extended(text: &str) -> bool {
    let groups = ["!(", "@(", "+(", "?(", "*("];
    text.contains(')') && groups.iter().any(|it| text.contains(it))
}

/// Whether a pattern of a shell, extended or not, may accept a whole name.
pub fn may_match(pattern: &str, name: &str) -> bool {
    Comparison { steps: 0 }.matches(pattern, name)
}

struct Comparison {
    steps: usize,
}

impl Comparison {
    fn matches(&mut self, pattern: &str, name: &str) -> bool {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return true;
        }
        if let Some(group) = Group::read(pattern) {
            return self.matches_group(&group, name);
        }
        let mut after = pattern.chars();
        let Some(first) = after.next() else {
            return name.is_empty();
        };
        if first == '*' {
            return self.splits(name, |this, _, rest| this.matches(after.as_str(), rest));
        }
        let mut rest = name.chars();
        let Some(character) = rest.next() else {
            return false;
        };
        let mut ahead = after.clone();
        let accepted = match first {
            '?' => true,
            '\\' => after.next() == Some(character),
            '[' => match parse_class(&mut ahead) {
                Class::Whole(class) => {
                    after = ahead;
                    class.accepts(character)
                }
                Class::Open => character == '[',
                // It could be anything.
                Class::TooLong => return true,
            },
            literal => literal == character,
        };
        accepted && self.matches(after.as_str(), rest.as_str())
    }

    fn matches_group(&mut self, group: &Group<'_>, name: &str) -> bool {
        let after = group.after;
        if matches!(group.kind, '?' | '*') && self.matches(after, name) {
            return true;
        }
        self.splits(name, |this, inside, rest| {
            let mut choices = group.choices.iter();
            let chosen = choices.any(|choice| this.matches(choice, inside));
            match group.kind {
                '!' => !chosen && this.matches(after, rest),
                '*' | '+' => {
                    let again =
                        |this: &mut Self| !inside.is_empty() && this.matches_group(group, rest);
                    chosen && (this.matches(after, rest) || again(this))
                }
                _ => chosen && this.matches(after, rest),
            }
        })
    }

    /// Whether something holds for a name that is cut in two, anywhere.
    fn splits(&mut self, name: &str, holds: impl Fn(&mut Self, &str, &str) -> bool) -> bool {
        (0..=name.len())
            .filter_map(|at| name.split_at_checked(at))
            .any(|(inside, rest)| holds(self, inside, rest))
    }
}

/// `@(a|b)` at the beginning of a pattern.
struct Group<'p> {
    kind: char,
    choices: Vec<&'p str>,
    after: &'p str,
}

impl<'p> Group<'p> {
    fn read(pattern: &'p str) -> Option<Self> {
        let kind = pattern.chars().next().filter(|it| "!@+?*".contains(*it))?;
        let inside = pattern.strip_prefix(kind)?.strip_prefix('(')?;
        let (mut depth, mut start, mut choices) = (0_usize, 0, Vec::new());
        for (at, character) in inside.char_indices() {
            match (character, depth) {
                ('(', _) => depth += 1,
                ('|', 0) => {
                    choices.push(inside.get(start..at)?);
                    start = at + 1;
                }
                (')', 0) => {
                    choices.push(inside.get(start..at)?);
                    let after = inside.get(at + 1..)?;
                    return Some(Self {
                        kind,
                        choices,
                        after,
                    });
                }
                (')', _) => depth -= 1,
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::may_match;

    #[test]
    fn extended_patterns_match_as_in_bash() {
        for (pattern, matching, other) in [
            ("!(a.md)", "b.md", "a.md"),
            ("!(a|b).md", "c.md", "a.md"),
            ("!(*.md)", "a.txt", "a.md"),
            ("@(a|b).md", "b.md", "c.md"),
            ("+([a-z]).md", "abc.md", ".md"),
            ("*(ab)c", "ababc", "abac"),
            ("a?(b)c", "ac", "abbc"),
            ("@(a|+(b|c))", "bcb", "ab"),
            ("[!a]*", "bc", "ac"),
            ("\\*x", "*x", "ax"),
            ("*.m?", "a.md", "a.m"),
        ] {
            assert!(may_match(pattern, matching), "{pattern} on {matching}");
            assert!(!may_match(pattern, other), "{pattern} on {other}");
        }
    }

    #[test]
    fn a_comparison_that_takes_too_long_ends() {
        let pattern = "*(*(*(*(a)b)c)d)e";
        assert!(may_match(pattern, &"abcd".repeat(60)));
    }
}
