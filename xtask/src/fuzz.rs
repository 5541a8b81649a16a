//! `cargo xtask fuzz`: payloads gone wrong.

use std::ffi::OsString;

use anyhow::{Context, Result, bail};
use lexopt::prelude::*;

use crate::Outcome;
use crate::programs::{self, Network};

pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<Outcome> {
    match arguments.next()? {
        Some(Value(what)) if what == "payloads" => {}
        _ => bail!("`cargo xtask fuzz payloads` is what there is"),
    }
    let handed_on: Vec<OsString> = arguments.raw_args()?.collect();
    let status = programs::command(Network::default())
        .args(["run", "--quiet", "--release", "--package", "bowline-daemon"])
        .args(["--example", "fuzz_payloads", "--"])
        .args(handed_on)
        .status()
        .context("cannot run cargo")?;
    Ok(if status.success() {
        Outcome::Fine
    } else {
        Outcome::Missed
    })
}
