//! Deleting what a search finds: `find`, `fd`, `git ls-files`, `ls`, `grep -l`.

use super::{Files, text_of};
use crate::effect::{Effect, Gravity};
use crate::invocation::{Arg, Value};
use crate::paths::{HomeKind, Place, glob, rebuildable_by_name, scratch_by_name};
use crate::search::{Alternative, Finds, Pattern, Search};
use crate::shell;

/// How grave it is to delete everything that a listing names: programs, joined by `|`.
pub(super) fn gravity_of_listing(files: &Files<'_>, listing: &str) -> Gravity {
    let line = shell::parse(listing);
    let mut commands = line.commands.iter();
    let Some(first) = commands.next() else {
        return Gravity::Doubtful;
    };
    let words = words_of(first);
    let Some((program, args)) = words.split_first() else {
        return Gravity::Doubtful;
    };
    let mut gravity = gravity_of_search(files, program, args);
    for filter in commands {
        let words = words_of(filter);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let Some((program, rest)) = words.split_first() else {
            continue;
        };
        // Several searches give to one deletion: `rm $(find a) $(find b)`.
        if let Some(search) = Search::read(program, rest) {
            gravity = gravity.max(gravity_of_finds(files, &search, &search.printed()));
        }
        if !matches!(*program, "grep" | "egrep" | "rg" | "awk" | "sed") {
            continue;
        }
        let inverted = rest
            .iter()
            .any(|it| it.starts_with('-') && !it.starts_with("--") && it.contains('v'));
        let pattern = rest.iter().find(|it| !it.starts_with('-'));
        if let Some(pattern) = pattern.filter(|_| !inverted) {
            gravity = match regex_name(pattern) {
                Some(name) if is_rebuildable(&name) => Gravity::Harmless,
                _ => gravity.min(Gravity::Doubtful),
            };
        }
    }
    gravity
}

/// Whether a `find` begins at a place that is neither the project's nor temporary.
pub(super) fn reaches_outside(files: &Files<'_>, listing: &str) -> bool {
    let line = shell::parse(listing);
    let Some(first) = line.commands.first() else {
        return false;
    };
    let words = words_of(first);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let Some(search) = words
        .split_first()
        .and_then(|(program, rest)| Search::read(program, rest))
    else {
        return false;
    };
    search.roots.iter().any(|root| {
        let arg = Arg {
            source: root.clone(),
            value: Value::Pattern(root.clone()),
        };
        files.targets(&arg).iter().any(|target| {
            matches!(
                target.place,
                Place::Root | Place::System | Place::HomeItself | Place::OtherHome
            )
        })
    })
}

/// What `find … -delete` deletes.
pub(super) fn deleted(files: &Files<'_>, program: &str, effects: &mut Vec<Effect>) {
    let words: Vec<String> = files.invocation.args.iter().map(text_of).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if let Some(search) = Search::read(program, &words) {
        let gravity = gravity_of_finds(files, &search, &search.deleted());
        let listing = format!("{program} {}", words.join(" "));
        effects.extend(Files::found_effect(gravity, &listing));
    }
}

fn words_of(command: &shell::SimpleCommand) -> Vec<String> {
    command
        .words
        .iter()
        .map(|word| word.literal.clone().unwrap_or_else(|| word.source.clone()))
        .collect()
}

/// How grave it is to delete everything that one search finds.
fn gravity_of_search(files: &Files<'_>, program: &str, args: &[String]) -> Gravity {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    if let Some(search) = Search::read(program, &words) {
        return gravity_of_finds(files, &search, &search.printed());
    }
    match program {
        "git" => match args.first().map(String::as_str) {
            Some("ls-files") => {
                let paths: Vec<&String> = args
                    .iter()
                    .skip(1)
                    .filter(|it| !it.starts_with('-'))
                    .collect();
                if paths.is_empty() {
                    Gravity::Grave
                } else if paths.iter().all(|it| is_rebuildable(it)) {
                    Gravity::Harmless
                } else {
                    Gravity::Doubtful
                }
            }
            _ => Gravity::Doubtful,
        },
        "locate" | "mlocate" | "plocate" | "mdfind" => Gravity::Grave,
        "ls" | "echo" | "printf" => roots(files, &plain(args), "*"),
        "grep" | "rg" | "ag" | "egrep" => {
            let mut operands = plain(args);
            if !operands.is_empty() {
                operands.remove(0);
            }
            if operands.is_empty() {
                Gravity::Doubtful
            } else {
                roots(files, &operands, "").max(Gravity::Doubtful)
            }
        }
        _ => Gravity::Doubtful,
    }
}

fn plain(args: &[String]) -> Vec<&str> {
    args.iter()
        .map(String::as_str)
        .filter(|it| !it.starts_with('-'))
        .collect()
}

