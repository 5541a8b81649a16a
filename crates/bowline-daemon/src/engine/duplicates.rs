//! One event that arrives twice is handled once.
//!
//! Agents run the hooks of all their settings files. With Bowline in the user's file and in a project's, the same event
//! arrives by both entries, word for word. The project's entry marks itself. The second call gets the answer of the first. In
//! doubt both are decided: an answer is never withheld.

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bowline_wire::{Answer, Call};
use tokio::sync::watch;

/// At most this many events wait for a second arrival. The oldest is dropped.
const WAITING: usize = 256;
/// After this time no second call is expected.
const TOGETHER: Duration = Duration::from_mins(1);

/// Whose entry a call came by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    User,
    Project,
}

/// Events that may arrive a second time.
#[derive(Debug, Default)]
pub(super) struct Duplicates {
    waiting: Mutex<VecDeque<Waiting>>,
    hasher: RandomState,
}

#[derive(Debug)]
struct Waiting {
    payload: (u64, usize),
    entry: Entry,
    since: Instant,
    answer: watch::Receiver<Option<Answer>>,
}

impl Waiting {
    fn is_over(&self) -> bool {
        self.since.elapsed() >= TOGETHER
    }
}

/// Whether a call is the first of its event.
#[derive(Debug)]
pub(super) enum Met {
    /// It came first: others may wait for its answer.
    First(AnswerSender),
    /// It came second: this will be its answer.
    Second(watch::Receiver<Option<Answer>>),
}

/// Sends the answer to the second call.
#[derive(Debug)]
pub(super) struct AnswerSender(watch::Sender<Option<Answer>>);

impl AnswerSender {
    /// The first answer counts. Usually there is no second call.
    pub(super) fn tell(&self, answer: &Answer) {
        self.0.send_if_modified(|told| {
            let is_first = told.is_none();
            told.get_or_insert_with(|| answer.clone());
            is_first
        });
    }
}

/// The answer of the first call; `None` if it never got one.
pub(super) async fn answer_of(mut first: watch::Receiver<Option<Answer>>) -> Option<Answer> {
    let answer = first.wait_for(Option::is_some).await.ok()?;
    answer.clone()
}

impl Duplicates {
    /// An event is recognised by everything that its agent says about it.
    pub(super) fn meet(&self, call: &Call, payload: &[u8], entry: Entry) -> Met {
        let said = (&call.agent, &call.event, payload);
        let payload = (self.hasher.hash_one(said), payload.len());
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        while waiting.front().is_some_and(Waiting::is_over) {
            waiting.pop_front();
        }
        let same = waiting.iter().position(|other| other.payload == payload);
        let first = same.and_then(|place| waiting.remove(place));
        if let Some(first) = first
            && first.entry != entry
        {
            return Met::Second(first.answer);
        }
        let (answer_sender, answer) = watch::channel(None);
        waiting.push_back(Waiting {
            payload,
            entry,
            since: Instant::now(),
            answer,
        });
        if waiting.len() > WAITING {
            waiting.pop_front();
        }
        Met::First(AnswerSender(answer_sender))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call() -> Call {
        Call::new("/".into(), bowline_wire::Environment::new())
    }

    fn is_second(met: &Met) -> bool {
        matches!(met, Met::Second(_))
    }

    #[test]
    fn only_the_same_event_by_another_entry_comes_second_and_only_once() {
        let duplicates = Duplicates::default();
        let mut held = Vec::new();
        for (payload, entry, second) in [
            ("a", Entry::User, false),
            ("b", Entry::Project, false),
            ("a", Entry::Project, true),
            ("a", Entry::Project, false),
            ("a", Entry::Project, false),
            ("a", Entry::User, true),
            ("b", Entry::User, true),
        ] {
            let met = duplicates.meet(&call(), payload.as_bytes(), entry);
            assert_eq!(is_second(&met), second, "{payload} {entry:?}");
            held.push(met);
        }
    }

    #[test]
    fn another_agent_or_event_is_another_event() {
        let duplicates = Duplicates::default();
        let mut other = call();
        other.event = Some("Stop".to_owned());
        let first = duplicates.meet(&call(), b"x", Entry::User);
        assert!(!is_second(&duplicates.meet(&other, b"x", Entry::Project)));
        "generic".clone_into(&mut other.agent);
        assert!(!is_second(&duplicates.meet(&other, b"x", Entry::Project)));
        assert!(is_second(&duplicates.meet(&call(), b"x", Entry::Project)));
        drop(first);
    }

    #[test]
    fn few_are_remembered() {
        let duplicates = Duplicates::default();
        for number in 0..=WAITING {
            duplicates.meet(&call(), &number.to_le_bytes(), Entry::User);
        }
        assert!(!is_second(&duplicates.meet(
            &call(),
            &0_usize.to_le_bytes(),
            Entry::Project
        )));
        assert!(is_second(&duplicates.meet(
            &call(),
            &9_usize.to_le_bytes(),
            Entry::Project
        )));
    }

    #[tokio::test]
    async fn the_second_gets_the_answer_of_the_first_or_learns_that_there_is_none() {
        let duplicates = Duplicates::default();
        for told in [true, false] {
            let Met::First(first) = duplicates.meet(&call(), b"x", Entry::User) else {
                panic!("it is the first")
            };
            let Met::Second(second) = duplicates.meet(&call(), b"x", Entry::Project) else {
                panic!("it is the second")
            };
            let answer = Answer {
                exit: 2,
                ..Answer::default()
            };
            if told {
                first.tell(&answer);
            } else {
                drop(first);
            }
            assert_eq!(answer_of(second).await, told.then_some(answer));
        }
    }
}
