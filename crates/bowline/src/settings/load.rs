//! Loads every settings file of a project: finds, reads, judges and merges.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use bowline_guard::pattern::PathPattern;
use bowline_guard::sensitive::SensitivePolicy;

use super::allowances::AllowanceStore;
use super::claude_hooks::ClaudeHooks;
use super::files::{self, FileText, finding};
use super::front_matter;
use super::ids::Ids;
use super::keys::{self, Config, FileConfig};
use super::locations::{CLAUDE_FOLDER, LOCAL_FILE, Locations, PROJECT_FILE, find_bowline_root};
use super::mcp_servers::{MCP_FILE, McpServers};
use super::merge::{Candidate, Family, HookStatus, LoadedHook, arrange, status_by_action};
use super::model::{HookDefinition, Plugin, Scope};
use super::plugins;
use super::read::{DialectChoice, Parsed, Source, Syntax, parse_source};
use super::rule::LoadedRule;
use super::rules;
use super::script_hashes;
use super::scripts::scripts;
use super::sensitive::{self, SensitiveFiles};
use super::steering::{self, ProjectVariable, Sight, Steers, Trusted};
use super::switches::{self, FileSwitches, Provenance, Switches};
use super::timeouts;
use super::tree::tree;
use super::trust::{ProjectFiles, TrustState, TrustStore};
use super::{Diagnostic, Severity};
use crate::dialect::Dialect;

/// All settings of a project.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Settings {
    /// The project's folder, which Claude Code's files are read from.
    pub project: PathBuf,
    /// The folder of the project's own Bowline files: the project's, or one above it. Trust is recorded for this one.
    pub bowline_root: PathBuf,
    /// Every hook that was found, in the order in which they run.
    pub hooks: Vec<LoadedHook>,
    /// Every rule that was found: managed, local, project, global, then as written.
    pub rules: Vec<LoadedRule>,
    /// What is wrong with the files.
    pub diagnostics: Vec<Diagnostic>,
    /// The files that exist.
    pub files: Vec<SettingsFile>,
    /// What Bowline's own files say beside their hooks.
    pub config: Config,
    /// Whether the project's own Bowline files count in full.
    pub trust: TrustState,
    /// Which files the project's `.claude/sensitive-files.json` protects, and which it lets pass.
    pub sensitive_files: SensitiveFiles,
    /// What keeps Claude Code from running the hooks of its user's and project's files, for people:
    /// "disableAllHooks in …". Also where there are none yet.
    pub claude_hooks_off: Option<String>,
    /// What the project's own files set for the agent, and would steer Bowline by.
    pub variables: Vec<ProjectVariable>,
    /// The project's hooks in Claude Code's files, which run under other agents only once they are trusted.
    pub claude_hooks: ClaudeHooks,
    /// Where the servers of hooks that call an MCP tool are looked for.
    pub mcp_servers: McpServers,
    /// What a person let pass with `bowline allow`; nothing where the administrator keeps that to himself.
    pub allowances: AllowanceStore,
}

impl Settings {
    /// What holds in a project whose files cannot be read for now: the defaults, with the guards on. No file is looked at.
    pub fn unread(project: &Path) -> Self {
        Self {
            project: project.to_owned(),
            bowline_root: project.to_owned(),
            hooks: Vec::new(),
            rules: Vec::new(),
            diagnostics: Vec::new(),
            files: Vec::new(),
            config: Config::default(),
            trust: TrustState::Untrusted,
            sensitive_files: SensitiveFiles::default(),
            claude_hooks_off: None,
            variables: Vec::new(),
            claude_hooks: ClaudeHooks {
                sha256: None,
                trust: TrustState::Untrusted,
            },
            mcp_servers: McpServers::default(),
            allowances: AllowanceStore::default(),
        }
    }

    /// The variables that count for nothing, because only the project's own files set them: those that say where Bowline's
    /// files are, and until the project is trusted all others, too.
    pub fn void_variables(&self) -> impl Iterator<Item = &ProjectVariable> {
        // Trust is about the files of one folder.
        let trusted = self.project == self.bowline_root && self.trust.covers_variables();
        self.variables
            .iter()
            .filter(move |it| !trusted || it.steers == Steers::Places || it.sight != Sight::Read)
    }

