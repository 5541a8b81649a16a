//! Cloud providers: which of their commands delete data or whole stacks.
//!
//! The tools differ, but all name a kind of resource and a verb. A deletion is grave unless the kind
//! is one that the next deployment makes again.

use crate::effect::{Effect, Gravity};

use super::Run;
use super::args::{Parsed, Spec, listed, parse, word};
use super::rule::rules;
use super::table::{Row, Table};

rules! {
    DELETE = Cloud, "cloud.delete", "Deletes cloud resources with their data",
        instead "list or describe the resource first, and leave the deletion to the person";
    REPLACEABLE = Cloud, "cloud.delete-replaceable", "Deletes a cloud resource that a deployment makes again",
        instead "list or describe the resource first";
    STORAGE = Cloud, "cloud.storage", "Deletes objects or buckets",
        instead "list the objects first; most storage tools take `--dryrun` or `--dry-run`";
    STOP = Cloud, "cloud.stop", "Stops or changes running cloud resources",
        instead "look first with the command that lists or describes it, and leave the change to the person";
    SETTINGS = Cloud, "cloud.settings", "Removes settings or access of a running application",
        instead "list the settings first, and leave the change to the person";
}

/// Kinds of resources that hold no data of their own.
fn is_replaceable(kind: &str) -> bool {
    let kind = kind.trim_end_matches('s');
    [
        "function",
        "run",
        "service",
        "job",
        "alarm",
        "rule",
        "target",
        "schedule",
        "tag",
        "label",
        "route",
        "version",
        "listener",
        "metric",
        "dashboard",
        "webhook",
        "trigger",
        "subscription",
        "permission",
        "endpoint",
        "certificate",
        "record-set",
        "firewall",
        "address",
        "session",
        "deployment",
        "instance-template",
        "event-source-mapping",
        "layer",
        "check",
        "policy",
        "log-stream",
        "launch-template",
        "security-group",
        "domain",
        "alia",
        "invalidation",
        "slot",
        "channel",
        "revision",
        "health-check",
        "webapp",
        "containerapp",
        "functionapp",
        "app-service",
        "rule-group",
        "network-interface",
        "key-pair",
        "test-event",
    ]
    .iter()
    .any(|it| kind == *it || kind.ends_with(&format!("-{it}")))
}

const AWS: Spec = Spec::gnu(&[
    "profile",
    "region",
    "output",
    "query",
    "endpoint-url",
    "cli-input-json",
    "filters",
    "exclude",
    "include",
    "acl",
    "storage-class",
    "bucket",
    "key",
    "function-name",
    "stack-name",
]);
const VERBS: Spec = Spec::gnu(&[
    "project",
    "region",
    "zone",
    "format",
    "account",
    "g",
    "resource-group",
    "n",
    "name",
    "instance",
    "subscription",
    "a",
    "app",
    "r",
    "remote",
    "t",
    "token",
    "context",
    "c",
    "config",
    "query",
    "o",
    "output",
    "filter",
    "access-token",
    "cluster",
    "location",
    "vault-name",
    "s",
    "scope",
    "f",
]);

