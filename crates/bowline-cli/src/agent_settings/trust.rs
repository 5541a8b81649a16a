//! What some agents want before they run the hooks that their settings name: that a person trusts them.

use std::path::{Path, PathBuf};

use bowline::settings::Locations;
use bowline_agents::HookEvent;
use serde::Serialize;

use super::installable::Edited;
use super::{Found, InstallScope, Installable, client};

/// What an agent wants before it runs the hooks of its settings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trust {
    /// What a person has to do for the entries of a scope; nothing where the agent runs them at once.
    pub(crate) by_hand: fn(InstallScope) -> Option<&'static str>,
    /// How Bowline does it with the person's consent, where the agent permits that.
    pub(crate) form: Option<TrustForm>,
}

/// How it is written down that hooks are trusted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TrustForm {
    /// The file for it, in the agent's folder of the user.
    pub(crate) file: &'static str,
    /// What the agent itself says of the hooks in a settings file; or why it says nothing, for people.
    pub(crate) ask: fn(&Question<'_>) -> Result<Vec<Listed>, String>,
    /// Writes down that exactly these are trusted.
    pub(crate) grant: fn(&str, &[Listed]) -> Edited,
    /// Takes back what is written down of Bowline's entries in this settings file, which has this text.
    pub(crate) revoke: fn(&str, &Path, &str) -> Edited,
    /// What people should know of this file beside that.
    pub(crate) remarks: fn(&str) -> Vec<String>,
}

/// What an agent is asked.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    /// The agent's program.
    pub(crate) program: &'a Path,
    /// The project in which it would run.
    pub(crate) project: &'a Path,
    /// The settings file.
    pub(crate) settings: &'a Path,
}

/// A hook that the agent found in a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) event: HookEvent,
    pub(crate) command: String,
    /// By which it is trusted.
    pub(crate) key: String,
    /// What is trusted: it changes with the hook.
    pub(crate) hash: String,
    pub(crate) state: TrustState,
}

/// Whether an agent runs a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TrustState {
    Trusted,
    /// Nobody has trusted it yet.
    Untrusted,
    /// It is not what somebody has trusted.
    Changed,
    /// A person has switched it off.
    Off,
}

/// How the agent sees Bowline's entries in a settings file.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    pub(crate) trusted: Vec<Listed>,
    /// Those that wait for trust.
    pub(crate) waiting: Vec<Listed>,
    /// Those that a person has switched off.
    pub(crate) off: Vec<Listed>,
    /// The events of those that the agent does not know of.
    pub(crate) unseen: Vec<String>,
}

impl Standing {
    /// Of the hooks that the agent lists, only those count that are Bowline's to the letter.
    pub(crate) fn of(listed: &[Listed], entries: &[Found]) -> Self {
        let mut standing = Self::default();
        for entry in entries.iter().map(|it| &it.entry) {
            let event = HookEvent::from_name(&entry.event);
            let is_it = |it: &&Listed| Some(it.event) == event && it.command == entry.command;
            let Some(listed) = listed.iter().find(is_it) else {
                standing.unseen.push(entry.event.clone());
                continue;
            };
            let place = match listed.state {
                TrustState::Trusted => &mut standing.trusted,
                TrustState::Untrusted | TrustState::Changed => &mut standing.waiting,
                TrustState::Off => &mut standing.off,
            };
            place.push(listed.clone());
        }
        standing
    }

    /// Whether the agent runs all of them.
    pub(crate) fn is_complete(&self) -> bool {
        self.waiting.is_empty() && self.off.is_empty() && self.unseen.is_empty()
    }

    /// What keeps some of them from running, for people: each a line.
    pub(crate) fn told(&self) -> Vec<String> {
        let names = |listed: &[Listed], state: TrustState| {
            let of_state = listed.iter().filter(move |it| it.state == state);
            let names: Vec<_> = of_state.map(|it| it.event.name()).collect();
            names.join(", ")
        };
        let lines = [
            ("not trusted", names(&self.waiting, TrustState::Untrusted)),
            (
                "changed since it was trusted",
                names(&self.waiting, TrustState::Changed),
            ),
            ("switched off", names(&self.off, TrustState::Off)),
            ("not known to it", self.unseen.join(", ")),
        ];
        let lines = lines.into_iter().filter(|(_, names)| !names.is_empty());
        lines
            .map(|(what, names)| format!("{what}: {names}"))
            .collect()
    }
}

