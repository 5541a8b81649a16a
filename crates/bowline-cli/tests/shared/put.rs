//! A program in another place.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Another process copies what cannot be linked: a file that this one writes may be held open by a process that another test
/// starts at that moment, and then it is busy and cannot be run.
pub(super) fn put(program: impl AsRef<Path>, to: impl AsRef<Path>) {
    // Of a symbolic link the program behind it.
    let program = fs::canonicalize(program).unwrap();
    if fs::hard_link(&program, &to).is_err() {
        let copied = Command::new("cp").arg(program).arg(to.as_ref()).status();
        assert!(copied.unwrap().success());
    }
}
