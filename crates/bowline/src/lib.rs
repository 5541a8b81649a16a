#![doc = include_str!("../README.md")]

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
mod output;
mod payload;
mod rule;
mod runner;
pub mod settings;

#[cfg(any(feature = "http", feature = "prompt", feature = "agent"))]
mod http_client;
#[cfg(any(feature = "prompt", feature = "agent"))]
mod model_api;
#[cfg(test)]
#[cfg(any(feature = "http", feature = "prompt", feature = "agent"))]
mod test_server;

#[cfg(feature = "agent")]
pub mod agent;

pub use error::{Error, Result};
pub use runner::prompt;
