//! The inbox: questions of the guard and of rules that wait for a person, before the agent asks them itself.
//!
//! [`Inbox`] is the list; whoever shows it answers there. [`Door`] is how the questions of one project get in.

mod door;
pub(crate) mod edit;
mod lasting;
mod limit;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

pub use door::Door;
pub use edit::ChangedLines;
pub(crate) use lasting::{Case, Keeping};
pub use lasting::{Preview, SettingsChange};
pub use limit::longest_wait;

use crate::guard::{NoSilence, call_of};

/// At most this many questions wait. Further ones are asked by the agents themselves.
const MOST: usize = 256;

/// A question that waits for a person, without secrets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Names it among those that wait.
    pub id: String,
    /// When it was asked.
    pub asked_at: DateTime<Utc>,
    /// When the agent asks it itself.
    pub until: DateTime<Utc>,
    /// If that is earlier than the settings say: why, and what to do.
    pub cut_short: Option<String>,
    /// The agent.
    pub agent: String,
    /// The agent's name for its session.
    pub session: String,
    /// The project's folder.
    pub project: String,
    /// The sub-agent that wants it.
    pub subagent: Option<String>,
    /// The tool.
    pub tool: String,
    /// What it is to be called with.
    pub input: Value,
    /// The agent's id of the call.
    pub tool_use_id: Option<String>,
    /// Why it is asked.
    pub reason: Option<String>,
    /// The rule from which the question follows; absent if a hook asks.
    pub rule: Option<String>,
}

impl Question {
    /// What the tool is to be called with, as one text: the command of a shell in full, or all of its input.
    pub fn what(&self) -> String {
        call_of(&self.tool, Some(&self.input)).what
    }

    /// Why it is asked, or else what is asked about.
    pub fn why(&self) -> String {
        let what = || format!("{}: {}", self.tool, self.what());
        self.reason.clone().unwrap_or_else(what)
    }
}

/// How far a permission reaches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extent {
    /// This call.
    #[default]
    Once,
    /// This call, and the same one again in its session.
    Session,
    /// This call, and what an entry in the project's own settings lets pass from now on.
    Always,
}

/// What a person says to a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// The call may run.
    Allow(Extent),
    /// It must not; what the model is told.
    Deny(Option<String>),
}

/// Who answers, and where.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// The name of the user.
    pub name: String,
    /// Where the answer was given: a terminal, the page.
    pub place: String,
}

/// An answer with the one who gave it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// What was said.
    pub said: Said,
    /// By whom.
    pub by: Person,
}

/// Why a question cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unanswerable {
    /// It is not, or no longer, there.
    #[error("no question `{0}` waits: it was answered, its time is over, or its agent ended")]
    Unknown(String),
    /// The beginning of an id fits several.
    #[error("`{0}` is the beginning of several questions")]
    Several(String),
    /// Nothing can be written that silences the guard.
    #[error(transparent)]
    NoSilence(#[from] NoSilence),
    /// What would be written down holds a secret.
    #[error("the call holds a secret, which is not written down: it can be allowed once")]
    Secret,
    /// The administrator keeps it to himself.
    #[error("nothing can be allowed for longer on this machine: {0}")]
    Locked(String),
    /// It could not be written.
    #[error("{0}")]
    NotKept(String),
    /// Its agent went while the permission was written.
    #[error(
        "the call does not wait any more; the permission was written all the same, and counts from now on"
    )]
    KeptTooLate,
}

/// The questions that wait.
#[derive(Debug)]
pub struct Inbox {
    open: Mutex<Vec<Open>>,
    closed: AtomicBool,
    changes: watch::Sender<u64>,
}

#[derive(Debug)]
struct Open {
    question: Question,
    case: Case,
    /// Whoever waits for the answer; nobody while somebody is answering.
    agent: Option<oneshot::Sender<Reply>>,
}

/// The right to answer a question. Unless the answer goes out, the question waits on.
struct Claim<'inbox> {
    inbox: &'inbox Inbox,
    question: Question,
    case: Case,
    agent: Option<oneshot::Sender<Reply>>,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let mut open = self.inbox.lock();
        if let Some(agent) = self.agent.take()
            && let Some(it) = open
                .iter_mut()
                .find(|it| it.question.id == self.question.id)
        {
            it.agent = Some(agent);
        }
    }
}

impl Default for Inbox {
    fn default() -> Self {
        Self {
            open: Mutex::default(),
            closed: AtomicBool::new(false),
            changes: watch::Sender::new(0),
        }
    }
}

impl Inbox {
    /// The questions that wait, the oldest first.
    pub fn questions(&self) -> Vec<Question> {
        self.lock().iter().map(|it| it.question.clone()).collect()
    }

