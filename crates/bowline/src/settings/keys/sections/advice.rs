//! `[advice]`.

use std::collections::BTreeMap;

use crate::settings::keys::describe::{Key, Kind, Map, Table, Unknown};
use crate::settings::keys::slot::{Put, Tightens::Never};

/// `[advice]`: what agents are told without having asked.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct AdviceConfig {
    /// At most this many characters of advice are given for one event.
    pub budget_chars: usize,
    /// Texts in the place of Bowline's own, by their keys.
    pub texts: BTreeMap<String, String>,
    /// Whether an agent that ran code is asked what it showed.
    pub reflection: bool,
    /// Whether an agent whose call failed is told what helps.
    pub debugging: bool,
    /// Whether an agent is told how to go about a prompt.
    pub intent: bool,
    /// Whether an agent is told that it does something else than what it works on.
    pub drift: bool,
    /// Whether an agent is told about patterns in the tools that it uses.
    pub tool_patterns: bool,
}

impl Default for AdviceConfig {
    fn default() -> Self {
        Self {
            budget_chars: 2_000,
            texts: BTreeMap::new(),
            reflection: false,
            debugging: false,
            intent: false,
            drift: false,
            tool_patterns: false,
        }
    }
}

pub(super) static TABLE: Table = Table {
    name: "Advice",
    about: "Advice is off unless it is switched on. A session is told each text once, unless the text changes.",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "budget_chars",
            "At most this many characters of advice are given for one event.",
            &Put(
                |config, _, most: u32| config.advice.budget_chars = most as usize,
                Never,
            ),
        ),
        Key::settings(
            "texts",
            "Texts in the place of Bowline's own, by their keys. One that is `off` is not said.",
            &TEXTS,
            &Put(
                |config, path, text: String| {
                    config.advice.texts.insert(path.last().to_owned(), text);
                },
                Never,
            ),
        )
        .example("\"intent.bug\" = \"off\""),
        Key::setting(
            "reflection",
            "An agent that ran Python code or tests is asked what that showed.",
            &Put(|config, _, on: bool| config.advice.reflection = on, Never),
        ),
        Key::setting(
            "debugging",
            "An agent whose call failed is told what helps with failures of that kind.",
            &Put(|config, _, on: bool| config.advice.debugging = on, Never),
        ),
        Key::setting(
            "intent",
            "An agent is told how to go about a prompt that asks for new work, a repair or an answer.",
            &Put(|config, _, on: bool| config.advice.intent = on, Never),
        ),
        Key::setting(
            "drift",
            "An agent in an effort is told when its calls have little to do with it.",
            &Put(|config, _, on: bool| config.advice.drift = on, Never),
        ),
        Key::setting(
            "tool_patterns",
            "An agent is told about patterns in the tools that it uses one after another.",
            &Put(
                |config, _, on: bool| config.advice.tool_patterns = on,
                Never,
            ),
        ),
    ],
};

static TEXTS: Map = Map {
    name: None,
    about: "",
    key: "TEXT",
    names: || TEXT_KEYS.to_vec(),
    others: Unknown::Wrong,
    of: Kind::Text,
};

/// The keys of the texts that Bowline says. A test of the hooks compares them with what is said.
pub const TEXT_KEYS: &[&str] = &[
    "checkpoint.build",
    "checkpoint.phase",
    "checkpoint.tests",
    "checkpoint.time",
    "cost.breaker",
    "cost.estimate",
    "cost.final",
    "cost.imperative",
    "cost.used-up",
    "cost.warning",
    "debugging.any",
    "debugging.conflict",
    "debugging.in-use",
    "debugging.no-answer",
    "debugging.no-file",
    "debugging.no-match",
    "debugging.no-module",
    "debugging.no-permission",
    "debugging.no-program",
    "debugging.no-space",
    "debugging.not-read",
    "debugging.too-long",
    "delegation.save",
    "delegation.saved",
    "delegation.too-deep",
    "delegation.unsaved",
    "docs.reminder",
    "drift.away",
    "drift.other-work",
    "errors.fixed-before",
    "errors.follow-up",
    "handoff.back",
    "handoff.hub",
    "handoff.next",
    "handoff.token",
    "handoff.unknown",
    "intent.bug",
    "intent.implementation",
    "intent.investigation",
    "intent.unclear",
    "loops.stopped",
    "loops.warning",
    "orchestrator.denied",
    "orchestrator.hint",
    "orchestrator.stopped",
    "patterns.bash",
    "patterns.edit",
    "patterns.grep",
    "patterns.health",
    "patterns.read",
    "patterns.read-edit",
    "recovery.state",
    "reflection.after-run",
    "subagents.frameworks",
    "subagents.memory",
    "subagents.unknown",
    "work.advised",
    "work.advised-elsewhere",
    "work.required",
    "work.required-elsewhere",
];
