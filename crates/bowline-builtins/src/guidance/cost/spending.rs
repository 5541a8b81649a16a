//! What sessions spent so far: read from their transcripts, and kept at hand for the next call.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bowline::hooks::HookInput;
use bowline::settings::{CostConfig, Locations};
use bowline_guidance::cost::budget::BudgetOf;
use bowline_guidance::cost::prices::{Prices, Usd};
use bowline_guidance::cost::report::{By, cost};
use bowline_store::{SpentFilter, SpentOn, Store};
use chrono::{DateTime, Local, NaiveTime, TimeZone, Utc};

use super::{limit, prices, transcripts};
use crate::continuity::project_of;

/// More sessions are not kept at hand.
const MAX_SESSIONS: usize = 4_096;

/// What the hooks of a project know of costs.
pub(in crate::guidance) struct Spending {
    config: CostConfig,
    prices: Prices,
    store: Option<Arc<dyn Store>>,
    figures: Mutex<HashMap<String, Figures>>,
    /// How far transcripts are read. Whoever reads has it, so that nothing is read twice at the same time.
    marks: Mutex<HashMap<String, u64>>,
}

impl fmt::Debug for Spending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spending").finish_non_exhaustive()
    }
}

/// How the budgets of a session stand.
pub(super) type Figures = Vec<Figure>;

/// How one budget stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Figure {
    pub(super) of: BudgetOf,
    /// Which session, effort or day it is.
    pub(super) name: String,
    pub(super) spent: Usd,
    /// What the settings give, and what a person added.
    pub(super) limit: Usd,
}

impl Spending {
    pub(in crate::guidance) fn new(config: CostConfig, store: Option<&Arc<dyn Store>>) -> Self {
        Self {
            prices: prices(&config),
            config,
            store: store.cloned(),
            figures: Mutex::default(),
            marks: Mutex::default(),
        }
    }

    /// How the budgets of a session stand, as far as that is known.
    pub(super) fn known(&self, session: &str) -> Option<Figures> {
        lock(&self.figures).get(session).cloned()
    }

    /// Reads on in the session's transcripts, and finds out how its budgets stand.
    pub(super) fn refresh(&self, input: &HookInput) -> bowline_store::Result<Figures> {
        let session = &input.session_id;
        let Some(store) = &self.store else {
            return Ok(Figures::new());
        };
        let paths = [input.transcript_path(), input.agent_transcript_path()];
        for path in paths.into_iter().flatten() {
            self.read_on(store.as_ref(), Path::new(path))?;
        }
        let mut figures = Figures::new();
        for of in BudgetOf::ALL {
            figures.extend(self.figure(store.as_ref(), of, session)?);
        }
        let mut known = lock(&self.figures);
        if known.len() >= MAX_SESSIONS && !known.contains_key(session) {
            known.clear();
        }
        known.insert(session.clone(), figures.clone());
        Ok(figures)
    }

    fn read_on(&self, store: &dyn Store, transcript: &Path) -> bowline_store::Result<()> {
        let mut marks = lock(&self.marks);
        let mut projects = Projects::default();
        for found in transcripts::of_session(transcript) {
            let from = if let Some(from) = marks.get(&found.mark) {
                *from
            } else {
                let known = store.costs().marks(std::slice::from_ref(&found.mark))?;
                known.first().copied().unwrap_or(0)
            };
            if from == found.length {
                continue;
            }
            let read = transcripts::read(&found, from, |mut usage, mark| {
                for it in &mut usage {
                    it.folder = projects.of(&it.folder);
                }
                marks.insert(mark.file.clone(), mark.offset);
                store
                    .costs()
                    .keep_usage(usage, Some(mark))
                    .map_err(Failure::Store)
            });
            match read {
                Err(Failure::Store(error)) => return Err(error),
                Err(Failure::File(error)) => {
                    tracing::debug!("{} was not read: {error}", found.path.display());
                }
                Ok(_) => {}
            }
        }
        Ok(())
    }

    fn figure(
        &self,
        store: &dyn Store,
        of: BudgetOf,
        session: &str,
    ) -> bowline_store::Result<Option<Figure>> {
        let Some(limit) = limit(&self.config, of) else {
            return Ok(None);
        };
        let costs = store.costs();
        let (name, on, since) = match of {
            BudgetOf::Session => {
                let on = SpentOn::Session(session.to_owned());
                (session.to_owned(), Some(on), None)
            }
            BudgetOf::Effort => {
                let Some(effort) = costs.effort_of_session(session)? else {
                    return Ok(None);
                };
                (effort.0.to_string(), Some(SpentOn::Effort(effort)), None)
            }
            BudgetOf::Day => {
                let (name, begins) = today(Utc::now());
                (name, None, Some(begins))
            }
        };
        let spent = costs.spent(&SpentFilter {
            by: By::Model,
            on,
            since,
        })?;
        Ok(Some(Figure {
            of,
            spent: cost(&spent, &self.prices),
            limit: limit + costs.budget_raise(of, &name)?,
            name,
        }))
    }

    /// What a session spent.
    pub(super) fn of_session(&self, session: &str) -> bowline_store::Result<Usd> {
        let Some(store) = &self.store else {
            return Ok(Usd::default());
        };
        let spent = store.costs().spent(&SpentFilter {
            by: By::Model,
            on: Some(SpentOn::Session(session.to_owned())),
            since: None,
        })?;
        Ok(cost(&spent, &self.prices))
    }

    /// The part of a budget at which an agent is warned.
    pub(super) const fn warn_percent(&self) -> u32 {
        self.config.warn_percent
    }
}

/// The projects of folders. Many messages have the same.
#[derive(Debug)]
pub struct Projects {
    locations: Locations,
    known: HashMap<String, String>,
}

impl Default for Projects {
    fn default() -> Self {
        Self {
            locations: Locations::from_env(),
            known: HashMap::new(),
        }
    }
}

impl Projects {
    /// The project of a folder.
    pub fn of(&mut self, folder: &str) -> String {
        if let Some(project) = self.known.get(folder) {
            return project.clone();
        }
        let project = match folder {
            "" => String::new(),
            folder => {
                let project = project_of(Path::new(folder), &self.locations);
                project.to_string_lossy().into_owned()
            }
        };
        self.known.insert(folder.to_owned(), project.clone());
        project
    }
}

/// The day that it is here, and when it began.
pub fn today(now: DateTime<Utc>) -> (String, DateTime<Utc>) {
    let day = now.with_timezone(&Local).date_naive();
    let midnight = day.and_time(NaiveTime::MIN);
    // Where clocks are put forward at midnight, the day begins later.
    let begins = Local.from_local_datetime(&midnight).earliest();
    let begins = begins.map_or(midnight.and_utc(), |it| it.to_utc());
    (day.to_string(), begins)
}

#[derive(Debug)]
enum Failure {
    Store(bowline_store::Error),
    File(std::io::Error),
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::File(error)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
