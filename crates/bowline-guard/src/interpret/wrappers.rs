//! Programs that run the command which they are given.

use super::Interpreter;
use super::call::Call;
use super::options::{first_operand, texts_of};
use super::scope::Scope;
use super::value::{Item, Output};
use crate::invocation::{Directory, Through, Value};

/// How a wrapper's own words end and the command's begin.
struct Wrapper {
    names: &'static [&'static str],
    /// Options that take the next word.
    with_value: &'static [&'static str],
    /// Words of its own before the command, such as a duration.
    operands: usize,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Privilege,
    Plain,
    /// Which of its options take a value is not known for sure: both readings are followed.
    Uncertain,
}

const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: &[
            "sudo", "doas", "pkexec", "gosu", "su-exec", "please", "run0", "sudo-rs",
        ],
        with_value: &[
            "-u",
            "--user",
            "-g",
            "--group",
            "-p",
            "--prompt",
            "-C",
            "--close-from",
            "-D",
            "--chdir",
            "-h",
            "--host",
            "-r",
            "--role",
            "-t",
            "--type",
            "-T",
            "-U",
            "-R",
            "--chroot",
            "-a",
        ],
        operands: 0,
        kind: Kind::Privilege,
    },
    Wrapper {
        names: &["timeout", "gtimeout"],
        with_value: &["-s", "--signal", "-k", "--kill-after"],
        operands: 1,
        kind: Kind::Plain,
    },
    Wrapper {
        names: &["nice", "gnice"],
        with_value: &["-n", "--adjustment"],
        operands: 0,
        kind: Kind::Plain,
    },
    Wrapper {
        names: &["ionice"],
        with_value: &["-c", "--class", "-n", "--classdata"],
        operands: 0,
        kind: Kind::Plain,
    },
    Wrapper {
        names: &["chrt"],
        with_value: &["-T", "-P", "-D"],
        operands: 1,
        kind: Kind::Plain,
    },
    Wrapper {
        names: &["taskset", "setarch", "cset"],
        with_value: &[],
        operands: 1,
        kind: Kind::Plain,
    },
    Wrapper {
        names: &["stdbuf", "gstdbuf"],
        with_value: &["-i", "--input", "-o", "--output", "-e", "--error"],
        operands: 0,
        kind: Kind::Plain,
    },
    Wrapper {
        names: &["time", "gtime"],
        with_value: &["-f", "--format", "-o", "--output"],
        operands: 0,
        kind: Kind::Plain,
    },
    Wrapper {
        names: &["strace", "ltrace", "dtruss", "perf-trace"],
        with_value: &[
            "-e", "-o", "-p", "-s", "-u", "-a", "-E", "-I", "-O", "-S", "-P", "-l", "-n", "-x",
            "-X",
        ],
        operands: 0,
        kind: Kind::Plain,
    },
    Wrapper {
        names: &["nsenter"],
        with_value: &["-t", "--target", "-S", "--setuid", "-G", "--setgid"],
        operands: 0,
        kind: Kind::Plain,
    },
    Wrapper {
        names: &["exec"],
        with_value: &["-a"],
        operands: 0,
        kind: Kind::Plain,
    },
    Wrapper {
        names: &[
            "nohup",
            "setsid",
            "unbuffer",
            "builtin",
            "noglob",
            "nocorrect",
            "fakeroot",
            "caffeinate",
            "eatmydata",
            "dbus-run-session",
            "xvfb-run",
            "rlwrap",
            "torsocks",
            "proxychains",
            "proxychains4",
            "firejail",
            "setpriv",
            "prlimit",
            "catchsegv",
            "valgrind",
            "unshare",
            "systemd-inhibit",
            "busybox",
            "toybox",
            "chronic",
            "ts",
            "softlimit",
            "trickle",
            "cpulimit",
            "numactl",
            "hyperfine",
            "retry",
            "with-lock-ex",
            "isolate",
            "coproc",
            "cross-env",
            "dotenv",
            "env-cmd",
            "ccache",
            "scl",
            "chroot",
            "cgexec",
            "faketime",
            "lockf",
            "dbus-launch",
            "ssh-agent",
            "tini",
            "dumb-init",
            "catatonit",
            "s6-setuidgid",
            "setuidgid",
            "aa-exec",
        ],
        with_value: &[
            "-p", "-n", "-s", "-m", "-l", "-g", "-u", "-t", "--target", "--setuid", "--reuid",
            "--regid", "-w", "-S", "-G", "--wd", "--root", "-e", "-f", "--runs", "--warmup",
        ],
        operands: 0,
        kind: Kind::Uncertain,
    },
];

