//! Builds the two programs as they are installed.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::cross::Cross;
use crate::elf::{self, Linkage};
use crate::profile::CompilerFlags;

/// Where to take crates from that are not here yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Network {
    /// From the registry.
    #[default]
    Online,
    /// From nowhere.
    Offline,
}

/// The programs, built for release.
#[derive(Debug)]
pub(crate) struct Programs {
    /// The command line and the daemon.
    pub(crate) bowline: PathBuf,
    /// What agents start.
    pub(crate) hook: PathBuf,
}

/// Where to take the programs from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ProgramSource {
    /// They are built as for a release, without a recorded profile.
    Source(Network),
    /// They are in this folder.
    Folder(PathBuf),
}

impl ProgramSource {
    /// The programs.
    pub(crate) fn take(self) -> Result<Programs> {
        match self {
            Self::Source(network) => release(network, None, Runs::Everywhere),
            Self::Folder(folder) => Ok(Programs {
                bowline: folder.join("bowline"),
                hook: folder.join("bowline-hook"),
            }),
        }
    }
}

/// What makes the client start fast; its README says why.
const STATIC: [&str; 8] = [
    "-C",
    "target-feature=+crt-static",
    "-C",
    "relocation-model=static",
    "-C",
    "relro-level=off",
    "-C",
    "link-args=-Wl,--defsym=pthread_getattr_np=getpagesize,--defsym=sigaltstack=getpagesize,--defsym=sigaction=getpagesize",
];

/// On which machines a program has to start.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Runs<'cross> {
    /// On this one: what its loader understands may be used.
    Here,
    /// On others of its kind, too.
    Everywhere,
    /// On those of another kind.
    Abroad(&'cross Cross),
}

impl Runs<'_> {
    /// Whether that is Linux with glibc.
    fn with_glibc(self) -> bool {
        match self {
            Self::Here | Self::Everywhere => cfg!(all(target_os = "linux", target_env = "gnu")),
            Self::Abroad(cross) => cross.target.ends_with("-linux-gnu"),
        }
    }
}

/// How the command line and the daemon are compiled.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Effort<'flags> {
    /// In a few minutes.
    Quick,
    /// For a release; with what is known of the daemon's work, if that was recorded.
    Most(Option<&'flags CompilerFlags>),
}

/// Builds both as they are installed. What cargo has to say goes to stderr.
pub(crate) fn build(network: Network) -> Result<Programs> {
    let bowline = bowline(network, Effort::Quick, Runs::Here)?;
    eprintln!("Building bowline-hook");
    let hook = client(network, Runs::Everywhere)?;
    Ok(Programs { bowline, hook })
}

/// Builds both for others.
pub(crate) fn release(
    network: Network,
    flags: Option<&CompilerFlags>,
    runs: Runs<'_>,
) -> Result<Programs> {
    let bowline = bowline(network, Effort::Most(flags), runs)?;
    eprintln!("Building bowline-hook");
    let hook = client(network, runs)?;
    Ok(Programs { bowline, hook })
}

/// Builds the command line and the daemon.
pub(crate) fn bowline(network: Network, effort: Effort<'_>, runs: Runs<'_>) -> Result<PathBuf> {
    eprintln!("Building bowline (a few minutes the first time)");
    let profile = match effort {
        Effort::Quick => "quick",
        Effort::Most(_) => "release",
    };
    let mut arguments = vec!["build", "--profile", profile, "--package", "bowline-cli"];
    let config;
    if let Effort::Most(Some(CompilerFlags { target, flags })) = effort {
        // A string of JSON is one of TOML as well.
        config = format!("target.{target}.rustflags={}", Value::from(flags.clone()));
        arguments.extend(["--target", target, "--config", &config]);
    }
    cargo(network, "bowline", &arguments, &[], runs)
}

/// Builds both as the tests do, which is quicker, and beside each other.
pub(crate) fn build_for_a_look(network: Network) -> Result<Programs> {
    eprintln!("Building bowline (a few minutes the first time)");
    let quick = |program, package| {
        let arguments = ["build", "--package", package];
        cargo(network, program, &arguments, &[], Runs::Everywhere)
    };
    Ok(Programs {
        hook: quick("bowline-hook", "bowline-client")?,
        bowline: quick("bowline", "bowline-cli")?,
    })
}