    /// The variables that count although only the project's own files set them, because the project is trusted.
    pub fn believed_variables(&self) -> impl Iterator<Item = &ProjectVariable> {
        let void = self.void_variables().map(|it| it.name.as_str());
        let void: HashSet<&str> = void.collect();
        let variables = self.variables.iter();
        variables.filter(move |it| !void.contains(it.name.as_str()))
    }

    /// The hooks that run, in their order.
    pub fn in_force(&self) -> impl Iterator<Item = &HookDefinition> {
        self.hooks
            .iter()
            .filter(|hook| hook.status == HookStatus::InForce)
            .map(|hook| &hook.definition)
    }

    /// What the settings say of files that hold secrets. Patterns were checked when they were read; one that cannot be used says nothing.
    pub fn sensitive_policy(&self) -> SensitivePolicy {
        let config = &self.config.guard.sensitive;
        let usable = |patterns: &[String]| {
            patterns
                .iter()
                .filter_map(|it| PathPattern::parse(it).ok())
                .collect()
        };
        SensitivePolicy {
            custom_paths: usable(&config.deny),
            allow_paths: usable(&config.allow),
            ..self.sensitive_files.policy()
        }
    }

    /// The files whose change, appearance or removal calls for loading again.
    pub fn watched_files(&self, locations: &Locations) -> Vec<PathBuf> {
        let mut watched = vec![locations.managed_config.clone()];
        watched.extend(locations.user_config.clone());
        let claude = locations.claude_config_dir.as_ref();
        watched.extend(claude.map(|folder| folder.join("settings.json")));
        watched.extend(TrustStore::open(locations).map(|trust| trust.file()));
        watched.extend(AllowanceStore::open(locations).file());
        for folder in [&self.project, &self.bowline_root] {
            watched.extend([PROJECT_FILE, LOCAL_FILE].map(|name| folder.join(name)));
            watched.push(sensitive::file_of(folder));
            watched.push(folder.join(MCP_FILE));
            watched.push(folder.join(CLAUDE_FOLDER).join("settings.json"));
            watched.push(folder.join(CLAUDE_FOLDER).join("settings.local.json"));
        }
        watched.extend(self.files.iter().map(|file| file.path.clone()));
        watched.extend(steering::deciding_indexes(&self.project));
        for folder in [&self.project, &self.bowline_root] {
            let hooks = self.hooks.iter().map(|hook| &hook.definition);
            watched.extend(scripts(hooks, folder, locations));
        }
        watched.sort();
        watched.dedup();
        watched
    }
}

/// A settings file that exists.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct SettingsFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it is.
    pub kind: FileKind,
    /// Whose it is.
    pub scope: Scope,
    /// What became of it.
    pub status: FileStatus,
    /// How many hooks it has.
    pub hooks: usize,
}

/// What a settings file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FileKind {
    /// One of Claude Code's own.
    ClaudeSettings,
    /// One of Bowline's own.
    BowlineConfig,
    /// A plugin's `hooks.json` or manifest.
    PluginHooks,
    /// A skill.
    Skill,
    /// A sub-agent.
    Agent,
    /// A project's `.claude/sensitive-files.json`.
    SensitiveFiles,
}

/// What became of a settings file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FileStatus {
    /// It was read.
    Read,
    /// It could not be read.
    Unreadable {
        /// Why not.
        reason: String,
    },
    /// It is not valid JSON, TOML or YAML.
    Broken,
}

/// Loads the settings of a project. Missing files are nothing; what is wrong with one file never touches another.
pub fn load(project: &Path, locations: &Locations) -> Settings {
    // Hooks run in other folders than this process, so that a path from here would lead them astray.
    let project = std::path::absolute(project).unwrap_or_else(|_| project.to_owned());
    let bowline_root = find_bowline_root(&project, locations);
    load_from(project, bowline_root, locations)
}

/// The settings of a project whose own files are not waited for: a person's own and the administrator's. The project's word for
/// variables is known, and counts for nothing.
pub fn load_without_project(project: &Path, locations: &Locations) -> Settings {
    // Nothing is in a device.
    let nowhere = PathBuf::from("/dev/null");
    let users = locations.claude_config_dir.as_deref();
    Settings {
        project: project.to_owned(),
        bowline_root: project.to_owned(),
        variables: steering::project_variables(project, users),
        ..load_from(nowhere.clone(), nowhere, locations)
    }
}

