//! Programs that run the command which they are given.

mod runners;
mod texts;

use super::Interpreter;
use super::call::ExpandedCommand;
use super::known::{base, could_harm};
use super::options::{first_operand, texts_of};
use super::scope::Scope;
use super::value::{Item, Output};
use crate::invocation::{Through, Value};

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

#[rustfmt::skip]
const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: &["sudo", "doas", "pkexec", "gosu", "su-exec", "please", "run0", "sudo-rs"],
        with_value: &[
            "-u", "--user", "-g", "--group", "-p", "--prompt", "-C", "--close-from", "-D",
            "--chdir", "-h", "--host", "-r", "--role", "-t", "--type", "-T", "-U", "-R",
            "--chroot", "-a",
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
            "nohup", "setsid", "unbuffer", "builtin", "noglob", "nocorrect", "fakeroot",
            "caffeinate", "eatmydata", "dbus-run-session", "xvfb-run", "rlwrap", "torsocks",
            "proxychains", "proxychains4", "firejail", "setpriv", "prlimit", "catchsegv",
            "valgrind", "unshare", "systemd-inhibit", "busybox", "toybox", "chronic", "ts",
            "softlimit", "trickle", "cpulimit", "numactl", "hyperfine", "retry", "with-lock-ex",
            "isolate", "coproc", "cross-env", "dotenv", "env-cmd", "ccache", "scl", "chroot",
            "cgexec", "faketime", "lockf", "dbus-launch", "ssh-agent", "tini", "dumb-init",
            "catatonit", "s6-setuidgid", "setuidgid", "aa-exec", "shx",
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
    "shx",
    "firejail",
    "torsocks",
    "eatmydata",
];

/// The programs that give a command other rights.
pub(crate) fn privileged() -> impl Iterator<Item = &'static str> {
    let wrappers = WRAPPERS.iter().filter(|it| it.kind == Kind::Privilege);
    wrappers
        .flat_map(|it| it.names)
        .copied()
        .chain(["su", "runuser"])
}

/// What a program is to the command that it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// It gives it other rights.
    Privilege,
    /// It runs it, and is not seen as a run of its own.
    Wrapper,
}

/// What this program is to the command that it is given; `None` if it has commands of its own, too, or takes none.
pub(crate) fn carrier(name: &str) -> Option<Carrier> {
    match name {
        "su" | "runuser" => return Some(Carrier::Privilege),
        "env" | "genv" => return Some(Carrier::Wrapper),
        "dotenv" => return None,
        _ => {}
    }
    let wrapper = WRAPPERS.iter().find(|it| it.names.contains(&name))?;
    Some(match wrapper.kind {
        Kind::Privilege => Carrier::Privilege,
        Kind::Plain | Kind::Uncertain => Carrier::Wrapper,
    })
}

/// Sees through a wrapper; `None` if it is none.
pub(super) fn unwrap(
    interpreter: &mut Interpreter<'_>,
    name: &str,
    call: &ExpandedCommand,
    scope: &mut Scope,
) -> Option<Output> {
    match name {
        "command" => return Some(command(interpreter, call, scope)),
        "env" | "genv" => return Some(env(interpreter, call, scope)),
        "su" | "runuser" | "sg" | "newgrp" => {
            return Some(texts::substitute_user(interpreter, call, scope));
        }
        "coreutils" | "gcoreutils" => return Some(coreutils(interpreter, call, scope)),
        "hyperfine" => texts::timed(interpreter, call, scope),
        "wsl" | "wsl.exe" => return Some(runners::wsl(interpreter, call, scope)),
        "cmake" => return runners::cmake(interpreter, call, scope),
        "script" | "nix-shell" | "flock" | "nix" | "guix" | "screen" | "tmux" | "watch"
        | "entr" | "systemd-run" | "dtach" | "abduco" | "zellij" => {
            return Some(texts::text_taker(interpreter, name, call, scope));
        }
        _ => {}
    }
    if let Some(output) = runners::runner(interpreter, name, call, scope) {
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
    // It has commands of its own too.
    if name == "dotenv" {
        interpreter.emit_call(call);
    }
    let mut skip = first_operand(args, with_value);
    // What it finds out goes to a file, if one is named.
    if matches!(name, "time" | "gtime" | "strace" | "ltrace") && skip > 0 {
        let own = call.words.get(..=skip).unwrap_or_default().to_vec();
        interpreter.emit_call(&call.with_words(own, through(name, wrapper.kind)));
    }
    let operands = OPERANDS
        .iter()
        .find(|(it, _)| *it == name)
        .map_or(wrapper.operands, |(_, count)| *count);
    skip += operands;
    // `setarch -R -- rm`: the architecture may be left out.
    if name == "setarch"
        && let Some(at) = skip.checked_sub(1)
        && args.get(at).is_some_and(|it| could_harm(base(it.marked())))
    {
        skip = at;
    }
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
        interpreter.emit_call(call);
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
fn take_assignments(call: &mut ExpandedCommand) {
    while let Some(item) = call.words.first() {
        let text = item.marked();
        let Some((name, value)) = text.split_once('=') else {
            return;
        };
        let named = !name.is_empty()
            && name
                .chars()
                .all(|c| c == '_' || c == '%' || c.is_ascii_alphanumeric());
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
    call: &mut ExpandedCommand,
    to: &[String],
    scope: &Scope,
) {
    if let Some(directory) = to.last() {
        call.directory = interpreter.directory_of(Some(&Item::known(directory.clone())), scope);
    }
}

/// `command -v name` only asks.
fn command(interpreter: &mut Interpreter<'_>, call: &ExpandedCommand, scope: &mut Scope) -> Output {
    let asks = call
        .args()
        .iter()
        .filter_map(Item::text)
        .take_while(|it| it.starts_with('-'))
        .any(|it| it.contains(['v', 'V']));
    if asks {
        interpreter.emit_call(call);
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

fn env(interpreter: &mut Interpreter<'_>, call: &ExpandedCommand, scope: &mut Scope) -> Output {
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
        interpreter.emit_call(call);
        return Output::unknown(vec![call.source()]);
    }
    let previous = std::mem::replace(&mut scope.directory, inner.directory.clone());
    let output = interpreter.call(inner, scope);
    scope.directory = previous;
    output
}

fn coreutils(
    interpreter: &mut Interpreter<'_>,
    call: &ExpandedCommand,
    scope: &mut Scope,
) -> Output {
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
    interpreter.call(inner, scope)
}
