//! Agents that are started without their hooks, or without their questions.

use bowline_agents::folder_variables;

use super::{COMMAND, UNGUARDED};
use crate::effect::Effect;
use crate::families::Run;
use crate::families::args::{Spec, parse, word};
use crate::invocation::Value;

/// The programs of agents, also by the names of their packages.
#[rustfmt::skip]
const AGENTS: &[&str] = &[
    "aider", "amp", "auggie", "claude", "claude-code", "cline", "codex", "copilot", "crush", "cursor", "cursor-agent",
    "droid", "gemini", "gemini-cli", "goose", "grok", "kimi", "kimi-code", "kiro-cli", "opencode", "opencode-ai", "qwen",
    "qwen-code", "windsurf",
];

/// Parts of options that take an agent's guards away.
const UNGUARDING: &[&str] = &[
    "dangerously",
    "yolo",
    "skip-permissions",
    "bypass",
    "allow-all",
    "trust-all",
    "always-approve",
    "yes-always",
    "unsafe",
    "hook",
];

/// Values of options and settings that do.
const UNGUARDED_VALUES: &[&str] = &[
    "bypasspermissions",
    "danger-full-access",
    "disableallhooks",
    "\"hooks\"",
    "hooks=",
    "hooks.",
    "features.hooks",
    "yolo",
];

/// Variables that lead an agent to other settings, beside those that name its folder.
const MOVING: &[&str] = &[
    "BOWLINE_SOCKET",
    "FACTORY_HOME_OVERRIDE",
    "GEMINI_CLI_HOME",
    "GEMINI_CONFIG_DIR",
    "HOME",
    "OPENCODE_CONFIG",
    "OPENCODE_CONFIG_CONTENT",
    "OPENCODE_CONFIG_DIR",
    "OPENCODE_PERMISSION",
    "OPENCODE_PURE",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
];

/// The names of agents' programs and packages.
pub(in crate::families) fn names() -> impl Iterator<Item = &'static str> {
    AGENTS.iter().copied()
}

/// Whether a program is an agent, by its name or by that of its package.
pub fn is_agent(name: &str) -> bool {
    AGENTS.contains(&name)
}

pub(super) fn effects(run: Run<'_>) -> Option<Effect> {
    if !is_agent(run.name) {
        return None;
    }
    changes_settings(run)
        .or_else(|| unguarded_by_option(run))
        .or_else(|| unguarded_by_place(run))
}

/// `claude config set hooks …`
fn changes_settings(run: Run<'_>) -> Option<Effect> {
    let parsed = parse(run.args, &Spec::gnu(&[]));
    let guarded = |it: &&str| {
        let name = it.to_ascii_lowercase();
        name.contains("hook") || name.contains("permission")
    };
    let changes = parsed.begins("config set|add|remove|rm|unset|delete")
        && parsed.from(2).iter().any(guarded);
    changes.then(|| COMMAND.doubtful(format!("runs `{} {}`", run.name, parsed.words.join(" "))))
}

fn unguarded_by_option(run: Run<'_>) -> Option<Effect> {
    let words: Vec<&str> = run.args.iter().map(word).collect();
    let mut rest = words.iter().copied();
    while let Some(option) = rest.next() {
        // What comes then is for the programs that the agent starts.
        if option == "--" {
            break;
        }
        if !option.starts_with('-') {
            continue;
        }
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        let next = rest.clone().next();
        let removes = is_unguarding(run.name, name)
            || value
                .or(next.filter(|_| takes_value(name)))
                .is_some_and(|value| is_unguarding_value(name, value));
        if removes {
            return Some(UNGUARDED.doubtful(format!("starts {} with {option}", run.name)));
        }
        // The prompt may hold such words.
        if value.is_none() && takes_value(name) {
            rest.next();
        }
    }
    None
}

fn is_unguarding(program: &str, option: &str) -> bool {
    let lower = option.to_ascii_lowercase();
    let long = option.starts_with("--");
    match (program, option) {
        ("claude" | "claude-code" | "qwen" | "qwen-code", "--bare")
        | ("opencode" | "opencode-ai", "--pure")
        | ("qwen" | "qwen-code", "--safe-mode")
        | ("gemini" | "gemini-cli" | "qwen" | "qwen-code", "-y")
        | ("cursor" | "cursor-agent", "-f" | "--force")
        | ("kimi" | "kimi-code", "-y" | "--auto") => true,
        _ => {
            let lower = lower.replace("webhook", "");
            long && UNGUARDING.iter().any(|it| lower.contains(it))
        }
    }
}

fn takes_value(option: &str) -> bool {
    matches!(
        option,
        "--permission-mode"
            | "--approval-mode"
            | "--auto"
            | "--settings"
            | "--setting-sources"
            | "--sandbox"
            | "-s"
            | "--config"
            | "-c"
            | "--disable"
            | "--model"
            | "-m"
            | "-p"
            | "--prompt"
            | "--append-system-prompt"
            | "--system-prompt"
            | "--add-dir"
            | "--allowedTools"
            | "--disallowedTools"
    )
}

fn is_unguarding_value(option: &str, value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let says_so = || UNGUARDED_VALUES.iter().any(|it| lower.contains(it));
    match option {
        // A file that nobody reads here may say anything.
        "--settings" => !value.trim_start().starts_with('{') || says_so(),
        // A feature of Codex's.
        "--disable" => lower.contains("hooks"),
        // The person's own hooks are in the user's settings.
        "--setting-sources" => !lower.contains("user"),
        // Of Factory Droid.
        "--auto" => lower == "high",
        "--permission-mode" | "--approval-mode" | "--sandbox" | "-s" | "--config" | "-c" => {
            says_so()
        }
        _ => false,
    }
}

fn unguarded_by_place(run: Run<'_>) -> Option<Effect> {
    let (name, _) = run.invocation.environment.iter().find(|(name, value)| {
        let moves = MOVING.contains(&name.as_str()) || folder_variables().any(|it| it == name);
        moves && *value != Value::Known(String::new())
    })?;
    Some(UNGUARDED.doubtful(format!("starts {} with another {name}", run.name)))
}
