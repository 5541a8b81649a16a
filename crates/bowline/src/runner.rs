//! How the hooks of settings files run: programs, HTTP requests, questions to a model.

#[cfg(feature = "http")]
pub(crate) mod http;
mod placeholder;
pub mod prompt;
