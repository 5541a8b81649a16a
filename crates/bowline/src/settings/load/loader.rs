//! Loads every settings file of a project: finds, reads, judges and merges.

mod claude;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::settings::{FileKind, FileStatus, Settings, SettingsFile};
use crate::dialect::Dialect;
use crate::settings::claude::hooks::ClaudeHooks;
use crate::settings::claude::mcp_servers::McpServers;
use crate::settings::claude::sensitive;
use crate::settings::claude::sensitive::SensitiveFiles;
use crate::settings::claude::steering;
use crate::settings::files::locations::{Locations, find_bowline_root};
use crate::settings::files::{FileText, finding};
use crate::settings::hooks::ids::Ids;
use crate::settings::hooks::merge::{Candidate, Family, HookStatus, arrange, status_by_action};
use crate::settings::hooks::model::{Plugin, Scope};
use crate::settings::hooks::read::{DialectChoice, Parsed, Source, Syntax, parse_source};
use crate::settings::hooks::timeouts;
use crate::settings::keys::{self, Config, FileConfig, StatedSetting};
use crate::settings::rules;
use crate::settings::rules::definition::LoadedRule;
use crate::settings::trust::allowances::AllowanceStore;
use crate::settings::trust::fingerprint::ProjectFiles;
use crate::settings::trust::script_hashes;
use crate::settings::trust::store::{TrustState, TrustStore};
use crate::settings::{Diagnostic, Severity};

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
        stated,
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
        mut diagnostics,
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
    if config.bridge.claude_hooks {
        diagnostics.extend(claude_hooks.told(&claude_texts));
    }
    Settings {
        hooks: arrange(candidates),
        rules,
        diagnostics,
        files,
        config,
        stated,
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

/// A problem of one of Bowline's own files as a whole has more consequences than elsewhere.
fn tell_of_questions(finding: &mut Diagnostic) {
    const ASKED: &str = "until then Bowline asks about every tool call, unless its daemon still has what the file said before";
    if finding.severity == Severity::Error {
        let help = finding.help.take().map(|help| format!("{help}; {ASKED}"));
        finding.help = Some(help.unwrap_or_else(|| ASKED.to_owned()));
    }
}

/// What Bowline's own files say beside their hooks.
struct OwnFiles {
    config: Config,
    stated: Vec<StatedSetting>,
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
        let stated = keys::settled(&mut configs);
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
            stated,
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
        let (status, mut parsed) = match &file.text {
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
        if family == Family::Bowline && status != FileStatus::Read {
            parsed.diagnostics.iter_mut().for_each(tell_of_questions);
        }
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
