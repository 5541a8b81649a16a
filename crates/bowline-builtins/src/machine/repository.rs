//! Git repositories as they lie on disk: which one a path belongs to, what it tracks and ignores.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use bowline_guard::paths::glob;

use super::cache::{Content, FileCache, Limits, MemoryUse};
use super::ignore::{IgnoreMatch, Kind, Rules};
use super::index::Index;
use super::look::{Links, Look, Seen};
use super::wildmatch::Pattern;

/// What is remembered of the repositories on this machine.
#[derive(Debug)]
pub(super) struct Repositories {
    indexes: FileCache<Index>,
    rules: FileCache<Rules>,
    /// Files that hold nothing but a path: `.git`, `commondir`, `gitdir`.
    pointers: FileCache<PathBuf>,
    /// The rules that hold in all of a user's repositories.
    pub(super) user_rules: Option<PathBuf>,
}

/// One checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repository {
    pub(crate) root: PathBuf,
    /// What is this checkout's own: its index and its head.
    pub(crate) git_dir: PathBuf,
    /// What all checkouts of the repository share.
    pub(crate) common_dir: PathBuf,
}

/// What a folder is to git.
#[derive(Debug)]
pub(super) enum Checkout {
    /// Not the root of one.
    None,
    /// It looks like one, but cannot be read.
    Unknown,
    Of(Repository),
}

/// A path within its repository.
pub(super) struct Located<'path> {
    pub(super) repository: Repository,
    /// The names from the root on; at least one.
    pub(super) names: Vec<&'path [u8]>,
}

impl Repositories {
    pub(super) fn new(user_rules: Option<PathBuf>) -> Self {
        let limits = |file_bytes, files, total_bytes| Limits {
            file_bytes,
            files,
            total_bytes,
        };
        Self {
            indexes: FileCache::new(limits(64 << 20, 64, 128 << 20), Index::parse),
            rules: FileCache::new(limits(256 << 10, 2048, 64 << 20), Rules::parse),
            pointers: FileCache::new(limits(8 << 10, 512, 1 << 20), parse_pointer),
            user_rules,
        }
    }

    /// Whether git tracks `path` or something below it. A pattern is tracked if something that it may name is.
    pub(super) fn is_tracked(&self, path: &Path, look: &Look) -> Option<bool> {
        let tracked = self.is_tracked_literally(path, look);
        match path.to_str() {
            Some(text) if tracked != Some(true) && glob::has_wildcard(text) => {
                self.is_pattern_tracked(text, look)
            }
            _ => tracked,
        }
    }

    /// Whether git ignores `path`. Of a pattern that is known only if all that it may name lies in an ignored folder.
    pub(super) fn is_ignored(&self, path: &Path, look: &Look) -> Option<bool> {
        let is_pattern = path.to_str().is_some_and(glob::has_wildcard);
        if is_pattern && look.at(path, Links::Keep)? == Seen::Missing {
            let ignored = self.is_ignored(fixed_part(path)?, look)?;
            return (ignored && self.is_tracked(path, look) == Some(false)).then_some(true);
        }
        if self.is_tracked(path, look)? {
            return Some(false);
        }
        let Located { repository, names } = self.locate(path, look)?;
        if names.contains(&b".git".as_slice()) {
            return Some(false);
        }
        let general = self.general_rules(&repository, self.user_rules.as_deref(), look)?;
        self.is_ignored_by_rules(&repository, &general, &names, look)
    }

    /// The rules that hold in a whole repository, the stronger first.
    pub(super) fn general_rules(
        &self,
        repository: &Repository,
        user_rules: Option<&Path>,
        look: &Look,
    ) -> Option<Vec<Arc<Rules>>> {
        let own = repository.common_dir.join("info/exclude");
        [Some(own.as_path()), user_rules]
            .into_iter()
            .flatten()
            .map(|path| self.rules_at(path, Links::Follow, look))
            .collect()
    }

