//! Reports events of a run, by the same program as agents do.

use std::env;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use bowline::hooks::HookEvent;
use bowline_agents::run::{AGENT, PROTOCOL};
use bowline_agents::{Answer, Decision, Reading, Reported};
use bowline_wire::Failure;
use serde_json::{Value, json};

use super::CLIENT;
use super::folder::Description;
use crate::process;

/// How long a question may wait in the inbox, in seconds.
const TIMEOUT: u64 = 600;
/// How much longer its program may take to say so.
const GRACE: u64 = 10;

/// Reports an event, and gives back what it means.
pub(super) fn report(run: &Description, event: HookEvent, fields: Value) -> Reading {
    let reported = Reported::of(event);
    let answer = ask(run, event, fields).and_then(|answer| {
        let read = PROTOCOL.reads(&reported, &answer);
        read.ok_or_else(|| format!("{CLIENT} ended with exit code {}", answer.exit))
    });
    answer.unwrap_or_else(|reason| {
        let failure = Failure {
            agent: AGENT.name,
            event: Some(event.name()),
            on_failure: run.on_failure(),
            reason: &reason,
        };
        let read = PROTOCOL.reads(&reported, &failure.answer());
        read.unwrap_or_else(|| Reading::decided(Decision::Deny, Some(reason)))
    })
}

fn ask(run: &Description, event: HookEvent, fields: Value) -> Result<Answer, String> {
    let mut payload = json!({
        "hook_event_name": event.name(),
        "session_id": run.session,
        "cwd": env::current_dir().unwrap_or_default().to_string_lossy(),
    });
    if let (Value::Object(payload), Value::Object(fields)) = (&mut payload, fields) {
        payload.extend(fields);
    }
    let mut hook = Command::new(client());
    hook.args([AGENT.name, event.name()])
        .arg(format!("--timeout={TIMEOUT}"))
        .arg(format!("--on-failure={}", run.on_failure()))
        .env_clear()
        .envs(run.environment());
    let limit = Duration::from_secs(TIMEOUT + GRACE);
    let ran = process::run(hook, payload.to_string().as_bytes(), limit)
        .map_err(|error| format!("{CLIENT} gave no answer ({})", error.kind()))?;
    let exit = ran.code.and_then(|code| u8::try_from(code).ok());
    Ok(Answer {
        exit: exit.ok_or_else(|| format!("{CLIENT} was killed"))?,
        stdout: ran.stdout,
        stderr: ran.stderr,
    })
}

/// The program beside this one, else the one on the path.
fn client() -> PathBuf {
    let beside = env::current_exe().map(|own| own.with_file_name(CLIENT));
    beside
        .ok()
        .filter(|it| it.is_file())
        .unwrap_or_else(|| CLIENT.into())
}
