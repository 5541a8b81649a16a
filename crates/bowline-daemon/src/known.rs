//! Names under which something is recorded, and what a name may mean under which nothing is.

use std::collections::BTreeSet;
use std::path::Path;

use bowline::hooks::HookEvent;
use bowline_agents::near;
use bowline_guard::rules::rules;
use bowline_store::{RecordedEvent, SessionSummary};

use crate::rpc::{events, sessions};

/// At most this many sessions and events are looked at for what is known.
const SESSIONS: usize = 1_000;
const EVENTS: usize = 2_000;
/// At most this many known names are told.
const TOLD: usize = 6;

/// The projects and sessions that were at work last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownSessions {
    /// The folders of projects.
    pub projects: BTreeSet<String>,
    /// The agents' names for their sessions.
    pub sessions: BTreeSet<String>,
}

impl KnownSessions {
    /// What has to be asked to know them.
    pub fn question() -> sessions::List {
        sessions::List {
            limit: Some(SESSIONS),
            ..sessions::List::default()
        }
    }

    /// What the answer says.
    pub fn of(newest: Vec<SessionSummary>) -> Self {
        let mut known = Self::default();
        for session in newest {
            known.projects.extend(session.newest.project);
            known.sessions.insert(session.newest.session);
        }
        known
    }

    /// Whether a session has this name, or one that begins with it.
    pub fn has_session(&self, name: &str) -> bool {
        self.sessions.iter().any(|it| it.starts_with(name))
    }

    /// Says that no session has this name.
    pub fn no_session(&self, name: &str) -> UnknownName {
        UnknownName::among("session", name, &self.sessions)
    }

    /// Says that no project has this folder.
    pub fn no_project(&self, folder: &str) -> UnknownName {
        UnknownName::among("project", folder, &self.projects)
    }
}

/// What the last events were about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownEvents {
    tools: BTreeSet<String>,
    events: BTreeSet<String>,
    rules: BTreeSet<String>,
}

impl KnownEvents {
    /// What has to be asked to know them.
    pub fn question() -> events::Last {
        events::Last {
            limit: Some(EVENTS),
            ..events::Last::default()
        }
    }

    /// What the answer says.
    pub fn of(newest: Vec<RecordedEvent>) -> Self {
        let mut known = Self::default();
        for event in newest {
            known.tools.extend(event.decided.tool);
            known.events.insert(event.decided.event);
            known.rules.extend(event.decided.rule);
        }
        known
    }

    /// Says that no event was about this tool, if that is so.
    pub fn unknown_tool(&self, name: &str) -> Option<UnknownName> {
        let is_known = has(&self.tools, name);
        (!is_known).then(|| UnknownName::among("tool", name, &self.tools))
    }

    /// Says that no event has this name, if that is so.
    pub fn unknown_event(&self, name: &str) -> Option<UnknownName> {
        if has(&self.events, name) {
            return None;
        }
        let nearest = HookEvent::nearest(name).map(HookEvent::name);
        let nearest = nearest.filter(|it| !it.eq_ignore_ascii_case(name));
        Some(match nearest {
            Some(nearest) => UnknownName::meant("event", name, nearest),
            None => UnknownName::among("event", name, &self.events),
        })
    }

    /// Says that there is no such rule, and that none of this name decided anything, if that is so.
    pub fn unknown_rule(&self, name: &str) -> Option<UnknownName> {
        let catalogue: BTreeSet<String> = rules().into_iter().map(|it| it.id.to_string()).collect();
        if self.rules.contains(name) || catalogue.contains(name) {
            return None;
        }
        let nearest = near::nearest(name, catalogue.iter().map(String::as_str));
        Some(match nearest {
            Some(nearest) => UnknownName::meant("rule", name, nearest),
            None => UnknownName::among("rule", name, &self.rules),
        })
    }
}

fn has(names: &BTreeSet<String>, name: &str) -> bool {
    names.iter().any(|it| it.eq_ignore_ascii_case(name))
}