    fn is_tracked_literally(&self, path: &Path, look: &Look) -> Option<bool> {
        let by_surrounding = self.locate(path, look).and_then(|located| {
            let index = self.index(&located.repository, look)?;
            Some(index.is_some_and(|index| index.holds(&located.names.join(&b'/'))))
        });
        if by_surrounding == Some(true) {
            return by_surrounding;
        }
        // A repository within another is nothing to the outer one, but what it tracks lies below `path`.
        match self.checkout_at(path, look) {
            Checkout::None => by_surrounding,
            Checkout::Unknown => None,
            Checkout::Of(repository) => {
                let index = self.index(&repository, look)?;
                Some(index.is_some_and(|index| !index.is_empty()))
            }
        }
    }

    fn is_pattern_tracked(&self, path: &str, look: &Look) -> Option<bool> {
        let mut any = false;
        for path in glob::expand_braces(path) {
            let path = Path::new(&path);
            let fixed = fixed_part(path)?;
            let Located { repository, .. } = self.locate(&fixed.join("*"), look)?;
            let Some(index) = self.index(&repository, look)? else {
                continue;
            };
            let folder = fixed.strip_prefix(&repository.root).ok()?;
            let below = path.strip_prefix(fixed).ok()?;
            if let Some(pattern) = Pattern::parse(below.as_os_str().as_bytes()) {
                any |= index.holds_match(folder.as_os_str().as_bytes(), &pattern)?;
            }
        }
        Some(any)
    }

    /// Goes from the root down to the path, as git does: what lies in an ignored folder cannot be taken in again.
    pub(super) fn is_ignored_by_rules(
        &self,
        repository: &Repository,
        general: &[Arc<Rules>],
        names: &[&[u8]],
        look: &Look,
    ) -> Option<bool> {
        let mut by_folder: Vec<Arc<Rules>> = Vec::new();
        let mut folder = repository.root.clone();
        for (depth, name) in names.iter().enumerate() {
            by_folder.push(self.rules_at(&folder.join(".gitignore"), Links::Keep, look)?);
            folder.push(OsStr::from_bytes(name));
            let is_last = depth + 1 == names.len();
            let kind = match look.at(&folder, Links::Keep)? {
                Seen::Folder => Kind::Folder,
                Seen::Missing if !is_last => Kind::Folder,
                _ => Kind::NoFolder,
            };
            if verdict(&by_folder, general, names.get(..=depth)?, kind)
                == Some(IgnoreMatch::Ignored)
            {
                return Some(true);
            }
        }
        Some(false)
    }

    pub(super) fn rules_at(&self, path: &Path, links: Links, look: &Look) -> Option<Arc<Rules>> {
        match self.rules.get(path, links, look) {
            Content::Missing => Some(Arc::default()),
            Content::Unknown => None,
            Content::Known(rules) => Some(rules),
        }
    }

    /// The index, which a repository without any commit may lack; the outer `None` is unknown.
    #[expect(clippy::option_option, reason = "unknown is not the same as none")]
    fn index(&self, repository: &Repository, look: &Look) -> Option<Option<Arc<Index>>> {
        let path = repository.git_dir.join("index");
        match self.indexes.get(&path, Links::Follow, look) {
            Content::Missing => Some(None),
            Content::Unknown => None,
            Content::Known(index) => Some(Some(index)),
        }
    }

