//! Which files an agent's file tools may touch, and which variables its commands see.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use bowline_guard::paths::{StaticWorld, resolve_literal};
use bowline_guard::sensitive::{Access, SensitivePolicy, classify};

/// What tools may touch. File tools stay below the roots, also when a path leads through symbolic links.
///
/// This bounds tools that ask it; a shell command can go wherever its user can. Guard those with hooks.
#[derive(Debug, Clone)]
pub struct SecurityContext {
    roots: Vec<PathBuf>,
    environment: EnvironmentPolicy,
    secrets: Option<Secrets>,
}

/// The rules for files that hold secrets, which tools then may not touch: those of the guards, and a project's own.
#[derive(Debug, Clone)]
pub struct Secrets(Arc<StaticWorld>);

impl Secrets {
    /// The rules for a project, with what it says itself.
    pub fn of_project(project: &Path, home: Option<&Path>, policy: SensitivePolicy) -> Self {
        let project = project.to_string_lossy().into_owned();
        Self(Arc::new(StaticWorld {
            cwd: project.clone(),
            project_root: project,
            home: home.map(|home| home.to_string_lossy().into_owned()),
            sensitive: policy,
        }))
    }

    /// What the file is, if it holds secrets or may do so. There is nobody to ask.
    fn named(&self, path: &Path) -> Option<&'static str> {
        let world = &*self.0;
        let path = resolve_literal(&path.to_string_lossy(), world);
        classify(&path, Access::Read, world)
            .reason()
            .map(|reason| reason.why)
    }
}

/// Which variables of our own environment a tool's commands inherit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnvironmentPolicy {
    /// All of them.
    Inherit,
    /// All but these.
    Except(Vec<String>),
    /// Only these.
    Only(Vec<String>),
}

impl Default for EnvironmentPolicy {
    /// All but the keys of the model's API: a tool has no use for them, and what a tool prints is sent away.
    fn default() -> Self {
        Self::Except(vec![
            "ANTHROPIC_API_KEY".to_owned(),
            "ANTHROPIC_AUTH_TOKEN".to_owned(),
        ])
    }
}

/// A path that the tools may not touch.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PathRefused {
    /// It leads out of the folders that tools may touch.
    #[error("{} is outside the folders that tools may touch ({roots}); use a path below them", .path.display())]
    Outside {
        /// The path, with links and `..` resolved as far as it exists.
        path: PathBuf,
        /// The folders.
        roots: String,
    },
    /// It holds secrets.
    #[error("{} may not be read: {why} (a file with a secret in it)", .path.display())]
    Secret {
        /// The path.
        path: PathBuf,
        /// What it is.
        why: &'static str,
    },
    /// A link on the way leads nowhere, so the location of a new file is unknown.
    #[error("{} is a link that leads nowhere; remove it, or name its target", .0.display())]
    DanglingLink(PathBuf),
    /// The file system gave an error.
    #[error("cannot look up {}: {source}", .path.display())]
    Lookup {
        /// The path.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl Default for SecurityContext {
    /// The current folder and what is below it.
    fn default() -> Self {
        Self {
            roots: std::env::current_dir().into_iter().collect(),
            environment: EnvironmentPolicy::default(),
            secrets: None,
        }
    }
}

impl SecurityContext {
    /// Tools may touch this folder and what is below it.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self {
            roots: vec![root.into()],
            environment: EnvironmentPolicy::default(),
            secrets: None,
        }
    }

    /// Tools may touch this folder too.
    pub fn also(mut self, root: impl Into<PathBuf>) -> Self {
        self.roots.push(root.into());
        self
    }

    /// Sets which variables a tool's commands inherit.
    pub fn environment(mut self, policy: EnvironmentPolicy) -> Self {
        self.environment = policy;
        self
    }

    /// Keeps tools away from files that hold secrets.
    pub fn without_secrets(mut self, secrets: Secrets) -> Self {
        self.secrets = Some(secrets);
        self
    }

    /// Whether a file may be touched, as far as secrets go.
    pub(crate) fn permits(&self, path: &Path) -> Result<(), PathRefused> {
        match self.secrets.as_ref().and_then(|it| it.named(path)) {
            Some(why) => Err(PathRefused::Secret {
                path: path.to_owned(),
                why,
            }),
            None => Ok(()),
        }
    }

    /// The first folder that tools may touch.
    pub fn root(&self) -> Option<&Path> {
        self.roots.first().map(PathBuf::as_path)
    }

    /// The variables for a tool's commands.
    pub fn child_environment(&self) -> HashMap<OsString, OsString> {
        let named = |names: &[String], name: &OsString| names.iter().any(|known| **known == **name);
        std::env::vars_os()
            .filter(|(name, _)| match &self.environment {
                EnvironmentPolicy::Inherit => true,
                EnvironmentPolicy::Except(names) => !named(names, name),
                EnvironmentPolicy::Only(names) => named(names, name),
            })
            .collect()
    }

    /// The real place of an absolute path, which need not exist yet, if it is below a root.
    pub fn resolve(&self, path: &Path) -> Result<PathBuf, PathRefused> {
        let real = real_place(path)?;
        let inside = self
            .roots
            .iter()
            .filter_map(|root| root.canonicalize().ok())
            .any(|root| real.starts_with(root));
        if inside {
            self.permits(path)?;
            self.permits(&real)?;
            Ok(real)
        } else {
            Err(PathRefused::Outside {
                path: real,
                roots: self
                    .roots
                    .iter()
                    .map(|root| root.display().to_string())
                    .collect::<Vec<_>>()
                    .join(", "),
            })
        }
    }
}

