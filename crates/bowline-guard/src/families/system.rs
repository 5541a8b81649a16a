//! The machine itself: disks, users, services, firewall, schedules, packages.

use crate::effect::Effect;
use crate::invocation::Stdin;

use super::Run;
use super::args::{Parsed, Spec, listed, parse, word};
use super::rule::rules;
use super::table::{Row, Table};

rules! {
    DISK = System, "system.disk", "Formats, partitions or wipes a disk",
        instead "look at the disks first with `lsblk -f`";
    MOUNT = System, "system.mount", "Takes file systems away",
        instead "look first with `findmnt`, and leave the change to the person";
    BOOT = System, "system.boot", "Changes how the machine starts",
        instead "tell the person which setting of the start should change";
    CRONTAB = System, "system.crontab", "Deletes or replaces all scheduled jobs",
        instead "keep a copy first with `crontab -l > cron.saved`";
    FIREWALL = System, "system.firewall", "Opens or empties the firewall",
        instead "look at the rules first with `iptables -L -n`";
    NETWORK = System, "system.network", "Takes the network down",
        instead "look first with `ip addr`, and leave the change to the person";
    USERS = System, "system.users", "Changes users, groups or passwords of the machine",
        instead "tell the person which user or group should change";
    SERVICE = System, "system.service", "Stops, disables or changes services of the machine",
        instead "look first with `systemctl status`";
    PACKAGES = System, "system.packages", "Removes packages of the machine",
        instead "leave the packages of the machine, and install what is needed in the project";
    KERNEL = System, "system.kernel", "Changes the running kernel",
        instead "look first with `sysctl -a` or `lsmod`, and leave the change to the person";
    LOGS = System, "system.logs", "Deletes logs or histories of the machine",
        instead "read the logs with `journalctl -n 100`, and let rotation delete what is old";
    PREFERENCES = System, "system.preferences", "Deletes settings of the machine or its user",
        instead "read the setting first, and tell the person what should change";
    PROTECTION = System, "system.protection", "Switches off a protection of the machine",
        instead "tell the person what the protection stands in the way of";
}

const APT: &[&str] = &["apt", "apt-get", "aptitude", "nala"];
const OTHERS: &[&str] = &[
    "yum",
    "dnf",
    "zypper",
    "microdnf",
    "apk",
    "brew",
    "port",
    "snap",
    "flatpak",
    "choco",
    "winget",
    "scoop",
    "pkg",
    "emerge",
    "nix-env",
    "opkg",
    "xbps-remove",
    "swupd",
    "eopkg",
];

