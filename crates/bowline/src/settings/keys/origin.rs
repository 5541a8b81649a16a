//! Which value of a key holds, where it was stated, and why another one does not count.

use std::collections::HashSet;
use std::path::PathBuf;

use serde_json::Value;

use super::describe::{Complaints, Key, Kind, Map, Table, Together};
use super::page;
use super::presets::Preset;
use super::reader::FileConfig;
use super::sections::{FILE, default_value};
use crate::settings::hooks::model::Scope;

/// A value that a file states, itself or by its preset, and what became of it.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct StatedSetting {
    /// The key with the sections that it is in: `guard.mode`.
    pub key: String,
    /// The value.
    pub value: Value,
    /// Where it is stated.
    #[serde(flatten)]
    pub source: SettingSource,
    /// Whether it counts.
    #[serde(flatten)]
    pub status: SettingStatus,
    #[serde(skip)]
    pub(super) together: Together,
}

/// Where a value is stated.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct SettingSource {
    /// The file.
    pub file: PathBuf,
    /// The line of the value in the file, or of its preset; from 1.
    pub line: usize,
    /// Whose file it is.
    pub scope: Scope,
    /// The preset that has the value, if the file does not state it itself.
    pub preset: Option<Preset>,
}

/// Whether a stated value counts.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SettingStatus {
    /// It holds.
    InForce,
    /// Another file, or the same one after its preset, says something else.
    Overridden,
    /// Its file may not say it.
    Ignored {
        /// A short stable name, as of the finding: `untrusted`, `locked`, `managed-only`, `not-in-projects`.
        code: &'static str,
        /// Why not.
        why: String,
    },
}

/// What the files state, the weakest file first, after it was settled what each may say.
pub(in crate::settings) fn settled(files: &mut [FileConfig<'_>]) -> Vec<StatedSetting> {
    let mut all: Vec<StatedSetting> = files
        .iter_mut()
        .flat_map(|file| std::mem::take(&mut file.outcomes))
        .collect();
    let mut known = HashSet::new();
    for stated in all.iter_mut().rev() {
        let replaces = stated.together == Together::Replaces;
        if stated.status == SettingStatus::InForce && replaces && !known.insert(stated.key.clone())
        {
            stated.status = SettingStatus::Overridden;
        }
    }
    all
}

/// A key that files can set.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct SettingKey {
    /// The key with the sections that it is in; a name that files choose is in capitals: `guard.agents.NAME.mode`.
    pub key: String,
    /// One sentence for people.
    pub about: &'static str,
    /// What it holds, in words.
    pub holds: String,
    /// What holds where no file says anything, in words.
    pub default: String,
    /// The same as a value, if it is one.
    pub default_value: Option<Value>,
}

impl SettingKey {
    /// Whether a stated key is this one, be it under a name that its file chose.
    pub fn is(&self, stated: &str) -> bool {
        let mut parts = names(stated).into_iter();
        let own = self.key.split('.');
        let is_chosen = |part: &str| part.chars().all(|c| c.is_ascii_uppercase());
        own.map(Some)
            .chain([None])
            .all(|own| match (own, parts.next()) {
                (Some(own), Some(part)) => own == part || is_chosen(own),
                (None, None) => true,
                _ => false,
            })
    }
}

/// The names on the way to a value, as a dotted key of TOML has them.
fn names(key: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut is_quoted = false;
    for c in key.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            '.' if !is_quoted => names.push(String::new()),
            c => {
                if let Some(name) = names.last_mut() {
                    name.push(c);
                }
            }
        }
    }
    names
}

/// Every key that files can set beside hooks and rules, in the order of the reference page.
pub fn setting_keys() -> Vec<SettingKey> {
    let mut keys = Vec::new();
    gather(&FILE, "", &mut keys);
    keys
}

fn gather(table: &Table, section: &str, keys: &mut Vec<SettingKey>) {
    for key in table.keys {
        let path = format!("{section}{}", key.name);
        // At the top level it is another way to write a key of a section.
        let is_other_way = section.is_empty() && key.complaints == Complaints::WithHooks;
        let shown = match key.kind {
            Kind::Map(map) => format!("{path}.{}", map.key),
            _ => path.clone(),
        };
        match key.kind {
            Kind::Table(inner)
            | Kind::Map(&Map {
                of: Kind::Table(inner),
                ..
            }) => gather(inner, &format!("{shown}."), keys),
            _ if key.slot.is_some() && !is_other_way => keys.push(SettingKey {
                default: page::default(key, &path).replace('`', ""),
                default_value: default_of(key, &path),
                key: shown,
                about: key.about,
                holds: page::holds(key.kind).replace('`', ""),
            }),
            _ => {}
        }
    }
}

/// What holds without a key, as a value: as the settings begin, or as the words for it name one.
pub(super) fn default_of(key: &Key, path: &str) -> Option<Value> {
    let Some(words) = key.default else {
        let value = default_value(path)?;
        let is_one = value.is_boolean() || value.is_number() || value.is_string();
        return is_one.then_some(value);
    };
    if let Ok(number) = words.parse::<u32>() {
        return Some(number.into());
    }
    let word = words.strip_prefix('`')?.strip_suffix('`')?;
    (!word.contains('`')).then(|| word.into())
}
