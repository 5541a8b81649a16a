//! Questions about what agents cost.

use bowline_guidance::cost::budget::BudgetOf;
use bowline_guidance::cost::delegation::Summary;
use bowline_guidance::cost::prices::Usd;
use bowline_guidance::cost::report::Spent as SpentRow;
use bowline_guidance::cost::usage::Usage;
use bowline_store::{Mark, MemoryOf, Result, SpentFilter, Store};
use chrono::Utc;
use serde::{Deserialize, Serialize};

use super::arguments::Arguments;
use super::{Access, Question};

/// `costs.spent`: what was used, added up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Spent {
    /// What is added up, and by what.
    pub filter: SpentFilter,
}

impl Question for Spent {
    const COMMAND: &'static str = "costs.spent";
    type Answer = Vec<SpentRow>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let filter = arguments.value("filter", "what is added up");
        Some(Self {
            filter: filter.unwrap_or_default(),
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        store.costs().spent(&self.filter)
    }
}

/// `costs.marks`: how far transcripts were read, one number for each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Marks {
    /// The transcripts, as their marks are called.
    pub files: Vec<String>,
}

impl Question for Marks {
    const COMMAND: &'static str = "costs.marks";
    type Answer = Vec<u64>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let files = arguments.needed_value("files", "a list of marks")?;
        Some(Self { files })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        store.costs().marks(&self.files)
    }
}

/// `costs.keep`: keeps what messages used, and how far a transcript was read. To keep it again changes nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Keep {
    /// What messages used.
    pub usage: Vec<Usage>,
    /// How far the transcript was read.
    pub mark: Option<Mark>,
}

impl Question for Keep {
    const COMMAND: &'static str = "costs.keep";
    const ACCESS: Access = Access::Changes;
    type Answer = ();

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let mark = arguments.value("mark", "a mark");
        let usage = arguments.needed_value("usage", "a list of messages")?;
        Some(Self { usage, mark })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        store
            .costs()
            .keep_usage(self.usage.clone(), self.mark.clone())
    }
}

/// `costs.raise`: adds to a budget; the answer is what was added to it in all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Raise {
    /// Which kind of budget.
    pub budget: BudgetOf,
    /// The session, the number of the effort, or the day.
    pub name: String,
    /// How much is added, in billionths of a dollar.
    pub by: Usd,
}

impl Question for Raise {
    const COMMAND: &'static str = "costs.raise";
    const ACCESS: Access = Access::Changes;
    type Answer = Usd;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let name = arguments.needed_text("name");
        let by = arguments.needed_value("by", "billionths of a dollar");
        let budget = arguments.needed_value("budget", "`session`, `effort` or `day`")?;
        Some(Self {
            budget,
            name: name?,
            by: by?,
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let costs = store.costs();
        costs.raise_budget(self.budget, &self.name, self.by, Utc::now())
    }
}

/// How the budgets of a session can be named, and what was added to them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// The number of the effort that the session was last in.
    pub effort: Option<i64>,
    /// What was added to the session's budget.
    pub raised: Usd,
    /// How the session went, if `[cost] predict` is on.
    pub summary: Option<Summary>,
}

/// `costs.session`: what is known of the costs of a session, beside what it used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Session {
    /// The agent's name for it.
    pub session: String,
}

impl Question for Session {
    const COMMAND: &'static str = "costs.session";
    type Answer = Standing;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let session = arguments.needed_text("session")?;
        Some(Self { session })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let costs = store.costs();
        let effort = costs.effort_of_session(&self.session)?;
        let hook = bowline_builtins::guidance::cost::CONDUCT;
        let conduct = store.remembered(MemoryOf::Session, &self.session, hook)?;
        // What another version wrote may not be readable.
        let conduct = conduct.and_then(|it| serde_json::from_value(it).ok());
        Ok(Standing {
            effort: effort.map(|it| it.0),
            raised: costs.budget_raise(BudgetOf::Session, &self.session)?,
            summary: conduct.map(|it: bowline_guidance::cost::delegation::Conduct| it.summary()),
        })
    }
}
