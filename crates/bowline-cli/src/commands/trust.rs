//! `bowline trust`: lets a project's own Bowline files take effect, after showing what they would do.

mod report;
mod servers;

use std::path::{Path, PathBuf};

use bowline::settings::{
    FileKind, FileStatus, Locations, Scope, Settings, SettingsFile, TrustEntry, TrustState,
    TrustStore, find_bowline_root, find_project,
};
use serde::Serialize;

use crate::Outcome;
use crate::control;
use crate::error::{Error, ErrorKind, Result};
use crate::project;
use crate::ui::{Format, FormatArgs, Table, Text, Ui, YesOrNo, style};
use report::Report;

/// The file whose allow-list trust covers, from the project's folder.
const SENSITIVE_FILES: &str = ".claude/sensitive-files.json";

/// Trust a project's bowline.toml, after a look at what it would run
///
/// Until then its hooks do not run and it can only make things stricter. Trust ends when bowline.toml,
/// bowline.local.toml, a script in the project that their hooks call, or a .claude/sensitive-files.json with an allow-list
/// changes. The same files are trusted in the repository's other worktrees and after a move, not in a copy or clone
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline trust
  bowline trust ~/code/engine --yes
  bowline trust --revoke
  bowline trust --list")]
pub(crate) struct TrustArgs {
    /// The project's folder instead of the current one
    dir: Option<PathBuf>,

    /// Do not ask
    #[arg(long, short, conflicts_with_all = ["revoke", "list"])]
    yes: bool,

    /// Withdraw the trust
    #[arg(long, conflicts_with = "list")]
    revoke: bool,

    /// List the projects that are trusted
    #[arg(long, conflicts_with = "dir")]
    list: bool,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, Serialize)]
struct Revoked<'a> {
    #[serde(serialize_with = "project::lossy")]
    project: &'a Path,
    revoked: bool,
}

#[derive(Debug, Serialize)]
struct Listed {
    trusted: Vec<TrustEntry>,
}

pub(crate) fn run(args: &TrustArgs, ui: &mut Ui) -> Result<Outcome> {
    let mut store = TrustStore::open(&Locations::from_env()).map_err(|source| {
        Error::new(ErrorKind::File, "cannot open the record of trust").caused_by(source)
    })?;
    if args.list {
        return list(&store, args.format.format(), ui);
    }
    if args.revoke {
        revoke(&mut store, args, ui)
    } else {
        trust(&mut store, args, ui)
    }
}

fn list(store: &TrustStore, format: Format, ui: &mut Ui) -> Result<Outcome> {
    if let Some(problem) = store.problem() {
        return Err(Error::new(ErrorKind::File, problem.to_owned())
            .hint("repair the file, or remove it and trust again"));
    }
    let trusted = store.entries();
    match format {
        Format::Json => ui.json(&Listed { trusted })?,
        Format::Text if trusted.is_empty() => ui.line("No project is trusted."),
        Format::Text => {
            let mut table = Table::new(["Project", "Since", "SHA-256"]);
            for entry in trusted {
                table.row([
                    Text::styled(project::shown(&entry.project), style::NAME),
                    crate::moment::minute(entry.when).into(),
                    entry.sha256.chars().take(12).collect::<String>().into(),
                ]);
            }
            ui.table(&table);
        }
    }
    Ok(Outcome::Clean)
}

fn revoke(store: &mut TrustStore, args: &TrustArgs, ui: &mut Ui) -> Result<Outcome> {
    // A project that is gone can still be revoked, by the path that it is listed with.
    let (project, nested) = match project::folder(args.dir.as_deref()) {
        Ok(folder) => {
            let nested = find_project(&folder, &Locations::from_env());
            (bowline_root(&folder), Some(nested))
        }
        Err(error) => (args.dir.clone().ok_or(error)?, None),
    };
    let mut revoked = false;
    // Hooks in .claude are trusted by the folder that they are in, which may be below.
    for folder in [Some(&project), nested.as_ref().filter(|it| **it != project)]
        .into_iter()
        .flatten()
    {
        revoked |= store.revoke(folder).map_err(|source| {
            Error::new(ErrorKind::File, "cannot withdraw the trust").caused_by(source)
        })?;
    }
    tell_daemon();
    match args.format.format() {
        Format::Json => ui.json(&Revoked {
            project: &project,
            revoked,
        })?,
        Format::Text if revoked => ui.line(format!(
            "{} is no longer trusted.",
            project::shown(&project)
        )),
        Format::Text => ui.line(format!("{} was not trusted.", project::shown(&project))),
    }
    Ok(Outcome::Clean)
}

