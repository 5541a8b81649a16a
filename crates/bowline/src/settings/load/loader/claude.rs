//! Loads Claude Code's files: settings, plugins, skills and sub-agents, and what they set for the agent.

use std::path::Path;

use crate::settings::claude::front_matter;
use crate::settings::claude::plugins;
use crate::settings::claude::steering;
use crate::settings::claude::steering::{ProjectVariable, Trusted};
use crate::settings::claude::switches;
use crate::settings::claude::switches::{FileSwitches, Provenance, Switches};
use crate::settings::files::locations::CLAUDE_FOLDER;
use crate::settings::files::{self, FileText};
use crate::settings::hooks::merge::{Family, HookStatus};
use crate::settings::hooks::model::{Plugin, Scope};
use crate::settings::hooks::read::{DialectChoice, Source, Syntax};
use crate::settings::keys::Config;
use crate::settings::syntax::tree::tree;
use crate::settings::trust::store::TrustState;

use super::super::settings::FileKind;
use super::Loader;

impl Loader<'_> {
    /// Reads Claude Code's files. Returns what switches their hooks off.
    pub(super) fn claude_files(&mut self, config: &Config) -> Option<String> {
        let project_dir = self.project.join(CLAUDE_FOLDER);
        let user_dir = self.locations.claude_config_dir.clone();
        let texts = self.claude_settings(user_dir.as_deref(), &project_dir);

        let mut switches = Switches::default();
        for (scope, file) in &texts {
            if let Ok(Some(text)) = &file.text
                && let Ok(Some(root)) = tree(text, Syntax::Json)
            {
                switches.add(*scope, file.path.clone(), FileSwitches::read(&root));
            }
        }
        for (scope, file) in &texts {
            let source = Source {
                scope: *scope,
                ..self.claude_source(Syntax::Json, &file.path, config)
            };
            let disabled = switches.disabled_by(Provenance::Settings(*scope));
            self.read(
                file,
                FileKind::ClaudeSettings,
                &source,
                &judged_by(disabled),
            );
        }
        self.plugins(user_dir.as_deref(), &switches, config);
        for dir in user_dir.into_iter().chain([project_dir]) {
            for found in front_matter::find(&dir, &mut self.diagnostics) {
                let disabled = switches.disabled_by(Provenance::FrontMatter);
                self.front_matter(found, config, disabled);
            }
        }
        for candidate in &mut self.candidates {
            if candidate.family == Family::ClaudeCode {
                switches.restrict(candidate);
            }
        }
        let by = switches.all_off();
        let by = by.and_then(|path| texts.iter().find(|(_, file)| file.path == path));
        let by = by.map(|(_, file)| switches::disables_all(file));
        self.diagnostics.extend(by.into_iter().flatten());
        switches.disabled_by(Provenance::Settings(Scope::Global))
    }

    /// What the project's own files set for the agent.
    pub(super) fn variables(&mut self, trust: TrustState) -> Vec<ProjectVariable> {
        let files = steering::files(self.project, self.locations.claude_config_dir.as_deref());
        let variables = steering::of_files(&files);
        let trusted = if self.project == self.bowline_root && trust.covers_variables() {
            Trusted::Yes
        } else {
            Trusted::No
        };
        let findings = steering::findings(&files, &variables, trusted);
        self.diagnostics.extend(findings);
        variables
    }

    /// Reads a skill or sub-agent.
    fn front_matter(
        &mut self,
        found: front_matter::Found,
        config: &Config,
        disabled: Option<String>,
    ) {
        if !self.is_new(&found.path) {
            return;
        }
        let source = Source {
            scope: Scope::Plugin,
            activation: found.activation,
            ..self.claude_source(Syntax::FrontMatter, &found.path, config)
        };
        let file = FileText {
            path: found.path,
            text: Ok(Some(found.text)),
        };
        self.read(&file, found.kind, &source, &judged_by(disabled));
    }

    /// Claude Code's settings files, of one scope from the weaker to the stronger.
    fn claude_settings(&mut self, user: Option<&Path>, project: &Path) -> Vec<(Scope, FileText)> {
        let managed = &self.locations.claude_managed_dir;
        let drop_ins = managed.join("managed-settings.d");
        let drop_ins = files::list(&drop_ins).unwrap_or_else(|unreadable| {
            self.diagnostics.push(unreadable.diagnostic(&drop_ins));
            Vec::new()
        });
        let mut paths = vec![(Scope::Managed, managed.join("managed-settings.json"))];
        paths.extend(
            drop_ins
                .into_iter()
                .filter(|path| {
                    path.extension()
                        .is_some_and(|extension| extension == "json")
                })
                .map(|path| (Scope::Managed, path)),
        );
        paths.extend(user.map(|dir| (Scope::Global, dir.join("settings.json"))));
        paths.push((Scope::Project, project.join("settings.json")));
        paths.push((Scope::Local, project.join("settings.local.json")));
        paths.retain(|(_, path)| self.is_new(path));
        paths
            .into_iter()
            .map(|(scope, path)| (scope, FileText::read(path)))
            .collect()
    }

    /// Whether the file has not been read under another path.
    fn is_new(&mut self, path: &Path) -> bool {
        path.canonicalize()
            .map_or(true, |real| self.seen.insert(real))
    }

    fn plugins(&mut self, user_dir: Option<&Path>, switches: &Switches, config: &Config) {
        let mut found = match user_dir {
            Some(dir) => plugins::installed(
                dir,
                self.project,
                |id| switches.enables(id),
                &mut self.diagnostics,
            ),
            None => Vec::new(),
        };
        for dir in &self.locations.plugin_dirs {
            found.push(plugins::Found::at(dir.clone(), None, &mut self.diagnostics));
        }
        for plugin in found {
            self.plugins.push(plugin.plugin.clone());
            let disabled = switches.disabled_by(Provenance::Plugin(plugin.id.as_deref()));
            let mut texts: Vec<FileText> = plugin
                .files(&mut self.diagnostics)
                .into_iter()
                .map(FileText::read)
                .collect();
            texts.extend(plugin.inline());
            for file in texts {
                let source = self.plugin_source(&plugin.plugin, &file.path, config);
                self.read(
                    &file,
                    FileKind::PluginHooks,
                    &source,
                    &judged_by(disabled.clone()),
                );
            }
            for mut found in front_matter::find(&plugin.plugin.root, &mut self.diagnostics) {
                found.belongs_to(&plugin.plugin.name);
                self.front_matter(found, config, disabled.clone());
            }
        }
    }

    fn plugin_source(&self, plugin: &Plugin, path: &Path, config: &Config) -> Source {
        Source {
            scope: Scope::Plugin,
            plugin: Some(plugin.clone()),
            ..self.claude_source(Syntax::Json, path, config)
        }
    }

    fn claude_source(&self, syntax: Syntax, path: &Path, config: &Config) -> Source {
        let dialect = config
            .dialects
            .iter()
            .find(|(written, _)| self.resolves_to(written, path))
            .map_or(DialectChoice::ByShape, |(_, dialect)| {
                DialectChoice::Fixed(*dialect)
            });
        Source {
            file: Some(path.to_owned()),
            ..Source::new(syntax, dialect)
        }
    }

    /// Whether a path in `[dialects]` is this file: relative to the project, to the folder of its Bowline files, or to
    /// the home with `~/`.
    fn resolves_to(&self, written: &str, path: &Path) -> bool {
        match (written.strip_prefix("~/"), &self.locations.home) {
            (Some(below), Some(home)) => home.join(below) == path,
            (Some(_), None) => false,
            (None, _) => [self.project, self.bowline_root]
                .iter()
                .any(|folder| folder.join(written) == path),
        }
    }
}

/// The status of hooks that something may have switched off.
fn judged_by(disabled: Option<String>) -> HookStatus {
    disabled.map_or(HookStatus::InForce, |by| HookStatus::Disabled { by })
}
