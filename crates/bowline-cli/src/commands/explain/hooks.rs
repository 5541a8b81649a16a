//! Which of Bowline's own hooks a call would run, and why not the others.

use bowline::hooks::{Hook, HookEvent, HookInput, Match, RunMode};
use bowline_builtins::{BuiltinHook, Builtins};
use serde::Serialize;

/// One of Bowline's own hooks for tool calls.
#[derive(Debug, Serialize)]
pub(super) struct OwnHook {
    pub(super) name: String,
    /// Absent if it would run.
    pub(super) why_not: Option<String>,
    /// The verdict tells what guards say.
    #[serde(skip)]
    pub(super) is_guard: bool,
}

/// Whether hooks after the guards get to see a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AfterTheGuards {
    GoesOn,
    Denied,
}

/// What each of them would do with a call. Nothing is run.
pub(super) fn of_call(
    builtins: &Builtins,
    event: &HookInput,
    after: AfterTheGuards,
) -> Vec<OwnHook> {
    let is_for_calls = |it: &&BuiltinHook| it.hook.events().contains(&HookEvent::PreToolUse);
    let hooks = builtins.hooks.iter().filter(is_for_calls);
    let mut hooks: Vec<&BuiltinHook> = hooks.collect();
    hooks.sort_by_key(|builtin| std::cmp::Reverse(builtin.hook.priority()));
    let last = hooks.last().map(|builtin| builtin.hook.priority());
    let shown = hooks.iter().map(|builtin| {
        let hook = builtin.hook.as_ref();
        let is_too_late = after == AfterTheGuards::Denied
            && !builtin.is_guard()
            && Some(hook.priority()) == last
            && decides(hook);
        let why_not = match hook.matches(event) {
            Match::No(why) => Some(why),
            _ if is_too_late => Some("the call is denied before".to_owned()),
            _ => None,
        };
        OwnHook {
            name: hook.name().to_owned(),
            why_not,
            is_guard: builtin.is_guard(),
        }
    });
    shown.collect()
}

fn decides(hook: &dyn Hook) -> bool {
    hook.policy().mode == RunMode::Decide
}
