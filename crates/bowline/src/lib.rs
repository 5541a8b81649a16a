#![doc = include_str!("../README.md")]

#[cfg(not(unix))]
compile_error!("Bowline runs on Linux, macOS and WSL: on Windows, build it inside WSL");

mod answerer;
mod condition;
mod configured;
mod context;
pub mod dialect;
mod duration;
mod error;
mod execution;
mod hook;
pub mod hooks;
mod input;
pub mod lifecycle;
mod manager;
mod matcher;
mod merge;
mod payload;
mod rule;
mod runner;
mod script;
pub mod settings;

#[cfg(feature = "prompt")]
mod model_api;
#[cfg(test)]
#[cfg(any(feature = "http", feature = "prompt"))]
mod test_server;

#[cfg(feature = "agent")]
pub mod agent;

use bowline_agents::{decision, event, opinion, output};

#[cfg(feature = "agent")]
pub use agent::Agent;
pub use bowline_agents as agents;
pub use error::{Error, Result};
pub use runner::prompt;
