//! `cargo xtask crash`: a daemon that is killed again and again while agents work.

use std::ffi::OsString;

use anyhow::{Context, Result};
use lexopt::prelude::*;

use crate::Outcome;
use crate::programs::{self, Network, ProgramSource, put};

pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<Outcome> {
    let mut from = ProgramSource::Source(Network::Online);
    let mut handed_on: Vec<OsString> = Vec::new();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long(name @ ("kills" | "clients" | "kills-in-phase")) => {
                let name = format!("--{name}").into();
                handed_on.extend([name, arguments.value()?]);
            }
            Long("reopen-window") => handed_on.push("--reopen-window".into()),
            Long("offline") => from = ProgramSource::Source(Network::Offline),
            Long("programs") => {
                from = ProgramSource::Folder(std::path::absolute(arguments.value()?)?);
            }
            other => return Err(crate::unexpected(&other)),
        }
    }
    let built = from.take()?;
    // Agents find both beside each other.
    let folder = tempfile::tempdir().context("cannot make a folder")?;
    for program in [&built.bowline, &built.hook] {
        put(program, folder.path())?;
    }
    let status = programs::command(Network::default())
        .args(["run", "--quiet", "--package", "bowline-daemon"])
        .args(["--example", "crash", "--", "--programs"])
        .arg(folder.path())
        .args(handed_on)
        .status()
        .context("cannot run cargo")?;
    Ok(if status.success() {
        Outcome::Fine
    } else {
        Outcome::Missed
    })
}
