//! `bowline allow`: takes away the voice of one of the guard's rules, for one call or in one place.

use std::path::{Path, PathBuf};

use bowline::settings::{Allowance, AllowanceStore, Lasts, Locations, Reach, Wish};
use bowline_builtins::guard::{SECRET_WRITING, guards_itself, is_rule};
use bowline_daemon::rpc::sessions;
use bowline_guard::rules;
use chrono::{TimeDelta, Utc};
use clap::ArgGroup;
use serde::Serialize;

use super::pause::{length, shown};
use super::session;
use crate::Outcome;
use crate::ask::Records;
use crate::control;
use crate::error::{Error, ErrorKind, Result};
use crate::moment;
use crate::project::{self, Paths};
use crate::recorded::{LAST, Recorded};
use crate::standing;
use crate::ui::{Format, FormatArgs, Table, Text, Ui, YesOrNo, clipped, reveal, style};

/// Let a call pass that the guard stopped, or silence one of its rules
///
/// The entry is shown before it is written. It takes away the voice of one rule and nothing else: all other rules still count, the
/// agent still asks what it would ask, and the administrator's settings stay above it. Only a person at a terminal can do this
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline allow last                 the last call stopped in this project
  bowline allow last --once          the same, one time
  bowline allow git.clean --for 1h   what this rule finds here, for an hour
  bowline allow git.clean --session 8c2f51de
                                     the same, in this session
  bowline allow --list
  bowline allow --remove 3")]
#[command(group(ArgGroup::new("extent").args(["once", "length", "session", "project", "global"])))]
#[command(group(ArgGroup::new("what").args(["named", "list", "remove"])))]
pub(crate) struct AllowArgs {
    /// A rule such as git.clean, the id of a call or event, or `last`
    #[arg(value_name = "RULE|CALL")]
    named: Option<String>,

    /// For one call; a call that was stopped, in its own session
    #[arg(long)]
    once: bool,

    /// For this long: 30s, 10m, 2h or 1d
    #[arg(long = "for", value_name = "TIME", value_parser = length)]
    length: Option<TimeDelta>,

    /// In this session, by the agent's name for it or its beginning, and in none that continues it. Without a name in the session of the
    /// call; for a rule in the one of this project that was active last
    #[arg(long, value_name = "SESSION", num_args = 0..=1, default_missing_value = "")]
    session: Option<WhichSession>,

    /// In the project of the call, or in this one; this is the default
    #[arg(long)]
    project: bool,

    /// Everywhere
    #[arg(long)]
    global: bool,

    /// Do not ask
    #[arg(long, short, conflicts_with_all = ["list", "remove"])]
    yes: bool,

    /// List what is allowed
    #[arg(long, conflicts_with = "extent")]
    list: bool,

    /// Remove the entry of this number
    #[arg(long, value_name = "N", conflicts_with = "extent")]
    remove: Option<u64>,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// The session that is meant.
#[derive(Debug, Clone)]
enum WhichSession {
    /// None is named.
    Usual,
    Named(String),
}

impl From<&str> for WhichSession {
    fn from(name: &str) -> Self {
        match name {
            "" => Self::Usual,
            name => Self::Named(name.to_owned()),
        }
    }
}

/// What is to be allowed.
struct Wanted<'a> {
    /// A rule or a call.
    named: &'a str,
    session: Option<&'a WhichSession>,
    args: &'a AllowArgs,
}

#[derive(Debug, Serialize)]
struct Listed<'a> {
    allowed: &'a [Allowance],
    /// Why none of it counts.
    locked: Option<String>,
}

#[derive(Debug, Serialize)]
struct Report {
    entry: Wish,
    /// Absent if it was not written.
    number: Option<u64>,
}

#[derive(Debug, Serialize)]
struct Removed {
    removed: Option<Allowance>,
}

