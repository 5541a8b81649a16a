//! Requests of the command line to the daemon: one line in, one line out.

use std::fmt;

use serde_json::{Value, json};

use crate::call::CallFrame;
use crate::json::{Object, line, object, push_environment, read_environment};
use crate::{Call, Environment, MAX_HEADER, MAX_REPLY, WireError};

/// What a line that reaches the daemon begins.
#[derive(Debug, Clone, PartialEq)]
pub enum Opening {
    /// A hook call; its environment and its payload follow.
    Call(CallFrame),
    /// A request, complete as it is.
    Request(Request),
}

/// Why a line begins nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum Refusal {
    /// A hook call that cannot be taken. How many bytes follow is unknown: acknowledge (so that the client learns the
    /// version) and close.
    Call(WireError),
    /// No request, or a wrong one: send this, and the connection stays usable.
    Request(Box<Response>),
}

impl Opening {
    /// Tells a hook call from a request, and reads it.
    pub fn decode(line: &[u8]) -> Result<Self, Refusal> {
        match object(line, "request", MAX_HEADER) {
            Ok(object) if object.contains_key("call") => Call::from_object(object)
                .map(Self::Call)
                .map_err(Refusal::Call),
            Ok(object) => Request::from_object(object)
                .map(Self::Request)
                .map_err(Refusal::Request),
            Err(error) => Err(Refusal::Request(bad_json(&error))),
        }
    }
}

/// One request. `Debug` does not show the environment.
#[derive(Clone, Default, PartialEq)]
pub struct Request {
    /// Echoed in the response, whatever it is.
    pub id: Option<Value>,
    /// The command, such as `traces.list`.
    pub command: String,
    /// Its arguments, by name.
    pub args: Object,
    /// The caller's environment, as far as it sends it.
    pub env: Environment,
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("id", &self.id)
            .field("command", &self.command)
            .field("args", &self.args)
            .field("env", &self.env)
            .finish()
    }
}

impl Request {
    /// Writes the line, with its newline.
    pub fn encode(&self) -> Vec<u8> {
        let mut request = json!({"cmd": self.command, "args": self.args});
        if let (Some(id), Some(request)) = (&self.id, request.as_object_mut()) {
            request.insert("id".to_owned(), id.clone());
        }
        let mut line = line(&request);
        if !self.env.is_empty() {
            line.truncate(line.len() - b"}\n".len());
            line.extend_from_slice(br#","env":"#);
            push_environment(&mut line, &self.env);
            line.extend_from_slice(b"}\n");
        }
        line
    }

    /// Reads the line, with or without its newline. What is wrong with it is the response to send.
    pub fn decode(line: &[u8]) -> Result<Self, Box<Response>> {
        let object = object(line, "request", MAX_HEADER).map_err(|error| bad_json(&error))?;
        Self::from_object(object)
    }

    fn from_object(mut object: Object) -> Result<Self, Box<Response>> {
        let id = object.remove("id");
        let invalid = |id: &Option<Value>, issue: &str| {
            let id = id.clone();
            let result = Err(RequestError::InvalidArguments(vec![issue.to_owned()]));
            Box::new(Response { id, result })
        };
        let Some(Value::String(command)) = object.remove("cmd") else {
            return Err(invalid(&id, "`cmd` is missing or not a string"));
        };
        let args = match object.remove("args") {
            None | Some(Value::Null) => Object::new(),
            Some(Value::Object(args)) => args,
            Some(_) => return Err(invalid(&id, "`args` is not an object")),
        };
        let env = match object.remove("env") {
            None | Some(Value::Null) => Some(Environment::new()),
            Some(env) => read_environment(env),
        };
        let Some(env) = env else {
            return Err(invalid(&id, "`env` is not an object of strings"));
        };
        Ok(Self {
            id,
            command,
            args,
            env,
        })
    }
}

fn bad_json(error: &WireError) -> Box<Response> {
    let result = Err(RequestError::BadJson(error.to_string()));
    Box::new(Response { id: None, result })
}

/// The four ways in which a request fails.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum RequestError {
    /// The line is no JSON object, or too long (`INVALID_JSON`).
    BadJson(String),
    /// There is no such command (`UNKNOWN_COMMAND`).
    UnknownCommand {
        /// What was asked for.
        command: String,
        /// The command that was probably meant.
        nearest: Option<String>,
    },
    /// Arguments are missing or wrong: what is the matter, one line each (`VALIDATION_ERROR`).
    InvalidArguments(Vec<String>),
    /// The command failed, and changed nothing.
    Handler {
        /// What kind of failure: `HANDLER_ERROR`, or a word of the command's own such as `NOT_FOUND`.
        code: String,
        /// What happened, for a person.
        message: String,
        /// More, for a program; else null.
        details: Value,
    },
}

