//! The installed command, tried out: does it answer rightly, and how fast.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use bowline::hooks::humane_duration;
use bowline::settings::GuardMode;
use bowline_agents::{Agent, DEFAULT};
use bowline_builtins::guard::Guards;
use bowline_guard::Strictness;
use bowline_guard::tool_call::{ToolCall, judge_command, judge_shell};
use serde_json::{Value, json};

use super::check::Check;
use crate::agent_settings::{Entry, InstallScope};
use crate::process::{self, Ran};
use crate::ui::clipped;

/// The agent that is played.
const AGENT: &Agent = DEFAULT;
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

/// The meaning of an answer to a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CanaryAnswer {
    Silent,
    /// It passes, with a message for the person.
    Told,
    Deny,
    Ask(String),
    /// Neither an answer nor silence.
    Other(String),
}

pub(super) fn verdict(ran: &Ran) -> CanaryAnswer {
    if ran.code == Some(2) {
        return CanaryAnswer::Deny;
    }
    let answer: Option<Value> = serde_json::from_str(ran.stdout.trim()).ok();
    let specific = answer.as_ref().and_then(|it| it.get("hookSpecificOutput"));
    let field = |name: &str| {
        let value = specific.and_then(|it| it.get(name)).and_then(Value::as_str);
        value.unwrap_or_default().to_owned()
    };
    match (ran.code, field("permissionDecision").as_str()) {
        (_, "deny") => CanaryAnswer::Deny,
        (_, "ask") => CanaryAnswer::Ask(field("permissionDecisionReason")),
        (Some(0), "") if answer.as_ref().is_some_and(tells) => CanaryAnswer::Told,
        (Some(0), "") if answer.is_some() || ran.stdout.trim().is_empty() => CanaryAnswer::Silent,
        (code, _) => {
            let code = code.map_or("no exit code".to_owned(), |code| {
                format!("exit code {code}")
            });
            let said = [ran.stderr.trim(), ran.stdout.trim()].join(" ");
            CanaryAnswer::Other(clipped(&format!("{code} {said}")))
        }
    }
}

/// Whether an answer has something for the person.
fn tells(answer: &Value) -> bool {
    answer.get("systemMessage").is_some_and(Value::is_string)
}

/// The command of an entry, as the agent starts it: a program with arguments, or a line for the shell.
fn command(entry: &Entry, project: &Path) -> Command {
    let (program, args) = match &entry.args {
        Some(args) => (entry.command.as_str(), args.clone()),
        None => ("sh", vec!["-c".to_owned(), entry.command.clone()]),
    };
    let mut command = Command::new(program);
    command.args(args);
    command
        .current_dir(project)
        .env("BOWLINE_DISABLE_TRACKING", "1");
    let protocol = AGENT.protocol();
    if let Some(variable) = protocol.and_then(|it| it.project_variable) {
        command.env(variable, project);
    }
    if let Some(mark) = AGENT.marks.first() {
        command.env(mark, "1");
    }
    command
}

fn payload(command: &str, project: &Path) -> Vec<u8> {
    let payload = json!({
        "session_id": SESSION,
        "transcript_path": "/dev/null",
        "cwd": project.to_string_lossy(),
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_use_id": "toolu_bowline_doctor",
    });
    format!("{payload}\n").into_bytes()
}

