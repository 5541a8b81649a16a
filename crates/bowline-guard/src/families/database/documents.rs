//! Stores of documents and keys: MongoDB, Redis and their kin.

use super::{KEYS, STATEMENT, Worth, disposable_or, generated, is_disposable};
use crate::effect::{Effect, Gravity};
use crate::families::Run;
use crate::families::args::{Spec, parse};
use crate::invocation::Stdin;

pub(super) fn mongo(run: Run<'_>) -> Vec<Effect> {
    let parsed = parse(
        run.args,
        &Spec::gnu(&[
            "eval", "host", "port", "u", "p", "f", "file", "username", "password",
        ]),
    );
    let mut texts: Vec<&str> = parsed.values(&["eval"]).collect();
    if let Stdin::Text(text) = &run.invocation.stdin {
        texts.push(text);
    }
    let worth = disposable_or(parsed.words.iter().any(|it| is_disposable(it)));
    texts
        .iter()
        .filter_map(|text| script_effect(text, worth))
        .collect()
}

/// What a script for a document database loses.
pub(super) fn script_effect(script: &str, worth: Worth) -> Option<Effect> {
    let plain: String = script.chars().filter(|it| !it.is_whitespace()).collect();
    let lower = plain.to_ascii_lowercase();
    let whole = [
        "dropdatabase(",
        ".drop(",
        "deletemany({})",
        "remove({})",
        "dropcollection(",
        "deletemany()",
        ".remove()",
        "\"drop\"](",
        "'drop'](",
        "dropdatabase:1",
        "{drop:",
    ];
    if whole.iter().any(|call| lower.contains(call)) {
        let gravity = match worth {
            Worth::Real => Gravity::Grave,
            Worth::Disposable => Gravity::Doubtful,
        };
        return Some(STATEMENT.effect(gravity, "drops or empties a collection or database"));
    }
    let part = [
        "deletemany(",
        "deleteone(",
        ".remove(",
        "dropindex",
        "updatemany(",
        "findoneanddelete(",
        "dropuser(",
        "shutdownserver(",
    ];
    part.iter()
        .any(|call| lower.contains(call))
        .then(|| STATEMENT.doubtful("deletes or changes documents"))
}

pub(super) fn redis(run: Run<'_>) -> Vec<Effect> {
    // A script that is made on the line: `--eval <(echo …)`.
    let empties = run.args.iter().any(|it| {
        let source = it.source.to_ascii_lowercase();
        it.source.contains("<(") && (source.contains("flushall") || source.contains("flushdb"))
    });
    if empties {
        return vec![KEYS.grave("runs a script that empties the key-value store")];
    }
    let spec = Spec::gnu(&[
        "h", "p", "n", "a", "u", "s", "i", "user", "pass", "eval", "r",
    ]);
    let parsed = parse(run.args, &spec);
    let mut commands = vec![parsed.words.join(" ")];
    if let Stdin::Text(text) = &run.invocation.stdin {
        commands.extend(text.lines().map(str::to_owned));
    }
    let mut found: Vec<Effect> = commands
        .iter()
        .filter_map(|command| redis_command(command))
        .collect();
    found.extend(generated(run, Worth::Real));
    found
}

pub(super) fn redis_command(command: &str) -> Option<Effect> {
    let upper = command.trim().to_ascii_uppercase();
    let mut words = upper.split_whitespace();
    let verb = words.next()?;
    match verb {
        "FLUSHALL" => Some(KEYS.grave("deletes every key of every database")),
        "FLUSHDB" => Some(KEYS.grave("deletes every key of the database")),
        "SHUTDOWN" => Some(KEYS.grave("shuts the server down")),
        "EVAL" | "FCALL" if upper.contains("FLUSH") => {
            Some(KEYS.grave("deletes every key by a script"))
        }
        "EVAL" if upper.contains("DEL") => Some(KEYS.doubtful("deletes keys by a script")),
        "CONFIG" if words.next() == Some("SET") => {
            Some(KEYS.doubtful("changes the server's settings"))
        }
        "DEL" | "UNLINK" | "GETDEL" | "XTRIM" | "LTRIM" | "ZREMRANGEBYRANK" | "HDEL" => {
            Some(KEYS.doubtful(format!(
                "deletes {}",
                words.collect::<Vec<_>>().join(" ").to_lowercase()
            )))
        }
        "DEBUG" | "SWAPDB" | "CLUSTER" | "REPLICAOF" | "SLAVEOF" => {
            let harmless = matches!(
                words.next(),
                Some("INFO" | "NODES" | "SLOTS" | "SHARDS" | "OBJECT" | "HELP")
            );
            (!harmless).then(|| KEYS.doubtful("changes the state of the server"))
        }
        _ => None,
    }
}
