//! The installed command, tried out: does it answer rightly, and how fast.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use bowline::hooks::humane_duration;
use bowline::settings::GuardMode;
use bowline_agents::Answer;
use bowline_agents::registration::{CanaryAnswer, CanaryCall};
use bowline_builtins::guard::Guards;
use bowline_guard::Strictness;
use bowline_guard::tool_call::{ToolCall, judge_command, judge_shell};

use super::check::Check;
use crate::agent_settings::{Entry, InstallScope, Installable};
use crate::process::{self, Ran};
use crate::ui::clipped;

/// Every default policy denies it. It is only ever judged, never run.
const DESTRUCTIVE: &str = "rm -rf /";
/// No policy has anything to say about it.
const HARMLESS: &str = "echo bowline";
/// The session that the canaries belong to.
const SESSION: &str = "bowline-doctor";
const WHICH_SETTING: &str = "`bowline explain 'rm -rf /'` tells which setting makes it so";
/// How long one canary may take.
const LIMIT: Duration = Duration::from_secs(20);
/// How often the time is taken.
const RUNS: usize = 21;
/// A hook that takes longer is felt.
const SLOW: Duration = Duration::from_millis(50);

/// An entry of an agent's settings that can be tried out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Canary<'a> {
    /// The agent that is played.
    pub(super) agent: &'a Installable,
    pub(super) scope: InstallScope,
    pub(super) entry: &'a Entry,
    pub(super) project: &'a Path,
}

/// What an answer means to the agent; else what was said, for people.
type Meaning = Result<CanaryAnswer, String>;

fn meaning(agent: &Installable, ran: &Ran) -> Meaning {
    let exit = ran.code.and_then(|code| u8::try_from(code).ok());
    let answer = exit.map(|exit| Answer {
        exit,
        stdout: ran.stdout.clone(),
        stderr: ran.stderr.clone(),
    });
    let meaning = agent.registration.canary.meaning;
    answer.as_ref().and_then(meaning).ok_or_else(|| {
        let code = ran.code.map_or("no exit code".to_owned(), |code| {
            format!("exit code {code}")
        });
        let said = [ran.stderr.trim(), ran.stdout.trim()].join(" ");
        clipped(&format!("{code} {said}"))
    })
}

impl Canary<'_> {
    /// The command of the entry, as the agent starts it: a program with arguments, or a line for the shell.
    fn command(&self) -> Command {
        let (program, args) = match &self.entry.args {
            Some(args) => (self.entry.command.as_str(), args.clone()),
            None => ("sh", vec!["-c".to_owned(), self.entry.command.clone()]),
        };
        let mut command = Command::new(program);
        command.args(args);
        command
            .current_dir(self.project)
            .env("BOWLINE_DISABLE_TRACKING", "1");
        let agent = self.agent.agent;
        if let Some(variable) = agent.protocol().and_then(|it| it.project_variable) {
            command.env(variable, self.project);
        }
        if let Some(mark) = agent.marks.first() {
            command.env(mark, "1");
        }
        command
    }

    fn run(&self, text: &str) -> Result<Ran, String> {
        let payload = (self.agent.registration.canary.payload)(&CanaryCall {
            session: SESSION,
            folder: &self.project.to_string_lossy(),
            command: text,
        });
        let payload = format!("{payload}\n").into_bytes();
        process::run(self.command(), &payload, LIMIT).map_err(|error| match error.kind() {
            std::io::ErrorKind::TimedOut => {
                format!("it gave no answer within {}", humane_duration(LIMIT))
            }
            _ => format!("it cannot be started: {error}"),
        })
    }
}

/// What has to come of the destructive call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// Nothing is decided now.
    Nothing,
    /// Settings cannot be read, so that every call is asked about.
    AllAsked,
    Denied,
    /// The same call once more in a session passes.
    DeniedOnce,
    Asked,
    /// The guard only observes.
    Observed,
    /// The settings let it pass.
    Passed,
}

impl Due {
    /// What the settings of the project say to it.
    pub(super) fn by_settings(guards: &Guards, agent: &Installable, project: &Path) -> Self {
        let here = project.to_string_lossy();
        let world = guards.analyst().world_for(&here, SESSION);
        let judgement = judge_shell(agent.registration.canary.tool, DESTRUCTIVE, &world);
        let files = ToolCall::default().files;
        let policy = guards.policy((Some(agent.name()), None), Some(&judgement), &files);
        let verdict = judge_command(&judgement, &world, &policy.guard);
        match (verdict.decision, policy.mode) {
            (Strictness::Allow, _) => Self::Passed,
            (_, GuardMode::Observe) => Self::Observed,
            (Strictness::Ask, _) => Self::Asked,
            (Strictness::Deny, GuardMode::OneStrike) => Self::DeniedOnce,
            (Strictness::Deny, _) => Self::Denied,
        }
    }
}

/// Whether the command of the agent's settings lets pass what is harmless, and says to what is destructive what it has to.
pub(super) fn answers(canary: Canary<'_>, due: Due) -> Check {
    let check = Check::new(format!("canary ({})", canary.scope.as_str()));
    if due == Due::Nothing {
        return check.warning("not tried: nothing is decided now");
    }
    if due == Due::AllAsked {
        return check
            .warning("not tried: settings cannot be read, so every tool call may be asked about");
    }
    let tried = [HARMLESS, DESTRUCTIVE].map(|text| canary.run(text));
    match tried.map(|ran| ran.map(|ran| meaning(canary.agent, &ran))) {
        [Ok(Ok(CanaryAnswer::Silent)), Ok(destructive)] => judged(check, &destructive, due),
        [Err(reason), _] | [_, Err(reason)] => check
            .problem(format!(
                "the command in the agent's settings does not work: {reason}"
            ))
            .advice("run `bowline init` again"),
        [Ok(harmless), Ok(destructive)] => wrong(check, &harmless, &destructive),
    }
}

