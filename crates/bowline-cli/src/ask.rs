//! Asking what was recorded: the daemon, or the store itself where no daemon answers.

use std::io;

use bowline_continuity::{Code, RuleError};
use bowline_daemon::rpc::{self, Access, Question};
use bowline_daemon::{AskError, Connection, Patience, Places};
use bowline_store::SqliteStore;
use bowline_wire::RequestError;
use serde_json::Value;

use crate::control;
use crate::error::{Error, ErrorKind, Result};
use crate::ui::Ui;

/// What to do on a machine on which nothing happened yet.
pub(crate) const NOTHING_YET: &str = "Nothing is recorded yet. `bowline init` puts Bowline into your agent; what it does is then listed here.";

/// What was recorded on this machine.
#[derive(Debug)]
pub(crate) struct Records {
    places: Places,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Daemon(Connection),
    Store(Box<SqliteStore>),
    /// Nothing was ever recorded.
    Nothing,
}

impl Records {
    /// Finds them.
    pub(crate) fn open(ui: &Ui) -> Result<Self> {
        Self::at(places()?, ui)
    }

    /// Finds them at these places.
    pub(crate) fn at(places: Places, ui: &Ui) -> Result<Self> {
        let source = match Connection::open_with(&places.socket, Patience::Brief) {
            Ok(connection) => Source::Daemon(connection),
            Err(error) => open_store(&places, &error, ui)?,
        };
        Ok(Self { places, source })
    }

    /// Whether nothing was ever recorded.
    pub(crate) fn is_nothing(&self) -> bool {
        matches!(self.source, Source::Nothing)
    }

    /// Whether a daemon answers. What it does beside that is not done by anybody else.
    pub(crate) const fn has_daemon(&self) -> bool {
        matches!(self.source, Source::Daemon(_))
    }

    /// Where there is something to be done with records, there have to be some.
    pub(crate) fn or_error(self) -> Result<Self> {
        if self.is_nothing() {
            return Err(Error::new(ErrorKind::Records, "nothing is recorded yet")
                .hint("`bowline init` puts Bowline into your agent"));
        }
        Ok(self)
    }

    /// Where something is to be kept, the first thing may be that.
    pub(crate) fn or_new(self) -> Result<Self> {
        let source = match self.source {
            Source::Nothing => Source::Store(Box::new(store(&self.places)?)),
            source => source,
        };
        Ok(Self { source, ..self })
    }

    /// Asks, and waits for the answer.
    pub(crate) fn ask<Q: Question>(&mut self, question: &Q, ui: &Ui) -> Result<Q::Answer> {
        let data = match &mut self.source {
            Source::Nothing => return Ok(Q::Answer::default()),
            Source::Store(store) => rpc::answer(&**store, &question.request())
                .result
                .map_err(refused)?,
            Source::Daemon(connection) => {
                // A question that only reads can also go to the store, so do not wait long for a daemon that hangs. A change may
                // take long, so find out first whether the daemon hangs.
                connection.set_patience(Patience::Brief);
                if Q::ACCESS == Access::Changes {
                    match connection.status() {
                        Ok(_) => connection.set_patience(Patience::Usual),
                        // It ended before it was told to change anything.
                        Err(error) if is_gone(&error) => {
                            self.source = Source::Store(Box::new(store(&self.places)?));
                            return self.ask(question, ui);
                        }
                        Err(error) => return Err(control::trouble(&self.places, &error)),
                    }
                }
                match connection.ask(Q::COMMAND, question.arguments()) {
                    Ok(data) => data,
                    Err(error) if Q::ACCESS == Access::Reads && is_no_answer(&error) => {
                        self.source = open_store(&self.places, &error, ui)?;
                        return self.ask(question, ui);
                    }
                    Err(AskError::Refused(error)) => return Err(refused(error)),
                    // It may have been done, so that it is not tried elsewhere.
                    Err(error) if Q::ACCESS == Access::Changes => {
                        return Err(left_open(Q::COMMAND, error));
                    }
                    Err(error) => {
                        return Err(cannot_ask()
                            .caused_by(error)
                            .hint("`bowline daemon status` tells whether it is well"));
                    }
                }
            }
        };
        read::<Q>(data)
    }
}

/// Where Bowline keeps things.
pub(crate) fn places() -> Result<Places> {
    Places::from_env().map_err(|source| cannot_ask().caused_by(source))
}

fn open_store(places: &Places, error: &AskError, ui: &Ui) -> Result<Source> {
    // Looking must not leave traces on a machine on which nothing happened yet.
    if !places.data.exists() {
        return Ok(Source::Nothing);
    }
    // One that is not running ended as it should, or was never needed.
    if !error.is_absence() {
        ui.note(
            "the daemon does not answer; read from the store (`bowline daemon status` tells more)",
        );
    }
    Ok(Source::Store(Box::new(store(places)?)))
}

fn store(places: &Places) -> Result<SqliteStore> {
    SqliteStore::open(places.store()).map_err(|source| {
        Error::new(ErrorKind::Records, "the records cannot be opened").caused_by(source)
    })
}

/// A change that was begun, and of which nobody knows whether it was made.
fn left_open(command: &str, error: AskError) -> Error {
    let look = match command.split('.').next() {
        Some("efforts") => "bowline effort show",
        Some("tasks") => "bowline task list",
        Some("notes") => "bowline note list",
        Some("leases") => "bowline lease list",
        Some("fleet") => "bowline fleet",
        _ => "bowline store size",
    };
    Error::new(
        ErrorKind::Records,
        "the daemon did not say whether this was done; it may have been, and was not tried again",
    )
    .caused_by(error)
    .hint(format!(
        "`{look}` shows how things are; repeat it if it was not done"
    ))
}

/// Whether the daemon ended, instead of hanging or being somebody else.
fn is_gone(error: &AskError) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
    let kinds = [BrokenPipe, ConnectionReset, UnexpectedEof];
    matches!(error, AskError::Unreachable(error) if kinds.contains(&error.kind()))
}

/// Whether no daemon could answer: there is none, it hangs, or it has another version.
fn is_no_answer(error: &AskError) -> bool {
    match error {
        AskError::Refused(error) => matches!(error, RequestError::UnknownCommand { .. }),
        _ => true,
    }
}

fn read<Q: Question>(data: Value) -> Result<Q::Answer> {
    serde_json::from_value(data).map_err(|source| {
        Error::new(
            ErrorKind::Records,
            "the daemon's answer cannot be understood",
        )
        .caused_by(source)
        .hint("a daemon of another version may be running: `bowline daemon restart`")
    })
}

fn refused(error: RequestError) -> Error {
    if let Some(rule) = rule_of(&error) {
        return Error::refused(rule);
    }
    match &error {
        // The arguments are checked on the way in; only another version can think differently of them.
        RequestError::InvalidArguments(_) => Error::usage(error.to_string()),
        RequestError::Handler { code, .. } if code == "HANDLER_ERROR" => {
            Error::new(ErrorKind::Records, error.to_string())
                .hint("`bowline doctor` looks at the store")
        }
        _ => Error::new(ErrorKind::Records, error.to_string()),
    }
}

/// The rule of tasks and efforts that forbids what was asked.
fn rule_of(error: &RequestError) -> Option<RuleError> {
    let RequestError::Handler {
        code,
        message,
        details,
    } = error
    else {
        return None;
    };
    let code = Code::of_word(code)?;
    Some(RuleError::new(code, message).with_details(details.clone()))
}

fn cannot_ask() -> Error {
    Error::new(ErrorKind::Records, "cannot ask what was recorded")
}
