//! What the guards for tool calls have in common: one hook for all of them.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, HookOutput, Match, RunPolicy};
use bowline_guard::invocation::{Arg, Directory};
use bowline_guard::judge::Judgement;
use bowline_guard::paths::{World, is_within};
use bowline_guard::tool_call::{CallVerdict, ToolCall, runs_a_shell};

use super::{Guards, PRIORITY, Policy, run_policy};
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
    fn judge(call: &Call<'_>) -> Judged;
}

/// One call as a guard sees it.
#[derive(Debug)]
pub struct Call<'call> {
    pub(super) tool: &'call str,
    pub(super) fields: ToolCall<'call>,
    pub(super) world: MachineWorld<'call>,
    pub(super) policy: Arc<Policy>,
    guards: &'call Guards,
    input: &'call HookInput,
    ctx: &'call HookContext,
}

impl<'call> Call<'call> {
    fn new(guards: &'call Guards, input: &'call HookInput, ctx: &'call HookContext) -> Self {
        let mut call = Self {
            tool: input.tool_name().unwrap_or_default(),
            fields: ToolCall::from_fields(|name| input.tool_input()?.get(name)?.as_str()),
            world: guards.analyst().world(&guards.analyst().cwd_of(input, ctx)),
            policy: guards.policy_for(input, ctx),
            guards,
            input,
            ctx,
        };
        if call.reaches_outside() {
            call.policy = guards.policy_elsewhere(input, ctx);
        }
        call
    }

    /// Whether a command has to do with anything outside of the project, as far as its words tell.
    fn reaches_outside(&self) -> bool {
        let project = self.world.project_root();
        self.judgement().is_some_and(|judgement| {
            judgement.invocations.iter().any(|run| {
                let elsewhere = match &run.directory {
                    Directory::Known(directory) => !is_within(directory, project),
                    _ => true,
                };
                elsewhere || run.args.iter().any(|arg| leads_out(arg, project))
            })
        })
    }

    /// The command that a shell would run.
    pub(super) fn command(&self) -> Option<&'call str> {
        self.fields.command.filter(|_| runs_a_shell(self.tool))
    }

    /// What the command would do.
    pub(super) fn judgement(&self) -> Option<Arc<Judgement>> {
        let command = self.command()?;
        Some(self.guards.analyst().judge(command, self.input, self.ctx))
    }
}

/// Whether a word may name a place outside of the project: a path that is not in it, or a word that is not known.
fn leads_out(arg: &Arg, project: &str) -> bool {
    let Some(text) = arg.text_or_pattern() else {
        return true;
    };
    let path = text.rsplit(['=', ':']).next().unwrap_or(text);
    let outside = path.starts_with(['/', '~']) && !is_within(path, project);
    outside || path.split('/').any(|part| part == "..")
}

/// What a guard says to a call.
#[derive(Debug)]
pub struct Judged {
    pub(super) verdict: CallVerdict,
    /// What is worth a note, whatever the verdict is.
    pub(super) notes: Vec<String>,
}

impl From<CallVerdict> for Judged {
    fn from(verdict: CallVerdict) -> Self {
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

impl<G: ToolGuard> fmt::Debug for GuardHook<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GuardHook").field(&G::NAME).finish()
    }
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

    async fn execute(&self, input: HookInput, ctx: &HookContext) -> bowline::Result<HookOutput> {
        let call = Call::new(&self.guards, &input, ctx);
        let judged = G::judge(&call);
        let answer = self
            .guards
            .answer(&judged.verdict, call.policy.mode, &input, ctx);
        Ok(judged.notes.into_iter().fold(answer, HookOutput::warning))
    }
}
