//! `cargo xtask dist`: what a release needs. Everything is made from one [`Release`], so that names, versions and checksums agree.

mod archive;
mod deb;
mod formula;
mod licences;
mod npm;
mod sbom;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use lexopt::prelude::*;
use serde_json::json;

use crate::cross::{self, Cross, Obstacle};
use crate::profile;
use crate::programs::{self, Effort, Network, Programs, Runs, workspace};
use crate::{Outcome, unexpected};
use archive::Entry;

const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// What is released, and for what kind of machine.
#[derive(Debug)]
struct Release {
    version: String,
    commit: String,
    /// When the commit was made: every file has this time, so that the same commit makes the same archives.
    time: u64,
    platform: Platform,
}

/// A kind of machine, in the words of those who install.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Platform {
    target: &'static str,
    /// For a `.deb`; other systems have none.
    debian: Option<&'static str>,
    npm_os: &'static str,
    npm_cpu: &'static str,
}

/// The kinds of machines that a release is made for. The first is in use, the second was only started in an emulator, and nobody has
/// tried the others.
const PLATFORMS: [Platform; 4] = [
    Platform {
        target: "x86_64-unknown-linux-gnu",
        debian: Some("amd64"),
        npm_os: "linux",
        npm_cpu: "x64",
    },
    Platform {
        target: "aarch64-unknown-linux-gnu",
        debian: Some("arm64"),
        npm_os: "linux",
        npm_cpu: "arm64",
    },
    Platform {
        target: "aarch64-apple-darwin",
        debian: None,
        npm_os: "darwin",
        npm_cpu: "arm64",
    },
    Platform {
        target: "x86_64-apple-darwin",
        debian: None,
        npm_os: "darwin",
        npm_cpu: "x64",
    },
];

impl Platform {
    fn named(target: &str) -> Result<Self> {
        let platform = PLATFORMS.into_iter().find(|it| it.target == target);
        let names: Vec<&str> = PLATFORMS.iter().map(|it| it.target).collect();
        platform.with_context(|| {
            format!(
                "no release is made for {target}; there are {}",
                names.join(", ")
            )
        })
    }

    /// What it takes to build for it on a machine of another kind.
    fn cross(self) -> Result<Result<Cross, Obstacle>> {
        cross::find(self.target, self.debian)
    }
}

impl Release {
    /// Of what is checked out.
    fn of(platform: Platform) -> Result<Self> {
        let time = git(&["log", "-1", "--format=%ct"])?;
        let changed = !git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
        let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: if changed { commit + "-changed" } else { commit },
            time: time.parse().context("git does not say when it was")?,
            platform,
        })
    }

    /// What the archive is called, without its ending: `bowline-0.1.0-x86_64-unknown-linux-gnu`.
    fn name(&self) -> String {
        format!("bowline-{}-{}", self.version, self.platform.target)
    }

    /// Where a file of it can be had once it is published.
    fn address(&self, file: &str) -> String {
        format!("{REPOSITORY}/releases/download/v{}/{file}", self.version)
    }
}

/// What the command line asks for.
struct Options {
    to: Option<PathBuf>,
    target: Option<String>,
    programs: Option<PathBuf>,
    network: Network,
    guidance: Guidance,
}

/// Whether the compiler is told what the daemon does most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Guidance {
    Recorded,
    None,
}

pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<Outcome> {
    let mut options = Options {
        to: None,
        target: None,
        programs: None,
        network: Network::default(),
        guidance: Guidance::Recorded,
    };
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("to") => options.to = Some(std::path::absolute(arguments.value()?)?),
            Long("target") => options.target = Some(arguments.value()?.string()?),
            Long("programs") => options.programs = Some(arguments.value()?.into()),
            Long("offline") => options.network = Network::Offline,
            Long("without-profile") => options.guidance = Guidance::None,
            other => return Err(unexpected(&other)),
        }
    }
    let host = profile::host()?;
    let platform = Platform::named(options.target.as_deref().unwrap_or(&host))?;
    let cross = if platform.target == host {
        None
    } else {
        Some(cross_to(platform, &options)?)
    };
    let release = Release::of(platform)?;
    let sources = match &cross {
        None => at_home(&options)?,
        Some(cross) => abroad(&options, cross)?,
    };
    must_be_of(&release.commit, &sources.speaker)?;
    // Each kind of machine has its own folder: a release for one leaves that for another alone.
    let folder = cross.map_or("target/dist".to_owned(), |cross| {
        format!("target/dist-{}", cross.target)
    });
    let to = options.to.unwrap_or_else(|| workspace().join(folder));
    if to.exists() {
        fs::remove_dir_all(&to).context("cannot remove the last release")?;
    }
    fs::create_dir_all(&to)?;
    // By themselves, too: for benches, and for whoever wants to look.
    fs::create_dir_all(to.join("bin"))?;
    for program in [&sources.programs.bowline, &sources.programs.hook] {
        programs::put(program, &to.join("bin"))?;
    }
    let files = contents(&release, &sources, options.network)?;
    let mut made = vec![
        write(&to, &format!("{}.tar.gz", release.name()), {
            let root = release.name();
            archive::tar_gz(&files, &root, release.time)?
        })?,
        write(&to, &npm::file_name(&release), {
            npm::package(&release, &files)?
        })?,
        write(&to, &format!("{}.cdx.json", release.name()), {
            sbom::document(&release, options.network)?.into_bytes()
        })?,
    ];
    if let Some(architecture) = release.platform.debian {
        let name = format!("bowline_{}_{architecture}.deb", release.version);
        let package = deb::package(&release, architecture, &files)?;
        made.push(write(&to, &name, package)?);
    }
    let formula = formula::text(&release, &made);
    made.push(write(&to, "bowline.rb", formula.into_bytes())?);
    let latest = json!({
        "version": release.version,
        "commit": release.commit,
        "page": format!("{REPOSITORY}/releases/tag/v{}", release.version),
    });
    let latest = serde_json::to_string_pretty(&latest)? + "\n";
    made.push(write(&to, "latest.json", latest.into_bytes())?);
    let sums = made.iter().fold(String::new(), |sums, file| {
        sums + &format!("{}  {}\n", file.sha256, file.name)
    });
    fs::write(to.join("SHA256SUMS"), &sums)?;
    print!("{sums}");
    eprintln!("These are in {}.", to.display());
    for platform in PLATFORMS {
        if platform != release.platform {
            eprintln!("not made: {} ({})", platform.target, how(platform, &host)?);
        }
    }
    Ok(Outcome::Fine)
}

/// How a release for other machines is made.
fn how(platform: Platform, host: &str) -> Result<String> {
    if platform.target == host {
        return Ok("`cargo xtask dist` makes it".to_owned());
    }
    let chore = format!("`cargo xtask dist --target {}`", platform.target);
    Ok(match platform.cross()? {
        Ok(_) => format!("{chore} makes it"),
        Err(Obstacle::Missing(things)) => {
            format!("{chore} makes it once there is {}", things.join(" and "))
        }
        Err(Obstacle::Elsewhere) => ON_SUCH_A_MACHINE.to_owned(),
    })
}

const ON_SUCH_A_MACHINE: &str = "run this chore on such a machine; nobody has tried it yet";

/// What a release is made from.
#[derive(Debug)]
struct Sources {
    programs: Programs,
    /// The same command line as a program that runs here: it says its version, and writes its pages and scripts.
    speaker: PathBuf,
}

/// For machines like this one.
fn at_home(options: &Options) -> Result<Sources> {
    let programs = match (&options.programs, options.guidance) {
        (Some(folder), _) => Programs {
            bowline: folder.join("bowline"),
            hook: folder.join("bowline-hook"),
        },
        (None, Guidance::Recorded) => {
            let flags = profile::record(options.network)?;
            programs::release(options.network, Some(&flags), Runs::Everywhere)?
        }
        (None, Guidance::None) => programs::release(options.network, None, Runs::Everywhere)?,
    };
    Ok(Sources {
        speaker: programs.bowline.clone(),
        programs,
    })
}

