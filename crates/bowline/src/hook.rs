//! The hook: what we run for an event.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use regex::Regex;

use crate::context::HookContext;
use crate::error::Result;
use crate::event::HookEvent;
use crate::input::HookInput;
use crate::opinion::Opinion;
use crate::output::HookOutput;

/// How the manager runs a hook. The default is a hook that decides, in its turn, and blocks a gate when it fails.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunPolicy {
    /// Whether the hook is waited for, and whether it may decide.
    pub mode: RunMode,
    /// The result of a failure on a gate.
    pub on_failure: OnFailure,
    /// The result of a timeout, if it differs. There is no further attempt then.
    pub on_timeout: Option<OnFailure>,
    /// Whether a failed hook gets one more attempt.
    pub attempts: Attempts,
    /// How often the hook runs.
    pub repeat: Repeat,
    /// Neighbours of the same parallel group run together.
    pub parallel_group: Option<u64>,
    /// When the hook is in force at all.
    pub activation: Activation,
    /// Of the matching hooks with the same identity only the first runs for an event.
    pub identity: Option<Arc<str>>,
    /// What the hook sees of a call that does several things.
    pub parts: Parts,
}

impl RunPolicy {
    /// A hook that decides, in its turn, and only warns when it fails.
    pub fn fail_open() -> Self {
        Self {
            on_failure: OnFailure::Allow,
            ..Self::default()
        }
    }

    /// A hook that runs beside the others and may add context, but not decide.
    pub fn observer() -> Self {
        Self {
            mode: RunMode::Observe,
            on_failure: OnFailure::Allow,
            ..Self::default()
        }
    }

    /// A hook that is only told what was decided.
    pub fn told() -> Self {
        Self {
            mode: RunMode::Told,
            ..Self::observer()
        }
    }

    /// A hook that is started and left alone.
    pub fn background() -> Self {
        Self {
            mode: RunMode::Background,
            on_failure: OnFailure::Allow,
            ..Self::default()
        }
    }

    /// The same, for a hook that runs once for every call, whatever the call does.
    pub fn whole(self) -> Self {
        Self {
            parts: Parts::Whole,
            ..self
        }
    }
}

/// Whether a hook is waited for, and whether it may decide.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunMode {
    /// Waited for, in its turn; its decision counts.
    #[default]
    Decide,
    /// Waited for, beside the others; it may add context but not decide.
    Observe,
    /// Started and left alone (`async`).
    Background,
    /// Not run at all: it only gets the decision ([`Hook::decided`]).
    Told,
}

/// The result of a hook that cannot run, times out, fails or panics on a gate. On other events it is a warning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OnFailure {
    /// Blocked, naming the hook.
    #[default]
    Block,
    /// A person decides.
    Ask,
    /// A warning.
    Allow,
    /// Blocked, also where a block undoes nothing and is an instruction for the model: Claude Code's `onFailure: "block"`.
    #[serde(rename = "block")]
    BlockOrInstruct,
}

/// Whether a failed hook gets one more attempt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Attempts {
    /// One attempt.
    #[default]
    Once,
    /// One more after a failure.
    RetryOnce,
}

/// How often a hook runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repeat {
    /// On every matching event.
    #[default]
    Always,
    /// Until it has run successfully once in a session.
    OncePerSession,
}

/// What a hook sees of a call that does several things, such as a patch of several files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Parts {
    /// Each of them by itself, as if it were a call of its own: it is asked for each whether it matches, and runs for those. So it
    /// misses none of them. It is told only once what was decided.
    #[default]
    Each,
    /// The call as it was reported, with the first of them as its tool and input ([`HookInput::parts`] has all). For hooks that count
    /// calls.
    Whole,
}

/// When a hook is in force.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Activation {
    /// Always.
    #[default]
    Always,
    /// From the skill's first use to the end of the session.
    Skill(String),
    /// While a sub-agent of this type runs.
    Agent(String),
}

/// Whether a hook wants to see an event.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Match {
    /// It does.
    Yes,
    /// It does not, and why, for people.
    No(String),
}

/// Something that runs when an agent reports an event.
///
/// ```
/// use bowline::hooks::{async_trait, Hook, HookContext, HookEvent, HookInput, HookOutput};
///
/// struct NoSudo;
///
/// #[async_trait]
/// impl Hook for NoSudo {
///     fn name(&self) -> &str { "no-sudo" }
///     fn events(&self) -> &[HookEvent] { &[HookEvent::PreToolUse] }
///
///     async fn execute(&self, input: HookInput, _ctx: &HookContext) -> Result<HookOutput, bowline::Error> {
///         match input.command() {
///             Some(command) if command.starts_with("sudo ") => Ok(HookOutput::block("run it without sudo")),
///             _ => Ok(HookOutput::allow()),
///         }
///     }
/// }
/// ```
#[async_trait]
pub trait Hook: Send + Sync {
    /// The hook's name, by which it is reported and unregistered.
    fn name(&self) -> &str;

