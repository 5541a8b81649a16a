//! Questions, and answering them.

use std::fs;

use bowline_builtins::inbox::{Extent, Person, Preview, Question, Reply, Said, Unanswerable};
use bowline_daemon::approvals::Unsettled;

use crate::query::Query;
use crate::site::Questions;

/// What became of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Allowed,
    /// For the rest of its session, too.
    AllowedInSession,
    /// For good.
    AllowedAlways,
    Denied,
    /// The question does not wait any more.
    Gone,
    /// The form did not say what is meant.
    Unclear,
}

impl Outcome {
    pub(crate) const ALL: [Self; 6] = [
        Self::Allowed,
        Self::AllowedInSession,
        Self::AllowedAlways,
        Self::Denied,
        Self::Gone,
        Self::Unclear,
    ];

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::AllowedInSession => "allowed-in-session",
            Self::AllowedAlways => "allowed-always",
            Self::Denied => "denied",
            Self::Gone => "gone",
            Self::Unclear => "unclear",
        }
    }

    pub(crate) fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.word() == word)
    }

    /// What the address says became of the last answer.
    pub(crate) fn of(query: &Query) -> Option<Self> {
        query.get("outcome").and_then(Self::named)
    }
}

/// A question with what allowing it for good would write.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    pub(crate) question: Question,
    pub(crate) preview: Result<Preview, Unanswerable>,
}

/// What allowing a question for good would write; none if it does not wait any more.
pub(crate) fn plan(questions: &dyn Questions, id: &str) -> Option<Planned> {
    let question = waiting(questions, id)?;
    let preview = questions.preview(id, Extent::Always);
    Some(Planned { question, preview })
}

/// Only a whole id is meant: the beginning of one may be another's by now.
fn waiting(questions: &dyn Questions, id: &str) -> Option<Question> {
    let mut open = questions.list().into_iter();
    open.find(|question| question.id == id)
}

/// The id of the question about a call.
pub(crate) fn about(questions: &dyn Questions, call: &str) -> Option<String> {
    let mut open = questions.list().into_iter();
    let found = open.find(|question| question.tool_use_id.as_deref() == Some(call));
    found.map(|question| question.id)
}

/// Answers a question as a form says. The error says why the answer was not taken; the question still waits then.
pub(crate) fn answer(questions: &dyn Questions, form: &Query) -> Result<Outcome, Unsettled> {
    let (Some(id), Some(said)) = (form.key("id"), said(form)) else {
        return Ok(Outcome::Unclear);
    };
    let outcome = match said {
        Said::Allow(Extent::Once) => Outcome::Allowed,
        Said::Allow(Extent::Session) => Outcome::AllowedInSession,
        Said::Allow(Extent::Always) => Outcome::AllowedAlways,
        Said::Deny(_) => Outcome::Denied,
    };
    let by = Person {
        name: user(),
        place: "the page".to_owned(),
    };
    if waiting(questions, &id).is_none() {
        return Ok(Outcome::Gone);
    }
    match questions.answer(&id, Reply { said, by }) {
        Ok(()) => Ok(outcome),
        Err(Unsettled::Unanswerable(Unanswerable::Unknown(_) | Unanswerable::Several(_))) => {
            Ok(Outcome::Gone)
        }
        Err(refused) => Err(refused),
    }
}

fn said(form: &Query) -> Option<Said> {
    match form.get("say")? {
        "once" => Some(Said::Allow(Extent::Once)),
        "session" => Some(Said::Allow(Extent::Session)),
        "always" => Some(Said::Allow(Extent::Always)),
        "deny" => Some(Said::Deny(form.owned("message"))),
        _ => None,
    }
}

/// The name of the user for whom this process runs.
fn user() -> String {
    let id = rustix::process::geteuid().as_raw();
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = name_of(&users, id).map(ToOwned::to_owned);
    name.unwrap_or_else(|| format!("user {id}"))
}

fn name_of(users: &str, id: u32) -> Option<&str> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(id)).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_say_what_is_meant() {
        let denied = |message: &str| Some(Said::Deny(Some(message.to_owned())));
        for (form, expected) in [
            ("say=once", Some(Said::Allow(Extent::Once))),
            ("say=once&message=ignored", Some(Said::Allow(Extent::Once))),
            ("say=deny", Some(Said::Deny(None))),
            ("say=deny&message=+", Some(Said::Deny(None))),
            (
                "say=deny&message=use+a+branch%0A%3Cb%3E",
                denied("use a branch\n<b>"),
            ),
            ("say=session", Some(Said::Allow(Extent::Session))),
            ("say=always", Some(Said::Allow(Extent::Always))),
            ("say=forever", None),
            ("say=", None),
            ("", None),
        ] {
            assert_eq!(said(&Query::parse(form.as_bytes())), expected, "{form}");
        }
    }

    #[test]
    fn users_have_names() {
        let users = "root:x:0:0::/root:/bin/sh\nbroken\nada:x:1000:1000::/home/ada:/bin/sh\n";
        for (id, name) in [(0, Some("root")), (1000, Some("ada")), (1, None)] {
            assert_eq!(name_of(users, id), name);
        }
    }
}
