//! The verbs of service tools, alone and in compounds.

use super::kinds::{is_local_kind, singular};

/// How much a verb says by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    /// Nobody calls a harmless thing so.
    Strong,
    /// Deletes what it is given.
    Delete,
    /// Also said of packages, caches and lists: what it is said of decides.
    Weak,
}

/// The verb that a word is, or holds: `apps:destroy`, `delete-job`, `deleteClient`. Gives what else it holds.
pub(super) fn verb_of(text: &str, at: usize) -> Option<(Verb, Vec<String>)> {
    if text.len() > 40 || text.contains(['/', '.', '=', '@', ' ', '*', '~', '$', '"', '\'', '(']) {
        return None;
    }
    if let Some(verb) = plain_verb(text) {
        return Some((verb, Vec::new()));
    }
    // In a compound only a clear verb counts, and only where a command stands.
    let parts = parts(text);
    if parts.len() < 2 || at > 2 {
        return None;
    }
    // `flush_all`, `delete-everything`
    if let [first, last] = parts.as_slice()
        && matches!(last.as_str(), "all" | "everything")
        && plain_verb(first).is_some()
    {
        return Some((Verb::Strong, vec!["data".to_owned()]));
    }
    // `reset-db`
    let resets = matches!(
        parts.first().map(String::as_str),
        Some("reset" | "clear" | "wipe")
    );
    if resets
        && parts
            .iter()
            .skip(1)
            .any(|it| matches!(it.as_str(), "db" | "database" | "databases" | "data"))
    {
        return Some((Verb::Strong, vec!["database".to_owned()]));
    }
    // In `org:delete:scratch` the verb may stand anywhere.
    let places = if text.contains(':') {
        (0..parts.len()).collect()
    } else {
        vec![0, parts.len() - 1]
    };
    let verb_at = places
        .into_iter()
        .find(|it| parts.get(*it).is_some_and(|part| is_clear(part, text)))?;
    let verb = parts.get(verb_at).and_then(|part| plain_verb(part))?;
    let rest = parts
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != verb_at);
    let rest: Vec<String> = rest.map(|(_, part)| singular(part)).collect();
    let local = rest.iter().any(|it| is_local_kind(it));
    (!local).then_some((
        if verb == Verb::Weak {
            Verb::Delete
        } else {
            verb
        },
        rest,
    ))
}

fn is_clear(part: &str, whole: &str) -> bool {
    match plain_verb(part) {
        Some(Verb::Strong | Verb::Delete) => true,
        // `messages:remove`, but not `remove-unused`.
        Some(Verb::Weak) => {
            whole.contains(':') && matches!(part, "remove" | "rm" | "reset" | "flush" | "cancel")
        }
        None => false,
    }
}

/// The words of `delete-job`, `apps:destroy`, `delete_indices`, `DeleteTable`.
fn parts(text: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(text.len() + 4);
    let mut before_small = false;
    for c in text.chars() {
        if matches!(c, '-' | '_' | ':') {
            spaced.push(' ');
        } else {
            if c.is_ascii_uppercase() && before_small {
                spaced.push(' ');
            }
            spaced.push(c.to_ascii_lowercase());
        }
        before_small = c.is_ascii_lowercase();
    }
    spaced.split_whitespace().map(str::to_owned).collect()
}

pub(super) fn plain_verb(text: &str) -> Option<Verb> {
    Some(match text {
        "destroy" | "purge" | "wipe" | "nuke" | "terminate" | "teardown" | "obliterate"
        | "erase" | "flushall" | "expunge" | "decommission" | "deprovision" | "undeploy"
        | "delete-all" | "deleteall" | "rmall" => Verb::Strong,
        "delete" | "del" | "drop" | "truncate" | "deregister" | "revoke" | "unregister" => {
            Verb::Delete
        }
        "remove" | "rm" | "rb" | "clear" | "empty" | "reset" | "prune" | "gc" | "uninstall"
        | "forget" | "abandon" | "cancel" | "kill" | "flush" | "abort" | "clean" | "cleanup"
        | "unset" | "detach" => Verb::Weak,
        _ => return None,
    })
}

/// Verbs that only look, make or run: what follows them is not a command of the tool.
#[rustfmt::skip]
pub(super) fn is_harmless_verb(text: &str) -> bool {
    matches!(
        text,
        "list" | "ls" | "get" | "show" | "describe" | "create" | "new" | "add" | "generate" | "g" | "init" | "run" | "test"
            | "build" | "start" | "serve" | "dev" | "exec" | "help" | "explain" | "view" | "print" | "logs" | "status"
            | "info" | "version" | "search" | "find" | "query" | "diff" | "plan" | "preview" | "validate" | "check" | "lint"
            | "fmt" | "docs" | "doc" | "trigger" | "call" | "invoke" | "do" | "script" | "watch" | "login" | "completion" | "completions" | "clone" | "download"
            | "install" | "upgrade" | "edit" | "open" | "ask" | "chat" | "send" | "commit" | "review" | "can-i" | "man"
            | "simulate" | "audit" | "scan" | "analyze" | "bench" | "compile" | "package" | "make" | "which" | "say"
    )
}
