//! Changes a command: exactly the words that a pattern begins with, and only where they stand in the text as
//! they are.

use std::ops::Range;

use bowline_guard::interpret::interpret;
use bowline_guard::invocation::Invocation;
use bowline_guard::paths::World;
use bowline_guard::pattern::CommandPattern;
use bowline_guard::shell::{Expansion, SimpleCommand, parse};

/// Lines with more commands are not rewritten.
const MAX_COMMANDS: usize = 100;

/// What to look for, and what to write instead.
#[derive(Debug)]
pub(super) struct Rewrite {
    from: Vec<(CommandPattern, Vec<String>)>,
    to: String,
    result: CommandPattern,
}

/// Why a rewrite cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct BadRewrite(String);

impl Rewrite {
    /// Replaces the fixed beginnings of the patterns by `to`.
    pub(super) fn new(
        from: &[CommandPattern],
        to: &str,
        world: &dyn World,
    ) -> Result<Self, BadRewrite> {
        let to = to.trim();
        if !is_plain(to) {
            return Err(BadRewrite(format!(
                "`{to}` is not a program and plain words"
            )));
        }
        let result = CommandPattern::parse(&format!("{to} *"))
            .map_err(|bad| BadRewrite(format!("`{to}` cannot be written: {bad}")))?;
        let runs = interpret(to, world).invocations;
        if !matches!(runs.as_slice(), [run] if result.matches(run)) {
            return Err(BadRewrite(format!(
                "`{to}` runs another program than its first word"
            )));
        }
        let from = from
            .iter()
            .map(|pattern| (pattern.clone(), beginning(pattern)))
            .collect();
        Ok(Self {
            from,
            to: to.to_owned(),
            result,
        })
    }

    /// The text with the words replaced; `None` where that cannot be done without doubt.
    pub(super) fn apply(&self, text: &str, world: &dyn World) -> Option<String> {
        let before = self.count(text, world);
        let line = parse(text);
        if !line.is_clean() || line.commands.len() > MAX_COMMANDS {
            return None;
        }
        let mut edits: Vec<Range<usize>> = line
            .commands
            .iter()
            .filter_map(|command| self.edit(text, command, world))
            .collect();
        edits.sort_by_key(|edit| edit.start);
        edits.dedup();
        let mut rewritten = String::with_capacity(text.len() + edits.len() * self.to.len());
        let mut done = 0;
        for edit in &edits {
            rewritten.push_str(text.get(done..edit.start)?);
            rewritten.push_str(&self.to);
            done = edit.end;
        }
        rewritten.push_str(text.get(done..)?);
        // What the new text really runs decides: each program that was meant, now as it should be, and no other.
        let after = self.count(&rewritten, world);
        let replaced = before.from > 0
            && after.all == before.all
            && after.from == 0
            && after.to == before.to + before.from;
        replaced.then_some(rewritten)
    }

    /// Where the words stand that are to be replaced in one command.
    fn edit(&self, text: &str, command: &SimpleCommand, world: &dyn World) -> Option<Range<usize>> {
        let alone = text.get(command.span.clone())?;
        let runs = interpret(alone, world).invocations;
        let (_, words) = self
            .from
            .iter()
            .find(|(pattern, _)| runs.iter().any(|run| pattern.matches(run)))?;
        let places = places(text, command)?;
        let at = (0..command.words.len()).find(|at| {
            words.iter().enumerate().all(|(index, wanted)| {
                command.words.get(at + index).is_some_and(|word| {
                    let is_program = index == 0;
                    word.literal.as_deref() == Some(word.source.as_str())
                        && (word.source == *wanted
                            || is_program
                                && word.source.rsplit('/').next() == Some(wanted.as_str()))
                })
            })
        })?;
        let first = places.get(at)?;
        let last = places.get(at + words.len().checked_sub(1)?)?;
        Some(first.start..last.end)
    }

    fn count(&self, text: &str, world: &dyn World) -> Count {
        let found = interpret(text, world);
        let runs = found.invocations;
        let is_from = |run: &Invocation| self.from.iter().any(|(pattern, _)| pattern.matches(run));
        let is_to = |run: &Invocation| self.result.matches(run);
        Count {
            all: runs.len(),
            // What is as it should be already needs no rewriting, even where the pattern means it too.
            from: runs
                .iter()
                .filter(|run| is_from(run) && !is_to(run))
                .count(),
            to: runs.iter().filter(|run| is_to(run)).count(),
        }
    }

    /// Whether everything that the patterns mean is already as it should be.
    pub(super) fn is_done(&self, text: &str, world: &dyn World) -> bool {
        self.count(text, world).from == 0
    }
}

struct Count {
    all: usize,
    from: usize,
    to: usize,
}

/// One command of words that the shell leaves as they are.
fn is_plain(text: &str) -> bool {
    let line = parse(text);
    let [command] = line.commands.as_slice() else {
        return false;
    };
    let words = command.words.iter().map(|word| word.source.as_str());
    line.is_clean()
        && command.assignments.is_empty()
        && command.redirects.is_empty()
        && command.words.iter().all(|word| {
            word.expansion == Expansion::None && word.literal.as_deref() == Some(&word.source)
        })
        && words.eq(text.split_whitespace())
}

