//! Tracing: what real agents report, through the hooks, into a real store.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that cannot go on must fail"
)]

#[path = "tracing/bench.rs"]
mod bench;
#[path = "tracing/calls.rs"]
mod calls;
#[path = "tracing/records.rs"]
mod records;
#[path = "tracing/subagents.rs"]
mod subagents;
