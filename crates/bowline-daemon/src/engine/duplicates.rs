//! One event that arrives more than once is handled once.
//!
//! Agents run the hooks of all their settings files, and some those of other agents' files as well. With Bowline in several of them, the same event
//! arrives by each entry, in the words of each. And some agents report one call by two events. What comes later gets the opinion that the first
//! came to, told in its own words. In doubt each is decided: an answer is never withheld.

use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bowline::hooks::{Decision, HookEvent, Opinion};
use bowline_agents::{Agent, NATIVE, PARTS, Reported, Tool};
use serde_json::Value;
use tokio::sync::watch;

/// At most this many events wait for another arrival. The oldest is dropped.
const WAITING: usize = 256;
/// This long after its answer no other arrival is expected.
const TOGETHER: Duration = Duration::from_mins(1);
/// At most this many sessions are remembered in which an agent's own entries report.
const SESSIONS: usize = 4_096;

/// Whose entry a call came by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Entry {
    User,
    Project,
}

/// What is said of an event.
#[derive(Debug, Clone)]
pub(super) struct Said {
    /// The opinion, before an agent is told it.
    pub(super) opinion: Opinion,
    at: Instant,
}

/// An event as it can be recognised.
#[derive(Debug, Clone, Copy)]
pub(super) struct Identity {
    /// Everything that the agent says about it, but when it said it. Of a call its tool, its input and its id.
    whole: u64,
    /// The call that it is about, by what it does, where the agent reports calls more than once.
    call: Option<u64>,
    /// By which entry and under which name it came.
    way: u64,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It is reported for the first time, by each entry.
    First,
    /// It repeats what was reported under another name.
    Repeat,
}

/// Events that may arrive again.
#[derive(Debug, Default)]
pub(super) struct Duplicates {
    waiting: Mutex<VecDeque<Waiting>>,
    /// The sessions, by agent, that an agent's own entries have reported.
    own: Mutex<HashSet<u64>>,
    hasher: RandomState,
}

#[derive(Debug)]
struct Waiting {
    whole: u64,
    /// It changes when hooks change what the call does.
    call: Option<Arc<AtomicU64>>,
    /// The ways by which it has come.
    ways: Vec<u64>,
    said: watch::Receiver<Option<Said>>,
}

impl Waiting {
    /// While it is being decided, the others wait, too.
    fn is_over(&self) -> bool {
        match &*self.said.borrow() {
            Some(said) => said.at.elapsed() >= TOGETHER,
            // Nobody decides it any more.
            None => self.said.has_changed().is_err(),
        }
    }

    fn decision(&self) -> Option<Decision> {
        Some(self.said.borrow().as_ref()?.opinion.decision())
    }

    fn is(&self, event: &Identity) -> bool {
        let call = || Some(self.call.as_ref()?.load(Ordering::Relaxed));
        match event.kind {
            Kind::First => self.whole == event.whole,
            Kind::Repeat => event.call.is_some() && call() == event.call,
        }
    }
}

/// Whether a call is the first of its event.
#[derive(Debug)]
pub(super) enum Met {
    /// It came first: others may wait for what is said of it.
    First(Teller),
    /// It came later: this counts for it, too.
    Again(watch::Receiver<Option<Said>>),
}

/// Tells the others what is said of their event.
#[derive(Debug)]
pub(super) struct Teller {
    said: watch::Sender<Option<Said>>,
    call: Option<Arc<AtomicU64>>,
}

impl Teller {
    /// The first opinion counts. Usually there is nobody else. Hooks may have changed what the call does, which is then reported again
    /// as it is.
    pub(super) fn tell(&self, opinion: &Opinion, changed: Option<u64>) {
        self.said.send_if_modified(|said| {
            let is_first = said.is_none();
            said.get_or_insert_with(|| Said {
                opinion: opinion.clone(),
                at: Instant::now(),
            });
            is_first
        });
        if let (Some(call), Some(changed)) = (&self.call, changed) {
            call.store(changed, Ordering::Relaxed);
        }
    }
}

/// What was said of the event that came first; `None` if it never came to that.
pub(super) async fn said_of(mut first: watch::Receiver<Option<Said>>) -> Option<Opinion> {
    let said = first.wait_for(Option::is_some).await.ok()?;
    said.as_ref().map(|said| said.opinion.clone())
}

impl Duplicates {
    /// Recognises an event by its payload in Bowline's words. The entry names an agent, its own or another one.
    pub(super) fn identity(
        &self,
        agent: &Agent,
        named: (&str, Option<&str>),
        payload: &Value,
    ) -> Identity {
        let text = |name: &str| payload.get(name).and_then(Value::as_str);
        let event = text("hook_event_name").unwrap_or_default();
        let known = HookEvent::from_name(event).unwrap_or(HookEvent::Unknown);
        let tool = text("tool_name");
        let input = payload.get("tool_input");
        let reported = Reported::decoded(known, payload.get(NATIVE), (tool, input));
        let repeats = agent.protocol().is_some_and(|it| !it.repeats.is_empty());
        let is_repeat = agent.protocol().is_some_and(|it| it.repeats(&reported));
        let about = (agent.name, text("session_id"), text("agent_id"));
        let reports = Reports {
            session: text("session_id"),
            agent_id: text("agent_id"),
            event: known,
            tool,
            input,
            folder: text("cwd"),
            parts: payload.get(PARTS),
        };
        let whole = match tool.filter(|_| known.is_tool_event()) {
            Some(tool) => {
                let parts = payload.get(PARTS);
                let id = text("tool_use_id");
                // Without an id the same call elsewhere is another one.
                let folder = text("cwd").filter(|_| id.is_none());
                self.hasher
                    .hash_one((about, event, tool, input, parts, id, folder))
            }
            None => self.hash_all(about, payload),
        };
        Identity {
            whole,
            call: repeats.then(|| self.call(agent, &reports)).flatten(),
            way: self.hasher.hash_one((named, reported.name)),
            kind: if is_repeat { Kind::Repeat } else { Kind::First },
        }
    }

