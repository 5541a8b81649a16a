//! What a session was doing before its context was compacted, for the session after.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::text::{Replaced, Text, preview};

/// What the next session is told.
pub const RECOVERED: Text = Text {
    key: "recovery.state",
    says: "Before the context was compacted ({time}): {state}. Go on there.",
    names: &["time", "state"],
};

/// The texts of this rule.
pub const TEXTS: &[Text] = &[RECOVERED];

/// The longest task that is told, in characters.
const MAX_TASK: usize = 300;

/// What a session was doing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recovery {
    /// The session.
    pub session: String,
    /// When this was saved.
    pub saved_at: DateTime<Utc>,
    /// The sub-agent that was at work.
    pub active_agent: Option<String>,
    /// What was in progress.
    pub current_task: Option<String>,
    /// The last handoff.
    pub handoff_state: Option<Value>,
    /// The version of Bowline that saved it.
    pub version: String,
    /// The call that it was given to.
    #[serde(default)]
    pub claimed_by: Option<String>,
}

impl Recovery {
    /// Whether there is anything to go on with.
    pub fn is_worth_it(&self) -> bool {
        self.active_agent.is_some() || self.current_task.is_some() || self.handoff_state.is_some()
    }

    /// In words, for a model.
    pub fn told(&self, replaced: &Replaced) -> Option<String> {
        let mut parts = Vec::new();
        if let Some(agent) = &self.active_agent {
            parts.push(format!("sub-agent `{agent}` was at work"));
        }
        if let Some(task) = &self.current_task {
            parts.push(format!("in progress was \"{}\"", preview(task, MAX_TASK)));
        }
        let names = |key: &str| Some(self.handoff_state.as_ref()?.get(key)?.as_str()?.to_owned());
        if let (Some(from), Some(to)) = (names("from"), names("to")) {
            parts.push(format!("`{from}` had handed over to `{to}`"));
        }
        let time = self.saved_at.to_rfc3339_opts(SecondsFormat::Secs, true);
        let values = [("time", time.as_str()), ("state", &parts.join("; "))];
        let text = RECOVERED.render(replaced, &values);
        text.filter(|_| !parts.is_empty())
    }
}

/// What waits for the sessions of a project, the last saved last.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    /// One for each session.
    pub states: Vec<Recovery>,
}

/// So many sessions of a project are remembered.
const MAX_STATES: usize = 8;

impl Saved {
    /// Keeps what a session was doing, in the place of what it was doing before.
    pub fn save(&mut self, state: Recovery) {
        self.states.retain(|it| it.session != state.session);
        if self.states.len() >= MAX_STATES {
            self.states.remove(0);
        }
        self.states.push(state);
    }

    /// What waits for a session that begins: its own, else the last that nobody has got. A session after a compaction gets only its own.
    pub fn waiting(&self, session: &str, source: Option<&str>, call: &str) -> Option<&Recovery> {
        let is_free = |it: &&Recovery| {
            let taken = it.claimed_by.as_deref();
            taken.is_none() || taken == Some(call)
        };
        let own = self.states.iter().find(|it| it.session == session);
        let others = || {
            let is_other = source != Some("compact");
            self.states.iter().rfind(is_free).filter(|_| is_other)
        };
        own.filter(is_free).or_else(others)
    }

    /// Gives it to a call, which gets it again if it asks again, and to no other.
    pub fn claim(&mut self, session: &str, source: Option<&str>, call: &str) -> Option<Recovery> {
        let given = self.waiting(session, source, call)?.session.clone();
        let state = self.states.iter_mut().find(|it| it.session == given)?;
        state.claimed_by = Some(call.to_owned());
        Some(state.clone())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn state(session: &str) -> Recovery {
        Recovery {
            session: session.to_owned(),
            saved_at: DateTime::UNIX_EPOCH,
            active_agent: Some("painter".to_owned()),
            current_task: Some("paint\nthe door".to_owned()),
            handoff_state: Some(json!({"from": "planner", "to": "painter"})),
            version: "1".to_owned(),
            claimed_by: None,
        }
    }

    #[test]
    fn f42_c_what_was_saved_is_given_once_and_to_its_own_session_first() {
        let mut saved = Saved::default();
        saved.save(state("a"));
        saved.save(state("b"));
        let claim = |saved: &mut Saved, session, source, call| {
            let given = saved.claim(session, Some(source), call);
            given.map(|it| it.session)
        };
        assert_eq!(claim(&mut saved, "a", "compact", "1"), Some("a".into()));
        // The answer may have been lost: the same call asks again.
        assert_eq!(claim(&mut saved, "a", "compact", "1"), Some("a".into()));
        assert_eq!(claim(&mut saved, "a", "compact", "2"), None);
        assert_eq!(claim(&mut saved, "c", "compact", "3"), None);
        assert_eq!(claim(&mut saved, "c", "startup", "4"), Some("b".into()));
        assert_eq!(claim(&mut saved, "d", "startup", "5"), None);
        saved.save(state("a"));
        assert_eq!(claim(&mut saved, "a", "compact", "6"), Some("a".into()));
    }

    #[test]
    fn f42_b_what_was_being_done_is_told_in_words() {
        let told = state("a").told(&Replaced::new()).unwrap();
        for part in [
            "1970-01-01T00:00:00Z",
            "sub-agent `painter` was at work",
            "in progress was \"paint the door\"",
            "`planner` had handed over to `painter`",
        ] {
            assert!(told.contains(part), "{told}");
        }
        let nothing = Recovery {
            active_agent: None,
            current_task: None,
            handoff_state: None,
            ..state("a")
        };
        assert!(!nothing.is_worth_it());
        assert_eq!(nothing.told(&Replaced::new()), None);
    }
}
