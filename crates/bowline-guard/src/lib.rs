//! Judges text for Bowline. Pure: no I/O, no clock, no environment.
//!
//! [`shell`] turns a shell line into the simple commands that it would run.

pub mod effect;
pub mod invocation;
pub mod shell;
