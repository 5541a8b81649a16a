//! Drift: how far what an agent does is from what it works on.
//!
//! Every call is scored against the active work. A call that has little to do with it is said once; several of them lead to one question
//! whether other work has begun. No model is asked.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::text::Text;

/// What an agent is told about a call that has little to do with its work.
pub const AWAY: Text = Text {
    key: "drift.away",
    says: "`{call}` seems to have little to do with {work}. If it belongs to it, go on; otherwise finish {work} first, or begin other work under its own name.",
    names: &["call", "work"],
};

/// What an agent is asked after several such calls.
pub const OTHER_WORK: Text = Text {
    key: "drift.other-work",
    says: "The last calls ({calls}) have nothing to do with {work}. Decide what they are: a part of it that it does not name, a new bug or feature, or a detour. Begin the new work under its own name, or return.",
    names: &["calls", "work"],
};

/// The texts of this rule.
pub const TEXTS: &[Text] = &[AWAY, OTHER_WORK];

/// Above this, an agent is told.
const WARN: f64 = 0.7;
/// From this on, a call is queued.
const QUEUE: f64 = 0.85;
/// Rounding must not decide.
const TOLERANCE: f64 = 1e-9;
/// So many queued calls lead to a question.
const ENOUGH: usize = 3;
/// So many are kept.
const KEPT: usize = 5;

/// The kind of work, by how much it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Something broken.
    Bug,
    /// Something new.
    Feature,
    /// A question that is looked into.
    Spike,
    /// What has to be done.
    Chore,
    /// Much at once.
    Epic,
    /// Anything else.
    Other,
}

impl Kind {
    /// The kind that a name speaks of, such as a skill's (`fix-bug`).
    pub fn of_name(name: &str) -> Self {
        let name = name.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
        match () {
            () if has(&["bug", "fix", "debug"]) => Self::Bug,
            () if has(&["feature", "implement", "build"]) => Self::Feature,
            () if has(&["spike", "research", "investigat", "explor"]) => Self::Spike,
            () if has(&["chore", "upgrade", "clean"]) => Self::Chore,
            () if has(&["epic"]) => Self::Epic,
            () => Self::Other,
        }
    }

    const fn priority(self) -> f64 {
        match self {
            Self::Bug => 1.0,
            Self::Feature => 0.8,
            Self::Spike => 0.6,
            Self::Chore => 0.4,
            Self::Epic => 0.2,
            Self::Other => 0.5,
        }
    }
}

/// Who has the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assigned {
    /// Nobody in particular.
    Nobody,
    /// The agent itself.
    Me,
    /// Another one.
    Another,
}

/// What an agent works on, whatever tracker it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// What people call it.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// Words that it is about, in lower case.
    pub words: Vec<String>,
    /// Parts of the paths that belong to it.
    pub paths: Vec<String>,
    /// Who has it.
    pub assigned: Assigned,
    /// Whether it is the main one of several.
    pub is_primary: bool,
    /// Whether somebody is at it.
    pub is_in_progress: bool,
}

/// What a call is about.
#[derive(Debug, Clone, Copy)]
pub struct Activity<'a> {
    /// The files that it names.
    pub files: &'a [&'a str],
    /// What it says: a command, a pattern, a description.
    pub text: &'a str,
}

/// Files that belong to no work: settings of agents, git's and Bowline's own.
const INFRASTRUCTURE: &[&str] = &[
    "/.git/",
    "/.claude/",
    "/.tasks/",
    "/.bowline/",
    "/.htmlgraph/",
    "/tmp/",
];

/// From 0, which is close, to 1. `None` if it cannot be told: the call says nothing, its files belong to no work, or somebody else has it.
pub fn drift(work: &Work, activity: Activity<'_>) -> Option<f64> {
    let is_infrastructure = |file: &&str| {
        let file = format!("/{file}");
        INFRASTRUCTURE.iter().any(|part| file.contains(part))
    };
    let says_nothing = activity.files.is_empty() && activity.text.trim().is_empty();
    if says_nothing || activity.files.iter().any(is_infrastructure) {
        return None;
    }
    let assigned = match work.assigned {
        Assigned::Another => return None,
        Assigned::Me => 2.0,
        Assigned::Nobody => 0.0,
    };
    let add = |part: bool, weight: f64| if part { weight } else { 0.0 };
    let score = assigned
        + 0.4 * files(work, activity.files)
        + 0.3 * words(work, activity)
        + 0.2 * work.kind.priority()
        + add(work.is_primary, 0.1)
        + add(work.is_in_progress, 0.1);
    Some(1.0 - score.min(1.0))
}

