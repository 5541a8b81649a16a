//! The sections of Bowline's own files, one file each: what a section says, and its keys. Here is the file as a whole.
//! `[guard]` is larger and in `guard` and `guard_table`; hooks and rules have tables of their own.

mod advice;
mod approvals;
mod behaviour;
mod bridge;
mod cost;
mod defaults;
mod docs;
mod effort;
mod errors;
mod fleet;
mod handoff;
mod handover;
mod http;
mod leases;
mod loops;
mod metrics;
mod orchestrator;
mod prompt;
mod record;
mod store;
mod subagents;
mod tests;
mod work;

use std::collections::BTreeMap;

use super::describe::{Key, Kind, Map, Table, Unknown, Who, WordList, any_name};
use super::guard::GuardConfig;
use super::guard_table::GUARD;
use super::patterns::KeyNames;
use super::presets::Preset;
use super::slot::{
    Put,
    Tightens::{Never, When},
};
use super::value::{Choice, Chosen};
use crate::dialect::Dialect;
use crate::settings::hooks::keys::HOOKS;
use crate::settings::rules::keys::RULE;
use defaults::{DEDUPE, EXIT_POLICY, ON_FAILURE};

pub use advice::{AdviceConfig, TEXT_KEYS};
pub use approvals::{ApprovalConfig, Wait};
pub use behaviour::BehaviourConfig;
pub use bridge::BridgeConfig;
pub use cost::{CostConfig, Dollars, ModelPrice};
pub use defaults::Defaults;
pub use docs::DocsConfig;
pub use effort::{EffortConfig, OnAutoCompaction};
pub use errors::ErrorConfig;
pub use fleet::FleetConfig;
pub use handoff::HandoffConfig;
pub use handover::{HandoverConfig, HandoverDetail};
pub use http::HttpConfig;
pub use leases::{LeaseConfig, LeaseMode};
pub use loops::{LoopConfig, LoopMode};
pub use metrics::MetricsConfig;
pub use orchestrator::{OrchestratorConfig, OrchestratorMode};
pub use prompt::{ModelProvider, PromptConfig};
pub use record::{RecordConfig, RecordDetail};
pub use store::{StoreConfig, StoreDurability};
pub use subagents::SubagentConfig;
pub use tests::{TestConfig, TestGate};
pub use work::{WorkConfig, WorkItems};

/// What Bowline's own files say beside their hooks, after precedence: managed, local, project, global.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Config {
    /// `preset`: settings that go together; their values are in the other fields.
    pub preset: Option<Preset>,
    /// `[defaults]`: for hooks of Bowline's own files that say nothing themselves.
    pub defaults: Defaults,
    /// `[dialects]`: the rules that a file is read by, by its path relative to the project
    /// or to the folder of its `bowline.toml`.
    pub dialects: BTreeMap<String, Dialect>,
    /// `[guard]`: how strict the guards are.
    pub guard: GuardConfig,
    /// `[http]`: what HTTP hooks may do.
    pub http: HttpConfig,
    /// `[prompt]`: the model that prompt hooks ask.
    pub prompt: PromptConfig,
    /// `[record]`: how much is kept of what agents do.
    pub record: RecordConfig,
    /// `[store]`: how long it is kept.
    pub store: StoreConfig,
    /// `[bridge]`: hooks of other agents.
    pub bridge: BridgeConfig,
    /// `[effort]`: how efforts are watched over.
    pub effort: EffortConfig,
    /// `[handover]`: what a new session is told about the one before.
    pub handover: HandoverConfig,
    /// `[leases]`: whether two sessions may write the same file.
    pub leases: LeaseConfig,
    /// `[fleet]`: how a person learns what agents are doing.
    pub fleet: FleetConfig,
    /// `[approvals]`: whether questions wait for a person in Bowline's inbox.
    pub approvals: ApprovalConfig,
    /// `[advice]`: what agents are told without having asked.
    pub advice: AdviceConfig,
    /// `[orchestrator]`: whether an agent hands work to sub-agents instead of doing it itself.
    pub orchestrator: OrchestratorConfig,
    /// `[work]`: what work is for, and what is kept of delegated work.
    pub work: WorkConfig,
    /// `[errors]`: what is remembered of failures.
    pub errors: ErrorConfig,
    /// `[loops]`: what happens to an agent that repeats itself.
    pub loops: LoopConfig,
    /// `[handoff]`: who goes on where a sub-agent stopped.
    pub handoff: HandoffConfig,
    /// `[tests]`: what must pass before work counts as done.
    pub tests: TestConfig,
    /// `[behaviour]`: what every session reads at its start, and what it gets back after a compaction.
    pub behaviour: BehaviourConfig,
    /// `[subagents]`: which sub-agents there are, and what they are told.
    pub subagents: SubagentConfig,
    /// `[metrics]`: figures of each day in a file.
    pub metrics: MetricsConfig,
    /// `[docs]`: reminders to keep documentation up to date.
    pub docs: DocsConfig,
    /// `[cost]`: what agents may cost.
    pub cost: CostConfig,
    /// `locked`: keys and sections that only the administrator's file may set.
    pub locked: Vec<String>,
    /// `allow_managed_hooks_only`: only the administrator's hooks run.
    pub allow_managed_hooks_only: bool,
    /// Why what a person let pass with `bowline allow` does not count, if the administrator keeps that to himself.
    pub allow_locked: Option<String>,
}

