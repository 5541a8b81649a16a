//! The typed keys of Bowline's own files, other than `hooks`: what they mean, who may set them, who wins.

mod sections;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::fields::{described, nearest, shortened};
use super::files::FileText;
use super::findings::Findings;
use super::guard::{GUARD, GuardConfig, LOCKABLE};
use super::keys::{KEYS, Setting, choice};
use super::model::Scope;
use super::node::{Entry, Node, Span, Value};
use super::read::Syntax;
use super::rule::RuleDefinition;
use super::rule_fields;
use super::rules::RULE;
use super::tree::{start, tree};
use super::trust::TrustState;
use crate::dialect::Dialect;

pub use sections::{
    BridgeConfig, Defaults, HttpConfig, ModelProvider, PromptConfig, RecordConfig, RecordDetail,
    StoreConfig, StoreDurability,
};

/// What Bowline's own files say beside their hooks, after precedence: managed, local, project, global.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Config {
    /// `[defaults]`: for hooks of Bowline's own files that say nothing themselves.
    pub defaults: Defaults,
    /// `[dialects]`: the rules that a file is read by, by its path relative to the project
    /// or to the folder of its `bowline.toml`.
    pub dialects: BTreeMap<String, Dialect>,
    /// `[guard]`: how strict the guards are.
    pub guard: GuardConfig,
    /// `[http]`: what HTTP hooks may do.
    pub http: HttpConfig,
    /// `[prompt]`: the model that prompt hooks ask.
    pub prompt: PromptConfig,
    /// `[record]`: how much is kept of what agents do.
    pub record: RecordConfig,
    /// `[store]`: how long it is kept.
    pub store: StoreConfig,
    /// `[bridge]`: hooks of other agents.
    pub bridge: BridgeConfig,
    /// `locked`: keys and sections that only the administrator's file may set.
    pub locked: Vec<String>,
    /// `allow_managed_hooks_only`: only the administrator's hooks run.
    pub allow_managed_hooks_only: bool,
    /// Why what a person let pass with `bowline allow` does not count, if the administrator keeps that to himself.
    pub allow_locked: Option<String>,
}

/// Defaults that may stand at the top level too. What is wrong with them is said by whoever reads the hooks.
const READ_WITH_HOOKS: &[&str] = &["exit_policy", "on_failure", "dedupe"];

const HOOKS: &str = "hooks";
const DIALECTS: &str = "dialects";

/// What one file sets, before it is known whether it may.
#[derive(Debug)]
pub(super) struct FileConfig<'a> {
    pub(super) scope: Scope,
    path: &'a Path,
    usable: bool,
    stated: Vec<Stated>,
    pub(super) rules: Vec<RuleDefinition>,
    pub(super) findings: Findings<'a>,
}

#[derive(Debug)]
struct Stated {
    key: String,
    span: Span,
    setting: Setting,
}

impl<'a> FileConfig<'a> {
    /// Reads the keys of a file, if it exists. That it is broken, or what is wrong with its hooks, is said by others.
    pub(super) fn of(file: &'a FileText, scope: Scope) -> Option<Self> {
        let text = match &file.text {
            Ok(None) => return None,
            Ok(Some(text)) => Some(text.as_str()),
            Err(_) => None,
        };
        let root = text.map(|text| tree(text, Syntax::Toml));
        let text = text.unwrap_or_default();
        let mut config = Self {
            scope,
            path: &file.path,
            usable: matches!(root, Some(Ok(_))),
            stated: Vec::new(),
            rules: Vec::new(),
            findings: Findings::new(text, start(text), Some(&file.path)),
        };
        if let Some(Ok(Some(root))) = root {
            config.read(&root);
        }
        Some(config)
    }

