//! `bowline config init`: writes a settings file in which every key is explained.

use std::path::PathBuf;

use bowline::settings::{Locations, Preset, find_project};
use serde::Serialize;

use crate::Outcome;
use crate::agent_settings::InstallScope;
use crate::error::{Error, ErrorKind, Result};
use crate::own_settings::{self, OwnSettings};
use crate::project::{self, Paths};
use crate::ui::{Format, FormatArgs, Text, Ui, style};

/// Write a settings file in which every key is explained
///
/// The file is the project's bowline.toml, or your own with --global. Every key stands behind a `#` with what holds without it, so that the
/// file changes nothing, unless it names a preset
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline config init
  bowline config init --preset solo --global
  bowline config init --preset team --force")]
pub(super) struct InitArgs {
    /// Name this preset in it
    #[arg(long, value_name = "NAME", value_parser = own_settings::preset())]
    preset: Option<Preset>,

    /// Write your own file, for all projects, and not the project's
    #[arg(long)]
    global: bool,

    /// Replace the file that is there; a copy of it is kept
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    pub(super) format: FormatArgs,
}

#[derive(Debug, Serialize)]
struct Report {
    #[serde(serialize_with = "project::lossy")]
    file: PathBuf,
    preset: Option<Preset>,
    /// The copy of the file as it was.
    #[serde(serialize_with = "project::lossy_option")]
    backup: Option<PathBuf>,
}

pub(super) fn run(args: &InitArgs, ui: &mut Ui) -> Result<Outcome> {
    let locations = Locations::from_env();
    let project = find_project(&project::folder(None)?, &locations);
    let scope = if args.global {
        InstallScope::User
    } else {
        InstallScope::Project
    };
    let own = OwnSettings::read(scope, &project, &locations)?;
    let paths = Paths::of(&project);
    let shown = paths.show_absolute(&own.file);
    if own.exists() && !args.force {
        let preset = args.preset.map_or("NAME", Preset::name);
        return Err(
            Error::new(ErrorKind::File, format!("{shown} exists already")).hint(format!(
                "write `preset = \"{preset}\"` into its first line for a preset, or replace it with --force"
            )),
        );
    }
    let report = Report {
        backup: own.write(&own.new_text(args.preset))?,
        preset: args.preset,
        file: own.file,
    };
    if args.format.format() == Format::Json {
        ui.json(&report)?;
        return Ok(Outcome::Clean);
    }
    let with = match args.preset {
        Some(preset) => format!(" with the preset `{}`", preset.name()),
        None => String::new(),
    };
    ui.line(Text::styled(
        format!("Written: {shown}{with}."),
        style::GOOD,
    ));
    if let Some(backup) = &report.backup {
        let backup = paths.show_absolute(backup);
        ui.line(format!("The file as it was: {backup}"));
    }
    if scope == InstallScope::Project {
        ui.line("What loosens something in it counts once you trust the project: `bowline trust`.");
    }
    ui.line("Remove the `#` before a key to set it. `bowline check` finds mistakes, `bowline config show` says what holds.");
    Ok(Outcome::Clean)
}
