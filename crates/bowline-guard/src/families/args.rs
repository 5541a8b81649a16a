//! Reads a program's arguments: options in any spelling, their values, and the words between.

use std::fmt::Write as _;

use crate::invocation::{Arg, Value};

/// Stands for a word of which nothing is known.
pub(super) const UNKNOWN: &str = "…";

/// How a program spells its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// `-abc` is three options, `--long` is one.
    Gnu,
    /// `-long` is one option, as `--long` is.
    Long,
}

/// Options that are no letters, although they have one dash.
const TRIALS: &[&str] = &["-dry-run", "-dryrun", "-WhatIf", "-whatif"];

/// What must be known of a program to read its arguments.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spec {
    /// Options that take the next word as their value, without dashes.
    pub(super) values: &'static [&'static str],
    /// Long options that the program takes shortened, without dashes.
    pub(super) longs: &'static [&'static str],
    /// How options are spelled.
    pub(super) style: Style,
}

impl Spec {
    /// A program of the usual kind, whose options in `values` take a value.
    pub(super) const fn gnu(values: &'static [&'static str]) -> Self {
        Self {
            values,
            longs: &[],
            style: Style::Gnu,
        }
    }

    /// A program that spells long options with one dash.
    pub(super) const fn long(values: &'static [&'static str]) -> Self {
        Self {
            values,
            longs: &[],
            style: Style::Long,
        }
    }

    /// The same program, which takes these long options shortened.
    pub(super) const fn shortening(self, longs: &'static [&'static str]) -> Self {
        Self { longs, ..self }
    }

    fn takes_value(&self, name: &str) -> bool {
        self.values.contains(&name)
    }

    /// The option that a shortened spelling means.
    fn full_name<'arg>(&self, given: &'arg str) -> &'arg str
    where
        'static: 'arg,
    {
        if self.longs.contains(&given) {
            return given;
        }
        let meant = || self.longs.iter().filter(|long| long.starts_with(given));
        // Of several the one that all others begin with: `--forc` is meant as `--force`.
        let shortest = meant().min_by_key(|long| long.len());
        match shortest {
            Some(name) if meant().all(|long| long.starts_with(*name)) => name,
            _ => given,
        }
    }
}

/// The text of a word as far as it is known; [`UNKNOWN`] for one that is not.
pub(super) fn word(arg: &Arg) -> &str {
    match &arg.value {
        Value::Known(text) | Value::Pattern(text) | Value::Partly(text) => text,
        Value::Unknown => UNKNOWN,
    }
}

/// One option as given.
#[derive(Debug, Clone, Copy)]
struct Given<'arg> {
    name: &'arg str,
    value: Option<&'arg str>,
}

/// A program's arguments, read.
#[derive(Debug, Clone, Default)]
pub(super) struct Parsed<'arg> {
    options: Vec<Given<'arg>>,
    /// The words that are no options, in order.
    pub(super) words: Vec<&'arg str>,
    /// How many of the words stand before a `--`; `None` without one.
    pub(super) before_dashes: Option<usize>,
}

impl<'arg> Parsed<'arg> {
    /// Adds an option that was read elsewhere.
    pub(super) fn push(&mut self, name: &'arg str, value: Option<&'arg str>) {
        self.options.push(Given { name, value });
    }

    /// Whether one of these options is given. Names come without dashes.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options
            .iter()
            .any(|option| names.contains(&option.name))
    }

    /// The value of the first of these options that has one.
    pub(super) fn value(&self, names: &[&str]) -> Option<&'arg str> {
        self.values(names).next()
    }

    /// The values of these options.
    pub(super) fn values(&self, names: &[&str]) -> impl Iterator<Item = &'arg str> {
        self.options
            .iter()
            .filter(|option| names.contains(&option.name))
            .filter_map(|option| option.value)
    }

    /// The values of all options.
    pub(super) fn option_values(&self) -> impl Iterator<Item = &'arg str> {
        self.options.iter().filter_map(|option| option.value)
    }

    /// Whether one of these options is given as a switch that is on: `--all`, `--all=true`.
    pub(super) fn is_on(&self, names: &[&str]) -> bool {
        self.options.iter().any(|option| {
            names.contains(&option.name) && !matches!(option.value, Some("false" | "none" | "0"))
        })
    }

    /// The word at `index`, or nothing.
    pub(super) fn at(&self, index: usize) -> &'arg str {
        self.words.get(index).copied().unwrap_or_default()
    }

    /// The words from `index` on.
    pub(super) fn from(&self, index: usize) -> &[&'arg str] {
        self.words.get(index..).unwrap_or_default()
    }

    /// Whether the words begin like this; `|` separates choices, `*` stands for any word.
    pub(super) fn begins(&self, pattern: &str) -> bool {
        let mut given = self.words.iter();
        pattern.split(' ').all(|choices| {
            given
                .next()
                .is_some_and(|word| choices.split('|').any(|it| it == "*" || it == *word))
        })
    }

    /// Whether nothing is really done.
    pub(super) fn is_dry_run(&self) -> bool {
        self.is_on(&[
            "dry-run",
            "dryrun",
            "dry_run",
            "check",
            "what-if",
            "whatif",
            "WhatIf",
            "no-act",
            "simulate",
            "just-print",
            "plan",
        ])
    }
}

