//! Claude Code's dialect: its rules for what hooks answer, to the letter.
//!
//! Built against client 2.1.325 and compatible with 2.1.197.

mod encode;
mod fields;
mod read;
mod rules;

pub use encode::encode;
pub use read::read_output;
pub use rules::enforceable;

pub(super) use fields::is_event_field;
pub(super) use read::read_answer;
