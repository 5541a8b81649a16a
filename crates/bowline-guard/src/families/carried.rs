//! Commands that an option or a setting of another program carries: `git fetch --upload-pack=…`,
//! `split --filter=…`, `vim -c …`. They are judged as what they are.

use crate::effect::{Effect, Gravity};
use crate::interpret::interpret;
use crate::invocation::{Arg, Invocation};
use crate::paths::World;

use super::args::{Parsed, Spec, UNKNOWN, parse, split_command, word};
use super::launch::plain_name;
use super::rule::rules;

rules! {
    CARRIED = FetchedCode, "carried.command", "Makes a program run a command of one's own",
        instead "run the command by itself, so that it can be seen";
}

/// At most this many carried commands of one run are followed.
const MAX_CARRIED: usize = 8;

/// A command that a run carries.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Carried {
    text: String,
    /// Where it stands: `git fetch --upload-pack`.
    place: String,
}

/// What the commands that a run carries would do.
pub(super) fn effects(invocation: &Invocation, world: &dyn World) -> Vec<Effect> {
    let all = carried(invocation);
    let mut found: Vec<Effect> = all
        .iter()
        .take(MAX_CARRIED)
        .flat_map(|it| judged(it, world))
        .collect();
    if all.len() > MAX_CARRIED {
        found.push(CARRIED.doubtful("carries more commands than can be followed"));
    }
    found
}

fn judged(carried: &Carried, world: &dyn World) -> Vec<Effect> {
    let mut found = Vec::new();
    let runs = interpret(&carried.text, world).invocations;
    for run in &runs {
        found.extend(super::effects(run, world));
    }
    found.retain(|it| it.gravity > Gravity::Harmless);
    let usual = runs
        .iter()
        .all(|run| is_usual(run) && self::carried(run).is_empty());
    if found.is_empty() && (!usual || carried.text.contains(UNKNOWN)) {
        let short: String = carried.text.chars().take(80).collect();
        found.push(CARRIED.doubtful(format!("makes {} run `{short}`", carried.place)));
    }
    found
}

/// Programs that people do put into such options and settings.
fn is_usual(run: &Invocation) -> bool {
    let Some(name) = run.program.as_deref().map(plain_name) else {
        return false;
    };
    matches!(
        name,
        "git"
            | "git-upload-pack"
            | "git-receive-pack"
            | "git-upload-archive"
            | "ssh"
            | "less"
            | "more"
            | "most"
            | "cat"
            | "delta"
            | "diff-so-fancy"
            | "bat"
            | "batcat"
            | "vim"
            | "nvim"
            | "vi"
            | "nano"
            | "emacs"
            | "code"
            | "subl"
            | "gzip"
            | "pigz"
            | "bzip2"
            | "xz"
            | "zstd"
            | "lz4"
            | "lzop"
            | "lzma"
            | "head"
            | "tail"
            | "wc"
            | "sort"
            | "tr"
            | "grep"
            | "rg"
            | "ls"
            | "tree"
            | "eza"
            | "exa"
            | "file"
            | "echo"
            | "printf"
            | "jq"
            | "column"
            | "fold"
            | "nl"
            | "sed"
            | "awk"
            | "cut"
            | "pdftotext"
            | "true"
            | "nc"
            | "cloudflared"
            | "aws"
            | "gcloud"
            | "tee"
            | "split"
            | "ydiff"
            | "icdiff"
            | "difft"
            | "difftastic"
            | "gh"
            | "git-lfs"
            | "kubectl"
            | "docker"
            | "man"
            | "glow"
            | "mdcat"
            | "chafa"
            | "preview"
            | "lua"
    ) || (matches!(name, "sh" | "bash" | "dash" | "zsh") && run.args.is_empty())
}

