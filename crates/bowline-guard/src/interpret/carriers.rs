//! Commands in the words, options and settings of programs that nobody lists: an unknown wrapper's words, `-exec 'text'`,
//! `runner="text"`, a recipe behind `<( )`.
//!
//! A text counts as a command only if it begins with a program that could do harm; what it does is judged as ever.

use super::Interpreter;
use super::call::ExpandedCommand;
use super::foreign;
use super::known::{base, could_harm, deletes, is_common_verb, takes_names};
use super::scope::Scope;
use super::value::{Item, UNKNOWN};
use crate::invocation::Through;

/// At most this many words of a program are looked at, and this many commands of one run are followed.
const MAX_WORDS: usize = 64;
const MAX_COMMANDS: usize = 16;

/// The longest path of a program that counts, in a setting.
const MAX_PROGRAM: usize = 64;

impl Interpreter<'_> {
    /// Follows the commands that stand among an unlisted program's words.
    pub(super) fn carried(&mut self, name: &str, call: &ExpandedCommand, scope: &mut Scope) {
        if call.args().is_empty() && call.input.is_none() {
            return;
        }
        let names_only = takes_names(name);
        if !names_only && foreign::is_parsed(name) {
            return;
        }
        let mut texts = Vec::new();
        let follows = !names_only || matches!(name, "task" | "pre-commit");
        // Hardly any word is a command: the rest is only looked at then.
        if call.args().iter().any(|it| begins_a_command(it.marked())) {
            texts = settings(name, call.args());
            if follows {
                self.wrapped(name, call, scope);
                texts.extend(given_texts(name, call.args()));
            }
        }
        if follows {
            for item in call.args() {
                let text = self.readable(item, scope);
                texts.extend(text.map(|it| recipe(&it)).into_iter().flatten());
            }
        }
        texts.truncate(MAX_COMMANDS);
        if !texts.is_empty() {
            let inner = self.within(name, call, scope);
            for text in texts {
                self.nested(&text, &inner, None);
            }
        }
        if !names_only {
            self.cleared(name, call, scope);
        }
        if !names_only || foreign::is_scriptable(name) {
            foreign::follow(self, name, call, scope);
        }
    }

    /// The surroundings of what a program runs.
    pub(super) fn within(&mut self, name: &str, call: &ExpandedCommand, scope: &Scope) -> Scope {
        let mut inner = self.copy(scope);
        inner.through.clone_from(&call.through);
        inner.through.push(Through::Wrapper(name.to_owned()));
        inner.directory = call.directory.clone();
        inner
    }

    /// `bwrap … rm -rf x`: a command after the words of a wrapper that nobody lists.
    pub(super) fn wrapped(&mut self, name: &str, call: &ExpandedCommand, scope: &mut Scope) {
        if let Some(at) = command_at(call.args()) {
            let inner = call.inner(at + 1, Through::Wrapper(name.to_owned()));
            self.call(inner, scope);
        }
    }
}

/// Where a command begins among words of another program.
fn command_at(args: &[Item]) -> Option<usize> {
    // What stands after the dashes is the command, whatever is named before.
    let dashes = args.iter().position(|it| it.text() == Some("--"));
    if let Some(at) = dashes.map(|it| it + 1)
        && args.get(at).is_some_and(|it| could_harm(base(it.marked())))
    {
        return Some(at);
    }
    for (at, item) in args.iter().take(MAX_WORDS).enumerate() {
        let Some(text) = item.arg.text_or_pattern() else {
            continue;
        };
        let rest = args.get(at + 1..).unwrap_or_default();
        let before = at
            .checked_sub(1)
            .and_then(|it| args.get(it))
            .map_or("", Item::marked);
        // A name alone at the end does nothing.
        if could_harm(base(text)) && !rest.is_empty() && is_meant(text, before, rest) {
            return Some(at);
        }
        if names_things(text) && !args.iter().any(|it| it.text() == Some("--")) {
            return None;
        }
    }
    None
}

/// Whether a program is meant, and not a command of the wrapper's own that has its name.
fn is_meant(word: &str, before: &str, rest: &[Item]) -> bool {
    if word.contains('/') || !is_common_verb(word) || runs_next(before) {
        return true;
    }
    let next = rest.first().map_or("", Item::marked);
    match word {
        "shutdown" | "reboot" | "halt" | "poweroff" | "docker" | "node" => false,
        "cmd" => next.starts_with('/'),
        "git" => !next.starts_with("--"),
        "find" => rest
            .iter()
            .any(|it| matches!(it.marked(), "-delete" | "-exec" | "-execdir")),
        "dd" => next.contains('='),
        _ => {
            let option = next.starts_with('-') && !next.starts_with("--");
            option || next.starts_with(['/', '~', '.', '$'])
        }
    }
}

