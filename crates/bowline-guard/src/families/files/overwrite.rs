//! Overwriting and emptying files, moving them away, mirrors that delete.

use super::contained::{self, Owner};
use super::{
    EMPTY, EMPTY_MANY, Files, MIRROR, MOVE, OVERWRITE, Target, found, has, is_production_data,
    operands, sed, text_of,
};
use crate::effect::{Effect, Gravity};
use crate::families::args::{UNKNOWN, word};
use crate::invocation::{Arg, Opening, Stdin, Value};
use crate::paths::{self, DeviceKind, HomeKind, Place, Rebuildable};

/// What is put into a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Contents {
    Nothing,
    Something,
    /// What was there stays.
    Added,
}

/// The files that the shell opens for the program.
pub(super) fn redirections(files: &Files<'_>, effects: &mut Vec<Effect>) {
    for opened in &files.invocation.opened {
        let contents = match opened.how {
            Opening::Overwrite if prints_nothing(files) => Contents::Nothing,
            Opening::Overwrite => Contents::Something,
            Opening::Append => Contents::Added,
            Opening::Read => continue,
        };
        write_to(files, &opened.file, contents, effects);
        if contents == Contents::Nothing {
            many(files, &opened.file, contents, effects);
        }
    }
}

fn prints_nothing(files: &Files<'_>) -> bool {
    let args = &files.invocation.args;
    match files.invocation.program.as_deref() {
        Some(":" | "true") => true,
        Some("cat" | "cp") => args.iter().any(|it| it.text() == Some("/dev/null")),
        Some("echo" | "printf") => args.iter().all(|it| {
            it.text()
                .is_some_and(|text| text.is_empty() || text == "-n")
        }),
        _ => false,
    }
}

fn write_to(files: &Files<'_>, file: &Arg, contents: Contents, effects: &mut Vec<Effect>) {
    for target in files.targets(file) {
        effects.extend(written(files, &target, contents));
    }
}

/// One word may stand for many files: a pattern for all of a place, or each of a listing.
fn many(files: &Files<'_>, file: &Arg, contents: Contents, effects: &mut Vec<Effect>) {
    if contents == Contents::Added {
        return;
    }
    if let (UNKNOWN, Some(listing)) = (word(file), files.listing()) {
        let gravity = found::gravity_of_listing(files, listing);
        if gravity != Gravity::Harmless {
            let short: String = listing.chars().take(120).collect();
            let what = format!("empties or replaces everything that `{short}` finds");
            effects.push(EMPTY_MANY.effect(gravity, what));
        }
        return;
    }
    for target in files.targets(file) {
        let whole = matches!(
            target.place,
            Place::Root | Place::HomeItself | Place::ProjectRoot | Place::AboveProject
        );
        if whole && matches!(file.value, Value::Pattern(_)) {
            let what = format!("empties or replaces every file of {}", target.resolved.path);
            effects.push(EMPTY_MANY.grave(what).about(&target.resolved));
        }
    }
}

/// Files that a system does not start or let anybody in without.
fn is_vital(path: &str) -> bool {
    [
        "/etc/passwd",
        "/etc/shadow",
        "/etc/group",
        "/etc/gshadow",
        "/etc/sudoers",
        "/etc/fstab",
        "/etc/crypttab",
        "/etc/ssh",
        "/etc/pam.d",
        "/etc/ld.so",
        "/boot",
        "/proc/sysrq-trigger",
        "/bin",
        "/sbin",
        "/lib",
        "/usr/bin",
        "/usr/sbin",
        "/usr/lib",
        "/System",
        "/sys/firmware",
    ]
    .iter()
    .any(|vital| {
        path.strip_prefix(vital)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '.']))
    })
}

fn is_database(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    [".sqlite", ".sqlite3", ".db", ".mdb", ".kdbx"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

/// A file that is named as what a program puts out: made again by the next run.
fn is_plain_output(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, ""));
    let stem = stem.split(['-', '_', '.']).next().unwrap_or(stem);
    let put_out = [
        "out", "output", "stdout", "stderr", "result", "results", "report", "trace", "log", "err",
        "errors",
    ];
    put_out.contains(&stem)
        && matches!(
            ending,
            "" | "txt" | "log" | "out" | "err" | "csv" | "tsv" | "json" | "jsonl" | "html" | "xml"
        )
}

