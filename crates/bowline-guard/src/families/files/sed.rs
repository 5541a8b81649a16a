//! What a script of sed does to all lines.

use crate::invocation::Arg;

/// The script that sed is given: by its options, else the first word.
pub(super) fn script(args: &[Arg]) -> String {
    let texts: Vec<&str> = args.iter().filter_map(Arg::text).collect();
    let given: Vec<&str> = texts
        .windows(2)
        .filter_map(|pair| match pair {
            ["-e" | "--expression", script] => Some(*script),
            _ => None,
        })
        .collect();
    if given.is_empty() {
        texts
            .into_iter()
            .find(|it| !it.starts_with('-') || it.contains(' '))
            .unwrap_or_default()
            .to_owned()
    } else {
        given.join("\n")
    }
}

/// Whether a script deletes every line: `d` without an address, and in no block that has one.
pub(super) fn deletes_all(script: &str) -> bool {
    // Of the blocks that are open: whether lines are chosen for them.
    let mut chosen: Vec<bool> = Vec::new();
    for part in script.split([';', '\n']) {
        let mut rest = part.trim();
        while let Some((address, inside)) = rest.split_once('{') {
            let outer = chosen.last().copied().unwrap_or(false);
            chosen.push(outer || !matches!(address.trim(), "" | "1,$" | "0,$"));
            rest = inside.trim();
        }
        let command: String = rest
            .trim_end_matches(['}', ' '])
            .chars()
            .filter(|c| !c.is_whitespace())
            .collect();
        let all = matches!(command.as_str(), "d" | "1,$d" | "0,$d");
        if all && !chosen.last().copied().unwrap_or(false) {
            return true;
        }
        for _ in 0..rest.matches('}').count() {
            chosen.pop();
        }
    }
    false
}
