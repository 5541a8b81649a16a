//! `bowline why`: what was decided about a call, by which rule, under which settings, and how to change that.

use std::path::{Path, PathBuf};

use bowline::hooks::Decision;
use bowline::settings::{FileKind, GuardMode, Settings, TrustState};
use bowline_builtins::guard::{Way, ways};
use bowline_guard::rules;
use bowline_store::{Enforcement, RecordedEvent};
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;

use super::explain::Question;
use super::log::decision;
use super::trace::call::summary;
use crate::Outcome;
use crate::error::Result;
use crate::moment;
use crate::project::{self, Paths};
use crate::recorded::Recorded;
use crate::standing;
use crate::ui::{Format, FormatArgs, Text, Ui, clipped, reveal, style};

/// Show why a call was stopped or let pass: the call, the rule, the settings that apply, and how to change them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline why                                 the last call that was stopped
  bowline why toolu_01SIwCMflBrCdrKUcAYfRzkn
  bowline why last --json")]
pub(crate) struct WhyArgs {
    /// The id of a call or event, or its beginning; `last` is the last one, here if possible, that was stopped
    #[arg(value_name = "CALL", default_value = "last")]
    call: String,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, Serialize)]
struct Report {
    /// The event's id.
    id: String,
    tool_use_id: Option<String>,
    time: DateTime<Utc>,
    agent: String,
    session: String,
    project: Option<String>,
    tool: Option<String>,
    /// The input of the tool, as it was recorded.
    input: Option<Value>,
    /// `deny`, `ask`, `grant` or `no_opinion`.
    decision: &'static str,
    enforcement: Enforcement,
    reason: Option<String>,
    /// The guard's rule; absent if another hook decided.
    rule: Option<RuleView>,
    /// The hooks that had something to say.
    hooks: Vec<String>,
    /// What they noted, such as that a person had let the call pass.
    notes: Vec<String>,
    /// What a person answered in the inbox, when and where.
    answer: Option<String>,
    settings: SettingsView,
    /// What would be decided now; absent if the input was not recorded.
    now: Option<&'static str>,
    /// Commands that change it, each with what it does.
    ways: Vec<Way>,
}

#[derive(Debug, Serialize)]
struct RuleView {
    id: String,
    category: Option<&'static str>,
    summary: Option<String>,
}

/// The settings that apply today.
#[derive(Debug, Serialize)]
struct SettingsView {
    mode: GuardMode,
    /// The files that say something.
    files: Vec<String>,
    /// Whether the project's own files count in full.
    trust: TrustState,
    /// How many entries of `bowline allow` there are.
    allowances: usize,
    /// Why these do not count.
    locked: Option<String>,
}

pub(crate) fn run(args: &WhyArgs, ui: &mut Ui) -> Result<Outcome> {
    standing::person()?;
    let found = Recorded::found(&args.call, ui)?;
    let report = report(&found)?;
    match args.format.format() {
        Format::Json => ui.json(&report)?,
        Format::Text => show(&found, &report, ui),
    }
    Ok(Outcome::Clean)
}

fn report(found: &Recorded) -> Result<Report> {
    let event = &found.event;
    let folder = folder(event)?;
    let settings = project::load(&folder);
    let rule = found.rule();
    let input = found.call.as_ref().and_then(|call| call.input.clone());
    Ok(Report {
        id: event.decided.id.clone(),
        tool_use_id: event.decided.tool_use_id.clone(),
        time: event.decided.time,
        agent: event.decided.agent.clone(),
        session: event.decided.session.clone(),
        project: event.decided.project.clone(),
        tool: event.decided.tool.clone(),
        decision: word(event.decided.decision),
        enforcement: event.decided.enforcement,
        reason: event.decided.reason.clone(),
        hooks: spoken(event),
        notes: noted(event),
        answer: event
            .decided
            .answer()
            .and_then(|answer| answer.message.clone()),
        settings: SettingsView::of(&settings),
        now: judged_now(found, folder),
        ways: allowing(found, &settings),
        rule: rule.map(RuleView::of),
        input,
    })
}

/// Where the call was made, or here if that is gone.
fn folder(event: &RecordedEvent) -> Result<PathBuf> {
    let then = event.decided.project.as_deref().map(Path::new);
    match then.filter(|it| it.is_dir()) {
        Some(project) => Ok(project.to_owned()),
        None => project::folder(None),
    }
}

/// The decision as JSON has it.
const fn word(decision: Decision) -> &'static str {
    match decision {
        Decision::Deny => "deny",
        Decision::Ask => "ask",
        Decision::Grant => "grant",
        Decision::NoOpinion => "no_opinion",
    }
}

fn spoken(event: &RecordedEvent) -> Vec<String> {
    let hooks = event.decided.hooks.iter();
    let spoken = hooks.filter(|hook| hook.decision != Decision::NoOpinion);
    spoken.map(|hook| hook.name.clone()).collect()
}

fn noted(event: &RecordedEvent) -> Vec<String> {
    let hooks = event.decided.hooks.iter();
    hooks.flat_map(|hook| hook.warnings.clone()).collect()
}

