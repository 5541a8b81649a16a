//! Judges the files that a tool would read or change.

use bowline_guard::tool_call::{is_file_tool, judge_files, note_on_file};

use super::{GuardedCall, Judged, ToolGuard};

/// The guard for files that hold secrets, and for the settings of the guards themselves.
#[derive(Debug)]
pub struct SensitiveFileGuard;

impl ToolGuard for SensitiveFileGuard {
    const NAME: &'static str = "guard:sensitive-files";
    const SUMMARY: &'static str = "denies access to files that hold secrets";
    const TOOLS: &'static str = "file tools";
    const UNCONCERNED: &'static str = "touches no files";

    fn concerns(tool: &str) -> bool {
        is_file_tool(tool)
    }

    fn judge(call: &GuardedCall<'_>) -> Judged {
        Judged {
            verdict: judge_files(call.tool, &call.fields, &call.world, &call.policy.guard),
            notes: note_on_file(call.tool, &call.fields, &call.world)
                .into_iter()
                .collect(),
        }
    }
}
