//! Names of commits: branches, tags and the like, in files of their own or all in one.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::GitReader;
use super::budget::{Budget, Text, read_file};
use super::checkout::Checkout;
use super::object::Kind;
use super::object_id::ObjectId;
use super::ref_name::{is_per_worktree, is_ref_name, log_path, ref_path};
use super::store::entries;
use crate::machine::cache::MemoryUse;
use crate::machine::repository::Repository;

/// Names that stand for names that stand for names: git goes no further either.
const MAX_SYMBOLIC: usize = 5;
/// Folders within folders below `refs`.
const MAX_DEPTH: usize = 32;
/// A ref holds one line, `FETCH_HEAD` one for each branch.
const MAX_REF: usize = 1 << 20;
const MAX_LOG: usize = 16 << 20;

/// What a checkout has checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// Its branch by its full name, unless the head is detached.
    pub(crate) branch: Option<String>,
    /// `None` on a branch without any commit yet.
    pub(crate) commit: Option<ObjectId>,
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Missing,
    Unknown,
    Id(ObjectId),
    Name(String),
}

/// The refs that lie in one file.
#[derive(Debug, Default)]
pub(super) struct PackedRefs {
    refs: BTreeMap<String, Packed>,
}

#[derive(Clone, Copy, Debug)]
struct Packed {
    id: ObjectId,
    /// What is left without the tags around it, if the file says so.
    peeled: Option<ObjectId>,
}

impl PackedRefs {
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let mut refs: BTreeMap<String, Packed> = BTreeMap::new();
        let mut all_peeled = false;
        let mut last: Option<String> = None;
        for line in text.split(|byte| *byte == b'\n') {
            if line.is_empty() {
                continue;
            }
            if let Some(traits) = line.strip_prefix(b"# pack-refs with:") {
                all_peeled = traits
                    .split(|byte| *byte == b' ')
                    .any(|it| it == b"fully-peeled");
                continue;
            }
            if line.starts_with(b"#") {
                continue;
            }
            if let Some(peeled) = line.strip_prefix(b"^") {
                refs.get_mut(last.as_ref()?)?.peeled = Some(ObjectId::from_hex(peeled)?);
                continue;
            }
            let (id, name) = line.split_at_checked(ObjectId::DIGITS)?;
            let id = ObjectId::from_hex(id)?;
            let name = std::str::from_utf8(name.strip_prefix(b" ")?).ok()?;
            // A branch names a commit; for the others the file must have said that it looked.
            let peeled = (all_peeled || name.starts_with("refs/heads/")).then_some(id);
            refs.insert(name.to_owned(), Packed { id, peeled });
            last = Some(name.to_owned());
        }
        Some(Self { refs })
    }

    fn get(&self, name: &str) -> Option<ObjectId> {
        self.refs.get(name).map(|packed| packed.id)
    }

    pub(super) fn has_below(&self, prefix: &str) -> bool {
        let mut after = self.refs.range(prefix.to_owned()..);
        after
            .next()
            .is_some_and(|(name, _)| name.starts_with(prefix))
    }
}

impl MemoryUse for PackedRefs {
    fn memory_use(&self) -> u64 {
        let names = self.refs.keys().map(String::capacity);
        let entries = self.refs.len() * size_of::<(String, Packed)>();
        (entries + names.sum::<usize>()) as u64
    }
}