/// Wrappers that take words before the command.
const OPERANDS: &[(&str, usize)] = &[
    ("chroot", 1),
    ("faketime", 1),
    ("with-lock-ex", 1),
    ("lockf", 1),
    ("s6-setuidgid", 1),
    ("setuidgid", 1),
    ("scl", 1),
    ("gosu", 1),
    ("su-exec", 1),
];

/// Wrappers whose `-p`, `-e`, … take no value.
const NO_VALUES: &[&str] = &[
    "unbuffer",
    "nohup",
    "builtin",
    "setsid",
    "busybox",
    "toybox",
    "dotenv",
    "ssh-agent",
    "fakeroot",
    "coproc",
    "unshare",
    "hyperfine",
    "firejail",
    "torsocks",
    "eatmydata",
];

/// Sees through a wrapper; `None` if it is none.
pub(super) fn unwrap(
    interpreter: &mut Interpreter<'_>,
    name: &str,
    call: &Call,
    scope: &mut Scope,
) -> Option<Output> {
    match name {
        "command" => return Some(command(interpreter, call, scope)),
        "env" | "genv" => return Some(env(interpreter, call, scope)),
        "su" | "runuser" | "sg" | "newgrp" => {
            return Some(substitute_user(interpreter, call, scope));
        }
        "coreutils" | "gcoreutils" => return coreutils(interpreter, call, scope),
        "script" | "nix-shell" | "flock" | "nix" | "guix" | "screen" | "tmux" | "watch"
        | "entr" | "systemd-run" | "expect" | "dtach" | "abduco" | "zellij" => {
            return text_taker(interpreter, name, call, scope);
        }
        _ => {}
    }
    if let Some(output) = runner(interpreter, name, call, scope) {
        return Some(output);
    }
    let wrapper = WRAPPERS
        .iter()
        .find(|wrapper| wrapper.names.contains(&name))?;
    let with_value = if NO_VALUES.contains(&name) {
        &[]
    } else {
        wrapper.with_value
    };
    let args = call.args();
    let mut skip = first_operand(args, with_value);
    let operands = OPERANDS
        .iter()
        .find(|(it, _)| *it == name)
        .map_or(wrapper.operands, |(_, count)| *count);
    skip += operands;
    if wrapper.kind == Kind::Uncertain {
        let other = first_operand(args, &[]) + operands;
        if other != skip {
            interpreter.call(call.inner(other + 1, through(name, wrapper.kind)), scope);
        }
    }
    let mut inner = call.inner(skip + 1, through(name, wrapper.kind));
    take_assignments(&mut inner);
    if name == "sudo" {
        change_directory(
            interpreter,
            &mut inner,
            &texts_of(args, &["-D", "--chdir"]),
            scope,
        );
    }
    if inner.words.is_empty() {
        // `sudo -i`, `exec 3>&1`: nothing to see through.
        interpreter.emit_call(call, scope);
        return Some(Output::nothing());
    }
    Some(interpreter.call(inner, scope))
}

fn through(name: &str, kind: Kind) -> Through {
    match kind {
        Kind::Privilege => Through::Privilege,
        Kind::Plain | Kind::Uncertain => Through::Wrapper(name.to_owned()),
    }
}

/// `NAME=value` words before a command, as `sudo` and `env` take them.
fn take_assignments(call: &mut Call) {
    while let Some(item) = call.words.first() {
        let text = item.marked();
        let Some((name, value)) = text.split_once('=') else {
            return;
        };
        let named = !name.is_empty() && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
        if !named {
            return;
        }
        let value = match &item.arg.value {
            Value::Known(_) => Value::Known(value.to_owned()),
            Value::Pattern(_) => Value::Pattern(value.to_owned()),
            Value::Partly(_) | Value::Unknown => Value::Unknown,
        };
        call.environment.push((name.to_owned(), value));
        call.words.remove(0);
    }
}

