//! Counts the tool calls of an effort. An agent that does not log is stopped until it does; one whose context is nearly full is told to
//! leave a summary.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunPolicy};
use bowline_continuity::dehydration;
use bowline_continuity::effort::Effort;
use bowline_continuity::guard_rule::{self, Effect, Fired};
use bowline_continuity::heartbeat::{self, Beat, ToolUse};
use bowline_continuity::session::SessionState;
use bowline_continuity::usage::{self, Fullness};
use bowline_store::Change;
use serde_json::json;

use super::caller::who;
use super::{Ground, effort_skill};
use crate::assemble::BuiltinHook;
use crate::recorder::add_change;
use bowline_agents::Tool;

const NAME: &str = "effort";
const SUMMARY: &str =
    "stops an agent in an effort that does not log, and tells it when its context is nearly full";

/// The rule under which calls without a log entry are denied.
const HEARTBEAT_RULE: &str = "effort.heartbeat";

/// Before the guards, so that their judgement is not asked for where it does not matter, and after rewrites.
const PRIORITY: i32 = crate::guard::PRIORITY + 1;

#[derive(Debug)]
pub(super) struct Heartbeat {
    ground: Arc<Ground>,
}

impl Heartbeat {
    pub(super) fn builtin(ground: &Arc<Ground>) -> BuiltinHook {
        let ground = Arc::clone(ground);
        BuiltinHook::of_all_tools(Self { ground }, SUMMARY)
    }

    /// What a call means for its effort, and what the agent is told.
    fn judge(
        &self,
        effort: &Effort,
        state: &mut SessionState,
        input: &HookInput,
        ctx: &HookContext,
    ) -> Opinion {
        let config = &self.ground.config.effort;
        let kind = heartbeat::classify(&tool_use(input), &effort.task);
        let beat = heartbeat::beat(effort, state.heartbeat, kind, config.block_after);
        match beat {
            Beat::Uncounted => {}
            Beat::Counted { count, .. } | Beat::Blocked { count, .. } => {
                state.heartbeat = count;
                add_change(ctx, Change::HeartbeatCounted);
            }
        }
        // Some agents say it with each event.
        let said = input.metadata.as_ref().and_then(usage::of_payload);
        if let Some(used) = said.filter(|_| said != state.context_usage) {
            state.context_usage = Some(used);
            add_change(ctx, Change::ContextUsed { used });
        }
        let used = state.context_usage;
        let threshold = f64::from(config.overflow_percent) / 100.0;
        // Whoever has left a summary need not be told again.
        let overflows =
            usage::fullness(used, threshold) == Fullness::Warn && state.dehydrated.is_none();
        let fired = match beat {
            Beat::Uncounted => Vec::new(),
            _ => guard_rule::fired(&effort.metadata.guards, state.heartbeat, used),
        };
        let mut opinion = Opinion::allow();
        if let Beat::Blocked { count, limit } = beat {
            let reason = heartbeat::blocked_reason(effort, count, limit);
            opinion = Opinion::block(reason).by_rule(HEARTBEAT_RULE);
        }
        opinion = fired.iter().fold(opinion, apply_rule);
        if overflows && let Some(used) = used {
            opinion = opinion.context(dehydration::instruction(used, threshold));
        }
        opinion.facts = facts(state, overflows, &fired);
        opinion
    }
}

/// What a tool call is, as far as the heartbeat is concerned.
fn tool_use(input: &HookInput) -> ToolUse<'_> {
    let tool = input.tool_name().unwrap_or_default();
    ToolUse {
        tool,
        command: input.command().filter(|_| Tool::named(tool).runs_a_shell()),
        reads: input
            .file_path()
            .filter(|_| Tool::named(tool) == Tool::Read),
    }
}

fn apply_rule(opinion: Opinion, rule: &Fired) -> Opinion {
    match rule.effect {
        Effect::Inform => opinion.context(&rule.text),
        Effect::Block if opinion.continue_execution => {
            let rule_id = format!("effort.{}", rule.rule_id);
            Opinion {
                continue_execution: false,
                stop_reason: Some(rule.text.clone()),
                ..opinion
            }
            .by_rule(rule_id)
        }
        // The heartbeat says already what to do.
        Effect::Block => opinion,
    }
}

fn facts(
    state: &SessionState,
    overflows: bool,
    fired: &[Fired],
) -> serde_json::Map<String, serde_json::Value> {
    let rules: Vec<&str> = fired.iter().map(|rule| rule.rule_id.as_str()).collect();
    let facts = json!({
        "heartbeatCount": state.heartbeat,
        "contextUsage": state.context_usage,
        "overflowWarning": overflows,
        "firedRules": rules,
    });
    facts.as_object().cloned().unwrap_or_default()
}

#[async_trait]
impl Hook for Heartbeat {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::PreToolUse]
    }

    fn priority(&self) -> i32 {
        PRIORITY
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::fail_open().whole()
    }

    fn matches(&self, input: &HookInput) -> Match {
        // Whoever asks something of its effort does not work on it.
        if effort_skill::asks(input) {
            return Match::No("it is not counted".to_owned());
        }
        self.ground.matches_in_effort(input)
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        let who = who(input, ctx, &self.ground.project);
        let opinion = self
            .ground
            .live
            .in_effort(&who, ctx, |effort, state, known| {
                known.join(effort, input, ctx);
                self.judge(effort, state, input, ctx)
            });
        Ok(opinion.unwrap_or_default())
    }
}
