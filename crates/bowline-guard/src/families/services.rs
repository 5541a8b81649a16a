//! Tools of services and devices that have words of their own: phones and their simulators, data platforms, mirrors,
//! consoles of storage.

use crate::effect::Effect;
use crate::invocation::Stdin;

use super::Run;
use super::args::{Parsed, Spec, listed, parse, word};
use super::rule::rules;
use super::table::{Row, Table};

rules! {
    DEVICE = Delete, "services.device", "Erases a device or a simulator, or an application's data on it",
        instead "list the devices first, and leave this to the person";
    DATA = Cloud, "services.data", "Deletes data that a platform keeps",
        instead "list what there is first; many of these tools take `--dry-run`";
    MIRROR = Delete, "services.mirror", "Deletes at the destination what the source does not have",
        instead "compare the two places first, without writing";
    CHANGE = Cloud, "services.change", "Changes or stops what others use",
        instead "look at the state first, and leave the change to the person";
    PUBLISH = Remote, "services.publish", "Publishes something",
        instead "build it first, and leave the publishing to the person";
}

#[rustfmt::skip]
pub(super) static ROWS: Table = Table::new(&[
    // Phones and simulators.
    Row::fine(&["xcrun"], "simctl delete unavailable"),
    Row::grave(&["xcrun"], "simctl erase|delete all", &DEVICE, "erases every simulator"),
    Row::doubtful(&["xcrun"], "simctl erase|delete", &DEVICE, "erases the simulator {}"),
    Row::doubtful(&["xcrun"], "altool", &PUBLISH, "uploads the application").with(&["upload-app", "upload-package", "u"]),
    Row::grave(&["fastboot"], "erase|format|wipe-super|oem|update|flashall", &DEVICE, "erases the device: {}"),
    Row::grave(&["fastboot"], "flashing unlock|unlock_critical|lock", &DEVICE, "erases the device"),
    Row::grave(&["fastboot"], "", &DEVICE, "erases the device").with(&["w", "wipe"]),
    Row::doubtful(&["fastboot"], "flash", &DEVICE, "writes over a part of the device: {}"),
    Row::grave(&["heimdall", "odin", "spflash"], "flash|format", &DEVICE, "writes over the device"),
    Row::grave(&["idevicerestore", "futurerestore"], "", &DEVICE, "restores the device"),
    Row::doubtful(&["ideviceinstaller"], "uninstall", &DEVICE, "removes the application {}"),
    Row::doubtful(&["ideviceinstaller"], "", &DEVICE, "removes an application").with(&["U", "uninstall"]),
    Row::doubtful(&["adb"], "uninstall|restore|sideload|root", &DEVICE, "changes the device: {}"),
    Row::grave(&["recovery"], "", &DEVICE, "erases the device").with(&["wipe_data", "wipe-data"]),
    Row::doubtful(&["pm", "cmd"], "clear|uninstall|trim-caches", &DEVICE, "deletes the data of {}"),
    Row::doubtful(&["pm", "cmd"], "package clear|uninstall", &DEVICE, "deletes the data of {}"),
    Row::grave(&["content"], "delete", &DEVICE, "deletes what the device keeps"),
    Row::doubtful(&["settings"], "delete|reset", &DEVICE, "deletes a setting of the device"),
    Row::grave(&["fastlane"], "match nuke|change_password", &DEVICE, "revokes certificates and profiles of the team"),
    Row::grave(&["fastlane"], "nuke", &DEVICE, "revokes certificates and profiles of the team"),
    // Data platforms.
    Row::grave(&["dvc"], "gc", &DATA, "deletes stored versions of data").with(&["cloud", "c", "all-experiments"]),
    Row::doubtful(&["dvc"], "gc|destroy", &DATA, "deletes cached versions of data"),
    Row::doubtful(&["dvc"], "exp|experiments remove|gc", &DATA, "deletes experiments"),
    Row::grave(&["dagster"], "run|asset|job wipe|delete", &DATA, "deletes the records of {}"),
    Row::doubtful(&["airflow"], "tasks clear", &DATA, "clears the history of {}"),
    Row::doubtful(&["dbt"], "run|build|snapshot|seed", &DATA, "builds tables anew, without their history").with(&["full-refresh"]),
    Row::doubtful(&["kaggle"], "kernels|datasets|models push|create|version", &PUBLISH, "publishes {}"),
    Row::doubtful(&["ray"], "down|stop|kill-random-node", &CHANGE, "takes the cluster down"),
    Row::doubtful(&["huggingface-cli", "hf"], "delete-cache", &DATA, "deletes downloaded models"),
    Row::doubtful(&["hf"], "cache delete|prune", &DATA, "deletes downloaded models"),
    Row::grave(&["rpk"], "topic trim-prefix", &DATA, "deletes the messages of {}"),
    Row::grave(&["rq"], "empty", &DATA, "deletes the jobs of {}"),
    Row::grave(&["sidekiqctl", "sidekiq-cli"], "clear|quiet|stop", &DATA, "deletes waiting jobs"),
    Row::grave(&["feast"], "teardown", &DATA, "tears the feature store down"),
    Row::grave(&["mlflow"], "experiments|runs|models delete|delete-experiment|gc", &DATA, "deletes {}"),
    Row::grave(&["druid-tool", "druid"], "kill-datasource|reset-cluster", &DATA, "deletes {}"),
    Row::grave(&["neo4j-admin"], "database|server delete|load|drop", &DATA, "replaces or deletes the database {}"),
    Row::grave(&["sqitch"], "revert|rebase", &DATA, "takes changes of the database back"),
    Row::grave(&["medusa", "strapi", "directus", "keystone", "payload", "appwrite"], "db:reset|database:reset|reset", &DATA, "resets the database"),
    Row::grave(&["strapi"], "import|transfer", &DATA, "replaces the data of the application").with(&["force"]),
    Row::grave(&["keystone"], "prisma reset", &DATA, "resets the database"),
    Row::doubtful(&["consul", "etcdctl", "nomad", "vault"], "snapshot|operator restore|snapshot", &DATA, "replaces the state by an old one"),
    Row::grave(&["kopia"], "maintenance run", &DATA, "deletes what older snapshots need").with(&["safety"]),
    Row::grave(&["rdiff-backup"], "", &DATA, "deletes old backups").with(&["remove-older-than"]),
    Row::grave(&["rdiff-backup"], "remove", &DATA, "deletes old backups"),
    Row::doubtful(&["ipfs"], "pin rm|unpin", &DATA, "lets stored content go"),
    Row::doubtful(&["ipfs"], "repo gc", &DATA, "deletes stored content"),
    // Mirrors.
    Row::grave(&["b2"], "sync", &MIRROR, "deletes at the destination what the source does not have").with(&["delete", "replace-newer"]),
    Row::grave(&["az"], "storage blob|fs|file sync", &MIRROR, "deletes at the destination what the source does not have").with(&["delete-destination"]),
    Row::grave(&["gcloud"], "storage rsync", &MIRROR, "deletes at the destination what the source does not have").with(&["delete-unmatched-destination-objects"]),
    Row::grave(&["unison"], "", &MIRROR, "replaces one side by the other").with(&["force", "prefer"]),
    Row::grave(&["syncthing"], "cli operations folder-override|folder-revert", &MIRROR, "replaces what the other machines have"),
    // What others use.
    Row::grave(&["twilio"], "api:core:accounts:update", &CHANGE, "closes or suspends the account").with(&["status"]),
    Row::doubtful(&["shopify"], "theme publish|push|delete", &PUBLISH, "changes the shop's theme"),
    Row::doubtful(&["tailscale"], "logout|down|lock", &CHANGE, "takes this machine off its network"),
    Row::doubtful(&["dnscontrol"], "push", &CHANGE, "changes names of the domain"),
    Row::doubtful(&["octodns-sync"], "", &CHANGE, "changes names of the domain").with(&["doit"]),
    Row::doubtful(&["grafana-cli", "grafana"], "admin reset-admin-password", &CHANGE, "replaces the administrator's password"),
    Row::doubtful(&["glab"], "ci cancel|delete", &CHANGE, "cancels {}"),
    Row::doubtful(&["gh"], "run|codespace cancel|stop", &CHANGE, "cancels {}"),
    Row::doubtful(&["bk", "buildkite"], "build|job cancel", &CHANGE, "cancels {}"),
    Row::doubtful(&["k6"], "cloud abort", &CHANGE, "cancels {}"),
    Row::doubtful(&["yarn"], "application|app|applicationattempt", &CHANGE, "ends {}").with(&["kill"]),
]);

