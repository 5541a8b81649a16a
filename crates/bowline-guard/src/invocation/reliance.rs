//! Which runs of a line may be relied on by those that come after them.

use std::borrow::Cow;
use std::ops::Range;

use crate::loss::Act;

/// The most limits that are kept one by one.
const MAX_LIMITS: usize = 256;

/// Which runs of a line need not have happened when a later one takes place: they stand in a branch, or behind a condition,
/// or the later one runs only if they fail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reliance {
    limits: Vec<Limit>,
}

/// Some runs, by number, and the later ones that cannot rely on them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Limit {
    runs: Range<usize>,
    not_for: Range<usize>,
}

impl Reliance {
    pub(crate) fn limit(&mut self, runs: Range<usize>, not_for: Range<usize>) {
        let everything = || 0..usize::MAX;
        if runs.is_empty() || not_for.is_empty() {
            return;
        }
        match self.limits.len() {
            ..MAX_LIMITS => self.limits.push(Limit { runs, not_for }),
            MAX_LIMITS => self.limits.push(Limit {
                runs: everything(),
                not_for: everything(),
            }),
            _ => {}
        }
    }

    fn holds(&self, run: usize, later: usize) -> bool {
        let between = |it: &Limit| it.runs.contains(&run) && it.not_for.contains(&later);
        run == later || !self.limits.iter().any(between)
    }
}

/// Stands for what was done before the line.
const EARLIER: usize = usize::MAX;

/// What the runs of a line have done so far.
#[derive(Debug)]
pub(crate) struct Done<'l> {
    pub(crate) acts: &'l mut Vec<Act>,
    /// The run of each act.
    runs: Vec<usize>,
    reliance: &'l Reliance,
    /// The run that is looked at.
    run: usize,
}

impl<'l> Done<'l> {
    /// Nothing but what was done before the line.
    pub(crate) fn new(acts: &'l mut Vec<Act>, reliance: &'l Reliance) -> Self {
        Self {
            runs: vec![EARLIER; acts.len()],
            acts,
            reliance,
            run: 0,
        }
    }

    pub(crate) fn begin(&mut self, run: usize) {
        self.run = run;
    }

    pub(crate) fn push(&mut self, act: Act) {
        self.acts.push(act);
        self.runs.push(self.run);
    }

    /// Whether a run surely takes place before a later one does.
    pub(crate) fn is_certain(&self, run: usize, later: usize) -> bool {
        self.reliance.holds(run, later)
    }

    /// The acts before, as the run that is looked at may rely on them.
    pub(crate) fn so_far(&self) -> Cow<'_, [Act]> {
        self.as_relied_on(self.acts, self.run)
    }

    /// The acts before a run, as it may rely on them.
    pub(crate) fn before(&self, run: usize) -> Cow<'_, [Act]> {
        let mut runs = self.runs.iter();
        let end = runs.position(|it| *it != EARLIER && *it >= run);
        let acts = self.acts.get(..end.unwrap_or(self.acts.len()));
        self.as_relied_on(acts.unwrap_or_default(), run)
    }

    fn as_relied_on<'a>(&self, acts: &'a [Act], later: usize) -> Cow<'a, [Act]> {
        let holds = |run: &usize| *run == EARLIER || self.reliance.holds(*run, later);
        // All acts of a run are told alike.
        let mut last = (later, true);
        let certain: Vec<bool> = (self.runs.iter())
            .take(acts.len())
            .map(|run| {
                if last.0 != *run {
                    last = (*run, holds(run));
                }
                last.1
            })
            .collect();
        if certain.iter().all(|it| *it) {
            return Cow::Borrowed(acts);
        }
        let acts = acts.iter().zip(certain);
        acts.map(|(act, certain)| {
            if certain {
                act.clone()
            } else {
                Act::Perhaps(Box::new(act.clone()))
            }
        })
        .collect()
    }
}
