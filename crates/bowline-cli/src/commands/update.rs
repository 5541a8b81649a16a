//! `bowline update`: checks for a newer release at the address that the user names. There is no default address.

use std::fs;
use std::path::Path;
use std::time::Duration;

use bowline_net::http;
use serde::{Deserialize, Serialize};

use crate::Outcome;
use crate::error::{Error, Result};
use crate::ui::{FormatArgs, Ui};

/// No description of a release is longer.
const MAX_LENGTH: usize = 64 * 1024;
const WITHIN: Duration = Duration::from_secs(10);

/// Check for a newer release; contacts only the address you name
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline update --check latest.json
  bowline update --check https://example.org/bowline/latest.json

The file is the `latest.json` of a release: {\"version\": \"0.2.0\", \"commit\": \"…\",
\"page\": \"…\"}. Exits with 1 if it is newer. Nothing is downloaded or changed:
install the new release as you installed this one, then run `bowline init`
again.")]
pub(crate) struct UpdateArgs {
    /// The file or address that describes the newest release
    #[arg(long, value_name = "FILE|URL")]
    check: String,
    #[command(flatten)]
    pub(super) format: FormatArgs,
}

/// What a release says of itself.
#[derive(Debug, Deserialize)]
struct Latest {
    version: String,
    commit: Option<String>,
    page: Option<String>,
}

#[derive(Debug, Serialize)]
struct Report {
    installed: &'static str,
    latest: String,
    commit: Option<String>,
    page: Option<String>,
    newer: bool,
}

pub(crate) fn run(args: &UpdateArgs, ui: &mut Ui) -> Result<Outcome> {
    let source = args.check.as_str();
    let text = if source.starts_with("https://") || source.starts_with("http://") {
        fetch(source)?
    } else {
        let path = Path::new(source);
        fs::read_to_string(path).map_err(|error| Error::file("read", path, error))?
    };
    let latest: Latest = serde_json::from_str(&text).map_err(|error| {
        Error::input(format!("{source} does not describe a release"))
            .caused_by(error)
            .hint("expected is the `latest.json` of a release, such as {\"version\": \"0.2.0\"}")
    })?;
    let installed = env!("CARGO_PKG_VERSION");
    let found = Version::read(&latest.version).ok_or_else(|| {
        Error::input(format!("{source} has the version `{}`", latest.version))
            .hint("expected is a version such as `0.2.0`")
    })?;
    let report = Report {
        installed,
        newer: Version::read(installed).is_some_and(|installed| found > installed),
        latest: latest.version,
        commit: latest.commit,
        page: latest.page,
    };
    if args.format.format() == crate::ui::Format::Json {
        ui.json(&report)?;
    } else if report.newer {
        ui.line(format!(
            "Bowline {} is there; this is {installed}.",
            report.latest
        ));
        if let Some(page) = &report.page {
            ui.line(format!(
                "See {page}, install it, and run `bowline init` again."
            ));
        }
    } else {
        ui.line(format!(
            "Bowline {installed} is up to date ({} is the newest there).",
            report.latest
        ));
    }
    Ok(if report.newer {
        Outcome::Findings
    } else {
        Outcome::Clean
    })
}

/// What is at an address.
fn fetch(address: &str) -> Result<String> {
    let failed = |error: reqwest::Error| {
        Error::input(format!("{address} cannot be read: {}", http::cause(error)))
            .hint("addresses that lead elsewhere are not followed: name the last one")
    };
    let url = reqwest::Url::parse(address)
        .map_err(|error| Error::input(format!("{address} is no address")).caused_by(error))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::terminal("nothing can be asked", error))?;
    let body = runtime.block_on(async {
        let asked = http::client_for(&url)?.get(url).timeout(WITHIN).send();
        let answer = asked.await?.error_for_status()?;
        http::read_body(answer, MAX_LENGTH).await
    });
    let body = body.map_err(failed)?;
    if body.cut {
        let limit = MAX_LENGTH / 1024;
        return Err(Error::input(format!(
            "{address} is longer than {limit} KB: that is no description of a release"
        )));
    }
    Ok(body.text)
}

/// A version, as far as it says which of two is newer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    numbers: [u64; 3],
    /// A release comes after what was tried before it.
    stage: Stage,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Trial(String),
    Release,
}

impl Version {
    /// Reads `1.2.3`, `v1.2.3` and `1.2.3-rc.1`.
    fn read(text: &str) -> Option<Self> {
        let text = text.trim().trim_start_matches('v');
        let (numbers, stage) = match text.split_once('-') {
            Some((numbers, trial)) => (numbers, Stage::Trial(trial.to_owned())),
            None => (text, Stage::Release),
        };
        let mut parts = numbers.split('.').map(|part| part.parse().ok());
        let numbers = [parts.next()??, parts.next()??, parts.next()??];
        parts.next().is_none().then_some(Self { numbers, stage })
    }
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn versions_are_ordered_by_their_numbers() {
        for (older, newer) in [
            ("0.1.0", "0.1.1"),
            ("0.9.0", "0.10.0"),
            ("0.2.0-rc.1", "0.2.0"),
            ("v0.1.9", "1.0.0"),
        ] {
            assert!(
                Version::read(older).unwrap() < Version::read(newer).unwrap(),
                "{older}"
            );
        }
        for text in ["", "1", "1.2", "1.2.3.4", "a.b.c", "1.-2.3"] {
            assert_eq!(Version::read(text), None, "{text}");
        }
    }
}