fn load_from(project: PathBuf, bowline_root: PathBuf, locations: &Locations) -> Settings {
    let mut loader = Loader {
        project: &project,
        bowline_root: &bowline_root,
        locations,
        candidates: Vec::new(),
        diagnostics: Vec::new(),
        files: Vec::new(),
        claude_texts: Vec::new(),
        plugins: Vec::new(),
        seen: HashSet::new(),
        ids: Ids::default(),
    };
    let OwnFiles {
        config,
        rules,
        trust,
        sensitive_files,
    } = loader.bowline_files();
    let allowances = loader.allowances(&config);
    let claude_hooks_off = loader.claude_files(&config);
    let variables = loader.variables(trust);
    if config.allow_managed_hooks_only {
        let by = format!(
            "allow_managed_hooks_only in {}",
            locations.managed_config.display()
        );
        for candidate in &mut loader.candidates {
            if candidate.definition.origin.scope != Scope::Managed {
                candidate.status = HookStatus::Disabled { by: by.clone() };
            }
        }
    }
    timeouts::share_session_end(&mut loader.candidates);
    let Loader {
        candidates,
        diagnostics,
        files,
        claude_texts,
        plugins,
        ..
    } = loader;
    let store = TrustStore::open(locations).ok();
    let of_project = candidates
        .iter()
        .filter(|it| it.family == Family::ClaudeCode)
        .map(|it| &it.definition)
        .filter(|it| matches!(it.origin.scope, Scope::Project | Scope::Local));
    let scripts = script_hashes::of_hooks(of_project, &project, locations);
    let mcp_servers = McpServers::of(&project, locations, plugins, store.as_ref());
    let claude_hooks = ClaudeHooks::of(&project, &claude_texts, scripts, store.as_ref());
    Settings {
        hooks: arrange(candidates),
        rules,
        diagnostics,
        files,
        config,
        trust,
        sensitive_files,
        claude_hooks_off,
        variables,
        claude_hooks,
        mcp_servers,
        allowances,
        project,
        bowline_root,
    }
}

/// What Bowline's own files say beside their hooks.
struct OwnFiles {
    config: Config,
    rules: Vec<LoadedRule>,
    trust: TrustState,
    sensitive_files: SensitiveFiles,
}

struct Loader<'a> {
    project: &'a Path,
    bowline_root: &'a Path,
    locations: &'a Locations,
    candidates: Vec<Candidate>,
    diagnostics: Vec<Diagnostic>,
    files: Vec<SettingsFile>,
    /// The project's files of Claude Code that have hooks.
    claude_texts: Vec<(PathBuf, String)>,
    /// The plugins that are switched on.
    plugins: Vec<Plugin>,
    /// Real paths: in the home folder the project's files are the user's.
    seen: HashSet<PathBuf>,
    ids: Ids,
}