fn gravity_of_writing(place: &Place, path: &str, contents: Contents) -> Gravity {
    let emptied = contents == Contents::Nothing;
    let grave = match place {
        Place::Device(DeviceKind::Storage) => true,
        Place::System => {
            emptied
                || path.starts_with("/proc/sysrq-trigger")
                || (is_vital(path) && contents != Contents::Added)
        }
        Place::GitDir => contents != Contents::Added && !is_own_part_of_git(path),
        Place::InHome(HomeKind::Config | HomeKind::Data)
        | Place::OtherHome
        | Place::OutsideProject => emptied,
        Place::InProject(Rebuildable::No) | Place::Unknown(_) => {
            emptied && (is_production_data(path) || is_database(path))
        }
        _ => false,
    };
    let doubtful = match place {
        Place::System => !path.starts_with("/usr/local/") && !path.starts_with("/var/log/"),
        Place::InHome(HomeKind::Config) => {
            contents == Contents::Something || path.contains("/.ssh/")
        }
        Place::OtherHome => true,
        Place::InProject(Rebuildable::No) => emptied && !is_plain_output(path),
        _ => false,
    };
    match (grave, doubtful) {
        (true, _) => Gravity::Grave,
        (false, true) => Gravity::Doubtful,
        (false, false) => Gravity::Harmless,
    }
}

fn written(files: &Files<'_>, target: &Target, contents: Contents) -> Option<Effect> {
    let path = &target.resolved.path;
    match contained::owner(files, target) {
        Owner::NewContainer => return None,
        Owner::Container if contents != Contents::Nothing && !is_vital(path) => return None,
        Owner::Container | Owner::Machine => {}
    }
    let by_name = gravity_of_writing(&target.place, path, contents);
    // What is written to a link lands in the file that it leads to.
    let at_end = target.resolved.target.as_deref().map(|end| {
        let place = files.place_of(&paths::resolve_literal(end, files.world));
        (gravity_of_writing(&place, end, contents), end)
    });
    let (gravity, path) = match at_end {
        Some((gravity, end)) if gravity > by_name => (gravity, end),
        _ => (by_name, path.as_str()),
    };
    let rule = if contents == Contents::Nothing {
        EMPTY
    } else {
        OVERWRITE
    };
    let verb = match contents {
        Contents::Nothing => "empties",
        Contents::Something => "overwrites",
        Contents::Added => "adds to",
    };
    (gravity != Gravity::Harmless).then(|| {
        rule.effect(gravity, format!("{verb} {path}"))
            .about(&target.resolved)
    })
}

/// Hooks, excludes and messages: what people do edit in `.git`.
fn is_own_part_of_git(path: &str) -> bool {
    [
        "/hooks/",
        "/info/",
        "/COMMIT_EDITMSG",
        "/MERGE_MSG",
        "/description",
    ]
    .iter()
    .any(|part| path.contains(part))
}

pub(super) fn dd(files: &Files<'_>, effects: &mut Vec<Effect>) {
    for arg in &files.invocation.args {
        let text = text_of(arg);
        if let Some(path) = text.strip_prefix("of=") {
            let value = match &arg.value {
                Value::Known(_) => Value::Known(path.to_owned()),
                Value::Pattern(_) => Value::Pattern(path.to_owned()),
                Value::Partly(_) | Value::Unknown => Value::Partly(path.to_owned()),
            };
            let file = Arg {
                source: path.to_owned(),
                value,
            };
            let device = path.starts_with("/dev/");
            write_to(files, &file, Contents::Something, effects);
            many(files, &file, Contents::Something, effects);
            for target in files.targets(&file) {
                if device
                    && matches!(
                        target.place,
                        Place::Unknown(_) | Place::Device(DeviceKind::Other)
                    )
                {
                    effects.push(OVERWRITE.grave(format!("overwrites {path}")));
                }
            }
        }
    }
}

pub(super) fn truncate(files: &Files<'_>, effects: &mut Vec<Effect>) {
    let args = &files.invocation.args;
    let grows = args.iter().filter_map(Arg::text).any(|it| {
        let size = it
            .strip_prefix("--size=")
            .or_else(|| it.strip_prefix("-s"))
            .unwrap_or(it);
        size.starts_with(['+', '>', '%'])
    });
    if grows {
        return;
    }
    for arg in operands(args, &["-s", "--size", "-r", "--reference"]) {
        write_to(files, arg, Contents::Nothing, effects);
        many(files, arg, Contents::Nothing, effects);
    }
}

