//! What known programs print, as far as the text tells it.

use super::Interpreter;
use super::bounds::{MAX_TEXT, Size, TooLong, add_sources, replaced};
use super::call::ExpandedCommand;
use super::decode;
use super::filters::{filtered, filters};
use super::options::{first_operand, texts_of};
use super::scope::Scope;
use super::value::{Item, Output, UNKNOWN};
use crate::invocation::Directory;

/// What a command prints.
pub(super) fn output_of(
    interpreter: &mut Interpreter<'_>,
    name: &str,
    call: &ExpandedCommand,
    scope: &mut Scope,
) -> Output {
    // What comes in is handed on, with everybody who had a part in it.
    let handed_on = call
        .input
        .as_ref()
        .map_or(0, |input| input.text.len() / 256 + input.sources.len() / 16);
    let copied = call.input.as_ref().map_or(0, |input| input.size()) + call.words.size();
    if !interpreter.pay(1 + handed_on) || !interpreter.make(copied) {
        return Output::unknown(Vec::new());
    }
    let mut printed =
        printer(interpreter, name, call, scope).or_else(|| filter(interpreter, name, call, scope));
    if printed
        .as_ref()
        .is_some_and(|output| output.text.len() > MAX_TEXT)
    {
        interpreter.too_long();
        printed = None;
    }
    printed.unwrap_or_else(|| {
        let mut sources = call
            .input
            .as_ref()
            .map_or_else(Vec::new, |input| input.sources.clone());
        sources.push(call.source());
        Output::unknown(sources)
    })
}

/// Programs that print what their arguments say.
fn printer(
    interpreter: &mut Interpreter<'_>,
    name: &str,
    call: &ExpandedCommand,
    scope: &Scope,
) -> Option<Output> {
    let args = call.args();
    let texts: Vec<&str> = args.iter().map(Item::marked).collect();
    let text = match name {
        "echo" => echo(&texts),
        "printf" => {
            let skip = match texts.first().copied() {
                Some("--") => 1,
                Some("-v") => return Some(Output::nothing()),
                _ => 0,
            };
            let (format, rest) = texts.get(skip..)?.split_first()?;
            decode::printf(format, rest)
        }
        "print" => texts.join(" ") + "\n",
        "which" | "type" | "whereis" | "command" => {
            let program = texts.iter().rfind(|it| !it.starts_with('-'))?;
            format!("{program}\n")
        }
        // The managers of versions tell where a program of theirs is.
        "pyenv" | "rbenv" | "nodenv" | "goenv" | "asdf" | "mise" | "rustup" | "volta" | "xcrun"
            if matches!(texts.first(), Some(&("which" | "-f" | "--find"))) =>
        {
            format!("{}\n", texts.get(1)?)
        }
        "pwd" => match &scope.directory {
            Directory::Known(path) => format!("{path}\n"),
            Directory::Unknown => return None,
        },
        "realpath" | "readlink" | "greadlink" | "grealpath" => {
            let path = args.get(first_operand(args, &["--relative-to", "--relative-base"]))?;
            let known = interpreter.absolute(&path.arg, scope)?;
            format!("{known}\n")
        }
        "basename" | "dirname" => {
            let item = args.iter().find(|it| !it.marked().starts_with('-'))?;
            let absolute = interpreter.absolute(&item.arg, scope);
            let path = item.text().map(str::to_owned).or(absolute)?;
            let path = path.trim_end_matches('/');
            match (name, path.rsplit_once('/')) {
                ("basename", parts) => format!("{}\n", parts.map_or(path, |(_, last)| last)),
                (_, Some(("", _))) => "/\n".to_owned(),
                (_, Some((parent, _))) => format!("{parent}\n"),
                (_, None) => ".\n".to_owned(),
            }
        }
        "mktemp" => {
            let inside = args
                .iter()
                .filter_map(Item::text)
                .rfind(|it| it.contains("XXX"));
            match inside {
                Some(template) if template.contains('/') => template.to_owned(),
                Some(template) => format!("/tmp/{template}"),
                None => "/tmp/tmp.XXXXXXXXXX".to_owned(),
            }
        }
        "git" => git(interpreter, &texts)?,
        "yes" => format!("{}\n", texts.first().copied().unwrap_or("y")),
        "seq" => {
            let last: usize = texts.last()?.parse().ok()?;
            let numbers: Vec<_> = (1..=last.min(16))
                .map(|number| number.to_string())
                .collect();
            numbers.join("\n") + "\n"
        }
        "true" | "false" | ":" | "sleep" | "test" | "[" | "mkdir" | "touch" | "rm" | "cp"
        | "mv" | "exit" | "return" => String::new(),
        _ => return None,
    };
    // What the arguments do not tell is known by where it comes from.
    let mut sources = Vec::new();
    for item in args {
        add_sources(&mut sources, &item.sources);
    }
    Some(Output { text, sources })
}

