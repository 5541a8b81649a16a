//! The keys of Bowline's own files. `[guard]` has a table of its own, and so have hooks and rules.

use std::time::Duration;

use super::config::Config;
use super::continuity_table::{EFFORT, FLEET, HANDOVER, LEASES};
use super::describe::{Key, Kind, Map, Table, Unknown, Who, WordList, any_name};
use super::guard_table::GUARD;
use super::patterns::KeyNames;
use super::sections::{ModelProvider, RecordDetail, StoreDurability};
use super::slot::{
    Put,
    Tightens::{Never, When},
};
use super::value::{Choice, Chosen, Url, VariableName};
use crate::dialect::Dialect;
use crate::hook::{Attempts, OnFailure};
use crate::settings::hooks::keys::HOOKS;
use crate::settings::hooks::model::{Dedupe, ExitPolicy};
use crate::settings::hooks::policy::FailureWord;
use crate::settings::rules::keys::RULE;

/// The whole file.
pub(super) static FILE: Table = Table {
    name: "bowline.toml",
    about: "Settings of Bowline: hooks and how they run.",
    others: Unknown::Wrong,
    keys: &[
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
            Kind::Table(&DEFAULTS),
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
        ),
        Key::new(
            "guard",
            "How strict the guards are, and what they let pass.",
            Kind::Table(&GUARD),
        ),
        Key::new("http", "What HTTP hooks may do.", Kind::Table(&HTTP)),
        Key::new(
            "prompt",
            "The model that prompt hooks and agent hooks ask.",
            Kind::Table(&PROMPT),
        ),
        Key::new(
            "record",
            "How much is kept of what agents do. Secrets never are.",
            Kind::Table(&RECORD),
        ),
        Key::new(
            "store",
            "How long it is kept.",
            Kind::Table(&STORE),
        ),
        Key::new("bridge", "Hooks of other agents.", Kind::Table(&BRIDGE)),
        Key::new(
            "effort",
            "How efforts are watched over.",
            Kind::Table(&EFFORT),
        ),
        Key::new(
            "handover",
            "What a new session is told about the one before.",
            Kind::Table(&HANDOVER),
        ),
        Key::new(
            "leases",
            "Whether two sessions may write the same file.",
            Kind::Table(&LEASES),
        ),
        Key::new(
            "fleet",
            "How you learn what agents are doing.",
            Kind::Table(&FLEET),
        ),
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

static DEFAULTS: Table = Table {
    name: "Defaults",
    about: "",
    others: Unknown::Wrong,
    keys: &[
        Key::setting("exit_policy", "How exit codes are read.", EXIT_POLICY)
            .default("`any_non_zero`; `only_two` in Claude Code's files")
            .read_with_hooks(),
        Key::setting("on_failure", "What a failed hook comes to.", ON_FAILURE)
            .default("`block` for hooks by name, else `allow`")
            .read_with_hooks(),
        Key::setting("dedupe", "Which hooks are the same and run once.", DEDUPE)
            .default("`matcher`")
            .read_with_hooks(),
        Key::setting(
            "timeout_secs",
            "How long a hook may take.",
            &Put(
                |config, _, limit: Duration| config.defaults.timeout = Some(limit),
                Never,
            ),
        )
        .default("60; 10 for prompt hooks"),
    ],
};

const EXIT_POLICY: &Put<ExitPolicy> = &Put(
    |config, _, policy| config.defaults.exit_policy = Some(policy),
    Never,
);

const ON_FAILURE: &Put<FailureWord> = &Put(
    |config, _, word| {
        (config.defaults.on_failure, config.defaults.attempts) = match word {
            FailureWord::Is(outcome) => (Some(outcome), Attempts::Once),
            FailureWord::Retry => (None, Attempts::RetryOnce),
        };
    },
    When("`block`", |word, _| {
        matches!(word, FailureWord::Is(OnFailure::Block))
    }),
);

const DEDUPE: &Put<Dedupe> = &Put(
    |config, _, dedupe| config.defaults.dedupe = Some(dedupe),
    Never,
);

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

static HTTP: Table = Table {
    name: "Http",
    about: "",
    others: Unknown::Wrong,
    keys: &[Key::setting(
        "allow_insecure_hosts",
        "Hosts, other than this machine, that hooks may post to without TLS.",
        &Put(
            |config, _, hosts| config.http.allow_insecure_hosts = hosts,
            Never,
        ),
    )],
};

static PROMPT: Table = Table {
    name: "Prompt",
    about: "",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "provider",
            "Whose API it is.",
            &Put(
                |config, _, provider: ModelProvider| config.prompt.provider = Some(provider),
                Never,
            ),
        )
        .default("by the API key in the environment; `anthropic` first"),
        Key::setting(
            "base_url",
            "Where to ask, for servers other than the provider's own.",
            &Put(
                |config, _, url: Url| config.prompt.base_url = Some(url.0),
                Never,
            ),
        )
        .default("the provider's"),
        Key::setting(
            "model",
            "The model.",
            &Put(|config, _, model| config.prompt.model = Some(model), Never),
        )
        .default("a small and fast one"),
        Key::setting(
            "api_key_env",
            "The environment variable that holds the API key; never the key itself.",
            &Put(
                |config, _, name: VariableName| config.prompt.api_key_env = Some(name.0),
                Never,
            ),
        )
        .default("`ANTHROPIC_API_KEY` or `OPENAI_API_KEY`"),
        Key::setting(
            "max_tokens",
            "The longest answer, in tokens.",
            &Put(
                |config, _, count| config.prompt.max_tokens = Some(count),
                Never,
            ),
        )
        .default("4096"),
    ],
};

