//! Questions, and answering them.

use std::fs;

use bowline_builtins::inbox::{Extent, Person, Reply, Said};

use crate::query::Query;
use crate::site::Questions;

/// What a person writes to a model is cut here.
const LONGEST_MESSAGE: usize = 4_000;

/// What became of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Allowed,
    Denied,
    /// The question does not wait any more.
    Gone,
    /// The form did not say what is meant.
    Unclear,
}

impl Outcome {
    const ALL: [Self; 4] = [Self::Allowed, Self::Denied, Self::Gone, Self::Unclear];

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Denied => "denied",
            Self::Gone => "gone",
            Self::Unclear => "unclear",
        }
    }

    /// What the address says became of the last answer.
    pub(crate) fn of(query: &Query) -> Option<Self> {
        let word = query.get("outcome")?;
        Self::ALL.into_iter().find(|outcome| outcome.word() == word)
    }
}

/// Answers a question as a form says.
pub(crate) fn answer(questions: &dyn Questions, form: &Query) -> Outcome {
    let (Some(id), Some(said)) = (form.get("id"), said(form)) else {
        return Outcome::Unclear;
    };
    let outcome = match said {
        Said::Allow(_) => Outcome::Allowed,
        Said::Deny(_) => Outcome::Denied,
    };
    let by = Person {
        name: user(),
        place: "the page".to_owned(),
    };
    // Only a whole id is meant: the beginning of one may be another's by now.
    if !questions.list().iter().any(|question| question.id == id) {
        return Outcome::Gone;
    }
    match questions.answer(id, Reply { said, by }) {
        Ok(()) => outcome,
        Err(_) => Outcome::Gone,
    }
}

fn said(form: &Query) -> Option<Said> {
    match form.get("say")? {
        "once" => Some(Said::Allow(Extent::Once)),
        "deny" => {
            let message = form
                .get("message")
                .map(|text| text.chars().take(LONGEST_MESSAGE).collect());
            Some(Said::Deny(message))
        }
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
            ("say=always", None),
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
