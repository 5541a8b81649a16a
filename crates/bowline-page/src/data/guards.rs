//! What was stopped, by which rule, and what a person called a false alarm.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use bowline::hooks::Decision;
use bowline_daemon::rpc::{Question as _, events};
use bowline_store::{
    DecisionFilter, DigestFilter, MemoryOf, RecordedEvent, Result, RuleDigest, Store,
};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::costs::Period;
use super::known::{self, Unmet};
use crate::query::Query;

/// Events of one rule in one list.
const MOST: usize = 100;
/// Marks that are kept for one project.
const MOST_MARKS: usize = 500;
/// The name under which marks are kept with their project.
const MARKS: &str = "page.false-alarms";

/// One mark is changed at a time.
static MARKING: Mutex<()> = Mutex::new(());

/// What was stopped in a period.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Guards {
    pub(crate) period: Period,
    /// What denied or asked, the most frequent first.
    pub(crate) rules: Vec<RuleDigest>,
}

pub(crate) fn read(store: &dyn Store, period: Period, now: DateTime<Utc>) -> Result<Guards> {
    let mut rules = store.decided(&DigestFilter {
        since: period.since(now),
        project: None,
    })?;
    rules.retain(|rule| rule.decision >= Decision::Ask);
    Ok(Guards { period, rules })
}

/// What one rule stopped.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Stopped {
    pub(crate) rule: String,
    pub(crate) calls: Vec<StoppedCall>,
    /// Why there are none, if that is because nobody knows the rule.
    pub(crate) unmet: Option<Unmet>,
}

/// A call that was stopped.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoppedCall {
    pub(crate) event: RecordedEvent,
    pub(crate) is_false_alarm: bool,
}

pub(crate) fn of_rule(store: &dyn Store, rule: &str) -> Result<Stopped> {
    let last = events::Last {
        decisions: vec![
            DecisionFilter::Deny,
            DecisionFilter::Ask,
            DecisionFilter::Observed,
        ],
        rule: Some(escaped(rule)),
        limit: Some(MOST),
        ..events::Last::default()
    };
    let events = last.answer(store)?;
    let projects: BTreeSet<&str> = (events.iter())
        .filter_map(|event| event.decided.project.as_deref())
        .collect();
    let mut marked = BTreeSet::new();
    for project in projects {
        marked.extend(marks(store, project)?);
    }
    let calls = events.into_iter().map(|event| StoppedCall {
        is_false_alarm: marked.contains(&event.decided.id),
        event,
    });
    let calls: Vec<StoppedCall> = calls.collect();
    Ok(Stopped {
        rule: rule.to_owned(),
        unmet: if calls.is_empty() {
            known::rule(store, rule)?
        } else {
            None
        },
        calls,
    })
}

/// A rule's name, in which nothing stands for anything else.
fn escaped(rule: &str) -> String {
    let mut pattern = String::new();
    for c in rule.chars() {
        match c {
            '*' | '?' | '[' => pattern.extend(['[', c, ']']),
            c => pattern.push(c),
        }
    }
    pattern
}

/// The ids of the events that a person called false alarms.
fn marks(store: &dyn Store, project: &str) -> Result<Vec<String>> {
    let kept = store.remembered(MemoryOf::Project, project, MARKS)?;
    let ids = kept.as_ref().and_then(Value::as_array);
    let ids = ids.into_iter().flatten().filter_map(Value::as_str);
    Ok(ids.map(ToOwned::to_owned).collect())
}

/// Whether a person called it a false alarm.
pub(crate) fn is_false_alarm(store: &dyn Store, event: &RecordedEvent) -> Result<bool> {
    let Some(project) = event.decided.project.as_deref() else {
        return Ok(false);
    };
    Ok(marks(store, project)?.contains(&event.decided.id))
}

/// Marks an event as a false alarm, or takes the mark away.
pub(crate) fn mark(store: &dyn Store, form: &Query) -> Result<()> {
    let (Some(project), Some(event)) = (form.key("project"), form.key("event")) else {
        return Ok(());
    };
    let _alone = MARKING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut ids = marks(store, &project)?;
    ids.retain(|id| *id != event);
    if form.get("mark") == Some("false-alarm") {
        ids.push(event);
    }
    let excess = ids.len().saturating_sub(MOST_MARKS);
    ids.drain(..excess);
    store.remember(MemoryOf::Project, &project, MARKS, &json!(ids))
}

#[cfg(test)]
mod tests {
    use bowline_store::{Options, Record, SqliteStore};

    use super::*;

    #[test]
    fn a_false_alarm_is_marked_and_unmarked() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(Options::new(folder.path().join("data"))).unwrap();
        for id in ["one", "two"] {
            let mut record = Record::new(id, Utc::now(), "claude-code", "PreToolUse", "s1");
            record.decided.project = Some("/p".to_owned());
            record.decided.decision = Decision::Deny;
            record.decided.rule = Some("git.clean".to_owned());
            store.submit(record, Box::new(|_| {}));
        }
        store.flush().unwrap();
        let marked = |rule: &str| -> Vec<String> {
            let calls = of_rule(&store, rule).unwrap().calls.into_iter();
            let calls = calls.filter(|it| it.is_false_alarm);
            calls.map(|it| it.event.decided.id).collect()
        };
        let say = |form: &str| mark(&store, &Query::parse(form.as_bytes()));
        assert!(marked("git.clean").is_empty());
        say("project=/p&event=one&mark=false-alarm").unwrap();
        say("project=/p&event=one&mark=false-alarm").unwrap();
        assert_eq!(marked("git.clean"), ["one"]);
        assert!(marked("git.*").is_empty(), "a star is only a star");
        say("project=/p&event=one&mark=none").unwrap();
        assert!(marked("git.clean").is_empty());
        say("event=one").unwrap();
        assert_eq!(
            read(&store, Period::All, Utc::now()).unwrap().rules.len(),
            1
        );
    }
}
