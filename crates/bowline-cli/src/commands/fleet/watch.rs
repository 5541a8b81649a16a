//! `bowline fleet --watch`: the list as it changes.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use super::shown::Shown;
use super::{FleetArgs, Report, agents, show};
use crate::Outcome;
use crate::error::Result;
use crate::stream::{self, Reader};
use crate::ui::{Format, Ui};

/// Between two looks.
pub(super) const PAUSE: Duration = Duration::from_secs(1);

pub(super) fn run(args: &FleetArgs, ui: &mut Ui) -> Result<Outcome> {
    let drawn = args.format.format() == Format::Text && io::stdout().is_terminal();
    let mut last: Option<Vec<Shown>> = None;
    loop {
        let now = agents(args, ui)?;
        if drawn {
            ui.resize();
            show(&now, args, ui);
            ui.redraw()?;
        } else if last.as_ref() != Some(&now) {
            match args.format.format() {
                Format::Json => ui.json_line(&Report { agents: &now })?,
                Format::Text => {
                    if last.is_some() {
                        ui.blank();
                    }
                    show(&now, args, ui);
                }
            }
            ui.flush()?;
        }
        last = Some(now);
        if stream::pause(PAUSE) == Reader::Gone {
            return Ok(Outcome::Clean);
        }
    }
}