/// Resolves links in the part of the path that exists; what does not exist yet may not climb with `..`.
fn real_place(path: &Path) -> Result<PathBuf, PathRefused> {
    let mut missing = Vec::new();
    let mut existing = path;
    loop {
        match existing.canonicalize() {
            Ok(real) => {
                return Ok(missing
                    .iter()
                    .rev()
                    .fold(real, |place, part| place.join(part)));
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(lookup(path, error));
            }
            Err(error) => {
                if existing.symlink_metadata().is_ok() {
                    return Err(PathRefused::DanglingLink(existing.to_owned()));
                }
                let (Some(Component::Normal(name)), Some(parent)) =
                    (existing.components().next_back(), existing.parent())
                else {
                    return Err(lookup(path, error));
                };
                missing.push(name);
                existing = parent;
            }
        }
    }
}

fn lookup(path: &Path, source: io::Error) -> PathRefused {
    PathRefused::Lookup {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn file_tools_stay_below_the_roots() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        let outside = folder.path().join("outside");
        std::fs::create_dir_all(root.join("src")).unwrap();
        std::fs::create_dir_all(&outside).unwrap();
        std::fs::write(outside.join("secret"), "s").unwrap();
        symlink(&outside, root.join("way-out")).unwrap();
        symlink(outside.join("secret"), root.join("link")).unwrap();
        symlink(outside.join("nothing-yet"), root.join("dangling")).unwrap();
        symlink(root.join("src"), root.join("way-in")).unwrap();
        let security = SecurityContext::new(&root);

        for (path, allowed) in [
            ("src/main.rs", true),
            ("new/deep/file", true),
            ("src/../other", true),
            ("way-in/main.rs", true),
            (".", true),
            ("..", false),
            ("../outside/secret", false),
            ("../project-two/file", false),
            ("src/../../outside/secret", false),
            ("new/../../outside/secret", false),
            ("way-out/secret", false),
            ("way-out/new", false),
            ("link", false),
            ("dangling", false),
            ("dangling/below", false),
            ("/etc/passwd", false),
        ] {
            let resolved = security.resolve(&root.join(path));
            assert_eq!(resolved.is_ok(), allowed, "{path}: {resolved:?}");
        }
        assert!(
            security
                .clone()
                .also(&outside)
                .resolve(&root.join("link"))
                .is_ok()
        );
        let message = security
            .resolve(Path::new("/etc/passwd"))
            .unwrap_err()
            .to_string();
        assert!(message.contains("/etc/passwd is outside"), "{message}");
    }

    #[test]
    fn without_a_root_nothing_may_be_touched() {
        let security = SecurityContext::new("/does/not/exist");
        assert!(security.resolve(Path::new("/does/not/exist/x")).is_err());
    }

    #[test]
    fn the_environment_follows_the_policy() {
        let names = |policy: EnvironmentPolicy| {
            SecurityContext::new("/")
                .environment(policy)
                .child_environment()
        };
        let path = OsString::from("PATH");
        assert!(names(EnvironmentPolicy::Inherit).contains_key(&path));
        assert!(!names(EnvironmentPolicy::Except(vec!["PATH".into()])).contains_key(&path));
        let only = names(EnvironmentPolicy::Only(vec!["PATH".into()]));
        assert_eq!(only.keys().collect::<Vec<_>>(), [&path]);
        assert!(
            !names(EnvironmentPolicy::default()).contains_key(&OsString::from("ANTHROPIC_API_KEY"))
        );
    }
}