impl GitReader<'_> {
    /// What the checkout has checked out.
    pub(crate) fn head(&self, repo: &Repository) -> Option<Head> {
        let checkout = self.checkout(repo)?;
        match self.target(&checkout, "HEAD") {
            Target::Missing | Target::Unknown => None,
            Target::Id(id) => Some(Head {
                branch: None,
                commit: Some(id),
            }),
            Target::Name(branch) => Some(Head {
                commit: self.follow(&checkout, &branch)?,
                branch: Some(branch),
            }),
        }
    }

    /// All refs with the commits that they name, plus the heads of all checkouts. A ref that is damaged or names
    /// something other than a commit is left out: it holds nothing for sure.
    pub(crate) fn refs(&self, repo: &Repository) -> Option<Vec<(String, ObjectId)>> {
        let checkout = self.checkout(repo)?;
        let mut found: BTreeMap<String, Option<ObjectId>> = BTreeMap::new();
        for (name, packed) in &checkout.packed.refs {
            let commit = packed
                .peeled
                .or_else(|| self.commit_at(&checkout, packed.id));
            found.insert(name.clone(), commit);
        }
        let mut names = Vec::new();
        self.loose_names(&repo.common_dir, "refs", 0, &mut names)?;
        if repo.git_dir != repo.common_dir {
            names.retain(|name| !is_per_worktree(name));
            self.loose_names(&repo.git_dir, "refs", 0, &mut names)?;
            names.push("main-worktree/HEAD".to_owned());
        }
        names.push("HEAD".to_owned());
        for name in entries(&repo.common_dir.join("worktrees"), self.budget())? {
            let own = repo.git_dir.file_name().map(OsStr::as_bytes) == Some(&name)
                && repo.git_dir != repo.common_dir;
            if let (false, Ok(name)) = (own, String::from_utf8(name)) {
                names.push(format!("worktrees/{name}/HEAD"));
            }
        }
        for name in names {
            let id = self.follow(&checkout, &name).flatten();
            let is_branch = name.starts_with("refs/heads/");
            let commit = if is_branch {
                id
            } else {
                id.and_then(|id| self.commit_at(&checkout, id))
            };
            found.insert(name, commit);
        }
        if self.budget().is_exhausted() {
            return None;
        }
        let commits = found.into_iter();
        Some(commits.filter_map(|(name, id)| Some((name, id?))).collect())
    }

    /// The stashes, newest first.
    pub(crate) fn stashes(&self, repo: &Repository) -> Option<Vec<ObjectId>> {
        let checkout = self.checkout(repo)?;
        let Some(last) = self.follow(&checkout, "refs/stash")? else {
            return Some(Vec::new());
        };
        let mut stashes: Vec<ObjectId> = self.log(&checkout, "refs/stash")?;
        if stashes.last() != Some(&last) {
            stashes.push(last);
        }
        stashes.reverse();
        Some(stashes)
    }

    /// What a name stands for in the end: no id if there is no such ref, and unknown if it is damaged.
    pub(super) fn follow(&self, checkout: &Checkout, name: &str) -> Option<Option<ObjectId>> {
        let mut name = name.to_owned();
        for _ in 0..=MAX_SYMBOLIC {
            match self.target(checkout, &name) {
                Target::Missing => return Some(None),
                Target::Unknown => return None,
                Target::Id(id) => return Some(Some(id)),
                Target::Name(next) => name = next,
            }
        }
        None
    }

    /// What a name stands for at once.
    pub(super) fn target(&self, checkout: &Checkout, name: &str) -> Target {
        let Some(path) = ref_path(&checkout.repository, name) else {
            return Target::Unknown;
        };
        if self.budget().file().is_none() {
            return Target::Unknown;
        }
        match loose_target(&path) {
            Target::Missing => match checkout.packed.get(name) {
                Some(id) => Target::Id(id),
                None => Target::Missing,
            },
            found => found,
        }
    }

    /// What a ref has stood for, the newest last.
    pub(super) fn log(&self, checkout: &Checkout, name: &str) -> Option<Vec<ObjectId>> {
        let lines = self.log_lines(checkout, name)?;
        Some(lines.into_iter().map(|line| line.new).collect())
    }

    pub(super) fn log_lines(&self, checkout: &Checkout, name: &str) -> Option<Vec<LogLine>> {
        self.budget().file()?;
        let path = log_path(&checkout.repository, name)?;
        let text = read_file(&path, MAX_LOG).or_empty()?;
        let lines = text.split(|byte| *byte == b'\n');
        lines
            .filter(|line| !line.is_empty())
            .map(LogLine::parse)
            .collect()
    }

    /// The commit that an object is or a tag names.
    pub(super) fn commit_at(&self, checkout: &Checkout, id: ObjectId) -> Option<ObjectId> {
        let (id, kind) = checkout.store.peel(id, self.budget())?;
        (kind == Kind::Commit).then_some(id)
    }

    /// Names below a folder of refs.
    fn loose_names(
        &self,
        base: &Path,
        folder: &str,
        depth: usize,
        names: &mut Vec<String>,
    ) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        for name in entries(&base.join(folder), self.budget())? {
            let Ok(name) = String::from_utf8(name) else {
                continue;
            };
            let name = format!("{folder}/{name}");
            let path = base.join(&name);
            // A link to a folder is followed, as git does; the depth ends a circle.
            match fs::metadata(&path) {
                Ok(metadata) if metadata.is_dir() => {
                    self.loose_names(base, &name, depth + 1, names)?;
                }
                Ok(_) if is_ref_name(&name) => names.push(name),
                _ => {}
            }
        }
        Some(())
    }
}