fn echo(texts: &[&str]) -> String {
    let mut rest = texts;
    let (mut newline, mut escaped) = (true, false);
    while let Some((first, after)) = rest.split_first() {
        let letters = first
            .strip_prefix('-')
            .filter(|it| !it.is_empty() && it.chars().all(|c| "neE".contains(c)));
        let Some(letters) = letters else {
            break;
        };
        newline &= !letters.contains('n');
        escaped |= letters.contains('e');
        rest = after;
    }
    let text = rest.join(" ");
    let mut text = if escaped {
        decode::escapes(&text)
    } else {
        text
    };
    if newline {
        text.push('\n');
    }
    text
}

/// The few things that git prints and a text depends on.
fn git(interpreter: &Interpreter<'_>, words: &[&str]) -> Option<String> {
    match words {
        ["rev-parse", rest @ ..] => {
            let root = interpreter.world.project_root();
            rest.iter().find_map(|word| match *word {
                "--show-toplevel" => Some(format!("{root}\n")),
                "--git-dir" | "--absolute-git-dir" | "--git-common-dir" => {
                    Some(format!("{root}/.git\n"))
                }
                "--show-cdup" => Some("./\n".to_owned()),
                _ => None,
            })
        }
        [
            "for-each-ref" | "log" | "branch" | "tag" | "stash" | "reflog",
            rest @ ..,
        ] => {
            let format = rest.iter().find_map(|word| {
                word.strip_prefix("--format=")
                    .or_else(|| word.strip_prefix("--pretty=format:"))
                    .or_else(|| word.strip_prefix("--pretty="))
            })?;
            let mut out = String::new();
            let mut chars = format.chars();
            while let Some(c) = chars.next() {
                if c != '%' {
                    out.push(c);
                    continue;
                }
                out.push(UNKNOWN);
                if chars.next() == Some('(') {
                    let _ = chars.by_ref().find(|c| *c == ')');
                }
            }
            // A format with words of its own writes commands.
            out.contains(' ').then(|| out + "\n")
        }
        _ => None,
    }
}

