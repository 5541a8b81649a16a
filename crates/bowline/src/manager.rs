//! Runs the hooks of an event, in order, and merges what they say.

mod background;
mod memory;
mod partial;
mod parts;
mod report;
mod run;

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{join, join_all};

pub use background::Background;
pub use report::{HookRun, RunStatus, TriggerResult};

use crate::answerer::Answerer;
use crate::context::HookContext;
use crate::decision::Decision;
use crate::error::{self, Error};
use crate::event::{EventClass, HookEvent};
use crate::hook::{Hook, Match, Parts, RunMode, RunPolicy};
use crate::input::HookInput;
use crate::merge::merge;
use crate::output::HookOutput;
use memory::SessionMemory;
use partial::Partial;

/// No hook runs longer than this, whatever it asks for.
pub const DEFAULT_TIMEOUT_CAP: Duration = Duration::from_mins(10);

/// Holds hooks and runs them.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// use bowline::hooks::{FnHook, HookContext, HookEvent, HookInput, HookManager, HookOutput};
///
/// let mut manager = HookManager::new();
/// manager.register(FnHook::new("guard", [HookEvent::PreToolUse], |input, _ctx| async move {
///     Ok(match input.command() {
///         Some("rm -rf /") => HookOutput::block("that would delete everything"),
///         _ => HookOutput::allow(),
///     })
/// }));
///
/// let input = HookInput::pre_tool_use("session-1", "Bash", serde_json::json!({"command": "rm -rf /"}));
/// let ctx = HookContext::new("session-1");
/// let output = manager.execute(HookEvent::PreToolUse, input, &ctx).await?;
/// assert!(!output.continue_execution);
/// # Ok::<(), bowline::Error>(())
/// # }).unwrap();
/// ```
///
/// Clones share what is remembered of sessions (`once`, active skills), so that a reloaded manager can be
/// swapped in while events are in flight.
#[derive(Clone)]
pub struct HookManager {
    /// Highest priority first, then in the order of registration.
    hooks: Vec<Arc<dyn Hook>>,
    timeout_cap: Duration,
    memory: Arc<SessionMemory>,
    background: Background,
    answerer: Option<Arc<dyn Answerer>>,
}

impl Default for HookManager {
    fn default() -> Self {
        Self {
            hooks: Vec::new(),
            timeout_cap: DEFAULT_TIMEOUT_CAP,
            memory: Arc::new(SessionMemory::default()),
            background: Background::default(),
            answerer: None,
        }
    }
}

impl fmt::Debug for HookManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookManager")
            .field("hooks", &self.names())
            .finish_non_exhaustive()
    }
}

/// A hook whose matcher fits the event.
struct Candidate {
    hook: Arc<dyn Hook>,
    policy: RunPolicy,
    scope: Scope,
}

/// What of an event a hook runs for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Scope {
    /// All of it.
    Whole,
    /// These parts of its call, counted from 0.
    Parts(Vec<usize>),
}

impl HookManager {
    /// A manager without hooks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Limits every hook's timeout (default 600 s).
    pub fn with_timeout_cap(mut self, cap: Duration) -> Self {
        self.timeout_cap = cap;
        self
    }

    /// Runs background hooks among these, which other managers may share.
    pub fn with_background(mut self, background: Background) -> Self {
        self.background = background;
        self
    }

    /// Lets a person answer questions before the agent asks them.
    pub fn with_answerer(mut self, answerer: Arc<dyn Answerer>) -> Self {
        self.answerer = Some(answerer);
        self
    }

    /// Takes over what another manager remembers of sessions, whose place it takes.
    pub fn succeeding(mut self, other: &Self) -> Self {
        self.memory = Arc::clone(&other.memory);
        self
    }

    /// Adds a hook.
    pub fn register(&mut self, hook: impl Hook + 'static) {
        self.register_arc(Arc::new(hook));
    }

    /// Adds a shared hook.
    pub fn register_arc(&mut self, hook: Arc<dyn Hook>) {
        let place = self
            .hooks
            .partition_point(|other| other.priority() >= hook.priority());
        self.hooks.insert(place, hook);
    }

    /// Removes every hook of this name; says whether there was one.
    pub fn unregister(&mut self, name: &str) -> bool {
        let before = self.hooks.len();
        self.hooks.retain(|hook| hook.name() != name);
        self.hooks.len() < before
    }

    /// Takes the hooks of this name back for one event; their other events stay. Says whether there was one.
    pub fn unregister_for(&mut self, event: HookEvent, name: &str) -> bool {
        let mut found = false;
        for hook in &mut self.hooks {
            if hook.name() == name && hook.events().contains(&event) {
                found = true;
                let others = hook.events().iter().copied();
                *hook = Arc::new(Partial {
                    events: others.filter(|other| *other != event).collect(),
                    hook: Arc::clone(hook),
                });
            }
        }
        self.hooks
            .retain(|hook| hook.name() != name || !hook.events().is_empty());
        found
    }

