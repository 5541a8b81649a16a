//! What all sessions made, as far as memory allows, and as the store has it.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex};

use bowline_store::{Store, TraceFilter, TraceStatus};
use chrono::{DateTime, Duration, Utc};

use super::lookout::{Lookout, Watched};
use super::session::{Ground, OpenCall, Seen, SessionWork, Span, Times};
use super::sessions::{Known, Past, Sessions, State, lock};
use super::touch::{CallWork, GitBefore};
use crate::machine::Machine;

/// Files of others that are kept with a call.
const MAX_KEPT: usize = 256;
/// Calls of other sessions that are looked at.
const MAX_OTHERS: usize = 500;

/// What sessions made.
#[derive(Default)]
pub struct Ledger {
    sessions: Mutex<Sessions>,
    store: Option<Arc<dyn Store>>,
    lookout: Option<Lookout>,
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledger").finish_non_exhaustive()
    }
}

impl Ledger {
    /// A ledger that reads what was before from a store.
    pub fn new(store: Option<Arc<dyn Store>>) -> Self {
        Self {
            sessions: Mutex::default(),
            store,
            lookout: None,
        }
    }

    /// The same, in a process that lives long enough to look around beside its answers.
    pub fn watching(mut self) -> Self {
        self.lookout = Some(Lookout::default());
        self
    }

    /// A session begins, and there is nothing before it.
    pub(super) fn begin_session(&self, session: &str, project: &str) {
        let known = self.known(session, project);
        let mut state = lock(&known.state);
        state.past = Past::Read;
        state.work.hear();
    }

    /// A session is active.
    pub(super) fn hear(&self, (session, project): (&str, &str)) {
        let known = self.known(session, project);
        lock(&known.state).work.hear();
    }

    pub(super) fn begin_call(
        &self,
        (session, project): (&str, &str),
        call: &str,
        work: CallWork,
        ground: Ground,
    ) {
        let known = self.known(session, project);
        let mut state = lock(&known.state);
        let open = OpenCall {
            started: state.work.beginning(),
            work,
            ground,
        };
        state.work.hear();
        state.work.begin(call, open);
    }

    /// What a call that has begun found in the repository, also if another process began it.
    pub(super) fn before(&self, (session, project): (&str, &str), call: &str) -> Option<GitBefore> {
        let known = self.known(session, project);
        let open = |state: &State| Some(state.work.open.get(call)?.work.before.clone());
        let here = open(&lock(&known.state));
        if let Some(before) = here {
            return before;
        }
        let known = self.recalled(session, project);
        let state = lock(&known.state);
        open(&state).flatten()
    }

    /// Looks which tracked files hold somebody else's work when a call begins.
    pub(super) fn watch(self: &Arc<Self>, machine: &Arc<Machine>, watched: Watched) {
        if let Some(lookout) = &self.lookout {
            lookout.look(Arc::clone(self), Arc::clone(machine), watched);
        }
    }

    /// Makes ready for the first look at a project.
    pub(super) fn prepare(&self, machine: &Arc<Machine>, project: &str) {
        if let Some(lookout) = &self.lookout {
            lookout.prepare(Arc::clone(machine), project);
        }
    }

    pub(super) fn saw(&self, watched: &Watched, others: HashSet<String>) {
        let known = self.known(&watched.session, &watched.project);
        lock(&known.state).work.watch(&watched.call, others);
    }

    pub(super) fn end_call(
        &self,
        (session, project): (&str, &str),
        call: &str,
        ended: DateTime<Utc>,
        took: Option<Duration>,
    ) {
        let known = self.known(session, project);
        let mut state = lock(&known.state);
        state.work.hear();
        state.work.end(call, ended, took);
    }

    /// The files that a call has begun to touch, as far as this process knows.
    pub(super) fn touched(&self, (session, project): (&str, &str), call: &str) -> Vec<String> {
        let known = self.known(session, project);
        let state = lock(&known.state);
        let open = state.work.open.get(call);
        open.map(|open| open.work.touched.iter().map(|it| it.path.clone()).collect())
            .unwrap_or_default()
    }

    /// The tracked files that held somebody else's work when a call began, if it was watched and they are few enough to be kept.
    pub(super) fn others(
        &self,
        (session, project): (&str, &str),
        call: &str,
    ) -> Option<Vec<String>> {
        let known = self.known(session, project);
        let state = lock(&known.state);
        let others = state.work.others(call);
        let others = others.filter(|it| it.len() <= MAX_KEPT)?;
        Some(others.iter().cloned().collect())
    }

    /// Adds what was found out after a call.
    pub(super) fn add(&self, (session, project): (&str, &str), work: &CallWork) {
        let known = self.known(session, project);
        let mut state = lock(&known.state);
        state.work.find_out(work);
    }

    pub(super) fn read(&self, (session, project): (&str, &str), path: &str, seen: Seen) {
        let known = self.known(session, project);
        lock(&known.state).work.read(path, seen);
    }

