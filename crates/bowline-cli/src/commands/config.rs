//! `bowline config`: which settings hold and where each comes from; a settings file to begin with.

mod init;
mod show;

use clap::Subcommand;

use crate::Outcome;
use crate::error::Result;
use crate::ui::{Format, Ui};

/// See which settings hold and where each comes from, or write a settings file to begin with
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline config show
  bowline config show leases --json
  bowline config init --preset team
  bowline config init --global")]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Show(show::ShowArgs),
    Init(init::InitArgs),
}

impl ConfigArgs {
    pub(crate) fn format(&self) -> Format {
        match &self.action {
            Action::Show(args) => args.format.format(),
            Action::Init(args) => args.format.format(),
        }
    }
}

pub(crate) fn run(args: &ConfigArgs, ui: &mut Ui) -> Result<Outcome> {
    match &args.action {
        Action::Show(args) => show::run(args, ui),
        Action::Init(args) => init::run(args, ui),
    }
}
