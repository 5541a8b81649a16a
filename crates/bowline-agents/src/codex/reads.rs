//! What Codex makes of an answer, by its own rules. It takes more for a failure than other agents do, and goes on then.

use serde_json::{Map, Value};

use crate::answer::Answer;
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::reading::Reading;
use crate::reported::Reported;

/// The fields of every answer.
const COMMON: [&str; 4] = ["continue", "stopReason", "suppressOutput", "systemMessage"];

pub(super) fn reads(reported: &Reported<'_>, answer: &Answer) -> Option<Reading> {
    let event = reported.event;
    if !prints(event) {
        return Some(Reading::silence());
    }
    match answer.exit {
        0 => {}
        2 => return by_exit_code(event, answer.stderr.trim()),
        _ => return None,
    }
    let text = answer.stdout.trim();
    if !text.starts_with(['{', '[']) {
        return plain(event, text);
    }
    let Value::Object(said) = serde_json::from_str(text).ok()? else {
        return None;
    };
    Said::checked(event, &said)?.read()
}

/// Whether anything of this event is read.
fn prints(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::SessionStart
            | HookEvent::UserPromptSubmit
            | HookEvent::PreToolUse
            | HookEvent::PermissionRequest
            | HookEvent::PostToolUse
            | HookEvent::PreCompact
            | HookEvent::PostCompact
            | HookEvent::SubagentStart
            | HookEvent::SubagentStop
            | HookEvent::Stop
    )
}

/// Exit code 2 blocks where a reason is there.
fn by_exit_code(event: HookEvent, reason: &str) -> Option<Reading> {
    let blocks = matches!(
        event,
        HookEvent::UserPromptSubmit
            | HookEvent::PreToolUse
            | HookEvent::PermissionRequest
            | HookEvent::PostToolUse
            | HookEvent::Stop
            | HookEvent::SubagentStop
    );
    (blocks && !reason.is_empty())
        .then(|| Reading::decided(Decision::Deny, Some(reason.to_owned())))
}

/// Text that is no JSON.
fn plain(event: HookEvent, text: &str) -> Option<Reading> {
    let takes_text = matches!(
        event,
        HookEvent::SessionStart | HookEvent::SubagentStart | HookEvent::UserPromptSubmit
    );
    match event {
        _ if text.is_empty() => Some(Reading::silence()),
        HookEvent::Stop | HookEvent::SubagentStop => None,
        _ => Some(Reading {
            context: takes_text.then(|| text.to_owned()),
            ..Reading::silence()
        }),
    }
}

/// An answer of which every field is one that Codex knows there.
struct Said<'a> {
    event: HookEvent,
    top: &'a Map<String, Value>,
    own: Option<&'a Map<String, Value>>,
}

impl<'a> Said<'a> {
    fn checked(event: HookEvent, top: &'a Map<String, Value>) -> Option<Self> {
        let (decides, own_fields): (&[&str], &[&str]) = match event {
            HookEvent::PreToolUse => (
                &["decision", "reason", "hookSpecificOutput"],
                &[
                    "additionalContext",
                    "permissionDecision",
                    "permissionDecisionReason",
                    "updatedInput",
                ],
            ),
            HookEvent::PostToolUse => (
                &["decision", "reason", "hookSpecificOutput"],
                &["additionalContext", "updatedMCPToolOutput"],
            ),
            HookEvent::UserPromptSubmit => (
                &["decision", "reason", "hookSpecificOutput"],
                &["additionalContext"],
            ),
            HookEvent::PermissionRequest => (&["hookSpecificOutput"], &["decision"]),
            HookEvent::SessionStart | HookEvent::SubagentStart => {
                (&["hookSpecificOutput"], &["additionalContext"])
            }
            HookEvent::Stop | HookEvent::SubagentStop => (&["decision", "reason"], &[]),
            _ => (&[], &[]),
        };
        let is_known = |(name, value): (&String, &Value)| match name.as_str() {
            "continue" | "suppressOutput" => value.is_boolean(),
            "stopReason" | "systemMessage" => value.is_string() || value.is_null(),
            name => {
                let fits = value.is_null() || value.is_string() == (name != "hookSpecificOutput");
                decides.contains(&name) && fits
            }
        };
        if !top.iter().all(is_known) {
            return None;
        }
        let own = match top.get("hookSpecificOutput") {
            None | Some(Value::Null) => None,
            Some(own) => Some(own.as_object()?),
        };
        if let Some(own) = own {
            let is_known = |(name, value): (&String, &Value)| match name.as_str() {
                "hookEventName" => value.as_str() == Some(event.name()),
                "decision" => value.is_object() || value.is_null(),
                "updatedInput" | "updatedMCPToolOutput" => true,
                _ => value.is_string() || value.is_null(),
            } && (name == "hookEventName" || own_fields.contains(&name.as_str()));
            if !own.iter().all(is_known) || !own.contains_key("hookEventName") {
                return None;
            }
        }
        Some(Self { event, top, own })
    }

