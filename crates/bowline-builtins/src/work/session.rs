//! What one session made, and when it was at work.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Weak};

use chrono::{DateTime, Duration, Utc};

use super::file_work::{FileWork, STEP, Share};
use super::reach::Reach;
use super::touch::CallWork;

/// Files, reads and commits that are remembered of one session.
const MAX_FILES: usize = 20_000;
/// Calls that are remembered of one session.
const MAX_CALLS: usize = 8_192;
/// Calls that are waited for.
const MAX_OPEN: usize = 512;

/// What a file, a read or a commit takes in memory, about.
const FILE: usize = 256;
/// What a path takes in memory, about.
const PATH: usize = 128;

/// Clocks differ by less.
const MARGIN: Duration = Duration::milliseconds(250);

/// When a file last changed, and when it came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Times {
    /// When its content changed, as a program may have set it.
    pub(crate) modified: DateTime<Utc>,
    /// When its content or its name changed, which no program can set.
    pub(crate) changed: DateTime<Utc>,
    pub(crate) born: Option<DateTime<Utc>>,
}

/// A file as the session has seen it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) at: DateTime<Utc>,
    /// The name that git would give to what was there, if it had changed right before.
    pub(super) content: Option<String>,
}

/// The time of one call. There are very many, so that it is small.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    /// See [`SessionWork::number`].
    call: u64,
    pub(super) start: DateTime<Utc>,
    pub(super) end: DateTime<Utc>,
    pub(super) reach: Reach,
}

/// A call that has begun.
#[derive(Debug, Clone)]
pub(super) struct OpenCall {
    pub(super) started: DateTime<Utc>,
    pub(super) work: CallWork,
    pub(super) ground: Ground,
}

/// Whether the agent waits for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ground {
    /// What changes meanwhile may be its doing.
    Fore(Reach),
    /// It continues when it is answered.
    Back,
}

impl Ground {
    /// How far a call reaches, as it is kept. Most only look, and need no word; and a call of which none is left has made nothing.
    pub(super) fn kept(self) -> Option<Reach> {
        match self {
            Self::Fore(reach) => Some(reach),
            Self::Back => None,
        }
    }

    /// The same call, as it was kept.
    pub(super) fn recalled(kept: Option<Reach>) -> Self {
        kept.map_or(Self::Back, Self::Fore)
    }
}

/// Of calls that were watched: the tracked files that held somebody else's work when they began. They are nearly always those of the call
/// before, which are kept once.
#[derive(Debug, Default)]
struct WatchedCalls {
    calls: HashMap<u64, Arc<HashSet<String>>>,
    last: Weak<HashSet<String>>,
    /// How many paths there are in all.
    paths: usize,
}

impl WatchedCalls {
    fn add(&mut self, call: u64, others: HashSet<String>) {
        let same = self.last.upgrade().filter(|last| **last == others);
        let others = same.unwrap_or_else(|| {
            self.paths += others.len();
            Arc::new(others)
        });
        self.last = Arc::downgrade(&others);
        if let Some(former) = self.calls.insert(call, others) {
            self.let_go(former);
        }
    }

    fn remove(&mut self, call: u64) {
        if let Some(others) = self.calls.remove(&call) {
            self.let_go(others);
        }
    }

    fn let_go(&mut self, others: Arc<HashSet<String>>) {
        self.paths -= Arc::into_inner(others).map_or(0, |others| others.len());
    }
}

/// What is known of one session.
#[derive(Debug, Default)]
pub(super) struct SessionWork {
    pub(super) project: String,
    pub(super) files: HashMap<String, FileWork>,
    pub(super) reads: HashMap<String, Seen>,
    pub(super) commits: HashSet<String>,
    /// Stashes of mixed work, and the paths in them that hold work of others.
    pub(super) mixed: HashMap<String, Vec<String>>,
    pub(super) spans: VecDeque<Span>,
    watched: WatchedCalls,
    pub(super) open: HashMap<String, OpenCall>,
    numbers: RandomState,
    /// When the session was last active, by the clock of the file system.
    heard: Option<DateTime<Utc>>,
}

impl SessionWork {
    /// Notes that the session is active.
    pub(super) fn hear(&mut self) {
        self.heard = Some(file_clock());
    }

