//! Stores and services that are changed by requests: which of them delete what nobody can make again.

use crate::effect::Effect;

use super::{REQUEST, STORE, Target};
use crate::families::fetched_code::is_local;

/// Ports on which stores of data listen, on this machine too.
fn is_store_port(port: &str) -> bool {
    matches!(
        port,
        "9200"
            | "9201"
            | "5984"
            | "6333"
            | "8108"
            | "7700"
            | "15672"
            | "8983"
            | "19530"
            | "9091"
            | "8529"
            | "7474"
            | "4151"
            | "4171"
            | "8161"
            | "8081"
            | "8083"
            | "8086"
            | "8428"
            | "9428"
            | "8123"
            | "8500"
            | "2379"
            | "8200"
            | "6334"
            | "2480"
            | "7687"
            | "9090"
    )
}

/// Kinds of things that a store keeps.
fn is_store_kind(part: &str) -> bool {
    matches!(
        part,
        "collections"
            | "indexes"
            | "indices"
            | "schema"
            | "queues"
            | "vhosts"
            | "exchanges"
            | "topics"
            | "topic"
            | "databases"
            | "database"
            | "_database"
            | "graphs"
            | "subjects"
            | "connectors"
            | "cores"
            | "buckets"
            | "namespaces"
            | "classes"
            | "tenants"
            | "channel"
            | "tables"
            | "collection"
            | "repositories"
            | "_data_stream"
            | "_snapshot"
            | "_ilm"
            | "_index_template"
            | "streams"
            | "partitions"
            | "series"
            | "volumes"
    )
}

/// A DELETE on a store of this machine or another.
pub(super) fn deletes(target: &Target<'_>, parts: &[&str], what: &str) -> Option<Effect> {
    let kind = parts.iter().any(|it| is_store_kind(it));
    if is_store_port(target.port) && kind {
        return Some(STORE.grave(what));
    }
    // Weaviate and Chroma share their port with everybody's server.
    let versioned = matches!(parts.first(), Some(&("v1" | "v2" | "api")));
    let schema = parts
        .iter()
        .any(|it| matches!(*it, "schema" | "collections"));
    if matches!(target.port, "8080" | "8000") && versioned && schema && is_local(target.host) {
        return Some(STORE.grave(what));
    }
    None
}

/// One index of a search engine: what is dated is made again every day.
pub(super) fn deletes_index(parts: &[&str], what: &str) -> Effect {
    let first = parts.first().copied().unwrap_or_default();
    let all = first.is_empty() || first.contains('*') || first == "_all";
    let system = matches!(first, "_data_stream" | "_snapshot");
    let dated = first.chars().any(|c| c.is_ascii_digit());
    if all || system || (parts.len() == 1 && !dated && !first.starts_with('_')) {
        STORE.grave(what)
    } else {
        STORE.doubtful(what)
    }
}

/// Requests that delete by another method: `POST …/points/delete`, `?action=DELETE`, a body that says so.
pub(super) fn deletes_otherwise(
    target: &Target<'_>,
    method: &str,
    body: &str,
    url: &str,
) -> Option<Effect> {
    let local = is_local(target.host) || target.host.is_empty();
    let last = target
        .path
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    let plain: String = body
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect::<String>()
        .to_ascii_lowercase();
    let what = format!("deletes by {url}");
    let lower = target.query.to_ascii_lowercase();
    if lower.contains("action=delete") || lower.contains("action=unload") {
        return Some(STORE.grave(what));
    }
    if plain.contains("<delete><query>*:*")
        || plain.contains("\"delete\":{\"query\":\"*:*")
        || plain.contains("drop_all")
    {
        return Some(STORE.grave(what));
    }
    let clears = matches!(
        last,
        "delete" | "drop" | "purge" | "truncate" | "empty" | "prune" | "_delete_by_query" | "clear"
    );
    if clears
        && matches!(method, "POST" | "PUT" | "PATCH" | "")
        && !(method.is_empty() && body.is_empty())
    {
        if is_store_port(target.port) {
            return Some(STORE.grave(what));
        }
        return (!local).then(|| REQUEST.doubtful(what));
    }
    if plain.contains("mutation") && !local {
        let all = plain.contains("deleteall")
            || plain.contains("destroyall")
            || plain.contains("deletemany");
        let deletes =
            all || plain.contains("delete") || plain.contains("destroy") || plain.contains("purge");
        let effect = if all {
            STORE.grave(what)
        } else {
            REQUEST.doubtful(what)
        };
        return deletes.then_some(effect);
    }
    // Firebase: an empty value takes everything below a path away.
    (method == "PUT" && plain == "null" && !local).then(|| STORE.grave(what))
}

/// Kinds of things that much hangs on; one user or one document is less.
#[rustfmt::skip]
fn is_whole(part: &str) -> bool {
    matches!(
        part,
        "repos" | "projects" | "apps" | "applications" | "zones" | "droplets" | "servers" | "sites" | "namespaces" | "volumes"
            | "databases" | "buckets" | "indexes" | "collections" | "clusters" | "instances" | "organizations" | "orgs"
            | "workspaces" | "bases" | "environments" | "accounts" | "vms" | "disks" | "snapshots" | "backups"
            | "repositories" | "stacks" | "domains" | "topics" | "queues" | "streams" | "tables" | "tenants" | "vaults"
            | "packages" | "spaces" | "datasets" | "branches" | "linodes" | "firewalls" | "networks" | "subscriptions"
    )
}

/// A DELETE on a service of others: whole things that hold data, by the kind in the path.
pub(super) fn deletes_remote(parts: &[&str], what: &str) -> Effect {
    let whole = parts.iter().enumerate().any(|(at, part)| {
        let after = parts.len() - at - 1;
        (1..=2).contains(&after) && is_whole(part)
    });
    let everything = parts
        .last()
        .is_some_and(|it| matches!(*it, ".json" | "*" | "all"));
    if whole || everything {
        STORE.grave(what)
    } else {
        REQUEST.doubtful(what)
    }
}

/// The interface of a container engine, behind its socket.
pub(super) fn container_engine(path: &str, method: &str, url: &str) -> Option<Effect> {
    let what = format!("deletes by {url}");
    let volumes = path.contains("volumes");
    match method {
        "DELETE" if volumes => Some(STORE.grave(what)),
        "DELETE" => Some(REQUEST.doubtful(what)),
        "POST" if path.ends_with("/prune") && volumes => Some(STORE.grave(what)),
        "POST" if path.ends_with("/prune") => Some(REQUEST.doubtful(what)),
        _ => None,
    }
}
