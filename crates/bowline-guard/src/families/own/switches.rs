//! The variables that switch Bowline off: for one run, for a session, and for all to come.

use super::SWITCHED_OFF;
use super::files::written;
use crate::effect::Effect;
use crate::families::Run;
use crate::families::args::word;
use crate::invocation::{Arg, Invocation, Stdin, Value};

/// Whether a variable with this value switches something off.
fn is_off(name: &str, value: &str) -> bool {
    let value = value.trim().to_ascii_lowercase();
    match name {
        // Where the daemon is looked for: whoever listens there decides.
        "BOWLINE_SOCKET" => !value.is_empty(),
        _ if name.contains("DISABLE") && (is_ours(name) || name.starts_with("HTMLGRAPH_")) => {
            !matches!(value.as_str(), "" | "0" | "false" | "no" | "off")
        }
        _ => {
            is_ours(name)
                && matches!(
                    value.as_str(),
                    "off" | "0" | "false" | "no" | "disabled" | "observe" | "none"
                )
        }
    }
}

fn is_ours(name: &str) -> bool {
    name == "BOWLINE" || name.starts_with("BOWLINE_")
}

pub(super) fn effects(invocation: &Invocation) -> Vec<Effect> {
    let mut found = Vec::new();
    for (name, value) in &invocation.environment {
        if let Value::Known(value) = value
            && name != "BOWLINE_SOCKET"
            && is_off(name, value)
        {
            found.push(SWITCHED_OFF.doubtful(format!("runs with {name}={value}")));
        }
    }
    let program = invocation.program.as_deref().unwrap_or_default();
    if matches!(
        program,
        "export" | "declare" | "typeset" | "readonly" | "local" | "setx" | "setenv" | "set"
    ) {
        found.extend(set_among(&invocation.args));
    }
    found.extend(in_startup_file(invocation));
    found
}

/// Variables that are set for whatever is started later.
pub(super) fn set_for_all(run: Run<'_>) -> Option<Effect> {
    let sets = match run.name {
        "launchctl" | "systemctl" | "tmux" | "dbus-update-activation-environment" => true,
        "conda" => run.args.iter().any(|it| word(it) == "vars"),
        _ => false,
    };
    set_among(run.args.get(..).filter(|_| sets)?)
}

/// `NAME=value` in one word, or in two that follow each other.
fn set_among(args: &[Arg]) -> Option<Effect> {
    let words: Vec<&str> = args.iter().map(word).collect();
    let together = words.iter().filter_map(|it| it.split_once('='));
    let apart = words.iter().zip(words.iter().skip(1));
    let (name, value) = together
        .chain(apart.map(|(name, value)| (*name, *value)))
        .find(|(name, value)| is_off(name, value))?;
    Some(SWITCHED_OFF.doubtful(format!("sets {name}={value}")))
}

/// A file that shells, sessions or agents read when they begin, and a text that switches Bowline off for them.
fn in_startup_file(invocation: &Invocation) -> Option<Effect> {
    let target = written(invocation)
        .into_iter()
        .find(|it| begins_things(it))?;
    let fed = match &invocation.stdin {
        Stdin::Text(text) => Some(text.as_str()),
        Stdin::None | Stdin::File(_) | Stdin::Pipe(_) => None,
    };
    let mut texts = invocation.args.iter().map(word).chain(fed);
    let (name, value) = texts.find_map(set_in)?;
    Some(SWITCHED_OFF.doubtful(format!("writes {name}={value} into {}", target.source)))
}

/// The first variable that a text sets so: `NAME=value`, `NAME value`, `"NAME": "value"`, `NAME DEFAULT=value`.
fn set_in(text: &str) -> Option<(&str, &str)> {
    let is_name = |c: char| c == '_' || c.is_ascii_uppercase();
    let ours = ["BOWLINE", "HTMLGRAPH_"];
    ours.iter()
        .flat_map(|it| text.match_indices(it))
        .find_map(|(at, _)| {
            let rest = text.get(at..)?;
            let end = rest.find(|c| !is_name(c))?;
            let (name, rest) = rest.split_at_checked(end)?;
            let rest = rest.trim_start_matches([' ', '\t', '=', ':', '"', '\'']);
            let rest = ["DEFAULT=", "OVERRIDE="]
                .iter()
                .find_map(|it| rest.strip_prefix(it))
                .unwrap_or(rest);
            let rest = rest.trim_start_matches(['"', '\'']);
            let end = rest.find(|c: char| c.is_whitespace() || "\"';,&|)\\".contains(c));
            let value = rest.get(..end.unwrap_or(rest.len()))?;
            is_off(name, value).then_some((name, value))
        })
}

/// Whether a file is read when something begins. One that cannot be known may be.
fn begins_things(file: &Arg) -> bool {
    let path = word(file);
    if path.contains('…') {
        return true;
    }
    let path = path.trim_end_matches('*');
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default().to_ascii_lowercase();
    let folder = parts.next().unwrap_or_default();
    let shells = name.starts_with('.')
        && [
            "rc",
            "profile",
            "login",
            "env",
            "environment",
            "aliases",
            "logout",
        ]
        .iter()
        .any(|it| name.ends_with(it));
    shells
        || matches!(
            name.as_str(),
            "config.fish"
                | "devcontainer.json"
                | "direnvrc"
                | "env.nu"
                | "config.nu"
                | "environment"
                | "mise.toml"
                | ".mise.toml"
                | ".tmux.conf"
                | "profile"
                | "settings.json"
                | "settings.local.json"
        )
        || name.ends_with("profile.ps1")
        || [".plist", ".service", ".desktop"]
            .iter()
            .any(|it| name.ends_with(it))
        || matches!(folder, "environment.d" | "profile.d" | "conf.d")
        || name.starts_with(".env")
}
