//! The hooks, settings and trust of the current project.

use bowline::settings::{
    HookStatus, LoadedHook, Locations, Settings, Severity, TrustState, TrustStore,
};

use super::check::Check;
use super::facts::Facts;
use crate::finding::{self, Finding};
use crate::project::{self, Paths};
use crate::ui::counted;

pub(super) fn all(settings: &Settings, facts: &Facts) -> [Check; 3] {
    [hooks(settings, facts), files(settings), trust(settings)]
}

/// Which hooks do not run and why, and which never did.
fn hooks(settings: &Settings, facts: &Facts) -> Check {
    let check = Check::new("hooks");
    let own: Vec<&LoadedHook> = settings
        .hooks
        .iter()
        .filter(|hook| project::is_run_by_bowline(settings, hook.definition.origin.file.as_deref()))
        .collect();
    let off: Vec<String> = own.iter().filter_map(|hook| off(hook)).collect();
    let builtins = project::builtins(settings);
    let in_force = own
        .iter()
        .filter(|hook| hook.status == HookStatus::InForce)
        .map(|hook| hook.definition.id.as_str())
        .chain(builtins.hooks.iter().map(|builtin| builtin.hook.name()));
    let mut in_force: Vec<&str> = in_force.collect();
    in_force.sort_unstable();
    in_force.dedup();

    let mut details = Vec::new();
    let mut failed = 0;
    if let Some(fired) = facts.fired() {
        let never: Vec<&str> = in_force
            .iter()
            .copied()
            .filter(|name| !fired.iter().any(|(it, _)| it == name))
            .collect();
        if !never.is_empty() {
            details.push(format!(
                "no recorded event has fired these yet: {}",
                never.join(", ")
            ));
        }
        for (name, failure) in fired
            .iter()
            .filter(|(name, _)| in_force.contains(&name.as_str()))
        {
            if let Some(failure) = failure {
                failed += 1;
                details.push(format!("{name} failed: {failure}"));
            }
        }
    }
    let count = in_force.len();
    let check = if off.is_empty() && failed == 0 {
        check.ok(format!("{count} in force"))
    } else {
        check
            .warning(format!(
                "{count} in force, {} switched off, {failed} have failed",
                off.len()
            ))
            .advice("`bowline hooks` shows all of them")
    };
    check.details(off).details(details)
}

fn off(hook: &LoadedHook) -> Option<String> {
    let why = match &hook.status {
        HookStatus::Disabled { by } => format!("switched off by {by}"),
        HookStatus::Untrusted => "the project is not trusted".to_owned(),
        _ => return None,
    };
    Some(format!("{}: {why}", hook.definition.id))
}

/// What `bowline check` would say.
fn files(settings: &Settings) -> Check {
    let check = Check::new("settings");
    let rules = project::builtins(settings).rules.diagnostics;
    let findings: Vec<Finding> = settings
        .diagnostics
        .iter()
        .cloned()
        .chain(rules)
        .chain(project::script_findings(settings))
        .map(Finding::from)
        .collect();
    let paths = Paths::of(&settings.project);
    let has_errors = findings.iter().any(|it| it.severity == Severity::Error);
    match finding::problems(&findings, &paths, None) {
        None => check.ok(format!(
            "{}, nothing wrong",
            counted(settings.files.len(), "file")
        )),
        Some(problems) if has_errors => check
            .problem(problems)
            .details(settings.unread_files().map(|file| {
                let name = paths.show(&file.path);
                format!(
                    "{name} cannot be read: until it is corrected, every tool call is asked about, unless a daemon still has what it said before"
                )
            }))
            .advice("run `bowline check`"),
        Some(problems) => check.warning(problems).advice("run `bowline check`"),
    }
}

fn trust(settings: &Settings) -> Check {
    let check = Check::new("trust");
    let bridged = project::bridged_trust(settings);
    match settings.trust {
        TrustState::NotNeeded | TrustState::Trusted if bridged.is_pending() => {
            let why = match bridged {
                TrustState::Changed => "no longer trusted, because they have changed",
                _ => "not trusted",
            };
            check
                .warning(format!(
                    "the project's hooks for Claude Code do not run under other agents: they are {why}"
                ))
                .advice("look at them and run `bowline trust`")
        }
        TrustState::NotNeeded if bridged == TrustState::Trusted => {
            check.ok("the project's hooks for Claude Code are trusted")
        }
        TrustState::NotNeeded => check.ok("the project has nothing that needs it"),
        TrustState::Trusted => check.ok("the project's own settings are trusted"),
        TrustState::Changed => check
            .warning(
                "the project's own settings are no longer trusted, because they have changed: they can only make things stricter",
            )
            .details(changes(settings))
            .advice("look at what changed and run `bowline trust`"),
        TrustState::ExceptAllowList => check
            .warning(
                "the project's own settings are trusted, but not the allow-list of .claude/sensitive-files.json, which has come since",
            )
            .advice("look at it and run `bowline trust`"),
        _ => check
            .warning(
                "the project's own settings are not trusted: they can only make things stricter",
            )
            .advice("look at them and run `bowline trust`"),
    }
}

/// What is different since the project was trusted.
fn changes(settings: &Settings) -> Vec<String> {
    let store = TrustStore::open(&Locations::from_env());
    store.map_or_else(
        |_| Vec::new(),
        |store| store.changes(&settings.bowline_root),
    )
}
