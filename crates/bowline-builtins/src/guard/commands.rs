//! Judges what a shell command would do.

use bowline_guard::tool_call::{
    is_unread, judge_command, judge_unread, no_command, notes_on_command, runs_a_shell,
};

use super::{GuardedCall, Judged, ToolGuard};

/// The guard for commands that destroy, disclose, or run what nobody has seen.
#[derive(Debug)]
pub struct CommandGuard;

impl ToolGuard for CommandGuard {
    const NAME: &'static str = "guard:commands";
    const SUMMARY: &'static str =
        "denies commands that destroy work, disclose secrets or run unknown code";
    const TOOLS: &'static str = "shell tools";
    const UNCONCERNED: &'static str = "runs no shell";

    /// Also what cannot be read: it may be anything.
    fn concerns(tool: &str) -> bool {
        runs_a_shell(tool) || is_unread(tool)
    }

    fn judge(call: &GuardedCall<'_>) -> Judged {
        if is_unread(call.tool) {
            return judge_unread(&call.fields, &call.world, &call.policy.guard).into();
        }
        let Some(judgement) = &call.judgement else {
            return no_command(call.tool).into();
        };
        Judged {
            verdict: judge_command(judgement, &call.world, &call.policy.guard),
            notes: notes_on_command(judgement),
        }
    }
}
