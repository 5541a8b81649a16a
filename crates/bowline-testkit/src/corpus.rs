//! The labelled corpora, which are not in the repository.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The text of one of the corpora. A test of it needs `corpus`.
#[track_caller]
pub fn corpus(file: &str) -> String {
    let shared = env::var_os("BOWLINE_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let path = shared.join("corpus").join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