    /// The repository that `path` is an entry of. Unknown if a link lies between its root and the path.
    fn locate<'path>(&self, path: &'path Path, look: &Look) -> Option<Located<'path>> {
        self.place(path, look)?
    }

    /// The same; the inner `None` if there is no repository around the path.
    #[expect(clippy::option_option, reason = "unknown is not the same as none")]
    pub(super) fn place<'path>(
        &self,
        path: &'path Path,
        look: &Look,
    ) -> Option<Option<Located<'path>>> {
        if !is_plain(path) {
            return None;
        }
        let Some(repository) = self.containing(path.parent()?, look)? else {
            return Some(None);
        };
        let below = path.strip_prefix(&repository.root).ok()?;
        let mut folder = repository.root.clone();
        for component in below.parent()?.components() {
            folder.push(component);
            if !matches!(look.at(&folder, Links::Keep)?, Seen::Folder | Seen::Missing) {
                return None;
            }
        }
        let names = below
            .components()
            .map(|component| component.as_os_str().as_bytes())
            .collect();
        Some(Some(Located { repository, names }))
    }

    /// The repository that `folder` lies in.
    pub(super) fn surrounding(&self, folder: &Path, look: &Look) -> Option<Repository> {
        self.containing(folder, look)?
    }

    /// The same; the inner `None` if there is none.
    #[expect(clippy::option_option, reason = "unknown is not the same as none")]
    fn containing(&self, folder: &Path, look: &Look) -> Option<Option<Repository>> {
        for root in folder.ancestors() {
            match self.checkout_at(root, look) {
                Checkout::None => {}
                Checkout::Unknown => return None,
                Checkout::Of(repository) => return Some(Some(repository)),
            }
        }
        Some(None)
    }

    pub(super) fn checkout_at(&self, root: &Path, look: &Look) -> Checkout {
        let dot_git = root.join(".git");
        // Git passes over a folder that only bears the name, but not over a file that leads nowhere.
        let (git_dir, without_head) = match look.at(&dot_git, Links::Follow) {
            None => return Checkout::Unknown,
            Some(Seen::Missing | Seen::Link | Seen::Other) => return Checkout::None,
            Some(Seen::Folder) => (dot_git, Checkout::None),
            Some(Seen::File(_)) => match self.git_file(&dot_git, look) {
                Some(target) => (root.join(target), Checkout::Unknown),
                None => return Checkout::Unknown,
            },
        };
        match look.at(&git_dir.join("HEAD"), Links::Keep) {
            Some(Seen::Missing) => return without_head,
            Some(Seen::File(_) | Seen::Link) => {}
            _ => return Checkout::Unknown,
        }
        let common_dir = match self.pointer(&git_dir.join("commondir"), look) {
            Content::Missing => git_dir.clone(),
            Content::Unknown => return Checkout::Unknown,
            Content::Known(common) => git_dir.join(common.as_path()),
        };
        Checkout::Of(Repository {
            root: root.to_owned(),
            git_dir,
            common_dir,
        })
    }

    /// What a `.git` that is a file points to.
    fn git_file(&self, path: &Path, look: &Look) -> Option<PathBuf> {
        let Content::Known(text) = self.pointer(path, look) else {
            return None;
        };
        let target = text.as_os_str().as_bytes().strip_prefix(b"gitdir: ")?;
        Some(PathBuf::from(OsStr::from_bytes(target)))
    }

    pub(super) fn pointer(&self, path: &Path, look: &Look) -> Content<PathBuf> {
        self.pointers.get(path, Links::Follow, look)
    }
}

/// What the rules say about a path: those of its folders, given from the root on, before the general ones.
pub(super) fn verdict(
    by_folder: &[Arc<Rules>],
    general: &[Arc<Rules>],
    names: &[&[u8]],
    kind: Kind,
) -> Option<IgnoreMatch> {
    let closest_first = by_folder.iter().enumerate().rev();
    closest_first
        .map(|(base, rules)| (rules, names.get(base..)))
        .chain(general.iter().map(|rules| (rules, Some(names))))
        .find_map(|(rules, path)| rules.verdict(path?, kind))
}

impl MemoryUse for PathBuf {
    fn memory_use(&self) -> u64 {
        self.capacity() as u64
    }
}

fn parse_pointer(text: &[u8]) -> Option<PathBuf> {
    let line = text.trim_ascii_end();
    let sensible = !line.is_empty() && !line.contains(&b'\n') && !line.contains(&0);
    sensible.then(|| PathBuf::from(OsStr::from_bytes(line)))
}

/// Whether a path is absolute, without `..`, and of a length that systems take.
pub(super) fn is_plain(path: &Path) -> bool {
    let bytes = path.as_os_str().as_bytes();
    path.is_absolute()
        && bytes.len() <= 4096
        && !bytes.contains(&0)
        && path.components().all(|component| match component {
            Component::RootDir => true,
            Component::Normal(name) => name.len() <= 255,
            Component::CurDir | Component::ParentDir | Component::Prefix(_) => false,
        })
}

/// The folder that a pattern draws from: all before its first component with a wildcard.
fn fixed_part(path: &Path) -> Option<&Path> {
    path.ancestors()
        .skip(1)
        .find(|folder| !folder.to_str().is_some_and(glob::has_wildcard))
}
