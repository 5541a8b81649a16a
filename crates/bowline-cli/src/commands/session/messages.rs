//! `bowline session messages`: what was said in a session, by the user, the agent and the engine.

use bowline_daemon::rpc::{SessionKey, fleet};
use serde::Serialize;

use super::{MessagesArgs, show};
use crate::Outcome;
use crate::ask::Records;
use crate::error::Result;
use crate::moment;
use crate::ui::{Format, Text, Ui, reveal, style};

#[derive(Debug, Serialize)]
struct Report {
    messages: Vec<fleet::Said>,
}

pub(super) fn run(args: &MessagesArgs, records: &mut Records, ui: &mut Ui) -> Result<Outcome> {
    let (session, _) = show::find(&args.session, records, ui)?;
    let messages = match session {
        SessionKey::Name(session) => {
            let limit = Some(usize::from(args.limit));
            records.ask(&fleet::Messages { session, limit }, ui)?
        }
        SessionKey::Row(_) => Vec::new(),
    };
    match args.format.format() {
        Format::Json => ui.json(&Report { messages })?,
        Format::Text if messages.is_empty() => ui.line(
            "Nothing is kept of what was said in this session. Messages are kept in efforts, and of questions, failures and tasks.",
        ),
        Format::Text => {
            for said in &messages {
                let when = moment::when(said.at, moment::now());
                let who = Text::styled(format!("{when}  {}  ", said.message.role), style::FAINT);
                ui.labelled(who, &Text::from(reveal::name(&said.message.content)));
            }
        }
    }
    Ok(Outcome::Clean)
}
