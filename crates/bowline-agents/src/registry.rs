//! The agents, by name. A new one is a file, a line here, and the rows that `CONTRIBUTING.md` lists.

use serde_json::Value;

use crate::agent::{Agent, Protocol, Variables};
use crate::last_resort::Row;
use crate::registration::{Registration, UserFolder};
use crate::spelling::Spellings;

macro_rules! agents {
    ($( $agent:ident ),* $(,)?) => {
        /// Every agent that Bowline knows, by name.
        pub static AGENTS: &[&Agent] = &[$( &crate::$agent::AGENT ),*];

        /// Of every agent what an answer of last resort needs. Apart, because the client needs nothing else of them.
        static LAST_RESORTS: &[Row] = &[$( Row {
            name: crate::$agent::AGENT.name,
            events: crate::$agent::AGENT.events,
            forms: crate::$agent::AGENT.last_resort,
        } ),*];
    };
}

agents! {
    claude_code,
    cline,
    codex,
    copilot,
    cursor,
    droid,
    gemini,
    generic,
    grok,
    kimi,
    opencode,
    qwen,
    run,
    vscode,
    windsurf,
}

/// The agent that is meant where none is named.
pub const DEFAULT: &Agent = &crate::claude_code::AGENT;

/// The agent of this name, as in the arguments of `bowline-hook`.
pub fn named(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().copied().find(|agent| agent.name == name)
}

/// The agents whose events are decided.
pub fn supported() -> impl Iterator<Item = (&'static Agent, &'static Protocol)> {
    let all = AGENTS.iter().copied();
    all.filter_map(|agent| Some((agent, agent.protocol()?)))
}

/// The agent that sent a payload by an entry in another agent's settings. The variables are those of the program that it started.
pub fn borrower(
    entry_of: &str,
    payload: &Value,
    variables: Variables<'_>,
) -> Option<&'static Agent> {
    let sent = |agent: &&&Agent| {
        let borrows = agent.protocol().and_then(|it| it.borrows.as_ref());
        borrows.is_some_and(|it| it.from.contains(&entry_of) && (it.sent)(payload, variables))
    };
    AGENTS.iter().find(sent).copied()
}

/// How Bowline is put into the settings of the agents that have some.
pub fn registrations() -> impl Iterator<Item = &'static Registration> {
    supported().filter_map(|(_, protocol)| protocol.registration)
}

/// The folders in which agents keep a user's settings.
pub fn user_folders() -> impl Iterator<Item = &'static UserFolder> {
    registrations().map(|it| &it.folder)
}

/// The variables that name these folders.
pub fn folder_variables() -> impl Iterator<Item = &'static str> {
    user_folders().filter_map(|folder| folder.variable)
}

/// The names of the agents whose events are decided, for people: `a`, `b` and `c`.
pub fn supported_names(and: &str) -> String {
    let names: Vec<String> = supported()
        .map(|(agent, _)| format!("`{}`", agent.name))
        .collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} {and} {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Whether an agent names its project's folder by this variable.
pub fn is_project_variable(name: &str) -> bool {
    supported().any(|(_, it)| it.project_variable == Some(name))
}

/// The variables by which agents name their project's folder, each once.
pub fn project_variables() -> Vec<&'static str> {
    let variables = supported().filter_map(|(_, it)| it.project_variable);
    let mut variables: Vec<_> = variables.collect();
    variables.sort_unstable();
    variables.dedup();
    variables
}

/// The variables by which agents mark the programs that they start.
pub fn marks() -> impl Iterator<Item = &'static str> {
    AGENTS.iter().flat_map(|agent| agent.marks).copied()
}

pub(crate) fn last_resort(agent: &str) -> Option<&'static Row> {
    LAST_RESORTS.iter().find(|it| it.name == agent)
}

pub(crate) fn all_spellings() -> impl Iterator<Item = Spellings> {
    LAST_RESORTS.iter().map(|it| it.events)
}

#[cfg(test)]
mod tests;
