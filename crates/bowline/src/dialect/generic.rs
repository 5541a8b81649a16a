//! The generic dialect: a superset of the answers that hooks of all kinds give.

use super::{RawOutput, Reply};
use crate::error::Result;
use crate::event::HookEvent;
use crate::output::HookOutput;
use crate::settings::ExitPolicy;

/// Reads what a command hook printed. `Err` is a failure of the hook (feature 15), not a block.
pub fn read_output(
    hook: &str,
    event: HookEvent,
    raw: &RawOutput,
    policy: ExitPolicy,
) -> Result<HookOutput> {
    let _ = (hook, event, raw, policy);
    Ok(HookOutput::allow())
}

/// Writes an answer for an agent that speaks this dialect.
pub fn encode(event: HookEvent, output: &HookOutput) -> Reply {
    let _ = (event, output);
    Reply::default()
}