#[rustfmt::skip]
pub(super) static ROWS: Table = Table::new(&[
    Row::doubtful(&["heroku"], "config:unset|addons:detach|domains:remove|ps:scale|ps:stop|maintenance:on|releases:rollback|rollback|access:remove|certs:remove|drains:remove", &SETTINGS, "changes the running application: {}"),
    Row::grave(&["heroku"], "apps:destroy|apps:delete|destroy|addons:destroy|pg:reset|pg:backups:delete|spaces:destroy|teams:destroy|redis:reset|kafka:topics:destroy|pipelines:destroy|repo:reset|pg:copy|data:maintenances:run", &DELETE, "deletes {}"),
    Row::fine(&["fly", "flyctl"], "secrets list"),
    Row::grave(&["fly", "flyctl"], "apps|app|volumes|volume|vol|postgres|pg|mysql|redis|storage|orgs|tigris|mpg destroy|delete|rm", &DELETE, "deletes {}"),
    Row::grave(&["fly", "flyctl"], "destroy", &DELETE, "deletes the application {}"),
    Row::doubtful(&["fly", "flyctl"], "machine|machines|m|secrets|ips|certs|scale destroy|remove|unset|release|stop|count|kill", &STOP, "changes the running application: {}"),
    Row::doubtful(&["vercel", "vc", "now"], "remove|rm", &REPLACEABLE, "removes the deployment {}"),
    Row::doubtful(&["vercel", "vc", "now"], "env|secrets|alias|domains|dns|certs|project|projects|blob|integration rm|remove|del|delete", &SETTINGS, "removes {}"),
    Row::doubtful(&["vercel", "vc"], "rollback|promote", &STOP, "changes what is served"),
    Row::grave(&["netlify", "ntl"], "sites:delete|blobs:delete|db:drop", &DELETE, "deletes the site {}"),
    Row::doubtful(&["netlify", "ntl"], "env:unset|functions:delete|unlink", &SETTINGS, "removes {}"),
    Row::grave(&["wrangler"], "r2 bucket|object delete", &STORAGE, "deletes {}"),
    Row::grave(&["wrangler"], "d1|kv|kv:namespace|queues|vectorize|hyperdrive|pages|dispatch-namespace delete|purge", &DELETE, "deletes {}"),
    Row::grave(&["wrangler"], "kv|pages|queues namespace|project|key|deployment delete", &DELETE, "deletes {}"),
    Row::doubtful(&["wrangler"], "delete|rollback|secret|kv:key|secret:bulk delete", &REPLACEABLE, "removes the deployed worker or its settings"),
    Row::doubtful(&["wrangler"], "delete|rollback", &REPLACEABLE, "removes the deployed worker"),
    Row::grave(&["railway"], "down|delete|volume", &DELETE, "removes the deployment with its data"),
    Row::grave(&["render", "northflank", "koyeb", "scalingo", "clever", "platform", "platformsh", "upsun", "porter", "qovery", "cpln"], "* delete|destroy|rm", &DELETE, "deletes {}"),
    Row::grave(&["render", "koyeb", "scalingo", "clever", "dokku"], "delete|destroy|apps:destroy|postgres:destroy|mysql:destroy|redis:destroy|mongo:destroy", &DELETE, "deletes {}"),
    Row::grave(&["platform", "platformsh", "upsun"], "environment:delete|project:delete|e:delete", &DELETE, "deletes {}"),
    Row::grave(&["s3cmd", "s4cmd", "s5cmd"], "rb|del|rm|expire", &STORAGE, "deletes {}"),
    Row::grave(&["s3cmd", "s5cmd"], "sync", &STORAGE, "deletes what the source does not have in {}").with(&["delete-removed", "delete"]),
    Row::grave(&["rclone"], "purge|delete|deletefile|rmdirs|cleanup", &STORAGE, "deletes {}"),
    Row::grave(&["rclone"], "sync", &STORAGE, "makes {} equal, and deletes the rest"),
    Row::doubtful(&["rclone"], "move|moveto|bisync|dedupe|rmdir", &STORAGE, "moves {}"),
    Row::grave(&["mc", "mcli"], "rb", &STORAGE, "deletes the bucket {}"),
    Row::grave(&["mc", "mcli"], "rm", &STORAGE, "deletes everything in {}").with(&["recursive", "r", "force", "dangerous", "incomplete", "versions"]),
    Row::doubtful(&["mc", "mcli"], "rm", &STORAGE, "deletes {}"),
    Row::grave(&["mc", "mcli"], "mirror", &STORAGE, "deletes what the source does not have in {}").with(&["remove", "overwrite"]),
    Row::grave(&["gsutil"], "rb", &STORAGE, "deletes the bucket {}"),
    Row::grave(&["azcopy"], "remove|rm", &STORAGE, "deletes {}"),
    Row::grave(&["azcopy"], "sync", &STORAGE, "deletes what the source does not have").with(&["delete-destination"]),
    Row::grave(&["b2"], "delete-bucket|delete-file-version|rm", &STORAGE, "deletes {}"),
    Row::grave(&["b2"], "bucket|file delete", &STORAGE, "deletes {}"),
    Row::grave(&["swift"], "delete", &STORAGE, "deletes {}"),
]);