/// The whole file.
pub(in crate::settings::keys) static FILE: Table = Table {
    name: "bowline.toml",
    about: "Settings of Bowline: hooks and how they run.",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "preset",
            "Settings that go together. What the file says itself counts over it.",
            &Put(
                |config, _, preset: Preset| config.preset = Some(preset),
                // Each of its values is looked at by itself.
                When("what only tightens in it", |_, _| true),
            ),
        ),
        Key::new(
            "hooks",
            "The hooks, by event, or a list of named scripts.",
            Kind::AnyOf(&HOOKS),
        ),
        Key::new(
            "rule",
            "Your own rules: what is denied, asked about, allowed, explained or rewritten.",
            Kind::List(&Kind::Table(&RULE)),
        ),
        Key::new(
            "defaults",
            "For hooks of Bowline's own files that do not say it themselves.",
            Kind::Table(&defaults::TABLE),
        ),
        Key::setting("exit_policy", AS_IN_DEFAULTS, EXIT_POLICY)
            .default(SAME)
            .read_with_hooks(),
        Key::setting("on_failure", AS_IN_DEFAULTS, ON_FAILURE)
            .default(SAME)
            .read_with_hooks(),
        Key::setting("dedupe", AS_IN_DEFAULTS, DEDUPE)
            .default(SAME)
            .read_with_hooks(),
        Key::settings(
            "dialects",
            "The rules by which a settings file is read, by its path relative to the project, or to the home with `~/`.",
            &DIALECTS,
            &Put(
                |config, path, dialect: Dialect| {
                    config.dialects.insert(path.last().to_owned(), dialect);
                },
                Never,
            ),
        )
        .example("\".claude/settings.json\" = \"claude-code\""),
        Key::new(
            "guard",
            "How strict the guards are, and what they let pass.",
            Kind::Table(&GUARD),
        ),
        Key::new("http", "What HTTP hooks may do.", Kind::Table(&http::TABLE)),
        Key::new(
            "prompt",
            "The model that prompt hooks and agent hooks ask.",
            Kind::Table(&prompt::TABLE),
        ),
        Key::new(
            "record",
            "How much is kept of what agents do. Secrets never are.",
            Kind::Table(&record::TABLE),
        ),
        Key::new(
            "store",
            "How long it is kept.",
            Kind::Table(&store::TABLE),
        ),
        Key::new("bridge", "Hooks of other agents.", Kind::Table(&bridge::TABLE)),
        Key::new("effort", "How efforts are watched over.", Kind::Table(&effort::TABLE)),
        Key::new(
            "handover",
            "What a new session is told about the one before.",
            Kind::Table(&handover::TABLE),
        ),
        Key::new(
            "leases",
            "Whether two sessions may write the same file.",
            Kind::Table(&leases::TABLE),
        ),
        Key::new(
            "fleet",
            "How you learn what agents are doing.",
            Kind::Table(&fleet::TABLE),
        ),
        Key::new(
            "approvals",
            "Whether questions wait for you in Bowline's inbox.",
            Kind::Table(&approvals::TABLE),
        ),
        Key::new(
            "advice",
            "What agents are told without having asked.",
            Kind::Table(&advice::TABLE),
        ),
        Key::new(
            "orchestrator",
            "Whether an agent hands work to sub-agents instead of doing it itself.",
            Kind::Table(&orchestrator::TABLE),
        ),
        Key::new(
            "work",
            "What work is for, and what is kept of delegated work.",
            Kind::Table(&work::TABLE),
        ),
        Key::new(
            "errors",
            "What is remembered of failures.",
            Kind::Table(&errors::TABLE),
        ),
        Key::new(
            "loops",
            "What happens to an agent that repeats itself.",
            Kind::Table(&loops::TABLE),
        ),
        Key::new(
            "handoff",
            "Who goes on where a sub-agent stopped.",
            Kind::Table(&handoff::TABLE),
        ),
        Key::new(
            "tests",
            "What must pass before work counts as done.",
            Kind::Table(&tests::TABLE),
        ),
        Key::new(
            "behaviour",
            "What every session reads at its start, and what it gets back after a compaction.",
            Kind::Table(&behaviour::TABLE),
        ),
        Key::new(
            "subagents",
            "Which sub-agents there are, and what they are told.",
            Kind::Table(&subagents::TABLE),
        ),
        Key::new(
            "metrics",
            "Figures of each day in a file.",
            Kind::Table(&metrics::TABLE),
        ),
        Key::new(
            "docs",
            "Reminders to keep documentation up to date.",
            Kind::Table(&docs::TABLE),
        ),
        Key::new("cost", "What agents may cost.", Kind::Table(&cost::TABLE)),
        Key::setting(
            "locked",
            "Keys and sections that only the administrator's file may set. Of `guard`, others may still tighten.",
            &Put(|config, _, keys: KeyNames| config.locked = keys.0, Never),
        )
        .by(Who::Administrator),
        Key::setting(
            "allow_managed_hooks_only",
            "Only the administrator's hooks run.",
            &Put(|config, _, only| config.allow_managed_hooks_only = only, Never),
        )
        .by(Who::Administrator),
    ],
};

