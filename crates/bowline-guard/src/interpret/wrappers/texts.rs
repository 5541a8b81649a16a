//! Wrappers that take a text for a shell.

use crate::interpret::Interpreter;
use crate::interpret::call::ExpandedCommand;
use crate::interpret::options::{cluster_text, first_operand, texts_of};
use crate::interpret::scope::Scope;
use crate::interpret::value::{Item, Output};
use crate::invocation::Through;

/// `su - user -c 'text'`, `runuser -u user -- command`.
pub(super) fn substitute_user(
    interpreter: &mut Interpreter<'_>,
    call: &ExpandedCommand,
    scope: &mut Scope,
) -> Output {
    let args = call.args();
    let texts = texts_of(args, &["-c", "--command", "--session-command"]);
    if let Some(text) = texts.first().cloned().or_else(|| cluster_text(args, 'c')) {
        let mut inner = interpreter.copy(scope);
        inner.through.clone_from(&call.through);
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
    interpreter.emit_call(call);
    Output::nothing()
}

/// Wrappers that take a text for a shell, or words that they join to one.
pub(super) fn text_taker(
    interpreter: &mut Interpreter<'_>,
    name: &str,
    call: &ExpandedCommand,
    scope: &mut Scope,
) -> Output {
    let args = call.args();
    let (texts, with_value): (&[&str], &[&str]) = match name {
        "script" => (&["-c", "--command"], &["-t", "-T", "-B", "-I", "-O", "-E"]),
        "nix-shell" => (&["--run", "--command"], &["-p", "--packages", "-A", "-I"]),
        "flock" => (&["-c", "--command"], &["-w", "--timeout", "-E"]),
        "watch" => (&[], &["-n", "--interval", "-s"]),
        "entr" => (&[], &[]),
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
    inner.through.clone_from(&call.through);
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
            return interpreter.call(call.inner(at + 2, Through::Wrapper(name.to_owned())), scope);
        }
        if name == "script" {
            // It keeps a record in a file.
            interpreter.emit_call(call);
        }
        return interpreter.nested(&text, &inner, call.input.clone());
    }
    if name == "nix"
        && args.first().and_then(Item::text) == Some("run")
        && let Some(dashes) = args.iter().position(|item| item.text() == Some("--"))
    {
        // The program may be one that runs another, such as `coreutils`.
        interpreter.emit_call(call);
        let through = || Through::Wrapper(name.to_owned());
        // `nixpkgs#git`
        let program = args
            .get(1)
            .and_then(Item::text)
            .and_then(|it| it.split_once('#'));
        if let Some((_, program)) = program {
            let rest = args.get(dashes + 1..).unwrap_or_default();
            let words = std::iter::once(Item::known(program)).chain(rest.iter().cloned());
            interpreter.call(call.with_words(words.collect(), through()), scope);
        }
        return interpreter.call(call.inner(dashes + 2, through()), scope);
    }
    let mut skip = first_operand(args, with_value);
    match name {
        "flock" => skip += 1,
        "script" | "nix-shell" | "nix" | "guix" => {
            interpreter.emit_call(call);
            interpreter.carried(name, call, scope);
            return Output::nothing();
        }
        "tmux" | "zellij" | "screen" | "dtach" | "abduco" => {
            return terminal(interpreter, name, call, &inner, scope);
        }
        _ => {}
    }
    let rest = args.get(skip..).unwrap_or_default();
    if rest.is_empty() {
        interpreter.emit_call(call);
        return Output::nothing();
    }
    if name == "watch" || (name == "entr" && rest.len() == 1) {
        let text = rest.iter().map(Item::marked).collect::<Vec<_>>().join(" ");
        return interpreter.nested(&text, &inner, None);
    }
    interpreter.call(
        call.inner(skip + 1, Through::Wrapper(name.to_owned())),
        scope,
    )
}

/// `hyperfine --prepare 'text' 'text'`: every word with a blank is a command.
pub(super) fn timed(interpreter: &mut Interpreter<'_>, call: &ExpandedCommand, scope: &Scope) {
    let mut inner = interpreter.copy(scope);
    inner.through.clone_from(&call.through);
    inner.through.push(Through::Wrapper("hyperfine".to_owned()));
    for item in call.args().iter().filter(|it| it.marked().contains(' ')) {
        interpreter.nested(item.marked(), &inner, None);
    }
}

/// What stands in a terminal once these keys were sent to it: words follow each other without a blank, and some name a key.
fn typed(words: &[Item]) -> String {
    let key = |item: &Item| match item.text() {
        // A line is run, or given up.
        Some("Enter" | "KPEnter" | "C-m" | "C-j" | "C-c" | "C-u" | "C-d") => "\n".to_owned(),
        Some("Space") => " ".to_owned(),
        _ => item.marked().to_owned(),
    };
    words.iter().map(key).collect()
}

/// Terminal multiplexers: every word that holds a blank may be a command, and so may the words at the end.
fn terminal(
    interpreter: &mut Interpreter<'_>,
    name: &str,
    call: &ExpandedCommand,
    inner: &Scope,
    scope: &mut Scope,
) -> Output {
    interpreter.emit_call(call);
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
    let types = |item: &Item| matches!(item.text(), Some("send-keys" | "send"));
    if name == "tmux" && args.iter().any(types) {
        interpreter.nested(&typed(words), inner, None);
        return Output::nothing();
    }
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
