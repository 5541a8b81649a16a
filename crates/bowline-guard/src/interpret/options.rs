//! Finds operands and values among arguments.

use super::value::Item;

/// Where the first argument stands that is no option; `with_value` are the options that take the next word.
pub(super) fn first_operand(args: &[Item], with_value: &[&str]) -> usize {
    let mut at = 0;
    while let Some(item) = args.get(at) {
        let Some(text) = item.text() else {
            return at;
        };
        if text == "--" {
            return at + 1;
        }
        if !text.starts_with('-') || text == "-" {
            return at;
        }
        at += 1;
        if takes_next(text, with_value) {
            at += 1;
        }
    }
    args.len()
}

/// Whether an option as written takes the next word: itself, or the last letter of a cluster.
pub(super) fn takes_next(text: &str, with_value: &[&str]) -> bool {
    if with_value.contains(&text) {
        return true;
    }
    if text.starts_with("--") || text.len() < 3 {
        return false;
    }
    // In `-abc` the first letter that takes a value takes what follows it; only the last takes the next word.
    let mut letters = text.chars().skip(1);
    while let Some(letter) = letters.next() {
        let option = ['-', letter];
        let takes = with_value.iter().any(|it| it.chars().eq(option));
        if takes {
            return letters.next().is_none();
        }
    }
    false
}

/// The value of an option: the next word, or what follows `=`.
pub(super) fn value_of<'a>(args: &'a [Item], names: &[&str]) -> Option<&'a Item> {
    values_of(args, names).into_iter().next()
}

/// The values of options that stand in words of their own.
pub(super) fn values_of<'a>(args: &'a [Item], names: &[&str]) -> Vec<&'a Item> {
    let mut found = Vec::new();
    for (at, item) in args.iter().enumerate() {
        let text = item.marked();
        let ends_cluster = text.starts_with('-')
            && !text.starts_with("--")
            && text.len() > 2
            && names
                .iter()
                .any(|name| name.len() == 2 && name.chars().last() == text.chars().last());
        if (names.contains(&text) || ends_cluster)
            && let Some(value) = args.get(at + 1)
        {
            found.push(value);
        }
    }
    found
}

/// The values of long options, as `--name=value` or in the next word, as texts.
pub(super) fn texts_of(args: &[Item], names: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (at, item) in args.iter().enumerate() {
        let text = item.marked();
        if names.contains(&text) {
            found.extend(args.get(at + 1).map(|value| value.marked().to_owned()));
        }
        for name in names {
            if let Some(rest) = text.strip_prefix(name) {
                if let Some(value) = rest.strip_prefix('=') {
                    found.push(value.to_owned());
                } else if !rest.is_empty() && name.len() == 2 && !name.starts_with("--") {
                    found.push(rest.to_owned());
                }
            }
        }
    }
    found
}

/// Whether a program is only asked about itself.
pub(super) fn asks_for_help(name: &str, args: &[Item]) -> bool {
    let texts: Vec<_> = args.iter().filter_map(Item::text).collect();
    match texts.as_slice() {
        ["--help" | "--version"] => true,
        ["-h" | "-V"] => !matches!(name, "shutdown" | "sudo" | "df" | "ls" | "free"),
        _ => false,
    }
}