    /// From when on a file that changes is the doing of a call that begins now.
    pub(super) fn beginning(&self) -> DateTime<Utc> {
        let now = file_clock();
        // A file with the time of the session's last activity may be older than the call.
        if self.heard == Some(now) {
            now + Duration::nanoseconds(1)
        } else {
            now
        }
    }

    pub(super) fn begin(&mut self, call: &str, open: OpenCall) {
        if self.open.len() >= MAX_OPEN {
            self.open.clear();
        }
        self.open.insert(call.to_owned(), open);
    }

    /// Ends a call that took so long, if the agent says it; what it was about to touch is now the session's.
    pub(super) fn end(&mut self, call: &str, ended: DateTime<Utc>, took: Option<Duration>) {
        let Some(open) = self.open.remove(call) else {
            return;
        };
        // Before it there was a question, which a person has answered.
        let began = took.map_or(open.started, |took| ended - took - MARGIN);
        let started = open.started.max(began);
        self.add(call, (started, ended), open.ground, &open.work);
    }

    pub(super) fn add(
        &mut self,
        call: &str,
        (started, ended): (DateTime<Utc>, DateTime<Utc>),
        ground: Ground,
        work: &CallWork,
    ) {
        for touch in &work.touched {
            if self.files.len() >= MAX_FILES && !self.files.contains_key(&touch.path) {
                break;
            }
            let after = FileWork::after(self.files.get(&touch.path), touch, started, ended);
            self.files.insert(touch.path.clone(), after);
        }
        self.find_out(work);
        if let Ground::Fore(reach) = ground {
            self.add_span(Span {
                call: self.number(call),
                start: started,
                end: ended,
                reach,
            });
        }
    }

    /// Adds what is known only after a call.
    pub(super) fn find_out(&mut self, work: &CallWork) {
        self.leave(&work.left);
        self.commits.extend(work.commits.iter().cloned());
        for stash in &work.mixed {
            if self.mixed.len() < MAX_OPEN {
                self.mixed.insert(stash.id.clone(), stash.others.clone());
            }
        }
    }

    /// What a path was copied from, alone or with the folder that it lies in.
    pub(super) fn original(&self, path: &str) -> Option<String> {
        around(path).find_map(|(copy, below)| {
            let from = self.files.get(copy)?.copy_of.as_deref()?;
            Some(format!("{from}{below}"))
        })
    }

    /// The copies that the session has made of a file.
    pub(super) fn copies_of(&self, path: &str) -> impl Iterator<Item = &str> {
        let copies = self.files.iter();
        copies
            .filter(move |(_, file)| file.copy_of.as_deref() == Some(path))
            .map(|(name, _)| name.as_str())
    }

    /// Whether the session's own tool has changed a file since, which shows what is there.
    pub(super) fn was_edited(&self, path: &str) -> bool {
        self.files.get(path).is_some_and(|it| it.shown)
    }

    /// Whether somebody's work was moved to a path, alone or with the folder that it lies in.
    pub(super) fn is_moved(&self, path: &str) -> bool {
        around(path).any(|(name, _)| self.files.get(name).is_some_and(|it| it.moved))
    }

    /// The paths to which somebody's work was moved or copied.
    pub(super) fn brought(&self) -> impl Iterator<Item = &str> {
        let files = self.files.iter();
        let brought = files.filter(|(_, file)| file.moved || file.copy_of.is_some());
        brought.map(|(name, _)| name.as_str())
    }

    /// Notes what calls have left in files that are the session's own.
    fn leave(&mut self, left: &[(String, String)]) {
        for (path, content) in left {
            if let Some(file) = self.files.get_mut(path) {
                file.content = Some(content.clone());
            }
        }
    }

    /// Since when a file is the session's own whose content is what the session left there.
    pub(super) fn left(&self, path: &str, content: &str) -> Option<DateTime<Utc>> {
        let file = self.files.get(path)?;
        let same = file.share == Share::Own && file.content.as_deref() == Some(content);
        same.then_some(file.since)
    }

    fn add_span(&mut self, span: Span) {
        if self.spans.len() >= MAX_CALLS
            && let Some(oldest) = self.spans.pop_front()
        {
            self.watched.remove(oldest.call);
        }
        let at = self.spans.partition_point(|it| it.start <= span.start);
        self.spans.insert(at, span);
    }

