//! Claude Code's dialect: its rules for what hooks answer, to the letter.

use super::{RawOutput, Reply};
use crate::error::Result;
use crate::event::HookEvent;
use crate::output::HookOutput;
use crate::settings::ExitPolicy;

/// Reads what a command hook printed. `Err` is a non-blocking error of the hook, not a block.
pub fn read_output(
    hook: &str,
    event: HookEvent,
    raw: &RawOutput,
    policy: ExitPolicy,
) -> Result<HookOutput> {
    let _ = (hook, event, raw, policy);
    Ok(HookOutput::allow())
}

/// Writes an answer that Claude Code accepts for this event.
pub fn encode(event: HookEvent, output: &HookOutput) -> Reply {
    let _ = (event, output);
    Reply::default()
}
