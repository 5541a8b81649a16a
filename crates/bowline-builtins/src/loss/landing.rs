//! Where things land that are copied, moved or renamed.

use std::fs;
use std::path::PathBuf;

use bowline_guard::loss::{AtLink, Depth, Over, Renaming, Target, TargetKind};

use super::expand;
use super::line::Line;

/// More than this are not followed.
const MAX_LANDINGS: usize = 2_000;

/// Something that is put at a place.
#[derive(Debug)]
pub(super) struct Landing {
    /// What is put there, if that is known.
    pub(super) from: Option<PathBuf>,
    pub(super) to: PathBuf,
}

/// Where things land that are put at a place, after what the line has done before.
pub(super) fn landings(from: &[Target], to: &Target, at_link: AtLink, line: &Line) -> Vec<Landing> {
    let sources = from.iter().flat_map(|target| {
        let paths = line.paths(target).unwrap_or_default();
        paths.into_iter().map(|path| (target.kind, path))
    });
    let mut sources: Vec<(TargetKind, PathBuf)> = sources.collect();
    let mut place = PathBuf::from(to.link.as_deref().unwrap_or(&to.path));
    if to.kind == TargetKind::Pattern {
        // The shell puts in all that match, and the last of them is the place.
        let mut matching = line.paths(to).unwrap_or_default();
        matching.sort();
        match matching.pop() {
            Some(last) if matching.is_empty() || last.is_dir() => {
                place = last;
                sources.extend(matching.into_iter().map(|it| (TargetKind::Exact, it)));
            }
            // In a loop each of them is the place once.
            Some(last) => return each(&sources, matching.into_iter().chain([last])),
            None => {}
        }
    }
    let contents = from.iter().any(|it| it.kind == TargetKind::Contents);
    let into_folder = place.is_dir()
        || to.kind == TargetKind::Folder
        || from.len() > 1
        || contents
        || line.has_made_folder(&place)
        || (sources.len() > 1 && line.has_made(&place));
    if into_folder {
        let put = sources.into_iter().filter_map(|(kind, source)| {
            let to = match kind {
                TargetKind::Contents => place.clone(),
                _ => place.join(source.file_name()?),
            };
            let from = Some(source);
            Some(Landing { from, to })
        });
        return put.collect();
    }
    let to = match (to.kind, at_link) {
        (TargetKind::Pattern, _) | (_, AtLink::Follow) => place,
        (_, AtLink::Replace) => PathBuf::from(&to.path),
    };
    if sources.is_empty() {
        return vec![Landing { from: None, to }];
    }
    // One after another, as a loop does it.
    each(&sources, [to])
}

fn each(
    sources: &[(TargetKind, PathBuf)],
    places: impl IntoIterator<Item = PathBuf>,
) -> Vec<Landing> {
    let put = places.into_iter().flat_map(|to| {
        let sources = sources.iter();
        sources.map(move |(_, source)| Landing {
            from: Some(source.clone()),
            to: to.clone(),
        })
    });
    put.take(MAX_LANDINGS).collect()
}

/// Where files land that get other names by a rule; `None` if that is unknown.
pub(super) fn renamed(
    from: &[Target],
    rule: &Renaming,
    (depth, over): (Depth, Over),
    line: &Line,
) -> Option<Vec<Landing>> {
    let packs = matches!(rule, Renaming::Longer(_) | Renaming::Endings(_));
    let mut files = Vec::new();
    for target in from {
        for path in line.paths(target)? {
            match (path.is_dir(), depth) {
                (true, Depth::Tree) => files.extend(expand::files_below(&path)?),
                // A packer leaves folders alone.
                (true, Depth::One) if packs => {}
                _ => files.push(path),
            }
        }
    }
    let names: Vec<&str> = files
        .iter()
        .map(|it| it.file_name()?.to_str())
        .collect::<Option<_>>()?;
    let named = rule.of(names)?;
    let mut landings: Vec<Landing> = Vec::new();
    for (file, name) in files.iter().zip(named) {
        let Some(to) = name.map(|name| file.with_file_name(name)) else {
            continue;
        };
        let taken = fs::symlink_metadata(&to).is_ok() || landings.iter().any(|it| it.to == to);
        if over == Over::Replace || !taken {
            let from = Some(file.clone());
            landings.push(Landing { from, to });
        }
    }
    Some(landings)
}
