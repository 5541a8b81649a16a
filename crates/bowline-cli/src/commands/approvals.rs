//! `bowline approvals`: the inbox. Questions of the guard and of rules that wait for a person, and their answers.

mod answer;
mod shown;

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use bowline::settings::Wait;
use bowline_builtins::inbox::{Extent, Question};
use bowline_daemon::approvals::LIST;
use bowline_daemon::{AskError, Connection, Patience};
use clap::Subcommand;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::Outcome;
use crate::control;
use crate::error::{Error, ErrorKind, Result};
use crate::moment;
use crate::project;
use crate::stream::{self, Reader};
use crate::ui::{Format, FormatArgs, Ui};
pub(super) use answer::described;
use shown::show;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(500);

/// Answer questions about tool calls, before the agent asks them itself
///
/// With `wait = "2m"` in `[approvals]`, a question of the guard or of a rule waits here for that long. Without an answer in time the
/// agent asks by itself, as ever. Only a person at a terminal can answer
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline approvals
  bowline approvals --follow
  bowline approvals allow
  bowline approvals allow k3v9q --for-good
  bowline approvals deny k3v9q --message 'Use the staging account'")]
pub(crate) struct ApprovalsArgs {
    #[command(subcommand)]
    action: Option<Action>,

    /// Show the list again whenever a question comes or goes
    #[arg(long)]
    follow: bool,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the questions that wait, the oldest first
    List(ListArgs),
    /// Let a call run
    Allow(AllowArgs),
    /// Keep a call from running
    Deny(DenyArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline approvals list
  bowline approvals list --follow
  bowline approvals list --json")]
struct ListArgs {
    /// Show the list again whenever a question comes or goes
    #[arg(long)]
    follow: bool,

    #[command(flatten)]
    format: FormatArgs,
}

/// Let a call run
///
/// The answer is for this call alone. With --session or --for-good it is also written down that the guard says nothing to the same call
/// again; that is shown first. Nothing is granted by it: the agent still asks what it would ask
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline approvals allow
  bowline approvals allow k3v9q
  bowline approvals allow k3v9q --session
  bowline approvals allow k3v9q --for-good --yes")]
struct AllowArgs {
    /// The question, by its id or the beginning of it; without it, the only one that waits
    id: Option<String>,

    /// The guard says nothing to exactly this call in the rest of its session
    #[arg(long, conflicts_with = "for_good")]
    session: bool,

    /// The guard says nothing to such a call any more: writes the narrowest entry into bowline.local.toml
    #[arg(long)]
    for_good: bool,

    /// Do not ask
    #[arg(long, short)]
    yes: bool,

    #[command(flatten)]
    format: FormatArgs,
}

/// Keep a call from running
///
/// The model is told that a person denied it, and the message
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline approvals deny
  bowline approvals deny k3v9q --message 'Use the staging account'")]
struct DenyArgs {
    /// The question, by its id or the beginning of it; without it, the only one that waits
    id: Option<String>,

    /// What the model is told
    #[arg(long, short, value_name = "TEXT")]
    message: Option<String>,

    #[command(flatten)]
    format: FormatArgs,
}

impl ApprovalsArgs {
    pub(crate) fn format(&self) -> Format {
        let own = match &self.action {
            None => self.format,
            Some(Action::List(args)) => args.format,
            Some(Action::Allow(args)) => args.format,
            Some(Action::Deny(args)) => args.format,
        };
        own.or(self.format).format()
    }
}

impl AllowArgs {
    fn extent(&self) -> Extent {
        match (self.session, self.for_good) {
            (true, _) => Extent::Session,
            (false, true) => Extent::Always,
            (false, false) => Extent::Once,
        }
    }
}

/// The questions that wait, and whether any could.
#[derive(Debug, PartialEq, Serialize)]
struct Waiting {
    questions: Vec<Question>,
    inbox: State,
}

/// Whether questions of the project here wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    On,
    /// The settings say that the agent asks at once.
    Off,
    /// Nobody keeps them.
    NoDaemon,
}

impl State {
    /// Why none can wait, and what to do.
    const fn told(self) -> Option<&'static str> {
        match self {
            Self::On => None,
            Self::Off => Some(
                "The inbox is off for this folder: an agent asks by itself. To let its questions wait here, write `wait = \"2m\"` below `[approvals]` into `~/.config/bowline/config.toml` (`bowline config init` makes the file).",
            ),
            Self::NoDaemon => Some(
                "No daemon runs, so that none can wait. `bowline daemon start` starts one, and so does the next event of an agent.",
            ),
        }
    }
}

