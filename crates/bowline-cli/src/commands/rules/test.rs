//! `bowline rules test`: the rules' own examples, and a person's cases.

use bowline_guard::secrets;
use serde::Serialize;

use super::{TestArgs, cases};
use crate::Outcome;
use crate::commands::guard::world_of;
use crate::error::Result;
use crate::project;
use crate::ui::{Format, Text, Ui, style};

#[derive(Debug, Serialize)]
struct Report {
    /// How many rules have examples, and how many these are.
    rules: usize,
    examples: usize,
    faults: Vec<String>,
    /// The person's own cases; absent without a file.
    cases: Option<Cases>,
}

#[derive(Debug, Serialize)]
struct Cases {
    total: usize,
    mismatches: Vec<Mismatch>,
}

/// A case that came out differently.
#[derive(Debug, Serialize)]
struct Mismatch {
    line: usize,
    case: String,
    expected: cases::Expected,
    found: &'static str,
    rule: Option<String>,
    reason: Option<String>,
}

pub(super) fn run(args: &TestArgs, ui: &mut Ui) -> Result<Outcome> {
    let own = args.file.as_deref().map(cases::read).transpose()?;
    let folder = project::folder(args.dir.as_deref())?;
    let faults = secrets::check_rules().err().unwrap_or_default();
    let examples = |rule: &secrets::Rule| rule.matches.len() + rule.ignores.len();
    let report = Report {
        rules: secrets::rules().len(),
        examples: secrets::rules().iter().map(examples).sum(),
        faults: faults.iter().map(ToString::to_string).collect(),
        cases: own.map(|own| {
            let here = world_of(&folder);
            Cases {
                total: own.len(),
                mismatches: own
                    .iter()
                    .filter_map(|case| mismatch(case, &here))
                    .collect(),
            }
        }),
    };
    match args.format.format() {
        Format::Json => ui.json(&report)?,
        Format::Text => show(&report, ui),
    }
    Ok(if report.is_clean() {
        Outcome::Clean
    } else {
        Outcome::Findings
    })
}

fn mismatch(case: &cases::Case, here: &bowline_guard::paths::StaticWorld) -> Option<Mismatch> {
    let verdict = case.judge(here);
    (verdict.decision.name() != case.expected.name()).then(|| Mismatch {
        line: case.line,
        case: bowline_guard::lookalikes::escape(&secrets::redact(&case.shown())),
        expected: case.expected,
        found: verdict.decision.name(),
        reason: verdict.message(),
        rule: verdict.rule,
    })
}

impl Report {
    fn is_clean(&self) -> bool {
        let cases = self.cases.as_ref();
        self.faults.is_empty() && cases.is_none_or(|cases| cases.mismatches.is_empty())
    }
}

fn show(report: &Report, ui: &mut Ui) {
    for fault in &report.faults {
        ui.line(Text::styled("fault: ", style::BAD).plain(fault));
    }
    ui.line(summary(
        format!("{} examples of {} rules", report.examples, report.rules),
        report.faults.len(),
    ));
    let Some(cases) = &report.cases else {
        return;
    };
    for mismatch in &cases.mismatches {
        ui.blank();
        ui.line(
            Text::styled(format!("line {}: ", mismatch.line), style::HEADING).plain(&mismatch.case),
        );
        let mut found = Text::from("  expected ")
            .with(mismatch.expected.name(), style::GOOD)
            .plain(", found ")
            .with(mismatch.found, style::BAD);
        if let Some(rule) = &mismatch.rule {
            found = found.plain(" by ").with(rule, style::NAME);
        }
        ui.line(found);
        if let Some(reason) = &mismatch.reason {
            ui.line(format!("  {reason}"));
        }
    }
    if !cases.mismatches.is_empty() {
        ui.blank();
    }
    ui.line(summary(
        format!("{} cases", cases.total),
        cases.mismatches.len(),
    ));
}

fn summary(what: String, wrong: usize) -> Text {
    let text = Text::from(what).plain(": ");
    if wrong == 0 {
        text.with("all as they should be", style::GOOD)
    } else {
        text.with(format!("{wrong} came out differently"), style::BAD)
    }
}
