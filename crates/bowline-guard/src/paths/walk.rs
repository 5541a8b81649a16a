//! From a word's text to an absolute path: `.`, `..`, doubled slashes, links, other names of the
//! same place.

use std::borrow::Cow;

use super::word::Expanded;
use super::{ResolvedPath, Shape, TrailingSlash, Unknown, World, glob, home_of};

/// As many links as Linux follows before it gives up.
const MAX_LINKS: usize = 40;
/// More components than a path within the length limit of systems sensibly has.
const MAX_COMPONENTS: usize = 1024;

pub(super) fn resolve_text(written: &str, expanded: Expanded, world: &dyn World) -> ResolvedPath {
    let Expanded { text, mut shape } = expanded;
    let text = slashes_of_windows(&text).unwrap_or(text);
    let starts_unknown = matches!(shape, Shape::Unknown(_)) && text.starts_with('*');
    let complete = text.is_empty() || text.starts_with('/') || has_drive(&text);
    let absolute = if complete || starts_unknown {
        text
    } else {
        [world.cwd(), "/", &text].concat()
    };
    let trailing_slash =
        if absolute.len() > 1 && ["/", "/.", "/.."].iter().any(|end| absolute.ends_with(end)) {
            TrailingSlash::Yes
        } else {
            TrailingSlash::No
        };
    let lexical = other_names(normalise(&absolute), world);
    let followed = match shape {
        Shape::Exact => follow(&absolute, world),
        Shape::Pattern => follow_fixed_part(&absolute, world),
        Shape::Unknown(_) => Ok(None),
    };
    let (path, target) = match followed {
        Ok(Some(walked)) => (walked.path, walked.target),
        Ok(None) => (lexical.clone(), None),
        Err(why) => {
            shape = Shape::Unknown(why);
            (lexical.clone(), None)
        }
    };
    let home = home_of(target.as_deref().unwrap_or(&path), world).map(str::to_owned);
    ResolvedPath {
        written: written.to_owned(),
        lexical: (lexical != path).then_some(lexical),
        path,
        target,
        shape,
        home,
        trailing_slash,
    }
}

/// `C:\Users\x` and `\\host\share` with forward slashes; other backslashes are part of a name.
fn slashes_of_windows(text: &str) -> Option<String> {
    (has_drive(text) || text.starts_with("\\\\")).then(|| text.replace('\\', "/"))
}

fn has_drive(text: &str) -> bool {
    let mut characters = text.chars();
    characters
        .next()
        .is_some_and(|drive| drive.is_ascii_alphabetic())
        && characters.next() == Some(':')
        && matches!(characters.next(), Some('/' | '\\'))
}

/// Takes out `.`, `..` and empty components, by text alone.
fn normalise(path: &str) -> String {
    if is_normal(path) {
        return path.to_owned();
    }
    let mut kept: Vec<&str> = Vec::new();
    let rooted = path.starts_with('/');
    for component in path.split('/') {
        match component {
            "" | "." => {}
            ".." => match kept.last() {
                // What an unknown part means one level up is unknown too, so it stays.
                None | Some(&".." | &"*") if !rooted => kept.push(".."),
                _ => {
                    kept.pop();
                }
            },
            other if kept.len() < MAX_COMPONENTS => kept.push(other),
            // Beyond the limit only the end matters, which names the file.
            other => {
                kept.pop();
                kept.push(other);
            }
        }
    }
    let joined = kept.join("/");
    if rooted { format!("/{joined}") } else { joined }
}

/// Whether there is surely nothing to take out.
fn is_normal(path: &str) -> bool {
    let mut before = b' ';
    let is_plain = path.bytes().all(|byte| {
        let skips = before == b'/' && matches!(byte, b'/' | b'.');
        before = byte;
        !skips
    });
    is_plain
        && path.len() > 1
        && path.len() < MAX_COMPONENTS
        && path.starts_with('/')
        && before != b'/'
}

/// Replaces other names of the same place: `/proc/self/root/x` is `/x`, `/private/tmp` is `/tmp`.
fn other_names(mut path: String, world: &dyn World) -> String {
    for _ in 0..8 {
        let Some(next) = other_name(&path, world) else {
            break;
        };
        path = normalise(&next);
    }
    path
}

