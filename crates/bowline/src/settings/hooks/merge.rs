//! Puts the hooks of all files in the order in which they run, and finds the ones that are written twice.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use bowline_agents::claude_code::rules::types_that_run;

use super::model::{Action, Dedupe, HookDefinition, Scope};
use super::read::Parsed;
use crate::dialect::Dialect;
use crate::event::HookEvent;
use crate::hook::Activation;

/// A hook of a settings file, and whether it runs.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LoadedHook {
    /// The hook.
    pub definition: HookDefinition,
    /// Whether it runs.
    pub status: HookStatus,
}

/// Whether a hook of a settings file runs.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HookStatus {
    /// It runs.
    InForce,
    /// The same hook is written in another place, and runs there.
    Duplicate {
        /// Its index in the list of all hooks.
        of: usize,
    },
    /// The project's settings are not trusted.
    Untrusted,
    /// Something switches it off.
    Disabled {
        /// What, for people: "disableAllHooks in …".
        by: String,
    },
}

/// Whose business a hook is. Claude Code runs those of its own files itself, so that a copy there never
/// takes the place of one in Bowline's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::settings) enum Family {
    ClaudeCode,
    Bowline,
}

/// A hook that is to be put in its place.
#[derive(Debug)]
pub(in crate::settings) struct Candidate {
    pub(in crate::settings) definition: HookDefinition,
    pub(in crate::settings) status: HookStatus,
    pub(in crate::settings) family: Family,
}

/// Puts hooks in the order in which they run, and marks the duplicates: higher priority first, then by scope,
/// then as given.
pub fn merge(parts: impl IntoIterator<Item = Parsed>) -> Vec<LoadedHook> {
    let candidates = parts
        .into_iter()
        .flat_map(|part| part.hooks)
        .map(|definition| Candidate {
            status: status_by_action(&definition),
            definition,
            family: Family::Bowline,
        })
        .collect();
    arrange(candidates)
}

/// In force, unless the agent whose file it is in would not run it.
pub(in crate::settings) fn status_by_action(definition: &HookDefinition) -> HookStatus {
    let kind = definition.action.kind();
    if definition.origin.dialect == Dialect::ClaudeCode
        && !types_that_run(definition.event).contains(&kind)
    {
        return HookStatus::Disabled {
            by: format!(
                "Claude Code, which runs no hook of type {kind} on {}",
                definition.event.name()
            ),
        };
    }
    HookStatus::InForce
}

/// As [`merge`], for hooks of which some do not run. Those never stand in for one that does.
pub(in crate::settings) fn arrange(mut candidates: Vec<Candidate>) -> Vec<LoadedHook> {
    candidates.sort_by_key(|candidate| {
        let definition = &candidate.definition;
        (Reverse(definition.priority), definition.origin.scope)
    });
    let mut groups: HashMap<Identity, Vec<usize>> = HashMap::new();
    for (index, candidate) in candidates.iter().enumerate() {
        if candidate.status == HookStatus::InForce {
            groups
                .entry(Identity::of(candidate))
                .or_default()
                .push(index);
        }
    }
    let mut hooks: Vec<LoadedHook> = candidates
        .into_iter()
        .map(
            |Candidate {
                 mut definition,
                 status,
                 ..
             }| {
                // Claude Code runs a command once per event, whichever of its matchers fit. Only the
                // event can tell, so that is left to whoever runs the hooks.
                if definition.origin.dialect == Dialect::ClaudeCode {
                    definition.dedupe = Dedupe::Event;
                }
                LoadedHook { definition, status }
            },
        )
        .collect();
    for copies in groups.into_values() {
        join(&mut hooks, &copies);
    }
    hooks
}

/// Leaves the first of the copies in force.
fn join(hooks: &mut [LoadedHook], copies: &[usize]) {
    let Some((&first, others)) = copies.split_first() else {
        return;
    };
    for &other in others {
        if let Some(hook) = hooks.get_mut(other) {
            hook.status = HookStatus::Duplicate { of: first };
        }
    }
    let winner = settings_of(hooks, copies).cloned();
    if let (Some(winner), Some(hook)) = (winner, hooks.get_mut(first)) {
        take_settings(&mut hook.definition, winner);
    }
}

