//! The context of tools: which paths they may use, and a way to fire hooks from inside a tool.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::context::HookContext;
use crate::error::Error;
use crate::event::{EventClass, HookEvent};
use crate::input::HookInput;
use crate::lifecycle::Approver;
use crate::manager::HookManager;
use crate::opinion::Opinion;
use crate::output::HookOutput;

mod security;

pub use security::{EnvironmentPolicy, PathRefused, Secrets, SecurityContext};

/// The circumstances under which an agent's tools run. Cloning is cheap; clones share the session.
///
/// ```
/// use bowline::hooks::{ExecutionContext, HookEvent, HookInput, HookManager, SecurityContext};
///
/// # async fn tool(hook_manager: HookManager, session_id: &str) {
/// let ctx = ExecutionContext::new(SecurityContext::default()).hooks(hook_manager, session_id);
/// let output = ctx
///     .fire_hook(
///         HookEvent::SubagentStart,
///         HookInput::subagent_start(session_id, "agent-1", "reviewer", "reads the diff"),
///     )
///     .await;
/// assert!(output.continue_execution);
/// # }
/// ```
#[derive(Clone)]
pub struct ExecutionContext {
    security: Arc<SecurityContext>,
    cwd: Option<Arc<Path>>,
    manager: Option<Arc<HookManager>>,
    session_id: Arc<str>,
    cancellation: CancellationToken,
    hook_env: Arc<HashMap<String, String>>,
    fields: Vec<(String, Value)>,
    approver: Option<Arc<dyn Approver>>,
    denials: Arc<AtomicUsize>,
}

impl ExecutionContext {
    /// A context in which no hooks fire.
    pub fn new(security: SecurityContext) -> Self {
        Self {
            cwd: security.root().map(Arc::from),
            security: Arc::new(security),
            manager: None,
            session_id: Arc::from(""),
            cancellation: CancellationToken::new(),
            hook_env: Arc::default(),
            fields: Vec::new(),
            approver: None,
            denials: Arc::default(),
        }
    }

    /// Fires events with these hooks, for this session.
    pub fn hooks(
        mut self,
        manager: impl Into<Arc<HookManager>>,
        session_id: impl Into<String>,
    ) -> Self {
        self.manager = Some(manager.into());
        self.session_id = session_id.into().into();
        self
    }

    /// Sets where tools and command hooks run; the first root of the security context unless set.
    pub fn with_cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into().into());
        self
    }

    /// Uses the caller's cancellation token.
    pub fn with_cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// Sets variables for command hooks, on top of the inherited ones.
    pub fn with_hook_env(mut self, env: HashMap<String, String>) -> Self {
        self.hook_env = Arc::new(env);
        self
    }

    /// Sets a payload field that every event of this context carries, unless its input has the field already.
    pub fn with_field(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        let name = name.into();
        self.fields.retain(|(known, _)| *known != name);
        self.fields.push((name, value.into()));
        self
    }

    pub(crate) fn with_approver(mut self, approver: Option<Arc<dyn Approver>>) -> Self {
        self.approver = approver;
        self
    }

    /// What the tools may touch.
    pub fn security(&self) -> &SecurityContext {
        &self.security
    }

    /// Where tools run.
    pub fn cwd(&self) -> Option<&Path> {
        self.cwd.as_deref()
    }

    /// The session; empty without hooks.
    pub fn session_id(&self) -> &str {
        &self.session_id
    }

    /// Cancelling it interrupts the running tools and the hooks that gate something.
    pub fn cancellation_token(&self) -> &CancellationToken {
        &self.cancellation
    }

    /// How many tool calls of the session were denied, those of its sub-agents included.
    pub fn denials(&self) -> usize {
        self.denials.load(Ordering::Relaxed)
    }

    pub(crate) fn count_denial(&self) {
        self.denials.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn approver(&self) -> Option<&Arc<dyn Approver>> {
        self.approver.as_ref()
    }

    /// The file that a tool's path means, if the tools may touch it.
    pub fn resolve(&self, path: impl AsRef<Path>) -> Result<PathBuf, PathRefused> {
        let path = path.as_ref();
        match &self.cwd {
            Some(cwd) => self.security.resolve(&cwd.join(path)),
            None => self.security.resolve(path),
        }
    }

    /// Fires an event from inside a tool and returns what its hooks say; without hooks that is
    /// [`HookOutput::allow`]. An input of another event than the one named is blocked, and no hook runs.
    pub async fn fire_hook(&self, event: HookEvent, input: HookInput) -> HookOutput {
        let found = input.event_type();
        if event == found {
            self.fire(input).await.into()
        } else {
            HookOutput::block(
                Error::EventMismatch {
                    expected: event,
                    found,
                }
                .to_string(),
            )
        }
    }

    /// Fires an event and returns everything that its hooks say.
    pub(crate) async fn fire(&self, input: HookInput) -> Opinion {
        let Some(manager) = &self.manager else {
            return Opinion::allow();
        };
        let ctx = self.hook_context(input.event_type());
        manager.trigger(self.complete(input), &ctx).await.output
    }

    fn complete(&self, mut input: HookInput) -> HookInput {
        if input.field("cwd").is_none()
            && let Some(cwd) = &self.cwd
        {
            input = input.with_field("cwd", cwd.to_string_lossy());
        }
        for (name, value) in &self.fields {
            if input.field(name).is_none() {
                input = input.with_field(name, value.clone());
            }
        }
        input
    }

    /// After a cancellation, what happened is still reported: only gates are cut short.
    fn hook_context(&self, event: HookEvent) -> HookContext {
        let late = event.class() != EventClass::Gate && self.cancellation.is_cancelled();
        let token = if late {
            CancellationToken::new()
        } else {
            self.cancellation.clone()
        };
        let ctx = HookContext::new(&*self.session_id)
            .with_env(HashMap::clone(&self.hook_env))
            .with_cancellation(token);
        match self.cwd() {
            Some(cwd) => ctx.with_cwd(cwd),
            None => ctx,
        }
    }
}

