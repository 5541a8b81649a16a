//! The answer to an event that cannot be understood. On a gate a person decides, and dangerous raw text is denied.

use std::time::Duration;

use bowline::hooks::{Decision, EventClass, HookEvent, Recording};
use bowline_guard::Strictness;
use bowline_guard::judge::judge;
use bowline_guard::paths::StaticWorld;
use bowline_guard::policy::GuardPolicy;
use bowline_guard::secrets::{self, redact};
use bowline_guard::tool_call::{ToolCall, judge_command, judge_files};
use bowline_store::Record;
use bowline_wire::{Answer, Call, FailMode, Failure};
use chrono::Utc;

use super::Decided;
use super::context::recording_unread;
use crate::bounded::FILES_WITHIN;

/// At most this much of the text is looked at.
const LOOKED_AT: usize = 256 * 1024;
/// At most this many of its pieces are judged.
const PIECES: usize = 256;

/// An answer without a verdict.
pub(super) struct Unverified {
    pub(super) answer: Answer,
    pub(super) decision: Decision,
    pub(super) reason: String,
}

impl Decided {
    /// The answer when deciding failed, by the call's fail mode.
    pub(crate) fn failure(call: &Call, reason: &str) -> Self {
        let failure = Failure {
            agent: &call.agent,
            event: call.event.as_deref(),
            on_failure: call.on_failure,
            reason,
        };
        let answer = failure.answer();
        // How the agent acts depends on its form. The record says what was meant.
        let decision = match (answer == Answer::default(), call.on_failure) {
            (true, _) => Decision::NoOpinion,
            (false, FailMode::Closed) => Decision::Deny,
            (false, _) => Decision::Ask,
        };
        let reason = reason.to_owned();
        Unverified {
            answer,
            decision,
            reason,
        }
        .decided(call, Duration::ZERO)
    }
}

impl Unverified {
    /// Silence about an event that could not be read.
    pub(super) fn silence(problem: &str) -> Self {
        Self {
            answer: Answer::default(),
            decision: Decision::NoOpinion,
            reason: format!("not verified: {problem}"),
        }
    }

    pub(super) fn decided(self, call: &Call, took: Duration) -> Decided {
        let event = call.event.as_deref().unwrap_or("Unknown");
        let mut record = Record::new(call.id.as_str(), Utc::now(), &*call.agent, event, "");
        record.decided.decision = self.decision;
        record.decided.reason = Some(redact(&self.reason).into_owned());
        record.decided.duration = took;
        Decided {
            answer: self.answer,
            record: (recording_unread(call) == Recording::On).then_some(record),
            files_left: FILES_WITHIN,
        }
    }
}

/// Judges the raw text of an invalid event. Denies if failures are to deny.
pub(super) fn answer(call: &Call, payload: &[u8], problem: &str) -> Unverified {
    let reason = format!("not verified: {problem}");
    let gate = call
        .event
        .as_deref()
        .and_then(HookEvent::from_any_spelling)
        .is_none_or(|event| event.class() == EventClass::Gate);
    if gate && call.on_failure == FailMode::Closed {
        return Unverified {
            answer: failure(call, payload, &reason).answer(),
            decision: Decision::Deny,
            reason,
        };
    }
    if gate && looks_dangerous(payload) {
        let reason = format!("{reason}, and its text looks dangerous");
        return Unverified {
            answer: failure(call, payload, &reason).unverified(),
            decision: Decision::Ask,
            reason,
        };
    }
    if gate {
        let failure = Failure {
            on_failure: FailMode::Ask,
            ..failure(call, payload, &reason)
        };
        return Unverified {
            answer: failure.answer(),
            decision: Decision::Ask,
            reason,
        };
    }
    Unverified::silence(problem)
}

/// The failure of a call. An event with an unknown name, or without one, may come before something runs.
fn failure<'a>(call: &'a Call, payload: &'a [u8], reason: &'a str) -> Failure<'a> {
    let failure = Failure::of(call, payload, reason);
    let is_known = |event: &&str| call.event.is_some() || HookEvent::from_name(event).is_some();
    Failure {
        event: failure.event.filter(is_known),
        ..failure
    }
}

/// Whether any piece of the text, such as a string of broken JSON, would be stopped as a command or as a file to read, or holds
/// a secret. Text in another encoding, or too much text, may hold anything.
fn looks_dangerous(payload: &[u8]) -> bool {
    if payload.len() > LOOKED_AT || payload.contains(&0) {
        return true;
    }
    let text = String::from_utf8_lossy(payload);
    if !secrets::scan(&text).is_empty() {
        return true;
    }
    let plain = unescaped(&text);
    let (world, policy) = (StaticWorld::new("/", "/"), GuardPolicy::default());
    let is_stopped = |piece: String| {
        let judgement = judge(&piece, &world);
        let file = ToolCall::from_fields(|field| (field == "file_path").then_some(piece.as_str()));
        judge_command(&judgement, &world, &policy).decision == Strictness::Deny
            || judge_files("Read", &file, &world, &policy).decision == Strictness::Deny
    };
    let mut pieces = plain.split('"').map(|piece| piece.replace(QUOTE, "\""));
    pieces.by_ref().take(PIECES).any(is_stopped) || pieces.next().is_some()
}

/// Stands for a quote inside a string.
const QUOTE: char = '\u{1}';

/// The text with valid JSON escapes resolved.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        if character != '\\' {
            plain.push(character);
            continue;
        }
        match rest.next() {
            Some('"') => plain.push(QUOTE),
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => plain.push('\r'),
            Some('u') => {
                let digits: String = rest.by_ref().take(4).collect();
                let code = u32::from_str_radix(&digits, 16).ok();
                plain.push(
                    code.and_then(char::from_u32)
                        .unwrap_or(char::REPLACEMENT_CHARACTER),
                );
            }
            Some(other) => plain.push(other),
            None => {}
        }
    }
    plain
}
