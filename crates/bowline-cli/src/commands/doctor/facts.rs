//! Facts from the daemon, or from the store if there is no daemon.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use bowline::hooks::humane_duration;
use bowline_daemon::rpc::{self, Question};
use bowline_daemon::{AskError, Connection, Patience, Places, VERSION};
use bowline_store::{SqliteStore, Store};
use serde_json::{Map, Value};

use super::super::store::bytes;
use super::check::Check;
use super::copy::Running;
use crate::control;
use crate::moment;
use crate::ui::counted;

/// How often to look for a daemon that the canary has just started.
const LOOKS: u32 = 20;
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);
/// More gaps or problems than this are counted, not shown.
const MOST_SHOWN: usize = 5;

/// Whether a daemon may have been started just before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    /// Events were sent, so that one may just be starting.
    Soon,
    /// It was not started.
    Already,
}

/// What was learned.
#[derive(Debug)]
pub(super) struct Facts {
    /// `daemon.status`, or why there is no answer.
    status: Result<Value, AskError>,
    /// Nothing where nothing was ever recorded.
    store: Result<Option<StoreFacts>, String>,
    /// How many records the store could not take yet.
    waiting: u64,
}

#[derive(Debug, Default)]
struct StoreFacts {
    damage: Vec<String>,
    on_disk: u64,
    spooled: u64,
    in_memory: u64,
    gaps: Vec<String>,
    /// The names of the hooks that ever fired, and how the last failure of one was.
    fired: Vec<(String, Option<String>)>,
}

impl Facts {
    /// Asks the daemon; where one may just be starting, for a moment.
    pub(super) fn gather(places: &Places, daemon: Expected) -> Self {
        let mut looks = match daemon {
            Expected::Soon if !is_off() => LOOKS,
            _ => 1,
        };
        let connection = loop {
            let connection = Connection::open_with(&places.socket, Patience::Brief);
            looks -= 1;
            if connection.is_ok() || looks == 0 {
                break connection;
            }
            thread::sleep(BETWEEN_LOOKS);
        };
        let (status, source) = match connection {
            Ok(mut connection) => {
                let status = connection.ask("daemon.status", Map::new());
                connection.set_patience(Patience::Usual);
                let source = match status {
                    Ok(_) => Ok(Some(Source::Daemon(connection))),
                    Err(_) => Source::of_store(places),
                };
                (status, source)
            }
            Err(error) => (Err(error), Source::of_store(places)),
        };
        let waiting = match &source {
            Ok(Some(Source::Store(store))) => store.waiting().records,
            _ => status.as_ref().map_or(0, waiting_of),
        };
        let store = source.and_then(|source| {
            let facts = source.map(|mut source| StoreFacts::ask(&mut source));
            facts.transpose()
        });
        Self {
            status,
            store,
            waiting,
        }
    }

    /// Whether the daemon answers, and is one of the programs that belong to the installed hooks.
    pub(super) fn daemon(&self, places: &Places, belonging: &[PathBuf]) -> Check {
        let check = Check::new("daemon");
        let status = match &self.status {
            Ok(status) => status,
            Err(_) if is_off() => {
                return check
                    .ok("BOWLINE_DAEMON=off: every event is decided in a process of its own");
            }
            Err(error) if error.is_absence() => {
                return check.ok("not running; starts with the next event, and ends when idle");
            }
            Err(error) => {
                let trouble = control::trouble(places, error);
                let check = check
                    .warning(trouble.to_string())
                    .detail("events are still decided, each in its own process, but slower");
                let advice = trouble.hints().first();
                return check.advice(advice.map(String::as_str).unwrap_or_default());
            }
        };
        let version = status.get("version").and_then(Value::as_str);
        let version = version.unwrap_or("unknown");
        let number = |name: &str| status.get(name).and_then(Value::as_u64).unwrap_or(0);
        let problems = problems_of(status);
        let ours = VERSION;
        let running = Running::of(number("pid"));
        let other_copy = running.and_then(|it| it.check(check.clone(), belonging));
        if let Some(other_copy) = other_copy {
            return other_copy;
        }
        if version != ours {
            return check
                .warning(format!(
                    "the daemon is version {version}, this program {ours}"
                ))
                .advice("run `bowline daemon restart`");
        }
        if !problems.is_empty() {
            return check
                .warning("the daemon runs, but projects have problems")
                .details(problems)
                .advice("run `bowline check` in them");
        }
        check.ok(format!(
            "version {version} answers (process {}, up {}, {}, {} of memory)",
            number("pid"),
            humane_duration(Duration::from_secs((number("uptime_ms") / 1_000).max(1))),
            counted(number("events"), "event"),
            bytes(number("memory_bytes")),
        ))
    }

