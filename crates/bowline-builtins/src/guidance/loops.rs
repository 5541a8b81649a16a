//! Tells an agent that it repeats itself, and stops it in the end.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{
    Decision, Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunPolicy,
};
use bowline::settings::LoopMode;
use bowline_agents::Tool;
use bowline_guidance::loops::{self, Trail};
use bowline_guidance::text::preview;
use serde_json::Value;

use super::Ground;
use crate::assemble::BuiltinHook;
use crate::recorder::{Ended, ended, subject_of};

/// The name of the hook, and of what it remembers.
pub const NAME: &str = "loops";
const SUMMARY: &str = "tells an agent that repeats itself, and stops it in the end";

/// As what decides about efforts: after rewrites, before the guards.
const PRIORITY: i32 = crate::guard::PRIORITY + 1;
/// The longest description of a call.
const PREVIEW: usize = 80;

#[derive(Debug)]
pub(super) struct Loops {
    ground: Arc<Ground>,
}

impl Loops {
    pub(super) fn builtin(ground: &Arc<Ground>) -> Option<BuiltinHook> {
        let is_on = ground.config.loops.mode != LoopMode::Off;
        let ground = Arc::clone(ground);
        is_on.then(|| BuiltinHook::of_all_tools(Self { ground }, SUMMARY))
    }

    fn before(&self, input: &HookInput, ctx: &HookContext) -> Opinion {
        let config = self.ground.config.loops;
        let Some(call) = digest_of(input) else {
            return Opinion::allow();
        };
        let memory = &self.ground.memory;
        let repeated =
            memory.of_session(NAME, input, ctx, |trail: &mut Trail| trail.repeated(call));
        let tool = input.tool_name().unwrap_or_default();
        let stops = config.mode == LoopMode::Stop && config.stop_after > 0;
        if !stops
            || repeated.saturating_add(1) < config.stop_after
            || loops::waits(tool, input.command())
        {
            // Of a call that ran it was said then. One that was denied had nobody to say it.
            let is_loop = config.warn_after > 0 && repeated >= config.warn_after;
            return if is_loop {
                self.warn(call, repeated, input, ctx)
            } else {
                Opinion::allow()
            };
        }
        let (call, count) = (shown(input), repeated.to_string());
        let values = [("call", call.as_str()), ("count", &count)];
        let reason = self.ground.advice.render(&loops::STOPPED, &values);
        Opinion::block(reason.unwrap_or_default()).by_rule(loops::RULE)
    }

    /// Says once that a call leads nowhere.
    fn warn(&self, call: u64, count: u32, input: &HookInput, ctx: &HookContext) -> Opinion {
        // What it is about is kept: the call itself may have secrets in it.
        let about = format!("{call:x}");
        let (call, count) = (shown(input), count.to_string());
        let values = [("call", call.as_str()), ("count", &count)];
        let advice = &self.ground.advice;
        let said = advice.first(input, ctx, &loops::WARNING, &about, &values);
        said.map_or_else(Opinion::allow, |text| Opinion::allow().context(text))
    }

    fn after(&self, input: &HookInput, ctx: &HookContext) -> Opinion {
        let Some(call) = digest_of(input) else {
            return Opinion::allow();
        };
        let tool = Tool::named(input.tool_name().unwrap_or_default());
        let gave = match ended(input) {
            Ended::Failed(message) => Gave::Result(loops::error_digest(&message)),
            Ended::Well if tool.changes_a_file() => Gave::Change,
            Ended::Well => {
                let result = input.tool_result().map(|result| &result.content);
                Gave::Result(loops::result_digest(result.unwrap_or(&Value::Null)))
            }
            Ended::Unknown => return Opinion::allow(),
        };
        let memory = &self.ground.memory;
        let count = memory.of_session(NAME, input, ctx, |trail: &mut Trail| match gave {
            Gave::Result(result) => trail.gave(call, result),
            Gave::Change => {
                trail.changed();
                0
            }
        });
        let warn_after = self.ground.config.loops.warn_after;
        if warn_after == 0 || count != warn_after {
            return Opinion::allow();
        }
        self.warn(call, count, input, ctx)
    }
}

/// What came of a call.
enum Gave {
    /// A result or an error, by a number for it.
    Result(u64),
    /// Another content of a file.
    Change,
}

/// A number for the call; `None` where the agent does not say what it was called with.
fn digest_of(input: &HookInput) -> Option<u64> {
    let called_with = input.call_input().filter(|it| **it != Value::Null)?;
    Some(loops::call_digest(input.tool_name()?, &called_with))
}

fn shown(input: &HookInput) -> String {
    let tool = input.tool_name().unwrap_or_default();
    preview(&format!("{tool} {}", subject_of(input)), PREVIEW)
}

#[async_trait]
impl Hook for Loops {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &[
            HookEvent::PreToolUse,
            HookEvent::PostToolUse,
            HookEvent::PostToolUseFailure,
        ]
    }

    fn priority(&self) -> i32 {
        PRIORITY
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::fail_open().whole()
    }

    fn matches(&self, input: &HookInput) -> Match {
        match input.tool_name() {
            Some(_) => Match::Yes,
            None => Match::No("it is no tool call".to_owned()),
        }
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        Ok(match input.event_type() {
            HookEvent::PreToolUse => self.before(input, ctx),
            _ => self.after(input, ctx),
        })
    }

    /// A denial is what a call gave, unless it is from here: then the count stays where it is.
    async fn decided(&self, input: &HookInput, decision: &Opinion, ctx: &HookContext) {
        let rule = decision.rule.as_deref();
        let is_denied = input.event_type() == HookEvent::PreToolUse
            && decision.decision() == Decision::Deny
            && rule != Some(loops::RULE);
        let Some(call) = digest_of(input).filter(|_| is_denied) else {
            return;
        };
        // A reason may count what was denied before, so that no two of them are the same.
        let why = rule.or(decision.stop_reason.as_deref()).unwrap_or_default();
        let result = loops::error_digest(why);
        let memory = &self.ground.memory;
        memory.of_session(NAME, input, ctx, |trail: &mut Trail| {
            trail.gave(call, result)
        });
    }
}
