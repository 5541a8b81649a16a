//! Filters of known texts whose result can be worked out: parts of lines, some of the lines, lines put together.

use super::bounds::MAX_TEXT;
use super::call::ExpandedCommand;
use super::decode;
use super::options::{first_operand, texts_of};
use super::value::Item;

/// Whether a program is one of the filters that are followed here.
pub(super) fn filters(name: &str) -> bool {
    matches!(
        name,
        "head"
            | "tail"
            | "cut"
            | "paste"
            | "fold"
            | "column"
            | "expand"
            | "unexpand"
            | "fmt"
            | "nl"
            | "grep"
            | "egrep"
            | "fgrep"
            | "base64"
            | "tr"
            | "jq"
            | "gojq"
            | "jaq"
            | "awk"
            | "gawk"
            | "mawk"
            | "sed"
            | "gsed"
            | "xargs"
    )
}

/// What a filter makes of a text that is known; `None` for one that is not followed here.
pub(super) fn filtered(name: &str, call: &ExpandedCommand, text: &str) -> Option<String> {
    if text.len() > MAX_TEXT {
        return None;
    }
    let args = call.args();
    let has = |letters: &[char]| {
        args.iter().filter_map(Item::text).any(|it| {
            it.starts_with('-') && !it.starts_with("--") && letters.iter().any(|c| it.contains(*c))
        })
    };
    match name {
        "head" => Some(some_lines(text, |lines| {
            let count = count_of(args, 10).min(lines.len());
            lines.get(..count).unwrap_or_default().to_vec()
        })),
        "tail" => Some(tail(args, text)),
        "cut" => cut(args, text),
        "paste" if has(&['s']) => {
            let delimiter = delimiter(args).unwrap_or_else(|| "\t".to_owned());
            Some(text.lines().collect::<Vec<_>>().join(&delimiter) + "\n")
        }
        "fold" => fold(args, text),
        "column" | "expand" | "unexpand" | "fmt" => Some(text.replace('\t', " ")),
        "nl" => Some(joined(text.lines().map(|line| format!("       {line}")))),
        "grep" | "egrep" | "fgrep" => grep(args, text),
        "base64"
            if !args
                .iter()
                .any(|it| it.marked().starts_with("-d") || it.marked().starts_with("--d")) =>
        {
            Some(decode::to_base64(text.as_bytes()) + "\n")
        }
        "tr" if has(&['s']) => Some(squeezed(text)),
        "jq" | "gojq" | "jaq" => jq(args, text),
        "awk" | "gawk" | "mawk" => awk(args, text),
        "sed" | "gsed" => sed(args, text),
        "xargs" if args.is_empty() => {
            Some(text.split_whitespace().collect::<Vec<_>>().join(" ") + "\n")
        }
        _ => None,
    }
}

/// Lines as a text.
fn joined(lines: impl Iterator<Item = impl AsRef<str>>) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(line.as_ref());
        text.push('\n');
    }
    text
}