    pub(super) fn store(&self, places: &Places) -> Check {
        let check = Check::new("store");
        let facts = match &self.store {
            Ok(Some(facts)) => facts,
            Ok(None) => return check.ok("nothing is recorded yet"),
            Err(reason) => {
                let waiting = (self.waiting > 0).then(|| {
                    let records = counted(self.waiting, "record");
                    format!("{records} wait in files until it can be used")
                });
                return check
                    .problem(format!("the store cannot be read: {reason}"))
                    .details(waiting)
                    .advice(format!("look at {}", places.data.display()));
            }
        };
        let size = bytes(facts.on_disk);
        let waiting = counted(facts.spooled, "record");
        let waits = (facts.spooled > 0).then(|| format!("not taken yet: {waiting}"));
        if facts.in_memory > 0 {
            let data = places.data.display();
            check
                .problem(format!(
                    "{} only in the daemon's memory: neither the store nor a folder takes them",
                    counted(facts.in_memory, "record")
                ))
                .details(shortened(&facts.damage))
                .details(shortened(&facts.gaps))
                .advice(format!(
                    "make room in {data}: the daemon then writes them down by itself; if it ends before, they are lost"
                ))
        } else if !facts.damage.is_empty() {
            check
                .problem("the database is damaged")
                .details(shortened(&facts.damage))
                .advice("stop the daemon and start it again: it moves the file aside and begins a new one")
        } else if !facts.gaps.is_empty() {
            check
                .warning(format!("sound ({size}), but something is missing"))
                .details(shortened(&facts.gaps))
                .details(waits)
        } else if let Some(waits) = waits {
            check.warning(format!("sound ({size}); {waits}")).detail(
                "they are safe in files, and taken within seconds once the store can be written",
            )
        } else {
            check.ok(format!("sound, {size}"))
        }
    }

    /// The names of hooks that fired, with their last failure; nothing where that is not known.
    pub(super) fn fired(&self) -> Option<&[(String, Option<String>)]> {
        let facts = self.store.as_ref().ok()?.as_ref()?;
        Some(&facts.fired)
    }
}

/// Who answers questions about the records.
enum Source {
    Daemon(Connection),
    Store(SqliteStore),
}

impl Source {
    fn answer<Q: Question>(&mut self, question: &Q) -> Result<Q::Answer, String> {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", Q::COMMAND);
        match self {
            Self::Store(store) => question.answer(store).map_err(|error| failed(&error)),
            Self::Daemon(connection) => {
                let answer = connection.ask(Q::COMMAND, question.arguments());
                let answer = answer.map_err(|error| failed(&error))?;
                serde_json::from_value(answer).map_err(|error| failed(&error))
            }
        }
    }

    /// The store itself, if there is one: looking must not make one.
    fn of_store(places: &Places) -> Result<Option<Self>, String> {
        if !places.store().database().exists() {
            return Ok(None);
        }
        let store = SqliteStore::open(places.store()).map_err(|error| error.to_string())?;
        Ok(Some(Self::Store(store)))
    }
}

impl StoreFacts {
    fn ask(source: &mut Source) -> Result<Self, String> {
        let size = source.answer(&rpc::store::Size::default())?;
        let gaps = source.answer(&rpc::store::Gaps::default())?;
        let figures = source.answer(&rpc::events::HookFigures::default())?;
        Ok(Self {
            damage: source.answer(&rpc::store::Integrity::default())?.problems,
            on_disk: size.on_disk,
            spooled: size.spooled_records,
            in_memory: size.in_memory_records,
            gaps: gaps
                .iter()
                .map(|gap| {
                    let records = counted(gap.records, "record");
                    format!("{}: {records}: {}", moment::full(gap.time), gap.message)
                })
                .collect(),
            fired: figures
                .into_iter()
                .map(|hook| (hook.name, hook.last_failure.map(|(_, text)| text)))
                .collect(),
        })
    }
}

fn is_off() -> bool {
    std::env::var_os("BOWLINE_DAEMON").is_some_and(|value| value == "off")
}

fn waiting_of(status: &Value) -> u64 {
    let waiting = status.pointer("/waiting/records");
    waiting.and_then(Value::as_u64).unwrap_or(0)
}

fn problems_of(status: &Value) -> Vec<String> {
    let projects = status.get("projects").and_then(Value::as_array);
    let mut problems = Vec::new();
    for project in projects.into_iter().flatten() {
        let name = project.get("project").and_then(Value::as_str);
        for problem in project
            .get("problems")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let problem = problem.as_str().unwrap_or_default();
            problems.push(format!("{}: {problem}", name.unwrap_or_default()));
        }
    }
    shortened(&problems)
}

fn shortened(lines: &[String]) -> Vec<String> {
    let mut shown: Vec<String> = lines.iter().take(MOST_SHOWN).cloned().collect();
    if let Some(more @ 1..) = lines.len().checked_sub(MOST_SHOWN) {
        shown.push(format!("and {more} more"));
    }
    shown
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn problems_of_projects_are_listed() {
        let status = json!({"projects": [
            {"project": "/a", "problems": ["bad"]}, {"project": "/b", "problems": []}, {},
        ]});
        assert_eq!(problems_of(&status), ["/a: bad"]);
        assert_eq!(problems_of(&json!([])), Vec::<String>::new());
    }
}
