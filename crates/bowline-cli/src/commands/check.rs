//! `bowline check`: what is wrong with settings files, and how they are understood.

mod show;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use bowline::hooks::Dialect;
use bowline::settings::{self, Diagnostic, HookDefinition, Locations, Severity};
use serde::Serialize;

use crate::Outcome;
use crate::agent_settings::{CLAUDE_CODE, client};
use crate::error::{Error, Result};
use crate::finding::Finding;
use crate::hook_view::HookView;
use crate::project::{self, FileStatusName, FileView, Paths};
use crate::ui::{Format, FormatArgs, Ui};

/// Check settings files, without running anything
///
/// Without arguments, checks every file that has hooks for the current project, and the files of the plugin
/// that the current folder may be
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline check
  bowline check ~/code/engine
  bowline check .claude/settings.json bowline.toml
  bowline check ~/code/my-plugin
  bowline check --dialect generic hooks.json
  bowline check --json

Exits with 1 when there are errors or warnings, with 2 when a file cannot be
read; notes do not count")]
pub(crate) struct CheckArgs {
    /// Settings files, or folders of projects or plugins
    #[arg(value_name = "FILES|DIR")]
    paths: Vec<PathBuf>,

    /// Read the files by these rules: claude-code or generic
    #[arg(long, value_name = "DIALECT")]
    dialect: Option<Dialect>,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, Default, Serialize)]
struct Report {
    files: Vec<FileView>,
    hooks: Vec<HookView>,
    findings: Vec<Finding>,
    summary: Summary,
    /// How many rules there are.
    #[serde(skip)]
    rules: usize,
    /// The texts that findings are shown in.
    #[serde(skip)]
    texts: HashMap<PathBuf, String>,
}

#[derive(Debug, Default, Serialize)]
struct Summary {
    files: usize,
    hooks: usize,
    rules: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
}

pub(crate) fn run(args: &CheckArgs, ui: &mut Ui) -> Result<Outcome> {
    let mut report = Report::default();
    if args.paths.is_empty() {
        let folder = project::folder(None)?;
        report.add_project(&folder, args.dialect)?;
        report.add_plugin(&folder, args.dialect);
    }
    for path in &args.paths {
        match path.metadata() {
            Ok(found) if found.is_dir() => {
                let folder = project::folder(Some(path))?;
                if !report.add_plugin(&folder, args.dialect) {
                    report.add_project(&folder, args.dialect)?;
                }
            }
            Ok(_) => report.add_file(path, args.dialect),
            Err(source) => return Err(missing(path, source)),
        }
    }
    report.summarise();
    match args.format.format() {
        Format::Json => ui.json(&report)?,
        Format::Text => {
            let base = project::folder(
                args.paths
                    .first()
                    .map(PathBuf::as_path)
                    .filter(|path| path.is_dir()),
            )?;
            show::show(
                &report,
                &Paths::of(&settings::find_project(&base, &Locations::from_env())),
                ui,
            );
        }
    }
    Ok(report.outcome())
}

fn missing(path: &Path, source: io::Error) -> Error {
    let absent = source.kind() == io::ErrorKind::NotFound;
    let error = Error::file("check", path, source);
    if absent {
        error.hint(
            "name a settings file or a project's folder, or nothing to check the current project",
        )
    } else {
        error
    }
}

/// Matchers that the client reads differently than they look. Its version is looked up only if it matters.
fn matcher_findings<'h>(
    hooks: impl Iterator<Item = &'h HookDefinition> + Clone,
    locations: &Locations,
) -> Vec<Diagnostic> {
    let found = settings::matcher_findings(hooks.clone(), None);
    let asked = (!found.is_empty()).then(|| client::installed(&CLAUDE_CODE, locations).version());
    match asked.flatten() {
        Some(version) => settings::matcher_findings(hooks, Some(version)),
        None => found,
    }
}

