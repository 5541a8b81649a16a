//! Reads in the report of a sub-agent who goes on, and sends the agent there.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunPolicy};
use bowline_guidance::handoff::{self, Route, Token};
use chrono::Utc;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Ground;
use super::report::{self, Report, Sent};
use crate::assemble::BuiltinHook;

const NAME: &str = "handoff";
const SUMMARY: &str = "sends an agent on to the sub-agent that a report hands over to";
/// Under which the last handoff is remembered.
pub(super) const LAST: &str = "handoff-state";

#[derive(Debug)]
pub(super) struct Handoff {
    ground: Arc<Ground>,
}

/// The last handoff of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct LastHandoff {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) tokens: Vec<String>,
    pub(super) at: Option<chrono::DateTime<Utc>>,
}

impl Handoff {
    pub(super) fn builtin(ground: &Arc<Ground>) -> Option<BuiltinHook> {
        let ground = Arc::clone(ground);
        let is_on = ground.config.handoff.detect;
        is_on.then(|| BuiltinHook::of_all_tools(Self { ground }, SUMMARY))
    }

    /// Where the report sends the agent, in words, and the rule that says so.
    fn sent(&self, report: &Report, route: &Route) -> Option<(String, String, &'static str)> {
        let (config, advice) = (&self.ground.config, &self.ground.advice);
        let agent = match report.agent.as_str() {
            "" => "The sub-agent",
            agent => agent,
        };
        let (text, target, rule) = match route {
            Route::Next(target) => (&handoff::NEXT, target.as_str(), "handoff.next"),
            Route::Hub => (&handoff::TO_HUB, config.handoff.hub.as_str(), "handoff.hub"),
            Route::Back => (&handoff::BACK, report.agent.as_str(), "handoff.back"),
        };
        let values = [("agent", agent), ("target", target)];
        let mut said = advice.render(text, &values)?;
        let mut rule = rule;
        if !self.ground.knows_agent(target) {
            let known = config.subagents.registry.join(", ");
            let values = [("target", target), ("known", known.as_str())];
            let unknown = advice
                .render(&handoff::UNKNOWN, &values)
                .unwrap_or_default();
            if config.subagents.strict {
                (said, rule) = (unknown, "handoff.unknown");
            } else {
                said = format!("{said}\n{unknown}");
            }
        }
        Some((said, target.to_owned(), rule))
    }
}

#[async_trait]
impl Hook for Handoff {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        report::EVENTS_OF_ROUTES
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::fail_open().whole()
    }

    fn matches(&self, input: &HookInput) -> Match {
        report::may_come_with(input)
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        let memory = &self.ground.memory;
        let Some(report) = Report::to_follow(memory, input, ctx) else {
            return Ok(Opinion::allow());
        };
        let (mut tokens, mut opinion) = (Vec::new(), Opinion::allow());
        for token in handoff::tokens(&report.text) {
            match token {
                Token::Valid(token) => tokens.push(token),
                Token::Malformed(token) => {
                    let values = [("token", token.as_str())];
                    let text = self.ground.advice.render(&handoff::TOKEN, &values);
                    opinion.warnings.extend(text);
                }
            }
        }
        if Sent::of(ctx).is_set() {
            return Ok(opinion);
        }
        let route = handoff::route(&report.agent, &report.text);
        let Some((text, target, rule)) = route.and_then(|route| self.sent(&report, &route)) else {
            return Ok(opinion);
        };
        if !report::is_first(memory, NAME, &report, input, ctx) {
            return Ok(opinion);
        }
        let last = LastHandoff {
            from: report.agent.clone(),
            to: target,
            tokens,
            at: Some(Utc::now()),
        };
        memory.of_session(LAST, input, ctx, |state: &mut LastHandoff| {
            state.clone_from(&last);
        });
        Sent::of(ctx).set();
        let mut sent = Report::send(text, input).by_rule(rule);
        sent.warnings = opinion.warnings;
        sent.facts = match json!({"handoff": {"from": last.from, "to": last.to, "tokens": last.tokens}})
        {
            Value::Object(facts) => facts,
            _ => serde_json::Map::new(),
        };
        Ok(sent)
    }
}
