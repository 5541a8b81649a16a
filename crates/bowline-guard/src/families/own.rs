//! Bowline's own settings and the agent's hooks: nobody switches off the guard without a person.

use crate::effect::Effect;
use crate::invocation::{Arg, Invocation, Opening, Value};
use crate::paths::{TrailingSlash, World, resolve};

use super::Run;
use super::args::{Spec, UNKNOWN, parse, word};
use super::rule::rules;

rules! {
    COMMAND = OwnSettings, "self.command", "Switches Bowline off, or changes whom it trusts",
        instead "tell the person what stands in the way";
    SETTINGS = OwnSettings, "self.settings", "Changes Bowline's or the agent's own hook settings",
        instead "tell the person which setting should change";
    SWITCHED_OFF = OwnSettings, "self.switched-off", "Runs something with Bowline switched off",
        instead "run it with Bowline on, and tell the person what stands in the way";
}

pub(super) fn effects(run: Run<'_>) -> Vec<Effect> {
    let mut found = Vec::new();
    if let Some(args) = bowline_args(run) {
        let parsed = parse(args, &Spec::gnu(&["config", "project", "agent", "C"]));
        let acts = parsed.begins("uninstall|trust|untrust|pause|disable|off")
            || parsed.begins("daemon stop|kill|restart")
            || parsed.begins("rules|rule|config|settings remove|disable|set|unset|allow|edit");
        if acts {
            found.push(COMMAND.doubtful(format!("runs `bowline {}`", parsed.words.join(" "))));
        }
    }
    if run.name == "claude" {
        let parsed = parse(run.args, &Spec::gnu(&[]));
        let guarded = |it: &&str| {
            let name = it.to_ascii_lowercase();
            name.contains("hook") || name.contains("permission")
        };
        if parsed.begins("config set|add|remove|rm|unset|delete")
            && parsed.from(2).iter().any(guarded)
        {
            found.push(COMMAND.doubtful(format!("runs `claude {}`", parsed.words.join(" "))));
        }
    }
    let names_bowline =
        |text: &str| text == "bowline" || text == "bowlined" || text.starts_with("bowline-");
    let ends = matches!(
        run.name,
        "killall" | "pkill" | "systemctl" | "launchctl" | "service" | "brew" | "npm" | "cargo"
    );
    let removes = run.args.iter().map(word).any(|it| {
        matches!(
            it,
            "stop" | "disable" | "mask" | "uninstall" | "remove" | "unload" | "bootout"
        )
    });
    if ends
        && (removes || run.name.contains("kill"))
        && run.args.iter().map(word).any(names_bowline)
    {
        found.push(COMMAND.doubtful("stops or removes Bowline"));
    }
    found
}

/// The arguments for Bowline, if a run starts it: by its name, through cargo, or from its sources.
fn bowline_args(run: Run<'_>) -> Option<&[Arg]> {
    let (first, rest) = match run.name {
        "bowline" => return Some(run.args),
        "cargo" => run.args.split_first()?,
        _ => return None,
    };
    match word(first) {
        "bowline" => Some(rest),
        "run" | "r" => {
            let dashes = rest.iter().position(|it| word(it) == "--")?;
            let (own, given) = rest.split_at_checked(dashes)?;
            own.iter()
                .any(|it| word(it).contains("bowline"))
                .then(|| given.get(1..).unwrap_or_default())
        }
        _ => None,
    }
}

/// What a run does to the settings of the guard itself.
pub(super) fn settings_effects(invocation: &Invocation, world: &dyn World) -> Vec<Effect> {
    let mut found = Vec::new();
    let sets_off = |name: &str, value: &str| {
        (name == "BOWLINE" || name.starts_with("BOWLINE_"))
            && matches!(
                value.to_ascii_lowercase().as_str(),
                "off" | "0" | "false" | "no" | "disabled" | "observe" | "none"
            )
    };
    for (name, value) in &invocation.environment {
        if let Value::Known(value) = value
            && sets_off(name, value)
        {
            found.push(SWITCHED_OFF.doubtful(format!("runs with {name}={value}")));
        }
    }
    let program = invocation.program.as_deref().unwrap_or_default();
    if matches!(program, "export" | "declare" | "typeset" | "setx") {
        let off = invocation
            .args
            .iter()
            .map(word)
            .filter_map(|it| it.split_once('='));
        for (name, value) in off.filter(|(name, value)| sets_off(name, value)) {
            found.push(SWITCHED_OFF.doubtful(format!("sets {name}={value}")));
        }
    }
    let written = invocation
        .opened
        .iter()
        .filter(|it| !matches!(it.how, Opening::Read))
        .map(|it| word(&it.file));
    let changed = changes(program, invocation);
    for path in written.chain(changed) {
        if path != UNKNOWN && is_own(path, world) {
            found.push(
                SETTINGS.doubtful(format!("changes {path}, the settings of the guard itself")),
            );
        }
    }
    for path in removed(program, invocation) {
        if path != UNKNOWN && holds_own(path, world) {
            found.push(SETTINGS.doubtful(format!(
                "takes away {path}, with the settings of the guard itself"
            )));
        }
    }
    found
}

