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
//! would keep the agent going, which is the opposite of closed. Whatever is not known here gets no JSON at all. Where neither
//! agent nor event is named, it counts as another gate.

use serde_json::{Value, json};

use crate::{Answer, Call, OnFailure};

/// An event that could not be decided.
#[derive(Debug, Clone, Copy)]
pub struct Failure<'a> {
    /// The agent, as `init` named it; nothing if it was not named.
    pub agent: &'a str,
    /// The event, as the agent spells it.
    pub event: Option<&'a str>,
    /// What the agent is told then.
    pub on_failure: OnFailure,
    /// What happened, for a person: a sentence without its full stop.
    pub reason: &'a str,
}

/// What a block would come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stake {
    /// Something runs, or a model is switched.
    Action,
    /// Something else goes on.
    Gate,
    /// The agent would go on instead of ending its turn.
    Turn,
    /// It is too late, or was never possible.
    Nothing,
}

impl<'a> Failure<'a> {
    /// The failure of this call. If its command line does not name the event, its payload may.
    pub fn of(call: &'a Call, payload: &'a [u8], reason: &'a str) -> Self {
        let event = call.event.as_deref().or_else(|| event_in(payload));
        Self {
            // A client that ignores arguments starts the program bare, and names its event in the payload.
            agent: match call.agent.as_str() {
                "" if event.is_some() => "claude-code",
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
            (OnFailure::Open, _) => Answer::default(),
            (OnFailure::Ask, Stake::Action) => self.ask().unwrap_or_else(|| self.deny()),
            (OnFailure::Ask, Stake::Gate) => self.ask().unwrap_or_else(|| self.show()),
            (OnFailure::Closed, Stake::Turn) | (OnFailure::Ask, _) => self.show(),
            (OnFailure::Closed, _) => self.deny(),
        }
    }

    /// The answer when the payload is too long to be judged: no mode may let that pass unseen.
    pub fn unverified(&self) -> Answer {
        match self.stake() {
            Stake::Action | Stake::Gate => self.ask().unwrap_or_else(|| self.deny()),
            Stake::Turn | Stake::Nothing => self.show(),
        }
    }

    /// What a block would come to. Where neither agent nor event is named, that may be every prompt.
    fn stake(&self) -> Stake {
        match (self.agent, self.event) {
            ("", None) => Stake::Gate,
            (_, event) => stake(event),
        }
    }

    /// The agent's way to let the person decide. Where a dialog is about to open, silence is that way.
    fn ask(&self) -> Option<Answer> {
        let (event, text) = (self.event?, self.text());
        let nested = || {
            json!({"hookSpecificOutput": {
                "hookEventName": event,
                "permissionDecision": "ask",
                "permissionDecisionReason": text,
            }})
        };
        match (self.agent, plain(event).as_str()) {
            ("claude-code", "pretooluse" | "premodelswitch") => Some(printed(&nested())),
            ("claude-code", "permissionrequest" | "elicitation")
            | ("codex" | "copilot", "permissionrequest") => Some(Answer::default()),
            // Copilot speaks Claude's form where the event is registered in Claude's spelling.
            ("copilot", "pretooluse") if event == "PreToolUse" => Some(printed(&nested())),
            ("copilot", "pretooluse") => Some(printed(
                &json!({"permissionDecision": "ask", "permissionDecisionReason": text}),
            )),
            ("cursor", "beforeshellexecution" | "beforemcpexecution") => Some(printed(
                &json!({"permission": "ask", "user_message": text, "agent_message": text}),
            )),
            ("generic", _) => Some(printed(
                &json!({"continue_execution": false, "decision": "ask", "stop_reason": text}),
            )),
            _ => None,
        }
    }

    fn deny(&self) -> Answer {
        let text = self.text();
        match (self.agent, self.event.map(plain).as_deref()) {
            ("claude-code", Some("permissionrequest")) => printed(&json!({"hookSpecificOutput": {
                "hookEventName": self.event,
                "decision": {"behavior": "deny", "message": text},
            }})),
            ("copilot", Some("permissionrequest")) => {
                printed(&json!({"behavior": "deny", "message": text}))
            }
            ("copilot", Some("userpromptsubmitted" | "userpromptsubmit")) => {
                printed(&json!({"decision": "block", "reason": text}))
            }
            _ => Answer {
                exit: 2,
                ..self.show()
            },
        }
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

fn printed(answer: &Value) -> Answer {
    Answer {
        stdout: format!("{answer}\n"),
        ..Answer::default()
    }
}

/// The name without its spelling: `PreToolUse`, `preToolUse` and `pre_tool_use` are one.
fn plain(event: &str) -> String {
    let letters = event.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

fn stake(event: Option<&str>) -> Stake {
    let Some(event) = event else {
        return Stake::Action;
    };
    match plain(event).as_str() {
        "pretooluse"
        | "permissionrequest"
        | "premodelswitch"
        | "premcptoolcall"
        | "beforetool"
        | "beforeshellexecution"
        | "beforemcpexecution"
        | "beforereadfile"
        | "toolexecutebefore"
        | "toolcall"
        | "pretool"
        | "preruncommand"
        | "prewritecode"
        | "prereadcode"
        | "premcptooluse" => Stake::Action,
        "userpromptsubmit"
        | "userpromptsubmitted"
        | "userpromptexpansion"
        | "beforesubmitprompt"
        | "beforeagent"
        | "preuserprompt"
        | "chatmessage"
        | "sessionstart"
        | "subagentstart"
        | "taskcreated"
        | "taskcompleted"
        | "precompact"
        | "configchange"
        | "elicitation"
        | "elicitationresult"
        | "worktreecreate" => Stake::Gate,
        "stop" | "agentstop" | "subagentstop" | "teammateidle" | "afteragent" | "agentend"
        | "sessionidle" => Stake::Turn,
        _ => Stake::Nothing,
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
