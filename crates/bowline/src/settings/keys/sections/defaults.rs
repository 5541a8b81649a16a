//! `[defaults]`, and the keys of it that may stand at the top of a file.

use std::time::Duration;

use crate::hook::{Attempts, OnFailure};
use crate::settings::hooks::model::{Dedupe, ExitPolicy};
use crate::settings::hooks::policy::FailureWord;
use crate::settings::keys::describe::{Key, Table, Unknown};
use crate::settings::keys::slot::{
    Put,
    Tightens::{Never, When},
};

/// `[defaults]`: for hooks of Bowline's own files that say nothing themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Defaults {
    /// How exit codes are read.
    pub exit_policy: Option<ExitPolicy>,
    /// The result of a failure on a gate; `None` to use the shape's default.
    pub on_failure: Option<OnFailure>,
    /// Whether a failure is tried again: `on_failure = "retry"`.
    pub attempts: Attempts,
    /// What counts as the same hook.
    pub dedupe: Option<Dedupe>,
    /// `timeout_secs`: how long a hook may take.
    pub timeout: Option<Duration>,
}

pub(super) static TABLE: Table = Table {
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

pub(super) const EXIT_POLICY: &Put<ExitPolicy> = &Put(
    |config, _, policy| config.defaults.exit_policy = Some(policy),
    Never,
);

pub(super) const ON_FAILURE: &Put<FailureWord> = &Put(
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

pub(super) const DEDUPE: &Put<Dedupe> = &Put(
    |config, _, dedupe| config.defaults.dedupe = Some(dedupe),
    Never,
);