/// The folders that a program deletes or moves away.
fn removed<'run>(program: &str, invocation: &'run Invocation) -> Vec<&'run str> {
    let words = || {
        invocation
            .args
            .iter()
            .map(word)
            .filter(|it| !it.starts_with('-'))
    };
    match program {
        "rm" | "shred" | "srm" | "trash" | "trash-put" | "rimraf" => words().collect(),
        "mv" => {
            let count = words().count().saturating_sub(1);
            words().take(count).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a folder is one that the settings of a person lie in. A link without a slash at its end is only a link.
fn holds_own(path: &str, world: &dyn World) -> bool {
    let mut resolved = resolve(path, world);
    if resolved.trailing_slash == TrailingSlash::No {
        resolved.target = None;
    }
    resolved.spellings().any(|spelling| {
        let below = spelling.trim_end_matches("/*").trim_end_matches('/');
        world
            .home()
            .and_then(|home| below.strip_prefix(home))
            .is_some_and(|rest| matches!(rest, "" | "/.config" | "/.cargo" | "/.cargo/bin"))
    })
}

/// The files that a program changes, by the usual programs that do.
fn changes<'run>(program: &str, invocation: &'run Invocation) -> Vec<&'run str> {
    let args = &invocation.args;
    let words = || args.iter().map(word).filter(|it| !it.starts_with('-'));
    let in_place = || {
        args.iter()
            .map(word)
            .any(|it| it.starts_with("-i") || it.starts_with("--in-place") || it.contains("pi"))
    };
    match program {
        "rm" | "unlink" | "shred" | "truncate" | "tee" | "chmod" | "chown" | "chattr" | "rmdir"
        | "sponge" | "ed" | "ex" | "patch" | "trash" | "srm" | "gio" | "touch" | "jq-in-place" => {
            words().collect()
        }
        "mv" | "ln" | "trash-put" => words().collect(),
        "cp" | "install" | "rsync" | "scp" => words().next_back().into_iter().collect(),
        "sed" | "gsed" | "perl" | "yq" | "awk" | "gawk" | "dasel" | "tomlq" if in_place() => {
            words().collect()
        }
        "find" | "gfind" if args.iter().any(|it| word(it) == "-delete") => args
            .iter()
            .map(word)
            .take_while(|it| !it.starts_with('-'))
            .collect(),
        "tar" | "gtar" | "bsdtar" if unpacks(args) => words().skip(1).collect(),
        "unzip" | "7z" | "7za" => words().skip(1).collect(),
        // `print > "file"` in the program text.
        "awk" | "gawk" | "mawk" | "nawk" => args
            .iter()
            .map(word)
            .filter(|it| it.contains('>'))
            .flat_map(|it| it.split('"').skip(1).step_by(2))
            .collect(),
        "dd" => args
            .iter()
            .filter_map(|it| word(it).strip_prefix("of="))
            .collect(),
        "curl" | "wget" => {
            let parsed = parse(args, &Spec::gnu(&["o", "O", "output", "output-document"]));
            parsed
                .values(&["o", "output", "O", "output-document"])
                .collect()
        }
        "git" => {
            let mut rest = words();
            let acts = matches!(
                rest.next(),
                Some("checkout" | "restore" | "rm" | "mv" | "stash")
            ) && !args.iter().any(|it| word(it) == "--cached");
            if acts { rest.collect() } else { Vec::new() }
        }
        _ => Vec::new(),
    }
}

fn unpacks(args: &[Arg]) -> bool {
    args.iter().map(word).enumerate().any(|(at, it)| {
        matches!(it, "--extract" | "--get")
            || (!it.starts_with("--") && (at == 0 || it.starts_with('-')) && it.contains('x'))
    })
}

/// Whether a path is a setting of Bowline or of the agent's hooks, or holds them.
fn is_own(path: &str, world: &dyn World) -> bool {
    let resolved = resolve(path, world);
    resolved.spellings().any(|spelling| {
        let lower = spelling.to_ascii_lowercase();
        let parts: Vec<&str> = lower.split('/').filter(|it| !it.is_empty()).collect();
        let name = parts.last().copied().unwrap_or_default();
        let parent = parts.iter().rev().nth(1).copied().unwrap_or_default();
        let own_file = matches!(
            name,
            "bowline.toml" | "bowline.local.toml" | ".bowline.toml" | ".mcp-hooks.json"
        );
        let own_folder = parts.windows(2).any(|pair| {
            matches!(
                pair,
                [
                    ".config"
                        | "share"
                        | "state"
                        | ".local"
                        | ".cache"
                        | "application support"
                        | "etc",
                    "bowline"
                ]
            )
        }) || parts.contains(&".bowline");
        let agent = matches!(
            parent,
            ".claude" | ".codex" | ".gemini" | ".cursor" | ".opencode" | ".qwen" | "claude-code"
        ) && (name.starts_with("settings") && name.ends_with("json")
            || (name.contains('*') && (name.ends_with("json") || name == "*"))
            || matches!(
                name,
                "hooks.json"
                    | "sensitive-files.json"
                    | "config.toml"
                    | "managed-settings.json"
                    | "hooks"
            ));
        let agent_folder = matches!(name, ".claude" | ".codex" | ".gemini");
        let own_program = matches!(name, "bowline" | "bowlined") && parent == "bin";
        own_file || own_folder || own_program || agent || (agent_folder && parts.len() > 1)
    })
}
