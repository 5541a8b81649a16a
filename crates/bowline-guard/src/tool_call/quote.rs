//! How reasons quote a command or a name.

use crate::invocation::{Invocation, Opening, Through};
use crate::lookalikes;
use crate::secrets::redact;

/// A command is quoted in a reason up to this many characters.
const MAX_QUOTED: usize = 120;

/// The command line of a run, as it was written.
pub(super) fn quoted(run: &Invocation) -> String {
    // The program that does the same is nowhere in the text.
    if let Some(Through::Wrapper(language)) = run.through.last()
        && is_language(language)
    {
        return format!("the {language} code");
    }
    let program = run.program.as_deref().unwrap_or("an unknown program");
    let args = run.args.iter().map(|it| it.source.as_str());
    let written = run.opened.iter().filter(|it| it.how == Opening::Overwrite);
    let written = written.map(|it| it.file.source.as_str());
    let written = written.filter(|it| *it != "/dev/null");
    let words = [program].into_iter().chain(args);
    let words = words.chain(written.flat_map(|it| [">", it]));
    let mut line = String::new();
    for word in words {
        line.push_str(if line.is_empty() { "" } else { " " });
        line.push_str(word);
        if line.len() > 4 * MAX_QUOTED {
            break;
        }
    }
    // `> FILE` without a program.
    let line = line
        .strip_prefix(": >")
        .map(|it| format!(">{it}"))
        .unwrap_or(line);
    format!("`{}`", shortened(&line))
}

/// Whether code of this program is read, and told as programs that do the same.
fn is_language(program: &str) -> bool {
    matches!(
        program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'),
        "python"
            | "pypy"
            | "ipython"
            | "perl"
            | "ruby"
            | "node"
            | "nodejs"
            | "deno"
            | "bun"
            | "php"
            | "lua"
            | "tclsh"
    )
}

/// A text as a reason quotes it: without secrets, in one line, and not longer than a person reads.
pub fn shortened(text: &str) -> String {
    // Secrets are known by their whole length, so they go before the text is cut.
    let text = redact(text);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

pub(super) fn presentable(text: &str) -> String {
    lookalikes::escape(&redact(text))
}