    /// The events that it runs for.
    fn events(&self) -> &[HookEvent];

    /// Only tools whose name it finds (`is_match`, not anchored). Events without a tool are not filtered.
    fn tool_matcher(&self) -> Option<&Regex> {
        None
    }

    /// How long it may take, in whole seconds.
    fn timeout_secs(&self) -> u64 {
        60
    }

    /// How long it may take.
    fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout_secs())
    }

    /// Higher runs first; equal ones run in the order of registration.
    fn priority(&self) -> i32 {
        0
    }

    /// How the manager runs it.
    fn policy(&self) -> RunPolicy {
        RunPolicy::default()
    }

    /// Whether it wants to see this event, asked once the event itself fits. The default asks
    /// [`Hook::tool_matcher`].
    fn matches(&self, input: &HookInput) -> Match {
        match (self.tool_matcher(), input.tool_name()) {
            (Some(pattern), Some(tool)) if !pattern.is_match(tool) => {
                Match::No(format!("`{}` does not match tool {tool}", pattern.as_str()))
            }
            _ => Match::Yes,
        }
    }

    /// Runs the hook. The default has no opinion, for hooks that implement [`Hook::opinion`] or only [`Hook::decided`].
    async fn execute(&self, input: HookInput, ctx: &HookContext) -> Result<HookOutput> {
        let _ = (input, ctx);
        Ok(HookOutput::allow())
    }

    /// Everything that the hook says of an event that others read, too. The manager calls this, and so does whoever
    /// wraps a hook. The default asks [`Hook::execute`]; a hook that asks, grants or warns implements this one.
    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> Result<Opinion> {
        self.execute(input.clone(), ctx).await.map(Opinion::from)
    }

    /// Told what was decided, after the merge and before the answer is sent; also when a gate was blocked before
    /// this hook's turn. `input` is what will be executed.
    async fn decided(&self, input: &HookInput, decision: &Opinion, ctx: &HookContext) {
        let _ = (input, decision, ctx);
    }
}

type BoxFuture<T> = std::pin::Pin<Box<dyn Future<Output = T> + Send>>;
type Handler = Box<dyn Fn(HookInput, HookContext) -> BoxFuture<Result<Opinion>> + Send + Sync>;

/// A hook made of a closure.
///
/// ```
/// use bowline::hooks::{FnHook, HookEvent, HookManager, HookOutput};
///
/// let mut manager = HookManager::new();
/// manager.register(
///     FnHook::new("no-prompts", [HookEvent::UserPromptSubmit], |_input, _ctx| async {
///         Ok(HookOutput::block("closed for today"))
///     })
///     .priority(10),
/// );
/// ```
pub struct FnHook {
    name: String,
    events: Vec<HookEvent>,
    tool_matcher: Option<Regex>,
    timeout: Duration,
    priority: i32,
    policy: RunPolicy,
    handler: Handler,
}

impl FnHook {
    /// A hook that runs the closure for the events. The closure gives a [`HookOutput`] or an [`Opinion`].
    pub fn new<F, Fut, Said>(
        name: impl Into<String>,
        events: impl IntoIterator<Item = HookEvent>,
        handler: F,
    ) -> Self
    where
        F: Fn(HookInput, HookContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Said>> + Send + 'static,
        Said: Into<Opinion>,
    {
        Self {
            name: name.into(),
            events: events.into_iter().collect(),
            tool_matcher: None,
            timeout: Duration::from_mins(1),
            priority: 0,
            policy: RunPolicy::default(),
            handler: Box::new(move |input, ctx| {
                let said = handler(input, ctx);
                Box::pin(async { said.await.map(Into::into) })
            }),
        }
    }

    /// Only tools whose name the pattern finds.
    pub fn tool_matcher(mut self, pattern: Regex) -> Self {
        self.tool_matcher = Some(pattern);
        self
    }

    /// How long it may take.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Higher runs first.
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }

    /// How the manager runs it.
    pub fn policy(mut self, policy: RunPolicy) -> Self {
        self.policy = policy;
        self
    }
}

impl fmt::Debug for FnHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FnHook")
            .field("name", &self.name)
            .field("events", &self.events)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Hook for FnHook {
    fn name(&self) -> &str {
        &self.name
    }

    fn events(&self) -> &[HookEvent] {
        &self.events
    }

    fn tool_matcher(&self) -> Option<&Regex> {
        self.tool_matcher.as_ref()
    }

    fn timeout_secs(&self) -> u64 {
        self.timeout.as_secs()
    }

    fn timeout(&self) -> Duration {
        self.timeout
    }

    fn priority(&self) -> i32 {
        self.priority
    }

    fn policy(&self) -> RunPolicy {
        self.policy.clone()
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> Result<Opinion> {
        (self.handler)(input.clone(), ctx.clone()).await
    }
}
