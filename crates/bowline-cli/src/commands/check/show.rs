//! The report of `bowline check` for people.

use std::path::Path;

use bowline::settings::Severity;

use super::{Report, Summary};
use crate::finding::Finding;
use crate::hook_view::{ANY_NON_ZERO, HookView};
use crate::project::Paths;
use crate::ui::snippet::{Annotated, Loudness};
use crate::ui::{Table, Text, Ui, counted, style};

/// More findings than this are counted, not shown.
const MOST_FINDINGS: usize = 100;

pub(super) fn show(report: &Report, paths: &Paths, ui: &mut Ui) {
    for finding in report.findings.iter().take(MOST_FINDINGS) {
        show_finding(finding, report, paths, ui);
        ui.blank();
    }
    if let Some(more @ 1..) = report.findings.len().checked_sub(MOST_FINDINGS) {
        ui.line(format!(
            "… and {}; --json has them all",
            counted(more, "more finding")
        ));
        ui.blank();
    }
    if !report.hooks.is_empty() {
        show_hooks(&report.hooks, ui);
        ui.blank();
    }
    ui.line(summary(&report.summary));
}

fn show_finding(finding: &Finding, report: &Report, paths: &Paths, ui: &mut Ui) {
    let text = finding
        .file
        .as_ref()
        .and_then(|file| report.texts.get(file))
        .filter(|text| !text.is_empty());
    ui.snippet(&Annotated {
        loudness: match finding.severity {
            Severity::Error => Loudness::Error,
            Severity::Note => Loudness::Note,
            _ => Loudness::Warning,
        },
        code: finding.code,
        message: &finding.message,
        help: finding.help.as_deref(),
        path: paths.show(finding.file.as_deref().unwrap_or(Path::new("settings"))),
        source: text.map(|text| (text.as_str(), finding.span.clone())),
    });
}

fn show_hooks(hooks: &[HookView], ui: &mut Ui) {
    let mut table = Table::new(["Event", "Hook", "Timeout", "Exit codes", "On failure"]);
    for hook in hooks {
        let name = match &hook.reason {
            Some(reason) => Text::styled(&hook.id, style::FAINT).plain(format!("\n{reason}")),
            None => Text::styled(&hook.id, style::NAME),
        };
        table.row([
            hook.event.name().into(),
            name,
            hook.timeout.as_str().into(),
            hook.exit_codes().into(),
            hook.failure().into(),
        ]);
    }
    ui.table(&table);
    if hooks.iter().any(|hook| hook.exit_codes() == ANY_NON_ZERO) {
        ui.line(Text::styled(
            format!("Where {ANY_NON_ZERO}, 126, 127 and signals are failures."),
            style::FAINT,
        ));
    }
}

fn summary(summary: &Summary) -> Text {
    let rules = match summary.rules {
        0 => String::new(),
        rules => format!(", {}", counted(rules, "rule")),
    };
    let text = Text::from(format!(
        "{}, {}{rules}: ",
        counted(summary.files, "file"),
        counted(summary.hooks, "hook")
    ));
    let notes = match summary.notes {
        0 => String::new(),
        notes => format!(", {}", counted(notes, "note")),
    };
    if summary.errors + summary.warnings == 0 {
        return text
            .with("no errors, no warnings", style::GOOD)
            .plain(notes);
    }
    let style = if summary.errors > 0 {
        style::BAD
    } else {
        style::CAUTION
    };
    text.with(
        format!(
            "{}, {}",
            counted(summary.errors, "error"),
            counted(summary.warnings, "warning")
        ),
        style,
    )
    .plain(notes)
}
