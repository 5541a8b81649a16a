//! The `bowline` command: see, check, trust and test the hooks of AI coding agents.
//!
//! Every command builds a report and hands it to `ui`, as text for people or as one JSON document
//! for programs. Only commands that other programs feed line by line write for themselves, through `stream`.

mod agent_settings;
mod ask;
mod attended;
mod commands;
mod control;
mod error;
mod finding;
mod hook_view;
mod moment;
mod own_settings;
mod process;
mod project;
mod recorded;
mod standing;
mod steered;
mod stream;
mod ui;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, ValueEnum as _};

use commands::{Command, Pages};
use error::Error;
use ui::{Colours, Format, Ui};

const AFTER_HELP: &str = "\
Examples:
  bowline demo
  bowline init
  bowline doctor
  bowline explain 'git push --force'
  bowline --color never log

A list that is longer than the screen is shown by BOWLINE_PAGER, PAGER, or
`less -FRX`; an empty one means none

Exit codes:
  0  nothing to report, or allowed
  1  findings, an event that is blocked or asked about, or the answer no
  2  could not run: wrong arguments, unreadable files, bad input";

/// See, check, trust and test the hooks of AI coding agents
#[derive(Debug, Parser)]
#[command(name = "bowline", version = env!("BOWLINE_VERSION"), max_term_width = 100, after_help = AFTER_HELP)]
struct Cli {
    /// When to use colours
    #[arg(long, value_name = "WHEN", global = true, value_enum, default_value_t)]
    color: Colours,

    #[command(subcommand)]
    command: Command,
}

/// How a command that ran came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Nothing is wrong, or the event is allowed.
    Clean,
    /// There are findings, or the event is not simply allowed, or the answer was no.
    Findings,
    /// Not all of it could be looked at.
    Unchecked,
    /// An agent was answered, which knows this exit code.
    Answered(u8),
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Clean => Self::SUCCESS,
            Outcome::Findings => Self::from(1),
            Outcome::Unchecked => Self::from(2),
            Outcome::Answered(exit_code) => Self::from(exit_code),
        }
    }
}

/// Runs the program that this one stands for in a `bowline run`, if it was started in its place.
pub fn stand_in(args: &[OsString]) -> Option<ExitCode> {
    commands::run::stand_in::started(args)
}

/// Runs the program with these arguments, the program's name first.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(usage) => {
            colours_asked_for(&args).apply();
            // The message quotes what was typed, with all that a terminal obeys. Other words do not make it right.
            let shown: Vec<OsString> = args.iter().map(|arg| ui::visible(arg)).collect();
            let usage = Cli::try_parse_from(&shown).err().unwrap_or(usage);
            return ui::usage(&usage, &shown, format_asked_for(&args));
        }
    };
    cli.color.apply();
    let pages = cli.command.pages();
    let format = cli.command.format();
    let mut ui = Ui::for_stdout();
    let result = commands::run(cli.command, &mut ui);
    let shown = |ui: &mut Ui| match pages {
        Pages::Long => ui.page(),
        Pages::Never => ui.flush(),
    };
    match result.and_then(|outcome| shown(&mut ui).map(|()| outcome)) {
        Ok(outcome) => outcome.into(),
        Err(error) => report(&error, format, ui),
    }
}

/// Who reads the answer, as far as invalid arguments show it.
fn format_asked_for(args: &[OsString]) -> Format {
    let mut options = args.iter().take_while(|arg| *arg != "--");
    if options.any(|arg| arg == "--json") {
        Format::Json
    } else {
        Format::Text
    }
}

/// The wanted colours, as far as such arguments show it.
fn colours_asked_for(args: &[OsString]) -> Colours {
    let mut words = args.iter().filter_map(|arg| arg.to_str());
    let word = words.find_map(|word| match word.strip_prefix("--color")? {
        "" => Some(""),
        word => word.strip_prefix('='),
    });
    let word = match word {
        Some("") => words.next(),
        word => word,
    };
    let colours = word.map(|word| Colours::from_str(word, true));
    colours.and_then(Result::ok).unwrap_or_default()
}

/// The one place where an error is shown.
fn report(error: &Error, format: Format, mut ui: Ui) -> ExitCode {
    if !error.is_broken_pipe() {
        ui.error(error);
        if format == Format::Json {
            ui.error_document(error);
        }
    }
    error.exit_code()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    /// Every command's help shows an example, and help texts carry no full stop.
    #[test]
    fn help_follows_the_house_style() {
        for command in Cli::command().get_subcommands() {
            let name = command.get_name();
            let after = command.get_after_help().map(ToString::to_string);
            assert!(
                after.is_some_and(|text| text.contains(&format!("bowline {name}"))),
                "{name} lacks an example"
            );
            let about = command
                .get_about()
                .map(ToString::to_string)
                .unwrap_or_default();
            assert!(
                !about.is_empty() && !about.ends_with('.'),
                "{name}: {about}"
            );
            for argument in command.get_arguments() {
                let help = argument
                    .get_help()
                    .map(ToString::to_string)
                    .unwrap_or_default();
                assert!(
                    !help.is_empty() && !help.ends_with('.'),
                    "{name} {}: {help}",
                    argument.get_id()
                );
            }
        }
    }

    #[test]
    fn actions_on_efforts_tasks_and_notes_show_an_example() {
        let program = Cli::command();
        for command in ["effort", "task", "note"] {
            let command = program.find_subcommand(command).unwrap();
            for action in command.get_subcommands() {
                let name = action.get_name();
                let after = action.get_after_help().map(ToString::to_string);
                let after = after.unwrap_or_default();
                assert!(
                    after.contains(&format!("bowline {} {name}", command.get_name())),
                    "{name}: {after}"
                );
            }
        }
    }

    /// A terminal of 80 columns would break longer lines again, in the middle of a paragraph or of an example.
    #[test]
    fn what_closes_a_help_fits_into_a_terminal() {
        fn check(command: &mut clap::Command, path: &str) {
            let after = command.get_after_help().map(ToString::to_string);
            for line in after.unwrap_or_default().lines() {
                let columns = line.chars().count();
                assert!(columns <= 80, "{path}: {columns} columns: {line}");
            }
            for action in command.get_subcommands_mut() {
                let path = format!("{path} {}", action.get_name());
                check(action, &path);
            }
        }
        check(&mut Cli::command(), "bowline");
    }

    #[test]
    fn every_help_keeps_to_the_width_of_the_terminal() {
        fn check(command: clap::Command, path: &str) {
            let actions: Vec<clap::Command> = command.get_subcommands().cloned().collect();
            let help = command.term_width(80).render_long_help().to_string();
            // Usage lines are not wrapped.
            let texts = help.lines().filter(|line| !line.starts_with("Usage: "));
            for line in texts {
                let columns = line.chars().count();
                assert!(columns <= 80, "{path}: {columns} columns: {line}");
            }
            for action in actions {
                let path = format!("{path} {}", action.get_name());
                check(action, &path);
            }
        }
        let mut program = Cli::command();
        program.build();
        check(program, "bowline");
    }
}
