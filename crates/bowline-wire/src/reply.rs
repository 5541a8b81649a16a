//! What the daemon sends back for a hook call.

use bowline_agents::Answer;
use serde_json::json;

use crate::json::{check_version, line, number, object, push_text, signs, string};
use crate::{CallId, MAX_REPLY, PROTOCOL, Signs, WireError};

/// The first line that a daemon sends: it is there, and has the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acknowledgement {
    /// The version of the daemon's program.
    pub daemon: String,
    /// The daemon's process.
    pub pid: u32,
}

impl Acknowledgement {
    /// Writes the line, with its newline.
    pub fn encode(&self) -> Vec<u8> {
        let Self { daemon, pid } = self;
        line(&json!({"bowline": PROTOCOL, "daemon": daemon, "pid": pid, "signs": true}))
    }

    /// Whether the line is an acknowledgement that can be understood, and of a daemon that gives signs of life. Ours needs no
    /// reading: every hook call waits for this.
    pub fn check(line: &[u8]) -> Result<Signs, WireError> {
        let ours = format!(r#"{{"bowline":{PROTOCOL},"daemon":"#);
        if line.starts_with(ours.as_bytes()) && line.ends_with(b",\"signs\":true}\n") {
            return Ok(Signs::Known);
        }
        Self::decode(line)?;
        Ok(signs(&object(line, "acknowledgement", MAX_REPLY)?))
    }

    /// Reads the line, with or without its newline.
    pub fn decode(line: &[u8]) -> Result<Self, WireError> {
        let mut object = object(line, "acknowledgement", MAX_REPLY)?;
        check_version(&object)?;
        let pid = u32::try_from(number(&object, "pid")?);
        Ok(Self {
            daemon: string(&mut object, "daemon")?,
            pid: pid.map_err(|_| WireError::field("pid", "a process id"))?,
        })
    }
}

/// The second line that a daemon sends: the answer to one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The call that it answers.
    pub call: CallId,
    /// The answer.
    pub answer: Answer,
}

impl Reply {
    /// Writes the line, with its newline.
    pub fn encode(&self) -> Vec<u8> {
        let Answer {
            exit,
            stdout,
            stderr,
        } = &self.answer;
        let mut line = format!(r#"{{"call":"{}","exit":{exit},"stdout":"#, self.call).into_bytes();
        push_text(&mut line, stdout);
        line.extend_from_slice(br#","stderr":"#);
        push_text(&mut line, stderr);
        line.extend_from_slice(b"}\n");
        line
    }

    /// Reads the line, with or without its newline.
    pub fn decode(line: &[u8]) -> Result<Self, WireError> {
        let mut object = object(line, "reply", MAX_REPLY)?;
        let exit = u8::try_from(number(&object, "exit")?);
        Ok(Self {
            call: string(&mut object, "call")?.parse()?,
            answer: Answer {
                exit: exit.map_err(|_| WireError::field("exit", "an exit code"))?,
                stdout: string(&mut object, "stdout")?,
                stderr: string(&mut object, "stderr")?,
            },
        })
    }

    /// Reads the line as the reply to one call, and takes the answer.
    pub fn decode_for(line: &[u8], call: &CallId) -> Result<Answer, WireError> {
        // Most answers are silence, which needs no reading.
        let silence = Self {
            call: call.clone(),
            answer: Answer::default(),
        };
        if line == silence.encode() {
            return Ok(silence.answer);
        }
        let reply = Self::decode(line)?;
        if reply.call == *call {
            Ok(reply.answer)
        } else {
            let problem = format!("the reply is for call {}, not {call}", reply.call);
            Err(WireError::Malformed(problem))
        }
    }
}