fn client(network: Network, runs: Runs<'_>) -> Result<PathBuf> {
    let client = ["--profile", "client", "--package", "bowline-client"];
    let dynamic = || {
        cargo(
            network,
            "bowline-hook",
            &[&["build"], &client[..]].concat(),
            &[],
            runs,
        )
    };
    if !runs.with_glibc() {
        return dynamic();
    }
    let linked = cargo(
        network,
        "bowline-hook",
        &[&["rustc"], &client[..]].concat(),
        &STATIC,
        runs,
    );
    match linked {
        Ok(hook) if is_static(&hook)? => Ok(hook),
        Ok(hook) => {
            slower("the linker still made it dynamic");
            Ok(hook)
        }
        Err(error) => {
            slower(&format!("{error:#}"));
            dynamic()
        }
    }
}

fn slower(why: &str) {
    eprintln!(
        "warning: bowline-hook is not linked statically ({why}); every hook call takes about half a millisecond longer\n\
         hint: install the static C library (`libc6-dev`, `glibc-static` or the like) and run this again"
    );
}

/// Whether a program starts without a loader.
pub(crate) fn is_static(program: &Path) -> Result<bool> {
    let file = fs::read(program).with_context(|| format!("cannot read {}", program.display()))?;
    Ok(elf::linkage(&file) == Some(Linkage::Static))
}

/// Runs cargo in the workspace, and finds the program that it made wherever the settings put it.
fn cargo(
    network: Network,
    program: &str,
    arguments: &[&str],
    rustc_arguments: &[&str],
    runs: Runs<'_>,
) -> Result<PathBuf> {
    let mut command = command(network);
    command.env_remove("BOWLINE_PACKED_RELOCATIONS");
    command.args(arguments);
    match runs {
        Runs::Here => {
            command.env("BOWLINE_PACKED_RELOCATIONS", "1");
        }
        Runs::Everywhere => {}
        Runs::Abroad(cross) => {
            command.args(["--target", cross.target]);
            command.envs(cross.variables.iter().cloned());
        }
    }
    command
        .args(["--bin", program])
        .arg("--message-format=json-render-diagnostics");
    if !rustc_arguments.is_empty() {
        command.arg("--").args(rustc_arguments);
    }
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    ensure!(output.status.success(), "`{program}` could not be built");
    let messages = String::from_utf8_lossy(&output.stdout);
    let made = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message.pointer("/target/name") == Some(&program.into()))
        .find_map(|message| message.get("executable")?.as_str().map(PathBuf::from));
    match made {
        Some(made) => Ok(made),
        None => bail!("cargo did not say where it put `{program}`"),
    }
}

/// Cargo, in the workspace.
pub(crate) fn command(network: Network) -> Command {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(workspace());
    if network == Network::Offline {
        command.env("CARGO_NET_OFFLINE", "true");
    }
    // A relative folder is meant from where we were started.
    if let Some(target) = env::var_os("CARGO_TARGET_DIR")
        && let Ok(target) = std::path::absolute(target)
    {
        command.env("CARGO_TARGET_DIR", target);
    }
    command
}

/// The repository's folder.
pub(crate) fn workspace() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// Where a program is on `PATH`.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

/// Puts a file where another may be in use: beside it, then in its place.
pub(crate) fn put(program: &Path, folder: &Path) -> Result<PathBuf> {
    let name = program.file_name().unwrap_or(OsStr::new("program"));
    let target = folder.join(name);
    let mut beside = tempfile::Builder::new()
        .prefix(".bowline-")
        .tempfile_in(folder)
        .with_context(|| format!("cannot write to {}", folder.display()))?;
    let mut source =
        fs::File::open(program).with_context(|| format!("cannot read {}", program.display()))?;
    std::io::copy(&mut source, beside.as_file_mut())
        .with_context(|| format!("cannot copy {}", program.display()))?;
    let mode = source.metadata()?.permissions();
    beside.as_file().set_permissions(mode)?;
    beside.as_file().sync_all()?;
    beside
        .persist(&target)
        .with_context(|| format!("cannot replace {}", target.display()))?;
    Ok(target)
}
