//! Compacting the conversation: `PreCompact`, the summary, `PostCompact`, and `SessionStart` with what is left.

use super::heard::hear;
use super::{Notes, SessionSource, words};
use crate::event::HookEvent;
use crate::execution::ExecutionContext;
use crate::input::HookInput;

words! {
    /// What causes a compaction.
    CompactTrigger {
        /// The user.
        Manual = "manual",
        /// A full context.
        Auto = "auto",
    }
}

/// What became of a compaction.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Compaction {
    /// The conversation was summarised.
    Done {
        /// The summary.
        summary: String,
        /// What hooks said. Their context belongs into the remaining conversation.
        notes: Notes,
    },
    /// A hook kept the conversation as it is.
    Prevented {
        /// Why.
        reason: String,
        /// What hooks said.
        notes: Notes,
    },
}

impl Compaction {
    pub(super) fn notes_mut(&mut self) -> &mut Notes {
        match self {
            Self::Done { notes, .. } | Self::Prevented { notes, .. } => notes,
        }
    }
}

/// Whether a compacted conversation counts as a new start: a session's does, a sub-agent's does not.
pub(super) enum Afterwards {
    SessionStart,
    Nothing,
}

/// Compacts, and returns whether a hook wants the turn to end.
pub(super) async fn run<S, F, E>(
    execution: &ExecutionContext,
    trigger: CompactTrigger,
    instructions: Option<&str>,
    afterwards: Afterwards,
    summarise: S,
) -> Result<(Compaction, Option<String>), E>
where
    S: FnOnce(Option<String>) -> F,
    F: Future<Output = Result<String, E>>,
{
    let before = HookInput::pre_compact(execution.session_id())
        .with_field("trigger", trigger.as_str())
        .with_field("custom_instructions", instructions);
    let heard = hear(execution, before).await;
    let (mut notes, mut end_turn) = (heard.notes, heard.end_turn);
    if let Some(reason) = heard.block {
        return Ok((Compaction::Prevented { reason, notes }, end_turn));
    }

    // PreCompact hooks speak about the summary, so their context is not needed beside it.
    let asked: Vec<String> = instructions
        .map(str::to_owned)
        .into_iter()
        .chain(notes.context.drain(..))
        .collect();
    let summary = summarise((!asked.is_empty()).then(|| asked.join("\n"))).await?;

    let after = HookInput::for_event(execution.session_id(), HookEvent::PostCompact)
        .with_field("trigger", trigger.as_str())
        .with_field("compact_summary", summary.as_str());
    let heard = hear(execution, after).await;
    notes.absorb(heard.notes);
    end_turn = heard.end_turn.or(end_turn);

    match afterwards {
        Afterwards::Nothing => {}
        Afterwards::SessionStart => {
            let again = HookInput::session_start(execution.session_id())
                .with_field("source", SessionSource::Compact.as_str());
            let heard = hear(execution, again).await;
            notes.absorb(heard.notes);
            end_turn = heard.end_turn.or(end_turn);
            if let Some(reason) = heard.block {
                notes.unenforced(HookEvent::SessionStart, &reason);
            }
        }
    }
    Ok((Compaction::Done { summary, notes }, end_turn))
}