/// Words after which names of programs are only names.
fn names_things(word: &str) -> bool {
    matches!(
        word,
        "install"
            | "uninstall"
            | "add"
            | "remove"
            | "search"
            | "help"
            | "docs"
            | "doc"
            | "explain"
            | "info"
            | "list"
            | "use"
            | "which"
            | "where"
            | "upgrade"
            | "update"
            | "ask"
            | "config"
            | "set"
            | "get"
            | "completion"
            | "completions"
            | "init"
            | "enable"
            | "disable"
            | "describe"
            | "show"
            | "view"
            | "new"
            | "pull"
            | "lint"
            | "format"
            | "check"
    )
}

/// Texts that are given as one word, after an option or a word that says that they are run.
fn given_texts(name: &str, args: &[Item]) -> Vec<String> {
    let mut found = Vec::new();
    let mut before = name;
    for item in args.iter().take(MAX_WORDS) {
        let word = item.marked();
        let (option, text) = match word.split_once('=') {
            Some((option, text)) if option.starts_with('-') => (option, text),
            _ => (before, word),
        };
        let queued = matches!(name, "pueue" | "nq" | "tsp" | "sqs-run" | "batch");
        if (queued || runs_value(option) || runs_next(option)) && is_command(text) {
            found.push(text.to_owned());
        }
        before = word;
    }
    found
}

/// Options whose value is run. Letters alone have too many meanings to be left out.
fn runs_value(option: &str) -> bool {
    let Some(name) = option.strip_prefix('-') else {
        return false;
    };
    let part = |it: &str| {
        matches!(
            it,
            "exec" | "hook" | "cmd" | "command" | "shell" | "run" | "script"
        )
    };
    name.starts_with('-') && name.split('-').any(part)
        || matches!(
            name,
            "c" | "e"
                | "x"
                | "r"
                | "s"
                | "z"
                | "C"
                | "E"
                | "X"
                | "-run"
                | "-exec"
                | "-eval"
                | "-prepare"
                | "-do"
                | "-then"
                | "-after"
                | "-before"
                | "-pre"
                | "-post"
                | "-script"
                | "-on-change"
                | "-on-error"
                | "-on-success"
                | "-setup"
                | "-cleanup"
                | "-conclude"
                | "-init"
                | "-start"
        )
}

/// Words after which a command comes as one text.
fn runs_next(word: &str) -> bool {
    let last = word.rsplit([':', '/']).next().unwrap_or(word);
    matches!(
        last,
        "exec"
            | "run"
            | "command"
            | "cmd"
            | "shell"
            | "ssh"
            | "--"
            | "x"
            | "call"
            | "do"
            | "spawn"
            | "start"
            | "pee"
            | "mispipe"
    )
}

/// Whether a text is a command line that begins with a program worth following.
pub(super) fn is_command(text: &str) -> bool {
    text.len() < 4096
        && text
            .trim_start()
            .split_once(char::is_whitespace)
            .is_some_and(|(program, rest)| could_harm(base(program)) && !rest.trim().is_empty())
}

/// Options and settings that name a command: `--run_under=…`, `-Dexec.executable=…`, `target.x.runner="…"`.
fn settings(name: &str, args: &[Item]) -> Vec<String> {
    let mut found = Vec::new();
    let mut before = "";
    for item in args.iter().take(MAX_WORDS) {
        let word = item.marked();
        // `--editor=text`, or `--editor text` and `npm config set script-shell text`.
        let (key, value) = word.split_once('=').unwrap_or((before, word));
        before = word;
        if carries(name, key) {
            found.extend(setting(key, value, args));
        }
    }
    found
}

/// Whether the first word of a word or of its value, in quotes or in a list, is a program worth following.
fn begins_a_command(word: &str) -> bool {
    let value = word.split_once('=').map_or(word, |(_, value)| value);
    let begins =
        |byte: &u8| byte.is_ascii_lowercase() || matches!(byte, b'/' | b'[' | b'"' | b'\'');
    if !value.as_bytes().first().is_some_and(begins) {
        return false;
    }
    let value = value.trim_start_matches(['[', '"', '\'']);
    let bytes = value.as_bytes();
    let end = bytes
        .iter()
        .take(MAX_PROGRAM)
        .position(|it| matches!(it, b' ' | b'"' | b'\'' | b',' | b']' | b'\t' | b'\n'));
    let end = end.unwrap_or(bytes.len());
    end <= MAX_PROGRAM && could_harm(base(value.get(..end).unwrap_or_default()))
}

