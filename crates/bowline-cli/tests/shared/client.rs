//! `bowline-hook`, which belongs to another package and is not built for the tests of this one.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

pub(super) const BOWLINE: &str = env!("CARGO_BIN_EXE_bowline");

/// The client as it is now, beside `bowline`.
pub(super) fn client() -> &'static Path {
    static CLIENT: OnceLock<PathBuf> = OnceLock::new();
    CLIENT.get_or_init(|| {
        let client = Path::new(BOWLINE).with_file_name("bowline-hook");
        let folder = client.parent().unwrap();
        let profile = match folder.file_name().unwrap().to_str().unwrap() {
            "debug" => "dev",
            other => other,
        };
        let built = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["build", "--quiet", "--package", "bowline-client"])
            .args(["--profile", profile, "--target-dir"])
            .arg(folder.parent().unwrap())
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()
            .unwrap();
        assert!(built.success() && client.is_file(), "no bowline-hook");
        client
    })
}
