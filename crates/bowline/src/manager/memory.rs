//! What the manager remembers of sessions: hooks that run once, and skills in use. Bounded.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::decision::Decision;
use crate::event::HookEvent;
use crate::hook::{Activation, Match, Repeat, RunPolicy};
use crate::input::HookInput;
use crate::opinion::Opinion;

/// Past this many open sessions the oldest is forgotten: agents that never report an end must not grow us.
const MAX_SESSIONS: usize = 1000;
/// Far more skills than any session uses.
const MAX_SKILLS: usize = 1000;

#[derive(Default)]
pub(super) struct SessionMemory {
    sessions: Mutex<Sessions>,
}

#[derive(Default)]
struct Sessions {
    by_id: HashMap<String, Session>,
    oldest_first: VecDeque<String>,
}

#[derive(Default)]
struct Session {
    done: HashSet<String>,
    skills: HashSet<String>,
}

impl SessionMemory {
    fn lock(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the hook is in force for this input, as far as its session is concerned.
    pub(super) fn allows(&self, hook: &str, policy: &RunPolicy, input: &HookInput) -> Match {
        match &policy.activation {
            Activation::Always => {}
            Activation::Agent(name) => {
                if !input.agent_type().is_some_and(|kind| is_called(name, kind)) {
                    return Match::No(format!("only while sub-agent {name} runs"));
                }
            }
            Activation::Skill(name) => {
                let sessions = self.lock();
                let in_use = sessions.by_id.get(&input.session_id);
                let is_it = |skill: &String| is_called(name, skill);
                if !in_use.is_some_and(|session| session.skills.iter().any(is_it)) {
                    return Match::No(format!("only after skill {name} was used in the session"));
                }
            }
        }
        if policy.repeat == Repeat::OncePerSession {
            let sessions = self.lock();
            let session = sessions.by_id.get(&input.session_id);
            if session.is_some_and(|session| session.done.contains(hook)) {
                return Match::No("already ran once in this session".to_owned());
            }
        }
        Match::Yes
    }

    /// Takes the one run of a `once` hook; `false` when another event of the session has it.
    pub(super) fn claim(&self, hook: &str, input: &HookInput) -> bool {
        self.lock()
            .session(&input.session_id)
            .done
            .insert(hook.to_owned())
    }

    /// Gives the one run back after a failure.
    pub(super) fn release(&self, hook: &str, input: &HookInput) {
        self.lock().session(&input.session_id).done.remove(hook);
    }

    /// A finished skill call proves that the skill is in use.
    pub(super) fn note_before(&self, input: &HookInput) {
        if input.event_type() == HookEvent::PostToolUse {
            self.note_skill(input);
        }
    }

    /// A skill call that was let through puts the skill into use; the end of a session forgets it.
    pub(super) fn note_after(&self, input: &HookInput, output: &Opinion) {
        match input.event_type() {
            HookEvent::PreToolUse | HookEvent::UserPromptExpansion
                if output.decision() < Decision::Ask =>
            {
                self.note_skill(input);
            }
            HookEvent::SessionEnd => self.lock().forget(&input.session_id),
            _ => {}
        }
    }

    fn note_skill(&self, input: &HookInput) {
        if let Some(skill) = input.skill() {
            self.activate_skill(&input.session_id, skill);
        }
    }

    /// Puts a skill into use.
    pub(super) fn activate_skill(&self, session_id: &str, skill: &str) {
        let mut sessions = self.lock();
        let skills = &mut sessions.session(session_id).skills;
        if skills.len() < MAX_SKILLS {
            skills.insert(skill.to_owned());
        }
    }
}

/// Whether a skill or sub-agent is meant by a name. One of a plugin is `plugin:name`; agents may leave the plugin out.
fn is_called(name: &str, by: &str) -> bool {
    name == by || name.split_once(':').is_some_and(|(_, plain)| plain == by)
}

impl Sessions {
    fn session(&mut self, id: &str) -> &mut Session {
        if !self.by_id.contains_key(id) {
            self.oldest_first.push_back(id.to_owned());
            if self.oldest_first.len() > MAX_SESSIONS
                && let Some(oldest) = self.oldest_first.pop_front()
            {
                self.by_id.remove(&oldest);
            }
        }
        self.by_id.entry(id.to_owned()).or_default()
    }

    fn forget(&mut self, id: &str) {
        if self.by_id.remove(id).is_some() {
            self.oldest_first.retain(|other| other != id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_that_never_end_do_not_grow_the_memory() {
        let memory = SessionMemory::default();
        for n in 0..=MAX_SESSIONS {
            assert!(memory.claim("hook", &HookInput::stop(format!("s{n}"))));
        }
        assert_eq!(memory.lock().by_id.len(), MAX_SESSIONS);
        assert_eq!(memory.lock().oldest_first.len(), MAX_SESSIONS);
        assert!(
            memory.claim("hook", &HookInput::stop("s0")),
            "the oldest was forgotten"
        );
        assert!(
            !memory.claim("hook", &HookInput::stop("s5")),
            "a newer one was not"
        );
    }
}
