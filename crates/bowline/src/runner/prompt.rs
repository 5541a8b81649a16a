//! Prompt hooks: a model is asked about the event. The text's variables and the reading of the answer are
//! pure and always there; asking needs the feature `prompt`.

#[cfg(feature = "agent")]
pub(crate) mod agent;
mod answer;
mod template;

#[cfg(feature = "prompt")]
mod model;
#[cfg(feature = "prompt")]
mod question;
#[cfg(feature = "prompt")]
mod run;

pub use answer::read_answer;
pub use template::expand;

#[cfg(feature = "prompt")]
pub use crate::model_api::{ApiKey, ModelConfig};

#[cfg(feature = "prompt")]
pub(crate) use run::run;
#[cfg(feature = "agent")]
pub(crate) use template::Event;