    /// Whether a hook of this name is registered.
    pub fn has(&self, name: &str) -> bool {
        self.hooks.iter().any(|hook| hook.name() == name)
    }

    /// The names of all hooks, in the order in which they run.
    pub fn names(&self) -> Vec<&str> {
        self.hooks.iter().map(|hook| hook.name()).collect()
    }

    /// Counts a skill as in use in a session, so that its hooks fire. The manager sees this by itself where the
    /// agent reports the skill's use.
    pub fn activate_skill(&self, session_id: &str, skill: &str) {
        self.memory.activate_skill(session_id, skill);
    }

    /// Runs the event's hooks and merges what they say.
    ///
    /// A hook that errs, panics, times out or is cancelled does not make this fail: on a gate it blocks, naming
    /// itself, unless its policy says otherwise. The only error is an `input` of another event. Whoever has to tell a
    /// question from a block, or to know of grants and warnings, calls [`HookManager::trigger`].
    pub async fn execute(
        &self,
        event: HookEvent,
        input: HookInput,
        ctx: &HookContext,
    ) -> error::Result<HookOutput> {
        self.execute_with_handler(event, input, ctx, |_| {}).await
    }

    /// As [`HookManager::execute`], and calls `handler` with what each hook did, in order.
    pub async fn execute_with_handler(
        &self,
        event: HookEvent,
        input: HookInput,
        ctx: &HookContext,
        handler: impl FnMut(&HookRun),
    ) -> error::Result<HookOutput> {
        if event != input.event_type() {
            return Err(Error::EventMismatch {
                expected: event,
                found: input.event_type(),
            });
        }
        let result = self.trigger(input, ctx).await;
        result.results.iter().for_each(handler);
        Ok(result.output.into())
    }

    /// Whether each hook of the event would run, in order, without running any.
    pub fn preview(&self, input: &HookInput) -> Vec<(String, Match)> {
        let mut seen = Vec::new();
        self.hooks_for(input.event_type())
            .map(|hook| {
                let fits = self.fits(hook.as_ref(), &hook.policy(), input, &mut seen);
                let fits = fits.map_or_else(Match::No, |_| Match::Yes);
                (hook.name().to_owned(), fits)
            })
            .collect()
    }

    /// Runs the event's hooks and reports on each.
    pub async fn trigger(&self, input: impl Borrow<HookInput>, ctx: &HookContext) -> TriggerResult {
        let input = input.borrow();
        let ctx = &*ctx.of_call(input);
        self.memory.note_before(input);
        let candidates = self.candidates(input);
        let mut runs: Vec<Option<HookRun>> = candidates
            .iter()
            .map(|it| (it.policy.mode == RunMode::Told).then(|| HookRun::told(it.hook.name())))
            .collect();
        let of_mode = |wanted: fn(RunMode) -> bool| {
            let modes = candidates.iter().map(|it| it.policy.mode).enumerate();
            modes.filter_map(move |(at, mode)| wanted(mode).then_some(at))
        };
        let deciders = of_mode(|mode| matches!(mode, RunMode::Decide | RunMode::Background));
        let observers = of_mode(|mode| mode == RunMode::Observe);
        let deciding = self.run_in_order(&candidates, deciders.collect(), input, ctx);
        let observing = self.run_together(&candidates, observers.collect(), input, ctx);
        let ((decided, executed), observed) = join(deciding, observing).await;
        for (at, run) in decided.into_iter().chain(observed) {
            if let Some(slot) = runs.get_mut(at) {
                *slot = Some(run);
            }
        }

        let mut results: Vec<HookRun> = runs
            .into_iter()
            .zip(&candidates)
            .map(|(run, candidate)| {
                run.unwrap_or_else(|| {
                    HookRun::skipped(candidate.hook.name(), "an earlier hook blocked")
                })
            })
            .collect();
        let mut output = merge(results.iter().map(|run| &run.output));
        if output.decision() == Decision::Ask
            && let Some(answered) = self.ask_a_person(&executed, &mut output, ctx).await
        {
            results.push(answered);
        }
        let is_gate = input.event_type().class() == EventClass::Gate;
        // Whether the agent can run another input depends on what it has said itself.
        output = ctx.expressed(input, output);
        // What does not run was never asked for: the call stays as the model made it.
        let executed = match output.rewritten_input() {
            Some(_) if is_gate => executed,
            _ => {
                output.updated_input = None;
                Cow::Borrowed(input)
            }
        };
        self.tell_decided(&candidates, &executed, &output, ctx)
            .await;
        self.memory.note_after(&executed, &output);
        TriggerResult {
            allowed: output.continue_execution,
            output,
            results,
        }
    }

