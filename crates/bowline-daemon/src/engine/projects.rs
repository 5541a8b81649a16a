//! The projects that events come from. Settings are read and hooks are made once, and again when files change.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use bowline::hooks::{
    Activation, Hook, HookEvent, HookInput, HookManager, Match, RunMode, Services,
};
use bowline::settings::{
    self, Action, FileKind, FileStatus, FleetConfig, Locations, Settings, TrustState,
};
use bowline_agents::ClaudeHooks;
use bowline_builtins::{Builtins, SharedState, own_places, own_places_unseen};
use bowline_guard::paths::OwnPlaces;
use chrono::{DateTime, Utc};

use super::Weight;
use super::context::{LocationValues, location};
use super::cost::Cost;
use super::skills::Skills;
use super::timely::{self, Unseen};
use super::void::Void;
use crate::registration::starts_bowline;

/// At most this many projects stay loaded. The first one is dropped.
const PROJECTS: usize = 256;

/// The coarsest clock of a file system.
const COARSE: Duration = Duration::from_secs(2);

/// How settings are read.
type Load = fn(&Path, &Locations) -> Settings;

/// The key of a project: the folder that an agent names, and whose settings count.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ProjectKey {
    pub(super) folder: PathBuf,
    pub(super) claude_hooks: ClaudeHooks,
    pub(super) locations: Arc<LocationValues>,
}

/// A project with its hooks.
pub(super) struct Project {
    pub(super) folder: PathBuf,
    /// All hooks.
    pub(super) deciding: HookManager,
    /// Only the hooks that keep records.
    pub(super) observing: HookManager,
    /// Events for which something runs outside this process.
    heavy: HashSet<HookEvent>,
    /// Our own hooks that start programs, where they want to see an event.
    programs: Vec<Arc<dyn Hook>>,
    /// The skills in use, where any hook depends on them.
    pub(super) skills: Option<Arc<Skills>>,
    scopes: HashMap<String, String>,
    /// The variables that only its own files set, and that do not count.
    pub(super) void: Void,
    problems: Vec<String>,
    loaded_at: DateTime<Utc>,
    settings: Arc<Settings>,
    stamps: Vec<(PathBuf, Option<Stamp>)>,
    cost: Arc<Cost>,
}

/// What is told of a loaded project.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct ProjectState {
    /// Its folder.
    pub project: String,
    /// How many hooks it has, ours included, for the agent with most of them.
    pub hooks: usize,
    /// When its settings were read.
    pub loaded_at: DateTime<Utc>,
    /// What is wrong with them.
    pub problems: Vec<String>,
}

impl ProjectState {
    /// The same project as it is loaded for another agent.
    fn join(&mut self, other: Self) {
        self.hooks = self.hooks.max(other.hooks);
        self.loaded_at = self.loaded_at.max(other.loaded_at);
        let known = std::mem::take(&mut self.problems);
        let new = other.problems.into_iter().filter(|it| !known.contains(it));
        self.problems = known.iter().cloned().chain(new).collect();
    }
}

/// Shows whether a file is the same as before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let found = path.metadata().ok()?;
        Some(Self {
            inode: found.ino(),
            size: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
        })
    }

    /// The stamp of a file that was read at this time or later. One that has changed since may have changed after it was read, and so may
    /// one that changed just before, because clocks of file systems are coarse. Its stamp fits nothing, so that it is read again.
    fn settled(path: &Path, reading: SystemTime) -> Option<Self> {
        let stamp = Self::of(path)?;
        let modified = path.metadata().and_then(|found| found.modified()).ok()?;
        let is_old = reading
            .duration_since(modified)
            .is_ok_and(|age| age >= COARSE);
        // A time in the future proves nothing; the stamp does.
        let is_in_future = modified > SystemTime::now();
        let inode = if is_old || is_in_future {
            stamp.inode
        } else {
            0
        };
        Some(Self { inode, ..stamp })
    }
}

impl Project {
    fn new(key: &ProjectKey, shared: &SharedState) -> Self {
        Self::loaded_by(settings::load, key, shared)
    }

    /// A project whose own files take too long to read: a person's own settings and the administrator's count.
    pub(super) fn without_own(key: &ProjectKey, shared: &SharedState) -> Self {
        Self::loaded_by(settings::load_without_project, key, shared)
    }