impl Loader<'_> {
    fn bowline_files(&mut self) -> OwnFiles {
        let managed = FileText::read(self.locations.managed_config.clone());
        let global = self.locations.user_config.clone().map(FileText::read);
        let own = ProjectFiles::read(self.bowline_root, self.locations);
        let trust = self.trust(&own);

        let mut texts = vec![(Scope::Managed, &managed)];
        texts.extend(global.as_ref().map(|file| (Scope::Global, file)));
        texts.extend([(Scope::Project, &own.shared), (Scope::Local, &own.local)]);

        let mut configs: Vec<FileConfig<'_>> = texts
            .iter()
            .filter_map(|(scope, file)| FileConfig::of(file, *scope))
            .collect();
        let rules = rules::arrange(&mut configs, trust);
        let config = keys::resolve(&mut configs, trust);
        for file in configs {
            self.diagnostics.extend(file.findings.finish());
        }

        for (scope, file) in texts {
            let source = Source {
                scope,
                file: Some(file.path.clone()),
                defaults: Some(config.defaults.clone()),
                ..Source::new(Syntax::Toml, DialectChoice::Fixed(Dialect::Generic))
            };
            let of_project = matches!(scope, Scope::Project | Scope::Local);
            let status = if of_project && !trust.is_trusted() {
                HookStatus::Untrusted
            } else {
                HookStatus::InForce
            };
            let count = self.read(file, FileKind::BowlineConfig, &source, &status);
            if of_project && !trust.is_trusted() && count > 0 {
                let hooks = match count {
                    1 => "1 hook is".to_owned(),
                    _ => format!("{count} hooks are"),
                };
                self.diagnostics.push(finding(
                    Severity::Note,
                    "untrusted-hooks",
                    &file.path,
                    format!("{hooks} ignored: the project's settings are not trusted"),
                    "look at what they do with `bowline trust`",
                ));
            }
        }
        let sensitive = sensitive::load(&own.sensitive, self.project, self.bowline_root, trust);
        self.diagnostics.extend(sensitive.diagnostics);
        self.files.extend(sensitive.files);
        OwnFiles {
            config,
            rules,
            trust,
            sensitive_files: sensitive.patterns,
        }
    }

    fn trust(&mut self, files: &ProjectFiles) -> TrustState {
        match TrustStore::open(self.locations) {
            Ok(store) => {
                let state = store.state_of(self.bowline_root, files);
                if let (Some(problem), false) = (store.problem(), state.is_trusted()) {
                    let file = store.file();
                    self.diagnostics.push(finding(
                        Severity::Error,
                        "trust-record",
                        &file,
                        format!("{problem}; no project is trusted"),
                        "repair it or remove it",
                    ));
                }
                state
            }
            // Without a data folder nothing was ever trusted.
            Err(_) if matches!(files.sha256(), Ok(None)) => TrustState::NotNeeded,
            Err(_) => TrustState::Untrusted,
        }
    }

    fn allowances(&mut self, config: &Config) -> AllowanceStore {
        let store = AllowanceStore::open(self.locations);
        if let (Some(problem), Some(file)) = (store.problem(), store.file()) {
            self.diagnostics.push(finding(
                Severity::Error,
                "allow-record",
                &file,
                format!("{problem}; nothing is allowed by it"),
                "repair it or remove it",
            ));
        }
        match config.allow_locked {
            Some(_) => AllowanceStore::default(),
            None => store,
        }
    }

    /// Reads Claude Code's files; tells what switches their hooks off.
    fn claude_files(&mut self, config: &Config) -> Option<String> {
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
    fn variables(&mut self, trust: TrustState) -> Vec<ProjectVariable> {
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

    /// Reads one file, if it exists, and says how many hooks it has.
    fn read(
        &mut self,
        file: &FileText,
        kind: FileKind,
        source: &Source,
        hooks: &HookStatus,
    ) -> usize {
        let family = match kind {
            FileKind::BowlineConfig => Family::Bowline,
            _ => Family::ClaudeCode,
        };
        let (status, parsed) = match &file.text {
            Ok(None) => return 0,
            Ok(Some(text)) => {
                let parsed = parse_source(text, source);
                let status = if parsed.is_broken() {
                    FileStatus::Broken
                } else {
                    FileStatus::Read
                };
                (status, parsed)
            }
            Err(unreadable) => {
                let status = FileStatus::Unreadable {
                    reason: unreadable.reason.clone(),
                };
                let parsed = Parsed {
                    diagnostics: vec![unreadable.diagnostic(&file.path)],
                    ..Parsed::default()
                };
                (status, parsed)
            }
        };
        let limit = source
            .defaults
            .as_ref()
            .and_then(|defaults| defaults.timeout);
        let count = parsed.hooks.len();
        if let Ok(Some(text)) = &file.text
            && family == Family::ClaudeCode
            && count > 0
            && file.path.starts_with(self.project)
        {
            self.claude_texts.push((file.path.clone(), text.clone()));
        }
        self.diagnostics.extend(parsed.diagnostics);
        self.files.push(SettingsFile {
            path: file.path.clone(),
            kind,
            scope: source.scope,
            status,
            hooks: count,
        });
        for mut definition in parsed.hooks {
            definition.id = self.ids.unique(definition.id);
            if let (Some(limit), None) = (limit, &definition.timeout.written) {
                definition.timeout.limit = limit;
            }
            self.candidates.push(Candidate {
                status: match hooks {
                    HookStatus::InForce => status_by_action(&definition),
                    other => other.clone(),
                },
                definition,
                family,
            });
        }
        count
    }
}

/// The status of hooks that something may have switched off.
fn judged_by(disabled: Option<String>) -> HookStatus {
    disabled.map_or(HookStatus::InForce, |by| HookStatus::Disabled { by })
}
