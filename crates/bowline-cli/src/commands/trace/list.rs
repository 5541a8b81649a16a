//! `bowline trace list`, `slow` and `errors`.

use bowline_daemon::rpc::Question;
use bowline_store::Trace;
use chrono::Utc;
use serde::Serialize;

use super::call;
use crate::Outcome;
use crate::ask::{NOTHING_YET, Records};
use crate::error::Result;
use crate::moment;
use crate::ui::{Format, Table, Text, Ui, reveal, style};

#[derive(Debug, Serialize)]
struct Report {
    traces: Vec<Trace>,
}

pub(super) fn run<Q: Question<Answer = Vec<Trace>>>(
    question: &Q,
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
        Format::Text => ui.table(&table(&traces)),
    }
    Ok(Outcome::Clean)
}

fn table(traces: &[Trace]) -> Table {
    let now = Utc::now();
    let mut table = Table::new(["When", "Tool", "Status", "Took", "What", "Id"]);
    for call in traces {
        let mut what = Text::from(call::summary(call));
        if let Some(error) = &call.error {
            what = what.with(format!("\n{}", call::one_line(error)), style::BAD);
        }
        table.row([
            Text::styled(moment::when(call.started_at, now), style::FAINT),
            Text::styled(reveal::name(&call.tool), style::NAME),
            call::status(call.status),
            call::took(call).into(),
            what,
            Text::styled(reveal::name(&call.tool_use_id), style::FAINT),
        ]);
    }
    table
}
