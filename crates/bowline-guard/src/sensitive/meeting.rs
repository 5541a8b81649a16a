//! Patterns of a user against the rules: which secret could be meant.

use std::sync::LazyLock;

use crate::paths::glob::{self, Meeting};

use super::index::{Index, Spellings, in_order};
use super::matching::{Anchor, Extent, Folded, MAX_COMPONENTS, PATTERNS, Pattern, judge_name};
use super::names::{ending, is_code, is_ordinary_beginning, is_ordinary_ending, is_ordinary_name};
use super::rules::{BUSY_DIRECTORIES, COMMON_DIRECTORIES, PROFILE_PLACES, PROFILE_RULES};
use super::{Access, Level, Sensitivity};

/// Names for which patterns are looked up by words: `**/*credential*`.
const WORD_EXAMPLES: &[&str] = &[
    "credentials.json",
    "passwords.txt",
    "secrets.yml",
    "api-key.txt",
];

static WORDS: LazyLock<Vec<Pattern<'static>>> =
    LazyLock::new(|| WORD_EXAMPLES.iter().map(|it| Pattern::new(it)).collect());

/// What a user's pattern may mean, in order, and by which parts it is found.
struct Meanings {
    patterns: Vec<&'static Pattern<'static>>,
    /// The parts that count when they are spelled out.
    telling: Index,
    spellings: Spellings,
}

static MEANINGS: LazyLock<Meanings> = LazyLock::new(|| {
    let patterns: Vec<_> = PATTERNS
        .iter()
        .filter(|(rule, _)| rule.read > Level::Public || rule.change > Level::Public)
        .map(|(_, pattern)| pattern)
        .chain(WORDS.iter())
        .collect();
    let mut telling = Index::default();
    let mut spellings = Spellings::default();
    for (number, pattern) in patterns.iter().enumerate() {
        let last = pattern.parts.len().saturating_sub(1);
        for (at, part) in pattern.parts.iter().enumerate() {
            let is_name = at == last && pattern.extent == Extent::Name;
            let common = !is_name && COMMON_DIRECTORIES.contains(part);
            let all = spelled_in(part, distinctive(part, is_name));
            if !common && all >= MIN_SPELLED {
                telling.insert(part, number);
                spellings.insert(part, needed(all), number);
            }
        }
    }
    Meanings {
        patterns,
        telling,
        spellings,
    }
});

/// Fewer characters do not tell what is meant.
const MIN_SPELLED: usize = 2;

/// How many characters of a part must be spelled out, if it has so many that count: half of them.
fn needed(all: usize) -> usize {
    all.div_ceil(2).max(MIN_SPELLED)
}

/// The patterns of which a path spells out a part, in order. All others cannot be meant.
fn candidates(path: &Folded) -> impl Iterator<Item = &'static Pattern<'static>> {
    let mut found = Vec::new();
    for component in &path.components {
        if has_special(component) {
            MEANINGS.spellings.meeting(component, &mut found);
        } else {
            MEANINGS.telling.accepting(component, &mut found);
        }
    }
    in_order(found)
        .into_iter()
        .filter_map(|number| MEANINGS.patterns.get(number).copied())
}

/// Judges a pattern: the worst name that it spells out well enough to be meant.
pub(super) fn judge_pattern(path: &Folded, access: Access) -> Sensitivity {
    let content = match access {
        Access::Write | Access::Edit => access,
        Access::Read | Access::Search | Access::List | Access::Glob | Access::Metadata => {
            Access::Read
        }
    };
    let mut worst = Sensitivity::Public;
    for text in glob::expand_braces(&path.components.join("/")) {
        let expanded = path.with_text(&text);
        let code = is_code(expanded.name());
        let patterns = candidates(&expanded).filter(|pattern| !(code && pattern.is_open()));
        for pattern in patterns {
            let Some(example) = meet_path(&expanded, pattern, access) else {
                continue;
            };
            let found = judge_name(&example, content);
            if is_namesake(&found, &expanded) {
                continue;
            }
            worst = worst.worse(found);
            if worst.rank() == Level::Secret {
                break;
            }
        }
    }
    match (access, worst) {
        (Access::Glob | Access::List, Sensitivity::Secret(reason)) => Sensitivity::Maybe(reason),
        (Access::Glob | Access::List, Sensitivity::Maybe(_)) => Sensitivity::Public,
        (_, other) => other,
    }
}

