//! Guidance through both real programs.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

#[path = "../continuity/agent.rs"]
#[expect(dead_code, reason = "these tests need only a part of it")]
mod agent;
mod errors;
mod loops;
mod reporter;
