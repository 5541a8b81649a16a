//! The rules by which agents are guided: what they are told, when, and what is stopped because it leads nowhere.
//!
//! One file per rule. This crate does no I/O and reads no clock: the store keeps the state, the hooks in `bowline-builtins` apply the rules,
//! and commands ask. Every text that reaches a model is a [`text::Text`], which a person can replace.

pub mod call;
pub mod delegation;
pub mod orchestrator;
pub mod checkpoint;
pub mod documentation;
pub mod framework;
pub mod handoff;
pub mod metrics;
pub mod project_tests;
pub mod recovery;
pub mod cost;
pub mod reflection;
pub mod subagent;
pub mod test_output;
pub mod text;
pub mod work;
pub mod debugging;
pub mod drift;
pub mod failure;
pub mod intent;
pub mod loops;
pub mod tool_patterns;