#[rustfmt::skip]
pub(super) static ROWS: Table = Table::new(&[
    Row::doubtful(APT, "remove|purge|autoremove|full-upgrade|dist-upgrade", &PACKAGES, "removes the packages {}"),
    Row::doubtful(OTHERS, "remove|uninstall|erase|autoremove|rm|del|delete|unmerge|deinstall|zap|reset", &PACKAGES, "removes the packages {}"),
    Row::doubtful(&["nix-env"], "", &PACKAGES, "removes packages").with(&["e", "uninstall"]),
    Row::doubtful(&["dpkg", "rpm", "pacman"], "", &PACKAGES, "removes the packages {}").with(&["r", "P", "remove", "purge", "e", "erase", "R"]),
    Row::grave(&["dpkg", "rpm"], "", &PACKAGES, "removes packages by force").with(&["force-all", "nodeps", "force-remove-essential"]),
    Row::grave(&["userdel", "deluser", "delgroup", "groupdel"], "", &USERS, "deletes the user {}"),
    Row::doubtful(&["useradd", "adduser", "groupadd", "usermod", "groupmod", "gpasswd", "chage", "chpasswd", "vipw", "visudo", "chsh", "newusers"], "", &USERS, "changes users of the machine: {}"),
    Row::fine(&["passwd"], "").with(&["S", "status"]),
    Row::doubtful(&["passwd"], "", &USERS, "changes a password"),
    Row::grave(&["dscl"], "", &USERS, "deletes {}").with(&["delete"]),
    Row::grave(&["dscl"], "* delete", &USERS, "deletes {}"),
    Row::grave(&["sysadminctl"], "", &USERS, "deletes a user").with(&["deleteUser"]),
    Row::doubtful(&["sysadminctl", "dseditgroup"], "", &USERS, "changes users of the machine"),
    Row::grave(&["efibootmgr"], "", &BOOT, "deletes a boot entry").with(&["B", "delete-bootnum"]),
    Row::doubtful(&["efibootmgr"], "", &BOOT, "changes the boot order").with(&["o", "bootorder", "n", "c", "create", "a", "A"]),
    Row::grave(&["bcdedit", "bootrec", "diskpart"], "", &BOOT, "changes how the machine starts").with(&["delete", "set", "deletevalue", "fixmbr"]),
    Row::grave(&["grub-install", "bootsect", "syslinux", "extlinux", "lilo"], "", &BOOT, "replaces the boot loader"),
    Row::doubtful(&["grub-mkconfig", "update-grub", "update-initramfs", "dracut", "mkinitcpio", "nvram", "fw_setenv", "bless", "kernelstub"], "", &BOOT, "changes how the machine starts"),
    Row::grave(&["blkdiscard", "sgdisk", "shred-device", "hdparm"], "", &DISK, "wipes {}").with(&["zap-all", "Z", "z", "zap", "o", "clear", "security-erase", "security-erase-enhanced", "trim-sector-ranges", "d", "delete"]),
    Row::grave(&["format-volume", "clear-disk", "initialize-disk", "remove-partition", "reset-physicaldisk", "remove-virtualdisk"], "", &DISK, "wipes a disk"),
    Row::grave(&["blkdiscard"], "", &DISK, "wipes {}"),
    Row::grave(&["nvme"], "format|sanitize|write-zeroes|delete-ns|write", &DISK, "wipes {}"),
    Row::grave(&["diskutil"], "zeroDisk|eraseDisk|eraseVolume|secureErase|partitionDisk|reformat|randomDisk|apfs|eraseCD|mergePartitions", &DISK, "wipes {}"),
    Row::doubtful(&["diskutil"], "unmount|unmountDisk|eject|resizeVolume", &MOUNT, "takes {} away"),
    Row::grave(&["tune2fs", "xfs_admin", "e2label"], "", &DISK, "changes the file system").with(&["O", "U", "L"]),
    Row::grave(&["badblocks"], "", &DISK, "writes over {}").with(&["w"]),
    Row::grave(&["sg_format", "sg_sanitize", "nwipe", "dban", "scrub", "dcfldd", "ddrescue"], "", &DISK, "writes over {}"),
    Row::doubtful(&["swapoff", "swapon", "mkswap", "losetup", "dmsetup", "kpartx", "resize2fs", "xfs_growfs", "fsck", "e2fsck", "partprobe"], "", &DISK, "changes disks of the machine: {}"),
    Row::grave(&["ufw"], "disable|reset", &FIREWALL, "switches the firewall off"),
    Row::doubtful(&["ufw"], "delete|allow|deny|default|reject", &FIREWALL, "changes the firewall"),
    Row::grave(&["nft"], "flush ruleset|table|chain", &FIREWALL, "empties the firewall"),
    Row::doubtful(&["nft"], "delete|flush", &FIREWALL, "changes the firewall"),
    Row::doubtful(&["firewall-cmd"], "", &FIREWALL, "changes the firewall").with(&["remove-service", "remove-port", "add-port", "add-service", "panic-on", "set-default-zone", "reload", "complete-reload"]),
    Row::grave(&["pfctl"], "", &FIREWALL, "switches the firewall off").with(&["F", "d"]),
    Row::grave(&["iptables", "ip6tables", "iptables-legacy", "iptables-nft", "ipset", "ebtables"], "", &FIREWALL, "empties the firewall").with(&["F", "flush", "X", "delete-chain"]),
    Row::doubtful(&["iptables", "ip6tables", "iptables-legacy", "iptables-nft", "iptables-restore"], "", &FIREWALL, "changes the firewall").with(&["A", "I", "D", "P", "R", "append", "insert", "delete", "policy"]),
    Row::grave(&["netsh"], "advfirewall|interface reset|set", &FIREWALL, "changes the firewall"),
    Row::grave(&["ip"], "link|l|route|r|addr|a|address flush|del|delete", &NETWORK, "takes the network away: {}"),
    Row::grave(&["ip"], "link set * down", &NETWORK, "takes the network down"),
    Row::grave(&["ifdown"], "", &NETWORK, "takes the network down"),
    Row::grave(&["ifconfig"], "* down", &NETWORK, "takes the network down"),
    Row::grave(&["nmcli"], "networking|radio off", &NETWORK, "takes the network down"),
    Row::doubtful(&["nmcli"], "con|connection|c|device|dev|d delete|del|down|disconnect", &NETWORK, "takes a connection down"),
    Row::doubtful(&["networksetup"], "", &NETWORK, "changes the network").with(&["setnetworkserviceenabled", "removenetworkservice"]),
    Row::fine(&["sysctl"], "").with(&["a", "n", "all"]),
    Row::doubtful(&["sysctl"], "", &KERNEL, "changes the running kernel: {}").with(&["w", "write", "p", "load", "system"]),
    Row::doubtful(&["modprobe"], "", &KERNEL, "takes {} out of the kernel").with(&["r", "remove"]),
    Row::doubtful(&["rmmod", "insmod", "kextunload", "kextload"], "", &KERNEL, "changes the running kernel: {}"),
    Row::doubtful(&["journalctl"], "", &LOGS, "deletes logs of the machine").with(&["vacuum-time", "vacuum-size", "vacuum-files", "rotate"]),
    Row::doubtful(&["wevtutil", "Clear-EventLog"], "cl|clear-log", &LOGS, "deletes logs of the machine"),
    Row::doubtful(&["history"], "", &LOGS, "deletes the shell's history").with(&["c", "d"]),
    Row::doubtful(&["dmesg"], "", &LOGS, "deletes the kernel's log").with(&["C", "clear", "c"]),
    Row::doubtful(&["defaults"], "delete|delete-all|remove", &PREFERENCES, "deletes the settings of {}"),
    Row::doubtful(&["dconf"], "reset", &PREFERENCES, "deletes settings").with(&["f"]),
    Row::doubtful(&["gsettings"], "reset-recursively", &PREFERENCES, "deletes the settings of {}"),
    Row::grave(&["reg"], "delete", &PREFERENCES, "deletes {} from the registry"),
    Row::doubtful(&["launchctl"], "unload|bootout|remove|disable|kill|stop|reboot", &SERVICE, "stops {}"),
    Row::doubtful(&["service"], "* stop|restart|force-reload", &SERVICE, "stops a service of the machine: {}"),
    Row::doubtful(&["rc-service", "sv", "initctl", "svcadm", "supervisorctl"], "stop|disable|shutdown|down|restart|remove", &SERVICE, "stops {}"),
    Row::doubtful(&["rc-service"], "* stop|restart", &SERVICE, "stops a service of the machine"),
    Row::doubtful(&["rc-update", "update-rc.d", "chkconfig"], "", &SERVICE, "changes which services start").with(&["del", "off"]),
    Row::doubtful(&["update-rc.d"], "* remove|disable", &SERVICE, "changes which services start"),
    Row::doubtful(&["sc", "net"], "stop|delete|config|user", &SERVICE, "changes {}"),
    Row::grave(&["setenforce"], "0|Permissive", &PROTECTION, "switches a protection of the machine off"),
    Row::grave(&["csrutil", "spctl"], "disable", &PROTECTION, "switches a protection of the machine off"),
    Row::grave(&["spctl"], "", &PROTECTION, "switches a protection of the machine off").with(&["master-disable", "global-disable"]),
    Row::doubtful(&["aa-teardown", "aa-disable", "auditctl", "semodule"], "", &PROTECTION, "changes a protection of the machine"),
    Row::doubtful(&["timedatectl"], "set-time|set-ntp|set-timezone", &KERNEL, "changes the clock of the machine"),
    Row::doubtful(&["hostnamectl"], "set-hostname|hostname", &KERNEL, "changes the name of the machine"),
    Row::doubtful(&["update-alternatives", "alternatives"], "", &PACKAGES, "changes which program a name means").with(&["remove", "remove-all", "set"]),
    Row::grave(&["fdformat", "format"], "c:|C:|d:|D:|/dev/fd0", &DISK, "formats {}"),
    Row::grave(&["cipher"], "", &DISK, "wipes free space").with(&["w"]),
]);

