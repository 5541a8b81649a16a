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

/// `cp -n`, `mv --backup`: what is there stays, in one way or another.
pub(super) fn keeps_what_is_there(args: &[Arg]) -> bool {
    let stays = |it: &str| it == "--no-clobber" || it.starts_with("--update=none");
    args.iter().map(word).any(stays) || has_letter(args, 'n') || puts_aside(args)
}

/// `ln -b`, `cp -i`: what is there is put aside, or somebody is asked.
pub(super) fn puts_aside(args: &[Arg]) -> bool {
    let long = |it: &str| it == "--interactive" || it == "--backup" || it.starts_with("--backup=");
    args.iter().map(word).any(long) || has_letter(args, 'i') || has_letter(args, 'b')
}

/// `sed -i.bak`, `perl -i.orig`.
pub(super) fn keeps_a_copy(args: &[Arg]) -> bool {
    let options = args.iter().map(word).take_while(|it| *it != "--");
    options.filter(|it| it.starts_with('-')).any(|it| {
        let suffix = match it.strip_prefix("--in-place=") {
            Some(suffix) => suffix,
            None if it.starts_with("--") => "",
            None => it.split_once('i').map_or("", |(_, suffix)| suffix),
        };
        suffix.contains(['.', '~'])
    })
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
        let cluster = text.starts_with('-')
            && !text.starts_with("--")
            && options
                .iter()
                .any(|it| it.len() == 2 && text.ends_with(it.trim_start_matches('-')));
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
        with_value.contains(&text)
            || (!text.starts_with("--")
                && with_value
                    .iter()
                    .any(|it| it.len() == 2 && text.ends_with(it.trim_start_matches('-'))))
    })
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
