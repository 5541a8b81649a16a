//! What is known of sessions, in memory: which effort they are in, how many calls they made since the last log entry.
//!
//! It is a copy. The store counts how often something was changed behind its back, by a command or by another process, and then it is read
//! anew.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bowline::hooks::{HookContext, HookInput};
use bowline_continuity::action::Who;
use bowline_continuity::effort::{Effort, EffortId};
use bowline_continuity::fleet::AgentStatus;
use bowline_continuity::session::SessionState;
use bowline_continuity::transcript::Position;
use bowline_store::{Change, Store};
use chrono::Utc;

use super::caller::{host, who};
use crate::caught_up::catch_up;
use crate::recorder::add_change;

/// More sessions are not remembered.
const MAX_SESSIONS: usize = 4_096;

/// What is known of all sessions.
#[derive(Default)]
pub struct Live {
    store: Option<Arc<dyn Store>>,
    sessions: Mutex<HashMap<Key, Arc<Mutex<Known>>>>,
    /// The status of each agent as it was last recorded. Apart from the rest, which may be locked while files are read.
    statuses: Mutex<HashMap<String, AgentStatus>>,
}

/// A session, or a sub-agent in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    session: String,
    subagent: Option<String>,
}

/// What is known of one session.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// What the store counted when this was read; `None` if it was not.
    read_at: Option<u64>,
    /// The effort, if it is in one.
    pub(super) effort: Option<Effort>,
    /// Its part in the effort.
    pub(super) state: Option<SessionState>,
    /// The effort of which it is recorded that the session is in it.
    pub(super) joined: Option<EffortId>,
    /// How far its transcript was read.
    pub(super) transcript: Option<Position>,
}

impl Known {
    /// Records that the session is in an effort, once.
    pub(super) fn join(&mut self, effort: &Effort, input: &HookInput, ctx: &HookContext) {
        if self.joined == Some(effort.id) {
            return;
        }
        self.joined = Some(effort.id);
        let transcript = input.transcript_path().map(str::to_owned);
        add_change(
            ctx,
            Change::EffortJoined {
                effort: effort.id,
                transcript,
            },
        );
    }
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live").finish_non_exhaustive()
    }
}

impl Live {
    /// Nothing is known yet; what was before is in the store.
    pub fn new(store: Option<Arc<dyn Store>>) -> Self {
        Self {
            store,
            sessions: Mutex::default(),
            statuses: Mutex::default(),
        }
    }

    pub(super) fn store(&self) -> Option<&Arc<dyn Store>> {
        self.store.as_ref()
    }

    /// Reads what the store has about a session, so that the hooks know whether they would run for it.
    pub fn learn(&self, who: &Who) {
        self.with(who, &HookContext::new(""), |_| ());
    }

    /// Does something with what is known of a session, after it was read. An event without a session has nothing.
    pub(super) fn with<T>(
        &self,
        who: &Who,
        ctx: &HookContext,
        what: impl FnOnce(&mut Known) -> T,
    ) -> Option<T> {
        let store = self.store.as_ref()?;
        let known = self.known(key(who)?);
        let mut known = lock(&known);
        let now = store.continuity().foreign_writes();
        if known.read_at != Some(now) {
            catch_up(store.as_ref(), ctx);
            // One that cannot be found is in no effort: nothing is counted, nothing is denied.
            let resolved = store.continuity().resolve(who).unwrap_or_default();
            known.joined = resolved.session.as_ref().map(|state| state.effort);
            known.effort = resolved.effort;
            known.state = resolved.session;
            known.read_at = Some(now);
        }
        Some(what(&mut known))
    }

    /// The effort of an event's session; that of its agent if a sub-agent reports.
    pub(crate) fn effort_of(
        &self,
        input: &HookInput,
        ctx: &HookContext,
        project: &Path,
    ) -> Option<Effort> {
        let who = host(who(input, ctx, project));
        self.with(&who, ctx, |known| known.effort.clone()).flatten()
    }

    /// The same for a session that is known to be in an effort.
    pub(super) fn in_effort<T>(
        &self,
        who: &Who,
        ctx: &HookContext,
        what: impl FnOnce(&mut Effort, &mut SessionState, &mut Known) -> T,
    ) -> Option<T> {
        self.with(who, ctx, |known| {
            let mut effort = known.effort.take()?;
            let mut state = known
                .state
                .take()
                .unwrap_or_else(|| SessionState::new(effort.id));
            let result = what(&mut effort, &mut state, known);
            known.effort = Some(effort);
            known.state = Some(state);
            Some(result)
        })
        .flatten()
    }

    /// Whether a session is surely in no effort, without asking the store.
    pub(super) fn is_idle(&self, session: &str, subagent: Option<&str>) -> bool {
        let Some(store) = self.store.as_ref().filter(|_| !session.is_empty()) else {
            return true;
        };
        let key = Key {
            session: session.to_owned(),
            subagent: subagent.map(str::to_owned),
        };
        let known = lock(&self.sessions).get(&key).cloned();
        // One that is in use is in an effort, or about to be. This is asked where nobody may wait.
        known.is_some_and(|known| {
            known.try_lock().is_ok_and(|known| {
                known.effort.is_none() && known.read_at == Some(store.continuity().foreign_writes())
            })
        })
    }

    /// The status of an agent as it was last recorded, if this process knows it.
    pub(crate) fn status(&self, session: &str) -> Option<AgentStatus> {
        lock(&self.statuses).get(session).copied()
    }

    /// Notes the status of an agent, which is being recorded.
    pub(super) fn set_status(&self, session: &str, status: AgentStatus) {
        let mut statuses = lock(&self.statuses);
        if statuses.len() >= MAX_SESSIONS && !statuses.contains_key(session) {
            statuses.clear();
        }
        statuses.insert(session.to_owned(), status);
    }

    /// Notes the status of an agent, and keeps it beside what events say. Nobody waits for that.
    pub(crate) fn keep_status(
        &self,
        session: &str,
        status: AgentStatus,
        waits_for: Option<String>,
    ) {
        self.set_status(session, status);
        self.write_status(session, status, waits_for);
    }

    /// An agent that waited works again. What was known of it `before` says whether any event of it is recorded: if not, the one that it
    /// waited with says what it is doing.
    pub(crate) fn goes_on(&self, session: &str, before: Option<AgentStatus>) {
        match before {
            Some(_) => self.set_status(session, AgentStatus::Working),
            None => drop(lock(&self.statuses).remove(session)),
        }
        self.write_status(session, AgentStatus::Working, None);
    }

    fn write_status(&self, session: &str, status: AgentStatus, waits_for: Option<String>) {
        let (Some(store), session) = (self.store.clone(), session.to_owned()) else {
            return;
        };
        let at = Utc::now();
        drop(tokio::task::spawn_blocking(move || {
            let kept = store
                .continuity()
                .set_status(&session, status, waits_for.as_deref(), at);
            if let Err(error) = kept {
                tracing::warn!(%error, "what an agent is doing could not be kept");
            }
        }));
    }

    /// A session has ended, or begins anew.
    pub(super) fn forget(&self, who: &Who) {
        if let Some(key) = key(who) {
            lock(&self.sessions).remove(&key);
        }
    }

    fn known(&self, key: Key) -> Arc<Mutex<Known>> {
        let mut sessions = lock(&self.sessions);
        if sessions.len() >= MAX_SESSIONS && !sessions.contains_key(&key) {
            sessions.clear();
        }
        Arc::clone(sessions.entry(key).or_default())
    }
}

fn key(who: &Who) -> Option<Key> {
    Some(Key {
        session: who.session.clone()?,
        subagent: who.subagent.clone(),
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