impl Installable {
    /// How trust is given for its entries, if that can be done for a person.
    pub(crate) fn trust_form(&self) -> Option<TrustForm> {
        self.trust.and_then(|trust| trust.form)
    }

    /// What a person has to do so that the entries of a scope run.
    pub(crate) fn trusted_by_hand(&self, scope: InstallScope) -> Option<&'static str> {
        self.trust.and_then(|trust| (trust.by_hand)(scope))
    }

    /// The file in which it is written down whom it trusts.
    pub(crate) fn trust_file(&self, locations: &Locations) -> Option<PathBuf> {
        Some(self.folder(locations)?.join(self.trust_form()?.file))
    }

    /// How the agent sees Bowline's entries in a settings file; or why that cannot be known, for people.
    pub(crate) fn standing(
        &self,
        settings: &Path,
        entries: &[Found],
        (project, locations): (&Path, &Locations),
    ) -> Result<Standing, String> {
        let form = self.trust_form().ok_or("it has nobody to ask")?;
        let program = client::programs(self, locations).next();
        let program = program.ok_or_else(|| {
            let name = self.registration.client.name;
            format!("there is no `{name}` on the PATH")
        })?;
        let listed = (form.ask)(&Question {
            program: &program,
            project,
            settings,
        })?;
        Ok(Standing::of(&listed, entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_settings::Entry;

    fn entry(event: &str, command: &str) -> Found {
        Found {
            entry: Entry {
                event: event.to_owned(),
                command: command.to_owned(),
                args: None,
                timeout: Some(60),
                blocks_on_failure: false,
            },
            matcher: None,
        }
    }

    fn listed(event: HookEvent, command: &str, state: TrustState) -> Listed {
        Listed {
            event,
            command: command.to_owned(),
            key: format!("key of {event}"),
            hash: "sha256:0".to_owned(),
            state,
        }
    }

    #[test]
    fn only_bowlines_own_entries_count_and_only_to_the_letter() {
        use HookEvent as E;
        let entries = [
            entry("PreToolUse", "bowline-hook codex PreToolUse"),
            entry("Stop", "bowline-hook codex Stop"),
            entry("SessionEnd", "bowline-hook codex SessionEnd"),
            entry("SessionStart", "bowline-hook codex SessionStart"),
            entry("PostToolUse", "bowline-hook codex PostToolUse"),
        ];
        let another = listed(
            E::PostToolUse,
            "bowline-hook codex Stop",
            TrustState::Trusted,
        );
        let standing = Standing::of(
            &[
                listed(E::PreToolUse, "rm -r x", TrustState::Trusted),
                listed(
                    E::PreToolUse,
                    "bowline-hook codex PreToolUse",
                    TrustState::Changed,
                ),
                listed(E::Stop, "bowline-hook codex Stop", TrustState::Untrusted),
                listed(
                    E::SessionEnd,
                    "bowline-hook codex SessionEnd",
                    TrustState::Trusted,
                ),
                listed(
                    E::SessionStart,
                    "bowline-hook codex SessionStart",
                    TrustState::Off,
                ),
                another,
            ],
            &entries,
        );
        let events = |listed: &[Listed]| listed.iter().map(|it| it.event).collect::<Vec<_>>();
        assert_eq!(events(&standing.trusted), [E::SessionEnd]);
        assert_eq!(events(&standing.waiting), [E::PreToolUse, E::Stop]);
        assert_eq!(events(&standing.off), [E::SessionStart]);
        assert_eq!(standing.unseen, ["PostToolUse"]);
        assert!(!standing.is_complete());
        assert_eq!(
            standing.told(),
            [
                "not trusted: Stop",
                "changed since it was trusted: PreToolUse",
                "switched off: SessionStart",
                "not known to it: PostToolUse"
            ]
        );
        let all = Standing::of(
            &[listed(E::Stop, "x", TrustState::Trusted)],
            &[entry("Stop", "x")],
        );
        assert!(all.is_complete() && all.told().is_empty());
    }
}
