//! `bowline hooks`: every hook of a project, in the order in which they run, and why some do not.

mod live;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bowline::hooks::{HookEvent, humane_duration};
use bowline::settings::{Scope, TrustState};
use serde::Serialize;

use super::EventName;
use crate::Outcome;
use crate::error::Result;
use crate::finding::{self, Finding};
use crate::hook_view::{HookView, StatusName};
use crate::project::{self, FileStatusName, FileView, Paths};
use crate::ui::{Format, FormatArgs, Table, Text, Ui, clipped, style};

/// List the hooks of a project, in the order in which they run
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline hooks
  bowline hooks --event pre-tool-use
  bowline hooks --live
  bowline hooks --dir ~/code/engine --json")]
pub(crate) struct HooksArgs {
    /// Use this folder's project instead of the current one
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    /// Show only the hooks of this event, in any casing
    #[arg(long, value_name = "EVENT", value_parser = EventName, hide_possible_values = true)]
    event: Option<String>,

    /// Show when each hook last fired, what it said, how it failed and how long it takes
    #[arg(long)]
    live: bool,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, Serialize)]
struct Report {
    #[serde(serialize_with = "project::lossy")]
    project: PathBuf,
    trust: TrustState,
    /// Whether the project's hooks for Claude Code are, which run under other agents then.
    bridged_trust: TrustState,
    files: Vec<FileView>,
    hooks: Vec<HookView>,
    /// What is wrong with the files.
    findings: Vec<Finding>,
}

pub(crate) fn run(args: &HooksArgs, ui: &mut Ui) -> Result<Outcome> {
    let event = args.event.as_deref().map(super::event).transpose()?;
    let settings = project::load(&project::folder(args.dir.as_deref())?);
    let builtins = project::builtins(&settings);
    let mut hooks = HookView::all(&settings.hooks, &builtins);
    if args.live {
        return live::run(&settings, &hooks, event, args.format.format(), ui);
    }
    hooks.retain(|hook| event.is_none_or(|event| hook.event == event));
    let report = Report {
        trust: settings.trust,
        bridged_trust: project::bridged_trust(&settings),
        files: settings.files.iter().map(FileView::from).collect(),
        project: settings.project,
        hooks,
        findings: settings
            .diagnostics
            .into_iter()
            .chain(builtins.rules.diagnostics)
            .map(Finding::from)
            .collect(),
    };
    match args.format.format() {
        Format::Json => ui.json(&report)?,
        Format::Text => show(&report, event, args.dir.as_deref(), ui),
    }
    Ok(Outcome::Clean)
}

fn show(report: &Report, event: Option<HookEvent>, dir: Option<&Path>, ui: &mut Ui) {
    let paths = Paths::of(&report.project);
    ui.line(Text::styled("Project  ", style::HEADING).plain(paths.show_absolute(&report.project)));
    ui.line(
        Text::styled("Trust    ", style::HEADING).text(trust(report.trust, report.bridged_trust)),
    );
    for (index, file) in report.files.iter().enumerate() {
        let label = if index == 0 { "Files    " } else { "         " };
        ui.line(Text::styled(label, style::HEADING).text(file_line(file, &paths)));
    }
    if let Some(problems) = finding::problems(&report.findings, &paths, dir) {
        ui.line(Text::styled(problems, style::CAUTION));
    }
    let of_files = report.hooks.iter().any(|hook| hook.scope != Scope::BuiltIn);
    if report.hooks.is_empty() || (event.is_none() && !of_files) {
        ui.blank();
        ui.line(match event {
            Some(event) => format!("No hooks for {}.", event.name()),
            None => "No hooks of your own. Agents' settings files and bowline.toml bring them; `bowline events` lists what they can be for.".to_owned(),
        });
    }
    // What Bowline brings is for many events, and described once.
    let mut described = BTreeSet::new();
    let mut others = Vec::new();
    for hooks in report.hooks.chunk_by(|a, b| a.event == b.event) {
        if hooks.iter().all(|hook| is_described(hook, &described)) {
            others.push(in_short(hooks));
            continue;
        }
        ui.blank();
        show_event(hooks, &described, &paths, ui);
        described.extend(hooks.iter().map(|hook| hook.id.as_str()));
    }
    if !others.is_empty() {
        let mut table = Table::new(["Other events", "Hooks"]);
        for row in others {
            table.row(row);
        }
        ui.blank();
        ui.table(&table);
    }
}

