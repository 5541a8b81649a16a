//! Gives `bowline` the name of its commit, and links it with packed relocations, if that is wanted and works.
//!
//! Tables of words and of functions make for tens of thousands of relocations, which the loader reads at every start: a
//! megabyte that stays in the daemon's memory, and packed some kilobytes. glibc understands them since 2.36, and an older one
//! refuses the program: `cargo xtask install`, which builds for the machine that it runs on, asks for them.

#[path = "../../build/version.rs"]
mod version;

use std::env;
use std::process::Command;

const WANTED: &str = "BOWLINE_PACKED_RELOCATIONS";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../../build/version.rs");
    version::name_the_commit();
    println!("cargo::rerun-if-env-changed={WANTED}");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let here = env::var("TARGET") == env::var("HOST");
    let glibc = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    if is(WANTED, "1") && here && glibc && glibc_version().is_some_and(|version| version >= (2, 36))
    {
        println!("cargo::rustc-link-arg-bin=bowline=-Wl,-z,pack-relative-relocs");
    }
}

/// The version of this machine's glibc.
fn glibc_version() -> Option<(u32, u32)> {
    let asked = Command::new("getconf").arg("GNU_LIBC_VERSION").output();
    let answer = String::from_utf8(asked.ok()?.stdout).ok()?;
    let (major, minor) = answer.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
