//! `bowline man`: manual pages, for packages.

use std::fs;
use std::path::PathBuf;

use clap::CommandFactory as _;

use crate::error::{Error, Result};
use crate::ui::{Ui, counted};
use crate::{Cli, Outcome};

/// Write a manual page for every command
#[derive(Debug, clap::Args)]
#[command(
    hide = true,
    after_help = "\
Example:
  bowline man --to ~/.local/share/man/man1"
)]
pub(crate) struct ManArgs {
    /// The folder for the pages; created if it is missing
    #[arg(long, value_name = "FOLDER")]
    to: PathBuf,
}

pub(crate) fn run(args: &ManArgs, ui: &mut Ui) -> Result<Outcome> {
    fs::create_dir_all(&args.to).map_err(|error| Error::file("make", &args.to, error))?;
    let mut written = 0;
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    pages(&command, "bowline", &mut |name, page| {
        let file = args.to.join(format!("{name}.1"));
        written += 1;
        fs::write(&file, page).map_err(|error| Error::file("write", &file, error))
    })?;
    ui.line(format!("{} written.", counted(written, "page")));
    Ok(Outcome::Clean)
}

/// Hands over the page of a command, and those of its subcommands.
fn pages(
    command: &clap::Command,
    name: &str,
    write: &mut impl FnMut(&str, Vec<u8>) -> Result<()>,
) -> Result<()> {
    let mut page = Vec::new();
    // The page's title is the whole name; a subcommand only knows its own.
    let manual = clap_mangen::Man::new(command.clone()).title(name);
    manual
        .render(&mut page)
        .map_err(|error| Error::terminal("a page cannot be made", error))?;
    write(name, page)?;
    for inner in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        pages(inner, &format!("{name}-{}", inner.get_name()), write)?;
    }
    Ok(())
}
