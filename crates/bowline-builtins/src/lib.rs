//! The hooks that Bowline ships, one file each, every one an ordinary [`bowline::hooks::Hook`].
//!
//! `bowline-guard` judges text and knows nothing but text. [`machine`] tells it what is really there: where links
//! lead, what git tracks and ignores.

mod analyst;
pub mod machine;

pub use analyst::Analyst;
