//! Phases: their labels, their order, and which change of phase is allowed.

use std::fmt;

use serde_json::json;

use crate::action::PhaseRequest;
use crate::error::{Code, RuleError};

/// The number in front of a phase's name: `2`, `2.1`, or `2.A`, which is the same as `2.1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label {
    /// The part before the dot.
    pub major: u32,
    /// The part after it; 0 if there is none, so that `2` is the same as `2.0`.
    pub minor: u32,
}

impl Label {
    /// Reads a label.
    pub fn parse(text: &str) -> Option<Self> {
        let (major, minor) = match text.split_once('.') {
            Some((major, minor)) => (major, parse_minor(minor)?),
            None => (text, 0),
        };
        Some(Self {
            major: parse_number(major)?,
            minor,
        })
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.minor {
            0 => write!(f, "{}", self.major),
            minor => write!(f, "{}.{minor}", self.major),
        }
    }
}

fn parse_minor(text: &str) -> Option<u32> {
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(letter), None) if letter.is_ascii_alphabetic() => {
            Some(u32::from(letter.to_ascii_uppercase()) - u32::from('A') + 1)
        }
        _ => parse_number(text),
    }
}

/// Digits alone: the standard parser would take `+1`, too.
fn parse_number(text: &str) -> Option<u32> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        text.parse().ok()
    } else {
        None
    }
}

/// A phase as it is written (`2.1: Build`), taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Phase<'a> {
    /// The whole text, without space around it.
    pub text: &'a str,
    /// Its label. A phase may have a name alone.
    pub label: Option<Label>,
    /// Its name; empty if there is a label alone.
    pub name: &'a str,
}

impl<'a> Phase<'a> {
    /// Takes a phase apart.
    pub fn parse(text: &'a str) -> Self {
        let text = text.trim();
        let (label, name) = match text.split_once(':') {
            Some((label, name)) => (Label::parse(label.trim()), name.trim()),
            None => (Label::parse(text), ""),
        };
        match label {
            Some(_) => Self { text, label, name },
            None => Self {
                text,
                label,
                name: text,
            },
        }
    }

    /// Whether the request means this phase: by the label alone, the name alone, or both. A phase without a name may be
    /// given one.
    fn is_meant_by(&self, request: &Phase<'_>) -> bool {
        match (request.label, request.name) {
            (Some(_), "") => self.label == request.label,
            (Some(_), name) => {
                self.label == request.label && (self.name.is_empty() || same(self.name, name))
            }
            (None, name) => same(self.name, name),
        }
    }
}

fn same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// What a request for a phase leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entered {
    /// The effort is in that phase already.
    Same,
    /// The effort enters a phase.
    Moved {
        /// The phase, as it is declared.
        phase: String,
        /// The effort's phases, with the new one if it was not declared.
        phases: Vec<String>,
    },
}

/// Decides a change of phase. `phases` are the declared ones, in order; if there are none, any phase may follow any other.
///
/// The next phase in order may be entered, and from any phase of a number the beginning of the next number. A further part of the current
/// number (`2.3` while in `2.2`) is added if it is not declared. Any other declared phase needs a reason, and so does a part that would be
/// added behind declared ones that were not entered yet.
pub fn enter(
    phases: &[String],
    current: Option<&str>,
    request: &PhaseRequest,
) -> Result<Entered, RuleError> {
    let wanted = Phase::parse(&request.to);
    if wanted.text.is_empty() {
        return Err(RuleError::new(
            Code::CommandError,
            "No phase was named. Say which one: `bowline effort phase \"2: Build\"`.",
        ));
    }
    let current = current.map(Phase::parse);
    if current.is_some_and(|current| current.is_meant_by(&wanted)) {
        return Ok(Entered::Same);
    }
    let moved = |phase: &str, phases: Vec<String>| Entered::Moved {
        phase: phase.to_owned(),
        phases,
    };
    if phases.is_empty() {
        return Ok(moved(wanted.text, Vec::new()));
    }

    let declared: Vec<Phase<'_>> = phases.iter().map(|phase| Phase::parse(phase)).collect();
    let next = next_place(&declared, current.as_ref());
    let (place, target, phases) = match find(&declared, next, &wanted) {
        Some((place, target)) => (place, *target, phases.to_vec()),
        None => match current.and_then(|current| place_for_part(&declared, &current, &wanted)) {
            Some(place) => (place, wanted, with_phase(phases, place, wanted.text)),
            None => return Err(unknown(phases, &wanted)),
        },
    };

    let has_reason = request
        .reason
        .as_ref()
        .is_some_and(|reason| !reason.trim().is_empty());
    if place == next || begins_next_number(current.as_ref(), &target) || has_reason {
        return Ok(moved(target.text, phases));
    }
    let expected = declared.get(next).map(|phase| phase.text);
    Err(not_sequential(current.as_ref(), expected, target.text))
}

