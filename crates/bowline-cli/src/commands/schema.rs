//! `bowline schema`: the JSON schema of `bowline.toml`, for editors.

use crate::Outcome;
use crate::error::Result;
use crate::ui::Ui;

/// Print the JSON schema of bowline.toml
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  bowline schema > bowline.schema.json")]
pub(crate) struct SchemaArgs {}

pub(crate) fn run(_args: &SchemaArgs, ui: &mut Ui) -> Result<Outcome> {
    ui.json(&bowline::settings::json_schema())?;
    Ok(Outcome::Clean)
}