const AS_IN_DEFAULTS: &str = "As in `[defaults]`.";
const SAME: &str = "the same";

static DIALECTS: Map = Map {
    name: None,
    about: "",
    key: "FILE",
    names: any_name,
    others: Unknown::Fine,
    of: Kind::Words(Dialect::LIST),
};

impl Chosen for Dialect {
    const LIST: &'static WordList = &WordList {
        name: "Dialect",
        about: "Whose rules a file follows: Claude Code's, or Bowline's own.",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[
            (Self::ClaudeCode.name(), Self::ClaudeCode),
            (Self::Generic.name(), Self::Generic),
        ],
        also: &[],
    };
}

/// Keys that may stand at the top level as well as in this section.
pub(in crate::settings::keys) const DEFAULTS_SECTION: &str = "defaults";

/// The keys and sections that can be locked, by their paths: all but hooks, of `rule` and deeper tables the whole.
pub(in crate::settings::keys) fn lockable() -> Vec<String> {
    let mut paths = Vec::new();
    for key in FILE.keys {
        let is_default = defaults::TABLE.key(key.name).is_some();
        if key.name == "hooks" || is_default {
            continue;
        }
        paths.push(key.name.to_owned());
        if let Kind::Table(table) = key.kind {
            let names = table.names().into_iter();
            paths.extend(names.map(|name| format!("{}.{name}", key.name)));
        }
    }
    paths
}

/// A setting that `Config` has from the beginning, as it is written.
pub(in crate::settings::keys) fn default_value(path: &str) -> Option<serde_json::Value> {
    let config = serde_json::to_value(Config::default()).ok()?;
    let at = |path: &str| config.pointer(&format!("/{}", path.replace('.', "/")));
    // A duration is a field without the unit that its key has.
    let seconds = || at(path.strip_suffix("_secs")?)?.get("secs");
    at(path).or_else(seconds).cloned()
}
