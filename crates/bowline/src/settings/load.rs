//! All files of a project → `Settings`, or one file by itself.
//!
//! | module | what it has |
//! |---|---|
//! | `settings` | what loading gives |
//! | `loader` | Bowline's own files, then Claude Code's |
//! | `check` | one file by itself, whatever its place |

pub(super) mod check;
pub(super) mod loader;
pub(super) mod settings;
