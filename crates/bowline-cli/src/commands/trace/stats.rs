//! `bowline trace stats`: statistics of calls by tool.

use bowline_daemon::rpc::traces;
use bowline_store::TraceStatistics;

use crate::Outcome;
use crate::ask::{NOTHING_YET, Records};
use crate::commands::meant::Wanted;
use crate::error::Result;
use crate::moment;
use crate::ui::{Column, Format, List, Text, Ui, counted, reveal, style};

pub(super) fn run(
    filter: traces::Filter,
    records: &mut Records,
    format: Format,
    ui: &mut Ui,
) -> Result<Outcome> {
    let wanted = Wanted::of_calls(&filter);
    let statistics = records.ask(&traces::Stats { filter }, ui)?;
    match format {
        Format::Json => {
            if statistics.tools.is_empty() {
                wanted.note_unknown_project(records, ui)?;
            }
            ui.json(&statistics)?;
        }
        Format::Text if records.is_nothing() => ui.line(NOTHING_YET),
        Format::Text if statistics.tools.is_empty() => {
            let nothing = wanted.nothing("tool call", records, ui)?;
            ui.line(nothing);
        }
        Format::Text => {
            ui.list(&by_tool(&statistics));
            ui.blank();
            let more = if statistics.more {
                "; there are older ones, --limit says how many are looked at"
            } else {
                ""
            };
            ui.line(format!("{}{more}", counted(statistics.looked_at, "call")));
        }
    }
    Ok(Outcome::Clean)
}

const COLUMNS: &[Column] = &[
    Column::whole("Tool", 8).at_least(10),
    Column::whole("Calls", 5),
    Column::optional("", BAR, 0),
    Column::whole("Errors", 6),
    Column::optional("p50", 7, 1),
    Column::whole("p99", 7),
];

/// The tools with their numbers, also for a session's page.
pub(in crate::commands) fn by_tool(statistics: &TraceStatistics) -> List {
    let most = statistics.tools.iter().map(|tool| tool.count).max();
    let mut list = List::new(COLUMNS);
    for tool in &statistics.tools {
        let time = |time: Option<i64>| time.map_or_else(|| "-".to_owned(), moment::took);
        list.row([
            Text::styled(reveal::name(&tool.tool), style::NAME),
            tool.count.to_string().into(),
            Text::styled(bar(tool.count, most.unwrap_or(0)), style::GOOD),
            match tool.errors {
                0 => Text::styled("0", style::FAINT),
                errors => Text::styled(errors.to_string(), style::BAD),
            },
            time(tool.p50_ms).into(),
            time(tool.p99_ms).into(),
        ]);
    }
    list
}

/// A bar of at most this many columns, in eighths.
const BAR: usize = 10;
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

fn bar(count: usize, most: usize) -> String {
    let eighths = (count * BAR * 8)
        .checked_div(most)
        .unwrap_or(0)
        // Whatever occurred can be seen.
        .max(usize::from(count > 0));
    let rest = EIGHTHS.get(eighths % 8).copied().unwrap_or_default();
    format!("{}{rest}", "█".repeat(eighths / 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_tell_shares() {
        for (count, most, expected) in [
            (10, 10, "██████████"),
            (5, 10, "█████"),
            (1, 16, "▋"),
            (1, 100_000, "▏"),
            (0, 10, ""),
            (0, 0, ""),
        ] {
            assert_eq!(bar(count, most), expected, "{count} of {most}");
        }
    }
}
