//! Resolves the values of all files: who may set a key, and whose value wins.

use std::path::PathBuf;

use super::describe::Who;
use super::reader::{FileConfig, Stated};
use super::sections::Config;
use super::slot::{Change, KeyPath};
use crate::settings::hooks::model::Scope;
use crate::settings::syntax::fields::shortened;
use crate::settings::trust::store::TrustState;

/// Settles what holds. Weaker files first, so that stronger ones overwrite; what a file may not say is ignored
/// and noted in its findings.
pub(in crate::settings) fn resolve(files: &mut [FileConfig<'_>], trust: TrustState) -> Config {
    let mut config = Config::default();
    let lock = files.iter().find_map(Lock::of);
    config.allow_locked = lock.as_ref().and_then(|it| it.holds("guard.allow"));
    files.sort_by_key(|file| std::cmp::Reverse(file.scope));
    for file in files {
        for stated in std::mem::take(&mut file.stated) {
            let Stated {
                key,
                path,
                span,
                change,
            } = stated;
            if file.scope != Scope::Managed {
                if key.who == Who::Administrator {
                    file.findings.warning(
                        "managed-only",
                        &span,
                        format!("`{path}` counts only in the administrator's file; it is ignored"),
                        "remove it",
                    );
                    continue;
                }
                if file.is_the_projects() && key.who == Who::User {
                    file.findings.warning(
                        "not-in-projects",
                        &span,
                        format!(
                            "`{path}` counts only in the user's and the administrator's file; it is ignored"
                        ),
                        "remove it, or write it into ~/.config/bowline/config.toml",
                    );
                    continue;
                }
                if let Some(lock) = &lock
                    && let Some(why) = lock.holds(&path.to_string())
                    && !lock.lets_pass(&path, &*change, &config)
                {
                    file.findings.warning(
                        "locked",
                        &span,
                        format!("`{path}` is ignored: {why}"),
                        "remove it, or ask the administrator of this machine",
                    );
                    continue;
                }
                if file.is_the_projects() && !trust.is_trusted() && !change.only_tightens(&config) {
                    let value = shortened(file.findings.source(&span));
                    file.findings.note(
                        "untrusted",
                        &span,
                        format!(
                            "`{path} = {value}` is ignored: the project's settings are not trusted"
                        ),
                        "look at what they do with `bowline trust`",
                    );
                    continue;
                }
            }
            change.apply(&mut config, &path);
        }
    }
    config
}

/// What the administrator's file keeps to itself.
#[derive(Debug)]
pub(in crate::settings) struct Lock {
    file: PathBuf,
    /// Keys and sections; `None` for all, because the file cannot be read and may lock anything.
    keys: Option<Vec<String>>,
}

impl Lock {
    pub(in crate::settings) fn of(file: &FileConfig<'_>) -> Option<Self> {
        let keys = match file.scope {
            Scope::Managed if file.usable => {
                let mut config = Config::default();
                let mut stated = file.stated.iter();
                let locked = stated.find(|stated| stated.path.last() == "locked")?;
                locked.change.apply(&mut config, &locked.path);
                Some(config.locked)
            }
            Scope::Managed => None,
            _ => return None,
        };
        Some(Self {
            file: file.path.to_owned(),
            keys,
        })
    }

    /// Values that tighten a guard always count. Other keys stay locked if the administrator's file cannot be read.
    fn lets_pass(&self, path: &KeyPath, change: &dyn Change, weaker: &Config) -> bool {
        let concerns_guard = path.names().first().is_some_and(|name| name == "guard");
        change.only_tightens(weaker) && (concerns_guard || self.keys.is_none())
    }

    /// Why a key is locked, if it is.
    pub(in crate::settings) fn holds(&self, key: &str) -> Option<String> {
        let file = self.file.display();
        let Some(keys) = &self.keys else {
            return Some(format!("{file} cannot be read, and may lock it"));
        };
        keys.iter()
            .any(|locked| {
                key.strip_prefix(locked.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
            .then(|| format!("it is locked by {file}"))
    }
}