/// The copy whose settings count, if not the first's: Claude Code takes those of the last copy, and reads its
/// files from the weakest to the strongest scope. An administrator's settings always count.
fn settings_of<'a>(hooks: &'a [LoadedHook], copies: &[usize]) -> Option<&'a HookDefinition> {
    let definitions = || {
        copies
            .iter()
            .filter_map(|copy| Some(&hooks.get(*copy)?.definition))
    };
    let strongest = definitions().map(|copy| copy.origin.scope).min()?;
    let claude_code = definitions().all(|copy| copy.origin.dialect == Dialect::ClaudeCode);
    if claude_code {
        definitions().rfind(|copy| copy.origin.scope == strongest)
    } else if strongest == Scope::Managed {
        definitions().find(|copy| copy.origin.scope == strongest)
    } else {
        None
    }
}

/// Everything that is not part of what a hook is, and not its place.
fn take_settings(hook: &mut HookDefinition, from: HookDefinition) {
    hook.action = from.action;
    hook.timeout = from.timeout;
    hook.exit_policy = from.exit_policy;
    hook.on_failure = from.on_failure;
    hook.on_timeout = from.on_timeout;
    hook.attempts = from.attempts;
    hook.mode = from.mode;
    hook.repeat = from.repeat;
    hook.parallel_group = from.parallel_group;
    hook.dedupe = from.dedupe;
    hook.env = from.env;
}

/// What makes two hooks the same: how long they may take, for one, does not.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Identity {
    family: Family,
    dialect: Dialect,
    event: HookEvent,
    matcher: String,
    condition: Option<String>,
    root: Option<PathBuf>,
    what: What,
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum What {
    Command {
        command: String,
        args: Option<Vec<String>>,
    },
    Http {
        url: String,
        /// Not part of it in Claude Code.
        headers: Vec<(String, String)>,
    },
    Prompt {
        prompt: String,
        /// Not part of it in Claude Code.
        model: Option<String>,
    },
    Agent {
        prompt: String,
        /// Not part of it in Claude Code.
        model: Option<String>,
    },
    McpTool {
        server: String,
        tool: String,
        input: String,
    },
}

impl Identity {
    fn of(candidate: &Candidate) -> Self {
        let definition = &candidate.definition;
        let origin = &definition.origin;
        let whole = origin.dialect != Dialect::ClaudeCode;
        Self {
            family: candidate.family,
            dialect: origin.dialect,
            event: definition.event,
            matcher: definition.matcher.source().to_owned(),
            condition: definition
                .condition
                .as_ref()
                .map(|condition| condition.source().to_owned()),
            root: root(definition),
            what: match &definition.action {
                Action::Command(action) => What::Command {
                    command: action.command.clone(),
                    args: action.args.clone(),
                },
                Action::Http(action) => What::Http {
                    url: action.url.clone(),
                    headers: if whole {
                        action.headers.clone().into_iter().collect()
                    } else {
                        Vec::new()
                    },
                },
                Action::Prompt(action) => What::Prompt {
                    prompt: action.prompt.clone(),
                    model: action.model.clone().filter(|_| whole),
                },
                Action::Agent(action) => What::Agent {
                    prompt: action.prompt.clone(),
                    model: action.model.clone().filter(|_| whole),
                },
                Action::McpTool(action) => What::McpTool {
                    server: action.server.clone(),
                    tool: action.tool.clone(),
                    input: serde_json::Value::Object(action.input.clone()).to_string(),
                },
            },
        }
    }
}

/// The plugin's folder, or the skill's or sub-agent's file. All other files share one root.
fn root(definition: &HookDefinition) -> Option<PathBuf> {
    let origin = &definition.origin;
    let file = match definition.activation {
        Activation::Skill(_) | Activation::Agent(_) => origin.file.as_deref(),
        Activation::Always => None,
    };
    origin
        .plugin
        .as_ref()
        .map(|plugin| plugin.root.as_path())
        .or(file)
        .map(Path::to_owned)
}