/// What the answer to the destructive call means, where the harmless one passed.
fn judged(check: Check, destructive: &Meaning, due: Due) -> Check {
    match (destructive, due) {
        (Ok(CanaryAnswer::Deny), _) => check.ok(
            "the command in the agent's settings lets a harmless call pass and denies a destructive one",
        ),
        (Ok(CanaryAnswer::Told), Due::DeniedOnce) => check.ok(
            "the command in the agent's settings lets a harmless call pass, and a destructive one at the second attempt: one strike",
        ),
        (Ok(CanaryAnswer::Told), Due::Observed) => check.ok(
            "the command in the agent's settings lets every call pass and says what it would deny: the guard only observes",
        ),
        (Ok(CanaryAnswer::Ask(_)), _) => check
            .warning("the command in the agent's settings only asks about a destructive call")
            .advice(WHICH_SETTING),
        (Ok(CanaryAnswer::Silent), Due::Passed) => check
            .warning("the settings let a destructive call pass")
            .advice(WHICH_SETTING),
        (Ok(CanaryAnswer::Silent), _) => check
            .problem(format!("a call of `{DESTRUCTIVE}` is let pass without a word"))
            .advice("`bowline explain 'rm -rf /'` shows the expected answer; then run `bowline init` again"),
        (Ok(CanaryAnswer::Told) | Err(_), _) => wrong(check, &Ok(CanaryAnswer::Silent), destructive),
    }
}

fn wrong(check: Check, harmless: &Meaning, destructive: &Meaning) -> Check {
    check
        .problem("the command in the agent's settings answers wrongly")
        .detail(format!("`{HARMLESS}`: {}", told(harmless)))
        .detail(format!("`{DESTRUCTIVE}`: {}", told(destructive)))
        .advice("run `bowline daemon restart`, then `bowline doctor` again")
}

fn told(meaning: &Meaning) -> String {
    match meaning {
        Ok(CanaryAnswer::Silent) => "silence".to_owned(),
        Ok(CanaryAnswer::Told) => "let pass with a message".to_owned(),
        Ok(CanaryAnswer::Deny) => "denied".to_owned(),
        Ok(CanaryAnswer::Ask(reason)) => format!("asked about: {}", clipped(reason)),
        Err(what) => what.clone(),
    }
}

/// How long the command takes, beside an empty process.
pub(super) fn speed(canary: Canary<'_>) -> Check {
    let check = Check::new(format!("speed ({})", canary.scope.as_str()));
    let empty = ["/bin/true", "/usr/bin/true"]
        .into_iter()
        .find(|program| Path::new(program).is_file());
    let mut hooks = Vec::new();
    let mut empties = Vec::new();
    for _ in 0..RUNS {
        match canary.run(HARMLESS) {
            Ok(ran) => hooks.push(ran.took),
            Err(reason) => return check.warning(format!("not measured: {reason}")),
        }
        if let Some(Ok(ran)) = empty.map(|it| process::run(Command::new(it), b"", LIMIT)) {
            empties.push(ran.took);
        }
    }
    let Some((median, worst)) = median_and_worst(hooks) else {
        return check.warning("not measured");
    };
    let mut text = format!(
        "one hook takes {}, at worst {}",
        humane_duration(median),
        humane_duration(worst)
    );
    if let Some((median, _)) = median_and_worst(empties) {
        text = format!("{text}; an empty process takes {}", humane_duration(median));
    }
    if median > SLOW {
        check
            .warning(text)
            .advice("a daemon that does not answer makes every hook slow: see below")
    } else {
        check.ok(text)
    }
}

fn median_and_worst(mut times: Vec<Duration>) -> Option<(Duration, Duration)> {
    times.sort_unstable();
    Some((*times.get(times.len() / 2)?, *times.last()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_settings::CLAUDE_CODE;

    #[test]
    fn what_is_no_answer_is_told_as_it_was_said() {
        for (code, stdout, expected) in [
            (Some(0), "", Ok(CanaryAnswer::Silent)),
            (Some(2), "", Ok(CanaryAnswer::Deny)),
            (Some(0), "hello", Err("exit code 0  hello")),
            (Some(127), "", Err("exit code 127")),
            (Some(-1), "", Err("exit code -1")),
            (None, "", Err("no exit code")),
        ] {
            let ran = Ran {
                code,
                stdout: stdout.to_owned(),
                stderr: String::new(),
                took: Duration::ZERO,
            };
            let expected = expected.map_err(str::to_owned);
            assert_eq!(meaning(&CLAUDE_CODE, &ran), expected, "{code:?} {stdout}");
        }
    }

    #[test]
    fn times_are_summed_up() {
        let ms = Duration::from_millis;
        assert_eq!(
            median_and_worst(vec![ms(9), ms(1), ms(2)]),
            Some((ms(2), ms(9)))
        );
        assert_eq!(median_and_worst(Vec::new()), None);
    }
}
