//! Gives `bowline-hook` the name of its commit.

#[path = "../../build/version.rs"]
mod version;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../../build/version.rs");
    version::name_the_commit();
}
