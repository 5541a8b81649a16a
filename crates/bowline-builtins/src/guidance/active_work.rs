//! What a session works on.

use bowline::hooks::{HookContext, HookInput};
use bowline_continuity::effort::Effort;
use bowline_continuity::task;
use bowline_guidance::drift::{Assigned, Kind, Work};

use super::Ground;

/// Words of a task's name that say nothing about it.
const EMPTY: &[&str] = &["and", "for", "from", "new", "the", "with"];

/// What the session of an event works on: its effort. A tracker of work items has its place here, before the effort.
pub(super) fn active_work(ground: &Ground, input: &HookInput, ctx: &HookContext) -> Option<Work> {
    let effort = ground.live.effort_of(input, ctx, &ground.project)?;
    Some(of_effort(&effort))
}

fn of_effort(effort: &Effort) -> Work {
    let name = task::name_of(&effort.task).to_lowercase();
    let words: Vec<String> = name
        .split(|sign: char| !sign.is_alphanumeric())
        .filter(|word| word.len() > 2 && !EMPTY.contains(word))
        .map(str::to_owned)
        .collect();
    Work {
        name: effort.label(),
        kind: Kind::of_name(&effort.skill),
        paths: words.clone(),
        words,
        assigned: Assigned::Nobody,
        is_primary: false,
        is_in_progress: true,
    }
}
