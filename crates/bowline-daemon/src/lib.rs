//! The long-running process, one per user: it decides events, records them, and answers questions about them.
//!
//! [`run`] is the daemon. [`Engine`] decides one call, for the daemon and for a direct run without it.
//! [`Connection`] asks a running daemon.

mod agents;
pub mod approvals;
mod ask;
pub mod board;
mod bounded;
mod daemon;
mod engine;
pub mod false_alarms;
mod feed;
mod instance;
pub mod known;
mod page;
mod pause;
mod peer;
mod places;
pub mod registration;
pub mod rpc;
mod server;
mod status;
mod watch;

pub use ask::{AskError, Connection, Patience};
pub use bounded::{FILES_WITHIN, Slow, within};
pub use daemon::{DaemonOptions, Idle, raise_file_limit, run, survive_file_size_limit};
pub use engine::{Decided, Engine, ProjectState, name_the_agent};
pub use feed::{Feed, Notice};
pub use instance::{Holder, StartError};
pub use page::{MakePage, Page, PageParts};
pub use pause::{Pause, PauseError};
pub use places::{PlaceError, Places};
pub use server::AnswerWhen;
pub use status::{Status, Stop, is_newer};

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
