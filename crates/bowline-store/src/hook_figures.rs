//! Figures of each hook: when it last fired, what it said, how long it takes.

use std::collections::HashMap;
use std::time::Duration;

use bowline::hooks::Decision;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::milliseconds;
use crate::record::{HookFired, Record, decision};
use crate::trace::percentile;

/// Percentiles are computed over this many of the last runs.
const SAMPLE: usize = 256;
/// More hooks than anybody has. Further names are ignored.
const MAX_HOOKS: usize = 1_000;

/// The figures of one hook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HookFigures {
    /// The hook's name.
    pub name: String,
    /// How often it fired.
    pub fired: u64,
    /// How often it failed.
    pub failed: u64,
    /// When it fired last.
    pub last_fired: DateTime<Utc>,
    /// What it decided then.
    #[serde(with = "decision")]
    pub last_decision: Decision,
    /// When it failed last, and how.
    pub last_failure: Option<(DateTime<Utc>, String)>,
    /// Half of its last runs took at most this, in milliseconds.
    #[serde(rename = "p50_ms", with = "milliseconds")]
    pub p50: Duration,
    /// 99 of 100 of its last runs took at most this, in milliseconds.
    #[serde(rename = "p99_ms", with = "milliseconds")]
    pub p99: Duration,
}

/// One hook's figures as they are kept.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Kept {
    pub(crate) fired: u64,
    pub(crate) failed: u64,
    pub(crate) last_fired: DateTime<Utc>,
    pub(crate) last_decision: Decision,
    pub(crate) last_failure: Option<(DateTime<Utc>, String)>,
    /// The last durations in microseconds, a ring: `fired % SAMPLE` is the next place.
    pub(crate) durations: Vec<u32>,
}

/// What hooks did since their figures were last written. Several processes may write; each adds its own figures.
#[derive(Debug, Default)]
pub(crate) struct PendingFigures {
    hooks: HashMap<String, Kept>,
}

impl PendingFigures {
    pub(crate) fn count(&mut self, record: &Record) {
        for hook in &record.decided.hooks {
            self.count_one(hook, record.decided.time);
        }
    }

    fn count_one(&mut self, hook: &HookFired, time: DateTime<Utc>) {
        if let Some(kept) = self.kept(&hook.name, time) {
            kept.count(hook, time);
        }
    }

    /// A run that was already counted has failed.
    pub(crate) fn note_failure(&mut self, hook: &str, time: DateTime<Utc>, failure: &str) {
        if let Some(kept) = self.kept(hook, time) {
            kept.failed += 1;
            kept.note_failure(time, failure);
        }
    }

    /// The pending figures of a hook; `None` if there are too many hooks.
    fn kept(&mut self, hook: &str, time: DateTime<Utc>) -> Option<&mut Kept> {
        if !self.hooks.contains_key(hook) {
            if self.hooks.len() >= MAX_HOOKS {
                return None;
            }
            self.hooks.insert(hook.to_owned(), Kept::new(time));
        }
        self.hooks.get_mut(hook)
    }

    /// The figures of these hooks together with the written ones.
    pub(crate) fn added_to(&self, written: &HashMap<String, Kept>) -> Vec<(String, Kept)> {
        let mut added = Vec::with_capacity(self.hooks.len());
        let mut room = MAX_HOOKS.saturating_sub(written.len());
        for (name, fresh) in &self.hooks {
            let kept = match written.get(name) {
                Some(kept) => {
                    let mut kept = kept.clone();
                    kept.add(fresh);
                    kept
                }
                None if room > 0 => {
                    room -= 1;
                    fresh.clone()
                }
                None => continue,
            };
            added.push((name.clone(), kept));
        }
        added
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.hooks.is_empty()
    }

    /// The message of a failure may quote an event.
    pub(crate) fn forget_failures(&mut self) {
        for kept in self.hooks.values_mut() {
            kept.last_failure = None;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.hooks.clear();
    }

    /// All figures, including the written ones.
    pub(crate) fn list(&self, mut written: HashMap<String, Kept>) -> Vec<HookFigures> {
        written.extend(self.added_to(&written));
        let shown = written.iter().map(|(name, kept)| kept.show(name));
        let mut list: Vec<HookFigures> = shown.collect();
        list.sort_by(|a, b| a.name.cmp(&b.name));
        list
    }
}

impl Kept {
    fn new(time: DateTime<Utc>) -> Self {
        Self {
            fired: 0,
            failed: 0,
            last_fired: time,
            last_decision: Decision::NoOpinion,
            last_failure: None,
            durations: Vec::new(),
        }
    }

    fn count(&mut self, hook: &HookFired, time: DateTime<Utc>) {
        let micros = u32::try_from(hook.duration.as_micros()).unwrap_or(u32::MAX);
        self.put_durations([micros]);
        self.fired += 1;
        self.note_decision(time, hook.decision);
        if let Some(failure) = &hook.failure {
            self.failed += 1;
            self.note_failure(time, failure);
        }
    }

