//! Claude Code's dialect: its rules for what hooks answer, to the letter.
//!
//! Built against client 2.1.325 and compatible with 2.1.197.

mod encode;
mod fields;
mod read;
mod rules;
mod version;

pub(super) use encode::encode;
pub(super) use fields::is_event_field;
pub(super) use read::{read_answer, read_output};
pub(super) use rules::enforces;
pub use version::{ClientVersion, Feature, NoVersion};