pub(crate) fn run(args: &AllowArgs, ui: &mut Ui) -> Result<Outcome> {
    standing::person()?;
    let mut store = AllowanceStore::open(&Locations::from_env());
    if let Some(problem) = store.problem() {
        return Err(Error::new(ErrorKind::File, problem.to_owned())
            .hint("repair the file, or remove it and allow again"));
    }
    match args.remove {
        Some(number) => remove(number, &mut store, args.format.format(), ui),
        None if args.list => list(&store, args.format.format(), ui),
        None => allow(&args.wanted()?, &mut store, ui),
    }
}

impl AllowArgs {
    /// What is to be allowed, and in which session. A word that stands alone after `--session` is that.
    fn wanted(&self) -> Result<Wanted<'_>> {
        let (named, session) = match (&self.named, &self.session) {
            (Some(named), session) => (named, session.as_ref()),
            (None, Some(WhichSession::Named(named))) => (named, Some(&WhichSession::Usual)),
            (None, _) => {
                return Err(Error::usage("nothing to allow is named").hint(
                    "name a rule such as git.clean, a call, or `last`; `bowline allow --list` shows what is allowed",
                ));
            }
        };
        Ok(Wanted {
            named,
            session,
            args: self,
        })
    }
}

fn allow(wanted: &Wanted<'_>, store: &mut AllowanceStore, ui: &mut Ui) -> Result<Outcome> {
    let wish = wish(wanted, ui)?;
    refuse_in_vain(&wish)?;
    let args = wanted.args;
    let format = args.format.format();
    if format == Format::Text {
        describe(&wish, ui);
    }
    let consent = match (args.yes, format) {
        (true, _) => YesOrNo::Yes,
        (false, Format::Json) => YesOrNo::No,
        (false, Format::Text) => ui.ask("Allow this?")?,
    };
    let number = match consent {
        YesOrNo::Yes => Some(store.add(wish.clone()).map_err(cannot_write)?.number),
        YesOrNo::No => None,
    };
    tell_daemon();
    match (format, number) {
        (Format::Json, _) => ui.json(&Report {
            entry: wish,
            number,
        })?,
        (Format::Text, Some(number)) => ui.line(
            Text::styled("Allowed.", style::GOOD)
                .plain(format!(" `bowline allow --remove {number}` takes it back.")),
        ),
        (Format::Text, None) => ui.line("Not allowed; nothing was changed."),
    }
    Ok(match number {
        Some(_) => Outcome::Clean,
        None => Outcome::Findings,
    })
}

/// The narrowest entry that is what was asked for.
fn wish(wanted: &Wanted<'_>, ui: &Ui) -> Result<Wish> {
    let (named, args) = (wanted.named, wanted.args);
    let here = project::load(&project::folder(None)?).project;
    let lasts = match (args.once, args.length) {
        (true, _) => Lasts::Once,
        (false, Some(length)) => Lasts::Until(Utc::now() + length),
        (false, None) => Lasts::Always,
    };
    if is_rule(named) {
        return Ok(Wish {
            rule: named.to_owned(),
            call: None,
            reach: reach(wanted, here, || last_active(ui), ui)?,
            lasts,
        });
    }
    let found = Recorded::find(named, ui)?.ok_or_else(|| {
        Error::usage(format!("`{named}` is no rule of the guard, and no call that was recorded"))
            .hint("`bowline rules list` shows the rules, `bowline log` the calls; `last` is the last one that was stopped")
    })?;
    if named == LAST {
        must_be_of(&here, &found)?;
    }
    let rule = found.rule().ok_or_else(|| no_rule(&found))?;
    let call = found.exact_call().ok_or_else(|| {
        Error::usage(
            "this call was not kept word for word, so that nothing can be allowed for it alone",
        )
        .hint(format!(
            "`bowline allow {rule} --once` lets the next call pass that this rule stops"
        ))
    })?;
    let project = found
        .event
        .decided
        .project
        .as_ref()
        .map_or(here, PathBuf::from);
    let session = found.event.decided.session.clone();
    // One time is for the agent that was stopped, and not for whoever comes first.
    let reach = if lasts == Lasts::Once && !session.is_empty() {
        Reach::Session(session)
    } else {
        reach(wanted, project, || Ok(session), ui)?
    };
    Ok(Wish {
        rule,
        call: Some(call),
        reach,
        lasts,
    })
}

