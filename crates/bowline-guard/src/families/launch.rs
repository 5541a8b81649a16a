//! Programs that start other programs: package runners, virtual environments, interpreters with a
//! well-known script.

use crate::invocation::Arg;

use super::Run;
use super::args::{Spec, parse, word};

/// A program's name without the ending that only tells how it was written.
pub(super) fn plain_name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    [".exe", ".cmd", ".bat", ".sh", ".phar"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .filter(|short| !short.is_empty())
        .unwrap_or(name)
}

/// The program that this one starts, with its arguments.
pub(super) fn launched(run: Run<'_>) -> Option<(&str, &[Arg])> {
    let args = run.args;
    match base_name(run.name) {
        "npx" | "bunx" | "pnpx" | "uvx" | "tsx" | "bundle-exec" => {
            after_options(args, &["p", "package", "from", "with", "python"])
        }
        "npm" | "pnpm" | "yarn" | "bun" => package_runner(args),
        "uv" | "poetry" | "pipenv" | "pdm" | "hatch" | "rye" | "pipx" | "conda" | "mamba"
        | "pixi" => after_word(
            args,
            &["run"],
            &[
                "n",
                "name",
                "p",
                "prefix",
                "with",
                "python",
                "project",
                "directory",
            ],
        ),
        "bundle" | "composer" | "mise" | "direnv" | "aws-vault" | "asdf" | "rbenv" | "volta"
        | "chamber" | "lando" | "ddev" => {
            after_word(args, &["exec", "run", "x"], &["d", "duration"]).or_else(|| match run.name {
                "ddev" | "lando" => after_options(args, &[]),
                _ => None,
            })
        }
        "doppler" | "op" | "infisical" | "heroku" | "railway" | "dotenv" | "dotenvx" | "teller" => {
            after_word(
                args,
                &["run", "--"],
                &["a", "app", "p", "project", "c", "config", "env", "f", "e"],
            )
        }
        "sail" | "symfony" | "spring" | "fin" | "lagoon" => after_options(args, &[]),
        "console" | "php" | "python" | "ruby" | "node" | "perl" => script(args),
        "java" => java(args),
        "dotnet" => match args.split_first() {
            Some((first, rest)) if matches!(word(first), "tool" | "exec") => {
                after_options(rest, &[])
            }
            Some((first, rest)) if word(first) == "ef" => Some(("dotnet-ef", rest)),
            _ => None,
        },
        "cross-env" | "env-cmd" | "with-env" => {
            let at = args
                .iter()
                .position(|arg| !word(arg).contains('=') && !word(arg).starts_with('-'))?;
            named(args.get(at..)?)
        }
        _ => None,
    }
}

/// `python3.12` is python.
pub(super) fn base_name(name: &str) -> &str {
    if !name.starts_with(['p', 'r', 'n']) {
        return name;
    }
    for interpreter in ["python", "php", "ruby", "perl", "node", "pypy"] {
        if let Some(rest) = name.strip_prefix(interpreter)
            && rest
                .chars()
                .all(|it| it.is_ascii_digit() || it == '.' || it == 'w')
        {
            return if interpreter == "pypy" {
                "python"
            } else {
                interpreter
            };
        }
    }
    match name {
        "nodejs" => "node",
        other => other,
    }
}

fn named(args: &[Arg]) -> Option<(&str, &[Arg])> {
    let (first, rest) = args.split_first()?;
    let name = plain_name(word(first));
    // `npx prisma@5 …` is prisma.
    let name = match name.split_once('@') {
        Some((before, _)) if !before.is_empty() => before,
        _ => name,
    };
    Some((name, rest))
}

fn after_options<'arg>(args: &'arg [Arg], values: &[&str]) -> Option<(&'arg str, &'arg [Arg])> {
    let mut rest = args;
    loop {
        let (first, later) = rest.split_first()?;
        match word(first) {
            "--" => return named(later),
            option if option.starts_with('-') => {
                let name = option.trim_start_matches('-');
                let skip = usize::from(values.contains(&name));
                rest = later.get(skip..)?;
            }
            _ => return named(rest),
        }
    }
}

/// What follows one of these words, which may stand after options.
fn after_word<'arg>(
    args: &'arg [Arg],
    words: &[&str],
    values: &[&str],
) -> Option<(&'arg str, &'arg [Arg])> {
    let at = args
        .iter()
        .take(8)
        .position(|arg| words.contains(&word(arg)))?;
    let rest = args.get(at + 1..)?;
    // `aws-vault exec profile -- program`: what stands before the dashes is the launcher's.
    match rest.iter().take(8).position(|arg| word(arg) == "--") {
        Some(dashes) => named(rest.get(dashes + 1..)?),
        None => after_options(rest, values),
    }
}

fn package_runner(args: &[Arg]) -> Option<(&str, &[Arg])> {
    const OWN: &[&str] = &[
        "install",
        "i",
        "add",
        "remove",
        "rm",
        "uninstall",
        "run",
        "run-script",
        "test",
        "start",
        "publish",
        "unpublish",
        "deprecate",
        "init",
        "create",
        "link",
        "unlink",
        "pack",
        "view",
        "info",
        "audit",
        "update",
        "upgrade",
        "outdated",
        "ls",
        "list",
        "cache",
        "config",
        "login",
        "logout",
        "token",
        "owner",
        "access",
        "dist-tag",
        "version",
        "ci",
        "prune",
        "dedupe",
        "rebuild",
        "why",
        "workspace",
        "workspaces",
        "store",
        "npm",
        "set",
        "get",
        "build",
        "help",
    ];
    let at = args.iter().take(8).position(|arg| {
        !word(arg).starts_with('-') && word(arg) != "workspace" && word(arg) != "workspaces"
    })?;
    let rest = args.get(at..)?;
    let (first, later) = rest.split_first()?;
    match word(first) {
        "exec" | "x" | "dlx" => after_options(later, &["p", "package", "w", "workspace", "filter"]),
        own if OWN.contains(&own) => None,
        _ => named(rest),
    }
}

/// Scripts that are programs in their own right: `python manage.py`, `php artisan`.
fn script(args: &[Arg]) -> Option<(&str, &[Arg])> {
    let mut rest = args;
    loop {
        let (first, later) = rest.split_first()?;
        match word(first) {
            "-m" => return named(later),
            "-c" | "-e" | "-r" | "--eval" | "-p" | "-" | "--" => return None,
            "-W" | "-X" | "-d" | "-I" | "-S" => rest = later.get(1..)?,
            option if option.starts_with('-') => rest = later,
            _ => return named(rest),
        }
    }
}

fn java(args: &[Arg]) -> Option<(&str, &[Arg])> {
    let parsed = parse(args, &Spec::long(&["jar", "cp", "classpath"]));
    let jar = plain_name(parsed.value(&["jar"])?);
    let at = args.iter().position(|arg| word(arg).ends_with(jar))?;
    let stem = jar.strip_suffix(".jar").unwrap_or(jar);
    let name = stem.split_once(['-', '_']).map_or(stem, |(name, _)| name);
    Some((name, args.get(at + 1..)?))
}
