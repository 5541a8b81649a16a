//! The paths on disk that a word of a shell names.

use std::fs;
use std::path::{Path, PathBuf};

use bowline_guard::loss::{Target, TargetKind};
use bowline_guard::paths::glob;

/// More paths than this are not looked at.
const MAX_PATHS: usize = 2_000;

/// The paths that a target names; `None` if that cannot be told.
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

/// The paths that a pattern names; `None` if that cannot be told.
pub(super) fn matching(pattern: &str) -> Option<Vec<PathBuf>> {
    let mut found = vec![PathBuf::from("/")];
    for component in pattern.split('/').filter(|it| !it.is_empty()) {
        let mut next = Vec::new();
        for folder in &found {
            if glob::has_wildcard(component) {
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
    // A pattern that nothing matches stays as it is, and names nothing.
    found.retain(|path| fs::symlink_metadata(path).is_ok());
    Some(found)
}

/// The beginning of a path that a pattern names, if it names one.
pub(super) fn matched(pattern: &str, path: &Path) -> Option<PathBuf> {
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
    // Several folders deep, or with choices: more than one name is compared.
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
