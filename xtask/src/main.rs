//! Chores of this repository: `cargo xtask help`.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminals of developers"
)]

mod bench;
mod crash;
mod cross;
mod demo;
mod dist;
mod elf;
mod fuzz;
mod install;
mod profile;
mod programs;
mod screenshots;

use std::process::ExitCode;

use anyhow::{Result, bail};
use lexopt::prelude::*;

const HELP: &str = "\
Chores of this repository

  cargo xtask demo [ARGS]             build everything and run `bowline demo`
  cargo xtask screenshots             a picture of every view of the page, from the demo's data (into docs/screenshots; needs Chromium)
  cargo xtask install [--root DIR]    build both programs and put them into DIR/bin (default: as cargo install)
  cargo xtask bench hook              what one hook call costs, against /bin/true and hooks of other kinds
      [--rounds N] [--runs N] [--json] [--programs DIR] [--against DIR] [--agents] [--guided]
  cargo xtask bench daemon            events decided and committed per second; memory after a million
      [--events N] [--seconds N] [--connections N] [--json] [--programs DIR] [--against DIR]
  cargo xtask bench cost              a folder of 500 MB of transcripts: how fast it is read, and in how much memory
      [--megabytes N] [--json] [--programs DIR]
  cargo xtask bench page              the page while agents work, with a million calls in the store
      [--calls N] [--seconds N] [--json] [--programs DIR]
  cargo xtask bench store [ARGS]      questions to a store of a million traces
  cargo xtask fuzz payloads           payloads gone wrong, through the whole engine
      [--count N] [--seed N]
  cargo xtask crash                   `kill -9` for the daemon while agents work: nothing answered may be lost, doubled or wrong
      [--kills N] [--clients N] [--kills-in-phase N] [--reopen-window] [--programs DIR]
  cargo xtask dist [--to DIR]         what a release needs: archive, packages, checksums, bill of materials (into target/dist)
      [--without-profile] [--programs DIR]
      [--target TARGET]               for another kind of machine, as aarch64-unknown-linux-gnu (into target/dist-TARGET; without a profile)

demo, screenshots, install, dist, crash and the first four benches take --offline as well; --programs takes others than those of this tree;
--against measures those of another state in the same run; --agents the client for every agent; --guided measures what everything adds that is off by itself.
--reopen-window puts a daemon to the test that answers before it records: the
campaign must find it out. Benches end with 1 if a limit is missed: run them on a machine that does nothing else.";

/// How a chore came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// All is well.
    Fine,
    /// It ran, and a limit was missed or something was found.
    Missed,
}

fn main() -> ExitCode {
    match run() {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Missed) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {}", whole(&error));
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<Outcome> {
    let mut arguments = lexopt::Parser::from_env();
    let chore = match arguments.next()? {
        Some(Value(chore)) => chore.string()?,
        Some(Short('h') | Long("help")) | None => "help".to_owned(),
        Some(other) => return Err(other.unexpected().into()),
    };
    match chore.as_str() {
        "demo" => demo::run(arguments),
        "screenshots" => screenshots::run(arguments),
        "install" => install::run(arguments),
        "bench" => bench::run(arguments),
        "fuzz" => fuzz::run(arguments),
        "crash" => crash::run(arguments),
        "dist" => dist::run(arguments),
        "help" => {
            println!("{HELP}");
            Ok(Outcome::Fine)
        }
        other => bail!("there is no chore `{other}`; `cargo xtask help` lists them"),
    }
}

/// An error with its causes, without those that repeat what was said.
fn whole(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// What an option asks for that has nothing to do with this chore.
fn unexpected(argument: &lexopt::Arg<'_>) -> anyhow::Error {
    let argument = match argument {
        Short(name) => format!("-{name}"),
        Long(name) => format!("--{name}"),
        Value(value) => value.to_string_lossy().into_owned(),
    };
    anyhow::anyhow!("unexpected `{argument}`; `cargo xtask help` shows what is understood")
}
