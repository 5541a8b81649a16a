//! How long a hook may take: units and defaults of the two dialects.

use std::time::Duration;

use super::definition::Reading;
use super::merge::Candidate;
use crate::dialect::Dialect;
use crate::event::HookEvent;
use crate::hook::Activation;
use crate::settings::claude::traps;
use crate::settings::syntax::fields::shortened;
use crate::settings::syntax::node::{Entry, Value};
use crate::settings::{HookDefinition, HookStatus, Timeout};

/// Longer than any hook, shorter than any overflow.
const LONGEST: Duration = Duration::from_hours(365 * 24);

/// No program starts and answers in less.
const SHORTEST: Duration = Duration::from_millis(1);

/// A bare number from here on is milliseconds in the generic dialect.
const FIRST_MILLISECONDS: f64 = 1000.0;

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// `timeout`: the dialect says.
    Bare,
    /// `timeout_secs`.
    Seconds,
    /// `timeout_ms`.
    Milliseconds,
}

/// Why a number is no timeout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unusable {
    NotPositive,
    TooLong,
}

/// How long that is.
fn limit(amount: f64, unit: Unit, dialect: Dialect) -> Result<Duration, Unusable> {
    let seconds = match (unit, dialect) {
        (Unit::Milliseconds, _) => amount / 1000.0,
        (Unit::Bare, Dialect::Generic) if amount >= FIRST_MILLISECONDS => amount / 1000.0,
        (Unit::Seconds, _) | (Unit::Bare, Dialect::Generic | Dialect::ClaudeCode) => amount,
    };
    // Not a number is neither.
    if seconds.is_nan() || seconds <= 0.0 {
        return Err(Unusable::NotPositive);
    }
    match Duration::try_from_secs_f64(seconds) {
        Ok(limit) if limit.is_zero() => Err(Unusable::NotPositive),
        Ok(limit) if limit <= LONGEST => Ok(limit),
        Ok(_) | Err(_) => Err(Unusable::TooLong),
    }
}

/// What applies when nothing is written. `kind` is the type of the hook.
fn default_limit(event: HookEvent, kind: &str, dialect: Dialect) -> Duration {
    match (dialect, kind, event) {
        (Dialect::Generic, "prompt", _) => Duration::from_secs(10),
        (Dialect::Generic, _, _) | (Dialect::ClaudeCode, "agent", _) => Duration::from_mins(1),
        (Dialect::ClaudeCode, "prompt", _)
        | (
            Dialect::ClaudeCode,
            _,
            HookEvent::UserPromptSubmit | HookEvent::PreModelSwitch | HookEvent::PostModelSwitch,
        ) => Duration::from_secs(30),
        (Dialect::ClaudeCode, _, HookEvent::MessageDisplay) => Duration::from_secs(10),
        (Dialect::ClaudeCode, _, HookEvent::SessionEnd) => Duration::from_millis(1500),
        (Dialect::ClaudeCode, _, _) => Duration::from_mins(10),
    }
}

/// The most that Claude Code waits for all hooks of `SessionEnd`.
const LONGEST_SESSION_END: Duration = Duration::from_mins(1);

/// Gives Claude Code's hooks of `SessionEnd` the time that they share: its default, raised to the longest timeout
/// that a settings file writes. Plugins, skills and sub-agents cannot raise it.
pub(in crate::settings) fn share_session_end(candidates: &mut [Candidate]) {
    let of_session_end = |definition: &HookDefinition| {
        definition.event == HookEvent::SessionEnd
            && definition.origin.dialect == Dialect::ClaudeCode
    };
    let written = candidates
        .iter()
        .filter(|candidate| !matches!(candidate.status, HookStatus::Disabled { .. }))
        .map(|candidate| &candidate.definition)
        .filter(|definition| {
            of_session_end(definition)
                && definition.origin.plugin.is_none()
                && definition.activation == Activation::Always
                && definition.timeout.written.is_some()
        })
        .map(|definition| definition.timeout.limit)
        .max();
    let default = default_limit(HookEvent::SessionEnd, "command", Dialect::ClaudeCode);
    let shared = written.map_or(default, |limit| limit.clamp(default, LONGEST_SESSION_END));
    for candidate in candidates {
        if of_session_end(&candidate.definition) {
            candidate.definition.timeout.limit = shared;
        }
    }
}

