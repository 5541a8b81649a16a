//! `cargo xtask install`: both programs, where the user's shell finds them.

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result};
use lexopt::prelude::*;

use crate::programs::{self, Network};
use crate::{Outcome, unexpected};

pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<Outcome> {
    let mut root = None;
    let mut network = Network::default();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("root") => root = Some(PathBuf::from(arguments.value()?)),
            Long("offline") => network = Network::Offline,
            other => return Err(unexpected(&other)),
        }
    }
    let root = match root {
        Some(root) => root,
        None => cargo_root()?,
    };
    let folder = std::path::absolute(root.join("bin"))?;
    // A folder that cannot be written to is better known before the build than after it.
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let built = programs::build(network)?;
    // The client runs `bowline`, so that comes first.
    for program in [&built.bowline, &built.hook] {
        let target = programs::put(program, &folder)?;
        let size = fs::metadata(&target)?.len();
        eprintln!("Installed {} ({})", target.display(), megabytes(size));
    }
    eprintln!("{}", next_steps(&folder));
    Ok(Outcome::Fine)
}

/// Where `cargo install` puts things.
fn cargo_root() -> Result<PathBuf> {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty());
    variable("CARGO_INSTALL_ROOT")
        .or_else(|| variable("CARGO_HOME"))
        .map(PathBuf::from)
        .or_else(|| env::home_dir().map(|home| home.join(".cargo")))
        .context("there is no home folder; say where to install with --root DIR")
}

fn is_on_path(folder: &Path) -> bool {
    let same = |entry: &PathBuf| match (entry.canonicalize(), folder.canonicalize()) {
        (Ok(entry), Ok(folder)) => entry == folder,
        _ => false,
    };
    env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|entry| same(&entry)))
}

fn next_steps(folder: &Path) -> String {
    let on_path = is_on_path(folder);
    let bowline = if on_path {
        "bowline".to_owned()
    } else {
        folder.join("bowline").display().to_string()
    };
    let mut text = String::new();
    if !on_path {
        text = format!(
            "warning: {0} is not on PATH; agents will still find Bowline, your shell will not\n\
             hint: export PATH=\"{0}:$PATH\"\n",
            folder.display()
        );
    }
    text + &format!(
        "Next:\n  {bowline} demo    a minute of watching, needs no agent\n  {bowline} init    put it into your agent"
    )
}

fn megabytes(bytes: u64) -> String {
    format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10)
}
