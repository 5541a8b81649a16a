use std::collections::HashMap;
use std::sync::{Mutex, mpsc};
use std::time::Instant;

use chrono::Utc;

use super::*;
use crate::reserve::Reserve;
use crate::spool::{SpoolMedium, SpoolOptions};

/// A database that takes as long as it is told to, and remembers what it was given.
struct Slow {
    takes: mpsc::Receiver<()>,
    kept: Arc<Mutex<Vec<String>>>,
}

impl Backend for Slow {
    fn commit(
        &mut self,
        records: &[Arc<Record>],
        _gaps: &[Gap],
        _patience: Duration,
    ) -> Result<Vec<Applied>> {
        self.takes.recv().map_err(|_| Error::Closed)?;
        let mut kept = lock(&self.kept);
        Ok(records
            .iter()
            .map(|record| {
                if kept.contains(&record.decided.id) {
                    return Applied::Known;
                }
                kept.push(record.decided.id.clone());
                Applied::Recorded(Vec::new())
            })
            .collect())
    }

    fn wants_idle(&self) -> bool {
        false
    }

    fn idle(&mut self) {}

    fn recover(&mut self) {}
}

#[test]
fn a_commit_that_hangs_delays_no_answer_and_order_and_number_stay_right() {
    let folder = tempfile::tempdir().unwrap();
    let (go, takes) = mpsc::channel();
    let kept = Arc::new(Mutex::new(Vec::new()));
    let backend = Slow {
        takes,
        kept: kept.clone(),
    };
    let spool = Spool::open(SpoolOptions::new(folder.path()));
    let shared = Arc::new(Shared::new(
        spool,
        Arc::default(),
        Reserve::at([]),
        Duration::from_millis(20),
        SpoolFirst::Yes,
    ));
    let mut threads = Threads::start(&shared, backend).unwrap();
    let (tell, told) = mpsc::channel();
    let submit = |id: &str| {
        let (tell, id) = (tell.clone(), id.to_owned());
        let record = Record::new(&id, Utc::now(), "agent", "Stop", "s");
        let done = Box::new(move |outcome| tell.send((id, outcome)).unwrap());
        shared.submit_all(vec![Submission::new(record, done)]);
    };
    // The first is being committed, the others wait behind it; nothing is let go.
    for id in ["a", "b", "c"] {
        submit(id);
    }
    let begun = Instant::now();
    for id in ["a", "b", "c"] {
        let (answered, outcome) = told.recv_timeout(Duration::from_secs(60)).unwrap();
        assert_eq!(
            (answered.as_str(), outcome),
            (id, Outcome::Spooled(SpoolMedium::Data))
        );
    }
    assert!(
        begun.elapsed() < Duration::from_secs(30),
        "the commit was not waited for"
    );
    assert!(lock(&kept).is_empty());
    // It moves again; what arrives now comes after what waited.
    for _ in 0..20 {
        go.send(()).unwrap();
    }
    submit("d");
    let (answered, _) = told.recv_timeout(Duration::from_secs(60)).unwrap();
    assert_eq!(answered, "d");
    shared.queue.close();
    threads.join();
    assert_eq!(*lock(&kept), ["a", "b", "c", "d"]);
    assert!(told.try_recv().is_err(), "everybody was answered once");
}

/// A database that says when it is asked, and answers as it is told to.
struct Told {
    asked: mpsc::Sender<String>,
    answers: mpsc::Receiver<Result<()>>,
}

impl Backend for Told {
    fn commit(
        &mut self,
        records: &[Arc<Record>],
        _gaps: &[Gap],
        _patience: Duration,
    ) -> Result<Vec<Applied>> {
        let ids: Vec<&str> = records
            .iter()
            .map(|record| record.decided.id.as_str())
            .collect();
        self.asked.send(ids.join(" ")).map_err(|_| Error::Closed)?;
        self.answers.recv().map_err(|_| Error::Closed)??;
        Ok(vec![Applied::Recorded(Vec::new()); records.len()])
    }

    fn wants_idle(&self) -> bool {
        false
    }

    fn idle(&mut self) {}

    fn recover(&mut self) {}
}

fn locked() -> Error {
    Error::Unavailable {
        why: crate::error::Unavailable::Locked,
        message: "told so".into(),
    }
}