/// The part of the files that belong to the work.
fn files(work: &Work, files: &[&str]) -> f64 {
    let belongs = |file: &&&str| {
        let file = file.to_lowercase();
        work.paths
            .iter()
            .any(|part| !part.is_empty() && file.contains(part.as_str()))
    };
    ratio(files.iter().filter(belongs).count(), files.len())
}

/// The part of the work's words that the call has.
fn words(work: &Work, activity: Activity<'_>) -> f64 {
    let text = format!("{} {}", activity.text, activity.files.join(" ")).to_lowercase();
    let has = |word: &&String| text.contains(word.as_str());
    ratio(work.words.iter().filter(has).count(), work.words.len())
}

fn ratio(part: usize, whole: usize) -> f64 {
    let of = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    if whole == 0 {
        0.0
    } else {
        of(part) / of(whole)
    }
}

/// The calls of a session that had nothing to do with its work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queue {
    calls: Vec<Queued>,
    asked_at: Option<DateTime<Utc>>,
    /// The work that a call had something in common with, by its name.
    #[serde(default)]
    met: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Queued {
    call: String,
    at: DateTime<Utc>,
}

/// What follows from a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Drift {
    /// Nothing.
    Near,
    /// It is said.
    Away,
    /// The agent is asked what these calls are.
    OtherWork(Vec<String>),
}

impl Queue {
    /// Whether this call or one before it had a word or a file in common with the work. Until then the work's name may say nothing about
    /// files at all (`clean-up`), and nothing can be told from it.
    pub fn has_met(&mut self, work: &Work, activity: Activity<'_>) -> bool {
        if files(work, activity.files) > 0.0 || words(work, activity) > 0.0 {
            self.met = Some(work.name.clone());
        }
        self.met.as_ref() == Some(&work.name)
    }

