//! Programs that drop, empty or restore a database or a queue by themselves.

use std::cell::LazyCell;

use super::{DROP, KEYS, QUEUE, RESTORE, is_disposable};
use crate::effect::Effect;
use crate::families::Run;
use crate::families::args::{Parsed, Spec, listed, parse};
use crate::invocation::Stdin;

/// Tools that act on whole databases, queues or topics.
pub(super) fn other(run: Run<'_>) -> Option<Effect> {
    const GNU: Spec = Spec::gnu(&[
        "h",
        "host",
        "p",
        "port",
        "U",
        "username",
        "u",
        "user",
        "topic",
        "bootstrap-server",
        "zookeeper",
        "endpoints",
        "d",
        "dbname",
        "javascript.execute-string",
    ]);
    const LONG: Spec = Spec::long(&["address", "namespace", "ns", "mount", "token"]);
    let spec = if matches!(run.name, "vault" | "bao" | "consul") {
        &LONG
    } else {
        &GNU
    };
    // Hardly any program is one of these.
    let parsed = LazyCell::new(|| parse(run.args, spec));
    let drops = |name: &str| {
        let what = format!("drops the database {name}");
        if is_disposable(name) {
            DROP.doubtful(what)
        } else {
            DROP.grave(what)
        }
    };
    match run.name {
        "dropdb" => Some(drops(parsed.words.last().copied().unwrap_or_default())),
        "dropuser" => Some(DROP.doubtful(format!("drops the user {}", parsed.at(0)))),
        "mysqladmin" | "mariadb-admin" => {
            let at = parsed
                .words
                .iter()
                .position(|it| matches!(*it, "drop" | "shutdown" | "kill"))?;
            match parsed.at(at) {
                "drop" => Some(drops(parsed.at(at + 1))),
                "shutdown" => Some(DROP.grave("shuts the database server down")),
                _ => Some(DROP.doubtful("ends a connection")),
            }
        }
        "pg_restore" if parsed.has(&["c", "clean"]) && !parsed.has(&["f", "file", "l", "list"]) => {
            let name = parsed.value(&["d", "dbname"]).unwrap_or_default();
            Some(if is_disposable(name) {
                RESTORE.doubtful(format!("drops what is in {name} before restoring"))
            } else {
                RESTORE.grave(format!(
                    "drops what is in the database {name} before restoring"
                ))
            })
        }
        "mongorestore" if parsed.has(&["drop"]) => {
            Some(RESTORE.grave("drops every collection before restoring"))
        }
        "pg_dropcluster" | "pg_resetwal" => Some(DROP.grave("destroys a database cluster")),
        "kafka-topics" | "rpk" | "kcat" | "kafka-delete-records" | "kafka-consumer-groups" => {
            queue(run.name, &parsed)
        }
        "rabbitmqctl" | "rabbitmqadmin" => {
            let verb = parsed.words.iter().find(|it| {
                it.starts_with("delete") || it.starts_with("purge") || it.ends_with("reset")
            })?;
            Some(QUEUE.grave(format!(
                "{} {}",
                verb.replace('_', " "),
                listed(parsed.from(1))
            )))
        }
        "nats"
            if parsed
                .words
                .iter()
                .any(|it| matches!(*it, "purge" | "rm" | "delete" | "del" | "rmm")) =>
        {
            Some(QUEUE.grave(format!("deletes messages: {}", parsed.words.join(" "))))
        }
        "pulsar-admin"
            if parsed
                .words
                .iter()
                .any(|it| matches!(*it, "delete" | "truncate" | "clear-backlog")) =>
        {
            Some(QUEUE.grave(format!("deletes messages: {}", parsed.words.join(" "))))
        }
        "celery" if parsed.words.contains(&"purge") => {
            Some(QUEUE.grave("deletes every waiting task"))
        }
        "etcdctl" if parsed.begins("del") => Some(if parsed.has(&["prefix", "from-key"]) {
            KEYS.grave(format!("deletes every key below {:?}", parsed.at(1)))
        } else {
            KEYS.doubtful(format!("deletes the key {}", parsed.at(1)))
        }),
        "consul" if parsed.begins("kv delete") => Some(if parsed.has(&["recurse"]) {
            KEYS.grave(format!("deletes every key below {:?}", parsed.at(2)))
        } else {
            KEYS.doubtful(format!("deletes the key {}", parsed.at(2)))
        }),
        "vault" | "bao"
            if parsed.begins("delete|destroy")
                || parsed.begins("kv delete|destroy")
                || parsed.begins("kv metadata delete") =>
        {
            let forever = parsed
                .words
                .iter()
                .any(|it| matches!(*it, "destroy" | "metadata"));
            let what = format!(
                "deletes the secret {}",
                parsed.words.last().copied().unwrap_or_default()
            );
            Some(if forever {
                KEYS.grave(what)
            } else {
                KEYS.doubtful(what)
            })
        }
        "vault" | "bao" if parsed.begins("secrets disable") || parsed.begins("auth disable") => {
            Some(KEYS.grave(format!("deletes everything below {}", parsed.at(2))))
        }
        "influx" if parsed.begins("bucket|org|user delete") || parsed.begins("delete") => {
            Some(DROP.grave(format!("deletes {}", parsed.words.join(" "))))
        }
        "turso" | "pscale" | "neonctl" | "xata"
            if parsed
                .words
                .iter()
                .any(|it| matches!(*it, "destroy" | "delete" | "rm")) =>
        {
            Some(DROP.grave(format!("deletes {}", parsed.words.join(" "))))
        }
        "bq" if parsed.words.first() == Some(&"rm") => {
            Some(DROP.grave(format!("deletes {}", listed(parsed.from(1)))))
        }
        "memcflush" => Some(KEYS.grave("empties the cache server")),
        "memcached-tool" if parsed.words.contains(&"flush_all") => {
            Some(KEYS.grave("empties the cache server"))
        }
        "nc" | "ncat" | "netcat" | "telnet" | "socat" => typed(run),
        "hbase" => console(
            run,
            &[
                "drop",
                "drop_all",
                "truncate",
                "truncate_preserve",
                "deleteall",
                "disable_all",
            ],
        ),
        "surreal" => console(run, &["remove"]),
        "arangosh" => {
            let code = parsed
                .value(&["javascript.execute-string"])
                .unwrap_or_default();
            ["_drop", ".drop(", "truncate(", "_truncate"]
                .iter()
                .any(|it| code.contains(it))
                .then(|| DROP.grave("drops or empties a database"))
        }
        _ => None,
    }
}

