//! `[guard]`: how strict the guards are, what they let pass, and for whom that differs.

use std::collections::BTreeMap;

use bowline_agents::Strictness;

/// `[guard]`: how strict the guards are.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct GuardConfig {
    /// For every agent, everywhere in the project.
    #[serde(flatten)]
    pub base: GuardLayer,
    /// `[guard.worktree]`: in a linked git worktree.
    pub worktree: GuardLayer,
    /// `[guard.agents.NAME]`: for one agent, such as `claude-code`.
    pub agents: BTreeMap<String, GuardLayer>,
    /// `[guard.subagents.NAME]`: for one type of sub-agent. It only tightens, because the author of a sub-agent
    /// chooses its name.
    pub subagents: BTreeMap<String, GuardLayer>,
    /// `[guard.sensitive]`: what the project says about files that hold secrets.
    pub sensitive: SensitiveConfig,
    /// `secrets`: what happens to a file, a commit or a prompt with a secret in it.
    pub secrets: SecretWriting,
}

/// One layer of `[guard]`; what a later one says counts over an earlier one.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct GuardLayer {
    /// What becomes of a verdict.
    pub mode: Option<GuardMode>,
    /// The verdict of a category, by its name.
    pub categories: BTreeMap<String, Strictness>,
    /// What is let pass.
    pub allow: GuardAllow,
}

/// `[guard.allow]`: what is let pass.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct GuardAllow {
    /// Rules by their id, or whole categories.
    pub rules: Vec<String>,
    /// Paths, as in `.gitignore`.
    pub paths: Vec<String>,
    /// Program runs, such as `make clean *`.
    pub commands: Vec<String>,
}

/// `[guard.sensitive]`: files that hold secrets, and files that do not, as in `.gitignore`.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct SensitiveConfig {
    /// These hold secrets, too.
    pub deny: Vec<String>,
    /// These do not, whatever they are called.
    pub allow: Vec<String>,
}

/// What becomes of a guard's verdict, from the strictest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum GuardMode {
    /// It counts.
    #[default]
    Enforce,
    /// It counts the first time; the same call again in the same session passes.
    OneStrike,
    /// It is only reported.
    Observe,
}

/// What happens to a file, a commit or a prompt with a secret in it, from the mildest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SecretWriting {
    /// The guard is off.
    #[default]
    Off,
    /// A person decides.
    Ask,
    /// It must not happen.
    Deny,
}

impl SecretWriting {
    /// How strict the guard is, if it looks at all.
    pub const fn strictness(self) -> Option<Strictness> {
        match self {
            Self::Off => None,
            Self::Ask => Some(Strictness::Ask),
            Self::Deny => Some(Strictness::Deny),
        }
    }
}

impl GuardLayer {
    /// Both layers as one; what the other says counts over this one.
    pub fn with(mut self, over: &Self) -> Self {
        self.mode = over.mode.or(self.mode);
        self.categories.extend(
            over.categories
                .iter()
                .map(|(name, answer)| (name.clone(), *answer)),
        );
        self.allow.rules.extend_from_slice(&over.allow.rules);
        self.allow.paths.extend_from_slice(&over.allow.paths);
        self.allow.commands.extend_from_slice(&over.allow.commands);
        self
    }
}
