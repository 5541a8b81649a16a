//! Code in languages that nobody reads here word by word. What they all share is looked for: a call that runs or
//! deletes, and the command or the path in its quotes.

use super::Interpreter;
use super::call::ExpandedCommand;
use super::known::{self, Names, base, could_harm};
use super::scope::Scope;
use super::value::{Content, Item, UNKNOWN};
use crate::invocation::Value;

/// Longer code is not looked at, and no more than this many pieces of it.
const MAX_CODE: usize = 16 * 1024;
const MAX_PIECES: usize = 64;
const MAX_COMMANDS: usize = 8;

/// Interpreters that take their program from the standard input.
#[rustfmt::skip]
fn reads_code(name: &str) -> bool {
    let versioned = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let plain = if matches!(name, "m4" | "r2" | "radare2" | "perl6") { name } else { versioned };
    matches!(
        plain,
        "ocaml" | "utop" | "runghc" | "runhaskell" | "ghci" | "gp" | "iex" | "elixir" | "erl" | "sbcl" | "clisp" | "ecl"
            | "guile" | "racket" | "scheme" | "chez" | "csi" | "gosh" | "mit-scheme" | "julia" | "R" | "octave" | "swift"
            | "scala" | "groovy" | "groovysh" | "jshell" | "kotlin" | "kotlinc" | "dc" | "bc" | "m4" | "gnuplot" | "maxima"
            | "swipl" | "gprolog" | "janet" | "fennel" | "raku" | "perl6" | "clojure" | "clj" | "bb" | "lein" | "nim"
            | "crystal" | "pike" | "newlisp" | "gforth" | "picolisp" | "pil" | "ftp" | "sftp" | "lftp" | "mail" | "mailx"
            | "gdb" | "lldb" | "r2" | "radare2" | "hy" | "io" | "factor" | "j" | "osascript" | "rpm" | "bpftrace" | "lua"
            | "luajit" | "Rscript" | "wolframscript" | "math" | "matlab" | "ed" | "mongo" | "mongosh"
    )
}

/// `stack ghci`, `lein repl`: a console by another program's command.
fn is_console(call: &ExpandedCommand) -> bool {
    let first = call.arg(0).and_then(Item::text).unwrap_or_default();
    matches!(
        first,
        "repl" | "console" | "ghci" | "shell" | "top" | "toplevel"
    )
}

/// Languages that are read word by word.
pub(super) fn is_parsed(name: &str) -> bool {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == 'w');
    name != "perl6"
        && matches!(
            plain,
            "python"
                | "pypy"
                | "ipython"
                | "node"
                | "nodejs"
                | "bun"
                | "deno"
                | "tsx"
                | "ts-node"
                | "ruby"
                | "jruby"
                | "irb"
                | "perl"
                | "php"
                | "tclsh"
                | "wish"
                | "expect"
                | "rails"
                | "manage.py"
                | "django-admin"
        )
}

/// Programs that take names of files, and code in some of their options.
pub(super) fn is_scriptable(name: &str) -> bool {
    SCRIPTABLE.has(name)
}

/// Editors, consoles of databases, and the like.
#[rustfmt::skip]
static SCRIPTABLE: Names = Names::new(&[
    "awk", "ed", "emacs", "emacsclient", "ex", "gawk", "gvim", "less", "mail", "mailx", "man", "mariadb", "mawk",
    "mutt", "mysql", "nvim", "psql", "rpm", "rvim", "sftp", "sqlite3", "vi", "view", "vim", "vimdiff",
]);

/// Follows what the code among a program's arguments runs, deletes and reads.
pub(super) fn follow(
    interpreter: &mut Interpreter<'_>,
    name: &str,
    call: &ExpandedCommand,
    scope: &mut Scope,
) {
    let mut codes: Vec<String> = Vec::new();
    for item in call.args() {
        let read = interpreter.readable(item, scope);
        let text = read.as_deref().unwrap_or_else(|| item.marked());
        if looks_like_code(text) || (text.as_bytes().contains(&b' ') && !escapes(text).is_empty()) {
            codes.push(text.to_owned());
        }
    }
    if let Some(input) = call
        .input
        .as_deref()
        .filter(|_| reads_code(name) || is_scriptable(name) || is_console(call))
    {
        codes.push(input.text.clone());
    }
    for code in codes.iter().take(MAX_COMMANDS) {
        if code.len() > MAX_CODE || !interpreter.pay(1 + code.len() / 32) {
            continue;
        }
        scan(interpreter, name, code, call, scope);
    }
}

fn looks_like_code(text: &str) -> bool {
    text.len() > 5
        && text.bytes().any(|it| matches!(it, b' ' | b'(' | b'['))
        && text.contains(['"', '\'', '(', '!', '{', '<', '[', '`', '\\', '.'])
}

