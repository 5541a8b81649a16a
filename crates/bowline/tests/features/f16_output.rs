//! Feature 16: what hooks answer, and how we answer an agent (18g).

mod answers;
mod claude_code;
mod generic;
mod robustness;

use bowline::agents::claude_code::PROTOCOL as CLAUDE_CODE;
use bowline::agents::generic::PROTOCOL as GENERIC;
use bowline::agents::{Reading, Reported, supported};
use bowline::hooks::{
    Answer, Completeness, Decision, Dialect, EventClass, Exit, HookEvent, Opinion, RawOutput,
    settings::ExitPolicy,
};
use bowline::{Error, Result};
use proptest::prelude::*;
use serde_json::{Value, json};

const HOOK: &str = "the-hook";

fn raw(code: i32, stdout: impl ToString, stderr: &str) -> RawOutput {
    RawOutput {
        exit: Exit::Code(code),
        stdout: stdout.to_string(),
        stderr: stderr.to_owned(),
        ..RawOutput::default()
    }
}

fn generic_raw(event: HookEvent, raw: &RawOutput) -> Result<Opinion> {
    Dialect::Generic.read_output(HOOK, event, raw, ExitPolicy::AnyNonZero)
}

fn generic(event: HookEvent, stdout: impl ToString) -> Opinion {
    generic_raw(event, &raw(0, stdout, "")).unwrap()
}

fn claude_raw(event: HookEvent, raw: &RawOutput) -> Result<Opinion> {
    Dialect::ClaudeCode.read_output(HOOK, event, raw, ExitPolicy::OnlyTwo)
}

fn claude(event: HookEvent, stdout: impl ToString) -> Result<Opinion> {
    claude_raw(event, &raw(0, stdout, ""))
}

fn specific(event: HookEvent, mut fields: Value) -> Value {
    fields["hookEventName"] = event.name().into();
    json!({ "hookSpecificOutput": fields })
}

fn failure(result: Result<Opinion>) -> String {
    match result.unwrap_err() {
        Error::HookFailed { hook, reason } => {
            assert_eq!(hook, HOOK);
            reason
        }
        other => panic!("{other}"),
    }
}

fn sent(reply: &Answer) -> Value {
    if reply.stdout.is_empty() {
        return Value::Null;
    }
    serde_json::from_str(&reply.stdout).unwrap()
}
