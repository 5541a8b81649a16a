//! What a person let pass with `bowline allow`, kept outside of all projects. An entry takes one rule's voice away, for one call
//! or for all of a place. It grants nothing, and it changes no file that trust is about.

use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::fingerprint::hex_sha256;
use super::ledger_file::LedgerFile;
use crate::error::{Error, Result};
use crate::settings::files::locations::Locations;

const FORMAT: u64 = 1;
/// An entry that was used up is remembered for so long: the same call may still be asked for its permission.
const KEPT_HOURS: i64 = 24;

/// Where an entry counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reach {
    /// Everywhere.
    Global,
    /// In one project.
    Project(PathBuf),
    /// In one session of an agent, by the agent's name of it.
    Session(String),
}

/// How long an entry counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Lasts {
    /// Until it is removed.
    Always,
    /// For one call.
    Once,
    /// Until then.
    Until(DateTime<Utc>),
}

/// A call to the letter: the command of a shell, or the whole input of another tool as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllowedCall {
    /// The tool.
    pub tool: String,
    /// What it is called with.
    pub what: String,
}

impl AllowedCall {
    fn sha256(&self) -> Option<String> {
        hex_sha256([(&self.tool, self.what.as_str())])
    }
}

/// What a person wants to let pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wish {
    /// The rule that says nothing then.
    pub rule: String,
    /// Only for this call; `None` for every one.
    pub call: Option<AllowedCall>,
    /// Where.
    pub reach: Reach,
    /// How long.
    pub lasts: Lasts,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Allowance {
    /// Its number, by which it is removed.
    pub number: u64,
    /// What passes.
    #[serde(flatten)]
    pub wish: Wish,
    /// When it was made.
    pub when: DateTime<Utc>,
    /// By which call an entry for one call was used up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<Use>,
}

/// How an entry was used up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    session: String,
    sha256: Option<String>,
    when: DateTime<Utc>,
}

/// The part of an event that an entry is compared with.
#[derive(Debug, Clone)]
pub struct Caller<'a> {
    /// The project's folder.
    pub project: &'a Path,
    /// The agent's name of the session.
    pub session: &'a str,
    /// The call.
    pub call: AllowedCall,
    /// What is asked about it.
    pub occasion: Occasion,
    /// The time of the event.
    pub now: DateTime<Utc>,
}

/// The moment in the life of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    /// It is about to happen.
    Call,
    /// It was let pass, and its permission is asked for.
    Permission,
}

impl Allowance {
    /// Whether it counts for a call.
    pub fn fits(&self, caller: &Caller<'_>) -> bool {
        let here = match &self.wish.reach {
            Reach::Global => true,
            Reach::Project(folder) => folder == caller.project,
            Reach::Session(session) => !session.is_empty() && session == caller.session,
        };
        let now = match &self.wish.lasts {
            Lasts::Until(until) => caller.now < *until,
            Lasts::Always | Lasts::Once => true,
        };
        here && now && self.wish.call.as_ref().is_none_or(|it| *it == caller.call)
    }

    /// Whether it is for one call only, and has to be claimed.
    pub fn is_once(&self) -> bool {
        self.wish.lasts == Lasts::Once
    }

    /// Whether it can still let something pass.
    pub fn is_open(&self, now: DateTime<Utc>) -> bool {
        let over = matches!(self.wish.lasts, Lasts::Until(until) if until <= now);
        self.used.is_none() && !over
    }

    fn is_kept(&self, now: DateTime<Utc>) -> bool {
        let fresh = |used: &Use| now - used.when < TimeDelta::hours(KEPT_HOURS);
        self.is_open(now) || self.used.as_ref().is_some_and(fresh)
    }

    /// Whether it is unused, or was used by this very call.
    pub fn is_open_to(&self, caller: &Caller<'_>) -> bool {
        self.used.as_ref().is_none_or(|used| {
            // The same event, of which another part was first.
            let is_this = caller.occasion == Occasion::Permission || used.when == caller.now;
            is_this && used.session == caller.session && used.sha256 == caller.call.sha256()
        })
    }

