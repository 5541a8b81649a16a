//! Durations as programs read them: milliseconds, with a fraction.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serializer};

pub(crate) fn serialize<S: Serializer>(duration: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(of(*duration))
}

/// A duration in milliseconds, to the microsecond.
#[expect(
    clippy::cast_precision_loss,
    reason = "no duration of ours is that long"
)]
pub(crate) fn of(duration: Duration) -> f64 {
    duration.as_micros() as f64 / 1_000.0
}

/// A spool may hold durations as seconds and nanoseconds.
#[derive(Deserialize)]
#[serde(untagged)]
enum Read {
    Milliseconds(f64),
    Parts(Duration),
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    match Read::deserialize(from)? {
        Read::Parts(duration) => Ok(duration),
        Read::Milliseconds(number) => {
            Duration::try_from_secs_f64(number / 1_000.0).map_err(serde::de::Error::custom)
        }
    }
}
