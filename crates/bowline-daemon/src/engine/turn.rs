//! Whether an agent that is about to end its turn was already kept from it: twice in a row could go on forever.

use std::sync::Arc;

use bowline::hooks::{Decision, HookEvent, HookInput, Opinion};
use bowline_store::{Enforcement, EventFilter, RecordedEvent, SessionRef, Store};

use super::context::CallContext;
use super::patience::Patience;
use super::projects::Project;

/// A session with more sub-agents that were just kept from ending is not known.
const LOOKED_AT: usize = 16;

/// What an answer may do to an agent that is about to end its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// It may keep it from that, or the event ends no turn.
    Goes,
    /// It was kept from that just before. Now it ends.
    Ends,
}

impl CallContext {
    /// What this answer may do. Agents say themselves that they were sent on (`stop_hook_active`); of those that do not, the records know.
    pub(super) async fn turn(
        &self,
        output: &Opinion,
        project: &Project,
        patience: &Patience,
    ) -> Turn {
        let input = &self.input;
        let ends = matches!(
            input.event_type(),
            HookEvent::Stop | HookEvent::SubagentStop
        );
        let blocks = output.decision() >= Decision::Ask;
        if !ends || !(blocks || output.additional_context.is_some()) {
            return Turn::Goes;
        }
        let was_sent_on = match (input.field("stop_hook_active"), &self.engine.store) {
            (None, Some(store)) if blocks => {
                let (store, input) = (Arc::clone(store), input.clone());
                let look = move || was_sent_on(store.as_ref(), &input);
                patience.look(&project.folder, look).await.unwrap_or(false)
            }
            _ => input.stop_hook_active(),
        };
        if was_sent_on { Turn::Ends } else { Turn::Goes }
    }
}

/// Whether the last time that this agent was about to end its turn it was kept from it, and nobody has said anything since.
fn was_sent_on(store: &dyn Store, input: &HookInput) -> bool {
    store.catch_up();
    let last = |event: &str| -> Vec<RecordedEvent> {
        let filter = EventFilter {
            session: Some(SessionRef::Chain(&input.session_id)),
            event: Some(event),
            limit: LOOKED_AT,
            ..EventFilter::default()
        };
        store.find_events(&filter).unwrap_or_default()
    };
    let of_same = |event: &RecordedEvent| event.decided.subagent_id() == input.agent_id();
    let ended = last(input.event_name()).into_iter().find(of_same);
    let Some(ended) = ended.map(|event| event.decided) else {
        return false;
    };
    let prompt = last(HookEvent::UserPromptSubmit.name()).into_iter().next();
    let is_answered = prompt.is_some_and(|prompt| prompt.decided.time > ended.time);
    ended.decision >= Decision::Ask && ended.enforcement == Enforcement::Enforced && !is_answered
}
