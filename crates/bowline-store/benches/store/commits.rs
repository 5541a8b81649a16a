//! How many records are committed in a second, and what one costs the thread that writes.

use std::path::Path;
use std::sync::mpsc::{self, Sender};
use std::time::{Duration, Instant};

use bowline_store::{Options, Outcome, SqliteStore, Store, Submission};
use chrono::Utc;

use crate::cpu::Used;
use crate::load::half;
use crate::{LimitCheck, Size};

/// 20,000 events a second on two cores leave 50 µs of one core for each, and others want some of that.
const LIMIT: Duration = Duration::from_micros(35);

pub(crate) fn measure(folder: &Path, size: &Size) -> LimitCheck {
    println!("Records committed, each answered before its producer hands over the next\n");
    println!(
        "{:>10}{:>12}{:>10}{:>16}{:>16}{:>14}",
        "producers", "per second", "spooled", "writer CPU µs", "all CPU µs", "limit µs"
    );
    let mut verdict = LimitCheck::Kept;
    for producers in [1, 16, 32, 256] {
        let path = folder.join(format!("commits-{producers}"));
        let store = SqliteStore::open(Options::new(&path)).unwrap();
        let run = run(&store, producers, Duration::from_secs(size.seconds));
        drop(store);
        std::fs::remove_dir_all(path).unwrap();
        let each = |used: Duration| used.as_secs_f64() * 1e6 / run.answered.max(1) as f64;
        let writer = each(run.used.writer);
        // The bar is for the batches that 32 connections make.
        let kept = LimitCheck::of(producers < 16 || writer <= LIMIT.as_secs_f64() * 1e6);
        verdict = verdict.and(kept);
        println!(
            "{producers:>10}{:>12.0}{:>10}{writer:>16.1}{:>16.1}{:>14}",
            run.answered as f64 / run.length.as_secs_f64(),
            run.spooled,
            each(run.used.all),
            if producers < 16 {
                "–".to_owned()
            } else {
                format!("{} {}", LIMIT.as_micros(), kept.word())
            },
        );
    }
    println!();
    verdict
}

struct Run {
    answered: u64,
    spooled: u64,
    length: Duration,
    used: Used,
}

/// A connection of the daemon: a session that makes one call after the other.
struct Producer {
    number: u64,
    sent: u64,
}

impl Producer {
    fn next(&mut self, tell: &Sender<(u64, Outcome)>) -> Submission {
        let (number, tell) = (self.number, tell.clone());
        let n = (number << 32) + self.sent;
        self.sent += 1;
        Submission::new(
            half(n, number, Utc::now()),
            Box::new(move |outcome| {
                let _ = tell.send((number, outcome));
            }),
        )
    }
}

fn run(store: &SqliteStore, producers: u64, length: Duration) -> Run {
    let (tell, told) = mpsc::channel();
    let mut producers: Vec<Producer> = (0..producers)
        .map(|number| Producer { number, sent: 0 })
        .collect();
    let before = Used::now();
    let begun = Instant::now();
    let first = producers.iter_mut().map(|it| it.next(&tell)).collect();
    store.submit_all(first);
    let (mut answered, mut spooled) = (0, 0);
    while begun.elapsed() < length {
        let answers = std::iter::once(told.recv().unwrap()).chain(told.try_iter());
        let batch: Vec<Submission> = answers
            .map(|(number, outcome)| {
                answered += 1;
                spooled += u64::from(!outcome.is_committed());
                let place = usize::try_from(number).unwrap();
                producers.get_mut(place).unwrap().next(&tell)
            })
            .collect();
        store.submit_all(batch);
    }
    store.flush().unwrap();
    Run {
        answered,
        spooled,
        length: begun.elapsed(),
        used: Used::now().since(before),
    }
}