pub(super) fn effects(run: Run<'_>) -> Vec<Effect> {
    let found = match run.name {
        name if name == "mkfs"
            || name.starts_with("mkfs.")
            || name.starts_with("newfs")
            || matches!(name, "mke2fs" | "mkdosfs" | "mkntfs" | "mkreiserfs") =>
        {
            mkfs(run)
        }
        "fdisk" | "sfdisk" | "cfdisk" | "gdisk" | "parted" | "cgdisk" => partitions(run),
        "wipefs" => wipefs(run),
        "crontab" => crontab(run),
        "systemctl" => systemctl(run),
        "umount" | "mount" => mount(run),
        "yum" | "dnf" | "apt" | "apt-get" | "zypper" | "brew" | "pacman" | "dpkg" | "rpm"
        | "apk" | "snap" => packages(run),
        "at" | "atrm" => (run.name == "atrm").then(|| CRONTAB.doubtful("deletes a scheduled job")),
        name if ROWS.knows(name) => {
            let parsed = match name {
                "dscl" | "networksetup" | "sysadminctl" | "spctl" => {
                    parse(run.args, &Spec::long(&[]))
                }
                _ => parse(run.args, &Spec::gnu(&["t", "b", "user-master"])),
            };
            if parsed.is_dry_run() {
                None
            } else {
                ROWS.first(run, &parsed)
            }
        }
        _ => None,
    };
    found.into_iter().collect()
}