/// Whoever says `last` means what happened here, not what another agent did elsewhere meanwhile.
fn must_be_of(here: &Path, found: &Recorded) -> Result<()> {
    let decided = &found.event.decided;
    match decided.project.as_deref() {
        Some(project) if Path::new(project) != here => {
            let project = Paths::of(Path::new("")).show_absolute(Path::new(project));
            let message = format!(
                "nothing was stopped in this project; the last call that was stopped is of {project}"
            );
            let id = reveal::name(&decided.id);
            Err(Error::usage(message).hint(format!(
                "`bowline why {id}` shows it, `bowline allow {id}` allows it"
            )))
        }
        _ => Ok(()),
    }
}

fn no_rule(found: &Recorded) -> Error {
    let why = found
        .event
        .decided
        .reason
        .as_deref()
        .unwrap_or("it was let pass");
    Error::usage(format!("no rule of the guard stopped this call: {why}")).hint(
        "what your own hooks and rules stop is changed in their files: `bowline hooks` lists them",
    )
}

fn reach(
    wanted: &Wanted<'_>,
    project: PathBuf,
    usual_session: impl FnOnce() -> Result<String>,
    ui: &Ui,
) -> Result<Reach> {
    Ok(match (wanted.args.global, wanted.session) {
        (true, _) => Reach::Global,
        (false, Some(WhichSession::Named(name))) => {
            Reach::Session(session::named(name, &mut Records::open(ui)?, ui)?)
        }
        (false, Some(WhichSession::Usual)) => Reach::Session(usual_session()?),
        (false, None) => Reach::Project(project),
    })
}

/// The session of this project that was active last.
fn last_active(ui: &Ui) -> Result<String> {
    let folder = project::load(&project::folder(None)?).project;
    let question = sessions::List {
        project: folder.to_str().map(ToOwned::to_owned),
        limit: Some(1),
        ..sessions::List::default()
    };
    let newest = Records::open(ui)?.ask(&question, ui)?.into_iter().next();
    newest.map(|session| session.newest.session).ok_or_else(|| {
        Error::usage("no session of this project is recorded")
            .hint("`bowline allow RULE` allows it in the project")
    })
}

/// An entry that would have no effect is not written.
fn refuse_in_vain(wish: &Wish) -> Result<()> {
    if guards_itself(&wish.rule) {
        return Err(Error::usage(format!(
            "{} guards Bowline itself; it cannot be silenced",
            wish.rule
        )));
    }
    let config = project::load(&project::folder(None)?).config;
    match config.allow_locked {
        Some(why) => Err(Error::usage(format!(
            "nothing can be allowed on this machine: {why}"
        ))),
        None => Ok(()),
    }
}

fn describe(wish: &Wish, ui: &mut Ui) {
    let summary = rules::rules()
        .into_iter()
        .find(|rule| rule.id == wish.rule)
        .map_or_else(
            || SECRET_WRITING.to_owned(),
            |rule| rule.summary.into_owned(),
        );
    let label = |name: &str| Text::styled(format!("{name:<8} "), style::FAINT);
    ui.labelled(
        label("Rule"),
        &Text::styled(&wish.rule, style::NAME).with(format!("  {summary}"), style::FAINT),
    );
    ui.labelled(label("Call"), &what(wish).into());
    ui.labelled(label("Where"), &place(wish).into());
    ui.labelled(label("How long"), &duration(wish).into());
    ui.line("Whatever else the guard finds in such a call still counts; nothing is granted.");
}

fn what(wish: &Wish) -> String {
    match &wish.call {
        Some(call) => format!("{} {}", call.tool, clipped(&reveal::name(&call.what))),
        None => "every call".to_owned(),
    }
}

fn place(wish: &Wish) -> String {
    match &wish.reach {
        Reach::Project(folder) => {
            format!("in {}", Paths::of(Path::new("")).show_absolute(folder))
        }
        Reach::Session(session) => format!("in session {}", reveal::name(session)),
        _ => "everywhere".to_owned(),
    }
}

