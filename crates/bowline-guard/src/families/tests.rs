//! Tables of commands and their verdicts, one file per group of families.

mod aliases;
mod databases;
mod lines;
mod machines;
mod own;
mod repositories;
mod searches;
mod secret_files;
mod services;
mod unverified;

use std::collections::BTreeSet;

use crate::effect::Gravity;
use crate::invocation::{Arg, Invocation, Opened, Opening, Reliance, Stdin, Through, Value};
use crate::paths::StaticWorld;

use super::{Done, effects, rules};

/// The gravest effect of a line.
fn gravest(line: &[Invocation]) -> Option<Gravity> {
    let (mut acts, reliance) = (Vec::new(), Reliance::default());
    let mut done = Done::new(&mut acts, &reliance);
    let found = super::effects_of_line(line, &world(), &mut done);
    found.into_iter().flatten().map(|it| it.gravity).max()
}

fn world() -> StaticWorld {
    StaticWorld::new("/home/ann/shop", "/home/ann")
}

/// Splits a simple command: blanks, and quotes of both kinds. `$NAME` outside single quotes is not
/// known, and `*` outside quotes is a pattern.
fn run(command: &str) -> Invocation {
    let mut args: Vec<Arg> = Vec::new();
    let (mut text, mut source, mut open) = (String::new(), String::new(), None);
    let (mut unknown, mut pattern, mut started) = (false, false, false);
    for character in command.chars().chain([' ']) {
        match (open, character) {
            (None, ' ') => {
                if started {
                    let value = match (unknown, pattern) {
                        (true, _) => Value::Unknown,
                        (false, true) => Value::Pattern(text.clone()),
                        (false, false) => Value::Known(text.clone()),
                    };
                    args.push(Arg {
                        source: source.clone(),
                        value,
                    });
                }
                (text, source) = (String::new(), String::new());
                (unknown, pattern, started) = (false, false, false);
                continue;
            }
            (None, '"' | '\'') => open = Some(character),
            (Some(quote), it) if it == quote => open = None,
            (_, it) => {
                unknown |= it == '$' && open != Some('\'');
                pattern |= open.is_none() && (it == '*' || (it == '~' && text.is_empty()));
                text.push(it);
            }
        }
        started = true;
        source.push(character);
    }
    let program = args.remove(0);
    let name = program.source.rsplit('/').next().unwrap().to_owned();
    Invocation {
        args,
        ..Invocation::plain(&name, &[], "/home/ann/shop")
    }
}

fn verdict(invocation: &Invocation) -> &'static str {
    match effects(invocation, &world())
        .iter()
        .map(|it| it.gravity)
        .max()
    {
        Some(Gravity::Grave) => "deny",
        Some(Gravity::Doubtful) => "ask",
        Some(Gravity::Harmless) | None => "allow",
    }
}

/// Checks lines of a verdict and a command; reports all that differ at once.
fn check(table: &str) {
    let mut wrong = Vec::new();
    for line in table.lines().map(str::trim).filter(|it| !it.is_empty()) {
        let (expected, command) = line.split_once(' ').unwrap();
        let invocation = run(command.trim());
        let found = verdict(&invocation);
        if found != expected {
            wrong.push(format!("{command}: {found}, expected {expected}"));
        }
        for effect in effects(&invocation, &world()) {
            assert!(
                rules().any(|it| it.id == effect.rule),
                "{} is in no table",
                effect.rule
            );
            assert!(
                !effect.what.is_empty() && !effect.what.contains("{}"),
                "{effect:?}"
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The same for whole lines, as a shell would read them.
fn check_lines(table: &str) {
    let mut wrong = Vec::new();
    for line in table.lines().map(str::trim).filter(|it| !it.is_empty()) {
        let (expected, text) = line.split_once(' ').unwrap();
        let verdict = crate::judge::judge(text.trim(), &world()).verdict;
        let found = match verdict.gravity {
            Gravity::Grave => "deny",
            Gravity::Doubtful => "ask",
            Gravity::Harmless => "allow",
        };
        if found != expected {
            wrong.push(format!(
                "{text}: {found}, expected {expected} ({:?})",
                verdict.rule
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_one_name() {
    let mut seen = BTreeSet::new();
    for rule in rules() {
        assert!(seen.insert(rule.id), "{} stands twice", rule.id);
        let shape = rule.id.split_once('.').is_some_and(|(family, name)| {
            [family, name]
                .iter()
                .all(|it| !it.is_empty() && it.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
        });
        assert!(shape, "{} is no `family.rule-name`", rule.id);
        assert!(!rule.summary.is_empty());
    }
    assert!(seen.len() > 60);
}

#[test]
fn strange_arguments_are_survived() {
    let words = [
        "", "-", "--", "=", "-=", "--=", "…", "\u{0}", "é=ü", "-é", "@", ":", "+", "+:", "$", "'",
    ];
    for program in [
        "git",
        "psql",
        "mysql",
        "kubectl",
        "docker",
        "curl",
        "chmod",
        "tar",
        "openssl",
        "npm",
        "java",
        "python3",
        "redis-cli",
        "sqlite3",
        "crontab",
        "kill",
        "jq",
        "find",
        "xargs",
        "ansible",
        "aws",
        "gh",
    ] {
        for first in words {
            for second in words {
                let _ = effects(
                    &Invocation::plain(program, &["push", first, second], "/x"),
                    &world(),
                );
                let _ = effects(
                    &Invocation::plain(program, &[first, second], "/x"),
                    &world(),
                );
            }
        }
    }
}

#[test]
fn a_launcher_of_launchers_ends() {
    let invocation = Invocation::plain("npx", &["npx"; 200], "/x");
    assert!(effects(&invocation, &world()).is_empty());
}

fn piped(command: &str, programs: &[&str]) -> Invocation {
    let programs = programs.iter().map(|&it| it.to_owned()).collect();
    Invocation {
        stdin: Stdin::Pipe(programs),
        ..run(command)
    }
}

fn fed(command: &str, text: &str) -> Invocation {
    Invocation {
        stdin: Stdin::Text(text.to_owned()),
        ..run(command)
    }
}

fn from_file(command: &str, file: &str) -> Invocation {
    Invocation {
        stdin: Stdin::File(Arg::known(file)),
        ..run(command)
    }
}

fn writing(command: &str, file: &str) -> Invocation {
    let opened = vec![Opened {
        how: Opening::Overwrite,
        file: Arg::known(file),
    }];
    Invocation {
        opened,
        ..run(command)
    }
}

fn each(command: &str, source: &str) -> Invocation {
    Invocation {
        through: vec![Through::EachOf(source.to_owned())],
        ..run(command)
    }
}

#[test]
fn every_rule_says_why_and_offers_a_safer_way() {
    for rule in super::rules() {
        assert!(!rule.summary.is_empty(), "{}", rule.id);
        let advice = rule.instead.unwrap_or_default();
        assert!(!advice.is_empty(), "{} has no advice", rule.id);
        assert!(
            !advice.starts_with(char::is_uppercase) && !advice.ends_with('.'),
            "{}: {advice}",
            rule.id
        );
    }
}
