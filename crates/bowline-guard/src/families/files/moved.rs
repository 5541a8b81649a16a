//! Moving something to a place where it may be deleted, and deleting it there.

use super::{DELETE, Files, Target, operands};
use crate::effect::{Effect, Gravity};
use crate::interpret::At;
use crate::invocation::{Directory, Invocation};
use crate::paths::{World, is_within};

/// Something that an earlier run of the line has moved.
#[derive(Debug)]
pub(in crate::families) struct Moved {
    after: usize,
    from: String,
    to: String,
}

/// What a run moves that would be missed.
pub(in crate::families) fn moved(
    at: usize,
    invocation: &Invocation,
    world: &dyn World,
) -> Vec<Moved> {
    let (Some("mv" | "gmv"), Directory::Known(cwd)) =
        (invocation.program.as_deref(), &invocation.directory)
    else {
        return Vec::new();
    };
    let here = At::directory(cwd, world);
    let files = Files {
        invocation,
        world: &here,
    };
    let mut all = operands(&invocation.args, &[]);
    let Some(to) = all.pop().and_then(|it| files.targets(it).pop()) else {
        return Vec::new();
    };
    all.into_iter()
        .flat_map(|it| files.targets(it))
        .filter(|it| files.gravity_of_loss(it) > Gravity::Harmless)
        .map(|it| Moved {
            after: at,
            from: it.resolved.path,
            to: to.resolved.path.trim_end_matches('/').to_owned(),
        })
        .collect()
}

/// The deletion of what was moved before.
pub(in crate::families) fn deletes_moved(
    at: usize,
    invocation: &Invocation,
    moved: &[Moved],
    world: &dyn World,
) -> Option<Effect> {
    let (Some("rm" | "grm" | "unlink" | "shred"), Directory::Known(cwd)) =
        (invocation.program.as_deref(), &invocation.directory)
    else {
        return None;
    };
    let mut moved = moved.iter().filter(|it| it.after < at).peekable();
    moved.peek()?;
    let here = At::directory(cwd, world);
    let files = Files {
        invocation,
        world: &here,
    };
    let deleted: Vec<Target> = operands(&invocation.args, &[])
        .into_iter()
        .flat_map(|it| files.targets(it))
        .collect();
    moved.find_map(|it| {
        let name = it.from.rsplit('/').next().unwrap_or_default();
        let inside = format!("{}/{name}", it.to);
        let target = deleted.iter().find(|target| {
            let path = target.resolved.path.trim_end_matches("/*");
            is_within(&inside, path) || is_within(&it.to, path)
        })?;
        let what = format!("deletes {}, which it moved away before", it.from);
        Some(DELETE.doubtful(what).about(&target.resolved))
    })
}
