//! Code for the consoles of frameworks and services: settings that hold secrets, and clients that delete.

use crate::effect::Effect;

use super::super::secrets::names_a_secret;
use super::{DATABASE, SECRET_FILE, SETTINGS};

/// What code does through the objects of a framework or of a service's library.
pub(super) fn judge(bare: &str, literals: &[String]) -> Vec<Effect> {
    let mut found = Vec::new();
    found.extend(settings(bare, literals));
    found.extend(services(bare));
    found
}

fn prints(bare: &str) -> bool {
    [
        "print",
        "puts",
        "echo",
        "console.log",
        "dump(",
        "dd(",
        "inspect",
        "p ",
        "pp ",
        "IO.puts",
        "say ",
        "write(",
    ]
    .iter()
    .any(|it| bare.contains(it))
}

/// `print(settings.SECRET_KEY)`, `p Rails.application.credentials`, `dump(config("database"))`.
fn settings(bare: &str, literals: &[String]) -> Option<Effect> {
    if !prints(bare) {
        return None;
    }
    let loads = bare.contains("dotenv_values(")
        || (bare.contains(".config()") && literals.iter().any(|it| it == "dotenv"));
    if loads {
        return Some(SECRET_FILE.grave("prints the environment file of the project"));
    }
    let whole = [
        "application.credentials",
        "application.secrets",
        "secret_key_base",
    ]
    .iter()
    .any(|it| bare.contains(it))
        || literals.iter().any(|it| it == "SECRET_KEY_BASE");
    if whole {
        return Some(SETTINGS.grave("prints the credentials of the application"));
    }
    let holder = [
        "settings.",
        "settings[",
        "settings,",
        "(env(",
        " env(",
        "app.config",
        "config(",
        "current_app.config",
        "Application.get_env",
        "Config.",
    ]
    .iter()
    .any(|it| bare.contains(it));
    if !holder {
        return None;
    }
    let named = bare
        .split(|it: char| !(it.is_ascii_alphanumeric() || it == '_'))
        .chain(literals.iter().map(String::as_str))
        .find(|it| it.len() > 4 && names_a_secret(it));
    let connections = literals
        .iter()
        .any(|it| it.starts_with("database.connections") || it == "database" || it == "services");
    if named.is_some() || (connections && bare.contains("config(")) {
        return Some(SETTINGS.grave("prints a secret of the application's settings"));
    }
    None
}

/// Clients of services that delete whole things.
fn services(bare: &str) -> Option<Effect> {
    let calls = [
        "indices.delete(",
        "delete_index(",
        "volumes.prune(",
        ".delete_bucket(",
        "delete_objects(",
        "objects.all()",
        "delete_collection(",
        "delete_table(",
        "delete_stack(",
        "terminate_instances(",
        "delete_db_instance(",
        "delete_namespace(",
        "delete_queue(",
        "purge_queue(",
        "delete_topics(",
        "deleteTopics(",
        "delete_cluster(",
        "delete_repo(",
        "deleteBucket",
        "DeleteBucket",
        "DeleteTable",
        "TerminateInstances",
        "DeleteStack",
        "delete_db_cluster(",
        "delete_volume(",
        "delete_snapshot(",
        "drop_index(",
        "delete_dataset(",
        "Queue.new.clear",
        "RetrySet.new.clear",
        "delete_database(",
        "remove_collection(",
        "drop_collection(",
        "deleteCollection(",
    ];
    let lists = bare.contains("volumes.list(") && bare.contains(".remove(");
    let deletes =
        |it: &&str| bare.contains(*it) && (*it != "objects.all()" || bare.contains(".delete("));
    (lists || calls.iter().any(deletes)).then(|| DATABASE.grave("deletes what a service keeps"))
}
