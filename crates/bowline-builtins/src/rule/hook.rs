//! A compiled rule as a hook.

use std::sync::Arc;

use bowline::hooks::{
    EventClass, Hook, HookContext, HookEvent, HookInput, Match, OnFailure, Opinion, RunPolicy,
    async_trait,
};
use bowline::settings::{RuleDefinition, RuleVerdict};
use serde_json::Value;

use super::apply::{Applies, Conditions};
use super::rewrite::Rewrite;
use super::subject::{Subject, quoted};
use crate::Analyst;
use crate::guard::signed;

/// Rewriting comes first, so that everyone else judges what will really run.
const REWRITE_PRIORITY: i32 = 100;

/// Deciding comes last, so that no hook rewrites what was decided. The guards, registered later, come right after.
const DECIDING_PRIORITY: i32 = i32::MIN;

/// One rule of a settings file.
#[derive(Debug)]
pub struct RuleHook {
    name: String,
    definition: RuleDefinition,
    conditions: Conditions,
    rewrite: Option<Rewrite>,
    analyst: Arc<Analyst>,
}

impl RuleHook {
    pub(super) fn new(
        definition: RuleDefinition,
        conditions: Conditions,
        rewrite: Option<Rewrite>,
        analyst: Arc<Analyst>,
    ) -> Self {
        Self {
            name: format!("rule:{}", definition.id),
            definition,
            conditions,
            rewrite,
            analyst,
        }
    }

    /// The rule as it is written.
    pub fn definition(&self) -> &RuleDefinition {
        &self.definition
    }

    /// Whether the rule applies to an event.
    pub(super) fn applies(&self, input: &HookInput) -> Applies {
        let ctx = HookContext::new(&*input.session_id);
        self.conditions.apply(&self.subject(input, &ctx))
    }

    fn subject<'a>(&'a self, input: &'a HookInput, ctx: &HookContext) -> Subject<'a> {
        Subject::new(input, ctx, &self.analyst, self.conditions.shell_tools())
    }

    fn answer(&self, subject: &Subject<'_>) -> Opinion {
        match self.conditions.apply(subject) {
            Applies::No(_) => Opinion::allow(),
            Applies::Unknown(why) => self.undecided(subject, &why),
            Applies::Yes => self.verdict(subject),
        }
    }

    fn verdict(&self, subject: &Subject<'_>) -> Opinion {
        match self.definition.verdict {
            RuleVerdict::Deny => Opinion::block(self.reason(subject)).by_rule(&self.definition.id),
            RuleVerdict::Ask => Opinion::ask(self.reason(subject)).by_rule(&self.definition.id),
            RuleVerdict::Allow => Opinion {
                message: self.definition.message.clone(),
                ..Opinion::grant()
            },
            RuleVerdict::Context => {
                Opinion::allow().context(self.definition.message.clone().unwrap_or_default())
            }
            RuleVerdict::Rewrite => self.rewritten(subject),
            // A verdict that this version does not know is nothing that it could carry out.
            _ => Opinion::allow(),
        }
    }

    /// A call that cannot be judged is asked about by rules that stop, and ignored by the others.
    fn undecided(&self, subject: &Subject<'_>, why: &str) -> Opinion {
        let file = self.definition.origin.file.as_deref();
        let place = file.map_or_else(String::new, |file| {
            format!(
                " ({}:{})",
                file.display(),
                self.definition.origin.position.line
            )
        });
        let text = format!(
            "rule {} could not be evaluated: {why}{place}",
            self.definition.id
        );
        let gate = subject.input.event_type().class() == EventClass::Gate;
        if self.definition.verdict.tightens() && gate {
            Opinion::ask(signed(&text)).by_rule(&self.definition.id)
        } else {
            Opinion::allow().warning(text)
        }
    }

    /// What was matched, why that matters, and a safer way.
    fn reason(&self, subject: &Subject<'_>) -> String {
        let rule = &self.definition;
        let why = match (&rule.message, rule.verdict) {
            (Some(message), _) => format!(": {}", message.trim_end_matches('.')),
            (None, RuleVerdict::Deny) => " is not allowed here".to_owned(),
            (None, _) => " needs a person's consent here".to_owned(),
        };
        let instead = rule.suggestion.as_ref().map_or_else(String::new, |it| {
            format!(". Instead: {}", it.text.trim_end_matches('.'))
        });
        signed(&format!(
            "`{}`{why}{instead} (rule {})",
            subject.quoted(),
            rule.id
        ))
    }

    fn rewritten(&self, subject: &Subject<'_>) -> Opinion {
        let id = &self.definition.id;
        let (Some(rewrite), Some(command), Some(input)) =
            (&self.rewrite, subject.command, subject.input.tool_input())
        else {
            return Opinion::allow();
        };
        let world = subject.world();
        if rewrite.is_done(command, world) {
            return Opinion::allow();
        }
        let Some(text) = rewrite.apply(command, world) else {
            return Opinion::ask(signed(&format!(
                "rule {id} would rewrite `{}`, but the words to be replaced are quoted, nested or made by the \
                 shell. Write it as a plain command{}",
                quoted(command),
                self.because()
            )))
            .by_rule(id);
        };
        let mut updated = input.clone();
        let shown = format!("{} → {} (rule {id})", quoted(command), quoted(&text));
        if let Some(field) = updated.get_mut("command") {
            *field = Value::String(text);
        }
        Opinion::allow()
            .updated_input(updated)
            .context(format!(
                "The command was rewritten: {shown}{}",
                self.because()
            ))
            .system_message(shown)
    }

    fn because(&self) -> String {
        match &self.definition.message {
            Some(message) => format!(": {message}"),
            None => String::new(),
        }
    }
}

#[async_trait]
impl Hook for RuleHook {
    fn name(&self) -> &str {
        &self.name
    }

    fn events(&self) -> &[HookEvent] {
        &self.definition.events
    }

    fn priority(&self) -> i32 {
        match self.definition.verdict {
            RuleVerdict::Rewrite => REWRITE_PRIORITY,
            RuleVerdict::Deny | RuleVerdict::Ask | RuleVerdict::Allow => DECIDING_PRIORITY,
            _ => 0,
        }
    }

    fn policy(&self) -> RunPolicy {
        let mut policy = RunPolicy::default();
        policy.on_failure = if self.definition.verdict.tightens() {
            OnFailure::Ask
        } else {
            OnFailure::Allow
        };
        policy
    }

    /// Only by the tool: what a command runs may still be changed by another hook.
    fn matches(&self, input: &HookInput) -> Match {
        self.conditions.fits(input)
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        Ok(self.answer(&self.subject(input, ctx)))
    }
}
