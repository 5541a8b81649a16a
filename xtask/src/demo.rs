//! `cargo xtask demo`: from a fresh clone to `bowline demo` with one command.

use std::process::Command;

use anyhow::{Context, Result};

use crate::Outcome;
use crate::programs::{self, Network};

/// Everything after `demo` is for `bowline demo`, but for `--offline`.
pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<Outcome> {
    let mut network = Network::default();
    let mut handed_on = Vec::new();
    for argument in arguments.raw_args()? {
        if argument == "--offline" {
            network = Network::Offline;
        } else {
            handed_on.push(argument);
        }
    }
    let bowline = programs::build_for_a_look(network)?.bowline;
    let status = Command::new(&bowline)
        .arg("demo")
        .args(handed_on)
        .status()
        .with_context(|| format!("cannot run {}", bowline.display()))?;
    Ok(if status.success() {
        Outcome::Fine
    } else {
        Outcome::Missed
    })
}
