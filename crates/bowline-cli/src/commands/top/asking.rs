//! Asks the daemon, beside the drawing: a daemon that takes its time keeps nobody from leaving.

use std::sync::mpsc::{Receiver, Sender};

use bowline_builtins::inbox::{Person, Reply, Said};
use bowline_daemon::approvals::{self, AnswerRequest};
use bowline_daemon::board::Board;
use bowline_daemon::rpc::{Question as _, SessionKey, board, events, traces};
use bowline_daemon::{AskError, Connection, Patience, Places};
use bowline_store::DecisionFilter;
use bowline_wire::RequestError;
use chrono::TimeDelta;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::running::Happened;
use super::state::{Ask, Event, Told};
use crate::moment;

/// At most this many denials are listed.
const DENIALS: usize = 200;

/// Answers what is asked until nobody listens any more.
pub(super) fn run(places: &Places, asked: &Receiver<Ask>, tell: &Sender<Happened>) {
    let mut daemon = Daemon {
        places,
        connection: None,
    };
    for ask in asked {
        let told = daemon.told(ask);
        if tell.send(Happened::Event(Event::Told(told))).is_err() {
            return;
        }
    }
}

struct Daemon<'a> {
    places: &'a Places,
    connection: Option<Connection>,
}

impl Daemon<'_> {
    fn told(&mut self, ask: Ask) -> Told {
        match ask {
            Ask::Board => {
                let board: Result<Board, AskError> =
                    self.ask(board::Now::COMMAND, board::Now {}.arguments());
                Told::Board(board.map_err(|error| trouble(&error)))
            }
            Ask::Tree(group) => {
                let question = traces::Tree { id: group.clone() };
                let tree = self.ask(traces::Tree::COMMAND, question.arguments());
                Told::Tree(group, tree.unwrap_or_default())
            }
            Ask::Denials(session) => {
                let question = events::Last {
                    decisions: vec![DecisionFilter::Deny],
                    since: Some(moment::now() - TimeDelta::days(1)),
                    session: session.clone().map(SessionKey::Name),
                    limit: Some(DENIALS),
                    ..events::Last::default()
                };
                let events = self.ask(events::Last::COMMAND, question.arguments());
                Told::Denials(session, events.unwrap_or_default())
            }
            Ask::Answer(id, said) => {
                let word = match &said {
                    Said::Allow(_) => "Allowed",
                    Said::Deny(_) => "Denied",
                };
                let request = AnswerRequest {
                    id,
                    reply: Reply { said, by: person() },
                };
                let arguments = match serde_json::to_value(&request) {
                    Ok(Value::Object(arguments)) => arguments,
                    _ => Map::new(),
                };
                let answered: Result<Value, AskError> = self.ask(approvals::ANSWER, arguments);
                Told::Answered(match answered {
                    Ok(_) => format!("{word}."),
                    Err(error) => format!("Not answered: {error}"),
                })
            }
        }
    }

    fn ask<T: DeserializeOwned>(
        &mut self,
        command: &str,
        arguments: Map<String, Value>,
    ) -> Result<T, AskError> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => Connection::open_with(&self.places.socket, Patience::Short)?,
        };
        let answer = connection.ask(command, arguments);
        // After a refusal the connection is as good as before.
        if matches!(answer, Ok(_) | Err(AskError::Refused(_))) {
            self.connection = Some(connection);
        }
        serde_json::from_value(answer?).map_err(|error| AskError::Garbled(error.to_string()))
    }
}

/// Why there is no board, in a few words.
fn trouble(error: &AskError) -> String {
    match error {
        AskError::Unreachable(_) => "no daemon; the next event of an agent starts one".to_owned(),
        AskError::Refused(RequestError::UnknownCommand { .. }) | AskError::Garbled(_) => {
            "a daemon of another version runs: `bowline daemon restart`".to_owned()
        }
        error => error.to_string(),
    }
}

/// Who answers, and where.
fn person() -> Person {
    let name = std::env::var("USER").or_else(|_| std::env::var("LOGNAME"));
    let terminal = rustix::termios::ttyname(std::io::stdin(), Vec::new());
    let place = terminal.ok().and_then(|name| name.into_string().ok());
    Person {
        name: name.unwrap_or_else(|_| "a person".to_owned()),
        place: match place {
            Some(terminal) => format!("`bowline top` at {terminal}"),
            None => "`bowline top`".to_owned(),
        },
    }
}
