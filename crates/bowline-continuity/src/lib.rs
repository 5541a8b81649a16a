//! The rules by which work outlives a context window.
//!
//! A **task** is a folder of work that never ends. An **effort** is one go at it with one skill, in phases; it outlives sessions. A
//! **session** is one context window; it ends, and the next one continues its effort. This crate knows what may happen to them and what
//! an agent is told. It knows neither SQL nor sockets, and reads no clock: the store keeps the state, hooks and commands apply the rules.

pub mod action;
pub mod briefing;
pub mod dehydration;
pub mod dialogue;
pub mod directive;
pub mod effort;
pub mod effort_command;
pub mod error;
pub mod exhaustion;
pub mod fleet;
pub mod guard_rule;
pub mod heartbeat;
pub mod lease;
pub mod log_entry;
pub mod message;
pub mod note;
pub mod phase;
pub mod prompt_line;
pub mod session;
pub mod skill;
pub mod task;
mod text;
pub mod todo;
pub mod transcript;
pub mod usage;
mod words;

#[cfg(test)]
mod samples;

pub use error::{Code, RuleError};
