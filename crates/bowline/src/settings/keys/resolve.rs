//! Resolves the values of all files: who may set a key, and whose value wins.

use std::path::PathBuf;

use super::describe::Who;
use super::doubts;
use super::origin::{SettingSource, SettingStatus, StatedSetting};
use super::presets;
use super::reader::{FileConfig, Stated};
use super::sections::Config;
use super::slot::{Change, KeyPath};
use crate::settings::hooks::model::Scope;
use crate::settings::syntax::fields::shortened;
use crate::settings::syntax::node::Span;
use crate::settings::trust::store::TrustState;

/// Settles what holds. Weaker files first, so that stronger ones overwrite; what a file may not say is ignored
/// and noted in its findings.
pub(in crate::settings) fn resolve(files: &mut [FileConfig<'_>], trust: TrustState) -> Config {
    let mut config = Config::default();
    let lock = files.iter().find_map(Lock::of);
    config.allow_locked = lock.as_ref().and_then(|it| it.holds("guard.allow"));
    files.sort_by_key(|file| std::cmp::Reverse(file.scope));
    let mut loops = None;
    for (place, file) in files.iter_mut().enumerate() {
        for stated in in_order(std::mem::take(&mut file.stated)) {
            let status = match refusal(file, &stated, &config, lock.as_ref(), trust) {
                None => {
                    stated.change.apply(&mut config, &stated.path);
                    if stated.path.names().first().is_some_and(|it| it == "loops") {
                        loops = Some((place, stated.place().clone()));
                    }
                    SettingStatus::InForce
                }
                // What holds already is not missed.
                Some(_) if stated.preset.is_some() && !changes(&stated, &config) => continue,
                Some(refusal) => {
                    refusal.tell(file, &stated);
                    SettingStatus::Ignored {
                        code: refusal.code,
                        why: refusal.why,
                    }
                }
            };
            let place = stated.place();
            file.outcomes.push(StatedSetting {
                key: stated.path.to_string(),
                source: SettingSource {
                    file: file.path.to_owned(),
                    line: file.findings.position(place.start).0,
                    scope: file.scope,
                    preset: stated.preset.as_ref().map(|(preset, _)| *preset),
                },
                value: stated.value,
                status,
                together: stated.key.together,
            });
        }
    }
    if let Some((place, span)) = loops
        && let Some(file) = files.get_mut(place)
        && let Some(doubt) = doubts::stopped_before_warned(config.loops)
    {
        let findings = &mut file.findings;
        findings.warning(doubt.code, &span, doubt.message, doubt.help);
    }
    config
}

/// The preset that a file names, the values of that preset, and then its own: those that come later count.
fn in_order(stated: Vec<Stated>) -> Vec<Stated> {
    let (named, own): (Vec<_>, Vec<_>) = stated
        .into_iter()
        .partition(|stated| stated.path.to_string() == presets::KEY);
    let preset = named.first().and_then(|named| {
        let mut config = Config::default();
        named.change.apply(&mut config, &named.path);
        Some((config.preset?, named.span.clone()))
    });
    let values = preset.iter().flat_map(|(preset, span)| {
        let of_preset = |stated| Stated {
            preset: Some((*preset, span.clone())),
            ..stated
        };
        preset.read().into_iter().map(of_preset)
    });
    let values: Vec<Stated> = values.collect();
    named.into_iter().chain(values).chain(own).collect()
}

/// Whether a value would make a difference.
fn changes(stated: &Stated, config: &Config) -> bool {
    let mut after = config.clone();
    stated.change.apply(&mut after, &stated.path);
    after != *config
}

/// Why a file may not say something.
struct Refusal {
    code: &'static str,
    why: String,
    help: &'static str,
}

fn refusal(
    file: &FileConfig<'_>,
    stated: &Stated,
    config: &Config,
    lock: Option<&Lock>,
    trust: TrustState,
) -> Option<Refusal> {
    let refused = |code, why: &str, help| {
        let why = why.to_owned();
        Some(Refusal { code, why, help })
    };
    if file.scope == Scope::Managed {
        return None;
    }
    if stated.key.who == Who::Administrator {
        return refused(
            "managed-only",
            "it counts only in the administrator's file",
            "remove it",
        );
    }
    if file.is_the_projects() && stated.key.who == Who::User {
        return refused(
            "not-in-projects",
            "it counts only in the user's and the administrator's file",
            "remove it, or write it into ~/.config/bowline/config.toml",
        );
    }
    if let Some(lock) = lock
        && let Some(why) = lock.holds_stated(stated)
        && !lock.lets_pass(&stated.path, &*stated.change, config)
    {
        return refused(
            "locked",
            &why,
            "remove it, or ask the administrator of this machine",
        );
    }
    if file.is_the_projects() && !trust.is_trusted() && !stated.change.only_tightens(config) {
        return refused(
            "untrusted",
            "the project's settings are not trusted",
            "look at what they do with `bowline trust`",
        );
    }
    None
}

impl Refusal {
    /// Notes in the findings of a file that something in it is ignored.
    fn tell(&self, file: &mut FileConfig<'_>, stated: &Stated) {
        let (path, why, span) = (&stated.path, &self.why, &stated.place());
        let findings = &mut file.findings;
        match (&stated.preset, self.code) {
            // Nobody wrote it down, so nobody can take it away.
            (Some((preset, _)), _) => {
                let name = preset.name();
                let value = shortened(&stated.value.to_string());
                let what = format!("`{path} = {value}` of the preset `{name}`");
                findings.note(
                    self.code,
                    span,
                    format!("{what} is ignored: {why}"),
                    self.help,
                );
            }
            (None, "untrusted") => {
                let value = shortened(findings.source(span));
                let what = format!("`{path} = {value}`");
                findings.note(
                    self.code,
                    span,
                    format!("{what} is ignored: {why}"),
                    self.help,
                );
            }
            (None, "locked") => {
                findings.warning(
                    self.code,
                    span,
                    format!("`{path}` is ignored: {why}"),
                    self.help,
                );
            }
            (None, _) => {
                let why = why.trim_start_matches("it ");
                findings.warning(
                    self.code,
                    span,
                    format!("`{path}` {why}; it is ignored"),
                    self.help,
                );
            }
        }
    }
}

impl Stated {
    /// Where it stands in its file: a value of a preset where the preset is named.
    fn place(&self) -> Span {
        match &self.preset {
            Some((_, named)) => named.clone(),
            None => self.span.clone(),
        }
    }
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

    /// Why what a file states is locked, if it is. A value of a preset is, too, where presets are.
    fn holds_stated(&self, stated: &Stated) -> Option<String> {
        let own = self.holds(&stated.path.to_string());
        own.or_else(|| {
            stated.preset.as_ref()?;
            self.holds(presets::KEY)
        })
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
