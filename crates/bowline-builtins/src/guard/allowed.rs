//! What a person let pass with `bowline allow`: the voice of one rule is taken away, and all else counts as ever.

use std::path::Path;
use std::sync::Arc;

use bowline::hooks::{HookContext, HookEvent, HookInput};
use bowline::settings::{Allowance, AllowanceStore, AllowedCall, Caller, Occasion};
use bowline_agents::PARTS;
use bowline_guard::pattern::RulePattern;
use bowline_guard::tool_call::runs_a_shell;
use serde_json::Value;

use super::{Guards, Policy};

/// What a call is, to the letter: what a shell runs, or the whole input of another tool. How it is described is no part of it. Of a
/// call of several things the input is all of them ([`HookInput::call_input`]).
pub fn call_of(tool: &str, input: Option<&Value>) -> AllowedCall {
    let command = input.and_then(|it| it.get("command")?.as_str());
    let is_all = runs_a_shell(tool) && input.is_none_or(|it| it.get(PARTS).is_none());
    let what = match (command.filter(|_| is_all), input) {
        (Some(command), _) => command.to_owned(),
        (None, Some(input)) => input.to_string(),
        (None, None) => String::new(),
    };
    AllowedCall {
        tool: tool.to_owned(),
        what,
    }
}

/// What a person let pass, as one event sees it.
#[derive(Debug)]
pub struct Allowed<'a> {
    store: &'a AllowanceStore,
    entries: &'a [Allowance],
    caller: Caller<'a>,
}

impl<'a> Allowed<'a> {
    /// A person lets a call pass, and with it all that it does.
    pub(super) fn of_event(guards: &'a Guards, input: &'a HookInput, ctx: &'a HookContext) -> Self {
        let input = ctx.whole_call(input);
        let occasion = match input.event_type() {
            HookEvent::PermissionRequest => Occasion::Permission,
            _ => Occasion::Call,
        };
        let tool = input.tool_name().unwrap_or_default();
        Self {
            store: &guards.allowances,
            entries: guards.allowances.entries(),
            caller: Caller {
                project: guards.analyst.project_folder(),
                session: &input.session_id,
                call: call_of(tool, input.call_input().as_deref()),
                occasion,
                now: input.timestamp,
            },
        }
    }

    /// For a call that is only looked at.
    pub fn of_call(guards: &'a Guards, session: &'a str, call: AllowedCall) -> Self {
        let project: &Path = guards.analyst.project_folder();
        Self {
            store: &guards.allowances,
            entries: guards.allowances.entries(),
            caller: Caller {
                project,
                session,
                call,
                occasion: Occasion::Call,
                now: chrono::Utc::now(),
            },
        }
    }

    /// The entries that count for the call, but for those that only one call may use.
    fn lasting(&self) -> impl Iterator<Item = &Allowance> {
        let entries = self.entries.iter();
        entries.filter(|it| !it.is_once() && it.fits(&self.caller))
    }

    /// The same event without any allowance. `None` if it makes no difference.
    pub(super) fn ignored(&self) -> Option<Self> {
        self.lasting().next()?;
        Some(Self {
            store: self.store,
            entries: &[],
            caller: self.caller.clone(),
        })
    }

    /// Says which entry took a rule's voice away, for the records.
    pub(super) fn note(&self, rule: &str) -> Option<String> {
        let entry = self.lasting().find(|it| it.wish.rule == rule)?;
        Some(let_pass(entry))
    }

    /// The policy with what counts for the call.
    pub(super) fn applied(&self, policy: Arc<Policy>) -> Arc<Policy> {
        let rules: Vec<&str> = self.lasting().map(|it| it.wish.rule.as_str()).collect();
        if rules.is_empty() {
            return policy;
        }
        let policy = Arc::unwrap_or_clone(policy);
        let policy = rules.into_iter().fold(policy, without);
        Arc::new(policy)
    }

    /// The entries for one call that would take this rule's voice away.
    pub(super) fn once(&self, rule: &str) -> Option<&Allowance> {
        let mut entries = self.entries.iter();
        entries.find(|it| {
            let meant = it.is_once() && it.wish.rule == rule && it.fits(&self.caller);
            meant && it.is_open_to(&self.caller)
        })
    }

    /// Uses up such an entry. `false` if another call was first.
    pub(super) fn claim(&self, entry: &Allowance) -> bool {
        self.store.claim(entry.number, &self.caller)
    }

    /// Whether this rule says nothing to the call; an entry for one call is used up by it.
    pub(super) fn silences(&self, rule: &str) -> bool {
        self.lasting().any(|it| it.wish.rule == rule)
            || self.once(rule).is_some_and(|it| self.claim(it))
    }
}

/// What the records say of a call that an entry let pass.
pub(super) fn let_pass(entry: &Allowance) -> String {
    let Allowance { number, wish, .. } = entry;
    format!(
        "{} said nothing: a person let it pass (entry {number} of `bowline allow --list`)",
        wish.rule
    )
}

/// The policy without this rule's voice.
pub(super) fn without(mut policy: Policy, rule: &str) -> Policy {
    policy.guard.allow.rules.extend(RulePattern::parse(rule));
    policy
}

impl Guards {
    /// What a person let pass of a call that is only looked at.
    pub fn allowed<'a>(&'a self, session: &'a str, call: AllowedCall) -> Allowed<'a> {
        Allowed::of_call(self, session, call)
    }
}
