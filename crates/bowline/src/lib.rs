#![doc = include_str!("../README.md")]

#[cfg(not(unix))]
compile_error!("Bowline runs on Linux, macOS and WSL: on Windows, build it inside WSL");

mod condition;
mod configured;
mod context;
mod decision;
pub mod dialect;
mod duration;
mod error;
mod event;
mod execution;
mod hook;
pub mod hooks;
mod input;
pub mod lifecycle;
mod manager;
mod matcher;
mod merge;
mod opinion;
mod output;
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

#[cfg(feature = "agent")]
pub use agent::Agent;
pub use error::{Error, Result};
pub use runner::prompt;