pub(super) fn effects(run: Run<'_>) -> Vec<Effect> {
    let mut found = known_effects(run);
    // What others use every day is no resource that the next deployment may make again at leisure.
    for effect in found
        .iter_mut()
        .filter(|it| it.rule == REPLACEABLE.id || it.rule == STORAGE.id)
    {
        if run.args.iter().map(word).any(names_production) {
            effect.gravity = Gravity::Grave;
        }
    }
    found
}

/// Whether a word names what is in use: `prod-db`, `web_production`.
pub(super) fn names_production(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .any(|part| matches!(part, "prod" | "production" | "prd" | "live"))
}

fn known_effects(run: Run<'_>) -> Vec<Effect> {
    let found = match run.name {
        "aws" | "awslocal" | "aws2" => aws(&parse(run.args, &AWS)),
        "gsutil" => gsutil(run),
        "gcloud" | "az" | "doctl" | "linode-cli" | "openstack" | "hcloud" | "scw" | "oci"
        | "ibmcloud" | "aliyun" | "tccli" | "vultr-cli" | "vultr" | "civo" | "exo" | "ovhcloud"
        | "nova" | "cinder" | "atlas" | "confluent" | "databricks" | "snow" | "upctl" | "yc"
        | "stackit" | "bunny" | "mongocli" | "elastic" | "ecctl" | "equinix" | "metal"
        | "packet" | "nebius" | "runpodctl" | "vastai" | "modal" | "gcloud-beta"
        | "equinix-metal" | "auth0" | "stripe" | "twilio" => {
            verbs(run.name, &parse(run.args, &VERBS))
        }
        name if ROWS.knows(name) => {
            let parsed = parse(run.args, &VERBS);
            if parsed.is_dry_run() || parsed.has(&["n"]) {
                None
            } else {
                ROWS.first(run, &parsed)
            }
        }
        _ => None,
    };
    found.into_iter().collect()
}

fn aws(parsed: &Parsed<'_>) -> Option<Effect> {
    if parsed.is_dry_run() || parsed.is_on(&["generate-cli-skeleton"]) {
        return None;
    }
    let (service, command) = (parsed.at(0), parsed.at(1));
    if service == "s3" {
        return s3(command, parsed);
    }
    let what = format!(
        "changes what runs in the cloud ({service} {command}): {}",
        listed(parsed.from(2))
    );
    let what = what.trim_end().to_owned();
    match command.split_once('-') {
        Some(("delete" | "terminate" | "destroy" | "purge" | "deregister" | "batch", kind)) => {
            let kind = kind.strip_prefix("delete-").unwrap_or(kind);
            if command.starts_with("batch-") && !command.contains("delete") {
                return None;
            }
            let light = is_replaceable(kind) || (service == "lambda" && !kind.starts_with("layer"));
            if light || command.starts_with("deregister") {
                return Some(REPLACEABLE.doubtful(what));
            }
            if service == "s3api" {
                return Some(if kind == "object" {
                    STORAGE.doubtful(what)
                } else {
                    STORAGE.grave(what)
                });
            }
            Some(DELETE.grave(what))
        }
        Some(("schedule", "key-deletion") | ("empty" | "force", _)) => Some(DELETE.grave(what)),
        Some((
            "stop" | "reboot" | "suspend" | "disable" | "detach" | "revoke" | "release" | "remove"
            | "cancel" | "restore" | "reset" | "modify",
            _,
        )) => Some(STOP.doubtful(what)),
        Some(("update" | "put" | "execute" | "deploy" | "create", _))
            if service == "cloudformation" =>
        {
            Some(STOP.doubtful(what))
        }
        Some(
            (
                "put",
                "bucket-lifecycle-configuration"
                | "bucket-policy"
                | "bucket-acl"
                | "user-policy"
                | "role-policy",
            )
            | ("attach", "user-policy" | "role-policy" | "group-policy")
            | ("authorize", _),
        ) => Some(SETTINGS.doubtful(what)),
        _ => None,
    }
}