    /// What a session made, for the guards.
    pub(crate) fn view<'l>(&'l self, session: &'l str) -> SessionView<'l> {
        SessionView {
            ledger: self,
            session,
            project: "",
        }
    }

    fn known(&self, session: &str, project: &str) -> Arc<Known> {
        lock(&self.sessions).named(session, project)
    }

    /// The session with everything that is known of it, also from before this process.
    fn recalled(&self, session: &str, project: &str) -> Arc<Known> {
        let known = self.known(session, project);
        let mut state = lock(&known.state);
        if state.past == Past::NotRead {
            state.past = Past::Read;
            if let Some(store) = &self.store {
                recall(&mut state.work, store.as_ref(), session, known.since);
            }
        }
        drop(state);
        known
    }

    /// Whether another session was at work in the project during a call.
    fn is_alone(&self, session: &str, project: &str, span: &Span) -> bool {
        let others = lock(&self.sessions).others(session);
        let busy = others.iter().any(|other| {
            let state = lock(&other.state);
            let at_once =
                |start: DateTime<Utc>, end: DateTime<Utc>| start < span.end && end > span.start;
            state.work.project == project
                && (state
                    .work
                    .spans
                    .iter()
                    .rev()
                    .any(|it| at_once(it.start, it.end))
                    || state
                        .work
                        .open
                        .values()
                        .any(|it| at_once(it.started, span.end)))
        });
        !busy && !self.was_busy(session, project, span)
    }

    /// The same, as the store has it, for a call of which this process may not know all who were at work.
    fn was_busy(&self, session: &str, project: &str, span: &Span) -> bool {
        let is_known = {
            let sessions = lock(&self.sessions);
            let since = sessions.since(session);
            since.is_none_or(|since| span.start >= since) && sessions.remember_all_since(span.start)
        };
        let Some(store) = self.store.as_ref().filter(|_| !is_known) else {
            return false;
        };
        let filter = TraceFilter {
            since: Some(span.start - Duration::minutes(10)),
            // The store keeps milliseconds.
            before: Some(span.end + Duration::milliseconds(1)),
            project: Some(project),
            limit: MAX_OTHERS,
            ..TraceFilter::default()
        };
        let Ok(traces) = store.find_traces(&filter) else {
            return true;
        };
        // Where there were more, some are not known.
        traces.len() >= MAX_OTHERS
            || traces.iter().any(|trace| {
                trace.session != session
                    && trace.started_at < span.end
                    && trace.ended_at.is_none_or(|end| end > span.start)
            })
    }
}

/// Adds what the store has of a session before a time.
fn recall(work: &mut SessionWork, store: &dyn Store, session: &str, before: DateTime<Utc>) {
    let Ok(calls) = store.past_calls(session) else {
        return;
    };
    for call in calls.into_iter().filter(|call| call.started_at < before) {
        let mut done = CallWork::default();
        for part in call.work {
            let Ok(part) = serde_json::from_value::<CallWork>(part) else {
                continue;
            };
            done.touched.extend(part.touched);
            done.commits.extend(part.commits);
            done.mixed.extend(part.mixed);
            done.left.extend(part.left);
            done.before = done.before.or(part.before);
            done.reach = done.reach.or(part.reach);
            done.others = done.others.or(part.others);
        }
        let ground = Ground::recalled(done.reach);
        if let Some(others) = &done.others {
            work.watch(&call.tool_use_id, others.iter().cloned().collect());
        }
        // The store keeps milliseconds: what happened within the last one is part of it.
        let ended = call.ended_at.map(|end| end + Duration::milliseconds(1));
        match (call.status, ended) {
            (TraceStatus::Completed | TraceStatus::Failed, Some(ended)) => {
                work.add(&call.tool_use_id, (call.started_at, ended), ground, &done);
                let file = call
                    .input
                    .as_ref()
                    .and_then(|it| it.get("file_path")?.as_str());
                if let Some(file) = file {
                    let (at, content) = (ended, None);
                    work.read(file, Seen { at, content });
                }
            }
            (TraceStatus::Started, _) => work.begin(
                &call.tool_use_id,
                OpenCall {
                    started: call.started_at,
                    work: done,
                    ground,
                },
            ),
            _ => {}
        }
    }
}

/// What one session made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SessionView<'l> {
    ledger: &'l Ledger,
    session: &'l str,
    project: &'l str,
}

impl<'l> SessionView<'l> {
    /// The same, in the project of the judgement.
    pub(crate) fn in_project(self, project: &'l str) -> Self {
        Self { project, ..self }
    }
    /// Since when a file is the session's own, if it is.
    pub(crate) fn owns(&self, path: &str, times: Times) -> Option<DateTime<Utc>> {
        self.since(times, |work, alone| work.owns(path, times, alone))
    }

