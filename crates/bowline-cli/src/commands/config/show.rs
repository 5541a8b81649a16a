//! `bowline config show`: the values in force, where each comes from, and what is ignored.

use std::path::PathBuf;

use bowline::settings::{
    Diagnostic, Preset, Scope, SettingKey, SettingStatus, Severity, StatedSetting, TrustState,
    setting_keys,
};
use bowline_agents::near::nearest;
use serde::Serialize;
use serde_json::Value;

use crate::Outcome;
use crate::error::{Error, Result};
use crate::finding::{self, Finding};
use crate::project::{self, Paths};
use crate::ui::{Format, FormatArgs, Table, Text, Ui, reveal, style};

/// Show which settings hold, and where each comes from
///
/// Shows what differs from the defaults or from a preset, and what a file says in vain: because the project is not trusted, because the administrator has locked
/// it, or because the file may not say it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline config show
  bowline config show --all
  bowline config show guard
  bowline config show leases.mode --json

`bowline hooks` shows the hooks of these files, `bowline rules list` their rules")]
pub(super) struct ShowArgs {
    /// Only this key or section, such as leases.mode or guard; also where its default holds
    #[arg(value_name = "KEY")]
    key: Option<String>,

    /// Also show the keys for which the default holds
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    pub(super) format: FormatArgs,
}

#[derive(Debug, Serialize)]
struct Report {
    #[serde(serialize_with = "project::lossy")]
    project: PathBuf,
    trust: TrustState,
    /// The preset of the strongest file that names one.
    preset: Option<Preset>,
    settings: Vec<Holds>,
    /// What files say in vain, and what other files say instead.
    not_in_force: Vec<StatedSetting>,
    /// Errors and warnings in the files: what they say there does not hold.
    findings: Vec<Finding>,
}

/// A value that holds.
#[derive(Debug, PartialEq, Serialize)]
struct Holds {
    key: String,
    /// `None` where there is no single value: `default` says what holds then.
    value: Option<Value>,
    /// What would hold without it, in words.
    default: String,
    /// `None` for a default.
    source: Option<Source>,
}

#[derive(Debug, PartialEq, Serialize)]
struct Source {
    #[serde(serialize_with = "project::lossy")]
    file: PathBuf,
    line: usize,
    scope: Scope,
    preset: Option<Preset>,
}

/// Which keys are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Wanted {
    /// Those that differ from their defaults.
    Differing,
    All,
    /// A key or a section.
    Named(String),
}

pub(super) fn run(args: &ShowArgs, ui: &mut Ui) -> Result<Outcome> {
    let settings = project::load(&project::folder(None)?);
    let wanted = match &args.key {
        Some(key) => Wanted::Named(key.clone()),
        None if args.all => Wanted::All,
        None => Wanted::Differing,
    };
    let keys = setting_keys();
    let is_serious = |it: &Diagnostic| it.severity != Severity::Note;
    let findings = settings.diagnostics.iter().cloned();
    let report = Report {
        findings: findings.filter(is_serious).map(Finding::from).collect(),
        settings: holding(&keys, &settings.stated, &wanted),
        not_in_force: not_in_force(&settings.stated, &wanted),
        preset: settings.config.preset,
        trust: settings.trust,
        project: settings.project.clone(),
    };
    if let Wanted::Named(key) = &wanted
        && report.settings.is_empty()
        && report.not_in_force.is_empty()
    {
        return Err(unknown(key, &keys));
    }
    for file in settings.unread_files() {
        let file = Paths::of(&settings.project).show(&file.path);
        ui.note(format!("{file} cannot be read; `bowline check` tells why"));
    }
    match args.format.format() {
        Format::Json => ui.json(&report)?,
        Format::Text => show(&report, &wanted, ui),
    }
    Ok(Outcome::Clean)
}

/// The values that hold, in the order of the keys.
fn holding(keys: &[SettingKey], all_stated: &[StatedSetting], wanted: &Wanted) -> Vec<Holds> {
    let in_force = |it: &&StatedSetting| it.status == SettingStatus::InForce;
    let mut all = Vec::new();
    for key in keys {
        let mut of_key = Vec::new();
        let of_this = |it: &&StatedSetting| in_force(it) && key.is(&it.key);
        for stated in all_stated.iter().filter(of_this) {
            let differs =
                Some(&stated.value) != key.default_value.as_ref() || replaces(stated, all_stated);
            if wanted.includes(&stated.key) && (differs || *wanted != Wanted::Differing) {
                of_key.push(Holds {
                    key: stated.key.clone(),
                    value: Some(stated.value.clone()),
                    default: key.default.clone(),
                    source: Some(Source {
                        file: stated.source.file.clone(),
                        line: stated.source.line,
                        scope: stated.source.scope,
                        preset: stated.source.preset,
                    }),
                });
            }
        }
        let default = match wanted {
            Wanted::All => Some(key.key.as_str()),
            Wanted::Named(name) if key.is(name) => Some(name.as_str()),
            Wanted::Named(_) if wanted.includes(&key.key) => Some(key.key.as_str()),
            Wanted::Differing | Wanted::Named(_) => None,
        };
        if let (Some(name), true) = (default, of_key.is_empty()) {
            of_key.push(Holds {
                key: name.to_owned(),
                value: key.default_value.clone(),
                default: key.default.clone(),
                source: None,
            });
        }
        all.extend(of_key);
    }
    all
}