/// Programs that change what they read.
fn filter(
    interpreter: &mut Interpreter<'_>,
    name: &str,
    call: &ExpandedCommand,
    scope: &mut Scope,
) -> Option<Output> {
    let reads_files = matches!(
        name,
        "cat"
            | "tac"
            | "head"
            | "tail"
            | "rev"
            | "sort"
            | "uniq"
            | "nl"
            | "base64"
            | "gbase64"
            | "base32"
            | "openssl"
            | "xxd"
            | "basenc"
    );
    if call.input.is_none() && !reads_files {
        return None;
    }
    let args = call.args();
    let has = |options: &[&str]| {
        args.iter()
            .any(|it| it.text().is_some_and(|text| options.contains(&text)))
    };
    if matches!(
        name,
        "base64" | "gbase64" | "base32" | "openssl" | "xxd" | "basenc"
    ) && let Some(output) = decoder(interpreter, name, call, scope)
    {
        return Some(output);
    }
    let operands = operands(args);
    let input = match (name, operands.as_slice()) {
        ("cat" | "tac" | "head" | "tail" | "rev" | "sort" | "uniq" | "nl", files @ [_, ..]) => {
            let mut whole = Output::nothing();
            let mut known = false;
            for file in files {
                let output = match (&file.feed, file.text()) {
                    (Some(feed), _) => feed.clone(),
                    (None, Some("-")) => call
                        .input
                        .as_ref()
                        .map_or_else(Output::nothing, |it| (**it).clone()),
                    (None, _) => interpreter.file_output(&file.arg, scope),
                };
                known |= output.says_something() || file.feed.is_some();
                interpreter.append(&mut whole, output);
            }
            if !known {
                return None;
            }
            whole
        }
        _ => (**call.input.as_ref()?).clone(),
    };
    if filters(name)
        && input.is_known()
        && let Some(text) = filtered(name, call, &input.text)
    {
        return Some(Output::text(text));
    }
    let text = match name {
        "cat" | "sort" | "uniq" | "nl" | "pv" | "sponge" | "ts" | "buffer" | "mbuffer" | "less"
        | "more" | "iconv" | "dos2unix" | "head" | "tail" => input.text.clone(),
        "tee" => {
            for file in &operands {
                interpreter.written(&file.arg, &input, scope);
            }
            input.text.clone()
        }
        "tac" => input.text.lines().rev().collect::<Vec<_>>().join("\n") + "\n",
        "rev" => decode::reversed(&input.text),
        "tr" => match operands.as_slice() {
            [set] if has(&["-d", "--delete"]) => decode::without(&input.text, set.text()?)?,
            [_] => input.text.clone(),
            [from, to] => decode::translated(&input.text, from.text()?, to.text()?)?,
            _ => return None,
        },
        "sed" => {
            return sed(&input, call).unwrap_or_else(|TooLong| {
                interpreter.too_long();
                None
            });
        }
        "awk" | "gawk" | "mawk" => return awk(&input, call),
        // Packed and unpacked on the way: what went in comes out.
        "gunzip" | "zcat" | "bunzip2" | "bzcat" | "unxz" | "xzcat" | "zstdcat"
            if input.sources.len() == 1
                && input.sources.iter().any(|it| is_packer(it))
                && input.says_something() =>
        {
            return Some(Output::text(input.text.trim_end_matches(UNKNOWN)));
        }
        "gzip" | "bzip2" | "xz" | "zstd" if input.is_known() && !has(&["-d", "--decompress"]) => {
            return Some(Output {
                text: input.text,
                sources: vec![call.source()],
            });
        }
        "gunzip" | "zcat" | "gzip" | "bunzip2" | "bzcat" | "xz" | "xzcat" | "unxz" | "zstd"
        | "zstdcat" | "uudecode" => {
            // Packed: what comes out cannot be known here.
            let mut sources = input.sources;
            sources.push(call.source());
            return Some(Output::unknown(sources));
        }
        _ => return None,
    };
    let mut sources = input.sources;
    // `tee`, `cat` and the like add nothing of their own.
    if !sources.is_empty() && !matches!(name, "cat" | "tee" | "pv" | "sponge") {
        sources.push(call.source());
    }
    Some(Output { text, sources })
}

/// The words that are neither options nor the values of options.
fn operands(args: &[Item]) -> Vec<&Item> {
    let mut found = Vec::new();
    let mut skip = false;
    for item in args {
        let text = item.marked();
        if std::mem::take(&mut skip) {
            continue;
        }
        if text.starts_with('-') && text != "-" {
            skip = matches!(
                text,
                "-n" | "-c" | "-k" | "-t" | "--lines" | "--bytes" | "--key"
            );
        } else {
            found.push(item);
        }
    }
    found
}

fn is_packer(source: &str) -> bool {
    ["gzip", "bzip2", "xz", "zstd"]
        .iter()
        .any(|it| source.starts_with(it))
}