/// Reads all of `args`; options and words may stand in any order.
pub(super) fn parse<'arg>(args: &'arg [Arg], spec: &Spec) -> Parsed<'arg> {
    let mut parsed = Parsed::default();
    let mut rest = args;
    while let Some(used) = step(rest, spec, &mut parsed) {
        rest = rest.get(used..).unwrap_or_default();
    }
    parsed
}

/// Reads the options before the first word. Gives them, the word, and what follows it.
pub(super) fn split_command<'arg>(
    args: &'arg [Arg],
    spec: &Spec,
) -> (Parsed<'arg>, &'arg str, &'arg [Arg]) {
    let mut parsed = Parsed::default();
    let mut rest = args;
    while let Some(used) = step(rest, spec, &mut parsed) {
        rest = rest.get(used..).unwrap_or_default();
        if let Some(command) = parsed.words.first() {
            return (parsed.clone(), command, rest);
        }
    }
    (parsed, "", &[])
}

/// Reads the next argument, with its value where that is a word of its own. Gives how many words
/// were used; after a `--` all that is left.
fn step<'arg>(rest: &'arg [Arg], spec: &Spec, parsed: &mut Parsed<'arg>) -> Option<usize> {
    let (first, later) = rest.split_first()?;
    let text = word(first);
    if text == "--" {
        parsed.before_dashes = Some(parsed.words.len());
        parsed.words.extend(later.iter().map(word));
        return Some(rest.len());
    }
    let long = text.strip_prefix("--").or_else(|| match spec.style {
        Style::Long => text.strip_prefix('-'),
        Style::Gnu if TRIALS.contains(&text) => text.strip_prefix('-'),
        Style::Gnu => None,
    });
    let next = later.first().map(word);
    match (long, text.strip_prefix('-')) {
        (Some(long), _) if !long.is_empty() => Some(long_option(long, next, spec, parsed)),
        (None, Some(letters)) if !letters.is_empty() => {
            Some(short_options(letters, next, spec, parsed))
        }
        _ => {
            parsed.words.push(text);
            Some(1)
        }
    }
}

fn long_option<'arg>(
    long: &'arg str,
    next: Option<&'arg str>,
    spec: &Spec,
    parsed: &mut Parsed<'arg>,
) -> usize {
    let (name, value) = match long.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (long, None),
    };
    let name = spec.full_name(name);
    if value.is_none() && spec.takes_value(name) {
        parsed.options.push(Given { name, value: next });
        return 2;
    }
    parsed.options.push(Given { name, value });
    1
}

fn short_options<'arg>(
    letters: &'arg str,
    next: Option<&'arg str>,
    spec: &Spec,
    parsed: &mut Parsed<'arg>,
) -> usize {
    let mut left = letters;
    while let Some(letter) = left.chars().next() {
        let (name, after) = left
            .split_at_checked(letter.len_utf8())
            .unwrap_or((left, ""));
        if spec.takes_value(name) {
            let (value, used) = if after.is_empty() {
                (next, 2)
            } else {
                (Some(after), 1)
            };
            let value = value.map(|it| it.strip_prefix('=').unwrap_or(it));
            parsed.options.push(Given { name, value });
            return used;
        }
        if let Some(value) = after.strip_prefix('=') {
            parsed.options.push(Given {
                name,
                value: Some(value),
            });
            return 1;
        }
        parsed.options.push(Given { name, value: None });
        left = after;
    }
    1
}

/// Whether a program is only asked what it can do.
pub(super) fn asks_for_help(program: &str, args: &[Arg]) -> bool {
    let own = args.iter().map(word).take_while(|it| *it != "--");
    if own.clone().any(|it| it == "--help") {
        return true;
    }
    let words: Vec<&str> = own.take(3).collect();
    match words.as_slice() {
        ["help", ..] | ["--version" | "-V" | "-version" | "version"] => true,
        ["-h"] | [_, "-h"] => program != "shutdown",
        _ => false,
    }
}

/// A list of things for people: "a, b and 3 more".
pub(super) fn listed(items: &[&str]) -> String {
    let mut text = items.iter().take(3).copied().collect::<Vec<_>>().join(", ");
    if items.len() > 3 {
        let _ = write!(text, " and {} more", items.len() - 3);
    }
    text
}