/// What builds for machines of another kind.
fn cross_to(platform: Platform, options: &Options) -> Result<Cross> {
    let target = platform.target;
    ensure!(
        options.programs.is_none(),
        "--programs takes programs of this machine; those for {target} are built"
    );
    match platform.cross()? {
        Ok(cross) => Ok(cross),
        Err(Obstacle::Missing(things)) => {
            bail!("cannot build for {target} without {}", things.join(" and "))
        }
        Err(Obstacle::Elsewhere) => bail!("cannot build for {target} here: {ON_SUCH_A_MACHINE}"),
    }
}

/// For machines of another kind. Their programs do not run here: nothing can be recorded of their work, and a quick build of the same
/// tree speaks for them.
fn abroad(options: &Options, cross: &Cross) -> Result<Sources> {
    eprintln!(
        "No profile is recorded for {}: its programs do not run on this machine",
        cross.target
    );
    let programs = programs::release(options.network, None, Runs::Abroad(cross))?;
    eprintln!("The same for this machine, which writes the pages and the completions");
    let speaker = programs::bowline(options.network, Effort::Quick, Runs::Here)?;
    Ok(Sources { programs, speaker })
}

/// A release that names another commit than its programs would mislead whoever looks for a mistake in it.
fn must_be_of(commit: &str, bowline: &Path) -> Result<()> {
    let version = String::from_utf8(said(bowline, &["--version"])?)?;
    let named = version.split(['(', ')']).nth(1).unwrap_or_default();
    let is_same = !named.is_empty() && commit.starts_with(named.trim_end_matches("-changed"));
    ensure!(
        is_same,
        "{} is of another commit than what is checked out ({commit}): {}",
        bowline.display(),
        version.trim()
    );
    Ok(())
}

/// A file of the release that lies by itself.
#[derive(Debug)]
struct Made {
    name: String,
    sha256: String,
}

fn write(folder: &Path, name: &str, content: Vec<u8>) -> Result<Made> {
    fs::write(folder.join(name), &content).with_context(|| format!("cannot write {name}"))?;
    Ok(Made {
        name: name.to_owned(),
        sha256: hex(&hmac_sha256::Hash::hash(&content)),
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// What every archive has in it. The pages and scripts come from the program itself, so that they say what it does.
fn contents(release: &Release, sources: &Sources, network: Network) -> Result<Vec<Entry>> {
    let Sources { programs, speaker } = sources;
    let mut files = vec![
        Entry::program("bin/bowline", fs::read(&programs.bowline)?),
        Entry::program("bin/bowline-hook", fs::read(&programs.hook)?),
    ];
    for (shell, name) in [
        ("bash", "bowline.bash"),
        ("zsh", "_bowline"),
        ("fish", "bowline.fish"),
    ] {
        let script = said(speaker, &["completions", shell])?;
        files.push(Entry::file(&format!("completions/{name}"), script));
    }
    let pages = tempfile::tempdir()?;
    let folder = pages.path().to_string_lossy().into_owned();
    said(speaker, &["man", "--to", &folder])?;
    let mut names: Vec<PathBuf> = fs::read_dir(pages.path())?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    names.sort();
    for page in names {
        let name = page
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        files.push(Entry::file(&format!("man/{name}"), fs::read(&page)?));
    }
    for name in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        files.push(Entry::file(name, fs::read(workspace().join(name))?));
    }
    let licences = licences::text(release, network)?;
    files.push(Entry::file(
        "LICENSES-THIRD-PARTY.txt",
        licences.into_bytes(),
    ));
    Ok(files)
}

/// What a program says.
fn said(program: &Path, arguments: &[&str]) -> Result<Vec<u8>> {
    let shown = format!("{} {}", program.display(), arguments.join(" "));
    let output = Command::new(program)
        .args(arguments)
        .output()
        .with_context(|| format!("cannot run `{shown}`"))?;
    ensure!(
        output.status.success(),
        "`{shown}` failed: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(output.stdout)
}

fn git(arguments: &[&str]) -> Result<String> {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(workspace())
        .output()
        .context("cannot run git")?;
    ensure!(
        output.status.success(),
        "`git {}` failed: {}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}
