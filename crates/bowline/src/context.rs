//! Where and for whom hooks run.

mod extensions;

use std::collections::HashMap;
use std::path::PathBuf;

use tokio_util::sync::CancellationToken;

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
    recording: Recording,
    extensions: Extensions,
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
            recording: Recording::default(),
            extensions: Extensions::default(),
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

    /// Whether the event is kept.
    pub fn recording(&self) -> Recording {
        self.recording
    }

    /// What the hooks of this event share.
    pub fn extensions(&self) -> &Extensions {
        &self.extensions
    }
}
