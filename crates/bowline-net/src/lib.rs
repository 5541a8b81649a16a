//! What leaves the process: HTTP clients with limits, and calls of MCP servers' tools.
//!
//! No event waits for the speed of this code, and it instantiates much of other crates': so it is a crate of its own, which is
//! compiled for size.

pub mod http;
#[cfg(feature = "mcp")]
pub mod mcp;
