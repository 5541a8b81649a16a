//! Tells an agent what calls take of its context window that a sub-agent could make, and sums the session up when it stops.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunPolicy};
use bowline_guidance::cost::delegation::{Conduct, Summary};
use chrono::Utc;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::Ground;
use crate::assemble::BuiltinHook;
use crate::recorder::subagent_of;

/// Under which a session's conduct is remembered.
pub const NAME: &str = "cost-delegation";
const SUMMARY: &str =
    "tells an agent what calls cost that a sub-agent could make, and sums up its sessions";

#[derive(Debug)]
pub(in crate::guidance) struct ConductHook {
    ground: Arc<Ground>,
}

/// What is remembered of a session.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Remembered {
    #[serde(flatten)]
    conduct: Conduct,
    /// As the session stopped last.
    summary: Option<Summary>,
}

impl ConductHook {
    pub(in crate::guidance) fn builtin(ground: &Arc<Ground>) -> Option<BuiltinHook> {
        let ground = Arc::clone(ground);
        let is_on = ground.config.cost.predict;
        is_on.then(|| BuiltinHook::of_all_tools(Self { ground }, SUMMARY))
    }

    fn with<T>(
        &self,
        input: &HookInput,
        ctx: &HookContext,
        what: impl FnOnce(&mut Remembered) -> T,
    ) -> T {
        self.ground.memory.of_session(NAME, input, ctx, what)
    }

    fn before(&self, input: &HookInput, ctx: &HookContext) -> Opinion {
        let (tool, arguments) = call(input);
        let violation = self.with(input, ctx, |it| {
            it.conduct.before(tool, arguments, Utc::now())
        });
        let Some((number, violation)) = violation else {
            return Opinion::allow();
        };
        let text = violation.text(number).and_then(|text| {
            let tokens = violation.tokens.to_string();
            let optimal = violation.optimal.to_string();
            let values = [
                ("tool", tool),
                ("tokens", tokens.as_str()),
                ("optimal", optimal.as_str()),
            ];
            self.ground.advice.once(input, ctx, text, "", &values)
        });
        let mut opinion = match text {
            Some(text) => Opinion::allow().context(text),
            None => Opinion::allow(),
        };
        opinion
            .facts
            .insert("costEstimate".to_owned(), json!(violation));
        opinion
    }

    fn after(&self, input: &HookInput, ctx: &HookContext) -> Opinion {
        let (tool, arguments) = call(input);
        let response = input.field("tool_response").unwrap_or(&Value::Null);
        self.with(input, ctx, |it| it.conduct.after(tool, arguments, response));
        Opinion::allow()
    }

    fn stop(&self, input: &HookInput, ctx: &HookContext) -> Opinion {
        let (summary, is_new) = self.with(input, ctx, |it| {
            let summary = it.conduct.summary();
            let is_new = it.summary.as_ref() != Some(&summary);
            it.summary = Some(summary.clone());
            (summary, is_new)
        });
        let mut opinion = Opinion::allow();
        if is_new && summary.violations > 0 {
            opinion = opinion.system_message(self.sentence(&summary, &input.session_id));
        }
        opinion
            .facts
            .insert("costSummary".to_owned(), json!(summary));
        opinion
    }

    /// The summary for the person.
    fn sentence(&self, summary: &Summary, session: &str) -> String {
        let spent = self.ground.spending.of_session(session).unwrap_or_default();
        let spent = match spent.0 {
            0 => String::new(),
            _ => format!(" {spent} spent."),
        };
        format!(
            "Session so far:{spent} {} calls, {} delegated, {} that should have been ({} % compliance). Estimated waste: {} tokens. Autonomy: {}. \
             `bowline cost summary` has more.",
            summary.calls,
            summary.delegations,
            summary.violations,
            summary.compliance,
            summary.waste,
            summary.autonomy.name(),
        )
    }
}

fn call(input: &HookInput) -> (&str, &Value) {
    let arguments = input.tool_input().unwrap_or(&Value::Null);
    (input.tool_name().unwrap_or_default(), arguments)
}

#[async_trait]
impl Hook for ConductHook {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &[
            HookEvent::PreToolUse,
            HookEvent::PostToolUse,
            HookEvent::Stop,
        ]
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::observer().whole()
    }

    fn matches(&self, input: &HookInput) -> Match {
        if input.session_id.is_empty() {
            return Match::No("it belongs to no session".to_owned());
        }
        if subagent_of(input).is_some() {
            return Match::No("sub-agents may do everything themselves".to_owned());
        }
        Match::Yes
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        Ok(match input.event_type() {
            HookEvent::PreToolUse => self.before(input, ctx),
            HookEvent::PostToolUse => self.after(input, ctx),
            _ => self.stop(input, ctx),
        })
    }
}
