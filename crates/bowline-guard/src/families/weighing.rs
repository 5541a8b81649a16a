//! What a run would really take away decides how grave its effects are, where that is known.

use crate::effect::{Effect, Gravity};
use crate::invocation::Done;
use crate::loss::{Act, GitAct, Loss, Over, Target, Writing};
use crate::paths::{World, is_within, leftover_by_name, rebuildable_by_name, scratch_by_name};

use super::rule::rules;

rules! {
    OVERWRITE_WORK = Overwrite, "files.overwrite-work", "Writes over what somebody has not committed",
        instead "look at it first with the Read tool and change it with Edit, or keep a copy: `cp FILE FILE.bak`";
    MOVE_WORK = Overwrite, "files.move-work", "Moves what somebody has not committed to where it does not last",
        instead "keep it in the project: `mkdir -p old && mv NAME old/`, or copy it: `cp NAME /tmp/`";
    DELETE_WORK = Delete, "files.delete-work", "Deletes what somebody has and nobody can make again",
        instead "leave it, and tell the person what should go";
    STAGE_LOSS = Discard, "git.stage-loss", "Takes out of the index the only copy of a file that was just deleted",
        instead "leave the index as it is, or commit the file first";
    SET_BACK = Discard, "git.set-back", "Goes to another branch and leaves work or commits behind that nothing else holds",
        instead "look first with `git status`; keep commits with `git branch NAME`, and files with `git stash -u`";
    RESOLUTION = Discard, "git.resolution", "Throws away how somebody resolved a conflict",
        instead "keep the resolved files first, for example with `cp FILE FILE.resolved`";
    MOVE_BRANCH = History, "git.move-branch", "Sets a branch to another commit, and nothing else holds what it had",
        instead "keep the commits first: `git branch NAME-before`";
}

/// Rules about files, whose effects name the path that they are about.
const ABOUT_FILES: &[&str] = &[
    "files.delete",
    "files.empty",
    "files.overwrite",
    "files.move",
];

/// Rules about what a mirror deletes at its end.
const ABOUT_MIRRORS: &[&str] = &["files.mirror"];

/// Rules about what a search finds.
const ABOUT_SEARCHES: &[&str] = &["files.delete-found"];

/// Rules about what git throws away.
const ABOUT_GIT: &[&str] = &[
    "git.reset-hard",
    "git.discard-files",
    "git.discard-on-switch",
    "git.clean",
    "git.stash-drop",
    "git.worktree-remove",
    "git.rm",
    "git.branch-delete",
    "git.move-ref",
    "git.submodule",
];

/// Whether what would be lost decides how grave the effects of a rule are.
pub(crate) fn is_weighed(rule: &str) -> bool {
    let mut rules = [ABOUT_FILES, ABOUT_MIRRORS, ABOUT_SEARCHES, ABOUT_GIT].into_iter();
    rules.any(|it| it.contains(&rule))
}

/// The effects of a run, weighed by what its acts would take away after what the line has done before. The acts are done then.
pub(super) fn weigh(
    mut effects: Vec<Effect>,
    acts: Vec<Act>,
    done: &mut Done<'_>,
    world: &dyn World,
) -> Vec<Effect> {
    let mut by_git: Option<(usize, Loss)> = None;
    for act in acts {
        let subject = Subject::of(&act);
        let concerned =
            |effect: &Effect| effect.gravity > Gravity::Harmless && subject.concerns(effect);
        if effects.iter().any(concerned) || may_lose_silently(&act, done.acts, world) {
            let loss = world.loss(&act, &done.so_far());
            match (subject, by_git.take()) {
                // One run of git may do several things, and has one effect.
                (Subject::Git, Some((first, so_far))) => by_git = Some((first, so_far.and(loss))),
                (Subject::Git, None) => by_git = Some((done.acts.len(), loss)),
                (subject, _) => settle(&mut effects, &subject, (&act, world), loss),
            }
        }
        done.push(act);
    }
    if let Some((at, loss)) = by_git
        && let Some(act) = done.acts.get(at)
    {
        settle(&mut effects, &Subject::Git, (act, world), loss);
    }
    effects
}

