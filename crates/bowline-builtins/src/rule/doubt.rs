//! What a rule that stops must not overlook: text that is not fully understood, and words that are only known at run time.

use bowline_guard::interpret::interpret;
use bowline_guard::invocation::{Invocation, Value};
use bowline_guard::judge::Judgement;
use bowline_guard::paths::World;
use bowline_guard::pattern::{CommandPattern, PathPattern};
use bowline_guard::shell::Understanding;

/// More pieces of a text are not looked at one by one.
const MAX_PIECES: usize = 100;

/// A run with more arguments than this is not compared with patterns, and may match.
const MAX_ARGS: usize = 1_000;

/// What stands for an unknown part of a word.
const UNKNOWN: char = '…';

/// What a text runs piece by piece. A shell runs the lines before the one that it cannot read.
pub(super) fn runs_of_pieces(text: &str, world: &dyn World) -> Vec<Invocation> {
    let joined = text.replace("\\\n", "");
    joined
        .split(['\n', ';', '|', '&', '(', ')', '`'])
        .map(str::trim)
        .filter(|piece| !piece.is_empty())
        .take(MAX_PIECES)
        .flat_map(|piece| interpret(piece, world).invocations)
        .collect()
}

/// Why a line might run what a pattern means, although no run of it matches.
pub(super) fn could_run(
    pattern: &CommandPattern,
    text: &str,
    judgement: &Judgement,
    runs: &[Invocation],
) -> Option<String> {
    let source = pattern.to_string();
    let words = Words::of(&source);
    if runs.iter().any(|run| words.could_mean(run)) {
        return Some(format!(
            "only running it tells whether it is `{source}`; write its words out"
        ));
    }
    let mentioned = mentions(text, words.program);
    let seen = judgement.invocations.iter();
    let seen = seen.filter(|run| run.program.as_deref() == Some(words.program));
    let overlooked = match judgement.understanding {
        Understanding::Clean => false,
        Understanding::Partial { .. } => mentioned > seen.count(),
        _ => mentioned > 0,
    };
    overlooked.then(|| {
        format!(
            "the command is not understood as a whole, and `{}` is in it; write it simpler",
            words.program
        )
    })
}

fn mentions(text: &str, program: &str) -> usize {
    text.split(|c: char| !(c.is_alphanumeric() || "_-.+".contains(c)))
        .filter(|word| *word == program)
        .count()
}

/// Whether the longest fixed part of a path pattern is in a text.
pub(super) fn mentions_path(text: &str, pattern: &PathPattern) -> bool {
    let source = pattern.to_string();
    let parts = source.split(['*', '?', '/', '~', '[', ']', '{', '}']);
    let longest = parts.max_by_key(|part| part.len()).unwrap_or_default();
    text.contains(longest)
}

/// The words of a command pattern.
struct Words<'p> {
    program: &'p str,
    fixed: Vec<&'p str>,
    /// Whether any words may follow.
    open: bool,
}

impl<'p> Words<'p> {
    fn of(source: &'p str) -> Self {
        let mut words: Vec<&str> = source.split_whitespace().collect();
        // `sudo *` is for whatever runs with other rights.
        if matches!(words.as_slice(), ["sudo" | "doas", second, ..] if *second != "*") {
            words.remove(0);
        }
        let open = words.last() == Some(&"*");
        if open {
            words.pop();
        }
        let mut words = words.into_iter();
        Self {
            program: words.next().unwrap_or_default(),
            fixed: words.collect(),
            open,
        }
    }

    /// Whether the run is of this form if unknown words are left out, or are as many as it takes.
    fn could_mean(&self, run: &Invocation) -> bool {
        let is_known = |value: &Value| matches!(value, Value::Known(_) | Value::Pattern(_));
        if run.program.as_deref() != Some(self.program)
            || run.args.iter().all(|arg| is_known(&arg.value))
        {
            return false;
        }
        if run.args.len() > MAX_ARGS {
            return true;
        }
        // Which of the pattern's words may come next.
        let mut next = vec![false; self.fixed.len() + 1];
        if let Some(first) = next.first_mut() {
            *first = true;
        }
        for arg in &run.args {
            next = self.step(&next, &arg.value);
        }
        next.last() == Some(&true)
    }

    fn step(&self, next: &[bool], value: &Value) -> Vec<bool> {
        let is_next = |at: usize| next.get(at) == Some(&true);
        let end = self.fixed.len();
        let accepts =
            |at: usize, text: &str| self.fixed.get(at).is_some_and(|word| is_match(word, text));
        let after_word = |at: usize, text: &str| {
            at.checked_sub(1)
                .is_some_and(|before| is_next(before) && accepts(before, text))
                || (at == end && self.open && is_next(end))
        };
        let first = next.iter().position(|it| *it);
        (0..=end)
            .map(|at| match value {
                Value::Known(text) | Value::Pattern(text) => after_word(at, text),
                Value::Partly(text) => {
                    let known = text.split(UNKNOWN).next().unwrap_or_default();
                    let begins = |at: usize| {
                        let word = self.fixed.get(at).copied().unwrap_or("*");
                        let word = word.split('*').next().unwrap_or_default();
                        word.starts_with(known) || known.starts_with(word)
                    };
                    // What is known of it begins one word; more may follow.
                    first.is_some_and(|first| first < at && begins(first))
                        || after_word(at, text)
                        || (at == end && self.open && is_next(end))
                }
                _ => first.is_some_and(|first| first <= at),
            })
            .collect()
    }
}

/// Whether a text is of the form of a word with `*` for anything.
fn is_match(word: &str, text: &str) -> bool {
    let mut parts = word.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bowline_guard::paths::StaticWorld;

    #[test]
    fn unknown_words_may_be_left_out_or_be_what_is_meant() {
        let world = StaticWorld::new("/home/dev/project", "/home/dev");
        for (pattern, text, expected) in [
            ("npm publish", "npm $A publish", true),
            ("npm publish", "npm publish $A", true),
            ("npm publish", "npm $A", true),
            ("npm publish", "npm pub$A", true),
            ("npm publish", "npm install$A", false),
            ("npm publish", "npm run $A", false),
            ("npm publish", "npm $A run", false),
            ("npm publish", "npm publish", false),
            ("npm publish", "yarn $A publish", false),
            ("sudo npm publish", "npm $A publish", true),
            ("git push --force* *", "git push $A", true),
            ("git push --force* *", "git push $A origin", true),
            ("git push --force* *", "git push origin \"$A\"", false),
            ("git push * main", "git push $A", true),
            ("git push * main", "git push x $A", true),
            ("git push * main", "git push x y $A", false),
            ("git push *", "git commit -m \"$A\"", false),
        ] {
            let runs = interpret(text, &world).invocations;
            let words = Words::of(pattern);
            let could = runs.iter().any(|run| words.could_mean(run));
            assert_eq!(could, expected, "{pattern}: {text}");
        }
    }

    #[test]
    fn words_match_like_patterns() {
        for (word, text, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "ab", true),
            ("*", "", true),
            ("*a", "ba", true),
            ("a*b*c", "axbyc", true),
            ("a*b*c", "axyc", false),
            ("a*a", "a", false),
        ] {
            assert_eq!(is_match(word, text), expected, "{word} {text}");
        }
    }
}
