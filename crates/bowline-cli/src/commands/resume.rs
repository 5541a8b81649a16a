//! `bowline resume`: ends a pause.

use bowline_daemon::Pause;
use serde::Serialize;

use crate::Outcome;
use crate::control;
use crate::error::{Error, ErrorKind, Result};
use crate::ui::{Format, FormatArgs, Text, Ui, style};

/// Decide again after `bowline pause`
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  bowline resume")]
pub(crate) struct ResumeArgs {
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, Serialize)]
struct Report {
    was_paused: bool,
}

pub(crate) fn run(args: &ResumeArgs, ui: &mut Ui) -> Result<Outcome> {
    let places = control::places()?;
    let was_paused = Pause::remove(&places.pause())
        .map_err(|source| Error::new(ErrorKind::File, "cannot resume").caused_by(source))?;
    control::tell(&places, "daemon.reload");
    match args.format.format() {
        Format::Json => ui.json(&Report { was_paused })?,
        Format::Text if was_paused => {
            ui.line(Text::styled("Bowline decides again.", style::GOOD));
        }
        Format::Text => ui.line("Bowline was not paused."),
    }
    if std::env::var_os("BOWLINE").is_some_and(|value| value == "off")
        && args.format.format() == Format::Text
    {
        ui.line(Text::styled(
            "BOWLINE=off is set here: agents started from this shell are not decided for.",
            style::CAUTION,
        ));
    }
    Ok(Outcome::Clean)
}
