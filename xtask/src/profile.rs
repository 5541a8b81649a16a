//! What the daemon's code does most, recorded for a release and told to the compiler.
//!
//! Which code runs for every event, and how often each branch is taken: what is hot is then inlined and lies together, everything
//! else is made small and stays out of its way, mostly out of memory. A hook call comes when the agent's own work has emptied the
//! caches, so that counts more than instructions do. A program that is built without it answers the same.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::bench::load::{self, Load, Style, Until};
use crate::bench::stage::Stage;
use crate::programs::{self, Effort, Network, Runs, workspace};

/// Where the record is.
const RECORD: &str = "target/profile/bowline.profdata";

/// What agents run all day, among other commands, and events as agents have sent them.
const COMMANDS: &str = "crates/bowline-guard/tests/data/commands.jsonl";
const EVERYDAY: &str = "agent-typical";
const EVENTS: &str = "crates/bowline/tests/data/claude-code";

/// Alone, as an agent that works by itself; together, as a fleet.
const SHIFTS: [(usize, Style, u64); 4] = [
    (1, Style::Fresh, 2_000),
    (4, Style::Fresh, 4_000),
    (32, Style::Persistent, 40_000),
    (32, Style::Fresh, 10_000),
];

/// What the compiler is told for every crate of a program.
#[derive(Debug)]
pub(crate) struct CompilerFlags {
    pub(crate) target: String,
    pub(crate) flags: Vec<String>,
}

/// Variables with flags for the compiler, before which those of the record would not count.
const FLAG_VARIABLES: [&str; 3] = [
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_BUILD_RUSTFLAGS",
];

/// This kind of machine, in the compiler's words.
pub(crate) fn host() -> Result<String> {
    Ok(Compiler::here()?.host)
}

fn flags_of_ones_own() -> Option<&'static str> {
    FLAG_VARIABLES
        .into_iter()
        .find(|name| env::var_os(name).is_some())
}

/// Builds a daemon that counts, lets it work, and says how to build with what it has counted.
pub(crate) fn record(network: Network) -> Result<CompilerFlags> {
    if let Some(name) = flags_of_ones_own() {
        bail!("{name} is set, and with it nothing is counted; unset it and run this again");
    }
    let compiler = Compiler::here()?;
    let merge = compiler.tool("llvm-profdata")?;
    let raw = workspace().join("target/profile");
    if raw.exists() {
        fs::remove_dir_all(&raw).context("cannot remove the last raw profiles")?;
    }
    let counting = CompilerFlags {
        target: compiler.host.clone(),
        flags: vec![format!("-Cprofile-generate={}", raw.display())],
    };
    let bowline = programs::bowline(network, Effort::Most(Some(&counting)), Runs::Here)?;
    work(&bowline)?;

    let pieces: Vec<PathBuf> = fs::read_dir(&raw)
        .context("the daemon has left no profile")?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    let record = workspace().join(RECORD);
    let merged = Command::new(&merge)
        .args(["merge", "--sparse", "--output"])
        .arg(&record)
        .args(pieces)
        .status()
        .with_context(|| format!("cannot run {}", merge.display()))?;
    ensure!(merged.success(), "the profiles could not be merged");
    Ok(compiler.guided_by(&record))
}

/// Lets the daemon do what it does all day.
fn work(bowline: &Path) -> Result<()> {
    let stage = Stage::new(bowline)?;
    eprintln!("Playing the events of {EVENTS}");
    for entry in fs::read_dir(workspace().join(EVENTS))? {
        load::report(&stage, &fs::read(entry?.path())?)?;
    }
    let commands = everyday_commands()?;
    ensure!(
        !commands.is_empty(),
        "{COMMANDS} has no commands of the category {EVERYDAY}"
    );
    let mut load = Load::new(&stage, &commands)?;
    for (agents, style, events) in SHIFTS {
        eprintln!("{events} events of {agents} agents at a time");
        load.run(agents, style, Until::Events(events))?;
    }
    load.check_all_kept(&stage)
}

fn everyday_commands() -> Result<Vec<String>> {
    let rows = fs::read_to_string(workspace().join(COMMANDS))?;
    let rows = rows
        .lines()
        .filter_map(|row| serde_json::from_str::<Value>(row).ok());
    Ok(rows
        .filter(|row| row.get("category").is_some_and(|it| it == EVERYDAY))
        .filter_map(|row| Some(row.get("command")?.as_str()?.to_owned()))
        .collect())
}

/// The compiler of this machine.
#[derive(Debug)]
struct Compiler {
    host: String,
}

impl Compiler {
    fn here() -> Result<Self> {
        let said = ask_rustc(&["-vV"])?;
        let value = |key: &str| {
            let mut lines = said.lines();
            let value = lines.find_map(|line| line.strip_prefix(key));
            value
                .map(|value| value.trim().to_owned())
                .with_context(|| format!("`rustc -vV` does not say `{key}`"))
        };
        Ok(Self {
            host: value("host:")?,
        })
    }

    /// How to build with a record of this tree. Functions have other names with every other tree and compiler, and a record knows
    /// them by their names: so it is made when it is needed, and not kept.
    fn guided_by(self, record: &Path) -> CompilerFlags {
        let mut flags = vec![
            format!("-Cprofile-use={}", record.display()),
            // Nothing is lukewarm: what does not run for most events is made small, and what does is inlined with measure.
            "-Cllvm-args=-profile-summary-cutoff-cold=990000".to_owned(),
            "-Cllvm-args=-hot-callsite-threshold=400".to_owned(),
        ];
        if self.host.contains("linux") {
            // Both lie apart, down to the branches of a function.
            flags.push("-Cllvm-args=-enable-split-machine-functions".to_owned());
            flags.push("-Clink-arg=-Wl,-z,keep-text-section-prefix".to_owned());
        }
        CompilerFlags {
            target: self.host,
            flags,
        }
    }

    /// A program of LLVM's that belongs to this compiler.
    fn tool(&self, name: &str) -> Result<PathBuf> {
        let root = ask_rustc(&["--print", "sysroot"])?;
        let folder = format!("lib/rustlib/{}/bin", self.host);
        let tool = Path::new(root.trim()).join(folder).join(name);
        if !tool.is_file() {
            bail!(
                "{} is not there; `rustup component add llvm-tools` brings it",
                tool.display()
            );
        }
        Ok(tool)
    }
}

/// What the compiler says.
pub(crate) fn ask_rustc(arguments: &[&str]) -> Result<String> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let asked = Command::new(rustc)
        .args(arguments)
        .stderr(Stdio::inherit())
        .current_dir(workspace())
        .output()
        .context("cannot run rustc")?;
    ensure!(
        asked.status.success(),
        "`rustc {}` failed",
        arguments.join(" ")
    );
    Ok(String::from_utf8(asked.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_played_is_here() {
        let commands = everyday_commands().unwrap();
        assert!(commands.len() > 20, "{commands:?}");
        assert!(fs::read_dir(workspace().join(EVENTS)).unwrap().count() > 50);
    }
}
