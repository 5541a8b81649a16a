//! Signs of life: what a daemon sends while it waits for something, so that its silence means something.

use std::time::Duration;

use serde_json::json;

use crate::json::{line, object};
use crate::{Answer, CallId, MAX_REPLY, Reply, WireError};

/// How often a daemon gives a sign of life while a call waits for hooks, tests or a person.
pub const SIGN_EVERY: Duration = Duration::from_secs(1);

/// After so long without one, a daemon that gives signs hangs.
pub const SILENT_AFTER: Duration = Duration::from_secs(2);

/// Whether a side knows signs of life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Signs {
    /// It does.
    Known,
    /// It is older than they are.
    Unknown,
}

/// What a daemon says after its acknowledgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// It is alive, and there is no answer yet.
    Sign,
    /// The answer.
    Answer(Answer),
}

impl Heard {
    /// Writes a sign of life for this call, with its newline.
    pub fn sign_for(call: &CallId) -> Vec<u8> {
        line(&json!({"call": call.as_str(), "sign": "waiting"}))
    }

    /// Reads a line about this call, with or without its newline.
    pub fn decode_for(line: &[u8], call: &CallId) -> Result<Self, WireError> {
        let answered = Reply::decode_for(line, call);
        if answered.is_err() && is_sign(line, call) {
            return Ok(Self::Sign);
        }
        answered.map(Self::Answer)
    }
}

/// Whatever a daemon waits for that is newer than this.
fn is_sign(line: &[u8], call: &CallId) -> bool {
    let Ok(sign) = object(line, "sign of life", MAX_REPLY) else {
        return false;
    };
    let of_call = sign.get("call").and_then(|it| it.as_str()) == Some(call.as_str());
    of_call && sign.contains_key("sign")
}