fn run(entry: &Entry, text: &str, project: &Path) -> Result<Ran, String> {
    let command = command(entry, project);
    process::run(command, &payload(text, project), LIMIT).map_err(|error| match error.kind() {
        std::io::ErrorKind::TimedOut => {
            format!("it gave no answer within {}", humane_duration(LIMIT))
        }
        _ => format!("it cannot be started: {error}"),
    })
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
    pub(super) fn by_settings(guards: &Guards, project: &Path) -> Self {
        let here = project.to_string_lossy();
        let world = guards.analyst().world_for(&here, SESSION);
        let judgement = judge_shell("Bash", DESTRUCTIVE, &world);
        let files = ToolCall::default().files;
        let policy = guards.policy((Some(AGENT.name), None), Some(&judgement), &files);
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
pub(super) fn answers(scope: InstallScope, entry: &Entry, project: &Path, due: Due) -> Check {
    let check = Check::new(format!("canary ({})", scope.as_str()));
    if due == Due::Nothing {
        return check.warning("not tried: nothing is decided now");
    }
    if due == Due::AllAsked {
        return check
            .warning("not tried: settings cannot be read, so every tool call may be asked about");
    }
    let tried = [HARMLESS, DESTRUCTIVE].map(|text| run(entry, text, project));
    match tried.map(|ran| ran.map(|ran| verdict(&ran))) {
        [Ok(CanaryAnswer::Silent), Ok(destructive)] => judged(check, &destructive, due),
        [Err(reason), _] | [_, Err(reason)] => check
            .problem(format!(
                "the command in the agent's settings does not work: {reason}"
            ))
            .advice("run `bowline init` again"),
        [Ok(harmless), Ok(destructive)] => wrong(check, &harmless, &destructive),
    }
}

/// What the answer to the destructive call means, where the harmless one passed.
fn judged(check: Check, destructive: &CanaryAnswer, due: Due) -> Check {
    match (destructive, due) {
        (CanaryAnswer::Deny, _) => check.ok(
            "the command in the agent's settings lets a harmless call pass and denies a destructive one",
        ),
        (CanaryAnswer::Told, Due::DeniedOnce) => check.ok(
            "the command in the agent's settings lets a harmless call pass, and a destructive one at the second attempt: one strike",
        ),
        (CanaryAnswer::Told, Due::Observed) => check.ok(
            "the command in the agent's settings lets every call pass and says what it would deny: the guard only observes",
        ),
        (CanaryAnswer::Ask(_), _) => check
            .warning("the command in the agent's settings only asks about a destructive call")
            .advice(WHICH_SETTING),
        (CanaryAnswer::Silent, Due::Passed) => check
            .warning("the settings let a destructive call pass")
            .advice(WHICH_SETTING),
        (CanaryAnswer::Silent, _) => check
            .problem(format!("a call of `{DESTRUCTIVE}` is let pass without a word"))
            .advice("`bowline explain 'rm -rf /'` shows the expected answer; then run `bowline init` again"),
        (CanaryAnswer::Told | CanaryAnswer::Other(_), _) => wrong(check, &CanaryAnswer::Silent, destructive),
    }
}

fn wrong(check: Check, harmless: &CanaryAnswer, destructive: &CanaryAnswer) -> Check {
    check
        .problem("the command in the agent's settings answers wrongly")
        .detail(format!("`{HARMLESS}`: {}", told(harmless)))
        .detail(format!("`{DESTRUCTIVE}`: {}", told(destructive)))
        .advice("run `bowline daemon restart`, then `bowline doctor` again")
}

fn told(verdict: &CanaryAnswer) -> String {
    match verdict {
        CanaryAnswer::Silent => "silence".to_owned(),
        CanaryAnswer::Told => "let pass with a message".to_owned(),
        CanaryAnswer::Deny => "denied".to_owned(),
        CanaryAnswer::Ask(reason) => format!("asked about: {}", clipped(reason)),
        CanaryAnswer::Other(what) => what.clone(),
    }
}

/// How long the command takes, beside an empty process.
pub(super) fn speed(scope: InstallScope, entry: &Entry, project: &Path) -> Check {
    let check = Check::new(format!("speed ({})", scope.as_str()));
    let empty = ["/bin/true", "/usr/bin/true"]
        .into_iter()
        .find(|program| Path::new(program).is_file());
    let mut hooks = Vec::new();
    let mut empties = Vec::new();
    for _ in 0..RUNS {
        match run(entry, HARMLESS, project) {
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

    #[test]
    fn answers_are_told_apart() {
        let deny =
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#;
        let ask = r#"{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"why"}}"#;
        for (code, stdout, expected) in [
            (Some(0), "", CanaryAnswer::Silent),
            (Some(0), "{}\n", CanaryAnswer::Silent),
            (Some(0), r#"{"systemMessage":"why"}"#, CanaryAnswer::Told),
            (Some(0), deny, CanaryAnswer::Deny),
            (Some(1), deny, CanaryAnswer::Deny),
            (Some(2), "", CanaryAnswer::Deny),
            (Some(0), ask, CanaryAnswer::Ask("why".to_owned())),
            (
                Some(0),
                "hello",
                CanaryAnswer::Other("exit code 0  hello".to_owned()),
            ),
            (
                Some(127),
                "",
                CanaryAnswer::Other("exit code 127".to_owned()),
            ),
            (None, "", CanaryAnswer::Other("no exit code".to_owned())),
        ] {
            let ran = Ran {
                code,
                stdout: stdout.to_owned(),
                stderr: String::new(),
                took: Duration::ZERO,
            };
            assert_eq!(verdict(&ran), expected, "{code:?} {stdout}");
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
