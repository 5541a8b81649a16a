//! Judges text for Bowline. Pure: no I/O, no clock, no environment.
//!
//! [`shell`] turns a shell line into the simple commands that it would run, [`interpret`] into the programs that
//! really run, and [`judge`] says what that would do. [`paths`] says where a path leads and what place that is;
//! [`sensitive`] whether a file holds secrets; [`secrets`] finds credentials in text and takes them out.

pub mod effect;
pub mod families;
pub mod interpret;
pub mod invocation;
pub mod judge;
pub mod paths;
pub mod secrets;
pub mod sensitive;
pub mod shell;
