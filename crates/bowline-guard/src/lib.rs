//! Judges text for Bowline. Pure: no I/O, no clock, no environment.
//!
//! [`shell`] turns a shell line into the simple commands that it would run; [`interpret`] follows it through variables,
//! wrappers, pipes and nested shells to the programs that would really run; [`families`] knows what they would do;
//! [`judge`] gives the verdict. [`paths`] says where a path leads and what place that is; [`sensitive`] whether a
//! file holds secrets; [`secrets`] finds credentials in text and takes them out. [`lookalikes`] finds characters that
//! deceive the eye; [`tool`] knows the tools that agents have, and [`tool_call`] puts all of it together for one call. [`rules`] lists every rule that a verdict may
//! name, and [`programs`] the programs that they are about.

pub mod effect;
pub mod families;
pub mod interpret;
pub mod invisible;
pub mod invocation;
pub mod judge;
pub mod lookalikes;
pub mod loss;
pub mod paths;
pub mod pattern;
pub mod policy;
pub mod programs;
pub mod rules;
mod search;
pub mod secrets;
pub mod sensitive;
pub mod shell;
pub mod tool;
pub mod tool_call;

pub use bowline_agents::Strictness;