fn change_directory(
    interpreter: &mut Interpreter<'_>,
    call: &mut Call,
    to: &[String],
    scope: &Scope,
) {
    if let Some(directory) = to.last() {
        call.directory = interpreter.directory_of(Some(&Item::known(directory.clone())), scope);
    }
}

/// `command -v name` only asks.
fn command(interpreter: &mut Interpreter<'_>, call: &Call, scope: &mut Scope) -> Output {
    let asks = call
        .args()
        .iter()
        .filter_map(Item::text)
        .take_while(|it| it.starts_with('-'))
        .any(|it| it.contains(['v', 'V']));
    if asks {
        interpreter.emit_call(call, scope);
        return super::flow::output_of(interpreter, "command", call, scope);
    }
    let skip = first_operand(call.args(), &[]);
    let inner = call.inner(skip + 1, Through::Wrapper("command".to_owned()));
    // Neither functions nor aliases are looked at.
    let mut plain = interpreter.copy(scope);
    plain.functions.clear();
    plain.aliases.clear();
    let output = interpreter.call(inner, &mut plain);
    scope.directory = plain.directory;
    output
}

fn env(interpreter: &mut Interpreter<'_>, call: &Call, scope: &mut Scope) -> Output {
    let args = call.args();
    let with_value = [
        "-u",
        "--unset",
        "-C",
        "--chdir",
        "-S",
        "--split-string",
        "-a",
        "--argv0",
    ];
    let through = || Through::Wrapper("env".to_owned());
    let texts = texts_of(args, &["-S", "--split-string", "-vS", "-iS"]);
    if let Some(text) = texts.first() {
        let at = args
            .iter()
            .position(|item| item.marked().contains(text.as_str()))
            .unwrap_or(args.len());
        let rest: Vec<String> = args
            .get(at + 1..)
            .unwrap_or_default()
            .iter()
            .map(|it| it.marked().to_owned())
            .collect();
        let whole = format!("{text} {}", rest.join(" "));
        let mut inner = interpreter.copy(scope);
        inner.through.push(through());
        return interpreter.nested(&whole, &inner, call.input.clone());
    }
    let skip = first_operand(args, &with_value);
    let mut inner = call.inner(skip + 1, through());
    take_assignments(&mut inner);
    let to = texts_of(args.get(..skip).unwrap_or_default(), &["-C", "--chdir"]);
    change_directory(interpreter, &mut inner, &to, scope);
    if inner.words.is_empty() {
        interpreter.emit_call(call, scope);
        return Output::unknown(vec![call.source()]);
    }
    let previous = std::mem::replace(&mut scope.directory, inner.directory.clone());
    let output = interpreter.call(inner, scope);
    scope.directory = previous;
    output
}

/// `su - user -c 'text'`, `runuser -u user -- command`.
fn substitute_user(interpreter: &mut Interpreter<'_>, call: &Call, scope: &mut Scope) -> Output {
    let args = call.args();
    let texts = texts_of(args, &["-c", "--command", "--session-command"]);
    if let Some(text) = texts.first().cloned().or_else(|| cluster_text(args, 'c')) {
        let mut inner = interpreter.copy(scope);
        inner.through = call.through.clone();
        inner.through.push(Through::Privilege);
        return interpreter.nested(&text, &inner, call.input.clone());
    }
    if let Some(dashes) = args.iter().position(|item| item.text() == Some("--")) {
        return interpreter.call(call.inner(dashes + 2, Through::Privilege), scope);
    }
    if call.program().as_deref() == Some("runuser") {
        let skip = first_operand(args, &["-u", "--user", "-g", "-G", "-s"]);
        return interpreter.call(call.inner(skip + 1, Through::Privilege), scope);
    }
    if call.input.is_some() {
        return interpreter.standard_input_script(call, scope);
    }
    interpreter.emit_call(call, scope);
    Output::nothing()
}

/// The word after a cluster that ends with this letter: `-lc text`.
pub(super) fn cluster_text(args: &[Item], letter: char) -> Option<String> {
    let at = args.iter().position(|item| {
        item.text().is_some_and(|text| {
            text.starts_with('-') && !text.starts_with("--") && text.ends_with(letter)
        })
    })?;
    args.get(at + 1).map(|item| item.marked().to_owned())
}

