//! What an agent asks of its effort, through a skill or a slash command.

use serde::{Deserialize, Serialize};

use crate::action::PhaseRequest;
use crate::error::{Code, RuleError};
use crate::words;

/// What may be asked, and how.
pub const USAGE: &str = "\
Usage:
  start TASK SKILL [--mode MODE]       begin an effort, or continue the active one
  resume [TASK]                        continue an effort in this session
  log TEXT                             write into the effort's log
  phase PHASE [--proof TEXT] [--reason TEXT]
                                       enter a phase; --reason leaves the order
  note TEXT                            pin a line that later sessions are told
  dehydrate TEXT                       leave a summary, or JSON, for the next session
  finish                               finish the effort, for good
  show                                 show the effort

Example:
  start fix-login implement
  log \"The login fails because the cookie expires at once. Next: set its age.\"
  phase \"2: Build\" --proof \"The plan is in 1_PLAN.md\"";

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffortCommand {
    /// Begin an effort.
    Start {
        /// The task's name.
        task: String,
        /// The skill.
        skill: String,
        /// The skill's mode.
        mode: Option<String>,
    },
    /// Continue an effort.
    Resume {
        /// The task's name or folder. None: the one that commands mean.
        task: Option<String>,
    },
    /// Write into the log.
    Log {
        /// What it says.
        text: String,
    },
    /// Enter a phase.
    Phase(PhaseRequest),
    /// Pin a note.
    Note {
        /// What it says.
        text: String,
    },
    /// Leave something for the next session.
    Dehydrate {
        /// JSON, or the summary alone.
        payload: String,
    },
    /// Finish the effort.
    Finish,
    /// Show the effort.
    Show,
}

/// Whether a skill of this name is the one for efforts. A plugin's skill has the plugin's name in front.
pub fn is_effort_skill(name: &str) -> bool {
    name == "effort" || name.ends_with(":effort")
}

/// Reads what stands behind the skill's name.
pub fn parse(args: &str) -> Result<EffortCommand, RuleError> {
    let args = args.trim();
    let (verb, rest) = args.split_once(char::is_whitespace).unwrap_or((args, ""));
    match verb {
        "start" => start(rest),
        "resume" => resume(rest),
        "log" => text(verb, rest).map(|text| EffortCommand::Log { text }),
        "phase" => phase(rest),
        "note" => text(verb, rest).map(|text| EffortCommand::Note { text }),
        "dehydrate" => text(verb, rest).map(|payload| EffortCommand::Dehydrate { payload }),
        "finish" if rest.trim().is_empty() => Ok(EffortCommand::Finish),
        "show" if rest.trim().is_empty() => Ok(EffortCommand::Show),
        "finish" | "show" => Err(refused(format!("`{verb}` takes no arguments."))),
        "" => Err(refused("Nothing was asked.")),
        other => Err(refused(format!("{other:?} is no command of an effort."))),
    }
}

fn start(rest: &str) -> Result<EffortCommand, RuleError> {
    let (words, [mode]) = arguments(rest, ["--mode"])?;
    match <[String; 2]>::try_from(words) {
        Ok([task, skill]) if !task.is_empty() && !skill.is_empty() => {
            Ok(EffortCommand::Start { task, skill, mode })
        }
        _ => Err(refused(
            "`start` takes a task and a skill. A task of several words needs quotes.",
        )),
    }
}

fn resume(rest: &str) -> Result<EffortCommand, RuleError> {
    let (words, []) = arguments(rest, [])?;
    let mut words = words.into_iter();
    match (words.next(), words.next()) {
        (task, None) => Ok(EffortCommand::Resume { task }),
        _ => Err(refused(
            "`resume` takes one task. A task of several words needs quotes.",
        )),
    }
}

fn phase(rest: &str) -> Result<EffortCommand, RuleError> {
    let (words, [proof, reason]) = arguments(rest, ["--proof", "--reason"])?;
    let to = words.join(" ");
    if to.trim().is_empty() {
        return Err(refused("`phase` takes a phase."));
    }
    Ok(EffortCommand::Phase(PhaseRequest { to, proof, reason }))
}

/// The words before the options, and the value of each option. A value goes on to the next option, because agents forget quotes.
fn arguments<const N: usize>(
    rest: &str,
    options: [&str; N],
) -> Result<(Vec<String>, [Option<String>; N]), RuleError> {
    let Some(words) = words::words(rest) else {
        return Err(refused("A quote is not closed."));
    };
    let mut before = Vec::new();
    let mut values = [const { None::<String> }; N];
    let mut open: Option<&mut String> = None;
    for word in words {
        if word.starts_with("--") {
            let (name, value) = word.split_once('=').unwrap_or((&word, ""));
            let slot = options
                .iter()
                .zip(&mut values)
                .find(|(option, _)| **option == name);
            let Some((_, slot)) = slot else {
                return Err(refused(format!("{name:?} is no option here.")));
            };
            open = Some(slot.insert(value.to_owned()));
        } else if let Some(value) = &mut open {
            if !value.is_empty() {
                value.push(' ');
            }
            value.push_str(&word);
        } else {
            before.push(word);
        }
    }
    for (option, value) in options.iter().zip(&values) {
        if value.as_ref().is_some_and(|value| value.trim().is_empty()) {
            return Err(refused(format!("`{option}` needs a value.")));
        }
    }
    Ok((before, values))
}

