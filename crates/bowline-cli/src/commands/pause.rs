//! `bowline pause`: Bowline keeps recording, but decides nothing.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;

use bowline_daemon::Pause;
use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;

use crate::Outcome;
use crate::control;
use crate::error::{Error, ErrorKind, Result};
use crate::moment::parse_duration;
use crate::standing;
use crate::ui::{Format, FormatArgs, Text, Ui, style};

/// A longer pause is an uninstalled Bowline.
const LONGEST_DAYS: i64 = 366;

/// Stop deciding for a while; recording continues
///
/// Nothing is denied or asked about until the time is over or `bowline resume` is run
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline pause
  bowline pause --for 10m")]
pub(crate) struct PauseArgs {
    /// How long: 30s, 10m, 2h or 1d; without it, until `bowline resume`
    #[arg(long = "for", value_name = "TIME", value_parser = length)]
    length: Option<TimeDelta>,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, Serialize)]
struct Report {
    paused: Pause,
}

/// A time that can pass: not none, and not for ever.
pub(super) fn length(text: &str) -> Result<TimeDelta, String> {
    let longest = TimeDelta::days(LONGEST_DAYS);
    let parsed = parse_duration(text)
        .ok()
        .and_then(|length| TimeDelta::from_std(length).ok())
        .filter(|length| *length > TimeDelta::zero() && *length <= longest);
    parsed.ok_or_else(|| {
        format!(
            "expected a number and its unit, such as 30s, 10m, 2h or 1d; at most {LONGEST_DAYS}d"
        )
    })
}

pub(crate) fn run(args: &PauseArgs, ui: &mut Ui) -> Result<Outcome> {
    standing::no_agent()?;
    let places = control::places()?;
    let since = Utc::now();
    let pause = Pause {
        since,
        until: args
            .length
            .and_then(|length| since.checked_add_signed(length)),
    };
    let cannot_pause = |source: Box<dyn std::error::Error + Send + Sync>| {
        Error::new(ErrorKind::File, "cannot pause").caused_by(source)
    };
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&places.data)
        .map_err(|source| cannot_pause(source.into()))?;
    pause
        .write(&places.pause())
        .map_err(|source| cannot_pause(source.into()))?;
    control::tell(&places, "daemon.reload");
    match args.format.format() {
        Format::Json => ui.json(&Report { paused: pause })?,
        Format::Text => show(&pause, ui),
    }
    Ok(Outcome::Clean)
}

fn show(pause: &Pause, ui: &mut Ui) {
    let until = match pause.until {
        Some(until) => format!("until {}", shown(until)),
        None => "until `bowline resume`".to_owned(),
    };
    ui.line(
        Text::styled(format!("Paused {until}."), style::CAUTION).plain(
            " Events are still recorded; nothing is decided: no denials, no questions, no hooks of yours.",
        ),
    );
    if pause.until.is_some() {
        ui.line("`bowline resume` ends it earlier.");
    }
}

/// A time, for people.
pub(super) fn shown(time: DateTime<Utc>) -> String {
    crate::moment::full(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_number_and_a_unit() {
        for (text, seconds) in [
            ("30s", Some(30)),
            ("10m", Some(600)),
            ("2h", Some(7_200)),
            ("1d", Some(86_400)),
            ("366d", Some(366 * 86_400)),
            ("367d", None),
            ("0s", None),
            ("-5m", None),
            ("+5m", None),
            ("5", None),
            ("m", None),
            ("", None),
            ("1.5h", None),
            ("5µ", None),
            ("99999999999999999999d", None),
            ("9223372036854775807h", None),
        ] {
            let read = length(text).map(|length| length.num_seconds());
            assert_eq!(read.as_ref().ok(), seconds.as_ref(), "{text}: {read:?}");
            if let Err(message) = read {
                assert!(message.contains("10m"), "{message}");
            }
        }
    }
}