    fn read(&mut self, root: &Node) {
        for entry in entries(root) {
            match snake_case(&entry.key.text).as_str() {
                HOOKS => {}
                DIALECTS => self.dialects(entry),
                RULE => {
                    self.rules = rule_fields::read(&entry.value, self.scope, &mut self.findings);
                }
                GUARD => self.guard(entry),
                key if sections().any(|section| section == key) => self.section(key, entry),
                key if READ_WITH_HOOKS.contains(&key) => {
                    self.key(&format!("defaults.{key}"), entry);
                }
                key => self.key(key, entry),
            }
        }
    }

    fn section(&mut self, name: &str, section: &Entry) {
        if matches!(section.value.value, Value::Map(_)) {
            for entry in entries(&section.value) {
                self.key(&format!("{name}.{}", snake_case(&entry.key.text)), entry);
            }
        } else {
            self.wrong(
                name,
                &section.value,
                &format!("expected a table, `[{name}]`"),
            );
        }
    }

    fn key(&mut self, key: &str, entry: &Entry) {
        let Some((_, read)) = KEYS.iter().find(|(known, _)| *known == key) else {
            self.findings.warning(
                "unknown-key",
                &entry.key.span,
                format!("`{key}` is not a key that Bowline knows; it is ignored"),
                nearest_key(key).map_or_else(
                    || "remove it, or look for its name in the reference".to_owned(),
                    |nearest| format!("did you mean `{nearest}`?"),
                ),
            );
            return;
        };
        match read(&entry.value) {
            Ok(setting) => self.state(key.to_owned(), &entry.value.span, setting),
            Err(_) if is_read_with_hooks(key) => {}
            Err(expected) => self.wrong(key, &entry.value, &expected),
        }
    }

    fn dialects(&mut self, section: &Entry) {
        for entry in entries(&section.value) {
            let file = &entry.key.text;
            let dialect = choice(&entry.value, &Dialect::ALL.map(|it| (it.name(), it)));
            match dialect {
                Ok(dialect) => self.state(
                    format!("{DIALECTS}.\"{file}\""),
                    &entry.value.span,
                    Setting::Dialect(file.clone(), dialect),
                ),
                Err(expected) => self.wrong(DIALECTS, &entry.value, &expected),
            }
        }
        if !matches!(section.value.value, Value::Map(_)) {
            self.wrong(DIALECTS, &section.value, "expected a table, `[dialects]`");
        }
    }

    pub(super) fn state(&mut self, key: String, span: &Span, setting: Setting) {
        if let Setting::Locked(keys) = &setting {
            for unknown in keys.iter().filter(|key| !is_lockable(key)) {
                self.findings.warning(
                    "unknown-key",
                    span,
                    format!("`{unknown}` is not a key or section that can be locked"),
                    nearest_key(unknown).map_or_else(
                        || "remove it".to_owned(),
                        |nearest| format!("did you mean `{nearest}`?"),
                    ),
                );
            }
        }
        self.stated.push(Stated {
            key,
            span: span.clone(),
            setting,
        });
    }

    pub(super) fn wrong(&mut self, key: &str, node: &Node, expected: &str) {
        self.findings.error(
            "wrong-value",
            &node.span,
            format!("`{key}` is {}: {expected}", described(node)),
            "it is ignored until it is corrected",
        );
    }

    pub(super) fn is_the_projects(&self) -> bool {
        matches!(self.scope, Scope::Project | Scope::Local)
    }
}