    fn loaded_by(load: Load, key: &ProjectKey, shared: &SharedState) -> Self {
        let reading = SystemTime::now();
        let by_caller = Locations::of_environment(|name| location(&key.locations, name));
        let folder = settings::find_project(&key.folder, &by_caller);
        // A project may not say where our files are. This process knows it from a person.
        let users = Locations::from_env().claude_config_dir;
        let said = settings::project_variables(&folder, users.as_deref());
        let variable = |name: &str| {
            if said.iter().any(|it| it.sets(name)) {
                std::env::var_os(name)
            } else {
                location(&key.locations, name)
            }
        };
        let locations = Locations::of_environment(variable);
        let mut settings = load(&folder, &locations);
        let watched = settings.watched_files(&locations).into_iter();
        let stamps = watched.map(|path| {
            let stamp = Stamp::settled(&path, reading);
            (path, stamp)
        });
        let stamps = stamps.collect();
        let problems = problems_of(&settings);
        match key.claude_hooks {
            ClaudeHooks::Bridge if settings.config.bridge.claude_hooks => {
                keep_bridged_hooks(&mut settings);
            }
            ClaudeHooks::Agent | ClaudeHooks::Bridge => keep_own_hooks(&mut settings),
        }
        let services = Services::of_caller(&settings, &locations);
        let own_places = own_places(variable);
        Self {
            void: Void::of(&settings),
            problems,
            stamps,
            ..Self::with_hooks(settings, services, shared, (&locations, own_places))
        }
    }

    /// A project if the person's settings cannot be read in time either: the defaults, with the guards on. No file is read.
    pub(super) fn unread(key: &ProjectKey, shared: &SharedState) -> Self {
        let variable = |name: &str| location(&key.locations, name);
        let locations = Locations::of_environment(variable);
        let settings = Settings::unread(&key.folder);
        let services = Services::of_caller(&settings, &locations);
        let own_places = own_places_unseen(variable);
        Self {
            void: Void::unread(),
            ..Self::with_hooks(
                settings,
                services,
                &shared.unseen(),
                (&locations, own_places),
            )
        }
    }

    fn with_hooks(
        settings: Settings,
        services: Services,
        shared: &SharedState,
        (locations, own_places): (&Locations, OwnPlaces),
    ) -> Self {
        let builtins = Builtins::of_caller(&settings, shared, own_places.clone());
        let mut deciding = settings
            .manager(services)
            .with_background(shared.background.clone());
        if let Some(door) = shared.door(&settings, &builtins.guards, locations) {
            deciding = deciding.with_answerer(door);
        }
        let settings = Arc::new(settings);
        let unseen = Arc::new(Unseen::new(Arc::clone(&settings), shared, own_places));
        timely::register(&builtins, &unseen, &mut deciding);
        let mut observing = HookManager::new();
        let observers = builtins.running().map(|builtin| &builtin.hook);
        for hook in observers.filter(|hook| hook.policy().mode == RunMode::Told) {
            observing.register_arc(Arc::clone(hook));
        }
        let programs = builtins.hooks.iter().filter(|it| it.starts_programs);
        let programs = programs.map(|builtin| Arc::clone(&builtin.hook)).collect();
        let has_skills =
            (settings.in_force()).any(|hook| matches!(hook.activation, Activation::Skill(_)));
        Self {
            folder: settings.project.clone(),
            deciding,
            observing,
            heavy: settings.in_force().map(|hook| hook.event).collect(),
            programs,
            skills: has_skills.then(Arc::default),
            scopes: settings
                .in_force()
                .map(|hook| (hook.id.clone(), hook.origin.scope.to_string()))
                .collect(),
            void: Void::default(),
            problems: Vec::new(),
            loaded_at: Utc::now(),
            settings,
            stamps: Vec::new(),
            cost: Arc::new(Cost::new()),
        }
    }

