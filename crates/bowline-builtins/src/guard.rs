//! The guards: hooks that deny what would destroy work or disclose secrets, and say what to do instead.
//!
//! They run after all other hooks, so that they judge what will really be executed, whatever was rewritten before.

mod allowed;
mod commands;
mod fields;
mod look_alikes;
mod policies;
mod reach;
mod secret_writing;
mod sensitive_files;
mod silence;
mod strikes;
mod tool_guard;
pub(crate) mod unread_settings;
mod ways;

use std::sync::Arc;

use bowline::hooks::{HookContext, HookInput, OnFailure, Opinion, RunPolicy};
use bowline::settings::{AllowanceStore, AllowedCall, GuardMode};
use bowline_guard::Strictness;
use bowline_guard::effect::Category;
use bowline_guard::judge::Judgement;
use bowline_guard::sensitive::ToolFields;
use bowline_guard::tool_call::Verdict;

pub use allowed::{Allowed, call_of};
pub use commands::CommandGuard;
pub use fields::text_in;
pub use look_alikes::LookAlikeGuard;
pub use policies::{Checkout, Policies, Policy};
pub use secret_writing::{SECRET_WRITING, SecretWritingGuard};
pub use sensitive_files::SensitiveFileGuard;
pub(crate) use silence::Silence;
pub use silence::{AllowEntry, AllowKey, NoSilence};
pub use strikes::Strikes;
pub use tool_guard::{GuardHook, GuardedCall, Judged, ToolGuard};
pub use unread_settings::UnreadSettingsGuard;
use ways::with_way;
pub use ways::{Way, add_way, can_be_silenced, exact_call, guards_itself, is_rule, told_way, ways};

use crate::analyst::Analyst;

/// Guards have the last word.
pub(crate) const PRIORITY: i32 = i32::MIN;

/// What the guards of one project share.
#[derive(Debug)]
pub struct Guards {
    analyst: Arc<Analyst>,
    policies: Policies,
    strikes: Arc<Strikes>,
    allowances: AllowanceStore,
}

impl Guards {
    /// For the guards of one project. The strikes outlive its settings.
    pub fn new(analyst: Arc<Analyst>, policies: Policies, strikes: Arc<Strikes>) -> Self {
        Self {
            analyst,
            policies,
            strikes,
            allowances: AllowanceStore::default(),
        }
    }

    /// The same, with what a person let pass.
    pub fn with_allowances(mut self, allowances: AllowanceStore) -> Self {
        self.allowances = allowances;
        self
    }

    pub(crate) fn shared_analyst(&self) -> &Arc<Analyst> {
        &self.analyst
    }

    /// What judges commands for them.
    pub fn analyst(&self) -> &Analyst {
        &self.analyst
    }

    /// The settings for an agent, and for one of its sub-agents if it is one, for a call: what a worktree may do
    /// more, it may only do within itself.
    pub fn policy(
        &self,
        (agent, subagent): (Option<&str>, Option<&str>),
        judgement: Option<&Judgement>,
        files: &ToolFields<'_>,
    ) -> Arc<Policy> {
        let checkout = self.checkout(judgement, files);
        self.policies.of(checkout, agent, subagent)
    }

    /// The same, with what a person let pass of this call.
    pub fn policy_with(
        &self,
        allowed: &Allowed<'_>,
        reporter: (Option<&str>, Option<&str>),
        judgement: Option<&Judgement>,
        files: &ToolFields<'_>,
    ) -> Arc<Policy> {
        allowed.applied(self.policy(reporter, judgement, files))
    }

    /// Whose settings count: those of a linked worktree for what stays within it.
    fn checkout(&self, judgement: Option<&Judgement>, files: &ToolFields<'_>) -> Checkout {
        let loose = self.policies.differ_in_worktrees()
            && self.analyst.checkout() == Checkout::Linked
            && !reach::leaves(&self.analyst.project(), judgement, files);
        if loose {
            Checkout::Linked
        } else {
            Checkout::Main
        }
    }

    /// What becomes of the verdicts on an event that is not one call alone.
    fn mode(&self, input: &HookInput, ctx: &HookContext) -> GuardMode {
        self.policy(reporter(input, ctx), None, &ToolFields::default())
            .mode
    }

    /// The opinion that follows from a verdict in the mode of the project.
    fn answer(
        &self,
        verdict: &Verdict,
        mode: GuardMode,
        input: &HookInput,
        ctx: &HookContext,
    ) -> Opinion {
        let (Some(message), Some(rule)) = (verdict.message(), verdict.rule.as_deref()) else {
            return Opinion::allow();
        };
        let found = format!("{message} [{rule}]");
        // In every mode, switching the guard off needs a person.
        let mode = match verdict.category {
            Some(Category::OwnSettings) => GuardMode::Enforce,
            _ => mode,
        };
        let denied = verdict.decision == Strictness::Deny;
        let answer = match mode {
            GuardMode::Observe => {
                let (verb, answer) = if denied {
                    ("deny", Opinion::block(&found))
                } else {
                    ("ask", Opinion::ask(&found))
                };
                return answer
                    .by_rule(rule)
                    .only_observed()
                    .system_message(format!("Bowline only observes; it would {verb}: {found}"));
            }
            _ if !denied => Opinion::ask(signed(&found)),
            GuardMode::OneStrike => {
                let strike = self.strike(rule, input, ctx);
                match self.strikes.count_kept(&strike, input, ctx) {
                    0 => Opinion::block(signed(&format!(
                        "{found} If it is really meant, the same call once more passes."
                    ))),
                    _ => Opinion::allow()
                        .system_message(format!("Bowline let the second attempt pass: {found}")),
                }
            }
            _ => match self.strikes.count(&self.strike(rule, input, ctx)) {
                0 => with_way(Opinion::block(signed(&found)), ctx),
                _ => Opinion::block(signed(&format!(
                    "denied again [{rule}]; asking once more will not change that. Take another way, or leave it to the person."
                ))),
            },
        };
        answer.by_rule(rule)
    }

    /// What makes a call the same as one before: what is run and where, not how it is described.
    fn strike(&self, rule: &str, input: &HookInput, ctx: &HookContext) -> strikes::Strike {
        let AllowedCall { tool, what } =
            call_of(input.tool_name().unwrap_or_default(), input.tool_input());
        strikes::Strike::new(
            &input.session_id,
            &[&tool, &self.analyst.cwd_of(input, ctx), rule, &what],
        )
    }
}

/// What the model and the person read begins with who says it.
pub(crate) fn signed(text: &str) -> String {
    format!("Bowline: {text}")
}

/// Who reports an event: the agent, and the type of its sub-agent.
fn reporter<'event>(
    input: &'event HookInput,
    ctx: &'event HookContext,
) -> (Option<&'event str>, Option<&'event str>) {
    let agent = ctx.agent();
    (agent, input.agent_type())
}

/// A guard that fails has not judged: a person decides.
fn run_policy() -> RunPolicy {
    let mut policy = RunPolicy::default();
    policy.on_failure = OnFailure::Ask;
    policy
}
