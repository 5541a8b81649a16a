//! The paths on disk that a word of a shell names.

use std::fs;
use std::path::{Path, PathBuf};

use bowline_guard::loss::{Target, TargetKind};
use bowline_guard::paths::glob;

/// More paths than this are not looked at.
const MAX_PATHS: usize = 2_000;

/// The paths that a target names; `None` if that is unknown.
pub(super) fn paths(target: &Target) -> Option<Vec<PathBuf>> {
    match target.kind {
        TargetKind::Exact => Some(vec![PathBuf::from(&target.path)]),
        TargetKind::Folder | TargetKind::Contents => {
            let path = target.link.as_deref().unwrap_or(&target.path);
            Some(vec![PathBuf::from(path)])
        }
        TargetKind::Pattern => matching(&target.path),
        TargetKind::Unknown => None,
    }
}

/// The paths that a pattern names; `None` if that is unknown.
pub(super) fn matching(pattern: &str) -> Option<Vec<PathBuf>> {
    if is_too_deep(pattern) {
        return None;
    }
    let mut found = vec![PathBuf::from("/")];
    for component in pattern.split('/').filter(|it| !it.is_empty()) {
        let mut next = Vec::new();
        for folder in &found {
            if component == "**" {
                next.extend(folders_below(folder)?);
            } else if glob::has_wildcard(component) {
                next.extend(entries(folder, component)?);
            } else {
                next.push(folder.join(component));
            }
            if next.len() > MAX_PATHS {
                return None;
            }
        }
        found = next;
    }
    // `a/**` is also everything in these folders.
    if pattern.ends_with("/**") {
        let below = found.iter().map(|it| files_below(it));
        let below: Option<Vec<Vec<PathBuf>>> = below.collect();
        found.extend(below?.concat());
    }
    found.sort();
    found.dedup();
    // A pattern that nothing matches stays as it is, and names nothing.
    found.retain(|path| fs::symlink_metadata(path).is_ok());
    Some(found)
}

/// Each `**` multiplies the places to look at.
fn is_too_deep(pattern: &str) -> bool {
    pattern.matches("**").count() > 2
}

/// A folder and all folders below it, which is what `**` stands for at most; `None` if there are too many.
fn folders_below(folder: &Path) -> Option<Vec<PathBuf>> {
    let mut found = vec![folder.to_owned()];
    let mut at = 0;
    while let Some(folder) = found.get(at).cloned() {
        at += 1;
        let Ok(listing) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in listing {
            let entry = entry.ok()?;
            if entry.file_type().ok()?.is_dir() {
                found.push(entry.path());
            }
            if found.len() > MAX_PATHS {
                return None;
            }
        }
    }
    Some(found)
}

/// The beginning of a path that a pattern names, if it names one.
pub(super) fn matched(pattern: &str, path: &Path) -> Option<PathBuf> {
    if is_too_deep(pattern) {
        return None;
    }
    if let Some((before, after)) = pattern.split_once("/**") {
        return matched_below(before, after, path);
    }
    let text = path.to_str()?;
    let mut found = PathBuf::from("/");
    let mut parts = text.split('/').filter(|it| !it.is_empty());
    for component in pattern.split('/').filter(|it| !it.is_empty()) {
        let part = parts.next()?;
        let hidden = part.starts_with('.') && !component.starts_with('.');
        let same = if glob::has_wildcard(component) {
            !hidden && glob::may_match(component, part)
        } else {
            component == part
        };
        if !same {
            return None;
        }
        found.push(part);
    }
    Some(found)
}

/// The same for `before/**after`, which may be any number of folders deep.
fn matched_below(before: &str, after: &str, path: &Path) -> Option<PathBuf> {
    let folder = matched(before, path)?;
    if after.trim_matches('/').is_empty() {
        return Some(path.to_owned());
    }
    let mut here = folder.clone();
    let rest = path.strip_prefix(&folder).ok()?.components();
    let mut folders = vec![folder];
    for part in rest {
        here.push(part);
        folders.push(here.clone());
    }
    folders.iter().find_map(|it| {
        let deeper = format!("{}{after}", glob_free(it)?);
        matched(&deeper, path)
    })
}

/// The text of a path that is no pattern by itself.
fn glob_free(path: &Path) -> Option<&str> {
    path.to_str().filter(|it| !glob::has_wildcard(it))
}

/// All files below a folder; `None` if there are too many.
pub(super) fn files_below(folder: &Path) -> Option<Vec<PathBuf>> {
    let mut folders = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).ok()? {
            let entry = entry.ok()?;
            if entry.file_type().ok()?.is_dir() {
                folders.push(entry.path());
            } else {
                files.push(entry.path());
            }
            if files.len() + folders.len() > MAX_PATHS {
                return None;
            }
        }
    }
    Some(files)
}

/// What of a folder matches. A shell leaves out names that begin with a dot unless the pattern does.
fn entries(folder: &Path, pattern: &str) -> Option<Vec<PathBuf>> {
    // With choices: more than one name is compared.
    if pattern.contains("**") || pattern.contains('{') {
        return None;
    }
    let Ok(listing) = fs::read_dir(folder) else {
        return Some(Vec::new());
    };
    let mut found = Vec::new();
    for entry in listing {
        let name = entry.ok()?.file_name();
        let name = name.to_str()?;
        let hidden = name.starts_with('.') && !pattern.starts_with('.');
        if !hidden && glob::may_match(pattern, name) {
            found.push(folder.join(name));
        }
        if found.len() > MAX_PATHS {
            return None;
        }
    }
    Some(found)
}