    pub(super) fn read(&mut self, path: &str, seen: Seen) {
        if self.reads.len() < MAX_FILES || self.reads.contains_key(path) {
            self.reads.insert(path.to_owned(), seen);
        }
    }

    /// What was found out when a call began: the tracked files with somebody else's work.
    pub(super) fn watch(&mut self, call: &str, others: HashSet<String>) {
        if self.watched.calls.len() < MAX_CALLS {
            self.watched.add(self.number(call), others);
        }
    }

    /// What was found out when a call began, if it was watched.
    pub(super) fn others(&self, call: &str) -> Option<&HashSet<String>> {
        self.others_at(self.number(call))
    }

    fn others_at(&self, call: u64) -> Option<&HashSet<String>> {
        self.watched.calls.get(&call).map(Arc::as_ref)
    }

    /// By what a call is known. Names are longer, and no two of a session get the same number.
    fn number(&self, call: &str) -> u64 {
        self.numbers.hash_one(call)
    }

    /// What this takes in memory, about.
    pub(super) fn weight(&self) -> usize {
        let files = self.files.len() + self.reads.len() + self.commits.len();
        let watched = self.watched.calls.len() * size_of::<(u64, Arc<HashSet<String>>)>();
        self.spans.capacity() * size_of::<Span>()
            + watched
            + self.watched.paths * PATH
            + files * FILE
    }

    /// The call during which something happened.
    pub(super) fn span_at(&self, time: DateTime<Utc>) -> Option<&Span> {
        let until = self.spans.partition_point(|it| it.start <= time);
        let mut candidates = self.spans.range(..until).rev().take(64);
        candidates.find(|it| time <= it.end)
    }

    /// Since when a file is the session's own, if it is. `alone` says whether nobody else was at work then.
    pub(super) fn owns(
        &self,
        path: &str,
        times: Times,
        alone: impl Fn(&Span) -> bool,
    ) -> Option<DateTime<Utc>> {
        let by_call = |time| {
            let span = self.span_at(time)?;
            let theirs = self
                .others_at(span.call)
                .is_some_and(|it| it.contains(path));
            (!theirs && alone(span)).then_some(span)
        };
        if let Some(file) = self.files.get(path) {
            let later = |span: &Span| span.end > file.until && span.reach.changes(path);
            let untouched = |time| file.was_there(time) || by_call(time).is_some_and(later);
            let own =
                file.share == Share::Own && untouched(times.changed) && untouched(times.modified);
            return own.then_some(file.since);
        }
        // A program that the session ran has made it, and nobody has changed it since.
        let made = by_call(times.born?)?;
        by_call(times.changed).map(|_| made.start)
    }

    /// Since when a tracked file has nothing but the session's changes, if a call that was watched made them.
    pub(super) fn changed(
        &self,
        path: &str,
        times: Times,
        alone: impl Fn(&Span) -> bool,
    ) -> Option<DateTime<Utc>> {
        if self.files.contains_key(path) {
            return None;
        }
        let span = self.span_at(times.changed)?;
        let others = self.others_at(span.call)?;
        let in_call = span.start <= times.modified && times.modified <= span.end;
        let reaches = span.reach.changes(path);
        (in_call && reaches && !others.contains(path) && alone(span)).then_some(span.start)
    }

    /// Whether the session has read or written the file as it is now; `content` is the name that git would give it.
    pub(super) fn knows(
        &self,
        path: &str,
        times: Times,
        content: impl Fn() -> Option<String>,
    ) -> bool {
        let time = times.changed;
        let read = self.reads.get(path);
        let wrote = self.files.get(path);
        let wrote = wrote.filter(|it| it.share == Share::Own || it.shown);
        // Right before the end of a call only the content shows what it saw.
        let same = |seen: &Option<String>| seen.is_some() && *seen == content();
        let last = read.map(|it| it.at).max(wrote.map(|it| it.until));
        read.is_some_and(|it| time <= it.at - STEP || (time <= it.at && same(&it.content)))
            || wrote.is_some_and(|it| it.was_there(time) || (time <= it.until && same(&it.content)))
            || last.is_some_and(|last| time > last && self.span_at(time).is_some())
    }
}

/// The folders around a path and the path itself, each with what lies below it.
fn around(path: &str) -> impl Iterator<Item = (&str, &str)> {
    let folders = path.match_indices('/').map(|(at, _)| at);
    let ends = folders.chain([path.len()]).filter(|at| *at > 0);
    ends.filter_map(|end| path.split_at_checked(end))
}