impl Chosen for ModelProvider {
    const LIST: &'static WordList = &WordList {
        name: "Provider",
        about: "`openai` is the chat completions API, which many servers understand.",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[("anthropic", Self::Anthropic), ("openai", Self::Openai)],
        also: &[],
    };
}

static RECORD: Table = Table {
    name: "Record",
    about: "That a tool was called, by whom, when and how it went is always kept, and so is why something was refused.",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "prompts",
            "What users write.",
            &Put(|config, _, detail| config.record.prompts = detail, Never),
        ),
        Key::setting(
            "inputs",
            "What tools are called with, and what sub-agents are to do.",
            &Put(|config, _, detail| config.record.inputs = detail, Never),
        ),
        Key::setting(
            "outputs",
            "What tools give back, their errors, and the last messages of sub-agents.",
            &Put(|config, _, detail| config.record.outputs = detail, Never),
        ),
    ],
};

impl Chosen for RecordDetail {
    const LIST: &'static WordList = &WordList {
        name: "Detail",
        about: "`full` is all but secrets, up to 10,000 characters of each text; `summary` is how a text begins, and of \
                a value its fields and how much is in each; `off` is nothing.",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[
            ("full", Self::Full),
            ("summary", Self::Summary),
            ("off", Self::Off),
        ],
        also: &[],
    };
}

static STORE: Table = Table {
    name: "Store",
    about: "",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "keep_days",
            "What is older, in days, is removed.",
            &Put(|config, _, days| config.store.keep_days = days, Never),
        )
        .by(Who::User),
        Key::setting(
            "max_size_mb",
            "When more megabytes are in use, the oldest things are removed.",
            &Put(
                |config, _, megabytes| config.store.max_size_mb = megabytes,
                Never,
            ),
        )
        .by(Who::User),
        Key::setting(
            "durability",
            "What a recorded event survives.",
            &Put(
                |config, _, durability| config.store.durability = durability,
                Never,
            ),
        )
        .by(Who::User),
    ],
};

impl Chosen for StoreDurability {
    const LIST: &'static WordList = &WordList {
        name: "Durability",
        about: "`process`: the sudden end of Bowline. `power`: the sudden end of the machine, for which every answer \
                waits for the disk.",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[("process", Self::Process), ("power", Self::Power)],
        also: &[],
    };
}

static BRIDGE: Table = Table {
    name: "Bridge",
    about: "",
    others: Unknown::Wrong,
    keys: &[Key::setting(
        "claude_hooks",
        "Run the hooks in Claude Code's files for agents that do not load them themselves, in projects that the user trusts.",
        &Put(
            |config, _, bridged| config.bridge.claude_hooks = bridged,
            Never,
        ),
    )],
};

/// Keys that may stand at the top level as well as in this section.
pub(super) const DEFAULTS_SECTION: &str = "defaults";

/// The keys and sections that can be locked, by their paths: all but hooks, of `rule` and deeper tables the whole.
pub(super) fn lockable() -> Vec<String> {
    let mut paths = Vec::new();
    for key in FILE.keys {
        let is_default = DEFAULTS.key(key.name).is_some();
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
pub(super) fn default_value(path: &str) -> Option<serde_json::Value> {
    let config = serde_json::to_value(Config::default()).ok()?;
    config
        .pointer(&format!("/{}", path.replace('.', "/")))
        .cloned()
}
