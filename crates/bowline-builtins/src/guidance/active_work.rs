//! What a session works on.

use bowline::hooks::{HookContext, HookInput};
use bowline_continuity::effort::Effort;
use bowline_continuity::task;
use bowline_guidance::drift::{Assigned, Kind, Work};
use bowline_guidance::work::{ActiveItem, WorkKind};

use super::Ground;

/// Words of a name or a title that say nothing about it.
const EMPTY: &[&str] = &["and", "for", "from", "new", "the", "with"];

/// What the session of an event works on: the active work item, else its effort.
pub(super) fn active_work(ground: &Ground, input: &HookInput, ctx: &HookContext) -> Option<Work> {
    if let Some(item) = ground.tracker.known(&input.session_id, ctx) {
        // One whose title is not known cannot be compared with anything.
        return of_item(&item);
    }
    let effort = ground.live.effort_of(input, ctx, &ground.project)?;
    Some(of_effort(&effort))
}

fn of_item(item: &ActiveItem) -> Option<Work> {
    let title = item.title.as_deref()?;
    let words = words_of(title);
    if words.is_empty() {
        return None;
    }
    Some(Work {
        name: format!("work item {} ({title})", item.id),
        kind: item.kind.map_or_else(|| Kind::of_name(title), kind_of),
        paths: words.clone(),
        words,
        assigned: Assigned::Nobody,
        is_primary: false,
        is_in_progress: true,
    })
}

const fn kind_of(kind: WorkKind) -> Kind {
    match kind {
        WorkKind::Feature => Kind::Feature,
        WorkKind::Bug => Kind::Bug,
        WorkKind::Spike => Kind::Spike,
        WorkKind::Chore => Kind::Chore,
    }
}

fn of_effort(effort: &Effort) -> Work {
    let words = words_of(task::name_of(&effort.task));
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

fn words_of(name: &str) -> Vec<String> {
    name.to_lowercase()
        .split(|sign: char| !sign.is_alphanumeric())
        .filter(|word| word.len() > 2 && !EMPTY.contains(word))
        .map(str::to_owned)
        .collect()
}
