//! The hooks of guidance over a real store, without a daemon and without an agent.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod advice;
mod delegation;
mod orchestrator;
mod cost;
mod stand;
mod work;
mod errors;
mod loops;
mod suggestions;
mod handoff;
mod recovery;
mod subagents;
mod tests_gate;
