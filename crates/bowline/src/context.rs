//! Where and for whom hooks run.

use std::collections::HashMap;
use std::path::PathBuf;

use tokio_util::sync::CancellationToken;

/// The circumstances of one event.
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
}

impl HookContext {
    /// A context with nothing but a session.
    pub fn new(session_id: impl Into<String>) -> Self {
        Self {
            session_id: session_id.into(),
            cancellation_token: CancellationToken::new(),
            cwd: None,
            env: HashMap::new(),
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
}
