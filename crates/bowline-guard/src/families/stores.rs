//! What keeps copies and keys: backups, snapshots, volumes of disks, key rings.

use crate::effect::Effect;

use super::Run;
use super::args::{Parsed, Spec, Style, listed, parse};
use super::rule::rules;
use super::table::{Row, Table};

rules! {
    BACKUP = Delete, "stores.backup", "Deletes backups",
        instead "list what there is first, and try with `--dry-run`";
    SNAPSHOT = Delete, "stores.snapshot", "Destroys snapshots or file systems",
        instead "list the snapshots first, and leave the deletion to the person";
    VOLUME = System, "stores.volume", "Destroys volumes of a disk",
        instead "list the volumes first with `lsblk`, and leave the change to the person";
    KEY = Delete, "stores.key", "Deletes keys or passwords that cannot be made again",
        instead "list the keys first, and leave the deletion to the person";
}

#[rustfmt::skip]
pub(super) static ROWS: Table = Table::new(&[
    Row::doubtful(&["restic"], "forget|prune|unlock|rewrite", &BACKUP, "deletes snapshots of the backup"),
    Row::grave(&["borg", "borgmatic"], "delete|repo-delete", &BACKUP, "deletes the backup {}"),
    Row::doubtful(&["borg", "borgmatic"], "prune|compact|recreate|break-lock", &BACKUP, "deletes parts of the backup {}"),
    Row::grave(&["kopia"], "snapshot|repository|policy delete|remove", &BACKUP, "deletes {}"),
    Row::grave(&["duplicity"], "remove-all-but-n-full|remove-older-than|remove-all-inc-of-but-n-full|cleanup", &BACKUP, "deletes backups").with(&["force"]),
    Row::grave(&["tarsnap"], "", &BACKUP, "deletes backups").with(&["d", "nuke"]),
    Row::grave(&["duplicacy"], "prune", &BACKUP, "deletes backups"),
    Row::grave(&["wal-g", "wal-e", "pgbackrest", "barman"], "delete|expire|stanza-delete|backup-delete", &BACKUP, "deletes database backups"),
    Row::grave(&["pgbackrest", "barman"], "* delete|expire|stanza-delete", &BACKUP, "deletes database backups"),
    Row::grave(&["tmutil"], "delete|deletelocalsnapshots|deleteinprogress", &BACKUP, "deletes backups of this machine"),
    Row::doubtful(&["tmutil"], "disable|disablelocal|removedestination", &BACKUP, "switches backups off"),
    Row::grave(&["vssadmin", "wbadmin"], "delete", &BACKUP, "deletes shadow copies or backups"),
    Row::grave(&["snapper", "timeshift"], "delete|rm|remove", &SNAPSHOT, "deletes the snapshot {}"),
    Row::grave(&["timeshift"], "", &SNAPSHOT, "deletes snapshots").with(&["delete", "delete-all"]),
    Row::grave(&["zfs", "zpool"], "destroy|labelclear", &SNAPSHOT, "destroys {}"),
    Row::grave(&["zfs"], "rollback", &SNAPSHOT, "throws away what came after {}"),
    Row::doubtful(&["zpool"], "export|remove|offline|detach", &VOLUME, "takes {} away"),
    Row::grave(&["btrfs"], "subvolume|sub|su delete|del|d", &SNAPSHOT, "deletes the subvolume {}"),
    Row::doubtful(&["btrfs"], "device|dev delete|remove|rem", &VOLUME, "takes {} away"),
    Row::grave(&["lvremove", "vgremove", "pvremove"], "", &VOLUME, "destroys {}"),
    Row::grave(&["lvreduce"], "", &VOLUME, "shrinks {}, with what lies behind"),
    Row::grave(&["ceph", "rbd", "rados"], "rm|remove|purge|pool|osd|fs", &VOLUME, "destroys {}").with(&["yes-i-really-really-mean-it"]),
    Row::grave(&["rbd", "rados"], "rm|remove|purge|rmpool|snap", &VOLUME, "destroys {}"),
    Row::grave(&["gluster"], "volume delete|reset", &VOLUME, "destroys {}"),
    Row::grave(&["pass", "gopass"], "rm|remove|delete", &KEY, "deletes the password {}"),
    Row::grave(&["bw", "op", "lpass", "keepassxc-cli", "1password"], "delete|rm|db-delete|purge", &KEY, "deletes {}"),
    Row::grave(&["op"], "item|vault|document delete", &KEY, "deletes {}"),
    Row::grave(&["security"], "delete-keychain|delete-generic-password|delete-internet-password|delete-identity|delete-certificate", &KEY, "deletes {} from the key chain"),
    Row::grave(&["secret-tool"], "clear", &KEY, "deletes {} from the key ring"),
    Row::grave(&["keyctl"], "clear|purge|unlink|revoke", &KEY, "deletes keys of the kernel"),
    Row::grave(&["doppler", "infisical"], "secrets|projects|environments delete", &KEY, "deletes {}"),
    Row::grave(&["ykman"], "* reset|delete", &KEY, "resets the key"),
    Row::grave(&["tpm2_clear"], "", &KEY, "clears the security chip"),
    Row::grave(&["cryptsetup"], "luksFormat|luksErase|erase|luksKillSlot|luksRemoveKey", &KEY, "makes encrypted data unreadable"),
]);

