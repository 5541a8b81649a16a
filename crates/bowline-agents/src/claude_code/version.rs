//! Which version of the client knows what.

use crate::event::HookEvent;
use crate::version::ClientVersion;

/// The oldest version that Bowline is tried with.
pub(super) const OLDEST_SUPPORTED: ClientVersion = ClientVersion::new(2, 1, 197);

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

    /// Whether a client of this version knows it.
    pub fn is_known_to(self, client: ClientVersion) -> bool {
        client >= self.since()
    }
}

/// Whether a client of this version has the event.
pub(super) fn has_event(event: HookEvent, client: ClientVersion) -> bool {
    let mut later = LATER_EVENTS.iter();
    later.all(|(it, since)| *it != event || client >= *since)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_has_the_events_that_came_with_it_or_before() {
        let unknown = |text: &str| -> Vec<&str> {
            let version: ClientVersion = text.parse().unwrap();
            let all = HookEvent::ALL.iter().copied();
            all.filter(|event| !has_event(*event, version))
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
                Feature::Args.is_known_to(version),
                Feature::OnFailure.is_known_to(version),
            );
            assert_eq!(known, (args, on_failure), "{text}");
        }
    }
}
