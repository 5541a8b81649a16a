//! `bowline lease`: which session writes which file, and the end of that.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use bowline_continuity::lease::Lease;
use bowline_daemon::rpc::leases;
use clap::Subcommand;
use serde::Serialize;

use crate::Outcome;
use crate::ask::Records;
use crate::error::{Error, ErrorKind, Result};
use crate::moment;
use crate::project::Paths;
use crate::standing;
use crate::ui::{Column, Format, FormatArgs, List, Text, Ui, clipped, reveal, style};

/// See which session writes which file, and end that
///
/// With `mode = "ask"` or `mode = "deny"` in `[leases]`, the first session that writes a file holds a lease on it. Another session that wants to
/// write the file is told who holds it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline lease list
  bowline lease release src/main.rs
  bowline lease release 8c2f51de")]
pub(crate) struct LeaseArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the leases, those of the last active sessions first
    List(ListArgs),
    /// End the lease of a file, or all leases of a session
    Release(ReleaseArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline lease list
  bowline lease list --json

A lease also ends with its session, and when the session has done nothing for
as long as `expires_secs` in `[leases]` says")]
struct ListArgs {
    #[command(flatten)]
    format: FormatArgs,
}

/// End the lease of a file, or all leases of a session
///
/// The next session that writes the file holds it then. An agent cannot do this
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline lease release src/main.rs
  bowline lease release 8c2f51de-0d6b-4a3e-9f5c-1f2e3d4c5b6a
  bowline lease release 8c2f --json")]
struct ReleaseArgs {
    /// The file, or the agent's name for a session; the beginning of the name is enough, where only one begins so
    #[arg(value_name = "FILE|SESSION")]
    what: String,

    #[command(flatten)]
    format: FormatArgs,
}

impl LeaseArgs {
    pub(crate) fn format(&self) -> Format {
        match &self.action {
            Action::List(args) => args.format.format(),
            Action::Release(args) => args.format.format(),
        }
    }
}

#[derive(Debug, Serialize)]
struct Listed {
    leases: Vec<Lease>,
}

#[derive(Debug, Serialize)]
struct Released {
    released: Vec<Lease>,
}

pub(crate) fn run(args: &LeaseArgs, ui: &mut Ui) -> Result<Outcome> {
    match &args.action {
        Action::List(args) => list(args, ui),
        Action::Release(args) => release(args, ui),
    }
}

fn list(args: &ListArgs, ui: &mut Ui) -> Result<Outcome> {
    let leases = Records::open(ui)?.ask(&leases::List::default(), ui)?;
    match args.format.format() {
        Format::Json => ui.json(&Listed { leases })?,
        Format::Text if leases.is_empty() => ui.line("No session holds a lease on a file."),
        Format::Text => ui.list(&rows(&leases)?),
    }
    Ok(Outcome::Clean)
}

const COLUMNS: &[Column] = &[
    Column::whole("Last active", 11),
    Column::rest("File"),
    Column::optional("Agent", 11, 2),
    Column::optional("Folder", 20, 1).at_most(30).at_least(8),
    Column::optional("Doing", 30, 3).at_most(50).at_least(10),
    Column::whole("Session", 8).at_most(8).at_least(8).of_ids(),
];

fn rows(leases: &[Lease]) -> Result<List> {
    let now = moment::now();
    let paths = Paths::of(&current_folder()?);
    let mut list = List::new(COLUMNS);
    for lease in leases {
        let holder = &lease.holder;
        list.row([
            Text::styled(moment::when(lease.renewed_at, now), style::FAINT),
            paths.show(Path::new(&lease.path)).into(),
            reveal::name(&holder.label).into(),
            paths.show_absolute(Path::new(&holder.folder)).into(),
            reveal::name(&lease.doing).into(),
            Text::styled(reveal::name(&holder.session), style::NAME),
        ]);
    }
    Ok(list)
}

fn release(args: &ReleaseArgs, ui: &mut Ui) -> Result<Outcome> {
    standing::no_agent()?;
    if args.what.trim().is_empty() {
        return Err(Error::input("the file or the session is empty")
            .hint("`bowline lease list` shows both"));
    }
    let mut records = Records::open(ui)?;
    let leases = records.ask(&leases::List::default(), ui)?;
    let paths = meant(&args.what, &file_named(&args.what)?, &leases)?;
    let released = records.ask(&leases::Release { paths }, ui)?;
    match args.format.format() {
        Format::Json => ui.json(&Released { released })?,
        Format::Text => {
            let paths = Paths::of(&current_folder()?);
            for lease in &released {
                let file = paths.show(Path::new(&lease.path));
                let holder = reveal::name(&lease.holder.to_string());
                ui.line(Text::styled("Released", style::GOOD).plain(format!(" {file} ({holder})")));
            }
        }
    }
    Ok(Outcome::Clean)
}

fn current_folder() -> Result<PathBuf> {
    std::env::current_dir().map_err(|source| {
        Error::new(ErrorKind::File, "the current folder is unknown").caused_by(source)
    })
}

/// Where a path leads in the end; as far as it exists.
fn file_named(path: &str) -> Result<PathBuf> {
    let path = current_folder()?.join(path);
    if let Ok(real) = path.canonicalize() {
        return Ok(real);
    }
    // A lease may be on a file that is not there yet, or no longer.
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    Ok(match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path,
    })
}

