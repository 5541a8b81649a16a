//! Claude Code's rules for what hooks print, to the letter.

mod read;

pub(super) use read::{read_answer, read_output};
