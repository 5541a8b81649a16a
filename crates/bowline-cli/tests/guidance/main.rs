//! Guidance, through both real programs.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod cost;
