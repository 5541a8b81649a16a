//! The rules by which agents are guided: what they are told, when, and what is stopped because it leads nowhere.
//!
//! One file per rule. This crate does no I/O and reads no clock: the store keeps the state, the hooks in `bowline-builtins` apply the rules,
//! and commands ask. Every text that reaches a model is a [`text::Text`], which a person can replace.

pub mod call;
pub mod checkpoint;
pub mod cost;
pub mod debugging;
pub mod delegation;
pub mod documentation;
pub mod drift;
pub mod failure;
pub mod framework;
pub mod handoff;
pub mod intent;
pub mod loops;
pub mod metrics;
pub mod orchestrator;
pub mod project_tests;
pub mod recovery;
pub mod reflection;
pub mod subagent;
pub mod test_output;
pub mod text;
pub mod tool_patterns;
pub mod work;