#[test]
fn what_is_being_written_stays_before_what_waits_until_it_is_in_the_spool() {
    let folder = tempfile::tempdir().unwrap();
    let (asked, asks) = mpsc::channel();
    let (answer, answers) = mpsc::channel();
    let spool = Spool::open(SpoolOptions::new(folder.path()));
    let deadline = Duration::from_secs(600);
    let shared = Arc::new(Shared::new(
        spool,
        Arc::default(),
        Reserve::at([]),
        deadline,
        SpoolFirst::Yes,
    ));
    let mut threads = Threads::start(&shared, Told { asked, answers }).unwrap();
    let (tell, told) = mpsc::channel();
    let submission = |id: &str| {
        let (tell, id) = (tell.clone(), id.to_owned());
        let record = Record::new(&id, Utc::now(), "agent", "Stop", "s");
        let done = Box::new(move |outcome| tell.send((id, outcome)).unwrap());
        Submission::new(record, done)
    };
    shared.submit_all(vec![submission("a"), submission("b")]);
    assert_eq!(asks.recv().unwrap(), "a b");
    // Both at once, then one by one: the first is refused, and the second has to wait.
    for next in ["a", "b"] {
        answer.send(Err(Error::Backend("no".into()))).unwrap();
        assert_eq!(asks.recv().unwrap(), next);
    }
    let held = lock(&shared.spool);
    answer.send(Err(locked())).unwrap();
    // The spool cannot be had: whoever looks meanwhile must still see what came first.
    for _ in 0..20 {
        assert!(shared.queue.unanswered_since().is_some());
        thread::sleep(Duration::from_millis(10));
    }
    drop(held);
    let outcomes: HashMap<_, _> = (0..2).map(|_| told.recv().unwrap()).collect();
    assert!(matches!(outcomes["a"], Outcome::Refused(_)));
    assert_eq!(outcomes["b"], Outcome::Spooled(SpoolMedium::Data));
    drop(answer);
    shared.queue.close();
    threads.join();
}

#[test]
fn nothing_is_committed_before_what_came_first_and_has_to_wait() {
    let folder = tempfile::tempdir().unwrap();
    let (asked, asks) = mpsc::channel();
    let (answer, answers) = mpsc::channel();
    let spool = Spool::open(SpoolOptions::new(folder.path()));
    let deadline = Duration::from_secs(600);
    let shared = Arc::new(Shared::new(
        spool,
        Arc::default(),
        Reserve::at([]),
        deadline,
        SpoolFirst::Yes,
    ));
    for outcome in [
        Err(Error::Backend("no".into())),
        Err(locked()),
        Ok(()),
        Ok(()),
    ] {
        answer.send(outcome).unwrap();
    }
    drop(answer);
    let submission = |id: &str| {
        Submission::new(
            Record::new(id, Utc::now(), "agent", "Stop", "s"),
            Box::new(|_| {}),
        )
    };
    shared.submit_all(vec![submission("a"), submission("b")]);
    let mut threads = Threads::start(&shared, Told { asked, answers }).unwrap();
    shared.queue.close();
    threads.join();
    let asks: Vec<String> = asks.iter().collect();
    // The second is not even tried while the first has to wait; then both are, in their order.
    assert_eq!(asks, ["a b", "a", "a", "b"]);
}

/// A database that panics at one record.
struct Frail {
    kept: Arc<Mutex<Vec<String>>>,
    gaps: Arc<Mutex<Vec<Gap>>>,
    recovered: Arc<Mutex<usize>>,
}

impl Backend for Frail {
    fn commit(
        &mut self,
        records: &[Arc<Record>],
        gaps: &[Gap],
        _patience: Duration,
    ) -> Result<Vec<Applied>> {
        assert!(
            records.iter().all(|it| it.decided.id != "poison"),
            "a mistake"
        );
        let ids = records.iter().map(|record| record.decided.id.clone());
        lock(&self.kept).extend(ids);
        lock(&self.gaps).extend(gaps.iter().cloned());
        Ok(vec![Applied::Recorded(Vec::new()); records.len()])
    }

    fn wants_idle(&self) -> bool {
        false
    }

    fn idle(&mut self) {}

    fn recover(&mut self) {
        *lock(&self.recovered) += 1;
    }
}