/// Everything behind the verb, as it stands, because a text may have quotes of its own. Quotes around all of it are removed.
fn text(verb: &str, rest: &str) -> Result<String, RuleError> {
    let rest = rest.trim();
    let quoted = rest
        .starts_with(['\'', '"'])
        .then(|| words::words(rest))
        .flatten()
        .and_then(|words| <[String; 1]>::try_from(words).ok());
    let text = quoted.map_or_else(|| rest.to_owned(), |[text]| text);
    if text.trim().is_empty() {
        return Err(refused(format!("`{verb}` takes a text.")));
    }
    Ok(text)
}

fn refused(problem: impl AsRef<str>) -> RuleError {
    let message = format!("{}\n\n{USAGE}", problem.as_ref());
    RuleError::new(Code::CommandError, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(task: &str, skill: &str, mode: Option<&str>) -> EffortCommand {
        EffortCommand::Start {
            task: task.to_owned(),
            skill: skill.to_owned(),
            mode: mode.map(str::to_owned),
        }
    }

    fn resume(task: Option<&str>) -> EffortCommand {
        EffortCommand::Resume {
            task: task.map(str::to_owned),
        }
    }

    fn log(text: &str) -> EffortCommand {
        EffortCommand::Log {
            text: text.to_owned(),
        }
    }

    fn phase(to: &str, proof: Option<&str>, reason: Option<&str>) -> EffortCommand {
        EffortCommand::Phase(PhaseRequest {
            to: to.to_owned(),
            proof: proof.map(str::to_owned),
            reason: reason.map(str::to_owned),
        })
    }

    #[test]
    fn commands_are_read() {
        for (args, expected) in [
            (
                "start fix-login implement",
                start("fix-login", "implement", None),
            ),
            (
                "  start  'Fix login'  implement ",
                start("Fix login", "implement", None),
            ),
            ("start a b --mode tdd", start("a", "b", Some("tdd"))),
            ("start a b --mode=tdd", start("a", "b", Some("tdd"))),
            ("resume", resume(None)),
            ("resume .tasks/fix-login", resume(Some(".tasks/fix-login"))),
            ("resume \"Fix login\"", resume(Some("Fix login"))),
            ("log found it", log("found it")),
            ("log \"found it\"", log("found it")),
            ("log 'found it'", log("found it")),
            ("log it's the user's cookie", log("it's the user's cookie")),
            ("log 'a' and 'b'", log("'a' and 'b'")),
            ("log 'tis broken", log("'tis broken")),
            (
                "log ## Found\n\n- a\n- b --mode",
                log("## Found\n\n- a\n- b --mode"),
            ),
            ("log\n## Found", log("## Found")),
            (
                "note use sqlite",
                EffortCommand::Note {
                    text: "use sqlite".to_owned(),
                },
            ),
            (
                "dehydrate {\"summary\": \"it's done\"}",
                EffortCommand::Dehydrate {
                    payload: "{\"summary\": \"it's done\"}".to_owned(),
                },
            ),
            (
                "dehydrate '{\"summary\": \"done\"}'",
                EffortCommand::Dehydrate {
                    payload: "{\"summary\": \"done\"}".to_owned(),
                },
            ),
            ("phase 2", phase("2", None, None)),
            ("phase \"2: Build\"", phase("2: Build", None, None)),
            ("phase 2: Build it", phase("2: Build it", None, None)),
            (
                "phase \"3: Test\" --reason \"the user asked\" --proof 'tests pass'",
                phase("3: Test", Some("tests pass"), Some("the user asked")),
            ),
            (
                "phase 3: Test --reason the user asked --proof=tests pass",
                phase("3: Test", Some("tests pass"), Some("the user asked")),
            ),
            ("finish", EffortCommand::Finish),
            (" show ", EffortCommand::Show),
        ] {
            assert_eq!(parse(args), Ok(expected), "{args}");
        }
    }

    #[test]
    fn everything_else_is_refused_with_the_usage() {
        for args in [
            "",
            "  ",
            "begin",
            "Start a b",
            "start",
            "start a",
            "start fix the login implement",
            "start '' implement",
            "start a b --mode",
            "start a b --mode ''",
            "start a b --fast",
            "start --mode tdd a b",
            "start 'a b",
            "resume a b",
            "resume --all",
            "log",
            "log   ",
            "log ''",
            "log \" \"",
            "note",
            "dehydrate",
            "phase",
            "phase --reason why",
            "phase 2 --reason",
            "phase 2 --reason user's",
            "finish now",
            "show all",
        ] {
            let refusal = parse(args).unwrap_err();
            assert_eq!(refusal.code, Code::CommandError, "{args}");
            assert!(refusal.message.ends_with(USAGE), "{args}: {refusal}");
            assert!(
                refusal.message.len() > USAGE.len() + 10,
                "{args}: {refusal}"
            );
        }
    }

    #[test]
    fn the_examples_of_the_usage_work() {
        let (_, examples) = USAGE.split_once("Example:\n").unwrap();
        for example in examples.lines() {
            assert!(parse(example).is_ok(), "{example}");
        }
        assert_eq!(examples.lines().count(), 3);
    }

    #[test]
    fn the_skill_may_come_from_a_plugin() {
        for (name, expected) in [
            ("effort", true),
            ("bowline:effort", true),
            ("a:b:effort", true),
            ("Effort", false),
            ("efforts", false),
            ("my-effort", false),
            ("effort:log", false),
            ("", false),
        ] {
            assert_eq!(is_effort_skill(name), expected, "{name}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_strange(args in "((start|log|phase|resume|note) )?[a-c '\"\\=\\-\n]{0,20}") {
            if let Err(refusal) = parse(&args) {
                proptest::prop_assert_eq!(refusal.code, Code::CommandError);
            }
        }
    }
}
