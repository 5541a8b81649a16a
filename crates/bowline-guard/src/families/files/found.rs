//! Deleting what a search finds: `find`, `fd`, `git ls-files`, `ls`, `grep -l`.

use super::Files;
use crate::effect::Gravity;
use crate::invocation::{Arg, Value};
use crate::paths::{HomeKind, Place, glob, rebuildable_by_name, scratch_by_name};
use crate::shell;

/// How grave it is to delete everything that a listing names: programs, joined by `|`.
pub(super) fn gravity_of_listing(files: &Files<'_>, listing: &str) -> Gravity {
    let line = shell::parse(listing);
    let mut commands = line.commands.iter();
    let Some(first) = commands.next() else {
        return Gravity::Doubtful;
    };
    let words: Vec<String> = first
        .words
        .iter()
        .map(|word| word.literal.clone().unwrap_or_else(|| word.source.clone()))
        .collect();
    let Some((program, args)) = words.split_first() else {
        return Gravity::Doubtful;
    };
    let mut gravity = gravity_of_search(files, program, args);
    for filter in commands {
        let words: Vec<&str> = filter
            .words
            .iter()
            .filter_map(|word| word.literal.as_deref())
            .collect();
        let Some((program, rest)) = words.split_first() else {
            continue;
        };
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
    let Some(first) = line.commands.first().filter(|it| it.name() == Some("find")) else {
        return false;
    };
    let roots = first
        .words
        .iter()
        .skip(1)
        .filter_map(|word| word.literal.as_deref());
    roots
        .take_while(|it| !it.starts_with(['-', '(', '!']))
        .any(|root| {
            let arg = Arg {
                source: root.to_owned(),
                value: Value::Pattern(root.to_owned()),
            };
            files.targets(&arg).iter().any(|target| {
                matches!(
                    target.place,
                    Place::Root | Place::System | Place::HomeItself | Place::OtherHome
                )
            })
        })
}

/// How grave it is to delete everything that one search finds.
pub(super) fn gravity_of_search(files: &Files<'_>, program: &str, args: &[String]) -> Gravity {
    match program {
        "find" | "gfind" | "bfs" => find(files, args),
        "fd" | "fdfind" => fd(files, args),
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

/// Where a search begins, and what it is limited to.
fn find(files: &Files<'_>, args: &[String]) -> Gravity {
    let is_condition =
        |it: &String| it.starts_with('-') || matches!(it.as_str(), "(" | "!" | "\\(");
    let begin = args
        .iter()
        .position(|it| !matches!(it.as_str(), "-H" | "-L" | "-P"))
        .unwrap_or(0);
    let args = args.get(begin..).unwrap_or_default();
    let end = args.iter().position(is_condition).unwrap_or(args.len());
    let (paths, conditions) = args.split_at_checked(end).unwrap_or((args, &[]));
    let mut names: Vec<&str> = Vec::new();
    let mut empty_only = false;
    for (at, condition) in conditions.iter().enumerate() {
        let negated = at > 0
            && conditions
                .get(at - 1)
                .is_some_and(|it| matches!(it.as_str(), "!" | "-not"));
        match condition.as_str() {
            "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-regex" | "-iregex"
                if !negated =>
            {
                names.extend(conditions.get(at + 1).map(String::as_str));
            }
            "-empty" if !negated => empty_only = true,
            _ => {}
        }
    }
    // `-prune -o` searches everywhere else.
    if conditions.iter().any(|it| it == "-prune")
        && conditions.iter().any(|it| it == "-o" || it == "-or")
    {
        names.clear();
    }
    limited(
        files,
        &paths.iter().map(String::as_str).collect::<Vec<_>>(),
        &names,
        empty_only,
    )
}

fn fd(files: &Files<'_>, args: &[String]) -> Gravity {
    let mut names: Vec<String> = Vec::new();
    let mut operands: Vec<&str> = Vec::new();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.as_str() {
            "-e" | "--extension" => names.extend(rest.next().map(|it| format!("*.{it}"))),
            "-t" | "--type" | "-d" | "--max-depth" | "-E" | "--exclude" | "-S" | "--size"
            | "--changed-within" | "--changed-before" | "-j" => {
                rest.next();
            }
            option if option.starts_with('-') => {}
            operand => operands.push(operand),
        }
    }
    let paths = if operands.is_empty() {
        Vec::new()
    } else {
        operands.split_off(1)
    };
    if let Some(name) = operands.first().and_then(|pattern| regex_name(pattern)) {
        names.push(name);
    }
    limited(
        files,
        &paths,
        &names.iter().map(String::as_str).collect::<Vec<_>>(),
        false,
    )
}

fn limited(files: &Files<'_>, paths: &[&str], names: &[&str], empty_only: bool) -> Gravity {
    let place = roots(files, paths, "");
    let names: Vec<&&str> = names
        .iter()
        .filter(|name| !glob::accepts_everything(name.trim_matches('/')))
        .collect();
    if names.is_empty() {
        return if empty_only {
            place.min(Gravity::Harmless)
        } else {
            place
        };
    }
    let in_project = paths.iter().all(|path| {
        let arg = Arg {
            source: (*path).to_owned(),
            value: Value::Pattern((*path).to_owned()),
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
    });
    // Libraries elsewhere belong to programs that nobody here builds.
    let rebuildable = names
        .iter()
        .all(|name| is_rebuildable(name) && (in_project || !is_built_library(name)));
    match (in_project, rebuildable) {
        (true, true) => Gravity::Harmless,
        (true, false) => place.min(Gravity::Doubtful),
        (false, true) => Gravity::Doubtful.min(place),
        (false, false) => place,
    }
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