/// In a list the beginning of a session's name is enough, as elsewhere.
fn short_place(wish: &Wish) -> String {
    const SHOWN: usize = 8;
    match &wish.reach {
        Reach::Session(session) if session.chars().count() > SHOWN => {
            let beginning: String = session.chars().take(SHOWN).collect();
            format!("in session {}…", reveal::name(&beginning))
        }
        _ => place(wish),
    }
}

fn duration(wish: &Wish) -> String {
    match &wish.lasts {
        Lasts::Once => "once".to_owned(),
        Lasts::Until(until) => format!("until {}", shown(*until)),
        _ => "until it is removed".to_owned(),
    }
}

fn list(store: &AllowanceStore, format: Format, ui: &mut Ui) -> Result<Outcome> {
    let now = moment::now();
    let open: Vec<Allowance> = store
        .entries()
        .iter()
        .filter(|it| it.is_open(now))
        .cloned()
        .collect();
    let locked = project::load(&project::folder(None)?).config.allow_locked;
    if format == Format::Json {
        ui.json(&Listed {
            allowed: &open,
            locked,
        })?;
        return Ok(Outcome::Clean);
    }
    if let Some(why) = locked {
        ui.line(Text::styled(
            format!("None of this counts: {why}."),
            style::CAUTION,
        ));
    }
    if open.is_empty() {
        ui.line("Nothing is allowed.");
        return Ok(Outcome::Clean);
    }
    let mut table = Table::new(["N", "Rule", "Call", "Where", "How long"]);
    for entry in &open {
        table.row([
            entry.number.to_string().into(),
            Text::styled(&entry.wish.rule, style::NAME),
            what(&entry.wish).into(),
            short_place(&entry.wish).into(),
            duration(&entry.wish).into(),
        ]);
    }
    ui.table(&table);
    Ok(Outcome::Clean)
}

fn remove(number: u64, store: &mut AllowanceStore, format: Format, ui: &mut Ui) -> Result<Outcome> {
    let removed = store.remove(number).map_err(cannot_write)?;
    tell_daemon();
    let outcome = match &removed {
        Some(_) => Outcome::Clean,
        None => Outcome::Findings,
    };
    match (format, &removed) {
        (Format::Json, _) => ui.json(&Removed { removed })?,
        (Format::Text, Some(entry)) => ui.line(format!(
            "{} counts again: {}, {}.",
            entry.wish.rule,
            what(&entry.wish),
            place(&entry.wish)
        )),
        (Format::Text, None) => ui.line("There is no entry of this number."),
    }
    Ok(outcome)
}

fn cannot_write(source: bowline::Error) -> Error {
    Error::new(ErrorKind::File, "cannot change what is allowed").caused_by(source)
}

/// A running daemon reads the record again at once.
fn tell_daemon() {
    if let Ok(places) = control::places() {
        control::tell(&places, "daemon.reload");
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, Command, FromArgMatches as _};

    use super::*;

    #[test]
    fn a_rule_is_named_before_or_after_its_session() {
        for (words, expected) in [
            ("git.clean", Some(("git.clean", None))),
            ("git.clean --session", Some(("git.clean", Some("")))),
            ("git.clean --session s1", Some(("git.clean", Some("s1")))),
            ("--session s1 git.clean", Some(("git.clean", Some("s1")))),
            ("--session=s1 git.clean", Some(("git.clean", Some("s1")))),
            ("--session git.clean", Some(("git.clean", Some("")))),
            ("--session git.clean --yes", Some(("git.clean", Some("")))),
            ("--session last", Some(("last", Some("")))),
            ("--session --yes", None),
            ("--once", None),
        ] {
            let command = AllowArgs::augment_args(Command::new("allow").no_binary_name(true));
            let matches = command.get_matches_from(words.split(' '));
            let args = AllowArgs::from_arg_matches(&matches).unwrap();
            let wanted = args.wanted().ok();
            let wanted = wanted.map(|it| {
                let session = it.session.map(|session| match session {
                    WhichSession::Usual => "",
                    WhichSession::Named(name) => name,
                });
                (it.named, session)
            });
            assert_eq!(wanted, expected, "{words}");
        }
    }
}
