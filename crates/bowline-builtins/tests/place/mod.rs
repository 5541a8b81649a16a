//! A project and a home of their own for each test.

use std::fs;
use std::path::{Path, PathBuf};

use bowline::hooks::{HookContext, HookInput, HookManager, Services, TriggerResult};
use bowline::settings::{self, AllowanceStore, Locations, Settings, TrustStore, Wish};
use bowline_builtins::machine::Machine;
use bowline_builtins::{Builtins, SharedState, assemble};
use tempfile::TempDir;

pub(crate) struct Place {
    dir: TempDir,
    shared: SharedState,
}

impl Place {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        fs::create_dir_all(home.join("project")).unwrap();
        fs::create_dir_all(home.join(".config/bowline")).unwrap();
        let shared = SharedState::new(Machine::new(Some(home), Vec::new()));
        Self { dir, shared }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    pub(crate) fn project_dir(&self) -> PathBuf {
        self.home().join("project")
    }

    /// Writes the user's settings.
    pub(crate) fn user(self, text: &str) -> Self {
        fs::write(self.home().join(".config/bowline/config.toml"), text).unwrap();
        self
    }

    /// Writes the project's settings, which nobody has trusted.
    pub(crate) fn project(self, text: &str) -> Self {
        fs::write(self.project_dir().join("bowline.toml"), text).unwrap();
        self
    }

    /// Trusts the project's files as they are.
    pub(crate) fn trust(&self) {
        let mut store = TrustStore::open(&Locations::under(self.dir.path())).unwrap();
        store.record(&self.project_dir()).unwrap();
    }

    /// Lets something pass, as `bowline allow` does.
    pub(crate) fn allow(&self, wish: Wish) {
        let mut store = AllowanceStore::open(&Locations::under(self.dir.path()));
        store.add(wish).unwrap();
    }

    /// Writes the administrator's settings.
    pub(crate) fn managed(self, text: &str) -> Self {
        fs::create_dir_all(self.dir.path().join("etc/bowline")).unwrap();
        fs::write(self.dir.path().join("etc/bowline/config.toml"), text).unwrap();
        self
    }

    pub(crate) fn settings(&self) -> Settings {
        settings::load(&self.project_dir(), &Locations::under(self.dir.path()))
    }

    pub(crate) fn manager(&self) -> HookManager {
        assemble(&self.settings(), Services::default(), &self.shared)
    }

    pub(crate) fn builtins(&self) -> Builtins {
        Builtins::new(&self.settings(), &self.shared)
    }

    /// Fires an event of an agent that works in another folder.
    pub(crate) async fn fire_in(&self, folder: &Path, input: HookInput) -> TriggerResult {
        let settings = settings::load(folder, &Locations::under(self.dir.path()));
        let manager = assemble(&settings, Services::default(), &self.shared);
        let context = HookContext::new("s1").with_cwd(folder);
        manager.trigger(input, &context).await
    }

    pub(crate) fn context(&self) -> HookContext {
        HookContext::new("s1").with_cwd(self.project_dir())
    }

    pub(crate) async fn fire(&self, input: HookInput) -> TriggerResult {
        self.manager().trigger(input, &self.context()).await
    }

    pub(crate) async fn fire_as(&self, agent: &str, input: HookInput) -> TriggerResult {
        let context = self.context().with_agent(agent);
        self.manager().trigger(input, &context).await
    }
}