/// What today's settings decide about the call, from the project's folder; `None` if it was not recorded in full.
fn judged_now(found: &Recorded, folder: PathBuf) -> Option<&'static str> {
    found.exact_call()?;
    let call = found.call.as_ref()?;
    let input = call.input.as_ref()?.as_object()?;
    let question = Question {
        folder,
        session: &found.event.decided.session,
        agent: Some(&found.event.decided.agent),
    };
    let report = question.report(&call.tool, input).ok()?;
    Some(report.decision().name())
}

/// How the call is let pass, as the settings permit it.
fn allowing(found: &Recorded, settings: &Settings) -> Vec<Way> {
    if settings.config.allow_locked.is_some() {
        return Vec::new();
    }
    let input = found.call.as_ref().and_then(|call| call.input.as_ref());
    ways(&found.event.decided, input)
}

impl RuleView {
    fn of(id: String) -> Self {
        let rule = rules::rules().into_iter().find(|rule| rule.id == id);
        Self {
            category: rule.as_ref().map(|rule| rule.category.name()),
            summary: rule.map(|rule| rule.summary.into_owned()),
            id,
        }
    }
}

impl SettingsView {
    fn of(settings: &Settings) -> Self {
        let paths = Paths::of(&settings.project);
        let files = settings.files.iter();
        let own = files.filter(|file| file.kind == FileKind::BowlineConfig);
        Self {
            mode: settings.config.guard.base.mode.unwrap_or_default(),
            files: own.map(|file| paths.show(&file.path)).collect(),
            trust: settings.trust,
            allowances: settings.allowances.entries().len(),
            locked: settings.config.allow_locked.clone(),
        }
    }
}

fn show(found: &Recorded, report: &Report, ui: &mut Ui) {
    let label = |name: &str| Text::styled(format!("{name:<9} "), style::FAINT);
    let what = found.call.as_ref().map(summary).unwrap_or_default();
    let tool = report.tool.as_deref().unwrap_or(&found.event.decided.event);
    ui.labelled(
        label("Call"),
        &Text::styled(reveal::name(tool), style::NAME).plain(format!(" {what}")),
    );
    let when = moment::when(report.time, moment::now());
    ui.labelled(
        label("Decision"),
        &decision(&found.event).with(format!("  {when}"), style::FAINT),
    );
    let place = match report.project.as_deref() {
        Some(folder) => Paths::of(Path::new("")).show_absolute(Path::new(folder)),
        None => "no project".to_owned(),
    };
    ui.labelled(
        label("Where"),
        &format!(
            "{} by {}, session {}",
            reveal::name(&place),
            reveal::name(&report.agent),
            reveal::name(&report.session)
        )
        .into(),
    );
    show_rule(report, label("Rule"), ui);
    if let Some(reason) = &report.reason {
        ui.labelled(label("Reason"), &clipped(reason).into());
    }
    if let Some(answer) = &report.answer {
        ui.labelled(label("Answer"), &clipped(&reveal::name(answer)).into());
    }
    for note in &report.notes {
        ui.labelled(label("Note"), &clipped(&reveal::name(note)).into());
    }
    ui.labelled(label("Settings"), &settings_line(&report.settings).into());
    let now = match report.now {
        Some(now) => format!("{now}, by today's settings"),
        None => "cannot be told: the call was not kept word for word".to_owned(),
    };
    ui.labelled(label("Now"), &now.into());
    if report.ways.is_empty() {
        return;
    }
    ui.blank();
    ui.line("To allow it:");
    for way in &report.ways {
        ui.labelled(
            Text::from("  "),
            &Text::styled(&way.command, style::NAME)
                .with(format!("  {}", way.effect), style::FAINT),
        );
    }
}

fn show_rule(report: &Report, label: Text, ui: &mut Ui) {
    let text = match &report.rule {
        Some(rule) => {
            let summary = rule.summary.as_deref().unwrap_or_default();
            Text::styled(&rule.id, style::NAME).with(format!("  {summary}"), style::FAINT)
        }
        None if report.hooks.is_empty() => "none had anything to say".into(),
        None => format!("none of the guard's; {} decided", report.hooks.join(", ")).into(),
    };
    ui.labelled(label, &text);
}

fn settings_line(settings: &SettingsView) -> String {
    let mode = serde_json::to_value(settings.mode).ok();
    let mode = mode.as_ref().and_then(Value::as_str).unwrap_or("enforce");
    let files = match settings.files.as_slice() {
        [] => "no files, the defaults".to_owned(),
        files => files.join(", "),
    };
    let trust = match settings.trust {
        TrustState::Untrusted | TrustState::Changed => "; the project's own are not trusted",
        _ => "",
    };
    let allowed = match (&settings.locked, settings.allowances) {
        (Some(why), _) => format!("; nothing can be allowed: {why}"),
        (None, 0) => String::new(),
        (None, count) => format!("; {count} allowed with `bowline allow`"),
    };
    format!("mode {mode}; {files}{trust}{allowed}")
}
