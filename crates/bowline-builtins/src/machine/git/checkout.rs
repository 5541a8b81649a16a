//! What is known of a checkout once it has been looked at.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::GitReader;
use super::config::{Config, Value};
use super::refs::{PackedRefs, replaces_objects};
use super::store::Store;
use crate::machine::cache::Content;
use crate::machine::look::Links;
use crate::machine::repository::Repository;

/// Settings that say how a repository is kept, and that this reader keeps to.
const KNOWN_EXTENSIONS: [&str; 6] = [
    "noop",
    "partialclone",
    "preciousobjects",
    "relativeworktrees",
    "worktreeconfig",
    "compatobjectformat",
];

/// A checkout whose files are of a kind that can be read here.
#[derive(Debug)]
pub(super) struct Checkout {
    pub(super) repository: Repository,
    pub(super) store: Arc<Store>,
    pub(super) packed: Arc<PackedRefs>,
    pub(super) settings: Settings,
    /// Whether some objects are shown in place of others, so that commits have other parents than they say.
    pub(super) replaces: bool,
}

/// The settings that hold in a checkout, the strongest last.
#[derive(Debug, Default)]
pub(super) struct Settings {
    files: Vec<Arc<Config>>,
}

impl Settings {
    /// The value that counts.
    pub(super) fn last(
        &self,
        section: &str,
        subsection: Option<&str>,
        name: &str,
    ) -> Option<&Value> {
        let mut files = self.files.iter().rev();
        files.find_map(|file| file.last(section, subsection, name))
    }

    pub(super) fn all(&self, section: &str, subsection: Option<&str>, name: &str) -> Vec<&Value> {
        let files = self.files.iter();
        files
            .flat_map(|file| file.values(section, subsection, name))
            .collect()
    }

    /// Whether a setting of git's core is on; unknown if it makes no sense.
    pub(super) fn core(&self, name: &str, default: Default) -> Option<bool> {
        match self.last("core", None, name) {
            Some(value) => value.is_true(),
            None => Some(default == Default::On),
        }
    }

    pub(super) fn includes_others(&self) -> bool {
        self.files.iter().any(|file| file.includes_others())
    }
}

/// What holds where a setting is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Default {
    On,
    Off,
}

impl GitReader<'_> {
    /// Looks at a checkout once; `None` if its files are of a kind not known here.
    pub(super) fn checkout(&self, repo: &Repository) -> Option<Arc<Checkout>> {
        if let Some(known) = self.state.checkouts().get(&repo.git_dir) {
            return known
                .clone()
                .filter(|checkout| checkout.repository == *repo);
        }
        let checkout = self.open_checkout(repo).map(Arc::new);
        self.state
            .checkouts()
            .insert(repo.git_dir.clone(), checkout.clone());
        checkout
    }

    fn open_checkout(&self, repo: &Repository) -> Option<Checkout> {
        let own = self.config(&repo.common_dir.join("config"))?;
        is_known_format(&own).then_some(())?;
        let settings = self.settings(repo, own)?;
        if let Some(folder) = settings.last("core", None, "worktree") {
            let folder = repo.git_dir.join(folder.text()?);
            let is_root =
                std::fs::canonicalize(folder).ok()? == std::fs::canonicalize(&repo.root).ok()?;
            is_root.then_some(())?;
        }
        let packed = self.packed_refs(&repo.common_dir.join("packed-refs"))?;
        Some(Checkout {
            store: Arc::new(Store::open(&repo.common_dir, self.budget())?),
            replaces: replaces_objects(&repo.common_dir, &packed, self.budget()),
            repository: repo.clone(),
            packed,
            settings,
        })
    }

    /// The settings of the system, of the user and of the checkout.
    fn settings(&self, repo: &Repository, own: Arc<Config>) -> Option<Settings> {
        let own_to_worktree = own.last("extensions", None, "worktreeconfig");
        let own_to_worktree = own_to_worktree.map_or(Some(false), Value::is_true)?;
        let mut files = Vec::new();
        let general = [Some(PathBuf::from("/etc/gitconfig"))]
            .into_iter()
            .chain([".config/git/config", ".gitconfig"].map(|name| self.in_home(name)));
        for path in general.flatten() {
            files.push(self.config(&path)?);
        }
        files.push(own);
        if own_to_worktree {
            files.push(self.config(&repo.git_dir.join("config.worktree"))?);
        }
        Some(Settings { files })
    }

    fn packed_refs(&self, path: &Path) -> Option<Arc<PackedRefs>> {
        match self.files().packed.get(path, Links::Follow, self.look()) {
            Content::Missing => Some(Arc::default()),
            Content::Unknown => None,
            Content::Known(packed) => Some(packed),
        }
    }

    /// A file of settings; empty if there is none.
    fn config(&self, path: &Path) -> Option<Arc<Config>> {
        match self.files().configs.get(path, Links::Follow, self.look()) {
            Content::Missing => Some(Arc::default()),
            Content::Unknown => None,
            Content::Known(config) => Some(config),
        }
    }

    /// The file that a setting of git's core names, or else the usual one in the user's home; the inner `None` if
    /// there is to be none.
    pub(super) fn user_file(
        &self,
        checkout: &Checkout,
        setting: &str,
        usual: &str,
    ) -> Option<Option<PathBuf>> {
        let Some(named) = checkout.settings.last("core", None, setting) else {
            return Some(self.in_home(usual));
        };
        match named.text()? {
            "" => Some(None),
            named if named.starts_with('/') => Some(Some(PathBuf::from(named))),
            named => Some(Some(self.in_home(named.strip_prefix("~/")?)?)),
        }
    }

    fn in_home(&self, name: &str) -> Option<PathBuf> {
        let home = self.machine.home.as_ref()?;
        Some(Path::new(home).join(name))
    }
}

/// Whether the repository is kept in a way that is known here: objects named by SHA-1, refs in files.
fn is_known_format(config: &Config) -> bool {
    let version = config.last("core", None, "repositoryformatversion");
    let known_version = match version {
        None => true,
        Some(version) => matches!(version.text(), Some("0" | "1")),
    };
    let is = |name: &str, wanted: &str| {
        config
            .values("extensions", None, name)
            .into_iter()
            .all(|value| value.text() == Some(wanted))
    };
    let known = config.names("extensions").all(|name| match name {
        "objectformat" => is(name, "sha1"),
        "refstorage" => is(name, "files"),
        name => KNOWN_EXTENSIONS.contains(&name),
    });
    known_version && known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_kept_otherwise_is_not_known() {
        for (text, known) in [
            ("", true),
            (
                "[core]\nrepositoryformatversion = 1\n[extensions]\nobjectFormat = sha1\n",
                true,
            ),
            ("[extensions]\nworktreeConfig = true\n", true),
            ("[core]\nrepositoryformatversion = 2\n", false),
            ("[extensions]\nobjectFormat = sha256\n", false),
            ("[extensions]\nrefStorage = reftable\n", false),
            ("[extensions]\nsomethingNew = true\n", false),
        ] {
            let config = Config::parse(text.as_bytes()).unwrap();
            assert_eq!(is_known_format(&config), known, "{text}");
        }
    }
}