/// A file in the project or a temporary one may be formatted: an image for a test.
fn is_image(target: &str) -> bool {
    !target.starts_with("/dev/") && (target.contains('.') || target.starts_with("/tmp/"))
}

fn mkfs(run: Run<'_>) -> Option<Effect> {
    let parsed = parse(
        run.args,
        &Spec::gnu(&[
            "t", "L", "U", "m", "b", "N", "i", "O", "E", "F-size", "n", "label",
        ]),
    );
    let target = parsed
        .words
        .iter()
        .find(|it| it.contains('/'))
        .or(parsed.words.first())?;
    if parsed.has(&["V", "n-only"]) || is_image(target) {
        return None;
    }
    Some(DISK.grave(format!("formats {target}")))
}

fn partitions(run: Run<'_>) -> Option<Effect> {
    let parsed = parse(run.args, &Spec::gnu(&["b", "u", "o", "t"]));
    let looks = parsed.has(&[
        "l", "list", "d", "dump", "J", "json", "V", "verify", "s-only", "n", "no-act",
    ]) || parsed
        .words
        .iter()
        .any(|it| matches!(*it, "print" | "p" | "unit" | "align-check"));
    let acts = parsed.words.iter().any(|it| {
        matches!(
            *it,
            "mklabel" | "mktable" | "mkpart" | "rm" | "resizepart" | "rescue" | "set" | "name"
        )
    }) || parsed.has(&["delete", "wipe", "w", "activate", "part-type"]);
    if parsed.words.is_empty() || (looks && !acts) {
        return None;
    }
    Some(DISK.grave(format!("changes the partitions of {}", parsed.at(0))))
}

fn wipefs(run: Run<'_>) -> Option<Effect> {
    let parsed = parse(run.args, &Spec::gnu(&["o", "offset", "t", "types", "O"]));
    (parsed.has(&["a", "all", "o", "offset", "f", "force"]) && !parsed.has(&["n", "no-act"])).then(
        || {
            DISK.grave(format!(
                "wipes the file system of {}",
                listed(&parsed.words)
            ))
        },
    )
}

fn crontab(run: Run<'_>) -> Option<Effect> {
    let parsed = parse(run.args, &Spec::gnu(&["u", "user"]));
    if parsed.has(&["r", "remove"]) {
        return Some(CRONTAB.grave("deletes all scheduled jobs"));
    }
    if parsed.has(&["l", "e", "V", "T"]) {
        return None;
    }
    let from_stdin = parsed.words.first().is_none_or(|it| *it == "-");
    match &run.invocation.stdin {
        Stdin::Text(text) if from_stdin && text.trim().is_empty() => {
            Some(CRONTAB.grave("replaces all scheduled jobs with nothing"))
        }
        Stdin::Text(text) if from_stdin && runs_network(text) => {
            Some(CRONTAB.grave("schedules code from the network"))
        }
        Stdin::File(file) if from_stdin && word(file) == "/dev/null" => {
            Some(CRONTAB.grave("replaces all scheduled jobs with nothing"))
        }
        Stdin::Pipe(programs) if from_stdin => {
            let text = programs.join(" | ");
            let keeps = text.contains("crontab");
            Some(if runs_network(&text) {
                CRONTAB.grave("schedules code from the network")
            } else if keeps {
                CRONTAB.doubtful("changes scheduled jobs")
            } else {
                CRONTAB.doubtful("replaces all scheduled jobs")
            })
        }
        _ if parsed.at(0) == "/dev/null" => {
            Some(CRONTAB.grave("replaces all scheduled jobs with nothing"))
        }
        _ if from_stdin && matches!(run.invocation.stdin, Stdin::None) && run.args.is_empty() => {
            None
        }
        _ => Some(CRONTAB.doubtful(format!("replaces all scheduled jobs with {}", parsed.at(0)))),
    }
}

fn runs_network(text: &str) -> bool {
    let shell = ["| sh", "|sh", "| bash", "|bash", "| python", "|python"];
    (text.contains("curl") || text.contains("wget") || text.contains("nc "))
        && shell.iter().any(|it| text.contains(it))
}

