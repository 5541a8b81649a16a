//! The verdicts on what tools of MCP servers do.

use bowline_agents::McpTool;

use super::server::{self, Deed};
use super::{
    SERVER_DESTROYS, ToolCall, Verdict, judge_command, judge_effect, judge_files, judge_nameless,
    judge_own, judge_place, judge_sensitive,
};
use crate::Strictness;
use crate::judge::judge;
use crate::paths::World;
use crate::policy::GuardPolicy;
use crate::sensitive::ToolFields;
use crate::tool::FileVerb;

/// A tool of a server does what the agent's own tool or a program does.
pub(super) fn judge_verb(
    (tool, verb): (&str, FileVerb),
    call: &ToolCall<'_>,
    world: &dyn World,
    policy: &GuardPolicy,
) -> Verdict {
    let files: Vec<&str> = server::files_of(&call.server, &call.files).collect();
    let quoted = |path: &str| format!("'{}'", path.replace('\'', "'\\''"));
    let all = files.iter().copied().map(quoted).collect::<Vec<_>>();
    let both = || Some((call.source.or(files.first().copied())?, call.destination?));
    let line = match verb {
        FileVerb::Write => {
            return files.iter().fold(Verdict::ALLOW, |before, file| {
                before.or_stricter(judge_writing(file, call, world, policy))
            });
        }
        FileVerb::Delete => (!all.is_empty()).then(|| format!("rm -r {}", all.join(" "))),
        FileVerb::Move => both().map(|(from, to)| format!("mv {} {}", quoted(from), quoted(to))),
        FileVerb::Copy => both().map(|(from, to)| format!("cp -r {} {}", quoted(from), quoted(to))),
    };
    match line {
        Some(line) => judge_command(&judge(&line, world), world, policy),
        // Of a server's tool nobody knows what else names its file.
        None if McpTool::named(tool).is_some() => Verdict::ALLOW,
        None => judge_nameless(tool, world, policy),
    }
}

fn judge_writing(
    file: &str,
    call: &ToolCall<'_>,
    world: &dyn World,
    policy: &GuardPolicy,
) -> Verdict {
    let files = ToolFields {
        file_path: Some(file),
        ..ToolFields::default()
    };
    let call = ToolCall { files, ..*call };
    // What is added at the end takes nothing away.
    if call.server.adds() {
        judge_place("Write", &call, world, policy)
    } else {
        judge_files("Write", &call, world, policy)
    }
}

/// A tool of a server does what a command or the agent's own tool does, as far as its names say so.
pub(super) fn judge_deed(
    tool: &str,
    deed: &Deed<'_>,
    world: &dyn World,
    policy: &GuardPolicy,
) -> Verdict {
    match deed {
        Deed::Line(line) => judge_command(&judge(line, world), world, policy),
        Deed::PerhapsLine(line) => at_most_asked(judge_command(&judge(line, world), world, policy)),
        Deed::Read(paths) => strictest(paths, |files| {
            judge_sensitive((tool, "Read"), files, world, policy)
        }),
        Deed::Look(like, fields) => judge_sensitive((tool, like), fields, world, policy),
        Deed::PerhapsFiles(like, paths) => at_most_asked(strictest(paths, |files| {
            let call = ToolCall {
                files: *files,
                ..ToolCall::default()
            };
            let own = judge_own((tool, like), &call, world, policy);
            judge_sensitive((tool, like), files, world, policy).or_stricter(own)
        })),
        Deed::Destroys => {
            let what = "does away with something that others have, too";
            judge_effect(tool, &SERVER_DESTROYS.doubtful(what), world, policy)
        }
    }
}

/// The strictest verdict on several files.
fn strictest(paths: &[&str], judge: impl Fn(&ToolFields<'_>) -> Verdict) -> Verdict {
    paths.iter().fold(Verdict::ALLOW, |before, path| {
        before.or_stricter(judge(&ToolFields {
            file_path: Some(path),
            ..ToolFields::default()
        }))
    })
}

/// Nobody knows the tool, so that nothing is sure enough for a denial.
fn at_most_asked(verdict: Verdict) -> Verdict {
    Verdict {
        decision: verdict.decision.min(Strictness::Ask),
        ..verdict
    }
}
