//! Lists of which one row is chosen, beside the board.

use bowline_store::{Findings, RecordedEvent};

use super::super::state::Top;
use super::{first_row, marked, rows_shown};
use crate::commands::{search, trace};
use crate::moment;
use crate::project::ProjectNames;
use crate::ui::{Column, List, Text, reveal, style};

const DENIALS: &[Column] = &[
    Column::whole("When", 10),
    Column::optional("Session", 8, 5)
        .at_most(8)
        .at_least(8)
        .of_ids(),
    Column::optional("Rule", 20, 8).at_most(28).at_least(16),
    Column::optional("What", 30, 9).at_most(48).at_least(16),
    Column::rest("Why"),
];

const FOUND: &[Column] = &[
    Column::whole("When", 10),
    Column::whole("In", 7),
    Column::optional("Tool", 8, 5).at_most(16),
    Column::optional("Project", 10, 6)
        .at_most(20)
        .at_least(8)
        .telling_apart(),
    Column::rest("What"),
];

pub(super) fn denials(
    top: &Top,
    events: &[RecordedEvent],
    chosen: usize,
    width: usize,
) -> Vec<Text> {
    if events.is_empty() {
        return nothing("Nothing was denied within the last day.", width);
    }
    let mut list = List::new(DENIALS);
    let from = first_row(top);
    for event in events.iter().skip(from).take(rows_shown(top)) {
        let decided = &event.decided;
        let what = trace::about(event.input.as_ref(), decided.project.as_deref());
        let why = decided.reason.as_deref().unwrap_or_default();
        list.row([
            Text::styled(moment::when(decided.time, top.now), style::FAINT),
            reveal::name(&decided.session).into(),
            Text::styled(
                reveal::name(decided.rule.as_deref().unwrap_or_default()),
                style::NAME,
            ),
            trace::one_line(&what).into(),
            Text::styled(trace::one_line(why), style::FAINT),
        ]);
    }
    marked(list.lines(Some(width.saturating_sub(2))), chosen - from)
}

/// The records in which these words were found.
pub(super) fn found(
    top: &Top,
    (words, findings): (&str, &Findings),
    chosen: usize,
    width: usize,
) -> Vec<Text> {
    if findings.found.is_empty() {
        let words = reveal::name(words);
        let none = format!("No command, path, prompt or error has `{words}`.");
        return nothing(&none, width);
    }
    let mut projects = ProjectNames::default();
    projects.learn(findings.found.iter().filter_map(|it| it.project.as_deref()));
    let mut list = List::new(FOUND);
    let from = first_row(top);
    for found in findings.found.iter().skip(from).take(rows_shown(top)) {
        list.row([
            Text::styled(moment::when(found.time, top.now), style::FAINT),
            Text::styled(found.kind.word(), style::HEADING),
            Text::styled(
                reveal::name(found.tool.as_deref().unwrap_or_default()),
                style::NAME,
            ),
            projects.of(found.project.as_deref()).into(),
            search::excerpt(found),
        ]);
    }
    marked(list.lines(Some(width.saturating_sub(2))), chosen - from)
}

fn nothing(words: &str, width: usize) -> Vec<Text> {
    let mut lines = vec![Text::new()];
    lines.extend(Text::from(words).wrap(width));
    lines
}