/// The gravest of several places; without any, the current one.
fn roots(files: &Files<'_>, paths: &[&str], below: &str) -> Gravity {
    let paths = if paths.is_empty() { &["."] } else { paths };
    paths
        .iter()
        .map(|path| {
            let path = if below.is_empty() || glob::has_wildcard(path) {
                (*path).to_owned()
            } else {
                format!("{}/{below}", path.trim_end_matches('/'))
            };
            let value = if path.contains('…') {
                Value::Partly(path.clone())
            } else {
                Value::Pattern(path.clone())
            };
            let arg = Arg {
                source: path,
                value,
            };
            files
                .targets(&arg)
                .iter()
                .map(|target| files.gravity_of_loss(target))
                .max()
                .unwrap_or(Gravity::Doubtful)
        })
        .max()
        .unwrap_or(Gravity::Doubtful)
}

/// The gravest of all that a search may find.
fn gravity_of_finds(files: &Files<'_>, search: &Search, finds: &Finds) -> Gravity {
    let roots: Vec<&str> = search.roots.iter().map(String::as_str).collect();
    finds
        .alternatives()
        .iter()
        .map(|way| limited(files, &roots, way))
        .max()
        .unwrap_or(Gravity::Harmless)
}

/// What is found in one way: below the roots, and as its patterns say.
fn limited(files: &Files<'_>, paths: &[&str], way: &Alternative) -> Gravity {
    let place = roots(files, paths, "");
    let own = paths.iter().all(|path| is_own(files, path));
    let names: Vec<String> = way.patterns().filter_map(narrowing).collect();
    // Libraries elsewhere belong to programs that nobody here builds.
    let rebuildable = names
        .iter()
        .any(|name| is_rebuildable(name) && (own || !is_built_library(name)));
    let narrow = !names.is_empty() || way.is_single() || way.kinds() == Some("l");
    match (own, rebuildable || way.is_empty_only(), narrow) {
        (true, true, _) => Gravity::Harmless,
        (true, false, true) | (false, true, _) => place.min(Gravity::Doubtful),
        (_, false, _) => place,
    }
}

/// Whether a root is the project's, or nobody's.
fn is_own(files: &Files<'_>, path: &str) -> bool {
    let arg = Arg {
        source: path.to_owned(),
        value: Value::Pattern(path.to_owned()),
    };
    files.targets(&arg).iter().all(|target| {
        matches!(
            target.place,
            Place::ProjectRoot
                | Place::InProject(_)
                | Place::Temp
                | Place::Unknown(_)
                | Place::InHome(HomeKind::Cache)
        )
    })
}

/// The name that a pattern stands for; `None` if about everything matches it.
fn narrowing(pattern: Pattern<'_>) -> Option<String> {
    let name = match pattern {
        Pattern::Name(glob) | Pattern::Path(glob) => glob.to_owned(),
        Pattern::Regex(regex) => {
            let plain = |c: char| "^$.*/+?\\".contains(c);
            (!regex.chars().all(plain)).then(|| regex.to_owned())?
        }
        Pattern::NamePart(regex) => regex_name(regex)?,
    };
    let everything = name
        .split('/')
        .filter(|it| !it.is_empty())
        .all(|it| it == "." || glob::accepts_everything(it));
    (!everything).then_some(name)
}

/// Whether a name, or a pattern for names, is of something that is made again.
fn is_rebuildable(name: &str) -> bool {
    let name = name
        .trim_start_matches("./")
        .trim_start_matches("*/")
        .trim_end_matches("/*")
        .trim_matches('/');
    let sample = name.trim_end_matches('*');
    !name.is_empty()
        && (rebuildable_by_name(name)
            || is_built_library(name)
            || scratch_by_name(name)
            || (sample.len() > 2 && (rebuildable_by_name(sample) || scratch_by_name(sample)))
            || scratch_by_name(&name.replace('*', "x")))
}

/// A pattern for libraries that a build makes. One such file by its name may be somebody's delivery.
pub(super) fn is_built_library(pattern: &str) -> bool {
    let name = pattern.rsplit('/').next().unwrap_or(pattern);
    name.starts_with('*')
        && [
            ".a", ".so", ".so.*", ".dylib", ".lib", ".la", ".lo", ".ko", ".d", ".gch", ".rlib",
            ".rmeta",
        ]
        .iter()
        .any(|ending| name.ends_with(ending))
}

/// The name that a plain regular expression stands for; `None` for one that accepts everything.
fn regex_name(pattern: &str) -> Option<String> {
    let name = pattern
        .trim_start_matches('^')
        .trim_end_matches('$')
        .replace("\\.", ".")
        .replace(".*", "*");
    let name = name.trim_matches('/').to_owned();
    if name.is_empty() || name.chars().all(|c| matches!(c, '.' | '*')) {
        return None;
    }
    Some(
        if name.starts_with('.')
            && !rebuildable_by_name(&name)
            && pattern.ends_with('$')
            && !pattern.starts_with('^')
        {
            format!("*{name}")
        } else {
            name
        },
    )
}
