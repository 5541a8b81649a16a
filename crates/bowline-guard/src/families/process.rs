//! Ends processes or the machine.

use std::cell::LazyCell;

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
    const SPEC: Spec = Spec::gnu(&["s", "signal", "u", "user", "g", "o", "t"]);
    // Hardly any program is one of these.
    let parsed = LazyCell::new(|| parse(run.args, &SPEC));
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
        "taskkill" => taskkill(run),
        "killall" | "pkill" | "killall5" | "skill" | "slay" => by_name(run, &parsed),
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

/// Windows spells options with a slash, Git's shell with two, and both take dashes.
fn taskkill(run: Run<'_>) -> Option<Effect> {
    let mut named = Vec::new();
    let (mut by_number, mut by_filter) = (false, false);
    let mut words = run.args.iter().map(word);
    while let Some(text) = words.next() {
        let option = text.trim_start_matches(['/', '-']).to_ascii_lowercase();
        match option.as_str() {
            "pid" => by_number = words.next().is_some(),
            "im" => named.extend(words.next()),
            "fi" => by_filter = words.next().is_some(),
            _ => {}
        }
    }
    if by_filter {
        return Some(BY_NAME.doubtful("ends every process that a filter finds"));
    }
    if named.is_empty() && by_number {
        return None;
    }
    let hard = run
        .args
        .iter()
        .any(|it| matches!(word(it), "/F" | "/f" | "//F" | "//f" | "-F" | "-f"));
    let signal = if hard { Signal::Hard } else { Signal::Soft };
    of_names(&named, signal)
}

/// Whether a process may still tidy up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signal {
    Soft,
    Hard,
}

/// What it means to end every process of these names.
fn of_names(named: &[&str], signal: Signal) -> Option<Effect> {
    let plain = |it: &&str| it.strip_suffix(".exe").unwrap_or(it).to_owned();
    let names = listed(named);
    if named.iter().any(|it| matches!(*it, "." | ".*" | "*" | "")) {
        return Some(EVERYTHING.grave("ends every process that it may end"));
    }
    if named.iter().any(|it| is_essential(it)) {
        return Some(BY_NAME.grave(format!("ends {names}, which the machine needs")));
    }
    let service = named.iter().any(|it| is_service(&plain(it)));
    let runtimes = named.iter().all(|it| is_runtime(&plain(it)));
    (service || (signal == Signal::Hard && !runtimes))
        .then(|| BY_NAME.doubtful(format!("ends every process named {names}")))
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
    if run.name == "killall5" {
        return Some(EVERYTHING.grave("ends every process that it may end"));
    }
    if parsed.has(&["u", "user"]) && named.is_empty() {
        return Some(EVERYTHING.grave("ends every process of a user"));
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
            .any(|it| matches!(it, "-KILL" | "-SIGKILL"));
    // A short text may be found in any command line.
    let vague =
        run.name == "pkill" && parsed.has(&["f", "full"]) && named.iter().any(|it| it.len() < 4);
    // `killall -9` gives none of them a chance to save anything.
    let broad = vague || (hard && run.name == "killall");
    let signal = if hard { Signal::Hard } else { Signal::Soft };
    of_names(named, signal).or_else(|| {
        broad.then(|| BY_NAME.doubtful(format!("ends every process named {}", listed(named))))
    })
}

/// What developers start and end all day.
fn is_runtime(name: &str) -> bool {
    let name = name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
    let program = name.split_whitespace().next().unwrap_or(name);
    matches!(
        program,
        "node"
            | "nodejs"
            | "deno"
            | "bun"
            | "npm"
            | "npx"
            | "pnpm"
            | "yarn"
            | "tsx"
            | "ts-node"
            | "nodemon"
            | "vite"
            | "webpack"
            | "next"
            | "next-server"
            | "esbuild"
            | "jest"
            | "vitest"
            | "playwright"
            | "python"
            | "pytest"
            | "uvicorn"
            | "gunicorn"
            | "flask"
            | "streamlit"
            | "jupyter"
            | "ruby"
            | "rails"
            | "puma"
            | "php"
            | "perl"
            | "java"
            | "gradle"
            | "mvn"
            | "dotnet"
            | "cargo"
            | "go"
            | "air"
            | "beam.smp"
            | "chromedriver"
            | "geckodriver"
    )
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
            | "bash"
            | "sh"
            | "zsh"
    )
}
