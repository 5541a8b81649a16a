//! Judges text for Bowline. Pure: no I/O, no clock, no environment.
//!
//! [`shell`] turns a shell line into the simple commands that it would run.
//! [`secrets`] finds credentials in text and takes them out.

pub mod secrets;
pub mod shell;