fn decoder(
    interpreter: &mut Interpreter<'_>,
    name: &str,
    call: &ExpandedCommand,
    scope: &Scope,
) -> Option<Output> {
    let args = call.args();
    let flags: Vec<&str> = args.iter().filter_map(Item::text).collect();
    let decodes = match name {
        "xxd" => flags
            .iter()
            .any(|it| it.starts_with('-') && it.contains('r')),
        "openssl" => {
            flags.iter().any(|it| matches!(*it, "-d" | "-decrypt"))
                && flags.iter().any(|it| it.contains("base64") || *it == "-a")
        }
        _ => flags.iter().any(|it| {
            matches!(*it, "-d" | "-D" | "--decode" | "-di" | "-id") || it.starts_with("--dec")
        }),
    };
    if !decodes {
        return None;
    }
    let file = args
        .iter()
        .find(|it| !it.marked().starts_with('-') && !matches!(it.marked(), "enc" | "base64"));
    let input = match (file, &call.input) {
        (Some(file), _) if file.feed.is_some() => file.feed.clone()?,
        (Some(file), _) => interpreter.file_output(&file.arg, scope),
        (None, Some(input)) => (**input).clone(),
        (None, None) => return None,
    };
    let text = match name {
        "xxd" => decode::hex(&input.text),
        "base32" => decode::base32(&input.text),
        "basenc" if flags.contains(&"--base16") => decode::hex(&input.text),
        _ => decode::base64(&input.text),
    };
    match text {
        Some(text) if input.is_known() => Some(Output::text(text)),
        _ => {
            let mut sources = input.sources;
            sources.push(call.source());
            Some(Output::unknown(sources))
        }
    }
}

/// `s/…/…/` with plain texts, and what only puts something around a line.
fn sed(input: &Output, call: &ExpandedCommand) -> Result<Option<Output>, TooLong> {
    let Some(script) = sed_script(call.args()) else {
        return Ok(None);
    };
    let Some([pattern, with, flags]) = substitution(&script) else {
        return Ok(None);
    };
    let change = |line: &str| -> Result<Option<String>, TooLong> {
        Ok(Some(match pattern {
            "^" => format!("{with}{line}"),
            "$" => format!("{line}{with}"),
            ".*" | "^.*$" | "^.*" | ".*$" | "\\(.*\\)" | "(.*)" | "^\\(.*\\)$" => {
                replaced(&with.replace("\\1", "&"), "&", line)?
            }
            plain
                if plain
                    .chars()
                    .all(|c| c.is_alphanumeric() || " -_/,:;@%=".contains(c)) =>
            {
                if flags.contains('g') {
                    replaced(line, plain, with)?
                } else {
                    line.replacen(plain, with, 1)
                }
            }
            _ => return Ok(None),
        }))
    };
    let mut text = String::new();
    for line in input.text.lines() {
        let Some(changed) = change(line)? else {
            return Ok(None);
        };
        text.push_str(&changed);
        text.push('\n');
        if text.len() > MAX_TEXT {
            return Err(TooLong);
        }
    }
    // What is put around unknown lines makes commands of them.
    let sources = if input.sources.is_empty() {
        Vec::new()
    } else {
        input.sources.clone()
    };
    Ok(Some(Output { text, sources }))
}

fn sed_script(args: &[Item]) -> Option<String> {
    let scripts = texts_of(args, &["-e", "--expression"]);
    match scripts.into_iter().next() {
        Some(script) => Some(script),
        None => args
            .get(first_operand(args, &["-e", "-f", "-i", "-l"]))?
            .text()
            .map(str::to_owned),
    }
}

/// Pattern, replacement and flags of `s/…/…/…`.
fn substitution(script: &str) -> Option<[&str; 3]> {
    let mut chars = script.strip_prefix('s')?.chars();
    let delimiter = chars.next()?;
    let mut pieces = chars.as_str().splitn(3, delimiter);
    Some([pieces.next()?, pieces.next()?, pieces.next()?])
}

/// `{print "text " $1}`: the text, with what is unknown in between.
fn awk(input: &Output, call: &ExpandedCommand) -> Option<Output> {
    let args = call.args();
    let program = args.get(first_operand(args, &["-F", "-v", "-f"]))?.text()?;
    let inside = program.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
    let printed = inside.strip_prefix("print")?.trim_end_matches(';');
    if printed.contains(['{', '}']) {
        return None;
    }
    let mut text = String::new();
    let mut pieces = printed.split('"');
    let mut literal = false;
    for piece in pieces.by_ref() {
        if literal {
            text.push_str(piece);
        } else if piece.contains('$') {
            text.push(UNKNOWN);
        }
        literal = !literal;
    }
    if !text.chars().any(|c| c != UNKNOWN) {
        return None;
    }
    text.push('\n');
    Some(Output {
        text,
        sources: input.sources.clone(),
    })
}