fn other_name(path: &str, world: &dyn World) -> Option<String> {
    if let Some(rest) = path.strip_prefix("/private/") {
        let first = rest.split('/').next().unwrap_or_default();
        return ["tmp", "var", "etc"]
            .contains(&first)
            .then(|| format!("/{rest}"));
    }
    if let Some(rest) = path.strip_prefix("/System/Volumes/Data/") {
        return Some(format!("/{rest}"));
    }
    let rest = path.strip_prefix("/proc/")?;
    let (process, rest) = rest.split_once('/')?;
    let is_process = process == "self"
        || process == "thread-self"
        || process.chars().all(|it| it.is_ascii_digit());
    if !is_process {
        return None;
    }
    let rest = rest
        .strip_prefix("task/")
        .and_then(|rest| rest.split_once('/'))
        .map_or(rest, |it| it.1);
    let (name, below) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    match name {
        "root" => Some(format!("/{below}")),
        "cwd" => Some(format!("{}/{below}", world.cwd())),
        _ => None,
    }
}

struct Walked {
    path: String,
    target: Option<String>,
}

/// Follows links as a system does: in every directory on the way, then in the last component.
/// `None` if there is none, so that the path by text is right.
fn follow(absolute: &str, world: &dyn World) -> Result<Option<Walked>, Unknown> {
    let mut links = 0;
    let Some((directory, name)) = normalise_last(absolute) else {
        return Ok(None);
    };
    let directory = walk(&directory, world, &mut links)?;
    let path = other_names(join(directory, &name), world);
    let target = match world.symlink_target(&path) {
        None => None,
        Some(_) => Some(walk(&path, world, &mut links)?),
    };
    Ok((links > 0).then_some(Walked { path, target }))
}

/// Follows links in the directories before a pattern's first wildcard.
fn follow_fixed_part(absolute: &str, world: &dyn World) -> Result<Option<Walked>, Unknown> {
    let mut links = 0;
    let fixed: usize = absolute
        .split_inclusive('/')
        .take_while(|component| !glob::has_wildcard(component))
        .map(str::len)
        .sum();
    let Some((directory, pattern)) = absolute.split_at_checked(fixed) else {
        return Ok(None);
    };
    let directory = walk(directory, world, &mut links)?;
    let path = normalise(&join(directory, pattern));
    Ok((links > 0).then_some(Walked { path, target: None }))
}

/// The directory and the last component; `None` for the root or a path that ends in `..`.
fn normalise_last(absolute: &str) -> Option<(String, String)> {
    let trimmed = absolute.trim_end_matches('/').trim_end_matches("/.");
    let (directory, name) = trimmed.trim_end_matches('/').rsplit_once('/')?;
    if name.is_empty() || name == "." {
        return None;
    }
    if name == ".." {
        return Some((absolute.to_owned(), String::new()));
    }
    Some((directory.to_owned(), name.to_owned()))
}

fn join(mut directory: String, name: &str) -> String {
    if !name.is_empty() {
        if directory != "/" {
            directory.push('/');
        }
        directory.push_str(name);
    }
    directory
}

/// Follows every link of `absolute`, the last component's too.
fn walk(absolute: &str, world: &dyn World, links: &mut usize) -> Result<String, Unknown> {
    let mut waiting: Vec<Cow<'_, str>> = absolute.split('/').rev().map(Cow::Borrowed).collect();
    let mut reached = String::with_capacity(absolute.len() + 1);
    reached.push('/');
    while let Some(component) = waiting.pop() {
        match component.as_ref() {
            "" | "." => continue,
            ".." => {
                let parent = reached.rfind('/').unwrap_or(0);
                reached.truncate(parent.max(1));
                continue;
            }
            _ => {}
        }
        // In place, because a copy for every component would make long paths slow.
        let before = reached.len();
        reached = join(reached, &component);
        let renamed = other_name(&reached, world).map(|_| other_names(reached.clone(), world));
        match world.symlink_target(renamed.as_deref().unwrap_or(&reached)) {
            None => reached = renamed.unwrap_or(reached),
            Some(target) => {
                reached.truncate(before);
                *links += 1;
                if *links > MAX_LINKS || waiting.len() > MAX_COMPONENTS {
                    return Err(Unknown::Links);
                }
                if target.starts_with('/') {
                    "/".clone_into(&mut reached);
                }
                waiting.extend(target.split('/').rev().map(|it| Cow::Owned(it.to_owned())));
            }
        }
    }
    Ok(reached)
}