/// The files whose leases are meant: the file itself, else those of the session.
fn meant(what: &str, file: &Path, leases: &[Lease]) -> Result<Vec<String>> {
    if let Some(lease) = leases.iter().find(|it| Path::new(&it.path) == file) {
        return Ok(vec![lease.path.clone()]);
    }
    let session = |lease: &&Lease| lease.holder.session.starts_with(what);
    let sessions: BTreeSet<&str> = (leases.iter().filter(session))
        .map(|lease| lease.holder.session.as_str())
        .collect();
    let shown = reveal::name(&clipped(what));
    // Whoever names one session does not mean those whose names begin alike.
    let session = match sessions.len() {
        0 => {
            let message = format!(
                "no session holds a lease on `{shown}`, and no session of that name holds any"
            );
            return Err(Error::input(message).hint("`bowline lease list` shows the leases"));
        }
        1 => sessions.first().copied(),
        _ => sessions.get(what).copied(),
    };
    let Some(session) = session else {
        let message = format!("{} sessions begin with `{shown}`", sessions.len());
        return Err(Error::input(message).hint("write more of the name"));
    };
    let of_session = leases.iter().filter(|it| it.holder.session == session);
    Ok(of_session.map(|lease| lease.path.clone()).collect())
}

#[cfg(test)]
mod tests {
    use bowline_continuity::lease::Holder;

    use super::*;

    #[test]
    fn a_file_or_a_session_is_meant() {
        let lease = |path: &str, session: &str| Lease {
            path: path.to_owned(),
            holder: Holder {
                chain: session.to_owned(),
                session: session.to_owned(),
                label: "claude-code".to_owned(),
                folder: "/shop".to_owned(),
            },
            taken_at: moment::now(),
            renewed_at: moment::now(),
            doing: String::new(),
        };
        let leases = [
            lease("/shop/a", "8c2f"),
            lease("/shop/b", "8c2f"),
            lease("/shop/c", "8c2f51de"),
            lease("/shop/d", "9999"),
        ];
        for (what, expected) in [
            ("/shop/a", Some(&["/shop/a"][..])),
            ("8c2f", Some(&["/shop/a", "/shop/b"])),
            ("8c2f5", Some(&["/shop/c"])),
            ("99", Some(&["/shop/d"])),
            ("8c", None),
            ("/shop", None),
            ("nobody", None),
        ] {
            let found = meant(what, Path::new(what), &leases).ok();
            let expected = expected.map(|it| it.iter().map(ToString::to_string).collect());
            assert_eq!(found, expected, "{what}");
        }
    }
}
