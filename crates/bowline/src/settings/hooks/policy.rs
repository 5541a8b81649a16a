//! The meaning of exit codes, failures and duplicates: as the hook says, else its file, else its dialect and shape.

use super::definition::Reading;
use crate::dialect::Dialect;
use crate::event::HookEvent;
use crate::hook::{Attempts, OnFailure};
use crate::settings::keys::{Choice, Chosen, WordList};
use crate::settings::syntax::fields::Fields;
use crate::settings::syntax::findings::Findings;
use crate::settings::{Action, Dedupe, Defaults, ExitPolicy, Shape};

/// What a file sets for those of its hooks that do not say otherwise.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::settings) struct FileDefaults {
    exit_policy: Option<ExitPolicy>,
    on_failure: Option<FailureWord>,
    dedupe: Option<Dedupe>,
}

impl FileDefaults {
    /// The keys that are defaults.
    pub(in crate::settings) const KEYS: [&str; 3] = ["exit_policy", "on_failure", "dedupe"];

    /// Takes the keys that are defaults; what is not there stays as it is.
    pub(in crate::settings) fn read(
        &mut self,
        fields: &mut Fields<'_>,
        findings: &mut Findings<'_>,
    ) {
        let found = Self {
            exit_policy: fields.word("exit_policy", ExitPolicy::CHOICE, findings),
            on_failure: fields.word("on_failure", FailureWord::CHOICE, findings),
            dedupe: fields.word("dedupe", Dedupe::CHOICE, findings),
        };
        self.exit_policy = found.exit_policy.or(self.exit_policy);
        self.on_failure = found.on_failure.or(self.on_failure);
        self.dedupe = found.dedupe.or(self.dedupe);
    }

    /// The file's own word counts only where the file is ours, not Claude Code's.
    pub(in crate::settings) fn for_dialect(self, dialect: Dialect) -> Self {
        match dialect {
            Dialect::Generic => self,
            Dialect::ClaudeCode => Self::default(),
        }
    }
}

impl From<&Defaults> for FileDefaults {
    fn from(settled: &Defaults) -> Self {
        let on_failure = match settled.attempts {
            Attempts::Once => settled.on_failure.map(FailureWord::Is),
            Attempts::RetryOnce => Some(FailureWord::Retry),
        };
        Self {
            exit_policy: settled.exit_policy,
            on_failure,
            dedupe: settled.dedupe,
        }
    }
}

/// `on_failure` as it is written: `retry` leaves open what happens in the end.
#[derive(Debug, Clone, Copy)]
pub(in crate::settings) enum FailureWord {
    Is(OnFailure),
    Retry,
}

impl Chosen for FailureWord {
    const LIST: &'static WordList = &WordList {
        name: "OnFailure",
        about: "It counts where a hook can block; `retry` tries once more.",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[
            ("block", Self::Is(OnFailure::Block)),
            ("ask", Self::Is(OnFailure::Ask)),
            ("allow", Self::Is(OnFailure::Allow)),
            ("retry", Self::Retry),
        ],
        also: &[("continue", Self::Is(OnFailure::Allow))],
    };
}

pub(in crate::settings) static TIMEOUT_LIST: WordList = WordList {
    name: "OnTimeout",
    about: "It counts where a hook can block.",
    words: || TIMEOUT_WORDS.names(),
};

pub(in crate::settings) const TIMEOUT_WORDS: &Choice<OnFailure> = &Choice {
    words: &[
        ("block", OnFailure::Block),
        ("ask", OnFailure::Ask),
        ("allow", OnFailure::Allow),
    ],
    also: &[("continue", OnFailure::Allow)],
};

impl Chosen for ExitPolicy {
    const LIST: &'static WordList = &WordList {
        name: "ExitPolicy",
        about: "`any_non_zero`: any exit code but 0 blocks. `only_two`: only 2 does.",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[
            ("any_non_zero", Self::AnyNonZero),
            ("only_two", Self::OnlyTwo),
        ],
        also: &[("only_2", Self::OnlyTwo)],
    };
}

impl Chosen for Dedupe {
    const LIST: &'static WordList = &WordList {
        name: "Dedupe",
        about: "`matcher`: the same event, matcher and action. `event`: the same event and action.",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[("matcher", Self::Matcher), ("event", Self::Event)],
        also: &[],
    };
}

/// The two events on which Claude Code itself takes a failed hook for a block.
fn fails_closed(event: HookEvent) -> bool {
    matches!(event, HookEvent::PreModelSwitch | HookEvent::WorktreeCreate)
}

/// What Claude Code makes of `onFailure: "block"`. Where an agent could be kept from ever ending its turn, the client ignores it.
fn claude_code_block(event: HookEvent) -> OnFailure {
    match event {
        HookEvent::Stop
        | HookEvent::SubagentStop
        | HookEvent::TaskCompleted
        | HookEvent::TeammateIdle => OnFailure::Allow,
        _ => OnFailure::BlockOrInstruct,
    }
}

impl Reading<'_, '_, '_> {
    pub(in crate::settings) fn on_failure(&mut self, action: &Action) -> (OnFailure, Attempts) {
        let by_shape = match (self.block.dialect, self.block.shape, action) {
            (Dialect::ClaudeCode, _, _) if fails_closed(self.block.event) => OnFailure::Block,
            (_, _, Action::Prompt(_)) => OnFailure::Allow,
            (Dialect::Generic, Shape::NamedMap, _) => OnFailure::Block,
            (Dialect::Generic | Dialect::ClaudeCode, _, _) => OnFailure::Allow,
        };
        let word = self
            .fields
            .word("on_failure", FailureWord::CHOICE, self.findings);
        match word.or(self.defaults.on_failure) {
            Some(FailureWord::Is(OnFailure::Block))
                if self.block.dialect == Dialect::ClaudeCode =>
            {
                (claude_code_block(self.block.event), Attempts::Once)
            }
            Some(FailureWord::Is(on_failure)) => (on_failure, Attempts::Once),
            Some(FailureWord::Retry) => (by_shape, Attempts::RetryOnce),
            None => (by_shape, Attempts::Once),
        }
    }

    pub(in crate::settings) fn exit_policy_and_dedupe(
        &mut self,
        on_failure: OnFailure,
    ) -> (ExitPolicy, Dedupe) {
        let written = self
            .fields
            .word("exit_policy", ExitPolicy::CHOICE, self.findings)
            .or(self.defaults.exit_policy);
        let exit_policy = match (self.block.dialect, written) {
            (Dialect::ClaudeCode, _) if on_failure == OnFailure::BlockOrInstruct => {
                ExitPolicy::AnyFailure
            }
            (_, Some(policy)) => policy,
            (Dialect::ClaudeCode, None) => ExitPolicy::OnlyTwo,
            (Dialect::Generic, None) => ExitPolicy::AnyNonZero,
        };
        let dedupe = self
            .fields
            .word("dedupe", Dedupe::CHOICE, self.findings)
            .or(self.defaults.dedupe)
            .unwrap_or_default();
        (exit_policy, dedupe)
    }
}