fn is_described(hook: &HookView, described: &BTreeSet<&str>) -> bool {
    hook.scope == Scope::BuiltIn && described.contains(hook.id.as_str())
}

/// An event whose hooks are described already.
fn in_short(hooks: &[HookView]) -> [Text; 2] {
    let event = hooks.first().map_or("", |hook| hook.event.name());
    let names: Vec<&str> = hooks.iter().map(|hook| hook.id.as_str()).collect();
    [
        Text::styled(event, style::HEADING),
        Text::styled(names.join(", "), style::NAME),
    ]
}

fn show_event(hooks: &[HookView], described: &BTreeSet<&str>, paths: &Paths, ui: &mut Ui) {
    if let Some(first) = hooks.first() {
        ui.line(
            Text::styled(first.event.name(), style::HEADING)
                .with(format!(" ({})", first.event.class()), style::FAINT),
        );
    }
    let mut table = Table::new(["#", "Hook", "Matcher", "Timeout", "Where"]);
    for hook in hooks {
        let number = hook
            .position
            .map_or("-".to_owned(), |position| position.to_string());
        let place = Text::from(hook.place(paths));
        let (description, place) = if is_described(hook, described) {
            (Text::styled(&hook.id, style::NAME), place)
        } else {
            let scope = format!("\n{}", hook.scope);
            (description(hook), place.with(scope, style::FAINT))
        };
        table.row([
            number.into(),
            description,
            hook.matcher.as_deref().unwrap_or("*").into(),
            humane_duration(Duration::from_millis(hook.timeout_ms)).into(),
            place,
        ]);
    }
    ui.table(&table);
}

/// The hook's name, what it runs, and what is unusual about it, each on its line.
fn description(hook: &HookView) -> Text {
    let (name, remark) = match hook.status {
        StatusName::InForce => (style::NAME, style::FAINT),
        _ => (style::FAINT, style::CAUTION),
    };
    let text = Text::styled(&hook.id, name).plain(format!("\n{}", clipped(&hook.code())));
    match hook.remarks().join("; ") {
        remarks if remarks.is_empty() => text,
        remarks => text.with(format!("\n{remarks}"), remark),
    }
}

/// Whether the project is trusted; if it is, whether its hooks for Claude Code are.
fn trust(state: TrustState, bridged: TrustState) -> Text {
    match state {
        TrustState::NotNeeded | TrustState::Trusted if bridged.is_pending() => Text::styled(
            "the hooks for Claude Code are not trusted, and do not run under other agents: look at them and run `bowline trust`",
            style::CAUTION,
        ),
        TrustState::NotNeeded if bridged == TrustState::Trusted => {
            Text::styled("trusted: the hooks for Claude Code", style::GOOD)
        }
        TrustState::NotNeeded => "not needed: the project has nothing that needs it".into(),
        TrustState::Trusted => Text::styled("trusted", style::GOOD),
        TrustState::Changed => Text::styled(
            "changed since it was trusted: look at it and run `bowline trust`",
            style::CAUTION,
        ),
        TrustState::ExceptAllowList => Text::styled(
            "trusted, but not its allow-list: look at it and run `bowline trust`",
            style::CAUTION,
        ),
        _ => Text::styled(
            "not trusted: look at it and run `bowline trust`",
            style::CAUTION,
        ),
    }
}

fn file_line(file: &FileView, paths: &Paths) -> Text {
    let name = Text::from(paths.show(&file.path));
    let scope = file
        .scope
        .map(|scope| format!(" ({scope})"))
        .unwrap_or_default();
    let name = name.with(scope, style::FAINT);
    match file.status {
        FileStatusName::Read => name,
        FileStatusName::Broken => name.with(": broken, see `bowline check`", style::BAD),
        FileStatusName::Unreadable => name.with(
            format!(": {}", file.reason.as_deref().unwrap_or("not read")),
            style::CAUTION,
        ),
    }
}