const SPEC: Spec = Spec::gnu(&[
    "r",
    "repo",
    "p",
    "password-file",
    "c",
    "config",
    "stanza",
    "R",
    "rsh",
]);

/// Whether one of these tools is only asked what it would do.
pub(super) fn only_tries(run: Run<'_>) -> bool {
    (run.name == "restic" || ROWS.knows(run.name)) && tries(run.name, &parse(run.args, &SPEC))
}

fn tries(name: &str, parsed: &Parsed<'_>) -> bool {
    // The tools for volumes call it a test.
    let tests = matches!(name, "lvremove" | "vgremove" | "pvremove" | "lvreduce")
        && parsed.has(&["t", "test"]);
    parsed.is_dry_run() || parsed.has(&["n"]) || tests
}

pub(super) fn effects(run: Run<'_>) -> Vec<Effect> {
    let found = match run.name {
        "gpg" | "gpg2" => gpg(&parse(run.args, &Spec::gnu(&["homedir", "u", "r", "o"]))),
        "mdadm" => {
            let parsed = parse(run.args, &Spec::gnu(&[]));
            let destroys =
                parsed.has(&["zero-superblock", "r", "remove", "f", "fail", "S", "stop"]);
            destroys
                .then(|| VOLUME.grave(format!("takes the array {} apart", listed(&parsed.words))))
        }
        "restic" => restic(run),
        name if ROWS.knows(name) => {
            let parsed = parse(run.args, &SPEC);
            let done = !tries(name, &parsed);
            done.then(|| ROWS.first(run, &parsed)).flatten()
        }
        _ => None,
    };
    found.into_iter().collect()
}

fn restic(run: Run<'_>) -> Option<Effect> {
    let parsed = parse(
        run.args,
        &Spec {
            values: &[
                "r",
                "repo",
                "p",
                "password-file",
                "tag",
                "host",
                "H",
                "keep-last",
                "keep-daily",
                "keep-weekly",
                "keep-monthly",
                "keep-tag",
                "o",
            ],
            longs: &[],
            style: Style::Gnu,
        },
    );
    if parsed.is_dry_run() || parsed.has(&["n"]) {
        return None;
    }
    let keeps = [
        "keep-last",
        "keep-hourly",
        "keep-daily",
        "keep-weekly",
        "keep-monthly",
        "keep-yearly",
        "keep-within",
        "keep-tag",
    ];
    match parsed.at(0) {
        "forget"
            if parsed.has(&["unsafe-allow-remove-all"])
                || (!parsed.has(&keeps) && parsed.words.len() > 1) =>
        {
            Some(BACKUP.grave("deletes snapshots of the backup for good"))
        }
        _ => ROWS.first(run, &parsed),
    }
}

fn gpg(parsed: &Parsed<'_>) -> Option<Effect> {
    let secret = [
        "delete-secret-keys",
        "delete-secret-key",
        "delete-secret-and-public-key",
        "delete-secret-and-public-keys",
    ];
    if parsed.has(&secret) {
        return Some(KEY.grave(format!("deletes the secret key {}", listed(&parsed.words))));
    }
    parsed
        .has(&[
            "delete-keys",
            "delete-key",
            "gen-revoke",
            "generate-revocation",
        ])
        .then(|| KEY.doubtful(format!("deletes the key {}", listed(&parsed.words))))
}