    /// Keeps these settings, because the newer ones cannot be read.
    fn kept_despite(&self, new: Self, broken: &str) -> Self {
        let kept = format!("cannot be read, so the settings from before stay in force: {broken}");
        let mut problems = vec![kept];
        problems.extend(new.problems);
        Self {
            folder: self.folder.clone(),
            deciding: self.deciding.clone(),
            observing: self.observing.clone(),
            heavy: self.heavy.clone(),
            programs: self.programs.clone(),
            skills: self.skills.clone(),
            scopes: self.scopes.clone(),
            void: new.void,
            problems,
            loaded_at: self.loaded_at,
            settings: Arc::clone(&self.settings),
            stamps: new.stamps,
            cost: Arc::clone(&self.cost),
        }
    }

    /// Notes how long deciding took on the shared thread.
    pub(super) fn note_cost(&self, took: Duration) {
        self.cost.note(took);
    }

    /// How long deciding an event may hold up its thread.
    pub(super) fn weight(&self, input: &HookInput) -> Weight {
        let event = input.event_type();
        let starts = |hook: &Arc<dyn Hook>| {
            hook.events().contains(&event) && hook.matches(input) == Match::Yes
        };
        if event == HookEvent::ConfigChange
            || self.heavy.contains(&event)
            || self.cost.is_high()
            || self.programs.iter().any(starts)
        {
            Weight::Heavy
        } else {
            Weight::Light
        }
    }

    /// Whether a process may be started for an event, so that the caller's environment is needed.
    pub(super) fn may_start_a_process(&self, input: &HookInput) -> bool {
        self.weight(input) == Weight::Heavy || self.fleet().notify
    }

    /// How a person learns what its agents do.
    pub(super) fn fleet(&self) -> FleetConfig {
        self.settings.config.fleet
    }

    /// Whether anything runs outside this process for any event.
    pub(super) fn starts_hooks(&self) -> bool {
        !self.heavy.is_empty() || !self.programs.is_empty()
    }

    /// The scope of the file that a hook is from.
    pub(super) fn scope_of(&self, hook: &str) -> Option<String> {
        let scope = self.scopes.get(hook).cloned();
        scope.or_else(|| self.deciding.has(hook).then(|| "built-in".to_owned()))
    }

    fn state(&self, folder: String) -> ProjectState {
        ProjectState {
            project: folder,
            hooks: self.deciding.names().len(),
            loaded_at: self.loaded_at,
            problems: self.problems.clone(),
        }
    }

    fn has_changed(&self) -> bool {
        self.stamps
            .iter()
            .any(|(path, stamp)| Stamp::of(path) != *stamp)
    }

    /// This project, read anew. A file that can no longer be read leaves the last good settings in force.
    fn succeeded(&self, mut new: Self) -> Self {
        let broken: Vec<String> = new
            .broken_files()
            .difference(&self.broken_files())
            .map(|path| path.display().to_string())
            .collect();
        if broken.is_empty() {
            new.deciding = new.deciding.succeeding(&self.deciding);
            new
        } else {
            self.kept_despite(new, &broken.join(", "))
        }
    }

    fn broken_files(&self) -> HashSet<&Path> {
        let files = self.settings.files.iter();
        files
            .filter(|file| file.status != FileStatus::Read)
            .map(|file| file.path.as_path())
            .collect()
    }
}

/// Hooks in Claude Code's own files of a project need a person's trust before we run them: a cloned repository must not run
/// commands by itself. Bowline's own entry among an agent's hooks is skipped, because we are already running.
fn keep_bridged_hooks(settings: &mut Settings) {
    let trusted = settings.claude_hooks.trust == TrustState::Trusted;
    let project = settings.project.clone();
    let is_of_project = |file: &Path| file.starts_with(&project);
    settings.hooks.retain(|hook| {
        let ourselves = matches!(&hook.definition.action, Action::Command(action)
            if starts_bowline(&action.command, action.args.as_deref()));
        let file = hook.definition.origin.file.as_deref();
        !ourselves && (trusted || !file.is_none_or(is_of_project))
    });
}

/// The hooks of Claude Code's own files are its own business, or nobody's.
fn keep_own_hooks(settings: &mut Settings) {
    let own: HashSet<PathBuf> = settings
        .files
        .iter()
        .filter(|file| file.kind == FileKind::BowlineConfig)
        .map(|file| file.path.clone())
        .collect();
    settings.hooks.retain(|hook| {
        let file = hook.definition.origin.file.as_ref();
        file.is_some_and(|file| own.contains(file))
    });
}