fn carried(invocation: &Invocation) -> Vec<Carried> {
    let args = invocation.args.as_slice();
    let name = invocation.program.as_deref().map(plain_name);
    let values = |spec: &Spec, names: &[&str], place: &str| -> Vec<Carried> {
        all(parse(args, spec).values(names), place)
    };
    match name.unwrap_or_default() {
        "git" | "hub" => git(args),
        "split" | "gsplit" => values(&Spec::gnu(&["filter"]), &["filter"], "split --filter"),
        "sort" | "gsort" => values(
            &Spec::gnu(&["compress-program"]),
            &["compress-program"],
            "sort --compress-program",
        ),
        "rg" => values(
            &Spec::gnu(&["pre", "hostname-bin"]),
            &["pre", "hostname-bin"],
            "rg --pre",
        ),
        "fzf" | "sk" => values(&Spec::gnu(&["preview"]), &["preview"], "fzf --preview"),
        "scp" | "sftp" => {
            let spec = Spec::gnu(&["o", "S", "i", "P", "F", "c", "l", "J", "D", "b"]);
            let parsed = parse(args, &spec);
            let mut found = all(parsed.values(&["S", "D"]), "scp -S");
            found.extend(all(parsed.values(&["o"]).filter_map(ssh_command), "scp -o"));
            found
        }
        "apt-get" | "apt" | "aptitude" => {
            let parsed = parse(args, &Spec::gnu(&["o", "option", "t"]));
            let hooks = parsed.values(&["o", "option"]).filter_map(|it| {
                let (name, value) = it.split_once('=')?;
                let name = name.to_ascii_lowercase();
                ["invoke", "pre-install-pkgs", "post-invoke"]
                    .iter()
                    .any(|hook| name.contains(hook))
                    .then_some(value)
            });
            all(hooks, "apt -o")
        }
        "make" | "gmake" => make(args),
        "vim" | "nvim" | "vi" | "view" | "ex" | "gvim" => editor(args),
        _ => Vec::new(),
    }
}

fn all<'arg>(texts: impl Iterator<Item = &'arg str>, place: &str) -> Vec<Carried> {
    texts.map(|text| one(text, place)).collect()
}

fn one(text: impl Into<String>, place: &str) -> Carried {
    Carried {
        text: text.into(),
        place: place.to_owned(),
    }
}

/// One word for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The command in an option of ssh.
fn ssh_command(option: &str) -> Option<&str> {
    let (name, value) = option.split_once(['=', ' '])?;
    let name = name.to_ascii_lowercase();
    matches!(
        name.as_str(),
        "proxycommand" | "localcommand" | "knownhostscommand"
    )
    .then_some(value)
}

fn git(args: &[Arg]) -> Vec<Carried> {
    const GLOBAL: Spec = Spec::gnu(&["C", "c", "git-dir", "work-tree", "namespace", "config-env"]);
    const OWN: Spec = Spec::gnu(&[
        "upload-pack",
        "receive-pack",
        "exec",
        "u",
        "b",
        "branch",
        "depth",
        "remote",
        "o",
        "format",
    ]);
    let (global, command, rest) = split_command(args, &GLOBAL);
    let mut found: Vec<Carried> = global
        .values(&["exec-path"])
        .map(|it| one(format!("{it}/git-{command}"), "git --exec-path"))
        .collect();
    let parsed = parse(rest, &OWN);
    match command {
        "fetch" | "clone" | "pull" | "ls-remote" | "push" | "archive" | "fetch-pack"
        | "send-pack" | "remote" | "submodule" => {
            found.extend(all(
                parsed.values(&["upload-pack", "receive-pack", "exec"]),
                "git --upload-pack",
            ));
            if command == "clone" {
                found.extend(all(parsed.values(&["u"]), "git clone -u"));
            }
            found.extend(parsed.words.iter().filter_map(|it| external(it)));
        }
        "grep" => found.extend(
            rest.iter()
                .map(word)
                .filter_map(|it| it.strip_prefix("-O"))
                .filter(|it| !it.is_empty())
                .map(|it| one(format!("{it} ."), "git grep -O")),
        ),
        "config" => found.extend(setting(&parsed)),
        _ => {}
    }
    found
}

/// `ext::command`: git runs it to reach a repository; `% ` is a space in it.
fn external(address: &str) -> Option<Carried> {
    let command = address.strip_prefix("ext::")?;
    let words: Vec<String> = command
        .replace("% ", UNKNOWN)
        .split(' ')
        .map(|it| quoted(&it.replace(UNKNOWN, " ")))
        .collect();
    Some(one(words.join(" "), "git ext::"))
}