/// One line of the log of a ref.
#[derive(Debug)]
pub(super) struct LogLine {
    pub(super) new: ObjectId,
    pub(super) message: String,
}

impl LogLine {
    fn parse(line: &[u8]) -> Option<Self> {
        let (_old, rest) = line.split_at_checked(ObjectId::DIGITS)?;
        let (new, rest) = rest
            .strip_prefix(b" ")?
            .split_at_checked(ObjectId::DIGITS)?;
        let tab = rest.iter().position(|byte| *byte == b'\t');
        let message = tab.and_then(|tab| rest.get(tab + 1..)).unwrap_or_default();
        Some(Self {
            new: ObjectId::from_hex(new)?,
            message: String::from_utf8_lossy(message).into_owned(),
        })
    }
}

/// What the file of a ref says.
fn loose_target(path: &Path) -> Target {
    // In old repositories a name for another is a link to it.
    if let Some(target) = link_to_ref(path) {
        return Target::Name(target);
    }
    match read_file(path, MAX_REF) {
        Text::Missing => Target::Missing,
        Text::Unknown => Target::Unknown,
        Text::Known(text) => parse_target(&text).unwrap_or(Target::Unknown),
    }
}

fn link_to_ref(path: &Path) -> Option<String> {
    let target = fs::read_link(path).ok()?.into_os_string().into_string();
    target.ok().filter(|target| is_ref_name(target))
}

fn parse_target(text: &[u8]) -> Option<Target> {
    if let Some(name) = text.strip_prefix(b"ref:") {
        let name = std::str::from_utf8(name.trim_ascii()).ok()?;
        return is_ref_name(name).then(|| Target::Name(name.to_owned()));
    }
    let (id, after) = text.split_at_checked(ObjectId::DIGITS)?;
    let ends = after.first().is_none_or(u8::is_ascii_whitespace);
    let id = ObjectId::from_hex(id).filter(|id| ends && !id.is_null())?;
    Some(Target::Id(id))
}

/// Those of `ids` that are not named twice, in order.
pub(super) fn distinct(ids: impl IntoIterator<Item = ObjectId>) -> Vec<ObjectId> {
    let mut seen = HashSet::new();
    ids.into_iter().filter(|id| seen.insert(*id)).collect()
}

/// Whether the repository shows some objects in place of others.
pub(super) fn replaces_objects(common_dir: &Path, packed: &PackedRefs, budget: &Budget) -> bool {
    packed.has_below("refs/replace/")
        || entries(&common_dir.join("refs/replace"), budget).is_none_or(|names| !names.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

    #[test]
    fn what_a_ref_says_is_read_or_refused() {
        let id = Target::Id(ObjectId::from_hex(ID.as_bytes()).unwrap());
        for (text, target) in [
            (format!("{ID}\n"), Some(id.clone())),
            (format!("{ID}\tbranch 'x' of y\n{ID}\n"), Some(id)),
            (
                "ref: refs/heads/x\n".to_owned(),
                Some(Target::Name("refs/heads/x".to_owned())),
            ),
            (format!("{ID}0"), None),
            ("0".repeat(40), None),
            ("ref: ../../x\n".to_owned(), None),
            (String::new(), None),
            ("garbage".to_owned(), None),
        ] {
            assert_eq!(parse_target(text.as_bytes()), target, "{text}");
        }
    }

    #[test]
    fn a_damaged_list_of_refs_is_unknown() {
        let id = ObjectId::from_hex(ID.as_bytes());
        let header = "# pack-refs with: peeled fully-peeled sorted \n";
        let whole = format!("{header}{ID} refs/tags/a\n^{ID}\n{ID} refs/tags/b\n");
        let packed = PackedRefs::parse(whole.as_bytes()).unwrap();
        assert_eq!(packed.get("refs/tags/a"), id);
        assert!(packed.has_below("refs/tags/"));
        assert!(!packed.has_below("refs/replace/"));
        for damaged in [
            format!("^{ID}\n"),
            format!("{ID}\n"),
            "x refs/tags/a\n".to_owned(),
            format!("{ID} refs/tags/a\n^{}\n", &ID[1..]),
        ] {
            assert!(PackedRefs::parse(damaged.as_bytes()).is_none(), "{damaged}");
        }
    }
}
