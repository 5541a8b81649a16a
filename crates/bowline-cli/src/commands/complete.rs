//! `bowline complete`: the ids that a shell offers. The scripts of `bowline completions` ask for them.

use bowline_daemon::rpc::{events, sessions, traces};
use bowline_guard::rules;
use bowline_store::DecisionFilter;
use clap::ValueEnum;

use super::log;
use crate::Outcome;
use crate::ask::Records;
use crate::error::Result;
use crate::ui::Ui;

/// Enough for one screen.
const MOST: usize = 50;

/// Print ids, newest first, for a shell that completes them
#[derive(Debug, clap::Args)]
#[command(
    hide = true,
    after_help = "\
Example:
  bowline complete call"
)]
pub(crate) struct CompleteArgs {
    /// The kind of ids
    #[arg(required = true)]
    kinds: Vec<Kind>,
}

/// What has an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Kind {
    /// Tool calls
    Call,
    /// Calls and events that were stopped
    Stopped,
    /// Sessions
    Session,
    /// Rules of the guard
    Rule,
}

impl Kind {
    /// As it is typed.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Stopped => "stopped",
            Self::Session => "session",
            Self::Rule => "rule",
        }
    }
}

pub(crate) fn run(args: &CompleteArgs, ui: &mut Ui) -> Result<Outcome> {
    for kind in &args.kinds {
        for id in ids(*kind, ui)?.iter().filter(|id| is_plain(id)) {
            ui.verbatim(&format!("{id}\n"));
        }
    }
    Ok(Outcome::Clean)
}

fn ids(kind: Kind, ui: &Ui) -> Result<Vec<String>> {
    let limit = Some(MOST);
    Ok(match kind {
        Kind::Call => {
            let filter = traces::Filter {
                limit,
                ..traces::Filter::default()
            };
            let calls = Records::open(ui)?.ask(&traces::List { filter }, ui)?;
            calls.into_iter().map(|call| call.tool_use_id).collect()
        }
        Kind::Stopped => {
            let stopped = events::Last {
                decisions: vec![DecisionFilter::Deny, DecisionFilter::Ask],
                limit,
                ..events::Last::default()
            };
            let events = Records::open(ui)?.ask(&stopped, ui)?;
            events.iter().map(|it| log::id(it).to_owned()).collect()
        }
        Kind::Session => {
            let newest = sessions::List {
                limit,
                ..sessions::List::default()
            };
            let sessions = Records::open(ui)?.ask(&newest, ui)?;
            sessions.into_iter().map(|it| it.newest.session).collect()
        }
        Kind::Rule => {
            let rules = rules::rules().into_iter();
            rules.map(|rule| rule.id.to_string()).collect()
        }
    })
}

/// Whether a shell takes it for one word and nothing else: agents choose their ids themselves.
fn is_plain(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    !id.is_empty() && !id.starts_with('-') && id.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_is_given_nothing_to_do() {
        for (id, expected) in [
            ("toolu_01SIwCMflBrCdrKUcAYfRzkn", true),
            ("8c2f51de-0d6b-4a3e-9f5c-1f2e3d4c5b6a", true),
            ("git.push-force", true),
            ("", false),
            ("$(id)", false),
            ("a b", false),
            ("a\nb", false),
            ("`id`", false),
            ("--yes", false),
            ("é", false),
        ] {
            assert_eq!(is_plain(id), expected, "{id:?}");
        }
    }
}