/// The time that a file gets which changes now. The system's clock for files goes in steps, and so may be behind.
#[cfg(target_os = "linux")]
fn file_clock() -> DateTime<Utc> {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
    let nanos = u32::try_from(now.tv_nsec).unwrap_or(0);
    DateTime::from_timestamp(now.tv_sec, nanos).unwrap_or_else(Utc::now)
}

/// The time that a file gets which changes now.
#[cfg(not(target_os = "linux"))]
fn file_clock() -> DateTime<Utc> {
    Utc::now()
}

#[cfg(test)]
mod tests {
    use super::super::touch::{Before, Touch};
    use super::*;

    fn at(millis: i64) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(1_000_000 + millis).unwrap()
    }

    fn changed(millis: i64) -> Times {
        Times {
            modified: at(millis),
            changed: at(millis),
            born: None,
        }
    }

    /// A session whose last call wrote `/p/a` and ended after 50 ms.
    fn session(left: &[(String, String)]) -> SessionWork {
        let touch = Touch {
            path: "/p/a".to_owned(),
            before: Before::Missing,
            shown: true,
            copy_of: None,
            moved: false,
            staged: None,
        };
        let work = CallWork {
            touched: vec![touch],
            left: left.to_vec(),
            ..CallWork::default()
        };
        let mut session = SessionWork::default();
        let ground = Ground::Fore(Reach::Anything);
        session.add("call", (at(10), at(50)), ground, &work);
        session
    }

    #[test]
    fn in_the_step_in_which_a_call_ends_the_content_tells() {
        let session = session(&[("/p/a".to_owned(), "one".to_owned())]);
        let owns = |millis| session.owns("/p/a", changed(millis), |_| true).is_some();
        assert!(owns(39), "before the end");
        assert!(!owns(49), "in the step of the end");
        assert!(!owns(51), "after it");
        assert!(session.left("/p/a", "one").is_some());
        assert!(session.left("/p/a", "two").is_none());
        let knows = |millis, content: &str| {
            session.knows("/p/a", changed(millis), || Some(content.to_owned()))
        };
        assert!(knows(39, "two"));
        assert!(knows(49, "one"));
        assert!(!knows(49, "two"));
    }

    #[test]
    fn without_a_content_the_step_belongs_to_the_call() {
        let session = session(&[]);
        let owns = |millis| session.owns("/p/a", changed(millis), |_| true).is_some();
        assert!(owns(50));
        assert!(!owns(51));
    }

    #[test]
    fn what_was_read_is_known_up_to_the_step_of_the_reading() {
        let mut session = SessionWork::default();
        let mut read = |content: Option<&str>| {
            let content = content.map(ToOwned::to_owned);
            session.read(
                "/p/a",
                Seen {
                    at: at(50),
                    content,
                },
            );
            let one = || Some("one".to_owned());
            [39, 49].map(|millis| session.knows("/p/a", changed(millis), one))
        };
        assert_eq!(read(None), [true, false]);
        assert_eq!(read(Some("one")), [true, true]);
        assert_eq!(read(Some("two")), [true, false]);
    }

    #[test]
    fn calls_that_begin_alike_keep_once_what_others_had_changed() {
        let others = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let mut session = SessionWork::default();
        let nothing = session.weight();
        session.watch("1", others(&["/p/a", "/p/b"]));
        let one = session.weight();
        session.watch("2", others(&["/p/b", "/p/a"]));
        assert_eq!(session.watched.paths, 2);
        session.watch("3", others(&["/p/c"]));
        assert_eq!(session.watched.paths, 3);
        assert!(nothing < one && one < session.weight());
        assert_eq!(session.others("2"), Some(&others(&["/p/a", "/p/b"])));
        assert_eq!(session.others("4"), None);
        for (call, paths) in [("1", 3), ("1", 3), ("3", 2), ("2", 0)] {
            session.watched.remove(session.number(call));
            assert_eq!(session.watched.paths, paths, "{call}");
        }
    }

    #[test]
    fn a_call_is_recalled_as_it_was() {
        let far = [Reach::NewFiles, Reach::Anything].map(Ground::Fore);
        for ground in [Ground::Back].into_iter().chain(far) {
            assert_eq!(Ground::recalled(ground.kept()), ground);
        }
    }
}