pub(super) fn moved(files: &Files<'_>, effects: &mut Vec<Effect>) {
    let args = &files.invocation.args;
    let mut all = operands(args, &["-t", "--target-directory", "-S", "--suffix"]);
    let named: Option<&Arg> = args
        .iter()
        .position(|it| matches!(it.text(), Some("-t" | "--target-directory")))
        .and_then(|at| args.get(at + 1));
    let Some(destination) = named.or_else(|| all.pop()) else {
        return;
    };
    let into_nothing = destination.text() == Some("/dev/null");
    for source in all {
        for target in files.targets(source) {
            let gravity = match &target.place {
                Place::Root
                | Place::System
                | Place::HomeItself
                | Place::OtherHome
                | Place::ProjectRoot
                | Place::AboveProject
                | Place::GitDir => Gravity::Grave,
                _ if into_nothing => files.gravity_of_loss(&target).max(Gravity::Doubtful),
                _ => Gravity::Harmless,
            };
            let gravity = if into_nothing && gravity != Gravity::Harmless {
                Gravity::Grave
            } else {
                gravity
            };
            if gravity != Gravity::Harmless {
                let what = format!("moves {} away", target.resolved.path);
                effects.push(MOVE.effect(gravity, what).about(&target.resolved));
            }
        }
    }
    if !into_nothing {
        write_to(files, destination, Contents::Something, effects);
    }
}

pub(super) fn copied(files: &Files<'_>, program: &str, effects: &mut Vec<Effect>) {
    let args = &files.invocation.args;
    let with_value = [
        "-t",
        "--target-directory",
        "-S",
        "--suffix",
        "-m",
        "--mode",
        "-o",
        "--owner",
        "-g",
        "--group",
    ];
    let mut all = operands(args, &with_value);
    let Some(destination) = all.pop() else {
        return;
    };
    if all.is_empty() || (program == "install" && has(args, &["-d", "--directory"])) {
        return;
    }
    let from_nothing = all
        .iter()
        .any(|it| matches!(it.text(), Some("/dev/null" | "/dev/zero")));
    let contents = if from_nothing {
        Contents::Nothing
    } else {
        Contents::Something
    };
    if from_nothing {
        many(files, destination, contents, effects);
    }
    for target in files.targets(destination) {
        let into_home = matches!(target.place, Place::InHome(HomeKind::Config));
        if program == "ln" && !matches!(target.place, Place::System) {
            continue;
        }
        // Putting a settings file into the home is everyday; emptying one is not.
        if into_home && contents == Contents::Something {
            continue;
        }
        effects.extend(written(files, &target, contents));
    }
}

pub(super) fn tee(files: &Files<'_>, effects: &mut Vec<Effect>) {
    let args = &files.invocation.args;
    let appends = args.iter().filter_map(Arg::text).any(|it| {
        it == "--append" || (it.starts_with('-') && !it.starts_with("--") && it.contains('a'))
    });
    let contents = match (&files.invocation.stdin, appends) {
        (_, true) => Contents::Added,
        (Stdin::Text(text), false) if text.trim().is_empty() => Contents::Nothing,
        (Stdin::File(file), false) if file.text() == Some("/dev/null") => Contents::Nothing,
        _ => Contents::Something,
    };
    for arg in operands(args, &[]) {
        write_to(files, arg, contents, effects);
        many(files, arg, contents, effects);
    }
}

/// `curl -o FILE`, `wget -O FILE`: like a redirection into it.
pub(super) fn downloaded(files: &Files<'_>, effects: &mut Vec<Effect>) {
    let options: &[&str] = match files.invocation.program.as_deref() {
        Some("curl") => &["-o", "--output"],
        _ => &["-O", "--output-document"],
    };
    let mut args = files.invocation.args.iter();
    while let Some(arg) = args.next() {
        let Some(text) = arg.text() else { continue };
        let cluster = text.starts_with('-') && !text.starts_with("--");
        let takes_next = options.contains(&text)
            || (cluster
                && options
                    .first()
                    .is_some_and(|it| text.ends_with(it.trim_start_matches('-'))));
        let joined = options
            .iter()
            .find_map(|it| text.strip_prefix(it)?.strip_prefix('='));
        let target = match joined {
            Some(value) => Some(Arg::known(value)),
            None if takes_next => args.next().cloned(),
            None => None,
        };
        if let Some(target) = target.filter(|it| it.text() != Some("-")) {
            write_to(files, &target, Contents::Something, effects);
        }
    }
}

