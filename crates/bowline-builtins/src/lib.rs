//! The hooks that Bowline ships, one file each, every one an ordinary [`bowline::hooks::Hook`].
//!
//! [`assemble`] makes the manager of a project: its own hooks, then ours. `bowline-guard` judges text and knows
//! nothing but text; [`machine`] tells it what is really there: where links lead, what git tracks and ignores.
//! [`rule`] runs the rules that people write themselves.

mod analyst;
mod assemble;
pub mod guard;
pub mod machine;
pub mod rule;
mod sanitise;

pub use analyst::Analyst;
pub use assemble::{Builtins, Lasting, Shipped, assemble};
pub use sanitise::{REDACTED, mask, sanitise};