    /// Since when a file is the session's own whose content is what the session left there, whoever has touched it since.
    pub(crate) fn left(
        &self,
        path: &str,
        content: impl Fn() -> Option<String>,
    ) -> Option<DateTime<Utc>> {
        if self.session.is_empty() {
            return None;
        }
        let known = self.ledger.recalled(self.session, self.project);
        let has_left = lock(&known.state)
            .work
            .files
            .get(path)
            .is_some_and(|it| it.content.is_some());
        let content = has_left.then(content).flatten()?;
        let state = lock(&known.state);
        state.work.left(path, &content)
    }

    /// Since when a tracked file has nothing but the session's changes, if its programs made them.
    pub(crate) fn changed(&self, path: &str, times: Times) -> Option<DateTime<Utc>> {
        self.since(times, |work, alone| work.changed(path, times, alone))
    }

    fn since(
        &self,
        times: Times,
        ask: impl Fn(&SessionWork, &dyn Fn(&Span) -> bool) -> Option<DateTime<Utc>>,
    ) -> Option<DateTime<Utc>> {
        if self.session.is_empty() {
            return None;
        }
        let known = self.ledger.recalled(self.session, self.project);
        // Whether others were at work is asked without holding this session.
        let spans: Vec<Span> = {
            let state = lock(&known.state);
            ask(&state.work, &|_| true)?;
            let moments = [Some(times.changed), Some(times.modified), times.born];
            let spans = moments
                .into_iter()
                .flatten()
                .filter_map(|time| state.work.span_at(time));
            spans.cloned().collect()
        };
        let shared: Vec<Span> = spans
            .into_iter()
            .filter(|span| !self.ledger.is_alone(self.session, self.project, span))
            .collect();
        let state = lock(&known.state);
        ask(&state.work, &|span| !shared.contains(span))
    }

    /// Whether the session has read a file as it is now.
    pub(crate) fn knows(
        &self,
        path: &str,
        times: Times,
        content: impl Fn() -> Option<String>,
    ) -> bool {
        if self.session.is_empty() {
            return false;
        }
        let known = self.ledger.recalled(self.session, self.project);
        let state = lock(&known.state);
        state.work.knows(path, times, content)
    }

    /// What a path was copied from, if that was somebody else's.
    pub(crate) fn original(&self, path: &str) -> Option<String> {
        if self.session.is_empty() {
            return None;
        }
        let known = self.ledger.recalled(self.session, self.project);
        let state = lock(&known.state);
        state.work.original(path)
    }

    /// The copies that the session has made of a file.
    pub(crate) fn copies_of(&self, path: &str) -> Vec<String> {
        if self.session.is_empty() {
            return Vec::new();
        }
        let known = self.ledger.recalled(self.session, self.project);
        let state = lock(&known.state);
        state.work.copies_of(path).map(ToOwned::to_owned).collect()
    }

    /// Whether the session has written a file, alone or after others.
    pub(crate) fn wrote(&self, path: &str) -> bool {
        if self.session.is_empty() {
            return false;
        }
        let known = self.ledger.recalled(self.session, self.project);
        let state = lock(&known.state);
        state.work.files.contains_key(path)
    }

    /// Whether the session's own tool has changed a file.
    pub(crate) fn was_edited(&self, path: &str) -> bool {
        let known = self.ledger.recalled(self.session, self.project);
        let state = lock(&known.state);
        state.work.was_edited(path)
    }

    /// Whether the session has moved somebody's work to a path.
    pub(crate) fn is_moved(&self, path: &str) -> bool {
        if self.session.is_empty() {
            return false;
        }
        let known = self.ledger.recalled(self.session, self.project);
        let state = lock(&known.state);
        state.work.is_moved(path)
    }

    /// The paths to which the session has moved or copied somebody's work, of those that are wanted.
    pub(crate) fn brought(&self, wanted: impl Fn(&str) -> bool) -> Vec<String> {
        if self.session.is_empty() {
            return Vec::new();
        }
        let known = self.ledger.recalled(self.session, self.project);
        let state = lock(&known.state);
        let brought = state.work.brought().filter(|it| wanted(it));
        brought.map(ToOwned::to_owned).collect()
    }

    /// Whether a commit or stash holds nothing but the session's own work.
    pub(crate) fn owns_commit(&self, id: &str) -> bool {
        let known = self.ledger.recalled(self.session, self.project);
        let state = lock(&known.state);
        state.work.commits.contains(id)
    }

    /// The paths in a stash of mixed work that hold work of others, if the session has made it.
    pub(crate) fn others_in(&self, stash: &str) -> Option<Vec<String>> {
        let known = self.ledger.recalled(self.session, self.project);
        let state = lock(&known.state);
        state.work.mixed.get(stash).cloned()
    }

    /// Whether the session itself has put into the index what it holds for a file that is its own.
    pub(crate) fn staged_it(&self, path: &str, index: &str) -> bool {
        let known = self.ledger.recalled(self.session, self.project);
        let state = lock(&known.state);
        state.work.files.get(path).is_some_and(|file| {
            file.share == super::file_work::Share::Own && file.staged.as_deref() != Some(index)
        })
    }
}