const LONG: Spec = Spec::long(&["r", "R", "project", "region", "n", "namespace"]);
const GNU: Spec = Spec::gnu(&["project", "region", "n", "namespace", "remote", "r", "s"]);

pub(super) fn effects(run: Run<'_>) -> Vec<Effect> {
    let found = match run.name {
        "hdfs" | "hadoop" => hadoop(&parse(run.args, &LONG)),
        "robocopy" | "xcopy" => robocopy(run),
        "lftp" | "sftp" | "ftp" => console(run),
        "fpsync" | "parsyncfp" | "rsyncrotate" => carried_mirror(run),
        "migrate" => migrate(run),
        "goose" | "tern" => goose(run),
        "cipher" | "bcdedit" | "diskpart" | "wmic" | "schtasks" | "net" | "hdiutil" => windows(run),
        name if ROWS.knows(name) => {
            let spec = match name {
                "unison" | "xcrun" | "yarn" => &LONG,
                _ => &GNU,
            };
            let parsed = parse(run.args, spec);
            if parsed.is_dry_run() || parsed.is_on(&["dry"]) {
                None
            } else {
                ROWS.first(run, &parsed)
            }
        }
        _ => None,
    };
    found.into_iter().collect()
}

/// `hdfs dfs -rm -r /path`.
fn hadoop(parsed: &Parsed<'_>) -> Option<Effect> {
    if !parsed.begins("dfs|fs|dfsadmin|namenode") {
        return None;
    }
    let what = format!("deletes {}", listed(parsed.from(1)));
    if parsed.has(&["rmr", "expunge", "format", "deleteSnapshot", "rollback"]) {
        return Some(DATA.grave(what));
    }
    if !parsed.has(&["rm", "rmdir", "truncate"]) {
        return None;
    }
    let wide =
        parsed.has(&["r", "R", "skipTrash"]) || parsed.words.iter().any(|it| it.contains('*'));
    Some(if wide {
        DATA.grave(what)
    } else {
        DATA.doubtful(what)
    })
}

