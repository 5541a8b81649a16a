//! What git takes for the name of a ref, and where its file lies.

use std::path::PathBuf;

use crate::machine::repository::Repository;

/// Where the file of a ref lies; `None` for what is no name of one.
pub(super) fn ref_path(repository: &Repository, name: &str) -> Option<PathBuf> {
    place_of(repository, name, "")
}

pub(super) fn log_path(repository: &Repository, name: &str) -> Option<PathBuf> {
    place_of(repository, name, "logs")
}

fn place_of(repository: &Repository, name: &str, folder: &str) -> Option<PathBuf> {
    let (base, name) = if let Some(name) = name.strip_prefix("main-worktree/") {
        (repository.common_dir.clone(), name)
    } else if let Some(rest) = name.strip_prefix("worktrees/") {
        let (worktree, name) = rest.split_once('/')?;
        let sensible = !worktree.starts_with('.') && !worktree.is_empty();
        let base = repository.common_dir.join("worktrees").join(worktree);
        (sensible.then_some(base)?, name)
    } else if is_per_worktree(name) {
        (repository.git_dir.clone(), name)
    } else {
        (repository.common_dir.clone(), name)
    };
    let known = is_ref_name(name) || is_root_ref(name);
    known.then(|| base.join(folder).join(name))
}

/// Whether every checkout has a ref of this name for itself.
pub(super) fn is_per_worktree(name: &str) -> bool {
    const OWN: [&str; 3] = ["refs/bisect/", "refs/worktree/", "refs/rewritten/"];
    is_root_ref(name) || OWN.iter().any(|own| name.starts_with(own))
}

/// `HEAD`, `ORIG_HEAD` and the like.
fn is_root_ref(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

/// Whether git takes the text for the full name of a ref.
pub(super) fn is_ref_name(name: &str) -> bool {
    let odd = |it: char| it.is_ascii_control() || " ~^:?*[\\".contains(it);
    name.starts_with("refs/")
        && !name.contains(odd)
        && !name.contains("..")
        && !name.contains("@{")
        && !name.ends_with('.')
        && name.split('/').all(is_part)
}

/// Whether git takes the text for a part of a name, between slashes.
fn is_part(part: &str) -> bool {
    const LOCK: &[u8] = b".lock";
    !part.is_empty() && !part.starts_with('.') && !part.as_bytes().ends_with(LOCK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_refs_are_told_from_others() {
        for (name, right) in [
            ("refs/heads/a", true),
            ("refs/heads/a/b-c@d", true),
            ("refs/heads/\u{e9}", true),
            ("refs/heads/", false),
            ("refs/heads/../../config", false),
            ("refs/heads/a.lock", false),
            ("refs/heads/.hidden", false),
            ("refs/heads/a b", false),
            ("refs/heads/a@{1}", false),
            ("heads/a", false),
            ("/etc/passwd", false),
        ] {
            assert_eq!(is_ref_name(name), right, "{name}");
        }
        let repository = Repository {
            root: "/r".into(),
            git_dir: "/r/.git/worktrees/w".into(),
            common_dir: "/r/.git".into(),
        };
        for (name, path) in [
            ("HEAD", Some("/r/.git/worktrees/w/HEAD")),
            (
                "refs/bisect/bad",
                Some("/r/.git/worktrees/w/refs/bisect/bad"),
            ),
            ("refs/heads/x", Some("/r/.git/refs/heads/x")),
            ("main-worktree/HEAD", Some("/r/.git/HEAD")),
            ("worktrees/v/HEAD", Some("/r/.git/worktrees/v/HEAD")),
            ("worktrees/../HEAD", None),
            ("config", None),
            ("", None),
        ] {
            assert_eq!(
                ref_path(&repository, name),
                path.map(PathBuf::from),
                "{name}"
            );
        }
    }
}