    /// What would be written if the question was answered with a permission of this extent. It reads files.
    pub fn preview(&self, id: &str, extent: Extent) -> Result<Preview, Unanswerable> {
        let case = {
            let open = self.lock();
            let found = open.get(position(&open, id)?);
            found.map(|it| it.case.clone())
        };
        let unknown = || Unanswerable::Unknown(id.to_owned());
        case.ok_or_else(unknown)?.preview(extent)
    }

    /// Answers a question by its id or the beginning of it. Whoever answers has to be a person.
    ///
    /// The one who is first counts. What a permission is kept as is written for that answer alone, and `kept` is called, before the
    /// call goes on. If it cannot be written, the question waits on.
    pub fn answer(
        &self,
        id: &str,
        reply: Reply,
        kept: impl FnOnce(),
    ) -> Result<Question, Unanswerable> {
        let mut claim = self.claim(id)?;
        let is_kept = match reply.said {
            Said::Allow(extent @ (Extent::Session | Extent::Always)) => {
                claim.case.keep(extent)?;
                kept();
                true
            }
            Said::Allow(Extent::Once) | Said::Deny(_) => false,
        };
        let agent = claim.agent.take();
        let is_answered = agent.is_some_and(|agent| agent.send(reply).is_ok());
        self.remove(&claim.question.id);
        match (is_answered, is_kept) {
            (true, _) => Ok(claim.question.clone()),
            (false, true) => Err(Unanswerable::KeptTooLate),
            (false, false) => Err(Unanswerable::Unknown(id.to_owned())),
        }
    }

    /// Takes the right to answer a question. It stays on the list until it is answered.
    fn claim(&self, id: &str) -> Result<Claim<'_>, Unanswerable> {
        let mut open = self.lock();
        let at = position(&open, id)?;
        let unknown = || Unanswerable::Unknown(id.to_owned());
        let found = open.get_mut(at).ok_or_else(unknown)?;
        let agent = found.agent.take_if(|agent| !agent.is_closed());
        Ok(Claim {
            agent: Some(agent.ok_or_else(unknown)?),
            inbox: self,
            question: found.question.clone(),
            case: found.case.clone(),
        })
    }

    fn remove(&self, id: &str) {
        let mut open = self.lock();
        let before = open.len();
        open.retain(|it| it.question.id != id);
        let left = open.len() < before;
        drop(open);
        if left {
            self.tell();
        }
    }

    /// Takes the questions of a session away whose agent is gone. A hook that outlives its agent would wait on.
    pub fn abandon(&self, agent: &str, session: &str) {
        let mut open = self.lock();
        let before = open.len();
        open.retain(|it| it.question.agent != agent || it.question.session != session);
        let left = open.len() < before;
        drop(open);
        if left {
            self.tell();
        }
    }

    /// Sends all questions back to their agents, and those that still come, because nobody can answer here any more.
    pub fn close(&self) {
        let mut open = self.lock();
        self.closed.store(true, Ordering::Relaxed);
        open.clear();
        drop(open);
        self.tell();
    }

    /// Changes whenever a question comes or goes.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Lets a question wait for at most this long.
    async fn wait(&self, question: Question, case: Case, limit: Duration) -> Option<Reply> {
        let id = question.id.clone();
        let (reply, answered) = oneshot::channel();
        {
            let mut open = self.lock();
            let is_known = open.iter().any(|it| it.question.id == id);
            if open.len() >= MOST || is_known || self.closed.load(Ordering::Relaxed) {
                return None;
            }
            open.push(Open {
                question,
                case,
                agent: Some(reply),
            });
        }
        self.tell();
        // However this ends, also if the agent leaves and nobody polls any more.
        let _gone = Leaving { inbox: self, id };
        timeout(limit, answered).await.ok()?.ok()
    }

    fn tell(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn position(open: &[Open], id: &str) -> Result<usize, Unanswerable> {
    if let Some(at) = open.iter().position(|it| it.question.id == id) {
        return Ok(at);
    }
    let mut fitting = open
        .iter()
        .enumerate()
        .filter(|(_, it)| !id.is_empty() && it.question.id.starts_with(id));
    match (fitting.next(), fitting.next()) {
        (Some((at, _)), None) => Ok(at),
        (Some(_), Some(_)) => Err(Unanswerable::Several(id.to_owned())),
        (None, _) => Err(Unanswerable::Unknown(id.to_owned())),
    }
}

/// Takes a question away when nobody waits for its answer any more.
struct Leaving<'inbox> {
    inbox: &'inbox Inbox,
    id: String,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        let mut open = self.inbox.lock();
        let before = open.len();
        open.retain(|it| it.question.id != self.id);
        let left = open.len() < before;
        drop(open);
        if left {
            self.inbox.tell();
        }
    }
}

#[cfg(test)]
mod tests;