fn coreutils(interpreter: &mut Interpreter<'_>, call: &Call, scope: &mut Scope) -> Option<Output> {
    let texts = texts_of(
        call.args(),
        &["--coreutils-prog", "--coreutils-prog-shebang"],
    );
    let through = Through::Wrapper("coreutils".to_owned());
    let inner = match texts.first() {
        Some(program) => {
            let mut words = vec![Item::known(program.clone())];
            words.extend(
                call.args()
                    .iter()
                    .filter(|it| !it.marked().starts_with("--coreutils-prog"))
                    .cloned(),
            );
            call.with_words(words, through)
        }
        None => call.inner(1, through),
    };
    Some(interpreter.call(inner, scope))
}

/// Wrappers that take a text for a shell, or words that they join to one.
fn text_taker(
    interpreter: &mut Interpreter<'_>,
    name: &str,
    call: &Call,
    scope: &mut Scope,
) -> Option<Output> {
    let args = call.args();
    let (texts, with_value): (&[&str], &[&str]) = match name {
        "script" => (&["-c", "--command"], &["-t", "-T", "-B", "-I", "-O", "-E"]),
        "nix-shell" => (&["--run", "--command"], &["-p", "--packages", "-A", "-I"]),
        "flock" => (&["-c", "--command"], &["-w", "--timeout", "-E"]),
        "watch" => (&[], &["-n", "--interval", "-s"]),
        "entr" => (&[], &[]),
        "expect" => (&["-c"], &[]),
        "nix" | "guix" => (&["-c", "--command"], &[]),
        "systemd-run" => (
            &[],
            &[
                "-u",
                "--unit",
                "-p",
                "--property",
                "-t",
                "--uid",
                "--gid",
                "-E",
                "--setenv",
                "--on-active",
                "--on-calendar",
                "-M",
                "--slice",
                "--description",
                "--on-boot",
            ],
        ),
        _ => (
            &[],
            &[
                "-S", "-t", "-s", "-c", "-n", "-x", "-y", "-L", "-f", "-e", "-p", "-T", "-h",
            ],
        ),
    };
    let mut inner = interpreter.copy(scope);
    inner.through = call.through.clone();
    inner.through.push(Through::Wrapper(name.to_owned()));
    if let Some(text) = texts_of(args, texts).first().cloned().or_else(|| {
        (name == "script" || name == "flock")
            .then(|| cluster_text(args, 'c'))
            .flatten()
    }) {
        if matches!(name, "nix" | "guix") {
            let at = args
                .iter()
                .position(|it| texts.contains(&it.marked()))
                .unwrap_or(0);
            return Some(
                interpreter.call(call.inner(at + 2, Through::Wrapper(name.to_owned())), scope),
            );
        }
        return Some(interpreter.nested(&text, &inner, call.input.clone()));
    }
    let mut skip = first_operand(args, with_value);
    match name {
        "flock" => skip += 1,
        "script" | "expect" | "nix-shell" | "nix" | "guix" => {
            interpreter.emit_call(call, scope);
            return Some(Output::nothing());
        }
        "tmux" | "zellij" | "screen" | "dtach" | "abduco" => {
            return Some(terminal(interpreter, name, call, &inner, scope));
        }
        _ => {}
    }
    let rest = args.get(skip..).unwrap_or_default();
    if rest.is_empty() {
        interpreter.emit_call(call, scope);
        return Some(Output::nothing());
    }
    if name == "watch" {
        let text = rest.iter().map(Item::marked).collect::<Vec<_>>().join(" ");
        return Some(interpreter.nested(&text, &inner, None));
    }
    Some(interpreter.call(
        call.inner(skip + 1, Through::Wrapper(name.to_owned())),
        scope,
    ))
}

