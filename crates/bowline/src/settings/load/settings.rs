//! The result of loading: everything that applies in a project, and where it was read.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use bowline_guard::pattern::PathPattern;
use bowline_guard::sensitive::SensitivePolicy;

use crate::settings::Diagnostic;
use crate::settings::claude::hooks::ClaudeHooks;
use crate::settings::claude::mcp_servers::{MCP_FILE, McpServers};
use crate::settings::claude::sensitive;
use crate::settings::claude::sensitive::SensitiveFiles;
use crate::settings::claude::steering;
use crate::settings::claude::steering::{ProjectVariable, Sight, Steers};
use crate::settings::files::locations::{CLAUDE_FOLDER, LOCAL_FILE, Locations, PROJECT_FILE};
use crate::settings::hooks::merge::{HookStatus, LoadedHook};
use crate::settings::hooks::model::{HookDefinition, Scope};
use crate::settings::hooks::scripts::scripts;
use crate::settings::keys::{Config, StatedSetting};
use crate::settings::rules::definition::LoadedRule;
use crate::settings::trust::allowances::AllowanceStore;
use crate::settings::trust::store::{TrustState, TrustStore};

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
    /// Every value that they state, the weakest file first, and whether it counts.
    pub stated: Vec<StatedSetting>,
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
            stated: Vec::new(),
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

    /// Bowline's own files that could not be read.
    pub fn unread_files(&self) -> impl Iterator<Item = &SettingsFile> {
        let own = (self.files.iter()).filter(|file| file.kind == FileKind::BowlineConfig);
        own.filter(|file| file.status != FileStatus::Read)
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
