//! Ends processes or the machine.

use crate::effect::Effect;

use super::Run;
use super::args::{Parsed, Spec, listed, parse, word};
use super::rule::rules;

rules! {
    MACHINE = Process, "process.machine-down", "Takes the machine down or restarts it",
        instead "leave this to the person";
    EVERYTHING = Process, "process.kill-all", "Ends every process",
        instead "end one process by its number, as `ps` shows it";
    BY_NAME = Process, "process.kill-by-name", "Ends every process of a name",
        instead "find the process with `pgrep`, and end it by its number";
}

pub(super) fn effects(run: Run<'_>) -> Vec<Effect> {
    let parsed = parse(
        run.args,
        &Spec::gnu(&["s", "signal", "u", "user", "g", "o", "t"]),
    );
    let found = match run.name {
        "shutdown" if !parsed.has(&["c", "show"]) => Some(MACHINE.grave("shuts the machine down")),
        "reboot" | "halt" | "poweroff" | "kexec" => {
            let looks = parsed.has(&["w", "wtmp-only"]);
            (!looks).then(|| MACHINE.grave(format!("takes the machine down ({})", run.name)))
        }
        "init" | "telinit" => matches!(parsed.at(0), "0" | "1" | "6" | "s" | "S")
            .then(|| MACHINE.grave(format!("changes to run level {}", parsed.at(0)))),
        "systemctl" => systemctl(&parsed),
        "rundll32" | "stop-computer" | "restart-computer" => {
            Some(MACHINE.grave("takes the machine down"))
        }
        "pm-suspend" | "pm-hibernate" => Some(MACHINE.doubtful("puts the machine to sleep")),
        "kill" => kill(run, &parsed),
        "killall" | "pkill" | "killall5" | "skill" | "taskkill" | "slay" => by_name(run, &parsed),
        _ => None,
    };
    found.into_iter().collect()
}

fn systemctl(parsed: &Parsed<'_>) -> Option<Effect> {
    match parsed.at(0) {
        "reboot" | "poweroff" | "halt" | "kexec" | "emergency" | "rescue" | "exit"
        | "soft-reboot" => {
            Some(MACHINE.grave(format!("takes the machine down ({})", parsed.at(0))))
        }
        "suspend" | "hibernate" | "hybrid-sleep" => {
            Some(MACHINE.doubtful("puts the machine to sleep"))
        }
        "isolate" => {
            Some(MACHINE.grave(format!("stops all services but those of {}", parsed.at(1))))
        }
        _ => None,
    }
}

fn kill(run: Run<'_>, parsed: &Parsed<'_>) -> Option<Effect> {
    if run
        .args
        .iter()
        .any(|it| matches!(word(it), "-l" | "-L" | "--list" | "-0"))
    {
        return None;
    }
    // `-1` as the last word is every process; before others it is a signal.
    let targets: Vec<&str> = run.args.iter().map(word).collect();
    let last = targets.last().copied().unwrap_or_default();
    let every = last == "-1" && (targets.len() > 1 || parsed.before_dashes.is_some());
    if every {
        return Some(EVERYTHING.grave("ends every process that it may end"));
    }
    parsed
        .words
        .contains(&"1")
        .then(|| MACHINE.grave("sends a signal to the first process of the machine"))
}

/// Programs whose end takes the machine, the session or data along.
fn is_essential(name: &str) -> bool {
    matches!(
        name,
        "systemd"
            | "init"
            | "sshd"
            | "launchd"
            | "dbus-daemon"
            | "Xorg"
            | "gnome-shell"
            | "WindowServer"
            | "loginwindow"
            | "kubelet"
            | "containerd"
            | "dockerd"
            | "NetworkManager"
            | "explorer.exe"
            | "csrss.exe"
    )
}

fn by_name(run: Run<'_>, parsed: &Parsed<'_>) -> Option<Effect> {
    if parsed.has(&["l", "L", "list", "0", "V"]) {
        return None;
    }
    let named = &parsed.words;
    let names = listed(named);
    if run.name == "killall5" || named.iter().any(|it| matches!(*it, "." | ".*" | "*" | "")) {
        return Some(EVERYTHING.grave("ends every process that it may end"));
    }
    if parsed.has(&["u", "user"]) && named.is_empty() {
        return Some(EVERYTHING.grave("ends every process of a user"));
    }
    if named.iter().any(|it| is_essential(it)) {
        return Some(BY_NAME.grave(format!("ends {names}, which the machine needs")));
    }
    if named.is_empty() {
        return None;
    }
    let hard = parsed.has(&["9", "KILL", "SIGKILL"])
        || parsed
            .value(&["s", "signal"])
            .is_some_and(|it| it.ends_with("KILL") || it == "9")
        || run
            .args
            .iter()
            .map(word)
            .any(|it| matches!(it, "-KILL" | "-SIGKILL" | "/F" | "/f"));
    let service = named.iter().any(|it| is_service(it));
    (hard
        || service
        || (run.name == "pkill"
            && parsed.has(&["f", "full"])
            && named.iter().any(|it| it.len() < 4)))
    .then(|| BY_NAME.doubtful(format!("ends every process named {names}")))
}

/// Servers that hold data and should be stopped in their own way.
fn is_service(name: &str) -> bool {
    matches!(
        name,
        "postgres"
            | "postgresql"
            | "mysqld"
            | "mariadbd"
            | "mongod"
            | "redis-server"
            | "nginx"
            | "apache2"
            | "httpd"
            | "docker"
            | "etcd"
            | "elasticsearch"
            | "cassandra"
            | "rabbitmq"
            | "java"
            | "python"
            | "python3"
            | "bash"
            | "sh"
            | "zsh"
    )
}
