//! Many hooks at once.

use std::fs::{self, File};
use std::thread;

use bowline_testkit::until_some;

use super::audit::Audit;
use super::stage::{Event, Stage, Way};

#[test]
fn however_many_hooks_arrive_together_one_daemon_is_started() {
    let stage = Stage::new();
    let events: Vec<Event> = (0..30)
        .map(|number| Event::new("together", number))
        .collect();
    let answers: Vec<Result<(), String>> = thread::scope(|scope| {
        let stage = &stage;
        let sending: Vec<_> = events
            .iter()
            .map(|event| scope.spawn(move || stage.send(event, Way::Usual)))
            .collect();
        sending
            .into_iter()
            .map(|sent| sent.join().unwrap())
            .collect()
    });
    for answer in answers {
        answer.unwrap();
    }
    let daemon = until_some("a daemon answers", || {
        stage.ask("daemon.status")?["pid"].as_i64()
    });
    Audit::of(&stage, &events).must_be_clean();
    let lock = File::open(stage.socket().with_extension("lock")).unwrap();
    assert!(lock.try_lock().is_err(), "the daemon holds its lock");
    if fs::exists("/proc/self/environ").unwrap() {
        // Those who started it, and those who came too late, leave.
        let left = until_some("one process is left", || {
            let left = stage.processes();
            (left.len() == 1).then_some(left)
        });
        assert_eq!(i64::from(left[0].as_raw_pid()), daemon);
    }
    assert_eq!(stage.ask("daemon.status").unwrap()["pid"], daemon);
}