/// Whether only a folder of the project is named like a program that keeps a profile: `src/chrome/*`.
fn is_namesake(found: &Sensitivity, path: &Folded) -> bool {
    let keeps_profiles = found
        .reason()
        .is_some_and(|reason| PROFILE_RULES.contains(&reason.rule));
    keeps_profiles
        && has_special(path.name())
        && !path
            .components
            .iter()
            .any(|it| PROFILE_PLACES.contains(&it.as_str()))
}

/// Judges reading everything below a directory.
pub(super) fn judge_tree(path: &Folded, written: &str) -> Sensitivity {
    if glob::has_wildcard(written) {
        return judge_pattern(path, Access::Search);
    }
    let mut components = path.components.clone();
    let busy = components
        .last()
        .is_some_and(|name| BUSY_DIRECTORIES.contains(&name.as_str()));
    components.push("**".to_owned());
    let tree = Folded {
        components,
        home: path.home,
    };
    match judge_pattern(&tree, Access::Search) {
        Sensitivity::Secret(reason) if busy => Sensitivity::Maybe(reason),
        other => other,
    }
}

/// A path that both the user's pattern and the rule's accept, if the user's pattern spells out
/// enough of the rule's to be meant: `*.json` does not mean a service account's key.
fn meet_path(path: &Folded, rule: &Pattern<'_>, access: Access) -> Option<Folded> {
    let components = path.below(rule.anchor)?;
    let offset = path.components.len() - components.len();
    let rooted = rule.anchor != Anchor::Anywhere;
    let starts = if rooted {
        0..=0
    } else if rule.extent == Extent::Name && !components.iter().any(|it| it == "**") {
        // Part by part, only the last names can meet the rule.
        let start = components.len().checked_sub(rule.parts.len())?;
        start..=start
    } else {
        0..=components.len()
    };
    let mut found: Option<(usize, Vec<String>)> = None;
    if let (Extent::Name, Some(name), Some(last)) =
        (rule.extent, components.last(), rule.parts.last())
        && name != "**"
    {
        // The names decide most cases at once.
        meet_component(name, last, 0)?;
    }
    for start in starts {
        let (before, after) = components.split_at_checked(start)?;
        // `**` before the rule's first part stands for any folders, also none.
        let Some(mut meeting) = meet_parts(after, &rule.parts, rule.extent, access, 0) else {
            continue;
        };
        if let Some(name) = meeting
            .last_mut()
            .filter(|_| any_folders_config(path, rule))
        {
            name.spelled = 0;
        }
        let spelled = meeting.iter().map(|part| part.spelled).sum();
        if found.as_ref().is_none_or(|(best, _)| spelled > *best) {
            let names = meeting.into_iter().map(|part| part.example);
            let before = before.iter().filter(|it| *it != "**").cloned();
            found = Some((spelled, before.chain(names).collect()));
        }
    }
    let (_, tail) = found.filter(|(spelled, _)| *spelled > 0)?;
    let components = path
        .components
        .iter()
        .take(offset)
        .cloned()
        .chain(tail)
        .collect();
    Some(Folded {
        components,
        home: path.home,
    })
}

/// `*/config.json`: the name of a rule's file is ordinary, and the folder that would tell is left open.
fn any_folders_config(path: &Folded, rule: &Pattern<'_>) -> bool {
    let folder = path.components.iter().rev().nth(1);
    rule.extent == Extent::Name
        && rule.parts.len() > 1
        && rule.parts.last().is_some_and(|it| is_ordinary_name(it))
        && folder.is_some_and(|it| it.chars().all(|c| matches!(c, '*' | '?')))
}

