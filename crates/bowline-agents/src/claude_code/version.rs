//! Which version of the client knows what.

use std::fmt;
use std::str::FromStr;

use serde_core::{Serialize, Serializer};

use crate::event::HookEvent;

/// A version of Claude Code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientVersion {
    major: u32,
    minor: u32,
    patch: u32,
}

/// Something in a settings file that older clients do not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Feature {
    /// `args` of a command hook: a program with arguments, without a shell.
    Args,
    /// `onFailure` of a hook.
    OnFailure,
    /// A comma or a blank between the names of a matcher.
    CommaMatchers,
    /// A hyphen in a name of a matcher that is meant as it stands.
    HyphenMatchers,
}

/// The events that came after the first ones, with the version that brought them. Every supported client knows the others.
const LATER_EVENTS: &[(HookEvent, ClientVersion)] = &[
    (HookEvent::Setup, ClientVersion::new(2, 1, 10)),
    (HookEvent::TeammateIdle, ClientVersion::new(2, 1, 33)),
    (HookEvent::TaskCompleted, ClientVersion::new(2, 1, 33)),
    (HookEvent::ConfigChange, ClientVersion::new(2, 1, 49)),
    (HookEvent::WorktreeCreate, ClientVersion::new(2, 1, 50)),
    (HookEvent::WorktreeRemove, ClientVersion::new(2, 1, 50)),
    (HookEvent::InstructionsLoaded, ClientVersion::new(2, 1, 69)),
    (HookEvent::Elicitation, ClientVersion::new(2, 1, 76)),
    (HookEvent::ElicitationResult, ClientVersion::new(2, 1, 76)),
    (HookEvent::PostCompact, ClientVersion::new(2, 1, 76)),
    (HookEvent::StopFailure, ClientVersion::new(2, 1, 78)),
    (HookEvent::CwdChanged, ClientVersion::new(2, 1, 83)),
    (HookEvent::FileChanged, ClientVersion::new(2, 1, 83)),
    (HookEvent::TaskCreated, ClientVersion::new(2, 1, 84)),
    (HookEvent::PermissionDenied, ClientVersion::new(2, 1, 89)),
    (HookEvent::PostToolBatch, ClientVersion::new(2, 1, 118)),
    (
        HookEvent::UserPromptExpansion,
        ClientVersion::new(2, 1, 118),
    ),
    (HookEvent::MessageDisplay, ClientVersion::new(2, 1, 152)),
    (HookEvent::DirectoryAdded, ClientVersion::new(2, 1, 219)),
    (HookEvent::PreModelSwitch, ClientVersion::new(2, 1, 251)),
    (HookEvent::PostModelSwitch, ClientVersion::new(2, 1, 251)),
];

impl Feature {
    /// The first version that knows it.
    pub const fn since(self) -> ClientVersion {
        match self {
            Self::Args => ClientVersion::new(2, 1, 139),
            // It is known to be in 2.1.321 and not in 2.1.291; nobody has looked in between.
            Self::OnFailure => ClientVersion::new(2, 1, 321),
            Self::CommaMatchers => ClientVersion::new(2, 1, 191),
            Self::HyphenMatchers => ClientVersion::new(2, 1, 195),
        }
    }
}

impl ClientVersion {
    /// The oldest version that Bowline is tried with.
    pub const OLDEST_SUPPORTED: Self = Self::new(2, 1, 197);

    /// A version by its three numbers.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self {
            major,
            minor,
            patch,
        }
    }

    /// The version that brought an event; nothing for those that every client has.
    pub fn that_brought(event: HookEvent) -> Option<Self> {
        let mut later = LATER_EVENTS.iter();
        later.find_map(|(it, since)| (*it == event).then_some(*since))
    }

    /// Whether this version has the event.
    pub fn has_event(self, event: HookEvent) -> bool {
        Self::that_brought(event).is_none_or(|since| self >= since)
    }

    /// Whether this version knows that part of a settings file.
    pub fn knows(self, feature: Feature) -> bool {
        self >= feature.since()
    }
}

impl fmt::Display for ClientVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// No version of the client is written like this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoVersion(String);

impl fmt::Display for NoVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &self.0;
        write!(
            f,
            "`{text}` is not a version; expected three numbers such as `2.1.197`"
        )
    }
}

impl std::error::Error for NoVersion {}

impl FromStr for ClientVersion {
    type Err = NoVersion;

    /// Reads `2.1.197`, and also the line that the client prints: `2.1.197 (Claude Code)`.
    fn from_str(text: &str) -> Result<Self, NoVersion> {
        let word = text.split_whitespace().next().unwrap_or_default();
        let mut numbers = word.split('.').map(|number| number.parse::<u32>().ok());
        let mut next = || numbers.next().flatten();
        match (next(), next(), next(), numbers.next()) {
            (Some(major), Some(minor), Some(patch), None) => Ok(Self::new(major, minor, patch)),
            _ => Err(NoVersion(text.trim().to_owned())),
        }
    }
}

impl Serialize for ClientVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_the_client_prints_them_and_compared_by_number() {
        for (text, expected) in [
            ("2.1.197", Some((2, 1, 197))),
            ("2.1.325 (Claude Code)\n", Some((2, 1, 325))),
            ("  10.0.1", Some((10, 0, 1))),
            ("2.1", None),
            ("2.1.197.4", None),
            ("v2.1.197", None),
            ("2.1.x", None),
            ("2.1.-1", None),
            ("", None),
            ("command not found: claude", None),
        ] {
            let expected = expected.map(|(a, b, c)| ClientVersion::new(a, b, c));
            assert_eq!(text.parse().ok(), expected, "{text:?}");
        }
        let version = |text: &str| text.parse::<ClientVersion>().unwrap();
        assert!(version("2.1.99") < version("2.1.197"));
        assert!(version("2.1.325") < version("2.2.0"));
        assert_eq!(version("2.1.197").to_string(), "2.1.197");
    }

    #[test]
    fn a_version_has_the_events_that_came_with_it_or_before() {
        let unknown = |text: &str| -> Vec<&str> {
            let version: ClientVersion = text.parse().unwrap();
            let all = HookEvent::ALL.iter().copied();
            all.filter(|event| !version.has_event(*event))
                .map(HookEvent::name)
                .collect()
        };
        let switches = ["PreModelSwitch", "PostModelSwitch"];
        assert_eq!(unknown("2.1.325"), [""; 0]);
        assert_eq!(unknown("2.1.251"), [""; 0]);
        assert_eq!(unknown("2.1.250"), switches);
        assert_eq!(
            unknown("2.1.197"),
            ["DirectoryAdded", "PreModelSwitch", "PostModelSwitch"]
        );
        assert_eq!(unknown("2.1.9").len(), LATER_EVENTS.len());
        for (text, args, on_failure) in [
            ("2.1.138", false, false),
            ("2.1.139", true, false),
            ("2.1.197", true, false),
            ("2.1.325", true, true),
        ] {
            let version: ClientVersion = text.parse().unwrap();
            let known = (
                version.knows(Feature::Args),
                version.knows(Feature::OnFailure),
            );
            assert_eq!(known, (args, on_failure), "{text}");
        }
    }
}
