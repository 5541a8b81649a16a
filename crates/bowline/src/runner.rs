//! How the hooks of settings files run: programs, HTTP requests, questions to a model, tools of MCP servers.

pub(crate) mod command;
pub(crate) mod environment;
#[cfg(feature = "http")]
pub(crate) mod http;
mod lineage;
#[cfg(feature = "mcp")]
pub(crate) mod mcp;
mod placeholder;
pub(crate) mod process;
pub mod prompt;