fn some_lines<'text>(
    text: &'text str,
    choose: impl Fn(&[&'text str]) -> Vec<&'text str>,
) -> String {
    let lines: Vec<&str> = text.lines().collect();
    joined(choose(&lines).into_iter())
}

/// `-n 3`, `-n3`, `-3`.
fn count_of(args: &[Item], usual: usize) -> usize {
    let given = texts_of(args, &["-n", "--lines"]);
    let short = args
        .iter()
        .filter_map(|it| it.marked().strip_prefix('-')?.parse().ok());
    given
        .iter()
        .filter_map(|it| it.trim_start_matches(['+', '-']).parse().ok())
        .chain(short)
        .next()
        .unwrap_or(usual)
}

fn tail(args: &[Item], text: &str) -> String {
    let from_start = texts_of(args, &["-n", "--lines", "-c"])
        .iter()
        .any(|it| it.starts_with('+'));
    let count = count_of(args, 10);
    if from_start && args.iter().any(|it| it.marked().starts_with("-c")) {
        return text.chars().skip(count.saturating_sub(1)).collect();
    }
    some_lines(text, |lines| {
        let skip = if from_start {
            count.saturating_sub(1)
        } else {
            lines.len().saturating_sub(count)
        };
        lines.get(skip..).unwrap_or_default().to_vec()
    })
}

/// The delimiter that `-d` names, also in a cluster such as `-sd,`.
fn delimiter(args: &[Item]) -> Option<String> {
    let long = texts_of(args, &["-d", "--delimiter", "--delimiters"])
        .into_iter()
        .next();
    let cluster = || {
        args.iter().enumerate().find_map(|(at, item)| {
            let letters = item
                .marked()
                .strip_prefix('-')
                .filter(|it| !it.starts_with('-'))?;
            let (_, rest) = letters.split_once('d')?;
            if rest.is_empty() {
                args.get(at + 1).map(|it| it.marked().to_owned())
            } else {
                Some(rest.to_owned())
            }
        })
    };
    long.or_else(cluster).map(|it| decode::escapes(&it))
}

/// `cut -c2-`, `cut -d: -f2`.
fn cut(args: &[Item], text: &str) -> Option<String> {
    let characters = texts_of(args, &["-c", "--characters", "-b", "--bytes"])
        .into_iter()
        .next();
    let change = |line: &str| -> Option<String> {
        if let Some(list) = &characters {
            return Some(
                line.chars()
                    .enumerate()
                    .filter(|(at, _)| in_list(list, at + 1))
                    .map(|(_, c)| c)
                    .collect(),
            );
        }
        let list = texts_of(args, &["-f", "--fields"]).into_iter().next()?;
        let delimiter = delimiter(args).unwrap_or_else(|| "\t".to_owned());
        let fields: Vec<&str> = line.split(delimiter.as_str()).collect();
        if fields.len() == 1 {
            return Some(line.to_owned());
        }
        let chosen = fields
            .iter()
            .enumerate()
            .filter(|(at, _)| in_list(&list, at + 1));
        Some(
            chosen
                .map(|(_, field)| *field)
                .collect::<Vec<_>>()
                .join(&delimiter),
        )
    };
    text.lines()
        .map(|line| change(line).map(|it| it + "\n"))
        .collect()
}

/// Whether a number is in a list such as `1,3-5,7-`.
fn in_list(list: &str, number: usize) -> bool {
    list.split(',').any(|part| match part.split_once('-') {
        Some((from, to)) => {
            let from = from.parse().unwrap_or(1);
            let to = to.parse().unwrap_or(usize::MAX);
            (from..=to).contains(&number)
        }
        None => part.parse() == Ok(number),
    })
}

fn fold(args: &[Item], text: &str) -> Option<String> {
    let width: usize = texts_of(args, &["-w", "--width"])
        .first()
        .map_or(Some(80), |it| it.parse().ok())?;
    let mut out = String::new();
    for line in text.lines() {
        let characters: Vec<char> = line.chars().collect();
        for piece in characters.chunks(width.max(1)) {
            out.extend(piece);
            out.push('\n');
        }
    }
    Some(out)
}

/// Lines that hold a plain text; with `-o`, the text itself.
fn grep(args: &[Item], text: &str) -> Option<String> {
    let pattern = args
        .get(first_operand(args, &["-m", "-A", "-B", "-C", "-e"]))?
        .text()?;
    let plain = pattern
        .chars()
        .all(|c| c.is_alphanumeric() || " -_/~=:,@%".contains(c));
    let flags: String = args
        .iter()
        .filter_map(Item::text)
        .filter(|it| it.starts_with('-') && !it.starts_with("--"))
        .collect();
    if !plain || flags.contains(['c', 'q', 'l']) {
        return None;
    }
    let hits = text
        .lines()
        .filter(|line| line.contains(pattern) != flags.contains('v'));
    Some(joined(hits.map(|line| {
        if flags.contains('o') { pattern } else { line }
    })))
}

/// The same character again and again becomes one.
fn squeezed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if !out.ends_with(c) {
            out.push(c);
        }
    }
    out
}

/// `jq -r .name` of a flat object, `jq -rn '"text"|@base64d'`.
fn jq(args: &[Item], text: &str) -> Option<String> {
    let program = args
        .get(first_operand(args, &["--arg", "--argjson"]))?
        .text()?
        .trim();
    if let Some(value) = program.strip_suffix("@base64d") {
        return decode::base64(value.split('"').nth(1)?).map(|it| it + "\n");
    }
    let name = program.strip_prefix('.')?;
    let wanted = format!("\"{name}\"");
    let (_, rest) = text
        .split_once(wanted.as_str())
        .filter(|_| !name.is_empty())?;
    let rest = rest
        .trim_start()
        .strip_prefix(':')?
        .trim_start()
        .strip_prefix('"')?;
    Some(format!("{}\n", rest.split('"').next()?))
}