    /// A call by what it does. The events of one call differ in what they say beside that. What one is allowed says nothing of a call
    /// that does something else to the same file, or the same elsewhere.
    pub(super) fn call(&self, agent: &Agent, reports: &Reports<'_>) -> Option<u64> {
        let is_over = match reports.event {
            HookEvent::PreToolUse | HookEvent::PermissionRequest => false,
            HookEvent::PostToolUse | HookEvent::PostToolUseFailure => true,
            _ => return None,
        };
        let (tool, input) = (reports.tool?, reports.input?);
        let field = |name: &str| input.get(name).and_then(Value::as_str);
        let of_tool = Tool::named(tool);
        let does = if of_tool.runs_a_shell() {
            // What is over is not always said to have been anywhere.
            let folder = reports.folder.filter(|_| !is_over);
            field("command").map(|command| ("shell", command, folder))
        } else if of_tool.changes_a_file() {
            field("file_path").map(|path| ("change", path, None))
        } else if of_tool.is_for_files() {
            field("file_path").map(|path| ("look", path, None))
        } else {
            None
        };
        let about = (agent.name, reports.session, reports.agent_id, is_over);
        let about = (about, reports.parts);
        Some(match does {
            Some(does) => self.hasher.hash_one((about, does)),
            None => self.hasher.hash_one((about, tool, input)),
        })
    }

    /// Everything but when it was said, and what was translated.
    fn hash_all(&self, about: impl Hash, payload: &Value) -> u64 {
        let fields = payload.as_object().into_iter().flatten();
        let mut fields: Vec<_> = fields
            .filter(|(name, _)| !["timestamp", NATIVE].contains(&name.as_str()))
            .collect();
        fields.sort_unstable_by_key(|(name, _)| name.as_str());
        let mut hasher = self.hasher.build_hasher();
        about.hash(&mut hasher);
        fields.hash(&mut hasher);
        hasher.finish()
    }

    /// Whether an event is the first of its kind, or another arrival of one that is waiting.
    pub(super) fn meet(&self, event: Identity, entry: Entry) -> Met {
        let way = self.hasher.hash_one((event.way, entry));
        let mut waiting = lock(&self.waiting);
        while waiting.front().is_some_and(Waiting::is_over) {
            waiting.pop_front();
        }
        let same = newest(&waiting, &event, way);
        if let Some(first) = same.and_then(|at| waiting.get_mut(at)) {
            if !first.ways.contains(&way) {
                first.ways.push(way);
                return Met::Again(first.said.clone());
            }
            // It has come this way before: it happens once more.
            if let Some(at) = same {
                waiting.remove(at);
            }
        }
        let (sender, said) = watch::channel(None);
        let call = event.call.map(|call| Arc::new(AtomicU64::new(call)));
        waiting.push_back(Waiting {
            whole: event.whole,
            call: call.clone(),
            ways: vec![way],
            said,
        });
        if waiting.len() > WAITING {
            waiting.pop_front();
        }
        Met::First(Teller { said: sender, call })
    }

    /// Notes that an agent's own entries report this session.
    pub(super) fn note_own(&self, agent: &Agent, session: &str) {
        let mut own = lock(&self.own);
        if own.len() >= SESSIONS {
            own.clear();
        }
        own.insert(self.hasher.hash_one((agent.name, session)));
    }

    /// Whether an agent's own entries report this session.
    pub(super) fn has_own(&self, agent: &Agent, session: &str) -> bool {
        lock(&self.own).contains(&self.hasher.hash_one((agent.name, session)))
    }
}

/// What an event says about its call.
#[derive(Debug)]
pub(super) struct Reports<'a> {
    pub(super) session: Option<&'a str>,
    pub(super) agent_id: Option<&'a str>,
    pub(super) event: HookEvent,
    pub(super) tool: Option<&'a str>,
    pub(super) input: Option<&'a Value>,
    pub(super) folder: Option<&'a str>,
    pub(super) parts: Option<&'a Value>,
}

/// The event that this one is an arrival of: the newest. Where it could as well be an older call that a person has to decide, and the newest
/// is let pass, it is none. A call that was denied does not go on, and is not meant.
fn newest(waiting: &VecDeque<Waiting>, event: &Identity, way: u64) -> Option<usize> {
    let all = waiting.iter().enumerate().rev();
    let mut same = all.filter(|(_, it)| it.is(event) && !it.is_over());
    let (at, newest) = same.next()?;
    let passes = newest.decision().is_some_and(|it| it < Decision::Ask);
    let is_open = |it: &Waiting| !it.ways.contains(&way);
    let is_asked = |it: &Waiting| it.decision().is_none_or(|it| it == Decision::Ask);
    let in_doubt =
        event.kind == Kind::Repeat && passes && same.any(|(_, it)| is_open(it) && is_asked(it));
    (!in_doubt).then_some(at)
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
