//! `bowline trace list`, `slow` and `errors`: one line for each call. `--follow` has the same lines.

use bowline_daemon::rpc::Question;
use bowline_store::Trace;
use serde::Serialize;

use super::call;
use crate::Outcome;
use crate::ask::{NOTHING_YET, Records};
use crate::error::Result;
use crate::moment;
use crate::project::ProjectNames;
use crate::ui::{Column, Format, List, Text, Ui, reveal, style};

#[derive(Debug, Serialize)]
struct Report {
    traces: Vec<Trace>,
}

pub(super) fn run<Q: Question<Answer = Vec<Trace>>>(
    question: &Q,
    about: About,
    records: &mut Records,
    format: Format,
    ui: &mut Ui,
) -> Result<Outcome> {
    let traces = records.ask(question, ui)?;
    match format {
        Format::Json => ui.json(&Report { traces })?,
        Format::Text if records.is_nothing() => ui.line(NOTHING_YET),
        Format::Text if traces.is_empty() => {
            ui.line("No tool call is like that. Ask for more: a longer --since, or no filter; `bowline session list` shows where there was work.");
        }
        Format::Text => {
            let now = moment::now();
            let mut calls = Calls::about(about);
            for call in &traces {
                calls.add(moment::when(call.started_at, now), call);
            }
            ui.list(&calls.list);
        }
    }
    Ok(Outcome::Clean)
}

/// So much of an id is enough to find a call by it.
pub(in crate::commands) const ID: usize = 16;
/// So much of a session's name is enough, too.
pub(in crate::commands) const SESSION: usize = 8;
/// Longer names of projects are cut.
pub(in crate::commands) const PROJECT: usize = 20;

const COLUMNS: &[Column] = &[
    Column::whole("When", 8),
    Column::optional("Project", 14, 3).at_most(PROJECT),
    Column::optional("Agent", 11, 1),
    Column::optional("Session", SESSION, 0).at_most(SESSION),
    Column::whole("Tool", 8).at_most(PROJECT).at_least(10),
    Column::whole("Status", 9),
    Column::optional("Took", 7, 2),
    Column::rest("What"),
    Column::whole("Id", ID).at_most(ID),
];

/// Those of slow calls: how long they took is the point.
const SLOW: &[Column] = &[
    Column::whole("When", 8),
    Column::optional("Project", 14, 2).at_most(PROJECT),
    Column::optional("Agent", 11, 1),
    Column::optional("Session", SESSION, 0).at_most(SESSION),
    Column::whole("Tool", 8).at_most(PROJECT).at_least(10),
    Column::optional("Status", 9, 3),
    Column::whole("Took", 7),
    Column::rest("What"),
    Column::whole("Id", ID).at_most(ID),
];

/// What a list of calls is about.
#[derive(Debug, Clone, Copy)]
pub(super) enum About {
    Calls,
    SlowCalls,
}

/// Calls, a line each.
#[derive(Debug)]
pub(super) struct Calls {
    pub(super) list: List,
    projects: ProjectNames,
}

impl Calls {
    pub(super) fn about(about: About) -> Self {
        Self {
            list: List::new(match about {
                About::Calls => COLUMNS,
                About::SlowCalls => SLOW,
            }),
            projects: ProjectNames::default(),
        }
    }

    pub(super) fn add(&mut self, when: String, call: &Trace) {
        let project = call.project.as_deref();
        let mut what = Text::from(call::about(call.input.as_ref(), project));
        if let Some(error) = &call.error {
            what = what.with(format!("  {}", error.trim()), style::BAD);
        }
        if let Some(question) = &call.asked {
            what = what.with(format!("  asked: {}", question.trim()), style::CAUTION);
        }
        self.list.row([
            Text::styled(when, style::FAINT),
            self.projects.of(project).into(),
            Text::styled(reveal::name(&call.agent), style::FAINT),
            Text::styled(reveal::name(&call.session), style::FAINT),
            Text::styled(reveal::name(&call.tool), style::NAME),
            call::status(call.status),
            call::took(call).into(),
            what,
            Text::styled(reveal::name(&call.tool_use_id), style::FAINT),
        ]);
    }
}
