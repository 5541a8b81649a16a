//! Durations as people read them.

use std::time::Duration;

/// `83 min`, `30 s`, `1.5 s`, `250 ms`, `40 µs`.
pub fn humane(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds >= 120.0 {
        format!("{} min", trimmed(seconds / 60.0))
    } else if seconds >= 1.0 {
        format!("{} s", trimmed(seconds))
    } else if duration.as_micros() >= 1000 {
        format!("{} ms", trimmed(seconds * 1e3))
    } else {
        format!("{} µs", duration.as_micros())
    }
}

/// One decimal where it says something.
fn trimmed(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        for (ms, expected) in [
            (0, "0 µs"),
            (12, "12 ms"),
            (1500, "1.5 s"),
            (60_000, "60 s"),
            (5_000_000, "83.3 min"),
        ] {
            assert_eq!(humane(Duration::from_millis(ms)), expected);
        }
    }
}