fn problems_of(settings: &Settings) -> Vec<String> {
    settings
        .diagnostics
        .iter()
        .filter(|finding| finding.severity == settings::Severity::Error)
        .map(ToString::to_string)
        .collect()
}

/// All loaded projects.
#[derive(Default)]
pub(super) struct Projects {
    loaded: RwLock<HashMap<ProjectKey, Arc<Project>>>,
    loads: AtomicU64,
}

impl Projects {
    pub(super) fn get(&self, key: &ProjectKey) -> Option<Arc<Project>> {
        self.read().get(key).cloned()
    }

    pub(super) fn load(&self, key: ProjectKey, shared: &SharedState) -> Arc<Project> {
        if let Some(project) = self.get(&key) {
            return project;
        }
        let project = Arc::new(Project::new(&key, shared));
        let mut loaded = self.write();
        if loaded.len() >= PROJECTS
            && let Some(oldest) = loaded
                .iter()
                .min_by_key(|(_, project)| project.loaded_at)
                .map(|(key, _)| key.clone())
        {
            loaded.remove(&oldest);
        }
        self.loads.fetch_add(1, Ordering::Relaxed);
        Arc::clone(loaded.entry(key).or_insert(project))
    }

    /// Reloads the settings of every project whose files have changed. Events in flight keep the old ones. A file that
    /// can no longer be read leaves the last good settings in force.
    pub(super) fn reload_changed(&self, shared: &SharedState) {
        let loaded: Vec<ProjectKey> = self.read().keys().cloned().collect();
        for key in loaded {
            self.reload_if_changed(&key, shared);
        }
    }

    /// A project as its files are now.
    pub(super) fn afresh(&self, key: ProjectKey, shared: &SharedState) -> Arc<Project> {
        self.reload_if_changed(&key, shared);
        self.load(key, shared)
    }

    fn reload_if_changed(&self, key: &ProjectKey, shared: &SharedState) {
        while let Some(old) = self.get(key).filter(|it| it.has_changed()) {
            let new = old.succeeded(Project::new(key, shared));
            if self.replace(key, &old, new) {
                return;
            }
        }
    }

    /// Whether a project has taken the place of this one. If somebody else was faster, what they read may be newer.
    fn replace(&self, key: &ProjectKey, old: &Arc<Project>, new: Project) -> bool {
        self.loads.fetch_add(1, Ordering::Relaxed);
        let mut loaded = self.write();
        let is_in_place = loaded.get(key).is_some_and(|it| Arc::ptr_eq(it, old));
        if is_in_place {
            loaded.insert(key.clone(), Arc::new(new));
        }
        is_in_place
    }

    /// One for each folder, however many agents it is loaded for.
    pub(super) fn states(&self) -> Vec<ProjectState> {
        let mut states = BTreeMap::new();
        for project in self.read().values() {
            let folder = project.folder.display().to_string();
            match states.entry(folder.clone()) {
                Entry::Vacant(place) => {
                    place.insert(project.state(folder));
                }
                Entry::Occupied(mut known) => known.get_mut().join(project.state(folder)),
            }
        }
        states.into_values().collect()
    }

    pub(super) fn watched_files(&self) -> HashSet<PathBuf> {
        let loaded = self.read();
        let files = loaded.values().flat_map(|project| &project.stamps);
        files.map(|(path, _)| path.clone()).collect()
    }

    pub(super) fn loads(&self) -> u64 {
        self.loads.load(Ordering::Relaxed)
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, HashMap<ProjectKey, Arc<Project>>> {
        self.loaded.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, HashMap<ProjectKey, Arc<Project>>> {
        self.loaded.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn a_file_that_may_have_changed_after_it_was_read_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        let file = File::create(&path).unwrap();
        let reading = SystemTime::now() - Duration::from_mins(1);
        let second = Duration::from_secs(1);
        for (modified, is_settled) in [
            (reading - 60 * second, true),
            (reading - second, false),
            (reading, false),
            // While it was read.
            (reading + second, false),
            (SystemTime::now(), false),
            // By another clock.
            (reading + 3_600 * second, true),
        ] {
            file.set_modified(modified).unwrap();
            let stamp = Stamp::settled(&path, reading);
            assert_eq!(stamp == Stamp::of(&path), is_settled, "{modified:?}");
        }
    }
}
