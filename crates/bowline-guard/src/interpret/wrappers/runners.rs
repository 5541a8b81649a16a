//! Package and environment runners: they find a program and start it.

use super::take_assignments;
use crate::interpret::Interpreter;
use crate::interpret::call::ExpandedCommand;
use crate::interpret::carriers::is_command;
use crate::interpret::options::{first_operand, texts_of};
use crate::interpret::scope::Scope;
use crate::interpret::value::{Item, Output};
use crate::invocation::Through;

/// Options of the runners that take the next word.
#[rustfmt::skip]
const RUNNER_VALUES: &[&str] = &[
    "-p", "--package", "-w", "--workspace", "--filter", "-F", "-C", "--dir", "-n", "--name",
    "--with", "--python", "--project", "--directory", "--from", "--prefix", "-e", "--env", "-c",
    "--config", "-r", "--repeat", "-o", "-d", "--duration", "--scope", "-H", "--extra", "--group",
];

/// `cmake -E rm`: programs that come with it.
pub(super) fn cmake(
    interpreter: &mut Interpreter<'_>,
    call: &ExpandedCommand,
    scope: &mut Scope,
) -> Option<Output> {
    let [flag, program, ..] = call.args() else {
        return None;
    };
    if flag.text() != Some("-E") {
        return None;
    }
    let mut inner = call.inner(2, Through::Wrapper("cmake".to_owned()));
    let replaced: &[&str] = match program.text()? {
        "remove" => &["rm"],
        "remove_directory" => &["rm", "-r"],
        "rm" | "env" | "time" | "rename" => &[],
        _ => return None,
    };
    if !replaced.is_empty() {
        let words = replaced.iter().map(|word| Item::known(*word));
        inner.words.splice(..1, words);
    }
    Some(interpreter.call(inner, scope))
}

/// `wsl -d name -- command`: the same machine by another system. Other options manage that system.
pub(super) fn wsl(
    interpreter: &mut Interpreter<'_>,
    call: &ExpandedCommand,
    scope: &mut Scope,
) -> Output {
    interpreter.emit_call(call);
    let args = call.args();
    let with_value = [
        "-d",
        "--distribution",
        "-u",
        "--user",
        "--cd",
        "--shell-type",
    ];
    let mut at = 0;
    while let Some(text) = args.get(at).and_then(Item::text) {
        match text {
            _ if with_value.contains(&text) => at += 2,
            "-e" | "--exec" | "--" | "~" | "--system" => at += 1,
            _ if text.starts_with('-') => return Output::unknown(vec![call.source()]),
            _ => break,
        }
    }
    interpreter.call(
        call.inner(at + 1, Through::Wrapper("wsl".to_owned())),
        scope,
    )
}

/// `bowline run -- program`: its other commands only talk of programs.
fn starts_a_program(args: &[Item]) -> bool {
    let command = args.get(first_operand(args, &["--color"]));
    let command = command.and_then(Item::text);
    matches!(command, Some("run" | "supervise"))
}

/// Package and environment runners: `npx`, `poetry run`, `aws-vault exec profile --`.
pub(super) fn runner(
    interpreter: &mut Interpreter<'_>,
    name: &str,
    call: &ExpandedCommand,
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
        "perf" => &["stat", "record", "trace"],
        "fab" | "granted" | "assume" => &["--"],
        "bowline" if starts_a_program(call.args()) => &["run", "supervise"],
        _ => return None,
    };
    let args = call.args();
    let texts = match name {
        "npx" | "npm" | "pnpm" | "yarn" => texts_of(args, &["-c", "--call", "--shell-mode"]),
        "doppler" | "infisical" | "op" => texts_of(args, &["--command"]),
        _ => Vec::new(),
    };
    if let Some(text) = texts.first() {
        interpreter.emit_call(call);
        let mut inner = interpreter.copy(scope);
        inner.through.push(Through::Wrapper(name.to_owned()));
        return Some(interpreter.nested(text, &inner, None));
    }
    let start = if verbs.is_empty() {
        0
    } else {
        match args
            .iter()
            .position(|item| item.text().is_some_and(|it| verbs.contains(&it)))
        {
            Some(at) => at + 1,
            None => return None,
        }
    };
    interpreter.emit_call(call);
    let rest = args.get(start..).unwrap_or_default();
    // `sops exec-env file 'text'`
    for item in rest.iter().filter(|it| is_command(it.marked())) {
        let mut inner = interpreter.copy(scope);
        inner.through.push(Through::Wrapper(name.to_owned()));
        let text = item.marked().to_owned();
        interpreter.nested(&text, &inner, None);
    }
    let dashes = rest.iter().position(|item| item.text() == Some("--"));
    let mut skip = start + dashes.map_or_else(|| first_operand(rest, RUNNER_VALUES), |at| at + 1);
    if dashes.is_none() && matches!(name, "direnv" | "aws-vault" | "chamber") {
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
    if inner.words.is_empty() {
        return Some(Output::nothing());
    }
    Some(interpreter.call(inner, scope))
}
