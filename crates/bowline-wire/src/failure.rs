//! What an agent is told when nobody could decide: the last resort, in that agent's own words.
//!
//! | | open | ask | closed | unverified |
//! |---|---|---|---|---|
//! | what runs something (PreToolUse and its like; an event that is not known by name) | silence | ask, else deny | deny | ask, else deny |
//! | other gates (prompts, tasks, settings, compaction …) | silence | ask, else show | deny | ask, else deny |
//! | a finished turn (Stop and its like) | silence | show | show | show |
//! | everything else | silence | show | exit code 2 | show |
//!
//! *Ask* is written only for agents and events that are known to follow it. *Deny* is exit code 2 with the reason on
//! stderr, which nearly every agent follows, or the agent's own JSON where it does not. *Show* is the reason on stderr with
//! exit code 0. Asking never blocks a prompt, or nobody could work on the repair; and a block at the end of a turn
//! would keep the agent going, which is the opposite of closed. Where neither agent nor event is named, it counts as another
//! gate.
//!
//! The forms are the agents' own (`bowline-agents`); an agent that is not known gets no JSON at all.

use bowline_agents::last_resort::{self, Stake};
use bowline_agents::{Answer, DEFAULT};

use crate::{Call, FailMode};

/// An event that could not be decided.
#[derive(Debug, Clone, Copy)]
pub struct Failure<'a> {
    /// The agent, as `init` named it; nothing if it was not named.
    pub agent: &'a str,
    /// The event, as the agent spells it.
    pub event: Option<&'a str>,
    /// What the agent is told then.
    pub on_failure: FailMode,
    /// What happened, for a person: a sentence without its full stop.
    pub reason: &'a str,
}

impl<'a> Failure<'a> {
    /// The failure of this call. If its command line does not name the event, its payload may.
    pub fn of(call: &'a Call, payload: &'a [u8], reason: &'a str) -> Self {
        let event = call.event.as_deref().or_else(|| event_in(payload));
        Self {
            // A client that ignores arguments starts the program bare, and names its event in the payload.
            agent: match call.agent.as_str() {
                "" if event.is_some() => DEFAULT.name,
                agent => agent,
            },
            event,
            on_failure: call.on_failure,
            reason,
        }
    }

    /// The answer when neither the daemon nor the direct run could give one.
    pub fn answer(&self) -> Answer {
        match (self.on_failure, self.stake()) {
            (FailMode::Open, _) => Answer::default(),
            (FailMode::Ask, Stake::Action) => self.ask().unwrap_or_else(|| self.deny()),
            (FailMode::Ask, Stake::Gate) => self.ask().unwrap_or_else(|| self.show()),
            (FailMode::Closed, Stake::Turn) | (FailMode::Ask, _) => self.show(),
            (FailMode::Closed, _) => self.deny(),
        }
    }

    /// The answer when the payload is too long to be judged: no mode may let that pass unseen.
    pub fn unverified(&self) -> Answer {
        match self.stake() {
            Stake::Action | Stake::Gate => self.ask().unwrap_or_else(|| self.deny()),
            Stake::Turn | Stake::Nothing => self.show(),
        }
    }

    /// What a block would come to. Where neither agent nor event is named, that may be every prompt; an event without a name
    /// may be one before something runs.
    fn stake(&self) -> Stake {
        match (self.agent, self.event) {
            ("", None) => Stake::Gate,
            (_, None) => Stake::Action,
            (agent, Some(event)) => Stake::of_name(agent, event),
        }
    }

    /// The agent's way to let the person decide. Where a dialog is about to open, silence is that way.
    fn ask(&self) -> Option<Answer> {
        last_resort::ask(self.agent, self.event?, &self.text())
    }

    fn deny(&self) -> Answer {
        let own = self
            .event
            .and_then(|event| last_resort::deny(self.agent, event, &self.text()));
        own.unwrap_or_else(|| Answer {
            exit: 2,
            ..self.show()
        })
    }

    fn show(&self) -> Answer {
        Answer {
            stderr: format!("{}\n", self.text()),
            ..Answer::default()
        }
    }

    fn text(&self) -> String {
        format!(
            "Bowline could not judge this: {}. `bowline doctor` tells what is wrong",
            self.reason
        )
    }
}

/// Looks for the event's name in a payload without reading it as JSON, for answers of last resort. A payload that seems
/// to name several has none: a tool's input may hold that key as well.
fn event_in(payload: &[u8]) -> Option<&str> {
    const KEY: &[u8] = b"\"hook_event_name\"";
    let mut found = None;
    let mut rest = payload;
    while let Some(at) = rest.windows(KEY.len()).position(|window| window == KEY) {
        rest = rest.get(at + KEY.len()..)?;
        let Some(name) = string_after_colon(rest) else {
            continue;
        };
        if found.is_some_and(|found| found != name) {
            return None;
        }
        found = Some(name);
    }
    found
}

fn string_after_colon(text: &[u8]) -> Option<&str> {
    let text = text.trim_ascii_start().strip_prefix(b":")?;
    let text = text.trim_ascii_start().strip_prefix(b"\"")?;
    let name = text.split(|byte| *byte == b'"').next()?;
    let fits = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    let fits = (1..=64).contains(&name.len()) && name.iter().all(fits);
    fits.then_some(name)
        .and_then(|name| str::from_utf8(name).ok())
}
