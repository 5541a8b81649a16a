//! Patterns that people write in settings: for program runs, for paths, for rules.

mod command;
mod path;

use std::fmt;

use regex::Regex;

use crate::effect::{Category, Effect};

pub use command::CommandPattern;
pub use path::PathPattern;

/// Longer patterns are a mistake.
const MAX_LENGTH: usize = 1_000;

/// A pattern that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct BadPattern {
    /// What is wrong with it, and what was expected.
    pub problem: String,
}

fn bad(problem: impl Into<String>) -> BadPattern {
    BadPattern {
        problem: problem.into(),
    }
}

fn checked(text: &str) -> Result<&str, BadPattern> {
    let text = text.trim();
    if text.is_empty() {
        return Err(bad("an empty pattern matches nothing"));
    }
    if text.len() > MAX_LENGTH {
        return Err(bad(format!("a pattern has at most {MAX_LENGTH} bytes")));
    }
    Ok(text)
}

/// A pattern for what a rule of the guard finds: a category (`delete`), or a rule by its id (`git.*`).
#[derive(Debug, Clone)]
pub struct RulePattern {
    source: String,
    id: Regex,
}

impl RulePattern {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<Self, BadPattern> {
        let source = checked(text)?;
        if source.contains(char::is_whitespace) {
            return Err(bad(
                "expected a category such as `delete`, or a rule such as `git.reset-hard`",
            ));
        }
        Ok(Self {
            source: source.to_owned(),
            id: compiled(&wildcard(source, ".*"))?,
        })
    }

    /// Whether it means this category or rule.
    pub fn matches(&self, category: Category, rule: &str) -> bool {
        self.source == category.name() || self.id.is_match(rule)
    }

    /// Whether it means this effect.
    pub fn matches_effect(&self, effect: &Effect) -> bool {
        self.matches(effect.category, effect.rule)
    }
}

impl fmt::Display for RulePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.source)
    }
}

fn compiled(regex: &str) -> Result<Regex, BadPattern> {
    Regex::new(regex).map_err(|error| bad(format!("it cannot be used: {error}")))
}