fn scan(
    interpreter: &mut Interpreter<'_>,
    name: &str,
    code: &str,
    call: &ExpandedCommand,
    scope: &mut Scope,
) {
    let mut commands: Vec<Vec<Item>> = Vec::new();
    let mut texts = escapes(code);
    let pieces = pieces(code);
    let bare = without(&without(code, '"'), '\'');
    if runs(&bare) {
        for piece in &pieces {
            if is_command(piece) {
                texts.push(piece.clone());
            }
        }
        commands.extend(word_lists(&quoted(code, '"')));
        commands.extend(word_lists(&quoted(code, '\'')));
        commands.extend(named_program(&bare, &pieces));
    }
    // What stands in back quotes is a command in most of these languages.
    texts.extend(quoted(code, '`').into_iter().filter(|it| is_command(it)));
    // What stands in brackets by itself is a command in many languages.
    texts.extend(bracketed(code).into_iter().filter(|it| is_command(it)));
    if deletes(&bare) {
        commands.extend(deletion(code, &pieces));
    }
    if reads(&bare) {
        commands.extend(
            pieces
                .iter()
                .filter(|it| is_path(it))
                .take(MAX_COMMANDS)
                .map(|path| vec![Item::known("cat"), item(path)]),
        );
    }
    texts.dedup();
    if texts.is_empty() && commands.is_empty() {
        return;
    }
    let mut inner = interpreter.within(name, call, scope);
    for text in texts.iter().take(MAX_COMMANDS) {
        interpreter.nested(text, &inner, None);
    }
    for words in commands.into_iter().take(MAX_COMMANDS) {
        let command = ExpandedCommand::of(words, &inner);
        interpreter.call(command, &mut inner);
    }
}

/// Lines that a console gives to a shell: `!text`, `\! text`, `.shell text`, `shell text`.
fn escapes(code: &str) -> Vec<String> {
    let marks = [
        "~!",
        "\\!",
        "!!",
        "!",
        ".shell ",
        ".system ",
        "shell ",
        "platform shell ",
        "system ",
    ];
    code.split(['\n', ';'])
        .take(MAX_PIECES)
        .filter_map(|line| {
            let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '+' || c == ':');
            marks.iter().find_map(|mark| line.strip_prefix(mark))
        })
        .map(|text| text.trim().to_owned())
        .filter(|text| is_command(text))
        .collect()
}

fn is_command(text: &str) -> bool {
    text.trim_start()
        .split_once(char::is_whitespace)
        .is_some_and(|(program, rest)| could_harm(base(program)) && !rest.trim().is_empty())
}

/// Whether the code starts programs, by the names that languages have for it.
fn runs(code: &str) -> bool {
    let lower = code.to_ascii_lowercase();
    [
        "system",
        "exec",
        "shell",
        "spawn",
        "popen",
        "process",
        "cmd",
        "command",
        "run",
        "(sh ",
        "(! ",
        " sh(",
        "call",
        "qx",
        "getline",
        "program",
        "pipe",
        ".!",
        "subprocess",
        "launch",
        "source",
    ]
    .iter()
    .any(|it| lower.contains(it))
}

/// Whether the code deletes, by the names that languages have for it.
fn deletes(code: &str) -> bool {
    let squeezed: String = code
        .chars()
        .filter(|c| !matches!(c, '_' | '-' | '/' | '!' | ':' | '*'))
        .collect::<String>()
        .to_ascii_lowercase();
    [
        "rmrf",
        "rmtree",
        "rmdir",
        "removeall",
        "remove.all",
        "removetree",
        "deletetree",
        "deldir",
        "deletedir",
        "removedir",
        "deleterecursively",
        "removeitem",
        "removerecurse",
        "unlink",
        "deletefile",
        "removefile",
        "file.delete",
        "file.remove",
        "os.remove",
        "files.delete",
        "deletesync",
        "removepath",
        "deletefolder",
        "todelete",
        "deleteonexit",
        "rmsync",
        "recursiverm",
        "rmrecursive",
        "removerecursive",
        "deleterecursive",
        "fn.delete",
        "fs.delete",
        "fs.remove",
        "io.remove",
        "os.rm",
        "emptytrash",
        "removedirectory",
        "trash",
    ]
    .iter()
    .any(|it| squeezed.contains(it))
        || squeezed.contains(" to delete ")
}

fn reads(code: &str) -> bool {
    let lower = code.to_ascii_lowercase();
    [
        "read", "slurp", "open", "getline", "contents", ".text", "load", "include", "import",
        "cat(",
    ]
    .iter()
    .any(|it| lower.contains(it))
}

