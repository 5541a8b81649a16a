//! A small but complete agent on the lifecycle driver: a model, tools, and hooks that see everything.
//!
//! ```no_run
//! use bowline::agent::Agent;
//! # use bowline::hooks::{FnHook, HookEvent, HookOutput};
//! # async fn run() -> Result<(), bowline::Error> {
//! # let no_network = FnHook::new("no-network", [HookEvent::PreToolUse], |_, _| async { Ok(HookOutput::allow()) });
//! let mut agent = Agent::builder()
//!     .from_claude_code(".").await?
//!     .hook(no_network)
//!     .build()
//!     .await?;
//! let reply = agent.run("What does this project do?").await?;
//! tracing::info!(turns = reply.turns, "{}", reply.text);
//! agent.end().await;
//! # Ok(()) }
//! ```
//!
//! There is no permission prompt: what no hook denies runs. File tools stay below the agent's folder; the shell can go
//! wherever its user can.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::execution::fresh_id;
use crate::lifecycle::{EndReason, Notes, Prompt, Session, SessionOptions, SessionSource};
use crate::manager::HookManager;

mod builder;
mod compaction;
mod engine;
mod ledger;
mod looker;
mod message;
pub mod tools;

pub use builder::AgentBuilder;
pub(crate) use looker::View;
pub use message::Usage;
pub use tools::Tool;

use engine::{Engine, Finished};
use message::Message;

/// An agent: one conversation with a model that can use tools.
#[derive(Debug)]
pub struct Agent {
    engine: Engine,
    manager: Arc<HookManager>,
    options: SessionOptions,
    session: Option<Session>,
    messages: Vec<Message>,
    /// What `SessionStart` hooks said to the model, until there is a prompt to send it with.
    opening: Notes,
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentReply {
    /// The model's last words.
    pub text: String,
    /// How often the model was asked, sub-agents not included.
    pub turns: usize,
    /// How many tools the model called, sub-agents included, whether they ran or not.
    pub tool_calls: usize,
    /// How many of those calls were denied.
    pub denials: usize,
    /// What hooks said.
    pub notes: Notes,
    /// Why the run is over.
    pub stop_reason: StopReason,
    /// The tokens that were used, sub-agents included.
    pub usage: Usage,
}

/// Why a run is over.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// The model was done.
    Finished,
    /// The model was asked as often as it may be.
    MaxTurns,
    /// A hook ended it.
    EndedByHook {
        /// Why.
        reason: String,
    },
    /// The model stopped for another reason, which is the API's word: `max_tokens`, `refusal`, …
    Model(String),
}

impl Agent {
    /// An agent to configure.
    pub fn builder() -> AgentBuilder {
        AgentBuilder::default()
    }

    fn new(engine: Engine, manager: HookManager, options: SessionOptions) -> Self {
        Self {
            engine,
            manager: Arc::new(manager),
            options: options.session_id(fresh_id()),
            session: None,
            messages: Vec::new(),
            opening: Notes::default(),
        }
    }

    /// Gives the agent a prompt and lets it work until it is done. Later prompts continue the conversation.
    ///
    /// The first run starts the session. A prompt that a hook refuses is [`Error::Refused`] and ends it; so does nothing else
    /// but [`Agent::end`]. What hooks said before an error is kept for [`Agent::take_notes`].
    pub async fn run(&mut self, prompt: impl Into<String>) -> Result<AgentReply> {
        let prompt = prompt.into();
        let session = match self.session.take() {
            Some(session) => session,
            None => self.start().await?,
        };
        // Kept even if this future is dropped, so that the session can still be ended.
        let session = self.session.insert(session);
        let denials_before = session.denials();
        let ledger = &self.engine.ledger;
        let finished = match session.prompt(prompt.as_str()).await {
            Prompt::Refused { reason, notes } => {
                ledger.note(notes);
                self.end_session().await;
                return Err(Error::Refused { reason });
            }
            Prompt::Ended { reason, notes } => {
                self.messages
                    .push(opened(prompt, &mut self.opening, &notes));
                ledger.note(notes);
                Finished {
                    text: String::new(),
                    turns: 0,
                    stop_reason: StopReason::EndedByHook { reason },
                }
            }
            Prompt::Accepted { turn, notes } => {
                self.messages
                    .push(opened(prompt, &mut self.opening, &notes));
                ledger.note(notes);
                self.engine.drive(turn, &mut self.messages).await?
            }
        };
        let record = ledger.take();
        Ok(AgentReply {
            text: finished.text,
            turns: finished.turns,
            tool_calls: record.tool_calls,
            denials: session.denials() - denials_before,
            notes: record.notes,
            stop_reason: finished.stop_reason,
            usage: record.usage,
        })
    }

    async fn start(&mut self) -> Result<Session> {
        let source = if self.messages.is_empty() {
            SessionSource::Startup
        } else {
            SessionSource::Resume
        };
        let options = self.options.clone().source(source);
        let (session, notes) = Session::start(Arc::clone(&self.manager), options).await?;
        self.engine.ledger.note(notes.clone());
        self.opening.absorb(notes);
        Ok(session)
    }

    /// What hooks said since the last reply: of use after an error.
    pub fn take_notes(&mut self) -> Notes {
        self.engine.ledger.take().notes
    }

    /// Ends the session, if one is running, and returns what hooks said since the last reply. Another run starts it again.
    pub async fn end(&mut self) -> Notes {
        self.end_session().await;
        self.take_notes()
    }

    async fn end_session(&mut self) {
        if let Some(session) = self.session.take() {
            let notes = session.end(EndReason::Other).await;
            self.engine.ledger.note(notes);
        }
    }
}

/// The prompt, with what hooks said when the session started and when it was submitted.
fn opened(prompt: String, opening: &mut Notes, notes: &Notes) -> Message {
    Message::user(prompt)
        .with_notes(&std::mem::take(opening))
        .with_notes(notes)
}
