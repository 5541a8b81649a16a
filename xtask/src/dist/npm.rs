//! A package for npm that carries the programs: `npx` and `npm install -g` need no compiler and run no script.

use anyhow::Result;
use serde_json::json;

use super::Release;
use super::archive::{Entry, tar_gz};

pub(super) fn file_name(release: &Release) -> String {
    let platform = release.platform;
    format!(
        "bowline-npm-{}-{}-{}.tgz",
        release.version, platform.npm_os, platform.npm_cpu
    )
}

pub(super) fn package(release: &Release, files: &[Entry]) -> Result<Vec<u8>> {
    let platform = release.platform;
    let description = json!({
        "name": format!("@bowline-hooks/bowline-{}-{}", platform.npm_os, platform.npm_cpu),
        "version": release.version,
        "description": "The hook engine for AI coding agents",
        "license": "MIT OR Apache-2.0",
        "repository": {"type": "git", "url": format!("git+{}.git", super::REPOSITORY)},
        "os": [platform.npm_os],
        "cpu": [platform.npm_cpu],
        "bin": {"bowline": "bin/bowline", "bowline-hook": "bin/bowline-hook"},
    });
    let description = serde_json::to_string_pretty(&description)? + "\n";
    let mut packed = vec![Entry::file("package.json", description.into_bytes())];
    packed.extend(files.iter().cloned());
    tar_gz(&packed, "package", release.time)
}