/// `awk 'NR==2'`, `awk -F: '{print $2}'`, `awk '{print tolower($0)}'`.
fn awk(args: &[Item], text: &str) -> Option<String> {
    let program = args
        .get(first_operand(args, &["-F", "-v", "-f"]))?
        .text()?
        .trim();
    if let Some(number) = program.strip_prefix("NR==") {
        let number: usize = number.trim_end_matches("{print}").trim().parse().ok()?;
        let line = text.lines().nth(number.checked_sub(1)?)?;
        return Some(format!("{line}\n"));
    }
    let inside = program
        .strip_prefix('{')?
        .strip_suffix('}')?
        .trim()
        .trim_end_matches(';');
    let printed = inside.strip_prefix("print")?.trim();
    match printed {
        "" | "$0" => return Some(text.to_owned()),
        "tolower($0)" => return Some(text.to_lowercase()),
        "toupper($0)" => return Some(text.to_uppercase()),
        _ => {}
    }
    let separator = texts_of(args, &["-F"]).into_iter().next();
    let line = |line: &str| -> Option<String> {
        let fields: Vec<&str> = match &separator {
            Some(separator) => line.split(separator.as_str()).collect(),
            None => line.split_whitespace().collect(),
        };
        let mut out: Vec<String> = Vec::new();
        for part in printed.split(',') {
            let part = part.trim();
            let number: usize = match part.strip_prefix('$')? {
                "NF" => fields.len(),
                number => number.parse().ok()?,
            };
            out.push(
                fields
                    .get(number.checked_sub(1)?)
                    .copied()
                    .unwrap_or_default()
                    .to_owned(),
            );
        }
        Some(out.join(" ") + "\n")
    };
    text.lines().map(line).collect()
}

/// `sed -n 2p`, `sed 's/^text//'`, `sed 1d`.
fn sed(args: &[Item], text: &str) -> Option<String> {
    let script = args
        .get(first_operand(args, &["-e", "-f", "-l"]))?
        .text()?
        .trim();
    let quiet = args
        .iter()
        .filter_map(Item::text)
        .any(|it| it == "-n" || it == "--quiet");
    if let Some(range) = script.strip_suffix('p').filter(|_| quiet) {
        let list = range.replace(',', "-").replace('$', "");
        let numbered = text
            .lines()
            .enumerate()
            .filter(|(at, _)| in_list(&list, at + 1));
        return list
            .chars()
            .all(|c| c.is_ascii_digit() || c == '-')
            .then(|| joined(numbered.map(|(_, line)| line)));
    }
    if let Some(range) = script.strip_suffix('d') {
        let list = range.replace(',', "-").replace('$', "");
        let kept = text
            .lines()
            .enumerate()
            .filter(|(at, _)| !in_list(&list, at + 1));
        let numbers = !list.is_empty() && list.chars().all(|c| c.is_ascii_digit() || c == '-');
        return numbers.then(|| joined(kept.map(|(_, line)| line)));
    }
    // What is taken away, or put in another's place, at the beginning or the end of a line.
    let mut parts = script.strip_prefix('s')?.chars();
    let mark = parts.next()?;
    let mut pieces = parts.as_str().splitn(3, mark);
    let (pattern, with) = (pieces.next()?, pieces.next()?);
    let plain = |it: &str| {
        it.chars()
            .all(|c| c.is_alphanumeric() || " -_/,:;@%=~#".contains(c))
    };
    let line = |line: &str| -> Option<String> {
        if let Some(start) = pattern.strip_prefix('^').filter(|it| plain(it)) {
            return Some(
                line.strip_prefix(start)
                    .map_or_else(|| line.to_owned(), |rest| format!("{with}{rest}")),
            );
        }
        let end = pattern.strip_suffix('$').filter(|it| plain(it))?;
        Some(
            line.strip_suffix(end)
                .map_or_else(|| line.to_owned(), |rest| format!("{rest}{with}")),
        )
    };
    text.lines()
        .map(|it| line(it).map(|it| it + "\n"))
        .collect()
}
