//! The keys of Claude Code's settings files that decide which hooks count, and what HTTP hooks may do:
//! `disableAllHooks`, `allowedHttpHookUrls` and their like.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::url_patterns;
use crate::settings::Diagnostic;
use crate::settings::files::FileText;
use crate::settings::hooks::merge::{Candidate, HookStatus};
use crate::settings::hooks::model::{Action, Scope};
use crate::settings::hooks::read::Syntax;
use crate::settings::syntax::findings::Findings;
use crate::settings::syntax::node::{Node, Value};
use crate::settings::syntax::tree::{start, tree};

/// What one of Claude Code's files says.
#[derive(Debug, Clone, Default)]
pub(in crate::settings) struct FileSwitches {
    disable_all: Option<bool>,
    managed_only: Option<bool>,
    plugins_only: Option<bool>,
    enabled_plugins: BTreeMap<String, bool>,
    http_urls: Option<Vec<String>>,
    http_env_vars: Option<Vec<String>>,
}

impl FileSwitches {
    /// Reads the keys. A value of the wrong kind counts as not written, as in Claude Code.
    pub(in crate::settings) fn read(root: &Node) -> Self {
        Self {
            disable_all: flag(root.get(DISABLE_ALL)),
            managed_only: flag(root.get("allowManagedHooksOnly")),
            plugins_only: root.get("strictPluginOnlyCustomization").and_then(|node| {
                match &node.value {
                    Value::Bool(flag) => Some(*flag),
                    Value::List(parts) => Some(
                        parts
                            .iter()
                            .any(|part| part.value == Value::String("hooks".to_owned())),
                    ),
                    _ => None,
                }
            }),
            enabled_plugins: match root.get("enabledPlugins").map(|node| &node.value) {
                Some(Value::Map(entries)) => entries
                    .iter()
                    .filter_map(|entry| Some((entry.key.text.clone(), flag(Some(&entry.value))?)))
                    .collect(),
                _ => BTreeMap::new(),
            },
            http_urls: strings(root.get(HTTP_URLS)),
            http_env_vars: strings(root.get("httpHookAllowedEnvVars")),
        }
    }
}

const DISABLE_ALL: &str = "disableAllHooks";

/// What is said of a file that switches all hooks off, where it does.
pub(in crate::settings) fn disables_all(file: &FileText) -> Vec<Diagnostic> {
    let Ok(Some(text)) = &file.text else {
        return Vec::new();
    };
    let Ok(Some(root)) = tree(text, Syntax::Json) else {
        return Vec::new();
    };
    let mut findings = Findings::new(text, start(text), Some(&file.path));
    if let Some(entry) = root.entry(DISABLE_ALL) {
        findings.warning(
            "hooks-disabled",
            &(entry.key.span.start..entry.value.span.end),
            format!(
                "`{DISABLE_ALL}` is set: Claude Code runs no hook of its settings, and does not ask Bowline"
            ),
            "remove it, or set it to false",
        );
    }
    findings.finish()
}

const HTTP_URLS: &str = "allowedHttpHookUrls";

fn flag(node: Option<&Node>) -> Option<bool> {
    match node?.value {
        Value::Bool(flag) => Some(flag),
        _ => None,
    }
}

/// The strings of a list; what else is in it allows nothing.
fn strings(node: Option<&Node>) -> Option<Vec<String>> {
    let Value::List(nodes) = &node?.value else {
        return None;
    };
    let texts = nodes.iter().filter_map(|node| match &node.value {
        Value::String(text) => Some(text.clone()),
        _ => None,
    });
    Some(texts.collect())
}

/// What all of Claude Code's files say together.
#[derive(Debug, Default)]
pub(in crate::settings) struct Switches {
    files: Vec<(Scope, PathBuf, FileSwitches)>,
}

/// Where a hook of Claude Code's comes from.
#[derive(Debug, Clone, Copy)]
pub(in crate::settings) enum Provenance<'a> {
    /// A settings file.
    Settings(Scope),
    /// A plugin, with its `name@marketplace` if it is an installed one.
    Plugin(Option<&'a str>),
    /// A skill's or sub-agent's own file.
    FrontMatter,
}

impl Switches {
    /// Adds a file. Of two files of one scope the later one wins.
    pub(in crate::settings) fn add(&mut self, scope: Scope, path: PathBuf, switches: FileSwitches) {
        self.files.push((scope, path, switches));
    }

    /// The file that switches all hooks of Claude Code's files off.
    pub(in crate::settings) fn all_off(&self) -> Option<&Path> {
        match self.strongest(|file| file.disable_all) {
            Some((_, path, true)) => Some(path),
            _ => None,
        }
    }

    /// What switches a hook off, for people.
    pub(in crate::settings) fn disabled_by(&self, from: Provenance<'_>) -> Option<String> {
        if let Some((scope, path, true)) = self.strongest(|file| file.disable_all)
            && (scope == Scope::Managed || !is_managed(from))
        {
            return Some(format!("disableAllHooks in {}", path.display()));
        }
        if let Some((path, true)) = self.managed(|file| file.managed_only)
            && !is_managed(from)
            && !self.enabled_by_managed(from)
        {
            return Some(format!("allowManagedHooksOnly in {}", path.display()));
        }
        if let Some((path, true)) = self.managed(|file| file.plugins_only)
            && !is_managed(from)
            && !matches!(from, Provenance::Plugin(_))
        {
            return Some(format!(
                "strictPluginOnlyCustomization in {}",
                path.display()
            ));
        }
        None
    }

