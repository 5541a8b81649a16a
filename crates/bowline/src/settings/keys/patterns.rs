//! Values of `[guard]` and of `locked` that are checked one by one: a bad pattern does not take the others with it.

use bowline_agents::Strictness;
use bowline_agents::near::nearest;
use bowline_guard::effect::Category;
use bowline_guard::pattern::{BadPattern, CommandPattern, PathPattern, RulePattern};

use super::describe::Kind;
use super::doubts::{self, Doubt};
use super::sections::lockable;
use super::slot::At;
use super::value::{Chosen, Value};
use crate::settings::syntax::node::{self, Node};

/// Every pattern is compared with every path of a call.
const MAX_PATTERNS: usize = 200;

const LIST: Kind = Kind::List(&Kind::Text);

/// Rules of the guard.
#[derive(Debug, Clone)]
pub(super) struct RulePatterns(pub(super) Vec<String>);

impl Value for RulePatterns {
    const KIND: Kind = LIST;

    fn read(node: &Node, at: &mut At<'_, '_, '_>) -> Option<Self> {
        patterns(node, at, RulePattern::parse, doubts::unknown_rule).map(Self)
    }
}

/// Files.
#[derive(Debug, Clone)]
pub(super) struct PathPatterns(pub(super) Vec<String>);

impl Value for PathPatterns {
    const KIND: Kind = LIST;

    fn read(node: &Node, at: &mut At<'_, '_, '_>) -> Option<Self> {
        patterns(node, at, PathPattern::parse, doubts::literal_brackets).map(Self)
    }
}

/// Program runs.
#[derive(Debug, Clone)]
pub(super) struct ProgramPatterns(pub(super) Vec<String>);

impl Value for ProgramPatterns {
    const KIND: Kind = LIST;

    fn read(node: &Node, at: &mut At<'_, '_, '_>) -> Option<Self> {
        patterns(node, at, CommandPattern::of_program, |_| None).map(Self)
    }
}

/// The patterns of a list that can be used. What is probably not meant so is told and counts as it is: a wrong pattern
/// that protects must not protect less.
fn patterns<P>(
    node: &Node,
    at: &mut At<'_, '_, '_>,
    parse: impl Fn(&str) -> Result<P, BadPattern>,
    doubt: fn(&str) -> Option<Doubt>,
) -> Option<Vec<String>> {
    let node::Value::List(items) = &node.value else {
        at.wrong(node, "expected a list of patterns");
        return None;
    };
    if let Some(more) = items.get(MAX_PATTERNS) {
        at.findings.error(
            "too-many-patterns",
            &more.span,
            format!(
                "`{}` has {} patterns; the first {MAX_PATTERNS} count, this one and those after it are left out",
                at.path,
                items.len()
            ),
            "name folders instead of files: `secrets/**`",
        );
    }
    let mut patterns = Vec::new();
    for item in items.iter().take(MAX_PATTERNS) {
        let node::Value::String(text) = &item.value else {
            at.wrong(item, "expected a pattern");
            continue;
        };
        if let Err(bad) = parse(text) {
            at.wrong(item, &bad.to_string());
            continue;
        }
        if let Some(doubt) = doubt(text) {
            at.findings
                .warning(doubt.code, &item.span, doubt.message, doubt.help);
        }
        patterns.push(text.clone());
    }
    Some(patterns)
}

/// The verdict of a category.
#[derive(Debug, Clone)]
pub(super) struct CategoryStrictness(pub(super) Strictness);

impl Value for CategoryStrictness {
    const KIND: Kind = Kind::Words(Strictness::LIST);

    fn read(node: &Node, at: &mut At<'_, '_, '_>) -> Option<Self> {
        let answer = Strictness::read(node, at)?;
        if answer == Strictness::Allow && at.path.last() == Category::OwnSettings.name() {
            at.wrong(
                node,
                "changes to the guard's own settings are always asked about; expected `deny` or `ask`",
            );
            return None;
        }
        Some(Self(answer))
    }
}

/// Keys and sections that can be locked. Others are reported, and do no harm.
#[derive(Debug, Clone)]
pub(super) struct KeyNames(pub(super) Vec<String>);

impl Value for KeyNames {
    const KIND: Kind = LIST;

    fn read(node: &Node, at: &mut At<'_, '_, '_>) -> Option<Self> {
        let names = Vec::<String>::read(node, at)?;
        let known = lockable();
        for unknown in names.iter().filter(|name| !known.contains(name)) {
            at.findings.warning(
                "unknown-key",
                &node.span,
                format!("`{unknown}` is not a key or section that can be locked"),
                nearest(unknown, known.iter().map(String::as_str)).map_or_else(
                    || "remove it".to_owned(),
                    |nearest| format!("did you mean `{nearest}`?"),
                ),
            );
        }
        Some(Self(names))
    }
}
