//! What agents used, and what that costs.

use std::path::Path;

use bowline::settings::{self, Locations};
use bowline_builtins::guidance::cost::prices;
use bowline_daemon::rpc::{Question as _, costs};
use bowline_guidance::cost::report::{By, Report, report};
use bowline_store::{Result, SpentFilter, Store};
use chrono::{DateTime, Days, Utc};

/// A period that can be chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Period {
    Week,
    #[default]
    Month,
    Quarter,
    All,
}

impl Period {
    pub(crate) const ALL: [Self; 4] = [Self::Week, Self::Month, Self::Quarter, Self::All];

    /// As an address has it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Week => "7d",
            Self::Month => "30d",
            Self::Quarter => "90d",
            Self::All => "all",
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Week => "7 days",
            Self::Month => "30 days",
            Self::Quarter => "90 days",
            Self::All => "everything",
        }
    }

    pub(crate) fn parse(word: Option<&str>) -> Self {
        let known = Self::ALL.into_iter().find(|it| Some(it.word()) == word);
        known.unwrap_or_default()
    }

    pub(crate) fn since(self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let days = match self {
            Self::Week => 7,
            Self::Month => 30,
            Self::Quarter => 90,
            Self::All => return None,
        };
        now.checked_sub_days(Days::new(days))
    }
}

/// The costs of a period.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Costs {
    pub(crate) period: Period,
    pub(crate) by_day: Report,
    pub(crate) by_model: Report,
    pub(crate) by_project: Report,
}

pub(crate) fn read(store: &dyn Store, period: Period, now: DateTime<Utc>) -> Result<Costs> {
    // No project may set prices, so any folder will do.
    let config = settings::load(Path::new("/"), &Locations::from_env()).config;
    let prices = prices(&config.cost);
    let since = period.since(now);
    let of = |by| {
        let filter = SpentFilter {
            by,
            on: None,
            since,
        };
        let spent = costs::Spent { filter }.answer(store)?;
        Ok::<_, bowline_store::Error>(report(by, &spent, &prices))
    };
    Ok(Costs {
        period,
        by_day: of(By::Day)?,
        by_model: of(By::Model)?,
        by_project: of(By::Project)?,
    })
}