/// The whole text, with `*` for what `open` says.
fn wildcard(text: &str, open: &str) -> String {
    let parts: Vec<String> = text.split('*').map(regex::escape).collect();
    format!("(?s)^{}$", parts.join(open))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::interpret;
    use crate::invocation::Invocation;
    use crate::paths::StaticWorld;

    fn world() -> StaticWorld {
        StaticWorld::new("/home/dev/project", "/home/dev")
    }

    fn runs(command: &str) -> Vec<Invocation> {
        interpret(command, &world()).invocations
    }

    #[test]
    fn a_command_pattern_matches_whole_words_through_wrappers() {
        for (pattern, command, matches, covers) in [
            ("pip install *", "pip install x", true, true),
            ("pip install *", "pip install", true, true),
            ("pip install *", "/usr/bin/pip install x y", true, true),
            ("pip install *", "pip3 install x", false, false),
            ("pip install *", "echo 'pip install x'", false, false),
            ("pip install *", "bash -c 'pip install x'", true, true),
            ("pip install *", "sudo pip install x", true, false),
            ("sudo pip install *", "sudo pip install x", true, true),
            ("pip install *", "ssh box pip install x", true, false),
            ("make clean", "make clean all", false, false),
            ("make clean", "cd sub && make clean", true, true),
            (
                "terraform destroy -target=module.sandbox*",
                "terraform destroy -target=module.sandbox_1",
                true,
                true,
            ),
            (
                "terraform destroy -target=module.sandbox*",
                "terraform destroy -target=module.prod",
                false,
                false,
            ),
            ("rm -rf *", "rm -rf \"$X\"", true, false),
            ("rm -rf *", "rm -rf a ~/b ../c", true, true),
            ("rm -rf build/*", "rm -rf build/a build/b", false, false),
            ("rm -rf build/*", "rm -rf build/a", true, true),
            ("rm -rf build/*", "rm -rf build/*", true, true),
            ("rm -rf build/*", "rm -rf build/../../home", true, false),
            ("rm -rf build/*", "rm -rf build/a*/../../..", true, false),
            ("rm -rf build/*", "rm -rf build/$X", true, false),
            ("rm -rf ../build/*", "rm -rf ../build/x", true, true),
            ("rm -rf ../build/*", "rm -rf ../build/../x", true, false),
            (
                "git push -f origin wip-*",
                "git push -f origin wip-a",
                true,
                true,
            ),
            (
                "git push -f origin wip-*",
                "git push -f origin wip-a:main",
                true,
                false,
            ),
            ("git status", "/usr/bin/git status", true, true),
            ("git status", "/tmp/evil/git status", true, false),
            ("git status", "./git status", true, false),
            ("git status", "$X/git status", true, false),
            ("git status", "PATH=/tmp/evil git status", true, false),
            (
                "git status",
                "env LD_PRELOAD=/tmp/x git status",
                true,
                false,
            ),
            ("./tool/git status", "./tool/git status", true, true),
            ("./tool/git status", "git status", true, false),
            ("rm -rf scratch*", "rm -rf \"$X\"", false, false),
            ("sudo pip install *", "pip install x", false, true),
            ("sudo *", "sudo ls", true, false),
            ("sudo *", "cd x && sudo -u www ls -l", true, false),
            ("sudo *", "echo a | sudo tee /etc/x", true, false),
            ("sudo *", "su -c 'ls'", true, false),
            ("sudo *", "sudo -i", true, false),
            ("sudo *", "sudo", true, false),
            ("sudo *", "bash -c 'sudo ls'", true, false),
            ("sudo *", "ls", false, false),
            ("sudo *", "echo sudo ls", false, false),
            ("sudo", "sudo ls", true, false),
            ("doas *", "doas ls", true, false),
            ("timeout *", "timeout 5 make", true, false),
            ("timeout *", "make", false, false),
            ("env *", "env A=1 make", true, false),
            ("env", "env", true, true),
            ("nohup *", "nohup make &", true, false),
            ("nice *", "nice -n 5 make", true, false),
        ] {
            let parsed = CommandPattern::parse(pattern).unwrap();
            let runs = runs(command);
            assert_eq!(
                runs.iter().any(|run| parsed.matches(run)),
                matches,
                "{pattern} on {command}"
            );
            assert_eq!(
                runs.iter().any(|run| parsed.covers(run)),
                covers,
                "{pattern} covers {command}"
            );
        }
    }

    #[test]
    fn the_fixed_beginning_is_counted_in_words() {
        for (pattern, fixed) in [
            ("pip install *", 2),
            ("pip", 1),
            ("git push --force=*", 2),
            ("sudo make x", 2),
        ] {
            assert_eq!(
                CommandPattern::parse(pattern).unwrap().fixed_words(),
                fixed,
                "{pattern}"
            );
        }
    }

    #[test]
    fn patterns_that_cannot_be_meant_are_refused() {
        for pattern in [
            "",
            "  ",
            "*",
            "* install",
            "a; b",
            "a && b",
            "a | b",
            "sudo -u root *",
            "sudo * x",
            "timeout 5 make",
            "env A=1 make",
            "xargs *",
            "xargs rm",
            "time *",
            "su root make",
        ] {
            assert!(CommandPattern::parse(pattern).is_err(), "{pattern:?}");
        }
        for pattern in ["sudo", "sudo *", "doas *", "su *", "xargs *"] {
            assert!(CommandPattern::of_program(pattern).is_err(), "{pattern:?}");
        }
        assert!(CommandPattern::of_program("sudo make *").is_ok());
        for pattern in ["", "../x", "a/../b", "!x"] {
            assert!(PathPattern::parse(pattern).is_err(), "{pattern:?}");
        }
        assert!(RulePattern::parse("git reset").is_err());
        assert!(CommandPattern::parse(&"x".repeat(2_000)).is_err());
    }

    #[test]
    fn a_path_pattern_is_read_as_in_gitignore() {
        let world = world();
        for (pattern, path, expected) in [
            ("migrations/**", "/home/dev/project/migrations/1.sql", true),
            (
                "migrations/**",
                "/home/dev/project/migrations/a/b.sql",
                true,
            ),
            ("migrations/**", "/home/dev/project/migrations", false),
            (
                "migrations/**",
                "/home/dev/project/src/migrations/1.sql",
                false,
            ),
            ("migrations", "/home/dev/project/src/migrations/1.sql", true),
            ("*.sql", "/home/dev/project/a/b/c.sql", true),
            ("*.sql", "/home/dev/project/a/b/c.sql.txt", false),
            ("*.sql", "/home/dev/other/c.sql", false),
            ("/srv/cache/*", "/srv/cache/a/b", true),
            ("/srv/cache/*", "/srv/cache", false),
            ("~/scratch", "/home/dev/scratch/x", true),
            ("~/scratch", "/home/dev/scratches/x", false),
            ("a/**/z", "/home/dev/project/a/z", true),
            ("a/**/z", "/home/dev/project/a/b/c/z", true),
            ("./out/", "/home/dev/project/out/x", true),
            ("src/?.rs", "/home/dev/project/src/a.rs", true),
            ("src/?.rs", "/home/dev/project/src/ab.rs", false),
        ] {
            assert_eq!(
                PathPattern::parse(pattern).unwrap().matches(path, &world),
                expected,
                "{pattern} on {path}"
            );
        }
    }

    #[test]
    fn a_rule_pattern_means_a_category_or_rules() {
        for (pattern, expected) in [
            ("discard", true),
            ("git.reset-hard", true),
            ("git.*", true),
            ("git", false),
            ("files.*", false),
            ("delete", false),
        ] {
            let pattern = RulePattern::parse(pattern).unwrap();
            assert_eq!(
                pattern.matches(Category::Discard, "git.reset-hard"),
                expected,
                "{pattern}"
            );
        }
    }
}
