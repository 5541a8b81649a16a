//! One hook call, as the client announces it.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use serde_json::Value;

use crate::json::{
    Object, check_version, number, object, push_os_text, push_text, read_os_text, signs, string,
};
use crate::{CallId, Environment, MAX_HEADER, MAX_PAYLOAD, PROTOCOL, Signs, WireError};

/// What the agent is told when neither the daemon nor the direct run could answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum FailMode {
    /// Nothing: the agent's own permissions decide.
    Open,
    /// The person decides, where the agent can ask them; else what could run is denied.
    #[default]
    Ask,
    /// It is denied.
    Closed,
}

impl FailMode {
    /// The word of the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Ask => "ask",
            Self::Closed => "closed",
        }
    }
}

impl fmt::Display for FailMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for FailMode {
    type Err = WireError;

    fn from_str(word: &str) -> Result<Self, WireError> {
        match word {
            "open" => Ok(Self::Open),
            "ask" => Ok(Self::Ask),
            "closed" => Ok(Self::Closed),
            _ => Err(WireError::field("on_failure", "`open`, `ask` or `closed`")),
        }
    }
}

/// One hook call, but for its payload. `Debug` does not show the environment.
#[derive(Clone, PartialEq, Eq)]
pub struct Call {
    /// The version of the client's program.
    pub client: String,
    /// The name of the call.
    pub id: CallId,
    /// The agent, as `init` named it; empty if the command line does not say it.
    pub agent: String,
    /// The event, if the command line says it.
    pub event: Option<String>,
    /// What the agent is told when all else fails.
    pub on_failure: FailMode,
    /// Whether the client knows signs of life.
    pub signs: Signs,
    /// How long the client waits for its answer, in seconds; 0 if it does not say so.
    pub waits_secs: u32,
    /// The client's process, as whoever receives the call knows it. It is never sent.
    pub reporter: Option<u32>,
    /// The client's working folder.
    pub cwd: PathBuf,
    /// The client's whole environment.
    pub env: Environment,
    /// How many bytes of payload follow.
    pub payload_bytes: usize,
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("client", &self.client)
            .field("id", &self.id)
            .field("agent", &self.agent)
            .field("event", &self.event)
            .field("on_failure", &self.on_failure)
            .field("signs", &self.signs)
            .field("waits_secs", &self.waits_secs)
            .field("reporter", &self.reporter)
            .field("cwd", &self.cwd)
            .field("env", &self.env)
            .field("payload_bytes", &self.payload_bytes)
            .finish()
    }
}

/// How long `bowline-hook` may take, in seconds, unless `--timeout` says otherwise.
pub const USUAL_TIMEOUT: u32 = 60;

/// How long it waits for an answer where it may take so long. If that is under two seconds, half of it is ours: an answer after the limit
/// is useless.
pub fn waits_within(timeout: Duration) -> Duration {
    timeout.saturating_sub(Duration::from_secs(1).min(timeout / 2))
}

impl Call {
    /// A call of a process with this folder and environment, of which nothing else is known yet.
    pub fn new(cwd: PathBuf, env: Environment) -> Self {
        Self {
            client: env!("CARGO_PKG_VERSION").to_owned(),
            id: CallId::generate(),
            agent: String::new(),
            event: None,
            on_failure: FailMode::default(),
            signs: Signs::Known,
            waits_secs: 0,
            reporter: None,
            cwd,
            env,
            payload_bytes: 0,
        }
    }