/// Commands of a store that are typed into its port: `echo flush_all | nc host 11211`.
fn typed(run: Run<'_>) -> Option<Effect> {
    let Stdin::Text(text) = &run.invocation.stdin else {
        return None;
    };
    let empties = text.lines().any(|line| {
        let first = line.split_whitespace().next().unwrap_or_default();
        matches!(
            first.to_ascii_lowercase().as_str(),
            "flush_all" | "flushall" | "flushdb"
        )
    });
    empties.then(|| KEYS.grave("empties the store that it talks to"))
}

/// A console of one's own language, whose statements begin with a verb.
fn console(run: Run<'_>, verbs: &[&str]) -> Option<Effect> {
    let Stdin::Text(text) = &run.invocation.stdin else {
        return None;
    };
    let statement = text.split([';', '\n']).map(str::trim).find(|it| {
        let verb = it
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        verbs.contains(&verb.as_str())
    })?;
    Some(DROP.grave(format!("runs `{statement}`")))
}

pub(super) fn queue(name: &str, parsed: &Parsed<'_>) -> Option<Effect> {
    let deletes = parsed.has(&["delete", "offset-json-file"])
        || (name == "rpk" && parsed.words.contains(&"delete"));
    let topic = parsed.value(&["topic"]).unwrap_or_default();
    deletes.then(|| QUEUE.grave(format!("deletes messages of {topic}")))
}
