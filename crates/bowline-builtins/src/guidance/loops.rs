//! Tells an agent that it repeats itself, and stops it in the end.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{
    Hook, HookContext, HookEvent, HookInput, Match, OnFailure, Opinion, RunPolicy,
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
        let tool = input.tool_name().unwrap_or_default();
        let stops = config.mode == LoopMode::Stop && config.stop_after > 0;
        if !stops || loops::waits(tool, input.command()) {
            return Opinion::allow();
        }
        let Some(call) = digest_of(input) else {
            return Opinion::allow();
        };
        let repeated = self
            .ground
            .memory
            .of_session(NAME, input, ctx, |trail: &mut Trail| trail.repeated(call));
        if repeated.saturating_add(1) < config.stop_after {
            return Opinion::allow();
        }
        let (call, count) = (shown(input), repeated.to_string());
        let values = [("call", call.as_str()), ("count", &count)];
        let reason = self.ground.advice.render(&loops::STOPPED, &values);
        Opinion::block(reason.unwrap_or_default()).by_rule(loops::RULE)
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
        // What it is about is kept: the call itself may have secrets in it.
        let about = format!("{call:x}");
        let (call, count) = (shown(input), count.to_string());
        let values = [("call", call.as_str()), ("count", &count)];
        let advice = &self.ground.advice;
        let said = advice.once(input, ctx, &loops::WARNING, &about, &values);
        said.map_or_else(Opinion::allow, |text| Opinion::allow().context(text))
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
    let called_with = input.tool_input().filter(|it| **it != Value::Null)?;
    Some(loops::call_digest(input.tool_name()?, called_with))
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
        let mut policy = RunPolicy::default();
        policy.on_failure = OnFailure::Allow;
        policy
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
}
