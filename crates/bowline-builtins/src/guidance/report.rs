//! What a sub-agent reports at its end, from any of the events that tell it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bowline::hooks::{HookContext, HookEvent, HookInput, Match, Opinion};
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

/// The events that tell what a sub-agent reports, while it is at hand or to the agent that waits for it.
pub(super) const EVENTS: &[HookEvent] = &[HookEvent::SubagentStop, HookEvent::PostToolUse];
/// The same, and the prompt by which an agent learns that a sub-agent in the background has ended.
pub(super) const EVENTS_OF_ROUTES: &[HookEvent] = &[
    HookEvent::SubagentStop,
    HookEvent::PostToolUse,
    HookEvent::UserPromptSubmit,
];

/// Under which the sub-agents that ended are remembered.
const ENDED: &str = "report-agents";

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
            HookEvent::UserPromptSubmit => {
                let (id, text) = handoff::notified(input.prompt()?)?;
                Self {
                    agent: String::new(),
                    id: Some(id),
                    text,
                }
            }
            _ => return None,
        };
        (!report.text.trim().is_empty()).then_some(report)
    }

    /// The report of an event whose answer reaches the agent that can start the next one.
    ///
    /// A sub-agent that is kept at its end speaks again, and only its last words go back: its report would be lost. So where the client
    /// goes on to tell the agent that started it, that agent is sent on.
    pub(super) fn to_follow(memory: &Memory, input: &HookInput, ctx: &HookContext) -> Option<Self> {
        let mut report = Self::of(input)?;
        let id = report.id.clone();
        match input.event_type() {
            HookEvent::SubagentStop if is_told_again(input) => {
                memory.of_session(ENDED, input, ctx, |ended: &mut Ended| ended.add(report));
                return None;
            }
            // The notification does not say what kind of sub-agent it was.
            HookEvent::UserPromptSubmit => {
                let kind = memory.of_session(ENDED, input, ctx, |ended: &mut Ended| {
                    ended.kind_of(&id.unwrap_or_default())
                });
                report.agent = kind?;
            }
            _ => {}
        }
        Some(report)
    }

    /// This text, for the agent that the event is about. A prompt cannot be sent back, so the text stands beside it.
    pub(super) fn send(text: String, input: &HookInput) -> Opinion {
        match input.event_type() {
            HookEvent::UserPromptSubmit => Opinion::allow().context(text),
            _ => Opinion::block(text),
        }
    }

    fn run(&self) -> Run {
        Run {
            id: self.id.clone(),
            text: digest(&Value::from(self.text.as_str())),
        }
    }
}

/// Whether the client tells the agent that started a sub-agent how it ended: clients do that list what runs in the background.
fn is_told_again(input: &HookInput) -> bool {
    input.field("background_tasks").is_some()
}

/// The sub-agents of a session that ended, the last ones last: their ids and kinds.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Ended {
    agents: Vec<(String, String)>,
}

impl Ended {
    fn add(&mut self, report: Report) {
        let Some(id) = report.id else { return };
        self.agents.retain(|(known, _)| *known != id);
        if self.agents.len() >= MAX_RUNS {
            self.agents.remove(0);
        }
        self.agents.push((id, report.agent));
    }

    fn kind_of(&self, id: &str) -> Option<String> {
        let mut agents = self.agents.iter();
        let (_, kind) = agents.find(|(known, _)| known == id)?;
        Some(kind.clone())
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
        HookEvent::UserPromptSubmit => input.prompt().is_some_and(handoff::is_notification),
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
