//! The rules of all files in their order, and which of them count.

use super::definition::{LoadedRule, RuleDefinition, RuleStatus};
use crate::event::{EventClass, HookEvent};
use crate::settings::hooks::ids::Ids;
use crate::settings::hooks::model::Scope;
use crate::settings::keys::{FileConfig, Lock};
use crate::settings::trust::store::TrustState;

/// The section's name, in the files and in `locked`.
pub(in crate::settings) const RULE: &str = "rule";

/// Puts the rules in order: managed, local, project, global, then as written. What may not loosen does not.
pub(in crate::settings) fn arrange(
    files: &mut [FileConfig<'_>],
    trust: TrustState,
) -> Vec<LoadedRule> {
    let lock = files.iter().find_map(Lock::of);
    let mut order: Vec<&mut FileConfig<'_>> = files.iter_mut().collect();
    order.sort_by_key(|file| file.scope);
    let mut ids = Ids::default();
    let mut rules = Vec::new();
    for file in order {
        for mut definition in std::mem::take(&mut file.rules) {
            let status = status(&mut definition, file, lock.as_ref(), trust);
            let id = ids.unique(definition.id.clone());
            if id != definition.id {
                file.findings.warning(
                    "duplicate-id",
                    &definition.origin.position.span,
                    format!(
                        "another rule is called `{}` too; this one is known as `{id}`",
                        definition.id
                    ),
                    "give each rule an id of its own",
                );
                definition.id = id;
            }
            rules.push(LoadedRule { definition, status });
        }
    }
    rules
}

fn status(
    rule: &mut RuleDefinition,
    file: &mut FileConfig<'_>,
    lock: Option<&Lock>,
    trust: TrustState,
) -> RuleStatus {
    let untrusted = file.is_the_projects() && !trust.is_trusted();
    if rule.verdict.tightens() {
        return if untrusted {
            only_gates(rule, file)
        } else {
            RuleStatus::InForce
        };
    }
    if rule.fault.is_some() {
        return RuleStatus::Disabled {
            by: "its mistakes".to_owned(),
        };
    }
    if file.scope == Scope::Managed {
        return RuleStatus::InForce;
    }
    let span = &rule.origin.position.span;
    if let Some(why) = lock.and_then(|lock| lock.holds(RULE)) {
        file.findings.warning(
            "locked",
            span,
            format!("rule `{}` is ignored: {why}", rule.id),
            "remove it, or ask the administrator of this machine",
        );
        return RuleStatus::Disabled { by: why };
    }
    if untrusted {
        file.findings.note(
            "untrusted-rule",
            span,
            format!(
                "rule `{}` ({}) is ignored: the project's settings are not trusted",
                rule.id,
                rule.verdict.name()
            ),
            "look at what it does with `bowline trust`",
        );
        return RuleStatus::Untrusted;
    }
    RuleStatus::InForce
}

/// To stop what is about to happen is to tighten. Elsewhere a block tells the agent what to do, which only a trusted
/// project may: of an untrusted rule the gates among its events count.
fn only_gates(rule: &mut RuleDefinition, file: &mut FileConfig<'_>) -> RuleStatus {
    let (gates, others): (Vec<HookEvent>, Vec<HookEvent>) = rule
        .events
        .iter()
        .partition(|event| event.class() == EventClass::Gate);
    if others.is_empty() {
        return RuleStatus::InForce;
    }
    let names: Vec<&str> = others.iter().map(|event| event.name()).collect();
    file.findings.note(
        "untrusted-rule",
        &rule.origin.position.span,
        format!(
            "rule `{}` ({}) is ignored on {}: it would instruct the agent there, and the project's settings are not trusted",
            rule.id,
            rule.verdict.name(),
            names.join(", ")
        ),
        "look at what it does with `bowline trust`",
    );
    if gates.is_empty() {
        return RuleStatus::Untrusted;
    }
    rule.events = gates;
    RuleStatus::InForce
}
