//! Follows what a session does to files, so that its own work is known for its own.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Decision, Hook, HookContext, HookEvent, HookInput, Opinion, RunPolicy};
use bowline::settings::RecordDetail;
use bowline_agents::Tool;
use bowline_guard::loss::{Act, Depth, GitAct, Target, Writing};
use bowline_guard::paths::{World, resolve_literal};
use bowline_guard::tool_call::ToolCall;
use bowline_store::Change;
use chrono::{DateTime, Utc};
use serde_json::Value;

use super::file_work::STEP;
use super::ledger::Ledger;
use super::lookout::Watched;
use super::reach::{Reach, reach_of};
use super::session::{Ground, Seen};
use super::touch::{CallWork, GitBefore, MixedStash};
use crate::analyst::Analyst;
use crate::guard::text_in;
use crate::loss::{Extent, Losses, times};
use crate::machine::MachineWorld;
use crate::machine::git::{ObjectId, Repository};
use crate::recorder::add_change;
use crate::sanitise;

pub(crate) const NAME: &str = "work";
pub(crate) const SUMMARY: &str = "follows which files a session makes and reads, for the guards";

const EVENTS: &[HookEvent] = &[
    HookEvent::SessionStart,
    HookEvent::UserPromptSubmit,
    HookEvent::PreToolUse,
    HookEvent::PostToolUse,
    HookEvent::PostToolUseFailure,
];

/// Files that a prompt mentions, up to this many.
const MAX_MENTIONS: usize = 32;
/// Files up to this size are recognised by their content.
const MAX_LEFT: u64 = 256 * 1024;
/// Refs that are compared before and after a commit.
const MAX_REFS: usize = 2_000;

/// Notes in the ledger what calls make.
#[derive(Debug)]
pub(crate) struct Work {
    ledger: Arc<Ledger>,
    analyst: Arc<Analyst>,
    detail: RecordDetail,
}

impl Work {
    pub(crate) fn new(ledger: Arc<Ledger>, analyst: Arc<Analyst>, detail: RecordDetail) -> Self {
        Self {
            ledger,
            analyst,
            detail,
        }
    }

    fn starts(&self, input: &HookInput, ctx: &HookContext, world: &MachineWorld<'_>) {
        let Some(call) = input.tool_use_id().filter(|_| !only_looks(input)) else {
            return;
        };
        let acts = acts(&self.analyst, input, ctx, world);
        let losses = world.losses();
        let touches = losses.touches(&acts);
        let mut work = CallWork {
            touched: touches.list,
            before: git_before(&losses, &acts),
            ..CallWork::default()
        };
        // What it writes besides may be anything.
        let reach = match touches.extent {
            Extent::Whole => self.reach(input, ctx),
            Extent::Part => Reach::Anything,
        };
        let ground = match input
            .tool_input()
            .and_then(|it| it.get("run_in_background"))
        {
            Some(Value::Bool(true)) => Ground::Back,
            _ if reach == Reach::Nothing => Ground::Back,
            _ => Ground::Fore(reach),
        };
        let session = (input.session_id.as_str(), world.project_root());
        self.ledger.begin_call(session, call, work.clone(), ground);
        if let Ground::Fore(reach) = ground {
            let watched = Watched {
                session: input.session_id.clone(),
                call: call.to_owned(),
                project: world.project_root().to_owned(),
                reach,
            };
            self.ledger.watch(self.analyst.machine(), watched);
        }
        work.reach = ground.kept();
        self.keep(call, &work, ctx);
    }