    /// Uses it up. `true` also if this very call did so before.
    fn claim(&mut self, caller: &Caller<'_>) -> bool {
        let open = self.is_open_to(caller);
        if open {
            self.used.get_or_insert_with(|| Use {
                session: caller.session.to_owned(),
                sha256: caller.call.sha256(),
                when: caller.now,
            });
        }
        open
    }
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Ledger {
    format: u64,
    /// Numbers are not given twice.
    next: u64,
    allowed: Vec<Allowance>,
}

/// The record of what a person let pass: `allowed.json` in the data folder.
///
/// A record that is damaged, or that others could have written, lets nothing pass and is never overwritten.
#[derive(Debug, Clone, Default)]
pub struct AllowanceStore {
    file: Option<LedgerFile>,
    entries: Vec<Allowance>,
    problem: Option<String>,
}

impl AllowanceStore {
    /// Reads the record.
    pub fn open(locations: &Locations) -> Self {
        let Some(folder) = locations.data_dir.clone() else {
            return Self::default();
        };
        let file = LedgerFile::new(folder, "allowed", "record of what is allowed");
        let (entries, problem) = match read(&file) {
            Ok(ledger) => (ledger.allowed, None),
            Err(problem) => (Vec::new(), Some(problem)),
        };
        Self {
            file: Some(file),
            entries,
            problem,
        }
    }

    /// The same for those who only look: an entry for one call is used up by none of their calls, and does not count.
    pub fn for_looking(self) -> Self {
        Self { file: None, ..self }
    }

    /// The file that it is kept in.
    pub fn file(&self) -> Option<PathBuf> {
        self.file.as_ref().map(LedgerFile::path)
    }

    /// Why it cannot be used, if so.
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// What is let pass, the oldest first.
    pub fn entries(&self) -> &[Allowance] {
        &self.entries
    }

    /// Adds an entry, unless there is one that says the same.
    pub fn add(&mut self, wish: Wish) -> Result<Allowance> {
        self.change(|ledger| {
            let now = Utc::now();
            let mut open = ledger.allowed.iter().filter(|it| it.is_open(now));
            if let Some(same) = open.find(|it| it.wish == wish) {
                return same.clone();
            }
            let entry = Allowance {
                number: ledger.next,
                wish,
                when: Utc::now(),
                used: None,
            };
            ledger.next += 1;
            ledger.allowed.push(entry.clone());
            entry
        })
    }

    /// Removes an entry; `None` if no entry has that number.
    pub fn remove(&mut self, number: u64) -> Result<Option<Allowance>> {
        self.change(|ledger| {
            let at = ledger.allowed.iter().position(|it| it.number == number);
            at.map(|at| ledger.allowed.remove(at))
        })
    }

    /// Uses up an entry for one call. `false` if another call was first, or if that is unknown.
    pub fn claim(&self, number: u64, caller: &Caller<'_>) -> bool {
        let claimed = self.clone().change(|ledger| {
            let mut entries = ledger.allowed.iter_mut();
            let entry = entries.find(|it| it.number == number && it.fits(caller));
            entry.is_some_and(|it| it.claim(caller))
        });
        claimed.unwrap_or(false)
    }

    /// Changes the record as it is on disk now, so that another process's changes are kept.
    fn change<T>(&mut self, change: impl FnOnce(&mut Ledger) -> T) -> Result<T> {
        let file = self.file.as_ref().ok_or_else(|| {
            Error::other("no data folder to keep this in: set HOME or XDG_DATA_HOME")
        })?;
        let held = file.hold()?;
        let mut ledger = read(file).map_err(|problem| {
            Error::other(format!("{problem}; repair it or remove it, then try again"))
        })?;
        let now = Utc::now();
        ledger.allowed.retain(|it| it.is_kept(now));
        let result = change(&mut ledger);
        let text = serde_json::to_string_pretty(&ledger)
            .map_err(|source| Error::other(source.to_string()))?;
        held.write(&format!("{text}\n"))?;
        self.entries = ledger.allowed;
        Ok(result)
    }
}

fn read(file: &LedgerFile) -> Result<Ledger, String> {
    let Some(text) = file.read()? else {
        return Ok(Ledger {
            format: FORMAT,
            next: 1,
            allowed: Vec::new(),
        });
    };
    serde_json::from_str(&text)
        .ok()
        .filter(|ledger: &Ledger| ledger.format == FORMAT)
        .ok_or_else(|| file.refused("is damaged"))
}

#[cfg(test)]
mod tests;
