//! Whether git may track a file, by git's index. A file is one person's own only where that is proven not to be so: what cannot
//! be read, or is kept in a form that is not known here, proves nothing.

use std::fs;
use std::path::{Path, PathBuf};

use crate::settings::files::locations::git_folder;

/// A larger index is not read.
const MAX_INDEX: u64 = 64 * 1024 * 1024;
/// Extensions by which entries are elsewhere, or stand for whole folders.
const ELSEWHERE: [&[u8]; 2] = [b"link", b"sdir"];
/// The lengths of git's hashes, SHA-1 and SHA-256.
const HASHES: [usize; 2] = [20, 32];
/// The bytes of an entry before its hash, and the flags after it.
const STAT: usize = 40;
const FLAGS: usize = 2;
const EXTENDED: u8 = 0x40;
const LONGEST_NOTED: usize = 0xfff;

/// A path that git may track, and the index that says so.
pub(super) struct Candidate {
    index: PathBuf,
    checkout: PathBuf,
    path: PathBuf,
}

impl Candidate {
    /// The paths by which a file comes into a project: as it is named there, and as it really is, where that is behind links.
    pub(super) fn of(project: &Path, folder: &str, name: &str) -> Vec<Self> {
        let project = project
            .canonicalize()
            .unwrap_or_else(|_| project.to_owned());
        let named = project.join(folder);
        // A link is an entry of the repository that it lies in; a folder may be a repository of its own.
        let from = match named.symlink_metadata() {
            Ok(found) if found.is_dir() => &named,
            _ => &project,
        };
        let file = named.join(name);
        let real = file.canonicalize().ok().filter(|real| *real != file);
        let by_real = real.and_then(|real| Self::new(real.parent()?, &real));
        Self::new(from, &file).into_iter().chain(by_real).collect()
    }

    /// A path with the repository that this folder lies in.
    fn new(from: &Path, path: &Path) -> Option<Self> {
        let repository = |checkout: &Path| Some((git_folder(checkout)?, checkout.to_owned()));
        let (git, checkout) = from.ancestors().find_map(repository)?;
        Some(Self {
            index: git.join("index"),
            checkout,
            path: path.to_owned(),
        })
    }

    /// The index that decides.
    pub(super) fn index(self) -> PathBuf {
        self.index
    }

    /// Whether git may track it, or a link on the way to it.
    pub(super) fn may_be_tracked(&self) -> bool {
        let Ok(metadata) = self.index.metadata() else {
            // A link to nowhere proves nothing; without an index nothing is tracked.
            return self.index.symlink_metadata().is_ok();
        };
        // A pipe would be waited for.
        if !metadata.is_file() || metadata.len() > MAX_INDEX {
            return true;
        }
        let (Ok(index), Ok(path)) = (
            fs::read(&self.index),
            self.path.strip_prefix(&self.checkout),
        ) else {
            return true;
        };
        let wanted: Vec<Vec<u8>> = path
            .ancestors()
            .map(|it| it.as_os_str().as_encoded_bytes().to_vec())
            .filter(|it| !it.is_empty())
            .collect();
        let found = HASHES.iter().find_map(|hash| lists(&index, *hash, &wanted));
        found.unwrap_or(true)
    }
}

/// Whether an index with hashes of this length may have one of these paths; `None` if it cannot be read so.
fn lists(index: &[u8], hash: usize, wanted: &[Vec<u8>]) -> Option<bool> {
    let body = index.get(..index.len().checked_sub(hash)?)?;
    let mut rest = body.strip_prefix(b"DIRC")?;
    let version = number(&mut rest)?;
    let count = number(&mut rest)?;
    let mut name = Vec::new();
    let mut found = false;
    for _ in 0..count {
        match version {
            2 | 3 => rest = padded_entry(rest, hash, &mut name)?,
            4 => rest = shortened_entry(rest, hash, &mut name)?,
            _ => return None,
        }
        // Only in a split index names are missing, and there nothing is proven.
        found = found || name.is_empty();
        // A file system may be case-insensitive.
        found = found || wanted.iter().any(|it| it.eq_ignore_ascii_case(&name));
    }
    while !rest.is_empty() {
        let extension = take(&mut rest, 4)?;
        let length = number(&mut rest)?;
        take(&mut rest, length)?;
        found = found || ELSEWHERE.contains(&extension);
    }
    Some(found)
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}

fn number(rest: &mut &[u8]) -> Option<usize> {
    let bytes = take(rest, 4)?.try_into().ok()?;
    usize::try_from(u32::from_be_bytes(bytes)).ok()
}

/// The length of an entry's name, as far as it is noted, and what is behind the fields before the name.
fn name_of(entry: &[u8], hash: usize) -> Option<(usize, &[u8])> {
    let [flags, length] = entry.get(STAT + hash..)?.first_chunk::<FLAGS>()?;
    let more = if flags & EXTENDED == 0 { 0 } else { FLAGS };
    let length = usize::from(u16::from_be_bytes([flags & 0x0f, *length]));
    Some((length, entry.get(STAT + hash + FLAGS + more..)?))
}

/// Whether a name has the length that is noted of it. If not, the hashes are of another length.
fn fits(name: &[u8], noted: usize) -> Option<()> {
    (name.len().min(LONGEST_NOTED) == noted).then_some(())
}