/// Terminal multiplexers: every word that holds a blank may be a command, and so may the words at the end.
fn terminal(
    interpreter: &mut Interpreter<'_>,
    name: &str,
    call: &Call,
    inner: &Scope,
    scope: &mut Scope,
) -> Output {
    interpreter.emit_call(call, scope);
    let args = call.args();
    for item in args.iter().filter(|item| item.marked().contains(' ')) {
        let text = item.marked().to_owned();
        interpreter.nested(&text, inner, None);
    }
    let start = match name {
        "screen" | "dtach" | "abduco" => first_operand(
            args,
            &[
                "-S", "-t", "-s", "-c", "-h", "-p", "-T", "-A", "-n", "-e", "-E",
            ],
        ),
        _ => {
            let flags = [
                "-s", "-n", "-c", "-t", "-x", "-y", "-L", "-f", "-e", "-F", "-l",
            ];
            let at = first_operand(args, &flags) + 1;
            at + first_operand(args.get(at..).unwrap_or_default(), &flags)
        }
    };
    let words = args.get(start..).unwrap_or_default();
    if let [only] = words
        && !only.marked().contains(' ')
    {
        let text = only.marked().to_owned();
        interpreter.nested(&text, inner, None);
    }
    if words.len() > 1 {
        interpreter.call(
            call.inner(start + 1, Through::Wrapper(name.to_owned())),
            scope,
        );
    }
    Output::nothing()
}

/// Package and environment runners: `npx`, `poetry run`, `aws-vault exec profile --`.
fn runner(
    interpreter: &mut Interpreter<'_>,
    name: &str,
    call: &Call,
    scope: &mut Scope,
) -> Option<Output> {
    let verbs: &[&str] = match name {
        "npx" | "bunx" | "pnpx" | "uvx" => &[],
        "npm" | "pnpm" | "yarn" | "bun" => &["exec", "dlx", "x"],
        "poetry" | "pipenv" | "pdm" | "hatch" | "rye" | "uv" | "conda" | "mamba" | "pixi"
        | "doppler" | "op" | "infisical" | "dotenvx" | "pipx" | "micromamba" | "nvm" => {
            &["run", "exec"]
        }
        "bundle" | "composer" | "mise" | "direnv" | "aws-vault" | "asdf" | "rbenv" | "pyenv"
        | "volta" | "chamber" | "lerna" | "rush" | "fnm" | "saml2aws" | "vault" | "sops"
        | "teller" | "lando" | "ddev" | "rtx" | "stack" | "cabal" | "opam" => {
            &["exec", "x", "exec-env", "run"]
        }
        "fab" | "granted" | "assume" => &["--"],
        _ => return None,
    };
    let args = call.args();
    let texts = match name {
        "npx" | "npm" | "pnpm" | "yarn" => texts_of(args, &["-c", "--call", "--shell-mode"]),
        _ => Vec::new(),
    };
    interpreter.emit_call(call, scope);
    if let Some(text) = texts.first() {
        let mut inner = interpreter.copy(scope);
        inner.through.push(Through::Wrapper(name.to_owned()));
        return Some(interpreter.nested(text, &inner, None));
    }
    let with_value = [
        "-p",
        "--package",
        "-w",
        "--workspace",
        "--filter",
        "-F",
        "-C",
        "--dir",
        "-n",
        "--name",
        "--with",
        "--python",
        "--project",
        "--directory",
        "--from",
        "--prefix",
        "-e",
        "--env",
        "-c",
        "--config",
        "-d",
        "--duration",
        "--scope",
        "-H",
        "--extra",
        "--group",
    ];
    let start = if verbs.is_empty() {
        0
    } else {
        match args
            .iter()
            .position(|item| item.text().is_some_and(|it| verbs.contains(&it)))
        {
            Some(at) => at + 1,
            None => return Some(Output::unknown(vec![call.source()])),
        }
    };
    let rest = args.get(start..).unwrap_or_default();
    let dashes = rest.iter().position(|item| item.text() == Some("--"));
    let mut skip = start + dashes.map_or_else(|| first_operand(rest, &with_value), |at| at + 1);
    if dashes.is_none()
        && matches!(name, "direnv" | "aws-vault" | "chamber" | "rbenv" | "pyenv")
        && name != "rbenv"
        && name != "pyenv"
    {
        skip += 1;
    }
    let mut inner = call.inner(skip + 1, Through::Wrapper(name.to_owned()));
    take_assignments(&mut inner);
    if let Some(first) = inner.words.first_mut()
        && let Some(text) = first.text()
        && let Some((package, _)) = text
            .split_once('@')
            .filter(|(before, _)| !before.is_empty())
    {
        *first = Item::known(package);
    }
    // `npm exec` may name a program that hides behind its package.
    if inner.words.is_empty() {
        return Some(Output::nothing());
    }
    if matches!(inner.directory, Directory::Unknown) {
        inner.directory = scope.directory.clone();
    }
    Some(interpreter.call(inner, scope))
}
