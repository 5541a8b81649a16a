//! One decided event and its call, as people name them: by the event's id or its beginning, by the agent's id of the call, or as the
//! `last` one that was stopped, in the project of this folder if one was stopped there.

use std::collections::BTreeSet;

use bowline::hooks::Decision;
use bowline::settings::AllowedCall;
use bowline_builtins::guard::{exact_call, is_rule};
use bowline_daemon::rpc::{events, traces};
use bowline_store::{RecordedEvent, Trace};

use crate::ask::Records;
use crate::error::{Error, Result};
use crate::project;
use crate::ui::{Ui, reveal};

/// At most this many events are searched.
const SEARCHED: usize = 10_000;
/// A shorter beginning of an id could be a word.
const SHORTEST: usize = 6;
/// The name of the last call that was stopped.
pub(crate) const LAST: &str = "last";

/// An event that was decided, and the call that it is about.
#[derive(Debug)]
pub(crate) struct Recorded {
    pub(crate) event: RecordedEvent,
    pub(crate) call: Option<Trace>,
}

impl Recorded {
    /// Finds what is named; `None` if nothing has that name.
    pub(crate) fn find(named: &str, ui: &Ui) -> Result<Option<Self>> {
        let mut records = Records::open(ui)?;
        let mut meant = match named {
            LAST => last_stopped(&mut records, ui)?,
            _ => newest(None, &mut records, ui)?,
        };
        // As lists cut it.
        let named = named.trim_end_matches('…');
        let is_whole = |id: &str| id == named;
        let is_beginning = |id: &str| named.len() >= SHORTEST && id.starts_with(named);
        if named == LAST {
            meant.truncate(1);
        } else if meant.iter().any(|it| has_id(it, is_whole)) {
            meant.retain(|it| has_id(it, is_whole));
        } else {
            meant.retain(|it| has_id(it, is_beginning));
            must_be_one_call(named, &meant)?;
        }
        // Of the events of one call, the one that stopped it is meant.
        meant.sort_by_key(|it| std::cmp::Reverse(it.decided.decision >= Decision::Ask));
        let Some(event) = meant.into_iter().next() else {
            return Ok(None);
        };
        let call = match &event.decided.tool_use_id {
            Some(id) => records.ask(&traces::Get { id: id.clone() }, ui)?,
            None => None,
        };
        Ok(Some(Self { event, call }))
    }

    /// The same, where there has to be one.
    pub(crate) fn found(named: &str, ui: &Ui) -> Result<Self> {
        Self::find(named, ui)?.ok_or_else(|| {
            Error::usage(format!("nothing is recorded under `{named}`")).hint(
                "`bowline log` lists what was decided; `last` is the last call that was stopped",
            )
        })
    }

    /// The guard's rule that stopped it.
    pub(crate) fn rule(&self) -> Option<String> {
        self.event.decided.rule.clone().filter(|id| is_rule(id))
    }

    /// The call to the letter, if all of it was kept.
    pub(crate) fn exact_call(&self) -> Option<AllowedCall> {
        let call = self.call.as_ref()?;
        exact_call(&call.tool, call.input.as_ref()?)
    }
}

/// Those that were stopped in the project of this folder; where none was, those of all projects.
fn last_stopped(records: &mut Records, ui: &Ui) -> Result<Vec<RecordedEvent>> {
    let here = project::load(&project::folder(None)?).project;
    let here = here.to_string_lossy().into_owned();
    for project in [Some(here), None] {
        let mut events = newest(project, records, ui)?;
        events.retain(|it| it.decided.decision >= Decision::Ask);
        if !events.is_empty() {
            return Ok(events);
        }
    }
    Ok(Vec::new())
}

fn newest(project: Option<String>, records: &mut Records, ui: &Ui) -> Result<Vec<RecordedEvent>> {
    let last = events::Last {
        project,
        limit: Some(SEARCHED),
        ..events::Last::default()
    };
    records.ask(&last, ui)
}

fn has_id(event: &RecordedEvent, is_it: impl Fn(&str) -> bool) -> bool {
    is_it(&event.decided.id) || event.decided.tool_use_id.as_deref().is_some_and(is_it)
}

fn must_be_one_call(beginning: &str, events: &[RecordedEvent]) -> Result<()> {
    let ids: BTreeSet<&str> = (events.iter())
        .map(|it| it.decided.tool_use_id.as_deref().unwrap_or(&it.decided.id))
        .collect();
    match ids.first() {
        Some(one) if ids.len() > 1 => Err(several(beginning, ids.len(), one)),
        _ => Ok(()),
    }
}

/// The beginning of an id that several calls share.
pub(crate) fn several(beginning: &str, calls: usize, one: &str) -> Error {
    let (beginning, one) = (reveal::name(beginning), reveal::name(one));
    Error::input(format!(
        "{calls} calls have an id that begins with `{beginning}`, `{one}` among them"
    ))
    .hint("give more of it")
}