impl Report {
    /// Everything that has hooks for the project.
    fn add_project(&mut self, folder: &Path, dialect: Option<Dialect>) -> Result<()> {
        if dialect.is_some() {
            return Err(
                Error::usage("--dialect is for files, not for a whole project").hint(
                    "name the files, or set the dialect of a file under [dialects] in bowline.toml",
                ),
            );
        }
        let settings = project::load(folder);
        self.files.extend(settings.files.iter().map(FileView::from));
        self.hooks.extend(HookView::of_files(&settings.hooks));
        let rules = project::builtins(&settings).rules;
        self.rules += rules.rules.len();
        let scripts = project::script_findings(&settings);
        let hooks = settings.hooks.iter().map(|hook| &hook.definition);
        let matchers = matcher_findings(hooks, &Locations::from_env());
        let programs = project::program_findings(&settings);
        let findings = settings.diagnostics.into_iter().chain(rules.diagnostics);
        for diagnostic in findings.chain(scripts).chain(programs).chain(matchers) {
            self.add_finding(diagnostic);
        }
        Ok(())
    }

    /// The files of the plugin in a folder, if there is one.
    fn add_plugin(&mut self, folder: &Path, dialect: Option<Dialect>) -> bool {
        let files = settings::plugin_files(folder);
        for file in &files {
            self.add_file(file, dialect);
        }
        !files.is_empty()
    }

    /// One file by itself.
    fn add_file(&mut self, path: &Path, dialect: Option<Dialect>) {
        let report = settings::check_file(path, dialect);
        self.files.push(FileView {
            path: path.to_owned(),
            kind: None,
            scope: None,
            status: match report.text {
                Some(_) if report.parsed.is_broken() => FileStatusName::Broken,
                Some(_) => FileStatusName::Read,
                None => FileStatusName::Unreadable,
            },
            reason: None,
            hooks: report.parsed.hooks.len(),
        });
        if let Some(text) = report.text {
            self.texts.insert(path.to_owned(), text);
        }
        self.hooks
            .extend(report.parsed.hooks.iter().map(HookView::alone));
        let rules = project::rules_of_file(path, &report.rules);
        self.rules += rules.rules.len();
        let locations = Locations::from_env();
        let folder = std::path::absolute(path).unwrap_or_default();
        let folder = settings::find_project(folder.parent().unwrap_or(&folder), &locations);
        let scripts = settings::script_findings(&report.parsed.hooks, &folder, &locations);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let programs = settings::program_findings(&report.parsed.hooks, &folder, &locations, &path);
        let matchers = matcher_findings(report.parsed.hooks.iter(), &locations);
        let diagnostics = report.parsed.diagnostics.into_iter();
        for diagnostic in diagnostics
            .chain(rules.diagnostics)
            .chain(scripts)
            .chain(programs)
            .chain(matchers)
        {
            self.add_finding(diagnostic);
        }
    }

    fn add_finding(&mut self, diagnostic: Diagnostic) {
        if let Some(file) = &diagnostic.file
            && !self.texts.contains_key(file)
        {
            // A file that cannot be read again is shown without its text.
            let text = settings::check_file(file, None).text.unwrap_or_default();
            self.texts.insert(file.clone(), text);
        }
        self.findings.push(diagnostic.into());
    }

    fn summarise(&mut self) {
        self.findings
            .sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
        let count = |severity| {
            self.findings
                .iter()
                .filter(|finding| finding.severity == severity)
                .count()
        };
        self.summary = Summary {
            files: self.files.len(),
            hooks: self.hooks.len(),
            rules: self.rules,
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            notes: count(Severity::Note),
        };
    }

    fn outcome(&self) -> Outcome {
        let unreadable = |file: &FileView| file.status == FileStatusName::Unreadable;
        if self.files.iter().any(unreadable) {
            Outcome::Unchecked
        } else if self.summary.errors + self.summary.warnings == 0 {
            Outcome::Clean
        } else {
            Outcome::Findings
        }
    }
}
