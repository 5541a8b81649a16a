//! `bowline trace list`, `slow` and `errors`: one line for each call. `--follow` has the same lines.

use std::time::Duration;

use bowline::hooks::humane_duration;
use bowline_daemon::rpc::Question;
use bowline_store::Trace;
use serde::Serialize;

use super::{call, columns};
use crate::Outcome;
use crate::ask::{NOTHING_YET, Records};
use crate::commands::meant::Wanted;
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
        Format::Json => {
            if let (About::Calls(wanted), []) = (&about, traces.as_slice()) {
                wanted.note_unknown_project(records, ui)?;
            }
            ui.json(&Report { traces })?;
        }
        Format::Text if records.is_nothing() => ui.line(NOTHING_YET),
        Format::Text if traces.is_empty() => {
            let nothing = about.nothing(records, ui)?;
            ui.line(nothing);
        }
        Format::Text => {
            let now = moment::now();
            let mut calls = Calls::about(&about);
            calls.know_projects_of(&traces);
            for call in &traces {
                calls.add(moment::when(call.started_at, now), call);
            }
            ui.list(&calls.list);
        }
    }
    Ok(Outcome::Clean)
}

const COLUMNS: &[Column] = &[
    Column::whole("When", 8),
    columns::PROJECT,
    columns::AGENT,
    columns::SESSION,
    columns::TOOL,
    Column::whole("Status", 9).at_least(7),
    Column::optional("Took", 7, 4),
    Column::rest("What"),
    columns::ID,
];

/// Those of slow calls: how long they took is the point.
const SLOW: &[Column] = &[
    Column::whole("When", 8),
    columns::PROJECT,
    columns::AGENT,
    columns::SESSION,
    columns::TOOL,
    Column::optional("Status", 9, 4).at_least(7),
    Column::whole("Took", 7),
    Column::rest("What"),
    columns::ID,
];

/// What a list of calls is about.
#[derive(Debug)]
pub(super) enum About {
    /// Those that were asked for.
    Calls(Wanted),
    /// Those that took at least so long.
    CallsThatTook(Duration),
}

impl About {
    /// The text if there are none.
    fn nothing(&self, records: &mut Records, ui: &Ui) -> Result<String> {
        match self {
            Self::Calls(wanted) => wanted.nothing("tool call", records, ui),
            Self::CallsThatTook(threshold) => {
                let shortest = humane_duration(*threshold);
                Ok(format!(
                    "No tool call took {shortest} or longer. Ask for more with a shorter --threshold."
                ))
            }
        }
    }
}

/// Calls, a line each.
#[derive(Debug)]
pub(super) struct Calls {
    pub(super) list: List,
    projects: ProjectNames,
}

impl Calls {
    pub(super) fn about(about: &About) -> Self {
        Self {
            list: List::new(match about {
                About::Calls(_) => COLUMNS,
                About::CallsThatTook(_) => SLOW,
            }),
            projects: ProjectNames::default(),
        }
    }

    /// Short names that distinguish projects.
    pub(super) fn know_projects_of(&mut self, calls: &[Trace]) {
        let projects = calls.iter().filter_map(|call| call.project.as_deref());
        self.projects.learn(projects);
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
