//! Reads the words of programs that make, move and delete files.

use crate::families::args::word;
use crate::invocation::{Arg, Value};

/// Whether a word falls back to a text where a variable has no value.
pub(super) fn has_default(source: &str) -> bool {
    source
        .split("${")
        .skip(1)
        .filter_map(|it| it.split('}').next())
        .any(|it| it.contains(['-', '=']) && !it.contains('/'))
}

/// A member of an archive, in the folder that it is unpacked into.
pub(super) fn within(folder: Option<&str>, member: &Arg) -> Arg {
    match folder {
        Some(folder) => Arg::known(format!("{folder}/{}", word(member))),
        None => member.clone(),
    }
}

/// `cp -n`, `mv -i`: what is there stays, or somebody is asked.
pub(super) fn keeps_what_is_there(args: &[Arg]) -> bool {
    let stays = |it: &str| it == "--no-clobber" || it.starts_with("--update=none");
    args.iter().map(word).any(stays) || has_letter(args, 'n') || asks(args)
}

/// `ln -b`, `ln -i`: what is there is put aside, or somebody is asked.
pub(super) fn puts_aside(args: &[Arg]) -> bool {
    let long = |it: &str| it == "--backup" || it.starts_with("--backup=");
    args.iter().map(word).any(long) || has_letter(args, 'b') || asks(args)
}

fn asks(args: &[Arg]) -> bool {
    has_letter(args, 'i') || has(args, &["--interactive"])
}

/// Whether letters of sed, perl and ruby stand for themselves. Behind others comes a script, or the name of a module.
fn are_flags(letters: &str) -> bool {
    let mut letters = letters.chars();
    letters.all(|it| "pnalwsrEzutTWU0123456789".contains(it))
}

/// `-e`, `-pie`, `-pes/a/b/`: whether the word gives a script, or says that the next one does.
pub(super) fn has_script(option: &str) -> bool {
    let flags = |it: &str| are_flags(it) || it.strip_suffix('i').is_some_and(are_flags);
    let letters = option.strip_prefix('-').and_then(|it| it.split_once('e'));
    letters.is_some_and(|(before, _)| flags(before))
}

/// What `sed -i.bak` and `perl -pi.orig` put behind the name of the file as it was.
pub(super) fn backup_suffix(args: &[Arg]) -> Option<&str> {
    let options = args.iter().map(word).take_while(|it| *it != "--");
    let mut suffixes = options.filter_map(|it| {
        if let Some(suffix) = it.strip_prefix("--in-place=") {
            return Some(suffix);
        }
        let (flags, suffix) = it.strip_prefix('-')?.split_once('i')?;
        are_flags(flags).then_some(suffix)
    });
    suffixes.find(|it| it.contains(['.', '~']))
}

pub(super) fn edits_in_place(args: &[Arg]) -> bool {
    args.iter()
        .map(word)
        .take_while(|it| *it != "--")
        .any(|it| {
            it.starts_with("--in-place")
                || (it.starts_with('-')
                    && !it.starts_with("--")
                    && it.contains('i')
                    && !it.starts_with("-I"))
        })
}

pub(super) fn with_prefix_removed(value: &Value, prefix: &str) -> Option<Value> {
    let cut = |text: &String| text.strip_prefix(prefix).map(ToOwned::to_owned);
    match value {
        Value::Known(text) => cut(text).map(Value::Known),
        Value::Pattern(text) => cut(text).map(Value::Pattern),
        Value::Partly(text) => cut(text).map(Value::Partly),
        Value::Unknown => None,
    }
}

pub(super) fn has(args: &[Arg], options: &[&str]) -> bool {
    args.iter().any(|it| options.contains(&word(it)))
}

/// Whether a short option is given, also among others: `-rf`.
pub(super) fn has_letter(args: &[Arg], letter: char) -> bool {
    args.iter()
        .map(word)
        .take_while(|it| *it != "--")
        .any(|it| it.starts_with('-') && !it.starts_with("--") && it.contains(letter))
}

/// The value of an option, as a word of its own, joined, or at the end of a cluster.
pub(super) fn value_after<'a>(args: &'a [Arg], options: &[&str]) -> Option<&'a str> {
    let mut words = args.iter().map(word);
    while let Some(text) = words.next() {
        let joined = options
            .iter()
            .find_map(|it| text.strip_prefix(it)?.strip_prefix('='));
        if joined.is_some() {
            return joined;
        }
        let cluster = ends_cluster(text, options);
        if cluster || options.contains(&text) {
            return words.next();
        }
    }
    None
}

/// The words that are no options; `with_value` take the next word.
pub(super) fn operands<'a>(args: &'a [Arg], with_value: &[&str]) -> Vec<&'a Arg> {
    walk(args, |text| with_value.contains(&text))
}

/// The same, where the last letter of a cluster takes the next word, too: `perl -pi -e`, `-ne`.
pub(super) fn operands_with_clusters<'a>(args: &'a [Arg], with_value: &[&str]) -> Vec<&'a Arg> {
    walk(args, |text| {
        with_value.contains(&text) || ends_cluster(text, with_value)
    })
}

/// Whether the last of several letters is one of the options: `-pie`, but not `-i.save`.
fn ends_cluster(text: &str, options: &[&str]) -> bool {
    let letters = text.strip_prefix('-').unwrap_or_default();
    let mut ends = options.iter().filter(|it| it.len() == 2);
    letters.chars().all(char::is_alphanumeric)
        && ends.any(|it| letters.ends_with(it.trim_start_matches('-')))
}

fn walk(args: &[Arg], takes_next: impl Fn(&str) -> bool) -> Vec<&Arg> {
    let mut found = Vec::new();
    let mut only = false;
    let mut skip = false;
    for arg in args {
        let text = word(arg);
        if std::mem::take(&mut skip) {
            continue;
        }
        if !only && text == "--" {
            only = true;
        } else if only || !text.starts_with('-') || text == "-" {
            found.push(arg);
        } else {
            skip = takes_next(text);
        }
    }
    found
}
