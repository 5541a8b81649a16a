//! The kinds of things that service tools manage.

/// A word as it stands for one thing.
pub(super) fn singular(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    match lower.as_str() {
        "indices" | "indexes" => "index".to_owned(),
        "databases" => "database".to_owned(),
        _ => match lower.strip_suffix("ies") {
            Some(stem) => format!("{stem}y"),
            None => lower.strip_suffix('s').unwrap_or(&lower).to_owned(),
        },
    }
}

/// Kinds of things that hold data, or that everything hangs on.
#[rustfmt::skip]
pub(super) fn holds_data(kind: &str) -> bool {
    matches!(
        kind,
        "database" | "db" | "table" | "cluster" | "project" | "org" | "organization" | "organisation" | "account"
            | "workspace" | "space" | "tenant" | "bucket" | "volume" | "topic" | "queue" | "stream" | "index"
            | "collection" | "dataset" | "backup" | "snapshot" | "repo" | "repository" | "stack" | "environment"
            | "namespace" | "datasource" | "schema" | "keyspace" | "user" | "customer" | "bulk" | "record" | "data"
            | "storage" | "disk" | "site" | "app" | "application" | "server" | "instance" | "vm" | "machine" | "node"
            | "pipeline" | "job" | "vault" | "realm" | "zone" | "domain" | "partition" | "segment" | "core" | "model"
            | "experiment" | "registry" | "artifact" | "release" | "image" | "catalog" | "warehouse" | "lake" | "message"
            | "consumer" | "group" | "shard" | "vhost" | "document" | "object" | "container" | "archive"
            | "resource" | "deployment" | "inventory" | "ledger" | "wallet" | "keychain" | "asset" | "run" | "task"
            | "issue" | "ticket" | "content" | "client" | "pool" | "role" | "base" | "entity" | "recording" | "redi" | "redis"
            | "postgre" | "postgres" | "mysql" | "mongo" | "kafka" | "team" | "room" | "member" | "board"
            | "drive" | "network" | "vpc" | "subnet" | "fleet" | "shop" | "store" | "product" | "order" | "event" | "contact"
            | "source" | "theme" | "type" | "subscription" | "campaign" | "audience" | "property" | "list" | "view" | "dashboard"
    )
}

/// Kinds that the next deployment makes again.
pub(super) fn is_replaceable(kind: &str) -> bool {
    matches!(
        kind,
        "service"
            | "function"
            | "route"
            | "rule"
            | "webhook"
            | "tunnel"
            | "alert"
            | "monitor"
            | "dashboard"
            | "tag"
            | "label"
            | "token"
            | "key"
            | "secret"
            | "variable"
            | "deployment"
            | "endpoint"
            | "firewall"
            | "task"
            | "run"
            | "session"
            | "message"
            | "flag"
            | "certificate"
            | "cert"
            | "policy"
            | "role"
            | "link"
            | "target"
    )
}

/// Kinds that fill themselves again.
pub(super) fn is_cache(kind: &str) -> bool {
    matches!(
        kind,
        "cache" | "caches" | "log" | "logs" | "tmp" | "temp" | "transient" | "history" | "layer"
    )
}

/// Kinds that are the tool's own, on this machine.
pub(super) fn is_local_kind(kind: &str) -> bool {
    matches!(
        kind,
        "plugin"
            | "extension"
            | "component"
            | "alia"
            | "alias"
            | "config"
            | "configuration"
            | "profile"
            | "context"
            | "completion"
            | "cache"
            | "package"
            | "dependency"
            | "dep"
            | "module"
            | "template"
            | "hook"
            | "toolchain"
            | "remote"
            | "bookmark"
            | "history"
            | "box"
            | "tool"
            | "runtime"
            | "version"
            | "lock"
            | "tap"
            | "font"
            | "import"
            | "comment"
            | "line"
            | "column"
            | "row"
            | "unused"
            | "duplicate"
            | "whitespace"
            | "breakpoint"
            | "log"
            | "tmp"
            | "temp"
            | "worktree"
            | "patch"
            | "lib"
            | "library"
            | "kernel"
            | "kernelspec"
            | "venv"
            | "virtualenv"
            | "dialog"
            | "button"
            | "modal"
            | "form"
            | "field"
            | "local"
            | "output"
            | "screen"
            | "terminal"
            | "filter"
            | "selection"
            | "password"
            | "counter"
            | "zoom"
    )
}