pub(crate) fn run(args: &ApprovalsArgs, ui: &mut Ui) -> Result<Outcome> {
    let format = args.format();
    match &args.action {
        Some(Action::Allow(_) | Action::Deny(_)) if args.follow => {
            let hint = "leave out `--follow`, or say it without `allow` and `deny`";
            Err(Error::usage("`--follow` is for the list of the questions that wait").hint(hint))
        }
        Some(Action::List(list)) if list.follow || args.follow => follow(format, ui),
        None if args.follow => follow(format, ui),
        None | Some(Action::List(_)) => {
            list(&waiting()?, format, ui)?;
            Ok(Outcome::Clean)
        }
        Some(Action::Allow(args)) => answer::allow(args, format, ui),
        Some(Action::Deny(args)) => answer::deny(args, format, ui),
    }
}

fn list(waiting: &Waiting, format: Format, ui: &mut Ui) -> Result<()> {
    match format {
        Format::Json => return ui.json(waiting),
        Format::Text if waiting.questions.is_empty() => none(waiting.inbox, ui),
        Format::Text => show(&waiting.questions, moment::now(), ui),
    }
    Ok(())
}

fn none(inbox: State, ui: &mut Ui) {
    ui.line("No question waits.");
    if let Some(told) = inbox.told() {
        ui.line(told);
    }
}

fn follow(format: Format, ui: &mut Ui) -> Result<Outcome> {
    let drawn = format == Format::Text && io::stdout().is_terminal();
    let mut last: Option<Waiting> = None;
    loop {
        let now = waiting()?;
        if drawn {
            ui.resize();
            list(&now, format, ui)?;
            ui.redraw()?;
        } else if last.as_ref() != Some(&now) {
            match format {
                Format::Json => ui.json_line(&now)?,
                Format::Text => {
                    if last.is_some() {
                        ui.blank();
                    }
                    list(&now, format, ui)?;
                }
            }
            ui.flush()?;
        }
        last = Some(now);
        if stream::pause(PAUSE) == Reader::Gone {
            return Ok(Outcome::Clean);
        }
    }
}

/// The questions that wait. Without a daemon there are none.
fn waiting() -> Result<Waiting> {
    let (questions, running) = match ask(LIST, Map::new()) {
        Ok(questions) => (read(questions)?, State::On),
        Err(Unasked::NoDaemon) => (Vec::new(), State::NoDaemon),
        Err(Unasked::Failed(error)) => return Err(error),
    };
    // Whoever's folder is gone can still answer.
    let settings = project::folder(None).map(|folder| project::load(&folder));
    let is_off = settings.is_ok_and(|it| it.config.approvals.wait == Wait::Off);
    // That no daemon runs makes no difference then.
    let inbox = if is_off { State::Off } else { running };
    Ok(Waiting { questions, inbox })
}

/// Why the daemon could not be asked.
enum Unasked {
    NoDaemon,
    Failed(Error),
}

fn ask(command: &str, arguments: Map<String, Value>) -> Result<Value, Unasked> {
    let places = control::places().map_err(Unasked::Failed)?;
    let answer = Connection::open_with(&places.socket, Patience::Short)
        .and_then(|mut daemon| daemon.ask(command, arguments));
    answer.map_err(|error| match error {
        error if error.is_absence() => Unasked::NoDaemon,
        AskError::Refused(refusal) => Unasked::Failed(Error::usage(refusal.to_string())),
        error => Unasked::Failed(control::trouble(&places, &error)),
    })
}

fn read<T: serde::de::DeserializeOwned>(answer: Value) -> Result<T> {
    serde_json::from_value(answer).map_err(|source| {
        Error::new(
            ErrorKind::System,
            "the daemon's answer cannot be understood",
        )
        .caused_by(source)
        .hint("`bowline daemon restart` starts one of this version")
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use crate::{Cli, Command};

    #[test]
    fn the_list_is_what_is_meant_where_nothing_is_said() {
        for (arguments, fits) in [
            ("", true),
            ("--follow", true),
            ("--json", true),
            ("--follow --json", true),
            ("list --follow", true),
            ("--follow list", true),
            ("allow --follow", false),
        ] {
            let words = ["bowline", "approvals"].into_iter();
            let parsed = Cli::try_parse_from(words.chain(arguments.split_whitespace()));
            assert_eq!(parsed.is_ok(), fits, "{arguments}");
            if let Ok(cli) = parsed {
                assert!(matches!(cli.command, Command::Approvals(_)), "{arguments}");
            }
        }
    }
}