    fn read(&self) -> Option<Reading> {
        let (decision, reason) = self.decided()?;
        Some(Reading {
            input: self.own("updatedInput").cloned(),
            context: self.own("additionalContext").and_then(text),
            message: self.top.get("systemMessage").and_then(text),
            ..Reading::decided(decision, reason)
        })
    }

    fn own(&self, name: &str) -> Option<&Value> {
        self.own?.get(name).filter(|value| !value.is_null())
    }

    fn own_text(&self, name: &str) -> Option<&str> {
        self.own(name)?.as_str()
    }

    fn has(&self, names: &[&str]) -> bool {
        let is_said = |name: &&str| match self.top.get(*name) {
            None | Some(Value::Null) => false,
            Some(Value::Bool(flag)) => *flag != (**name == *COMMON[0]),
            Some(_) => true,
        };
        names.iter().any(is_said)
    }

    fn ends(&self) -> bool {
        self.top.get("continue") == Some(&Value::Bool(false))
    }

    fn decided(&self) -> Option<(Decision, Option<String>)> {
        let stop_reason = || self.top.get("stopReason").and_then(text);
        match self.event {
            HookEvent::PreToolUse => self.permission(),
            HookEvent::PermissionRequest => self.request(),
            HookEvent::PostToolUse => {
                if self.has(&["suppressOutput"]) || self.own("updatedMCPToolOutput").is_some() {
                    return None;
                }
                if self.ends() {
                    Some((Decision::Deny, stop_reason()))
                } else {
                    self.block()
                }
            }
            HookEvent::UserPromptSubmit
            | HookEvent::SessionStart
            | HookEvent::PreCompact
            | HookEvent::PostCompact
                if self.ends() =>
            {
                Some((Decision::Deny, stop_reason()))
            }
            // The turn ends, as it would have.
            HookEvent::Stop | HookEvent::SubagentStop if self.ends() => {
                Some((Decision::NoOpinion, None))
            }
            HookEvent::UserPromptSubmit | HookEvent::Stop | HookEvent::SubagentStop => self.block(),
            _ => Some((Decision::NoOpinion, None)),
        }
    }

    /// `decision: block`, which needs a reason.
    fn block(&self) -> Option<(Decision, Option<String>)> {
        let reason = self.top.get("reason").and_then(text);
        match (self.top.get("decision").and_then(Value::as_str), reason) {
            (None, None) => Some((Decision::NoOpinion, None)),
            (Some("block"), Some(reason)) if !reason.trim().is_empty() => {
                Some((Decision::Deny, Some(reason)))
            }
            _ => None,
        }
    }

    fn permission(&self) -> Option<(Decision, Option<String>)> {
        if self.has(&COMMON[..3]) {
            return None;
        }
        let reason = self.own_text("permissionDecisionReason");
        let rewritten = self.own("updatedInput");
        match (self.own_text("permissionDecision"), reason) {
            (None, None) if rewritten.is_none() => self.block(),
            (Some("deny"), Some(reason)) if !reason.trim().is_empty() => {
                Some((Decision::Deny, Some(reason.to_owned())))
            }
            // Codex asks as it would have.
            (Some("allow"), _) if rewritten.is_some() => Some((Decision::NoOpinion, None)),
            _ => None,
        }
    }

    fn request(&self) -> Option<(Decision, Option<String>)> {
        if self.has(&COMMON[..3]) {
            return None;
        }
        let Some(decision) = self.own("decision") else {
            return Some((Decision::NoOpinion, None));
        };
        let fields = decision.as_object()?;
        let unknown =
            |name: &String| !["behavior", "message", "interrupt"].contains(&name.as_str());
        if fields.keys().any(unknown) || fields.get("interrupt") == Some(&Value::Bool(true)) {
            return None;
        }
        match fields.get("behavior")?.as_str()? {
            "allow" => Some((Decision::Grant, None)),
            "deny" => Some((Decision::Deny, fields.get("message").and_then(text))),
            _ => None,
        }
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}
