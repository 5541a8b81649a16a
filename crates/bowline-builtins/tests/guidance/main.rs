//! The hooks of guidance over a real store, without a daemon and without an agent.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod advice;
mod cost;
mod stand;
