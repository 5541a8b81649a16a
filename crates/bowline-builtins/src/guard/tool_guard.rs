//! What the guards for tool calls have in common: one hook for all of them.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunPolicy};
use bowline::settings::Allowance;
use bowline_guard::judge::Judgement;
use bowline_guard::tool_call::{ToolCall, Verdict, runs_a_shell};

use super::allowed::{let_pass, without};
use super::fields::text_in;
use super::{Allowed, Guards, PRIORITY, Policy, reporter, run_policy};
use crate::machine::MachineWorld;

/// The events on which a tool call can still be stopped.
const EVENTS: &[HookEvent] = &[HookEvent::PreToolUse, HookEvent::PermissionRequest];

/// A guard for tool calls: which it is for, and its verdict.
pub trait ToolGuard: Send + Sync + 'static {
    /// The hook's name.
    const NAME: &'static str;
    /// What it does, for people.
    const SUMMARY: &'static str;
    /// The tools that it is for, for people.
    const TOOLS: &'static str;
    /// Why it is not for another tool: "Read …".
    const UNCONCERNED: &'static str;

    /// Whether it is for this tool.
    fn concerns(tool: &str) -> bool;

    /// Its verdict on a call.
    fn judge(call: &GuardedCall<'_>) -> Judged;
}

/// One call as a guard sees it.
#[derive(Debug)]
pub struct GuardedCall<'call> {
    pub(super) tool: &'call str,
    pub(super) fields: ToolCall<'call>,
    pub(super) world: MachineWorld<'call>,
    pub(super) policy: Arc<Policy>,
    /// The command that a shell would run, and what it would do.
    pub(super) command: Option<&'call str>,
    pub(super) judgement: Option<Arc<Judgement>>,
}

impl<'call> GuardedCall<'call> {
    pub(super) fn new(
        guards: &'call Guards,
        input: &'call HookInput,
        ctx: &'call HookContext,
        allowed: &Allowed<'_>,
    ) -> Self {
        let tool = input.tool_name().unwrap_or_default();
        let fields = ToolCall::from_fields(|name| text_in(|it| input.tool_input()?.get(it), name));
        let command = fields.command.filter(|_| runs_a_shell(tool));
        let judgement = command.map(|command| guards.analyst().judge(command, input, ctx));
        Self {
            world: guards.analyst().world_of(input, ctx),
            policy: guards.policy_with(
                allowed,
                reporter(input, ctx),
                judgement.as_deref(),
                &fields.files,
            ),
            tool,
            fields,
            command,
            judgement,
        }
    }
}

/// What a guard says to a call.
#[derive(Debug)]
pub struct Judged {
    pub(super) verdict: Verdict,
    /// What is worth a note, whatever the verdict is.
    pub(super) notes: Vec<String>,
}

impl From<Verdict> for Judged {
    fn from(verdict: Verdict) -> Self {
        Self {
            verdict,
            notes: Vec::new(),
        }
    }
}

/// A guard for tool calls as a hook.
pub struct GuardHook<G> {
    guards: Arc<Guards>,
    guard: PhantomData<fn() -> G>,
}

impl<G> GuardHook<G> {
    /// One of a project's guards.
    pub fn new(guards: Arc<Guards>) -> Self {
        Self {
            guards,
            guard: PhantomData,
        }
    }
}

impl<G: ToolGuard> GuardHook<G> {
    /// That a person's entry made the verdict milder. A call is judged a second time only where there is an entry for it.
    fn let_pass(
        &self,
        verdict: &Verdict,
        allowed: &Allowed<'_>,
        input: &HookInput,
        ctx: &HookContext,
    ) -> Option<String> {
        let ignored = allowed.ignored()?;
        let strict = G::judge(&GuardedCall::new(&self.guards, input, ctx, &ignored)).verdict;
        let rule = strict.rule.filter(|_| strict.decision > verdict.decision)?;
        allowed.note(&rule)
    }
}

impl<G: ToolGuard> fmt::Debug for GuardHook<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GuardHook").field(&G::NAME).finish()
    }
}

/// The verdict, with what a person let pass once: that is used up where it makes the answer milder.
fn judge<G: ToolGuard>(call: &mut GuardedCall<'_>, allowed: &Allowed<'_>) -> Judged {
    let strict = G::judge(call);
    let policy = Arc::clone(&call.policy);
    let mut milder = strict.verdict.clone();
    let mut needed = Vec::new();
    while let Some(rule) = milder.rule.clone()
        && let Some(entry) = allowed.once(&rule)
        && needed
            .iter()
            .all(|it: &&Allowance| it.number != entry.number)
    {
        needed.push(entry);
        call.policy = Arc::new(without(Policy::clone(&call.policy), &rule));
        milder = G::judge(call).verdict;
    }
    if milder.decision < strict.verdict.decision && needed.iter().all(|it| allowed.claim(it)) {
        let mut notes = strict.notes;
        notes.extend(needed.into_iter().map(let_pass));
        return Judged {
            verdict: milder,
            notes,
        };
    }
    call.policy = policy;
    strict
}

#[async_trait]
impl<G: ToolGuard> Hook for GuardHook<G> {
    fn name(&self) -> &str {
        G::NAME
    }

    fn events(&self) -> &[HookEvent] {
        EVENTS
    }

    fn priority(&self) -> i32 {
        PRIORITY
    }

    fn policy(&self) -> RunPolicy {
        run_policy()
    }

    fn matches(&self, input: &HookInput) -> Match {
        match input.tool_name() {
            Some(tool) if G::concerns(tool) => Match::Yes,
            tool => Match::No(format!("{} {}", tool.unwrap_or("it"), G::UNCONCERNED)),
        }
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        let allowed = Allowed::of_event(&self.guards, input, ctx);
        let mut call = GuardedCall::new(&self.guards, input, ctx, &allowed);
        let mut judged = judge::<G>(&mut call, &allowed);
        judged
            .notes
            .extend(self.let_pass(&judged.verdict, &allowed, input, ctx));
        let answer = self
            .guards
            .answer(&judged.verdict, call.policy.mode, input, ctx);
        Ok(judged.notes.into_iter().fold(answer, Opinion::warning))
    }
}