fn systemctl(run: Run<'_>) -> Option<Effect> {
    let parsed = parse(
        run.args,
        &Spec::gnu(&[
            "t", "type", "p", "property", "H", "host", "n", "lines", "state", "root",
        ]),
    );
    if parsed.has(&["user"]) {
        return None;
    }
    let units = parsed.from(1);
    let stops = matches!(
        parsed.at(0),
        "stop"
            | "disable"
            | "mask"
            | "kill"
            | "set-default"
            | "revert"
            | "set-property"
            | "restart"
            | "try-restart"
    );
    if !stops {
        return None;
    }
    let vital = units.iter().any(|it| {
        let unit = it.split('.').next().unwrap_or(it);
        [
            "ssh",
            "sshd",
            "network",
            "networking",
            "NetworkManager",
            "systemd-networkd",
            "systemd-resolved",
            "dbus",
            "systemd-logind",
            "firewalld",
            "ufw",
            "nftables",
            "auditd",
        ]
        .contains(&unit)
    });
    let what = format!("{} the service {}", parsed.at(0), listed(units));
    Some(
        if vital && parsed.at(0) != "restart" && parsed.at(0) != "try-restart" {
            SERVICE.grave(what)
        } else {
            SERVICE.doubtful(what)
        },
    )
}

fn mount(run: Run<'_>) -> Option<Effect> {
    let parsed = parse(run.args, &Spec::gnu(&["t", "o", "O", "types", "options"]));
    if run.name == "mount" {
        let again = parsed
            .values(&["o", "options"])
            .any(|it| it.contains("remount"));
        return (again || parsed.words.len() > 1)
            .then(|| MOUNT.doubtful(format!("mounts {}", listed(&parsed.words))));
    }
    let vital = parsed.words.iter().any(|it| {
        let path = it.trim_end_matches('/');
        matches!(
            path,
            "" | "/home" | "/usr" | "/var" | "/boot" | "/etc" | "/proc" | "/sys" | "/dev"
        )
    });
    if vital || parsed.has(&["a", "all"]) {
        return Some(MOUNT.grave(format!("takes {} away", listed(&parsed.words))));
    }
    (!parsed.words.is_empty())
        .then(|| MOUNT.doubtful(format!("takes {} away", listed(&parsed.words))))
}

/// Packages without which the machine does not work or cannot be reached.
fn is_essential(package: &str) -> bool {
    matches!(package, "*" | ".*" | "…*")
        || [
            "systemd",
            "libc6",
            "glibc",
            "bash",
            "coreutils",
            "sudo",
            "openssh-server",
            "linux-image",
            "kernel",
            "dpkg",
            "apt",
            "rpm",
            "dnf",
            "yum",
            "pacman",
            "base",
            "util-linux",
            "login",
            "passwd",
            "init",
            "grub",
            "network-manager",
            "NetworkManager",
            "libpam",
            "busybox",
            "musl",
            "python3-minimal",
        ]
        .iter()
        .any(|it| {
            package == *it
                || package.strip_prefix(it).is_some_and(|rest| {
                    rest.starts_with(['-', '*', ':'])
                        && !rest.starts_with("-doc")
                        && !rest.starts_with("-completion")
                })
        })
}

fn packages(run: Run<'_>) -> Option<Effect> {
    let parsed: Parsed<'_> = parse(
        run.args,
        &Spec::gnu(&["c", "o", "t", "installroot", "root"]),
    );
    let looks: &[&str] = match run.name {
        "pacman" => &["p", "print"],
        _ => &["s", "just-print", "no-act", "test", "assumeno", "n"],
    };
    if parsed.is_dry_run() || parsed.has(looks) {
        return None;
    }
    let effect = match run.name {
        "pacman" => parsed
            .has(&["R", "remove"])
            .then(|| PACKAGES.doubtful(format!("removes the packages {}", listed(&parsed.words)))),
        "rpm" => parsed
            .has(&["e", "erase"])
            .then(|| PACKAGES.doubtful(format!("removes the packages {}", listed(&parsed.words)))),
        "dpkg" => parsed
            .has(&["r", "P", "remove", "purge"])
            .then(|| PACKAGES.doubtful(format!("removes the packages {}", listed(&parsed.words)))),
        _ => ROWS.first(run, &parsed),
    }?;
    let force = parsed.has(&[
        "force-all",
        "nodeps",
        "force-remove-essential",
        "allow-remove-essential",
    ]);
    if force || parsed.words.iter().any(|it| is_essential(it)) {
        return Some(PACKAGES.grave(format!(
            "removes {}, without which the machine may not work",
            listed(&parsed.words)
        )));
    }
    // A package manager for tools in the home, or one tool of brew, is nothing to stop.
    (run.name != "brew" || parsed.has(&["force", "ignore-dependencies", "zap"])).then_some(effect)
}