fn to_nul(text: &[u8]) -> Option<&[u8]> {
    text.split(|byte| *byte == 0)
        .next()
        .filter(|it| it.len() < text.len())
}

/// An entry whose name stands there in full, filled up with zeros to a multiple of eight; gives what follows.
fn padded_entry<'a>(entry: &'a [u8], hash: usize, name: &mut Vec<u8>) -> Option<&'a [u8]> {
    let (noted, behind) = name_of(entry, hash)?;
    let text = to_nul(behind)?;
    fits(text, noted)?;
    name.clear();
    name.extend_from_slice(text);
    let length = entry.len() - behind.len() + text.len();
    entry.get((length + 8) & !7..)
}

/// An entry whose name begins as the one before; gives what follows.
fn shortened_entry<'a>(entry: &'a [u8], hash: usize, name: &mut Vec<u8>) -> Option<&'a [u8]> {
    let (noted, mut behind) = name_of(entry, hash)?;
    let mut byte = *take(&mut behind, 1)?.first()?;
    let mut dropped = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        byte = *take(&mut behind, 1)?.first()?;
        dropped = dropped.checked_add(1)?.checked_mul(128)? + usize::from(byte & 0x7f);
    }
    name.truncate(name.len().checked_sub(dropped)?);
    let text = to_nul(behind)?;
    name.extend_from_slice(text);
    fits(name, noted)?;
    behind.get(text.len() + 1..)
}

#[cfg(test)]
pub(super) mod tests {
    use std::process::Command;

    use super::*;

    /// An index of the plain form with these paths.
    pub(in crate::settings) fn index_of(paths: &[&str]) -> Vec<u8> {
        let mut index = b"DIRC\0\0\0\x02".to_vec();
        index.extend(u32::try_from(paths.len()).unwrap().to_be_bytes());
        for path in paths {
            let mut entry = vec![0; STAT + 20];
            entry.extend(u16::try_from(path.len()).unwrap().to_be_bytes());
            entry.extend_from_slice(path.as_bytes());
            entry.resize((entry.len() + 8) & !7, 0);
            index.extend(entry);
        }
        index.extend([0; 20]);
        index
    }

    fn git(folder: &Path, arguments: &[&str]) {
        let mut git = Command::new("git");
        git.current_dir(folder)
            .args(["-c", "user.name=x", "-c", "user.email=x@x"])
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null");
        let output = git.output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    }

    fn may_be_tracked(project: &Path) -> bool {
        let candidates = Candidate::of(project, ".claude", "settings.local.json");
        candidates.iter().any(Candidate::may_be_tracked)
    }

    #[test]
    fn every_form_of_an_index_is_understood_or_proves_nothing() {
        for (format, version, proves) in [
            ("sha1", "2", true),
            ("sha1", "4", true),
            ("sha256", "2", true),
            ("sha256", "4", true),
            ("sha1", "split", false),
        ] {
            let place = tempfile::tempdir().unwrap();
            let project = place.path();
            git(
                project,
                &["init", "-q", &format!("--object-format={format}")],
            );
            fs::create_dir(project.join(".claude")).unwrap();
            for name in ["agents.md", "settings.json", "settings.local.json"] {
                fs::write(project.join(".claude").join(name), "{}").unwrap();
            }
            let update: &[&str] = match version {
                "split" => &["update-index", "--split-index"],
                version => &["update-index", "--index-version", version],
            };
            git(
                project,
                &["add", ".claude/agents.md", ".claude/settings.json"],
            );
            git(project, update);
            assert_eq!(may_be_tracked(project), !proves, "{format} {version}");
            git(project, &["add", "-f", ".claude/settings.local.json"]);
            assert!(may_be_tracked(project), "{format} {version}");
        }
    }

    #[test]
    fn a_tracked_link_and_a_tracked_file_behind_one_are_found() {
        use std::os::unix::fs::symlink;
        let place = tempfile::tempdir().unwrap();
        let project = place.path();
        git(project, &["init", "-q"]);
        fs::create_dir(project.join("config")).unwrap();
        fs::write(project.join("config/settings.local.json"), "{}").unwrap();
        symlink("config", project.join(".claude")).unwrap();
        assert!(!may_be_tracked(project));
        git(project, &["add", "config"]);
        assert!(may_be_tracked(project));
        git(project, &["rm", "-q", "-r", "--cached", "config"]);
        git(project, &["add", ".claude"]);
        assert!(may_be_tracked(project));
    }

    #[test]
    fn a_repository_within_is_asked_about_its_own_files() {
        let place = tempfile::tempdir().unwrap();
        let claude = place.path().join(".claude");
        fs::create_dir(&claude).unwrap();
        fs::write(claude.join("settings.local.json"), "{}").unwrap();
        git(place.path(), &["init", "-q"]);
        git(&claude, &["init", "-q"]);
        assert!(!may_be_tracked(place.path()));
        git(&claude, &["add", "-f", "settings.local.json"]);
        assert!(may_be_tracked(place.path()));
    }

    #[test]
    fn no_damaged_index_is_believed() {
        let good = index_of(&["a", "b/c"]);
        assert_eq!(lists(&good, 20, &[b"b/c".to_vec()]), Some(true));
        assert_eq!(lists(&good, 20, &[b"c".to_vec()]), Some(false));
        for length in 0..good.len() {
            assert_eq!(lists(&good[..length], 20, &[]), None, "{length}");
        }
    }
}