/// A name under which nothing is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownName {
    /// What it should name: `project`.
    pub noun: &'static str,
    /// The name.
    pub name: String,
    /// The known name that was probably meant.
    pub nearest: Option<String>,
    /// Otherwise some known names.
    pub known: Vec<String>,
    /// Whether there are more than these.
    pub has_others: bool,
}

impl UnknownName {
    /// A name of which nothing more can be said.
    pub fn alone(noun: &'static str, name: &str) -> Self {
        Self::among(noun, name, &BTreeSet::new())
    }

    fn among(noun: &'static str, name: &str, known: &BTreeSet<String>) -> Self {
        if let Some(nearest) = nearest(name, known) {
            return Self::meant(noun, name, nearest);
        }
        Self {
            noun,
            name: name.to_owned(),
            nearest: None,
            known: known.iter().take(TOLD).cloned().collect(),
            has_others: known.len() > TOLD,
        }
    }

    fn meant(noun: &'static str, name: &str, nearest: &str) -> Self {
        Self {
            noun,
            name: name.to_owned(),
            nearest: Some(nearest.to_owned()),
            known: Vec::new(),
            has_others: false,
        }
    }
}

/// The known name that was probably meant. Of a path its last folder is compared.
fn nearest<'known>(name: &str, known: &'known BTreeSet<String>) -> Option<&'known str> {
    let last = |it: &str| {
        let name = Path::new(it).file_name();
        name.map_or_else(|| it.to_owned(), |it| it.to_string_lossy().into_owned())
    };
    let folders: Vec<String> = known.iter().map(|it| last(it)).collect();
    let nearest = near::nearest(&last(name), folders.iter().map(String::as_str))?;
    let mut known = known.iter().zip(&folders);
    let (it, _) = known.find(|(_, folder)| *folder == nearest)?;
    Some(it)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|it| (*it).to_owned()).collect()
    }

    #[test]
    fn what_is_near_is_meant_and_else_a_few_are_told() {
        let tools = names(&["Bash", "Read", "Grep"]);
        let near = UnknownName::among("tool", "Bsh", &tools);
        assert_eq!(near, UnknownName::meant("tool", "Bsh", "Bash"));
        let far = UnknownName::among("tool", "WebSearch", &tools);
        assert_eq!((far.nearest, far.has_others), (None, false));
        assert_eq!(far.known, ["Bash", "Grep", "Read"]);
        let many = names(&["a", "b", "c", "d", "e", "f", "g"]);
        let many = UnknownName::among("tool", "WebSearch", &many);
        assert_eq!((many.known.len(), many.has_others), (TOLD, true));
        let folders = names(&["/home/a/shop"]);
        for name in ["shp", "/elsewhere/shp"] {
            let found = UnknownName::among("project", name, &folders).nearest;
            assert_eq!(found.as_deref(), Some("/home/a/shop"), "{name}");
        }
    }

    #[test]
    fn what_is_known_is_not_unknown() {
        let sessions = KnownSessions {
            sessions: names(&["b17e9a40-77c"]),
            ..KnownSessions::default()
        };
        for (name, is_known) in [
            ("b17e9a40-77c", true),
            ("b17e", true),
            ("17e9", false),
            ("b17e9a40-77cx", false),
        ] {
            assert_eq!(sessions.has_session(name), is_known, "{name}");
        }
        let events = KnownEvents {
            tools: names(&["Bash"]),
            events: names(&["PreToolUse"]),
            rules: names(&["my-own"]),
        };
        assert_eq!(events.unknown_tool("bash"), None);
        assert_eq!(events.unknown_event("pretooluse"), None);
        assert_eq!(events.unknown_rule("my-own"), None);
        // The guard has it, although it never decided anything.
        assert_eq!(events.unknown_rule("git.push-force"), None);
        let nearest = |unknown: Option<UnknownName>| unknown.unwrap().nearest;
        let rule = nearest(events.unknown_rule("git.push-forse"));
        assert_eq!(rule.as_deref(), Some("git.push-force"));
        let event = nearest(events.unknown_event("PostTolUse"));
        assert_eq!(event.as_deref(), Some("PostToolUse"));
    }
}
