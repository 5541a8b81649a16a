//! `bowline rules test`: the rules' own examples, and a person's cases.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bowline::hooks::{Decision, HookContext, HookManager, TriggerResult};
use bowline_guard::paths::StaticWorld;
use bowline_guard::policy::GuardPolicy;
use bowline_guard::secrets;
use bowline_guard::tool_call::{ToolCall, judge_tool_call};
use serde::Serialize;

use super::own::OwnTests;
use super::{TestArgs, cases, catalogue};
use crate::Outcome;
use crate::commands::test::engine;
use crate::error::Result;
use crate::project::{self, Paths};
use crate::ui::{Format, Text, Ui, counted, style};

#[derive(Debug, Serialize)]
struct Report {
    /// How many rules have examples, and how many these are.
    rules: usize,
    examples: usize,
    faults: Vec<String>,
    /// How many commands the rules advise, and which of them would be stopped themselves.
    advised: usize,
    stopped_advice: Vec<String>,
    /// The examples of the person's own rules.
    own: OwnTests,
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
    /// The hook that decided.
    hook: Option<String>,
    reason: Option<String>,
}

pub(super) fn run(args: &TestArgs, ui: &mut Ui) -> Result<Outcome> {
    let own_cases = args.file.as_deref().map(cases::read).transpose()?;
    let folder = project::folder(args.dir.as_deref())?;
    let faults = secrets::check_rules().err().unwrap_or_default();
    let examples = |rule: &secrets::Rule| rule.matches.len() + rule.ignores.len();
    let advice = advised_commands();
    let settings = project::load(&folder);
    let paths = Paths::of(&settings.project);
    let own = project::builtins(&settings).rules;
    let report = Report {
        advised: advice.len(),
        stopped_advice: advice.iter().filter_map(stopped).collect(),
        rules: secrets::rules().len(),
        examples: secrets::rules().iter().map(examples).sum(),
        faults: faults.iter().map(ToString::to_string).collect(),
        own: OwnTests::new(&own.rules, &own.diagnostics),
        cases: own_cases
            .map(|cases| Cases::judged(&cases, &folder))
            .transpose()?,
    };
    match args.format.format() {
        Format::Json => ui.json(&report)?,
        Format::Text => show(&report, &paths, ui),
    }
    Ok(if report.is_clean() {
        Outcome::Clean
    } else {
        Outcome::Findings
    })
}

/// The commands in the rules' advice, in backquotes there.
fn advised_commands() -> Vec<(String, String)> {
    let mut commands = Vec::new();
    for rule in catalogue::all() {
        let advice = rule.instead.unwrap_or_default();
        let quoted = advice.split('`').skip(1).step_by(2);
        commands.extend(quoted.map(|command| (rule.id.clone(), command.to_owned())));
    }
    commands
}

/// What stops a command that a rule advises.
fn stopped((rule, command): &(String, String)) -> Option<String> {
    let world = StaticWorld::new("/home/dev/project", "/home/dev");
    let call = ToolCall {
        command: Some(command),
        ..ToolCall::default()
    };
    let verdict = judge_tool_call("Bash", &call, &world, &GuardPolicy::default());
    let by = verdict.rule?;
    Some(format!("`{rule}` advises `{command}`, which `{by}` stops"))
}

impl Cases {
    /// Judges every case by the rules and guards of the project that it is in, as an agent's call would be.
    fn judged(cases: &[cases::Case], here: &Path) -> Result<Self> {
        let mut managers: BTreeMap<PathBuf, HookManager> = BTreeMap::new();
        let mut mismatches = Vec::new();
        for case in cases {
            let folder = case.cwd.as_ref().map_or(here, Path::new);
            let manager = managers.entry(folder.to_owned()).or_insert_with(|| {
                let mut manager = HookManager::new();
                project::builtins(&project::load(folder)).register_into(&mut manager);
                manager
            });
            let ctx = HookContext::new("cases").with_cwd(folder);
            let result = engine::trigger(manager, case.input(), &ctx)?;
            mismatches.extend(mismatch(case, &result));
        }
        Ok(Self {
            total: cases.len(),
            mismatches,
        })
    }
}

fn mismatch(case: &cases::Case, result: &TriggerResult) -> Option<Mismatch> {
    let found = match result.output.decision() {
        Decision::Deny => "deny",
        Decision::Ask => "ask",
        _ => "allow",
    };
    let decided = result
        .results
        .iter()
        .find(|run| run.decision() == result.output.decision());
    (found != case.expected.name()).then(|| Mismatch {
        line: case.line,
        case: bowline_guard::lookalikes::escape(&case.shown()),
        expected: case.expected,
        found,
        hook: decided
            .filter(|_| found != "allow")
            .map(|run| run.id.clone()),
        reason: result.output.stop_reason.clone(),
    })
}

impl Report {
    fn is_clean(&self) -> bool {
        let cases = self.cases.as_ref();
        self.faults.is_empty()
            && self.stopped_advice.is_empty()
            && self.own.failures.is_empty()
            && cases.is_none_or(|cases| cases.mismatches.is_empty())
    }
}

fn show(report: &Report, paths: &Paths, ui: &mut Ui) {
    for fault in report.faults.iter().chain(&report.stopped_advice) {
        ui.line(Text::styled("fault: ", style::BAD).plain(fault));
    }
    ui.line(summary(
        format!(
            "{} of {}",
            counted(report.examples, "example"),
            counted(report.rules, "rule")
        ),
        report.faults.len(),
    ));
    ui.line(summary(
        format!("{} that rules advise", counted(report.advised, "command")),
        report.stopped_advice.len(),
    ));
    for failure in &report.own.failures {
        ui.line(Text::styled("fault: ", style::BAD).plain(failure.text(paths)));
    }
    if report.own.rules > 0 {
        ui.line(summary(
            format!(
                "{} of {} of your own",
                counted(report.own.examples, "example"),
                counted(report.own.rules, "rule")
            ),
            report.own.failures.len(),
        ));
    }
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
        if let Some(rule) = &mismatch.hook {
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
        counted(cases.total, "case"),
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