fn trust(store: &mut TrustStore, args: &TrustArgs, ui: &mut Ui) -> Result<Outcome> {
    let folder = project::folder(args.dir.as_deref())?;
    let project = bowline_root(&folder);
    // Taken before the files are read for showing: if they change in between, recording fails.
    let fingerprint = store
        .fingerprint(&project)
        .map_err(|source| cannot_trust(&project, source))?;
    let settings = project::load(&folder);
    if let Some(broken) = own_files(&settings)
        .find(|file| file.kind == FileKind::BowlineConfig && file.status != FileStatus::Read)
    {
        return Err(Error::new(
            ErrorKind::File,
            format!("cannot tell what {} would do", project::shown(&broken.path)),
        )
        .hint("`bowline check` shows what is wrong with it"));
    }
    let claude_project = settings.project.clone();
    let mut report = Report::new(settings);
    let format = args.format.format();

    let own = fingerprint.filter(|_| report.trust.is_pending());
    let bridged = report.bridged_sha256.clone();
    if format == Format::Text {
        report.show(ui);
    }
    let servers = report.mcp_servers.sha256.clone();
    if own.is_some() || bridged.is_some() || servers.is_some() {
        let consent = match (args.yes, format) {
            (true, _) => YesOrNo::Yes,
            (false, Format::Json) => YesOrNo::No,
            (false, Format::Text) => ui.ask("Trust this project?").map_err(|error| {
                error.hint("look at what is listed above, then run it again with --yes")
            })?,
        };
        if consent == YesOrNo::Yes {
            if let Some(own) = own {
                store
                    .record_shown(&project, &own)
                    .map_err(|source| cannot_trust(&project, source))?;
                report.trust = TrustState::Trusted;
            }
            if let Some(sha256) = bridged {
                store
                    .record_claude_hooks(&claude_project, &sha256)
                    .map_err(|source| cannot_trust(&project, source))?;
                report.bridged_trust = TrustState::Trusted;
            }
            if let Some(sha256) = servers {
                store
                    .record_mcp_servers(&claude_project, &sha256)
                    .map_err(|source| cannot_trust(&project, source))?;
                report.mcp_servers.trust = TrustState::Trusted;
            }
            tell_daemon();
        }
        if format == Format::Text {
            ui.line(match consent {
                YesOrNo::Yes => Text::styled("Trusted, as it is now.", style::GOOD),
                YesOrNo::No => Text::from("Not trusted; nothing was changed."),
            });
        }
    }
    if format == Format::Json {
        ui.json(&report)?;
    }
    Ok(if report.is_pending() {
        Outcome::Findings
    } else {
        Outcome::Clean
    })
}

/// A running daemon does not watch the record of trust: it writes to that folder all the time.
fn tell_daemon() {
    if let Ok(places) = control::places() {
        control::tell(&places, "daemon.reload");
    }
}

/// The folder that trust is recorded for.
fn bowline_root(folder: &Path) -> PathBuf {
    let locations = Locations::from_env();
    find_bowline_root(&find_project(folder, &locations), &locations)
}

/// The files that trust is about.
fn own_files(settings: &Settings) -> impl Iterator<Item = &SettingsFile> {
    let sensitive = &settings.sensitive_files;
    let lets_pass = |file: &SettingsFile| {
        let mut patterns = sensitive.allow.iter().chain(&sensitive.ignored);
        file.path == settings.bowline_root.join(SENSITIVE_FILES)
            && patterns.any(|it| it.file == file.path)
    };
    settings.files.iter().filter(move |file| match file.kind {
        FileKind::BowlineConfig => matches!(file.scope, Scope::Project | Scope::Local),
        FileKind::SensitiveFiles => lets_pass(file),
        _ => false,
    })
}

fn cannot_trust(project: &Path, source: bowline::Error) -> Error {
    Error::new(
        ErrorKind::File,
        format!("cannot trust {}", project::shown(project)),
    )
    .caused_by(source)
}