/// `/MIR` deletes at the destination, `/MOVE` at the source; `/L` only lists.
fn robocopy(run: Run<'_>) -> Option<Effect> {
    let flags: Vec<String> = run
        .args
        .iter()
        .map(|it| word(it).to_ascii_uppercase())
        .collect();
    let has = |wanted: &[&str]| flags.iter().any(|it| wanted.contains(&it.as_str()));
    (has(&["/MIR", "/PURGE", "/MOVE", "/MOV"]) && !has(&["/L"]))
        .then(|| MIRROR.grave("deletes at the destination what the source does not have"))
}

/// Consoles that take the commands of another machine's storage, in an option or on their standard input.
fn console(run: Run<'_>) -> Option<Effect> {
    let mut texts: Vec<&str> = parse(run.args, &Spec::gnu(&["e", "c"]))
        .values(&["e", "c"])
        .collect();
    if let Stdin::Text(text) = &run.invocation.stdin {
        texts.push(text);
    }
    texts
        .iter()
        .flat_map(|text| text.split(['\n', ';', '&']))
        .find_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let what = format!("deletes on the other machine: {}", line.trim());
            match words.as_slice() {
                ["mirror", rest @ ..]
                    if rest
                        .iter()
                        .any(|it| it.starts_with("--delete") || *it == "-e") =>
                {
                    Some(MIRROR.grave(what))
                }
                ["rm" | "mrm" | "mdelete" | "rmdir" | "glob", rest @ ..] => {
                    let wide = rest
                        .iter()
                        .any(|it| it.starts_with('-') || it.contains('*'));
                    Some(if wide {
                        DATA.grave(what)
                    } else {
                        DATA.doubtful(what)
                    })
                }
                ["delete", _, ..] => Some(DATA.doubtful(what)),
                _ => None,
            }
        })
}

/// Tools that start rsync many times, with its options in one of theirs.
fn carried_mirror(run: Run<'_>) -> Option<Effect> {
    run.args
        .iter()
        .map(word)
        .any(|it| it.contains("--delete"))
        .then(|| MIRROR.grave("deletes at the destination what the source does not have"))
}

/// Tools whose options begin with a slash.
fn windows(run: Run<'_>) -> Option<Effect> {
    let words: Vec<String> = run
        .args
        .iter()
        .map(|it| word(it).to_ascii_lowercase())
        .collect();
    let has = |wanted: &[&str]| words.iter().any(|it| wanted.contains(&it.as_str()));
    let what = format!("{} {}", run.name, words.join(" "));
    match run.name {
        "cipher" if words.iter().any(|it| it.starts_with("/w")) => Some(DEVICE.grave(what)),
        "bcdedit" if has(&["/delete", "/deletevalue", "/set"]) => Some(DEVICE.grave(what)),
        "diskpart" if has(&["/s"]) => Some(DEVICE.doubtful(what)),
        "wmic" if has(&["delete", "uninstall"]) => Some(DEVICE.grave(what)),
        "schtasks" | "net" if has(&["/delete"]) => Some(DEVICE.doubtful(what)),
        "hdiutil" if has(&["erasekeys"]) => Some(DEVICE.grave(what)),
        _ => None,
    }
}

/// `goose -dir x postgres dsn reset`: the command stands anywhere.
fn goose(run: Run<'_>) -> Option<Effect> {
    let parsed = parse(
        run.args,
        &Spec::long(&["dir", "table", "s", "c", "m", "migrations", "config"]),
    );
    let has = |wanted: &[&str]| parsed.words.iter().any(|it| wanted.contains(it));
    if has(&["reset", "down-to", "drop"]) {
        return Some(DATA.grave("takes every migration back"));
    }
    has(&["down", "redo"]).then(|| DATA.doubtful("takes a migration back"))
}

/// `migrate -path x -database y down -all`: options have one dash.
fn migrate(run: Run<'_>) -> Option<Effect> {
    let parsed = parse(
        run.args,
        &Spec::long(&["path", "database", "source", "prefetch", "lock-timeout"]),
    );
    match parsed.at(0) {
        "drop" => Some(DATA.grave("drops everything in the database")),
        "down" if parsed.has(&["all"]) || parsed.at(1).is_empty() => {
            Some(DATA.grave("takes every migration back"))
        }
        "down" | "force" => Some(DATA.doubtful("takes migrations back")),
        _ => None,
    }
}