    /// Runs hooks beside each other.
    async fn run_together(
        &self,
        candidates: &[Candidate],
        which: Vec<usize>,
        input: &HookInput,
        ctx: &HookContext,
    ) -> Vec<(usize, HookRun)> {
        let mut chosen = which
            .into_iter()
            .filter_map(|at| Some((at, candidates.get(at)?)));
        // One alone, which is usual, needs nothing to keep it apart from others.
        match (chosen.next(), chosen.next()) {
            (None, _) => Vec::new(),
            (Some((at, only)), None) => vec![(at, self.run(only, input, ctx).await)],
            (Some(first), Some(second)) => {
                let together = [first, second].into_iter().chain(chosen);
                let running =
                    together.map(|(at, it)| self.run(it, input, ctx).map(move |run| (at, run)));
                join_all(running).await
            }
        }
    }

    /// Runs the deciding and background hooks one after another, neighbours of one parallel group together. Each
    /// sees the input as rewritten so far, and a grant speaks only of the input that its hook saw: a rewrite takes
    /// earlier ones away. Returns what ran and the input that will be executed.
    async fn run_in_order<'input>(
        &self,
        candidates: &[Candidate],
        order: Vec<usize>,
        input: &'input HookInput,
        ctx: &HookContext,
    ) -> (Vec<(usize, HookRun)>, Cow<'input, HookInput>) {
        let is_gate = input.event_type().class() == EventClass::Gate;
        let mut input = Cow::Borrowed(input);
        let mut runs: Vec<(usize, HookRun)> = Vec::new();
        let group_of = |at: &usize| candidates.get(*at).and_then(|c| c.policy.parallel_group);
        for step in order.chunk_by(|a, b| group_of(a).is_some() && group_of(a) == group_of(b)) {
            let mut finished = self
                .run_together(candidates, step.to_vec(), &input, ctx)
                .await;
            let step_output = merge(finished.iter().map(|(_, run)| &run.output));
            // Elsewhere there is nothing that could still run.
            if let Some(rewritten) = step_output.rewritten_input().filter(|_| is_gate) {
                if input.tool_input() != Some(rewritten) {
                    let before = runs.iter_mut().chain(&mut finished);
                    before.for_each(|(_, run)| run.drop_grant_beside(rewritten));
                }
                input.to_mut().replace_tool_input(rewritten.clone());
            }
            let blocked = finished.iter().any(|(_, run)| run.denies());
            runs.extend(finished);
            if blocked && is_gate {
                break;
            }
        }
        (runs, input)
    }

    fn hooks_for(&self, event: HookEvent) -> impl Iterator<Item = &Arc<dyn Hook>> {
        self.hooks
            .iter()
            .filter(move |hook| hook.events().contains(&event))
    }

    fn candidates(&self, input: &HookInput) -> Vec<Candidate> {
        let mut seen = Vec::new();
        self.hooks_for(input.event_type())
            .filter_map(|hook| {
                let policy = hook.policy();
                let scope = self.fits(hook.as_ref(), &policy, input, &mut seen).ok()?;
                Some(Candidate {
                    hook: Arc::clone(hook),
                    policy,
                    scope,
                })
            })
            .collect()
    }

    /// What of this input the hook runs for, or why it does not; `seen` gathers the identities of those that do.
    fn fits(
        &self,
        hook: &dyn Hook,
        policy: &RunPolicy,
        input: &HookInput,
        seen: &mut Vec<Arc<str>>,
    ) -> Result<Scope, String> {
        if let Match::No(why) = self.memory.allows(hook.name(), policy, input) {
            return Err(why);
        }
        let scope = scope(hook, policy, input)?;
        if let Some(identity) = &policy.identity {
            if seen.contains(identity) {
                return Err("the same hook already runs for this event".to_owned());
            }
            seen.push(Arc::clone(identity));
        }
        Ok(scope)
    }
}

/// What of this input the hook wants to see, or why nothing.
fn scope(hook: &dyn Hook, policy: &RunPolicy, input: &HookInput) -> Result<Scope, String> {
    if policy.parts == Parts::Whole || input.part_count() == 1 {
        return match run::matches(hook, input) {
            Match::Yes => Ok(Scope::Whole),
            Match::No(why) => Err(why),
        };
    }
    let mut wanted = Vec::new();
    let mut refusal = None;
    for (index, part) in input.parts().enumerate() {
        match run::matches(hook, &part) {
            Match::Yes => wanted.push(index),
            Match::No(why) => refusal = refusal.or(Some(why)),
        }
    }
    match refusal {
        Some(why) if wanted.is_empty() => Err(why),
        _ => Ok(Scope::Parts(wanted)),
    }
}