/// What an act by itself would take away, if that is known.
pub fn weighed(act: &Act, world: &dyn World) -> Option<Effect> {
    let mut effects = Vec::new();
    let loss = world.loss(act, &[]);
    settle(&mut effects, &Subject::of(act), (act, world), loss);
    effects.pop()
}

/// What an act's effects are known by.
enum Subject<'act> {
    Files(Vec<&'act Target>),
    Deleted(&'act Target),
    Search,
    Git,
}

impl<'act> Subject<'act> {
    fn of(act: &'act Act) -> Self {
        match act {
            Act::Make(target)
            | Act::Write { to: target, .. }
            | Act::Link { to: target, .. }
            | Act::Copy { to: target, .. } => Self::Files(vec![target]),
            Act::Delete { target, .. } => Self::Deleted(target),
            Act::Unpack(unpacking) => Self::Files(vec![&unpacking.into]),
            Act::Move { from, to } => Self::Files(from.iter().chain([to]).collect()),
            Act::Rename { from, .. } => Self::Files(from.iter().collect()),
            Act::DeleteFound(_) | Act::WriteFound(_) | Act::MoveFound { .. } => Self::Search,
            Act::Git { .. } => Self::Git,
            Act::Perhaps(act) => Self::of(act),
        }
    }

    fn concerns(&self, effect: &Effect) -> bool {
        match self {
            Self::Files(targets) => {
                ABOUT_FILES.contains(&effect.rule)
                    && targets.iter().any(|it| effect.paths.contains(&it.path))
            }
            Self::Deleted(target) => {
                (ABOUT_FILES.contains(&effect.rule) || ABOUT_MIRRORS.contains(&effect.rule))
                    && effect.paths.contains(&target.path)
            }
            Self::Search => ABOUT_SEARCHES.contains(&effect.rule),
            Self::Git => ABOUT_GIT.contains(&effect.rule),
        }
    }
}

/// Whether an act may take something away although its text is everyday.
fn may_lose_silently(act: &Act, earlier: &[Act], world: &dyn World) -> bool {
    let in_project = |target: &Target| is_within(&target.path, world.project_root());
    match act {
        Act::Write {
            to,
            how: Writing::Replace | Writing::Edit,
        }
        | Act::Copy { to, .. } => in_project(to),
        Act::Move { from, to } => in_project(to) || from.iter().any(in_project),
        Act::Rename {
            from,
            over: Over::Replace,
            ..
        } => from.iter().any(in_project),
        Act::Unpack(unpacking) => {
            unpacking.archive.is_some()
                && unpacking.over == Over::Replace
                && in_project(&unpacking.into)
        }
        Act::WriteFound(found) | Act::MoveFound { found, .. } => found.roots().any(in_project),
        Act::DeleteFound(found) => {
            (found.is_for_leftovers() || earlier.iter().any(brings))
                && found.roots().any(in_project)
        }
        // What is left behind may be a person's, and what git ignores is not always made again.
        // It also stays a person's where it was taken to, outside of the project.
        Act::Delete { target, .. } => {
            world.holds_brought_work(&target.path)
                || (in_project(target)
                    && (leftover_by_name(&target.path)
                        || earlier.iter().any(brings)
                        || (!by_name(target, world)
                            && world.is_ignored(&target.path) == Some(true))))
        }
        Act::Git {
            act:
                GitAct::MoveRef { .. }
                | GitAct::OverwriteRef { .. }
                | GitAct::Switch { to: Some(_) }
                | GitAct::Restore { .. }
                | GitAct::Abort
                | GitAct::AbortRebase
                | GitAct::SkipCommit
                | GitAct::RebaseOnto { .. }
                | GitAct::TakeOver { .. }
                | GitAct::Export { .. }
                | GitAct::TakeSide { .. },
            ..
        } => true,
        Act::Git {
            act: GitAct::Add { .. },
            ..
        } => earlier
            .iter()
            .any(|it| matches!(it, Act::Delete { .. } | Act::Write { .. })),
        _ => false,
    }
}

/// Whether an act takes files to where their names say something else.
fn brings(act: &Act) -> bool {
    matches!(
        act,
        Act::Move { .. } | Act::Rename { .. } | Act::Copy { .. }
    )
}

/// Whether what a path is called says enough.
fn by_name(target: &Target, world: &dyn World) -> bool {
    let below = target.path.strip_prefix(world.project_root());
    below.is_none_or(|below| rebuildable_by_name(below) || scratch_by_name(below))
}

fn settle(
    effects: &mut Vec<Effect>,
    subject: &Subject<'_>,
    (act, world): (&Act, &dyn World),
    loss: Loss,
) {
    let (gravity, what) = match loss {
        Loss::Unknown => return,
        Loss::Nothing(why) => {
            // What another act of the run takes away is lost all the same.
            let open = |it: &&mut Effect| subject.concerns(it) && it.because.is_none();
            for effect in effects.iter_mut().filter(open) {
                effect.gravity = Gravity::Harmless;
                effect.because = Some(why.clone());
            }
            return;
        }
        Loss::Part(what) => (Gravity::Doubtful, what),
        Loss::Whole(what) => (Gravity::Grave, what),
    };
    let mut told = false;
    for effect in effects.iter_mut().filter(|it| subject.concerns(it)) {
        effect.gravity = match subject {
            // What is grave by its place stays so.
            Subject::Files(_) | Subject::Deleted(_) | Subject::Search => {
                effect.gravity.max(gravity)
            }
            Subject::Git => gravity,
        };
        effect.because = Some(what.clone());
        told = true;
    }
    if !told {
        let effect = match act {
            Act::Git {
                act: GitAct::Add { .. },
                ..
            } => STAGE_LOSS.effect(gravity, "stages a deletion"),
            Act::Git {
                act: GitAct::Switch { .. } | GitAct::Restore { .. },
                ..
            } => SET_BACK.effect(gravity, "goes to another branch or sets files back"),
            Act::Git {
                act: GitAct::TakeOver { .. },
                ..
            } => SET_BACK.effect(gravity, "sets a branch and its files to a pull request"),
            Act::Git {
                act: GitAct::SkipCommit,
                ..
            } => MOVE_BRANCH.effect(gravity, "leaves out a commit, and what is not committed"),
            Act::Git {
                act: GitAct::RebaseOnto { .. },
                ..
            } => MOVE_BRANCH.effect(gravity, "puts a branch onto another commit"),
            Act::Git {
                act: GitAct::Abort | GitAct::AbortRebase | GitAct::TakeSide { .. },
                ..
            } => RESOLUTION.effect(gravity, "throws away how a conflict was resolved"),
            Act::Git {
                act: GitAct::Export { .. },
                ..
            } => OVERWRITE_WORK.effect(gravity, "writes a commit's files over those in the folder"),
            Act::Git { .. } => MOVE_BRANCH.effect(gravity, "sets a branch to another commit"),
            Act::Delete { target, .. } => DELETE_WORK
                .effect(gravity, format!("deletes {}", target.path))
                .concerning(subject),
            Act::DeleteFound(_) => DELETE_WORK.effect(gravity, "deletes what it finds"),
            Act::Move { from, to } if !is_within(&to.path, world.project_root()) => MOVE_WORK
                .effect(
                    gravity,
                    format!(
                        "moves {} to {}, where it does not last",
                        first(from),
                        to.path
                    ),
                )
                .concerning(subject),
            _ => OVERWRITE_WORK
                .effect(gravity, overwriting(act))
                .concerning(subject),
        };
        effects.push(Effect {
            because: Some(what),
            ..effect
        });
    }
}

fn overwriting(act: &Act) -> String {
    match act {
        Act::Write { to, .. } | Act::Copy { to, .. } => format!("writes over {}", to.path),
        Act::Move { from, to } => format!("moves {} over {}", first(from), to.path),
        Act::Unpack(unpacking) => format!("unpacks over what is in {}", unpacking.into.path),
        Act::Rename { .. } => "gives files names that are taken".to_owned(),
        Act::MoveFound { to, .. } => format!("moves what it finds to {}", to.path),
        _ => "writes over what it finds".to_owned(),
    }
}

fn first(targets: &[Target]) -> &str {
    targets.first().map_or("", |it| it.path.as_str())
}

impl Effect {
    fn concerning(mut self, subject: &Subject<'_>) -> Self {
        match subject {
            Subject::Files(targets) => {
                self.paths.extend(targets.iter().map(|it| it.path.clone()));
            }
            Subject::Deleted(target) => self.paths.push(target.path.clone()),
            Subject::Search | Subject::Git => {}
        }
        self
    }
}
