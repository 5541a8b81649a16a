//! Goes through all hostile texts, and shows which took most.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::hostile;
use crate::limits::{MOST_BYTES, MOST_TIME, Taken, taken};

/// At most this many of the slowest, and of the largest, are shown.
const SHOWN: usize = 20;

/// How often a text that took too long is tried again: the machine may have been busy with something else.
const AGAIN: usize = 16;

type Named = (String, Taken);

/// Tries every so many of the texts; `false` when one of them exceeds a limit.
pub(crate) fn sweep(every: usize, threads: usize) -> bool {
    let next = AtomicUsize::new(0);
    let all: Mutex<Vec<Named>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(every, Ordering::Relaxed);
                    if number >= hostile::count() {
                        break;
                    }
                    let (name, text) = hostile::text(number);
                    let found = worst_of(&text);
                    for it in found.iter().filter(|it| exceeds(it)) {
                        println!("{}  {number}: {name}", shown(it));
                    }
                    if let Ok(mut all) = all.lock() {
                        all.extend(
                            found
                                .into_iter()
                                .map(|it| (format!("{number}: {name}"), it)),
                        );
                        keep_worst(&mut all);
                    }
                }
            });
        }
    });
    report(all.into_inner().unwrap_or_default())
}

/// Tries one text often enough for a profiler to see where the time goes.
pub(crate) fn show(number: usize) {
    let (name, text) = hostile::text(number);
    println!("{name}\n{}", text.chars().take(200).collect::<String>());
    for _ in 0..20 {
        for it in taken(&text) {
            println!("{}", shown(&it));
        }
    }
}

/// Each way of judging, by the best of a few rounds if the first was too slow.
fn worst_of(text: &str) -> Vec<Taken> {
    let mut best = taken(text);
    for round in 0..AGAIN {
        let hopeless = round > 2 && best.iter().any(|it| it.time > 3 * MOST_TIME);
        if hopeless || best.iter().all(|it| it.time <= MOST_TIME / 2) {
            break;
        }
        for (best, again) in best.iter_mut().zip(taken(text)) {
            best.time = best.time.min(again.time);
        }
    }
    best
}

/// What can still be among those that are shown.
fn keep_worst(all: &mut Vec<Named>) {
    if all.len() > 40 * SHOWN {
        all.sort_by_key(|(_, it)| std::cmp::Reverse(it.time));
        let (slow, rest) = all.split_at_mut(10 * SHOWN);
        rest.sort_by_key(|(_, it)| std::cmp::Reverse(it.bytes));
        let kept = slow.len() + 10 * SHOWN;
        all.truncate(kept);
    }
}

fn report(mut all: Vec<Named>) -> bool {
    all.sort_by_key(|(_, it)| std::cmp::Reverse(it.time));
    println!("slowest");
    for (name, it) in all.iter().take(SHOWN) {
        println!("{}  {name}", shown(it));
    }
    let slow = all.first().is_some_and(|(_, it)| it.time > MOST_TIME);
    all.sort_by_key(|(_, it)| std::cmp::Reverse(it.bytes));
    println!("largest");
    for (name, it) in all.iter().take(SHOWN) {
        println!("{}  {name}", shown(it));
    }
    let large = all.first().is_some_and(|(_, it)| it.bytes > MOST_BYTES);
    !slow && !large
}

fn exceeds(it: &Taken) -> bool {
    it.time > MOST_TIME || it.bytes > MOST_BYTES
}

fn shown(it: &Taken) -> String {
    format!(
        "{:9.1} ms {:9.1} MB  {:10}",
        milliseconds(it.time),
        megabytes(it.bytes),
        it.what
    )
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn megabytes(bytes: u64) -> f64 {
    f64::from(u32::try_from(bytes / 1024).unwrap_or(u32::MAX)) / 1024.0
}