impl fmt::Debug for ExecutionContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExecutionContext")
            .field("session_id", &self.session_id)
            .field("cwd", &self.cwd)
            .field("security", &self.security)
            .field("hooks", &self.manager.is_some())
            .finish_non_exhaustive()
    }
}

/// An id that no other session, prompt or sub-agent has.
pub(crate) fn fresh_id() -> String {
    let random = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", random(), random())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::FnHook;
    use std::sync::Mutex;

    #[tokio::test]
    async fn without_hooks_everything_is_allowed() {
        let ctx = ExecutionContext::new(SecurityContext::default());
        let output = ctx
            .fire_hook(HookEvent::Stop, HookInput::stop("session"))
            .await;
        assert_eq!(output, HookOutput::allow());
    }

    #[tokio::test]
    async fn the_wrong_input_is_blocked() {
        let ctx =
            ExecutionContext::new(SecurityContext::default()).hooks(HookManager::new(), "session");
        let output = ctx
            .fire_hook(HookEvent::SessionStart, HookInput::stop("session"))
            .await;
        assert!(!output.continue_execution);
    }

    #[tokio::test]
    async fn events_carry_the_fields_of_the_context() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let record = Arc::clone(&seen);
        let mut manager = HookManager::new();
        manager.register(FnHook::new(
            "record",
            [HookEvent::Stop],
            move |input, ctx| {
                record.lock().unwrap().push((input, ctx));
                async { Ok(HookOutput::allow()) }
            },
        ));
        let ctx = ExecutionContext::new(SecurityContext::new("/srv/project"))
            .hooks(manager, "session")
            .with_field("permission_mode", "default")
            .with_field("agent_id", "general");
        let input = HookInput::stop("session").with_field("agent_id", "its own");
        ctx.fire_hook(HookEvent::Stop, input).await;

        let seen = seen.lock().unwrap();
        let (input, hook_ctx) = &seen[0];
        assert_eq!(input.cwd(), Some("/srv/project"));
        assert_eq!(input.permission_mode(), Some("default"));
        assert_eq!(input.agent_id(), Some("its own"));
        assert_eq!(hook_ctx.session_id, "session");
        assert_eq!(hook_ctx.cwd.as_deref(), Some(Path::new("/srv/project")));
    }

    #[test]
    fn ids_differ() {
        assert_ne!(fresh_id(), fresh_id());
        assert_eq!(fresh_id().len(), 32);
    }
}