/// The words that a pattern begins with. `sudo` is how a program is run, not what it is.
fn beginning(pattern: &CommandPattern) -> Vec<String> {
    let source = pattern.to_string();
    let all: Vec<&str> = source.split_whitespace().collect();
    let skip = usize::from(all.len() > 1 && matches!(all.first(), Some(&("sudo" | "doas"))));
    all.into_iter()
        .skip(skip)
        .take(pattern.fixed_words())
        .map(str::to_owned)
        .collect()
}

/// The bytes of each word of a command; `None` if the text is not simply its words one after another.
fn places(text: &str, command: &SimpleCommand) -> Option<Vec<Range<usize>>> {
    let mut at = command.span.start;
    let mut take = |source: &str| {
        let rest = text.get(at..)?;
        let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let start = at + blank;
        at = start + source.len();
        text.get(start..at)
            .filter(|found| *found == source)
            .map(|_| start..start + source.len())
    };
    for assignment in &command.assignments {
        let value = assignment.value.as_ref()?;
        take(&format!("{}={}", assignment.name, value.source))?;
    }
    command
        .words
        .iter()
        .map(|word| take(&word.source))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bowline_guard::paths::StaticWorld;

    #[test]
    fn exactly_the_words_are_replaced() {
        let world = StaticWorld::new("/home/dev/project", "/home/dev");
        let from = [CommandPattern::parse("pip install *").unwrap()];
        let rewrite = Rewrite::new(&from, "uv pip install", &world).unwrap();
        for (text, expected) in [
            ("pip install x", Some("uv pip install x")),
            ("pip  install   x", Some("uv pip install   x")),
            ("/usr/bin/pip install x", Some("uv pip install x")),
            ("sudo pip install x", Some("sudo uv pip install x")),
            ("A=1 pip install x", Some("A=1 uv pip install x")),
            (
                "pip install x && pip install y",
                Some("uv pip install x && uv pip install y"),
            ),
            (
                "cd a; (pip install 'x y') | tee log",
                Some("cd a; (uv pip install 'x y') | tee log"),
            ),
            (
                "echo \"pip install x\"; pip install y",
                Some("echo \"pip install x\"; uv pip install y"),
            ),
            (
                "echo pip install x && pip install y",
                Some("echo pip install x && uv pip install y"),
            ),
            ("echo $(pip install y)", Some("echo $(uv pip install y)")),
            (
                "# pip install z\npip install y # pip install w",
                Some("# pip install z\nuv pip install y # pip install w"),
            ),
            (
                "if true; then pip install é; fi",
                Some("if true; then uv pip install é; fi"),
            ),
            ("bash -c 'pip install x'", None),
            ("pip install y; bash -c 'pip install x'", None),
            ("p=pip; $p install x", None),
            ("'pip' install x", None),
            ("alias p='pip install'\np x", None),
            ("eval pip install x", Some("eval uv pip install x")),
            ("bash <<E\npip install x\nE", None),
            ("pip install `pip install \\`x\\``", None),
            ("pip install x; if", None),
            ("echo pip install x", None),
            (">log pip install x", None),
        ] {
            assert_eq!(rewrite.apply(text, &world).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn no_other_program_runs_after_a_rewrite() {
        let world = StaticWorld::new("/home/dev/project", "/home/dev");
        let from = [CommandPattern::parse("task *").unwrap()];
        let rewrite = Rewrite::new(&from, "uv run", &world).unwrap();
        let apply = |text: &str| rewrite.apply(text, &world);
        // As arguments of the one they are words, as those of the other they are a program that runs.
        assert_eq!(apply("task xyzzy -c 'make all'"), None);
        assert_eq!(apply("t=task; $t x; task x"), None);
        assert_eq!(apply("task"), Some("uv run".to_owned()));
    }

    #[test]
    fn what_is_done_stays_as_it_is() {
        let world = StaticWorld::new("/home/dev/project", "/home/dev");
        let from = [CommandPattern::parse("npm test *").unwrap()];
        let rewrite = Rewrite::new(&from, "npm test --silent", &world).unwrap();
        assert_eq!(
            rewrite.apply("npm test a", &world).as_deref(),
            Some("npm test --silent a")
        );
        assert!(rewrite.is_done("npm test --silent a", &world));
        assert!(!rewrite.is_done("npm test a", &world));
    }

    #[test]
    fn only_plain_words_can_be_written() {
        let world = StaticWorld::new("/home/dev/project", "/home/dev");
        for to in [
            "",
            "a; b",
            "a | b",
            "$X",
            "a > b",
            "A=1 b",
            "'a b'",
            "*",
            "a *",
            "$(x)",
            "nice make",
            "bash -c x",
            "a\nb",
        ] {
            assert!(Rewrite::new(&[], to, &world).is_err(), "{to}");
        }
    }
}