    fn ends(&self, input: &HookInput, ctx: &HookContext, world: &MachineWorld<'_>) {
        let session = (input.session_id.as_str(), world.project_root());
        // Not every agent gives its calls an id, and what it was shown it was shown.
        if input.event_type() == HookEvent::PostToolUse {
            self.reads(input, world);
        }
        let Some(call) = input.tool_use_id().filter(|_| !only_looks(input)) else {
            return;
        };
        // Its own commits are known by what it was about to touch.
        let before = self.ledger.before(session, call);
        let touched = self.ledger.touched(session, call);
        let took = input.duration_ms().and_then(|it| i64::try_from(it).ok());
        let took = took.map(chrono::Duration::milliseconds);
        self.ledger.end_call(session, call, input.timestamp, took);
        let others = self.ledger.others(session, call);
        if before.is_none() && touched.is_empty() && others.is_none() {
            return;
        }
        let losses = world.losses();
        let mut work = (before.as_ref())
            .and_then(|before| commits_since(&losses, before))
            .unwrap_or_default();
        let left = touched.into_iter().filter_map(|path| left(&losses, path));
        work.left = left.collect();
        work.others = others;
        self.ledger.add(session, &work);
        self.keep(call, &work, ctx);
    }

    /// The agent was shown the files that it read.
    fn reads(&self, input: &HookInput, world: &MachineWorld<'_>) {
        let session = (input.session_id.as_str(), world.project_root());
        for part in input.parts().filter(|it| tool_of(it) == Tool::Read) {
            for file in named_files(&part) {
                let path = end_of(file, world);
                let seen = seen(&path, input.timestamp, world);
                self.ledger.read(session, &path, seen);
            }
        }
    }

    /// What a call may do to files that it does not name.
    fn reach(&self, input: &HookInput, ctx: &HookContext) -> Reach {
        let of_part = |part: &HookInput| match (tool_of(part), part.command()) {
            // A tool that writes one file has nothing to do with others.
            (tool, _) if tool.changes_a_file() => Reach::Nothing,
            (tool, Some(command)) if tool.runs_a_shell() => {
                reach_of(&self.analyst.judge(command, part, ctx).invocations)
            }
            (Tool::Unread, _) => Reach::Anything,
            _ => Reach::NewFiles,
        };
        let reaches = input.parts().map(|part| of_part(&part));
        reaches.max().unwrap_or(Reach::Nothing)
    }

    /// Hands work over to the record of the event, unless nothing of what calls are given is to be kept.
    fn keep(&self, call: &str, work: &CallWork, ctx: &HookContext) {
        if self.detail == RecordDetail::Off {
            return;
        }
        if !work.is_empty()
            && let Ok(work) = serde_json::to_value(work)
        {
            let call = call.to_owned();
            let work = sanitise(&work);
            add_change(ctx, Change::Worked { call, work });
        }
    }

    /// A file that a prompt mentions is shown to the agent.
    fn mentions(&self, input: &HookInput, world: &MachineWorld<'_>) {
        let prompt = input.prompt().unwrap_or_default();
        let words = prompt
            .split_whitespace()
            .filter_map(|word| word.strip_prefix('@'));
        let session = (input.session_id.as_str(), world.project_root());
        for word in words.take(MAX_MENTIONS) {
            let name = word.trim_end_matches([',', '.', ';', ':', ')', '?', '!']);
            if !name.is_empty() {
                let path = end_of(name, world);
                let seen = seen(&path, input.timestamp, world);
                self.ledger.read(session, &path, seen);
            }
        }
    }
}

#[async_trait]
impl Hook for Work {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        EVENTS
    }

    fn priority(&self) -> i32 {
        crate::guard::PRIORITY
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::told()
    }

    async fn decided(&self, input: &HookInput, decision: &Opinion, ctx: &HookContext) {
        if input.session_id.is_empty() {
            return;
        }
        let world = self.analyst.world_of(input, ctx);
        if input.event_type() == HookEvent::SessionStart {
            let machine = self.analyst.machine();
            self.ledger.prepare(machine, world.project_root());
        }
        match input.event_type() {
            HookEvent::SessionStart if matches!(input.source(), Some("startup" | "clear")) => {
                self.ledger
                    .begin_session(&input.session_id, world.project_root());
            }
            HookEvent::SessionStart => {
                let session = (input.session_id.as_str(), world.project_root());
                self.ledger.hear(session);
            }
            HookEvent::UserPromptSubmit => self.mentions(input, &world),
            HookEvent::PreToolUse if decision.decision() != Decision::Deny => {
                self.starts(input, ctx, &world);
            }
            HookEvent::PostToolUse | HookEvent::PostToolUseFailure => {
                self.ends(input, ctx, &world);
            }
            _ => {}
        }
    }
}

