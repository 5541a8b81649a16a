//! The preset that `bowline init` asks for, and writes into Bowline's own settings.

use std::path::PathBuf;

use bowline::settings::Preset;
use serde::Serialize;

use super::{InitArgs, consent};
use crate::agent_settings::InstallScope;
use crate::agent_settings::agents::Surroundings;
use crate::agent_settings::preview::Preview;
use crate::error::Result;
use crate::own_settings::{OwnSettings, named};
use crate::project::{self, Paths};
use crate::ui::{Format, Text, Ui, YesOrNo, style};

/// What became of the preset.
#[derive(Debug, Serialize)]
pub(super) struct PresetReport {
    name: Preset,
    #[serde(serialize_with = "project::lossy")]
    file: PathBuf,
    pub(super) state: PresetState,
    /// The copy of the file as it was.
    #[serde(serialize_with = "project::lossy_option")]
    backup: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PresetState {
    /// The file names it already.
    AlreadySet,
    WouldWrite,
    Written,
    Declined,
}

/// Whether somebody who named no preset is asked for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asking {
    /// Bowline has just been installed.
    IfPossible,
    No,
}

/// Writes the preset that was named, or that a person chooses now. `None` if there is none.
pub(super) fn settle(
    args: &InitArgs,
    asking: Asking,
    surroundings: &Surroundings,
    paths: &Paths,
    ui: &mut Ui,
) -> Result<Option<PresetReport>> {
    let Surroundings {
        locations, project, ..
    } = surroundings;
    let is_asked = asking == Asking::IfPossible
        && args.format.format() == Format::Text
        && !args.yes
        && Ui::can_ask()
        && (bowline::settings::load(project, locations).config.preset).is_none();
    let (preset, beforehand) = match args.preset {
        Some(preset) => (preset, args.yes.then_some(YesOrNo::Yes)),
        None if is_asked => match choose(ui)? {
            Some(preset) => (preset, Some(YesOrNo::Yes)),
            None => return Ok(None),
        },
        None => return Ok(None),
    };
    let own = OwnSettings::read(args.scope, project, locations)?;
    let wanted = own.text_with(preset)?;
    let mut report = PresetReport {
        name: preset,
        file: own.file.clone(),
        state: PresetState::AlreadySet,
        backup: None,
    };
    if wanted == own.text() {
        return Ok(Some(report));
    }
    let format = args.format.format();
    if format == Format::Text {
        ui.blank();
        let shown = paths.show_absolute(&own.file);
        let new = if own.exists() { "" } else { " (new file)" };
        let preview = Preview::full(own.text(), &wanted);
        ui.line(Text::styled(shown, style::HEADING).plain(new));
        preview.show(ui);
        ui.blank();
    }
    report.state = if args.dry_run {
        PresetState::WouldWrite
    } else if consent("Write this?", beforehand, format, ui)? == YesOrNo::No {
        PresetState::Declined
    } else {
        report.backup = own.write(&wanted)?;
        PresetState::Written
    };
    Ok(Some(report))
}

/// Asks which preset; nothing is an answer.
fn choose(ui: &mut Ui) -> Result<Option<Preset>> {
    ui.blank();
    ui.line("A preset switches on what goes together. Each of its settings can be changed later.");
    for preset in Preset::ALL {
        let name = Text::styled(format!("  {:<12}", preset.name()), style::NAME);
        ui.labelled(name, &preset.about().into());
    }
    loop {
        let answer = ui.answer("Which preset? [none] ")?;
        if answer.is_empty() || answer == "none" {
            return Ok(None);
        }
        if let Some(preset) = named(&answer) {
            return Ok(Some(preset));
        }
        let names = Preset::ALL.map(Preset::name).join(", ");
        ui.line(format!("Expected one of {names}, or nothing."));
    }
}

/// Tells what became of it.
pub(super) fn show(report: &PresetReport, scope: InstallScope, paths: &Paths, ui: &mut Ui) {
    let (name, file) = (report.name.name(), paths.show_absolute(&report.file));
    match report.state {
        PresetState::AlreadySet => {
            ui.line(format!("The preset `{name}` is in {file} already."));
        }
        PresetState::WouldWrite => {}
        PresetState::Declined => ui.line("No preset was written."),
        PresetState::Written => {
            ui.line(Text::styled(
                format!(
                    "The preset `{name}` is in {file} now; `bowline config show` says what it sets."
                ),
                style::GOOD,
            ));
            if let Some(backup) = &report.backup {
                let backup = paths.show_absolute(backup);
                ui.line(format!("The file as it was: {backup}"));
            }
            if scope != InstallScope::User {
                ui.line("What loosens something in it counts once you trust the project: `bowline trust`.");
            }
        }
    }
}