    /// A call is so far from the work.
    pub fn add(&mut self, drift: f64, call: &str, now: DateTime<Utc>) -> Drift {
        if drift <= WARN + TOLERANCE {
            return Drift::Near;
        }
        if drift < QUEUE - TOLERANCE {
            return Drift::Away;
        }
        let (outdated, cooldown) = (TimeDelta::hours(48), TimeDelta::minutes(10));
        self.calls.retain(|queued| now - queued.at < outdated);
        self.calls.push(Queued {
            call: call.to_owned(),
            at: now,
        });
        let too_many = self.calls.len().saturating_sub(KEPT);
        self.calls.drain(..too_many);
        let may_ask = self.asked_at.is_none_or(|asked| now - asked >= cooldown);
        if self.calls.len() < ENOUGH || !may_ask {
            return Drift::Away;
        }
        self.asked_at = Some(now);
        Drift::OtherWork(self.calls.drain(..).map(|queued| queued.call).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work() -> Work {
        Work {
            name: "login #1 (implement)".to_owned(),
            kind: Kind::Epic,
            words: vec!["login".to_owned(), "form".to_owned()],
            paths: vec!["login".to_owned()],
            assigned: Assigned::Nobody,
            is_primary: false,
            is_in_progress: true,
        }
    }

    fn of(work: &Work, files: &[&str], text: &str) -> Option<f64> {
        let drift = drift(work, Activity { files, text })?;
        Some((drift * 1_000.0).round() / 1_000.0)
    }

    #[test]
    fn f29_b_the_weights_of_a_call() {
        for (what, work, files, text, expected) in [
            (
                "nothing in common",
                work(),
                &["src/a.rs"][..],
                "",
                Some(0.86),
            ),
            (
                "its file and a word",
                work(),
                &["src/login.rs"],
                "",
                Some(0.31),
            ),
            (
                "one file of two",
                work(),
                &["src/login.rs", "b.rs"],
                "",
                Some(0.51),
            ),
            ("a word", work(), &[], "grep -r form", Some(0.71)),
            (
                "a feature",
                Work {
                    kind: Kind::Feature,
                    ..work()
                },
                &["a.rs"],
                "",
                Some(0.74),
            ),
            (
                "a bug",
                Work {
                    kind: Kind::Bug,
                    ..work()
                },
                &["a.rs"],
                "",
                Some(0.7),
            ),
            (
                "a spike",
                Work {
                    kind: Kind::Spike,
                    ..work()
                },
                &["a.rs"],
                "",
                Some(0.78),
            ),
            (
                "a chore",
                Work {
                    kind: Kind::Chore,
                    ..work()
                },
                &["a.rs"],
                "",
                Some(0.82),
            ),
            (
                "anything else",
                Work {
                    kind: Kind::Other,
                    ..work()
                },
                &["a.rs"],
                "",
                Some(0.8),
            ),
            (
                "the main one",
                Work {
                    is_primary: true,
                    ..work()
                },
                &["a.rs"],
                "",
                Some(0.76),
            ),
            (
                "not begun",
                Work {
                    is_in_progress: false,
                    ..work()
                },
                &["a.rs"],
                "",
                Some(0.96),
            ),
            (
                "mine",
                Work {
                    assigned: Assigned::Me,
                    ..work()
                },
                &["a.rs"],
                "",
                Some(0.0),
            ),
            (
                "another's",
                Work {
                    assigned: Assigned::Another,
                    ..work()
                },
                &["a.rs"],
                "",
                None,
            ),
            ("infrastructure", work(), &["/p/.git/config"], "", None),
            ("nothing said", work(), &[], " ", None),
        ] {
            assert_eq!(of(&work, files, text), expected, "{what}");
        }
    }

    #[test]
    fn f29_b_three_queued_calls_lead_to_one_question() {
        let at = |minutes| DateTime::UNIX_EPOCH + TimeDelta::minutes(minutes);
        let mut queue = Queue::default();
        for (drift, minute, expected) in [
            (0.7, 0, Drift::Near),
            (0.71, 0, Drift::Away),
            (0.84, 0, Drift::Away),
            (0.85, 0, Drift::Away),
            (0.9, 1, Drift::Away),
            (0.9, 2, Drift::OtherWork(vec!["c".to_owned(); 3])),
            (0.9, 3, Drift::Away),
            (0.9, 4, Drift::Away),
            (0.9, 5, Drift::Away),
            (0.9, 11, Drift::Away),
            (0.9, 12, Drift::OtherWork(vec!["c".to_owned(); 5])),
        ] {
            assert_eq!(
                queue.add(drift, "c", at(minute)),
                expected,
                "{drift} at {minute}"
            );
        }
        // What is two days old does not count.
        assert_eq!(queue.add(0.9, "c", at(20)), Drift::Away);
        assert_eq!(queue.add(0.9, "c", at(20)), Drift::Away);
        assert_eq!(queue.add(0.9, "c", at(20 + 48 * 60)), Drift::Away);
    }

    #[test]
    fn nothing_is_told_of_work_that_no_call_had_anything_in_common_with() {
        let (mut queue, login) = (Queue::default(), work());
        let billing = Work {
            name: "billing #1 (implement)".to_owned(),
            words: vec!["billing".to_owned()],
            paths: vec!["billing".to_owned()],
            ..work()
        };
        for (work, text, expected) in [
            (&login, "touch a.rs", false),
            (&login, "touch login.rs", true),
            (&login, "touch a.rs", true),
            (&billing, "touch login.rs", false),
            (&billing, "touch billing.rs", true),
        ] {
            let files: &[&str] = &[];
            let met = queue.has_met(work, Activity { files, text });
            assert_eq!(met, expected, "{}: {text}", work.name);
        }
    }

    #[test]
    fn a_name_tells_the_kind() {
        for (name, expected) in [
            ("fix-bug", Kind::Bug),
            ("implement", Kind::Feature),
            ("Research", Kind::Spike),
            ("chore", Kind::Chore),
            ("epic", Kind::Epic),
            ("review", Kind::Other),
        ] {
            assert_eq!(Kind::of_name(name), expected, "{name}");
        }
    }
}
