//! How long a hook may take: units and defaults of the two dialects.

use std::time::Duration;

use crate::dialect::Dialect;
use crate::event::HookEvent;

/// Longer than any hook, shorter than any overflow.
const LONGEST: Duration = Duration::from_hours(365 * 24);

/// A bare number from here on is milliseconds in the generic dialect.
const FIRST_MILLISECONDS: f64 = 1000.0;

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// `timeout`: the dialect says.
    Bare,
    /// `timeout_secs`.
    Seconds,
    /// `timeout_ms`.
    Milliseconds,
}

/// Why a number is no timeout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unusable {
    NotPositive,
    TooLong,
}

/// How long that is.
pub(super) fn limit(amount: f64, unit: Unit, dialect: Dialect) -> Result<Duration, Unusable> {
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
pub(super) fn default_limit(event: HookEvent, kind: &str, dialect: Dialect) -> Duration {
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
