//! Package and environment runners: they find a program and start it.

use super::take_assignments;
use crate::interpret::Interpreter;
use crate::interpret::call::Call;
use crate::interpret::options::{first_operand, texts_of};
use crate::interpret::scope::Scope;
use crate::interpret::value::{Item, Output};
use crate::invocation::Through;

/// Options of the runners that take the next word.
#[rustfmt::skip]
const RUNNER_VALUES: &[&str] = &[
    "-p", "--package", "-w", "--workspace", "--filter", "-F", "-C", "--dir", "-n", "--name",
    "--with", "--python", "--project", "--directory", "--from", "--prefix", "-e", "--env", "-c",
    "--config", "-d", "--duration", "--scope", "-H", "--extra", "--group",
];

/// Package and environment runners: `npx`, `poetry run`, `aws-vault exec profile --`.
pub(super) fn runner(
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
