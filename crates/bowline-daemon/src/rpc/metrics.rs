//! Questions about figures.

use bowline_builtins::guidance::metrics::bounds;
use bowline_guidance::metrics::{Day as Figures, Report as Table};
use bowline_store::{Result, Store};
use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;

use super::Question;
use super::arguments::Arguments;

/// `metrics.day`: the figures of a day in UTC; of today by default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Day {
    /// The day.
    pub day: Option<NaiveDate>,
}

impl Question for Day {
    const COMMAND: &'static str = "metrics.day";
    type Answer = Figures;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        Some(Self {
            day: arguments.value("day", "a day such as \"2026-11-15\""),
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let day = self.day.unwrap_or_else(|| Utc::now().date_naive());
        let (from, to) = bounds(day);
        Ok(Figures::of(day, &store.happened(from, to)?))
    }
}

/// `metrics.report`: figures by tool, sub-agent and day since a time; of everything by default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// At this time or later.
    pub since: Option<DateTime<Utc>>,
}

impl Question for Report {
    const COMMAND: &'static str = "metrics.report";
    type Answer = Table;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        Some(Self {
            since: arguments.time("since"),
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let since = self.since.unwrap_or(DateTime::UNIX_EPOCH);
        Ok(Table::of(&store.happened(since, DateTime::<Utc>::MAX_UTC)?))
    }
}