impl Reading<'_, '_, '_> {
    /// A number that is no timeout is reported and the default applies: the hook itself is worth keeping.
    pub(in crate::settings) fn timeout(&mut self, kind: &str) -> Timeout {
        let written = [
            ("timeout_ms", Unit::Milliseconds),
            ("timeout_secs", Unit::Seconds),
            ("timeout", Unit::Bare),
        ]
        .into_iter()
        .filter_map(|(key, unit)| Some((self.fields.take(key)?, unit)))
        .collect::<Vec<_>>();
        let mut written = written.into_iter();
        let used = written.next();
        for (ignored, _) in written {
            self.findings.warning(
                "two-timeouts",
                &ignored.key.span,
                format!(
                    "`{}` has no effect beside a timeout with its unit",
                    ignored.key.text
                ),
                "keep one of them",
            );
        }
        let limit = used.and_then(|(entry, unit)| self.written_timeout(entry, unit));
        limit.unwrap_or_else(|| Timeout {
            limit: default_limit(self.block.event, kind, self.block.dialect),
            written: None,
        })
    }

    fn written_timeout(&mut self, entry: &Entry, unit: Unit) -> Option<Timeout> {
        let amount: Option<f64> = match &entry.value.value {
            Value::Number(digits) => digits.parse().ok(),
            _ => None,
        };
        let Some(amount) = amount else {
            self.fields
                .wrong_kind(entry, "a number; the default applies", self.findings);
            return None;
        };
        let span = entry.key.span.start..entry.value.span.end;
        let digits = self.findings.source(&entry.value.span);
        let written = format!("{}: {}", entry.key.text, shortened(digits));
        let limit = match limit(amount, unit, self.block.dialect) {
            Ok(limit) => limit,
            Err(unusable) => {
                self.fields.faulty = true;
                let why = match unusable {
                    Unusable::NotPositive => "no time at all",
                    Unusable::TooLong => "more than a year",
                };
                self.findings.error(
                    "invalid-timeout",
                    &span,
                    format!("`{written}` is {why}; the default applies"),
                    "write how long the hook may take, such as `timeout: 30`",
                );
                return None;
            }
        };
        if limit < SHORTEST {
            self.findings.warning(
                "short-timeout",
                &span,
                format!(
                    "`{written}` is less than a millisecond: the hook is stopped before it can answer"
                ),
                "write how long the hook may take, such as `timeout: 30`",
            );
        }
        if self.block.dialect == Dialect::ClaudeCode {
            match unit {
                Unit::Bare => traps::long_timeout(&written, limit, &span, self.findings),
                Unit::Seconds | Unit::Milliseconds => self.findings.warning(
                    "not-claude-code-field",
                    &entry.key.span,
                    format!(
                        "Claude Code does not know `{}` and takes its default",
                        entry.key.text
                    ),
                    "write `timeout` in seconds",
                ),
            }
        }
        Some(Timeout {
            limit,
            written: Some(written),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_durations() {
        let ms = |ms| Ok(Duration::from_millis(ms));
        for (amount, unit, dialect, expected) in [
            (10.0, Unit::Bare, Dialect::Generic, ms(10_000)),
            (999.0, Unit::Bare, Dialect::Generic, ms(999_000)),
            (1000.0, Unit::Bare, Dialect::Generic, ms(1000)),
            (5000.0, Unit::Bare, Dialect::Generic, ms(5000)),
            (5000.0, Unit::Bare, Dialect::ClaudeCode, ms(5_000_000)),
            (5000.0, Unit::Seconds, Dialect::Generic, ms(5_000_000)),
            (50.0, Unit::Milliseconds, Dialect::ClaudeCode, ms(50)),
            (0.25, Unit::Bare, Dialect::ClaudeCode, ms(250)),
            (1.5, Unit::Bare, Dialect::Generic, ms(1500)),
            (
                0.0,
                Unit::Bare,
                Dialect::Generic,
                Err(Unusable::NotPositive),
            ),
            (
                -1.0,
                Unit::Seconds,
                Dialect::Generic,
                Err(Unusable::NotPositive),
            ),
            (
                1e-30,
                Unit::Bare,
                Dialect::Generic,
                Err(Unusable::NotPositive),
            ),
            (
                f64::NAN,
                Unit::Bare,
                Dialect::Generic,
                Err(Unusable::NotPositive),
            ),
            (
                f64::INFINITY,
                Unit::Bare,
                Dialect::Generic,
                Err(Unusable::TooLong),
            ),
            (
                1e300,
                Unit::Seconds,
                Dialect::Generic,
                Err(Unusable::TooLong),
            ),
            (4e7, Unit::Seconds, Dialect::Generic, Err(Unusable::TooLong)),
        ] {
            assert_eq!(
                limit(amount, unit, dialect),
                expected,
                "{amount} {unit:?} {dialect}"
            );
        }
    }
}
