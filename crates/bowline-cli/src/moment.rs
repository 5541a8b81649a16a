//! Times and durations, as people write and read them.

use std::time::Duration;

use bowline::hooks::humane_duration;
use chrono::{
    DateTime, Datelike as _, Days, Local, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta,
    TimeZone as _, Utc, Weekday,
};

/// What time it is, for people who look. Tests of debug builds set their clock by `BOWLINE_NOW`; no decision asks here.
pub(crate) fn now() -> DateTime<Utc> {
    let set = || std::env::var("BOWLINE_NOW").ok()?.parse().ok();
    let set = if cfg!(debug_assertions) { set() } else { None };
    set.unwrap_or_else(Utc::now)
}

/// A time as it is typed: `10m` ago, a day, or to the second.
pub(crate) fn parse_time(text: &str) -> Result<DateTime<Utc>, String> {
    parse_time_at(text, now())
}

fn parse_time_at(text: &str, now: DateTime<Utc>) -> Result<DateTime<Utc>, String> {
    let expected = || {
        "expected how long ago (30s, 10m, 2h, 3d, 1w), a day (today, yesterday, monday, 2026-11-15) or a time \
         (10:30, 2026-11-15 10:30, 2026-11-15T10:30:00Z)"
            .to_owned()
    };
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Ok(time.to_utc());
    }
    if let Some(time) = local_time(text.trim(), now.with_timezone(&Local).naive_local()) {
        // Where clocks are put forward at midnight, the day begins later.
        let begins = Local.from_local_datetime(&time).earliest();
        return Ok(begins.map_or(time.and_utc(), |time| time.to_utc()));
    }
    let ago = parse_duration(text).map_err(|_| expected())?;
    TimeDelta::from_std(ago)
        .ok()
        .and_then(|ago| now.checked_sub_signed(ago))
        .ok_or_else(expected)
}

/// A day or a time where the reader is; a day without a time is its beginning, a time without a day is today's.
fn local_time(text: &str, now: NaiveDateTime) -> Option<NaiveDateTime> {
    for format in [
        "%Y-%m-%d %H:%M",
        "%Y-%m-%d %H:%M:%S",
        "%Y-%m-%dT%H:%M",
        "%Y-%m-%dT%H:%M:%S",
    ] {
        if let Ok(time) = NaiveDateTime::parse_from_str(text, format) {
            return Some(time);
        }
    }
    for format in ["%H:%M", "%H:%M:%S"] {
        if let Ok(time) = NaiveTime::parse_from_str(text, format) {
            return Some(now.date().and_time(time));
        }
    }
    let day = match text.to_ascii_lowercase().as_str() {
        "today" => now.date(),
        "yesterday" => now.date().pred_opt()?,
        word => match word.parse::<Weekday>() {
            Ok(day) => last(day, now.date())?,
            Err(_) => text.parse().ok()?,
        },
    };
    Some(day.and_time(NaiveTime::MIN))
}

/// The last day of this name, today included.
fn last(day: Weekday, today: NaiveDate) -> Option<NaiveDate> {
    today.checked_sub_days(Days::new(u64::from(today.weekday().days_since(day))))
}

/// A duration as it is typed: `500ms`, `2s`, `10m`, `2h`, `3d`, `1w`.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let expected = || "expected a number and its unit: 500ms, 2s, 10m, 2h, 3d or 1w".to_owned();
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
        "w" => 7 * 86_400_000,
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

/// For how long something has been so: `12 s`, `3 min`.
pub(crate) fn lasting(since: DateTime<Utc>, now: DateTime<Utc>) -> String {
    let seconds = (now - since).num_seconds().max(0);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
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
        _ => minute(time),
    }
}

/// A time to the minute, where the reader is.
pub(crate) fn minute(time: DateTime<Utc>) -> String {
    let time = time.with_timezone(&Local);
    time.format("%Y-%m-%d %H:%M").to_string()
}

/// A day, where the reader is.
pub(crate) fn day(time: DateTime<Utc>) -> String {
    let time = time.with_timezone(&Local);
    time.format("%Y-%m-%d").to_string()
}

/// The time of day, to the second, where the reader is.
pub(crate) fn clock(time: DateTime<Utc>) -> String {
    time.with_timezone(&Local).format("%H:%M:%S").to_string()
}

/// A time in full, where the reader is.
pub(crate) fn full(time: DateTime<Utc>) -> String {
    let time = time.with_timezone(&Local);
    time.format("%Y-%m-%d %H:%M:%S").to_string()
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
            ("1w", "2026-11-08T12:00:00Z"),
            ("2026-11-14T01:02:03+01:00", "2026-11-14T00:02:03Z"),
        ] {
            assert_eq!(parse_time_at(text, now), Ok(at(expected)), "{text}");
        }
        // A Sunday.
        let noon = now.naive_utc();
        for (text, expected) in [
            ("today", "2026-11-15T00:00:00"),
            ("Yesterday", "2026-11-14T00:00:00"),
            ("sunday", "2026-11-15T00:00:00"),
            ("Mon", "2026-11-09T00:00:00"),
            ("2026-11-14", "2026-11-14T00:00:00"),
            ("2026-11-14 10:30", "2026-11-14T10:30:00"),
            ("2026-11-14T10:30:05", "2026-11-14T10:30:05"),
            ("00:10", "2026-11-15T00:10:00"),
        ] {
            let expected = expected.parse().unwrap();
            assert_eq!(local_time(text, noon), Some(expected), "{text}");
            assert!(parse_time_at(text, now).is_ok(), "{text}");
        }
        for text in [
            "",
            "10",
            "m",
            "-5m",
            "tomorrow",
            "25:00",
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
        assert_eq!(full(now).len(), "2026-11-15 12:00:00".len());
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
