//! The questions about the records, and the answers: commands and their arguments.
//!
//! A [`Question`] is a command with its arguments, typed on both sides. The daemon answers requests with [`answer`]. A program
//! that cannot reach the daemon opens the store and calls the same function.
//!
//! ```
//! use bowline_daemon::rpc::{self, Question, traces};
//! use bowline_store::{Options, SqliteStore};
//!
//! let folder = tempfile::tempdir()?;
//! let store = SqliteStore::open(Options::new(folder.path()))?;
//! let slow = traces::Slow { threshold_ms: Some(500), ..traces::Slow::default() };
//! let response = rpc::answer(&store, &slow.request());
//! assert_eq!(response.result, Ok(serde_json::json!([])));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arguments;
pub mod board;
mod bounds;
pub mod costs;
pub mod digest;
pub mod efforts;
pub mod errors;
pub mod events;
pub mod fleet;
pub mod leases;
pub mod metrics;
pub mod orchestrator;
pub mod search;
pub mod sessions;
pub mod store;
pub mod traces;
pub mod work;

use bowline_agents::near::nearest;
use bowline_store::Store;
use bowline_wire::{Request, RequestError, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub(crate) use bounds::fit;

pub use arguments::{
    Arguments, DECISIONS, MAX_LIMIT, STATUSES, SessionKey, parse_decision, parse_status,
};

/// Whether a command changes what is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It only reads, so it may be repeated, also elsewhere.
    Reads,
    /// It changes something.
    Changes,
}

/// One command with its arguments.
pub trait Question: listed::Listed + Serialize + Sized {
    /// The command's name.
    const COMMAND: &'static str;
    /// Whether it changes what is kept.
    const ACCESS: Access = Access::Reads;
    /// The answer; the default is the answer if nothing is recorded.
    type Answer: Serialize + DeserializeOwned + Default;

    /// Takes its arguments and notes what is wrong with them. `None` if a required one is missing.
    fn read(arguments: &mut Arguments) -> Option<Self>;

    /// Finds the answer. When that fails, nothing was changed.
    fn answer(&self, store: &dyn Store) -> bowline_store::Result<Self::Answer>;

    /// What a failure of the store is told as.
    fn failure(error: bowline_store::Error) -> RequestError {
        match error {
            bowline_store::Error::Forbidden(rule) => RequestError::Handler {
                code: rule.code.as_str().to_owned(),
                message: rule.message,
                details: rule.details,
            },
            error => RequestError::handler(error.to_string()),
        }
    }

    /// The arguments as they are sent.
    fn arguments(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(arguments)) => arguments,
            _ => Map::new(),
        }
    }

    /// The request that asks it.
    fn request(&self) -> Request {
        Request {
            command: Self::COMMAND.to_owned(),
            args: self.arguments(),
            ..Request::default()
        }
    }
}

/// Answers a request about the records. An unknown name or id gives null or an empty list, not an error.
pub fn answer(store: &dyn Store, request: &Request) -> Response {
    let known = COMMANDS
        .iter()
        .find(|command| command.name == request.command);
    let result = match known {
        Some(command) => {
            // A process that has ended may have left its record beside the store.
            store.catch_up();
            (command.run)(store, &request.args)
        }
        None => Err(RequestError::UnknownCommand {
            command: request.command.clone(),
            nearest: nearest(&request.command, commands()).map(str::to_owned),
        }),
    };
    Response {
        id: request.id.clone(),
        result,
    }
}

/// The names of all commands.
pub fn commands() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|command| command.name)
}

type Run = fn(&dyn Store, &Map<String, Value>) -> Result<Value, RequestError>;

struct Command {
    name: &'static str,
    run: Run,
}

impl Command {
    const fn of<Q: Question>() -> Self {
        Self {
            name: Q::COMMAND,
            run: run::<Q>,
        }
    }
}

mod listed {
    /// In the list of questions: one that is not there would be an unknown command.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` is not in `questions!`",
        note = "add it to the list in crates/bowline-daemon/src/rpc.rs"
    )]
    pub trait Listed {}
}

/// Lists the questions. Only what is listed can be one.
macro_rules! questions {
    ($($question:ty),* $(,)?) => {
        $(impl listed::Listed for $question {})*

        const COMMANDS: &[Command] = &[$(Command::of::<$question>()),*];
    };
}

questions! {
    traces::Get,
    traces::List,
    traces::Slow,
    traces::Errors,
    traces::Tree,
    traces::Stats,
    sessions::List,
    sessions::Get,
    sessions::Known,
    events::Last,
    events::Of,
    events::HookFigures,
    efforts::Tasks,
    efforts::TaskOf,
    efforts::NewTask,
    efforts::Efforts,
    efforts::EffortOf,
    efforts::Perform,
    efforts::Notes,
    efforts::AddNote,
    efforts::RemoveNote,
    fleet::List,
    fleet::Seen,
    fleet::Usage,
    fleet::Where,
    fleet::Messages,
    board::Now,
    leases::List,
    leases::Release,
    orchestrator::Status,
    orchestrator::Reset,
    orchestrator::Switch,
    work::List,
    work::Get,
    work::Active,
    work::Add,
    work::Change,
    errors::List,
    errors::Times,
    errors::Get,
    errors::Done,
    errors::Forget,
    metrics::Day,
    metrics::Report,
    costs::Spent,
    costs::Marks,
    costs::Keep,
    costs::Raise,
    costs::Session,
    digest::Of,
    search::Find,
    store::Size,
    store::Gaps,
    store::Integrity,
    store::Backup,
    store::Compact,
    store::Forget,
}

fn run<Q: Question>(
    store: &dyn Store,
    arguments: &Map<String, Value>,
) -> Result<Value, RequestError> {
    let question: Q = read(arguments)?;
    fit(question.answer(store).map_err(Q::failure)?)
}

/// The question that these arguments are of.
pub(crate) fn read<Q: Question>(arguments: &Map<String, Value>) -> Result<Q, RequestError> {
    let mut arguments = Arguments::new(Q::COMMAND, arguments.clone());
    let question = Q::read(&mut arguments);
    arguments.finish(question)
}
