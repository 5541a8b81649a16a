//! Judges text for Bowline. Pure: no I/O, no clock, no environment.
//!
//! [`shell`] turns a shell line into the simple commands that it would run. [`paths`] says where
//! a path leads and what place that is; [`sensitive`] says whether a file holds secrets.

pub mod effect;
pub mod families;
pub mod interpret;
pub mod invocation;
pub mod judge;
pub mod paths;
pub mod sensitive;
pub mod shell;
