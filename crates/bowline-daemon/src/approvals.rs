//! Questions that wait for a person: listing and answering them over the socket, and inside the daemon.
//!
//! Over the socket only a process that no agent started can answer, and who answered is what the system says about that process.
//! [`settle`] is for what runs inside the daemon and has made sure of its person by itself.

use std::sync::Arc;

use bowline_builtins::inbox::{
    Extent, Inbox, Person, Preview, Question, Reply, Said, Unanswerable,
};
use bowline_wire::RequestError;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use crate::engine::Engine;
use crate::peer::Peer;

/// `approvals.list`: the questions that wait, the oldest first.
pub const LIST: &str = "approvals.list";
/// `approvals.preview`: what a permission would write.
pub const PREVIEW: &str = "approvals.preview";
/// `approvals.answer`: answers one.
pub const ANSWER: &str = "approvals.answer";

/// What [`PREVIEW`] takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PreviewRequest {
    /// The question, by its id or the beginning of it.
    pub id: String,
    /// How far the permission is to reach.
    pub extent: Extent,
}

/// What [`ANSWER`] takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerRequest {
    /// The question, by its id or the beginning of it.
    pub id: String,
    /// The answer. By whom it is, the daemon finds out itself.
    pub reply: Reply,
}

/// The arguments of one of these.
pub fn arguments(request: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(request) {
        Ok(Value::Object(arguments)) => arguments,
        _ => Map::new(),
    }
}

/// The code of a refusal to answer a question that does not wait.
pub const GONE: &str = "QUESTION_GONE";
/// The code of a refusal to keep a permission for longer than one call.
pub const NOT_KEPT: &str = "NOT_KEPT";
/// The code of a refusal to hand a message to the model.
pub const TOO_LONG: &str = "MESSAGE_TOO_LONG";
/// The code of a refusal to let an agent answer.
pub const NO_PERSON: &str = "NO_PERSON";

/// What is told to a model with a denial has at most this many characters: all of it goes to the model.
pub const LONGEST_MESSAGE: usize = 8_000;

/// Why an answer was not taken. The question still waits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsettled {
    /// The question cannot be answered so.
    #[error(transparent)]
    Unanswerable(#[from] Unanswerable),
    /// The message to the model has so many characters.
    #[error("the message to the model has {0} characters; it may have at most {LONGEST_MESSAGE}")]
    TooLong(usize),
}

/// What a permission of this extent would write. It reads files.
pub fn preview(engine: &Engine, id: &str, extent: Extent) -> Result<Preview, Unanswerable> {
    inbox(engine, id)?.preview(id, extent)
}

/// Answers a question. A permission that outlasts its call counts when the answer goes out. It writes files.
pub fn settle(engine: &Engine, id: &str, reply: Reply) -> Result<Question, Unsettled> {
    check(&reply.said)?;
    let kept = || engine.reload_changed();
    Ok(inbox(engine, id)?.answer(id, reply, kept)?)
}

fn check(said: &Said) -> Result<(), Unsettled> {
    let Said::Deny(Some(message)) = said else {
        return Ok(());
    };
    match message.chars().count() {
        length if length > LONGEST_MESSAGE => Err(Unsettled::TooLong(length)),
        _ => Ok(()),
    }
}

fn inbox<'engine>(engine: &'engine Engine, id: &str) -> Result<&'engine Arc<Inbox>, Unanswerable> {
    let none = || Unanswerable::Unknown(id.to_owned());
    engine.inbox().ok_or_else(none)
}

pub(crate) fn list(engine: &Engine) -> Vec<Question> {
    engine.inbox().map(|it| it.questions()).unwrap_or_default()
}

pub(crate) fn preview_for(
    engine: &Engine,
    arguments: &Map<String, Value>,
) -> Result<Value, RequestError> {
    let PreviewRequest { id, extent } = read(arguments)?;
    let preview = preview(engine, &id, extent).map_err(|error| refusal(&error.into()))?;
    Ok(json!(preview))
}

pub(crate) fn answer(
    engine: &Engine,
    peer: Peer,
    arguments: &Map<String, Value>,
) -> Result<Value, RequestError> {
    let AnswerRequest { id, reply } = read(arguments)?;
    let by = person(peer)?;
    let question = settle(engine, &id, Reply { by, ..reply }).map_err(|error| refusal(&error))?;
    Ok(json!(question))
}

fn person(peer: Peer) -> Result<Person, RequestError> {
    peer.person().map_err(no_person)
}

/// Refuses what only a person may ask for.
pub(crate) fn no_agent(peer: Peer) -> Result<(), RequestError> {
    peer.no_agent().map_err(no_person)
}

fn no_person(message: String) -> RequestError {
    RequestError::Handler {
        code: NO_PERSON.to_owned(),
        message,
        details: Value::Null,
    }
}

fn read<T: DeserializeOwned>(arguments: &Map<String, Value>) -> Result<T, RequestError> {
    serde_json::from_value(Value::Object(arguments.clone()))
        .map_err(|error| RequestError::InvalidArguments(vec![error.to_string()]))
}

fn refusal(error: &Unsettled) -> RequestError {
    let code = match error {
        Unsettled::Unanswerable(
            Unanswerable::Unknown(_) | Unanswerable::Several(_) | Unanswerable::KeptTooLate,
        ) => GONE,
        Unsettled::Unanswerable(_) => NOT_KEPT,
        Unsettled::TooLong(_) => TOO_LONG,
    };
    RequestError::Handler {
        code: code.to_owned(),
        message: error.to_string(),
        details: Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_to_a_model_has_a_limit() {
        let deny = |message: &str| Said::Deny(Some(message.to_owned()));
        for (said, expected) in [
            (Said::Allow(Extent::Once), Ok(())),
            (Said::Deny(None), Ok(())),
            (deny(""), Ok(())),
            (deny(&"é".repeat(8_000)), Ok(())),
            (deny(&"é".repeat(8_001)), Err(Unsettled::TooLong(8_001))),
        ] {
            assert_eq!(check(&said), expected);
        }
        let told = Unsettled::TooLong(100_000).to_string();
        assert!(told.contains("100000") && told.contains("8000"), "{told}");
    }
}