/// A setting whose value git runs later.
fn setting(parsed: &Parsed<'_>) -> Option<Carried> {
    let words = match parsed.at(0) {
        "set" => parsed.from(1),
        _ => parsed.from(0),
    };
    let [name, value, ..] = words else {
        return None;
    };
    let lower = name.to_ascii_lowercase();
    let place = format!("git by {name}");
    if lower.starts_with("alias.") {
        return Some(match value.strip_prefix('!') {
            Some(shell) => one(shell, &place),
            None => one(format!("git {value}"), &place),
        });
    }
    if lower == "core.hookspath" {
        let outside = value.starts_with(['/', '~', '$']) || value.contains("..");
        return outside.then(|| one(format!("{value}/hook"), &place));
    }
    let section = lower.split('.').next().unwrap_or_default();
    let last = lower.rsplit('.').next().unwrap_or_default();
    let runs = matches!(
        (section, last),
        ("core", "pager" | "editor" | "sshcommand" | "askpass")
            | ("sequence", "editor")
            | ("diff", "external" | "textconv" | "command")
            | (
                "pager" | "interactive" | "uploadpack" | "remote" | "merge",
                "difffilter" | "driver" | "packobjectshook" | "uploadpack" | "receivepack"
            )
            | ("filter", "clean" | "smudge" | "process")
            | ("difftool" | "mergetool" | "gpg", "cmd" | "program")
    );
    (runs && !value.is_empty()).then(|| one(*value, &place))
}

/// `--eval` holds rules, with commands after tabs, semicolons or in `$(shell …)`; `SHELL` runs all.
fn make(args: &[Arg]) -> Vec<Carried> {
    let parsed = parse(
        args,
        &Spec::gnu(&["eval", "E", "f", "C", "file", "directory"]),
    );
    let mut found = Vec::new();
    for text in parsed.values(&["eval", "E"]) {
        for (at, mark) in text.match_indices("$(shell ").take(MAX_CARRIED) {
            let inner = text.get(at + mark.len()..).unwrap_or_default();
            let inner = inner.rsplit_once(')').map_or(inner, |(before, _)| before);
            found.push(one(inner, "make --eval"));
        }
    }
    let shells = parsed
        .words
        .iter()
        .filter_map(|it| it.strip_prefix("SHELL="));
    found.extend(all(shells, "make SHELL"));
    found
}

/// Commands of the editor that run code of another language, or delete.
fn editor(args: &[Arg]) -> Vec<Carried> {
    let parsed = parse(args, &Spec::gnu(&["c", "cmd", "S", "u"]));
    let plus = args.iter().map(word).filter_map(|it| it.strip_prefix('+'));
    let mut found = Vec::new();
    for command in parsed.values(&["c", "cmd"]).chain(plus) {
        let command = command.trim_start_matches([':', ' ']);
        let (verb, rest) = command.split_once([' ', '(']).unwrap_or((command, ""));
        let quoted = quoted(rest);
        match verb {
            "py" | "py3" | "python" | "python3" | "pythonx" | "pyx" => {
                found.push(one(format!("python3 -c {quoted}"), "the editor"));
            }
            "lua" => found.push(one(format!("lua -e {quoted}"), "the editor")),
            "ruby" | "rub" => found.push(one(format!("ruby -e {quoted}"), "the editor")),
            "perl" => found.push(one(format!("perl -e {quoted}"), "the editor")),
            _ => {}
        }
        for (call, program) in [("delete(", "rm -rf"), ("system(", ""), ("systemlist(", "")] {
            if let Some((_, after)) = command.split_once(call)
                && !matches!(verb, "py" | "py3" | "python3" | "lua" | "ruby" | "perl")
            {
                let mut parts = after.splitn(3, ['"', '\'']);
                let inner = parts.nth(1).unwrap_or(UNKNOWN);
                found.push(one(format!("{program} {inner}"), "the editor"));
            }
        }
    }
    found
}