#[test]
fn a_panic_ends_what_caused_it_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let (kept, gaps, recovered) = (Arc::default(), Arc::default(), Arc::default());
    let backend = Frail {
        kept: Arc::clone(&kept),
        gaps: Arc::clone(&gaps),
        recovered: Arc::clone(&recovered),
    };
    let mut spool = Spool::open(SpoolOptions::new(folder.path()));
    let record = |id: &str| Record::new(id, Utc::now(), "agent", "Stop", "s");
    spool.append([&record("spooled"), &record("poison")]);
    let deadline = Duration::from_secs(600);
    let shared = Arc::new(Shared::new(
        spool,
        Arc::default(),
        Reserve::at([]),
        deadline,
        SpoolFirst::Yes,
    ));
    let (tell, told) = mpsc::channel();
    let submission = |id: &str| {
        let (tell, id) = (tell.clone(), id.to_owned());
        Submission::new(
            record(&id),
            Box::new(move |outcome| tell.send((id, outcome)).unwrap()),
        )
    };
    shared.submit_all(["a", "poison", "b"].map(submission).into());
    let mut threads = Threads::start(&shared, backend).unwrap();
    for (id, committed) in [("a", true), ("poison", false), ("b", true)] {
        let (told_id, outcome) = told.recv_timeout(Duration::from_secs(60)).unwrap();
        assert_eq!((told_id.as_str(), outcome.is_committed()), (id, committed));
        assert_eq!(matches!(outcome, Outcome::Refused(_)), !committed);
    }
    // A job that panics is gone, and whoever waited for it learns that; the next one is done.
    let (dropped, waited) = mpsc::channel::<()>();
    shared.queue.push_job(Box::new(move |_| {
        let _dropped = &dropped;
        panic!("a mistake of a job");
    }));
    assert_eq!(
        waited.recv_timeout(Duration::from_secs(60)),
        Err(mpsc::RecvTimeoutError::Disconnected)
    );
    let (done, finished) = mpsc::channel();
    shared.queue.push_job(Box::new(move |_| {
        done.send(()).unwrap();
        Step::Finished
    }));
    finished.recv_timeout(Duration::from_secs(60)).unwrap();
    shared.queue.close();
    threads.join();
    assert_eq!(*lock(&kept), ["spooled", "a", "b"]);
    assert_eq!(*lock(&recovered), 5, "twice two commits and a job");
    let gaps = lock(&gaps);
    assert_eq!(gaps.iter().map(|gap| gap.records).sum::<u64>(), 2);
    assert!(gaps[0].message.contains("a mistake"), "{gaps:?}");
}

#[test]
fn nobody_waits_for_unfinished_jobs_when_the_store_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let kept = Arc::default();
    let backend = Frail {
        kept: Arc::clone(&kept),
        gaps: Arc::default(),
        recovered: Arc::default(),
    };
    let spool = Spool::open(SpoolOptions::new(folder.path()));
    let deadline = Duration::from_secs(600);
    let shared = Arc::new(Shared::new(
        spool,
        Arc::default(),
        Reserve::at([]),
        deadline,
        SpoolFirst::Yes,
    ));
    let (begun, begins) = mpsc::channel();
    let (go, goes) = mpsc::channel::<()>();
    let steps = Arc::new(Mutex::new(0));
    let count = steps.clone();
    shared.queue.push_job(Box::new(move |_| {
        *lock(&count) += 1;
        begun.send(()).unwrap();
        // Until the store is being closed.
        let _ = goes.recv();
        if *lock(&count) < 100 {
            Step::Again
        } else {
            Step::Finished
        }
    }));
    let mut threads = Threads::start(&shared, backend).unwrap();
    begins.recv().unwrap();
    shared.submit_all(vec![Submission::new(
        Record::new("last", Utc::now(), "agent", "Stop", "s"),
        Box::new(|_| {}),
    )]);
    shared.queue.close();
    drop(go);
    threads.join();
    assert_eq!(*lock(&kept), ["last"], "records are not left behind");
    assert_eq!(*lock(&steps), 1, "the step that was begun was the last");
}

