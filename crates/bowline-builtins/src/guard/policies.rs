//! The settings of the guards, compiled for each agent and place once.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use bowline::settings::{GuardConfig, GuardLayer, GuardMode};
use bowline_guard::Strictness;
use bowline_guard::effect::Category;
use bowline_guard::pattern::{BadPattern, CommandPattern, PathPattern, RulePattern};
use bowline_guard::policy::{AllowList, GuardPolicy};

/// What holds for one agent in one place.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Policy {
    /// What becomes of a verdict.
    pub mode: GuardMode,
    /// How the verdict is found.
    pub guard: GuardPolicy,
}

/// Where an agent works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Checkout {
    /// In the project itself.
    Main,
    /// In a linked git worktree, which can be thrown away.
    Linked,
}

/// Whom a policy is for.
#[derive(Debug, PartialEq, Eq, Hash)]
struct For {
    checkout: Checkout,
    agent: Option<String>,
    subagent: Option<String>,
}

/// The policies of a project.
#[derive(Debug, Default)]
pub struct Policies {
    config: GuardConfig,
    compiled: Mutex<HashMap<For, Arc<Policy>>>,
}

impl Policies {
    /// From the settings of a project.
    pub fn new(config: GuardConfig) -> Self {
        Self {
            config,
            compiled: Mutex::default(),
        }
    }

    /// Whether it matters in which checkout an agent works.
    pub fn differ_in_worktrees(&self) -> bool {
        self.config.worktree != GuardLayer::default()
    }

    /// The policy for an agent, and for one of its sub-agents if it is one.
    pub fn of(
        &self,
        checkout: Checkout,
        agent: Option<&str>,
        subagent: Option<&str>,
    ) -> Arc<Policy> {
        // Only names in the settings make a difference, so that a made-up name costs no memory.
        let known = |name: Option<&str>, layers: &BTreeMap<String, GuardLayer>| {
            name.filter(|name| layers.contains_key(*name))
                .map(ToOwned::to_owned)
        };
        let key = For {
            checkout,
            agent: known(agent, &self.config.agents),
            subagent: known(subagent, &self.config.subagents),
        };
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(policy) = compiled.get(&key) {
            return Arc::clone(policy);
        }
        let policy = Arc::new(self.compile(&key));
        compiled.insert(key, Arc::clone(&policy));
        policy
    }

    fn compile(&self, key: &For) -> Policy {
        let mut layer = self.config.base.clone();
        if key.checkout == Checkout::Linked {
            layer = layer.with(&self.config.worktree);
        }
        let agent = key.agent.as_ref();
        if let Some(agent) = agent.and_then(|it| self.config.agents.get(it)) {
            layer = layer.with(agent);
        }
        let subagent = key.subagent.as_ref();
        let floor = subagent.and_then(|it| self.config.subagents.get(it));
        let mode = layer.mode.unwrap_or_default();
        Policy {
            mode: floor
                .and_then(|floor| floor.mode)
                .map_or(mode, |floor| mode.min(floor)),
            guard: GuardPolicy {
                categories: decisions(&layer),
                floors: floor.map(decisions).unwrap_or_default(),
                allow: AllowList {
                    rules: usable(&layer.allow.rules, RulePattern::parse),
                    paths: usable(&layer.allow.paths, PathPattern::parse),
                    commands: usable(&layer.allow.commands, CommandPattern::of_program),
                },
            },
        }
    }
}

fn decisions(layer: &GuardLayer) -> BTreeMap<Category, Strictness> {
    layer
        .categories
        .iter()
        .filter_map(|(name, strictness)| {
            let category = Category::ALL.iter().find(|it| it.name() == name)?;
            Some((*category, *strictness))
        })
        .collect()
}

/// Patterns were checked when the settings were read. One that cannot be used allows nothing.
fn usable<P>(patterns: &[String], parse: impl Fn(&str) -> Result<P, BadPattern>) -> Vec<P> {
    patterns.iter().filter_map(|it| parse(it).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_nobody_set_cost_no_memory() {
        let policies = Policies::default();
        for name in 0..1_000 {
            let name = name.to_string();
            policies.of(Checkout::Main, Some(&name), Some(&name));
        }
        assert_eq!(policies.compiled.lock().unwrap().len(), 1);
    }
}
