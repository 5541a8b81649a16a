//! Tells sub-agents to save what they find, and somebody when they did not.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{
    Hook, HookContext, HookEvent, HookEventData, HookInput, Match, Opinion, RunPolicy,
};
use bowline_agents::Tool;
use bowline_guidance::call::delegates;
use bowline_guidance::delegation::{
    MAX_DEPTH, Nesting, SAVE, SAVED, TOO_DEEP, UNSAVED, asks_to_save, result_text, says_saved,
    with_instruction,
};
use bowline_store::{SessionRef, Trace, TraceFilter, TraceStatus};
use chrono::TimeDelta;
use serde_json::Value;

use super::Ground;
use crate::assemble::BuiltinHook;
use crate::recorder::{left_to, subagent_of};

const NAME: &str = "delegation";
const SUMMARY: &str = "tells sub-agents to save what they find, and you when they did not";

/// A file that was changed so long ago counts as a result.
const RECENT: TimeDelta = TimeDelta::seconds(60);
/// At most this many calls are looked through.
const MAX_CALLS: usize = 200;

#[derive(Debug)]
pub(super) struct Delegation {
    ground: Arc<Ground>,
}

impl Delegation {
    /// None where nobody asks for results to be saved.
    pub(super) fn builtin(ground: &Arc<Ground>) -> Option<BuiltinHook> {
        let ground = Arc::clone(ground);
        let is_on = ground.config.work.save_results;
        is_on.then(|| BuiltinHook::of_all_tools(Self { ground }, SUMMARY))
    }

    fn nesting<T>(
        &self,
        input: &HookInput,
        ctx: &HookContext,
        what: impl FnOnce(&mut Nesting) -> T,
    ) -> T {
        self.ground.memory.of_session(NAME, input, ctx, what)
    }

    /// Before work is handed over.
    fn before(&self, arguments: &Value, input: &HookInput, ctx: &HookContext) -> Opinion {
        let advice = &self.ground.advice;
        let by = subagent_of(input).map(|subagent| subagent.id);
        let to = type_of(arguments);
        let depth = self.nesting(input, ctx, |nesting| nesting.delegated(by.as_deref(), to));
        let mut opinion = Opinion::allow();
        if depth > MAX_DEPTH {
            let depth = depth.to_string();
            let said = advice.once(input, ctx, &TOO_DEEP, "", &[("depth", &depth)]);
            if let Some(text) = said {
                opinion = opinion.context(text);
            }
        }
        let instruction = advice.render(&SAVE, &[]);
        match instruction.and_then(|text| with_instruction(arguments, &text)) {
            Some(updated) => opinion.updated_input(updated),
            None => opinion,
        }
    }

    /// After work was handed back.
    fn after(&self, response: &Value, input: &HookInput, ctx: &HookContext) -> Opinion {
        // It goes on in the background, and this is not its result.
        if left_to(response).is_some() {
            return Opinion::allow();
        }
        let agent = match input.field("tool_input").map_or("", type_of) {
            "" => "The sub-agent",
            kind => kind,
        };
        let sign = if says_saved(&result_text(response)) {
            Some("its answer says so")
        } else {
            self.recently_saved(input)
        };
        let advice = &self.ground.advice;
        let said = if let Some(sign) = sign {
            let values = [("agent", agent), ("sign", sign)];
            let said = advice.once(input, ctx, &SAVED, agent, &values);
            said.map(|text| Opinion::allow().context(text))
        } else {
            let said = advice.once(input, ctx, &UNSAVED, agent, &[("agent", agent)]);
            said.map(|text| Opinion::allow().system_message(text))
        };
        said.unwrap_or_else(Opinion::allow)
    }

    /// Whether the session or its sub-agents kept something a moment ago.
    fn recently_saved(&self, input: &HookInput) -> Option<&'static str> {
        let store = self.ground.memory.store()?;
        let filter = TraceFilter {
            session: Some(SessionRef::Chain(&input.session_id)),
            since: Some(input.timestamp - RECENT),
            limit: MAX_CALLS,
            ..TraceFilter::default()
        };
        let calls = store.find_traces(&filter).unwrap_or_default();
        let mut done = calls
            .iter()
            .filter(|call| call.status == TraceStatus::Completed);
        done.find_map(saved_by)
    }
}

/// The type of sub-agent that a delegation asks for.
fn type_of(arguments: &Value) -> &str {
    let kind = arguments.get("subagent_type").and_then(Value::as_str);
    kind.unwrap_or_default()
}

fn saved_by(call: &Trace) -> Option<&'static str> {
    let tool = Tool::named(&call.tool);
    if tool.changes_a_file() {
        return Some("a file was changed");
    }
    let command = call.input.as_ref()?.get("command")?.as_str()?;
    (tool.runs_a_shell() && command.contains("bowline ") && asks_to_save(command))
        .then_some("a note or log entry was written")
}

#[async_trait]
impl Hook for Delegation {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &[
            HookEvent::PreToolUse,
            HookEvent::PostToolUse,
            HookEvent::SubagentStart,
            HookEvent::SubagentStop,
        ]
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::fail_open().whole()
    }

    fn matches(&self, input: &HookInput) -> Match {
        if input.tool_name().is_none_or(delegates) {
            return Match::Yes;
        }
        Match::No("it hands over no work".to_owned())
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        Ok(match &input.data {
            HookEventData::PreToolUse { tool_input, .. } => self.before(tool_input, input, ctx),
            HookEventData::PostToolUse { tool_result, .. } => {
                self.after(&tool_result.content, input, ctx)
            }
            HookEventData::SubagentStart {
                subagent_id,
                subagent_type,
                ..
            } => {
                self.nesting(input, ctx, |it| it.began(subagent_id, subagent_type));
                Opinion::allow()
            }
            HookEventData::SubagentStop { subagent_id, .. } => {
                self.nesting(input, ctx, |it| it.ended(subagent_id));
                Opinion::allow()
            }
            _ => Opinion::allow(),
        })
    }
}
