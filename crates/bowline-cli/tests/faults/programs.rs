//! The programs under test, side by side in a folder of their own: the client looks for `bowline` beside itself.

use std::{env, fs};

use bowline_testkit::{bowline, client, put, script};
use tempfile::TempDir;

/// Where programs are that are looked up by name.
pub(super) const ON_PATH: &str = "path";

/// A folder with both programs.
pub(super) fn both() -> TempDir {
    let folder = folder();
    put(bowline(), folder.path().join("bowline"));
    put(client(), folder.path().join("bowline-hook"));
    folder
}

/// A folder with the client, and one below with a program in the place of `bowline`, where a test of this file is the daemon. It is not
/// beside the client, which would not ask a daemon that runs another program.
pub(super) fn with_daemon(test: &str, variable: &str) -> TempDir {
    let folder = folder();
    put(client(), folder.path().join("bowline-hook"));
    fs::create_dir(folder.path().join(ON_PATH)).unwrap();
    let own = env::current_exe().unwrap();
    let text = format!(
        "#!/bin/sh\ncase \"$1\" in\ndaemon) {variable}=1 exec '{}' --ignored --exact {test} --nocapture ;;\nesac\n\
         exec '{}' \"$@\"\n",
        own.display(),
        bowline().display(),
    );
    script(folder.path().join(ON_PATH).join("bowline"), &text);
    folder
}

/// Beside the built programs, so that links are possible.
fn folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}
