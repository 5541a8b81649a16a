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

use anyhow::{Context, Result, ensure};
use lexopt::prelude::*;
use serde_json::json;

use crate::profile::{self, CompilerFlags};
use crate::programs::{self, Network, Programs, workspace};
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

/// The kinds of machines that a release is made for. Only the first was ever tried.
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

impl Release {
    /// Of what is checked out.
    fn of(target: &str) -> Result<Self> {
        let platform = PLATFORMS.into_iter().find(|it| it.target == target);
        let names: Vec<&str> = PLATFORMS.iter().map(|it| it.target).collect();
        let platform = platform.with_context(|| {
            format!(
                "no release is made for {target}; there are {}",
                names.join(", ")
            )
        })?;
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
    to: PathBuf,
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
        to: workspace().join("target/dist"),
        programs: None,
        network: Network::default(),
        guidance: Guidance::Recorded,
    };
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("to") => options.to = std::path::absolute(arguments.value()?)?,
            Long("programs") => options.programs = Some(arguments.value()?.into()),
            Long("offline") => options.network = Network::Offline,
            Long("without-profile") => options.guidance = Guidance::None,
            other => return Err(unexpected(&other)),
        }
    }
    let release = Release::of(&profile::host()?)?;
    let programs = take_programs(&options)?;
    must_be_of(&release.commit, &programs.bowline)?;
    if options.to.exists() {
        fs::remove_dir_all(&options.to).context("cannot remove the last release")?;
    }
    fs::create_dir_all(&options.to)?;
    // By themselves, too: for benches, and for whoever wants to look.
    fs::create_dir_all(options.to.join("bin"))?;
    for program in [&programs.bowline, &programs.hook] {
        programs::put(program, &options.to.join("bin"))?;
    }
    let files = contents(&release, &programs, options.network)?;
    let mut made = vec![
        write(&options.to, &format!("{}.tar.gz", release.name()), {
            let root = release.name();
            archive::tar_gz(&files, &root, release.time)?
        })?,
        write(&options.to, &npm::file_name(&release), {
            npm::package(&release, &files)?
        })?,
        write(&options.to, &format!("{}.cdx.json", release.name()), {
            sbom::document(&release, options.network)?.into_bytes()
        })?,
    ];
    if let Some(architecture) = release.platform.debian {
        let name = format!("bowline_{}_{architecture}.deb", release.version);
        let package = deb::package(&release, architecture, &files)?;
        made.push(write(&options.to, &name, package)?);
    }
    let formula = formula::text(&release, &made);
    made.push(write(&options.to, "bowline.rb", formula.into_bytes())?);
    let latest = json!({
        "version": release.version,
        "commit": release.commit,
        "page": format!("{REPOSITORY}/releases/tag/v{}", release.version),
    });
    let latest = serde_json::to_string_pretty(&latest)? + "\n";
    made.push(write(&options.to, "latest.json", latest.into_bytes())?);
    let sums = made.iter().fold(String::new(), |sums, file| {
        sums + &format!("{}  {}\n", file.sha256, file.name)
    });
    fs::write(options.to.join("SHA256SUMS"), &sums)?;
    print!("{sums}");
    eprintln!("These are in {}.", options.to.display());
    for platform in PLATFORMS {
        if platform.target != release.platform.target {
            eprintln!(
                "not made: {} (run this chore on such a machine; nobody has tried it yet)",
                platform.target
            );
        }
    }
    Ok(Outcome::Fine)
}

fn take_programs(options: &Options) -> Result<Programs> {
    if let Some(folder) = &options.programs {
        return Ok(Programs {
            bowline: folder.join("bowline"),
            hook: folder.join("bowline-hook"),
        });
    }
    let flags: Option<CompilerFlags> = match options.guidance {
        Guidance::Recorded => Some(profile::record(options.network)?),
        Guidance::None => None,
    };
    programs::release(options.network, flags.as_ref())
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
fn contents(release: &Release, programs: &Programs, network: Network) -> Result<Vec<Entry>> {
    let mut files = vec![
        Entry::program("bin/bowline", fs::read(&programs.bowline)?),
        Entry::program("bin/bowline-hook", fs::read(&programs.hook)?),
    ];
    for (shell, name) in [
        ("bash", "bowline.bash"),
        ("zsh", "_bowline"),
        ("fish", "bowline.fish"),
    ] {
        let script = said(&programs.bowline, &["completions", shell])?;
        files.push(Entry::file(&format!("completions/{name}"), script));
    }
    let pages = tempfile::tempdir()?;
    let folder = pages.path().to_string_lossy().into_owned();
    said(&programs.bowline, &["man", "--to", &folder])?;
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
