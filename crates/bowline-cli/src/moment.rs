//! Times and durations, as people write and read them.

use std::time::Duration;

use bowline::hooks::humane_duration;
use chrono::{DateTime, Local, NaiveDate, TimeDelta, TimeZone as _, Utc};

/// A time as it is typed: `10m` ago, a day, or to the second.
pub(crate) fn parse_time(text: &str) -> Result<DateTime<Utc>, String> {
    parse_time_at(text, Utc::now())
}

fn parse_time_at(text: &str, now: DateTime<Utc>) -> Result<DateTime<Utc>, String> {
    let expected = || {
        "expected how long ago (30s, 10m, 2h, 3d), a day (2026-11-15) or a time (2026-11-15T10:30:00Z)"
            .to_owned()
    };
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Ok(time.to_utc());
    }
    if let Ok(day) = text.parse::<NaiveDate>() {
        let midnight = day.and_time(chrono::NaiveTime::MIN);
        // Where clocks are put forward at midnight, the day begins later.
        let begins = Local.from_local_datetime(&midnight).earliest();
        return Ok(begins.map_or(midnight.and_utc(), |time| time.to_utc()));
    }
    let ago = parse_duration(text).map_err(|_| expected())?;
    TimeDelta::from_std(ago)
        .ok()
        .and_then(|ago| now.checked_sub_signed(ago))
        .ok_or_else(expected)
}

/// A duration as it is typed: `500ms`, `2s`, `10m`, `2h`, `3d`.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let expected = || "expected a number and its unit: 500ms, 2s, 10m, 2h or 3d".to_owned();
    let unit_at = text
        .find(|c: char| !c.is_ascii_digit())
        .ok_or_else(expected)?;
    let (number, unit) = text.split_at_checked(unit_at).ok_or_else(expected)?;
    let milliseconds = match unit.trim_start() {
        "ms" => 1,
        "s" => 1_000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err(expected()),
    };
    let number: u64 = number.parse().map_err(|_| expected())?;
    let number = number.checked_mul(milliseconds).ok_or_else(expected)?;
    Ok(Duration::from_millis(number))
}

/// How long something took: `350 ms`, `1.2 s`.
pub(crate) fn took(milliseconds: i64) -> String {
    match u64::try_from(milliseconds) {
        Ok(0) => "0 ms".to_owned(),
        Ok(milliseconds) => humane_duration(Duration::from_millis(milliseconds)),
        Err(_) => "-".to_owned(),
    }
}

/// When something was: how long ago within a day, else by the calendar.
pub(crate) fn when(time: DateTime<Utc>, now: DateTime<Utc>) -> String {
    let seconds = (now - time).num_seconds();
    match seconds {
        0 => "now".to_owned(),
        1..60 => format!("{seconds} s ago"),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        _ => time
            .with_timezone(&Local)
            .format("%Y-%m-%d %H:%M")
            .to_string(),
    }
}

/// The time of day, to the second, where the reader is.
pub(crate) fn clock(time: DateTime<Utc>) -> String {
    time.with_timezone(&Local).format("%H:%M:%S").to_string()
}

/// A time in full, where the reader is.
pub(crate) fn full(time: DateTime<Utc>) -> String {
    time.with_timezone(&Local)
        .format("%Y-%m-%d %H:%M:%S%.3f %:z")
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        let now = at("2026-11-15T12:00:00Z");
        for (text, expected) in [
            ("30s", "2026-11-15T11:59:30Z"),
            ("10m", "2026-11-15T11:50:00Z"),
            ("2h", "2026-11-15T10:00:00Z"),
            ("3d", "2026-11-12T12:00:00Z"),
            ("2026-11-14T01:02:03+01:00", "2026-11-14T00:02:03Z"),
        ] {
            assert_eq!(parse_time_at(text, now), Ok(at(expected)), "{text}");
        }
        assert!(parse_time_at("2026-11-14", now).is_ok());
        for text in [
            "",
            "10",
            "m",
            "-5m",
            "yesterday",
            "2026-13-01",
            "99999999999999999999d",
            "18446744073709551615ms",
            "9223372036854775d",
            "١m",
        ] {
            assert!(parse_time_at(text, now).is_err(), "{text}");
        }
    }

    #[test]
    fn times_are_shown_as_people_read_them() {
        let now = at("2026-11-15T12:00:00Z");
        for (time, expected) in [
            ("2026-11-15T12:00:00Z", "now"),
            ("2026-11-15T11:59:18Z", "42 s ago"),
            ("2026-11-15T11:01:00Z", "59 min ago"),
            ("2026-11-14T13:00:00Z", "23 h ago"),
        ] {
            assert_eq!(when(at(time), now), expected);
        }
        for far in ["2026-10-01T12:00:00Z", "2026-12-24T12:00:00Z"] {
            assert!(when(at(far), now).starts_with("2026-1"), "{far}");
        }
        for (milliseconds, expected) in [
            (0, "0 ms"),
            (350, "350 ms"),
            (1_234, "1.2 s"),
            (-1, "-"),
            (150_000, "2.5 min"),
        ] {
            assert_eq!(took(milliseconds), expected);
        }
    }
}