    /// Adds another count.
    fn add(&mut self, other: &Self) {
        self.put_durations(other.durations.iter().copied());
        self.fired += other.fired;
        self.failed += other.failed;
        self.note_decision(other.last_fired, other.last_decision);
        if let Some((time, failure)) = &other.last_failure {
            self.note_failure(*time, failure);
        }
    }

    fn put_durations(&mut self, durations: impl IntoIterator<Item = u32>) {
        for (place, micros) in (self.fired..).zip(durations) {
            let place = usize::try_from(place % SAMPLE as u64).unwrap_or(0);
            match self.durations.get_mut(place) {
                Some(place) => *place = micros,
                None => self.durations.push(micros),
            }
        }
    }

    /// Spooled records arrive late, so they are not the latest.
    fn note_decision(&mut self, time: DateTime<Utc>, decision: Decision) {
        if time >= self.last_fired {
            self.last_fired = time;
            self.last_decision = decision;
        }
    }

    fn note_failure(&mut self, time: DateTime<Utc>, failure: &str) {
        let last = self.last_failure.as_ref();
        if last.is_none_or(|(last, _)| time >= *last) {
            self.last_failure = Some((time, failure.to_owned()));
        }
    }

    fn show(&self, name: &str) -> HookFigures {
        let mut sorted = self.durations.clone();
        sorted.sort_unstable();
        let time = |percent| {
            let micros = percentile(&sorted, percent).unwrap_or(0);
            Duration::from_micros(u64::from(micros))
        };
        HookFigures {
            name: name.to_owned(),
            fired: self.fired,
            failed: self.failed,
            last_fired: self.last_fired,
            last_decision: self.last_decision,
            last_failure: self.last_failure.clone(),
            p50: time(50),
            p99: time(99),
        }
    }

    /// The ring as bytes, four for each duration.
    pub(crate) fn durations_to_bytes(&self) -> Vec<u8> {
        self.durations
            .iter()
            .flat_map(|micros| micros.to_le_bytes())
            .collect()
    }

    pub(crate) fn durations_from_bytes(bytes: &[u8]) -> Vec<u32> {
        let (words, _) = bytes.as_chunks::<4>();
        words
            .iter()
            .take(SAMPLE)
            .map(|word| u32::from_le_bytes(*word))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_follow_the_last_runs_and_the_latest_time() {
        let mut all = PendingFigures::default();
        let at = |seconds| DateTime::from_timestamp(seconds, 0).unwrap();
        for n in 0..1_000_u32 {
            let fired = HookFired {
                name: "guard".into(),
                scope: None,
                decision: if n == 999 {
                    Decision::Deny
                } else {
                    Decision::NoOpinion
                },
                duration: Duration::from_micros(u64::from(n)),
                failure: (n == 10).then(|| "exit 1".to_owned()),
                ..HookFired::default()
            };
            all.count_one(&fired, at(i64::from(n)));
        }
        let late = HookFired {
            name: "guard".into(),
            scope: None,
            decision: Decision::Ask,
            duration: Duration::from_micros(999),
            failure: None,
            ..HookFired::default()
        };
        all.count_one(&late, at(5));
        let figures = &all.list(HashMap::new())[0];
        assert_eq!((figures.fired, figures.failed), (1_001, 1));
        assert_eq!(figures.last_fired, at(999));
        assert_eq!(figures.last_decision, Decision::Deny);
        assert_eq!(figures.last_failure, Some((at(10), "exit 1".to_owned())));
        // Only the last 256 runs count: 744 … 999.
        let micros = |time: Duration| time.as_micros();
        assert!((865..=880).contains(&micros(figures.p50)), "{figures:?}");
        assert!((990..=999).contains(&micros(figures.p99)), "{figures:?}");
        // And so they do when they are added to others.
        let written: HashMap<String, Kept> = all.added_to(&HashMap::new()).into_iter().collect();
        assert_eq!(PendingFigures::default().list(written.clone())[0], *figures);
        let both = &all.list(written)[0];
        assert_eq!((both.fired, both.failed), (2_002, 2));
        assert_eq!(both.last_failure, figures.last_failure);
        assert_eq!(both.p99, figures.p99);
    }

    #[test]
    fn a_failure_that_is_told_later_counts_for_a_run_that_was_counted() {
        let at = |seconds| DateTime::from_timestamp(seconds, 0).unwrap();
        let fired = HookFired {
            name: "notify".into(),
            scope: None,
            decision: Decision::NoOpinion,
            duration: Duration::ZERO,
            failure: None,
            ..HookFired::default()
        };
        let mut before = PendingFigures::default();
        before.count_one(&fired, at(1));
        let written = before.added_to(&HashMap::new()).into_iter().collect();
        let mut all = PendingFigures::default();
        all.note_failure("notify", at(3), "took too long");
        let figures = &all.list(written)[0];
        assert_eq!((figures.fired, figures.failed), (1, 1));
        let failure = Some((at(3), "took too long".to_owned()));
        assert_eq!(figures.last_failure, failure);
    }
}
