//! The hooks that Bowline ships, one file each, every one an ordinary [`bowline::hooks::Hook`].

mod analyst;
mod sanitise;
mod secret_writing;

pub use analyst::Analyst;
pub use sanitise::{REDACTED, mask, sanitise};
pub use secret_writing::{OnSecret, SecretWriting};
