//! How the hooks of settings files run: programs, HTTP requests, questions to a model.

pub(crate) mod command;
pub(crate) mod environment;
#[cfg(feature = "http")]
pub(crate) mod http;
mod lineage;
mod placeholder;
pub(crate) mod process;
pub mod prompt;
