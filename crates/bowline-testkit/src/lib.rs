//! What the tests of all crates share: one [`Sandbox`], one [`Ran`], and [`needs`] for tests that cannot run everywhere.
//!
//! Uses none of our crates but `bowline-agents` and `bowline-wire`, so that every other may use it in its tests.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on must fail"
)]

mod corpus;
mod mounts;
mod payloads;
mod programs;
mod ran;
mod sandbox;
mod wait;

pub use bowline_testkit_macros::needs;

pub use corpus::corpus;
pub use mounts::{Disk, in_own_mounts};
pub use payloads::{Recorded, recorded, recorded_of};
pub use programs::{bowline, built, client, put, script};
pub use ran::{Ran, feed};
pub use sandbox::Sandbox;
pub use wait::{PATIENCE, until, until_some};
