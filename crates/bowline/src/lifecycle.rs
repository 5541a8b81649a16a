//! The lifecycle driver: for people who write the agent's loop.
//!
//! It owns the order *session start → prompt → (before the tool → tool → after it)\* → stop → session end*, fires
//! the events and applies what hooks answer. A step that is not yet, or no longer, due does not compile: a [`Turn`] exists
//! only for an accepted prompt, and stopping takes it away unless a hook sends the agent on.
//!
//! ```
//! use bowline::hooks::{HookManager, ToolOutput};
//! use bowline::lifecycle::{EndReason, Prompt, Session, SessionOptions, Stop, ToolCall};
//! use serde_json::json;
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let (mut session, _notes) = Session::start(HookManager::new(), SessionOptions::new()).await?;
//! if let Prompt::Accepted { mut turn, .. } = session.prompt("list the files").await {
//!     loop {
//!         let call = ToolCall::new("call-1", "Bash", json!({"command": "ls"}));
//!         let report = turn.tool(call, |call| async move { Ok(ToolOutput::new(call.name)) }).await;
//!         assert_eq!(report.model_text(), "Bash");
//!         match turn.stop("done").await {
//!             Stop::End { .. } => break,
//!             Stop::GoOn { turn: again, .. } => turn = again,
//!         }
//!     }
//! }
//! session.end(EndReason::Other).await;
//! # Ok::<(), bowline::Error>(()) }).unwrap();
//! ```
//!
//! Every step hands back [`Notes`]: what hooks say to the model, to the user, and to the person who runs the hooks. A session that
//! is dropped instead of ended fires no `SessionEnd`.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::error::{Error, Result};
use crate::event::HookEvent;
use crate::execution::{ExecutionContext, SecurityContext, fresh_id};
use crate::input::HookInput;
use crate::manager::HookManager;

mod compact;
mod heard;
mod notes;
mod subagent;
mod tool;
mod turn;

pub use compact::{CompactTrigger, Compaction};
pub use notes::Notes;
pub use subagent::Subagent;
pub use tool::{Approval, Approver, Batch, ToolCall, ToolOutcome, ToolReport};
pub use turn::{Stop, Turn};

