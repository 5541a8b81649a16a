//! `bowline store forget`: removes records for good, after showing what goes.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::PathBuf;

use bowline_daemon::Places;
use bowline_daemon::rpc::{MAX_LIMIT, SessionKey, sessions, store, traces};
use bowline_store::{Forgotten, Session};
use chrono::{DateTime, Utc};
use serde::Serialize;

use super::figures::Figures;
use crate::ask::{self, Records};
use crate::commands::meant::note_unknown_project;
use crate::commands::session::no_session;
use crate::commands::trace::project_name;
use crate::error::{Error, Result};
use crate::moment::{self, parse_time};
use crate::ui::{Format, FormatArgs, Text, Ui, YesOrNo, counted, reveal, style};
use crate::{Outcome, control, project};

#[derive(Debug, clap::Args)]
#[command(
    group(clap::ArgGroup::new("what").required(true)),
    after_help = "\
Examples:
  bowline store forget --session 8c2f51de-0d6b-4a3e-9f5c-1f2e3d4c5b6a
  bowline store forget --project . --yes
  bowline store forget --before 7d
  bowline store forget --all

What was forgotten cannot be brought back; `bowline store backup` makes a copy
first. Nothing of it is left in any file that Bowline keeps, for which the
database is written anew; should something remain, it is said where, and the
exit code is 1"
)]
pub(super) struct ForgetArgs {
    /// This session, with what it continues and what continues it
    #[arg(long, value_name = "SESSION", group = "what")]
    session: Option<String>,

    /// Everything of this folder's project; `.` is the current one
    #[arg(long, value_name = "DIR", group = "what")]
    project: Option<PathBuf>,

    /// Everything before then: 7d, 2026-11-15 or a time
    #[arg(long, value_name = "TIME", value_parser = parse_time, group = "what")]
    before: Option<DateTime<Utc>>,

    /// Everything
    #[arg(long, group = "what")]
    all: bool,

    /// Do not ask
    #[arg(long, short)]
    yes: bool,

    #[command(flatten)]
    pub(super) format: FormatArgs,
}

impl ForgetArgs {
    fn question(&self) -> Result<store::Forget> {
        if self.session.as_ref().is_some_and(String::is_empty) {
            Err(
                Error::usage("--session is empty; expected the name of a session")
                    .hint("`bowline session list` shows the names"),
            )
        } else if let Some(session) = &self.session {
            Ok(store::Forget::Session(session.clone()))
        } else if let Some(project) = &self.project {
            Ok(store::Forget::Project(project_name(project)?))
        } else if let Some(before) = self.before {
            if before > Utc::now() {
                return Err(Error::usage("--before lies in the future")
                    .hint("`bowline store forget --all` forgets everything"));
            }
            Ok(store::Forget::Before(before))
        } else if self.all {
            Ok(store::Forget::All)
        } else {
            Err(Error::usage("name what to forget").hint("`bowline store forget --help`"))
        }
    }
}

#[derive(Debug, Serialize)]
struct Report {
    forgotten: Forgotten,
}

pub(super) fn run(args: ForgetArgs, ui: &mut Ui) -> Result<Outcome> {
    let question = args.question()?;
    let format = args.format.format();
    let mut records = Records::open(ui)?.or_error()?;
    if !args.yes {
        if format == Format::Json {
            return Err(Error::usage("what is forgotten is gone for good")
                .hint("run it without --json to see what goes, or add --yes"));
        }
        let preview = Preview::of(&question, &mut records, ui)?;
        if preview.is_empty() {
            known(&question, &mut records, ui)?;
            ui.line("There is nothing like that; nothing was forgotten.");
            return Ok(Outcome::Clean);
        }
        ui.line(preview.text(&question));
        let answer = ui
            .ask("Forget it for good?")
            .map_err(|error| error.hint("look at what goes, then run it again with --yes"))?;
        if answer == YesOrNo::No {
            ui.line("Nothing was forgotten.");
            return Ok(Outcome::Findings);
        }
    }
    let places = ask::places()?;
    let figures = Figures::before(&question, &places.data, &mut records, ui)?;
    let mut forgotten = records.ask(&question, ui)?;
    if forgotten == Forgotten::default() {
        known(&question, &mut records, ui)?;
    }
    forgotten.remains.extend(figures.forget(&mut records, ui));
    forgotten.remains.extend(empty_logs(&places));
    let remains = forgotten.remains.clone();
    match format {
        Format::Json => ui.json(&Report { forgotten })?,
        Format::Text => ui.line(Text::styled(
            format!(
                "Forgotten: {}, {}, {}.",
                counted(forgotten.events, "event"),
                counted(forgotten.traces, "tool call"),
                counted(forgotten.sessions, "session")
            ),
            style::GOOD,
        )),
    }
    for place in &remains {
        ui.note(place);
    }
    Ok(if remains.is_empty() {
        Outcome::Clean
    } else {
        Outcome::Findings
    })
}

