// The version with the commit that a program was built from, for the build scripts of the programs.

use std::env;
use std::path::Path;
use std::process::Command;

/// Says it beforehand where there is no repository, as in an archive of the sources.
const COMMIT: &str = "BOWLINE_COMMIT";

/// Sets `BOWLINE_VERSION` for the compiler: `0.1.0 (1a2b3c4)`, or `0.1.0` where the commit is not known.
pub(crate) fn name_the_commit() {
    println!("cargo::rerun-if-env-changed={COMMIT}");
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let said = env::var(COMMIT).ok().filter(|commit| !commit.is_empty());
    let full = match said.or_else(commit) {
        Some(commit) => format!("{version} ({commit})"),
        None => version,
    };
    println!("cargo::rustc-env=BOWLINE_VERSION={full}");
}

/// The commit of the repository whose root is the workspace. Sources that lie in somebody else's repository are not of its
/// commits.
fn commit() -> Option<String> {
    let root = Path::new("../..").canonicalize().ok()?;
    let top = git(&["rev-parse", "--show-toplevel"])?;
    if Path::new(&top).canonicalize().ok()? != root {
        return None;
    }
    // Every commit and every checkout is noted in this file.
    for watched in ["HEAD", "logs/HEAD"] {
        println!(
            "cargo::rerun-if-changed={}",
            git(&["rev-parse", "--git-path", watched])?
        );
    }
    git(&["rev-parse", "--short=7", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success()).then(|| text.trim().to_owned())
}