    /// Holds an HTTP hook of Claude Code's files to what all of them together allow. Managed ones are no exception.
    pub(in crate::settings) fn restrict(&self, candidate: &mut Candidate) {
        let Action::Http(action) = &mut candidate.definition.action else {
            return;
        };
        if let Some((_, allowed)) = self.together(|file| file.http_env_vars.as_ref()) {
            action
                .allowed_env_vars
                .retain(|name| allowed.contains(&name.as_str()));
        }
        if let Some((files, patterns)) = self.together(|file| file.http_urls.as_ref())
            && candidate.status == HookStatus::InForce
            && !url_patterns::allows(patterns, &action.url)
        {
            candidate.status = HookStatus::Disabled {
                by: format!("{HTTP_URLS} in {files}"),
            };
        }
    }

    /// The files that have a list, for people, and what is in all of them; `None` when no file has one.
    fn together<'s>(
        &'s self,
        list: impl Fn(&'s FileSwitches) -> Option<&'s Vec<String>>,
    ) -> Option<(String, Vec<&'s str>)> {
        let (paths, lists): (Vec<String>, Vec<&Vec<String>>) = self
            .files
            .iter()
            .filter_map(|(_, path, file)| Some((path.display().to_string(), list(file)?)))
            .unzip();
        let entries = lists.into_iter().flatten().map(String::as_str).collect();
        (!paths.is_empty()).then(|| (paths.join(" and "), entries))
    }

    /// Whether an installed plugin is switched on.
    pub(in crate::settings) fn enables(&self, plugin: &str) -> bool {
        self.strongest(|file| file.enabled_plugins.get(plugin).copied())
            .is_some_and(|(_, _, enabled)| enabled)
    }

    fn enabled_by_managed(&self, from: Provenance<'_>) -> bool {
        match from {
            Provenance::Plugin(Some(id)) => self
                .managed(|file| file.enabled_plugins.get(id).copied())
                .is_some_and(|(_, enabled)| enabled),
            Provenance::Plugin(None) | Provenance::Settings(_) | Provenance::FrontMatter => false,
        }
    }

    fn strongest(
        &self,
        value: impl Fn(&FileSwitches) -> Option<bool>,
    ) -> Option<(Scope, &PathBuf, bool)> {
        self.files
            .iter()
            .filter_map(|(scope, path, file)| Some((*scope, path, value(file)?)))
            // Scopes are ordered from the strongest; `min_by_key` takes the first of equals.
            .rev()
            .min_by_key(|(scope, _, _)| *scope)
    }

    fn managed(&self, value: impl Fn(&FileSwitches) -> Option<bool>) -> Option<(&PathBuf, bool)> {
        self.strongest(value)
            .filter(|(scope, _, _)| *scope == Scope::Managed)
            .map(|(_, path, flag)| (path, flag))
    }
}

const fn is_managed(from: Provenance<'_>) -> bool {
    matches!(from, Provenance::Settings(Scope::Managed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn switches(files: &[(Scope, FileSwitches)]) -> Switches {
        let mut switches = Switches::default();
        for (scope, file) in files {
            switches.add(*scope, PathBuf::from(format!("{scope}.json")), file.clone());
        }
        switches
    }

    fn disable(flag: bool) -> FileSwitches {
        FileSwitches {
            disable_all: Some(flag),
            ..FileSwitches::default()
        }
    }

    #[test]
    fn disabling_goes_by_precedence_and_spares_the_managed() {
        use Scope::{Global, Local, Managed, Project};
        type Case<'a> = (&'a [(Scope, FileSwitches)], [bool; 2]);
        let cases: [Case<'_>; 6] = [
            (&[], [false, false]),
            (&[(Global, disable(true))], [false, true]),
            (
                &[(Global, disable(true)), (Project, disable(false))],
                [false, false],
            ),
            (
                &[(Local, disable(true)), (Project, disable(false))],
                [false, true],
            ),
            (
                &[(Managed, disable(true)), (Local, disable(false))],
                [true, true],
            ),
            (
                &[(Managed, disable(true)), (Managed, disable(false))],
                [false, false],
            ),
        ];
        for (files, expected) in cases {
            let switches = switches(files);
            let disabled = [Managed, Project]
                .map(|scope| switches.disabled_by(Provenance::Settings(scope)).is_some());
            assert_eq!(disabled, expected, "{files:?}");
        }
    }

    #[test]
    fn managed_hooks_only_spares_the_plugins_that_managed_settings_enable() {
        let managed = FileSwitches {
            managed_only: Some(true),
            enabled_plugins: [("a@corp".to_owned(), true)].into(),
            ..FileSwitches::default()
        };
        let project = FileSwitches {
            enabled_plugins: [("b@corp".to_owned(), true)].into(),
            ..FileSwitches::default()
        };
        let switches = switches(&[(Scope::Managed, managed), (Scope::Project, project)]);
        for (from, disabled) in [
            (Provenance::Settings(Scope::Managed), false),
            (Provenance::Settings(Scope::Global), true),
            (Provenance::Plugin(Some("a@corp")), false),
            (Provenance::Plugin(Some("b@corp")), true),
            (Provenance::Plugin(None), true),
            (Provenance::FrontMatter, true),
        ] {
            assert_eq!(switches.disabled_by(from).is_some(), disabled, "{from:?}");
        }
        assert!(switches.enables("b@corp"));
        assert!(!switches.enables("c@corp"));
    }

    #[test]
    fn only_managed_files_can_ask_for_managed_hooks_only() {
        let project = FileSwitches {
            managed_only: Some(true),
            plugins_only: Some(true),
            ..FileSwitches::default()
        };
        let switches = switches(&[(Scope::Project, project)]);
        assert_eq!(
            switches.disabled_by(Provenance::Settings(Scope::Global)),
            None
        );
    }
}