/// The daemon's log may quote what was forgotten: it begins anew. Says which file could not be emptied.
fn empty_logs(places: &Places) -> Vec<String> {
    let log = control::log_file(places);
    let older = control::older_log_file(places);
    // The daemon keeps writing at the end of the file that it has open.
    let emptied = OpenOptions::new().write(true).truncate(true).open(&log);
    let results = [
        (log, emptied.map(drop)),
        (older.clone(), fs::remove_file(older)),
    ];
    let failed = results
        .into_iter()
        .filter_map(|(file, result)| match result {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Some(format!(
                "{} could not be emptied and may quote what was forgotten: {error}; remove it",
                project::shown(&file)
            )),
            _ => None,
        });
    failed.collect()
}

/// There is nothing to forget. If a session was named, it does not exist. Of a project that is said beside the answer: whoever wants it
/// gone has what they want.
fn known(question: &store::Forget, records: &mut Records, ui: &Ui) -> Result<()> {
    match question {
        store::Forget::Session(name) => Err(no_session(name)),
        store::Forget::Project(folder) => note_unknown_project(Some(folder), records, ui),
        _ => Ok(()),
    }
}

/// What would be removed, as far as that is known in advance.
#[derive(Debug, Default)]
struct Preview {
    sessions: usize,
    calls: usize,
    /// Whether there are more than are counted here.
    more: bool,
}

impl Preview {
    fn of(question: &store::Forget, records: &mut Records, ui: &Ui) -> Result<Self> {
        let mut filter = traces::Filter::default();
        let mut wanted = sessions::List {
            limit: Some(MAX_LIMIT),
            ..sessions::List::default()
        };
        let mut counts: fn(&Session, DateTime<Utc>) -> bool = |_, _| true;
        let mut before = DateTime::<Utc>::MAX_UTC;
        match question {
            store::Forget::Session(name) => {
                let session = SessionKey::Name(name.clone());
                let details = records.ask(
                    &sessions::Get {
                        session: session.clone(),
                    },
                    ui,
                )?;
                filter.session = Some(session);
                let statistics = records.ask(&traces::Stats { filter }, ui)?;
                // A filter takes the beginning of a name, too; this is about one session.
                return Ok(details.map_or_else(Self::default, |details| Self {
                    sessions: details.sessions.len(),
                    calls: statistics.looked_at,
                    more: statistics.more,
                }));
            }
            store::Forget::Project(project) => {
                filter.project = Some(project.clone());
                wanted.project = Some(project.clone());
            }
            store::Forget::Before(time) => {
                before = *time;
                counts = |session, before| session.started_at < before;
            }
            store::Forget::All => {}
        }
        let sessions = records.ask(&wanted, ui)?;
        let statistics = records.ask(&traces::Stats { filter }, ui)?;
        let counted = sessions
            .iter()
            .filter(|it| counts(&it.newest, before))
            .count();
        Ok(Self {
            sessions: counted,
            // Calls cannot be counted up to a time, only from one on.
            calls: match question {
                store::Forget::Before(_) => 0,
                _ => statistics.looked_at,
            },
            more: statistics.more || sessions.len() == MAX_LIMIT,
        })
    }

    fn is_empty(&self) -> bool {
        self.sessions == 0 && self.calls == 0 && !self.more
    }

    fn text(&self, question: &store::Forget) -> String {
        let more = if self.more { " and more" } else { "" };
        let sessions = counted(self.sessions, "session");
        let counted = format!("{sessions} with {}{more}", counted(self.calls, "tool call"));
        match question {
            store::Forget::Session(name) => {
                format!("Session {}: {counted}.", reveal::name(name))
            }
            store::Forget::Project(folder) => {
                format!("Project {}: {counted}.", reveal::name(folder))
            }
            store::Forget::Before(time) => format!(
                "Everything before {}: all or a part of {sessions}{more}.",
                moment::full(*time)
            ),
            store::Forget::All => format!("Everything: {counted}."),
        }
    }
}
