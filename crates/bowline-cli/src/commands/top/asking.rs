//! Asks the daemon, beside the drawing: a daemon that takes its time keeps nobody from leaving.

use std::sync::mpsc::{Receiver, Sender};

use bowline_builtins::inbox::{Extent, Person, Reply, Said};
use bowline_daemon::approvals::{self, AnswerRequest, PreviewRequest};
use bowline_daemon::board::Board;
use bowline_daemon::rpc::{Question, SessionKey, board, events, search, traces};
use bowline_daemon::{AskError, Connection, Patience, Places};
use bowline_store::DecisionFilter;
use bowline_wire::RequestError;
use chrono::TimeDelta;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::MOST_FOUND;
use super::running::Happened;
use super::state::{Ask, Call, Event, Told};
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
                let tree = self.question(&traces::Tree { id: group.clone() });
                tree.map_or_else(failed, |tree| Told::Tree(group, tree))
            }
            Ask::Denials(session) => {
                let events = self.question(&events::Last {
                    decisions: vec![DecisionFilter::Deny],
                    since: Some(moment::now() - TimeDelta::days(1)),
                    session: session.clone().map(SessionKey::Name),
                    limit: Some(DENIALS),
                    ..events::Last::default()
                });
                events.map_or_else(failed, |events| Told::Denials(session, events))
            }
            Ask::Search(words) => {
                let findings = self.question(&search::Find {
                    text: words.clone(),
                    limit: Some(MOST_FOUND),
                    ..search::Find::default()
                });
                findings.map_or_else(failed, |findings| Told::Found(words, findings))
            }
            Ask::Call(id) => {
                let call = self.call(&id);
                call.map_or_else(failed, |call| Told::Call(id, call))
            }
            Ask::Preview(id, extent) => {
                let request = PreviewRequest {
                    id: id.clone(),
                    extent,
                };
                let preview = self.ask(approvals::PREVIEW, approvals::arguments(&request));
                Told::Preview(id, extent, preview.map_err(|error| refused(&error)))
            }
            Ask::Answer(id, said) => self.answer(id, said),
        }
    }

    fn call(&mut self, id: &str) -> Result<Option<Box<Call>>, AskError> {
        let id = || id.to_owned();
        let Some(trace) = self.question(&traces::Get { id: id() })? else {
            return Ok(None);
        };
        let events = self.question(&events::Of { id: id() })?;
        Ok(Some(Box::new(Call { trace, events })))
    }

    fn answer(&mut self, id: String, said: Said) -> Told {
        let answered = match said {
            Said::Allow(Extent::Once) => "Allowed.",
            Said::Allow(Extent::Session) => "Allowed, also again in its session.",
            Said::Allow(Extent::Always) => "Allowed for good.",
            Said::Deny(_) => "Denied.",
        };
        // Who answers, the daemon finds out itself.
        let by = Person::default();
        let reply = Reply { said, by };
        let arguments = approvals::arguments(&AnswerRequest { id, reply });
        let told: Result<Value, AskError> = self.ask(approvals::ANSWER, arguments);
        Told::Answered(match told {
            Ok(_) => answered.to_owned(),
            Err(error) => format!("Not answered: {}", refused(&error)),
        })
    }

    fn question<Q: Question>(&mut self, question: &Q) -> Result<Q::Answer, AskError> {
        self.ask(Q::COMMAND, question.arguments())
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

/// What could not be asked.
fn failed(error: AskError) -> Told {
    Told::Failed(trouble(&error))
}

/// What the daemon has against it, in its own words.
fn refused(error: &AskError) -> String {
    match error {
        AskError::Refused(refusal) => refusal.to_string(),
        error => trouble(error),
    }
}