/// What a call would do to files and repositories.
pub(crate) fn acts(
    analyst: &Analyst,
    input: &HookInput,
    ctx: &HookContext,
    world: &MachineWorld<'_>,
) -> Vec<Act> {
    let parts = input.parts();
    let acts = parts.flat_map(|part| acts_of_part(analyst, &part, ctx, world));
    acts.collect()
}

fn acts_of_part(
    analyst: &Analyst,
    input: &HookInput,
    ctx: &HookContext,
    world: &MachineWorld<'_>,
) -> Vec<Act> {
    let target = |file: &str| Target::from(&resolve_literal(file, world));
    let field = |name: &str| input.tool_input()?.get(name)?.as_str().map(target);
    match tool_of(input) {
        tool if tool.runs_a_shell() => {
            let Some(command) = input.command() else {
                return Vec::new();
            };
            analyst.judge(command, input, ctx).acts.clone()
        }
        Tool::Delete => named_files(input)
            .map(|file| Act::Delete {
                target: target(file),
                depth: Depth::Tree,
            })
            .collect(),
        Tool::Move => match (field("source"), field("destination")) {
            (Some(from), Some(to)) => vec![Act::Move {
                from: vec![from],
                to,
            }],
            _ => Vec::new(),
        },
        tool if tool.changes_a_file() => {
            let call =
                ToolCall::from_fields(|name| text_in(|it| input.tool_input()?.get(it), name));
            let how = if call.names_what_goes(input.tool_name().unwrap_or_default()) {
                Writing::TextByTool
            } else {
                Writing::ByTool
            };
            let write = |file| Act::Write {
                to: target(file),
                how,
            };
            named_files(input).map(write).collect()
        }
        _ => Vec::new(),
    }
}

fn tool_of(input: &HookInput) -> Tool {
    Tool::named(input.tool_name().unwrap_or_default())
}

/// Whether a call changes nothing.
fn only_looks(input: &HookInput) -> bool {
    let looks = |part: &HookInput| part.tool_name().is_none_or(is_for_looking);
    input.parts().all(|part| looks(&part))
}

/// Whether a tool changes nothing.
fn is_for_looking(tool: &str) -> bool {
    matches!(
        Tool::named(tool),
        Tool::Read | Tool::Glob | Tool::Grep | Tool::List
    ) || matches!(
        tool,
        "WebFetch"
            | "WebSearch"
            | "TodoWrite"
            | "Task"
            | "Agent"
            | "AskUserQuestion"
            | "ExitPlanMode"
            | "EnterPlanMode"
            | "Skill"
            | "TaskOutput"
            | "BashOutput"
            | "KillShell"
    )
}

fn named_files(input: &HookInput) -> impl Iterator<Item = &str> {
    let fields = input.tool_input();
    ["file_path", "notebook_path"]
        .into_iter()
        .filter_map(move |name| fields?.get(name)?.as_str())
}

/// Where a path leads in the end.
fn end_of(path: &str, world: &dyn World) -> String {
    let resolved = resolve_literal(path, world);
    resolved.target.unwrap_or(resolved.path)
}

/// A file as it was seen at a time. What changed right before is remembered by its content: what comes right after may bear the
/// same time.
fn seen(path: &str, at: DateTime<Utc>, world: &MachineWorld<'_>) -> Seen {
    let changed = || times(&std::fs::symlink_metadata(path).ok()?);
    let recent = changed().is_some_and(|it| it.changed > at - STEP);
    let content = recent.then(|| left(&world.losses(), path.to_owned()));
    let content = content.flatten().map(|(_, content)| content);
    Seen { at, content }
}

/// What a call has left at a path, by the name that git would give it.
fn left(losses: &Losses<'_>, path: String) -> Option<(String, String)> {
    let size = std::fs::symlink_metadata(&path).ok()?.len();
    let content = (size <= MAX_LEFT).then(|| losses.git.blob_id(Path::new(&path)))??;
    Some((path, content.to_string()))
}

