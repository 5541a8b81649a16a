//! How the hooks of settings files run: programs, HTTP requests, questions to a model.

pub(crate) mod command;
pub(crate) mod environment;
mod lineage;
mod process;
