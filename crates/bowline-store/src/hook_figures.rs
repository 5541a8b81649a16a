//! What is known of each hook's life: when it fired last, what it said, how long it takes.

use std::collections::HashMap;

use bowline::hooks::Decision;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::record::{HookFired, Record, decision};
use crate::trace::percentile;

/// Percentiles are those of the last so many runs.
const SAMPLE: usize = 256;
/// More hooks than anybody has; names beyond are not followed.
const MAX_HOOKS: usize = 1_000;

/// What is known of one hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Half of its last runs took at most this, in microseconds.
    pub p50_us: u32,
    /// 99 of 100 of its last runs took at most this, in microseconds.
    pub p99_us: u32,
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

/// The figures of all hooks, and which of them changed since they were last written down.
#[derive(Debug, Default)]
pub(crate) struct AllFigures {
    hooks: HashMap<String, Kept>,
    changed: HashMap<String, u64>,
}

impl AllFigures {
    pub(crate) fn load(&mut self, name: String, kept: Kept) {
        self.hooks.insert(name, kept);
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn count(&mut self, record: &Record) {
        for hook in &record.hooks {
            self.count_one(hook, record.time);
        }
    }

    fn count_one(&mut self, hook: &HookFired, time: DateTime<Utc>) {
        if !self.hooks.contains_key(&hook.name) {
            if self.hooks.len() >= MAX_HOOKS {
                return;
            }
            let fresh = Kept {
                fired: 0,
                failed: 0,
                last_fired: time,
                last_decision: hook.decision,
                last_failure: None,
                durations: Vec::new(),
            };
            self.hooks.insert(hook.name.clone(), fresh);
        }
        let Some(kept) = self.hooks.get_mut(&hook.name) else {
            return;
        };
        let micros = u32::try_from(hook.duration.as_micros()).unwrap_or(u32::MAX);
        let next = usize::try_from(kept.fired % SAMPLE as u64).unwrap_or(0);
        match kept.durations.get_mut(next) {
            Some(place) => *place = micros,
            None => kept.durations.push(micros),
        }
        kept.fired += 1;
        // What was spooled arrives late and is not the latest.
        if time >= kept.last_fired {
            kept.last_fired = time;
            kept.last_decision = hook.decision;
        }
        if let Some(failure) = &hook.failure {
            kept.failed += 1;
            if kept
                .last_failure
                .as_ref()
                .is_none_or(|(last, _)| time >= *last)
            {
                kept.last_failure = Some((time, failure.clone()));
            }
        }
        *self.changed.entry(hook.name.clone()).or_default() += 1;
    }

    /// The figures that changed since they were last written down.
    pub(crate) fn changed(&self) -> impl Iterator<Item = (&str, &Kept)> {
        self.changed
            .keys()
            .filter_map(|name| Some((name.as_str(), self.hooks.get(name)?)))
    }

    pub(crate) fn is_changed(&self) -> bool {
        !self.changed.is_empty()
    }

    pub(crate) fn written(&mut self) {
        self.changed.clear();
    }

    pub(crate) fn list(&self) -> Vec<HookFigures> {
        let mut list: Vec<HookFigures> = self
            .hooks
            .iter()
            .map(|(name, kept)| kept.show(name))
            .collect();
        list.sort_by(|a, b| a.name.cmp(&b.name));
        list
    }
}

impl Kept {
    fn show(&self, name: &str) -> HookFigures {
        let mut sorted = self.durations.clone();
        sorted.sort_unstable();
        HookFigures {
            name: name.to_owned(),
            fired: self.fired,
            failed: self.failed,
            last_fired: self.last_fired,
            last_decision: self.last_decision,
            last_failure: self.last_failure.clone(),
            p50_us: percentile(&sorted, 50).unwrap_or(0),
            p99_us: percentile(&sorted, 99).unwrap_or(0),
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
    use std::time::Duration;

    use super::*;

    #[test]
    fn figures_follow_the_last_runs_and_the_latest_time() {
        let mut all = AllFigures::default();
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
            };
            all.count_one(&fired, at(i64::from(n)));
        }
        let late = HookFired {
            name: "guard".into(),
            scope: None,
            decision: Decision::Ask,
            duration: Duration::from_micros(999),
            failure: None,
        };
        all.count_one(&late, at(5));
        let figures = &all.list()[0];
        assert_eq!((figures.fired, figures.failed), (1_001, 1));
        assert_eq!(figures.last_fired, at(999));
        assert_eq!(figures.last_decision, Decision::Deny);
        assert_eq!(figures.last_failure, Some((at(10), "exit 1".to_owned())));
        // Only the last 256 runs count: 744 … 999.
        assert!((865..=880).contains(&figures.p50_us), "{}", figures.p50_us);
        assert!((990..=999).contains(&figures.p99_us), "{}", figures.p99_us);
    }
}
