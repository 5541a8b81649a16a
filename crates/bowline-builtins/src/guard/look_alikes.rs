//! Judges whether the characters of commands and names are what they look like.

use bowline_guard::tool_call::{is_file_tool, judge_looks, judge_names, runs_a_shell};

use super::{GuardedCall, Judged, ToolGuard};

/// The guard for characters that deceive the eye.
#[derive(Debug)]
pub struct LookAlikeGuard;

impl ToolGuard for LookAlikeGuard {
    const NAME: &'static str = "guard:look-alikes";
    const SUMMARY: &'static str = "asks about characters that deceive the eye";
    const TOOLS: &'static str = "shell and file tools";
    const UNCONCERNED: &'static str = "neither runs a shell nor touches files";

    fn concerns(tool: &str) -> bool {
        runs_a_shell(tool) || is_file_tool(tool)
    }

    fn judge(call: &GuardedCall<'_>) -> Judged {
        let policy = &call.policy.guard;
        match (call.command, &call.judgement) {
            (Some(command), Some(judgement)) => {
                judge_looks(command, judgement, &call.world, policy).into()
            }
            _ => judge_names(call.tool, &call.fields, &call.world, policy).into(),
        }
    }
}
