//! Where in a shell text deceptive characters matter: in names, not in prose.

use crate::invocation::{Arg, Invocation, Value};
use crate::shell::{self, RedirectTarget, Understanding};

use super::characters::{is_odd_dash, is_odd_space};
use super::{
    Finding, Kind, control, escaped, find, finding, is_plain, open_direction, strictly_imitating,
};

/// Looks for characters that deceive in a shell text, where they matter. `invocations` are what the text
/// would run, so that nested texts are seen, too.
pub fn find_in_command(
    text: &str,
    invocations: &[Invocation],
    understanding: &Understanding,
) -> Option<Finding> {
    if is_plain(text) {
        return None;
    }
    let whole = control(text).or_else(|| text.lines().find_map(open_direction));
    let line = shell::parse(text);
    let unread = (line.understanding != Understanding::Clean
        || *understanding != Understanding::Clean)
        .then(|| text.split(|c: char| c.is_ascii_whitespace() || "\"'`;|&()<>".contains(c)));
    whole
        .or_else(|| line.commands.iter().find_map(in_simple_command))
        .or_else(|| invocations.iter().find_map(in_invocation))
        .or_else(|| unread.into_iter().flatten().find_map(find))
}

fn in_simple_command(command: &shell::SimpleCommand) -> Option<Finding> {
    let program = command
        .words
        .first()
        .and_then(|word| word.literal.as_deref());
    let words = command.words.iter().skip(1).map(|word| Written {
        source: &word.source,
        value: word.literal.as_deref(),
    });
    let files = command
        .redirects
        .iter()
        .filter_map(|redirect| match &redirect.target {
            RedirectTarget::Word(word) => Some(Written {
                source: &word.source,
                value: word.literal.as_deref(),
            }),
            RedirectTarget::HereDocument { .. } => None,
        });
    program
        .and_then(in_program)
        .or_else(|| {
            command
                .words
                .first()
                .and_then(|word| bare_separator(&word.source))
        })
        .or_else(|| in_arguments(program.unwrap_or_default(), words))
        .or_else(|| files.into_iter().find_map(|file| find(file.value?)))
}

fn in_invocation(invocation: &Invocation) -> Option<Finding> {
    let program = invocation.program.as_deref();
    let words = invocation.args.iter().map(Written::from);
    let mut files = invocation
        .opened
        .iter()
        .map(|opened| Written::from(&opened.file));
    program
        .and_then(in_program)
        .or_else(|| in_arguments(program.unwrap_or_default(), words))
        .or_else(|| files.find_map(|file| find(file.value?)))
}

fn in_program(name: &str) -> Option<Finding> {
    find(name).or_else(|| strictly_imitating(name))
}

/// An argument as written and as far as it is known.
struct Written<'text> {
    source: &'text str,
    value: Option<&'text str>,
}

impl<'text> From<&'text Arg> for Written<'text> {
    fn from(arg: &'text Arg) -> Self {
        let value = match &arg.value {
            Value::Known(text) | Value::Pattern(text) | Value::Partly(text) => Some(text.as_str()),
            Value::Unknown => None,
        };
        Self {
            source: &arg.source,
            value,
        }
    }
}

/// Programs whose quoted arguments are texts, patterns or code.
#[rustfmt::skip]
const TEXT_PROGRAMS: &[&str] = &[
    "echo", "printf", "grep", "egrep", "fgrep", "rg", "ag", "ack", "sed", "gsed", "awk", "gawk",
    "mawk", "tr", "jq", "yq", "perl", "python", "python3", "ruby", "node", "php", "say",
    "notify-send", "osascript", "claude", "llm", "test", "[", "[[", "expr", "psql", "mysql",
    "sqlite3", "mongosh", "redis-cli", "banner", "figlet", "wall", "write", "logger", "mail",
];

/// Options whose value is prose.
#[rustfmt::skip]
const PROSE_OPTIONS: &[&str] = &[
    "-m", "-am", "--message", "--title", "--body", "--notes", "--subject", "--description",
    "--data", "--data-raw", "--data-binary", "--json", "--comment", "--text", "--prompt",
    "--eval", "--grep", "--author", "--trailer", "--label", "--search", "-H", "--header",
];

/// What an argument is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It names something: a file, an option, an address.
    Name,
    /// It is text for people or for other programs.
    Prose,
}

fn in_arguments<'text>(
    program: &str,
    words: impl Iterator<Item = Written<'text>>,
) -> Option<Finding> {
    let mut previous = "";
    for word in words {
        let value = word.value.unwrap_or(word.source);
        if !is_plain(value) {
            let found = in_argument(program, word.source, value, previous);
            if found.is_some() {
                return found;
            }
        }
        previous = value;
    }
    None
}

fn in_argument(program: &str, source: &str, value: &str, previous: &str) -> Option<Finding> {
    let (option, value, previous) = match value.split_once('=') {
        Some((option, value)) if option.starts_with('-') => (option, value, option),
        _ => ("", value, previous),
    };
    find(option).or_else(|| match role(program, source, value, previous) {
        Role::Name => find(value).or_else(|| bare_separator(source)),
        Role::Prose => open_direction(value),
    })
}

fn role(program: &str, source: &str, value: &str, previous: &str) -> Role {
    let has_blank = value.contains(|c: char| c.is_ascii_whitespace());
    let is_path = value.starts_with(['/', '~', '.']) || value.contains("://");
    if !source.contains(['"', '\'']) {
        Role::Name
    } else if PROSE_OPTIONS.contains(&previous) {
        Role::Prose
    } else if TEXT_PROGRAMS.contains(&program) {
        if is_path && !has_blank {
            Role::Name
        } else {
            Role::Prose
        }
    } else if has_blank && !is_path {
        Role::Prose
    } else {
        Role::Name
    }
}

/// A space that does not divide, or a dash that does not begin an option, outside quotes.
fn bare_separator(source: &str) -> Option<Finding> {
    if source.contains(['"', '\'', '\\']) {
        return None;
    }
    if let Some(c) = source.chars().find(|c| is_odd_space(*c)) {
        let what = format!(
            "has a space that does not divide words for the shell ({})",
            escaped(c)
        );
        return Some(finding(Kind::Separator, source, what));
    }
    let mut characters = source.chars();
    let dash = characters.next().filter(|c| is_odd_dash(*c))?;
    let option = characters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '-' || is_odd_dash(c));
    option.then(|| {
        let what = format!(
            "begins with a dash that is no option's dash ({})",
            escaped(dash)
        );
        finding(Kind::Separator, source, what)
    })
}
