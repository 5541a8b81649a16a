//! Bowline's own settings and the agent's hooks: nobody switches off the guard without a person.

mod agents;
mod editor;
mod files;
mod switches;

pub use agents::is_agent;
pub(super) use agents::names as agents;

use crate::effect::Effect;
use crate::invocation::{Arg, Invocation, Through};
use crate::paths::World;

use super::args::{Parsed, Spec, parse, word};
use super::rule::rules;
use super::{Run, launch};

rules! {
    COMMAND = OwnSettings, "self.command", "Switches Bowline off, or changes whom it trusts",
        instead "tell the person what stands in the way";
    SETTINGS = OwnSettings, "self.settings", "Changes Bowline's or the agent's own hook settings",
        instead "tell the person which setting should change";
    STATE = OwnSettings, "self.state", "Writes into what Bowline itself keeps",
        instead "use the `bowline` commands, which keep it whole";
    SWITCHED_OFF = OwnSettings, "self.switched-off", "Runs something with Bowline switched off",
        instead "run it with Bowline on, and tell the person what stands in the way";
    UNGUARDED = OwnSettings, "self.unguarded-agent", "Starts an agent without its hooks or its questions",
        instead "start it without that option, or tell the person what it should do";
}

pub(super) fn effects(run: Run<'_>) -> Vec<Effect> {
    let mut found = Vec::new();
    if let Some(args) = bowline_args(run) {
        let parsed = parse(
            args,
            &Spec::gnu(&[
                "config",
                "project",
                "agent",
                "C",
                "color",
                "on-failure",
                "scope",
            ]),
        );
        if !is_harmless(&parsed) {
            found.push(COMMAND.doubtful(format!("runs `bowline {}`", parsed.words.join(" "))));
        }
    }
    if ends_bowline(run) {
        found.push(COMMAND.doubtful("stops or removes Bowline"));
    }
    found.extend(agents::effects(run));
    found.extend(switches::set_for_all(run));
    found
}

/// What a run does to the settings of the guard itself.
pub(super) fn settings_effects(invocation: &Invocation, world: &dyn World) -> Vec<Effect> {
    let mut found = switches::effects(invocation);
    found.extend(files::effects(invocation, world));
    found.extend(editor::effects(invocation, world));
    found
}

/// The words behind `bowline`, if a run starts it.
pub fn words_of(run: &Invocation) -> Option<Vec<&str>> {
    let seen = Run {
        name: launch::plain_name(run.program.as_deref()?),
        args: &run.args,
        invocation: run,
    };
    let words = bowline_args(seen)?;
    Some(words.iter().map(word).collect())
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

/// Whether a command of Bowline only looks, tries out, or makes things stricter. What is not known is not harmless.
fn is_harmless(parsed: &Parsed<'_>) -> bool {
    match parsed.at(0) {
        "" | "check" | "complete" | "completions" | "demo" | "denied" | "doctor" | "effort"
        | "eval" | "events" | "explain" | "fleet" | "help" | "hook" | "hooks" | "log"
        | "metrics" | "redact" | "report" | "resume" | "schema" | "search" | "session"
        | "status" | "task" | "test" | "trace" | "version" | "work" => true,
        // A person may have pinned it.
        "note" => parsed.at(1) != "remove",
        "rules" => matches!(parsed.at(1), "" | "list" | "show" | "test"),
        "daemon" => matches!(parsed.at(1), "" | "run" | "start" | "status" | "unit"),
        "store" => {
            matches!(parsed.at(1), "" | "path" | "size" | "backup" | "compact")
                || (parsed.at(1) == "forget" && parsed.has(&["dry-run"]))
        }
        // What failed is evidence.
        "errors" => parsed.at(1) != "forget",
        "lease" => matches!(parsed.at(1), "" | "list"),
        // Only a person answers a question.
        "approvals" => matches!(parsed.at(1), "" | "list"),
        // An agent that was stopped may begin anew; only a person switches it off.
        "orchestrator" => matches!(parsed.at(1), "" | "status" | "reset" | "on"),
        "cost" => parsed.at(1) != "allow",
        "config" => matches!(parsed.at(1), "" | "show"),
        "trust" => parsed.has(&["list"]),
        // What it starts is judged as if it stood alone.
        "run" => !opens(parsed),
        // Without a yes it asks by itself.
        "init" => parsed.has(&["dry-run"]) || (!opens(parsed) && !parsed.has(&["yes", "y"])),
        _ => false,
    }
}

/// Whether what nobody can judge would run.
fn opens(parsed: &Parsed<'_>) -> bool {
    parsed
        .values(&["on-failure"])
        .any(|it| !matches!(it.to_ascii_lowercase().as_str(), "ask" | "closed"))
}

/// Whether a run ends Bowline's processes or takes it off the machine.
fn ends_bowline(run: Run<'_>) -> bool {
    let words = || run.args.iter().map(word);
    let is_named = |text: &str| {
        let name = text.rsplit('/').next().unwrap_or(text);
        name == "bowline" || name == "bowlined" || name.starts_with("bowline-")
    };
    let is_mentioned = |text: &str| text.to_ascii_lowercase().contains("bowline");
    let does = |acts: &[&str]| words().any(|it| acts.contains(&it));
    match run.name {
        // A pattern ends all processes whose names begin like it.
        "pkill" | "killall" | "skill" | "pkill5" => words()
            .filter(|it| !it.starts_with('-'))
            .map(|it| it.trim_start_matches('^').trim_end_matches('$'))
            .any(|it| is_mentioned(it) || (it.len() > 2 && "bowline".starts_with(it))),
        "kill" => run.invocation.through.iter().any(|it| match it {
            Through::EachOf(listing) => is_mentioned(listing),
            _ => false,
        }),
        "fuser" => words().any(is_mentioned) && words().any(|it| it.starts_with("-k")),
        "systemctl" | "launchctl" | "service" | "rc-service" | "brew"
            if words().any(is_mentioned) =>
        {
            does(&[
                "stop",
                "disable",
                "mask",
                "kill",
                "uninstall",
                "remove",
                "rm",
                "unload",
                "bootout",
                "freeze",
                "revert",
            ])
        }
        "npm" | "pnpm" | "yarn" | "cargo" | "pipx" | "apt" | "apt-get" | "dnf" | "pacman"
        | "nix-env"
            if words().any(is_named) =>
        {
            does(&["uninstall", "remove", "rm", "purge", "-R", "-e"])
        }
        _ => false,
    }
}
