//! The numbers under which rows are found.

use chrono::{DateTime, Utc};

use crate::hash::{fnv1a, mix};

/// Bits of an event's number that come from its id; the rest is the time in milliseconds, enough until the year 2109.
const EVENT_BITS: u32 = 21;
/// Traces whose numbers agree but for these bits share a part of the index by id.
const SEGMENT_BITS: u32 = 14;
/// Bits of the hash of a tool call's id that its number in the index has.
const LOOKUP_BITS: u32 = 36;

/// 2020 and 2100: times outside are no times.
const PLAUSIBLE: std::ops::Range<i64> = 1_577_836_800_000..4_102_444_800_000;

/// The number of an event. Events of about the same time are neighbours; the same event always has the same number.
pub(super) fn event(id: &str, time: DateTime<Utc>) -> i64 {
    let millis = time_of(id).unwrap_or_else(|| time.timestamp_millis());
    let salt = mix(fnv1a(id.as_bytes())) & ((1 << EVENT_BITS) - 1);
    event_floor(millis) | i64::try_from(salt).unwrap_or(0)
}

/// Every event of this time or later has at least this number.
pub(super) fn event_floor(millis: i64) -> i64 {
    millis.clamp(0, (1 << 42) - 1) << EVENT_BITS
}

/// The time of an event with this number.
pub(super) fn event_time(number: i64) -> i64 {
    number >> EVENT_BITS
}

/// The time that an id begins with: a UUID of version 7, or twelve digits and a hyphen.
fn time_of(id: &str) -> Option<i64> {
    let bytes = id.as_bytes();
    let digits = match (bytes.get(8), bytes.get(12)) {
        (Some(b'-'), _) if id.len() == 36 && bytes.get(14) == Some(&b'7') => {
            [id.get(..8)?, id.get(9..13)?].concat()
        }
        (Some(digit), Some(b'-')) if digit.is_ascii_hexdigit() => id.get(..12)?.to_owned(),
        _ => return None,
    };
    let millis = i64::from_str_radix(&digits, 16).ok()?;
    PLAUSIBLE.contains(&millis).then_some(millis)
}

/// The number by which a tool call in this row is found.
pub(super) fn lookup(row: i64, tool_use_id: &str) -> i64 {
    (segment(row) << LOOKUP_BITS) | hash_bits(tool_use_id)
}

/// Every number that a tool call may have if it is in one of these rows, newest first.
pub(super) fn lookups(rows: std::ops::RangeInclusive<i64>, tool_use_id: &str) -> Vec<i64> {
    let bits = hash_bits(tool_use_id);
    (segment(*rows.start())..=segment(*rows.end()))
        .rev()
        .map(|segment| (segment << LOOKUP_BITS) | bits)
        .collect()
}

fn segment(row: i64) -> i64 {
    row >> SEGMENT_BITS
}

fn hash_bits(tool_use_id: &str) -> i64 {
    let bits = mix(fnv1a(tool_use_id.as_bytes())) & ((1 << LOOKUP_BITS) - 1);
    i64::try_from(bits).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_an_event_follows_the_time_in_its_id() {
        let t = |millis| DateTime::from_timestamp_millis(millis).unwrap();
        let now = 1_800_000_000_000;
        for id in ["01a3185c5000-77-1", "01a3185c-5000-7abc-8def-0123456789ab"] {
            assert_eq!(
                event(id, t(1)),
                event(id, t(now)),
                "{id} carries its own time"
            );
            assert_eq!(event(id, t(1)) >> EVENT_BITS, now);
        }
        for id in [
            "",
            "call-1",
            "01a3185c-5000-4abc-8def-0123456789ab",
            "ffffffffffff-1",
            "ääääääääääääää",
        ] {
            assert_eq!(event(id, t(now)) >> EVENT_BITS, now, "{id} does not");
        }
        assert!(event("a", t(now)) < event("a", t(now + 1)));
        assert!(event("a", t(i64::from(i32::MIN))) >= 0);
    }

    #[test]
    fn a_call_is_found_in_any_segment() {
        for row in [1, 16_383, 16_384, 1_000_000] {
            assert!(lookups(1..=1_000_000, "toolu_1").contains(&lookup(row, "toolu_1")));
        }
        assert_eq!(lookups(1..=1_000_000, "x").len(), 62);
    }
}
