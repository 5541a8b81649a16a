//! What Bowline's client, command line and daemon say to each other over the daemon's socket.
//!
//! Everything is a line of JSON, ended by `\n`, at most followed by counted raw bytes:
//!
//! ```text
//! hook call   →  {"bowline":1,"client":"0.1.0","call":"0193…","on_failure":"ask","env":2041,"payload":415,
//!                 "agent":"claude-code","event":"PreToolUse","signs":true,"cwd":"/home/ann/project"}
//!             →  2041 bytes: the environment
//!             →  415 bytes, exactly as the agent wrote them
//!             ←  {"bowline":1,"daemon":"0.1.0","pid":4711,"signs":true}   the acknowledgement
//!             ←  {"call":"0193…","sign":"waiting"}                      a sign of life, every second
//!             ←  {"call":"0193…","exit":0,"stdout":"…","stderr":""}     the reply
//!
//! request     →  {"id":7,"cmd":"traces.list","args":{"limit":20}}
//!             ←  {"id":7,"ok":true,"data":[…]}
//! ```
//!
//! - A line is a hook call if it is an object with the key `call`; every other line is a request ([`Opening`]).
//! - A connection carries any number of them, one after another, answered in order.
//! - Unknown keys are ignored, so that either side may be newer. What cannot be understood by an older side is
//!   another [`PROTOCOL`], which is refused as [`WireError::Version`]; a daemon then acknowledges with its own number
//!   and closes. Requests carry no number, so that a newer program can still stop an older daemon.
//! - Texts of the operating system are strings where they are UTF-8, else arrays of bytes. The environment is one text, as
//!   systems keep it: `NAME=value`, each ended by a zero byte. Every hook call carries a whole one, which is why it is not
//!   part of the line there: nothing has to be escaped, and nobody has to read it.
//! - The daemon acknowledges as soon as it has read the call. With a reply at hand within [`ACKNOWLEDGE_WITHIN`] it may
//!   write both lines at once.
//! - While hooks, tests or a person are waited for, the daemon gives a sign of life every second ([`SIGN_EVERY`]) to a client that knows
//!   them, and says in its acknowledgement that it does. Only then is silence ([`SILENT_AFTER`]) the sign of a daemon that hangs: an older
//!   daemon gives no signs, and is waited for; an older client gets none.
//!
//! No I/O happens here: callers read and write, within [`MAX_HEADER`], [`MAX_PAYLOAD`] and [`MAX_REPLY`].

mod call;
mod call_id;
mod environment;
mod error;
mod failure;
mod json;
mod lines;
mod place;
mod reply;
mod rpc;
mod signs;

use std::time::Duration;

pub use bowline_agents::Answer;
pub use call::{Call, CallFrame, FailMode, USUAL_TIMEOUT, waits_within};
pub use call_id::CallId;
pub use environment::Environment;
pub use error::WireError;
pub use failure::Failure;
pub use lines::Lines;
pub use place::{SocketPathError, socket_path, starting_marker};
pub use reply::{Acknowledgement, Reply};
pub use rpc::{Opening, Refusal, Request, RequestError, Response};
pub use signs::{Heard, SIGN_EVERY, SILENT_AFTER, Signs};

/// The version of what hook calls look like.
pub const PROTOCOL: u64 = 1;

/// How long a client waits for the acknowledgement before it does without the daemon.
pub const ACKNOWLEDGE_WITHIN: Duration = Duration::from_millis(250);

/// The longest payload, in bytes. A longer one is never judged, only asked about.
pub const MAX_PAYLOAD: usize = 64 * 1024 * 1024;

/// The longest first line, and the longest environment.
pub const MAX_HEADER: usize = 16 * 1024 * 1024;

/// The longest line that a daemon sends.
pub const MAX_REPLY: usize = 64 * 1024 * 1024;

/// The argument with which a client that found no daemon starts `bowline`. Nobody waits for it, and its streams lead nowhere.
pub const START_DAEMON: [&str; 2] = ["daemon", "start"];
