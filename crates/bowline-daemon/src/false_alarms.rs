//! Calls that a person calls false alarms: what lets one pass from now on, by the settings of its project as they are now.
//!
//! For what runs inside the daemon and has made sure of its person by itself, as [`settle`](crate::approvals::settle) is.

use std::path::Path;

use bowline::settings::{self, Locations, Settings, find_project};
use bowline_builtins::Builtins;
use bowline_builtins::false_alarm::{FalseAlarm, NoRemedy, Remedy};

use crate::engine::Engine;

/// What lets a call pass from now on. It reads files.
pub fn remedy(engine: &Engine, alarm: &FalseAlarm) -> Result<Remedy, NoRemedy> {
    let now = Now::of(engine, &alarm.project);
    alarm.remedy(&now.settings, &now.builtins, &now.locations)
}

/// Writes the entry that lets a call pass from now on, which counts for the next one. It writes files.
pub fn allow(engine: &Engine, alarm: &FalseAlarm) -> Result<(), NoRemedy> {
    let now = Now::of(engine, &alarm.project);
    alarm.allow(&now.settings, &now.builtins, &now.locations)?;
    engine.reload_changed();
    Ok(())
}

/// How a project is judged now. Who made the call is gone, so that the person's own places count.
struct Now {
    settings: Settings,
    builtins: Builtins,
    locations: Locations,
}

impl Now {
    fn of(engine: &Engine, project: &Path) -> Self {
        let locations = Locations::from_env();
        let settings = settings::load(&find_project(project, &locations), &locations);
        Self {
            builtins: engine.builtins_of(&settings),
            settings,
            locations,
        }
    }
}