/// Waits until the writer's thread has nothing to do.
fn until_it_sleeps<B: Backend>(shared: &Shared<B>) {
    while !shared.queue.writer_sleeps() {
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_note_is_answered_before_the_commit_and_waits_if_that_fails() {
    let folder = tempfile::tempdir().unwrap();
    let (asked, asks) = mpsc::channel();
    let (answer, answers) = mpsc::channel();
    let spool = Spool::open(SpoolOptions::new(folder.path()));
    let deadline = Duration::from_secs(600);
    let shared = Arc::new(Shared::new(
        spool,
        Arc::default(),
        Reserve::at([]),
        deadline,
        SpoolFirst::Yes,
    ));
    let mut threads = Threads::start(&shared, Told { asked, answers }).unwrap();
    let (tell, told) = mpsc::channel();
    let submission = |id: &str| {
        let (tell, id) = (tell.clone(), id.to_owned());
        let record = Record::new(&id, Utc::now(), "agent", "Stop", "s");
        let done = Box::new(move |outcome| tell.send((id, outcome)).unwrap());
        Submission::new(record, done)
    };
    let noted = |id: &str| (id.to_owned(), Outcome::Noted);
    let committed = |id: &str| (id.to_owned(), Outcome::Committed(Vec::new()));
    let next_asked = || asks.recv_timeout(Duration::from_secs(60)).unwrap();

    // Answered at once, and whoever reads waits for the database.
    until_it_sleeps(&shared);
    shared.submit_noted(vec![submission("a")]);
    assert_eq!(told.try_recv(), Ok(noted("a")));
    assert_eq!(next_asked(), "a");
    assert!(lock(&shared.spool).has_note());
    let reading = thread::spawn({
        let shared = Arc::clone(&shared);
        move || {
            shared.settle();
            lock(&shared.spool).has_note()
        }
    });
    // What comes while the writer works is answered when it is written.
    shared.submit_noted(vec![submission("b")]);
    answer.send(Ok(())).unwrap();
    assert_eq!(next_asked(), "b");
    assert!(!reading.join().unwrap());
    assert!(told.try_recv().is_err());
    answer.send(Ok(())).unwrap();
    assert_eq!(told.recv().unwrap(), committed("b"));

    // One that cannot be committed waits in the spool, before what comes later.
    until_it_sleeps(&shared);
    shared.submit_noted(vec![submission("c")]);
    assert_eq!(told.recv().unwrap(), noted("c"));
    assert_eq!(next_asked(), "c");
    answer.send(Err(locked())).unwrap();
    shared.settle();
    assert_eq!(lock(&shared.spool).records(), 1);
    assert_eq!(next_asked(), "c", "it is tried again");
    shared.submit_noted(vec![submission("d")]);
    answer.send(Ok(())).unwrap();
    assert_eq!(next_asked(), "d");
    answer.send(Ok(())).unwrap();
    assert_eq!(told.recv().unwrap(), committed("d"));

    // One that the database will never have is counted, and not tried for ever.
    until_it_sleeps(&shared);
    shared.submit_noted(vec![submission("e")]);
    assert_eq!(told.recv().unwrap(), noted("e"));
    for _ in ["with all others", "alone"] {
        assert_eq!(next_asked(), "e");
        answer.send(Err(Error::Backend("no".into()))).unwrap();
    }
    shared.settle();
    assert_eq!(lock(&shared.gaps).list().len(), 1);
    shared.queue.close();
    threads.join();
    assert!(lock(&shared.spool).is_empty());
    assert_eq!(asks.iter().count(), 0);
}

#[test]
fn where_notes_are_not_wanted_the_answer_comes_after_the_commit() {
    let folder = tempfile::tempdir().unwrap();
    let (asked, asks) = mpsc::channel();
    let (answer, answers) = mpsc::channel();
    let spool = Spool::open(SpoolOptions::new(folder.path()));
    let deadline = Duration::from_secs(600);
    let spool_first = SpoolFirst::No;
    let shared = Arc::new(Shared::new(
        spool,
        Arc::default(),
        Reserve::at([]),
        deadline,
        spool_first,
    ));
    let mut threads = Threads::start(&shared, Told { asked, answers }).unwrap();
    until_it_sleeps(&shared);
    let (tell, told) = mpsc::channel();
    shared.submit_noted(vec![Submission::new(
        Record::new("a", Utc::now(), "agent", "Stop", "s"),
        Box::new(move |outcome| tell.send(outcome).unwrap()),
    )]);
    assert_eq!(asks.recv().unwrap(), "a");
    assert!(told.try_recv().is_err());
    answer.send(Ok(())).unwrap();
    assert_eq!(told.recv().unwrap(), Outcome::Committed(Vec::new()));
    shared.queue.close();
    threads.join();
}
