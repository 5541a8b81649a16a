//! `bowline top`: all running sessions in the terminal, live, and the questions that wait for a person.

mod asking;
mod denials;
mod found;
mod keys;
mod question;
mod rows;
mod running;
mod state;
#[cfg(test)]
mod tests;
mod view;

use std::io::{self, IsTerminal as _};

use bowline_daemon::board::Row;
use bowline_daemon::rpc::board;

use crate::Outcome;
use crate::ask::Records;
use crate::error::{Error, ErrorKind, Result};
use crate::moment;
use crate::ui::full_screen::Mouse;
use crate::ui::{Format, FormatArgs, Ui};

/// Watch all running sessions, and answer what waits for you
///
/// One row for each session, those that need you first. It is drawn anew as things happen. Only a person at a terminal can answer
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline top
  bowline top --once
  bowline top --json

Keys:
  arrows, j k   choose a session
  enter         what followed from its last prompt, live
  a             answer the question that it waits with: once, for its session,
                for good, or with a denial
  d             what was denied in it; again: in all sessions
  /             only sessions with these words; enter finds them in all calls
  ?             all keys
  q, esc        leave

State:
  waiting for you  a question waits in the inbox, or in the agent's own prompt
  blocked          its last call was denied, or its turn ended by an error
  looping          it makes the same call with the same result
  working          a call runs, or it thinks
  idle             its turn is over
  gone             its process ended")]
pub(crate) struct TopArgs {
    /// Print the sessions once
    #[arg(long)]
    once: bool,

    /// Choose sessions by a click, and scroll by the wheel
    #[arg(long)]
    mouse: bool,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

pub(crate) fn run(args: &TopArgs, ui: &mut Ui) -> Result<Outcome> {
    let format = args.format.format();
    if !args.once && format == Format::Text {
        let mouse = if args.mouse {
            Mouse::Program
        } else {
            Mouse::Terminal
        };
        needs_a_terminal()?;
        return running::run(mouse);
    }
    let board = Records::open(ui)?.ask(&board::Now {}, ui)?;
    match format {
        Format::Json => ui.json(&board)?,
        Format::Text if board.sessions.is_empty() => ui.line(NOBODY),
        Format::Text => {
            let rows: Vec<&Row> = board.sessions.iter().collect();
            let mut projects = rows::projects(&rows);
            let list = rows::list(&rows, &mut projects, moment::now(), rows::Room::Usual);
            ui.list(&list);
        }
    }
    Ok(Outcome::Clean)
}

/// At most this many records are found.
const MOST_FOUND: usize = 200;

/// What is said where no agent runs, and what to do.
const NOBODY: &str = "No agent is at work. Start one where Bowline is installed (`bowline init`), and it is listed here from its first \
                      event on.";

fn needs_a_terminal() -> Result<()> {
    let refusal = |what: &str| {
        Error::new(ErrorKind::Terminal, format!("`bowline top` {what}")).hint(
            "`bowline fleet` lists the agents once, `bowline fleet --json` does so for programs",
        )
    };
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(refusal("needs a terminal for its input and its output"));
    }
    match std::env::var("TERM").as_deref() {
        Ok("dumb") => Err(refusal(
            "needs a terminal that can move its cursor; TERM is `dumb`",
        )),
        _ => Ok(()),
    }
}