/// What must be known of a repository to tell afterwards which commits are the session's own.
fn git_before(losses: &Losses<'_>, acts: &[Act]) -> Option<GitBefore> {
    let folder = |wanted: fn(&GitAct) -> bool| {
        acts.iter().find_map(move |act| match act {
            Act::Git { directory, act } if wanted(act) => Some(directory),
            _ => None,
        })
    };
    let taking = folder(|act| matches!(act, GitAct::Commit { .. } | GitAct::StashPush { .. }));
    let deriving = folder(|act| {
        matches!(
            act,
            GitAct::Merge { .. } | GitAct::RebaseOnto { .. } | GitAct::SkipCommit | GitAct::Other
        )
    });
    let commits = taking.or(deriving)?;
    let repository = losses.git.repository(Path::new(commits))?;
    // After a stash, or when the line goes on elsewhere, the files on disk no longer tell whose work it was.
    let leaves = acts.iter().any(|act| {
        matches!(
            act,
            Act::Git {
                act: GitAct::StashPush { .. }
                    | GitAct::Switch { .. }
                    | GitAct::ForceSwitch { .. }
                    | GitAct::CreateBranch { .. }
                    | GitAct::ResetHard { .. },
                ..
            }
        )
    });
    let others = match taking {
        // Git makes these of commits alone, and refuses where somebody's work is in the way.
        None => Some(Vec::new()),
        Some(_) => leaves.then(|| losses.others_in(&repository)).flatten(),
    };
    let refs = losses.git.refs(&repository)?;
    let mut ids: Vec<String> = refs.iter().map(|(_, id)| id.to_string()).collect();
    ids.extend(
        losses
            .git
            .stashes(&repository)?
            .iter()
            .map(ToString::to_string),
    );
    ids.sort_unstable();
    ids.dedup();
    (ids.len() <= MAX_REFS).then(|| GitBefore {
        folder: commits.clone(),
        refs: ids,
        others: others.map(|paths| {
            let text = |path: &Vec<u8>| String::from_utf8_lossy(path).into_owned();
            paths.iter().map(text).collect()
        }),
    })
}

/// The commits and stashes that came since: those with nothing in them but the session's own work, and stashes of mixed work.
fn commits_since(losses: &Losses<'_>, before: &GitBefore) -> Option<CallWork> {
    let repository = losses.git.repository(Path::new(&before.folder))?;
    let known: Vec<ObjectId> = before
        .refs
        .iter()
        .filter_map(|id| ObjectId::from_hex(id.as_bytes()))
        .collect();
    let mut own = Vec::new();
    let mut mixed = Vec::new();
    for stash in losses.git.stashes(&repository)? {
        if known.contains(&stash) {
            break;
        }
        let Some(others) = &before.others else {
            continue;
        };
        let paths = losses.paths_of_stash(&repository, stash)?;
        let id = stash.to_string();
        if is_without(&paths, Some(others)) {
            own.push(id);
        } else {
            let others = others.clone();
            mixed.push(MixedStash { id, others });
        }
    }
    for (name, tip) in losses.git.refs(&repository)? {
        if known.contains(&tip) || name == "refs/stash" {
            continue;
        }
        for commit in losses.git.unheld(&repository, tip, &known)? {
            if is_own(losses, &repository, commit, before).unwrap_or(false) {
                own.push(commit.to_string());
            }
        }
    }
    own.sort_unstable();
    own.dedup();
    Some(CallWork {
        commits: own,
        mixed,
        ..CallWork::default()
    })
}

fn is_own(
    losses: &Losses<'_>,
    repository: &Repository,
    commit: ObjectId,
    before: &GitBefore,
) -> Option<bool> {
    if before.others.is_none() {
        return losses.is_own_commit(repository, commit);
    }
    let paths = losses.paths_of_commit(repository, commit)?;
    Some(is_without(&paths, before.others.as_deref()))
}

/// Whether none of the paths held somebody else's work; if that is not known, it may.
fn is_without(paths: &[Vec<u8>], others: Option<&[String]>) -> bool {
    others.is_some_and(|others| {
        paths.iter().all(|path| {
            let path = String::from_utf8_lossy(path);
            !others.iter().any(|other| *other == path)
        })
    })
}