pub(super) fn mirrored(files: &Files<'_>, program: &str, effects: &mut Vec<Effect>) {
    let args = &files.invocation.args;
    let texts: Vec<&str> = args.iter().filter_map(Arg::text).collect();
    let dry = texts.iter().any(|it| {
        matches!(*it, "--dry-run" | "--list-only")
            || (it.starts_with('-') && !it.starts_with("--") && it.contains('n'))
    });
    let with_value = [
        "-e",
        "--rsh",
        "--exclude",
        "--include",
        "-f",
        "--filter",
        "--exclude-from",
        "--include-from",
        "--bwlimit",
        "--port",
        "--log-file",
        "--backup-dir",
        "-B",
        "-T",
    ];
    let mut all = operands(args, &with_value);
    if dry || all.len() < 2 {
        return;
    }
    if program == "rclone" {
        let verb = all.first().and_then(|it| it.text()).unwrap_or_default();
        if matches!(verb, "sync" | "purge" | "delete" | "bisync") {
            effects.push(MIRROR.grave(format!("rclone {verb} deletes at the destination")));
        }
        return;
    }
    let Some(destination) = all.pop() else {
        return;
    };
    if texts
        .iter()
        .any(|it| it.starts_with("--remove-source-files"))
    {
        files.delete(&all, effects);
    }
    if !texts.iter().any(|it| it.starts_with("--del")) {
        return;
    }
    let text = text_of(destination);
    let remote = text
        .split('/')
        .next()
        .is_some_and(|first| first.contains(':'))
        || text.starts_with("rsync://");
    if remote {
        effects.push(MIRROR.grave(format!("deletes at {text} what the source does not have")));
        return;
    }
    for target in files.targets(destination) {
        let gravity = files.gravity_of_loss(&target);
        if gravity != Gravity::Harmless {
            let what = format!(
                "deletes in {} what the source does not have",
                target.resolved.path
            );
            effects.push(MIRROR.effect(gravity, what).about(&target.resolved));
        }
    }
}

/// Editors that are told to delete every line.
pub(super) fn edited(files: &Files<'_>, program: &str, effects: &mut Vec<Effect>) {
    let args = &files.invocation.args;
    let texts: Vec<&str> = args.iter().filter_map(Arg::text).collect();
    let everything = |text: &str| {
        text.split(['|', '\n', ';']).any(|part| {
            matches!(
                part.trim().trim_start_matches(['+', ':']),
                "d" | "1,$d" | "%d" | ",d" | "0,$d" | "%delete" | "ggdG" | "normal ggdG"
            )
        })
    };
    let empties = match program {
        "sed" | "gsed" => {
            texts.iter().any(|it| {
                it.starts_with("-i") || *it == "--in-place" || it.starts_with("--in-place=")
            }) && sed::deletes_all(&sed::script(args))
        }
        _ => texts.iter().any(|it| everything(it)) || everything(files.stdin_text()),
    };
    if !empties {
        return;
    }
    let with_value: &[&str] = if program == "ed" {
        &["-p"]
    } else {
        &["-c", "-e", "--cmd", "-s", "--expression"]
    };
    let is_script = |arg: &Arg| match program {
        "sed" | "gsed" => arg.text() == Some(sed::script(args).as_str()),
        _ => arg.text().is_some_and(everything),
    };
    for arg in operands(args, with_value) {
        if !is_script(arg) {
            let before = effects.len();
            write_to(files, arg, Contents::Nothing, effects);
            if effects.len() == before {
                effects.push(EMPTY.doubtful(format!("deletes every line of {}", text_of(arg))));
            }
        }
    }
}

/// A new key in place of one that is in use.
pub(super) fn keys(files: &Files<'_>, effects: &mut Vec<Effect>) {
    let args = &files.invocation.args;
    let file = args
        .iter()
        .position(|it| it.text() == Some("-f"))
        .and_then(|at| args.get(at + 1));
    let Some(file) = file else {
        return;
    };
    let confirmed = match &files.invocation.stdin {
        Stdin::Text(text) => text.trim_start().starts_with(['y', 'Y']),
        Stdin::Pipe(programs) => programs.iter().any(|it| it.starts_with("yes")),
        Stdin::None | Stdin::File(_) => false,
    };
    if confirmed {
        for target in files.targets(file) {
            if matches!(
                target.place,
                Place::InHome(_) | Place::OtherHome | Place::System
            ) {
                effects.push(OVERWRITE.grave(format!("replaces the key {}", target.resolved.path)));
            }
        }
    }
}