fn s3(command: &str, parsed: &Parsed<'_>) -> Option<Effect> {
    let target = listed(parsed.from(2));
    match command {
        "rb" => Some(STORAGE.grave(format!("deletes the bucket {target}"))),
        "rm" if parsed.has(&["recursive"]) => {
            Some(STORAGE.grave(format!("deletes everything in {target}")))
        }
        "rm" => Some(STORAGE.doubtful(format!("deletes {target}"))),
        "sync" if parsed.has(&["delete"]) => {
            let to = parsed.words.last().copied().unwrap_or_default();
            Some(STORAGE.grave(format!("deletes what the source does not have in {to}")))
        }
        "mv" if parsed.has(&["recursive"]) => {
            Some(STORAGE.doubtful(format!("moves everything in {target}")))
        }
        _ => None,
    }
}

fn gsutil(run: Run<'_>) -> Option<Effect> {
    let parsed = parse(run.args, &Spec::gnu(&["o", "h", "u"]));
    let (command, target) = (parsed.at(0), listed(parsed.from(1)));
    match command {
        "rb" => Some(STORAGE.grave(format!("deletes the bucket {target}"))),
        "rm" if parsed.has(&["r", "R", "a", "I"]) || target.contains("**") => {
            Some(STORAGE.grave(format!("deletes everything in {target}")))
        }
        "rm" => Some(STORAGE.doubtful(format!("deletes {target}"))),
        "rsync" if parsed.has(&["d"]) && !parsed.has(&["n"]) => {
            Some(STORAGE.grave(format!("deletes what the source does not have in {target}")))
        }
        _ => None,
    }
}

/// Tools that name a resource by words and then a verb.
fn verbs(program: &str, parsed: &Parsed<'_>) -> Option<Effect> {
    if parsed.is_dry_run() || parsed.has(&["preview", "validate-only"]) {
        return None;
    }
    let verb_at = parsed.words.iter().take(6).position(|it| {
        matches!(
            *it,
            "delete"
                | "destroy"
                | "rm"
                | "remove"
                | "purge"
                | "terminate"
                | "delete-instance"
                | "wipe"
                | "stop"
                | "reset"
                | "deallocate"
                | "restart"
                | "reboot"
                | "shutdown"
                | "shelve"
                | "disable"
                | "suspend"
                | "rebuild"
                | "drop"
                | "delete-batch"
                | "unset"
                | "remove-iam-policy-binding"
                | "add-iam-policy-binding"
                | "set-iam-policy"
                | "failover"
                | "redeploy"
                | "rotate"
        )
    })?;
    let verb = parsed.at(verb_at);
    let kinds = parsed.words.get(..verb_at).unwrap_or_default();
    let kind = kinds.last().copied().unwrap_or_default();
    let named = listed(parsed.from(verb_at + 1));
    // What the tool itself is made of, on this machine.
    if matches!(
        kind,
        "extension" | "extensions" | "components" | "component" | "plugins" | "plugin" | "alias"
    ) {
        return None;
    }
    let what = format!("{program}: {} {verb} {named}", kinds.join(" "));
    let what = what.trim_end().to_owned();
    if kinds
        .iter()
        .any(|it| matches!(*it, "secrets" | "auth" | "config" | "configurations"))
        && program == "gcloud"
        && verb == "unset"
    {
        return None;
    }
    let storage = matches!(
        kind,
        "storage" | "blob" | "buckets" | "container" | "bucket" | "objects" | "object" | "os"
    );
    match verb {
        "delete" | "destroy" | "rm" | "remove" | "purge" | "terminate" | "delete-instance"
        | "wipe" | "drop" | "delete-batch" => {
            if storage && program != "doctl" && kind != "container" {
                let wide = parsed.has(&[
                    "r",
                    "R",
                    "recursive",
                    "a",
                    "all-versions",
                    "continue-on-error",
                ]) || verb == "delete-batch"
                    || kind.starts_with("bucket")
                    || named.contains("**")
                    || kind == "container";
                return Some(if wide {
                    STORAGE.grave(what)
                } else {
                    STORAGE.doubtful(what)
                });
            }
            if is_replaceable(kind) && kind != "instances" {
                return Some(REPLACEABLE.doubtful(what));
            }
            Some(DELETE.grave(what))
        }
        _ => Some(STOP.doubtful(what)),
    }
}
