//! What settings make of effects: a verdict for each category, and what is let pass.

use std::collections::BTreeMap;

use crate::Strictness;
use crate::effect::{Category, Effect, Gravity};
use crate::families;
use crate::invocation::{Invocation, Opening, Stdin};
use crate::judge::Judgement;
use crate::paths::{World, glob};
use crate::pattern::{CommandPattern, PathPattern, RulePattern};

/// How strict a guard is.
#[derive(Debug, Clone, Default)]
pub struct GuardPolicy {
    /// The verdict of every finding of a category, over what the finding itself says.
    pub categories: BTreeMap<Category, Strictness>,
    /// The least that findings of a category come to, whatever is let pass.
    pub floors: BTreeMap<Category, Strictness>,
    /// What is let pass.
    pub allow: AllowList,
}

/// What a guard lets pass. Changes to the guard's own settings are never on it.
#[derive(Debug, Clone, Default)]
pub struct AllowList {
    /// What these rules or categories find.
    pub rules: Vec<RulePattern>,
    /// What happens to these paths.
    pub paths: Vec<PathPattern>,
    /// What these program runs do.
    pub commands: Vec<CommandPattern>,
}

impl GuardPolicy {
    /// The answer to something of a category that was found by a rule.
    pub fn decide(
        &self,
        category: Category,
        rule: &str,
        found: Strictness,
        paths: &[String],
        world: &dyn World,
    ) -> Strictness {
        if found == Strictness::Allow {
            return found;
        }
        let floor = self.floor(category);
        let decision = self.categories.get(&category).copied().unwrap_or(found);
        // Nobody switches off the guard without a person.
        if category == Category::OwnSettings {
            return decision.max(Strictness::Ask).max(floor);
        }
        let by_rule = self.allow.rules.iter().any(|it| it.matches(category, rule));
        if by_rule || self.allow.names_all(paths, world) {
            return floor;
        }
        decision.max(floor)
    }

    fn floor(&self, category: Category) -> Strictness {
        let floor = self.floors.get(&category).copied();
        floor.unwrap_or(Strictness::Allow)
    }

    /// The effects of a command that count, each with its answer and the index of its program run.
    pub fn effects<'j>(&self, judgement: &'j Judgement, world: &dyn World) -> Vec<Counted<'j>> {
        let mut counted = Vec::new();
        for (effect, run) in &judgement.effects {
            let invocation = run.and_then(|run| judgement.invocations.get(run));
            let covered = invocation.is_some_and(|it| self.allow.covers(it))
                && effect.category != Category::OwnSettings
                && !(is_about_secrets(effect) && is_passed_on(*run, judgement))
                && invocation.is_none_or(|it| !is_beside(it, effect, world));
            // On another machine, or in a container, the same path is another file.
            let paths = match invocation {
                Some(it) if it.runs_elsewhere() => &[],
                _ => effect.paths.as_slice(),
            };
            let decision = if covered {
                self.floor(effect.category)
            } else {
                let found = effect.gravity.into();
                self.decide(effect.category, effect.rule, found, paths, world)
            };
            counted.push(Counted {
                effect,
                run: *run,
                decision,
            });
        }
        counted
    }
}

/// An effect and the answer to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counted<'j> {
    /// The effect.
    pub effect: &'j Effect,
    /// The index of its program run.
    pub run: Option<usize>,
    /// The answer by the settings.
    pub decision: Strictness,
}

impl AllowList {
    fn covers(&self, run: &Invocation) -> bool {
        self.commands.iter().any(|pattern| pattern.covers(run))
    }

    fn names_all(&self, paths: &[String], world: &dyn World) -> bool {
        !self.paths.is_empty()
            && !paths.is_empty()
            && paths.iter().all(|path| {
                // A folder that a pattern stands for may be a link to anywhere.
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                !glob::has_wildcard(folder) && self.paths.iter().any(|it| it.matches(path, world))
            })
    }
}

fn is_about_secrets(effect: &Effect) -> bool {
    matches!(effect.category, Category::SecretRead | Category::SecretSend)
}

/// Whether what a run prints goes anywhere else than to the one who asked: into a file, a pipe or another command.
fn is_passed_on(run: Option<usize>, judgement: &Judgement) -> bool {
    let Some(producer) = run.and_then(|run| judgement.invocations.get(run)) else {
        return true;
    };
    let written = producer
        .opened
        .iter()
        .any(|it| !matches!(it.how, Opening::Read) && it.file.text() != Some("/dev/null"));
    written
        || judgement
            .invocations
            .iter()
            .any(|consumer| families::is_fed_by(consumer, producer))
}

/// Whether an effect comes from what stands beside the command itself, of which a pattern for commands says
/// nothing: its variables, and the files that the shell opens for it.
fn is_beside(run: &Invocation, effect: &Effect, world: &dyn World) -> bool {
    if run.opened.is_empty() && run.environment.is_empty() {
        return false;
    }
    // A program that does nothing itself but has something to print.
    let beside = Invocation {
        program: Some("ls".to_owned()),
        args: Vec::new(),
        stdin: Stdin::None,
        ..run.clone()
    };
    families::effects(&beside, world)
        .iter()
        .any(|it| it.gravity > Gravity::Harmless && it == effect)
}
