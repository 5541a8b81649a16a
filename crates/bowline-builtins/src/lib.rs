//! The hooks that Bowline ships, and what they may know of the machine.
//!
//! `bowline-guard` judges text and knows nothing but text. [`machine`] tells it what is really there: where links
//! lead, what git tracks and ignores.

pub mod machine;
