//! Scripts that the session itself has written, as they are run: what they surely do.
//!
//! What nobody can know of them is not asked about: they are run all day, and before they were read nothing was.

use crate::effect::{Category, Effect, Gravity};
use crate::families::{effects_of_line, is_weighed};
use crate::interpret::{Interpretation, NOWHERE, UNKNOWN, interpret_script};
use crate::invocation::{Directory, Done, Invocation, Stdin, Through, Value};
use crate::loss::{Act, GitAct, Target};
use crate::paths::{World, is_within};

/// At most this many scripts are read for one text, and this many bytes of all of them.
const MAX_SCRIPTS: usize = 4;
const MAX_BYTES: usize = 64 * 1024;

/// Scripts that run scripts.
const MAX_DEPTH: usize = 2;

/// Rules about what nobody can know before it runs.
const NOT_SURE: &[&str] = &[
    "files.delete-unknown",
    "fetched.hidden",
    "fetched.unknown-program",
];

/// What was read for one text.
pub(super) struct Scripts<'w> {
    world: &'w dyn World,
    runs_left: usize,
    bytes_left: usize,
    depth: usize,
    /// How much work it was.
    pub(super) steps: usize,
}

impl<'w> Scripts<'w> {
    pub(super) fn new(world: &'w dyn World) -> Self {
        Self {
            world,
            runs_left: MAX_SCRIPTS,
            bytes_left: MAX_BYTES,
            depth: 0,
            steps: 0,
        }
    }

    /// What the scripts do that a text runs, each with the number of the run.
    pub(super) fn effects(
        &mut self,
        text: &Interpretation,
        done: &Done<'_>,
    ) -> Vec<(usize, Effect)> {
        let mut found = Vec::new();
        for script in &text.scripts {
            let run = text.invocations.get(script.run);
            let Some(run) = run.filter(|it| !it.runs_elsewhere()) else {
                continue;
            };
            let before = done.before(script.run);
            if before.iter().any(|act| may_change(act, &script.path)) {
                continue;
            }
            let Some(script_text) = self.read(&script.path) else {
                continue;
            };
            let inner = interpret_script(run, &script.path, &script_text, self.world);
            let effects = self.of_script(run, &inner, before.into_owned());
            let name = script.path.rsplit('/').next().unwrap_or_default();
            found.extend(effects.into_iter().map(|mut effect| {
                effect.what = format!("{} (in {name})", effect.what);
                (script.run, effect)
            }));
        }
        found
    }

    fn read(&mut self, path: &str) -> Option<String> {
        if self.runs_left == 0 {
            return None;
        }
        let text = self.world.own_script(path)?;
        self.bytes_left = self.bytes_left.checked_sub(text.len())?;
        self.runs_left -= 1;
        Some(text)
    }

    /// What a script surely does, after the acts of the line before it.
    fn of_script(
        &mut self,
        script: &Invocation,
        inner: &Interpretation,
        mut acts: Vec<Act>,
    ) -> Vec<Effect> {
        self.steps += inner.steps;
        let mut done = Done::new(&mut acts, &inner.reliance);
        let effects = effects_of_line(&inner.invocations, self.world, &mut done);
        let mut found = Vec::new();
        for (number, (run, effects)) in inner.invocations.iter().zip(effects).enumerate() {
            // That it is run was judged with the line.
            if run == script {
                continue;
            }
            let takes_place = || done.is_certain(number, inner.invocations.len());
            let counted = effects.into_iter();
            found.extend(counted.filter(|it| counts(it, run, takes_place)));
        }
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            let deeper = self.effects(inner, &done);
            found.extend(deeper.into_iter().map(|(_, effect)| effect));
            self.depth -= 1;
        }
        found
    }
}

/// Whether an effect is sure enough: something would be lost that is known, or the run is known in every word.
fn counts(effect: &Effect, run: &Invocation, takes_place: impl Fn() -> bool) -> bool {
    if effect.gravity == Gravity::Harmless || effect.category == Category::Unverified {
        return false;
    }
    if effect.because.is_some() {
        return true;
    }
    match effect.gravity {
        _ if !is_known(run) || NOT_SURE.contains(&effect.rule) => false,
        // What would be lost was not found out; what is grave by its place alone is so everywhere.
        _ if is_weighed(effect.rule) => {
            effect.gravity == Gravity::Grave
                && matches!(effect.category, Category::Delete | Category::Overwrite)
        }
        Gravity::Grave => true,
        // Scripts take their settings from the environment and from its files.
        Gravity::Doubtful if effect.category == Category::SecretRead => false,
        Gravity::Doubtful | Gravity::Harmless => takes_place(),
    }
}

/// Whether everything about a run is known.
fn is_known(run: &Invocation) -> bool {
    let here = match &run.directory {
        Directory::Known(path) => !path.starts_with(NOWHERE),
        Directory::Unknown => false,
    };
    let known = |value: &Value| matches!(value, Value::Known(_) | Value::Pattern(_));
    let for_each = |it: &Through| matches!(it, Through::EachOf(_));
    let fed = match &run.stdin {
        Stdin::None => true,
        Stdin::Text(text) => !text.contains(UNKNOWN),
        Stdin::File(file) => known(&file.value),
        Stdin::Pipe(programs) => !programs.iter().any(|it| it.contains(UNKNOWN)),
    };
    here && fed
        && run.program.is_some()
        && run.args.iter().all(|it| known(&it.value))
        && run.opened.iter().all(|it| known(&it.file.value))
        && !run.through.iter().any(for_each)
}

/// Whether a file may be another one after an act.
fn may_change(act: &Act, path: &str) -> bool {
    let meets = |target: &Target| is_within(path, &target.path);
    match act {
        Act::Perhaps(act) => may_change(act, path),
        Act::Make(_) => false,
        Act::Write { to, .. }
        | Act::Delete { target: to, .. }
        | Act::Link { to, .. }
        | Act::Copy { to, .. } => meets(to),
        Act::Move { from, to } => meets(to) || from.iter().any(meets),
        Act::Rename { from, .. } => from.iter().any(meets),
        Act::DeleteFound(found) | Act::WriteFound(found) | Act::MoveFound { found, .. } => {
            found.roots().any(meets)
        }
        Act::Unpack(unpacking) => meets(&unpacking.into),
        Act::Git { act, .. } => !matches!(
            act,
            GitAct::Add { .. }
                | GitAct::Announce { .. }
                | GitAct::Commit { .. }
                | GitAct::Ignore { .. }
                | GitAct::Push { .. }
                | GitAct::Untrack
        ),
    }
}