/// Meets the user's components with the rule's parts, one by one. A part's `spelled` is one if it
/// was spelled out, else nothing.
fn meet_parts(
    components: &[String],
    parts: &[&str],
    extent: Extent,
    access: Access,
    depth: usize,
) -> Option<Vec<Meeting>> {
    if depth > MAX_COMPONENTS {
        return None;
    }
    let Some((part, later_parts)) = parts.split_first() else {
        // All of the rule is met. What the user's pattern has left must lie below a tree.
        return match (extent, components) {
            (_, []) => Some(Vec::new()),
            (Extent::Name, [only]) if only == "**" => Some(Vec::new()),
            (Extent::Name, _) => None,
            (Extent::Tree, below) => Some(below.iter().map(|it| example_of(it)).collect()),
        };
    };
    let (first, later) = components.split_first()?;
    if first == "**" {
        let none = meet_parts(later, parts, extent, access, depth + 1);
        let some =
            meet_parts(components, later_parts, extent, access, depth + 1).map(|mut rest| {
                rest.insert(
                    0,
                    Meeting {
                        example: part.replace('*', ""),
                        spelled: 0,
                    },
                );
                rest
            });
        return match (none, some) {
            (Some(none), Some(some)) => {
                let count =
                    |meeting: &[Meeting]| meeting.iter().map(|it| it.spelled).sum::<usize>();
                Some(if count(&none) >= count(&some) {
                    none
                } else {
                    some
                })
            }
            (none, some) => none.or(some),
        };
    }
    let is_name = later_parts.is_empty() && extent == Extent::Name;
    let counted = distinctive(part, is_name);
    let met = meet_component(first, part, counted)?;
    let enough = met.spelled >= needed(spelled_in(part, counted));
    let says_something = if is_name {
        !(has_special(first)
            && is_ordinary_beginning(&glob::literals(first).iter().collect::<String>()))
    } else {
        !is_common(part, access)
    };
    let spelled = usize::from(enough && says_something);
    let mut rest = meet_parts(later, later_parts, extent, access, depth + 1)?;
    rest.insert(
        0,
        Meeting {
            example: met.example,
            spelled,
        },
    );
    Some(rest)
}

/// Most components are plain names, for which the full search is not needed.
fn meet_component(component: &str, part: &str, counted: usize) -> Option<Meeting> {
    if has_special(component) {
        return glob::meet(component, part, counted);
    }
    glob::star_match(part, component).then(|| Meeting {
        example: component.to_owned(),
        spelled: spelled_in(part, counted),
    })
}

fn has_special(component: &str) -> bool {
    component.contains(['*', '?', '[', '\\', '('])
}

/// How many of a rule part's characters tell it from harmless names: all but an ordinary ending.
fn distinctive(part: &str, is_name: bool) -> usize {
    let closed = part.trim_end_matches('*');
    let ordinary = ending(closed).filter(|it| is_name && is_ordinary_ending(it));
    ordinary.map_or(part.len(), |ending| closed.len() - ending.len() - 1)
}

fn spelled_in(part: &str, counted: usize) -> usize {
    part.chars().take(counted).filter(|it| *it != '*').count()
}

fn is_common(directory: &str, access: Access) -> bool {
    let busy = match access {
        Access::Glob | Access::List | Access::Metadata => BUSY_DIRECTORIES.contains(&directory),
        Access::Read | Access::Search | Access::Write | Access::Edit => false,
    };
    busy || COMMON_DIRECTORIES.contains(&directory)
}

fn example_of(component: &str) -> Meeting {
    let example = glob::meet(component, "*", 0).map_or_else(String::new, |it| it.example);
    Meeting {
        example: if example.is_empty() {
            "x".to_owned()
        } else {
            example
        },
        spelled: 0,
    }
}
