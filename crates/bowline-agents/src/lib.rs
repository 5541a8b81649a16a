//! The agents that Bowline knows, and the words in which everything about an agent is said: events, opinions, decisions, answers,
//! tools.
//!
//! One file per agent has all that is particular to it: how it spells its events, how its payload is read and an answer written,
//! its answers if nobody could decide, what its tools do, where its settings are. Other crates ask the registry ([`AGENTS`], [`named`]).
//! `ARCHITECTURE.md` lists the few parts of them that know an agent by its name.
//!
//! ```
//! use bowline_agents::{HookEvent, Opinion, named};
//!
//! let protocol = named("claude-code").and_then(|agent| agent.protocol()).unwrap();
//! let answer = protocol.encode(HookEvent::PreToolUse, &Opinion::block("not on main"));
//! assert!(answer.stdout.contains(r#""permissionDecision":"deny""#));
//! ```

mod agent;
mod answer;
pub mod claude_code;
mod codex;
mod copilot;
mod cursor;
pub mod decision;
pub mod event;
pub mod generic;
mod json;
pub mod last_resort;
pub mod near;
pub mod opinion;
pub mod output;
pub mod registration;
mod registry;
mod spelling;
mod strictness;
mod tool;
mod version;

pub use agent::{Agent, ClaudeHooks, Protocol, Support};
pub use answer::{Answer, Object};
pub use decision::Decision;
pub use event::{EventClass, HookEvent, UnknownEvent};
pub use json::kind_of;
pub use opinion::{Observed, Opinion, Permission};
pub use output::HookOutput;
pub use registration::Registration;
pub use registry::{
    AGENTS, DEFAULT, folder_variables, is_project_variable, marks, named, project_variables,
    registrations, supported, supported_names, user_folders,
};
pub use spelling::Spellings;
pub use strictness::Strictness;
pub use tool::{McpTool, Tool};
pub use version::{ClientVersion, NoVersion};