/// Settles what holds. Weaker files first, so that stronger ones overwrite; what a file may not say is ignored
/// and noted in its findings.
pub(super) fn resolve(files: &mut [FileConfig<'_>], trust: TrustState) -> Config {
    let mut config = Config::default();
    let lock = files.iter().find_map(Lock::of);
    config.allow_locked = lock.as_ref().and_then(|it| it.holds("guard.allow"));
    files.sort_by_key(|file| std::cmp::Reverse(file.scope));
    for file in files {
        for stated in std::mem::take(&mut file.stated) {
            let Stated { key, span, setting } = stated;
            if file.scope != Scope::Managed {
                if setting.is_for_administrators() {
                    file.findings.warning(
                        "managed-only",
                        &span,
                        format!("`{key}` counts only in the administrator's file; it is ignored"),
                        "remove it",
                    );
                    continue;
                }
                if file.is_the_projects() && setting.is_for_the_whole_machine() {
                    file.findings.warning(
                        "not-in-projects",
                        &span,
                        format!(
                            "`{key}` counts only in the user's and the administrator's file; it is ignored"
                        ),
                        "remove it, or write it into ~/.config/bowline/config.toml",
                    );
                    continue;
                }
                if let Some(lock) = &lock
                    && let Some(why) = lock.holds(&key)
                    && !lock.lets_pass(&setting, &config)
                {
                    file.findings.warning(
                        "locked",
                        &span,
                        format!("`{key}` is ignored: {why}"),
                        "remove it, or ask the administrator of this machine",
                    );
                    continue;
                }
                if file.is_the_projects() && !trust.is_trusted() && !setting.only_tightens(&config)
                {
                    let value = shortened(file.findings.source(&span));
                    file.findings.note(
                        "untrusted",
                        &span,
                        format!(
                            "`{key} = {value}` is ignored: the project's settings are not trusted"
                        ),
                        "look at what they do with `bowline trust`",
                    );
                    continue;
                }
            }
            setting.apply(&mut config);
        }
    }
    config
}

/// What the administrator's file keeps to itself.
#[derive(Debug)]
pub(super) struct Lock {
    file: PathBuf,
    /// Keys and sections; `None` for all, because the file cannot be read, and nobody knows what it would lock.
    keys: Option<Vec<String>>,
}

impl Lock {
    pub(super) fn of(file: &FileConfig<'_>) -> Option<Self> {
        let keys = match file.scope {
            Scope::Managed if file.usable => {
                Some(
                    file.stated
                        .iter()
                        .find_map(|stated| match &stated.setting {
                            Setting::Locked(keys) => Some(keys.clone()),
                            _ => None,
                        })?,
                )
            }
            Scope::Managed => None,
            _ => return None,
        };
        Some(Self {
            file: file.path.to_owned(),
            keys,
        })
    }

    /// What tightens a guard is nobody's loss; of other keys an unreadable file keeps what it may have locked.
    fn lets_pass(&self, setting: &Setting, weaker: &Config) -> bool {
        let concerns_guard = matches!(setting, Setting::Guard(_));
        setting.only_tightens(weaker) && (concerns_guard || self.keys.is_none())
    }

    /// Why a key is locked, if it is.
    pub(super) fn holds(&self, key: &str) -> Option<String> {
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

fn is_lockable(key: &str) -> bool {
    key == DIALECTS
        || key == RULE
        || LOCKABLE.contains(&key)
        || sections().any(|section| section == key)
        || KEYS.iter().any(|(known, _)| *known == key)
}

fn is_read_with_hooks(key: &str) -> bool {
    key.strip_prefix("defaults.")
        .is_some_and(|name| READ_WITH_HOOKS.contains(&name))
}

fn sections() -> impl Iterator<Item = &'static str> {
    KEYS.iter()
        .filter_map(|(key, _)| Some(key.split_once('.')?.0))
}

fn nearest_key(key: &str) -> Option<&'static str> {
    let known: Vec<_> = KEYS
        .iter()
        .map(|(key, _)| *key)
        .chain(sections())
        .chain([HOOKS, DIALECTS, GUARD, RULE])
        .collect();
    nearest(key, &known)
}

fn entries(node: &Node) -> &[Entry] {
    match &node.value {
        Value::Map(entries) => entries,
        _ => &[],
    }
}

/// Both spellings of keys are read: `onFailure` and `on-failure` are `on_failure`.
fn snake_case(key: &str) -> String {
    let mut snake = String::with_capacity(key.len() + 4);
    for c in key.chars() {
        match c {
            '-' => snake.push('_'),
            c if c.is_ascii_uppercase() => {
                if !snake.is_empty() {
                    snake.push('_');
                }
                snake.push(c.to_ascii_lowercase());
            }
            c => snake.push(c),
        }
    }
    snake
}

#[cfg(test)]
mod tests;
