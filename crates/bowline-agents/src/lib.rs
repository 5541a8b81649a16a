//! The agents that Bowline knows, and the words in which everything about an agent is said: events, opinions, decisions, answers,
//! tools.
//!
//! One file per agent has all that is particular to it: how it spells its events, how its payload is read and an answer written,
//! its answers if nobody could decide, what its tools do, where its settings are. Other crates ask the registry ([`AGENTS`], [`named`]).
//! `ARCHITECTURE.md` lists the few parts of them that know an agent by its name.
//!
//! ```
//! use bowline_agents::{HookEvent, Opinion, Reported, named};
//!
//! let protocol = named("claude-code").and_then(|agent| agent.protocol()).unwrap();
//! let answer = protocol.encode(&Reported::of(HookEvent::PreToolUse), &Opinion::block("not on main"));
//! assert!(answer.stdout.contains(r#""permissionDecision":"deny""#));
//! ```

pub mod ability;
mod agent;
mod answer;
pub mod claude_code;
pub mod cline;
pub mod codex;
pub mod copilot;
pub mod cursor;
pub mod decision;
pub mod droid;
pub mod event;
mod express;
mod folder;
pub mod gemini;
pub mod generic;
pub mod grok;
mod json;
pub mod kimi;
pub mod last_resort;
pub mod near;
pub mod opencode;
pub mod opinion;
pub mod output;
pub mod parts;
pub mod patch;
pub mod qwen;
mod reading;
pub mod registration;
mod registry;
mod reported;
pub mod run;
mod shell_word;
mod spelling;
mod strictness;
mod tool;
mod version;
mod vscode;
pub mod windsurf;
mod words;

pub use agent::{Agent, Borrows, ClaudeHooks, Protocol, Support, Variables};
pub use answer::{Answer, Object};
pub use decision::Decision;
pub use event::{EventClass, HookEvent, UnknownEvent};
pub use json::kind_of;
pub use opinion::{Observed, Opinion, Permission};
pub use output::HookOutput;
pub use parts::{MAX_PARTS, PARTS};
pub use reading::Reading;
pub use registration::Registration;
pub use registry::{
    AGENTS, DEFAULT, borrower, folder_variables, is_project_variable, marks, named,
    project_variables, registrations, supported, supported_names, user_folders,
};
pub use reported::{ENTRY_OF, NATIVE, Reported, WORKS_IN};
pub use shell_word::shell_word;
pub use spelling::Spellings;
pub use strictness::Strictness;
pub use tool::{McpTool, Tool};
pub use version::{ClientVersion, NoVersion};
pub use words::OwnTool;
