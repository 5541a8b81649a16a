//! How work outlives a context window, in the store.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

#[path = "../support/mod.rs"]
mod support;

mod efforts;
mod fleet;
mod forgetting;
mod hand_over;
mod leases;
mod resolve;
mod sessions;

use bowline_continuity::Code;
use bowline_continuity::action::{Begun, EffortStart, Who};
use bowline_continuity::effort::EffortId;
use bowline_continuity::session::SessionState;
use bowline_store::{Change, Continuity, Error, Record, Result, Store};
use support::*;

const PROJECT: &str = "/home/user/project";

/// Somebody in the project.
fn who(session: &str) -> Who {
    Who {
        folder: PROJECT.to_owned(),
        session: Some(session.to_owned()),
        ..Who::default()
    }
}

fn task(name: &str) -> String {
    format!("{PROJECT}/.tasks/{name}")
}

fn effort_start(who: Who, name: &str, skill: &str) -> EffortStart {
    EffortStart {
        who,
        project: PROJECT.to_owned(),
        task: task(name),
        skill: skill.to_owned(),
        phases: ["1: Plan", "2: Build", "3: Test"]
            .map(str::to_owned)
            .to_vec(),
        ..EffortStart::default()
    }
}

/// Begins an effort of a task.
fn begin(store: &dyn Continuity, who: Who, name: &str, skill: &str) -> Begun {
    store
        .start_effort(&effort_start(who, name, skill), at(0))
        .unwrap()
}

/// An event of a session that works on an effort from now on.
fn joins(session: &str, effort: EffortId, ms: i64) -> Record {
    with(
        record("SessionStart", session, ms),
        Change::EffortJoined {
            effort,
            transcript: None,
        },
    )
}

/// The session of an effort by the agent's name for it.
fn state(store: &dyn Store, session: &str) -> SessionState {
    let found = store.continuity().resolve(&who(session)).unwrap();
    found.session.unwrap()
}

fn code<T: std::fmt::Debug>(result: Result<T>) -> Code {
    let refused = result.unwrap_err();
    let rule = match refused {
        Error::Forbidden(rule) => Ok(rule),
        error => Err(error),
    };
    rule.unwrap().code
}