    /// Writes the first line, with its newline, and the environment. The payload's bytes have to follow.
    pub fn encode(&self) -> Vec<u8> {
        let env = self.env.as_block();
        let mut line = format!(r#"{{"bowline":{PROTOCOL},"client":"#).into_bytes();
        push_text(&mut line, &self.client);
        let known = format!(
            r#","call":"{}","on_failure":"{}","env":{},"payload":{},"agent":"#,
            self.id,
            self.on_failure,
            env.len(),
            self.payload_bytes
        );
        line.extend_from_slice(known.as_bytes());
        push_text(&mut line, &self.agent);
        if let Some(event) = &self.event {
            line.extend_from_slice(br#","event":"#);
            push_text(&mut line, event);
        }
        if self.signs == Signs::Known {
            line.extend_from_slice(br#","signs":true"#);
        }
        if self.waits_secs > 0 {
            let waits = format!(r#","waits":{}"#, self.waits_secs);
            line.extend_from_slice(waits.as_bytes());
        }
        line.extend_from_slice(br#","cwd":"#);
        push_os_text(&mut line, self.cwd.as_os_str());
        line.extend_from_slice(b"}\n");
        line.extend_from_slice(env);
        line
    }

    /// The arguments with which `bowline` decides this call in its own process, with the payload on stdin.
    pub fn direct_arguments(&self) -> Vec<&str> {
        let mut arguments = vec!["hook", "--direct"];
        arguments.extend(Some(self.agent.as_str()).filter(|agent| !agent.is_empty()));
        arguments.extend(self.event.as_deref());
        arguments.extend(["--on-failure", self.on_failure.as_str()]);
        arguments.extend(["--call-id", self.id.as_str()]);
        arguments
    }

    /// Reads the first line, with or without its newline.
    pub fn decode(line: &[u8]) -> Result<CallFrame, WireError> {
        Self::from_object(object(line, "hook call", MAX_HEADER)?)
    }

    pub(crate) fn from_object(mut object: Object) -> Result<CallFrame, WireError> {
        check_version(&object)?;
        let env_bytes = counted(&object, "env", MAX_HEADER)?;
        let payload_bytes = counted(&object, "payload", MAX_PAYLOAD)?;
        let event = match object.remove("event") {
            None | Some(Value::Null) => None,
            Some(Value::String(event)) => Some(event),
            Some(_) => return Err(WireError::field("event", "a string")),
        };
        let cwd = object.remove("cwd").and_then(read_os_text);
        let call = Self {
            client: string(&mut object, "client")?,
            id: string(&mut object, "call")?.parse()?,
            agent: string(&mut object, "agent")?,
            event,
            on_failure: string(&mut object, "on_failure")?.parse()?,
            signs: signs(&object),
            waits_secs: waits(&object),
            reporter: None,
            cwd: cwd.ok_or_else(|| WireError::field("cwd", "a text"))?.into(),
            env: Environment::new(),
            payload_bytes,
        };
        Ok(CallFrame {
            call,
            env_bytes,
            payload: Vec::new(),
        })
    }
}

/// How long the client waits; one that says nothing sensible says nothing.
fn waits(object: &Object) -> u32 {
    let waits = object.get("waits").and_then(Value::as_u64);
    waits.and_then(|it| it.try_into().ok()).unwrap_or(0)
}

/// How many bytes follow.
fn counted(object: &Object, what: &'static str, limit: usize) -> Result<usize, WireError> {
    let bytes = usize::try_from(number(object, what)?).unwrap_or(usize::MAX);
    if bytes > limit {
        return Err(WireError::TooLong { what, bytes, limit });
    }
    Ok(bytes)
}

/// A hook call as it arrives: its first line, then its environment and its payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFrame {
    call: Call,
    env_bytes: usize,
    payload: Vec<u8>,
}

impl CallFrame {
    /// How many bytes follow the first line: the environment and the payload.
    pub fn body_bytes(&self) -> usize {
        self.env_bytes + self.call.payload_bytes
    }

    /// The whole frame, with the bytes that followed.
    pub fn with_body(mut self, mut body: Vec<u8>) -> Self {
        // The environment is kept as long as hooks run, and must not keep the memory of a long payload.
        let env = body.drain(..self.env_bytes.min(body.len())).collect();
        self.call.env = Environment::from_block(env);
        self.payload = body;
        self
    }

    /// The call and its payload.
    pub fn into_parts(self) -> (Call, Vec<u8>) {
        (self.call, self.payload)
    }
}