const INVALID_JSON: &str = "INVALID_JSON";
const UNKNOWN_COMMAND: &str = "UNKNOWN_COMMAND";
const VALIDATION_ERROR: &str = "VALIDATION_ERROR";

impl RequestError {
    /// A failure of the command, with no word of its own.
    pub fn handler(message: impl Into<String>) -> Self {
        Self::Handler {
            code: "HANDLER_ERROR".to_owned(),
            message: message.into(),
            details: Value::Null,
        }
    }

    /// The word by which programs distinguish failures.
    pub fn code(&self) -> &str {
        match self {
            Self::BadJson(_) => INVALID_JSON,
            Self::UnknownCommand { .. } => UNKNOWN_COMMAND,
            Self::InvalidArguments(_) => VALIDATION_ERROR,
            Self::Handler { code, .. } => code,
        }
    }

    fn details(&self) -> Value {
        match self {
            Self::BadJson(_) => Value::Null,
            Self::UnknownCommand { command, nearest } => {
                json!({"cmd": command, "nearest": nearest})
            }
            Self::InvalidArguments(issues) => json!({"issues": issues}),
            Self::Handler { details, .. } => details.clone(),
        }
    }

    fn from_parts(code: String, message: String, details: Value) -> Self {
        match code.as_str() {
            INVALID_JSON => Self::BadJson(message),
            UNKNOWN_COMMAND => Self::UnknownCommand {
                command: text(details.get("cmd")),
                nearest: details
                    .get("nearest")
                    .and_then(Value::as_str)
                    .map(str::to_owned),
            },
            VALIDATION_ERROR => {
                let issues = details.get("issues").and_then(Value::as_array);
                let issues = issues.into_iter().flatten();
                Self::InvalidArguments(issues.map(|issue| text(Some(issue))).collect())
            }
            _ => Self::Handler {
                code,
                message,
                details,
            },
        }
    }
}

fn text(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadJson(message) | Self::Handler { message, .. } => f.write_str(message),
            Self::UnknownCommand { command, nearest } => {
                write!(f, "there is no command `{command}`")?;
                match nearest {
                    Some(nearest) => write!(f, "; did you mean `{nearest}`?"),
                    None => Ok(()),
                }
            }
            Self::InvalidArguments(issues) => write!(f, "invalid arguments: {}", issues.join("; ")),
        }
    }
}

impl std::error::Error for RequestError {}

/// The response to one request.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The request's id, if it had one.
    pub id: Option<Value>,
    /// What came of it.
    pub result: Result<Value, RequestError>,
}

impl Response {
    /// Writes the line, with its newline.
    pub fn encode(&self) -> Vec<u8> {
        let mut response = match &self.result {
            Ok(data) => json!({"ok": true, "data": data}),
            Err(error) => json!({
                "ok": false,
                "error": error.code(),
                "message": error.to_string(),
                "details": error.details(),
            }),
        };
        if let (Some(id), Some(response)) = (&self.id, response.as_object_mut()) {
            response.insert("id".to_owned(), id.clone());
        }
        line(&response)
    }

    /// Reads the line, with or without its newline.
    pub fn decode(line: &[u8]) -> Result<Self, WireError> {
        let mut object = object(line, "response", MAX_REPLY)?;
        let result = match object.get("ok").and_then(Value::as_bool) {
            Some(true) => Ok(object.remove("data").unwrap_or_default()),
            Some(false) => Err(RequestError::from_parts(
                text(object.get("error")),
                text(object.get("message")),
                object.remove("details").unwrap_or_default(),
            )),
            None => return Err(WireError::field("ok", "true or false")),
        };
        let id = object.remove("id");
        Ok(Self { id, result })
    }
}
