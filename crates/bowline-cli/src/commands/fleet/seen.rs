//! `bowline fleet seen`: a person has looked at agents that wait.

use bowline_continuity::fleet::FleetAgent;
use bowline_daemon::rpc::fleet;
use serde::Serialize;

use crate::Outcome;
use crate::ask::Records;
use crate::error::{Error, Result};
use crate::ui::{Format, FormatArgs, Ui, counted, reveal};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline fleet seen
  bowline fleet seen 8c2f51de
  bowline fleet seen main:review --json")]
pub(super) struct SeenArgs {
    /// Which ones, by their names in `bowline fleet` or the beginnings of these [default: all]
    #[arg(value_name = "AGENT")]
    agents: Vec<String>,

    #[command(flatten)]
    pub(super) format: FormatArgs,
}

#[derive(Debug, Serialize)]
struct Report {
    /// How many had waited for that.
    seen: usize,
}

pub(super) fn run(args: &SeenArgs, ui: &mut Ui) -> Result<Outcome> {
    let mut records = Records::open(ui)?;
    let agents = match args.agents.as_slice() {
        [] => Vec::new(),
        names => ids(names, &records.ask(&fleet::List::default(), ui)?)?,
    };
    let seen = records.ask(&fleet::Seen { agents }, ui)?;
    match args.format.format() {
        Format::Json => ui.json(&Report { seen })?,
        Format::Text if seen == 0 => ui.line("No agent waits for you."),
        Format::Text => ui.line(format!("Marked as seen: {}.", counted(seen, "agent"))),
    }
    Ok(Outcome::Clean)
}

/// The ids of the agents that are meant: by the id, the label, or the beginning of an id.
fn ids(names: &[String], fleet: &[FleetAgent]) -> Result<Vec<String>> {
    let mut ids = Vec::new();
    for name in names {
        // As lists cut it.
        let name = name.trim_end_matches('…');
        let found = |is_meant: &dyn Fn(&FleetAgent) -> bool| {
            let meant = fleet.iter().filter(|it| is_meant(it));
            meant.map(|it| it.id.clone()).collect::<Vec<_>>()
        };
        let by_id = found(&|it| it.id == name);
        let by_label = found(&|it| it.label.as_deref() == Some(name));
        let by_beginning = found(&|it| !name.is_empty() && it.id.starts_with(name));
        let meant = [by_id, by_label, by_beginning];
        let Some(meant) = meant.into_iter().find(|it| !it.is_empty()) else {
            let shown = reveal::name(name);
            return Err(Error::input(format!("no agent is called `{shown}`"))
                .hint("`bowline fleet` lists their names"));
        };
        ids.extend(meant);
    }
    Ok(ids)
}