use heard::hear;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $( $(#[$variant_doc:meta])* $variant:ident = $word:literal, )* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $name {
            $( $(#[$variant_doc])* $variant, )*
        }

        impl $name {
            /// The word that payloads use, and matchers are compared with.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $( Self::$variant => $word, )*
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}
use words;

words! {
    /// What a session starts from.
    SessionSource {
        /// Nothing.
        Startup = "startup",
        /// An earlier session.
        Resume = "resume",
        /// A cleared conversation.
        Clear = "clear",
        /// Its own compacted conversation.
        Compact = "compact",
        /// A copy of another session.
        Fork = "fork",
    }
}

words! {
    /// Why a session ends.
    EndReason {
        /// The conversation is cleared.
        Clear = "clear",
        /// Another session is resumed.
        Resume = "resume",
        /// The user logs out.
        Logout = "logout",
        /// The user leaves the prompt.
        PromptInputExit = "prompt_input_exit",
        /// Anything else.
        Other = "other",
    }
}

/// What a session is started with.
#[derive(Clone)]
pub struct SessionOptions {
    session_id: String,
    source: SessionSource,
    cwd: Option<PathBuf>,
    fields: Vec<(&'static str, Value)>,
    model: Option<String>,
    hook_env: HashMap<String, String>,
    cancellation: CancellationToken,
    security: SecurityContext,
    approver: Option<Arc<dyn Approver>>,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl SessionOptions {
    /// A new session with an id of its own, in the current folder.
    pub fn new() -> Self {
        Self {
            session_id: fresh_id(),
            source: SessionSource::Startup,
            cwd: None,
            fields: Vec::new(),
            model: None,
            hook_env: HashMap::new(),
            cancellation: CancellationToken::new(),
            security: SecurityContext::default(),
            approver: None,
        }
    }

    /// Sets the session's id.
    pub fn session_id(mut self, id: impl Into<String>) -> Self {
        self.session_id = id.into();
        self
    }

    /// Sets what the session starts from.
    pub fn source(mut self, source: SessionSource) -> Self {
        self.source = source;
        self
    }

    /// Sets where tools and command hooks run; the first root of the security context unless set.
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Tells hooks where the transcript is.
    pub fn transcript_path(self, path: impl Into<PathBuf>) -> Self {
        let path: PathBuf = path.into();
        self.field("transcript_path", path.to_string_lossy().into_owned())
    }

    /// Tells hooks the permission mode.
    pub fn permission_mode(self, mode: impl Into<String>) -> Self {
        self.field("permission_mode", mode.into())
    }

    /// Tells `SessionStart` hooks the model.
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Sets variables for command hooks, on top of the inherited ones.
    pub fn hook_env(mut self, env: HashMap<String, String>) -> Self {
        self.hook_env = env;
        self
    }

    /// Uses the caller's cancellation token. Cancelling it interrupts running tools and gates.
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// Sets what the tools may touch.
    pub fn security(mut self, security: SecurityContext) -> Self {
        self.security = security;
        self
    }

    /// Sets who is asked when a hook wants a person to decide on a tool call. Without one, such calls are denied.
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.approver = Some(Arc::new(approver));
        self
    }

    fn field(mut self, name: &'static str, value: String) -> Self {
        self.fields.push((name, value.into()));
        self
    }
}

impl fmt::Debug for SessionOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionOptions")
            .field("session_id", &self.session_id)
            .field("source", &self.source)
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

/// A running session.
#[derive(Debug)]
#[must_use = "a session that is dropped instead of ended fires no SessionEnd"]
pub struct Session {
    execution: ExecutionContext,
}

/// What became of a prompt.
#[derive(Debug)]
#[must_use]
pub enum Prompt<'session> {
    /// The model may be asked.
    Accepted {
        /// The turn that the prompt opens.
        turn: Turn<'session>,
        /// What hooks said.
        notes: Notes,
    },
    /// The prompt stays in the conversation, but a hook ended the turn before the model was asked.
    Ended {
        /// Why.
        reason: String,
        /// What hooks said.
        notes: Notes,
    },
    /// The prompt must not be processed.
    Refused {
        /// Why.
        reason: String,
        /// What hooks said.
        notes: Notes,
    },
}

impl Session {
    /// Fires `SessionStart` and starts the session.
    ///
    /// A block is [`Error::Refused`]: the session never started, so there is no `SessionEnd` for it either. So is a hook's wish
    /// that a person decides: whoever may start sessions can answer it by changing the hook.
    pub async fn start(
        manager: impl Into<Arc<HookManager>>,
        options: SessionOptions,
    ) -> Result<(Self, Notes)> {
        let mut execution = ExecutionContext::new(options.security)
            .hooks(manager, options.session_id)
            .with_cancellation(options.cancellation)
            .with_hook_env(options.hook_env)
            .with_approver(options.approver);
        if let Some(cwd) = options.cwd {
            execution = execution.with_cwd(cwd);
        }
        for (name, value) in options.fields {
            execution = execution.with_field(name, value);
        }
        let mut input = HookInput::session_start(execution.session_id())
            .with_field("source", options.source.as_str());
        if let Some(model) = options.model {
            input = input.with_field("model", model);
        }
        let mut heard = hear(&execution, input).await;
        if let Some(reason) = heard.block.take() {
            return Err(Error::Refused { reason });
        }
        heard.end_turn_is_void();
        Ok((Self { execution }, heard.notes))
    }

    /// What tools of this session run with.
    pub fn execution(&self) -> &ExecutionContext {
        &self.execution
    }

    /// How many tool calls were denied, those of sub-agents included.
    pub fn denials(&self) -> usize {
        self.execution.denials()
    }

    /// Fires `UserPromptSubmit`. Only an accepted prompt opens a turn.
    pub async fn prompt(&mut self, prompt: impl Into<String>) -> Prompt<'_> {
        let execution = self.execution.clone().with_field("prompt_id", fresh_id());
        let input = HookInput::user_prompt_submit(execution.session_id(), prompt);
        let heard = hear(&execution, input).await;
        let notes = heard.notes;
        match (heard.block, heard.end_turn) {
            (Some(reason), _) => Prompt::Refused { reason, notes },
            (None, Some(reason)) => Prompt::Ended { reason, notes },
            (None, None) => Prompt::Accepted {
                turn: Turn::of_session(execution),
                notes,
            },
        }
    }

    /// Compacts the conversation between two prompts; see [`Turn::compact`].
    pub async fn compact<S, F, E>(
        &mut self,
        trigger: CompactTrigger,
        instructions: Option<&str>,
        summarise: S,
    ) -> Result<Compaction, E>
    where
        S: FnOnce(Option<String>) -> F,
        F: Future<Output = Result<String, E>>,
    {
        let afterwards = compact::Afterwards::SessionStart;
        let (mut done, end_turn) = compact::run(
            &self.execution,
            trigger,
            instructions,
            afterwards,
            summarise,
        )
        .await?;
        if let Some(reason) = end_turn {
            done.notes_mut()
                .no_turn_to_end(HookEvent::PreCompact, &reason);
        }
        Ok(done)
    }

    /// Fires `SessionEnd`.
    pub async fn end(self, reason: EndReason) -> Notes {
        let input = HookInput::session_end(self.execution.session_id())
            .with_field("reason", reason.as_str());
        let mut heard = hear(&self.execution, input).await;
        heard.end_turn_is_void();
        heard.notes
    }
}