/// Whether an option or a setting holds a command of one's own.
pub(super) fn carries(program: &str, key: &str) -> bool {
    let key = key.trim_start_matches('-');
    if program == "tcpdump" && key == "z" {
        return true;
    }
    if key.len() < 2 || key.len() > 80 || matches!(program, "git" | "hub") {
        return false;
    }
    key.split(['.', '_', '-', ':']).any(is_carrier)
        || matches!(
            key,
            "CC" | "CXX" | "LD" | "AR" | "AS" | "MAKE" | "CPP" | "SHELL"
        )
}

/// Words in the names of options and settings that hold a command.
fn is_carrier(part: &str) -> bool {
    matches!(
        part.to_ascii_lowercase().as_str(),
        "exec"
            | "toolexec"
            | "vettool"
            | "under"
            | "runner"
            | "wrapper"
            | "shell"
            | "executable"
            | "command"
            | "commands"
            | "cmd"
            | "cmds"
            | "editor"
            | "pager"
            | "askpass"
            | "launcher"
            | "hook"
            | "prog"
            | "program"
            | "rsh"
            | "browser"
            | "viewer"
            | "opener"
            | "postrotate"
            | "onoutofmemoryerror"
            | "onerror"
            | "entrypoint"
            | "interpreter"
            | "scripts"
    )
}

/// The command of a setting, as a shell would have to be given it.
pub(super) fn setting(key: &str, value: &str, args: &[Item]) -> Option<String> {
    let value = listed(value).unwrap_or_else(|| unquoted(value).to_owned());
    let mut words = value.split_whitespace();
    let program = base(words.next()?);
    if !could_harm(program) {
        return None;
    }
    // Maven keeps the words of the command in a setting of their own.
    if let Some(prefix) = key.strip_suffix("executable") {
        let rest = args.iter().find_map(|item| {
            let (name, value) = item.marked().split_once('=')?;
            let part = name.strip_prefix(prefix)?;
            matches!(part, "args" | "arguments").then_some(value)
        })?;
        return Some(format!("{value} {rest}"));
    }
    if matches!(
        program,
        "env" | "sudo" | "doas" | "nohup" | "timeout" | "xargs"
    ) {
        // Whoever starts it adds a program that it has built itself.
        return Some(format!("{value} ./{UNKNOWN}"));
    }
    if words.next().is_some() {
        return Some(value);
    }
    // Whoever starts it adds words of his own.
    deletes(program).then(|| format!("{value} {UNKNOWN}"))
}

/// `["sh", "-c", "text"]` as words of a shell.
fn listed(value: &str) -> Option<String> {
    let inside = value.trim().strip_prefix('[')?.strip_suffix(']')?;
    // A list of whole commands.
    let texts: Vec<&str> = inside.split(',').map(unquoted).collect();
    if texts.first().is_some_and(|it| it.contains(' ')) {
        return Some(texts.join("; "));
    }
    let words: Vec<String> = inside
        .split(',')
        .map(|word| format!("'{}'", unquoted(word).replace('\'', "'\\''")))
        .collect();
    Some(words.join(" "))
}

fn unquoted(value: &str) -> &str {
    let value = value.trim();
    ['"', '\'']
        .iter()
        .find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(value)
}

/// The commands of a build file, a pipeline or a settings file: what stands in a line after its mark.
pub(super) fn recipe(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines().take(256) {
        let line = line.trim().trim_end_matches([',', ']', '}']);
        // `- run: text`, `command = text`, `"name": "text"`, `x: text`, `@text`.
        let pieces = [
            Some(line),
            line.split_once(": ").map(|(_, rest)| rest),
            line.split_once(':').map(|(_, rest)| rest),
            line.split_once('=').map(|(_, rest)| rest),
            line.rsplit_once(": ").map(|(_, rest)| rest),
            line.rsplit_once(":\"").map(|(_, rest)| rest),
            line.split_once(';').map(|(_, rest)| rest),
        ];
        let quoted = line.split('"').filter(|_| line.contains("\":"));
        for piece in pieces.into_iter().flatten().chain(quoted) {
            let command = unquoted(piece.trim().trim_start_matches(['-', '@', '+', '!', ' ']));
            let command = command.trim_matches(['"', '\'']);
            let command = command.replace("$(HOME)", "$HOME").replace("$$", "$");
            if is_command(&command) && !found.contains(&command) {
                found.push(command);
            }
        }
        if found.len() >= MAX_COMMANDS {
            break;
        }
    }
    found
}
