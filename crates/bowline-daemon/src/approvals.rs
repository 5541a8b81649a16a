//! Questions that wait for a person: listing and answering them over the socket.

use bowline_builtins::inbox::{Inbox, Question, Reply, Unanswerable};
use bowline_wire::RequestError;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// `approvals.list`: the questions that wait, the oldest first.
pub const LIST: &str = "approvals.list";
/// `approvals.answer`: answers one.
pub const ANSWER: &str = "approvals.answer";

/// What [`ANSWER`] takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerRequest {
    /// The question, by its id or the beginning of it.
    pub id: String,
    /// The answer.
    pub reply: Reply,
}

/// The code of a refusal to answer a question that does not wait.
pub const GONE: &str = "QUESTION_GONE";

pub(crate) fn list(inbox: Option<&Inbox>) -> Vec<Question> {
    inbox.map(Inbox::questions).unwrap_or_default()
}

pub(crate) fn answer(
    inbox: Option<&Inbox>,
    arguments: &Map<String, Value>,
) -> Result<Value, RequestError> {
    let request = serde_json::from_value(Value::Object(arguments.clone()));
    let AnswerRequest { id, reply } =
        request.map_err(|error| RequestError::InvalidArguments(vec![error.to_string()]))?;
    let gone = || Unanswerable::Unknown(id.clone());
    let answered = inbox
        .ok_or_else(gone)
        .and_then(|inbox| inbox.answer(&id, reply));
    let question = answered.map_err(|error| RequestError::Handler {
        code: GONE.to_owned(),
        message: error.to_string(),
        details: Value::Null,
    })?;
    Ok(json!(question))
}