/// The paths that a deletion names, and the home where it is meant.
fn deletion(code: &str, pieces: &[String]) -> Option<Vec<Item>> {
    let lower = code.to_ascii_lowercase();
    let home = [
        "homedir",
        "home_dir",
        "dir.home",
        "os.home",
        "nshomedirectory",
        "user.home",
        "getenv(\"home\")",
        "env(\"home\")",
        "\"home\"",
        "env.home",
        "path.home",
        "of home",
        "empty trash",
        "empty the trash",
    ]
    .iter()
    .any(|it| lower.contains(it));
    let mut words = vec![Item::known("rm"), Item::known("-rf")];
    words.extend(
        pieces
            .iter()
            .filter(|it| is_path(it))
            .take(MAX_COMMANDS)
            .map(|it| item(it)),
    );
    if home {
        words.push(item("~"));
    }
    // CMake's lists stand without quotes.
    let bare = code
        .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"' | '\'' | ',' | ';'))
        .filter(|it| it.starts_with('/') && it.len() > 1);
    words.extend(bare.take(MAX_COMMANDS).map(item));
    (words.len() > 2).then_some(words)
}

fn is_path(text: &str) -> bool {
    !text.is_empty()
        && text.len() < 256
        && !text.contains(char::is_whitespace)
        && !text.contains("://")
        && (text.starts_with(['/', '~', '.', '$']) || text.contains('/') || text.contains('.'))
}

fn item(text: &str) -> Item {
    let value = if text.contains(UNKNOWN) {
        Value::Partly(text.to_owned())
    } else if text.starts_with(['~', '$']) || text.contains(['*', '?']) {
        Value::Pattern(text.to_owned())
    } else {
        Value::Known(text.to_owned())
    };
    Item::of(Content {
        value,
        sources: Vec::new(),
    })
}

/// Everything that stands in quotes of any kind.
fn pieces(code: &str) -> Vec<String> {
    ['"', '\'', '`']
        .into_iter()
        .flat_map(|quote| quoted(code, quote))
        .take(MAX_PIECES)
        .collect()
}

/// What stands between quotes of one kind, in order. The parts between are left out.
fn quoted(code: &str, quote: char) -> Vec<String> {
    let mut found = Vec::new();
    let mut current: Option<String> = None;
    let mut chars = code.chars();
    while let Some(c) = chars.next() {
        match &mut current {
            Some(text) if c == '\\' => text.extend(chars.next()),
            Some(_) if c == quote => found.extend(current.take()),
            Some(text) => text.push(c),
            None if c == quote => current = Some(String::new()),
            None => {}
        }
        if found.len() >= MAX_PIECES {
            break;
        }
    }
    found
}

/// The code without what stands between quotes of one kind; an odd quote is no quote.
fn without(code: &str, quote: char) -> String {
    let parts: Vec<&str> = code.split(quote).collect();
    if parts.len().is_multiple_of(2) {
        return code.to_owned();
    }
    let outside: Vec<&str> = parts.into_iter().step_by(2).collect();
    outside.join(" ")
}

/// What stands in brackets: `<rm -rf x>`, `(rm -rf x)`, `{rm -rf x}`.
fn bracketed(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (open, close) in [('<', '>'), ('(', ')'), ('{', '}'), ('|', '|'), ('[', ']')] {
        for (at, _) in code.match_indices(open).take(MAX_PIECES) {
            let rest = code.get(at + 1..).unwrap_or_default();
            if let Some((inside, _)) = rest.split_once(close) {
                let inside = inside.trim().trim_start_matches('[');
                // Lisp calls stand in brackets too, with names that are not these.
                if !inside.contains(['"', '\'']) {
                    found.push(inside.to_owned());
                }
            }
        }
    }
    found
}

/// `process(path(rm), ['-rf', '/x'])`: a program that deletes by its bare name, and the rest in quotes.
fn named_program(bare: &str, pieces: &[String]) -> Option<Vec<Item>> {
    let program = bare
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .find(|it| known::deletes(it))?;
    let words = pieces.iter().filter(|it| !it.contains(' ')).take(16);
    let words: Vec<Item> = std::iter::once(Item::known(program))
        .chain(words.map(|it| item(it)))
        .collect();
    (words.len() > 1).then_some(words)
}

/// `"rm" "-rf" "/x"`: the words of a command, each in quotes.
fn word_lists(quoted: &[String]) -> Vec<Vec<Item>> {
    quoted
        .iter()
        .enumerate()
        .filter(|(_, word)| could_harm(base(word)))
        .map(|(at, _)| quoted.iter().skip(at).take(16).map(|it| item(it)).collect())
        .filter(|words: &Vec<Item>| words.len() > 1)
        .take(MAX_COMMANDS)
        .collect()
}
