//! Where and for whom hooks run.

mod extensions;

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use bowline_agents::Agent;
use tokio_util::sync::CancellationToken;

use crate::input::HookInput;
use crate::opinion::Opinion;

pub use extensions::Extensions;

/// The circumstances of one event. Clones belong to the same event.
#[derive(Debug, Clone)]
pub struct HookContext {
    /// The agent's session.
    pub session_id: String,
    /// Cancelling it stops the running hooks; they count as failed.
    pub cancellation_token: CancellationToken,
    /// Where command hooks run.
    pub cwd: Option<PathBuf>,
    /// Variables for command hooks, on top of the inherited ones.
    pub env: HashMap<String, String>,
    call_id: Option<String>,
    agent: Option<String>,
    speaker: Option<&'static Agent>,
    recording: Recording,
    extensions: Extensions,
    call: Option<Arc<HookInput>>,
}

/// Whether an event is kept after it was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Recording {
    /// It is.
    #[default]
    On,
    /// Nothing of it is.
    Off,
}

impl HookContext {
    /// A context with nothing but a session.
    pub fn new(session_id: impl Into<String>) -> Self {
        Self {
            session_id: session_id.into(),
            cancellation_token: CancellationToken::new(),
            cwd: None,
            env: HashMap::new(),
            call_id: None,
            agent: None,
            speaker: None,
            recording: Recording::default(),
            extensions: Extensions::default(),
            call: None,
        }
    }

    /// Sets where command hooks run.
    pub fn with_cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Sets the variables for command hooks.
    pub fn with_env(mut self, env: HashMap<String, String>) -> Self {
        self.env = env;
        self
    }

    /// Uses the caller's cancellation token.
    pub fn with_cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation_token = token;
        self
    }

    /// Names the event: no other event has this id.
    pub fn with_call_id(mut self, id: impl Into<String>) -> Self {
        self.call_id = Some(id.into());
        self
    }

    /// Names the agent that reports the event.
    pub fn with_agent(mut self, name: impl Into<String>) -> Self {
        self.agent = Some(name.into());
        self
    }

    /// Names the agent that is answered in its own language: what it cannot be told is decided in a stricter way.
    pub fn answering(mut self, agent: &'static Agent) -> Self {
        self.speaker = Some(agent);
        self.with_agent(agent.name)
    }

    /// Says whether the event is kept.
    pub fn with_recording(mut self, recording: Recording) -> Self {
        self.recording = recording;
        self
    }

    /// The id of the event.
    pub fn call_id(&self) -> Option<&str> {
        self.call_id.as_deref()
    }

    /// The agent that reports the event.
    pub fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    /// The opinion as the agent that is answered can be told it.
    pub(crate) fn expressed(&self, input: &HookInput, opinion: Opinion) -> Opinion {
        let Some((agent, protocol)) = self.speaker.and_then(|it| Some((it, it.protocol()?))) else {
            return opinion;
        };
        match protocol.express(agent.title, &input.reported(), &opinion) {
            Cow::Borrowed(_) => opinion,
            Cow::Owned(stricter) => stricter,
        }
    }

    /// The context of the hooks for this event: where its call has several parts, those who see one of them can ask for the call.
    pub(crate) fn of_call(&self, input: &HookInput) -> Cow<'_, Self> {
        if input.part_count() == 1 {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self {
            call: Some(Arc::new(input.clone())),
            ..self.clone()
        })
    }

    /// The whole call that an event is about, of which a hook may see a part.
    pub fn whole_call<'a>(&'a self, input: &'a HookInput) -> &'a HookInput {
        self.call.as_deref().unwrap_or(input)
    }

    /// Whether the event is kept.
    pub fn recording(&self) -> Recording {
        self.recording
    }

    /// What the hooks of this event share.
    pub fn extensions(&self) -> &Extensions {
        &self.extensions
    }
}