/// Whether something weaker, such as a preset, says otherwise. Without this value that would hold, not the default.
fn replaces(stated: &StatedSetting, all: &[StatedSetting]) -> bool {
    let weaker =
        |it: &&StatedSetting| it.status == SettingStatus::Overridden && it.key == stated.key;
    (all.iter().filter(weaker)).any(|it| it.value != stated.value)
}

/// What is said in vain. That another file says something else is told only to who asks for a key, or for all.
fn not_in_force(stated: &[StatedSetting], wanted: &Wanted) -> Vec<StatedSetting> {
    let is_told = |it: &&StatedSetting| match it.status {
        SettingStatus::Ignored { .. } => wanted.includes(&it.key),
        SettingStatus::Overridden => *wanted != Wanted::Differing && wanted.includes(&it.key),
        _ => false,
    };
    stated.iter().filter(is_told).cloned().collect()
}

impl Wanted {
    fn includes(&self, key: &str) -> bool {
        let Self::Named(name) = self else {
            return true;
        };
        let rest = key.strip_prefix(name.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

fn unknown(key: &str, keys: &[SettingKey]) -> Error {
    let sections = keys.iter().filter_map(|it| it.key.split('.').next());
    let known: Vec<&str> = keys
        .iter()
        .map(|it| it.key.as_str())
        .chain(sections)
        .collect();
    let error = Error::input(format!("no setting is called `{}`", reveal::name(key)));
    match nearest(key, known) {
        Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
        None => error.hint("`bowline config show --all` lists all settings"),
    }
}

fn show(report: &Report, wanted: &Wanted, ui: &mut Ui) {
    let paths = Paths::of(&report.project);
    if report.settings.is_empty() {
        ui.line("Every setting is as by default.");
    } else {
        let mut table = Table::new(["Key", "Value", "From"]);
        for holds in &report.settings {
            let value = match &holds.value {
                Some(value) => Text::from(value.to_string()),
                None => Text::styled(&holds.default, style::FAINT),
            };
            let from = match &holds.source {
                Some(source) => place(&paths, &source.file, source.line, source.preset),
                None => Text::styled("default", style::FAINT),
            };
            table.row([Text::styled(&holds.key, style::NAME), value, from]);
        }
        ui.table(&table);
    }
    if !report.not_in_force.is_empty() {
        ui.blank();
        ui.line(Text::styled("Not in force:", style::CAUTION));
        let mut table = Table::new(["Key", "Value", "From", "Why"]);
        for stated in &report.not_in_force {
            let source = &stated.source;
            let why = match &stated.status {
                SettingStatus::Ignored { why, .. } => why.as_str(),
                _ => "something stronger says otherwise",
            };
            table.row([
                Text::styled(&stated.key, style::NAME),
                stated.value.to_string().into(),
                place(&paths, &source.file, source.line, source.preset),
                why.into(),
            ]);
        }
        ui.table(&table);
    }
    tell_findings(&report.findings, &paths, ui);
    if *wanted == Wanted::Differing {
        ui.blank();
        ui.line("`bowline config show --all` has the defaults, too; `bowline hooks` and `bowline rules list` have hooks and rules.");
    }
}

/// Wrong values one by one, because this is about values; everything else in one line.
fn tell_findings(findings: &[Finding], paths: &Paths, ui: &mut Ui) {
    if let Some(problems) = finding::problems(findings, paths, None) {
        ui.blank();
        ui.line(Text::styled(problems, style::CAUTION));
    }
    for wrong in findings.iter().filter(|it| it.code == "wrong-value") {
        let file = wrong.file.as_deref().map(|file| paths.show(file));
        let place = format!("{}:{}", file.unwrap_or_default(), wrong.line);
        ui.line(Text::from(place).plain(": ").plain(&wrong.message));
    }
}

/// The file and the line, and the preset that is named there.
fn place(paths: &Paths, file: &std::path::Path, line: usize, preset: Option<Preset>) -> Text {
    let place = Text::from(format!("{}:{line}", paths.show(file)));
    match preset {
        Some(preset) => place.with(format!(" (preset {})", preset.name()), style::FAINT),
        None => place,
    }
}
