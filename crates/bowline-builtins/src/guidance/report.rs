//! What a sub-agent reports at its end, from either of the two events that tell it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bowline::hooks::{HookContext, HookEvent, HookInput, Match};
use bowline_agents::Tool;
use bowline_agents::claude_code::tools::current_name;
use bowline_guidance::handoff;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Memory;
use crate::continuity::last_lines;
use crate::recorder::{digest::digest, subagent_of};

/// So many runs are remembered for a session, the last ones longest.
const MAX_RUNS: usize = 64;

/// The events that tell what a sub-agent reports.
pub(super) const EVENTS: &[HookEvent] = &[HookEvent::SubagentStop, HookEvent::PostToolUse];

/// What a sub-agent reports.
#[derive(Debug)]
pub(super) struct Report {
    /// The type of the sub-agent.
    pub(super) agent: String,
    /// The agent's id of this run.
    pub(super) id: Option<String>,
    pub(super) text: String,
}

impl Report {
    /// The report that comes with an event; `None` if there is none.
    pub(super) fn of(input: &HookInput) -> Option<Self> {
        let report = match input.event_type() {
            HookEvent::SubagentStop => {
                let subagent = subagent_of(input)?;
                let said = input.last_assistant_message().map(str::to_owned);
                let written = || {
                    let path = input.agent_transcript_path()?;
                    handoff::last_words(&last_lines(path)?)
                };
                Self {
                    agent: subagent.kind,
                    id: Some(subagent.id),
                    text: said.or_else(written)?,
                }
            }
            HookEvent::PostToolUse if is_delegation(input) => {
                let response = &input.tool_result()?.content;
                let text = |value: &Value, key: &str| Some(value.get(key)?.as_str()?.to_owned());
                let asked = input.tool_input();
                Self {
                    agent: asked
                        .and_then(|it| text(it, "subagent_type"))
                        .unwrap_or_default(),
                    id: text(response, "agentId"),
                    text: handoff::report_in(response),
                }
            }
            _ => return None,
        };
        (!report.text.trim().is_empty()).then_some(report)
    }

    fn run(&self) -> Run {
        Run {
            id: self.id.clone(),
            text: digest(&Value::from(self.text.as_str())),
        }
    }
}

/// Whether the report of an event stands in a file alone, because the client does not send it.
pub(super) fn is_in_a_file(input: &HookInput) -> bool {
    input.event_type() == HookEvent::SubagentStop && input.last_assistant_message().is_none()
}

/// Whether an event may come with a report, without a look at files.
pub(super) fn may_come_with(input: &HookInput) -> Match {
    let may = match input.event_type() {
        HookEvent::SubagentStop => !input.stop_hook_active() && subagent_of(input).is_some(),
        HookEvent::PostToolUse => is_delegation(input),
        _ => false,
    };
    if may {
        Match::Yes
    } else {
        Match::No("no sub-agent reports anything".to_owned())
    }
}

fn is_delegation(input: &HookInput) -> bool {
    let tool = input.tool_name().map(current_name);
    tool.is_some_and(|tool| Tool::named(tool) == Tool::Delegate)
}

/// One run of a sub-agent, as either event tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Run {
    id: Option<String>,
    text: u64,
}

impl Run {
    /// Two runs with ids are told apart by them. Otherwise the same words are the same run.
    fn is_same(&self, other: &Self) -> bool {
        match (&self.id, &other.id) {
            (Some(id), Some(other)) => id == other,
            _ => self.text == other.text,
        }
    }
}

/// The runs of a session that a hook has acted on.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Runs {
    runs: Vec<Run>,
}

/// Whether a hook acts on this run for the first time in its session. Both events of a run count once.
pub(super) fn is_first(
    memory: &Memory,
    hook: &'static str,
    report: &Report,
    input: &HookInput,
    ctx: &HookContext,
) -> bool {
    let run = report.run();
    memory.of_session(hook, input, ctx, |known: &mut Runs| {
        if known.runs.iter().any(|it| it.is_same(&run)) {
            return false;
        }
        if known.runs.len() == MAX_RUNS {
            known.runs.remove(0);
        }
        known.runs.push(run);
        true
    })
}

/// Whether a hook of this event has sent the agent somewhere. One instruction at a time is enough.
#[derive(Debug, Default)]
pub(super) struct Sent(AtomicBool);

impl Sent {
    pub(super) fn of(ctx: &HookContext) -> Arc<Self> {
        ctx.extensions().get()
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Release);
    }
}