/// The place in the order that comes after the current phase. A current phase that is no longer declared stands where its label puts it.
fn next_place(declared: &[Phase<'_>], current: Option<&Phase<'_>>) -> usize {
    let Some(current) = current else {
        return 0;
    };
    if let Some(place) = declared.iter().position(|phase| phase.is_meant_by(current)) {
        return place + 1;
    }
    let Some(label) = current.label else {
        return 0;
    };
    declared
        .iter()
        .rposition(|phase| phase.label.is_some_and(|other| other <= label))
        .map_or(0, |place| place + 1)
}

/// Several phases may have one name (`1.2: Review`, `2.2: Review`): the first from `next` on is meant, else the first of all.
fn find<'p, 'a>(
    declared: &'p [Phase<'a>],
    next: usize,
    wanted: &Phase<'_>,
) -> Option<(usize, &'p Phase<'a>)> {
    let meant = || {
        declared
            .iter()
            .enumerate()
            .filter(|(_, phase)| phase.is_meant_by(wanted))
    };
    meant()
        .find(|(place, _)| *place >= next)
        .or_else(|| meant().next())
}

fn begins_next_number(current: Option<&Phase<'_>>, target: &Phase<'_>) -> bool {
    let labels = current.and_then(|current| current.label).zip(target.label);
    labels.is_some_and(|(from, to)| Some(to.major) == from.major.checked_add(1) && to.minor == 0)
}

/// Where a part of the current number that is not declared belongs.
fn place_for_part(
    declared: &[Phase<'_>],
    current: &Phase<'_>,
    wanted: &Phase<'_>,
) -> Option<usize> {
    let (from, to) = current.label.zip(wanted.label)?;
    let is_taken = declared.iter().any(|phase| phase.label == wanted.label);
    if is_taken || from.major != to.major || to <= from {
        return None;
    }
    let next = next_place(declared, Some(current));
    let between = declared
        .iter()
        .skip(next)
        .take_while(|phase| phase.label.is_some_and(|label| label < to));
    Some(next + between.count())
}

fn with_phase(phases: &[String], place: usize, phase: &str) -> Vec<String> {
    let before = phases.iter().take(place).cloned();
    let after = phases.iter().skip(place).cloned();
    before.chain([phase.to_owned()]).chain(after).collect()
}

fn unknown(phases: &[String], wanted: &Phase<'_>) -> RuleError {
    let known: Vec<String> = phases.iter().map(|phase| format!("\"{phase}\"")).collect();
    let example = phases.first().map_or("", String::as_str);
    let message = format!(
        "\"{}\" is not a phase of this effort. Its phases are {}. Name one of them, for example: `bowline effort phase \"{example}\"`.",
        wanted.text,
        known.join(", "),
    );
    RuleError::new(Code::UnknownPhase, message)
        .with_details(json!({ "known": phases, "actual": wanted.text }))
}

fn not_sequential(current: Option<&Phase<'_>>, expected: Option<&str>, actual: &str) -> RuleError {
    let found = match current {
        Some(current) => format!("\"{actual}\" does not follow \"{}\".", current.text),
        None => format!("\"{actual}\" is not the first phase."),
    };
    let next = match expected {
        Some(expected) => {
            format!("The next phase is \"{expected}\": `bowline effort phase \"{expected}\"`.")
        }
        None => "No phase comes next. If the work is done: `bowline effort finish`.".to_owned(),
    };
    let message = format!(
        "{found} {next} To leave the order, say why: `bowline effort phase \"{actual}\" --reason \"…\"`."
    );
    RuleError::new(Code::PhaseNotSequential, message)
        .with_details(json!({ "expected": expected, "actual": actual }))
}

#[cfg(test)]
mod tests;
