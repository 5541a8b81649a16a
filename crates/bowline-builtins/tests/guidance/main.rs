//! The hooks of guidance over a real store, without a daemon and without an agent.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod advice;
mod cost;
mod delegation;
mod errors;
mod handoff;
mod loops;
mod orchestrator;
mod recorded;
mod recovery;
mod stand;
mod subagents;
mod suggestions;
mod tests_gate;
mod work;
