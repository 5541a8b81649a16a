//! The rules by which agents are guided: what they are told, when, and what is stopped because it leads nowhere.
//!
//! One file per rule. This crate does no I/O and reads no clock: the store keeps the state, the hooks in `bowline-builtins` apply the rules,
//! and commands ask. Every text that reaches a model is a [`text::Text`], which a person can replace.

pub mod cost;
pub mod reflection;
pub mod text;
